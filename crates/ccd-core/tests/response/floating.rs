//! What meets where nothing is fixed: its momentum is nobody else's, and neither is where its centre of mass is.

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::math::{Pose, Real, Vector};
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
