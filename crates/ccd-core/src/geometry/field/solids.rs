//! The queries of [`Solid`] for fields that leave them to their distances and enclosures.

use super::query;
use super::{Csg, Field, Operation};
use crate::geometry::feature::FeatureSet;
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap};
use crate::math::{Point, Real};
use crate::volume::{Aabb, Obb, Sphere};

/// A field that answers as a solid by what it knows as a field.
pub trait ByField: Field {
    /// What it is, for messages.
    fn name(&self) -> &'static str;

    /// A box and a sphere around all of it.
    fn extent(&self) -> (Aabb, Sphere);

    /// The support mapping, where it is convex and has one.
    fn convex(&self) -> Option<&dyn SupportMap> {
        None
    }

    /// The support mapping of a convex solid that holds it ([`Solid::convex_bound`]).
    fn bound(&self) -> Option<&dyn SupportMap> {
        self.convex()
    }

    /// Its own triangles, where it has better ones than those of cells ([`super::ImplicitSurface::triangles`]).
    fn triangles(&self, _max_error: Real) -> Option<FeatureSet> {
        None
    }
}

impl<F: ByField> Solid for F {
    fn kind(&self) -> &'static str {
        self.name()
    }

    fn local_aabb(&self) -> Aabb {
        self.extent().0
    }

    fn bounding_sphere(&self) -> Sphere {
        self.extent().1
    }

    fn features(&self, max_error: Real) -> FeatureSet {
        self.triangles(max_error).unwrap_or_else(|| query::features(self, max_error))
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        query::overlaps_obb(self, obb)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        query::cast_segment(self, segment)
    }

    fn distance_bound(&self, point: &Point) -> Real {
        self.distance(point).max(0.0)
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        self.convex()
    }

    fn convex_bound(&self) -> Option<&dyn SupportMap> {
        self.bound()
    }

    fn field(&self) -> Option<&dyn Field> {
        Some(self)
    }
}

impl ByField for Csg {
    fn name(&self) -> &'static str {
        match self.operation() {
            Operation::Union => "union",
            Operation::Intersection => "intersection",
            Operation::Difference => "difference",
        }
    }

    fn extent(&self) -> (Aabb, Sphere) {
        (self.aabb, self.sphere)
    }

    fn convex(&self) -> Option<&dyn SupportMap> {
        self.convex.as_ref().map(|convex| convex as &dyn SupportMap)
    }

    fn bound(&self) -> Option<&dyn SupportMap> {
        self.convex().or_else(|| self.bound.as_ref().map(|bound| bound as &dyn SupportMap))
    }
}
