//! What is driven or slowed by something other than its contacts while it has some: torques and damping do what they do in the air.

use std::f64::consts::FRAC_PI_2;

use ccd_core::dynamics::{BodyDefinition, BodyKind, Integrator, LockedAxes, MassSpecification};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::models::box_mesh;

const GRAVITY: Real = 9.81;
const STEPS: [Real; 3] = [0.05, 1.0 / 60.0, 1.0 / 240.0];

/// A world with a floor at height 0, and a body of 1 kg on it.
fn on_a_floor(body: BodyDefinition, friction: Real, integrator: Integrator) -> (World, BodyId) {
    let gravity = Vector::y() * -GRAVITY;
    let settings = WorldSettings { parallel: false, gravity, integrator, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let ground = Shape::cuboid([50.0, 1.0, 50.0]).unwrap();
    let mut ground = BodyDefinition::new(BodyKind::Static, ground, Pose::translation(0.0, -1.0, 0.0));
    let mut body = body;
    body.mass = MassSpecification::Mass(1.0);
    (ground.material.friction, body.material.friction) = (friction, friction);
    world.add_body(ground).unwrap();
    let id = world.add_body(body).unwrap();
    (world, id)
}

fn run(world: &mut World, seconds: Real, dt: Real) {
    for _ in 0..(seconds / dt).round() as u32 {
        assert_eq!(world.step(dt).unwrap().time_lost, 0.0);
    }
}

/// What lies flat, and its height.
fn flat() -> [(Shape, Real); 3] {
    [
        (Shape::cylinder(0.5, 0.1).unwrap(), 0.1),
        (Shape::cuboid([0.5, 0.1, 0.5]).unwrap(), 0.1),
        (box_mesh([0.5, 0.1, 0.2]), 0.1),
    ]
}

#[test]
fn a_torque_spins_up_what_lies_on_a_smooth_floor_as_it_does_in_the_air() {
    for integrator in [Integrator::SemiImplicit, Integrator::Euler, Integrator::ImprovedEuler, Integrator::Rk4] {
        for dt in STEPS {
            for (shape, height) in flat() {
                let mut body =
                    BodyDefinition::new(BodyKind::Dynamic, shape.clone(), Pose::translation(0.0, height + 1e-5, 0.0));
                body.torque = Vector::y() * 0.5;
                let (mut world, id) = on_a_floor(body, 0.0, integrator);
                run(&mut world, 2.0, dt);
                let body = world.body(id).unwrap();
                let expected = 0.5 * 2.0 / (body.inertia(body.pose()) * Vector::y()).y;
                let spin = body.angular_velocity().y;
                assert!(
                    (spin - expected).abs() < 1e-6 * expected,
                    "{integrator:?}, {dt} s: {spin} rad/s, not {expected}"
                );
                assert!(!world.contacts().next().unwrap().1.points.is_empty(), "it has left the floor");
            }
        }
    }
}

#[test]
fn damping_slows_what_turns_on_a_smooth_floor_as_it_does_in_the_air() {
    for dt in STEPS {
        for (shape, height) in flat() {
            let mut body = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::translation(0.0, height + 1e-5, 0.0));
            (body.angular_velocity, body.angular_damping) = (Vector::y() * 10.0, 0.7);
            let mut in_air =
                World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
            let free = in_air.add_body(body.clone()).unwrap();
            let (mut world, id) = on_a_floor(body, 0.0, Integrator::default());
            run(&mut world, 1.0, dt);
            run(&mut in_air, 1.0, dt);
            let [spin, expected] =
                [world.body(id).unwrap(), in_air.body(free).unwrap()].map(|b| b.angular_velocity().y);
            assert!((spin - expected).abs() < 1e-6 * expected, "{dt} s: {spin} rad/s, not {expected}");
        }
    }
}

/// What rolls: a = τ / (r (m + I / r²)), until friction no longer holds it; and the torque does work along the turn.
#[test]
fn a_torque_rolls_what_is_round_along_a_rough_floor() {
    let quarter = Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2);
    let (radius, torque) = (0.3, -0.9);
    let lying = |shape: Shape| (shape, Pose::from_parts(Vector::new(0.0, radius + 1e-5, 0.0).into(), quarter));
    let round = [
        lying(Shape::ball(radius).unwrap()),
        lying(Shape::cylinder(radius, 0.1).unwrap()),
        lying(Shape::capsule(radius, 0.4).unwrap()),
    ];
    for dt in STEPS {
        for (shape, pose) in &round {
            let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), *pose);
            body.torque = Vector::z() * torque;
            let (mut world, id) = on_a_floor(body, 1.0, Integrator::default());
            run(&mut world, 2.0, dt);
            let body = world.body(id).unwrap();
            let moment = (body.inertia(body.pose()) * Vector::z()).z;
            let expected = -torque * radius / (moment + radius * radius) * 2.0;
            let (speed, spin) = (body.linear_velocity().x, body.angular_velocity().z);
            assert!((speed - expected).abs() < 2e-3 * expected, "{dt} s: {speed} m/s, not {expected}");
            assert!((speed + spin * radius).abs() < 1e-3 * expected, "{dt} s: {speed} m/s and {spin} rad/s");
        }
    }
}

/// A lever that cannot but turn pushes another one, of twice its inertia, both about their middles and without friction: what the torque
/// does is what both have.
#[test]
fn a_driven_lever_shares_what_the_torque_does_with_the_one_that_it_pushes() {
    for dt in STEPS {
        let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
        // Both turn about z through places on x; the tips cross at the middle and push along y.
        let lever = |x: Real, mass: Real, torque: Real| {
            let mut body = BodyDefinition::new(
                BodyKind::Dynamic,
                Shape::cuboid([1.0, 0.05, 0.05]).unwrap(),
                Pose::translation(x, if x < 0.0 { 0.0 } else { 0.1001 }, 0.0),
            );
            body.mass = MassSpecification::Mass(mass);
            body.locked = LockedAxes { translation: [true; 3], rotation: [true, true, false] };
            (body.torque, body.material.friction) = (Vector::z() * torque, 0.0);
            body
        };
        let driver = world.add_body(lever(-0.9, 1.0, 0.2)).unwrap();
        let driven = world.add_body(lever(0.9, 2.0, 0.0)).unwrap();
        let angle = |world: &World, id| world.body(id).unwrap().pose().rotation.scaled_axis().z;
        let mut steps = 0;
        while angle(&world, driver) < 0.25 {
            assert_eq!(world.step(dt).unwrap().time_lost, 0.0);
            steps += 1;
            assert!(steps < 2000, "{dt} s: it has stopped at {} rad", angle(&world, driver));
        }
        let work = 0.2 * angle(&world, driver);
        let energy = world.energy().total();
        assert!(energy > 0.95 * work && energy < 1.001 * work, "{dt} s: {energy} J of {work} J");
        assert!(angle(&world, driven) < -0.2, "{dt} s: the other one has not turned along");
    }
}

/// How fast a body that rests before a rod of two metres to either side goes once the rod, which turns about its middle, has thrown it; as a share
/// of the rod's spin, metres.
fn thrown_by_a_rod(rod: &Shape, body: &Shape, place: Vector, spin: Real, dt: Real) -> Real {
    let settings = WorldSettings { parallel: false, gravity: Vector::zeros(), ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let mut rod = BodyDefinition::new(BodyKind::Kinematic, rod.clone(), Pose::identity());
    rod.angular_velocity = Vector::y() * spin;
    let mut body =
        BodyDefinition::new(BodyKind::Dynamic, body.clone(), Pose::from_parts(place.into(), Rotation::identity()));
    (rod.material.friction, body.material.friction) = (0.0, 0.0);
    world.add_body(rod).unwrap();
    let body = world.add_body(body).unwrap();
    run(&mut world, (12.0 / spin).max(dt), dt);
    world.body(body).unwrap().linear_velocity().norm() / spin
}

#[test]
fn a_rod_that_turns_by_radians_a_step_throws_no_harder_than_with_short_steps() {
    let half_extents = [2.0, 0.1, 0.01];
    let (ball, cube) = (Shape::ball(0.1).unwrap(), Shape::cuboid([0.1; 3]).unwrap());
    for rod in [Shape::cuboid(half_extents).unwrap(), box_mesh(half_extents)] {
        for (body, least) in [(&ball, 0.98), (&cube, 0.9)] {
            for place in [[1.2, -0.9], [0.5, -0.3], [1.5, -1.0], [-0.8, -1.1]].map(|[x, z]| Vector::new(x, 0.0, z)) {
                let thrown = |spin: Real, dt: Real| thrown_by_a_rod(&rod, body, place, spin, dt);
                let exact = thrown(150.0, 0.02 / 150.0);
                for spin in [150.0, 300.0, 1000.0] {
                    for dt in [1.0 / 60.0, 0.1] {
                        let share = thrown(spin, dt) / exact;
                        assert!((least..1.02).contains(&share), "{spin} rad/s, {dt} s, from {place}: {share}");
                    }
                }
            }
        }
    }
}

/// Struck it has the face's speed and slides outward along it, in the end by so much that it leaves the tip with the speed of that across the rod and
/// with what turning along has flung it outward. It leaves within a step, and was pushed to the end of it.
#[test]
fn a_rod_that_turns_by_a_tenth_of_a_radian_a_step_throws_as_hard_as_it_should() {
    let (length, radius, thickness) = (2.0, 0.1, 0.01);
    let half_extents = [length, 0.1, thickness];
    let dt = 1.0 / 60.0;
    let round =
        [Shape::ball(radius).unwrap(), Shape::capsule(radius, 0.2).unwrap(), Shape::cylinder(radius, 0.1).unwrap()];
    for rod in [Shape::cuboid(half_extents).unwrap(), box_mesh(half_extents)] {
        for body in &round {
            let places = [[1.2, -0.9], [0.5, -0.3], [1.5, -1.0], [0.155, -0.664], [0.991, -0.931]];
            for place in places.map(|[x, z]| Vector::new(x, 0.0, z)) {
                let beside = radius + thickness;
                let outward = (length.powi(2) + 2.0 * beside.powi(2) - place.norm_squared()).sqrt() - beside;
                let exact = outward.hypot(length);
                for (turns, off) in
                    [(0.05, 0.01), (0.067, 0.01), (0.1, 0.02), (0.133, 0.02), (0.167, 0.03), (0.195, 0.04)]
                {
                    let share = thrown_by_a_rod(&rod, body, place, turns / dt, dt) / exact;
                    assert!(
                        (share - 1.0).abs() < off,
                        "{} from {place}, {turns} rad a step: {share}",
                        body.as_solid().kind()
                    );
                }
            }
        }
    }
}

/// A bead that begins on the rod and at its speed there goes out along it straight as the rod sees it: r'' = ω² r. Nothing pushes it from where what
/// is straight of the rod ends.
#[test]
fn a_bead_leaves_a_turning_rod_whatever_its_cross_section_as_fast_as_it_should() {
    let (length, thickness, radius, start) = (0.3, 0.01, 0.01, 0.1);
    let lying = Rotation::from_scaled_axis(Vector::z() * FRAC_PI_2);
    let rods = [
        (Shape::cuboid([length, thickness, 0.05]).unwrap(), Rotation::identity()),
        (Shape::cylinder(thickness, length).unwrap(), lying),
        (Shape::capsule(thickness, length).unwrap(), lying),
    ];
    for (rod, turned) in &rods {
        for (spin, dt, off) in [
            (2.0, 1.0 / 60.0, 2e-3),
            (6.0, 1.0 / 60.0, 2e-3),
            (6.0, 1.0 / 240.0, 2e-3),
            (15.0, 1.0 / 120.0, 5e-3),
            (15.0, 1.0 / 60.0, 2e-2),
        ] {
            let settings = WorldSettings { parallel: false, gravity: Vector::zeros(), ..WorldSettings::default() };
            let mut world = World::new(settings).unwrap();
            let mut rod = BodyDefinition::new(
                BodyKind::Kinematic,
                rod.clone(),
                Pose::from_parts(Vector::zeros().into(), *turned),
            );
            rod.angular_velocity = Vector::z() * spin;
            let beside = thickness + radius;
            let ball = Shape::ball(radius).unwrap();
            let mut bead = BodyDefinition::new(BodyKind::Dynamic, ball, Pose::translation(start, beside + 1e-6, 0.0));
            bead.linear_velocity = Vector::new(-beside, start, 0.0) * spin;
            (rod.material.friction, bead.material.friction) = (0.0, 0.0);
            world.add_body(rod).unwrap();
            let bead = world.add_body(bead).unwrap();
            run(&mut world, (length / start).acosh() / spin + 0.1, dt);
            let outward = (length * length - start * start).sqrt() - beside;
            let share = world.body(bead).unwrap().linear_velocity().norm() / (spin * outward.hypot(length));
            assert!((share - 1.0).abs() < off, "{spin} rad/s, {dt} s: {share} of the speed");
        }
    }
}
