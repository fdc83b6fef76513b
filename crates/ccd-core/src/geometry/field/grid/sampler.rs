//! How a grid is filled: the exact distances, lowered by what interpolation can be too high.

use super::cell::Corners;
use super::{BLOCK, Block, NODES, SPREAD};
use crate::geometry::field::{Enclosure, Facet, Field, Region};
use crate::math::{Point, Real, Vector};
use crate::volume::Sphere;

/// No node is nearer to the surface, in cells: triangles have an area. Nearer ones are lowered to as far inside.
const LEAST: Real = 1e-4;

/// Takes the distances of a source.
pub(super) struct Sampler<'s> {
    pub source: &'s dyn Field,
    pub origin: Point,
    pub cell: Real,
}

impl Sampler<'_> {
    fn node(&self, at: [i64; 3]) -> Point {
        self.origin + Vector::from(at.map(|k| k as Real)) * self.cell
    }

    /// The block, and by how much its nodes were lowered at most.
    pub fn block(&self, block: [usize; 3]) -> (Block, Real) {
        let first = block.map(|k| (k * BLOCK) as i64);
        let half = 0.5 * BLOCK as Real * self.cell;
        let middle = self.node(first) + Vector::repeat(half);
        let distance = self.source.distance(&middle);
        // Far: the surface of the grid, wherever it is within its bound, is not in the block.
        if distance.abs() > 3.0_f64.sqrt() * half + 3.0 * self.cell {
            return (Block::Far(distance), 0.0);
        }
        // With a ring of nodes around the block, whose cells count for the nodes on its sides.
        let width = NODES as i64 + 2;
        let index = |x: i64, y: i64, z: i64| ((x + 1) + width * ((y + 1) + width * (z + 1))) as usize;
        let mut exact = Vec::with_capacity(width.pow(3) as usize);
        for z in -1..width - 1 {
            for y in -1..width - 1 {
                for x in -1..width - 1 {
                    exact
                        .push(self.source.distance(&self.node([first[0] + x, first[1] + y, first[2] + z])) / self.cell);
                }
            }
        }
        let mut lower = vec![0.0; exact.len()];
        let mut scratch = Enclosure::default();
        for z in -1..BLOCK as i64 + 1 {
            for y in -1..BLOCK as i64 + 1 {
                for x in -1..BLOCK as i64 + 1 {
                    let corner = |i: i64| (x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));
                    let at: [usize; 8] = std::array::from_fn(|i| {
                        let (x, y, z) = corner(i as i64);
                        index(x, y, z)
                    });
                    let values = at.map(|i| exact[i]);
                    let centre =
                        self.node([first[0] + x, first[1] + y, first[2] + z]) + Vector::repeat(0.5 * self.cell);
                    let excess = self.excess(&centre, &values, &mut scratch);
                    for i in at {
                        lower[i] = Real::max(lower[i], excess);
                    }
                }
            }
        }
        let mut values = Vec::with_capacity(NODES.pow(3));
        let mut most: Real = 0.0;
        for z in 0..NODES as i64 {
            for y in 0..NODES as i64 {
                for x in 0..NODES as i64 {
                    let i = index(x, y, z);
                    let lowered = exact[i] - lower[i];
                    let value = if lowered.abs() < LEAST { -LEAST } else { lowered };
                    most = most.max(exact[i] - value);
                    values.push(value);
                }
            }
        }
        (Block::Near(values.into()), most * self.cell)
    }

    /// By how much the interpolation over a cell can be positive at a point of the solid, in cells.
    fn excess(&self, centre: &Point, values: &[Real; 8], scratch: &mut Enclosure) -> Real {
        // A cell that is all outside by more than its own diagonal holds no point of the solid.
        if values.iter().all(|v| *v > 1.8) || values.iter().all(|v| *v <= 0.0) {
            return 0.0;
        }
        scratch.clear();
        let ball = Sphere { centre: *centre, radius: SPREAD * self.cell * (1.0 + 1e-9) };
        self.source.enclose(&ball, Region::Solid, scratch);
        scratch.alternatives().map(|facets| Excess::new(facets, self.cell).over(values, DEPTH)).fold(0.0, Real::max)
    }
}

/// How often a cell is halved to find by how much interpolation can be too high.
const DEPTH: u32 = 3;

/// The heights of the eight corners of a part of a cell over each plane that holds the solid there, in cells.
struct Excess {
    planes: Vec<[Real; 8]>,
}

impl Excess {
    fn new(facets: &[Facet], cell: Real) -> Self {
        let height = |f: &Facet, i: usize| {
            let at = |k: usize| if i >> k & 1 == 1 { 0.5 } else { -0.5 };
            (f.value - f.error) / cell + f.normal.dot(&Vector::new(at(0), at(1), at(2)))
        };
        Self { planes: facets.iter().map(|f| std::array::from_fn(|i| height(f, i))).collect() }
    }

    /// A bound of the interpolated values at points that are below all planes: any mean of planes is below zero there,
    /// and what the values are over it is greatest at a corner. Halving the cell makes it sharper.
    fn over(&self, values: &[Real; 8], depth: u32) -> Real {
        if self.planes.iter().any(|p| p.iter().all(|h| *h > 0.0)) {
            return 0.0;
        }
        let most =
            |mean: &dyn Fn(usize) -> Real| (0..8).map(|i| values[i] - mean(i)).fold(Real::NEG_INFINITY, Real::max);
        let count = self.planes.len().max(1) as Real;
        let mut best =
            most(&|_| 0.0).min(SPREAD).min(most(&|i| self.planes.iter().map(|p| p[i]).sum::<Real>() / count));
        for p in &self.planes {
            best = best.min(most(&|i| p[i]));
        }
        if best <= 1e-9 {
            // Rounding is far below this.
            return best.max(0.0) + 1e-12;
        }
        if depth == 0 {
            return best;
        }
        let halves = (0..8).map(|octant| {
            let planes = self.planes.iter().map(|p| Corners(*p).octant(octant).0).collect();
            Self { planes }.over(&Corners(*values).octant(octant).0, depth - 1)
        });
        halves.fold(0.0, Real::max).min(best)
    }
}
