//! Quadratic programs over non-negative numbers, of any size. Beside [`super::nonnegative`], which is for small ones in inner loops, factors
//! are kept here from one set of free unknowns to the next.

use super::Real;

/// An unknown whose pivot is below this share of its diagonal depends on those that are free.
const DEPENDENT: Real = 1e-8;
/// What an unknown that depends on others lacks may be this share of what any lacked at first.
const ROUNDED: Real = 1e-4;
/// Rounds for each unknown at most.
const ROUNDS: usize = 4;
/// Solutions of the same set of free unknowns that make up for rounding.
const REFINEMENTS: usize = 2;

/// ½ xᵀHx − bᵀx over all x ≥ 0, where x and what follows from it are in the hands of whoever asks.
pub(crate) trait Program {
    /// How many unknowns there are.
    fn size(&self) -> usize;
    /// An entry of H, which is symmetric and positive definite, be it by ever so little.
    fn entry(&self, i: usize, j: usize) -> Real;
    /// An unknown as it is, not negative.
    fn unknown(&self, i: usize) -> Real;
    /// A row of b − Hx.
    fn residual(&self, i: usize) -> Real;
    /// Sets an unknown, and what follows from it.
    fn set(&mut self, i: usize, to: Real);
}

/// Moves x from where it is to the least, by the active-set method of Lawson and Hanson (1974), until no residual is above `enough`, and none
/// of what is not zero below its negative; those of unknowns that depend on others may be left at a ten-thousandth of the largest at first: to bring
/// these down takes numbers without bounds, which are worse. Returns whether it got there.
///
/// It does not where a larger residual asks for an unknown that depends on those that are free, and none of these is in its way: then next to
/// nothing bounds the value. So constraints that cannot all be met look from their multipliers, and what is left of x then means nothing.
///
/// Cost: in each round, of which there are about as many as x has to gain or lose unknowns, q² for q that are free, and every residual.
pub(crate) fn settle(program: &mut impl Program, enough: Real) -> bool {
    let size = program.size();
    let mut free = Free::default();
    let mut is_free = vec![false; size];
    for i in (0..size).filter(|&i| program.unknown(i) > 0.0).collect::<Vec<_>>() {
        is_free[i] = free.join(program, i, DEPENDENT);
        if !is_free[i] {
            program.set(i, 0.0);
        }
    }
    // What depends on others, and lacks no more than rounding makes of what was to be gained, has what it can have.
    let most = (0..size).map(|i| program.residual(i)).fold(0.0, Real::max);
    let mut is_done = vec![false; size];
    let mut refined = 0;
    for _ in 0..ROUNDS * size + REFINEMENTS {
        let step = free.solve(|i| program.residual(i));
        // As far as all stay non-negative; who ends at zero is free no more.
        let until = |k: usize| if step[k] < 0.0 { -program.unknown(free.of[k]) / step[k] } else { Real::INFINITY };
        let untils: Vec<Real> = (0..step.len()).map(until).collect();
        let share = untils.iter().copied().fold(1.0, Real::min);
        if share == 1.0 && free.last_depends(program) {
            let Some(last) = free.of.pop().filter(|&last| program.residual(last) <= ROUNDED * most) else {
                return false;
            };
            free.rows.pop();
            program.set(last, 0.0);
            (is_free[last], is_done[last]) = (false, true);
            continue;
        }
        for (k, &i) in free.of.iter().enumerate() {
            is_free[i] = untils[k] > share;
            program.set(i, if is_free[i] { program.unknown(i) + share * step[k] } else { 0.0 });
        }
        if share < 1.0 {
            (0..untils.len()).rev().filter(|&k| untils[k] <= share).for_each(|k| free.leave(k));
            continue;
        }
        let held = (0..size).filter(|&i| !(is_free[i] || is_done[i])).map(|i| (i, program.residual(i)));
        match held.max_by(|x, y| x.1.total_cmp(&y.1)) {
            Some((_, residual)) if residual.is_nan() => return false,
            Some((i, residual)) if residual > enough => {
                is_free[i] = free.join(program, i, 0.0);
                if !is_free[i] {
                    return false;
                }
                refined = 0;
            }
            _ if free.of.iter().all(|&i| program.residual(i).abs() <= enough) => return true,
            _ if refined == REFINEMENTS => return false,
            _ => refined += 1,
        }
    }
    false
}

/// The unknowns that are free, with Cholesky's factor of their part of H.
#[derive(Default)]
struct Free {
    of: Vec<usize>,
    /// Row by row, with the reciprocals of the diagonal.
    rows: Vec<Vec<Real>>,
}

impl Free {
    /// Another one joins, unless its pivot is no more than the `least` share of its diagonal.
    fn join(&mut self, program: &impl Program, i: usize, least: Real) -> bool {
        let mut row: Vec<Real> = self.of.iter().map(|&j| program.entry(i, j)).collect();
        forward(&self.rows, &mut row);
        let diagonal = program.entry(i, i);
        let pivot = diagonal - dot(&row, &row);
        let joins = pivot > least * diagonal;
        if joins {
            row.push(pivot.sqrt().recip());
            self.rows.push(row);
            self.of.push(i);
        }
        joins
    }

    /// The one at a place leaves.
    fn leave(&mut self, place: usize) {
        self.of.remove(place);
        self.rows.remove(place);
        // Every row from there on has one column too many: turns of two columns at a time take it out.
        for k in place..self.rows.len() {
            let (rows, below) = self.rows.split_at_mut(k + 1);
            let row = &mut rows[k];
            let (x, y) = (row[k], row[k + 1].recip());
            let inverse = (x * x + y * y).sqrt().recip();
            let (cos, sin) = (x * inverse, y * inverse);
            row.truncate(k);
            row.push(inverse);
            for row in below {
                let (x, y) = (row[k], row[k + 1]);
                (row[k], row[k + 1]) = (cos * x + sin * y, cos * y - sin * x);
            }
        }
    }

    /// Whether the last one depends on the others.
    fn last_depends(&self, program: &impl Program) -> bool {
        let last = self.of.last().zip(self.rows.last().and_then(|row| row.last()));
        last.is_some_and(|(&i, inverse)| (inverse * inverse * program.entry(i, i)).recip() <= DEPENDENT)
    }

    /// What has to be added to each for these residuals to vanish.
    fn solve(&self, residual: impl Fn(usize) -> Real) -> Vec<Real> {
        let mut x: Vec<Real> = self.of.iter().map(|&i| residual(i)).collect();
        forward(&self.rows, &mut x);
        for (i, row) in self.rows.iter().enumerate().rev() {
            let at = x[i] * row[i];
            x[i] = at;
            x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= l * at);
        }
        x
    }
}

/// Solves L y = x in place.
fn forward(rows: &[Vec<Real>], x: &mut [Real]) {
    for (i, row) in rows.iter().enumerate() {
        x[i] = (x[i] - dot(&row[..i], &x[..i])) * row[i];
    }
}

/// Σ xᵢyᵢ in eight sums, which processors make side by side.
fn dot(x: &[Real], y: &[Real]) -> Real {
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: Real = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    let mut sums = [0.0; 8];
    for (x, y) in xs.zip(ys) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += x * y;
        }
    }
    sums.iter().sum::<Real>() + rest
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    use super::*;

    /// A program in plain numbers.
    struct Plain {
        h: DMatrix<Real>,
        b: DVector<Real>,
        x: DVector<Real>,
    }

    impl Program for Plain {
        fn size(&self) -> usize {
            self.b.len()
        }

        fn entry(&self, i: usize, j: usize) -> Real {
            self.h[(i, j)]
        }

        fn unknown(&self, i: usize) -> Real {
            self.x[i]
        }

        fn residual(&self, i: usize) -> Real {
            self.b[i] - self.h.row(i).transpose().dot(&self.x)
        }

        fn set(&mut self, i: usize, to: Real) {
            self.x[i] = to;
        }
    }

    /// JJᵀ for rows J of as many `columns`, a little more on the diagonal, as contacts that yield have it.
    fn of_rank(size: usize, columns: usize, numbers: &[Real], yields: Real) -> DMatrix<Real> {
        let j = DMatrix::from_fn(size, columns, |i, k| numbers[i * columns + k]);
        let mut h = &j * j.transpose();
        (0..size).for_each(|i| h[(i, i)] *= 1.0 + yields);
        h
    }

    proptest! {
        #[test]
        fn what_can_be_had_is_had_from_wherever_it_is_sought_however_many_say_the_same(
            size in 1usize..40, columns in 1usize..12, numbers in prop::collection::vec(-1.0..1.0_f64, 40 * 12),
            wishes in prop::collection::vec(0.0..1.0_f64, 12), slack in prop::collection::vec(-0.5..1.0_f64, 40),
            start in prop::collection::vec(-1.0..1.0_f64, 40),
        ) {
            let h = of_rank(size, columns, &numbers, 1e-10);
            // J v ≥ b holds at least for the v that was wished for.
            let had = |i: usize| (0..columns).map(|k| numbers[i * columns + k] * wishes[k]).sum::<Real>();
            let b = DVector::from_fn(size, |i, _| had(i) - slack[i].max(0.0));
            let x = DVector::from_fn(size, |i, _| start[i].max(0.0));
            let mut plain = Plain { h, b, x };
            let first = (0..size).map(|i| plain.residual(i)).fold(0.0, Real::max);
            prop_assert!(settle(&mut plain, 1e-6));
            let left = (ROUNDED * first).max(1e-6);
            for i in 0..size {
                prop_assert!(plain.x[i] >= 0.0 && plain.residual(i) <= left, "{} {}", plain.x[i], plain.residual(i));
                prop_assert!(plain.x[i] == 0.0 || plain.residual(i) >= -1e-6, "{} {}", plain.x[i], plain.residual(i));
            }
        }

        #[test]
        fn who_leaves_leaves_the_factor_that_the_others_have(
            size in 2usize..24, numbers in prop::collection::vec(-1.0..1.0_f64, 24 * 24),
            leaving in prop::collection::vec(0usize..24, 1..8),
        ) {
            let h = of_rank(size, size, &numbers, 1e-2);
            let plain = Plain { h, b: DVector::zeros(size), x: DVector::zeros(size) };
            let mut free = Free::default();
            (0..size).for_each(|i| assert!(free.join(&plain, i, 0.0)));
            for place in leaving {
                if free.of.len() > 1 {
                    free.leave(place % free.of.len());
                }
            }
            let mut anew = Free::default();
            free.of.iter().for_each(|&i| assert!(anew.join(&plain, i, 0.0)));
            for (row, other) in free.rows.iter().zip(&anew.rows) {
                prop_assert!(row.iter().zip(other).all(|(x, y)| (x - y).abs() <= 1e-9 * y.abs().max(1.0)), "{row:?} {other:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_had_is_told() {
        // Something is pushed from both sides.
        let h = of_rank(3, 2, &[1.0, 0.0, -1.0, 0.0, 0.3, 1.0], 1e-10);
        let plain = |b: [Real; 3]| Plain { h: h.clone(), b: DVector::from_row_slice(&b), x: DVector::zeros(3) };
        assert!(settle(&mut plain([1.0, -1.0, 0.5]), 1e-6));
        assert!(!settle(&mut plain([1.0, -0.9, 0.5]), 1e-6));
        assert!(!settle(&mut plain([1.0, Real::NAN, 0.5]), 1e-6));
    }
}
