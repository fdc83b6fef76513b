//! Blocks that rock from edge to edge. Each landing takes what one blow without a bounce at the edge that comes down takes, while the other leaves: the
//! spin after it is 1 - 3/2 sin² α of that before, α being the angle of the block's diagonal with its height (Housner, "The behavior of inverted pendulum
//! structures during earthquakes", 1963).

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const GRAVITY: Real = 9.81;

/// What part of its energy a block of this width and height keeps at each of its first landings, let go at three fifths of the angle at which it would
/// fall over. Lengths in metres, `dt` in seconds.
fn kept_at_landings([width, height]: [Real; 2], dt: Real, tolerance: Real, landings: usize) -> Vec<Real> {
    let gravity = Vector::y() * -GRAVITY;
    let settings = WorldSettings {
        parallel: false,
        sleeping: false,
        gravity,
        tolerance,
        contact_threshold: 10.0 * tolerance,
        ..WorldSettings::default()
    };
    let mut world = World::new(settings).unwrap();
    let floor = Shape::cuboid([5.0, 0.5, 5.0]).unwrap();
    let block = Shape::cuboid([0.5 * width, 0.5 * height, 0.1]).unwrap();
    let below = Pose::translation(0.0, -0.5 - 0.1 * tolerance, 0.0);
    let leaning = Rotation::from_scaled_axis(Vector::z() * -0.6 * (width / height).atan());
    let edge = leaning * Vector::new(0.5 * width, -0.5 * height, 0.0);
    let mut floor = BodyDefinition::new(BodyKind::Static, floor, below);
    let mut block = BodyDefinition::new(BodyKind::Dynamic, block, Pose::from_parts((-edge).into(), leaning));
    for definition in [&mut floor, &mut block] {
        (definition.material.friction, definition.material.restitution) = (1.0, 0.0);
    }
    world.add_body(floor).unwrap();
    let id = world.add_body(block).unwrap();

    let moment = (width * width + height * height) / 12.0;
    let state = |world: &World| {
        let body = world.body(id).unwrap();
        let (linear, angular) = (body.linear_velocity(), body.angular_velocity());
        let rise = body.pose().translation.y - 0.5 * height;
        let energy = 0.5 * (linear.norm_squared() + moment * angular.norm_squared()) + GRAVITY * rise;
        (energy, angular.z)
    };
    let (mut energies, mut spin) = (vec![state(&world).0], 0.0);
    while energies.len() <= landings {
        assert_eq!(world.step(dt).unwrap().time_lost, 0.0);
        let (energy, now) = state(&world);
        // It turns back.
        if now * spin < 0.0 {
            energies.push(energy);
        }
        spin = now;
    }
    energies.windows(2).map(|pair| pair[1] / pair[0]).collect()
}

#[test]
fn a_block_that_rocks_keeps_at_each_landing_what_one_blow_leaves() {
    for (size, dt, tolerance, most) in [
        ([0.2, 0.6], 1.0 / 60.0, 1e-4, 0.05),
        ([0.2, 0.6], 1.0 / 240.0, 1e-4, 0.01),
        ([0.1, 1.0], 1.0 / 60.0, 1e-4, 0.02),
        ([0.1, 1.0], 1.0 / 60.0, 1e-6, 0.03),
        ([0.1, 1.0], 1.0 / 240.0, 1e-4, 0.005),
        ([0.1, 1.0], 1e-3, 1e-6, 0.005),
    ] {
        let [width, height] = size;
        let left = 1.0 - 1.5 * width * width / (width * width + height * height);
        for kept in kept_at_landings(size, dt, tolerance, 3) {
            let off = kept - left * left;
            assert!(off.abs() < most, "{size:?} m, {dt} s, ε {tolerance}: keeps {kept} for {}", left * left);
        }
    }
}
