//! Many contacts at once: warm-started sequential impulses with Coulomb friction.
//!
//! Velocities and motion are solved apart: the velocity pass lets no contact approach faster than its gap allows; the
//! motion pass then moves bodies out to the wanted gap without giving them velocity, so that recovering a gap feeds no energy.

use super::impulse::{Inertia, Velocity};
use super::system::System;
use crate::math::{Real, Vector, orthonormal_basis};

/// The least velocity, or motion, of a contact that asks nothing, m/s: three times as fast as light, beyond which such a contact would slow what
/// closes. Finite, for contacts of a patch are solved together.
pub(crate) const ASKS_NOTHING: Real = -1e9;

/// A body as the solver sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverBody {
    /// Its inertia at the solve's instant.
    pub inertia: Inertia,
    /// Its velocity at the end of the interval.
    pub velocity: Velocity,
    /// The constant velocity it moves with over the interval.
    pub motion: Velocity,
}

/// One contact point between two solver bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverContact {
    /// Index of A.
    pub a: usize,
    /// Index of B.
    pub b: usize,
    /// From A's centre of mass to the contact, metres.
    pub r_a: Vector,
    /// From B's centre of mass to the contact, metres.
    pub r_b: Vector,
    /// Unit, from A to B.
    pub normal: Vector,
    /// Coulomb's μ.
    pub friction: Real,
    /// The least normal velocity at the interval's end, m/s (negative while a gap is left).
    pub least_velocity: Real,
    /// The least normal velocity of the motion, m/s.
    pub least_motion: Real,
    /// The tangential velocity at which it sticks at the interval's end, along the two tangents in the basis of the normal, m/s:
    /// nothing, unless what turns carries something along on an arc.
    pub carried: [Real; 2],
    /// Accumulated impulse on B: normal, and two tangential parts in the basis of the normal; N·s.
    pub impulse: [Real; 3],
}

impl SolverContact {
    /// A contact of the bodies `a` and `b` that has pushed nothing, at these arms from their centres: they are not to approach, and
    /// may slide.
    pub(crate) fn frictionless((a, b): (usize, usize), normal: Vector, [r_a, r_b]: [Vector; 2]) -> Self {
        Self {
            a,
            b,
            r_a,
            r_b,
            normal,
            friction: 0.0,
            least_velocity: 0.0,
            least_motion: 0.0,
            carried: [0.0; 2],
            impulse: [0.0; 3],
        }
    }

    /// The impulse on B as a vector, N·s, world.
    pub fn total_impulse(&self) -> Vector {
        let (t1, t2) = orthonormal_basis(&self.normal);
        self.normal * self.impulse[0] + t1 * self.impulse[1] + t2 * self.impulse[2]
    }

    /// The velocity of B's point relative to A's with which it ends where it presses and sticks, m/s, world.
    pub fn goal(&self) -> Vector {
        let (t1, t2) = orthonormal_basis(&self.normal);
        self.normal * self.least_velocity + t1 * self.carried[0] + t2 * self.carried[1]
    }

    /// The velocity of B's point relative to A's, m/s, world.
    pub fn relative_velocity(&self, bodies: &[SolverBody]) -> Vector {
        bodies[self.b].velocity.at(&self.r_b) - bodies[self.a].velocity.at(&self.r_a)
    }
}

/// How long to sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepLimits {
    /// The most sweeps over the velocities.
    pub velocity: usize,
    /// The most sweeps over the motion.
    pub motion: usize,
    /// Sweeping ends when no contact's velocity changes by more than this, m/s.
    pub change: Real,
    /// A first sweep that changes no contact's velocity by more than this leaves the known impulses as they are, to the bit,
    /// m/s.
    pub kept: Real,
    /// While a contact's velocity still changes by more than this, m/s, ten times as many sweeps over the velocities are
    /// allowed, and shock propagation finishes what they leave, unless a pile's loads were known before. Nearer to a solution it would
    /// stir more than they leave.
    pub far: Real,
    /// Whether all stood before.
    pub stood: bool,
    /// Whether motions that sweeps leave far from settled are solved together.
    pub together: bool,
}

/// Solves in place and returns the number of velocity sweeps.
///
/// Impulses given in `contacts` are the warm start and are replaced by the solution. Contacts are swept in the order given,
/// best from the ground up; those of a pair stand together. `levels` says for each body how far it is from what cannot move;
/// where the sweeps end far from a solution, and few of a pile's impulses are known from before, shock propagation finishes from
/// the ground up: each body in turn is solved as if what is nearer to the ground were part of it. Bodies of the same level are
/// solved together, and in an island without ground all levels are the same, so that nothing is frozen there (erratum E11).
/// Velocities of `slight` m/s make no difference: gaps that differ by less than they would close count as one, and energy that they hold as none.
pub fn solve(
    bodies: &mut [SolverBody],
    contacts: &mut [SolverContact],
    levels: &[u32],
    slight: Real,
    limits: &SweepLimits,
) -> usize {
    let mut system = System::new(bodies, contacts, levels, slight);
    let sweeps = system.settle_velocities(limits);
    for (body, member) in bodies.iter_mut().zip(&system.members) {
        body.velocity = member.velocity;
    }
    // All that moved the bodies, shock propagation's part as well.
    for (contact, (solved, shock)) in contacts.iter_mut().zip(system.impulses.iter().zip(&system.shocks)) {
        contact.impulse = std::array::from_fn(|part| solved[part] + shock[part]);
    }
    sweeps
}
