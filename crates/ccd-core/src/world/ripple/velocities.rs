//! The velocities of those that feel a meeting.

use std::collections::VecDeque;

use super::{Joined, Ripple};
use crate::math::Real;
use crate::response::impulse::Velocity;
use crate::response::row::Giving;
use crate::response::sequential::SweepLimits;
use crate::world::resolve::sweep_limits;
use crate::world::stepping::Stepping;

/// Those that have joined are solved until they change by less than this share of that.
const SETTLED: Real = 1e-2;
/// Turns per contact pair that has joined, before shock propagation finishes.
const TURNS: usize = 30;
/// Sweeps over all before that.
const SWEEPS: usize = 300;
/// Sweeps per level of that.
const SHOCK_SWEEPS: usize = 10;

impl Ripple<'_> {
    /// Contact impulses, until no velocity changes by more than is felt.
    ///
    /// They begin from the impulses of before, given where bodies were and as fast as they were then. Something light that is wedged and has
    /// turned on, or bounced off what was to stop it, may end with more energy than there is by those, which nobody who meets has to
    /// give (erratum E23): it is solved anew from what the bodies do if nothing touches them. Only beside something fixed: elsewhere those who
    /// gave the pushes would keep what they took for them, and the audit of the step leaves the momentum.
    pub(super) fn settle_velocities(&mut self, stepping: &mut Stepping, queue: VecDeque<usize>) {
        self.take_turns(stepping, queue);
        let [energy, planned, untouched] = self.system.energies_at(|k| {
            let body = &self.bodies[k];
            [self.system.members[k].velocity, body.former_end, body.flight.velocity]
        });
        let is_held = self.bodies.iter().any(|body| !body.movable);
        if is_held && energy > planned.max(untouched) + self.system.slight_or_driven() {
            // What pushes a body from outside of the ripple goes on.
            let free = |body: &Joined| if body.surrounded { body.flight.velocity } else { body.former_end };
            let free: Vec<Velocity> = self.bodies.iter().map(free).collect();
            self.system.drop_impulses(&free);
            let all = (0..self.system.pair_count()).collect();
            self.take_turns(stepping, all);
        }
    }

    /// Turns of contacts, until no velocity changes by more than is felt.
    fn take_turns(&mut self, stepping: &mut Stepping, mut queue: VecDeque<usize>) {
        let felt = self.felt();
        let mut queued: Vec<bool> = vec![false; self.system.pair_count()];
        for &pair in &queue {
            queued[pair] = true;
        }
        let mut turns = 0;
        while let Some(pair) = queue.pop_front() {
            queued[pair] = false;
            turns += 1;
            if turns > TURNS * self.system.pair_count() {
                let limits = SweepLimits { change: felt, far: Real::INFINITY, ..sweep_limits(&self.world.in_force) };
                if self.system.sweep_on(&SweepLimits { velocity: SWEEPS, ..limits }) > felt {
                    self.system.propagate_shock(&SweepLimits { velocity: SHOCK_SWEEPS, ..limits });
                }
                break;
            }
            let (a, b) = self.system.bodies_of(pair);
            let former = [a, b].map(|k| self.system.members[k].velocity);
            let change = self.system.turn(pair, Giving::Both);
            let settled = change <= SETTLED * felt;
            for (k, former) in [a, b].into_iter().zip(former) {
                let body = &mut self.bodies[k];
                if !body.movable {
                    continue;
                }
                let change = self.system.members[k].velocity - former;
                body.untold += change.linear.norm() + change.angular.norm() * body.radius;
                if body.untold > felt {
                    body.untold = 0.0;
                    self.surround(stepping, k);
                }
            }
            queued.resize(self.system.pair_count(), false);
            if !settled {
                let those_of = |k: usize| &self.bodies[k].pairs;
                for &next in [pair].iter().chain(those_of(a)).chain(those_of(b)) {
                    if !std::mem::replace(&mut queued[next], true) {
                        queue.push_back(next);
                    }
                }
            }
        }
    }
}
