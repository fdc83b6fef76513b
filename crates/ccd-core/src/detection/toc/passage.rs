//! When a ball that flies past comes near boxes that do not turn.
//!
//! A search over a mesh that stands, or only slides, asks the same of hundreds of tree nodes: when does the other solid come
//! near? Where the nodes are larger than it, the ball around it tells as much as its box: seen from the mesh its centre flies
//! straight, however it turns, and three slabs say when the box, grown by the ball's radius, is entered.
//!
//! What is slender and flies lengthwise, as bullets and arrows do, is never far from the line that its centre flies along. It is within a
//! smaller ball around some point of that line a little ahead of the centre or behind it, and so near a box only where that ball is.

use super::kinematics::PairMotion;
use super::plane::SideBounds;
use crate::math::{Point, Real, Vector, orthonormal_basis};
use crate::volume::Aabb;

/// What keeps to the line by this share of its ball's radius is slender.
const SLENDER: Real = 0.7;

/// The way of the ball around side B's centre of rotation, seen from a side A that does not turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    /// The ball's centre at the interval's start, in A's frame.
    from: Point,
    /// One over the components of its velocity in A's frame, s/m.
    per_velocity: Vector,
    /// The ball's radius, and how near counts as near, metres.
    reach: Real,
    slender: Option<Slender>,
    /// Two directions across the line, unit; none where the centre does not move.
    across: Option<[Vector; 2]>,
    /// The interval's length, seconds.
    length: Real,
}

/// The way of a smaller ball.
#[derive(Clone, Copy, Debug)]
struct Slender {
    /// As the ball's.
    reach: Real,
    /// By how much earlier than the centre, or later, a point of the line is passed that the smaller ball may be around, seconds.
    lead: Real,
}

impl Passage {
    /// Of a side B in the box `aabb` of its own frame and within `radius` metres of its centre of rotation; `near` counts as near, rounding
    /// included. `None` if A turns.
    pub fn new(motion: &PairMotion, aabb: &Aabb, radius: Real, near: Real) -> Option<Self> {
        if motion.a.speed > 0.0 || !radius.is_finite() {
            return None;
        }
        let speed = motion.velocity.norm();
        let direction = (speed > 0.0).then(|| motion.velocity / speed);
        let slender = |direction: &Vector| {
            let around_line = SideBounds::across(aabb, &motion.b, direction, motion.length, radius);
            // Along the line none of it is further from the smaller ball's centre than where it is farthest from the line.
            let ahead = (radius * radius - around_line * around_line).sqrt();
            (around_line < SLENDER * radius).then(|| Slender { reach: around_line + near, lead: ahead / speed })
        };
        let to_a = motion.a.rotation(0.0).transpose();
        Some(Self {
            from: motion.a.local_centre + to_a * motion.offset_at(0.0),
            per_velocity: (to_a * motion.velocity).map(Real::recip),
            reach: radius + near,
            slender: direction.as_ref().and_then(slender),
            across: direction.map(|direction| orthonormal_basis(&(to_a * direction)).into()),
            length: motion.length,
        })
    }

    /// When the ball comes near the box, seconds after the interval's start; zero or less where it is near then, `None` where
    /// it never is.
    #[inline]
    pub fn entry(&self, aabb: &Aabb) -> Option<Real> {
        let [mut enter, mut leave] = self.stay(aabb, self.reach);
        if let Some(Slender { reach, lead }) = self.slender {
            let [slender_enter, slender_leave] = self.stay(aabb, reach);
            enter = enter.max(slender_enter - lead);
            leave = leave.min(slender_leave + lead);
        }
        (enter <= leave && enter <= self.length && leave >= 0.0).then_some(enter)
    }

    /// From when until when the centre is in the box grown by `reach` metres, seconds after the interval's start; the other way
    /// round where it never is.
    #[inline]
    fn stay(&self, aabb: &Aabb, reach: Real) -> [Real; 2] {
        let (mut enter, mut leave) = (Real::NEG_INFINITY, Real::INFINITY);
        for k in 0..3 {
            let (low, high) = (aabb.min[k] - reach - self.from[k], aabb.max[k] + reach - self.from[k]);
            // Along an axis that it does not move along, the quotients are infinite of equal signs where it passes beside.
            let (one, other) = (low * self.per_velocity[k], high * self.per_velocity[k]);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        [enter, leave]
    }

    /// Whether the whole line passes beside a triangle, further away than B ever gets from it: along an edge, seen along the line.
    pub fn is_beside(&self, corners: &[Point; 3]) -> bool {
        let Some([t1, t2]) = self.across else { return false };
        let seen = corners.map(|p| {
            let arm = p - self.from;
            [t1.dot(&arm), t2.dot(&arm)]
        });
        let cross = |p: &[Real; 2], q: &[Real; 2]| p[0] * q[1] - p[1] * q[0];
        let edges = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (i, [seen[j][0] - seen[i][0], seen[j][1] - seen[i][1]]));
        let (turn, reach) = (cross(&edges[0].1, &edges[1].1).signum(), self.least_reach());
        edges
            .iter()
            .any(|(i, edge)| turn * cross(edge, &seen[*i]) > reach * (edge[0] * edge[0] + edge[1] * edge[1]).sqrt())
    }

    /// Whether the ball tells of a box as much as the solid's own box does: of those that are larger than it.
    #[inline]
    pub fn suffices_for(&self, aabb: &Aabb) -> bool {
        aabb.half_extents().norm_squared() > self.least_reach() * self.least_reach()
    }

    /// The radius of the smaller of the balls, and how near counts as near, metres.
    fn least_reach(&self) -> Real {
        self.slender.map_or(self.reach, |slender| slender.reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::triangle::closest_point;
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
            let around = Aabb::from_half_extents(flies.local_centre, Vector::repeat(radius));
            let passage = Passage::new(&motion, &around, radius, 1e-9).unwrap();
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

    /// Points all over a box.
    fn grid(half: &Vector) -> Vec<Point> {
        let shares = [-1.0, -0.5, 0.0, 0.5, 1.0];
        shares
            .iter()
            .flat_map(|x| shares.map(|y| (*x, y)))
            .flat_map(|(x, y)| shares.map(|z| Point::from(half.component_mul(&Vector::new(x, y, z)))))
            .collect()
    }

    proptest! {
        /// Lengthwise or not, spinning like a bullet, tumbling, or hardly turning.
        #[test]
        fn what_is_slender_is_away_from_boxes_before_its_entry_and_from_triangles_that_it_is_beside(
            at in vector(3.0), turned in vector(3.0), stands_turned in vector(3.0), centre in vector(0.3),
            speed in 1.0..20.0_f64, aslant in prop_oneof![Just(0.0), 0.0..0.3_f64],
            spin in prop_oneof![vector(0.05), vector(30.0), (-40.0..40.0_f64).prop_map(|spin| Vector::y() * spin)],
            half in (0.02..0.2_f64, 0.3..1.5_f64, 0.02..0.2_f64),
            target in prop::array::uniform3(0.05..1.0_f64), corners in prop::array::uniform3(vector(2.0)),
        ) {
            let stands = RigidMotion::at_rest(Pose::from_parts(Vector::new(1.0, -2.0, 0.5).into(), Rotation::from_scaled_axis(stands_turned)));
            let half = Vector::new(half.0, half.1, half.2);
            let rotation = Rotation::from_scaled_axis(turned);
            let flies = RigidMotion {
                // It comes by about halfway.
                start: Pose::from_parts((at - rotation * Vector::y() * (0.5 * speed)).into(), rotation),
                local_centre: centre.into(),
                linear_velocity: rotation * Vector::new(aslant, 1.0, 0.0) * speed,
                angular_velocity: rotation * spin,
            };
            let size = (half + centre.abs()).norm();
            let motion = PairMotion::new(&stands, &flies, 0.0, 1.0);
            let passage = Passage::new(&motion, &Aabb::from_half_extents(Point::origin(), half), size, 1e-9).unwrap();
            let aabb = Aabb::from_half_extents(Point::origin(), Vector::from(target));
            let triangle = corners.map(Point::from);
            let (entry, is_beside) = (passage.entry(&aabb), passage.is_beside(&triangle));
            for step in 0..=200 {
                let t = Real::from(step) / 200.0;
                let pose = flies.pose_at(t);
                for p in grid(&half) {
                    let place = stands.start.inverse_transform_point(&(pose * p));
                    if entry.is_none_or(|entry| t < entry) {
                        prop_assert!(aabb.distance_to_point(&place) > 0.0, "in the box at {t}, entry {entry:?}");
                    }
                    if is_beside {
                        let (nearest, _) = closest_point(&triangle, &place);
                        prop_assert!((nearest - place).norm() > 1e-9, "at the triangle at {t}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_bullet_that_spins_about_its_way_passes_what_its_ball_meets() {
        let stands = RigidMotion::at_rest(Pose::identity());
        let flies = |spin: Vector| RigidMotion {
            linear_velocity: Vector::y() * 10.0,
            angular_velocity: spin,
            ..RigidMotion::at_rest(Pose::translation(0.0, -5.0, 0.0))
        };
        let (bullet, size) = (Aabb::from_half_extents(Point::origin(), Vector::new(0.1, 1.0, 0.1)), 1.02);
        let wall = |x: Real| Aabb { min: Point::new(x, -1.0, -1.0), max: Point::new(x + 1.0, 1.0, 1.0) };
        let tile = |x: Real| [(0.0, -1.0), (0.0, 1.0), (1.0, 0.0)].map(|(dx, z)| Point::new(x + dx, 0.3 * dx, z));
        let meets = |spin: Vector, x: Real| {
            let passage = Passage::new(&PairMotion::new(&stands, &flies(spin), 0.0, 1.0), &bullet, size, 1e-9).unwrap();
            [passage.entry(&wall(x)).is_some(), !passage.is_beside(&tile(x))]
        };
        assert_eq!(meets(Vector::y() * 1e4, 0.15), [false; 2]);
        assert_eq!(meets(Vector::y() * 1e4, 0.14), [true; 2]);
        assert_eq!(meets(Vector::zeros(), 0.15), [false; 2]);
        assert_eq!(meets(Vector::x() * 1e4, 0.9), [true; 2], "it tumbles");
        assert_eq!(meets(Vector::x() * 1e4, 1.1), [false; 2]);
    }

    #[test]
    fn what_flies_along_a_side_of_the_box_is_near_all_along_or_never() {
        let stands = RigidMotion::at_rest(Pose::identity());
        let aabb = Aabb::from_half_extents(Point::origin(), Vector::repeat(1.0));
        let entry = |y: Real, velocity: Vector| {
            let start = Pose::translation(-5.0, y, 0.0);
            let flies = RigidMotion { linear_velocity: velocity, ..RigidMotion::at_rest(start) };
            let ball = Aabb::from_half_extents(Point::origin(), Vector::repeat(0.5));
            Passage::new(&PairMotion::new(&stands, &flies, 0.0, 10.0), &ball, 0.5, 0.0).unwrap().entry(&aabb)
        };
        assert_eq!(entry(1.4, Vector::x()), Some(3.5));
        assert_eq!(entry(1.6, Vector::x()), None);
        assert_eq!(entry(1.4, Vector::zeros()), None);
        assert_eq!(entry(1.4, -Vector::x()), None);
    }
}
