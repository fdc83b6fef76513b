//! Impulses.
