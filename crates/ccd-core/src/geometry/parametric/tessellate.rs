//! Triangles near a surface of patches.

use std::collections::BTreeMap;

use super::surface::key_of_point;
use super::{BezierPatch, PatchSurface};
use crate::geometry::mesh::{MeshError, TriMesh};
use crate::math::{Point, Real};

/// The most cuts of a patch's side: beyond it the tessellation's error is larger than asked for, and says so.
const MOST_CUTS: u32 = 512;

/// Where a corner of a triangle is on the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPlace {
    /// The patch.
    pub patch: u32,
    /// Its parameters.
    pub at: [Real; 2],
}

/// A mesh whose vertices are on the surface.
///
/// Neighbouring patches whose sides have the same control points share vertices, so that a watertight surface becomes a closed mesh;
/// triangles that shrink to a line at a side that is a point are left out.
#[derive(Clone, Debug)]
pub struct Tessellation {
    /// The mesh.
    pub mesh: TriMesh,
    /// Where the corners of each triangle are on the surface: all on one patch.
    pub places: Vec<[PatchPlace; 3]>,
    /// No point of the surface is further from the mesh's point of the same parameters, nor the other way round; metres.
    pub error: Real,
}

impl PatchSurface {
    /// Triangles within `max_error` metres of the surface, or as near as 512 cuts of each side bring them: the answer says how near.
    ///
    /// Every side is cut into as many parts as the most bent patch needs: a linear patch over a square of width h leaves
    /// the surface by at most h²/8 (‖∂uu‖ + 2 ‖∂uv‖ + ‖∂vv‖).
    ///
    /// # Errors
    /// [`MeshError::Empty`] where no triangle has an area.
    pub fn tessellated(&self, max_error: Real) -> Result<Tessellation, MeshError> {
        let worst = self
            .patches()
            .iter()
            .map(|patch| {
                let bend = patch.bend();
                bend.uu + 2.0 * bend.uv + bend.vv
            })
            .fold(0.0, Real::max);
        let wanted = (worst / (8.0 * max_error)).sqrt().ceil();
        let cuts = if wanted >= Real::from(MOST_CUTS) { MOST_CUTS } else { (wanted as u32).max(1) };
        let width = Real::from(cuts).recip();
        let mut builder = Builder::default();
        for (patch, number) in self.patches().iter().zip(0..) {
            builder.add(patch, number, cuts);
        }
        let rounding = 64.0 * Real::EPSILON * self.aabb().min.coords.amax().max(self.aabb().max.coords.amax());
        Ok(Tessellation {
            mesh: TriMesh::compacted(&builder.vertices, &builder.triangles)?,
            places: builder.places,
            error: worst * width * width * 0.125 + rounding,
        })
    }
}

#[derive(Default)]
struct Builder {
    vertices: Vec<Point>,
    by_place: BTreeMap<[u64; 3], u32>,
    triangles: Vec<[u32; 3]>,
    places: Vec<[PatchPlace; 3]>,
}

impl Builder {
    fn add(&mut self, patch: &BezierPatch, number: u32, cuts: u32) {
        let n = cuts as usize + 1;
        let share = |k: usize| k as Real / Real::from(cuts);
        let mut grid = vec![0_u32; n * n];
        for i in 0..n {
            for j in 0..n {
                let on_side = [(j == 0, 0, i), (i == n - 1, 1, j), (j == n - 1, 2, n - 1 - i), (i == 0, 3, n - 1 - j)];
                let point = match on_side.iter().find(|(is_on, ..)| *is_on) {
                    // Both neighbours compute a shared point from the same end, so that it has the same bits.
                    Some((_, side, step)) => point_of_side(&patch.side(*side), *step, cuts),
                    None => patch.point(share(i), share(j)),
                };
                grid[i * n + j] = self.vertex(point);
            }
        }
        for i in 0..n - 1 {
            for j in 0..n - 1 {
                let corner = |di: usize, dj: usize| {
                    let place = PatchPlace { patch: number, at: [share(i + di), share(j + dj)] };
                    (grid[(i + di) * n + j + dj], place)
                };
                let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
                self.triangle([a, b, c]);
                self.triangle([a, c, d]);
            }
        }
    }

    fn vertex(&mut self, point: Point) -> u32 {
        let next = self.vertices.len() as u32;
        let number = *self.by_place.entry(key_of_point(&point)).or_insert(next);
        if number == next {
            self.vertices.push(point);
        }
        number
    }

    fn triangle(&mut self, corners: [(u32, PatchPlace); 3]) {
        let numbers = corners.map(|(number, _)| number);
        let alone = numbers.map(|n| self.vertices[n as usize]);
        // What is no triangle for a mesh is none here: a sliver of a side that is a point, or of a patch without area.
        if TriMesh::try_new(alone.to_vec(), vec![[0, 1, 2]]).is_ok() {
            self.triangles.push(numbers);
            self.places.push(corners.map(|(_, place)| place));
        }
    }
}

/// The point `step` of `cuts` along a side, to the last bit the same from either end.
fn point_of_side(side: &[Point; 4], step: usize, cuts: u32) -> Point {
    let key = |p: &Point| key_of_point(p);
    let mut back = *side;
    back.reverse();
    let forward = side.each_ref().map(key) <= back.each_ref().map(key);
    let (points, step) = if forward { (side, step) } else { (&back, cuts as usize - step) };
    // A side that is a point has no others, which rounding of the sum below would make.
    let is_point = points.iter().all(|p| key(p) == key(&points[0]));
    if step == 0 || is_point {
        return points[0];
    }
    if step == cuts as usize {
        return points[3];
    }
    let t = step as Real / Real::from(cuts);
    let s = 1.0 - t;
    let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
    Point::from(points.iter().zip(weights).map(|(p, w)| p.coords * w).sum::<crate::math::Vector>())
}
