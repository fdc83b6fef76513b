//! The queries that benchmarks of the time of contact ask: random solids' motions from fixed seeds.

#![allow(dead_code, reason = "each benchmark uses its part")]
#![allow(clippy::expect_used, reason = "a benchmark stops at a solid that cannot be made")]

#[path = "../../tests/common/models.rs"]
mod models;
#[path = "../../tests/common/random.rs"]
#[allow(dead_code, reason = "benchmarks use its part")]
mod random;

use ccd_core::detection::toc::{Answered, Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_scenes::cases::Rod;
use models::box_mesh;
use random::Random;

/// A torus around y, of `2 * around * across` triangles.
pub fn torus(major: Real, minor: Real, around: u32, across: u32) -> Shape {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let turn = |i: u32, n: u32| Real::from(i) / Real::from(n) * std::f64::consts::TAU;
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (turn(i, around), turn(j, across));
            let ring = major + minor * v.cos();
            vertices.push(Point::new(ring * u.cos(), minor * v.sin(), ring * u.sin()));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)];
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a torus")).expect("a torus")
}

/// A wavy open sheet of `2 * n * n` triangles, two metres wide.
pub fn sheet(n: u32) -> Shape {
    let place = |i: u32| Real::from(i) / Real::from(n) * 2.0 - 1.0;
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            let (x, z) = (place(i), place(j));
            vertices.push(Point::new(x, 0.15 * (4.0 * x).sin() * (3.0 * z).cos(), z));
            if i < n && j < n {
                let k = i * (n + 1) + j;
                triangles.extend([[k, k + 1, k + n + 1], [k + 1, k + n + 2, k + n + 1]]);
            }
        }
    }
    Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a sheet")).expect("a sheet")
}

/// The hull of `n` points spread evenly over an ellipsoid of radii 0.5, 0.4 and 0.3 m.
pub fn hull(n: u32) -> Shape {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let points: Vec<Point> = (0..n)
        .map(|i| {
            let y = 1.0 - 2.0 * (Real::from(i) + 0.5) / Real::from(n);
            let (ring, turn) = ((1.0 - y * y).sqrt(), golden * Real::from(i));
            Point::new(0.5 * ring * turn.cos(), 0.4 * y, 0.3 * ring * turn.sin())
        })
        .collect();
    Shape::convex_hull(&points).expect("points in space")
}

/// One question about two solids.
pub struct Query {
    pub a: RigidMotion,
    pub b: RigidMotion,
}

/// Motions over one second of two solids of radius `reach` that start apart and fly roughly at each other, with spins of
/// up to `spin` rad/s. About half of the round ones meet.
pub fn queries(seed: u64, count: usize, reach: Real, spin: Real) -> Vec<Query> {
    let mut r = Random(seed);
    let motion = |r: &mut Random, place: Vector, velocity: Vector| RigidMotion {
        start: Pose::from_parts(place.into(), Rotation::from_scaled_axis(r.direction() * r.between(0.0, 3.0))),
        local_centre: Point::origin(),
        linear_velocity: velocity,
        angular_velocity: r.direction() * r.between(0.0, spin),
    };
    (0..count)
        .map(|_| {
            let towards = r.direction();
            let apart = reach * r.between(2.1, 3.5);
            // Across the way, so that they start apart.
            let aside = r.direction().cross(&towards) * (reach * r.between(0.0, 1.5));
            let speed = reach * r.between(0.5, 5.0);
            let own = r.direction() * (reach * r.between(0.0, 2.0));
            let a = motion(&mut r, Vector::zeros(), own);
            let b = motion(&mut r, towards * apart + aside, own - towards * speed);
            Query { a, b }
        })
        .collect()
}

/// The answer over one second.
pub fn solve(a: &Shape, b: &Shape, query: &Query, options: &TocOptions) -> Answered<Toc> {
    solve_over(a, b, query, 1.0, options)
}

/// The answer over so many seconds.
pub fn solve_over(a: &Shape, b: &Shape, query: &Query, seconds: Real, options: &TocOptions) -> Answered<Toc> {
    let interval = TimeInterval::new(0.0, seconds).expect("an interval");
    time_of_contact(Moving::new(a, &query.a), Moving::new(b, &query.b), interval, options).expect("a valid query")
}

/// A rod of 2 m × 2 cm × 2 cm, as a box and as its twelve triangles.
pub fn rods() -> [Shape; 2] {
    [Shape::cuboid(Rod::HALF_EXTENTS).expect("a box"), box_mesh(Rod::HALF_EXTENTS)]
}

/// Motions over 1/60 s of a rod that spins about y at `spin` rad/s past a post.
pub fn sweeps(seed: u64, count: usize, spin: Real) -> Vec<Query> {
    let mut r = Random(seed);
    (0..count)
        .map(|_| {
            let rod = Rod { spin, distance: r.between(0.2, 0.95), angle: r.between(0.15, 2.95), ..Rod::default() };
            Query {
                a: RigidMotion { angular_velocity: Vector::y() * spin, ..RigidMotion::at_rest(Pose::identity()) },
                b: RigidMotion::at_rest(Pose::from_parts(rod.post().into(), Rotation::identity())),
            }
        })
        .collect()
}
