//! What comes down on something along a side that is all but parallel to its own: the place where the two touch runs along it.

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::random::Random;

const DT: Real = 1.0 / 60.0;

/// Two cylinders in the air, a little askew; the one flies at the other, and turns so that their sides close up.
fn two_askew(seed: u64) -> World {
    let mut random = Random(seed);
    let settings = WorldSettings { gravity: Vector::zeros(), parallel: false, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let (askew, leaning) = (random.between(0.02, 0.4), random.between(-0.1, 0.1));
    let turned = Rotation::from_scaled_axis(Vector::x() * askew) * Rotation::from_scaled_axis(Vector::z() * leaning);
    let apart = 0.17 + 0.12 * leaning.abs();
    let places =
        [Pose::identity(), Pose::from_parts(Vector::new(apart, random.between(-0.05, 0.05), 0.0).into(), turned)];
    for (k, pose) in places.into_iter().enumerate() {
        let mut body = BodyDefinition::new(BodyKind::Dynamic, Shape::cylinder(0.08, 0.12).unwrap(), pose);
        body.mass = MassSpecification::Mass(1.0);
        body.material.friction = 0.3;
        body.material.restitution = 0.0;
        let spin = Vector::new(0.0, random.between(-10.0, 10.0), 0.0);
        if k == 0 {
            body.angular_velocity = spin;
        } else {
            body.linear_velocity = -Vector::x();
            body.angular_velocity = spin + Vector::new(random.between(-1.0, 1.0), 0.0, random.between(-15.0, 15.0));
        }
        world.add_body(body).unwrap();
    }
    world
}

/// The place ran on by tens of metres a second, and each meeting within the step left half of the gap, and half of the time, to the next.
#[test]
fn cylinders_that_close_up_along_their_sides_lose_no_time() {
    let mut all = 0;
    for seed in 0..120 {
        let mut world = two_askew(seed);
        for step in 0..6 {
            let report = world.step(DT).unwrap();
            assert_eq!(report.time_lost, 0.0, "{seed}, step {step}");
            assert!(report.min_separation.is_none_or(|gap| gap > 0.0), "{seed}, step {step}");
            all += report.counters.impacts;
        }
    }
    assert!(all <= 1_200, "{all} impacts");
}
