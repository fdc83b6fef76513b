//! What touches at several places and turns: it sticks, slides and rolls as friction has it, however far it turns within a step.

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification, Material};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{ResponseMethod, World, WorldSettings};

use crate::common::methods::METHODS;

const DT: Real = 1.0 / 60.0;
const GRAVITY: Real = 9.81;
/// How far apart things are put, metres.
const GAP: Real = 5e-5;

fn empty() -> World {
    let gravity = Vector::y() * -GRAVITY;
    World::new(WorldSettings { parallel: false, gravity, ..WorldSettings::default() }).unwrap()
}

fn body(kind: BodyKind, shape: Shape, pose: Pose, friction: Real) -> BodyDefinition {
    let material = Material { friction, ..Material::default() };
    BodyDefinition { material, ..BodyDefinition::new(kind, shape, pose) }
}

fn at(height: Real) -> Pose {
    Pose::translation(0.0, height, 0.0)
}

/// A level floor at height zero, and on it the body.
fn on_a_floor(of: BodyDefinition) -> (World, BodyId) {
    let mut world = empty();
    let floor = Shape::half_space(Vector::y()).unwrap();
    world.add_body(body(BodyKind::Static, floor, Pose::identity(), of.material.friction)).unwrap();
    let id = world.add_body(of).unwrap();
    (world, id)
}

fn run(world: &mut World, seconds: Real, dt: Real) {
    for _ in 0..(seconds / dt).round() as usize {
        assert_eq!(world.step(dt).unwrap().time_lost, 0.0);
    }
}

fn velocities(world: &World, id: BodyId) -> [Vector; 2] {
    let body = world.body(id).unwrap();
    [*body.linear_velocity(), *body.angular_velocity()]
}

fn cylinder(radius: Real, half_height: Real) -> Shape {
    Shape::cylinder(radius, half_height).unwrap()
}

/// Its axis along z.
fn lying(height: Real) -> Pose {
    Pose::from_parts(
        Vector::y().scale(height).into(),
        Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2),
    )
}

#[test]
fn what_rolls_on_two_wheels_or_on_two_rails_rolls_on_as_on_one() {
    let (radius, speed) = (0.2, 10.0);
    let wheel = |y: Real| (at(y), cylinder(radius, 0.1));
    let wheels = Shape::compound([wheel(0.2), wheel(-0.2)]).unwrap();
    let rail = |z: Real| (Pose::translation(0.0, -1.0, z), Shape::cuboid([100.0, 1.0, 0.05]).unwrap());
    let rails = Shape::compound([rail(0.2), rail(-0.2)]).unwrap();
    let ground = Shape::half_space(Vector::y()).unwrap();
    for (what, shape, ground) in [
        ("wheels", wheels, ground.clone()),
        ("rails", cylinder(radius, 0.3), rails),
        ("one", cylinder(radius, 0.3), ground),
    ] {
        let mut world = empty();
        world.add_body(body(BodyKind::Static, ground, Pose::identity(), 0.5)).unwrap();
        let mut rolls = body(BodyKind::Dynamic, shape, lying(radius + GAP), 0.5);
        (rolls.linear_velocity, rolls.angular_velocity) = (Vector::x() * speed, Vector::z() * (-speed / radius));
        let id = world.add_body(rolls).unwrap();
        run(&mut world, 2.0, DT);
        let [linear, angular] = velocities(&world, id);
        assert!((linear.x - speed).abs() < 1e-3 * speed, "{what}: {linear}");
        assert!((angular.z * radius + speed).abs() < 1e-3 * speed, "{what}: {angular}");
    }
}

#[test]
fn a_torque_that_friction_bears_moves_nothing() {
    let half = 0.05;
    for (what, torque) in
        [("half of what tips it", Vector::z() * 0.24525), ("about the vertical", Vector::y() * 0.3531)]
    {
        for response in METHODS {
            let mut cube = body(BodyKind::Dynamic, Shape::cuboid([half; 3]).unwrap(), at(half + GAP), 0.8);
            cube.mass = MassSpecification::Mass(1.0);
            let (mut world, id) = on_a_floor(cube);
            world.set_settings(WorldSettings { response, ..world.settings().clone() }).unwrap();
            world.body_mut(id).unwrap().torque = torque;
            run(&mut world, 1.0, DT);
            let from = *world.body(id).unwrap().pose();
            run(&mut world, 2.0, DT);
            let now = world.body(id).unwrap().pose();
            let moved = (now.translation.vector - from.translation.vector).norm()
                + half * now.rotation.angle_to(&from.rotation);
            // Springs creep until they are drawn.
            let most = if response == ResponseMethod::Penalty { 1e-3 } else { 1e-5 };
            assert!(moved < most, "{what}, {response:?}: {moved} m within 2 s");
        }
    }
}

/// Of a square plate each corner is pressed by a fourth of its weight, and rubs across its way from the middle: μ m g a √2 over 2/3 m a².
#[test]
fn a_plate_that_spins_on_the_floor_is_slowed_as_much_however_far_it_turns_in_a_step() {
    let (half, friction) = (0.1, 0.3);
    let slowing = friction * GRAVITY * 2.0_f64.sqrt() * half / (2.0 / 3.0 * half * half);
    for spin in [20.0, 60.0, 100.0, 150.0, 400.0] {
        let shape = Shape::cuboid([half, 0.05, half]).unwrap();
        let mut plate = body(BodyKind::Dynamic, shape, at(0.05 + GAP), friction);
        plate.angular_velocity = Vector::y() * spin;
        let (mut world, id) = on_a_floor(plate);
        let seconds = 0.2;
        run(&mut world, seconds, DT);
        let lost = spin - velocities(&world, id)[1].y;
        assert!((lost / (slowing * seconds) - 1.0).abs() < 0.03, "{spin} rad/s: {lost} of {} rad/s", slowing * seconds);
    }
}

#[test]
fn a_puck_that_spins_by_radians_a_step_slides_as_far_as_with_short_steps() {
    let after = |[speed, spin]: [Real; 2], dt: Real| {
        let mut puck = body(BodyKind::Dynamic, cylinder(0.1, 0.02), at(0.02 + GAP), 0.3);
        (puck.linear_velocity, puck.angular_velocity) = (Vector::x() * speed, Vector::y() * spin);
        let (mut world, id) = on_a_floor(puck);
        run(&mut world, 0.5, dt);
        let [linear, angular] = velocities(&world, id);
        [linear.x, angular.y]
    };
    for start in [[2.0, 150.0], [1.0, 60.0]] {
        let ([speed, spin], [short_speed, short_spin]) = (after(start, DT), after(start, DT / 32.0));
        assert!((speed - short_speed).abs() < 0.05 * start[0], "{start:?}: {speed} instead of {short_speed} m/s");
        assert!((spin - short_spin).abs() < 0.05 * start[1], "{start:?}: {spin} instead of {short_spin} rad/s");
    }
}

#[test]
fn a_table_takes_what_stands_in_its_middle_along_the_way_it_turns_however_far_that_is_in_a_step() {
    for (spin, dt) in [(3.0, DT), (30.0, DT), (54.0, DT), (100.0, DT), (30.0, 1.0 / 15.0), (5.0, 1.0 / 15.0)] {
        let mut world = empty();
        let mut table = body(BodyKind::Kinematic, cylinder(1.0, 0.5), at(-0.5), 0.8);
        table.angular_velocity = Vector::y() * spin;
        world.add_body(table).unwrap();
        let plate = Shape::cuboid([0.1, 0.05, 0.1]).unwrap();
        let id = world.add_body(body(BodyKind::Dynamic, plate, at(0.05 + GAP), 0.8)).unwrap();
        let mut last = 0.0;
        for _ in 0..(3.0 / dt) as usize {
            world.step(dt).unwrap();
            let now = velocities(&world, id)[1].y;
            assert!(
                now > last - 1e-3 * spin && now < spin * 1.001,
                "{spin} rad/s, steps of {dt} s: {now} rad/s after {last}"
            );
            last = now;
        }
        assert!((last / spin - 1.0).abs() < 1e-3, "{spin} rad/s, steps of {dt} s: {last} rad/s in the end");
    }
}

#[test]
fn a_smooth_roller_moves_nothing_however_far_it_turns_in_a_step() {
    for (spin, dt) in [(150.0, DT), (200.0, DT), (300.0, DT), (700.0, DT), (48.0, 1.0 / 15.0), (760.0, 1.0 / 240.0)] {
        let mut world = empty();
        for (x, kind, angular) in [(-0.5, BodyKind::Kinematic, -spin), (0.5, BodyKind::Static, 0.0)] {
            let pose = Pose::translation(x, 0.0, 0.0) * lying(-0.1);
            let mut roller = body(kind, cylinder(0.1, 0.5), pose, 0.0);
            roller.angular_velocity = Vector::z() * angular;
            world.add_body(roller).unwrap();
        }
        let plank = Shape::cuboid([0.8, 0.05, 0.3]).unwrap();
        let id = world.add_body(body(BodyKind::Dynamic, plank, at(0.05 + GAP), 0.0)).unwrap();
        run(&mut world, 0.3, dt);
        let moved = world.body(id).unwrap().pose().translation.vector - Vector::y() * 0.05;
        assert!(moved.norm() < 1e-3, "{spin} rad/s, steps of {dt} s: {moved}");
    }
}
