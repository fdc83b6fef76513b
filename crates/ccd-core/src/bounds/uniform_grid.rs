//! A uniform grid of cells over boxes.
//!
//! **Problem.** Pairs of boxes that overlap, among many that all move.
//! **Idea.** Each box is listed in the cells that it covers, and the list is sorted by cell; boxes of one cell are tested
//! against each other. A pair that shares several cells is reported in one of them only: the cell of the lower corner of
//! what the boxes have in common. Only cells that hold something exist, so space is unbounded.
//! **Guarantee.** Every pair of overlapping boxes once (touching counts), in an order that depends on the boxes alone.
//! **Limits.** One size of cell suits boxes of like size; a box that would cover more than 64 cells is tested against all
//! others, so that many of those cost O(n²) — a tree suits them better. Never the fastest in what was measured
//! (`docs/hierarchies.md`), not for boxes of one size in a heap either; it needs nothing from one call to the next.
//! **Source.** The slides on rigid collision.

use crate::math::{Point, Real};
use crate::volume::Aabb;

/// The most cells that one box is listed in.
const MOST_CELLS: i64 = 64;

/// A cell by its place along the axes.
type Cell = [i64; 3];

/// A grid over boxes `0..n`.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformGrid {
    cell_size: Real,
    listed: Vec<(Cell, u32)>,
    small: Vec<u32>,
    large: Vec<u32>,
}

impl UniformGrid {
    /// The grid over `boxes`, its cells one and a half times the middle one of the boxes' longest sides, so that most boxes
    /// cover a few. O(n log n).
    pub fn over(boxes: &[Aabb]) -> Self {
        Self::with_cells(boxes, fitting_size(boxes.iter()))
    }

    /// The grid over `boxes` with cells of `cell_size` metres.
    fn with_cells(boxes: &[Aabb], cell_size: Real) -> Self {
        let mut grid = Self { cell_size, listed: Vec::new(), small: Vec::new(), large: Vec::new() };
        for (aabb, i) in boxes.iter().zip(0..) {
            let (low, high) = (grid.cell_of(&aabb.min), grid.cell_of(&aabb.max));
            let cells = (0..3).try_fold(1_i64, |n, k| n.checked_mul(high[k] - low[k] + 1));
            if cells.is_none_or(|n| n > MOST_CELLS) {
                grid.large.push(i);
                continue;
            }
            grid.small.push(i);
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    grid.listed.extend((low[2]..=high[2]).map(|z| ([x, y, z], i)));
                }
            }
        }
        grid.listed.sort_unstable();
        grid
    }

    /// The edge of the cells, metres.
    pub fn cell_size(&self) -> Real {
        self.cell_size
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&*self.listed) + size_of_val(&*self.small) + size_of_val(&*self.large)
    }

    /// The cell that holds `p`. Places beyond the range of the numbers share the last cells: more tests, no pair lost.
    fn cell_of(&self, p: &Point) -> Cell {
        // Half the range, so that the difference of two places is a number too.
        const LAST: Real = (i64::MAX / 4) as Real;
        [p.x, p.y, p.z].map(|c| (c / self.cell_size).floor().clamp(-LAST, LAST) as i64)
    }

    /// Calls `pair` for every two of `boxes`, over which the grid is, that overlap: the smaller number first.
    ///
    /// # Panics
    /// For fewer boxes than the grid was built over.
    pub fn for_each_pair(&self, boxes: &[Aabb], mut pair: impl FnMut(u32, u32)) {
        for list in self.listed.chunk_by(|one, other| one.0 == other.0) {
            for (k, &(cell, i)) in list.iter().enumerate() {
                let a = &boxes[i as usize];
                for &(_, j) in &list[k + 1..] {
                    let b = &boxes[j as usize];
                    if a.overlaps(b) && cell == self.cell_of(&a.min.sup(&b.min)) {
                        pair(i, j);
                    }
                }
            }
        }
        for (k, &i) in self.large.iter().enumerate() {
            for &j in self.large[..k].iter().chain(&self.small) {
                if boxes[i as usize].overlaps(&boxes[j as usize]) {
                    pair(i.min(j), i.max(j));
                }
            }
        }
    }

    /// Calls `pair` for every box of `boxes_a` and box of `boxes_b` that overlap: O((n + m) log (n + m) + found) for boxes of
    /// like size, wherever they are.
    pub fn for_each_pair_between(boxes_a: &[Aabb], boxes_b: &[Aabb], mut pair: impl FnMut(u32, u32)) {
        // What is not near the other side has no pair, and need not be listed.
        let around = |boxes: &[Aabb]| boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
        let (around_a, around_b) = (around(boxes_a), around(boxes_b));
        let near = |boxes: &[Aabb], other: &Aabb| -> (Vec<Aabb>, Vec<u32>) {
            boxes.iter().zip(0..).filter(|(b, _)| b.overlaps(other)).map(|(b, i)| (*b, i)).unzip()
        };
        let ((boxes_a, numbers_a), (boxes_b, numbers_b)) = (near(boxes_a, &around_b), near(boxes_b, &around_a));
        let size = fitting_size(boxes_a.iter().chain(&boxes_b));
        let (a, b) = (Self::with_cells(&boxes_a, size), Self::with_cells(&boxes_b, size));
        let mut test = |i: u32, j: u32, cell: Option<Cell>| {
            let (one, other) = (&boxes_a[i as usize], &boxes_b[j as usize]);
            if one.overlaps(other) && cell.is_none_or(|cell| cell == a.cell_of(&one.min.sup(&other.min))) {
                pair(numbers_a[i as usize], numbers_b[j as usize]);
            }
        };
        let mut rest = &b.listed[..];
        for list in a.listed.chunk_by(|one, other| one.0 == other.0) {
            let cell = list[0].0;
            rest = &rest[rest.partition_point(|(other, _)| *other < cell)..];
            let shared = rest.partition_point(|(other, _)| *other == cell);
            for &(_, i) in list {
                rest[..shared].iter().for_each(|&(_, j)| test(i, j, Some(cell)));
            }
        }
        for &i in &a.large {
            b.small.iter().chain(&b.large).for_each(|&j| test(i, j, None));
        }
        for &j in &b.large {
            a.small.iter().for_each(|&i| test(i, j, None));
        }
    }
}

/// One and a half times the middle one of the boxes' longest sides.
fn fitting_size<'b>(boxes: impl Iterator<Item = &'b Aabb>) -> Real {
    let mut sides: Vec<Real> =
        boxes.map(|b| (b.max - b.min).max()).filter(|side| side.is_finite() && *side > 0.0).collect();
    if sides.is_empty() {
        return 1.0;
    }
    let middle = sides.len() / 2;
    1.5 * *sides.select_nth_unstable_by(middle, Real::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vector;
    use proptest::prelude::*;

    fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
        // A coarse lattice, so that faces touch exactly; a few that are huge or unbounded.
        let side = prop_oneof![12 => 1..3_i32, 1 => 100..200_i32];
        let item = (prop::array::uniform3(-5..5_i32), side).prop_map(|(at, side)| {
            Aabb::from_half_extents(Vector::from(at.map(Real::from)).into(), Vector::repeat(0.5 * Real::from(side)))
        });
        let floor = Just(Aabb {
            min: Vector::repeat(Real::NEG_INFINITY).into(),
            max: Point::new(Real::INFINITY, 0.0, Real::INFINITY),
        });
        prop::collection::vec(prop_oneof![20 => item, 1 => floor], 0..60)
    }

    proptest! {
        #[test]
        fn grid_finds_each_overlapping_pair_once_within_a_list_and_between_two(one in boxes(), other in boxes()) {
            let mut expected = Vec::new();
            for (i, a) in one.iter().enumerate() {
                expected.extend(other.iter().enumerate().filter(|(_, b)| a.overlaps(b)).map(|(j, _)| (i as u32, j as u32)));
            }
            let mut found = Vec::new();
            UniformGrid::for_each_pair_between(&one, &other, |i, j| found.push((i, j)));
            found.sort_unstable();
            prop_assert_eq!(found, expected);

            let mut expected = Vec::new();
            for (j, b) in one.iter().enumerate() {
                expected.extend((0..j).filter(|&i| one[i].overlaps(b)).map(|i| (i as u32, j as u32)));
            }
            let mut found = Vec::new();
            UniformGrid::over(&one).for_each_pair(&one, |i, j| found.push((i, j)));
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
