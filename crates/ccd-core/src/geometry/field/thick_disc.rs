//! A disc with a rounding: the hull of a torus.

use crate::geometry::feature::Feature;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};

/// All that is within `rounding` of a flat disc around y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ThickDisc {
    /// The radius of the disc, metres.
    pub disc: Real,
    /// Metres.
    pub rounding: Real,
}

impl SupportMap for ThickDisc {
    /// Always a place of the rim, which the torus has, too.
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let across = Vector::new(direction.x, 0.0, direction.z).try_normalize(0.0).unwrap_or_else(Vector::x);
        SupportPoint { point: Point::from(across * self.disc), vertex: SupportPoint::CURVED }
    }

    fn radius(&self) -> Real {
        self.rounding
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn feature_of(&self, _vertices: &[u32]) -> Feature {
        Feature::Face(0)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        // A circle seen along the axis is no wider than it is.
        let to_middle = Point::origin() - centre;
        (to_middle - axis * to_middle.dot(axis)).norm() + self.disc + self.rounding
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        polygon.push(self.support(direction, 0).point);
        Feature::Face(0)
    }
}
