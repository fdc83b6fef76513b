//! Where points enter the tree: a lattice over the solid's box that knows the first planes' answers.
//!
//! **Idea.** Of a small cell of space, with all balls around its points, most planes of the way down are clear: it lies above or below
//! as a whole. So each cell of a lattice keeps the subtree behind the planes that are clear of it, and a point begins there, with
//! the same answer as from the root, by construction.
//! **Cost.** Four bytes a cell, about as many cells as the tree has nodes; built by halving blocks of cells, each half going on from
//! where the whole stood.

use super::node::{Node, Packed, Side};
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// Cells for each node of the tree.
const CELLS_PER_NODE: Real = 2.0;
/// The most cells along an axis.
const MOST: Real = 512.0;
/// By how much a cell is taken larger than it is, as a share of it: more than the rounding that finds a point's cell.
const SLACK: Real = 1e-6;

/// The lattice; without cells, for trees that are walked from the root.
#[derive(Clone, Debug)]
pub(super) struct Entries {
    low: Point,
    /// Cells a metre, along each axis.
    scale: Vector,
    counts: [u32; 3],
    subtrees: Vec<Packed>,
}

/// Some neighbouring cells: the first and the end along each axis, and what all their points have in common.
struct Block {
    from: [u32; 3],
    to: [u32; 3],
    subtree: Packed,
}

impl Entries {
    pub(super) fn none() -> Self {
        Self { low: Point::origin(), scale: Vector::zeros(), counts: [0; 3], subtrees: Vec::new() }
    }

    /// The lattice over the box `around` for balls of radius `reach`.
    pub(super) fn build(nodes: &[Node], root: Packed, around: &Aabb, reach: Real) -> Self {
        let extent = around.max - around.min;
        let volume = extent.x * extent.y * extent.z;
        let per_metre = (CELLS_PER_NODE * nodes.len() as Real / volume).cbrt();
        if !(per_metre.is_finite() && volume > 0.0) {
            return Self::none();
        }
        let counts = [0, 1, 2].map(|k| (extent[k] * per_metre).round().clamp(1.0, MOST) as u32);
        let scale = Vector::from_fn(|k, _| Real::from(counts[k]) / extent[k]);
        let cells = counts.iter().map(|&c| c as usize).product();
        let mut entries = Self { low: around.min, scale, counts, subtrees: vec![root; cells] };
        let mut open = vec![Block { from: [0; 3], to: counts, subtree: root }];
        while let Some(Block { from, to, subtree }) = open.pop() {
            let subtree = entries.clear_way(nodes, subtree, from, to, reach);
            let widest = (0..3).fold(0, |best, k| if to[k] - from[k] > to[best] - from[best] { k } else { best });
            if to[widest] - from[widest] == 1 {
                let cell = entries.cell(from);
                entries.subtrees[cell] = subtree;
            } else if subtree.as_node().is_none() {
                entries.fill(from, to, subtree);
            } else {
                let middle = from[widest].midpoint(to[widest]);
                let (mut lower, mut upper) = (to, from);
                (lower[widest], upper[widest]) = (middle, middle);
                open.push(Block { from, to: lower, subtree });
                open.push(Block { from: upper, to, subtree });
            }
        }
        entries
    }

    /// What is behind the planes that are clear of the block and of all balls around its points.
    fn clear_way(&self, nodes: &[Node], from: Packed, first: [u32; 3], end: [u32; 3], reach: Real) -> Packed {
        let size = Vector::from_fn(|k, _| 1.0 / self.scale[k]);
        let corner = |c: [u32; 3]| self.low + Vector::from_fn(|k, _| Real::from(c[k]) * size[k]);
        let (low, high) = (corner(first) - size * SLACK, corner(end) + size * SLACK);
        let (centre, half) = (nalgebra::center(&low, &high), (high - low) * 0.5);
        let mut subtree = from;
        while let Some(number) = subtree.as_node() {
            let node = &nodes[number as usize];
            let spread = node.plane.normal.abs().dot(&half) + reach * (1.0 + SLACK);
            let height = node.plane.height(&centre);
            if height.abs() <= spread {
                break;
            }
            subtree = node.child(if height > 0.0 { Side::Above } else { Side::Below });
        }
        subtree
    }

    fn fill(&mut self, from: [u32; 3], to: [u32; 3], subtree: Packed) {
        for x in from[0]..to[0] {
            for y in from[1]..to[1] {
                let (first, end) = (self.cell([x, y, from[2]]), self.cell([x, y, to[2]]));
                self.subtrees[first..end].fill(subtree);
            }
        }
    }

    #[inline]
    fn cell(&self, [x, y, z]: [u32; 3]) -> usize {
        let [_, count_y, count_z] = self.counts.map(|c| c as usize);
        (x as usize * count_y + y as usize) * count_z + z as usize
    }

    /// Where a point of the box enters the tree; `None` for the root.
    #[inline]
    pub(super) fn subtree(&self, point: &Point) -> Option<Packed> {
        let place = (point - self.low).component_mul(&self.scale);
        // A point on the far walls belongs to the last cells.
        let along = |k: usize| (place[k] as u32).min(self.counts[k].saturating_sub(1));
        self.subtrees.get(self.cell([along(0), along(1), along(2)])).copied()
    }

    pub(super) fn size_bytes(&self) -> usize {
        size_of_val(&*self.subtrees)
    }
}
