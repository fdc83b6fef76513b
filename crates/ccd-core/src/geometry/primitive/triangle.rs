//! The triangle: a two-sided convex piece of a mesh.

use super::error::ShapeError;
use super::revolution::distance_from_axis;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::mesh::triangle::{SegmentTest, overlaps_centred_box, unit_normal};
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// Three corners and all between them. `Edge(k)` runs from corner `k` to the next; the one face is `Face(0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    corners: [Point; 3],
}

impl Triangle {
    /// The triangle with these corners, which a valid mesh vouches for: finite, and spanning an area.
    #[inline]
    pub const fn new(corners: [Point; 3]) -> Self {
        Self { corners }
    }

    /// The triangle with these corners.
    ///
    /// # Errors
    /// [`ShapeError::FlatTriangle`] when a corner is not finite or they span no area.
    pub fn try_new(corners: [Point; 3]) -> Result<Self, ShapeError> {
        let [a, b, c] = &corners;
        let (ab, ac) = (b - a, c - a);
        let twice_area = ab.cross(&ac).norm();
        // Below a few roundings of the product the direction of the normal is noise; NaN fails the comparison too.
        if twice_area > 8.0 * Real::EPSILON * ab.norm() * ac.norm() && twice_area.is_finite() {
            Ok(Self { corners })
        } else {
            Err(ShapeError::FlatTriangle)
        }
    }

    /// The corners.
    #[inline]
    pub fn corners(&self) -> &[Point; 3] {
        &self.corners
    }

    /// The unit normal by the winding.
    pub fn normal(&self) -> Vector {
        let [a, b, c] = &self.corners;
        unit_normal(a, b, c)
    }
}

impl Solid for Triangle {
    fn kind(&self) -> &'static str {
        "triangle"
    }

    fn local_aabb(&self) -> Aabb {
        Aabb::from_points(&self.corners)
    }

    fn bounding_sphere(&self) -> Sphere {
        let centre = self.interior_point();
        let radius = self.corners.iter().map(|p| (p - centre).norm()).fold(0.0, Real::max);
        Sphere { centre, radius: radius * (1.0 + 4.0 * Real::EPSILON) }
    }

    fn features(&self, _max_error: Real) -> FeatureSet {
        FeatureSet {
            vertices: self.corners.to_vec(),
            edges: vec![[0, 1], [1, 2], [2, 0]],
            faces: vec![[0, 1, 2]],
            ..FeatureSet::default()
        }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        overlaps_centred_box(&self.corners.map(|p| obb.axes.tr_mul(&(p - obb.centre))), &obb.half_extents)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let fraction = SegmentTest::new(segment).fraction(&self.corners)?;
        let d = segment.end - segment.start;
        let normal = self.normal();
        let normal = if normal.dot(&d) > 0.0 { -normal } else { normal };
        Some(SegmentHit { fraction, point: segment.start + d * fraction, normal, feature: Feature::Face(0) })
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }
}

impl SupportMap for Triangle {
    #[inline]
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let [a, b, c] = &self.corners;
        let (pa, pb, pc) = (direction.dot(&a.coords), direction.dot(&b.coords), direction.dot(&c.coords));
        let (mut vertex, mut most) = (0, pa);
        if pb > most {
            (vertex, most) = (1, pb);
        }
        if pc > most {
            vertex = 2;
        }
        SupportPoint { point: self.corners[vertex as usize], vertex }
    }

    fn interior_point(&self) -> Point {
        let [a, b, c] = &self.corners;
        ((a.coords + b.coords + c.coords) / 3.0).into()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        let used = vertices.iter().fold(0_u8, |mask, v| mask | 1 << (v % 3));
        match used {
            0b001 => Feature::Vertex(0),
            0b010 => Feature::Vertex(1),
            0b100 => Feature::Vertex(2),
            0b011 => Feature::Edge(0),
            0b110 => Feature::Edge(1),
            0b101 => Feature::Edge(2),
            _ => Feature::Face(0),
        }
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        self.corners.iter().map(|p| distance_from_axis(p, centre, axis)).fold(0.0, Real::max)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        let [a, b, c] = self.corners;
        // Two-sided: the side that faces the direction, counter-clockwise seen from there.
        polygon.extend(if (b - a).cross(&(c - a)).dot(direction) >= 0.0 { [a, b, c] } else { [a, c, b] });
        Feature::Face(0)
    }
}
