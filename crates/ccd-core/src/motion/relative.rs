//! The motion of one solid seen from another, and how far its points can leave the chord of their path.

use super::{RigidMotion, bound};
use crate::math::{Point, Pose, Real, Vector};

/// The motion of solid A seen from the frame of solid B, which moves too.
///
/// Source: precise contact determination, section 3.2; erratum E3 for the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeMotion {
    a: RigidMotion,
    b: RigidMotion,
}

/// A pose of A in the frame of B, with the distance of the centres of rotation, at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativePose {
    /// Seconds on the motions' clock.
    pub time: Real,
    /// Takes places of A's frame to B's frame.
    pub a_in_b: Pose,
    /// The distance from B's centre of rotation to A's, metres.
    pub centre_distance: Real,
}

impl RelativeMotion {
    /// The motion of `a` seen from the frame of `b`.
    pub fn new(a: &RigidMotion, b: &RigidMotion) -> Self {
        Self { a: *a, b: *b }
    }

    /// The vector from B's centre of rotation to A's at time `t`, world axes, metres.
    ///
    /// The starting offset is taken once and the velocities are subtracted before they are multiplied, so that bodies
    /// that fly together far away lose no digits to their common motion.
    pub fn centre_offset(&self, t: Real) -> Vector {
        let start = self.a.start * self.a.local_centre - self.b.start * self.b.local_centre;
        start + (self.a.linear_velocity - self.b.linear_velocity) * t
    }

    /// The pose of A's frame in B's frame at time `t`.
    pub fn pose_at(&self, t: Real) -> RelativePose {
        let (rotation_a, rotation_b) = (self.a.rotation_at(t), self.b.rotation_at(t));
        let offset = self.centre_offset(t);
        let rotation = rotation_b.inverse() * rotation_a;
        let origin =
            self.b.local_centre + rotation_b.inverse_transform_vector(&offset) - rotation * self.a.local_centre.coords;
        RelativePose {
            time: t,
            a_in_b: Pose::from_parts(origin.coords.into(), rotation),
            centre_distance: offset.norm(),
        }
    }

    /// How far a point of A can be, at any instant between two poses, from the place in B's frame that linear
    /// interpolation between its end places gives at that instant; metres, never less.
    ///
    /// `reach` is the point's distance from A's axis of rotation and `arm` from its centre of rotation, metres. It is an
    /// eighth of Δt² times the largest acceleration in B's turning frame, |ω_A|²ρ + 2|ω_B|·max‖ṙ‖ + |ω_B|²·max‖r‖ with r
    /// from B's centre to the point (erratum E3), and at most the diameter of the ball around B's centre that holds
    /// the path. The distance of the centres is convex in time, so its largest value is at an end.
    pub fn chord_deviation(&self, from: &RelativePose, to: &RelativePose, reach: Real, arm: Real) -> Real {
        let dt = to.time - from.time;
        let omega_a = self.a.angular_velocity.norm();
        let omega_b = self.b.angular_velocity.norm();
        if omega_b == 0.0 {
            return bound::chord_deviation(omega_a, reach, dt);
        }
        let furthest = from.centre_distance.max(to.centre_distance) + arm;
        let speed = bound::speed((self.a.linear_velocity - self.b.linear_velocity).norm(), omega_a, reach);
        let acceleration = omega_a * omega_a * reach + 2.0 * omega_b * speed + omega_b * omega_b * furthest;
        (dt * dt * 0.125 * acceleration).min(2.0 * furthest)
    }

    /// The largest speed of a point of A in B's frame between two poses, m/s, never less; arguments as in
    /// [`RelativeMotion::chord_deviation`].
    pub fn speed_bound(&self, from: &RelativePose, to: &RelativePose, reach: Real, arm: Real) -> Real {
        let furthest = from.centre_distance.max(to.centre_distance) + arm;
        let linear = (self.a.linear_velocity - self.b.linear_velocity).norm();
        bound::speed(linear, self.a.angular_velocity.norm(), reach) + self.b.angular_velocity.norm() * furthest
    }
}

/// The distance of the solid's point `local` from the axis of rotation of `motion`, and from its centre; metres.
///
/// Both are constant over the motion: the axis is fixed in the solid as it is in the world.
pub fn lever_arms(motion: &RigidMotion, local: &Point) -> (Real, Real) {
    let arm = local - motion.local_centre;
    let length = arm.norm();
    // Rounded up: the bounds that use it are to hold in floating point too.
    let up = 1.0 + 8.0 * Real::EPSILON;
    let axis = motion.start.rotation.inverse_transform_vector(&motion.angular_velocity);
    let reach = axis.try_normalize(Real::MIN_POSITIVE).map_or(0.0, |axis| axis.cross(&arm).norm());
    ((reach + 4.0 * Real::EPSILON * length) * up, length * up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rotation;
    use proptest::prelude::*;

    fn vector(size: Real) -> impl Strategy<Value = Vector> {
        prop::array::uniform3(-size..size).prop_map(Vector::from)
    }

    fn motion() -> impl Strategy<Value = RigidMotion> {
        (vector(5.0), vector(3.0), vector(2.0), vector(20.0), vector(30.0)).prop_map(|(p, r, c, v, w)| RigidMotion {
            start: Pose::from_parts(p.into(), Rotation::from_scaled_axis(r)),
            local_centre: c.into(),
            linear_velocity: v,
            angular_velocity: w,
        })
    }

    proptest! {
        #[test]
        fn a_point_seen_from_a_moving_solid_stays_within_the_deviation_of_its_chord(
            a in motion(), b in motion(), local in vector(2.0), start in 0.0..1.0_f64, dt in 1e-4..0.5_f64, s in 0.0..1.0_f64,
        ) {
            let relative = RelativeMotion::new(&a, &b);
            let local = Point::from(local);
            let (from, to) = (relative.pose_at(start), relative.pose_at(start + dt));
            let now = relative.pose_at(start + s * dt);
            let (reach, arm) = lever_arms(&a, &local);
            let delta = relative.chord_deviation(&from, &to, reach, arm);
            let (p, q) = (from.a_in_b * local, to.a_in_b * local);
            let place = now.a_in_b * local;
            let deviation = (place - (p + (q - p) * s)).norm();
            prop_assert!(deviation <= delta + 1e-9, "{deviation} > {delta}");
            let moved = (place - p).norm();
            prop_assert!(moved <= relative.speed_bound(&from, &to, reach, arm) * s * dt + 1e-9);
            // The same place by way of the world.
            let world = b.pose_at(now.time).inverse_transform_point(&a.point_at(&local, now.time));
            prop_assert!((world - place).norm() < 1e-9);
        }
    }
}
