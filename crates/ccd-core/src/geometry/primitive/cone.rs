//! The cone.

use super::cylinder::CAP_CORNERS;
use super::error::{ShapeError, positive};
use super::revolution::{Entry, RoundSlab, circle_reach, distance_from_axis, ring, ring_size};
use super::rim::{self, Span};
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// A cone around y, its apex at `+half_height`, its base at `-half_height`. The apex is `Vertex(0)`, the base `Face(0)`,
/// its rim `Edge(0)`, the side `Face(1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    radius: Real,
    half_height: Real,
}

impl Cone {
    /// The cone of base `radius` and height `2 half_height`, metres.
    ///
    /// # Errors
    /// [`ShapeError`] unless both are positive and in range.
    pub fn try_new(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Ok(Self {
            radius: positive("cone", "radius", radius)?,
            half_height: positive("cone", "half height", half_height)?,
        })
    }

    /// The radius of the base, metres.
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Half the height, metres.
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    pub(crate) fn apex(&self) -> Point {
        Point::new(0.0, self.half_height, 0.0)
    }

    fn slab(&self) -> RoundSlab {
        RoundSlab {
            half_height: self.half_height,
            slope: 0.5 * self.radius / self.half_height,
            level: 0.5 * self.radius,
        }
    }

    /// The outward normal of the side over a point, from its unit direction across the axis.
    fn side_normal(&self, across: &Vector) -> Vector {
        let length = self.radius.hypot(2.0 * self.half_height);
        across * (2.0 * self.half_height / length) + Vector::y() * (self.radius / length)
    }
}

/// The unit direction from the axis to `p`, or x on the axis.
fn across_axis(p: &Vector) -> Vector {
    Vector::new(p.x, 0.0, p.z).try_normalize(0.0).unwrap_or_else(Vector::x)
}

impl Solid for Cone {
    fn kind(&self) -> &'static str {
        "cone"
    }

    fn local_aabb(&self) -> Aabb {
        Aabb::from_half_extents(Point::origin(), Vector::new(self.radius, self.half_height, self.radius))
    }

    /// The smallest sphere through the apex and the rim, or around the base where that is wide.
    fn bounding_sphere(&self) -> Sphere {
        let (r, h) = (self.radius, self.half_height);
        // Equally far from apex and rim: r² + (y + h)² = (h − y)².
        let y = (-r * r / (4.0 * h)).max(-h);
        let radius = r.hypot(y + h).max(h - y) * (1.0 + 8.0 * Real::EPSILON);
        Sphere { centre: Point::new(0.0, y, 0.0), radius }
    }

    /// An inscribed pyramid: its faces and edges, as fine as [`super::FINEST_ROUND`] allows.
    fn features(&self, max_error: Real) -> FeatureSet {
        let (n, error) = ring_size(self.radius, max_error);
        let next = |i: u32| (i + 1) % n;
        FeatureSet {
            vertices: ring(n, self.radius, -self.half_height, [1.0, 0.0]).chain([self.apex()]).collect(),
            edges: (0..n).flat_map(|i| [[i, next(i)], [i, n]]).collect(),
            faces: (0..n).map(|i| [i, next(i), n]).chain((1..n - 1).map(|i| [0, i + 1, i])).collect(),
            radius: 0.0,
            error,
        }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        self.slab().overlaps_obb(obb)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let d = segment.end - segment.start;
        let side = |fraction: Real| {
            let point = segment.start + d * fraction;
            let normal = self.side_normal(&across_axis(&point.coords));
            SegmentHit { fraction, point, normal, feature: Feature::Face(1) }
        };
        let base = |fraction: Real| {
            let point = segment.start + d * fraction;
            SegmentHit { fraction, point, normal: -Vector::y(), feature: Feature::Face(0) }
        };
        Some(match self.slab().enter(segment)? {
            Entry::LowerCap(t) => base(t),
            // The upper cap is the apex alone.
            Entry::UpperCap(t) | Entry::Side(t) => side(t),
            Entry::Inside => {
                let from_apex = segment.start - self.apex();
                let depth = -self.side_normal(&across_axis(&from_apex)).dot(&from_apex);
                if segment.start.y + self.half_height < depth { base(0.0) } else { side(0.0) }
            }
        })
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    fn field(&self) -> Option<&dyn Field> {
        Some(self)
    }
}

impl SupportMap for Cone {
    #[inline]
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let across = (direction.x * direction.x + direction.z * direction.z).sqrt();
        // The apex is `2h` above the rim's plane, the rim point `r` out.
        if 2.0 * self.half_height * direction.y > self.radius * across {
            return SupportPoint { point: self.apex(), vertex: 0 };
        }
        let (x, z) = if across > 0.0 { (direction.x / across, direction.z / across) } else { (0.0, 0.0) };
        let point = Point::new(x * self.radius, -self.half_height, z * self.radius);
        SupportPoint { point, vertex: rim::number(0, x, z) }
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        let apex = vertices.contains(&0);
        match (apex, rim::span(vertices.iter().copied().filter(|&v| v != 0))) {
            (true, Span::Nothing) => Feature::Vertex(0),
            (true, _) => Feature::Face(1),
            (false, Span::Rim(_)) => Feature::Edge(0),
            (false, _) => Feature::Face(0),
        }
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let rim = circle_reach(-self.half_height, self.radius, centre, axis);
        rim.max(distance_from_axis(&self.apex(), centre, axis))
    }

    /// The base as an octagon with a corner along `direction`, or the line of the side.
    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        let across = across_axis(direction);
        if -direction.y >= self.side_normal(&across).dot(direction) {
            let at = polygon.len();
            polygon.extend(ring(CAP_CORNERS, self.radius, -self.half_height, [across.x, across.z]));
            polygon[at..].reverse();
            Feature::Face(0)
        } else {
            let rim = Point::new(self.radius * across.x, -self.half_height, self.radius * across.z);
            polygon.extend([rim, self.apex()]);
            Feature::Face(1)
        }
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        if SupportPoint::is_curved(self.support(direction, 0).vertex) {
            look(-Vector::y());
        }
    }
}
