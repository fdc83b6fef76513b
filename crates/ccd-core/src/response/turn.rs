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
        let mut bodies = self.rows[first].between(giving, a, b);
        for patch in &self.patches[pair.patches.clone()] {
            let range = patch.range.clone();
            let pressed = if patch.spans_a_plane() {
                let (contacts, rows) = (&self.contacts[range.clone()], &self.rows[range.clone()]);
                let impulses = &mut impulses[range.start - first..range.end - first];
                patch.press_together(&mut bodies, contacts, rows, impulses)
            } else {
                None
            };
            match pressed {
                Some(change) => largest = largest.max(change),
                None => {
                    for k in range.clone() {
                        let least = self.contacts[k].least_velocity;
                        largest = largest.max(self.rows[k].press(&mut bodies, least, &mut impulses[k - first][0]));
                    }
                }
            }
            if rubs {
                for k in range {
                    let c = &self.contacts[k];
                    let change = self.rows[k].rub(&mut bodies, c.friction, &c.carried, &mut impulses[k - first]);
                    largest = largest.max(change);
                }
            }
        }
        bodies.end(a, b);
        largest
    }

    /// The same of contacts that hold as well as their cones allow ([`Row::hold`]).
    pub fn hold(&self, pair: &PairRows, [a, b]: [&mut Velocity; 2], impulses: &mut [[Real; 3]]) -> Real {
        let range = pair.contacts.clone();
        let mut bodies = self.rows[range.start].between(Giving::Both, a, b);
        let contacts = self.contacts[range.clone()].iter().zip(&self.rows[range]);
        let hold = |((c, row), impulse): ((&SolverContact, &Row), &mut [Real; 3])| {
            row.hold(&mut bodies, (c.least_velocity, c.friction), &c.carried, impulse)
        };
        let largest = contacts.zip(impulses).map(hold).fold(0.0, Real::max);
        bodies.end(a, b);
        largest
    }
}
