//! Small quadratic programs over non-negative numbers, solved exactly.

use super::Real;

/// As many unknowns as a problem may have.
pub const MOST: usize = 12;

/// A symmetric matrix and a vector of up to [`MOST`] entries, of which the first `size` count.
#[derive(Clone, Debug)]
pub struct Quadratic {
    /// How many unknowns there are.
    pub size: usize,
    /// Symmetric and positive definite.
    pub matrix: [[Real; MOST]; MOST],
    /// What the gradient is at zero.
    pub gradient: [Real; MOST],
}

impl Quadratic {
    /// The x ≥ 0 at which ½ xᵀHx + gᵀx is least, from a guess x ≥ 0 of which the positive entries are taken to stay so: by the
    /// active-set method of Lawson and Hanson (1974). Exact up to rounding where H is positive definite; otherwise, and after as
    /// many rounds as no proper problem takes, the best that was found.
    pub fn least(&self, guess: &[Real; MOST]) -> [Real; MOST] {
        let n = self.size;
        let mut x = *guess;
        let mut free = [false; MOST];
        for i in 0..n {
            free[i] = x[i] > 0.0 || self.slope(&x, i) < 0.0;
        }
        for _ in 0..4 * MOST {
            let Some(aim) = self.solve_free(&free) else { return x };
            // As far towards the aim as all stay non-negative; who ends at zero is free no more.
            let until = |i: usize| if aim[i] < 0.0 { x[i] / (x[i] - aim[i]) } else { Real::INFINITY };
            let ends: [Real; MOST] = std::array::from_fn(|i| if free[i] { until(i) } else { Real::INFINITY });
            let share = ends.iter().copied().fold(1.0, Real::min);
            for i in 0..n {
                if free[i] {
                    free[i] = ends[i] > share;
                    x[i] = if free[i] { x[i] + (aim[i] - x[i]) * share } else { 0.0 };
                }
            }
            if share < 1.0 {
                continue;
            }
            let steepest = (0..n).filter(|&i| !free[i]).map(|i| (self.slope(&x, i), i)).min_by(|p, q| p.0.total_cmp(&q.0));
            match steepest {
                Some((slope, i)) if slope < -1e-12 * self.gradient[i].abs() => free[i] = true,
                _ => return x,
            }
        }
        x
    }

    /// The derivative by one unknown.
    fn slope(&self, x: &[Real; MOST], i: usize) -> Real {
        (0..self.size).map(|j| self.matrix[i][j] * x[j]).sum::<Real>() + self.gradient[i]
    }

    /// Where the derivatives by the free unknowns vanish, the others being zero, by Cholesky's factors.
    fn solve_free(&self, free: &[bool; MOST]) -> Option<[Real; MOST]> {
        let (mut of, mut m) = ([0; MOST], 0);
        for i in (0..self.size).filter(|&i| free[i]) {
            of[m] = i;
            m += 1;
        }
        let mut l = [[0.0; MOST]; MOST];
        let mut y = [0.0; MOST];
        for i in 0..m {
            for j in 0..=i {
                let sum: Real = (0..j).map(|k| l[i][k] * l[j][k]).sum();
                let rest = self.matrix[of[i]][of[j]] - sum;
                if i == j {
                    if rest <= 0.0 {
                        return None;
                    }
                    l[i][i] = rest.sqrt();
                } else {
                    l[i][j] = rest / l[j][j];
                }
            }
            let sum: Real = (0..i).map(|k| l[i][k] * y[k]).sum();
            y[i] = (-self.gradient[of[i]] - sum) / l[i][i];
        }
        let mut x = [0.0; MOST];
        for i in (0..m).rev() {
            let sum: Real = (i + 1..m).map(|k| l[k][i] * x[of[k]]).sum();
            x[of[i]] = (y[i] - sum) / l[i][i];
        }
        Some(x)
    }
}
