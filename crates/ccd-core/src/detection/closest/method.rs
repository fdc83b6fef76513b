//! One interface over the ways to find closest points, with a memory for each pair.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::gjk::GjkCache;
use super::separating_axis::{AxisMemory, separating_axis};
use super::vclip::{FeatureMemory, closest_features};
use super::{Closest, ClosestError, Local, convex_convex, relative, search};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::geometry::primitive::Cuboid;
use crate::geometry::solid::{Solid, SupportMap};
use crate::math::{Point, Pose, Real, is_sound_pose};
use crate::shape::Shape;

/// How closest points are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClosestMethod {
    /// Whatever takes the pair.
    #[default]
    Auto,
    /// The walk over features ([`super::vclip`]): boxes, convex polyhedra, and compounds of them.
    VClip,
    /// The same as [`ClosestMethod::Auto`], which answers by support mappings ([`super::gjk`]) wherever both sides, or their triangles and
    /// parts, are convex: a name for who compares methods. It takes every pair, fields and patches by their own ways.
    Gjk,
    /// Axes square to faces and edges ([`super::separating_axis`]), the last one first: boxes, convex polyhedra, and compounds
    /// of them. Depths of overlaps are exact; where the pair is apart, the walk over features finishes.
    SeparatingAxis,
}

impl ClosestMethod {
    /// Whether it needs features to walk over or to take axes from.
    pub(super) fn takes_polyhedra_only(self) -> bool {
        matches!(self, Self::VClip | Self::SeparatingAxis)
    }
}

impl fmt::Display for ClosestMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "the automatic choice",
            Self::VClip => "V-Clip",
            Self::Gjk => "GJK",
            Self::SeparatingAxis => "the separating axis test",
        })
    }
}

/// What a pair of solids remembers from query to query. It makes the next query on *the same two shapes* faster and is valid
/// at any poses; the answers are as good without it.
#[derive(Clone, Debug, Default)]
pub struct PairMemory {
    gjk: GjkCache,
    features: FeatureMemory,
    axis: AxisMemory,
    /// The polyhedra of boxes, which keep no features of their own.
    boxes: [Option<(Cuboid, Arc<ConvexPolyhedron>)>; 2],
    /// Of compounds: the memory of each pair of parts that was looked at.
    pub(super) parts: BTreeMap<[u32; 2], PairMemory>,
    /// Of compounds: the pair of parts that was nearest.
    pub(super) nearest: Option<[u32; 2]>,
}

/// The closest points of two solids, by the method asked for and from where `memory` left off.
///
/// # Errors
/// [`ClosestError`], as [`super::closest`]; and for solids that are no polyhedra where a method for polyhedra is asked for.
pub fn closest_by(
    method: ClosestMethod,
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    memory: &mut PairMemory,
) -> Result<Closest, ClosestError> {
    for (side, pose) in [('a', pose_a), ('b', pose_b)] {
        if !is_sound_pose(pose) {
            return Err(ClosestError::NonFinitePose { side });
        }
    }
    let found = match convex_pair(method, a, b, &pose_a.inv_mul(pose_b), memory)? {
        Some(found) => Some(found),
        None => search((a, pose_a), (b, pose_b), Real::INFINITY, method, memory)?,
    };
    // Nothing is further than infinity.
    found
        .map(|local| local.in_frame(pose_a))
        .ok_or(ClosestError::Unsupported { kind_a: a.as_solid().kind(), kind_b: b.as_solid().kind() })
}

/// Two convex solids, from where `memory` left off; `None` if one is not.
pub(super) fn convex_pair(
    method: ClosestMethod,
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    memory: &mut PairMemory,
) -> Result<Option<Local>, ClosestError> {
    Ok(match (a.as_convex(), b.as_convex()) {
        (Some(_), Some(_)) if method.takes_polyhedra_only() => Some(polyhedra(method, a, b, b_in_a, memory)?),
        (Some(a), Some(b)) => Some(convex_convex(a, b, b_in_a, &mut memory.gjk)),
        _ => None,
    })
}

/// Two polyhedra by V-Clip or by separating axes. Where they overlap, V-Clip finds that and the features, and depth, direction
/// and points come from the penetration routine; the axes have all of it.
pub(super) fn polyhedra(
    method: ClosestMethod,
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    memory: &mut PairMemory,
) -> Result<Local, ClosestError> {
    let PairMemory { gjk, features, axis, boxes: [box_a, box_b], .. } = memory;
    let (hull_a, hull_b) = (polyhedron(method, a, box_a)?, polyhedron(method, b, box_b)?);
    let placement = relative(b_in_a);
    let names = |f: FeaturePair| FeaturePair { a: named(a, &hull_a, f.a), b: named(b, &hull_b, f.b) };
    let mut iterations = 0;
    if method == ClosestMethod::SeparatingAxis {
        let found = separating_axis(&hull_a, &hull_b, &placement, axis, 0.0);
        iterations = u64::from(found.axes);
        if found.separation <= 0.0 {
            let placed_b = b_in_a.inverse_transform_point(&found.point_b);
            if !is_on(&hull_a, &found.point_a) || !is_on(&hull_b, &placed_b) {
                // Of several corners that are as far along the axis, the one that was met need not be over the face.
                let local = convex_convex(&*hull_a, &*hull_b, b_in_a, gjk);
                let point_b = local.point_a + local.normal * found.separation;
                let iterations = iterations + local.iterations;
                let features = names(local.features);
                return Ok(Local { distance: found.separation, point_b, features, iterations, ..local });
            }
            return Ok(Local {
                distance: found.separation,
                point_a: found.point_a,
                point_b: found.point_b,
                normal: found.normal,
                features: names(found.features),
                iterations,
            });
        }
    }
    let found = closest_features(&hull_a, &hull_b, &placement, features);
    let iterations = iterations + u64::from(found.steps);
    let names = names(found.features);
    if found.overlapping {
        let local = convex_convex(&*hull_a, &*hull_b, b_in_a, gjk);
        let iterations = iterations + local.iterations;
        return Ok(Local { distance: local.distance.min(0.0), features: names, iterations, ..local });
    }
    Ok(Local {
        distance: found.distance,
        point_a: found.point_a,
        point_b: found.point_b,
        normal: found.normal,
        features: names,
        iterations,
    })
}

/// Whether a place is no further outside of a polyhedron than rounding.
fn is_on(hull: &ConvexPolyhedron, place: &Point) -> bool {
    let rounding = 1e-12 * hull.bounding_sphere().radius;
    hull.planes().iter().all(|plane| plane.normal.dot(&place.coords) - plane.offset <= rounding)
}

/// The polyhedron that a shape is.
fn polyhedron(
    method: ClosestMethod,
    shape: &Shape,
    kept: &mut Option<(Cuboid, Arc<ConvexPolyhedron>)>,
) -> Result<Arc<ConvexPolyhedron>, ClosestError> {
    let none = || ClosestError::NotPolyhedron { method, kind: shape.as_solid().kind() };
    match shape {
        Shape::Convex(hull) => Ok(Arc::clone(hull)),
        Shape::Box(cuboid) => {
            if let Some((known, hull)) = kept
                && known == cuboid
            {
                return Ok(Arc::clone(hull));
            }
            let corners: Vec<Point> = (0..8).map(|i| cuboid.vertex(i)).collect();
            // A box too thin to have a hull of its own is none that a walk could go around.
            let hull = Arc::new(ConvexPolyhedron::from_points(&corners).map_err(|_| none())?);
            *kept = Some((*cuboid, Arc::clone(&hull)));
            Ok(hull)
        }
        _ => Err(none()),
    }
}

/// A feature of the polyhedron by the shape's own name.
fn named(shape: &Shape, hull: &ConvexPolyhedron, feature: Feature) -> Feature {
    match (shape, feature) {
        (Shape::Box(cuboid), Feature::Vertex(v)) => cuboid.feature_of(&[v]),
        (Shape::Box(cuboid), Feature::Edge(e)) => cuboid.feature_of(&hull.edges()[e as usize].vertices),
        (Shape::Box(cuboid), Feature::Face(f)) => cuboid.feature_of(hull.face_vertices(f as usize)),
        _ => feature,
    }
}
