//! A half-space's plane as support mappings see it.

use crate::geometry::feature::Feature;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};

/// The one point of its plane that a half-space's frame names: the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanePoint;

impl SupportMap for PlanePoint {
    fn support(&self, _direction: &Vector, _hint: u32) -> SupportPoint {
        SupportPoint { point: Point::origin(), vertex: 0 }
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn feature_of(&self, _vertices: &[u32]) -> Feature {
        Feature::Face(0)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        centre.coords.cross(axis).norm()
    }

    fn support_face(&self, _direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        polygon.push(Point::origin());
        Feature::Face(0)
    }
}
