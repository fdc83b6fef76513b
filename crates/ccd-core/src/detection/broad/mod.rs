//! The broad phase: candidate pairs from swept volumes.
