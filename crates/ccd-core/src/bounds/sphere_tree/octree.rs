//! The octree builder: the simplest.
//!
//! **Idea.** A cube around the mesh is divided into eight, and so on; each cell that holds a part of the surface gets the
//! smallest sphere around that part. Faces are cut along the cells' walls, so a sphere is around what is in its cell and no more.
//! **Source.** Closson, section 2.1.2.1.

use rayon::prelude::*;

use super::cover::{error_of, reaching};
use super::{SphereTree, SphereTreeError, SphereTreeOptions};
use crate::bounds::IndexedMesh;
use crate::math::{Point, Real, Vector};
use crate::volume::Sphere;

/// A convex part of a face.
type Part = Vec<Point>;

struct Cell {
    centre: Point,
    half: Real,
    parts: Vec<Part>,
    parent: u32,
}

impl SphereTree {
    /// The tree of spheres by an octree over any mesh, open ones too. O(levels · triangles) and some parts more.
    ///
    /// # Errors
    /// [`SphereTreeError::BadOption`].
    pub fn octree(mesh: &IndexedMesh, options: SphereTreeOptions) -> Result<Self, SphereTreeError> {
        options.validate()?;
        let aabb = mesh.aabb();
        let half = aabb.half_extents().amax() * (1.0 + 4.0 * Real::EPSILON);
        let parts = (0..mesh.mesh().triangles().len()).map(|f| mesh.mesh().triangle(f).to_vec()).collect();
        let mut cells = vec![Cell { centre: aabb.centre(), half, parts, parent: 0 }];
        let mut levels = Vec::new();
        while levels.len() < options.levels {
            // Every cell by itself, in order: the number of threads changes nothing.
            let level = cells
                .par_iter()
                .map(|cell| {
                    let sphere = smallest_around(&cell.parts);
                    (sphere, error_of(mesh, &sphere), cell.parent)
                })
                .collect();
            levels.push(level);
            let divided: Vec<Vec<Cell>> =
                cells.into_par_iter().enumerate().map(|(place, cell)| divide(cell, place as u32)).collect();
            cells = divided.into_iter().flatten().collect();
        }
        Ok(Self::from_levels(&levels, 8))
    }
}

/// The smallest sphere around all parts, and the overlap with its neighbours.
fn smallest_around(parts: &[Part]) -> Sphere {
    let corners: Vec<Point> = parts.iter().flatten().copied().collect();
    let Sphere { centre, radius } = Sphere::around(&corners);
    Sphere { centre, radius: reaching(radius, &centre) }
}

/// The cells of an eighth each that hold something.
fn divide(cell: Cell, place: u32) -> Vec<Cell> {
    let mut found = vec![(cell.centre, cell.parts)];
    for axis in 0..3 {
        let wall = cell.centre[axis];
        found = found
            .into_iter()
            .flat_map(|(centre, parts)| {
                let (mut below, mut above) = (Vec::new(), Vec::new());
                for part in parts {
                    let (low, high) = cut(part, axis, wall);
                    below.extend(low);
                    above.extend(high);
                }
                let step = Vector::ith(axis, 0.5 * cell.half);
                [(centre - step, below), (centre + step, above)]
            })
            .filter(|(_, parts)| !parts.is_empty())
            .collect();
    }
    found.into_iter().map(|(centre, parts)| Cell { centre, half: 0.5 * cell.half, parts, parent: place }).collect()
}

/// The parts of a convex polygon on both sides of a wall across `axis`. What lies in the wall goes below alone.
fn cut(part: Part, axis: usize, wall: Real) -> (Option<Part>, Option<Part>) {
    if part.iter().all(|p| p[axis] <= wall) {
        return (Some(part), None);
    }
    if part.iter().all(|p| p[axis] >= wall) {
        return (None, Some(part));
    }
    let (mut below, mut above) = (Part::new(), Part::new());
    for (k, p) in part.iter().enumerate() {
        let q = &part[(k + 1) % part.len()];
        if p[axis] <= wall {
            below.push(*p);
        }
        if p[axis] >= wall {
            above.push(*p);
        }
        if (p[axis] < wall && q[axis] > wall) || (p[axis] > wall && q[axis] < wall) {
            let mut crossing = p + (q - p) * ((wall - p[axis]) / (q[axis] - p[axis]));
            crossing[axis] = wall;
            below.push(crossing);
            above.push(crossing);
        }
    }
    (Some(below), Some(above))
}
