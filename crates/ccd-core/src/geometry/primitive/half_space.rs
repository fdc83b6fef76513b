//! The half-space.

use super::error::{ShapeError, unit};
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::solid::{Segment, SegmentHit, Solid};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// All points on or below the plane through the origin with the given outward normal. Its one feature is `Face(0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    normal: Vector,
}

impl HalfSpace {
    /// The half-space with the outward normal along `normal`, of any length.
    ///
    /// # Errors
    /// [`ShapeError::BadNormal`] for a zero or non-finite normal.
    pub fn try_new(normal: Vector) -> Result<Self, ShapeError> {
        Ok(Self { normal: unit(normal)? })
    }

    /// The outward unit normal, in the solid's frame.
    #[inline]
    pub fn normal(&self) -> Vector {
        self.normal
    }
}

impl Solid for HalfSpace {
    fn kind(&self) -> &'static str {
        "half-space"
    }

    /// Infinite, but for the side that an exactly axis-aligned normal closes.
    fn local_aabb(&self) -> Aabb {
        let mut aabb =
            Aabb { min: Vector::repeat(Real::NEG_INFINITY).into(), max: Vector::repeat(Real::INFINITY).into() };
        for k in 0..3 {
            if self.normal[k] == 1.0 {
                aabb.max[k] = 0.0;
            } else if self.normal[k] == -1.0 {
                aabb.min[k] = 0.0;
            }
        }
        aabb
    }

    fn bounding_sphere(&self) -> Sphere {
        Sphere { centre: Point::origin(), radius: Real::INFINITY }
    }

    /// The origin alone, with an infinite error: a plane has no finite feature set that stands for it.
    fn features(&self, _max_error: Real) -> FeatureSet {
        FeatureSet { vertices: vec![Point::origin()], error: Real::INFINITY, ..FeatureSet::default() }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        let rounding = 8.0 * Real::EPSILON * (obb.centre.coords.norm() + obb.half_extents.norm());
        self.normal.dot(&obb.centre.coords) - obb.radius_along(&self.normal) <= rounding
    }

    fn distance_bound(&self, point: &Point) -> Real {
        // Rounding must not make a bound of a distance too large.
        let rounding = 8.0 * Real::EPSILON * point.coords.norm();
        (self.normal.dot(&point.coords) - rounding).max(0.0)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let (start, end) = (self.normal.dot(&segment.start.coords), self.normal.dot(&segment.end.coords));
        let fraction = if start <= 0.0 {
            0.0
        } else if end <= 0.0 {
            start / (start - end)
        } else {
            return None;
        };
        let point = segment.start + (segment.end - segment.start) * fraction;
        Some(SegmentHit { fraction, point, normal: self.normal, feature: Feature::Face(0) })
    }

    fn field(&self) -> Option<&dyn Field> {
        Some(self)
    }
}
