//! Where sweeps begin: the impulses that are known from before, as much of them as helps.

use super::impulse::Velocity;
use super::row::{Giving, Row};
use super::sequential::SolverContact;
use super::system::{PairRows, System};
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
