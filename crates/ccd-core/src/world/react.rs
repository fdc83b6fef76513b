//! The chosen method of response, on one island.

use super::ResponseMethod;
use super::crowd;
use super::islands::Island;
use super::stepping::Stepping;
use super::{
    World,
    resolve::{KEPT, LIMITS},
};
use crate::math::Real;
use crate::response::impact::{ImpactLaw, ImpactPoint, resolve_impact};
use crate::response::impulse::{Inertia, Velocity};
use crate::response::lcp_contact::{LcpSolution, solve_lcp};
use crate::response::penalty::{PenaltyLaw, solve_penalty};
use crate::response::sequential::{SolverBody, SolverContact, SweepLimits};
use crate::response::svd_force::solve_svd;
use crate::response::system::System;

/// Sweeps of the pairwise method, which the papers run a handful of times.
const PAIRWISE_ROUNDS: usize = 5;

/// What moves is solved to this share of its speed; what is at rest, as finely as it takes to stay there.
pub(super) const FINE: Real = 1e-5;

/// What moves is far from solved while it changes by more than this share of its speed.
const COARSE: Real = 5e-3;

/// Sweeps that no shock propagation finishes have to converge by themselves.
const SWEEPS_ALONE: SweepLimits = SweepLimits { velocity: 4000, ..LIMITS };

/// An island as the methods see it.
pub(super) struct Situation<'i> {
    pub island: &'i Island,
    pub inertias: &'i [Inertia],
    /// The velocities when it begins.
    pub starts: &'i [Velocity],
    /// For each contact how far its surfaces are apart, metres.
    pub separations: &'i [Real],
    /// Seconds until the step's end.
    pub rest: Real,
    /// Whether a crowd lands in it.
    pub crowded: bool,
}

/// What the method did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reaction {
    /// Sweeps, rounds or small steps.
    pub sweeps: usize,
    /// Whether the method found nothing valid and the default method did its work.
    pub substituted: bool,
}

impl Stepping {
    /// Gives the bodies (on entry with the velocities and motions of free flight) velocities and motions, and the contacts
    /// impulses; the system is then as they are.
    pub(super) fn react(
        &self,
        world: &World,
        situation: &Situation,
        bodies: &mut [SolverBody],
        contacts: &mut [SolverContact],
        system: &mut System,
    ) -> Reaction {
        let free: Vec<(Velocity, Velocity)> = bodies.iter().map(|b| (b.velocity, b.motion)).collect();
        let mut by_default = |bodies: &mut [SolverBody], contacts: &mut [SolverContact]| {
            let fastest = situation.starts.iter().map(|start| start.linear.norm()).fold(0.0, Real::max);
            let stands = |start: &Velocity| *start == Velocity::default();
            let kept = if situation.starts.iter().all(stands) { KEPT } else { 0.0 };
            let (change, far) = (LIMITS.change.max(FINE * fastest), LIMITS.far.max(COARSE * fastest));
            let limits = SweepLimits { change, far, kept, ..LIMITS };
            let limits = if situation.crowded { crowd::velocity_limits(&limits) } else { limits };
            let sweeps = system.settle_velocities(&limits);
            for (body, member) in bodies.iter_mut().zip(&system.members) {
                body.velocity = member.velocity;
            }
            for (contact, solved) in contacts.iter_mut().zip(&system.impulses) {
                contact.impulse = *solved;
            }
            Reaction { sweeps, substituted: false }
        };
        let mut moved_already = false;
        let reaction = match world.in_force.response {
            ResponseMethod::Shock => by_default(bodies, contacts),
            ResponseMethod::Pairwise => self.react_pairwise(world, situation, bodies),
            ResponseMethod::Lcp => match solve_lcp(bodies, contacts, &SWEEPS_ALONE) {
                LcpSolution::Pivoted => Reaction { sweeps: 1, substituted: false },
                LcpSolution::Swept { sweeps, .. } => Reaction { sweeps, substituted: false },
            },
            ResponseMethod::Svd => match solve_svd(bodies, contacts, situation.starts) {
                Ok(sweeps) => Reaction { sweeps, substituted: false },
                Err(_) => Reaction { substituted: true, ..by_default(bodies, contacts) },
            },
            ResponseMethod::Penalty => {
                // The springs act from ε on.
                let gaps: Vec<Real> = situation.separations.iter().map(|s| s - world.in_force.tolerance).collect();
                let law = PenaltyLaw::for_step(self.dt);
                let sweeps = solve_penalty(bodies, contacts, situation.starts, &gaps, situation.rest, &law);
                moved_already = true;
                Reaction { sweeps, substituted: false }
            }
        };
        // The contacts' share of the motion is the integrator's share of the velocity change that they made.
        let share = world.in_force.integrator.motion_share();
        for ((body, member), (free_end, free_motion)) in bodies.iter_mut().zip(&mut system.members).zip(&free) {
            if !moved_already {
                body.motion = Velocity {
                    linear: free_motion.linear + (body.velocity.linear - free_end.linear) * share,
                    angular: free_motion.angular + (body.velocity.angular - free_end.angular) * share,
                };
            }
            (member.velocity, member.motion) = (body.velocity, body.motion);
        }
        for (solved, contact) in system.impulses.iter_mut().zip(contacts) {
            *solved = contact.impulse;
        }
        reaction
    }

    /// The papers' way: inelastic impulses pair by pair, a few rounds.
    fn react_pairwise(&self, world: &World, situation: &Situation, bodies: &mut [SolverBody]) -> Reaction {
        let Situation { island, inertias, .. } = situation;
        for _ in 0..PAIRWISE_ROUNDS {
            for &pair in &island.pairs {
                let (a, b) = island.local(pair);
                let friction = self.material(world, pair).friction;
                let law = ImpactLaw { friction, restitution: 0.0, restitution_threshold: 0.0 };
                let points: Vec<ImpactPoint> = self.close[&pair]
                    .points
                    .iter()
                    .filter(|p| p.separation <= world.in_force.tolerance)
                    .map(|p| ImpactPoint {
                        a: 0,
                        b: 1,
                        r_a: p.midpoint() - inertias[a].centre,
                        r_b: p.midpoint() - inertias[b].centre,
                        normal: p.normal,
                        law,
                    })
                    .collect();
                let mut velocities = [bodies[a].velocity, bodies[b].velocity];
                resolve_impact(&[&inertias[a], &inertias[b]], &mut velocities, &points);
                [bodies[a].velocity, bodies[b].velocity] = velocities;
            }
        }
        Reaction { sweeps: PAIRWISE_ROUNDS, substituted: false }
    }
}
