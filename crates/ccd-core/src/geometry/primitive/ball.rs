//! The sphere.

use super::error::{ShapeError, positive};
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// A ball around its origin. For support mappings it is a point with a rounding radius, so that distances to it are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    radius: Real,
}

impl Ball {
    /// The ball of `radius` metres.
    ///
    /// # Errors
    /// [`ShapeError`] unless the radius is positive and in range.
    pub fn try_new(radius: Real) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive("sphere", "radius", radius)? })
    }

    /// The radius, metres.
    pub fn radius(&self) -> Real {
        self.radius
    }
}

/// Where the segment enters the ball of `radius` around `centre`: the fraction in [0, 1], 0 when it starts inside.
pub(super) fn enter_ball(segment: &Segment, centre: &Point, radius: Real) -> Option<Real> {
    let from = segment.start - centre;
    let d = segment.end - segment.start;
    if from.norm_squared() <= radius * radius {
        return Some(0.0);
    }
    let (a, b) = (d.norm_squared(), from.dot(&d));
    if b >= 0.0 || a == 0.0 {
        return None;
    }
    // The line's nearest place to the centre, then half the chord back: no difference of large squares.
    let nearest = from - d * (b / a);
    let half_chord_squared = radius * radius - nearest.norm_squared();
    if half_chord_squared < 0.0 {
        return None;
    }
    let fraction = (-b / a - (half_chord_squared / a).sqrt()).max(0.0);
    (fraction <= 1.0).then_some(fraction)
}

/// The direction of `v`, or y where it has none.
#[inline]
pub(super) fn direction_or_up(v: &Vector) -> Vector {
    v.try_normalize(0.0).unwrap_or_else(Vector::y)
}

impl Solid for Ball {
    fn kind(&self) -> &'static str {
        "sphere"
    }

    fn local_aabb(&self) -> Aabb {
        Aabb::from_half_extents(Point::origin(), Vector::repeat(self.radius))
    }

    fn bounding_sphere(&self) -> Sphere {
        Sphere { centre: Point::origin(), radius: self.radius }
    }

    fn features(&self, _max_error: Real) -> FeatureSet {
        FeatureSet { vertices: vec![Point::origin()], radius: self.radius, ..FeatureSet::default() }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        let local = obb.axes.tr_mul(&obb.centre.coords).abs() - obb.half_extents;
        let distance = local.sup(&Vector::zeros()).norm();
        distance <= self.radius + 4.0 * Real::EPSILON * (obb.centre.coords.norm() + obb.half_extents.norm())
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let fraction = enter_ball(segment, &Point::origin(), self.radius)?;
        let point = segment.start + (segment.end - segment.start) * fraction;
        Some(SegmentHit { fraction, point, normal: direction_or_up(&point.coords), feature: Feature::Face(0) })
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    fn field(&self) -> Option<&dyn Field> {
        Some(self)
    }
}

impl SupportMap for Ball {
    #[inline]
    fn support(&self, _direction: &Vector, _hint: u32) -> SupportPoint {
        SupportPoint { point: Point::origin(), vertex: 0 }
    }

    #[inline]
    fn radius(&self) -> Real {
        self.radius
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn feature_of(&self, _vertices: &[u32]) -> Feature {
        Feature::Face(0)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        super::revolution::distance_from_axis(&Point::origin(), centre, axis) + self.radius
    }

    fn support_face(&self, _direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        polygon.push(Point::origin());
        Feature::Face(0)
    }
}
