//! Grids of signed distances: any solid, at constant time a query.
//!
//! **Problem.** Distances from a large mesh, often.
//! **Idea.** The exact signed distance is taken at the nodes of a grid, in the blocks of cells near the surface only; in
//! between it is interpolated (trilinear). Each node is lowered by what interpolation can be too high around it, so that the solid
//! of the grid holds the solid it was made from: what misses the grid misses the solid.
//! **Guarantee.** The grid's solid holds all of the original, and reaches no further than [`SignedDistanceGrid::error`]
//! beyond it. Where the original is flat it is exact: there the bound of the interpolation is zero.
//!
//! **Why the bound holds.** Planes are reproduced by interpolation. If a half-space holds the solid near a cell, the
//! interpolated function is over the half-space's plane by no more than the largest excess at the cell's corners; a solid point is below
//! the plane, so lowering by that excess makes the function negative there. Without such a plane the distance changes by no more than a
//! metre over a metre, and the mean distance to the corners, weighted as interpolation does, is at most √3/2 of a cell (Jensen).
//!
//! **Source.** The sampling of distances is as old as the field; the certificate is our own.

use rayon::prelude::*;

use super::enclosure::{Enclosure, Facet, Region};
use super::{Field, Sphere};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb};

/// Cells along the edge of a block.
const BLOCK: usize = 8;
/// Nodes along the edge of a block.
const NODES: usize = BLOCK + 1;
/// Most blocks of a grid, near the surface or not.
const MOST_BLOCKS: usize = 1 << 18;
/// Empty cells around the solid.
const PADDING: Real = 2.5;
/// The interpolation of a function that changes by a metre over a metre is wrong by at most this share of a cell.
const SPREAD: Real = 0.866_025_403_784_438_7;

/// Why no grid can be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// The size of a cell is not a positive number.
    #[error("the cell of a distance grid is {cell} m, which is not a positive number")]
    BadCell {
        /// As given, metres.
        cell: Real,
    },
    /// The solid has no end.
    #[error("a {kind} is unbounded and has no grid")]
    Unbounded {
        /// What it is.
        kind: &'static str,
    },
    /// The cells are too many.
    #[error("a cell of {cell} m makes {cells:e} cells, more than a distance grid may have")]
    TooFine {
        /// As given, metres.
        cell: Real,
        /// How many there would be.
        cells: Real,
    },
}

/// A block of cells.
#[derive(Clone, Debug)]
enum Block {
    /// Away from the surface: the signed distance in the middle of the block.
    Far(Real),
    /// Near it: the values of the nodes.
    Near(Box<[Real]>),
}

/// A solid as a grid of signed distances.
#[derive(Clone, Debug)]
pub struct SignedDistanceGrid {
    origin: Point,
    cell: Real,
    /// Blocks along each axis.
    blocks: [usize; 3],
    values: Vec<Block>,
    /// The most that a node was lowered, metres.
    lowered: Real,
    pub(super) aabb: Aabb,
    pub(super) sphere: Sphere,
    mass: Option<(MassProperties, MassKind)>,
}

impl SignedDistanceGrid {
    /// The grid of `source` with cells of `cell` metres.
    ///
    /// # Errors
    /// [`GridError`].
    ///
    /// # Cost
    /// A distance for each node within a block of the surface, on all threads; the result does not depend on them.
    pub fn new(source: &dyn Field, cell: Real) -> Result<Self, GridError> {
        if !(cell.is_finite() && cell > 0.0) {
            return Err(GridError::BadCell { cell });
        }
        let bounds = source.local_aabb();
        if !bounds.half_extents().amax().is_finite() {
            return Err(GridError::Unbounded { kind: source.kind() });
        }
        let size = (bounds.max - bounds.min).add_scalar(2.0 * PADDING * cell);
        let counts = size.map(|s| (s / (cell * BLOCK as Real)).ceil().max(1.0));
        let cells = counts.product() * (BLOCK as Real).powi(3);
        if counts.product() > MOST_BLOCKS as Real {
            return Err(GridError::TooFine { cell, cells });
        }
        let blocks = [counts.x as usize, counts.y as usize, counts.z as usize];
        // Blocks are whole: what they are too long is shared by both ends.
        let spare = counts * (cell * BLOCK as Real) - (bounds.max - bounds.min);
        let origin = bounds.min - spare * 0.5;
        let sampler = Sampler { source, origin, cell };
        let made: Vec<(Block, Real)> = (0..blocks.iter().product())
            .into_par_iter()
            .map(|i| sampler.block([i % blocks[0], i / blocks[0] % blocks[1], i / (blocks[0] * blocks[1])]))
            .collect();
        let lowered = made.iter().map(|(_, e)| *e).fold(0.0, Real::max);
        // The grid's solid is within a cell's spread and what was lowered of the original, and within the grid.
        let reach = lowered + SPREAD * cell;
        let whole = Aabb { min: origin, max: origin + counts * (cell * BLOCK as Real) };
        let aabb = Aabb {
            min: (bounds.min - Vector::repeat(reach)).sup(&whole.min),
            max: (bounds.max + Vector::repeat(reach)).inf(&whole.max),
        };
        let mass = source.mass_properties(1.0).ok();
        let values = made.into_iter().map(|(block, _)| block).collect();
        Ok(Self { origin, cell, blocks, values, lowered, sphere: super::query::sphere_of(&aabb), aabb, mass })
    }

    /// The size of a cell, metres.
    pub fn cell(&self) -> Real {
        self.cell
    }

    /// How far the grid's surface can be from that of the solid it was made from, metres, proven; never inside of it.
    pub fn error(&self) -> Real {
        self.lowered + SPREAD * self.cell
    }

    /// How many blocks hold values, of how many.
    pub fn block_count(&self) -> (usize, usize) {
        (self.values.iter().filter(|b| matches!(b, Block::Near(_))).count(), self.values.len())
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.values) + self.block_count().0 * NODES.pow(3) * size_of::<Real>()
    }

    /// The interpolated function does not change faster than this.
    fn slope(&self) -> Real {
        3.0_f64.sqrt() * (1.0 + self.lowered / self.cell)
    }

    /// Where `point` is in cells from the origin; `None` outside of the grid.
    fn place(&self, point: &Point) -> Option<Vector> {
        let place = (point - self.origin) / self.cell;
        // NaN is outside, too.
        (0..3).all(|k| place[k] >= 0.0 && place[k] <= (self.blocks[k] * BLOCK) as Real).then_some(place)
    }

    fn block(&self, cell: [usize; 3]) -> (&Block, [usize; 3]) {
        let b = cell.map(|k| k / BLOCK);
        (&self.values[b[0] + self.blocks[0] * (b[1] + self.blocks[1] * b[2])], cell.map(|k| k % BLOCK))
    }

    /// The values at the corners of a cell, x fastest; the distance in the middle of its block for one away from the surface.
    fn corners(&self, cell: [usize; 3]) -> Result<[Real; 8], Real> {
        match self.block(cell) {
            (Block::Far(distance), _) => Err(*distance),
            (Block::Near(values), [x, y, z]) => Ok(std::array::from_fn(|i| {
                values[(x + (i & 1)) + NODES * ((y + (i >> 1 & 1)) + NODES * (z + (i >> 2)))]
            })),
        }
    }

    /// What is in the ball and within `reach` of its centre along each axis.
    fn enclose_in(&self, ball: &Sphere, reach: &Vector, region: Region, out: &mut Enclosure) {
        /// Cells beyond which only the distance is asked.
        const MOST_CELLS: Real = 64.0;
        let distance = self.distance(&ball.centre) * if region == Region::Solid { 1.0 } else { -1.0 };
        if distance > ball.radius {
            return;
        }
        let cells = reach.map(|r| 2.0 * r / self.cell + 1.0).product();
        if cells > MOST_CELLS || distance < -ball.radius {
            return out.push_everything();
        }
        self.model(&ball.centre, reach, region, out);
    }

    fn cell_of(&self, place: &Vector) -> ([usize; 3], Vector) {
        let mut cell = [0; 3];
        let mut within = Vector::zeros();
        for k in 0..3 {
            cell[k] = (place[k] as usize).min(self.blocks[k] * BLOCK - 1);
            within[k] = place[k] - cell[k] as Real;
        }
        (cell, within)
    }

    /// The solid as far as a facet through the whole place tells, from the cells that it meets: what is within `reach` of the
    /// centre along each axis.
    fn model(&self, centre: &Point, reach: &Vector, region: Region, out: &mut Enclosure) {
        let sign = if region == Region::Solid { 1.0 } else { -1.0 };
        let place = |p: Point| (p - self.origin) / self.cell;
        let (low, high) = (place(centre - reach), place(centre + reach));
        let last = self.blocks.map(|b| b * BLOCK);
        let outside = (0..3).any(|k| low[k] < 0.0 || high[k] > last[k] as Real);
        if outside && region == Region::Complement {
            return out.push_everything();
        }
        let from: [usize; 3] = std::array::from_fn(|k| low[k].max(0.0) as usize);
        let to: [usize; 3] = std::array::from_fn(|k| (high[k].max(0.0) as usize).min(last[k] - 1));
        let centre = place(*centre);
        let mut cells: Vec<CellPart> = Vec::new();
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    match self.corners([x, y, z]) {
                        Err(distance) if sign * distance > 0.0 => {}
                        Err(_) => return out.push_everything(),
                        Ok(values) => {
                            let part = CellPart::new([x, y, z], &values.map(|v| v * sign), &low, &high, &centre);
                            if part.values.iter().any(|v| *v <= 0.0) {
                                cells.push(part);
                            }
                        }
                    }
                }
            }
        }
        // The part nearest to the centre leads.
        let off = |part: &CellPart| (0.5 * (part.low + part.high)).norm_squared();
        let Some(nearest) = cells.iter().min_by(|p, q| off(p).total_cmp(&off(q))) else { return };
        // Of a linear function the interpolated one differs most at a corner.
        let facet = |gradient: &Vector, cells: &[CellPart]| {
            let slope = gradient.norm();
            let mut lowest = Real::INFINITY;
            let mut highest = Real::NEG_INFINITY;
            for part in cells {
                for (i, value) in part.values.iter().enumerate() {
                    let off = value - gradient.dot(&part.corner(i));
                    (lowest, highest) = (lowest.min(off), highest.max(off));
                }
            }
            let value = 0.5 * (lowest + highest) / slope;
            let scale = self.cell;
            (slope > 1e-6).then(|| Facet {
                normal: gradient / slope,
                value: value * scale,
                error: (value - lowest / slope) * scale * (1.0 + 1e-12) + 1e-12 * scale,
            })
        };
        let all = facet(&nearest.gradient, &cells);
        let many = cells.len() == 1 || cells.len() > Enclosure::MOST_ALTERNATIVES;
        if let Some(all) = all.filter(|f| f.error <= 0.25 * reach.min() || many) {
            return out.push(&[all]);
        }
        let start = out.len();
        for one in &cells {
            match facet(&one.gradient, std::slice::from_ref(one)) {
                Some(f) => {
                    // The part itself bounds what its own function says.
                    let mut facets = vec![f];
                    for k in 0..3 {
                        for (side, at) in [(-1.0, one.low[k]), (1.0, one.high[k])] {
                            let mut normal = Vector::zeros();
                            normal[k] = side;
                            facets.push(Facet { normal, value: -side * at * self.cell, error: 1e-12 * self.cell });
                        }
                    }
                    out.push(&facets);
                }
                None => out.push_everything(),
            }
        }
        out.simplify_from(start);
    }
}

impl Field for SignedDistanceGrid {
    fn distance(&self, point: &Point) -> Real {
        let Some(place) = self.place(point) else {
            return self.aabb.distance_to_point(point).max(0.0);
        };
        let (cell, u) = self.cell_of(&place);
        match self.corners(cell) {
            Ok(v) => interpolated(&v, &u) * self.cell / self.slope(),
            Err(distance) => {
                let middle = Vector::from(cell.map(|k| (k / BLOCK * BLOCK + BLOCK / 2) as Real));
                let off = (place - middle).norm() * self.cell;
                // The distance of the original, less what the grid's surface may be off it.
                (distance.abs() - off - self.error()).max(0.0).copysign(distance)
            }
        }
    }

    fn contains(&self, point: &Point) -> bool {
        let Some(place) = self.place(point) else { return false };
        let (cell, u) = self.cell_of(&place);
        match self.corners(cell) {
            Ok(v) => interpolated(&v, &u) <= 0.0,
            Err(distance) => distance < 0.0,
        }
    }

    fn enclose(&self, ball: &Sphere, region: Region, out: &mut Enclosure) {
        self.enclose_in(ball, &Vector::repeat(ball.radius), region, out);
    }

    fn enclose_within(&self, ball: &Sphere, within: &Obb, region: Region, out: &mut Enclosure) {
        let reach = within.aabb().half_extents().map(|h| h.min(ball.radius));
        self.enclose_in(ball, &reach, region, out);
    }

    /// Its flat faces are, and what it was made from may be.
    fn is_ruled(&self) -> bool {
        true
    }

    fn sees_far(&self) -> bool {
        false
    }

    /// That of the solid it was made from, where that has one.
    fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        match &self.mass {
            Some((m, kind)) => {
                Ok((MassProperties { mass: m.mass * density, com: m.com, inertia: m.inertia * density }, *kind))
            }
            None => super::by_subdivision(self, density),
        }
    }
}

/// The part of a cell that a ball's box reaches, in cells from the ball's centre. What is interpolated in a cell is, in a box
/// within it, interpolated from the values at the box's corners; the smaller the box the more nearly linear.
struct CellPart {
    low: Vector,
    high: Vector,
    /// At the corners, x fastest.
    values: [Real; 8],
    /// In the middle of the part.
    gradient: Vector,
}

impl CellPart {
    /// The part of `cell` within `low` to `high`, which are places in the grid as `centre` is.
    fn new(cell: [usize; 3], values: &[Real; 8], low: &Vector, high: &Vector, centre: &Vector) -> Self {
        let origin = Vector::from(cell.map(|k| k as Real));
        let within = |p: &Vector| (p - origin).map(|u| u.clamp(0.0, 1.0));
        let (from, to) = (within(low), within(high));
        let at = |i: usize| Vector::from_fn(|k, _| if i >> k & 1 == 1 { to[k] } else { from[k] });
        Self {
            low: origin + from - centre,
            high: origin + to - centre,
            values: std::array::from_fn(|i| interpolated(values, &at(i))),
            gradient: slopes(values, &(0.5 * (from + to))),
        }
    }

    fn corner(&self, i: usize) -> Vector {
        Vector::from_fn(|k, _| if i >> k & 1 == 1 { self.high[k] } else { self.low[k] })
    }
}

/// The slopes of what is interpolated, a cell's values over a cell.
fn slopes(v: &[Real; 8], u: &Vector) -> Vector {
    Vector::from_fn(|k, _| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let rise = |a: usize, b: usize| {
            let low = a << i | b << j;
            v[low | 1 << k] - v[low]
        };
        let mix = |x: Real, y: Real, t: Real| x + (y - x) * t;
        mix(mix(rise(0, 0), rise(1, 0), u[i]), mix(rise(0, 1), rise(1, 1), u[i]), u[j])
    })
}

/// In units of cells, as the values are.
fn interpolated(v: &[Real; 8], u: &Vector) -> Real {
    let mix = |a: Real, b: Real, t: Real| a + (b - a) * t;
    let x = |i: usize| mix(v[i], v[i + 1], u.x);
    mix(mix(x(0), x(2), u.y), mix(x(4), x(6), u.y), u.z)
}

/// Takes the distances of a source.
struct Sampler<'s> {
    source: &'s dyn Field,
    origin: Point,
    cell: Real,
}

impl Sampler<'_> {
    fn node(&self, at: [i64; 3]) -> Point {
        self.origin + Vector::from(at.map(|k| k as Real)) * self.cell
    }

    /// The block, and by how much its nodes were lowered at most.
    fn block(&self, block: [usize; 3]) -> (Block, Real) {
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
                    most = most.max(lower[i]);
                    values.push(exact[i] - lower[i]);
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
        let part = |v: &[Real; 8], octant: usize| -> [Real; 8] {
            std::array::from_fn(|i| {
                let at = |k: usize| 0.5 * ((octant >> k & 1) + (i >> k & 1)) as Real;
                interpolated(v, &Vector::new(at(0), at(1), at(2)))
            })
        };
        let halves = (0..8).map(|octant| {
            let planes = self.planes.iter().map(|p| part(p, octant)).collect();
            Self { planes }.over(&part(values, octant), depth - 1)
        });
        halves.fold(0.0, Real::max).min(best)
    }
}
