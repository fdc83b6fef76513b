//! Contact impulses of least norm, by singular value decomposition.
//!
//! Static contacts take three unknowns, sliding ones a single one, along the edge of their cone against the sliding; all
//! active contacts are to end at their least velocities. Invalid contacts change state and the system is solved anew: a
//! static impulse outside its cone slides, a sliding one that friction would drive back sticks, a pulling contact is
//! dropped, and a dropped one that approaches comes back.
//!
//! Source: Mirtich, section 4.2; erratum E19: the rounds may cycle, so they are bounded and a repeated state is noticed.

use std::collections::BTreeSet;

use nalgebra::{DMatrix, DVector};

use super::contact_matrix::ContactMatrix;
use super::impulse::Velocity;
use super::sequential::{SolverBody, SolverContact};
use crate::math::svd::minimum_norm;
use crate::math::{Real, Vector};

/// The most contacts of an island that are solved at once: the decomposition's cost is cubic.
pub const MOST_DECOMPOSED: usize = 100;

/// Tangential speeds up to this share of the fastest approach are static contact.
const STATIC_SPEED: Real = 6e-3;

/// What an active contact may pull, as a share of the largest impulse, before it counts as pulling: rounding, not physics.
const PULL_ROUNDING: Real = 1e-9;

/// Why no valid impulses were found; bodies and contacts are then as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SvdForceError {
    /// The contacts' states came round again, so that they would for ever (erratum E19).
    #[error("the contacts' states repeat after {rounds} rounds")]
    Cycle {
        /// The decompositions made.
        rounds: usize,
    },
    /// The rounds ran out.
    #[error("no valid contact impulses within {rounds} rounds")]
    Budget {
        /// The decompositions made.
        rounds: usize,
    },
    /// More contacts than [`MOST_DECOMPOSED`].
    #[error("{contacts} contacts in one island are more than a decomposition takes")]
    TooLarge {
        /// How many there are.
        contacts: usize,
    },
    /// The decomposition failed.
    #[error("the contact matrix cannot be decomposed")]
    Decomposition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Static,
    /// Slides; the angle of its friction in the frame of the contact, in turns of 2⁻²⁰, so that states can be compared.
    Sliding(i32),
    Inactive,
}

impl State {
    fn sliding(x: Real, y: Real) -> Self {
        Self::Sliding((y.atan2(x) / std::f64::consts::TAU * TURN).round() as i32)
    }
}

const TURN: Real = (1 << 20) as Real;

/// Solves in place and returns the number of decompositions; the impulses given in `contacts` are replaced. `starts` are
/// the velocities before the forces of this interval, by which contacts are told static from sliding.
///
/// The result never pulls and lies within the friction cones; of all impulses that stop the active contacts it has the least
/// norm, so that symmetric contacts carry the same.
///
/// # Errors
/// [`SvdForceError`].
pub fn solve_svd(
    bodies: &mut [SolverBody],
    contacts: &mut [SolverContact],
    starts: &[Velocity],
) -> Result<usize, SvdForceError> {
    if contacts.len() > MOST_DECOMPOSED {
        return Err(SvdForceError::TooLarge { contacts: contacts.len() });
    }
    let matrix = ContactMatrix::new(bodies, contacts);
    let friction: Vec<Real> = matrix.contacts.iter().map(|&i| contacts[i].friction).collect();
    let before = matrix.relative(contacts, starts);
    let static_speed = STATIC_SPEED * matrix.velocity.amax();
    let mut states: Vec<State> = (0..friction.len())
        .map(|k| first_state(velocity_at(&matrix.velocity, k).x, &velocity_at(&before, k), friction[k], static_speed))
        .collect();
    let mut seen = BTreeSet::new();
    let max_rounds = 4 * friction.len() + 16;
    for rounds in 1..=max_rounds {
        if !seen.insert(states.clone()) {
            return Err(SvdForceError::Cycle { rounds });
        }
        let impulses = impulses_of(&matrix, &states, &friction).ok_or(SvdForceError::Decomposition)?;
        let after = &matrix.velocity + &matrix.response * &impulses;
        let scale = impulses.amax();
        let speed = matrix.velocity.amax();
        let mut changed = false;
        for k in 0..states.len() {
            let (f, v) = (velocity_at(&impulses, k), velocity_at(&after, k));
            let sideways = f.yz().norm();
            let next = match states[k] {
                State::Static | State::Sliding(_) if f.x < -PULL_ROUNDING * scale => State::Inactive,
                State::Static if sideways > friction[k] * f.x.max(0.0) + PULL_ROUNDING * scale => {
                    State::sliding(f.y, f.z)
                }
                State::Sliding(turn) if friction[k] > 0.0 && sliding_direction(turn).dot(&v) > 1e-9 * speed => {
                    State::Static
                }
                State::Inactive if v.x < -1e-9 * speed => {
                    first_state(v.x, &velocity_at(&before, k), friction[k], static_speed)
                }
                kept => kept,
            };
            changed |= next != states[k];
            states[k] = next;
        }
        if !changed {
            matrix.apply(bodies, contacts, &within_the_cones(impulses, &friction));
            return Ok(rounds);
        }
    }
    Err(SvdForceError::Budget { rounds: max_rounds })
}

fn velocity_at(v: &DVector<Real>, k: usize) -> Vector {
    v.fixed_rows::<3>(3 * k).into_owned()
}

fn first_state(along: Real, before: &Vector, friction: Real, static_speed: Real) -> State {
    if along >= 0.0 {
        return State::Inactive;
    }
    let sliding = before.yz();
    if friction > 0.0 && sliding.norm() <= static_speed {
        State::Static
    } else {
        State::sliding(-sliding.x, -sliding.y)
    }
}

/// Where friction pushes, unit, in the contact's frame.
fn sliding_direction(turn: i32) -> Vector {
    let (sin, cos) = (Real::from(turn) / TURN * std::f64::consts::TAU).sin_cos();
    Vector::new(0.0, cos, sin)
}

/// The least impulses that bring every active contact to the velocity that it is to end with, three rows a contact.
fn impulses_of(matrix: &ContactMatrix, states: &[State], friction: &[Real]) -> Option<DVector<Real>> {
    // A column per unknown (its direction), and a row per condition.
    let mut directions: Vec<(usize, Vector)> = Vec::new();
    let mut conditions: Vec<usize> = Vec::new();
    for (k, state) in states.iter().enumerate() {
        match state {
            State::Static => {
                directions.extend([Vector::x(), Vector::y(), Vector::z()].map(|axis| (k, axis)));
                conditions.extend([3 * k, 3 * k + 1, 3 * k + 2]);
            }
            State::Sliding(turn) => {
                directions.push((k, Vector::x() + sliding_direction(*turn) * friction[k]));
                conditions.push(3 * k);
            }
            State::Inactive => {}
        }
    }
    let a = DMatrix::from_fn(conditions.len(), directions.len(), |row, column| {
        let (k, direction) = &directions[column];
        (matrix.response.fixed_view::<1, 3>(conditions[row], 3 * k) * direction).x
    });
    let b = DVector::from_fn(conditions.len(), |row, _| -matrix.velocity[conditions[row]]);
    let x = minimum_norm(a, &b)?;
    let mut impulses = DVector::zeros(3 * states.len());
    for ((k, direction), size) in directions.iter().zip(x.iter()) {
        let mut at = impulses.fixed_rows_mut::<3>(3 * k);
        at += direction * *size;
    }
    Some(impulses)
}

/// What rounding left outside is taken in.
fn within_the_cones(mut impulses: DVector<Real>, friction: &[Real]) -> DVector<Real> {
    for (k, friction) in friction.iter().enumerate() {
        let mut f = velocity_at(&impulses, k);
        f.x = f.x.max(0.0);
        let inside = f.yz().cap_magnitude(friction * f.x);
        impulses.fixed_rows_mut::<3>(3 * k).copy_from(&Vector::new(f.x, inside.x, inside.y));
    }
    impulses
}
