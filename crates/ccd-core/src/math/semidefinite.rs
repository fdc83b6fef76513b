//! Inverses of symmetric matrices that may be singular: what bodies with locked axes answer impulses by. Knows no physics.

use nalgebra::SymmetricEigen;

use super::{Matrix, Real};

/// A matrix whose determinant is less than this share of that of a ball with the same trace has directions in which it is all but zero.
const REGULAR: Real = 1e-13;
/// Eigenvalues below this share of the largest count as zero.
const ZERO: Real = 1e-12;
/// Rounds of the search for eigenvalues: a handful are usual, and numbers that are none would take them without end.
const MOST_ROUNDS: usize = 1000;

/// Whether a symmetric, positive semidefinite matrix has an inverse that is more than rounding.
pub fn is_regular(matrix: &Matrix) -> bool {
    let mean = matrix.trace() / 3.0;
    matrix.determinant() > REGULAR * mean * mean * mean
}

/// The inverse of a symmetric, positive semidefinite matrix in the directions in which it is not zero, and zero in the others; `None` for
/// numbers that are none. Exact up to rounding where the matrix is regular.
pub fn pseudo_inverse(matrix: &Matrix) -> Option<Matrix> {
    if is_regular(matrix) {
        return matrix.try_inverse();
    }
    if !matrix.iter().all(|x| x.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::try_new(*matrix, Real::EPSILON, MOST_ROUNDS)?;
    let least = ZERO * eigen.eigenvalues.max();
    let part = |k: usize| {
        let (value, axis) = (eigen.eigenvalues[k], eigen.eigenvectors.column(k));
        if value > least { axis * axis.transpose() / value } else { Matrix::zeros() }
    };
    Some(part(0) + part(1) + part(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Rotation, Vector};
    use proptest::prelude::*;

    proptest! {
        /// Turned any way, so that zeros are roundings.
        #[test]
        fn what_is_zero_along_some_axes_is_inverted_along_the_others(
            axis in prop::array::uniform3(-3.0..3.0),
            values in prop::array::uniform3(0.1..10.0),
            rank in 0_usize..=3,
        ) {
            let turn = Rotation::from_scaled_axis(Vector::from(axis)).to_rotation_matrix().into_inner();
            let kept = |inverted: bool| {
                let value = |k: usize| if k >= rank { 0.0 } else if inverted { 1.0 / values[k] } else { values[k] };
                turn * Matrix::from_diagonal(&Vector::from_fn(|k, _| value(k))) * turn.transpose()
            };
            let found = pseudo_inverse(&kept(false)).unwrap();
            prop_assert!((found - kept(true)).norm() < 1e-12 * (1.0 + kept(true).norm()), "{found}");
            prop_assert_eq!(is_regular(&kept(false)), rank == 3);
        }
    }

    #[test]
    fn needles_are_regular_and_numbers_that_are_none_have_no_inverse() {
        let needle = Matrix::from_diagonal(&Vector::new(1.0, 1e-5, 1e-5));
        assert!(is_regular(&needle));
        assert_eq!(pseudo_inverse(&needle), needle.try_inverse());
        assert_eq!(pseudo_inverse(&Matrix::repeat(Real::NAN)), None);
    }
}
