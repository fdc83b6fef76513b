//! The direction between convex solids that touch.
//!
//! **Problem.** Where solids touch, the way between their nearest points is nothing but rounding, and so is its direction.
//! **Idea.** The supports tell how well a direction separates two solids, however it was found. One along which they overlap gives way to that of
//! the side of their difference that is nearest to the origin, to which the penetration routine grows.
//! **Guarantee.** Along the direction polytopes overlap by no more than rounding, and solids with round sides by no more than a hundred-thousand-millionth of
//! their size, where there is such a direction.
//! **Cost.** Of what is proven to be apart, a comparison; of what touches, a support query of each, or a depth query.

use super::gjk::{ROUNDING, Separation};
use super::penetration::touch;
use crate::geometry::feature::Feature;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Point, Pose, Real, Vector};

/// What is found to overlap by no more than so many roundings may touch: round sides are told no closer.
pub(super) const ROUND: Real = 1e4;

/// Two convex solids, each with its place in a common frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'s> {
    pub solids: [&'s dyn SupportMap; 2],
    pub poses: [Pose; 2],
}

impl Placed<'_> {
    /// How far the second is from the first along a unit direction, metres, minus their overlap along it; and what rounding may make of that.
    pub fn gap(&self, normal: &Vector) -> (Real, Real) {
        let [end, start] = [(0, *normal), (1, -*normal)].map(|(side, direction)| {
            let (solid, pose) = (self.solids[side], &self.poses[side]);
            let support = solid.support(&pose.rotation.inverse_transform_vector(&direction), 0);
            (pose * support.point, support.point.coords.amax() + solid.radius())
        });
        let way = self.poses[1].translation.vector - self.poses[0].translation.vector;
        let radii = self.solids[0].radius() + self.solids[1].radius();
        ((start.0 - end.0).dot(normal) - radii, ROUNDING * (end.1 + start.1 + way.amax()))
    }
}

/// The direction from A to B, unit, in A's frame, of what a search for nearest points has `found`.
pub(super) fn direction(a: &dyn SupportMap, b: &dyn SupportMap, pose: &Pose, found: &Separation) -> Vector {
    if found.lower > 0.0 {
        return found.normal;
    }
    let pair = Placed { solids: [a, b], poses: [Pose::identity(), *pose] };
    let (gap, rounding) = pair.gap(&found.normal);
    if gap >= -rounding {
        return found.normal;
    }
    let side = touch(a, b, pose).map(|side| side.normal);
    side.filter(|normal| pair.gap(normal).0 > gap).unwrap_or(found.normal)
}

/// The direction between pairs that touch, all together, as far as there is one: what touches a seam or a rim of one part may leave that to a side
/// on which another part is in the way.
pub(super) struct Common {
    /// Unit, in the common frame.
    pub normal: Vector,
    /// The pair whose own direction is the nearest to it.
    pub pair: usize,
    /// Whether along it none overlap by more than rounding.
    pub separates: bool,
}

/// The one of the directions of pairs, and of the hulls around them, along which none overlap, or the least.
pub(super) fn common_direction(touching: &[(Placed<'_>, Vector)]) -> Option<Common> {
    let least = |normal: Vector| {
        let gaps = touching.iter().map(|(pair, _)| pair.gap(&normal));
        let (gap, over) = gaps.fold((Real::INFINITY, Real::INFINITY), |(gap, over), (found, rounding)| {
            (found.min(gap), (found + rounding).min(over))
        });
        (gap, over >= 0.0, normal)
    };
    let wider = |p: (Real, bool, Vector), q: (Real, bool, Vector)| if q.0 > p.0 { q } else { p };
    let mut best = touching.iter().map(|(_, normal)| least(*normal)).reduce(wider)?;
    if !best.1 {
        let [a, b] = [0, 1].map(|side| Together {
            solids: touching.iter().map(|(pair, _)| (pair.solids[side], pair.poses[side])).collect(),
        });
        best = touch(&a, &b, &Pose::identity()).map_or(best, |side| wider(best, least(side.normal)));
    }
    let (_, separates, normal) = best;
    let alike = |k: &usize| touching[*k].1.dot(&normal);
    let pair = (0..touching.len()).max_by(|j, k| alike(j).total_cmp(&alike(k)))?;
    Some(Common { normal, pair, separates })
}

/// The hull of convex solids.
#[derive(Debug)]
struct Together<'s> {
    solids: Vec<(&'s dyn SupportMap, Pose)>,
}

impl SupportMap for Together<'_> {
    fn support(&self, direction: &Vector, _: u32) -> SupportPoint {
        let unit = direction.normalize();
        let points = self.solids.iter().map(|(solid, pose)| {
            let SupportPoint { point, vertex } = solid.support(&pose.rotation.inverse_transform_vector(&unit), 0);
            let is_round = solid.radius() > 0.0;
            let vertex = if is_round { SupportPoint::CURVED } else { vertex };
            SupportPoint { point: pose * point + unit * solid.radius(), vertex }
        });
        let furthest = points.max_by(|p, q| p.point.coords.dot(&unit).total_cmp(&q.point.coords.dot(&unit)));
        furthest.unwrap_or(SupportPoint { point: Point::origin(), vertex: 0 })
    }

    fn interior_point(&self) -> Point {
        let sum: Vector = self.solids.iter().map(|(solid, pose)| (pose * solid.interior_point()).coords).sum();
        Point::from(sum / self.solids.len() as Real)
    }

    fn feature_of(&self, _: &[u32]) -> Feature {
        Feature::Face(0)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let reach = |(solid, pose): &(&dyn SupportMap, Pose)| {
            solid.reach_from_axis(&pose.inverse_transform_point(centre), &pose.rotation.inverse_transform_vector(axis))
        };
        self.solids.iter().map(reach).fold(0.0, Real::max)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        polygon.push(self.support(direction, 0).point);
        Feature::Face(0)
    }
}
