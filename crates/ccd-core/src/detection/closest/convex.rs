//! Two convex solids, by their cores; and a half-space against what has a furthest point into it.

use super::Local;
use super::gjk::{GjkCache, GjkGoal, RelativePose, Separation, VertexList, separation};
use super::penetration::{penetration, touch};
use super::touching;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::primitive::HalfSpace;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose};
use crate::shape::Shape;

/// A half-space against the point of the other that is furthest into it.
pub(super) fn half_space(plane: &HalfSpace, other: &Shape, pose: &Pose) -> Option<Local> {
    if let Some(convex) = other.as_convex() {
        return Some(convex_over(plane, convex, pose));
    }
    let Shape::Mesh(mesh) = other else { return None };
    let height = |p: &Point| (pose * p).coords.dot(&plane.normal());
    let (index, point) =
        mesh.mesh().vertices().iter().enumerate().min_by(|(_, p), (_, q)| height(p).total_cmp(&height(q)))?;
    Some(over(plane, pose * point, Feature::Vertex(index as u32)))
}

/// A half-space against a convex solid.
pub(super) fn convex_over(plane: &HalfSpace, convex: &dyn SupportMap, pose: &Pose) -> Local {
    let direction = pose.rotation.inverse_transform_vector(&-plane.normal());
    let support = convex.support(&direction, 0);
    over(plane, pose * support.point - plane.normal() * convex.radius(), convex.feature_of(&[support.vertex]))
}

/// A half-space against the solid whose furthest point into it this is.
fn over(plane: &HalfSpace, deepest: Point, feature: Feature) -> Local {
    let normal = plane.normal();
    let distance = deepest.coords.dot(&normal);
    Local {
        distance,
        point_a: deepest - normal * distance,
        point_b: deepest,
        normal,
        features: FeaturePair { a: Feature::Face(0), b: feature },
        iterations: 1,
    }
}

/// Two convex solids of which the cores are apart: the distance of these less the radii. `None` where they are not.
pub(super) fn cores_apart(
    a: &dyn SupportMap,
    b: &dyn SupportMap,
    pose: &Pose,
    found: &Separation,
    cache: &GjkCache,
) -> Option<Local> {
    let distance = found.distance - a.radius() - b.radius();
    // Cores that are apart measure the overlap of their roundings, too; only where they all but touch is the direction lost.
    let apart = found.distance > 1e-9 * (a.radius() + b.radius());
    (!found.overlapping && (apart || distance >= 0.0)).then(|| of_cores(a, b, pose, found, cache))
}

/// The nearest points of two convex solids by those of their cores.
fn of_cores(a: &dyn SupportMap, b: &dyn SupportMap, pose: &Pose, found: &Separation, cache: &GjkCache) -> Local {
    let normal = touching::direction(a, b, pose, found);
    Local {
        distance: found.distance - a.radius() - b.radius(),
        point_a: Point::from(found.point_a + normal * a.radius()),
        point_b: Point::from(found.point_b - normal * b.radius()),
        normal,
        features: FeaturePair { a: feature(a, &cache.vertices_a()), b: feature(b, &cache.vertices_b()) },
        iterations: u64::from(found.rounds),
    }
}

/// Two convex solids: the distance of their cores less the radii, or the depth.
pub(super) fn convex_convex(a: &dyn SupportMap, b: &dyn SupportMap, pose: &Pose, cache: &mut GjkCache) -> Local {
    let found = separation(a, b, &relative(pose), cache, &GjkGoal::EXACT_POINTS);
    if let Some(apart) = cores_apart(a, b, pose, &found, cache) {
        return apart;
    }
    let iterations = u64::from(found.rounds);
    // In touch to within rounding the two searches may disagree about the last digit, and what found an overlap knows no points.
    let overlap = penetration(a, b, pose);
    match overlap.or_else(|| found.overlapping.then(|| touch(a, b, pose)).flatten()) {
        Some(p) => {
            let side = |solid: &dyn SupportMap, pick: fn(&(u32, u32)) -> u32| {
                let mut ids = p.vertices.map(|v| pick(&v)).to_vec();
                ids.sort_unstable();
                ids.dedup();
                solid.feature_of(&ids)
            };
            Local {
                distance: -p.depth.max(0.0),
                point_a: p.point_a,
                point_b: p.point_b,
                normal: p.normal,
                features: FeaturePair { a: side(a, |v| v.0), b: side(b, |v| v.1) },
                iterations,
            }
        }
        None => {
            let nearest = of_cores(a, b, pose, &found, cache);
            Local { distance: nearest.distance.max(0.0), ..nearest }
        }
    }
}

/// The feature that the last of a search's vertices are of.
pub(super) fn feature(solid: &dyn SupportMap, vertices: &VertexList) -> Feature {
    let ids = vertices.as_slice();
    solid.feature_of(&ids[..ids.len().min(3)])
}

/// The placement of B in A's frame as searches take it.
pub(super) fn relative(pose: &Pose) -> RelativePose {
    RelativePose { rotation: pose.rotation.to_rotation_matrix().into_inner(), translation: pose.translation.vector }
}
