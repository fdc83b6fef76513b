//! What stands or rolls on kinematic bodies, against what it does on ground that stands and against closed forms.

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification, Material, kinetic_energy};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{ResponseMethod, World, WorldSettings};

const G: Real = 9.81;
const DT: Real = 1.0 / 60.0;
/// Metres: more than rounding, less than the tolerance.
const GAP: Real = 1e-5;

fn surface(friction: Real) -> Material {
    Material { friction, ..Material::default() }
}

fn cuboid(half_extents: [Real; 3]) -> Shape {
    Shape::cuboid(half_extents).unwrap()
}

/// A carriage that is level with the plane y = 0, and a world around it.
fn carriage(shape: Shape, friction: Real, [linear, angular]: [Vector; 2]) -> (World, BodyId) {
    let settings = WorldSettings { gravity: Vector::y() * -G, sleeping: false, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let carriage = world
        .add_body(BodyDefinition {
            linear_velocity: linear,
            angular_velocity: angular,
            material: surface(friction),
            ..BodyDefinition::new(BodyKind::Kinematic, shape, Pose::translation(0.0, -0.1, 0.0))
        })
        .unwrap();
    (world, carriage)
}

fn add(world: &mut World, shape: Shape, place: Vector, friction: Real, [linear, angular]: [Vector; 2]) -> BodyId {
    world
        .add_body(BodyDefinition {
            linear_velocity: linear,
            angular_velocity: angular,
            material: surface(friction),
            mass: MassSpecification::Density(1000.0),
            ..BodyDefinition::new(BodyKind::Dynamic, shape, Pose::from_parts(place.into(), Default::default()))
        })
        .unwrap()
}

/// `count` of a shape that is 0.2 m high, one on the other, half a metre beside the carriage's middle.
fn stack(world: &mut World, shape: &Shape, count: usize, velocities: [Vector; 2]) -> Vec<BodyId> {
    let place = |k: usize| Vector::new(0.5, 0.1 + GAP + (0.2 + GAP) * k as Real, 0.0);
    (0..count).map(|k| add(world, shape.clone(), place(k), 0.8, velocities)).collect()
}

fn pose(world: &World, body: BodyId) -> Pose {
    *world.body(body).unwrap().pose()
}

/// A body's place on another.
fn place_on(world: &World, carriage: BodyId, body: BodyId) -> Vector {
    (pose(world, carriage).inverse() * pose(world, body)).translation.vector
}

/// The furthest that any of some bodies strays from its place on a carriage that is driven for two seconds: faster for half a second, slower for
/// one, faster again; by so many m/s² and rad/s².
fn strays(world: &mut World, carriage: BodyId, bodies: &[BodyId], [along, about]: [Vector; 2]) -> Real {
    let places: Vec<Vector> = bodies.iter().map(|&body| place_on(world, carriage, body)).collect();
    let mut furthest: Real = 0.0;
    for k in 0..120 {
        let time = (k + 1) as Real * DT;
        let seconds = if time < 0.5 { time } else { (1.0 - time).max(time - 2.0) };
        world.set_velocity(carriage, along * seconds, about * seconds).unwrap();
        assert!(world.step(DT).unwrap().time_lost == 0.0);
        for (&body, place) in bodies.iter().zip(&places) {
            furthest = furthest.max((place_on(world, carriage, body) - place).norm());
        }
    }
    furthest
}

#[test]
fn what_stands_on_a_carriage_that_speeds_up_and_slows_down_keeps_its_place_on_it() {
    let still = Vector::zeros();
    for shape in [cuboid([0.2, 0.1, 0.2]), Shape::cylinder(0.2, 0.1).unwrap()] {
        for count in [1, 3] {
            // To and fro, up and down, askew, and about the vertical.
            for drive in [
                [Vector::x() * 3.0, still],
                [Vector::y() * 3.0, still],
                [Vector::new(2.0, 1.0, -1.0), still],
                [still, Vector::y() * 3.0],
            ] {
                let (mut world, carriage) = carriage(cuboid([3.0, 0.1, 3.0]), 0.8, [still; 2]);
                let bodies = stack(&mut world, &shape, count, [still; 2]);
                let strays = strays(&mut world, carriage, &bodies, drive);
                assert!(strays < 1e-4, "{count}, driven by {drive:?}: {strays:.1e} m aside");
            }
        }
    }
}

#[test]
fn every_method_lets_what_stands_on_a_carriage_keep_its_place() {
    let still = Vector::zeros();
    // The springs of the last have to be stretched before they pull.
    for (response, most) in [
        (ResponseMethod::Pairwise, 1e-4),
        (ResponseMethod::Lcp, 1e-4),
        (ResponseMethod::Svd, 1e-4),
        (ResponseMethod::Penalty, 5e-3),
    ] {
        for drive in [[Vector::x() * 3.0, still], [Vector::y() * 3.0, still], [still, Vector::y() * 3.0]] {
            let (mut world, carriage) = carriage(cuboid([3.0, 0.1, 3.0]), 0.8, [still; 2]);
            world.set_settings(WorldSettings { response, ..world.settings().clone() }).unwrap();
            let bodies = stack(&mut world, &cuboid([0.2, 0.1, 0.2]), 1, [still; 2]);
            let strays = strays(&mut world, carriage, &bodies, drive);
            assert!(strays < most, "{response:?}, driven by {drive:?}: {strays:.1e} m aside");
        }
    }
}

#[test]
fn what_slips_on_a_carriage_that_starts_at_once_is_as_far_behind_as_friction_lets_it() {
    let (friction, speed) = (0.3, 2.0);
    let along = Vector::x() * speed;
    let (mut world, carriage) = carriage(cuboid([3.0, 0.1, 3.0]), friction, [along, Vector::zeros()]);
    let start = Vector::new(0.0, 0.1 + GAP, 0.0);
    let body = add(&mut world, cuboid([0.2, 0.1, 0.2]), start, friction, [Vector::zeros(); 2]);
    (0..90).for_each(|_| _ = world.step(DT).unwrap());
    let behind = -place_on(&world, carriage, body).x;
    let expected = speed * speed / (2.0 * friction * G);
    assert!((behind / expected - 1.0).abs() < 5e-3, "{behind} m behind, not {expected}");
}

#[test]
fn a_stack_on_a_fast_carriage_stands_as_on_ground_that_stands() {
    for along in [Vector::x() * 400.0, Vector::new(50.0, 0.0, -20.0), Vector::y() * -90.0] {
        let velocities = [along, Vector::zeros()];
        let (mut world, carriage) = carriage(cuboid([3.0, 0.1, 3.0]), 0.8, velocities);
        let bodies = stack(&mut world, &cuboid([0.2, 0.1, 0.2]), 10, velocities);
        let places: Vec<Vector> = bodies.iter().map(|&body| place_on(&world, carriage, body)).collect();
        (0..120).for_each(|_| _ = world.step(DT).unwrap());
        for (&body, place) in bodies.iter().zip(&places) {
            let strays = (place_on(&world, carriage, body) - place).norm();
            assert!(strays < 1e-9, "at {along:?} m/s: {strays:.1e} m aside");
        }
    }
}

/// Seen from the deck it is a throw on ground that stands: contacts give no energy.
#[test]
fn what_bounces_on_a_deck_that_moves_steadily_gains_nothing_as_seen_from_it() {
    for along in [Vector::new(3.0, 0.0, 1.0), Vector::new(3.0, 2.0, 1.0)] {
        let (mut world, deck) = carriage(cuboid([200.0, 0.1, 200.0]), 0.0, [along, Vector::zeros()]);
        world.body_mut(deck).unwrap().material.restitution = 0.5;
        let spin = Vector::new(-0.873, -1.211, -2.762);
        let rotation = Rotation::from_quaternion(nalgebra::Quaternion::new(0.9273, -0.0979, -0.3189, 0.1699));
        let ring = world
            .add_body(BodyDefinition {
                linear_velocity: along + Vector::new(0.468, -0.342, -0.394),
                angular_velocity: spin,
                material: Material { restitution: 0.5, ..surface(0.0) },
                ..BodyDefinition::new(
                    BodyKind::Dynamic,
                    Shape::torus(0.1, 0.04).unwrap(),
                    Pose::from_parts(Vector::new(0.0, 0.25, 0.0).into(), rotation),
                )
            })
            .unwrap();
        let energy = |world: &World| {
            let body = world.body(ring).unwrap();
            let height = body.centre().y - pose(world, deck).translation.y;
            let kinetic = kinetic_energy(body, body.pose(), &(body.linear_velocity() - along), body.angular_velocity());
            kinetic + body.mass_properties().mass * G * height
        };
        let mut most = energy(&world);
        for step in 0..180 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
            let has = energy(&world);
            assert!(has <= most * (1.0 + 1e-6), "at {along:?} m/s, step {step}: {has} J after {most} J");
            most = most.min(has);
        }
        let speed = world.body(ring).unwrap().linear_velocity().y - along.y;
        assert!(speed.abs() < 1e-3, "at {along:?} m/s it rests on the deck: {speed} m/s");
    }
}

/// What rolls on a turntable without slipping goes round in a circle, at 2/7 of its speed if it is a ball: J. A. Burns, "Ball rolling on a
/// turntable", American Journal of Physics 49 (1981).
#[test]
fn a_ball_on_a_turntable_goes_round_in_a_circle() {
    let (radius, up) = (0.1, Vector::y());
    for table in [cuboid([5.0, 0.1, 5.0]), Shape::cylinder(5.0, 0.1).unwrap()] {
        for (turn, speed, dt, within) in [(2.0, 0.5, DT, 1e-3), (5.0, 0.3, DT, 1e-3), (2.0, 0.5, 0.1, 5e-3)] {
            let (mut world, _) = carriage(table.clone(), 1.0, [Vector::zeros(), up * turn]);
            let start = Vector::new(1.0, radius + GAP, 0.0);
            let along = Vector::z() * speed;
            // Without slipping.
            let spin = up.cross(&(along - (up * turn).cross(&Vector::x()))) / radius;
            let ball = add(&mut world, Shape::ball(radius).unwrap(), start, 1.0, [along, spin]);
            let rate = up * (2.0 / 7.0 * turn);
            let centre = start + rate.cross(&along) / rate.norm_squared();
            let mut arm = start - centre;
            for _ in 0..(6.0 / dt) as usize {
                world.step(dt).unwrap();
                arm = Rotation::from_scaled_axis(rate * dt) * arm;
                let off = (pose(&world, ball).translation.vector - (centre + arm)).norm();
                assert!(off < within, "turning at {turn} rad/s, {dt} s a step: {off:.1e} m beside the circle");
            }
        }
    }
}
