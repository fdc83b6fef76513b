//! The broad phase: candidate pairs from swept volumes.

pub mod brute;
mod pairs;
mod swept_aabb;

pub use pairs::CandidatePairs;
pub use swept_aabb::swept_aabb;
