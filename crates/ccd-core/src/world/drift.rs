//! How far the points of two bodies drift over each other within a step.

use crate::math::{Point, Real, Vector};
use crate::motion::RigidMotion;

/// Far above what rounding makes of a way, as a share of it or of the coordinates.
const ROUNDING: Real = 1e-11;

/// Two motions over some time from their beginning on.
///
/// Think of B's point q as one of A's as well. The way of the first from the second is u s + ½ a s² and a little more, where u and a,
/// the velocity and the acceleration of the one beside the other at the beginning, are affine over space, and the rest is no more than
/// s³/6 times what either spin, cubed, makes of the distance from its centre. A point of A stays as far from A's q as it is, because A is
/// rigid; so it meets B's q only if it is no further from it than the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drift {
    /// Seconds.
    time: Real,
    /// The centres and the angular velocities of A and B, world.
    centres: [Point; 2],
    spins: [Vector; 2],
    /// Of the centres, m/s.
    velocity: Vector,
}

impl Drift {
    /// Over `time` seconds.
    pub fn new(motions: [&RigidMotion; 2], time: Real) -> Self {
        Self {
            time,
            centres: motions.map(|motion| motion.centre_at(0.0)),
            spins: motions.map(|motion| motion.angular_velocity),
            velocity: motions[1].linear_velocity - motions[0].linear_velocity,
        }
    }

    /// No point of A that is further than this from a point of B comes within `tolerance` of it in time, metres, if B's lies in the
    /// convex hull of these (world, at the beginning).
    pub fn reach(&self, hull: impl IntoIterator<Item = Point>, tolerance: Real) -> Real {
        // All are convex over space, and so greatest at a corner.
        let (mut speed, mut acceleration, mut arms): (Real, Real, [Real; 2]) = (0.0, 0.0, [0.0; 2]);
        for point in hull {
            let [arm_a, arm_b] = self.centres.map(|centre| point - centre);
            let (turning_a, turning_b) = (self.spins[0].cross(&arm_a), self.spins[1].cross(&arm_b));
            let bending = self.spins[1].cross(&turning_b) - self.spins[0].cross(&turning_a);
            speed = speed.max((self.velocity + turning_b - turning_a).norm_squared());
            acceleration = acceleration.max(bending.norm_squared());
            arms = [arms[0].max(arm_a.norm_squared()), arms[1].max(arm_b.norm_squared())];
        }
        let [arm_a, arm_b] = arms.map(Real::sqrt);
        let third = self.spins[0].norm().powi(3) * arm_a + self.spins[1].norm().powi(3) * arm_b;
        let way = self.time * (speed.sqrt() + self.time * (0.5 * acceleration.sqrt() + self.time / 6.0 * third));
        let coordinates = self.centres[0].coords.amax() + self.centres[1].coords.amax() + arm_a + arm_b;
        way + tolerance + ROUNDING * (way + coordinates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Rotation};
    use proptest::prelude::*;

    fn vector(size: Real) -> impl Strategy<Value = Vector> {
        [-size..size, -size..size, -size..size].prop_map(Vector::from)
    }

    fn motion() -> impl Strategy<Value = RigidMotion> {
        (vector(2.0), vector(3.0), vector(1.0), vector(5.0), vector(12.0)).prop_map(
            |(place, turn, centre, linear, angular)| RigidMotion {
                local_centre: centre.into(),
                linear_velocity: linear,
                angular_velocity: angular,
                ..RigidMotion::at_rest(Pose::from_parts(place.into(), Rotation::new(turn)))
            },
        )
    }

    proptest! {
        #[test]
        fn who_starts_out_of_reach_comes_no_nearer_than_the_tolerance(
            a in motion(), b in motion(), p in vector(1.0), q in vector(1.0), time in 1e-3..0.2_f64, gap in 0.0..0.3_f64,
        ) {
            let drift = Drift::new([&a, &b], time);
            let tolerance = 1e-3;
            let place_of_b = b.start * Point::from(q);
            let reach = drift.reach([place_of_b], tolerance);
            // A point of A that far from it, in any direction, and a little more.
            let Some(direction) = p.try_normalize(1e-3) else { return Ok(()) };
            let place_of_a = place_of_b + direction * (reach * (1.0 + gap));
            let local_a = a.start.inverse_transform_point(&place_of_a);
            for i in 0..=64 {
                let t = time * Real::from(i) / 64.0;
                let distance = (b.pose_at(t) * Point::from(q) - a.pose_at(t) * local_a).norm();
                prop_assert!(distance >= tolerance, "{distance} m apart at {t} s");
            }
        }
    }
}
