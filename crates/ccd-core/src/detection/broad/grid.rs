//! The broad phase by a grid of cells.
//!
//! Idea: each box is listed in the cells that it covers, the list is sorted by cell, and boxes of one cell are tested
//! against each other. A pair that shares several cells is reported in one of them only: the cell of the lower corner of
//! what the boxes have in common. Only cells that hold something exist, so space is unbounded. Guarantee: the pairs of
//! [`super::brute`], bit by bit. Limits: one size of cell suits boxes of like size; a box that would cover more than
//! `MOST_CELLS` is tested against all others, so that many of those cost O(n²) — a tree suits them better.

use super::{BroadPhase, CandidatePairs, MeetFilter};
use crate::math::{Point, Real};
use crate::volume::Aabb;

/// The most cells that one box is listed in.
const MOST_CELLS: i64 = 64;

/// A cell by its place along the axes.
type Cell = [i64; 3];

/// The cell that holds `p`. Places beyond the range of the numbers share the last cells: more tests, no pair lost.
fn cell_of(p: &Point, cell_size: Real) -> Cell {
    // Half the range, so that the difference of two places is a number too.
    const LAST: Real = (i64::MAX / 4) as Real;
    [p.x, p.y, p.z].map(|c| (c / cell_size).floor().clamp(-LAST, LAST) as i64)
}

/// The edge of the cells: one and a half times the middle one of the boxes' longest sides, so that most boxes cover a few.
fn cell_size(boxes: &[Aabb]) -> Real {
    let mut sides: Vec<Real> =
        boxes.iter().map(|b| (b.max - b.min).max()).filter(|side| side.is_finite() && *side > 0.0).collect();
    if sides.is_empty() {
        return 1.0;
    }
    let middle = sides.len() / 2;
    1.5 * *sides.select_nth_unstable_by(middle, Real::total_cmp).1
}

/// The pairs of boxes that overlap and that `meets` lets meet.
///
/// O(n log n + found) for boxes of like size, O(large · n) beside.
pub fn find_pairs(boxes: &[Aabb], meets: impl Fn(u32, u32) -> bool) -> CandidatePairs {
    let size = cell_size(boxes);
    let mut large: Vec<u32> = Vec::new();
    let mut small: Vec<u32> = Vec::new();
    let mut listed: Vec<(Cell, u32)> = Vec::new();
    for (i, aabb) in boxes.iter().enumerate() {
        let (low, high) = (cell_of(&aabb.min, size), cell_of(&aabb.max, size));
        let cells = (0..3).try_fold(1_i64, |n, k| n.checked_mul(high[k] - low[k] + 1));
        if cells.is_none_or(|n| n > MOST_CELLS) {
            large.push(i as u32);
            continue;
        }
        small.push(i as u32);
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                listed.extend((low[2]..=high[2]).map(|z| ([x, y, z], i as u32)));
            }
        }
    }
    listed.sort_unstable();

    let mut pairs = Vec::new();
    for list in listed.chunk_by(|one, other| one.0 == other.0) {
        for (k, &(cell, i)) in list.iter().enumerate() {
            let a = &boxes[i as usize];
            for &(_, j) in &list[k + 1..] {
                let b = &boxes[j as usize];
                if a.overlaps(b) && cell == cell_of(&a.min.sup(&b.min), size) && meets(i, j) {
                    pairs.push((i, j));
                }
            }
        }
    }
    for (k, &i) in large.iter().enumerate() {
        for &j in large[..k].iter().chain(&small) {
            let (i, j) = (i.min(j), i.max(j));
            if boxes[i as usize].overlaps(&boxes[j as usize]) && meets(i, j) {
                pairs.push((i, j));
            }
        }
    }
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
