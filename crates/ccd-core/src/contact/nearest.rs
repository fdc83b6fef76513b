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

/// What the search asks a convex solid in the frame of the query.
pub(super) trait Core {
    /// Its support mapping.
    fn map(&self) -> &dyn SupportMap;
    /// The feature of its core at a place that the given support vertices span.
    fn feature_at(&self, place: &Point, vertices: &[u32]) -> Feature;
    /// The outward unit normals of the faces of its core that may look along a direction.
    fn faces_towards(&self, direction: &Vector) -> [Option<Vector>; 2];
    /// The outward unit normal of a smooth surface at `own`, its place nearest to `other` as far as a search found it; `None` for a surface that has
    /// edges there, or of which no normals are known.
    fn normal_at(&self, own: &Point, other: &Point) -> Option<Vector>;
}

impl Core for ConvexSide<'_> {
    fn map(&self) -> &dyn SupportMap {
        self.map()
    }

    fn feature_at(&self, place: &Point, vertices: &[u32]) -> Feature {
        self.feature_at(place, vertices)
    }

    fn faces_towards(&self, direction: &Vector) -> [Option<Vector>; 2] {
        self.faces_towards(direction)
    }

    fn normal_at(&self, own: &Point, other: &Point) -> Option<Vector> {
        self.smooth_normal(own, other)
    }
}

/// The nearest points of a solid in the frame of the query and a placed solid; `None` when they are further apart than `margin` metres.
///
/// No direction is taken from a distance of zero (erratum E26): cores that overlap have that of the least translation apart.
pub(super) fn nearest_points(a: &dyn Core, b: &ConvexSide<'_>, margin: Real, cache: &mut GjkCache) -> Option<Nearest> {
    let (map_a, map_b) = (a.map(), b.map());
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
        let features = FeaturePair { a: a.feature_at(&point_a, &deepest_a), b: b.feature_at(&point_b, &deepest_b) };
        return Some(Nearest::Overlapping(ContactPoint { point_a, point_b, normal, separation: -depth, features }));
    }
    let (core_a, core_b) = (Point::from(found.point_a), Point::from(found.point_b));
    let features = FeaturePair {
        a: a.feature_at(&core_a, cache.vertices_a().as_slice()),
        b: b.feature_at(&core_b, cache.vertices_b().as_slice()),
    };
    // A search that ended short of its proof has points, but no direction worth trusting (E26).
    let proven = found.distance - found.lower <= 1e-3 * found.distance;
    let smooth = [a.normal_at(&core_a, &core_b), b.normal_at(&core_b, &core_a).map(|n| -n)];
    let smooth = smooth.into_iter().flatten().reduce(|p, q| p + q).and_then(|n| n.try_normalize(0.0));
    // Of places that are next to each other the way from one to the other is no direction: a smooth surface has a better one.
    let better = smooth.filter(|n| apart(a, b, n) > apart(a, b, &found.normal));
    let normal = match better {
        None if proven => found.normal,
        _ => best_direction(a, b, better.unwrap_or(found.normal)),
    };
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

/// How far apart the cores are along a unit direction, metres.
fn apart(a: &dyn Core, b: &ConvexSide<'_>, n: &Vector) -> Real {
    (b.support(&-n).0 - a.map().support(n, 0).point).dot(n)
}

/// Of `normal` and the directions of the faces near it, the one along which the cores are furthest apart.
fn best_direction(a: &dyn Core, b: &ConvexSide<'_>, normal: Vector) -> Vector {
    let mut best = (apart(a, b, &normal), normal);
    // Twice: the faces near a better direction may be better ones.
    for _ in 0..2 {
        let n = best.1;
        for face in a.faces_towards(&n).into_iter().chain(b.faces_towards(&-n).map(|m| m.map(|m| -m))).flatten() {
            let gap = apart(a, b, &face);
            if gap > best.0 {
                best = (gap, face);
            }
        }
    }
    best.1
}
