//! How a field's surface bends.

use super::Field;
use super::project::nearest_surface;
use crate::math::{Matrix, Point, Real, Vector, orthonormal_basis};

/// How far on either side normals are compared, as a share of how far above the surface they are.
const BESIDE: Real = 0.2;
/// What radii are less at the surface, as a share of the height: nearly all of it, so that those of edges are more than none.
const LESS: Real = 0.999;
/// Normals ahead and behind differ from the one between them by the same, but for this share: where a face ends they do not.
const SMOOTH: Real = 0.1;
/// Normals that differ by less, radians, are one.
const SAME: Real = 1e-5;
/// How near to the surface the nearest points are found, as a share of the height.
const FINE: Real = 1e-10;

/// The shape operator of a field's surface at a place on it where it faces along `outward` (unit): what a way along the surface, metres, changes
/// the outward normal by; symmetric, and zero along the normal. Where the solid is convex its eigenvalues are positive, reciprocal radii, 1/m.
/// An edge or a corner is as round as a thousandth of `height`. `None` where an edge begins, in creases, and for a place that is not on
/// the surface.
///
/// In closed form where the field has one, else from normals `height` metres above the surface, and at places a fifth of that on either side; the
/// cost is that of six nearest points.
pub fn shape_operator(field: &dyn Field, place: &Point, outward: &Vector, height: Real) -> Option<Matrix> {
    field.shape_operator(place).or_else(|| from_normals(field, place, outward, height))
}

fn from_normals(field: &dyn Field, place: &Point, outward: &Vector, height: Real) -> Option<Matrix> {
    let nearest = |point: &Point| nearest_surface(field, point, FINE * height).map(|found| found.point);
    let is_there = (nearest(place)? - place).norm() < height;
    if !is_there {
        return None;
    }
    let above = place + outward * height;
    // A direction from a place on the surface itself would be one of roundings.
    let normal_near = |point: Point| (point - nearest(&point)?).try_normalize(0.5 * height);
    let normal = normal_near(above)?;
    let apart = BESIDE * height;
    let bend = |way: Vector| -> Option<Vector> {
        // As tangents of their angles: so circles bend by what they do, however far apart the places are.
        let towards = |n: Vector| n / n.dot(&normal) - normal;
        let ahead = towards(normal_near(above + way * apart)?);
        let behind = -towards(normal_near(above - way * apart)?);
        let is_smooth = (ahead - behind).norm() <= SMOOTH * (ahead + behind).norm() + SAME;
        is_smooth.then(|| (ahead + behind) / (2.0 * apart))
    };
    let (t1, t2) = orthonormal_basis(&normal);
    let (along_1, along_2) = (bend(t1)?, bend(t2)?);
    let twist = 0.5 * (along_1.dot(&t2) + along_2.dot(&t1));
    let crossed = t1 * t2.transpose() + t2 * t1.transpose();
    let there = t1 * t1.transpose() * along_1.dot(&t1) + t2 * t2.transpose() * along_2.dot(&t2) + crossed * twist;
    // Each radius is longer there by as much as it is above; that of an edge is nothing else.
    let own = Matrix::identity() - there * (LESS * height);
    Some(there * own.try_inverse()?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use super::super::{Implicit, ImplicitSurface, Superquadric, Torus};
    use super::*;

    #[test]
    fn a_torus_bends_by_its_radii_outside_and_the_other_way_around_its_hole() {
        let torus = Implicit::new(Torus::try_new(0.5, 0.1).unwrap()).unwrap();
        for (x, outward, around) in [(0.6, 1.0, 1.0 / 0.6), (0.4, -1.0, -1.0 / 0.4)] {
            let operator = from_normals(&torus, &Point::new(x, 0.0, 0.0), &(Vector::x() * outward), 1e-4).unwrap();
            // Its axis is y: across the tube, and around the hole.
            let expected = Matrix::from_diagonal(&Vector::new(0.0, 1.0 / 0.1, around));
            assert!((operator - expected).norm() < 1e-3, "{operator}");
        }
    }

    #[test]
    fn closed_forms_say_what_normals_beside_the_place_say() {
        let torus = Implicit::new(Torus::try_new(0.5, 0.1).unwrap()).unwrap();
        let egg = Implicit::new(Superquadric::try_new([0.3, 0.5, 0.2], [1.0; 2]).unwrap()).unwrap();
        for k in 0..40 {
            let (polar, angle) = (0.1 + 0.15 * Real::from(k % 20), 0.7 * Real::from(k));
            let on_egg =
                Point::new(0.3 * polar.sin() * angle.cos(), 0.5 * polar.cos(), 0.2 * polar.sin() * angle.sin());
            let around = 0.5 + 0.1 * (2.0 * polar).cos();
            let on_torus = Point::new(around * angle.cos(), 0.1 * (2.0 * polar).sin(), around * angle.sin());
            let fields: [(&dyn Field, Point, Vector); 2] = [
                (&egg, on_egg, egg.surface().gradient(&on_egg).normalize()),
                (&torus, on_torus, torus.surface().gradient(&on_torus).normalize()),
            ];
            for (field, place, normal) in fields {
                let (exact, seen) =
                    (field.shape_operator(&place).unwrap(), from_normals(field, &place, &normal, 1e-4).unwrap());
                assert!((exact - seen).norm() < 1e-3 * exact.norm(), "{} at {place}: {exact} {seen}", field.kind());
            }
        }
    }
}
