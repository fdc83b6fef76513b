//! Least-squares solutions of minimum norm.

use nalgebra::{DMatrix, DVector};

use super::Real;

/// Singular values below this share of the largest count as zero.
pub const RANK_TOLERANCE: Real = 1e-10;

/// The most times that a solution is corrected by that of what it leaves.
const CORRECTIONS: usize = 4;

/// The x of least norm among those that minimise ‖A x − b‖, by singular value decomposition; `None` where the
/// decomposition does not converge or the input is not finite. Cost: cubic in the size of A.
///
/// Where singular values all but vanish the decomposition may be right to a few hundredths only. What the solution leaves is solved for
/// again, as long as that leaves less.
pub fn minimum_norm(a: DMatrix<Real>, b: &DVector<Real>) -> Option<DVector<Real>> {
    if a.is_empty() {
        return Some(DVector::zeros(a.ncols()));
    }
    if !(a.iter().all(|x| x.is_finite()) && b.iter().all(|x| x.is_finite())) {
        return None;
    }
    // Enough for any matrix that converges at all.
    let svd = a.clone().try_svd(true, true, Real::EPSILON, 10_000)?;
    let cut = (RANK_TOLERANCE * svd.singular_values.max()).max(Real::MIN_POSITIVE);
    let mut solution = svd.solve(b, cut).ok()?;
    let mut left = b - &a * &solution;
    for _ in 0..CORRECTIONS {
        let corrected = &solution + svd.solve(&left, cut).ok()?;
        let leaves = b - &a * &corrected;
        if leaves.norm() >= left.norm() {
            break;
        }
        (solution, left) = (corrected, leaves);
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_solutions_the_shortest_is_found() {
        // x + y = 2 twice over: the shortest is (1, 1).
        let a = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0]);
        let x = minimum_norm(a, &DVector::from_vec(vec![2.0, 2.0])).unwrap();
        assert!((x - DVector::from_vec(vec![1.0, 1.0])).norm() < 1e-14);
    }

    #[test]
    fn an_empty_system_and_one_that_is_not_finite_are_told_apart() {
        assert_eq!(minimum_norm(DMatrix::zeros(0, 0), &DVector::zeros(0)).map(|x| x.len()), Some(0));
        assert_eq!(minimum_norm(DMatrix::from_element(1, 1, Real::NAN), &DVector::zeros(1)), None);
    }
}
