//! Motion with constant linear and angular velocity.

use crate::math::{Point, Pose, Real, Rotation, Vector, is_finite, is_sound_pose, rotation_over};

/// A solid's motion over a step: a centre that moves on a straight line while the solid turns about it at constant
/// angular velocity. Time is in seconds, zero at `start`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// The pose of the solid's frame at time zero.
    pub start: Pose,
    /// The centre of rotation, in the solid's frame.
    pub local_centre: Point,
    /// The velocity of the centre, m/s, world.
    pub linear_velocity: Vector,
    /// The angular velocity, rad/s, world.
    pub angular_velocity: Vector,
}

impl RigidMotion {
    /// Standing still at `pose`.
    pub fn at_rest(pose: Pose) -> Self {
        Self {
            start: pose,
            local_centre: Point::origin(),
            linear_velocity: Vector::zeros(),
            angular_velocity: Vector::zeros(),
        }
    }

    /// The same solid standing still where this motion begins.
    pub fn stopped(&self) -> Self {
        Self { linear_velocity: Vector::zeros(), angular_velocity: Vector::zeros(), ..*self }
    }

    /// Whether the solid neither moves nor turns.
    #[inline]
    pub fn is_at_rest(&self) -> bool {
        self.linear_velocity == Vector::zeros() && self.angular_velocity == Vector::zeros()
    }

    /// Whether every number in it is finite, and its rotation a unit quaternion.
    pub fn is_finite(&self) -> bool {
        is_sound_pose(&self.start)
            && is_finite(&self.local_centre.coords)
            && is_finite(&self.linear_velocity)
            && is_finite(&self.angular_velocity)
    }

    /// The centre of rotation at time `t`, world.
    #[inline]
    pub fn centre_at(&self, t: Real) -> Point {
        self.start * self.local_centre + self.linear_velocity * t
    }

    /// The rotation of the solid's frame at time `t`: exact for any angle (erratum E20).
    #[inline]
    pub fn rotation_at(&self, t: Real) -> Rotation {
        if self.angular_velocity == Vector::zeros() {
            self.start.rotation
        } else {
            rotation_over(&self.angular_velocity, t) * self.start.rotation
        }
    }

    /// The pose of the solid's frame at time `t`.
    #[inline]
    pub fn pose_at(&self, t: Real) -> Pose {
        let rotation = self.rotation_at(t);
        let origin = self.centre_at(t) - rotation * self.local_centre.coords;
        Pose::from_parts(origin.into(), rotation)
    }

    /// The world place of the solid's point `local` at time `t`.
    pub fn point_at(&self, local: &Point, t: Real) -> Point {
        self.centre_at(t) + self.rotation_at(t) * (local - self.local_centre)
    }

    /// The velocity of the solid's material at the world place `point` at time `t`, m/s.
    pub fn velocity_of(&self, point: &Point, t: Real) -> Vector {
        self.linear_velocity + self.angular_velocity.cross(&(point - self.centre_at(t)))
    }

    /// The same motion, all of it moved by `way`.
    #[must_use]
    pub fn moved(&self, way: &Vector) -> Self {
        Self { start: Pose::from_parts((self.start.translation.vector + way).into(), self.start.rotation), ..*self }
    }

    /// The motion of a frame that is fixed to the solid at `pose` in the solid's frame.
    #[must_use]
    pub fn of_part(&self, pose: &Pose) -> Self {
        Self { start: self.start * pose, local_centre: pose.inverse_transform_point(&self.local_centre), ..*self }
    }

    /// The same motion with its clock set to zero at time `t`.
    #[must_use]
    pub fn rebased(&self, t: Real) -> Self {
        Self { start: self.pose_at(t), ..*self }
    }
}
