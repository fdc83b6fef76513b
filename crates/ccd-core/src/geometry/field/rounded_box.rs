//! The rounded box.

use std::f64::consts::PI;

use super::implicit::ImplicitSurface;
use crate::geometry::feature::Feature;
use crate::geometry::mass::MassProperties;
use crate::geometry::primitive::{Cuboid, ShapeError, positive};
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Matrix, Point, Real, Vector};
use crate::volume::{Aabb, Sphere};

/// A box with a rounding around it: all places within a radius of a core box. Its function is the distance, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedBox {
    core: Cuboid,
    radius: Real,
}

impl RoundedBox {
    /// The core's half extents and the radius around it, metres.
    ///
    /// # Errors
    /// [`ShapeError`] for sizes that are not positive or out of range.
    pub fn try_new(core_half_extents: [Real; 3], radius: Real) -> Result<Self, ShapeError> {
        Ok(Self { core: Cuboid::try_new(core_half_extents)?, radius: positive("rounded box", "radius", radius)? })
    }

    /// Of the core, metres.
    pub fn core_half_extents(&self) -> Vector {
        self.core.half_extents()
    }

    /// The radius around the core, metres.
    pub fn radius(&self) -> Real {
        self.radius
    }

    fn beyond(&self, p: &Point) -> Vector {
        p.coords.abs() - self.core.half_extents()
    }
}

impl ImplicitSurface for RoundedBox {
    fn kind(&self) -> &'static str {
        "rounded box"
    }

    fn aabb(&self) -> Aabb {
        Aabb::from_half_extents(Point::origin(), self.core.half_extents().add_scalar(self.radius))
    }

    /// The distance from a convex set is.
    fn is_convex(&self) -> bool {
        true
    }

    fn value(&self, p: &Point) -> Real {
        let beyond = self.beyond(p);
        beyond.sup(&Vector::zeros()).norm() + beyond.max().min(0.0) - self.radius
    }

    fn gradient(&self, p: &Point) -> Vector {
        let beyond = self.beyond(p);
        let sign = p.coords.map(|x| 1.0_f64.copysign(x));
        match beyond.sup(&Vector::zeros()).try_normalize(0.0) {
            Some(out) => out.component_mul(&sign),
            None => {
                let k = beyond.imax();
                let mut normal = Vector::zeros();
                normal[k] = sign[k];
                normal
            }
        }
    }

    fn lipschitz(&self, _over: &Sphere) -> Real {
        1.0
    }

    /// The distance from a convex set is convex, and bends no more than a ball of that distance.
    fn curvature(&self, over: &Sphere) -> [Real; 2] {
        let nearest = self.beyond(&over.centre).sup(&Vector::zeros()).norm() - over.radius;
        [0.0, if nearest > 0.0 { 1.0 / nearest } else { Real::INFINITY }]
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    /// The core, six slabs, twelve quarter cylinders and eight eighths of a ball.
    fn exact_mass(&self, density: Real) -> Option<MassProperties> {
        let (h, r) = (self.core.half_extents(), self.radius);
        // ∫x_k² over each kind of part; the total inertia follows from the three sums.
        let mut volume = 8.0 * h.x * h.y * h.z;
        let mut second = h.component_mul(&h) * (volume / 3.0);
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            // Slabs on ±k.
            let slabs = 8.0 * h[i] * h[j] * r;
            volume += slabs;
            second[i] += slabs * h[i] * h[i] / 3.0;
            second[j] += slabs * h[j] * h[j] / 3.0;
            second[k] += slabs * (h[k] * h[k] + h[k] * r + r * r / 3.0);
            // Quarter cylinders along k: their first and second moments from the corner are 4r/3π and r²/4.
            let quarters = PI * r * r * 2.0 * h[k];
            volume += quarters;
            second[k] += quarters * h[k] * h[k] / 3.0;
            for m in [i, j] {
                second[m] += quarters * (h[m] * h[m] + 2.0 * h[m] * 4.0 * r / (3.0 * PI) + 0.25 * r * r);
            }
            // Eighths of the ball: 3r/8 and r²/5.
            let ball = 4.0 / 3.0 * PI * r.powi(3);
            second[k] += ball * (h[k] * h[k] + 2.0 * h[k] * 0.375 * r + 0.2 * r * r);
        }
        volume += 4.0 / 3.0 * PI * r.powi(3);
        let inertia = Matrix::from_diagonal(&(Vector::repeat(second.sum()) - second)) * density;
        Some(MassProperties { mass: volume * density, com: Point::origin(), inertia })
    }
}

impl SupportMap for RoundedBox {
    fn support(&self, direction: &Vector, hint: u32) -> SupportPoint {
        self.core.support(direction, hint)
    }

    fn radius(&self) -> Real {
        self.radius
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        self.core.feature_of(vertices)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        self.core.reach_from_axis(centre, axis) + self.radius
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        self.core.support_face(direction, polygon)
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        self.core.each_face_at(direction, look);
    }
}
