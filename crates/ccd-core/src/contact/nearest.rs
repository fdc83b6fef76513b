//! The nearest points of two convex solids, and the direction of least overlap.

use super::ContactPoint;
use super::side::ConvexSide;
use crate::detection::closest::gjk::{GjkCache, GjkGoal, RelativePose, separation};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Real, Vector};

/// What is known of two convex solids within the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Nearest {
    /// They are apart: the nearest points on their surfaces.
    Apart(ContactPoint),
    /// Their cores overlap: the direction from A to B of least overlap, and how far they are apart along it (metres, not positive).
    Overlapping {
        /// Unit.
        normal: Vector,
        /// Metres.
        separation: Real,
    },
}

/// The nearest points of a core in the frame of the query, whose features `feature_a` names by their support vertices and place,
/// and a placed solid; `None` when they are further apart than `margin` metres.
///
/// Of cores that overlap, the direction is the best found from `suggestions` and the faces they lead to (erratum E26: no
/// direction is taken from a distance of zero).
pub(super) fn nearest_points(
    (map_a, feature_a): (&dyn SupportMap, &dyn Fn(&Point, &[u32]) -> Feature),
    b: &ConvexSide<'_>,
    margin: Real,
    suggestions: &[Vector],
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
    if found.overlapping {
        return Some(least_overlap(map_a, b, suggestions));
    }
    let (core_a, core_b) = (Point::from(found.point_a), Point::from(found.point_b));
    let features = FeaturePair {
        a: feature_a(&core_a, cache.vertices_a().as_slice()),
        b: b.feature_at(&core_b, cache.vertices_b().as_slice()),
    };
    Some(Nearest::Apart(ContactPoint {
        point_a: core_a + found.normal * radii[0],
        point_b: core_b - found.normal * radii[1],
        normal: found.normal,
        separation: found.distance - radii[0] - radii[1],
        features,
    }))
}

/// How often the search for the least overlap follows the faces that a direction leads to.
const OVERLAP_ROUNDS: usize = 8;

fn least_overlap(map_a: &dyn SupportMap, b: &ConvexSide<'_>, suggestions: &[Vector]) -> Nearest {
    let radii = map_a.radius() + b.map().radius();
    let apart = |n: &Vector| {
        let on_b = b.support(&-n).0;
        let on_a = map_a.support(n, 0).point;
        (on_b - on_a).dot(n) - radii
    };
    let mut best: Option<(Real, Vector)> = None;
    let mut offer = |n: Vector| -> bool {
        let Some(n) = n.try_normalize(0.0) else { return false };
        let gap = apart(&n);
        let better = best.is_none_or(|(most, _)| gap > most);
        if better {
            best = Some((gap, n));
        }
        better
    };
    let between = b.pose * b.map().interior_point() - map_a.interior_point();
    for n in suggestions.iter().chain([&between, &Vector::y(), &Vector::x(), &Vector::z()]) {
        let mut n = *n;
        let mut polygon = Vec::new();
        for _ in 0..OVERLAP_ROUNDS {
            let mut improved = offer(n);
            polygon.clear();
            map_a.support_face(&n, &mut polygon);
            let own = polygon_normal(&polygon).map(|m| if m.dot(&n) < 0.0 { -m } else { m });
            let face_b = b.patch(&-n);
            let others = own.into_iter().chain(face_b.is_face().then(|| -face_b.normal));
            for other in others {
                if offer(other) {
                    improved = true;
                    n = other;
                }
            }
            if !improved {
                break;
            }
        }
    }
    let (separation, normal) = best.unwrap_or((0.0, Vector::y()));
    Nearest::Overlapping { normal, separation: separation.min(0.0) }
}

/// The unit normal of a polygon by all its corners (Newell's sum); `None` where there is none.
pub(super) fn polygon_normal(polygon: &[Point]) -> Option<Vector> {
    let first = polygon.first()?;
    let mut normal = Vector::zeros();
    for pair in polygon.windows(2) {
        normal += (pair[0] - first).cross(&(pair[1] - first));
    }
    normal.try_normalize(0.0)
}
