//! Two bodies and all contacts that bound their motions, however many pairs of a system they came as.

use std::ops::Range;

use super::row::Giving;
use super::system::System;

/// Two bodies that bound each other's motion.
#[derive(Clone, Debug)]
pub(super) struct Couple {
    pub a: usize,
    pub b: usize,
    /// Who gives way while shock is propagated and motions are settled.
    pub upper: Giving,
    /// The larger level of the two.
    pub level: u32,
    contacts: Range<usize>,
}

impl Couple {
    pub fn bodies(&self) -> [usize; 2] {
        [self.a, self.b]
    }
}

/// The couples of a system from the ground up.
#[derive(Clone, Debug)]
pub(super) struct Couples {
    pub all: Vec<Couple>,
    contacts: Vec<usize>,
}

impl Couples {
    /// Those of a level in the order of their first pairs.
    pub fn of(system: &System) -> Self {
        let mut pairs: Vec<usize> = (0..system.pairs.len()).collect();
        let bodies = |k: usize| (system.pairs[k].a, system.pairs[k].b);
        pairs.sort_unstable_by_key(|&k| (bodies(k), k));
        let mut groups: Vec<&[usize]> = pairs.chunk_by(|&k, &l| bodies(k) == bodies(l)).collect();
        groups.sort_unstable_by_key(|group| (system.pairs[group[0]].level, group[0]));
        let (mut all, mut contacts) = (Vec::with_capacity(groups.len()), Vec::with_capacity(system.contacts.len()));
        for group in groups {
            let first = &system.pairs[group[0]];
            let start = contacts.len();
            contacts.extend(group.iter().flat_map(|&k| system.pairs[k].contacts.clone()));
            let range = start..contacts.len();
            all.push(Couple { a: first.a, b: first.b, upper: first.upper, level: first.level, contacts: range });
        }
        Self { all, contacts }
    }

    /// The numbers of a couple's contacts in the system.
    pub fn contacts_of(&self, couple: &Couple) -> &[usize] {
        &self.contacts[couple.contacts.clone()]
    }
}
