//! Where sweeps begin: the impulses that are known from before, as much of them as helps.

use super::impulse::Velocity;
use super::patch::Patch;
use super::row::{Giving, Row};
use super::sequential::SolverContact;
use super::system::{PairRows, System};
use super::together::stick_or_slide;
use crate::math::Real;

/// Known impulses that overshoot by less than this share of what they do are taken whole: what they add in energy is the
/// square of it, while less of them would let the whole of a pile sag, which sweeps mend last.
const OVERSHOOT: Real = 1e-3;

impl System {
    /// Applies the impulses that the contacts have, as much of them as brings the whole nearest to what is wanted: sweeps
    /// from there only ever take energy, where too large ones would first have to be taken back.
    pub(super) fn start_warm(&mut self, free: &[Velocity]) {
        let without = self.slope_at(free);
        for pair in &self.pairs {
            let (mut a, mut b) = (self.members[pair.a].velocity, self.members[pair.b].velocity);
            for (impulse, row) in self.impulses[pair.contacts.clone()].iter().zip(&self.rows[pair.contacts.clone()]) {
                if *impulse != [0.0; 3] {
                    row.push_all(Giving::Both, &mut a, &mut b, impulse);
                }
            }
            for k in pair.rollings.clone() {
                self.rollings[k].push(Giving::Both, &mut a, &mut b, &self.rolls[k]);
            }
            (self.members[pair.a].velocity, self.members[pair.b].velocity) = (a, b);
        }
        let pushed: Vec<Velocity> = self.members.iter().map(|member| member.velocity).collect();
        let with = self.slope_at(&pushed);
        if with > OVERSHOOT * without.abs() {
            let share = if without < 0.0 { without / (without - with) } else { 0.0 };
            for impulse in &mut self.impulses {
                *impulse = impulse.map(|part| part * share);
            }
            for roll in &mut self.rolls {
                *roll = roll.map(|part| part * share);
            }
            for (member, free) in self.members.iter_mut().zip(free) {
                member.velocity = *free + (member.velocity - *free) * share;
            }
        }
    }

    /// Brings every pair of which nothing is known to where its own contacts would, if there were only these.
    pub(super) fn begin_unknown(&mut self) {
        for pair in 0..self.pairs.len() {
            self.begin_together(pair);
        }
    }

    /// The first turn of a pair of which nothing is known, all its contacts at once: swept one after the other the first takes more than
    /// its share, and what touches along an edge would be turned about it for good. Returns the largest change of a contact's velocity, m/s;
    /// `None` where something is known or nothing is lacking, where contacts span a plane (these are pressed together as it is), and where they
    /// neither all stick nor all slide.
    pub(super) fn begin_together(&mut self, pair: usize) -> Option<Real> {
        let PairRows { a, b, contacts: ref range, ref patches, .. } = self.pairs[pair];
        let range = range.clone();
        let is_known = |impulse: &[Real; 3]| *impulse != [0.0; 3];
        if range.len() < 2
            || self.impulses[range.clone()].iter().any(is_known)
            || self.patches[patches.clone()].iter().any(Patch::spans_a_plane)
        {
            return None;
        }
        let (contacts, rows) = (&self.contacts[range.clone()], &self.rows[range.clone()]);
        let (mut of_a, mut of_b) = (self.members[a].velocity, self.members[b].velocity);
        if contacts.iter().zip(rows).all(|(c, row)| row.opening(&of_a, &of_b) >= c.least_velocity) {
            return None;
        }
        let inertia = [&self.members[a].inertia, &self.members[b].inertia];
        let impulses = stick_or_slide(inertia, [&of_a, &of_b], contacts)?;
        for ((row, impulse), parts) in rows.iter().zip(impulses).zip(&mut self.impulses[range]) {
            *parts = row.parts(&impulse);
            row.push_all(Giving::Both, &mut of_a, &mut of_b, parts);
        }
        let (by_a, by_b) = (of_a - self.members[a].velocity, of_b - self.members[b].velocity);
        let change = |c: &SolverContact| (by_b.at(&c.r_b) - by_a.at(&c.r_a)).norm();
        let largest = contacts.iter().map(change).fold(0.0, Real::max);
        (self.members[a].velocity, self.members[b].velocity) = (of_a, of_b);
        Some(largest)
    }

    /// What the sweeps make small, J: nothing without impulses, negative nearer to what is wanted. `free` are the velocities
    /// without impulses.
    pub(super) fn cost(&self, free: &[Velocity]) -> Real {
        let now: Vec<Velocity> = self.members.iter().map(|member| member.velocity).collect();
        0.5 * (self.slope_at(free) + self.slope_at(&now))
    }

    /// How the cost changes along the contacts' impulses where the members have the given velocities: negative while more of
    /// them is better.
    fn slope_at(&self, velocities: &[Velocity]) -> Real {
        let slope = |pair: &PairRows| -> Real {
            let (a, b) = (&velocities[pair.a], &velocities[pair.b]);
            let range = pair.contacts.clone();
            let along = |((c, row), impulse): ((&SolverContact, &Row), &[Real; 3])| {
                let [push, rub1, rub2] = impulse;
                row.power(a, b, impulse) - push * c.least_velocity - rub1 * c.carried[0] - rub2 * c.carried[1]
            };
            let contacts = self.contacts[range.clone()].iter().zip(&self.rows[range.clone()]);
            let pushed: Real = contacts.zip(&self.impulses[range]).map(along).sum();
            pair.rollings.clone().fold(pushed, |sum, k| sum + self.rollings[k].power(a, b, &self.rolls[k]))
        };
        self.pairs.iter().map(slope).sum()
    }
}
