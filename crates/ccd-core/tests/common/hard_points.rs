//! Points that are hard to classify: on, beside, and at ε from the features of a mesh and their extensions.

use ccd_core::geometry::mesh::{Topology, TriMesh};
use ccd_core::math::{Point, Vector};

use super::random::Random;

/// A point near `mesh`, of a kind drawn at random.
pub fn hard_point(random: &mut Random, mesh: &TriMesh, topology: &Topology, epsilon: f64) -> Point {
    let aabb = mesh.aabb();
    let extent = aabb.max - aabb.min;
    let anywhere = |r: &mut Random| Point::from(aabb.min.coords + extent.map(|e| e * r.between(-0.05, 1.05)));
    let base = match random.below(8) {
        0 => return anywhere(random),
        1 => mesh.vertices()[random.below(mesh.vertices().len())],
        // On an edge, and on the line beyond its ends.
        kind @ (2 | 3) => {
            let [p, q] = topology.edges()[random.below(topology.edges().len())].map(|v| mesh.vertices()[v as usize]);
            let t = if kind == 2 { random.unit() } else { random.between(-3.0, 4.0) };
            p + (q - p) * t
        }
        // In a face, in its plane beyond, and in the plane anywhere.
        kind => {
            let t = random.below(mesh.triangles().len());
            let [a, b, c] = mesh.triangle(t);
            if kind == 7 {
                let (p, n) = (anywhere(random), mesh.face_normal(t));
                p - n * n.dot(&(p - a))
            } else {
                let reach = if kind == 6 { 4.0 } else { 1.0 };
                let (u, v) = (random.unit() * reach, random.unit() * reach);
                let (u, v) = if kind < 6 && u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                let (u, v) = if kind == 6 { (u - 1.5, v - 1.5) } else { (u, v) };
                a + (b - a) * u + (c - a) * v
            }
        }
    };
    let direction = match random.below(3) {
        0 => random.direction(),
        1 => mesh.face_normal(random.below(mesh.triangles().len())),
        _ => Vector::ith(random.below(3), 1.0),
    };
    let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
    let distance = match random.below(6) {
        0 => 0.0,
        1 => epsilon * random.unit(),
        2 => epsilon * (1.0 + sign * random.magnitude(1e-15, 1e-2)),
        3 => epsilon * random.between(1.0, 4.0),
        4 => random.magnitude(1e-18, 1e-3) * extent.norm(),
        _ => epsilon * random.magnitude(1e-4, 1e-2),
    };
    base + direction * (sign * distance)
}
