//! Small quadratic programs over non-negative numbers, solved exactly. Beside [`super::lcp`], which takes any matrix of any size, these
//! are for inner loops: what is known is where they begin, and nothing is allocated.

use super::Real;

/// As many unknowns as a problem may have.
pub const MOST: usize = 12;

/// What is left of a residual below this share of what it was is rounding.
const SETTLED: Real = 1e-12;

/// Moves x ≥ 0 to where ½ xᵀHx − bᵀx is least among all x ≥ 0, by the active-set method of Lawson and Hanson (1974).
///
/// `matrix` is H, symmetric and positive definite, row by row; `residual` is b − Hx for the x that is given, and is kept so. The
/// first `size` entries count, at most [`MOST`]. Exact up to rounding; where H is not positive definite, and after as many rounds
/// as no proper problem takes, x is as near as it came. Costs some size³ operations.
pub fn settle(matrix: &[Real], size: usize, residual: &mut [Real; MOST], x: &mut [Real; MOST]) {
    if size == 2 && settle_two(matrix, residual, x) {
        return;
    }
    let mut is_free: [bool; MOST] = std::array::from_fn(|i| i < size && (x[i] > 0.0 || residual[i] > 0.0));
    // Who has more than is wanted, be it without bounds, takes no part yet.
    let largest = (0..size).filter(|&i| is_free[i]).map(|i| residual[i].abs()).fold(0.0, Real::max);
    for _ in 0..4 * MOST {
        let (mut free, mut count) = ([0; MOST], 0);
        for (i, _) in is_free.iter().enumerate().filter(|(_, is_free)| **is_free) {
            free[count] = i;
            count += 1;
        }
        let free = &free[..count];
        let Some(step) = solve(matrix, size, free, residual) else { return };
        // As far as all stay non-negative; who ends at zero is free no more.
        let until = |k: usize| if step[k] < 0.0 { -x[free[k]] / step[k] } else { Real::INFINITY };
        let share = (0..count).map(until).fold(1.0, Real::min);
        let ends: [bool; MOST] = std::array::from_fn(|k| k < count && until(k) <= share);
        for (k, &i) in free.iter().enumerate() {
            x[i] = if ends[k] { 0.0 } else { x[i] + share * step[k] };
            is_free[i] = !ends[k];
            for j in 0..size {
                residual[j] -= matrix[i * size + j] * (share * step[k]);
            }
        }
        if share < 1.0 {
            continue;
        }
        let held = (0..size).filter(|&i| !is_free[i]);
        match held.max_by(|&i, &j| residual[i].total_cmp(&residual[j])) {
            Some(i) if residual[i] > SETTLED * largest => is_free[i] = true,
            _ => return,
        }
    }
}

/// The same of two unknowns, of which there are four sets that may be free. Returns whether one of them is the answer; nothing is changed else.
fn settle_two(matrix: &[Real], residual: &mut [Real; MOST], x: &mut [Real; MOST]) -> bool {
    let &[h00, h01, _, h11, ..] = matrix else { return false };
    let [r0, r1] = [residual[0], residual[1]];
    let determinant = h00 * h11 - h01 * h01;
    let both = [x[0] + (h11 * r0 - h01 * r1) / determinant, x[1] + (h00 * r1 - h01 * r0) / determinant];
    let to = if determinant > 0.0 && both[0] >= 0.0 && both[1] >= 0.0 {
        both
    } else {
        // One of them alone, or neither: the other has enough then.
        let first = [(x[0] + (r0 + h01 * x[1]) / h00).max(0.0), 0.0];
        let second = [0.0, (x[1] + (r1 + h01 * x[0]) / h11).max(0.0)];
        if r1 - h01 * (first[0] - x[0]) + h11 * x[1] <= 0.0 {
            first
        } else if r0 - h01 * (second[1] - x[1]) + h00 * x[0] <= 0.0 {
            second
        } else {
            return false;
        }
    };
    let [d0, d1] = [to[0] - x[0], to[1] - x[1]];
    residual[0] = r0 - (h00 * d0 + h01 * d1);
    residual[1] = r1 - (h01 * d0 + h11 * d1);
    (x[0], x[1]) = (to[0], to[1]);
    true
}

/// Solves for the free unknowns alone, by Cholesky's factors; `None` if their part of the matrix is not positive definite.
fn solve(matrix: &[Real], size: usize, free: &[usize], residual: &[Real; MOST]) -> Option<[Real; MOST]> {
    let mut l = [[0.0; MOST]; MOST];
    let mut step = [0.0; MOST];
    for (i, &row) in free.iter().enumerate() {
        let entries = &matrix[row * size..][..size];
        let (above, below) = l.split_at_mut(i);
        let own = &mut below[0];
        let (mut rest, mut pivot) = (residual[row], entries[row]);
        for (j, other) in above.iter().enumerate() {
            let mut entry = entries[free[j]];
            for k in 0..j {
                entry -= own[k] * other[k];
            }
            // The diagonal holds reciprocals.
            entry *= other[j];
            own[j] = entry;
            rest -= entry * step[j];
            pivot -= entry * entry;
        }
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        own[i] = pivot.sqrt().recip();
        step[i] = rest * own[i];
    }
    for i in (0..free.len()).rev() {
        for k in i + 1..free.len() {
            step[i] -= l[k][i] * step[k];
        }
        step[i] *= l[i][i];
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slope of ½ xᵀHx − bᵀx.
    fn slope(matrix: &[Real], x: &[Real], b: &[Real], i: usize) -> Real {
        let n = x.len();
        (0..n).map(|j| matrix[i * n + j] * x[j]).sum::<Real>() - b[i]
    }

    proptest! {
        #[test]
        fn what_is_found_is_the_least_from_wherever_it_is_sought(
            n in 1..=MOST, rank in 1..=MOST, numbers in prop::collection::vec(-1.0..1.0_f64, MOST * MOST),
            b in prop::array::uniform12(-1.0..1.0_f64), start in prop::array::uniform12(-1.0..1.0_f64),
        ) {
            // Of any rank, and then a little positive definite, as couples' problems are.
            let entry = |i: usize, j: usize| (0..rank).map(|k| numbers[i * MOST + k] * numbers[j * MOST + k]).sum::<Real>();
            let damped = |i: usize, j: usize| entry(i, j) + if i == j { 1e-4 } else { 0.0 };
            let matrix: Vec<Real> = (0..n * n).map(|k| damped(k / n, k % n)).collect();
            let mut x = start.map(|s| s.max(0.0));
            let mut residual = std::array::from_fn(|i| if i < n { -slope(&matrix, &x[..n], &b, i) } else { 0.0 });
            settle(&matrix, n, &mut residual, &mut x);
            for i in 0..n {
                let slope = slope(&matrix, &x[..n], &b, i);
                prop_assert!(x[i] >= 0.0 && slope > -1e-7, "{slope}");
                prop_assert!(x[i] == 0.0 || slope.abs() < 1e-7, "{slope}");
                prop_assert!((slope + residual[i]).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_leaves_finite_numbers() {
        let (mut residual, mut x) = ([1.0; MOST], [0.5; MOST]);
        settle(&[1.0, 1.0, 1.0, 1.0], 2, &mut residual, &mut x);
        assert!(x.iter().chain(&residual).all(|number| number.is_finite()));
    }

    #[test]
    fn who_has_more_than_enough_without_bounds_does_not_loosen_the_others() {
        // The second lacks something only once the first has what it wants.
        let matrix = [1.0, -0.5, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0, 1.0];
        let (mut residual, mut x) = ([0.0; MOST], [0.0; MOST]);
        residual[..3].copy_from_slice(&[1.0, -0.4995, -1e9]);
        settle(&matrix, 3, &mut residual, &mut x);
        assert!(residual[..2].iter().all(|r| r.abs() < 1e-12) && x[1] > 0.0 && x[2] == 0.0, "{x:?} leave {residual:?}");
    }
}
