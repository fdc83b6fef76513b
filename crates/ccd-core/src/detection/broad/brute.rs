//! Every box against every other: the oracle for the other broad phases, and the fastest for a handful of boxes.

use super::{BroadPhase, CandidatePairs, MeetFilter};
use crate::volume::Aabb;

/// The pairs of boxes that overlap and that `meets` lets meet. O(n²).
pub fn find_pairs(boxes: &[Aabb], meets: impl Fn(u32, u32) -> bool) -> CandidatePairs {
    let mut pairs = Vec::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if a.overlaps(b) && meets(i as u32, j as u32) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    CandidatePairs::new(pairs)
}

/// The same of the pairs with any of the boxes numbered `few`, ascending. O(few · n).
pub fn find_pairs_with(boxes: &[Aabb], few: &[u32], meets: impl Fn(u32, u32) -> bool) -> CandidatePairs {
    let mut pairs = Vec::new();
    for &i in few {
        for (other, j) in boxes.iter().zip(0..) {
            // A pair of two of the few is found at the first of them.
            let is_new = |j: u32| j > i || j < i && few.binary_search(&j).is_err();
            if boxes[i as usize].overlaps(other) && is_new(j) && meets(i.min(j), i.max(j)) {
                pairs.push((i, j));
            }
        }
    }
    CandidatePairs::new(pairs)
}

/// All pairs, as a [`BroadPhase`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Brute;

impl BroadPhase for Brute {
    fn find_pairs(&mut self, boxes: &[Aabb], meets: &MeetFilter) -> CandidatePairs {
        find_pairs(boxes, meets)
    }
}
