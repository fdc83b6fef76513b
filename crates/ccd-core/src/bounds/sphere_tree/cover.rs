//! What a sphere covers, and how far it sticks out.

use super::SphereTree;
use crate::bounds::IndexedMesh;
use crate::geometry::mesh::TriMesh;
use crate::math::{Point, Real};
use crate::volume::Sphere;

/// A part of the surface that no sphere of a level is proved to cover.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("level {level} does not cover face {face} at {}, {}, {}", place.x, place.y, place.z)]
pub struct Uncovered {
    /// The level.
    pub level: usize,
    /// The face.
    pub face: u32,
    /// The middle of the part.
    pub place: Point,
}

/// The distance of `p` from the surface, metres: how deep it is inside the solid, negative outside and for an open surface.
pub(super) fn depth(mesh: &IndexedMesh, p: &Point) -> Real {
    -mesh.signed_distance(p)
}

/// How far the sphere sticks out: a bound on the distance from the surface of any of its points outside the solid.
///
/// From a middle inside, the way to such a point leaves the solid after at least the depth; from one outside, the surface is no
/// further from the point than from the middle and back.
pub(super) fn error_of(mesh: &IndexedMesh, sphere: &Sphere) -> Real {
    let depth =
        if mesh.is_closed() { depth(mesh, &sphere.centre) } else { -mesh.signed_distance(&sphere.centre).abs() };
    (sphere.radius - depth).max(0.0)
}

/// How much larger than the smallest a sphere is: neighbours overlap by this share of their radius, and what lies across where
/// they meet can be proved to be covered by halving it some fifty times.
pub(super) const OVERLAP: Real = 1e-5;

/// The radius of a sphere whose furthest point is at `distance`, the last places of both included.
pub(super) fn reaching(distance: Real, centre: &Point) -> Real {
    distance * (1.0 + OVERLAP) + 4.0 * Real::EPSILON * centre.coords.amax()
}

impl SphereTree {
    /// Proves that the spheres of level `level` cover the whole surface of `mesh`: every face is divided until each part has its
    /// corners, and so itself, in one sphere. For trees that come from elsewhere, and for tests.
    ///
    /// # Errors
    /// [`Uncovered`] with the first part that is in no sphere or, after 64 halvings of a face, not proved to be in any.
    pub fn check_cover(&self, mesh: &TriMesh, level: usize) -> Result<(), Uncovered> {
        let spheres: Vec<Sphere> = self.level(level).into_iter().map(|i| self.node(i).sphere).collect();
        for face in 0..mesh.triangles().len() {
            let mut open = vec![(mesh.triangle(face), spheres.clone(), 0)];
            while let Some((part, near, halvings)) = open.pop() {
                let holds = |s: &Sphere, p: &Point| (p - s.centre).norm() <= s.radius;
                if near.iter().any(|s| part.iter().all(|p| holds(s, p))) {
                    continue;
                }
                let place = nalgebra::center(&nalgebra::center(&part[0], &part[1]), &part[2]);
                // Only spheres that reach the part matter to what is divided off it.
                let size = part.iter().map(|p| (p - place).norm()).fold(0.0, Real::max);
                let near: Vec<Sphere> =
                    near.into_iter().filter(|s| (s.centre - place).norm() <= s.radius + size * (1.0 + 1e-9)).collect();
                if halvings == 64 || near.is_empty() {
                    return Err(Uncovered { level, face: face as u32, place });
                }
                let side = |k: usize| (part[(k + 1) % 3] - part[k]).norm_squared();
                let longest = (0..3).fold(0, |best, k| if side(k) > side(best) { k } else { best });
                let [from, to, across] = [0, 1, 2].map(|k| part[(longest + k) % 3]);
                let middle = nalgebra::center(&from, &to);
                open.push(([from, middle, across], near.clone(), halvings + 1));
                open.push(([middle, to, across], near, halvings + 1));
            }
        }
        Ok(())
    }
}
