//! Surfaces that run along their bodies: belts take along what lies on them, and tracks the body that has them.

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::methods::METHODS;

const DT: Real = 1.0 / 60.0;
const GRAVITY: Real = 9.81;
/// Of all surfaces here.
const FRICTION: Real = 0.5;

/// A belt whose top is at height zero and runs at so many m/s along x.
fn world_with_belt(speed: Real) -> (World, BodyId) {
    let mut world = World::new(WorldSettings { parallel: false, ..WorldSettings::default() }).unwrap();
    // Its own x points against the world's.
    let turned = Rotation::from_scaled_axis(Vector::y() * std::f64::consts::PI);
    let pose = Pose::from_parts(Vector::new(0.0, -0.5, 0.0).into(), turned);
    let mut belt = BodyDefinition::new(BodyKind::Static, Shape::cuboid([50.0, 0.5, 2.0]).unwrap(), pose);
    belt.surface_velocity = -Vector::x() * speed;
    let belt = world.add_body(belt).unwrap();
    (world, belt)
}

fn add(world: &mut World, shape: Shape, height: Real) -> BodyId {
    world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape, Pose::translation(0.0, height, 0.0))).unwrap()
}

fn run(world: &mut World, seconds: Real) {
    for _ in 0..(seconds / DT).round() as usize {
        assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
    }
}

fn velocity(world: &World, id: BodyId) -> Vector {
    *world.body(id).unwrap().linear_velocity()
}

#[test]
fn a_block_on_a_belt_is_taken_along_by_friction_up_to_the_speed_of_the_belt() {
    let (mut world, _) = world_with_belt(3.0);
    let block = add(&mut world, Shape::cuboid([0.5, 0.2, 0.3]).unwrap(), 0.2001);
    for k in 1..60 {
        run(&mut world, DT);
        let expected = (FRICTION * GRAVITY * DT * Real::from(k)).min(3.0);
        let reached = velocity(&world, block);
        // It falls by a tenth of a millimetre first. What moves is solved for to a hundred-thousandth of its speed.
        let lands = if k < 3 { 5e-4 } else { 0.0 };
        assert!((reached.x - expected).abs() < 3e-5 + lands, "{k}: {reached:?}, {expected} m/s");
        let spin = world.body(block).unwrap().angular_velocity().norm();
        assert!(reached.z.abs() < 1e-6 && spin < 1e-4, "{k}: {reached:?}, {spin} rad/s");
    }
}

#[test]
fn a_ball_on_a_belt_ends_up_rolling_at_two_sevenths_of_its_speed() {
    let (mut world, _) = world_with_belt(3.5);
    let ball = add(&mut world, Shape::ball(0.25).unwrap(), 0.2501);
    run(&mut world, 3.0);
    let reached = velocity(&world, ball);
    assert!((reached.x - 1.0).abs() < 0.01, "{reached:?}");
    let slip = reached.x + world.body(ball).unwrap().angular_velocity().z * 0.25;
    assert!((slip - 3.5).abs() < 0.01, "{slip} m/s at the belt");
}

#[test]
fn a_ball_that_bounces_off_a_belt_is_thrown_along_it() {
    let (mut world, _) = world_with_belt(3.5);
    let mut ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.25).unwrap(), Pose::translation(0.0, 2.0, 0.0));
    ball.linear_velocity = -Vector::y() * 5.0;
    (ball.material.restitution, ball.material.friction) = (1.0, 2.0);
    let ball = world.add_body(ball).unwrap();
    let before = world.energy().total();
    run(&mut world, 0.5);
    let thrown = velocity(&world, ball);
    assert!(thrown.y > 0.0 && (thrown.x - 1.0).abs() < 1e-3, "{thrown:?}");
    assert!(world.energy().total() > before, "the belt does work");
}

#[test]
fn what_is_stopped_on_a_belt_stays_and_what_sleeps_on_one_wakes_when_it_starts() {
    let (mut world, belt) = world_with_belt(2.0);
    let wall = Shape::cuboid([0.5, 2.0, 2.0]).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, wall, Pose::translation(1.2, 2.0, 0.0))).unwrap();
    let block = add(&mut world, Shape::cuboid([0.2, 0.2, 0.3]).unwrap(), 0.2001);
    run(&mut world, 3.0);
    let at = |world: &World| world.body(block).unwrap().pose().translation.x;
    assert!((0.4985..0.5).contains(&at(&world)), "{}", at(&world));
    world.body_mut(belt).unwrap().surface_velocity = Vector::zeros();
    run(&mut world, 2.0);
    assert!(world.body(block).unwrap().is_asleep());
    world.body_mut(belt).unwrap().surface_velocity = Vector::x() * 2.0;
    run(&mut world, 0.5);
    assert!(at(&world) < 0.2, "{}", at(&world));
}

#[test]
fn however_slowly_a_belt_runs_nothing_falls_asleep_on_it() {
    let (mut world, _) = world_with_belt(5e-5);
    let block = add(&mut world, Shape::cuboid([0.5, 0.2, 0.3]).unwrap(), 0.2001);
    run(&mut world, 60.0);
    let come = world.body(block).unwrap().pose().translation.x;
    assert!((come - 3e-3).abs() < 3e-5, "{come} m");
}

#[test]
fn tracks_drive_the_body_that_has_them() {
    let (mut world, _) = world_with_belt(0.0);
    let mut tank = BodyDefinition::new(
        BodyKind::Dynamic,
        Shape::cuboid([0.5, 0.2, 0.3]).unwrap(),
        Pose::translation(0.0, 0.2001, 0.0),
    );
    tank.surface_velocity = -Vector::x() * 2.0;
    let tank = world.add_body(tank).unwrap();
    run(&mut world, 2.0);
    let reached = velocity(&world, tank);
    assert!((reached - Vector::x() * 2.0).norm() < 1e-3, "{reached:?}");
}

#[test]
fn every_method_of_response_takes_along_what_lies_on_a_belt() {
    for method in METHODS {
        let (mut world, _) = world_with_belt(1.0);
        world.set_settings(WorldSettings { response: method, ..world.settings().clone() }).unwrap();
        let block = add(&mut world, Shape::cuboid([0.5, 0.2, 0.3]).unwrap(), 0.2001);
        run(&mut world, 2.0);
        let reached = velocity(&world, block);
        assert!((reached.x - 1.0).abs() < 0.03 && reached.y.abs() < 0.03, "{method:?}: {reached:?}");
    }
}

#[test]
fn a_surface_velocity_that_is_no_number_is_refused() {
    let (mut world, belt) = world_with_belt(1.0);
    let mut other = BodyDefinition::new(BodyKind::Static, Shape::ball(1.0).unwrap(), Pose::translation(0.0, -9.0, 0.0));
    other.surface_velocity = Vector::new(0.0, Real::NAN, 0.0);
    assert!(world.add_body(other).unwrap_err().to_string().contains("surface velocity"));
    world.body_mut(belt).unwrap().surface_velocity.x = Real::INFINITY;
    assert!(world.step(DT).unwrap_err().to_string().contains("surface velocity"));
}
