//! The nearest points of two convex solids, and the direction of least overlap.

use super::ContactPoint;
use super::buffer::Buffer;
use super::side::ConvexSide;
use crate::detection::closest::gjk::{GjkCache, GjkGoal, RelativePose, separation};
use crate::detection::closest::penetration::{Penetration, penetration};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Real, Vector};

/// What is known of two convex solids within the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Nearest {
    /// They are apart: the nearest points on their surfaces.
    Apart(ContactPoint),
    /// Their cores overlap: the deepest points, along the direction of least overlap.
    Overlapping(ContactPoint),
}

/// Names the feature of a core at a place (in the query's frame) that the given support vertices span.
pub(super) type FeatureAt<'a> = &'a dyn Fn(&Point, &[u32]) -> Feature;

/// Names the outward unit normals of the faces of a core that may look along a direction.
pub(super) type FacesAt<'a> = &'a dyn Fn(&Vector) -> [Option<Vector>; 2];

/// The nearest points of a core in the frame of the query, whose features `feature_a` names by their support vertices and place,
/// and a placed solid; `None` when they are further apart than `margin` metres.
///
/// No direction is taken from a distance of zero (erratum E26): cores that overlap have that of the least translation apart.
pub(super) fn nearest_points(
    (map_a, feature_a, faces_a): (&dyn SupportMap, FeatureAt<'_>, FacesAt<'_>),
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
    if found.overlapping
        && let Some(deep) = penetration(map_a, map_b, &b.pose)
    {
        let Penetration { depth, normal, point_a, point_b, vertices } = deep;
        // Those of the deepest place, not of the simplex that only showed the overlap.
        let (deepest_a, deepest_b) = (once(vertices.map(|v| v.0)), once(vertices.map(|v| v.1)));
        let features = FeaturePair { a: feature_a(&point_a, &deepest_a), b: b.feature_at(&point_b, &deepest_b) };
        return Some(Nearest::Overlapping(ContactPoint { point_a, point_b, normal, separation: -depth, features }));
    }
    let (core_a, core_b) = (Point::from(found.point_a), Point::from(found.point_b));
    let features = FeaturePair {
        a: feature_a(&core_a, cache.vertices_a().as_slice()),
        b: b.feature_at(&core_b, cache.vertices_b().as_slice()),
    };
    // A search that ended short of its proof has points, but no direction worth trusting (E26).
    let proven = found.distance - found.lower <= 1e-3 * found.distance;
    let normal = if proven { found.normal } else { best_direction(map_a, b, found.normal, faces_a) };
    let separation = (core_b - core_a).dot(&normal) - radii[0] - radii[1];
    let (point_a, point_b) = (core_a + normal * radii[0], core_b - normal * radii[1]);
    Some(Nearest::Apart(ContactPoint { point_a, point_b, normal, separation, features }))
}

/// Each vertex number once.
fn once(vertices: [u32; 3]) -> Buffer<u32, 3> {
    let mut found = Buffer::new(0);
    for v in vertices {
        if !found.contains(&v) {
            found.push(v);
        }
    }
    found
}

/// Of `normal` and the directions of the faces near it, the one along which the cores are furthest apart.
fn best_direction(map_a: &dyn SupportMap, b: &ConvexSide<'_>, normal: Vector, faces_a: FacesAt<'_>) -> Vector {
    let apart = |n: &Vector| (b.support(&-n).0 - map_a.support(n, 0).point).dot(n);
    let mut best = (apart(&normal), normal);
    // Twice: the faces near a better direction may be better ones.
    for _ in 0..2 {
        let n = best.1;
        for face in faces_a(&n).into_iter().chain(b.faces_towards(&-n).map(|m| m.map(|m| -m))).flatten() {
            let gap = apart(&face);
            if gap > best.0 {
                best = (gap, face);
            }
        }
    }
    best.1
}
