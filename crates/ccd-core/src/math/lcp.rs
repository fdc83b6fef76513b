//! Dense linear complementarity problems: z ≥ 0, w = M z + q ≥ 0, zᵀw = 0. Knows no physics.

use nalgebra::{DMatrix, DVector};
use thiserror::Error;

use super::Real;

/// Why a complementarity problem was not solved.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum LcpError {
    /// M is not square, or q has another size.
    #[error("a complementarity problem of {rows} × {columns} with a right side of {right}")]
    Shape {
        /// Rows of M.
        rows: usize,
        /// Columns of M.
        columns: usize,
        /// Length of q.
        right: usize,
    },
    /// Something is NaN or infinite.
    #[error("the complementarity problem holds a number that is not finite")]
    NotFinite,
    /// The pivoting left along a ray: for a copositive-plus M this proves that there is no solution.
    #[error("no solution: the pivoting ended on a ray after {pivots} pivots")]
    Ray {
        /// How many pivots were made.
        pivots: usize,
    },
    /// The pivots lost so many digits that what they ended at is no solution.
    #[error("the pivoting lost its accuracy: a row is {violation} short")]
    Inexact {
        /// By how much, in the row's own unit.
        violation: Real,
    },
    /// The pivots ran out.
    #[error("not solved within {pivots} pivots")]
    Budget {
        /// How many pivots were made.
        pivots: usize,
    },
}

/// Solves by Lemke's complementary pivoting; ties are broken lexicographically, so that it does not cycle.
///
/// For copositive M it ends at a solution or on a ray; contact problems with a friction pyramid are copositive. Cost: n²
/// a pivot, about 2n pivots.
///
/// # Errors
/// [`LcpError`].
pub fn lemke(m: &DMatrix<Real>, q: &DVector<Real>) -> Result<DVector<Real>, LcpError> {
    let n = checked_size(m, q)?;
    if q.iter().all(|&x| x >= 0.0) {
        return Ok(DVector::zeros(n));
    }
    let mut tableau = Tableau::new(m, q);
    let max_pivots = 50 * n + 100;
    // The artificial variable comes in for the most negative right side; then complements follow what leaves.
    let mut entering = tableau.artificial();
    let mut row = tableau.most_negative();
    for pivots in 1..=max_pivots {
        let leaving = tableau.pivot(row, entering);
        if leaving == tableau.artificial() {
            return Ok(tableau.solution());
        }
        entering = tableau.complement(leaving);
        row = tableau.leaving_row(entering).ok_or(LcpError::Ray { pivots })?;
    }
    Err(LcpError::Budget { pivots: max_pivots })
}

fn checked_size(m: &DMatrix<Real>, q: &DVector<Real>) -> Result<usize, LcpError> {
    let n = q.len();
    if m.nrows() != n || m.ncols() != n {
        return Err(LcpError::Shape { rows: m.nrows(), columns: m.ncols(), right: n });
    }
    if !(m.iter().all(|x| x.is_finite()) && q.iter().all(|x| x.is_finite())) {
        return Err(LcpError::NotFinite);
    }
    Ok(n)
}

/// w − M z − d z₀ = q with the basic variables' columns at unit vectors. Columns: w, z, z₀, then q.
struct Tableau {
    n: usize,
    cells: DMatrix<Real>,
    basis: Vec<usize>,
}

impl Tableau {
    fn new(m: &DMatrix<Real>, q: &DVector<Real>) -> Self {
        let n = q.len();
        let mut cells = DMatrix::zeros(n, 2 * n + 2);
        for i in 0..n {
            cells[(i, i)] = 1.0;
            cells[(i, 2 * n)] = -1.0;
            cells[(i, 2 * n + 1)] = q[i];
            for j in 0..n {
                cells[(i, n + j)] = -m[(i, j)];
            }
        }
        Self { n, cells, basis: (0..n).collect() }
    }

    fn artificial(&self) -> usize {
        2 * self.n
    }

    fn complement(&self, variable: usize) -> usize {
        if variable < self.n { variable + self.n } else { variable - self.n }
    }

    fn most_negative(&self) -> usize {
        let right = self.cells.column(2 * self.n + 1);
        // The last of equals, which is what the lexicographic order of the identity columns asks for.
        (0..self.n).fold(0, |best, i| if right[i] <= right[best] { i } else { best })
    }

    /// The row with the smallest ratio, lexicographically by the columns of w, or with the artificial variable if it ties.
    fn leaving_row(&self, entering: usize) -> Option<usize> {
        let column = self.cells.column(entering);
        let largest = column.iter().fold(0.0, |m: Real, x| m.max(x.abs()));
        let usable: Vec<usize> = (0..self.n).filter(|&i| column[i] > 1e-12 * largest.max(1e-300)).collect();
        let ratio = |i: usize, k: usize| self.cells[(i, k)] / column[i];
        let right = 2 * self.n + 1;
        let least = usable.iter().map(|&i| ratio(i, right)).fold(Real::INFINITY, Real::min);
        let slack = 1e-12 * least.abs().max(1e-300);
        let ties: Vec<usize> = usable.into_iter().filter(|&i| ratio(i, right) <= least + slack).collect();
        if let Some(&out) = ties.iter().find(|&&i| self.basis[i] == self.artificial()) {
            return Some(out);
        }
        ties.into_iter().reduce(|best, i| {
            let order = (0..self.n).map(|k| ratio(i, k).total_cmp(&ratio(best, k))).find(|o| o.is_ne());
            if order.is_some_and(std::cmp::Ordering::is_lt) { i } else { best }
        })
    }

    /// Brings `entering` into the basis at `row`; returns what leaves.
    fn pivot(&mut self, row: usize, entering: usize) -> usize {
        let inverse = self.cells[(row, entering)].recip();
        self.cells.row_mut(row).scale_mut(inverse);
        let mut factors = self.cells.column(entering).into_owned();
        factors[row] = 0.0;
        for mut column in self.cells.column_iter_mut() {
            let cell = column[row];
            if cell != 0.0 {
                column.axpy(-cell, &factors, 1.0);
            }
        }
        // Exact by definition; rounding must not let it drift.
        for i in 0..self.n {
            self.cells[(i, entering)] = if i == row { 1.0 } else { 0.0 };
        }
        std::mem::replace(&mut self.basis[row], entering)
    }

    fn solution(&self) -> DVector<Real> {
        let mut z = DVector::zeros(self.n);
        for (row, &variable) in self.basis.iter().enumerate() {
            if (self.n..2 * self.n).contains(&variable) {
                z[variable - self.n] = self.cells[(row, 2 * self.n + 1)].max(0.0);
            }
        }
        z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn violation(m: &DMatrix<Real>, q: &DVector<Real>, z: &DVector<Real>) -> Real {
        let w = m * z + q;
        z.iter().zip(w.iter()).map(|(z, w)| (-z).max(-w).max(z.min(*w))).fold(0.0, Real::max)
    }

    fn problem() -> impl Strategy<Value = (DMatrix<Real>, DVector<Real>)> {
        (1usize..9, 1usize..9).prop_flat_map(|(n, rank)| {
            (prop::collection::vec(-1.0..1.0_f64, n * rank), prop::collection::vec(-1.0..1.0_f64, n)).prop_map(
                move |(factor, q)| {
                    let factor = DMatrix::from_vec(n, rank, factor);
                    let mut m = &factor * factor.transpose();
                    for i in 0..n {
                        m[(i, i)] += 0.01;
                    }
                    (m, DVector::from_vec(q))
                },
            )
        })
    }

    proptest! {
        #[test]
        fn lemke_solves_every_positive_definite_problem((m, q) in problem()) {
            let z = lemke(&m, &q).unwrap();
            prop_assert!(violation(&m, &q, &z) < 1e-9, "{}", violation(&m, &q, &z));
        }
    }

    #[test]
    fn a_problem_without_solution_ends_on_a_ray() {
        // w = -1 whatever z is.
        let (m, q) = (DMatrix::zeros(1, 1), DVector::from_element(1, -1.0));
        assert!(matches!(lemke(&m, &q), Err(LcpError::Ray { .. })));
    }

    #[test]
    fn bad_shapes_and_numbers_are_refused() {
        let m = DMatrix::identity(2, 2);
        assert!(matches!(lemke(&m, &DVector::zeros(3)), Err(LcpError::Shape { right: 3, .. })));
        assert_eq!(lemke(&m, &DVector::from_element(2, Real::NAN)), Err(LcpError::NotFinite));
    }
}
