//! Algorithm 2 for a single point, kept box by box to be looked at.
//!
//! The boxes and the tests are those that the search for a time of contact makes ([`super::obb_bisection`]); only here they are
//! written down, in the order in which they are made.

use super::answer::TocError;
use super::obb_bisection::{Path, Trial};
use super::side::Side;
use crate::geometry::solid::Solid;
use crate::math::{Point, Real};
use crate::motion::{RelativeMotion, RigidMotion, TimeInterval, lever_arms};
use crate::volume::Obb;

/// A box of Algorithm 2 around a stretch of a point's way, in the frame of the solid that the point may meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrajectoryBox {
    /// When the stretch begins, seconds.
    pub from: Real,
    /// When it ends, seconds.
    pub to: Real,
    /// Where the point is then; the chord begins here.
    pub start: Point,
    /// Where the point is at the end; the chord ends here.
    pub end: Point,
    /// δ: how far the way can be from the chord, metres (errata E1, E3).
    pub deviation: Real,
    /// What holds the way, with the thickness of the point and the margin.
    pub obb: Obb,
    /// How often the interval was halved to get it.
    pub depth: u32,
    /// What became of it.
    pub outcome: BoxOutcome,
}

/// What Algorithm 2 does with a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoxOutcome {
    /// It misses the solid: the point meets nothing in it.
    Clear,
    /// It may meet the solid, and was halved.
    Halved,
    /// It may meet the solid, and is small against the tolerance: a contact, at its beginning.
    Contact,
}

/// The point whose way is followed.
#[derive(Clone, Copy, Debug)]
pub struct TracedPoint {
    /// In the frame of the moving solid, metres.
    pub local: Point,
    /// How thick it is, metres, at least zero: the rounding of a ball or a capsule.
    pub radius: Real,
}

/// The share of the tolerance by which boxes are grown, as in the search.
const MARGIN: Real = 0.25;
/// The share of the tolerance that the target's tessellation may take, where its features are used at all.
const TESSELLATION: Real = 1.0 / 16.0;

/// The boxes of Algorithm 2 for `point` of a solid that moves with `mover` against `solid` on `motion`, earlier halves first, until
/// the first contact, the end of the interval, or `most` boxes.
///
/// # Errors
/// [`TocError`] for a motion or point that is not finite, a radius below zero, and a tolerance that is not positive.
///
/// # Cost
/// A box query of the target for each box.
pub fn trace_point(
    point: &TracedPoint,
    mover: &RigidMotion,
    (solid, motion): (&dyn Solid, &RigidMotion),
    interval: TimeInterval,
    tolerance: Real,
    most: usize,
) -> Result<Vec<TrajectoryBox>, TocError> {
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(TocError::BadTolerance { tolerance });
    }
    if !(mover.is_finite() && point.local.iter().all(|c| c.is_finite()) && (0.0..=Real::MAX).contains(&point.radius)) {
        return Err(TocError::NonFiniteMotion { side: 'a' });
    }
    if !motion.is_finite() {
        return Err(TocError::NonFiniteMotion { side: 'b' });
    }
    // Features are asked only for points that are thick; a fine tessellation would be made for nothing.
    let fineness = if point.radius > 0.0 { TESSELLATION * tolerance } else { Real::INFINITY };
    let coarsest = solid.bounding_sphere().radius.min(1e3) / 32.0;
    let side = Side::new(solid, motion, fineness.min(coarsest));
    let relative = RelativeMotion::new(mover, motion);
    let (reach, arm) = lever_arms(mover, &point.local);
    let mut boxes = Vec::new();
    let mut stack = vec![(interval.start(), interval.end(), 0_u32)];
    let mut queries = 0;
    while let Some((from, to, depth)) = stack.pop() {
        if boxes.len() >= most {
            break;
        }
        let (first, last) = (relative.pose_at(from), relative.pose_at(to));
        let path = Path {
            from: first.a_in_b * point.local,
            to: last.a_in_b * point.local,
            deviation: relative.chord_deviation(&first, &last, reach, arm),
            thickness: point.radius + MARGIN * tolerance,
            radius: point.radius,
        };
        let middle = 0.5 * (from + to);
        let indivisible = middle <= from || middle >= to;
        let outcome = match path.try_boxes(&side, from, tolerance, &mut queries) {
            Trial::Clear => BoxOutcome::Clear,
            Trial::Meets { resolved, .. } if resolved || indivisible => BoxOutcome::Contact,
            Trial::Meets { .. } => BoxOutcome::Halved,
        };
        boxes.push(TrajectoryBox {
            from,
            to,
            start: path.from,
            end: path.to,
            deviation: path.deviation,
            obb: path.obb(path.thickness),
            depth,
            outcome,
        });
        match outcome {
            BoxOutcome::Clear => {}
            BoxOutcome::Contact => break,
            BoxOutcome::Halved => stack.extend([(middle, to, depth + 1), (from, middle, depth + 1)]),
        }
    }
    Ok(boxes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitive::Cuboid;
    use crate::math::{Pose, Vector};

    fn turning(spin: Real) -> RigidMotion {
        RigidMotion { angular_velocity: Vector::new(0.0, 0.0, spin), ..RigidMotion::at_rest(Pose::identity()) }
    }

    fn trace(post_at: Real) -> (Vec<TrajectoryBox>, Cuboid, RigidMotion) {
        let post = Cuboid::try_new([0.01, 0.01, 0.5]).unwrap();
        let rest = RigidMotion::at_rest(Pose::translation(post_at * 0.6_f64.cos(), post_at * 0.6_f64.sin(), 0.0));
        let point = TracedPoint { local: Point::new(1.0, 0.0, 0.0), radius: 0.0 };
        let interval = TimeInterval::new(0.0, 1.0).unwrap();
        (trace_point(&point, &turning(1.2), (&post, &rest), interval, 1e-4, 4000).unwrap(), post, rest)
    }

    #[test]
    fn boxes_come_in_the_order_of_time_and_end_with_the_first_contact() {
        let (boxes, ..) = trace(1.0);
        assert_eq!(boxes[0].outcome, BoxOutcome::Halved);
        let last = boxes.last().unwrap();
        assert_eq!(last.outcome, BoxOutcome::Contact);
        // The post's side is met a hundredth of a radian before its middle.
        assert!(last.from < 0.5 && (last.from - 0.49).abs() < 5e-3, "{}", last.from);
        let mut done = 0.0;
        for settled in boxes.iter().filter(|b| b.outcome != BoxOutcome::Halved) {
            assert_eq!(settled.from, done, "no time is left out");
            done = settled.to;
        }
    }

    #[test]
    fn every_box_holds_its_stretch_of_the_way() {
        let (boxes, _, rest) = trace(1.0);
        let relative = RelativeMotion::new(&turning(1.2), &rest);
        for traced in boxes {
            for share in 0..=16 {
                let t = traced.from + (traced.to - traced.from) * Real::from(share) / 16.0;
                let p = relative.pose_at(t).a_in_b * Point::new(1.0, 0.0, 0.0);
                let local = traced.obb.axes.transpose() * (p - traced.obb.centre);
                assert!((local.abs() - traced.obb.half_extents).max() <= 1e-12, "{traced:?}");
            }
        }
    }

    #[test]
    fn a_post_inside_the_arc_is_cleared_to_the_end_of_the_interval() {
        let (boxes, ..) = trace(0.9);
        assert!(boxes.iter().all(|b| b.outcome != BoxOutcome::Contact));
        assert_eq!(boxes.last().unwrap().to, 1.0);
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let post = Cuboid::try_new([1.0; 3]).unwrap();
        let rest = RigidMotion::at_rest(Pose::identity());
        let interval = TimeInterval::new(0.0, 1.0).unwrap();
        let point = TracedPoint { local: Point::new(Real::NAN, 0.0, 0.0), radius: 0.0 };
        assert!(trace_point(&point, &rest, (&post, &rest), interval, 1e-4, 10).is_err());
        let point = TracedPoint { local: Point::origin(), radius: 0.0 };
        assert!(trace_point(&point, &rest, (&post, &rest), interval, -1.0, 10).is_err());
    }
}
