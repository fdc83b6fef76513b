//! When a ball that flies past comes near boxes that do not turn.
//!
//! A search over a mesh that stands, or only slides, asks the same of hundreds of tree nodes: when does the other solid come
//! near? Where the nodes are larger than it, the ball around it tells as much as its box: seen from the mesh its centre flies
//! straight, however it turns, and three slabs say when the box, grown by the ball's radius, is entered.

use super::kinematics::PairMotion;
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// The way of the ball around side B's centre of rotation, seen from a side A that does not turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    /// The ball's centre at the interval's start, in A's frame.
    from: Point,
    /// One over the components of its velocity in A's frame, s/m.
    per_velocity: Vector,
    /// The ball's radius, and how near counts as near, metres.
    reach: Real,
    /// The interval's length, seconds.
    length: Real,
}

impl Passage {
    /// Of a side B within `radius` metres of its centre of rotation; `near` counts as near, rounding included. `None` if A
    /// turns.
    pub fn new(motion: &PairMotion, radius: Real, near: Real) -> Option<Self> {
        if motion.a.speed > 0.0 || !radius.is_finite() {
            return None;
        }
        let to_a = motion.a.rotation(0.0).transpose();
        Some(Self {
            from: motion.a.local_centre + to_a * motion.offset_at(0.0),
            per_velocity: (to_a * motion.velocity).map(Real::recip),
            reach: radius + near,
            length: motion.length,
        })
    }

    /// When the ball comes near the box, seconds after the interval's start; zero or less where it is near then, `None` where
    /// it never is.
    #[inline]
    pub fn entry(&self, aabb: &Aabb) -> Option<Real> {
        let (mut enter, mut leave) = (Real::NEG_INFINITY, self.length);
        for k in 0..3 {
            let (low, high) = (aabb.min[k] - self.reach - self.from[k], aabb.max[k] + self.reach - self.from[k]);
            // Along an axis that it does not move along, the quotients are infinite of equal signs where it passes beside.
            let (one, other) = (low * self.per_velocity[k], high * self.per_velocity[k]);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        (enter <= leave && leave >= 0.0).then_some(enter)
    }

    /// Whether the ball tells of a box as much as the solid's own box does: of those that are larger than it.
    #[inline]
    pub fn suffices_for(&self, aabb: &Aabb) -> bool {
        aabb.half_extents().norm_squared() > self.reach * self.reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Rotation};
    use crate::motion::RigidMotion;
    use proptest::prelude::*;

    fn vector(range: Real) -> impl Strategy<Value = Vector> {
        prop::array::uniform3(-range..range).prop_map(Vector::from)
    }

    /// With components that are zero among them.
    fn velocity() -> impl Strategy<Value = Vector> {
        prop::array::uniform3(prop_oneof![1 => Just(0.0), 3 => -20.0..20.0_f64]).prop_map(Vector::from)
    }

    proptest! {
        #[test]
        fn before_its_entry_and_without_one_the_ball_is_away_from_the_box(
            at in vector(8.0), turned in vector(3.0), flight in velocity(), spin in vector(30.0),
            centre in vector(0.5), half in prop::array::uniform3(0.1..2.0_f64), radius in 0.0..1.0_f64,
        ) {
            let stands = RigidMotion::at_rest(Pose::from_parts(Vector::new(1.0, -2.0, 0.5).into(), Rotation::from_scaled_axis(turned)));
            let flies = RigidMotion {
                start: Pose::from_parts(at.into(), Rotation::identity()),
                local_centre: centre.into(),
                linear_velocity: flight,
                angular_velocity: spin,
            };
            let aabb = Aabb::from_half_extents(Point::from(centre), Vector::from(half));
            let motion = PairMotion::new(&stands, &flies, 0.0, 1.0);
            let passage = Passage::new(&motion, radius, 1e-9).unwrap();
            let entry = passage.entry(&aabb);
            for step in 0..=200 {
                let t = Real::from(step) / 200.0;
                let place = stands.start.inverse_transform_point(&flies.centre_at(t));
                let distance = aabb.distance_to_point(&place);
                if entry.is_none_or(|entry| t < entry) {
                    prop_assert!(distance > radius, "{distance} at {t}, entry {entry:?}");
                }
            }
        }
    }

    #[test]
    fn what_flies_along_a_side_of_the_box_is_near_all_along_or_never() {
        let stands = RigidMotion::at_rest(Pose::identity());
        let aabb = Aabb::from_half_extents(Point::origin(), Vector::repeat(1.0));
        let entry = |y: Real, velocity: Vector| {
            let start = Pose::translation(-5.0, y, 0.0);
            let flies = RigidMotion { linear_velocity: velocity, ..RigidMotion::at_rest(start) };
            Passage::new(&PairMotion::new(&stands, &flies, 0.0, 10.0), 0.5, 0.0).unwrap().entry(&aabb)
        };
        assert_eq!(entry(1.4, Vector::x()), Some(3.5));
        assert_eq!(entry(1.6, Vector::x()), None);
        assert_eq!(entry(1.4, Vector::zeros()), None);
        assert_eq!(entry(1.4, -Vector::x()), None);
    }
}
