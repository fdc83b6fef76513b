//! The settling of motions: bodies are moved apart, without velocity, until every gap is as wanted.

use super::conjugate::Conjugate;
use super::row::Giving;
use super::sequential::SweepLimits;
use super::state::State;
use super::system::{PairRows, System};
use crate::math::Real;

/// Motions that have not come nearer to being settled within as many sweeps are left as they are.
const WINDOW: usize = 16;
/// What largest changes have to fall to within these sweeps, as a share.
const PROGRESS: Real = 0.6;

/// Watches sweeps over motions settle.
#[derive(Debug)]
struct Watch {
    /// The least of the largest changes up to this window, m/s.
    least: Real,
    /// The same up to the window before.
    former: Real,
    settled: bool,
}

impl Default for Watch {
    fn default() -> Self {
        Self { least: Real::INFINITY, former: Real::INFINITY, settled: false }
    }
}

impl Watch {
    /// Whether a sweep with the given largest change is the last one: all is settled, or what is wedged is pushed to and fro
    /// without an end.
    fn ends(&mut self, sweep: usize, largest: Real, limits: &SweepLimits) -> bool {
        self.settled = largest <= limits.change;
        self.least = self.least.min(largest);
        let is_due = sweep.is_multiple_of(WINDOW);
        let stuck = is_due && self.least > PROGRESS * self.former;
        if is_due {
            self.former = self.least;
        }
        self.settled || stuck
    }
}

/// Pairs that push each other: the first are those that are too near, and others join as what they push reaches them.
#[derive(Debug)]
struct Crowd {
    /// For each body the places of its pairs in the order of turns: those of body `k` from `firsts[k]` to `firsts[k + 1]`.
    firsts: Vec<usize>,
    places: Vec<usize>,
    /// The places of the pairs that have joined, ascending.
    joined: Vec<usize>,
    /// For each place whether its pair has joined.
    has_joined: Vec<bool>,
    /// The contacts of the pairs that have joined, in the order in which they did.
    contacts: Vec<usize>,
    /// Their bodies.
    bodies: Vec<usize>,
    is_among: Vec<bool>,
}

impl Crowd {
    fn new(system: &System, order: &[(u32, usize)]) -> Self {
        let count = system.members.len();
        let mut firsts = vec![0; count + 1];
        let of = |pair: usize| [system.pairs[pair].a, system.pairs[pair].b];
        for &(_, pair) in order {
            of(pair).iter().for_each(|&body| firsts[body + 1] += 1);
        }
        for k in 0..count {
            firsts[k + 1] += firsts[k];
        }
        let (mut next, mut places) = (firsts.clone(), vec![0; 2 * order.len()]);
        for (place, &(_, pair)) in order.iter().enumerate() {
            for body in of(pair) {
                places[next[body]] = place;
                next[body] += 1;
            }
        }
        Self {
            firsts,
            places,
            joined: Vec::new(),
            has_joined: vec![false; order.len()],
            contacts: Vec::new(),
            bodies: Vec::new(),
            is_among: vec![false; count],
        }
    }

    /// The pair at a place joins, unless it has.
    fn join(&mut self, system: &System, order: &[(u32, usize)], place: usize) {
        if std::mem::replace(&mut self.has_joined[place], true) {
            return;
        }
        let PairRows { a, b, contacts, .. } = &system.pairs[order[place].1];
        self.joined.push(place);
        self.contacts.extend(contacts.clone());
        for body in [*a, *b] {
            if !std::mem::replace(&mut self.is_among[body], true) {
                self.bodies.push(body);
            }
        }
    }

    /// The other pairs of a body that was pushed join.
    fn spread(&mut self, system: &System, order: &[(u32, usize)], body: usize) {
        if !system.inertia(body).is_immovable() {
            for k in self.firsts[body]..self.firsts[body + 1] {
                self.join(system, order, self.places[k]);
            }
        }
    }
}

impl System {
    /// Moves the motions apart until every contact's motion is as wanted, as far as `limits` go: level by level from the
    /// ground up, where only the body that is further from the ground moves. What is wedged between bodies nearer to the
    /// ground cannot give way alone: where motions are still short then, both bodies of every pair move. To be called when
    /// the motions are set. Returns whether anything was wedged.
    pub fn settle_motions(&mut self, limits: &SweepLimits) -> bool {
        self.shoves.fill([0.0]);
        self.go_on_settling_motions(limits)
    }

    /// The same from where it ended, with the contacts that have come since.
    pub fn go_on_settling_motions(&mut self, limits: &SweepLimits) -> bool {
        let order = self.ground_up();
        let mut short = false;
        for group in order.chunk_by(|x, y| x.0 == y.0) {
            short |= !self.settle_motions_of(group, limits);
        }
        if short {
            self.settle_wedged(&order, limits);
        }
        short
    }

    /// Sweeps over the motions of some pairs, of which the upper bodies give way; those whose bodies have not changed since
    /// their last turn are passed over. Returns whether the motions have settled.
    fn settle_motions_of(&mut self, group: &[(u32, usize)], limits: &SweepLimits) -> bool {
        // The sweep after which each body's motion was last changed.
        let mut changed = std::mem::take(&mut self.stamps);
        changed.clear();
        changed.resize(self.members.len(), 0);
        let mut watch = Watch::default();
        for sweep in 1..=limits.motion {
            let mut largest: Real = 0.0;
            for &(_, pair) in group {
                let PairRows { a, b, upper, .. } = self.pairs[pair];
                if changed[a].max(changed[b]) + 1 < sweep {
                    continue;
                }
                let change = self.turn_motion(pair, upper);
                if change > limits.change {
                    (changed[a], changed[b]) = (sweep, sweep);
                }
                largest = largest.max(change);
            }
            if watch.ends(sweep, largest, limits) {
                break;
            }
        }
        self.stamps = changed;
        watch.settled
    }

    /// Sweeps there and back over the motions of those pairs that are too near and of those that this reaches, of which both
    /// bodies give way.
    fn settle_wedged(&mut self, order: &[(u32, usize)], limits: &SweepLimits) {
        let mut crowd = Crowd::new(self, order);
        for (place, &(_, pair)) in order.iter().enumerate() {
            if self.is_off(pair) > limits.change {
                crowd.join(self, order, place);
            }
        }
        let (mut former, mut now, mut way) = (State::default(), State::default(), Conjugate::default());
        let mut watch = Watch::default();
        for sweep in 1..=limits.motion {
            crowd.joined.sort_unstable();
            if sweep > 1 {
                self.lean_motions(&crowd, &mut former, &mut now, &mut way);
            }
            self.remember_motions(&crowd, &mut former);
            let mut largest: Real = 0.0;
            let turns = crowd.joined.len();
            for k in 0..turns {
                let pair = order[crowd.joined[k]].1;
                let change = self.turn_motion(pair, Giving::Both);
                largest = largest.max(change);
                if change > limits.change {
                    let (a, b) = self.bodies_of(pair);
                    crowd.spread(self, order, a);
                    crowd.spread(self, order, b);
                }
            }
            if watch.ends(sweep, largest, limits) {
                break;
            }
            for k in (0..turns).rev() {
                self.turn_motion(order[crowd.joined[k]].1, Giving::Both);
            }
        }
    }

    /// The motions of a crowd, and what has pushed them.
    fn remember_motions(&self, crowd: &Crowd, state: &mut State<1>) {
        state.impulses.clear();
        state.impulses.extend(crowd.contacts.iter().map(|&k| self.shoves[k]));
        state.velocities.clear();
        state.velocities.extend(crowd.bodies.iter().map(|&k| self.members[k].motion));
    }

    /// Goes on from the last sweep along the way of the sweeps so far. Who has joined in it has not moved yet.
    fn lean_motions(&mut self, crowd: &Crowd, former: &mut State<1>, now: &mut State<1>, way: &mut Conjugate<1>) {
        self.remember_motions(crowd, now);
        former.impulses.extend_from_slice(&now.impulses[former.impulses.len()..]);
        former.velocities.extend_from_slice(&now.velocities[former.velocities.len()..]);
        let work = |((&k, now), before): ((&usize, &[Real; 1]), &[Real; 1])| {
            self.rows[k].work(&[now[0] - before[0], 0.0, 0.0])
        };
        let size = crowd.contacts.iter().zip(&now.impulses).zip(&former.impulses).map(work).sum();
        way.lean(size, former, now);
        for (&k, shove) in crowd.contacts.iter().zip(&now.impulses) {
            self.shoves[k] = *shove;
        }
        for (&k, motion) in crowd.bodies.iter().zip(&now.velocities) {
            self.members[k].motion = *motion;
        }
    }

    /// How far the motions of a pair are from what is wanted, at the contact where it is most, m/s: too little, or pushed to
    /// too much.
    fn is_off(&self, pair: usize) -> Real {
        let pair = &self.pairs[pair];
        let (a, b) = (&self.members[pair.a].motion, &self.members[pair.b].motion);
        let off = |k: usize| {
            let lack = self.contacts[k].least_motion - self.rows[k].opening(a, b);
            if self.shoves[k][0] > 0.0 { lack.abs() } else { lack }
        };
        pair.contacts.clone().map(off).fold(0.0, Real::max)
    }

    /// One turn of a pair's motions; returns the largest change of a contact's motion, m/s.
    fn turn_motion(&mut self, pair: usize, giving: Giving) -> Real {
        let pair = &self.pairs[pair];
        let (mut a, mut b) = (self.members[pair.a].motion, self.members[pair.b].motion);
        let mut largest: Real = 0.0;
        for k in pair.contacts.clone() {
            let least = self.contacts[k].least_motion;
            largest = largest.max(self.rows[k].press(giving, &mut a, &mut b, least, &mut self.shoves[k][0]));
        }
        (self.members[pair.a].motion, self.members[pair.b].motion) = (a, b);
        largest
    }
}
