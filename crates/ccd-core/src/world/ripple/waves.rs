//! The blows of a meeting, wave by wave.
//!
//! What strikes a body at the same time from two sides strikes it at once, or the one that comes first in a list would tip it: a plank that
//! falls flat on two boxes that stand on the floor, whose boxes come back from there together.

use std::collections::BTreeSet;

use super::{Ripple, ordered};
use crate::response::impulse::{Inertia, Velocity};
use crate::world::stepping::{Pair, Stepping};
use crate::world::strikes::Striking;

/// Impacts per pair that has joined; what is left meets again within the step.
const IMPACTS: usize = 64;

impl Ripple<'_> {
    /// Impacts in waves: of the pairs that meet now, and of those that are to land and are there; then of those that each wave makes in
    /// bodies that they touch.
    pub(super) fn meet(&mut self, stepping: &mut Stepping, now: &[Pair], landings: &[Pair]) {
        let mut turns = 0;
        let mut wave: Vec<Pair> = now.iter().chain(landings).copied().collect();
        let first = if now.len() > 1 { self.strike(stepping, now) } else { Vec::new() };
        self.call_neighbours(stepping, &first, &mut wave);
        while !wave.is_empty() {
            turns += wave.len();
            if turns > IMPACTS * self.known.len() {
                break;
            }
            let mut next = Vec::new();
            for group in self.grouped(stepping, wave) {
                let changed = self.strike(stepping, &group);
                self.call_neighbours(stepping, &changed, &mut next);
            }
            wave = next;
        }
    }

    /// The pairs of bodies whose velocities changed are asked in the next wave.
    fn call_neighbours(&self, stepping: &Stepping, changed: &[usize], next: &mut Vec<Pair>) {
        for &k in changed {
            let number = self.bodies[k].number;
            next.extend(stepping.neighbours.of(number).iter().map(|&other| ordered(number, other)));
        }
    }

    /// The pairs of a wave, those together that strike at once: with the velocities that the wave begins with, and with a movable body in
    /// common. What comes to strike by them is of the next wave, so that a blow runs along a chain from body to body. In a crowd all
    /// would hang together: there each pair is asked alone, in order.
    fn grouped(&mut self, stepping: &Stepping, mut wave: Vec<Pair>) -> Vec<Vec<Pair>> {
        if self.crowded {
            return wave.into_iter().map(|pair| vec![pair]).collect();
        }
        let mut asked = BTreeSet::new();
        wave.retain(|&pair| asked.insert(pair) && self.strikes(stepping, pair));
        let mut groups: Vec<Vec<Pair>> = Vec::new();
        for pair in wave {
            let is_shared = |k: u32| stepping.is_movable(k) && (k == pair.0 || k == pair.1);
            let hangs = |group: &Vec<Pair>| group.iter().any(|&(a, b)| is_shared(a) || is_shared(b));
            let (with_it, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(hangs);
            groups = others;
            groups.push(with_it.into_iter().flatten().chain([pair]).collect());
        }
        groups
    }

    /// Whether a pair is in touch and approaches faster than contact does.
    fn strikes(&mut self, stepping: &Stepping, (a, b): Pair) -> bool {
        let places = [a, b].map(|k| self.join(stepping, k));
        let velocities = places.map(|k| self.bodies[k].start);
        let inertias = places.map(|k| self.system.inertia(k));
        let placed = Striking::new((a, b), (0, 1));
        stepping.strikes(self.world, &placed, &inertias, &velocities, self.world.in_force.tolerance)
    }

    /// The impact of pairs at once, if one of them is in touch and approaches faster than contact does. Returns whose velocities changed.
    fn strike(&mut self, stepping: &mut Stepping, pairs: &[Pair]) -> Vec<usize> {
        let tolerance = self.world.in_force.tolerance;
        if let &[pair] = pairs {
            let places = [pair.0, pair.1].map(|k| self.join(stepping, k));
            let inertias = places.map(|k| self.system.inertia(k));
            let mut after = places.map(|k| self.bodies[k].start);
            let placed = Striking::new(pair, (0, 1));
            if !stepping.strikes(self.world, &placed, &inertias, &after, tolerance) {
                return Vec::new();
            }
            stepping.impact_of(self.world, &[placed], self.t, &inertias, &mut after, &mut self.impacts);
            return self.take_blow(stepping, &places, &after);
        }
        let joined: Vec<[usize; 2]> = pairs.iter().map(|&(a, b)| [a, b].map(|k| self.join(stepping, k))).collect();
        let mut places: Vec<usize> = joined.iter().flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        let place_of = |k: usize| places.partition_point(|&other| other < k);
        let placed = |(&pair, [a, b]): (&Pair, &[usize; 2])| Striking::new(pair, (place_of(*a), place_of(*b)));
        let inertias: Vec<&Inertia> = places.iter().map(|&k| self.system.inertia(k)).collect();
        let mut after: Vec<Velocity> = places.iter().map(|&k| self.bodies[k].start).collect();
        // What meets within a moment of the first is as good as there.
        let strikes = |p: &Striking| stepping.strikes(self.world, p, &inertias, &after, 2.0 * tolerance);
        let placed: Vec<Striking> = pairs.iter().zip(&joined).map(placed).filter(strikes).collect();
        if placed.is_empty() {
            return Vec::new();
        }
        stepping.impact_of(self.world, &placed, self.t, &inertias, &mut after, &mut self.impacts);
        self.take_blow(stepping, &places, &after)
    }

    /// Bodies have other velocities now. Returns those of them that can move.
    fn take_blow(&mut self, stepping: &mut Stepping, places: &[usize], after: &[Velocity]) -> Vec<usize> {
        let mut changed = Vec::with_capacity(places.len());
        for (&k, &after) in places.iter().zip(after) {
            let body = &mut self.bodies[k];
            if !body.movable {
                continue;
            }
            let change = after - body.start;
            self.blow = self.blow.max(change.linear.norm() + change.angular.norm() * body.radius);
            body.struck = true;
            self.start_from(stepping, k, after);
            let body = &self.bodies[k];
            self.system.members[k].velocity = body.flight.velocity + body.pushed;
            self.surround(stepping, k);
            changed.push(k);
        }
        changed
    }
}
