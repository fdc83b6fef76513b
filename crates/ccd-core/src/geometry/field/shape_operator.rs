//! How a field's surface bends.

use super::Field;
use super::project::nearest_surface;
use crate::math::{Matrix, Point, Real, Vector, orthonormal_basis};

/// Normals ahead and behind differ from the one between them by the same, but for this share: at a crease they do not.
const SMOOTH: Real = 0.1;
/// Normals that differ by less, radians, are one.
const SAME: Real = 1e-5;
/// How near to the surface the places are whose normals are compared, as a share of their distance.
const FINE: Real = 1e-6;

/// The shape operator of a field's surface at a place on it: what a way along the surface, metres, changes the outward normal by; symmetric, and
/// zero along the normal. Where the solid is convex its eigenvalues are positive, reciprocal radii, 1/m. `None` at creases, and
/// for a place that is not on the surface.
///
/// From normals `apart` metres above the surface, and as far on either side of the place. Cost: six nearest points.
pub fn shape_operator(field: &dyn Field, place: &Point, apart: Real) -> Option<Matrix> {
    let nearest = |point: &Point| nearest_surface(field, point, FINE * apart);
    let below = nearest(place)?;
    let is_there = (below.point - place).norm() < apart;
    if !is_there {
        return None;
    }
    // A direction from places on the surface itself would be one of roundings.
    let above = below.point + below.normal * apart;
    let normal = nearest(&above)?.normal;
    let bend = |way: Vector| -> Option<Vector> {
        let ahead = nearest(&(above + way * apart))?.normal - normal;
        let behind = normal - nearest(&(above - way * apart))?.normal;
        let is_smooth = (ahead - behind).norm() <= SMOOTH * (ahead + behind).norm() + SAME;
        is_smooth.then(|| (ahead + behind) / (2.0 * apart))
    };
    let (t1, t2) = orthonormal_basis(&normal);
    let (along_1, along_2) = (bend(t1)?, bend(t2)?);
    let twist = 0.5 * (along_1.dot(&t2) + along_2.dot(&t1));
    let crossed = t1 * t2.transpose() + t2 * t1.transpose();
    let there = t1 * t1.transpose() * along_1.dot(&t1) + t2 * t2.transpose() * along_2.dot(&t2) + crossed * twist;
    // Each radius is longer there by as much as it is above.
    Some(there + there * there * apart)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use super::super::{Implicit, Torus};
    use super::*;

    #[test]
    fn a_torus_bends_by_its_radii_outside_and_the_other_way_around_its_hole() {
        let torus = Implicit::new(Torus::try_new(0.5, 0.1).unwrap()).unwrap();
        for (x, around) in [(0.6, 1.0 / 0.6), (0.4, -1.0 / 0.4)] {
            let operator = shape_operator(&torus, &Point::new(x, 0.0, 0.0), 1e-4).unwrap();
            // Its axis is y: across the tube, and around the hole.
            let expected = Matrix::from_diagonal(&Vector::new(0.0, 1.0 / 0.1, around));
            assert!((operator - expected).norm() < 1e-3, "{operator}");
        }
    }
}
