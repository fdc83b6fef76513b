//! How a grid is filled: the distances, lowered by what interpolation can be too high.

use super::cell::Corners;
use super::{BLOCK, Block, NODES, SPREAD};
use crate::geometry::field::project::{by_search, nearest_of_all};
use crate::geometry::field::{Enclosure, Facet, Field, Region, SurfacePoint};
use crate::math::{Point, Real, Vector};
use crate::volume::Sphere;

/// No node is nearer to the surface, in cells: triangles have an area. Nearer ones are lowered to as far inside.
const LEAST: Real = 1e-4;

/// A node's value need not be the distance where what the source says of it falls short by no more, in cells: beside a box that is the height over
/// a plane, which keeps its edges as they are.
const SHORT: Real = 0.75;
/// The nearest places are on the surface to within this, in cells.
const FINE: Real = 1e-9;

/// Of nodes that are certain to be further away, in cells, it counts for nothing how much further: no cell beside them holds any of the grid's solid.
const FAR: Real = 4.0;
/// How far the surface of the grid may be from the original's for it not to be in blocks that are further away, in cells.
const CLEARANCE: Real = 3.0;

/// What is known of the distance of a node, in cells.
#[derive(Clone, Copy)]
struct Node {
    /// What the node stands for before it is lowered.
    value: Real,
    /// No place of the solid is nearer: that is proven.
    least: Real,
    /// The signed distance is no more; infinite where nobody asked.
    most: Real,
}

/// A block that was filled.
pub(super) struct Filled {
    pub block: Block,
    /// The most that a node whose cells hold some of the grid's solid is below the distance that it stands for, in cells.
    pub lowered: Real,
    /// The greatest difference of neighbouring nodes, in cells.
    pub steepest: Real,
}

/// Takes the distances of a source.
pub(super) struct Sampler<'s> {
    pub source: &'s dyn Field,
    pub origin: Point,
    pub cell: Real,
}

impl Sampler<'_> {
    fn place(&self, at: [i64; 3]) -> Point {
        self.origin + Vector::from(at.map(|k| k as Real)) * self.cell
    }

    /// What a source says of a place outside may be far less than the distance, as beside the rim of what is flat. Where that is no more than `far`
    /// cells, the nearest place tells.
    fn node(&self, place: &Point, far: Real) -> Node {
        let least = self.source.distance(place) / self.cell;
        let is_outside = least > 0.0 || least == 0.0 && !self.source.contains(place);
        if !is_outside || self.source.has_exact_distance() {
            return Node { value: least, least, most: least };
        }
        if least > far {
            return Node { value: least, least, most: Real::INFINITY };
        }
        let fine = FINE * self.cell;
        let away = |found: SurfacePoint| ((found.point - place).norm() / self.cell).max(least);
        if let Some(most) = nearest_of_all(self.source, place, fine).map(away) {
            let value = least.max(most - SHORT);
            return Node { value, least: value, most };
        }
        // Where the nearest place is found by descent, a nearer one may exist.
        match by_search(self.source, place, Region::Solid, fine).map(away) {
            Some(most) => Node { value: least.max(most - SHORT), least, most },
            None => Node { value: least, least, most: Real::INFINITY },
        }
    }

    /// The block with its values.
    pub fn block(&self, block: [usize; 3]) -> Filled {
        let first = block.map(|k| (k * BLOCK) as i64);
        let half = 0.5 * BLOCK as Real;
        // Far: the surface of the grid, wherever it is within its bound, is not in the block.
        let far = 3.0_f64.sqrt() * half + CLEARANCE;
        let middle = self.node(&(self.place(first) + Vector::repeat(half * self.cell)), far);
        if middle.least.abs() > far {
            return Filled { block: Block::Far(middle.least * self.cell), lowered: 0.0, steepest: 1.0 };
        }
        // With a ring of nodes around the block, whose cells count for the nodes on its sides.
        let width = NODES as i64 + 2;
        let index = |[x, y, z]: [i64; 3]| ((x + 1) + width * ((y + 1) + width * (z + 1))) as usize;
        let corners = |[x, y, z]: [i64; 3]| -> [usize; 8] {
            std::array::from_fn(|i| index([x + (i & 1) as i64, y + (i >> 1 & 1) as i64, z + (i >> 2) as i64]))
        };
        let from_first = |at: [i64; 3]| self.place([0, 1, 2].map(|k| first[k] + at[k]));
        let nodes: Vec<Node> = all_of(-1..width - 1).map(|at| self.node(&from_first(at), FAR)).collect();
        let mut lower = vec![0.0; nodes.len()];
        let mut scratch = Enclosure::default();
        for at in all_of(-1..BLOCK as i64 + 1) {
            let at_corners = corners(at);
            let centre = from_first(at) + Vector::repeat(0.5 * self.cell);
            let excess = self.excess(&centre, &at_corners.map(|i| nodes[i]), &mut scratch);
            for i in at_corners {
                lower[i] = Real::max(lower[i], excess);
            }
        }
        let lowered = |i: usize| {
            let value = nodes[i].value - lower[i];
            if value.abs() < LEAST { -LEAST } else { value }
        };
        let (mut most, mut steepest): (Real, Real) = (0.0, 1.0);
        for at in all_of(0..BLOCK as i64) {
            let at_corners = corners(at);
            let values = at_corners.map(lowered);
            for (i, value) in values.iter().enumerate() {
                let along = [1, 2, 4].map(|axis| (values[i ^ axis] - value).abs());
                steepest = along.into_iter().fold(steepest, Real::max);
            }
            if values.iter().any(|value| *value <= 0.0) {
                // No corner is further away than another and the cell's diagonal.
                let all = at_corners.map(|i| nodes[i].most).into_iter().fold(Real::INFINITY, Real::min) + 2.0 * SPREAD;
                let short = at_corners.iter().zip(values).map(|(i, value)| nodes[*i].most.min(all) - value);
                most = short.fold(most, Real::max);
            }
        }
        let values: Box<[Real]> = all_of(0..NODES as i64).map(|at| lowered(index(at))).collect();
        Filled { block: Block::Near(values), lowered: most, steepest }
    }

    /// By how much the interpolation over a cell can be positive at a point of the solid, in cells.
    fn excess(&self, centre: &Point, nodes: &[Node; 8], scratch: &mut Enclosure) -> Real {
        // A cell that is all outside by more than its own diagonal holds no point of the solid.
        if nodes.iter().all(|node| node.least > 1.8) || nodes.iter().all(|node| node.value <= 0.0) {
            return 0.0;
        }
        scratch.clear();
        let ball = Sphere { centre: *centre, radius: SPREAD * self.cell * (1.0 + 1e-9) };
        self.source.enclose(&ball, Region::Solid, scratch);
        // What is interpolated of what is proven is no more than the spread.
        let most = SPREAD + nodes.iter().map(|node| node.value - node.least).fold(0.0, Real::max);
        let values = nodes.map(|node| node.value);
        let bound = |facets| Excess::new(facets, self.cell).over(&values, most, DEPTH);
        scratch.alternatives().map(bound).fold(0.0, Real::max)
    }
}

/// The numbers of all nodes, or all cells, of which those along an axis are in a range, x fastest.
fn all_of(along: std::ops::Range<i64>) -> impl Iterator<Item = [i64; 3]> {
    let (y, z) = (along.clone(), along.clone());
    z.flat_map(move |z| {
        let along = along.clone();
        y.clone().flat_map(move |y| along.clone().map(move |x| [x, y, z]))
    })
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
    /// and what the values are over it is greatest at a corner. Halving the cell makes it sharper. At most `bound`.
    fn over(&self, values: &[Real; 8], bound: Real, depth: u32) -> Real {
        if self.planes.iter().any(|p| p.iter().all(|h| *h > 0.0)) {
            return 0.0;
        }
        let most =
            |mean: &dyn Fn(usize) -> Real| (0..8).map(|i| values[i] - mean(i)).fold(Real::NEG_INFINITY, Real::max);
        let count = self.planes.len().max(1) as Real;
        let mut best = most(&|_| 0.0).min(bound).min(most(&|i| self.planes.iter().map(|p| p[i]).sum::<Real>() / count));
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
            Self { planes }.over(&Corners(*values).octant(octant).0, bound, depth - 1)
        });
        halves.fold(0.0, Real::max).min(best)
    }
}
