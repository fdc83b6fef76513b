//! The surface of a field as triangles: for drawing, and as samples with bounded spacing.
//!
//! **Idea.** Space is halved down to cells of one size wherever the enclosures do not rule the surface out. Each such cell
//! gets one vertex on the surface, in creases where it has them; cells around a grid edge that crosses the surface
//! make a quadrilateral (dual contouring).
//! **Guarantee.** Every point of the surface is in a cell that has a vertex, no further than two cells' diagonals from it.

use super::enclosure::{Enclosure, Facet, Region};
use super::project::nearest_surface;
use super::{Field, Sphere};
use crate::geometry::feature::FeatureSet;
use crate::math::{Matrix, Point, Real, Vector};
use crate::volume::Aabb;

/// The most cells along the longest side.
const MOST_CELLS: u32 = 128;
/// The fewest cells along the longest side.
const LEAST_CELLS: u32 = 16;

/// The triangulated surface; its `error` is the proven spacing of the vertices, far above how far the triangles leave a
/// smooth surface.
pub(super) fn triangulate(field: &dyn Field, max_error: Real) -> FeatureSet {
    let aabb = field.local_aabb();
    let extents = aabb.half_extents();
    let size = 2.0 * extents.amax();
    // A chord of length h leaves an arc of radius r by h²/8r; the thinnest half extent stands for the radius.
    let wanted = (8.0 * max_error.max(0.0) * extents.min()).sqrt();
    let count = (size / wanted.max(size * 1e-6)).ceil().clamp(f64::from(LEAST_CELLS), f64::from(MOST_CELLS));
    let levels = (count as u32).next_power_of_two().trailing_zeros();
    let cell = size / Real::from(1_u32 << levels) * (1.0 + 1e-9);
    let mut grid = Grid {
        field,
        // Off the solid's own symmetries, so that flat faces do not lie along the grid.
        origin: aabb.centre() - Vector::repeat(0.5 * size) - Vector::new(0.37, 0.31, 0.29) * (0.01 * cell),
        cell,
        cells: Vec::new(),
        scratch: Enclosure::default(),
    };
    let root = 1_u32 << levels;
    // A cell more, for the shift.
    grid.gather([0; 3], root.next_power_of_two() * 2, &aabb);
    grid.cells.sort_unstable();
    grid.mesh(aabb)
}

struct Grid<'f> {
    field: &'f dyn Field,
    origin: Point,
    cell: Real,
    cells: Vec<[u32; 3]>,
    scratch: Enclosure,
}

impl Grid<'_> {
    fn centre(&self, corner: [u32; 3], width: u32) -> Point {
        self.origin + Vector::from(corner.map(|k| Real::from(k) + 0.5 * Real::from(width))) * self.cell
    }

    fn gather(&mut self, corner: [u32; 3], width: u32, bounds: &Aabb) {
        let centre = self.centre(corner, width);
        let half = 0.5 * self.cell * Real::from(width);
        if !Aabb::from_half_extents(centre, Vector::repeat(half)).overlaps(bounds) {
            return;
        }
        let ball = Sphere { centre, radius: half * 3.0_f64.sqrt() };
        for region in [Region::Solid, Region::Complement] {
            self.scratch.clear();
            self.field.enclose(&ball, region, &mut self.scratch);
            if self.scratch.is_empty() {
                return;
            }
        }
        if width == 1 {
            self.cells.push(corner);
            return;
        }
        let w = width / 2;
        for i in 0..8_u32 {
            let child = [corner[0] + (i & 1) * w, corner[1] + (i >> 1 & 1) * w, corner[2] + (i >> 2) * w];
            self.gather(child, w, bounds);
        }
    }

    /// A place on the surface in or near the cell.
    fn vertex(&mut self, corner: [u32; 3]) -> Point {
        let centre = self.centre(corner, 1);
        let nearest = nearest_surface(self.field, &centre, 1e-9 * self.cell).map_or(centre, |s| s.point);
        self.crease(&centre, &nearest).unwrap_or(nearest)
    }

    /// Where the faces that meet near `nearest` meet, if that is within the cell around `centre`.
    fn crease(&mut self, centre: &Point, nearest: &Point) -> Option<Point> {
        for region in [Region::Solid, Region::Complement] {
            self.scratch.clear();
            self.field.enclose(&Sphere { centre: *nearest, radius: self.cell }, region, &mut self.scratch);
            let facets = self.scratch.alternative(0);
            if self.scratch.len() != 1 || facets.len() < 2 {
                continue;
            }
            let place = nearest + meeting(facets, &(centre - nearest));
            let close = (place - centre).amax() <= 0.75 * self.cell;
            if close && self.field.distance(&place).abs() <= 0.02 * self.cell {
                return Some(nearest_surface(self.field, &place, 1e-9 * self.cell).map_or(place, |s| s.point));
            }
        }
        None
    }

    fn mesh(mut self, aabb: Aabb) -> FeatureSet {
        let cells = std::mem::take(&mut self.cells);
        let vertices: Vec<Point> = cells.iter().map(|c| self.vertex(*c)).collect();
        let number = |c: [u32; 3]| cells.binary_search(&c).ok().map(|i| i as u32);
        let mut faces = Vec::new();
        for c in &cells {
            let low = self.origin + Vector::from(c.map(Real::from)) * self.cell;
            let inside = self.field.contains(&low);
            for axis in 0..3 {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut high = low;
                high[axis] += self.cell;
                if inside == self.field.contains(&high) || c[u] == 0 || c[v] == 0 {
                    continue;
                }
                let (mut left, mut below, mut both) = (*c, *c, *c);
                left[u] -= 1;
                below[v] -= 1;
                both[u] -= 1;
                both[v] -= 1;
                let around = [number(*c), number(left), number(both), number(below)];
                if let [Some(p), Some(q), Some(r), Some(s)] = around {
                    let quad = if inside { [p, q, r, s] } else { [s, r, q, p] };
                    faces.push([quad[0], quad[1], quad[2]]);
                    faces.push([quad[0], quad[2], quad[3]]);
                }
            }
        }
        let mut edges: Vec<[u32; 2]> = faces
            .iter()
            .flat_map(|f: &[u32; 3]| (0..3).map(move |k| [f[k].min(f[(k + 1) % 3]), f[k].max(f[(k + 1) % 3])]))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let error = if vertices.is_empty() { aabb.half_extents().norm() } else { 2.0 * 3.0_f64.sqrt() * self.cell };
        FeatureSet { vertices, edges, faces, radius: 0.0, error }
    }
}

/// The place, near `target`, where all facets are zero, in the sense of least squares.
fn meeting(facets: &[Facet], target: &Vector) -> Vector {
    const WEIGHT: Real = 1e-3;
    let mut matrix = Matrix::identity() * WEIGHT;
    let mut right = Vector::zeros();
    for f in facets {
        matrix += f.normal * f.normal.transpose();
        right -= f.normal * (f.value + f.normal.dot(target));
    }
    target + matrix.try_inverse().map_or_else(Vector::zeros, |m| m * right)
}
