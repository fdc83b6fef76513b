//! Meshes without an inside, and edges that stand on faces: on which side things are, what carries them round, what they rest on.

use std::f64::consts::TAU;

use ccd_core::contact::{ContactCache, ContactPoint, ContactSearch, ReductionMethod, find_contacts_by};
use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::models::{Triangles, l_prism, mesh};

const DT: Real = 1.0 / 60.0;

fn world() -> World {
    World::new(WorldSettings { parallel: false, ..WorldSettings::default() }).unwrap()
}

/// A flat square sheet of two triangles, wound upwards, or `turned` over.
fn sheet(half: Real, turned: bool) -> Shape {
    let corner = |x: Real, z: Real| Point::new(x * half, 0.0, z * half);
    let vertices = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    let triangles = [[0, 1, 2], [0, 2, 3]].map(|[p, q, r]| if turned { [p, r, q] } else { [p, q, r] });
    mesh((vertices, triangles.to_vec()))
}

/// A surface of revolution about y of `n` segments, open at both ends, from a radius below to one above.
fn band(below: Real, above: Real, height: Real, n: u32) -> Triangles {
    let place = |i: u32, radius: Real, y: Real| {
        let (sin, cos) = (Real::from(i) / Real::from(n) * TAU).sin_cos();
        Point::new(radius * cos, y, radius * sin)
    };
    let vertices = (0..n).flat_map(|i| [place(i, below, 0.0), place(i, above, height)]).collect();
    let sides = |i: u32| {
        let j = (i + 1) % n;
        [[2 * i, 2 * i + 1, 2 * j + 1], [2 * i, 2 * j + 1, 2 * j]]
    };
    (vertices, (0..n).flat_map(sides).collect())
}

/// The same about z, everywhere as wide, from `-half` to `half`.
fn tube(radius: Real, half: Real, n: u32) -> Triangles {
    let (vertices, triangles) = band(radius, radius, 2.0 * half, n);
    (vertices.iter().map(|p| Point::new(p.x, p.z, p.y - half)).collect(), triangles)
}

fn all() -> ContactSearch {
    ContactSearch { margin: 1e-3, tolerance: 1e-4, reduction: ReductionMethod::None }
}

fn contacts(a: &Shape, b: &Shape, pose_b: &Pose) -> Vec<ContactPoint> {
    let (search, still) = (all(), Pose::identity());
    let mut found = Vec::new();
    find_contacts_by((a, &still), (b, pose_b), &search, &mut ContactCache::default(), &mut found);
    found
}

/// The same with the sides exchanged.
fn under(a: &Shape, b: &Shape, pose_b: &Pose) -> Vec<ContactPoint> {
    let (search, still) = (all(), Pose::identity());
    let mut found = Vec::new();
    find_contacts_by((b, pose_b), (a, &still), &search, &mut ContactCache::default(), &mut found);
    found
}

#[test]
fn a_sheet_beside_a_sheet_is_on_the_side_that_it_is_on_however_near() {
    for (of_a, of_b) in [(false, false), (false, true), (true, false), (true, true)] {
        let (a, b) = (sheet(1.0, of_a), sheet(0.5, of_b));
        for gap in [1e-3, 1e-5, 1e-6, 4e-7, 1e-8] {
            for side in [-1.0, 1.0] {
                let what = format!("{gap} m on side {side}, turned over: {of_a}, {of_b}");
                let found = contacts(&a, &b, &Pose::translation(0.1, side * 0.999 * gap, 0.2));
                assert!(found.len() >= 4, "{what}: {found:?}");
                for c in &found {
                    assert!((c.separation - 0.999 * gap).abs() < 1e-12, "{what}: {c:?}");
                    assert!((c.normal - Vector::y() * side).norm() < 1e-9, "{what}: {c:?}");
                }
            }
        }
    }
}

/// At the end where the angle rises from the ridge by nanometres the edges are beyond each other's regions, and made no contact: what lay on
/// the ridge rocked from end to end.
#[test]
fn an_angle_on_a_ridge_has_contacts_at_both_ends_however_little_it_is_tilted() {
    let p = |x: Real, y: Real, z: Real| Point::new(x, y, z);
    let corners = vec![p(0.0, 0.0, -2.0), p(0.0, 0.0, 2.0), p(1.0, -1.0, -2.0), p(1.0, -1.0, 2.0), p(-1.0, -1.0, 0.0)];
    let roof = mesh((corners, vec![[0, 1, 3], [0, 3, 2], [0, 4, 1]]));
    let load = mesh(l_prism(0.3, 0.1, 0.5));
    for tilt in [0.0, 1e-9, 1e-7, 2e-5, 2e-4, -1e-9, -1e-7, -2e-5, -2e-4] {
        let turned = Rotation::from_axis_angle(&Vector::x_axis(), tilt);
        let lowest = 1e-5 + 0.5 * (tilt as Real).abs();
        let pose = Pose::from_parts(Vector::new(0.05, 0.1 + lowest, 0.1).into(), turned);
        for (name, found) in [("on", contacts(&roof, &load, &pose)), ("under", under(&roof, &load, &pose))] {
            for end in [-0.4, 0.6] {
                let is_there = |c: &&ContactPoint| (c.point_a.z - end).abs() < 1e-3 && c.normal.y.abs() > 0.999;
                assert!(found.iter().any(|c| is_there(&c)), "{name} {tilt}, at {end}: {found:?}");
            }
        }
    }
}

/// Of a sheet's far side no place is a contact of what has come through: where turning led things into the wall was not seen, their gaps
/// all but closed, and they were held.
#[test]
fn what_a_drum_without_thickness_carries_round_loses_no_time() {
    for (sides, spin) in [(6, 3.0), (6, 8.0), (8, 12.0), (12, 8.0)] {
        let mut world = world();
        let mut drum = BodyDefinition::new(BodyKind::Kinematic, mesh(tube(2.5, 2.0, sides)), Pose::identity());
        drum.angular_velocity = Vector::z() * spin;
        world.add_body(drum).unwrap();
        let turned = Rotation::from_scaled_axis(Vector::new(0.3, 0.2, 0.4));
        let at = Pose::from_parts(Vector::new(0.3, -0.9, 0.1).into(), turned);
        let mut body = BodyDefinition::new(BodyKind::Dynamic, sheet(0.4, false), at);
        (body.mass, body.material.friction) = (MassSpecification::Mass(1.0), 0.5);
        world.add_body(body).unwrap();
        for step in 0..240 {
            let lost = world.step(DT).unwrap().time_lost;
            assert_eq!(lost, 0.0, "{sides} sides at {spin} rad/s, step {step}");
        }
    }
}

/// The rim's corners are as high as each other but for nanometres. Those beside the lowest alone were contacts, so that the ring fell over
/// to the other side within a step, and back, and crept along at millimetres a second.
#[test]
fn a_ring_that_stands_on_its_rim_stands_on_all_of_it_and_falls_asleep() {
    let floor = Shape::cuboid([30.0, 1.0, 30.0]).unwrap();
    let ring = mesh(band(0.6, 0.5, 0.3, 9));
    let tilt = Rotation::from_axis_angle(&Vector::z_axis(), 2e-5);
    let down = Pose::from_parts(Vector::new(0.0, 1.0 + 2e-5, 0.0).into(), tilt);
    let places: Vec<_> = contacts(&floor, &ring, &down).iter().map(|c| c.features.b).collect();
    for vertex in (0..18).step_by(2) {
        let corner = ccd_core::geometry::feature::Feature::Vertex(vertex);
        assert!(places.contains(&corner), "corner {vertex} of {places:?}");
    }

    let mut world = world();
    world.add_body(BodyDefinition::new(BodyKind::Static, floor, Pose::translation(0.0, -1.0, 0.0))).unwrap();
    let turned = Rotation::from_axis_angle(&Vector::x_axis(), 0.25 * TAU);
    let at = Pose::from_parts(Vector::new(0.0, 2.0, 0.0).into(), turned);
    let mut body = BodyDefinition::new(BodyKind::Dynamic, ring, at);
    body.material.friction = 0.5;
    let body = world.add_body(body).unwrap();
    for _ in 0..600 {
        world.step(DT).unwrap();
    }
    let body = world.body(body).unwrap();
    assert!(body.is_asleep(), "{} m/s, {} rad/s", body.linear_velocity().norm(), body.angular_velocity().norm());
}
