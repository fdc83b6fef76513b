//! How every contact's impulse changes every other's velocity, as one dense matrix: A of v⁺ = A f + v.
//!
//! Source: Mirtich, section 4, equation (1), on velocities instead of accelerations.

use nalgebra::{DMatrix, DVector};

use super::impulse::Velocity;
use super::sequential::{SolverBody, SolverContact};
use crate::math::{Matrix, Real, Vector, orthonormal_basis};

/// The contacts that something can move, in the order given, with their frames.
pub(super) struct ContactMatrix {
    /// Indices into the contacts given.
    pub(super) contacts: Vec<usize>,
    /// For each of them normal and two tangents, as rows.
    frames: Vec<Matrix>,
    /// Relative velocities before, less those that the contacts are to end with, along the rows of the frames.
    pub(super) velocity: DVector<Real>,
    /// Three rows and columns a contact.
    pub(super) response: DMatrix<Real>,
}

impl ContactMatrix {
    /// For the bodies' present velocities. The first tangent of a contact that slides is along its sliding. Cost: the square
    /// of the number of contacts.
    pub(super) fn new(bodies: &[SolverBody], contacts: &[SolverContact]) -> Self {
        let moved = |c: &SolverContact| !(bodies[c.a].inertia.is_immovable() && bodies[c.b].inertia.is_immovable());
        let movable: Vec<usize> = (0..contacts.len()).filter(|&i| moved(&contacts[i])).collect();
        let frames: Vec<Matrix> = movable.iter().map(|&i| frame(bodies, &contacts[i])).collect();
        let n = movable.len();
        let mut velocity = DVector::zeros(3 * n);
        let mut response = DMatrix::zeros(3 * n, 3 * n);
        for (k, &i) in movable.iter().enumerate() {
            velocity.fixed_rows_mut::<3>(3 * k).copy_from(&(frames[k] * over(bodies, &contacts[i])));
            for (l, &j) in movable.iter().enumerate() {
                if let Some(between) = response_between(bodies, &contacts[i], &contacts[j]) {
                    let block = frames[k] * between * frames[l].transpose();
                    response.fixed_view_mut::<3, 3>(3 * k, 3 * l).copy_from(&block);
                }
            }
        }
        Self { contacts: movable, frames, velocity, response }
    }

    /// The relative velocities of the contacts for other velocities of the bodies, along the rows of the frames.
    pub(super) fn relative(&self, contacts: &[SolverContact], velocities: &[Velocity]) -> DVector<Real> {
        let mut relative = DVector::zeros(3 * self.contacts.len());
        for (k, &i) in self.contacts.iter().enumerate() {
            let c = &contacts[i];
            let v = velocities[c.b].at(&c.r_b) - velocities[c.a].at(&c.r_a);
            relative.fixed_rows_mut::<3>(3 * k).copy_from(&(self.frames[k] * v));
        }
        relative
    }

    /// Gives the impulses (three rows a contact, in its frame) to the contacts and the bodies. What was in the contacts is
    /// replaced; contacts between bodies that nothing moves get none.
    pub(super) fn apply(&self, bodies: &mut [SolverBody], contacts: &mut [SolverContact], impulses: &DVector<Real>) {
        for c in contacts.iter_mut() {
            c.impulse = [0.0; 3];
        }
        for (k, &i) in self.contacts.iter().enumerate() {
            let impulse: Vector = self.frames[k].transpose() * impulses.fixed_rows::<3>(3 * k);
            let c = &mut contacts[i];
            let (t1, t2) = orthonormal_basis(&c.normal);
            // The normal part as it was solved: a projection's rounding could make nothing pull.
            c.impulse = [impulses[3 * k], impulse.dot(&t1), impulse.dot(&t2)];
            bodies[c.a].inertia.apply(&mut bodies[c.a].velocity, &-impulse, &c.r_a);
            bodies[c.b].inertia.apply(&mut bodies[c.b].velocity, &impulse, &c.r_b);
        }
    }
}

/// The contact's velocity less that which it is to end with, m/s.
fn over(bodies: &[SolverBody], c: &SolverContact) -> Vector {
    c.relative_velocity(bodies) - c.goal()
}

/// The contact's normal and two tangents, as rows; the first tangent is along its sliding, if it slides.
pub(super) fn frame(bodies: &[SolverBody], c: &SolverContact) -> Matrix {
    let v = over(bodies, c);
    let sliding = v - c.normal * v.dot(&c.normal);
    let (t1, t2) = match sliding.try_normalize(1e-12 * v.norm().max(Real::MIN_POSITIVE)) {
        Some(t1) => (t1, c.normal.cross(&t1)),
        None => orthonormal_basis(&c.normal),
    };
    Matrix::from_rows(&[c.normal.transpose(), t1.transpose(), t2.transpose()])
}

/// The change of the relative velocity at `c` per impulse at `d`, world; `None` where they share no body.
fn response_between(bodies: &[SolverBody], c: &SolverContact, d: &SolverContact) -> Option<Matrix> {
    let mut sum: Option<Matrix> = None;
    for (body, r, sign) in [(c.a, c.r_a, -1.0), (c.b, c.r_b, 1.0)] {
        for (other, s, other_sign) in [(d.a, d.r_a, -1.0), (d.b, d.r_b, 1.0)] {
            if body == other {
                *sum.get_or_insert_with(Matrix::zeros) += bodies[body].inertia.k_between(&r, &s) * (sign * other_sign);
            }
        }
    }
    sum
}
