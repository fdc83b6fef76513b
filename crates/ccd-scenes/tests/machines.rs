//! What hangs and what turns: heavy loads on light links, and gears that are driven.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use ccd_core::bounds::IndexedMesh;
use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};
use ccd_scenes::models::{Gear, Model, Ring};

const DT: Real = 0.01;

fn solid(model: &impl Model) -> Shape {
    Shape::Mesh(Arc::new(IndexedMesh::new(model.build().unwrap()).unwrap()))
}

fn empty() -> World {
    World::new(WorldSettings { parallel: false, ..WorldSettings::default() }).unwrap()
}

/// Light links under a heavy load swing to and fro within a step and lift it: what is lifted has to be lost as velocity.
#[test]
fn a_heavy_load_on_light_links_gains_no_energy() {
    let ring = Ring::default();
    let pitch = 2.0 * (ring.0.major_radius - ring.0.minor_radius) - 0.01;
    for ratio in [10.0, 300.0, 1000.0] {
        let mut world = empty();
        let mut load = None;
        for k in 0..6 {
            let turn = Rotation::from_axis_angle(&Vector::x_axis(), FRAC_PI_2);
            let turn = Rotation::from_axis_angle(&Vector::y_axis(), FRAC_PI_2 * Real::from(k % 2)) * turn;
            let kind = if k == 0 { BodyKind::Static } else { BodyKind::Dynamic };
            let place = Pose::from_parts(Vector::new(0.0, -pitch * Real::from(k), 0.0).into(), turn);
            let mut link = BodyDefinition::new(kind, solid(&ring), place);
            if k == 5 {
                link.mass = MassSpecification::Density(1000.0 * ratio);
                link.linear_velocity = Vector::new(1.0, 0.0, 0.5);
            }
            load = Some(world.add_body(link).unwrap());
        }
        let mass = world.body(load.unwrap()).unwrap().mass_properties().mass;
        let mut least = world.energy().total();
        for step in 0..200 {
            let report = world.step(DT).unwrap();
            assert_eq!(report.time_lost, 0.0, "{ratio}, step {step}");
            let energy = world.energy().total();
            least = least.min(energy);
            // What the load had when it began, and a thousandth of what it weighs times the length of a link.
            let slight = 1e-3 * mass * 9.81 * pitch;
            assert!(energy <= least + slight, "{ratio}, step {step}: {energy} J after {least} J, {slight} J");
        }
    }
}

/// Up to half a radian a step: the teeth of the first meet those of the others many times within it.
#[test]
fn driven_gears_lose_no_time() {
    let gear = Gear::default();
    let pitch = TAU / Real::from(gear.teeth);
    let distance = gear.outer_radius + gear.root_radius + 0.04;
    for (speed, density) in [(2.0, 1.0), (10.0, 1000.0), (50.0, 1.0), (50.0, 1000.0)] {
        let mut world = empty();
        for k in 0..3 {
            // A tooth of the first and the third towards a gap of the second.
            let phase = if k == 1 { 0.75 } else { 0.25 } * pitch;
            let turn = Rotation::from_axis_angle(&Vector::y_axis(), phase);
            let kind = if k == 0 { BodyKind::Kinematic } else { BodyKind::Dynamic };
            let place = Pose::from_parts(Vector::new(distance * Real::from(k), 0.0, 0.0).into(), turn);
            let mut body = BodyDefinition::new(kind, solid(&gear), place);
            if k == 0 {
                body.angular_velocity = Vector::y() * speed;
            } else {
                body.mass = MassSpecification::Density(density);
                body.material.friction = 0.0;
                (body.locked.translation, body.locked.rotation) = ([true; 3], [true, false, true]);
            }
            world.add_body(body).unwrap();
        }
        for step in 0..150 {
            let report = world.step(DT).unwrap();
            assert_eq!(report.time_lost, 0.0, "{speed} rad/s, {density} kg/m³, step {step}");
        }
        let spins: Vec<Real> = world.bodies().map(|(_, body)| body.angular_velocity().y).collect();
        assert!(spins[1] < -0.3 * speed && spins[2] > 0.3 * speed, "{speed} rad/s: {spins:?}");
    }
}
