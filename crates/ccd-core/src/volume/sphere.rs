//! Bounding spheres.

use crate::math::{Point, Real};

/// A bounding sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The middle, metres.
    pub centre: Point,
    /// The radius, metres.
    pub radius: Real,
}

impl Sphere {
    /// Whether the spheres share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        (other.centre - self.centre).norm_squared() <= reach * reach
    }
}
