//! The chosen method of response, on one island.

use super::resolve::{KEPT, sweep_limits};
use super::stepping::Stepping;
use super::{ResponseMethod, World, crowd};
use crate::math::{Real, Vector, in_basis};
use crate::response::impact::{ImpactLaw, ImpactPoint, resolve_impact};
use crate::response::impulse::Velocity;
use crate::response::lcp_contact::{LcpSolution, solve_lcp};
use crate::response::penalty::{PenaltyLaw, solve_penalty};
use crate::response::sequential::{SolverBody, SolverContact, SweepLimits};
use crate::response::svd_force::solve_svd;
use crate::response::system::System;

/// Sweeps of the pairwise method, which the papers run a handful of times.
const PAIRWISE_ROUNDS: usize = 5;

/// What moves is solved to this share of its speed; what is at rest, as finely as it takes to stay there.
const FINE: Real = 1e-5;

/// What moves is far from solved while it changes by more than this share of its speed.
const COARSE: Real = 5e-3;

/// Sweeps that no shock propagation finishes have to converge by themselves.
const SWEEPS_ALONE: usize = 4000;

/// An island as the methods see it.
pub(super) struct Situation<'i> {
    /// The velocities when it begins.
    pub starts: &'i [Velocity],
    /// For each contact how far its surfaces are apart, metres.
    pub separations: &'i [Real],
    /// For springs, of each contact what it is carried at from the beginning, along its two tangents, m/s.
    pub running: &'i [[Real; 2]],
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
    /// Whether it moved the bodies itself, and not by the mean of their velocities.
    pub moved: bool,
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
        let fine = sweep_limits(&world.in_force);
        let mut by_default = |bodies: &mut [SolverBody], contacts: &mut [SolverContact]| {
            let fastest = fastest_beside_the_ground(bodies, situation.starts);
            let stands = |start: &Velocity| *start == Velocity::default();
            let slow = world.in_force.slow_speed();
            let stood = situation.starts.iter().all(stands);
            let kept = if stood { KEPT * slow } else { 0.0 };
            let (change, far) = (fine.change.max(FINE * fastest), fine.far.max(COARSE * fastest));
            let limits = SweepLimits { change, far, kept, stood, ..fine };
            let limits = if situation.crowded { crowd::velocity_limits(&limits, slow) } else { limits };
            let sweeps = system.settle_velocities(&limits);
            for (body, member) in bodies.iter_mut().zip(&system.members) {
                body.velocity = member.velocity;
            }
            for (contact, solved) in contacts.iter_mut().zip(&system.impulses) {
                contact.impulse = *solved;
            }
            Reaction { sweeps, ..Reaction::default() }
        };
        let reaction = match world.in_force.response {
            ResponseMethod::Shock => by_default(bodies, contacts),
            ResponseMethod::Pairwise => react_pairwise(bodies, contacts),
            ResponseMethod::Lcp => match solve_lcp(bodies, contacts, &SweepLimits { velocity: SWEEPS_ALONE, ..fine }) {
                LcpSolution::Pivoted => Reaction { sweeps: 1, ..Reaction::default() },
                LcpSolution::Swept { sweeps, .. } => Reaction { sweeps, ..Reaction::default() },
            },
            ResponseMethod::Svd => match solve_svd(bodies, contacts, situation.starts) {
                Ok(sweeps) => Reaction { sweeps, ..Reaction::default() },
                Err(_) => Reaction { substituted: true, ..by_default(bodies, contacts) },
            },
            ResponseMethod::Penalty => {
                // The springs act from ε on.
                let gaps: Vec<Real> = situation.separations.iter().map(|s| s - world.in_force.tolerance).collect();
                let law = PenaltyLaw::for_step(self.dt);
                let Situation { starts, running, rest, .. } = *situation;
                let sweeps = solve_penalty(bodies, contacts, starts, (&gaps, running), rest, &law);
                Reaction { sweeps, moved: true, ..Reaction::default() }
            }
        };
        // The contacts' share of the motion is the integrator's share of the velocity change that they made.
        let share = world.in_force.integrator.motion_share();
        for ((body, member), (free_end, free_motion)) in bodies.iter_mut().zip(&mut system.members).zip(&free) {
            if !reaction.moved {
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
}

/// The largest speed of an island's bodies relative to its ground, m/s: to what cannot move, or to their mean velocity where all can. Where
/// several grounds move differently, it is relative to that beside which the bodies are slowest. So what is carried is solved as finely as
/// what stands.
fn fastest_beside_the_ground(bodies: &[SolverBody], starts: &[Velocity]) -> Real {
    let fastest_beside =
        |ground: &Vector| starts.iter().map(|start| (start.linear - ground).norm()).fold(0.0, Real::max);
    let mut grounds: Vec<Vector> = Vec::new();
    for (body, start) in bodies.iter().zip(starts) {
        if body.inertia.is_immovable() && !grounds.contains(&start.linear) {
            grounds.push(start.linear);
        }
    }
    if grounds.is_empty() {
        grounds.push(starts.iter().map(|start| start.linear).sum::<Vector>() / (starts.len() as Real).max(1.0));
    }
    grounds.iter().map(fastest_beside).fold(Real::INFINITY, Real::min)
}

/// The papers' way: inelastic impulses pair by pair, a few rounds.
fn react_pairwise(bodies: &mut [SolverBody], contacts: &mut [SolverContact]) -> Reaction {
    contacts.iter_mut().for_each(|contact| contact.impulse = [0.0; 3]);
    for _ in 0..PAIRWISE_ROUNDS {
        for pair in contacts.chunk_by_mut(|c, d| (c.a, c.b) == (d.a, d.b)) {
            let (a, b) = (pair[0].a, pair[0].b);
            let point = |c: &SolverContact| {
                let law = ImpactLaw { friction: c.friction, restitution: 0.0, restitution_threshold: 0.0 };
                ImpactPoint { a: 0, b: 1, r_a: c.r_a, r_b: c.r_b, normal: c.normal, law, goal: c.goal() }
            };
            let points: Vec<ImpactPoint> = pair.iter().map(point).collect();
            let mut velocities = [bodies[a].velocity, bodies[b].velocity];
            let impulses = resolve_impact(&[&bodies[a].inertia, &bodies[b].inertia], &mut velocities, &points);
            [bodies[a].velocity, bodies[b].velocity] = velocities;
            for (contact, impulse) in pair.iter_mut().zip(impulses) {
                let parts = in_basis(&contact.normal, &impulse);
                contact.impulse.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
            }
        }
    }
    Reaction { sweeps: PAIRWISE_ROUNDS, ..Reaction::default() }
}
