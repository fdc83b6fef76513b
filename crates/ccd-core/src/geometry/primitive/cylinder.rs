//! The cylinder.

use super::ball::direction_or_up;
use super::capsule::Capsule;
use super::error::{ShapeError, positive};
use super::revolution::{Entry, RoundSlab, circle_reach, ring, ring_size};
use super::rim::{self, Span};
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector, hypotenuse};
use crate::volume::{Aabb, Obb, Sphere};

/// A cylinder around y. The caps are `Face(0)` (lower) and `Face(1)` (upper), their rims `Edge(0)` and `Edge(1)`, the
/// side `Face(2)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    radius: Real,
    half_height: Real,
}

/// The corners of the polygon that stands for a round cap in contact: enough that a body stands on it without rocking.
pub(super) const CAP_CORNERS: u32 = 8;

impl Cylinder {
    /// The cylinder of `radius` and height `2 half_height`, metres.
    ///
    /// # Errors
    /// [`ShapeError`] unless both are positive and in range.
    pub fn try_new(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Ok(Self {
            radius: positive("cylinder", "radius", radius)?,
            half_height: positive("cylinder", "half height", half_height)?,
        })
    }

    /// The radius, metres.
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Half the height, metres.
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    fn slab(&self) -> RoundSlab {
        RoundSlab { half_height: self.half_height, slope: 0.0, level: self.radius }
    }
}

impl Solid for Cylinder {
    fn kind(&self) -> &'static str {
        "cylinder"
    }

    fn local_aabb(&self) -> Aabb {
        Aabb::from_half_extents(Point::origin(), Vector::new(self.radius, self.half_height, self.radius))
    }

    fn bounding_sphere(&self) -> Sphere {
        let radius = hypotenuse(self.radius, self.half_height) * (1.0 + 4.0 * Real::EPSILON);
        Sphere { centre: Point::origin(), radius }
    }

    /// An inscribed prism: its faces and edges, as fine as [`super::FINEST_ROUND`] allows.
    fn features(&self, max_error: Real) -> FeatureSet {
        let (n, error) = ring_size(self.radius, max_error);
        let circle = |y| ring(n, self.radius, y, [1.0, 0.0]);
        let vertices = circle(-self.half_height).chain(circle(self.half_height)).collect();
        let next = |i: u32| (i + 1) % n;
        FeatureSet {
            vertices,
            edges: (0..n).flat_map(|i| [[i, next(i)], [n + i, n + next(i)], [i, n + i]]).collect(),
            faces: (0..n)
                .flat_map(|i| [[i, next(i), n + next(i)], [i, n + next(i), n + i]])
                .chain((1..n - 1).flat_map(|i| [[0, i + 1, i], [n, n + i, n + i + 1]]))
                .collect(),
            radius: 0.0,
            error,
        }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        self.slab().overlaps_obb(obb)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let d = segment.end - segment.start;
        let flat = |p: &Point| Vector::new(p.x, 0.0, p.z);
        let hit = |fraction: Real, normal: Option<Vector>, face: u32| {
            let point = segment.start + d * fraction;
            let normal = normal.unwrap_or_else(|| flat(&point).try_normalize(0.0).unwrap_or_else(Vector::x));
            SegmentHit { fraction, point, normal, feature: Feature::Face(face) }
        };
        Some(match self.slab().enter(segment)? {
            Entry::LowerCap(t) => hit(t, Some(-Vector::y()), 0),
            Entry::UpperCap(t) => hit(t, Some(Vector::y()), 1),
            Entry::Side(t) => hit(t, None, 2),
            Entry::Inside => {
                let y = segment.start.y;
                if self.half_height - y.abs() < self.radius - flat(&segment.start).norm() {
                    hit(0.0, Some(Vector::y() * 1.0_f64.copysign(y)), u32::from(y.is_sign_positive()))
                } else {
                    hit(0.0, None, 2)
                }
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

impl SupportMap for Cylinder {
    #[inline]
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let across = (direction.x * direction.x + direction.z * direction.z).sqrt();
        let (x, z) = if across > 0.0 { (direction.x / across, direction.z / across) } else { (0.0, 0.0) };
        let point = Point::new(x * self.radius, self.half_height.copysign(direction.y), z * self.radius);
        SupportPoint { point, vertex: rim::number(u32::from(direction.y.is_sign_positive()), x, z) }
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn flank(&self) -> Option<Capsule> {
        Capsule::try_new(self.radius, self.half_height).ok()
    }

    /// One place of a rim is the rim; places across a cap are the cap; places of both rims, or none, are the side.
    fn feature_of(&self, vertices: &[u32]) -> Feature {
        match rim::span(vertices.iter().copied()) {
            Span::Rim(rim) => Feature::Edge(rim),
            Span::Cap(cap) => Feature::Face(cap),
            Span::Both | Span::Nothing => Feature::Face(2),
        }
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let reach = |y| circle_reach(y, self.radius, centre, axis);
        reach(-self.half_height).max(reach(self.half_height))
    }

    /// A cap as an octagon with a corner along `direction`, or the line of the side.
    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        let across = direction_or_up(&Vector::new(direction.x, 0.0, direction.z));
        let first = if across.y == 0.0 { [across.x, across.z] } else { [1.0, 0.0] };
        let h = self.half_height;
        if direction.y.abs() >= hypotenuse(direction.x, direction.z) {
            let at = polygon.len();
            polygon.extend(ring(CAP_CORNERS, self.radius, h.copysign(direction.y), first));
            if direction.y < 0.0 {
                polygon[at..].reverse();
            }
            Feature::Face(u32::from(direction.y >= 0.0))
        } else {
            let side = |y: Real| Point::new(self.radius * first[0], y, self.radius * first[1]);
            polygon.extend([side(-h), side(h)]);
            Feature::Face(2)
        }
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        look(Vector::y() * 1.0_f64.copysign(direction.y));
    }
}
