//! Grids of signed distances: any solid, at constant time a query.
//!
//! **Problem.** Distances from a large mesh, often.
//! **Idea.** The signed distance is taken at the nodes of a grid, never above the true one and by less than a cell below it, in the blocks of cells near the surface only; in
//! between it is interpolated, linearly in the tetrahedra of the cells ([`cell`]). Each node is lowered by what interpolation can be too high around it, so that the solid
//! of the grid holds the solid it was made from: what misses the grid misses the solid.
//! **Guarantee.** The grid's solid holds all of the original, and reaches no further than [`SignedDistanceGrid::error`]
//! beyond it. Where the original is flat it is exact: there the bound of the interpolation is zero. Its surface is made of triangles
//! ([`SignedDistanceGrid::surface`]), by which it is met.
//!
//! **Why the bound holds.** Planes are reproduced by interpolation. If a half-space holds the solid near a cell, the
//! interpolated function is over the half-space's plane by no more than the largest excess at the cell's corners; a solid point is below
//! the plane, so lowering by that excess makes the function negative there. Without such a plane the distance changes by no more than a
//! metre over a metre, and the mean distance to the corners, weighted as interpolation does, is at most √3/2 of a cell (Jensen).
//!
//! **Source.** The sampling of distances is as old as the field; the certificate is our own.

mod cell;
mod sampler;
mod surface;

use rayon::prelude::*;

use cell::Corners;
use sampler::{Filled, Sampler};

use super::Field;
use crate::geometry::mass::{MassKind, MassProperties};
use crate::math::{Matrix, Point, Real, Shortest, Vector};
use crate::volume::Aabb;

/// Cells along the edge of a block.
const BLOCK: usize = 8;
/// Nodes along the edge of a block.
const NODES: usize = BLOCK + 1;
/// Most blocks of a grid, near the surface or not.
const MOST_BLOCKS: usize = 1 << 18;
/// Empty cells around the solid.
const PADDING: Real = 2.5;
/// Where the solid's ends lie between nodes, in cells.
const OFF_NODES: Real = 0.381_966;
/// The interpolation of a function that changes by a metre over a metre is wrong by at most this share of a cell.
const SPREAD: Real = 0.866_025_403_784_438_7;

/// Why no grid can be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// The size of a cell is not a positive number.
    #[error("the cell of a distance grid is {} m, which is not a positive number", Shortest(*cell))]
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
    /// The solid would be lost within one cell.
    #[error("a cell of {} m is larger than the solid, which is {} m long", Shortest(*cell), Shortest(*size))]
    TooCoarse {
        /// As given, metres.
        cell: Real,
        /// The longest side of the solid's box, metres.
        size: Real,
    },
    /// The grid's surface has an end: what its cells tell of the solid reaches out of it.
    #[error("with cells of {} m the surface of the distance grid is not closed", Shortest(*cell))]
    Open {
        /// As given, metres.
        cell: Real,
    },
    /// The cells are too many.
    #[error("a cell of {} m makes {cells:e} cells, more than a distance grid may have", Shortest(*cell))]
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
    /// Near it: the values of the nodes, in cells.
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
    /// The most that a node beside the surface is below the distance that it stands for, metres.
    lowered: Real,
    /// The greatest difference of neighbouring nodes, in cells.
    steepest: Real,
    aabb: Aabb,
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
        let longest = 2.0 * bounds.half_extents().amax();
        if cell > longest {
            return Err(GridError::TooCoarse { cell, size: longest });
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
        // Sides of a whole number of cells are not to lie on nodes.
        let origin = bounds.min - spare.map(|s| ((0.5 * s / cell).floor() + OFF_NODES) * cell);
        let sampler = Sampler { source, origin, cell };
        let filled: Vec<Filled> = (0..blocks.iter().product())
            .into_par_iter()
            .map(|i| sampler.block([i % blocks[0], i / blocks[0] % blocks[1], i / (blocks[0] * blocks[1])]))
            .collect();
        let lowered = cell * filled.iter().map(|f| f.lowered).fold(0.0, Real::max);
        let steepest = filled.iter().map(|f| f.steepest).fold(1.0, Real::max);
        // The grid's solid is within a cell's spread and what was lowered of the original, and within the grid.
        let reach = lowered + SPREAD * cell;
        let whole = Aabb { min: origin, max: origin + counts * (cell * BLOCK as Real) };
        let aabb = Aabb {
            min: (bounds.min - Vector::repeat(reach)).sup(&whole.min),
            max: (bounds.max + Vector::repeat(reach)).inf(&whole.max),
        };
        let mass = source.mass_properties(1.0).ok();
        let values = filled.into_iter().map(|f| f.block).collect();
        Ok(Self { origin, cell, blocks, values, lowered, steepest, aabb, mass })
    }

    /// The grid of the solid that is `factor` times as large, about the origin; the factor positive.
    pub(crate) fn scaled(&self, factor: Real) -> Self {
        let larger = |p: &Point| Point::from(p.coords * factor);
        let block = |block: &Block| match block {
            Block::Far(distance) => Block::Far(distance * factor),
            // In cells.
            Block::Near(values) => Block::Near(values.clone()),
        };
        Self {
            origin: larger(&self.origin),
            cell: self.cell * factor,
            blocks: self.blocks,
            values: self.values.iter().map(block).collect(),
            lowered: self.lowered * factor,
            steepest: self.steepest,
            aabb: Aabb { min: larger(&self.aabb.min), max: larger(&self.aabb.max) },
            mass: self.mass.map(|(mass, kind)| (mass.mapped(&Matrix::from_diagonal_element(factor)), kind)),
        }
    }

    /// The size of a cell, metres.
    pub fn cell(&self) -> Real {
        self.cell
    }

    /// How far the grid's surface can be from that of the solid it was made from, metres, proven; never inside of it. Infinite where the solid tells of a node beside
    /// its surface neither the distance nor the nearest place.
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
        3.0_f64.sqrt() * self.steepest
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
    fn corners(&self, cell: [usize; 3]) -> Result<Corners, Real> {
        match self.block(cell) {
            (Block::Far(distance), _) => Err(*distance),
            (Block::Near(values), [x, y, z]) => Ok(Corners(std::array::from_fn(|i| {
                values[(x + (i & 1)) + NODES * ((y + (i >> 1 & 1)) + NODES * (z + (i >> 2)))]
            }))),
        }
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

    /// The signed distance of `point` (the grid's frame, metres) from the surface, or something nearer to zero: negative inside, positive
    /// outside. In constant time.
    pub fn distance(&self, point: &Point) -> Real {
        let Some(place) = self.place(point) else {
            return self.aabb.distance_to_point(point).max(0.0);
        };
        let (cell, u) = self.cell_of(&place);
        match self.corners(cell) {
            Ok(v) => v.value(&u) * self.cell / self.slope(),
            Err(distance) => {
                let middle = Vector::from(cell.map(|k| (k / BLOCK * BLOCK + BLOCK / 2) as Real));
                let off = (place - middle).norm() * self.cell;
                // The distance of the original, less what the grid's surface may be off it.
                (distance.abs() - off - self.error()).max(0.0).copysign(distance)
            }
        }
    }

    /// Whether `point` is in the solid, its surface included. In constant time.
    pub fn contains(&self, point: &Point) -> bool {
        let Some(place) = self.place(point) else { return false };
        let (cell, u) = self.cell_of(&place);
        match self.corners(cell) {
            Ok(v) => v.value(&u) <= 0.0,
            Err(distance) => distance < 0.0,
        }
    }

    /// The mass of the solid that it was made from at uniform density, kg/m³, where that has one, and how it was found.
    pub fn mass_of_source(&self, density: Real) -> Option<(MassProperties, MassKind)> {
        let (m, kind) = self.mass.as_ref()?;
        Some((MassProperties { mass: m.mass * density, com: m.com, inertia: m.inertia * density }, *kind))
    }
}
