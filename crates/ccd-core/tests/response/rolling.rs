//! Rolling resistance against its closed forms.
//!
//! What rolls without slipping at v on a level ground, of mass m, radius R and moment of inertia k·m·R², is slowed by the friction f: its
//! speed by m·dv/dt = −f, its spin by k·m·R²·d(v/R)/dt = f·R − c·m·g. Without slipping both are one: dv/dt = −(c·g/R)/(1 + k). On a slope it
//! stands while the torque of friction that holds it, m·g·sin θ·R, is at most c·m·g·cos θ: while tan θ ≤ c/R.

use ccd_core::dynamics::{BodyDefinition, BodyError, BodyKind, Material};
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const RADIUS: Real = 0.1;
const G: Real = 9.81;
/// Metres.
const ARM: Real = 1e-3;

fn surface(rolling_resistance: Real) -> Material {
    Material { rolling_resistance, ..Material::default() }
}

/// A ground that rises by `slope` along x.
fn ground(slope: Real) -> World {
    let mut world = World::new(WorldSettings { gravity: Vector::y() * -G, ..WorldSettings::default() }).unwrap();
    let normal = Vector::new(-slope, 1.0, 0.0).normalize();
    let ground = Shape::half_space(normal).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
    world
}

/// Something of [`RADIUS`] that lies on a ground with this slope, its axis along z, and rolls along x at `speed` without slipping.
fn rolling(shape: Shape, slope: Real, speed: Real, arm: Real) -> BodyDefinition {
    let normal = Vector::new(-slope, 1.0, 0.0).normalize();
    let turn = Rotation::from_axis_angle(&Vector::x_axis(), std::f64::consts::FRAC_PI_2);
    let pose = Pose::from_parts((normal * (RADIUS + 1e-5)).into(), turn);
    BodyDefinition {
        linear_velocity: Vector::x() * speed,
        angular_velocity: Vector::z() * (-speed / RADIUS),
        material: surface(arm),
        ..BodyDefinition::new(BodyKind::Dynamic, shape, pose)
    }
}

fn ball() -> Shape {
    Shape::ball(RADIUS).unwrap()
}

/// With its axis along y, as [`rolling`] turns it.
fn cylinder() -> Shape {
    Shape::cylinder(RADIUS, 0.15).unwrap()
}

fn run(world: &mut World, seconds: Real, dt: Real) {
    (0..(seconds / dt).round() as usize).for_each(|_| _ = world.step(dt).unwrap());
}

fn speed(world: &World, body: BodyId) -> Real {
    world.body(body).unwrap().linear_velocity().norm()
}

fn place(world: &World, body: BodyId) -> Point {
    world.body(body).unwrap().centre()
}

/// How much slower what rolls gets each second, between 0.1 s and 1.1 s, m/s²; it goes on rolling without slipping.
fn slowing(shape: Shape, dt: Real) -> Real {
    let mut world = ground(0.0);
    let body = world.add_body(rolling(shape, 0.0, 1.0, ARM)).unwrap();
    run(&mut world, 0.1, dt);
    let before = speed(&world, body);
    run(&mut world, 1.0, dt);
    let after = speed(&world, body);
    let spin = world.body(body).unwrap().angular_velocity().norm();
    assert!((spin * RADIUS - after).abs() < 1e-4, "slips: {after} m/s at {spin} rad/s");
    before - after
}

#[test]
fn a_ball_that_rolls_is_slowed_by_five_sevenths_of_gravity_times_the_arm_by_the_radius() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        let (slowed, right) = (slowing(ball(), dt), ARM * G / RADIUS / (1.0 + 0.4));
        assert!((slowed / right - 1.0).abs() < 0.01, "{slowed} and not {right} m/s² at {dt} s");
    }
}

#[test]
fn a_cylinder_that_rolls_is_slowed_by_two_thirds_of_gravity_times_the_arm_by_the_radius() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        let (slowed, right) = (slowing(cylinder(), dt), ARM * G / RADIUS / (1.0 + 0.5));
        assert!((slowed / right - 1.0).abs() < 0.01, "{slowed} and not {right} m/s² at {dt} s");
    }
}

#[test]
fn what_has_no_rolling_resistance_rolls_on() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        let mut world = ground(0.0);
        let body = world.add_body(rolling(ball(), 0.0, 1.0, 0.0)).unwrap();
        run(&mut world, 1.0, dt);
        assert!((speed(&world, body) - 1.0).abs() < 1e-3, "{}", speed(&world, body));
    }
}

#[test]
fn what_rolls_comes_to_rest_where_its_energy_is_used_up_and_sleeps() {
    for (shape, inertia) in [(ball(), 0.4), (cylinder(), 0.5)] {
        let mut world = ground(0.0);
        let body = world.add_body(rolling(shape, 0.0, 0.3, ARM)).unwrap();
        let slowed = ARM * G / RADIUS / (1.0 + inertia);
        run(&mut world, 0.3 / slowed + 1.0, 1.0 / 60.0);
        let (way, right) = (place(&world, body).x, 0.3 * 0.3 / (2.0 * slowed));
        assert!((way / right - 1.0).abs() < 0.02, "{way} and not {right} m");
        assert!(world.body(body).unwrap().is_asleep());
    }
}

#[test]
fn what_is_round_stands_on_a_slope_up_to_the_arm_by_the_radius_and_rolls_down_a_steeper_one() {
    // So steep that friction, which holds up to a half, has to give way to neither.
    let arm = 0.02;
    for shape in [ball(), cylinder()] {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let roll = |share: Real| {
                let slope = share * arm / RADIUS;
                let mut world = ground(slope);
                let body = world.add_body(rolling(shape.clone(), slope, 0.0, arm)).unwrap();
                run(&mut world, 0.1, dt);
                let before = place(&world, body);
                run(&mut world, 2.0, dt);
                ((place(&world, body) - before).norm(), world.body(body).unwrap().is_asleep())
            };
            let (way, sleeps) = roll(0.9);
            assert!(way < 1e-6 && sleeps, "{way} m at {dt} s");
            // Two seconds at what gravity has over: (g sin θ − g cos θ c/R)/(1 + k).
            let over = G * Real::atan(1.1 * arm / RADIUS).cos() * 0.1 * arm / RADIUS / 1.5;
            assert!(roll(1.1).0 > 0.9 * 0.5 * over * 4.0, "{} m at {dt} s", roll(1.1).0);
        }
    }
}

#[test]
fn rolling_resistance_never_adds_energy() {
    for arm in [ARM, 0.02, 10.0] {
        let mut world = ground(0.05);
        let mut bodies = Vec::new();
        for k in 0..6 {
            let shape = if k % 2 == 0 { ball() } else { cylinder() };
            let mut body = rolling(shape, 0.05, 1.0 - 0.5 * Real::from(k), arm);
            // Some fall, some spin otherwise than they go, and all meet.
            body.pose.translation.vector += Vector::new(0.3, 0.015, 0.0) * Real::from(k);
            body.pose.translation.vector.y += 0.05 * Real::from(k % 3);
            body.angular_velocity += Vector::new(3.0, 5.0, -4.0) * Real::from(k % 2);
            bodies.push(world.add_body(body).unwrap());
        }
        let mut energy = world.energy().total();
        let begun = energy;
        for _ in 0..240 {
            world.step(1.0 / 60.0).unwrap();
            let now = world.energy().total();
            assert!(now <= energy + 1e-6 * begun.abs(), "{} J more with {arm} m", now - energy);
            energy = now;
        }
    }
}

#[test]
fn turning_about_the_normal_is_left_alone() {
    let turned = |arm: Real| {
        let mut world = ground(0.0);
        let body = BodyDefinition { angular_velocity: Vector::y() * 10.0, ..rolling(ball(), 0.0, 0.0, arm) };
        let body = world.add_body(body).unwrap();
        run(&mut world, 1.0, 1.0 / 60.0);
        *world.body(body).unwrap().angular_velocity()
    };
    assert!((turned(0.02) - turned(0.0)).norm() < 1e-9 && turned(0.02).y > 9.9, "{}", turned(0.02));
}

#[test]
fn it_is_enough_that_one_of_the_two_gives_way() {
    let slowed = |of_ground: Real, of_ball: Real| {
        let mut world = ground(0.0);
        let ground = world.bodies().next().map(|(id, _)| id).unwrap();
        world.body_mut(ground).unwrap().material = surface(of_ground);
        let body = world.add_body(rolling(ball(), 0.0, 1.0, of_ball)).unwrap();
        run(&mut world, 0.5, 1.0 / 60.0);
        1.0 - speed(&world, body)
    };
    assert_eq!(slowed(ARM, 0.0), slowed(0.0, ARM));
    assert_eq!(slowed(ARM, 0.5 * ARM), slowed(ARM, ARM));
    assert!(slowed(ARM, 0.0) > 0.03);
}

#[test]
fn a_ball_that_is_let_go_of_by_the_ground_rolls_off() {
    let (slope, arm) = (0.1, 0.02);
    let mut world = ground(slope);
    let body = world.add_body(rolling(ball(), slope, 0.0, arm)).unwrap();
    run(&mut world, 2.0, 1.0 / 60.0);
    assert!(world.body(body).unwrap().is_asleep());
    world.body_mut(body).unwrap().material = surface(0.0);
    run(&mut world, 1.0, 1.0 / 60.0);
    let right = G * Real::atan(slope).sin() / 1.4;
    assert!((speed(&world, body) / right - 1.0).abs() < 0.01, "{} and not {right} m/s", speed(&world, body));
}

#[test]
fn what_has_none_moves_to_the_same_bits_beside_what_has() {
    let run_beside = |arm: Real| {
        let mut world = ground(0.05);
        let boxes: Vec<BodyId> = (0..6)
            .map(|k| {
                let pose = Pose::translation(0.01 * Real::from(k), 0.15 + 0.21 * Real::from(k), 0.0);
                let shape = if k == 5 { ball() } else { Shape::cuboid([0.1; 3]).unwrap() };
                world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape, pose)).unwrap()
            })
            .collect();
        let mut beside = rolling(ball(), 0.05, 1.0, arm);
        beside.pose.translation.vector.z += 20.0;
        world.add_body(beside).unwrap();
        run(&mut world, 3.0, 1.0 / 60.0);
        boxes.iter().map(|&id| *world.body(id).unwrap().pose()).collect::<Vec<_>>()
    };
    assert_eq!(run_beside(0.0), run_beside(ARM));
}

#[test]
fn a_pile_of_balls_that_resist_rolling_stands_where_others_roll_apart() {
    // Friction alone takes half of the push to hold four rows.
    let drift = |arm: Real| {
        let mut world = ground(0.0);
        let mut bodies = Vec::new();
        for (row, count) in [(0, 4), (1, 3), (2, 2), (3, 1)] {
            for k in 0..count {
                let x = RADIUS * (2.0 * Real::from(k) + Real::from(row)) * 1.0005;
                let pose = Pose::translation(x, RADIUS * (1.0 + 1.7325 * Real::from(row)) + 1e-4, 0.0);
                let body = BodyDefinition::new(BodyKind::Dynamic, ball(), pose);
                let material = Material { friction: 0.35, ..surface(arm) };
                bodies.push(world.add_body(BodyDefinition { material, ..body }).unwrap());
            }
        }
        let begun: Vec<Point> = bodies.iter().map(|&id| place(&world, id)).collect();
        run(&mut world, 4.0, 1.0 / 60.0);
        let all_sleep = bodies.iter().all(|&id| world.body(id).unwrap().is_asleep());
        let moved = bodies.iter().zip(&begun).map(|(&id, begun)| (place(&world, id) - begun).norm());
        (moved.fold(0.0, Real::max), all_sleep)
    };
    let (drifted, all_sleep) = drift(0.05);
    assert!(drifted < 1e-3 && all_sleep, "{drifted} m");
    assert!(drift(0.0).0 > RADIUS);
}

#[test]
fn what_no_surface_can_have_is_refused() {
    let mut world = ground(0.0);
    for arm in [-1e-3, Real::NAN, Real::INFINITY, Real::MAX] {
        assert!(world.add_body(rolling(ball(), 0.0, 0.0, arm)).is_err(), "{arm}");
        let body = ccd_core::dynamics::Body::new(rolling(ball(), 0.0, 0.0, arm));
        assert!(matches!(body, Err(BodyError::OutOfRange { what: "rolling resistance", .. })), "{arm}");
    }
    // As far as any number that is allowed, and as small: all stays finite.
    for arm in [1e30, 1e-300, Real::MIN_POSITIVE] {
        let mut world = ground(0.05);
        let body = world.add_body(rolling(ball(), 0.05, 1.0, arm)).unwrap();
        run(&mut world, 0.5, 1.0 / 60.0);
        assert!(world.body(body).unwrap().angular_velocity().norm().is_finite());
        assert!(place(&world, body).x.abs() < 1.0);
    }
}
