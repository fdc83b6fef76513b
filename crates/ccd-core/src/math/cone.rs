//! Cones between planes through the origin, and what of a vector lies in one.

use super::{Real, Vector};

/// How far a vector may lead out of a cone, as a share of its length, and count as in it. Normals that differ by less are one: those of one
/// flat surface, told twice, differ by their rounding.
pub(crate) const SAME: Real = 1e-6;

/// What is left of a vector below this share of it is rounding.
const NOTHING: Real = 1e-12;

/// The vector that is nearest to `v` of those that lead into no plane: of all w with n · w ≥ 0 for each unit vector n in `normals`, as far as
/// rounding tells. It is never longer than `v`, and never against it; zero where there is no way.
///
/// Exact: the nearest is `v` itself, or lies in one of the planes, or along the line that two share, or is zero. O(k³) for k planes.
///
/// ```
/// use ccd_core::math::{Vector, cone::nearest_in_cone};
///
/// let (floor, wall) = (Vector::y(), -Vector::x());
/// let v = Vector::new(3.0, -4.0, 5.0);
/// assert_eq!(nearest_in_cone(&v, &[floor]), Vector::new(3.0, 0.0, 5.0));
/// assert_eq!(nearest_in_cone(&v, &[floor, wall]), Vector::new(0.0, 0.0, 5.0));
/// assert_eq!(nearest_in_cone(&v, &[floor, wall, -Vector::z()]), Vector::zeros());
/// ```
pub fn nearest_in_cone(v: &Vector, normals: &[Vector]) -> Vector {
    let longest = v.amax();
    if !(longest > 0.0 && longest.is_finite()) {
        return Vector::zeros();
    }
    // No square of it overflows or vanishes.
    let direction = v / longest;
    let admits = |w: &Vector, but: [usize; 2]| {
        let least = -SAME * w.norm();
        normals.iter().enumerate().all(|(k, n)| but.contains(&k) || n.dot(w) >= least)
    };
    const NONE: usize = usize::MAX;
    if admits(&direction, [NONE; 2]) {
        return *v;
    }
    // Of projections the longest is the nearest.
    let mut nearest = Vector::zeros();
    let mut length = NOTHING * direction.norm();
    let mut propose = |w: Vector, but: [usize; 2]| {
        let own = w.norm();
        if own > length && admits(&w, but) {
            (nearest, length) = (w, own);
        }
    };
    for (i, n) in normals.iter().enumerate() {
        propose(direction - n * n.dot(&direction), [i, NONE]);
        for (j, m) in normals.iter().enumerate().skip(i + 1) {
            if let Some(along) = n.cross(m).try_normalize(SAME) {
                propose(along * along.dot(&direction), [i, j]);
            }
        }
    }
    nearest * longest
}

#[cfg(test)]
mod tests {
    use super::super::tests::unit_vector;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_found_is_in_the_cone_and_nothing_in_it_is_nearer(
            v in unit_vector(), normals in prop::collection::vec(unit_vector(), 0..6), others in prop::collection::vec(unit_vector(), 64),
        ) {
            let w = nearest_in_cone(&v, &normals);
            let is_in = |w: &Vector| normals.iter().all(|n| n.dot(w) >= -2.0 * SAME * w.norm());
            prop_assert!(is_in(&w) && w.norm() <= 1.0 + 1e-12, "{w}");
            // Moreau: what is taken off is square to what is left, and against all that is in the cone.
            prop_assert!((v - w).dot(&w).abs() < 1e-5);
            for other in others.iter().filter(|other| is_in(other)) {
                prop_assert!((v - w).dot(other) < 1e-5, "{other} is nearer");
            }
        }
    }

    #[test]
    fn planes_told_twice_are_one() {
        let tilt = |x: Real, z: Real| Vector::new(x, 1.0, z).normalize();
        let normals = [Vector::y(), tilt(1e-9, 0.0), tilt(-1e-9, 1e-9), tilt(0.0, -1e-9)];
        let w = nearest_in_cone(&Vector::new(1.0, -1.0, 0.5), &normals);
        assert!((w - Vector::new(1.0, 0.0, 0.5)).norm() < 1e-8, "{w}");
    }

    #[test]
    fn between_two_walls_that_face_each_other_there_is_the_way_along_them() {
        let w = nearest_in_cone(&Vector::new(5.0, -1.0, 2.0), &[Vector::x(), -Vector::x()]);
        assert_eq!(w, Vector::new(0.0, -1.0, 2.0));
    }

    #[test]
    fn any_length_will_do_and_what_is_no_vector_is_zero() {
        for length in [1e-300, 1e300] {
            let w = nearest_in_cone(&(Vector::new(1.0, -1.0, 0.0) * length), &[Vector::y()]);
            assert_eq!(w, Vector::x() * length);
        }
        for number in [Real::NAN, Real::INFINITY, 0.0] {
            assert_eq!(nearest_in_cone(&Vector::repeat(number), &[Vector::y()]), Vector::zeros());
        }
    }
}
