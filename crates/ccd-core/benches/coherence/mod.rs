//! Walks of one polyhedron around another by steps of a given size, and the polyhedra: shared with the comparison with peers.

use ccd_core::detection::closest::gjk::RelativePose;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::math::{Point, Real, Rotation, Vector};

/// Poses of a walk.
pub const POSES: usize = 2000;

/// A generator of numbers in [0, 1): the golden ratio's multiples, scattered.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as Real / (1_u64 << 53) as Real
    }

    fn direction(&mut self) -> Vector {
        loop {
            let v = Vector::from_fn(|_, _| 2.0 * self.next() - 1.0);
            if (0.01..1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }
}

/// A sphere of 10·4ⁿ + 2 vertices: an icosahedron whose edges are halved n times.
pub fn sphere(halvings: usize) -> ConvexPolyhedron {
    let g = 0.5 * (1.0 + Real::sqrt(5.0));
    let mut points: Vec<Point> = Vec::new();
    for (x, y) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        points.extend([[0.0, x, y], [x, y, 0.0], [y, 0.0, x]].map(|p| Point::from(Vector::from(p).normalize())));
    }
    let hull = |points: &[Point]| ConvexPolyhedron::from_points(points).expect("a sphere");
    for _ in 0..halvings {
        let coarse = hull(&points);
        let middle = |e: [u32; 2]| {
            let [p, q] = e.map(|v| coarse.vertices()[v as usize].coords);
            Point::from((p + q).normalize())
        };
        points.extend(coarse.edges().iter().map(|e| middle(e.vertices)));
    }
    hull(&points)
}

/// The unit cube.
pub fn cuboid() -> ConvexPolyhedron {
    let corner = |i: usize| Point::from(Vector::from_fn(|k, _| if i >> k & 1 == 1 { 0.5 } else { -0.5 }));
    ConvexPolyhedron::from_points(&(0..8).map(corner).collect::<Vec<_>>()).expect("a box")
}

/// A walk around the origin that turns by `angle` (rad) and goes by `step` each time, some gap away.
pub fn walk(angle: Real, step: Real) -> Vec<RelativePose> {
    let mut numbers = Numbers(0x1998);
    let (mut rotation, mut at) = (Rotation::identity(), Vector::new(2.4, 0.3, 0.2));
    let (mut axis, mut heading) = (numbers.direction(), numbers.direction());
    (0..POSES)
        .map(|i| {
            if i % 50 == 0 {
                (axis, heading) = (numbers.direction(), numbers.direction());
            }
            rotation = Rotation::from_scaled_axis(axis * angle) * rotation;
            at += heading * step;
            // Within a shell, so that the bodies are never far nor overlapping.
            at *= at.norm().clamp(2.1, 3.0) / at.norm();
            RelativePose { rotation: rotation.to_rotation_matrix().into_inner(), translation: at }
        })
        .collect()
}
