//! The settling of motions: bodies are moved apart, without velocity, until every gap is as wanted.

use std::ops::Range;

use super::couples::{Couple, Couples};
use super::impulse::Velocity;
use super::momentum::Momentum;
use super::row::Giving;
use super::sequential::SweepLimits;
use super::state::State;
use super::system::System;
use super::watch::Watch;
use crate::math::Real;
use crate::math::nonnegative::{MOST, settle};

/// Motions that have not come nearer to being settled within as many sweeps are left as they are.
const WINDOW: usize = 16;
/// What largest changes have to fall to within these sweeps, as a share.
const PROGRESS: Real = 0.6;

/// Couples that push each other: the first are those that are too near, and others join as what they push reaches them.
#[derive(Debug)]
struct Crowd {
    /// For each body the places of its couples: those of body `k` from `firsts[k]` to `firsts[k + 1]`.
    firsts: Vec<usize>,
    places: Vec<usize>,
    /// The places of the couples that have joined, ascending.
    joined: Vec<usize>,
    /// For each couple whether it has joined.
    has_joined: Vec<bool>,
    /// The contacts of the couples that have joined, in the order in which they did.
    contacts: Vec<usize>,
    /// Their bodies.
    bodies: Vec<usize>,
    is_among: Vec<bool>,
}

impl Crowd {
    fn new(system: &System, couples: &Couples) -> Self {
        let count = system.members.len();
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
        Self {
            firsts,
            places,
            joined: Vec::new(),
            has_joined: vec![false; couples.all.len()],
            contacts: Vec::new(),
            bodies: Vec::new(),
            is_among: vec![false; count],
        }
    }

    /// The couple at a place joins, unless it has.
    fn join(&mut self, couples: &Couples, place: usize) {
        if std::mem::replace(&mut self.has_joined[place], true) {
            return;
        }
        let couple = &couples.all[place];
        self.joined.push(place);
        self.contacts.extend_from_slice(couples.contacts_of(couple));
        for body in couple.bodies() {
            if !std::mem::replace(&mut self.is_among[body], true) {
                self.bodies.push(body);
            }
        }
    }

    /// The other couples of a body that was pushed join.
    fn spread(&mut self, system: &System, couples: &Couples, body: usize) {
        if !system.inertia(body).is_immovable() {
            for k in self.firsts[body]..self.firsts[body + 1] {
                self.join(couples, self.places[k]);
            }
        }
    }
}

impl System {
    /// Moves the motions apart until every contact's motion is as wanted, as far as `limits` go: level by level from the
    /// ground up, where only the body that is further from the ground moves. What is wedged between bodies nearer to the
    /// ground cannot give way alone: where motions are still short then, both bodies of every couple move. To be called when
    /// the motions are set. Returns whether anything was wedged.
    pub fn settle_motions(&mut self, limits: &SweepLimits) -> bool {
        self.shoves.fill([0.0]);
        self.go_on_settling_motions(limits)
    }

    /// The same from where it ended, with the contacts that have come since.
    pub fn go_on_settling_motions(&mut self, limits: &SweepLimits) -> bool {
        let mut couples = Couples::of(self);
        let mut short = false;
        let mut first = 0;
        while let Some(Couple { level, .. }) = couples.all.get(first).copied() {
            let count = couples.all[first..].iter().take_while(|couple| couple.level == level).count();
            short |= !self.settle_motions_of(&mut couples, first..first + count, limits);
            first += count;
        }
        if short {
            self.settle_wedged(&mut couples, limits);
        }
        short
    }

    /// Sweeps over the motions of some couples, of which the upper bodies give way; those whose bodies have not changed since
    /// their last turn are passed over. Returns whether the motions have settled.
    fn settle_motions_of(&mut self, couples: &mut Couples, group: Range<usize>, limits: &SweepLimits) -> bool {
        // The sweep after which each body's motion was last changed.
        let mut changed = std::mem::take(&mut self.stamps);
        changed.clear();
        changed.resize(self.members.len(), 0);
        let (mut watch, mut settled) = (Watch::new(WINDOW, PROGRESS), false);
        for sweep in 1..=limits.motion {
            let mut largest: Real = 0.0;
            for place in group.clone() {
                let Couple { a, b, upper, .. } = couples.all[place];
                if changed[a].max(changed[b]) + 1 < sweep {
                    continue;
                }
                let change = self.turn_motion(couples, place, upper);
                if change > limits.change {
                    (changed[a], changed[b]) = (sweep, sweep);
                }
                largest = largest.max(change);
            }
            settled = largest <= limits.change;
            if settled || watch.stalls(sweep, largest) {
                break;
            }
        }
        self.stamps = changed;
        settled
    }

    /// Sweeps there and back over the motions of those couples that are too near and of those that this reaches, of which both
    /// bodies give way.
    fn settle_wedged(&mut self, couples: &mut Couples, limits: &SweepLimits) {
        let mut crowd = Crowd::new(self, couples);
        for (place, couple) in couples.all.iter().enumerate() {
            if self.is_off(couples, couple) > limits.change {
                crowd.join(couples, place);
            }
        }
        let (mut former, mut now, mut way) = (State::default(), State::default(), Momentum::default());
        let mut watch = Watch::new(WINDOW, PROGRESS);
        for sweep in 1..=limits.motion {
            crowd.joined.sort_unstable();
            if sweep > 1 {
                self.lean_motions(&crowd, &mut former, &mut now, &mut way);
            }
            self.remember_motions(&crowd, &mut former);
            let mut largest: Real = 0.0;
            let turns = crowd.joined.len();
            for k in 0..turns {
                let place = crowd.joined[k];
                let change = self.turn_motion(couples, place, Giving::Both);
                largest = largest.max(change);
                if change > limits.change {
                    for body in couples.all[place].bodies() {
                        crowd.spread(self, couples, body);
                    }
                }
            }
            if largest <= limits.change || watch.stalls(sweep, largest) {
                break;
            }
            for k in (0..turns).rev() {
                self.turn_motion(couples, crowd.joined[k], Giving::Both);
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
    fn lean_motions(&mut self, crowd: &Crowd, former: &mut State<1>, now: &mut State<1>, way: &mut Momentum<1>) {
        self.remember_motions(crowd, now);
        former.impulses.extend_from_slice(&now.impulses[former.impulses.len()..]);
        former.velocities.extend_from_slice(&now.velocities[former.velocities.len()..]);
        way.lean(former, now);
        for (&k, shove) in crowd.contacts.iter().zip(&now.impulses) {
            self.shoves[k] = *shove;
        }
        for (&k, motion) in crowd.bodies.iter().zip(&now.velocities) {
            self.members[k].motion = *motion;
        }
    }

    /// How far the motions of a couple are from what is wanted, at the contact where it is most, m/s: too little, or pushed to
    /// too much.
    fn is_off(&self, couples: &Couples, couple: &Couple) -> Real {
        let (a, b) = (&self.members[couple.a].motion, &self.members[couple.b].motion);
        let off = |&k: &usize| {
            let lack = self.contacts[k].least_motion - self.rows[k].opening(a, b);
            if self.shoves[k][0] > 0.0 { lack.abs() } else { lack }
        };
        couples.contacts_of(couple).iter().map(off).fold(0.0, Real::max)
    }

    /// One turn of a couple's motions; returns the largest change of a contact's motion, m/s.
    fn turn_motion(&mut self, couples: &mut Couples, place: usize, giving: Giving) -> Real {
        let Couple { a, b, .. } = couples.all[place];
        let (mut motion_a, mut motion_b) = (self.members[a].motion, self.members[b].motion);
        let change = match couples.contacts_of(&couples.all[place]).len() {
            2..=MOST => self.part(couples, place, giving, [&mut motion_a, &mut motion_b]),
            _ => self.part_one_by_one(couples, place, giving, [&mut motion_a, &mut motion_b]),
        };
        (self.members[a].motion, self.members[b].motion) = (motion_a, motion_b);
        change
    }

    /// Moves the motions of two bodies apart at one contact after the other.
    fn part_one_by_one(&mut self, couples: &Couples, place: usize, giving: Giving, [a, b]: [&mut Velocity; 2]) -> Real {
        let press = |&k: &usize| {
            let least = self.contacts[k].least_motion;
            self.rows[k].press(giving, a, b, least, &mut self.shoves[k][0])
        };
        couples.contacts_of(&couples.all[place]).iter().map(press).fold(0.0, Real::max)
    }

    /// Moves the motions of two bodies apart at all their contacts together. One by one those of two faces, which are more than
    /// it takes to hold them, hand what pushes them from one to the other in ever smaller parts.
    fn part(&mut self, couples: &mut Couples, place: usize, giving: Giving, [a, b]: [&mut Velocity; 2]) -> Real {
        let (mut lacks, mut shoves) = ([0.0; MOST], [0.0; MOST]);
        let (mut is_off, mut pulls) = (false, false);
        let contacts = couples.contacts_of(&couples.all[place]);
        let size = contacts.len();
        for (i, &k) in contacts.iter().enumerate() {
            shoves[i] = self.shoves[k][0];
            lacks[i] = self.contacts[k].least_motion - self.rows[k].opening(a, b);
            is_off |= lacks[i] > 0.0 || lacks[i] < 0.0 && shoves[i] > 0.0;
            pulls |= shoves[i] < 0.0;
        }
        if !(is_off || pulls) {
            return 0.0;
        }
        let couplings = couples.couplings_of(&self.rows, place, giving);
        let (mut settled, mut left) = (shoves, lacks);
        if pulls {
            // Where a step leant too far.
            settled = shoves.map(|shove| shove.max(0.0));
            for i in 0..size {
                left[i] -= (0..size).map(|j| couplings[i * size + j] * (settled[j] - shoves[j])).sum::<Real>();
            }
        }
        settle(couplings, size, &mut left, &mut settled);
        for (i, &k) in couples.contacts_of(&couples.all[place]).iter().enumerate() {
            if settled[i] != shoves[i] {
                self.rows[k].push_along(giving, a, b, settled[i] - shoves[i]);
                self.shoves[k][0] = settled[i];
            }
        }
        (0..size).map(|i| (lacks[i] - left[i]).abs()).fold(0.0, Real::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Point, Vector};
    use crate::response::impulse::Inertia;
    use crate::response::sequential::{SolverBody, SolverContact};

    /// Four corners of a square metre, seen from the middle of a cube above it, with what the motion has to keep at each.
    fn corners(normal: Vector, least: [Real; 4]) -> Vec<SolverContact> {
        let place = |k: usize| Vector::new([-0.5, 0.5][k % 2], -0.5, [-0.5, 0.5][k / 2]);
        let contact = |k: usize| SolverContact {
            a: 0,
            b: 1,
            r_a: place(k) + Vector::y(),
            r_b: place(k),
            normal,
            friction: 0.0,
            least_velocity: 0.0,
            least_motion: least[k],
            carried: [0.0; 2],
            impulse: [0.0; 3],
        };
        (0..4).map(contact).collect()
    }

    #[test]
    fn more_contacts_than_it_takes_are_settled_in_few_sweeps_however_many_pairs_they_came_as() {
        let ground = SolverBody {
            inertia: Inertia::immovable(Point::origin()),
            velocity: Velocity::default(),
            motion: Velocity::default(),
        };
        let inertia = Inertia {
            centre: Point::new(0.0, 1.0, 0.0),
            inverse_mass: Vector::repeat(1e-3),
            inverse_inertia: Matrix::identity() * 6e-3,
        };
        let motion = Velocity { linear: Vector::new(0.3, -2.0, 0.1), angular: Vector::new(1.0, 0.2, -0.7) };
        let cube = SolverBody { inertia, velocity: motion, motion };
        let known = corners(Vector::y(), [0.0, -0.01, -0.02, 0.0]);
        let mut system = System::new(&[ground, cube], &known, &[0, 1], false);
        // The same face as it will be somewhat later.
        system.add_pair(&corners(Vector::new(0.01, 1.0, -0.02).normalize(), [0.001, -0.01, -0.021, 0.002]));
        let limits = SweepLimits { velocity: 0, motion: 6, change: 1e-9, kept: 0.0, far: 0.0 };
        assert!(!system.settle_motions(&limits), "left for both to give way");
        let couples = Couples::of(&system);
        assert_eq!(couples.all.len(), 1);
        assert!(system.is_off(&couples, &couples.all[0]) < 1e-8);
    }
}
