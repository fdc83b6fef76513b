//! The queries of [`Solid`] for fields that leave them to their distances and enclosures.

use super::query;
use super::{Csg, Field, Operation, SignedDistanceGrid};
use crate::geometry::feature::FeatureSet;
use crate::geometry::solid::{Segment, SegmentHit, Solid};
use crate::math::{Point, Real};
use crate::volume::{Aabb, Obb, Sphere};

macro_rules! solid_of_field {
    ($($field:ty: $kind:expr;)+) => {
        $(impl Solid for $field {
            fn kind(&self) -> &'static str {
                let kind: fn(&$field) -> &'static str = $kind;
                kind(self)
            }

            fn local_aabb(&self) -> Aabb {
                self.aabb
            }

            fn bounding_sphere(&self) -> Sphere {
                self.sphere
            }

            fn features(&self, max_error: Real) -> FeatureSet {
                query::features(self, max_error)
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

            fn field(&self) -> Option<&dyn Field> {
                Some(self)
            }
        })+
    };
}

solid_of_field! {
    Csg: |s| match s.operation() {
        Operation::Union => "union",
        Operation::Intersection => "intersection",
        Operation::Difference => "difference",
    };
    SignedDistanceGrid: |_| "distance grid";
}
