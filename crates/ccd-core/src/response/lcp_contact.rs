//! Contact impulses as a linear complementarity problem with a friction pyramid.
//!
//! Unknowns of a contact: the normal impulse, four tangential impulses along ±t₁ and ±t₂ that share μ times the normal one,
//! and the sliding speed. The matrix is copositive, so that Lemke's pivoting ends at a solution where there is one. Source:
//! Mirtich, section 4.1; the pyramid's first side is along the contact's sliding, so that sliding friction has its direction.

use nalgebra::{DMatrix, DVector};

use super::contact_matrix::{ContactMatrix, frame};
use super::sequential::{SolverBody, SolverContact, SweepLimits};
use crate::math::lcp::{LcpError, lemke};
use crate::math::{Matrix, Real, Vector, orthonormal_basis};

/// The most contacts of an island that are solved by pivoting: the pivoting's cost grows with the cube of it. Larger islands
/// are solved by [`solve_lcp_by_sweeps`], the same conditions on a slightly larger pyramid.
pub const MOST_PIVOTED: usize = 32;

/// What pivoting may be wrong by, relative to the speeds and impulses there are.
const ACCURACY: Real = 1e-6;

/// How the complementarity problem was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LcpSolution {
    /// By Lemke's pivoting, to rounding.
    Pivoted,
    /// By sweeps, as many.
    Swept {
        /// The sweeps made.
        sweeps: usize,
        /// Whether the last sweep changed no velocity by more than asked.
        converged: bool,
    },
}

/// Solves in place; the impulses given in `contacts` are where sweeps start, and are replaced. Pivoting up to [`MOST_PIVOTED`] contacts, and sweeps for
/// more or where the pivoting ends on a ray.
///
/// No contact pulls, none approaches faster than its least velocity, what sticks ends as fast as it is carried, and friction stays within the pyramid inscribed in
/// Coulomb's cone (in the cone itself along and across the sliding).
pub fn solve_lcp(bodies: &mut [SolverBody], contacts: &mut [SolverContact], limits: &SweepLimits) -> LcpSolution {
    if contacts.len() <= MOST_PIVOTED && solve_lcp_by_pivoting(bodies, contacts).is_ok() {
        return LcpSolution::Pivoted;
    }
    let (sweeps, converged) = solve_lcp_by_sweeps(bodies, contacts, limits);
    LcpSolution::Swept { sweeps, converged }
}

/// Solves in place by Lemke's method, whatever the number of contacts.
///
/// # Errors
/// [`LcpError::Ray`] where the problem has no solution (friction that locks), [`LcpError::Budget`],
/// [`LcpError::NotFinite`], [`LcpError::Inexact`]; bodies and contacts are then as they were.
pub fn solve_lcp_by_pivoting(bodies: &mut [SolverBody], contacts: &mut [SolverContact]) -> Result<(), LcpError> {
    let matrix = ContactMatrix::new(bodies, contacts);
    let n = matrix.contacts.len();
    let friction = |k: usize| contacts[matrix.contacts[k]].friction;
    // Rows of the problem: n normal impulses, then for each rough contact four tangential ones and its sliding speed.
    let rough: Vec<usize> = (0..n).filter(|&k| friction(k) > 0.0).collect();
    let size = n + 5 * rough.len();
    let mut m = DMatrix::zeros(size, size);
    let mut q = DVector::zeros(size);
    // In these units every contact answers its own push alike, whatever its bodies weigh and however large they are: what pivoting compares is then
    // of one kind.
    let units: Vec<Real> = (0..n).map(|k| matrix.response[(3 * k, 3 * k)].sqrt()).collect();
    let unit = |at: usize| if units[at / 3].is_normal() { units[at / 3] } else { 1.0 };
    // Each impulse by its row in the contact matrix and its sign there.
    let mut unknowns: Vec<(usize, usize, Real)> = (0..n).map(|k| (k, 3 * k, 1.0)).collect();
    for (place, &k) in rough.iter().enumerate() {
        let speed = n + 5 * place + 4;
        m[(speed, k)] = friction(k);
        for side in 0..4 {
            let row = n + 5 * place + side;
            unknowns.push((row, 3 * k + 1 + side / 2, 1.0 - 2.0 * (side % 2) as Real));
            m[(row, speed)] = 1.0;
            m[(speed, row)] = -1.0;
        }
    }
    for &(row, at, sign) in &unknowns {
        q[row] = sign * matrix.velocity[at] / unit(at);
        for &(column, by, other) in &unknowns {
            m[(row, column)] = sign * other * matrix.response[(at, by)] / (unit(at) * unit(by));
        }
    }
    let z = lemke(&m, &q)?;
    let mut impulses = DVector::zeros(3 * n);
    for &(row, at, sign) in &unknowns {
        impulses[at] += sign * z[row] / unit(at);
    }
    check(&matrix, &impulses)?;
    matrix.apply(bodies, contacts, &impulses);
    Ok(())
}

/// Whether the impulses do what was asked: no contact approaches faster than it may, and all of them together take energy.
fn check(matrix: &ContactMatrix, impulses: &DVector<Real>) -> Result<(), LcpError> {
    let after = &matrix.velocity + &matrix.response * impulses;
    // What the impulses do one by one: their sums round by shares of that.
    let single = matrix.response.abs() * impulses.abs();
    let speed = matrix.velocity.amax().max(single.amax());
    for k in 0..matrix.contacts.len() {
        let violation = -after[3 * k];
        if violation.is_nan() || violation > ACCURACY * speed {
            return Err(LcpError::Inexact { violation });
        }
    }
    let work = 0.5 * impulses.dot(&(&matrix.velocity + &after));
    if work.is_nan() || work > ACCURACY * impulses.abs().sum() * speed {
        return Err(LcpError::Inexact { violation: work });
    }
    Ok(())
}

/// The iterative twin: projected Gauss–Seidel over the same conditions, each tangential impulse within ±μ times the normal
/// one; returns the sweeps made and whether they converged.
pub fn solve_lcp_by_sweeps(
    bodies: &mut [SolverBody],
    contacts: &mut [SolverContact],
    limits: &SweepLimits,
) -> (usize, bool) {
    // The pyramid's first side is along the sliding that there is before.
    let frames: Vec<Matrix> = contacts.iter().map(|c| frame(bodies, c)).collect();
    let goals: Vec<Vector> = contacts.iter().map(SolverContact::goal).collect();
    let mut axes = Vec::with_capacity(contacts.len());
    let mut impulses = Vec::with_capacity(contacts.len());
    for (c, frame) in contacts.iter().zip(&frames) {
        // What was given is the start: contacts that last need few sweeps.
        let impulse = c.total_impulse();
        impulses.push(frame * impulse);
        bodies[c.a].inertia.apply(&mut bodies[c.a].velocity, &-impulse, &c.r_a);
        bodies[c.b].inertia.apply(&mut bodies[c.b].velocity, &impulse, &c.r_b);
        let k = bodies[c.a].inertia.k_matrix(&c.r_a) + bodies[c.b].inertia.k_matrix(&c.r_b);
        axes.push([0, 1, 2].map(|row| frame.row(row).transpose()).map(|axis| (axis, axis.dot(&(k * axis)))));
    }
    let (mut sweeps, mut converged) = (0, false);
    while sweeps < limits.velocity && !converged {
        sweeps += 1;
        let mut largest: Real = 0.0;
        for (((c, goal), axes), impulse) in contacts.iter().zip(&goals).zip(&axes).zip(&mut impulses) {
            for (k, (axis, response)) in axes.iter().enumerate().filter(|(_, (_, response))| *response > 0.0) {
                let (low, high) = match k {
                    0 => (0.0, Real::INFINITY),
                    _ => (-c.friction * impulse[0], c.friction * impulse[0]),
                };
                let lacking = (goal - c.relative_velocity(bodies)).dot(axis);
                let total = (impulse[k] + lacking / response).max(low).min(high);
                let change = total - impulse[k];
                impulse[k] = total;
                bodies[c.a].inertia.apply(&mut bodies[c.a].velocity, &(axis * -change), &c.r_a);
                bodies[c.b].inertia.apply(&mut bodies[c.b].velocity, &(axis * change), &c.r_b);
                largest = largest.max(change.abs() * response);
            }
        }
        converged = largest <= limits.change;
    }
    for ((c, frame), impulse) in contacts.iter_mut().zip(&frames).zip(&impulses) {
        let (t1, t2) = orthonormal_basis(&c.normal);
        let whole = frame.transpose() * impulse;
        c.impulse = [impulse[0], whole.dot(&t1), whole.dot(&t2)];
    }
    (sweeps, converged)
}
