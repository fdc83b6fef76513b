//! What meets where nothing is fixed: its momentum is nobody else's, and neither is where its centre of mass is.

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const DT: Real = 1.0 / 60.0;

fn empty() -> World {
    World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap()
}

/// Nine balls of 1 kg that come together in a plane and go along across it.
fn nine_balls(seed: u32) -> World {
    let mut world = empty();
    for k in 0..9 {
        let way = |j: u32| (f64::from(100 * seed + 10 * k + j) * 12.9898).sin();
        let (column, row) = (f64::from(k % 3) - 1.0, f64::from(k / 3) - 1.0);
        let place = Vector::new(0.5 * column + 0.04 * way(0), 0.5 * row + 0.04 * way(1), 0.04 * way(2));
        let mut ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.1).unwrap(), Pose::identity());
        ball.pose.translation = place.into();
        ball.mass = MassSpecification::Mass(1.0);
        ball.material.friction = 0.5;
        ball.linear_velocity =
            Vector::new(0.2 * way(3) - 2.0 * place.x, 0.2 * way(4) - 2.0 * place.y, 0.7 + 0.1 * way(5));
        ball.angular_velocity = Vector::new(way(6), way(7), way(8));
        world.add_body(ball).unwrap();
    }
    world
}

#[test]
fn the_common_centre_of_a_crowd_that_nothing_holds_goes_straight_on() {
    for seed in 1..=12 {
        let mut world = nine_balls(seed);
        let mean = |world: &World, of: fn(&ccd_core::dynamics::Body) -> Vector| {
            world.bodies().map(|(_, body)| of(body)).sum::<Vector>() / 9.0
        };
        let centre = |world: &World| mean(world, |body| body.pose().translation.vector);
        let (first, velocity) = (centre(&world), mean(&world, |body| *body.linear_velocity()));
        let mut met = 0;
        for step in 1..=60 {
            met += world.step(DT).unwrap().impacts.len();
            let aside = (centre(&world) - first - velocity * (DT * f64::from(step))).norm();
            // What changes a motion by less than a quarter of the resting gap is left out.
            assert!(aside < 1e-6, "{seed}: {aside} m aside after {step} steps");
        }
        assert!(met > 8, "{seed}: they have met {met} times");
    }
}

#[test]
fn two_boxes_that_are_mirror_images_and_meet_edge_to_edge_part_as_such() {
    let mut world = empty();
    for side in [-1.0, 1.0] {
        let turn = nalgebra::Quaternion::new(0.493_921_344, 0.472_126_912, side * 0.240_482_899, side * 0.689_424_296);
        let pose = Pose::from_parts(Vector::new(side * 0.35, 0.0, 0.0).into(), Rotation::from_quaternion(turn));
        let mut body = BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([0.2, 0.05, 0.05]).unwrap(), pose);
        body.material.friction = 0.0;
        body.linear_velocity = Vector::new(side * -2.0, 0.1, 0.2);
        body.angular_velocity = Vector::new(2.866, side * -1.574, side * 7.675);
        world.add_body(body).unwrap();
    }
    let mut met = 0;
    for _ in 0..36 {
        met += world.step(DT).unwrap().impacts.len();
    }
    assert!(met > 0, "they have passed each other");
    let bodies: Vec<_> = world.bodies().map(|(_, body)| body).collect();
    let mirrored = |v: &Vector| Vector::new(-v.x, v.y, v.z);
    let [one, other] = [bodies[0], bodies[1]].map(|body| *body.linear_velocity());
    // Rounding grows while the edges turn on each other.
    assert!((mirrored(&one) - other).norm() < 1e-3, "{one} and {other}");
}
