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

/// Light links under a heavy load swing to and fro within a step and lift it: what is lifted has to be lost as velocity, now or as soon
/// as there is any.
#[test]
fn a_heavy_load_on_light_links_gains_no_energy_but_what_it_owes() {
    let ring = Ring::default();
    let (shape, pitch) = (solid(&ring), 2.0 * (ring.0.major_radius - ring.0.minor_radius) - 0.01);
    let quarter = |axis: Vector| Rotation::from_scaled_axis(axis * FRAC_PI_2);
    let directions = 8;
    // A meeting can lift a load of a thousand times a link by some thousandths, which it owes until it has fallen as far.
    for (ratio, bound) in [(10.0, 1e-3), (300.0, 1e-3), (1000.0, 4e-3)] {
        // Each as a share of what the load weighs times the length of a link.
        let gains: Vec<Real> = (0..directions)
            .map(|direction| {
                let mut world = empty();
                let mut load = None;
                for k in 0..6 {
                    let turn = if k % 2 == 1 { quarter(Vector::y()) } else { Rotation::identity() };
                    let turn = turn * quarter(Vector::x());
                    let kind = if k == 0 { BodyKind::Static } else { BodyKind::Dynamic };
                    let place = Pose::from_parts(Vector::new(0.0, -pitch * Real::from(k), 0.0).into(), turn);
                    let mut link = BodyDefinition::new(kind, shape.clone(), place);
                    if k == 5 {
                        link.mass = MassSpecification::Density(1000.0 * ratio);
                        let angle = TAU * Real::from(direction) / Real::from(directions);
                        link.linear_velocity = Vector::new(angle.cos(), 0.0, angle.sin()) * 1.1;
                    }
                    load = Some(world.add_body(link).unwrap());
                }
                let weight = world.body(load.unwrap()).unwrap().mass_properties().mass * 9.81;
                let (mut least, mut gain) = (world.energy().total(), 0.0);
                for step in 0..200 {
                    let report = world.step(DT).unwrap();
                    assert_eq!(report.time_lost, 0.0, "{ratio}, direction {direction}, step {step}");
                    let energy = world.energy().total();
                    least = least.min(energy);
                    gain = Real::max(gain, (energy - least) / (weight * pitch));
                }
                gain
            })
            .collect();
        let (mean, most) =
            (gains.iter().sum::<Real>() / gains.len() as Real, gains.iter().copied().fold(0.0, Real::max));
        assert!(mean <= 1e-3 && most <= bound, "{ratio}: {gains:?}");
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

/// What lands in a crowd is expected as if it went straight, and all at once, which teeth do not: were all that are expected to land stopped together,
/// wheels would lock.
#[test]
fn a_flywheel_that_sets_a_train_of_gears_going_keeps_as_much_energy_with_long_steps_as_with_short_ones() {
    let gear = Gear::default();
    let pitch = TAU / Real::from(gear.teeth);
    let distance = gear.outer_radius + gear.root_radius + 0.04;
    let shape = solid(&gear);
    let kept = |dt: Real, steps: u32| {
        let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
        for k in 0..24 {
            let phase = if k % 2 == 1 { 0.75 } else { 0.25 } * pitch;
            let turn = Rotation::from_axis_angle(&Vector::y_axis(), phase);
            let place = Pose::from_parts(Vector::new(distance * Real::from(k), 0.0, 0.0).into(), turn);
            let mut wheel = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), place);
            if k == 0 {
                wheel.mass = MassSpecification::Density(20_000.0);
                wheel.angular_velocity = Vector::y() * 8.0;
            }
            wheel.material.friction = 0.0;
            (wheel.locked.translation, wheel.locked.rotation) = ([true; 3], [true, false, true]);
            world.add_body(wheel).unwrap();
        }
        let before = world.energy().total();
        for step in 0..steps {
            assert_eq!(world.step(dt).unwrap().time_lost, 0.0, "step {step} of {dt} s");
        }
        world.energy().total() / before
    };
    let [long, short] = [kept(DT, 150), kept(0.25 * DT, 600)];
    assert!((long / short - 1.0).abs() < 0.15, "{long} {short}");
}
