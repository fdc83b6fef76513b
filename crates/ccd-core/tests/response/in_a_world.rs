//! The response methods in worlds: whatever the method, nothing overlaps, and what should rest or slide does.

use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::Method;
use ccd_core::dynamics::{BodyDefinition, BodyKind, Material};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{ResponseMethod, World, WorldSettings};

use crate::common::methods::METHODS;

fn world(response: ResponseMethod) -> World {
    World::new(WorldSettings { response, parallel: false, ..WorldSettings::default() }).unwrap()
}

fn material(friction: Real) -> Material {
    Material { friction, ..Material::default() }
}

fn add(world: &mut World, kind: BodyKind, half: [Real; 3], pose: Pose, friction: Real) -> BodyId {
    let mut definition = BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose);
    definition.material = material(friction);
    world.add_body(definition).unwrap()
}

fn distance(world: &World, a: BodyId, b: BodyId) -> Real {
    let (a, b) = (world.body(a).unwrap(), world.body(b).unwrap());
    closest(a.shape(), a.pose(), b.shape(), b.pose()).unwrap().distance
}

#[test]
fn every_method_brings_three_dropped_boxes_to_rest_without_overlap() {
    for method in METHODS {
        let mut world = world(method);
        let mut bodies =
            vec![add(&mut world, BodyKind::Static, [5.0, 0.5, 5.0], Pose::translation(0.0, -0.5, 0.0), 0.5)];
        for k in 0..3 {
            let pose = Pose::translation(0.0, 0.6 + 1.1 * Real::from(k), 0.0);
            bodies.push(add(&mut world, BodyKind::Dynamic, [0.5; 3], pose, 0.5));
        }
        let mut heights = Vec::new();
        for _ in 0..180 {
            world.step(1.0 / 60.0).unwrap();
            for pair in bodies.windows(2) {
                let gap = distance(&world, pair[0], pair[1]);
                assert!(gap > 0.0, "{method:?}: {gap}");
            }
            heights.push(world.body(bodies[3]).unwrap().pose().translation.y);
        }
        let (before, last) = (heights[120], heights[179]);
        assert!((last - 2.5).abs() < 1e-3, "{method:?}: the top box is at {last} m");
        assert!((last - before).abs() < 1e-5, "{method:?}: in a second it sinks {} m", before - last);
    }
}

#[test]
fn every_method_lets_a_block_slide_if_and_only_if_the_slope_is_steeper_than_friction() {
    for method in METHODS {
        for (slope, holds) in [(0.4, true), (0.6, false)] {
            let turn = Rotation::from_axis_angle(&Vector::z_axis(), Real::atan(-slope));
            let mut world = world(method);
            add(
                &mut world,
                BodyKind::Static,
                [9.0, 0.5, 9.0],
                Pose::from_parts((turn * Vector::y() * -0.5).into(), turn),
                0.5,
            );
            let start = turn * Vector::y() * 0.10005;
            let block = add(&mut world, BodyKind::Dynamic, [0.5, 0.1, 0.5], Pose::from_parts(start.into(), turn), 0.5);
            for _ in 0..60 {
                world.step(1.0 / 60.0).unwrap();
            }
            let come = (world.body(block).unwrap().pose().translation.vector - start).norm();
            let free = 0.5 * 9.81 * (slope - 0.5) * Real::cos(Real::atan(slope));
            let expected = if holds { 0.0 } else { free };
            assert!((come - expected).abs() < 0.02, "{method:?} at {slope}: came {come} m, expected {expected} m");
        }
    }
}

/// The pose and the velocities of a body.
fn state(world: &World, id: BodyId) -> (Pose, Vector, Vector) {
    let body = world.body(id).unwrap();
    (*body.pose(), *body.linear_velocity(), *body.angular_velocity())
}

/// A body with a velocity, in a world whose materials have no friction unless they say so.
fn add_moving(world: &mut World, shape: Shape, pose: Pose, velocity: [Vector; 2], friction: Real) -> BodyId {
    let mut definition = BodyDefinition::new(BodyKind::Dynamic, shape, pose);
    [definition.linear_velocity, definition.angular_velocity] = velocity;
    definition.material = material(friction);
    world.add_body(definition).unwrap()
}

fn add_turning(world: &mut World, spin: Real, friction: Real) -> BodyId {
    let disc = Shape::cylinder(5.0, 0.5).unwrap();
    let mut definition = BodyDefinition::new(BodyKind::Kinematic, disc, Pose::translation(0.0, -0.5, 0.0));
    definition.angular_velocity = Vector::y() * spin;
    definition.material = material(friction);
    world.add_body(definition).unwrap()
}

/// Without friction a disc that turns does nothing to what slides on it: the box goes straight on without turning until its middle has
/// passed the rim, and falls from then on, or from when its last corner has at the latest.
#[test]
fn every_method_lets_a_box_leave_the_rim_of_a_turning_cylinder() {
    for (method, turned) in METHODS.into_iter().flat_map(|method| [0.0, 0.3, 0.7].map(|turned| (method, turned))) {
        let mut world = world(method);
        add_turning(&mut world, 3.0, 0.0);
        let pose = Pose::new(Vector::new(4.3, 0.05001, 0.0), Vector::y() * turned);
        let cuboid = Shape::cuboid([0.1, 0.05, 0.1]).unwrap();
        let along = Vector::x() * 5.0;
        let sliding = add_moving(&mut world, cuboid, pose, [along, Vector::zeros()], 0.0);
        for step in 1..=120 {
            assert_eq!(world.step(1.0 / 60.0).unwrap().time_lost, 0.0, "{method:?} turned by {turned}, step {step}");
            let (pose, linear, angular) = state(&world, sliding);
            if pose.translation.x < 5.0 {
                assert!(angular.norm() < 1e-3, "{method:?} turned by {turned}: {angular} at {}", pose.translation);
                assert!((linear - along).norm() < 1e-3, "{method:?} turned by {turned}: {linear}");
            }
        }
        let depth = |since: Real| 0.5 * 9.81 * (2.0 - since).powi(2) - 0.05;
        let half_diagonal = 0.1 * Real::sqrt(2.0);
        let fallen = -state(&world, sliding).0.translation.y;
        let (least, most) = (depth((0.7 + half_diagonal) / 5.0), depth(0.7 / 5.0));
        assert!(least < fallen && fallen < most, "{method:?} turned by {turned}: {fallen} m, not {least} to {most}");
    }
}

#[test]
fn every_method_carries_a_box_round_on_a_turntable_where_it_stands() {
    let (spin, radius) = (1.5, 1.0);
    for method in METHODS {
        let mut world = world(method);
        add_turning(&mut world, spin, 0.4);
        let cuboid = Shape::cuboid([0.1, 0.05, 0.1]).unwrap();
        let velocity = [Vector::z() * -(spin * radius), Vector::y() * spin];
        let carried = add_moving(&mut world, cuboid, Pose::translation(radius, 0.05001, 0.0), velocity, 0.4);
        for step in 1..=600 {
            world.step(1.0 / 60.0).unwrap();
            let (sin, cos) = (spin * Real::from(step) / 60.0).sin_cos();
            let place = state(&world, carried).0.translation.vector;
            let away = (place - Vector::new(cos, place.y, -sin) * radius).norm();
            // Springs are drawn by the centripetal force.
            assert!(away < 2e-3, "{method:?}: {away} m from its place after {step} steps");
        }
    }
}

#[test]
fn every_method_lets_a_ball_roll_down_a_slope_however_short_the_steps_are() {
    let (slope, radius) = (5.0_f64.to_radians(), 0.3);
    let turn = Rotation::from_axis_angle(&Vector::z_axis(), -slope);
    for (method, dt) in METHODS.into_iter().flat_map(|method| [1e-3, 1.0 / 60.0].map(|dt| (method, dt))) {
        let mut world = world(method);
        let mut ground = BodyDefinition::new(
            BodyKind::Static,
            Shape::half_space(Vector::y()).unwrap(),
            Pose::from_parts(Vector::zeros().into(), turn),
        );
        ground.material = material(0.5);
        world.add_body(ground).unwrap();
        let start = turn * Vector::y() * (radius + 1e-5);
        let ball = Shape::ball(radius).unwrap();
        let ball = add_moving(&mut world, ball, Pose::from_parts(start.into(), turn), [Vector::zeros(); 2], 0.5);
        let steps = (1.0 / dt) as usize;
        (0..steps).for_each(|_| _ = world.step(dt).unwrap());
        let come = (state(&world, ball).0.translation.vector - start).norm();
        let expected = 0.5 * 9.81 * slope.sin() / 1.4 * (steps as Real * dt).powi(2);
        assert!((come / expected - 1.0).abs() < 0.02, "{method:?} at {dt} s: {come} m of {expected} m");
    }
}

/// A belt far slower than what may fall asleep takes along what lies on it all the same.
#[test]
fn every_method_carries_at_the_speed_of_the_slowest_belt() {
    let speed = 5e-5;
    for method in METHODS {
        let mut world = world(method);
        let belt = add(&mut world, BodyKind::Kinematic, [1.0, 0.1, 1.0], Pose::identity(), 0.5);
        world.set_velocity(belt, Vector::x() * speed, Vector::zeros()).unwrap();
        let load = add(&mut world, BodyKind::Dynamic, [0.3; 3], Pose::translation(0.0, 0.40001, 0.0), 0.5);
        let steps = 600;
        (0..steps).for_each(|_| _ = world.step(1.0 / 60.0).unwrap());
        let (come, expected) = (state(&world, load).0.translation.x, speed * Real::from(steps) / 60.0);
        assert!((come / expected - 1.0).abs() < 0.01, "{method:?}: {come} m of {expected} m");
    }
}

/// A fast top goes round at m g l / (I ω), in whatever steps, and keeps its tilt but for nodding as much as it does when it is let go.
#[test]
fn every_method_lets_a_fast_top_go_round_as_fast_as_its_spin_and_weight_say() {
    // A cone on its tip: its middle is at three quarters of its height, and its moment about the axis is 3/10 m r².
    let (radius, half_height, tilt) = (0.5, 0.3, 0.2);
    let arm = 1.5 * half_height;
    let scenes = [(120.0, 60.0), (240.0, 60.0), (120.0, 240.0), (-150.0, 60.0)];
    for (method, (spin, rate)) in METHODS.into_iter().flat_map(|method| scenes.map(|scene| (method, scene))) {
        let mut world = world(method);
        let ground = BodyDefinition::new(BodyKind::Static, Shape::half_space(Vector::y()).unwrap(), Pose::identity());
        world.add_body(ground).unwrap();
        let turn = Rotation::from_axis_angle(&Vector::z_axis(), std::f64::consts::PI - tilt);
        // The cone's own axis leads from its base to the tip.
        let upward = |turn: &Rotation| -(turn * Vector::y());
        let place = upward(&turn) * half_height + Vector::y() * 2e-5;
        let cone = Shape::cone(radius, half_height).unwrap();
        let velocity = [Vector::zeros(), upward(&turn) * spin];
        let top = add_moving(&mut world, cone, Pose::from_parts(place.into(), turn), velocity, 0.0);
        let azimuth = |axis: &Vector| axis.z.atan2(axis.x);
        let (mut gone, mut last) = (0.0, azimuth(&upward(&turn)));
        let seconds = 2.0;
        for _ in 0..(seconds * rate) as usize {
            assert_eq!(world.step(1.0 / rate).unwrap().time_lost, 0.0);
            let axis = upward(&state(&world, top).0.rotation);
            let now = azimuth(&axis);
            gone += (now - last + 3.0 * std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
            last = now;
            assert!((axis.y.acos() - tilt).abs() < 5e-3, "{method:?} at {spin} rad/s leans {} rad", axis.y.acos());
        }
        // About y from x to z is against the sense of the spin.
        let expected = -seconds * 9.81 * arm / (0.3 * radius * radius * spin);
        assert!((gone / expected - 1.0).abs() < 0.02, "{method:?} at {spin} rad/s, {rate}/s: {gone} of {expected} rad");
    }
}

/// What nothing can push is no top, however fast it turns: its surface goes as fast as it says.
#[test]
fn every_method_lets_a_disc_that_turns_by_half_a_radian_a_step_drag_along_what_lies_on_it() {
    let (spin, friction, steps) = (30.0, 0.3, 6);
    for method in METHODS {
        let mut world = world(method);
        add_turning(&mut world, spin, friction);
        let cuboid = Shape::cuboid([0.1, 0.05, 0.1]).unwrap();
        let pose = Pose::translation(4.0, 0.05001, 0.0);
        let dragged = add_moving(&mut world, cuboid, pose, [Vector::zeros(); 2], friction);
        (0..steps).for_each(|_| _ = world.step(1.0 / 60.0).unwrap());
        let speed = state(&world, dragged).1;
        let expected = friction * 9.81 * Real::from(steps) / 60.0;
        assert!((speed.z / -expected - 1.0).abs() < 0.05, "{method:?}: {speed} instead of {expected} m/s along -z");
    }
}

#[test]
fn every_method_lets_a_ball_go_on_that_meets_the_floor_at_the_very_end_of_a_step() {
    for (response, detection) in METHODS
        .into_iter()
        .flat_map(|response| [Method::Auto, Method::Halving, Method::Estimate].map(|d| (response, d)))
    {
        // Steps that are binary fractions end where it meets, or a little before or after.
        for (speed, gap) in
            [8.0, 1.0].into_iter().flat_map(|speed| (-20..21).map(move |k| (speed, Real::from(k) * 1e-5)))
        {
            let (dt, radius, restitution) = (0.0625, 0.5, 0.5);
            let settings = WorldSettings {
                response,
                detection,
                gravity: Vector::zeros(),
                parallel: false,
                ..WorldSettings::default()
            };
            let mut world = World::new(settings).unwrap();
            let material = Material { friction: 0.0, restitution, ..Material::default() };
            let slab = Shape::cuboid([5.0, 0.5, 5.0]).unwrap();
            let floor = BodyDefinition::new(BodyKind::Static, slab, Pose::translation(0.0, -0.5, 0.0));
            world.add_body(BodyDefinition { material, ..floor }).unwrap();
            let pose = Pose::translation(0.0, radius + speed * dt + gap, 0.0);
            let ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(radius).unwrap(), pose);
            let velocity = Vector::new(3.0, -speed, 0.0);
            let ball = world.add_body(BodyDefinition { material, linear_velocity: velocity, ..ball }).unwrap();
            for _ in 0..2 {
                assert!(world.step(dt).unwrap().quarantined.is_empty());
            }
            let left = *world.body(ball).unwrap().linear_velocity();
            let what = format!("{response:?}, {detection:?}, {speed} m/s, {gap} m: {left}");
            assert!((left.x - 3.0).abs() < 1e-9, "{what}");
            // A spring has it still, or not yet quite as fast.
            let is_soft = response == ResponseMethod::Penalty;
            assert!(is_soft || (left.y - restitution * speed).abs() < 0.02 * speed, "{what}");
        }
    }
}
