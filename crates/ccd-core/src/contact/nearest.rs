//! The nearest points of two convex solids, and the direction of least overlap.

use super::ContactPoint;
use super::side::ConvexSide;
use crate::detection::closest::gjk::{GjkCache, GjkGoal, RelativePose, separation};
use crate::detection::closest::penetration::{Penetration, penetration};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Real};

/// What is known of two convex solids within the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Nearest {
    /// They are apart: the nearest points on their surfaces.
    Apart(ContactPoint),
    /// Their cores overlap: the deepest points, along the direction of least overlap.
    Overlapping(ContactPoint),
}

/// The nearest points of a core in the frame of the query, whose features `feature_a` names by their support vertices and place,
/// and a placed solid; `None` when they are further apart than `margin` metres.
///
/// No direction is taken from a distance of zero (erratum E26): cores that overlap have that of the least translation apart.
pub(super) fn nearest_points(
    (map_a, feature_a): (&dyn SupportMap, &dyn Fn(&Point, &[u32]) -> Feature),
    b: &ConvexSide<'_>,
    margin: Real,
    cache: &mut GjkCache,
) -> Option<Nearest> {
    let map_b = b.map();
    let relative = RelativePose { rotation: b.axes, translation: b.pose.translation.vector };
    let radii = [map_a.radius(), map_b.radius()];
    // Beyond the margin only the proof is wanted.
    let goal = GjkGoal { enough: margin + radii[0] + radii[1], ..GjkGoal::EXACT };
    let found = separation(map_a, map_b, &relative, cache, &goal);
    if found.lower > goal.enough {
        return None;
    }
    let feature_a = |place: &Point| feature_a(place, cache.vertices_a().as_slice());
    let feature_b = |place: &Point| b.feature_at(place, cache.vertices_b().as_slice());
    if found.overlapping
        && let Some(deep) = penetration(map_a, map_b, &b.pose)
    {
        let Penetration { depth, normal, point_a, point_b, .. } = deep;
        let features = FeaturePair { a: feature_a(&point_a), b: feature_b(&point_b) };
        return Some(Nearest::Overlapping(ContactPoint { point_a, point_b, normal, separation: -depth, features }));
    }
    let (core_a, core_b) = (Point::from(found.point_a), Point::from(found.point_b));
    let features = FeaturePair { a: feature_a(&core_a), b: feature_b(&core_b) };
    Some(Nearest::Apart(ContactPoint {
        point_a: core_a + found.normal * radii[0],
        point_b: core_b - found.normal * radii[1],
        normal: found.normal,
        separation: found.distance - radii[0] - radii[1],
        features,
    }))
}
