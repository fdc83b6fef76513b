//! Couples that push each other: the first are those that are too near, and others join as what they push reaches them.

use super::couples::Couples;

/// Those of a part that are reached.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    /// For each body the places of its couples: those of body `k` from `firsts[k]` to `firsts[k + 1]`.
    firsts: Vec<usize>,
    places: Vec<usize>,
    /// The places of the couples that have joined.
    pub joined: Vec<usize>,
    /// For each couple whether it has joined.
    has_joined: Vec<bool>,
    /// Where the contacts of the couples that have joined stand among those of all, in the order in which they did.
    pub contacts: Vec<usize>,
    /// Their bodies, after those that another part may move.
    pub bodies: Vec<usize>,
    is_among: Vec<bool>,
    /// For each body whether all its couples have joined.
    has_spread: Vec<bool>,
}

impl Reached {
    /// Nothing yet but the bodies that are `shared` with another part.
    pub fn new(count: usize, couples: &Couples, shared: impl Iterator<Item = usize>) -> Self {
        let mut firsts = vec![0; count + 1];
        for couple in &couples.all {
            couple.bodies().iter().for_each(|&body| firsts[body + 1] += 1);
        }
        for k in 0..count {
            firsts[k + 1] += firsts[k];
        }
        let (mut next, mut places) = (firsts.clone(), vec![0; 2 * couples.all.len()]);
        for (place, couple) in couples.all.iter().enumerate() {
            for body in couple.bodies() {
                places[next[body]] = place;
                next[body] += 1;
            }
        }
        let mut reached = Self {
            firsts,
            places,
            joined: Vec::new(),
            has_joined: vec![false; couples.all.len()],
            contacts: Vec::new(),
            bodies: shared.collect(),
            is_among: vec![false; count],
            has_spread: vec![false; count],
        };
        reached.bodies.iter().for_each(|&body| reached.is_among[body] = true);
        reached
    }

    /// The couple at a place joins, unless it has.
    pub fn join(&mut self, couples: &Couples, place: usize) {
        if std::mem::replace(&mut self.has_joined[place], true) {
            return;
        }
        let couple = &couples.all[place];
        self.joined.push(place);
        self.contacts.extend(couple.first..couple.first + couple.count);
        for body in couple.bodies() {
            if !std::mem::replace(&mut self.is_among[body], true) {
                self.bodies.push(body);
            }
        }
    }

    /// The other couples of a body that was pushed join.
    pub fn spread(&mut self, couples: &Couples, body: usize) {
        if !std::mem::replace(&mut self.has_spread[body], true) {
            for k in self.firsts[body]..self.firsts[body + 1] {
                self.join(couples, self.places[k]);
            }
        }
    }
}
