//! Pushes of contacts that a pair has no more, or does not have yet.
//!
//! A step's contacts push in advance: the velocities at its end stop at gaps that are still to close, and at what the motions
//! are bent around (see [`super::clearance`]). Whoever is struck before that may never come there, and turns other features to
//! the other body. So what was pushed there stays a contact over the rest of the step, which pushes less, or nothing, if the
//! velocities lead away: else it would be energy from nowhere, or, taken from one body alone, momentum (erratum E23).

use super::World;
use super::landing::share_after;
use super::stepping::{Pair, Stepping};
use crate::contact::ContactPoint;
use crate::math::{Real, Vector, in_basis};
use crate::response::sequential::{ASKS_NOTHING, SolverContact};

/// Where a pair has pushed.
#[derive(Clone, Debug)]
pub(super) struct SetDown {
    /// When it was last solved for, seconds from the start of the step. From then on its impulses act evenly.
    solved_at: Real,
    contacts: Vec<SolverContact>,
}

impl SetDown {
    /// The contacts with what their impulses are from time `t` of a step of `dt` on.
    fn from(&self, t: Real, dt: Real) -> impl Iterator<Item = SolverContact> {
        let left_over = share_after(self.solved_at, t, dt);
        self.contacts.iter().map(move |c| SolverContact { impulse: c.impulse.map(|part| part * left_over), ..*c })
    }
}

impl Stepping {
    /// Keeps those of the `contacts` of a pair that push as hard as impacts do, with their impulses from time `t` on. What lies
    /// at rest hands its load from feature to feature: that is no energy to speak of, and would stir it for ever.
    pub(super) fn keep_set_down(&mut self, world: &World, pair: Pair, mut contacts: Vec<SolverContact>, t: Real) {
        let inverse_mass: Real = [pair.0, pair.1].iter().map(|&k| self.body(world, k).inverse_mass().max()).sum();
        let impact_speed = self.impact_speed(world, pair);
        contacts.retain(|contact| contact.impulse[0] * inverse_mass > impact_speed);
        if contacts.is_empty() || self.is_crowded(pair) {
            return;
        }
        if let Some(kept) = self.set_down.get(&pair) {
            contacts.extend(kept.from(t, self.dt).filter(|contact| contact.impulse[0] > 0.0));
        }
        self.set_down.insert(pair, SetDown { solved_at: t, contacts });
    }

    /// Keeps those contacts of a pair that are no more at time `t`, with what they pushed B by when the pair was last solved
    /// for, N·s. They were found at time `then`.
    pub(super) fn keep_ended(
        &mut self,
        world: &World,
        pair: Pair,
        ended: &[(ContactPoint, Vector)],
        then: Real,
        t: Real,
    ) {
        let Some(close) = self.close.get(&pair) else { return };
        let left_over = 1.0 - close.share_before(t, self.dt);
        let centres = [pair.0, pair.1].map(|k| self.courses[k as usize].inertia_at(self.body(world, k), then).centre);
        let surfaces = self.surfaces(world, pair);
        let contact = |(p, pushed): &(ContactPoint, Vector)| {
            SolverContact {
                a: 0,
                b: 1,
                r_a: p.midpoint() - centres[0],
                r_b: p.midpoint() - centres[1],
                normal: p.normal,
                friction: surfaces.at(&p.features).friction,
                least_velocity: 0.0,
                // Motions are bent anew after every impact.
                least_motion: ASKS_NOTHING,
                carried: self.running_at(world, pair, &p.normal, t),
                impulse: in_basis(&p.normal, pushed).map(|part| part * left_over),
            }
        };
        self.keep_set_down(world, pair, ended.iter().map(contact).collect(), t);
    }

    /// The contacts that are kept of a pair, between the members `a` and `b` of a system, from time `t` on.
    pub(super) fn set_down_contacts(&self, pair: Pair, t: Real, (a, b): (usize, usize)) -> Vec<SolverContact> {
        let contact = |c: SolverContact| SolverContact { a, b, least_velocity: 0.0, least_motion: ASKS_NOTHING, ..c };
        self.set_down.get(&pair).map_or(Vec::new(), |kept| kept.from(t, self.dt).map(contact).collect())
    }

    /// What one of the contacts that are kept of a pair pushes from time `t` on, when all of them are solved for.
    pub(super) fn push_set_down(&mut self, pair: Pair, number: usize, impulse: &[Real; 3], t: Real) {
        if let Some(kept) = self.set_down.get_mut(&pair) {
            kept.solved_at = t;
            if let Some(contact) = kept.contacts.get_mut(number) {
                contact.impulse = *impulse;
            }
        }
    }
}
