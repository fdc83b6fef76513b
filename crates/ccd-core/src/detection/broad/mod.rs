//! The broad phase: candidate pairs from swept volumes.
//!
//! | broad phase | cost | keeps |
//! |---|---|---|
//! | [`brute`] | O(n²) | nothing: the oracle |
//! | [`grid`] | O(n log n + found) for boxes of like size | nothing |
//! | [`sweep`] | O(n log n) and what overlaps along one axis | nothing |
//! | [`tree::BuiltTree`] | O(n log n + found) | nothing |
//! | [`tree::KeptTree`] | O(moved · log n + found) | its tree between calls |
//!
//! All give the same pairs in the same order.

pub mod brute;
pub mod grid;
mod pairs;
pub mod sweep;
mod swept_aabb;
mod swept_obb;
pub mod tree;

pub use pairs::CandidatePairs;
pub use swept_aabb::swept_aabb;
pub use swept_obb::swept_obb;

use crate::volume::Aabb;

/// Says which two boxes, by their numbers, the smaller first, may make a pair.
pub type MeetFilter<'a> = dyn Fn(u32, u32) -> bool + 'a;

/// Finds the pairs of boxes that overlap.
pub trait BroadPhase: std::fmt::Debug + Send {
    /// The pairs of boxes, by their places in `boxes`, that overlap (touching counts) and that `meets` lets meet. Boxes may
    /// be unbounded; their number and places may change from call to call.
    fn find_pairs(&mut self, boxes: &[Aabb], meets: &MeetFilter) -> CandidatePairs;
}
