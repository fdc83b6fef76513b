//! One turn of a pair's contacts: the step that sweeps are made of.

use super::impulse::Velocity;
use super::patch::Patch;
use super::row::{Giving, Row};
use super::sequential::SolverContact;
use super::system::PairRows;
use crate::math::Real;

/// What a turn reads of its system.
#[derive(Clone, Copy)]
pub(super) struct Terms<'s> {
    pub contacts: &'s [SolverContact],
    pub rows: &'s [Row],
    pub patches: &'s [Patch],
}

impl Terms<'_> {
    /// One turn of a pair whose bodies have the velocities `a` and `b` and whose contacts the `impulses`, with or without its
    /// friction; returns the largest change of a contact's velocity, m/s.
    #[inline]
    pub fn turn(
        &self,
        pair: &PairRows,
        giving: Giving,
        rubs: bool,
        [a, b]: [&mut Velocity; 2],
        impulses: &mut [[Real; 3]],
    ) -> Real {
        let mut largest: Real = 0.0;
        let first = pair.contacts.start;
        for patch in &self.patches[pair.patches.clone()] {
            let range = patch.range.clone();
            let (contacts, rows) = (&self.contacts[range.clone()], &self.rows[range.clone()]);
            let impulses = &mut impulses[range.start - first..range.end - first];
            match patch.press_together(giving, [a, b], contacts, rows, impulses) {
                Some(change) => largest = largest.max(change),
                None => {
                    for ((c, row), impulse) in contacts.iter().zip(rows).zip(&mut *impulses) {
                        largest = largest.max(row.press(giving, a, b, c.least_velocity, &mut impulse[0]));
                    }
                }
            }
            if rubs {
                for ((c, row), impulse) in contacts.iter().zip(rows).zip(impulses) {
                    largest = largest.max(row.rub(giving, a, b, c.friction, &c.carried, impulse));
                }
            }
        }
        largest
    }
}
