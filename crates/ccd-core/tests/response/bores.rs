//! What is round in what is hollow: where it fits closely it hardly moves across, and that may not cost what it has along; with room it goes round.

use std::f64::consts::FRAC_PI_2;

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::geometry::field::Operation;
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const DT: Real = 1.0 / 60.0;

fn world() -> World {
    let settings = WorldSettings { parallel: false, gravity: Vector::y() * -9.81, ..WorldSettings::default() };
    World::new(settings).unwrap()
}

/// A body without restitution.
fn body(kind: BodyKind, shape: Shape, pose: Pose, friction: Real) -> BodyDefinition {
    let mut body = BodyDefinition::new(kind, shape, pose);
    (body.material.friction, body.material.restitution) = (friction, 0.0);
    body
}

/// What is round about y turned so that it is round about z.
fn along_z() -> Pose {
    Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2))
}

/// A block with a bore of that radius along z, turned about x.
fn bored(radius: Real, tilt: Real, friction: Real) -> BodyDefinition {
    let block = (Shape::cuboid([0.1, 0.1, 3.0]).unwrap(), Pose::identity());
    let cutter = (Shape::cylinder(radius, 4.0).unwrap(), along_z());
    let shape = Shape::csg(Operation::Difference, &[block, cutter]).unwrap();
    let pose = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::x() * tilt));
    body(BodyKind::Static, shape, pose, friction)
}

/// A ball of 1 kg in the bore, 0.7 mm beside its middle.
fn marble(world: &mut World, radius: Real, place: Vector, velocity: Vector, friction: Real) -> BodyId {
    let place = Pose::from(place + Vector::x() * 7e-4);
    let mut ball = body(BodyKind::Dynamic, Shape::ball(radius).unwrap(), place, friction);
    (ball.mass, ball.linear_velocity) = (MassSpecification::Mass(1.0), velocity);
    world.add_body(ball).unwrap()
}

fn run(world: &mut World, seconds: Real) {
    for _ in 0..(seconds / DT).round() as u32 {
        assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
    }
}

#[test]
fn a_ball_that_swings_in_a_smooth_bore_keeps_its_speed_along_it() {
    let mut world = world();
    world.add_body(bored(0.011, 0.0, 0.0)).unwrap();
    let ball = marble(&mut world, 0.01, Vector::zeros(), Vector::z(), 0.0);
    run(&mut world, 1.0);
    let speed = world.body(ball).unwrap().linear_velocity().z;
    assert!((speed - 1.0).abs() < 1e-3, "{speed} m/s");
}

#[test]
fn a_marble_rolls_down_a_tube_as_fast_as_down_a_slope() {
    let (tilt, mut world) = (0.1, world());
    world.add_body(bored(0.011, tilt, 0.3)).unwrap();
    let ball = marble(&mut world, 0.01, Vector::zeros(), Vector::zeros(), 0.3);
    run(&mut world, 1.0);
    let way = world.body(ball).unwrap().pose().translation.vector.norm();
    // While it swings across it is led off its line: with steps of 1/1920 s it comes 0.318 m.
    let straight = 5.0 / 14.0 * 9.81 * tilt.sin();
    assert!((0.3..straight * 1.01).contains(&way), "{way} of {straight} m");
}

#[test]
fn a_ball_in_a_bore_with_a_little_play_comes_to_rest() {
    for friction in [0.0, 0.3] {
        let mut world = world();
        world.add_body(bored(0.031, 0.0, friction)).unwrap();
        let ball = marble(&mut world, 0.03, Vector::zeros(), Vector::zeros(), friction);
        run(&mut world, 3.0);
        let ball = world.body(ball).unwrap();
        assert!(ball.is_asleep(), "{friction}: {:?}", ball.linear_velocity());
        let height = ball.pose().translation.y;
        assert!((-1e-3..-8e-4).contains(&height), "{friction}: {height} m");
    }
}

#[test]
fn a_bar_that_is_drilled_swings_on_its_pin_and_goes_on_swinging() {
    let mut world = world();
    let pin = body(BodyKind::Static, Shape::cylinder(0.049, 0.2).unwrap(), along_z(), 0.0);
    world.add_body(pin).unwrap();
    let bar = (Shape::cuboid([0.5, 0.1, 0.05]).unwrap(), Pose::identity());
    let hole = Pose::translation(-0.4, 0.0, 0.0) * along_z();
    let shape = Shape::csg(Operation::Difference, &[bar, (Shape::cylinder(0.06, 0.1).unwrap(), hole)]).unwrap();
    let mut bar = body(BodyKind::Dynamic, shape, Pose::translation(0.4, -0.011 + 2e-5, 0.0), 0.0);
    bar.mass = MassSpecification::Mass(20.0);
    world.add_body(bar).unwrap();
    let start = world.energy().total();
    run(&mut world, 2.0);
    // It falls by 0.8 of its own half length, to and fro.
    let (lost, swing) = (start - world.energy().total(), 20.0 * 9.81 * 0.4);
    assert!((0.0..0.03).contains(&(lost / swing)), "{} of the swing is lost", lost / swing);
}

#[test]
fn what_rolls_round_in_a_hollow_without_weight_goes_on() {
    let (hollow, radius): (Real, Real) = (1.0, 0.1);
    let way_radius = hollow - radius - 1e-4;
    let hollowed = |outer: Shape, hole: Shape| {
        Shape::csg(Operation::Difference, &[(outer, Pose::identity()), (hole, Pose::identity())]).unwrap()
    };
    let bore = || hollowed(Shape::cylinder(1.2, 1.0).unwrap(), Shape::cylinder(hollow, 2.0).unwrap());
    let ball = || Shape::ball(radius).unwrap();
    for (wall, rolling) in [
        (bore(), ball()),
        (bore(), Shape::cylinder(radius, 0.05).unwrap()),
        (hollowed(Shape::ball(1.2).unwrap(), Shape::ball(hollow).unwrap()), ball()),
    ] {
        for turn_a_step in [0.3, 1.0] {
            let speed = turn_a_step * way_radius / DT;
            let settings = WorldSettings { parallel: false, gravity: Vector::zeros(), ..WorldSettings::default() };
            let mut world = World::new(settings).unwrap();
            world.add_body(body(BodyKind::Static, wall.clone(), along_z(), 0.5)).unwrap();
            let start = Pose::from_parts(Vector::new(way_radius, 0.0, 0.0).into(), along_z().rotation);
            let mut rolling = body(BodyKind::Dynamic, rolling.clone(), start, 0.5);
            rolling.linear_velocity = Vector::y() * speed;
            rolling.angular_velocity = Vector::z() * (-speed / radius);
            let rolling = world.add_body(rolling).unwrap();
            let (mut way, mut before) = (0.0, Vector::x());
            for _ in 0..8 {
                assert_eq!(world.step(DT).unwrap().time_lost, 0.0, "by {turn_a_step} rad a step");
                let now = world.body(rolling).unwrap().centre().coords.normalize();
                way += before.cross(&now).z.atan2(before.dot(&now));
                before = now;
            }
            let share = way / (8.0 * turn_a_step);
            assert!((0.95..1.001).contains(&share), "{share} of its way by {turn_a_step} rad a step");
        }
    }
}
