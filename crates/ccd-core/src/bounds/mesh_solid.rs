//! A mesh as a solid: exact queries of its triangles.

use std::ops::ControlFlow;

use super::IndexedMesh;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::mesh::SurfaceKind;
use crate::geometry::mesh::triangle::SegmentTest;
use crate::geometry::solid::{Segment, SegmentHit, Solid};
use crate::math::{Point, Real};
use crate::volume::{Aabb, Obb, Sphere};

impl Solid for IndexedMesh {
    fn kind(&self) -> &'static str {
        "mesh"
    }

    fn local_aabb(&self) -> Aabb {
        self.aabb
    }

    fn bounding_sphere(&self) -> Sphere {
        self.sphere
    }

    /// Exact, whatever `max_error` is.
    fn features(&self, _max_error: Real) -> FeatureSet {
        FeatureSet {
            vertices: self.mesh().vertices().to_vec(),
            edges: self.topology().edges().to_vec(),
            faces: self.mesh().triangles().to_vec(),
            radius: 0.0,
            error: 0.0,
        }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        // A box that meets no triangle is wholly inside or wholly outside.
        self.visit_triangles_in_obb(obb, |_| ControlFlow::Break(())).is_break() || self.contains(&obb.centre)
    }

    fn distance_bound(&self, point: &Point) -> Real {
        let distance = self.signed_distance(point);
        // The rounding of the closest point's coordinates and of the difference, with room.
        let rounding =
            16.0 * Real::EPSILON * (point.coords.amax() + self.sphere.centre.coords.amax() + self.sphere.radius);
        (distance - rounding).max(0.0)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        if self.contains(&segment.start) {
            let nearest = self.closest_point(&segment.start, Real::INFINITY)?;
            return Some(SegmentHit {
                fraction: 0.0,
                point: segment.start,
                normal: self.normal_of(nearest.feature),
                feature: nearest.feature,
            });
        }
        let test = SegmentTest::new(segment);
        let (fraction, face) = self.tree().cast_segment(segment, |face| test.fraction(&self.triangle(face)))?;
        let direction = segment.end - segment.start;
        let outward = self.face_normals()[face as usize];
        let turned = !self.is_closed() && outward.dot(&direction) > 0.0;
        let normal = if turned { -outward } else { outward };
        Some(SegmentHit { fraction, point: segment.start + direction * fraction, normal, feature: Feature::Face(face) })
    }

    fn field(&self) -> Option<&dyn Field> {
        (self.surface_kind() == SurfaceKind::Solid).then_some(self)
    }
}
