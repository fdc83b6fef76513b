//! The broad phase by a grid of cells: [`UniformGrid`] over the bodies' boxes.
//!
//! Guarantee: the pairs of [`super::brute`], bit by bit. Limits: those of the grid: boxes of like size; and measured, the tree was
//! faster at every number of boxes, of one size, too (`docs/hierarchies.md`).

use super::{BroadPhase, CandidatePairs, MeetFilter};
use crate::bounds::uniform_grid::UniformGrid;
use crate::volume::Aabb;

/// The pairs of boxes that overlap and that `meets` lets meet.
///
/// O(n log n + found) for boxes of like size, O(large · n) beside.
pub fn find_pairs(boxes: &[Aabb], meets: impl Fn(u32, u32) -> bool) -> CandidatePairs {
    let mut pairs = Vec::new();
    UniformGrid::over(boxes).for_each_pair(boxes, |i, j| {
        if meets(i, j) {
            pairs.push((i, j));
        }
    });
    CandidatePairs::new(pairs)
}

/// The grid built anew on every call, as a [`BroadPhase`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid;

impl BroadPhase for Grid {
    fn find_pairs(&mut self, boxes: &[Aabb], meets: &MeetFilter) -> CandidatePairs {
        find_pairs(boxes, meets)
    }
}
