//! Two bodies and all contacts that bound their motions, however many pairs of a system they came as.

use std::ops::Range;

use super::row::{Giving, Row};
use super::system::{PairRows, System};
use crate::math::Real;

/// What a change of a contact's push counts beside what the push does, as a share of it: where several pushes do the same, those that
/// there were stay nearest to what they were.
const NEAR: Real = 1e-4;

/// Two bodies that bound each other's motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Couple {
    /// Where the bodies stand in the couple's part of the system.
    pub a: usize,
    pub b: usize,
    /// Who gives way while shock is propagated and motions are settled.
    pub upper: Giving,
    /// The larger level of the two.
    pub level: u32,
    /// Where its contacts begin among those of all couples.
    pub first: usize,
    pub count: usize,
    /// Where the couplings of its contacts begin, once they are known: with both bodies giving way, and with the upper one.
    couplings: [Option<usize>; 2],
}

impl Couple {
    pub fn bodies(&self) -> [usize; 2] {
        [self.a, self.b]
    }
}

/// The couples of a part of a system from the ground up.
#[derive(Clone, Debug)]
pub(super) struct Couples {
    pub all: Vec<Couple>,
    /// The numbers of their contacts in the system, couple by couple.
    pub contacts: Vec<usize>,
    couplings: Vec<Real>,
}

impl Couples {
    /// Those of some pairs whose bodies stand at `places`, in the order of their levels, and in a level of their first pairs.
    pub fn of(system: &System, mut pairs: Vec<usize>, places: &[usize]) -> Self {
        let bodies = |k: usize| (system.pairs[k].a, system.pairs[k].b);
        pairs.sort_unstable_by_key(|&k| (bodies(k), k));
        let mut groups: Vec<&[usize]> = pairs.chunk_by(|&k, &l| bodies(k) == bodies(l)).collect();
        groups.sort_unstable_by_key(|group| (system.pairs[group[0]].level, group[0]));
        let (mut all, mut contacts) = (Vec::with_capacity(groups.len()), Vec::with_capacity(system.contacts.len()));
        for group in groups {
            let first = &system.pairs[group[0]];
            let PairRows { a, b, upper, level, .. } = *first;
            let (a, b, first) = (places[a], places[b], contacts.len());
            contacts.extend(group.iter().flat_map(|&k| system.pairs[k].contacts.clone()));
            all.push(Couple { a, b, upper, level, first, count: contacts.len() - first, couplings: [None; 2] });
        }
        Self { all, contacts, couplings: Vec::new() }
    }

    /// The lowest level of any couple, above the given one.
    pub fn level_above(&self, below: Option<u32>) -> Option<u32> {
        let next = self.all.partition_point(|couple| below.is_some_and(|below| couple.level <= below));
        self.all.get(next).map(|couple| couple.level)
    }

    /// The places of the couples of a level.
    pub fn of_level(&self, level: u32) -> Range<usize> {
        let first = self.all.partition_point(|couple| couple.level < level);
        first..first + self.all[first..].partition_point(|couple| couple.level == level)
    }

    /// The numbers of a couple's contacts in the system.
    pub fn contacts_of(&self, couple: &Couple) -> &[usize] {
        &self.contacts[couple.first..couple.first + couple.count]
    }

    /// What an impulse at each of a couple's contacts gives each of them, row by row, and on the diagonal a little more, by which
    /// contacts that cannot be told from each other share what pushes them as they did before; 1/kg.
    pub fn couplings_of(&mut self, rows: &[Row], place: usize, giving: Giving) -> &[Real] {
        let couple = &self.all[place];
        let (count, way) = (couple.count, usize::from(giving != Giving::Both));
        let start = match couple.couplings[way] {
            Some(start) => start,
            None => {
                let start = self.couplings.len();
                let contacts = &self.contacts[couple.first..couple.first + count];
                for &k in contacts {
                    self.couplings.extend(contacts.iter().map(|&l| rows[k].coupling(&rows[l], giving)));
                }
                let own = |i: usize| start + i * (count + 1);
                let near = NEAR * (0..count).map(|i| self.couplings[own(i)]).fold(0.0, Real::max);
                (0..count).for_each(|i| self.couplings[own(i)] += near);
                self.all[place].couplings[way] = Some(start);
                start
            }
        };
        &self.couplings[start..start + count * count]
    }
}
