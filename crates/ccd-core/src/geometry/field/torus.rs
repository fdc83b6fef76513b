//! The torus.

use std::f64::consts::PI;

use super::SurfacePoint;
use super::implicit::ImplicitSurface;
use super::thick_disc::ThickDisc;
use crate::geometry::mass::MassProperties;
use crate::geometry::primitive::{ShapeError, positive};
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Point, Real, Vector, hypotenuse};
use crate::volume::{Aabb, Sphere};

/// A torus around y: a tube around a circle. Its function is the distance, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    hull: ThickDisc,
}

impl Torus {
    /// The torus whose tube of radius `minor` runs around a circle of radius `major`, metres. A tube thicker than the
    /// circle closes the hole.
    ///
    /// # Errors
    /// [`ShapeError`] unless both are positive and in range.
    pub fn try_new(major: Real, minor: Real) -> Result<Self, ShapeError> {
        let (disc, rounding) = (positive("torus", "major radius", major)?, positive("torus", "minor radius", minor)?);
        Ok(Self { hull: ThickDisc { disc, rounding } })
    }

    /// The radius of the circle in the middle of the tube, metres.
    pub fn major_radius(&self) -> Real {
        self.hull.disc
    }

    /// The radius of the tube, metres.
    pub fn minor_radius(&self) -> Real {
        self.hull.rounding
    }
}

impl ImplicitSurface for Torus {
    fn kind(&self) -> &'static str {
        "torus"
    }

    fn aabb(&self) -> Aabb {
        let across = self.major_radius() + self.minor_radius();
        Aabb::from_half_extents(Point::origin(), Vector::new(across, self.minor_radius(), across))
    }

    fn value(&self, p: &Point) -> Real {
        hypotenuse(hypotenuse(p.x, p.z) - self.major_radius(), p.y) - self.minor_radius()
    }

    fn gradient(&self, p: &Point) -> Vector {
        let across = hypotenuse(p.x, p.z);
        let (u, v) = (across - self.major_radius(), p.y);
        let tube = hypotenuse(u, v);
        if tube == 0.0 {
            return Vector::y();
        }
        let out = if across > 0.0 { Vector::new(p.x, 0.0, p.z) / across } else { Vector::x() };
        out * (u / tube) + Vector::y() * (v / tube)
    }

    fn lipschitz(&self, _over: &Sphere) -> Real {
        1.0
    }

    /// From the middle of the tube; a tube that closes the hole has the nearest point in the same half-plane, too.
    fn nearest_outside(&self, point: &Point) -> Option<SurfacePoint> {
        let normal = self.gradient(point).normalize();
        let over = self.value(point);
        (over >= 0.0).then(|| SurfacePoint { point: point - normal * over, normal })
    }

    fn shape_operator(&self, place: &Point) -> Option<Matrix> {
        let across = hypotenuse(place.x, place.z);
        let (u, v) = (across - self.major_radius(), place.y);
        let tube = hypotenuse(u, v);
        if tube == 0.0 || across == 0.0 {
            return None;
        }
        let out = Vector::new(place.x, 0.0, place.z) / across;
        let (over_tube, around) = ((Vector::y() * u - out * v) / tube, Vector::y().cross(&out));
        // By the radius of the tube, and by how far the normal is from the axis, along itself.
        Some(
            over_tube * over_tube.transpose() / self.minor_radius() + around * around.transpose() * (u / tube / across),
        )
    }

    fn convex_bound(&self) -> Option<&dyn SupportMap> {
        Some(&self.hull)
    }

    /// Around the tube one over the distance from its middle circle; along it the cosine of the place on the tube over the
    /// distance from the axis, negative inside of the circle.
    fn curvature(&self, over: &Sphere) -> [Real; 2] {
        let p = &over.centre;
        let across = hypotenuse(p.x, p.z);
        let tube = hypotenuse(across - self.major_radius(), p.y) - over.radius;
        let axis = across - over.radius;
        let one_over = |x: Real| if x > 0.0 { 1.0 / x } else { Real::INFINITY };
        let least = if axis >= self.major_radius() { 0.0 } else { -one_over(axis) };
        [least, one_over(tube).max(one_over(axis))]
    }

    fn exact_mass(&self, density: Real) -> Option<MassProperties> {
        // Pappus's formulas hold while the tube does not meet itself.
        if self.minor_radius() > self.major_radius() {
            return None;
        }
        let (big, small) = (self.major_radius() * self.major_radius(), self.minor_radius() * self.minor_radius());
        let mass = density * 2.0 * PI * PI * self.major_radius() * small;
        let (across, axial) = (mass * (0.5 * big + 0.625 * small), mass * (big + 0.75 * small));
        let inertia = Matrix::from_diagonal(&Vector::new(across, axial, across));
        Some(MassProperties { mass, com: Point::origin(), inertia })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_point_of_a_torus_is_on_it_and_as_far_as_its_value_says(
            p in prop::array::uniform3(-3.0..3.0_f64), major in 0.2..1.5_f64, minor in 0.1..1.5_f64,
        ) {
            let (torus, p) = (Torus::try_new(major, minor).unwrap(), Point::from(p));
            if let Some(found) = torus.nearest_outside(&p) {
                prop_assert!(torus.value(&found.point).abs() < 1e-12);
                prop_assert!(((p - found.point) - found.normal * torus.value(&p)).norm() < 1e-12);
            } else {
                prop_assert!(torus.value(&p) < 0.0);
            }
        }
    }
}
