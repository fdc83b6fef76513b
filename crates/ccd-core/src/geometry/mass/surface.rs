//! Mass from a triangulated surface: the volume it closes, or the sheet it is.

use super::properties::{MassError, MassProperties};
use crate::math::{Matrix, Point, Real, Vector};

impl MassProperties {
    /// The solid that a closed surface bounds, integrated exactly by the divergence theorem; density in kg/m³.
    ///
    /// Either winding will do: an inward one bounds the same solid.
    ///
    /// # Errors
    /// [`MassError::NotPositive`] if it encloses no volume. The caller answers for the surface being closed.
    ///
    /// # Panics
    /// If a triangle names a vertex that is not there.
    pub fn of_closed_surface(vertices: &[Point], triangles: &[[u32; 3]], density: Real) -> Result<Self, MassError> {
        let reference = middle(vertices);
        let mut moments = Moments::default();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|i| vertices[i as usize] - reference);
            // Six times the volume of the tetrahedron over the reference point.
            let volume = a.dot(&b.cross(&c));
            moments.add(volume / 6.0, &((a + b + c) / 4.0), &(second(a, b, c) * (volume / 120.0)));
        }
        if moments.measure < 0.0 {
            moments.negate();
        }
        moments.finish(reference, density, "volume")
    }

    /// A sheet spread evenly over the triangles, by mass points: a third of each triangle's mass at the midpoint of each of
    /// its edges, which integrates all moments up to the second exactly; density in kg/m².
    ///
    /// # Errors
    /// [`MassError::NotPositive`] if there is no area.
    ///
    /// # Panics
    /// If a triangle names a vertex that is not there.
    pub fn of_sheet(vertices: &[Point], triangles: &[[u32; 3]], density: Real) -> Result<Self, MassError> {
        let reference = middle(vertices);
        let mut moments = Moments::default();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|i| vertices[i as usize] - reference);
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            for midpoint in [(a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0] {
                moments.add(area / 3.0, &midpoint, &(midpoint * midpoint.transpose() * (area / 3.0)));
            }
        }
        moments.finish(reference, density, "area")
    }
}

/// Integrals over a surface or volume: of 1, of x, of x xᵀ.
#[derive(Default)]
pub(in crate::geometry) struct Moments {
    pub(in crate::geometry) measure: Real,
    pub(in crate::geometry) first: Vector,
    pub(in crate::geometry) second: Matrix,
}

impl Moments {
    pub(in crate::geometry) fn add(&mut self, measure: Real, centroid: &Vector, second: &Matrix) {
        self.measure += measure;
        self.first += centroid * measure;
        self.second += second;
    }

    pub(in crate::geometry) fn negate(&mut self) {
        self.measure = -self.measure;
        self.first = -self.first;
        self.second = -self.second;
    }

    /// The mass at this density of what was integrated about `reference`.
    pub(in crate::geometry) fn finish(
        &self,
        reference: Point,
        density: Real,
        what: &'static str,
    ) -> Result<MassProperties, MassError> {
        if !(self.measure.is_finite() && self.measure > 0.0) {
            return Err(MassError::NotPositive { what, value: self.measure });
        }
        let centre = self.first / self.measure;
        let about_centre = self.second - centre * centre.transpose() * self.measure;
        let inertia = (Matrix::identity() * about_centre.trace() - about_centre) * density;
        Ok(MassProperties { mass: self.measure * density, com: reference + centre, inertia })
    }
}

/// ∫ x xᵀ over the tetrahedron (0, a, b, c), times 120 / (six times its volume).
fn second(a: Vector, b: Vector, c: Vector) -> Matrix {
    let sum = a + b + c;
    sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()
}

/// A point amid the vertices: integrals about it lose no digits to a far origin.
fn middle(vertices: &[Point]) -> Point {
    crate::volume::Aabb::from_points(vertices).centre()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box as twelve outward triangles.
    fn box_surface(h: &Vector, at: &Vector) -> (Vec<Point>, Vec<[u32; 3]>) {
        let corner = |i: usize| {
            let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Point::from(at + h.component_mul(&Vector::new(sign(0), sign(1), sign(2))))
        };
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }

    #[test]
    fn closed_box_surface_has_the_mass_of_the_box_wherever_it_is() {
        let h = Vector::new(0.5, 1.0, 2.0);
        for at in [Vector::zeros(), Vector::new(1e5, -2e5, 3e5)] {
            let (vertices, mut triangles) = box_surface(&h, &at);
            let exact = MassProperties::of_box(&h, 1000.0);
            for _ in 0..2 {
                let found = MassProperties::of_closed_surface(&vertices, &triangles, 1000.0).unwrap();
                assert!((found.mass - exact.mass).abs() < 1e-9 * exact.mass);
                assert!((found.com.coords - at).norm() < 1e-9 * at.norm().max(1.0));
                assert!((found.inertia - exact.inertia).norm() < 1e-9 * exact.inertia.norm());
                // And the same with every triangle wound the other way.
                triangles.iter_mut().for_each(|t| t.swap(1, 2));
            }
        }
    }

    #[test]
    fn square_sheet_has_the_inertia_of_a_plate() {
        let vertices = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(|[x, y]| Point::new(x, y, 0.0));
        let plate = MassProperties::of_sheet(&vertices, &[[0, 1, 2], [0, 2, 3]], 3.0).unwrap();
        assert!((plate.mass - 12.0).abs() < 1e-12);
        assert!((plate.com - Point::new(1.0, 1.0, 0.0)).norm() < 1e-12);
        assert!((plate.inertia - Matrix::from_diagonal(&Vector::new(4.0, 4.0, 8.0))).norm() < 1e-12);
    }

    #[test]
    fn open_surface_without_volume_has_no_mass() {
        let vertices = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, y]| Point::new(x, y, 0.0));
        assert!(MassProperties::of_closed_surface(&vertices, &[[0, 1, 2]], 1.0).is_err());
    }
}
