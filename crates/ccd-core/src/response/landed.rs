//! Velocities at the end of an interval within which something lands.
//!
//! Impulses act evenly over the interval. What is pushed before the landing has been pushed, whatever comes after it: an edge that a block
//! rocks on bears it until the other comes down, though it is off the ground by the end.

use super::row::Giving;
use super::sequential::{ASKS_NOTHING, SolverContact, SweepLimits};
use super::system::System;
use crate::math::Real;

impl System {
    /// The contacts that push though they may come nearer, faster than `speed` m/s, and did not when the interval began, when others of their bodies did: they
    /// land within the interval.
    pub fn landing_ahead(&self, speed: Real) -> Vec<usize> {
        let comes = |c: &SolverContact| c.least_velocity < -speed && c.impulse[0] == 0.0;
        let lands = |&k: &usize| self.impulses[k][0] > 0.0 && comes(&self.contacts[k]);
        let mut landing: Vec<usize> = (0..self.contacts.len()).filter(lands).collect();
        if !landing.is_empty() {
            let mut bears = vec![false; self.members.len()];
            for c in self.contacts.iter().filter(|c| c.impulse[0] > 0.0) {
                for k in [c.a, c.b] {
                    bears[k] = !self.members[k].inertia.is_immovable();
                }
            }
            landing.retain(|&k| bears[self.contacts[k].a] || bears[self.contacts[k].b]);
        }
        landing
    }

    /// Lets those of the contacts land: their velocities stop, as those of what touches, and of what each pair pushes without them its share has been
    /// pushed by then. What that leaves with more energy than all have if nothing lands stays as it was (erratum E23).
    pub fn land_ahead(&mut self, landing: &[usize], shares: &[Real], limits: &SweepLimits) {
        let former = self.state();
        let least: Vec<Real> = landing.iter().map(|&k| self.contacts[k].least_velocity).collect();
        for pair in &self.pairs {
            for k in landing.iter().copied().filter(|k| pair.contacts.contains(k)) {
                let (mut a, mut b) = (self.members[pair.a].velocity, self.members[pair.b].velocity);
                let pushed = std::mem::take(&mut self.impulses[k]);
                self.rows[k].push_all(Giving::Both, &mut a, &mut b, &pushed.map(|part| -part));
                (self.members[pair.a].velocity, self.members[pair.b].velocity) = (a, b);
                self.contacts[k].least_velocity = ASKS_NOTHING;
            }
        }
        self.sweep_on(limits);
        let most = self.kinetic_energy() + self.energy_at(self.slight);
        let kept = self.set_aside(shares);
        landing.iter().for_each(|&k| self.contacts[k].least_velocity = 0.0);
        self.sweep_on(limits);
        self.add_to_impulses(&kept);
        if self.kinetic_energy() > most {
            self.restore(&former);
            landing.iter().zip(least).for_each(|(&k, least)| self.contacts[k].least_velocity = least);
        }
    }

    /// Takes a share of what each of the first pairs pushes, where it pushed when the interval began, out of its impulses, so that it cannot become less.
    /// Returns it, contact by contact.
    pub fn set_aside(&mut self, shares: &[Real]) -> Vec<[Real; 3]> {
        let mut kept = Vec::with_capacity(self.contacts.len());
        for (pair, share) in self.pairs.iter().zip(shares) {
            let range = pair.contacts.clone();
            for (c, impulse) in self.contacts[range.clone()].iter().zip(&mut self.impulses[range]) {
                let share = if c.impulse[0] > 0.0 { *share } else { 0.0 };
                let part = impulse.map(|part| part * share);
                for (left, part) in impulse.iter_mut().zip(part) {
                    *left -= part;
                }
                kept.push(part);
            }
        }
        kept
    }

    /// Counts as pushed what was set aside.
    pub fn add_to_impulses(&mut self, kept: &[[Real; 3]]) {
        for (impulse, kept) in self.impulses.iter_mut().zip(kept) {
            for (part, kept) in impulse.iter_mut().zip(kept) {
                *part += kept;
            }
        }
    }
}
