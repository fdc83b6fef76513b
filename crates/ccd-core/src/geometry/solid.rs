//! What detection asks of a solid: the paper's requirements (representative surface points, a box query, a segment query
//! with the normal), and the capabilities that open faster ways.
//!
//! Source: precise contact determination, section 1; erratum E6 (features, not only points).

use std::fmt::Debug;

use super::feature::{Feature, FeatureSet};
use super::field::Field;
use super::primitive::Capsule;
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// A segment from `start` to `end`, in the frame of the solid that is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The first end, metres.
    pub start: Point,
    /// The other end, metres.
    pub end: Point,
}

/// Where a segment first meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentHit {
    /// The fraction of the segment, in [0, 1].
    pub fraction: Real,
    /// The place, in the solid's frame.
    pub point: Point,
    /// The outward unit normal there; for a two-sided soup, the side that faces the segment's start.
    pub normal: Vector,
    /// The feature that is met.
    pub feature: Feature,
}

/// Anything that can be collided with. All arguments and answers are in the solid's own frame, in metres.
pub trait Solid: Debug + Send + Sync {
    /// What the solid is, for messages: `box`, `mesh`, …
    fn kind(&self) -> &'static str;

    /// A box around the whole solid; infinite along unbounded directions.
    fn local_aabb(&self) -> Aabb;

    /// A sphere around the whole solid; of infinite radius for an unbounded one.
    fn bounding_sphere(&self) -> Sphere;

    /// The representative surface points and features, no further than `max_error` metres from the true surface.
    fn features(&self, max_error: Real) -> FeatureSet;

    /// Whether the box meets the solid (its inside too, where it has one). Never `false` for a box that does.
    fn overlaps_obb(&self, obb: &Obb) -> bool;

    /// The first place where the segment meets the solid's surface; a segment that starts inside a closed solid hits
    /// at fraction 0 with the normal of the nearest surface.
    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit>;

    /// A lower bound on the distance from `point` to the solid, metres; zero inside, and zero where nothing is known.
    ///
    /// Asked of solids that no finite feature set represents, where a box would be too coarse a stand-in for a ball.
    fn distance_bound(&self, _point: &Point) -> Real {
        0.0
    }

    /// The support mapping, where the solid is convex and bounded.
    fn support_map(&self) -> Option<&dyn SupportMap> {
        None
    }

    /// The support mapping of a convex solid that holds this one, as closely as can be had at once: what is apart from the one is apart
    /// from the other. Of a convex solid its own.
    fn convex_bound(&self) -> Option<&dyn SupportMap> {
        self.support_map()
    }

    /// The solid as a field, where it can tell how far any place is from it.
    fn field(&self) -> Option<&dyn Field> {
        None
    }
}

/// The extreme point of a convex core in some direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportPoint {
    /// The place, in the solid's frame.
    pub point: Point,
    /// The vertex it is; on a smooth edge or surface [`SupportPoint::CURVED`], or a number from 2³¹ on that agrees in its last bit with
    /// those of other places of it.
    pub vertex: u32,
}

impl SupportPoint {
    /// The least number of places that are no vertex.
    pub(crate) const FIRST_CURVED: u32 = 1 << 31;
    /// The number of places that are no vertex and have no number of their own.
    pub const CURVED: u32 = u32::MAX;

    /// Whether a number is that of a place on a smooth edge or surface.
    pub(crate) fn is_curved(vertex: u32) -> bool {
        vertex >= Self::FIRST_CURVED
    }

    /// Whether two numbers are those of places on one smooth edge or surface: they agree in the last bit.
    pub(crate) fn is_same_curve(one: u32, other: u32) -> bool {
        Self::is_curved(one) && Self::is_curved(other) && (one ^ other) & 1 == 0
    }
}

/// A bounded convex solid: a convex core with a rounding radius around it (zero for polyhedra).
pub trait SupportMap: Debug + Send + Sync {
    /// The point of the core that is furthest along `direction` (any length but zero; the solid's frame).
    ///
    /// `hint` is the vertex where a climb over the edges may start, usually the last answer's; any number is allowed.
    fn support(&self, direction: &Vector, hint: u32) -> SupportPoint;

    /// The rounding radius around the core, metres.
    fn radius(&self) -> Real {
        0.0
    }

    /// A point of the core, to start from.
    fn interior_point(&self) -> Point;

    /// The capsule that has the round side of the core, where the core has one and is what lies within it: searches for nearest points on it
    /// are searches for those of its axis. Every support point is then at one of its two ends.
    fn flank(&self) -> Option<Capsule> {
        None
    }

    /// The feature that the given support vertices (one to three, of one face) span.
    fn feature_of(&self, vertices: &[u32]) -> Feature;

    /// The largest distance of a point of the solid, rounding included, from the line through `centre` along the unit
    /// `axis`; metres.
    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real;

    /// Appends the face of the core, as a convex polygon in order, whose outward normal is nearest to the unit
    /// `direction`; for a smooth surface the support point alone, or the straight line of a cylinder, cone or capsule.
    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature;

    /// Calls `look` with the outward unit normals of the flat faces that meet where the core is furthest along `direction` (any length but zero),
    /// whichever way they look. None (the default) for a surface without edges.
    fn each_face_at(&self, _direction: &Vector, _look: &mut dyn FnMut(Vector)) {}

    /// The side that looks along the unit `direction`, where the surface is smooth and yet so little bent there that something rests on all of it: what of
    /// it is within `depth` metres of its top. `None` (the default) for surfaces that roll, and for those that [`SupportMap::support_face`] has the
    /// faces of.
    fn flat_side(&self, _direction: &Vector, _depth: Real) -> Option<FlatSide> {
        None
    }
}

/// A side of a smooth convex solid that is flat for all that counts, in the solid's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatSide {
    /// Places of the surface: the corners of a convex polygon in a plane across `normal`, counter-clockwise seen from outside; or the two ends of a
    /// line across it, of a side that is bent the other way.
    pub corners: Vec<Point>,
    /// The place of the surface between them that is furthest along `normal`.
    pub middle: Point,
    /// Outward, unit.
    pub normal: Vector,
    /// Which of the solid's flat sides it is: the same while the direction changes little.
    pub number: u32,
}
