//! No ghost contacts: what slides over the seams of a tessellated plane sees one smooth surface.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::dynamics::{BodyDefinition, BodyKind, Material};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::world::{StepReport, World, WorldSettings};

const DT: Real = 1.0 / 60.0;

/// A flat strip of 128 × 32 cells of 0.125 m, two triangles each: 8192 triangles in the plane y = 0, facing up.
fn floor() -> Shape {
    let (long, wide, size) = (128_u32, 32_u32, 0.125);
    let place = |i: u32, j: u32| Point::new(f64::from(i) * size - 2.0, 0.0, (f64::from(j) - 16.0) * size);
    let vertices = (0..=long).flat_map(|i| (0..=wide).map(move |j| place(i, j))).collect();
    let cell = |i: u32, j: u32| {
        let v = i * (wide + 1) + j;
        [[v, v + 1, v + wide + 2], [v, v + wide + 2, v + wide + 1]]
    };
    let triangles = (0..long).flat_map(|i| (0..wide).flat_map(move |j| cell(i, j))).collect();
    Shape::mesh(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
}

/// Drops a flat body that slides along; returns the world after the step of the impact, with its report.
fn land(ground: Shape, body: Shape, height: Real) -> (Vector, Vector, StepReport) {
    let mut world = World::new(WorldSettings::default()).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
    let start = Pose::translation(0.0, height + 0.3, 0.01);
    let mut definition = BodyDefinition::new(BodyKind::Dynamic, body, start);
    definition.material = Material { friction: 0.0, restitution: 0.0 };
    let id: BodyId = world.add_body(definition).unwrap();
    world.set_velocity(id, Vector::new(5.0, 0.0, 0.3), Vector::zeros()).unwrap();
    loop {
        let report = world.step(DT).unwrap();
        if !report.impacts.is_empty() {
            let body = world.body(id).unwrap();
            return (body.pose().translation.vector, *body.angular_velocity(), report);
        }
    }
}

#[test]
fn a_ball_over_a_seam_within_the_tolerance_touches_the_floor_and_not_the_rim_of_the_next_triangle() {
    let (floor, ball) = (floor(), Shape::ball(0.15).unwrap());
    let still = RigidMotion::at_rest(Pose::identity());
    let definition = BodyDefinition::new(BodyKind::Dynamic, ball.clone(), Pose::translation(1.236, 0.15005, 0.084));
    let mut world = World::new(WorldSettings::default()).unwrap();
    let id = world.add_body(definition).unwrap();
    let interval = TimeInterval::new(0.0, 0.01).unwrap();
    for sinking in [0.004, 0.0144, 0.04] {
        world.set_velocity(id, Vector::new(4.757, -sinking, 0.285), Vector::new(0.242, 0.0, -4.035)).unwrap();
        let motion = world.body(id).unwrap().motion();
        let ask = |tolerance: Real| {
            let options = TocOptions { tolerance, ..TocOptions::default() };
            let (a, b) = (Moving::new(&floor, &still), Moving::new(&ball, &motion));
            time_of_contact(a, b, interval, &options).unwrap().answer
        };
        // Within the tolerance from the start: that is an overlap by it, not a contact a rounding later.
        assert!(matches!(ask(1e-4), Toc::Overlapping(c) if (c.separation - 5e-5).abs() < 1e-12));
        if let Toc::Contact(contact) = ask(2.5e-5) {
            assert!((contact.normal - Vector::y()).norm() < 1e-9, "{contact:?}");
            // By the height at that time, whatever triangle is met.
            let height = 5e-5 - sinking * contact.time;
            assert!((contact.separation - height).abs() < 1e-12, "{contact:?}");
        }
    }
}

#[test]
fn what_lands_flat_is_not_tipped_and_loses_no_time() {
    for (shape, height) in [
        (Shape::cuboid([0.2, 0.1, 0.3]).unwrap(), 0.1),
        (Shape::cylinder(0.2, 0.1).unwrap(), 0.1),
        (Shape::cone(0.2, 0.1).unwrap(), 0.1),
        (Shape::ball(0.15).unwrap(), 0.15),
    ] {
        for ground in [Shape::half_space(Vector::y()).unwrap(), floor()] {
            let (place, spin, report) = land(ground, shape.clone(), height);
            assert_eq!((report.time_lost, report.held.len()), (0.0, 0), "{shape:?}");
            assert!(spin.norm() < 1e-6, "{shape:?} spins by {spin}");
            assert!((place.x - 5.0 * 15.0 * DT).abs() < 1e-9, "{shape:?} at {place}");
            for impact in &report.impacts {
                assert!((impact.normal - Vector::y()).norm() < 1e-9, "{shape:?}: {impact:?}");
            }
        }
    }
}
