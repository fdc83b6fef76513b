//! The settling of motions: bodies are moved apart, without velocity, until every gap is as wanted.

use super::couples::{Couple, Couples};
use super::impulse::Velocity;
use super::momentum::{Momentum, Pace};
use super::parts::{Part, Parts};
use super::reached::Reached;
use super::row::{Giving, Row};
use super::sequential::{SolverContact, SweepLimits};
use super::state::State;
use super::system::System;
use super::watch::Watch;
use crate::math::Real;
use crate::math::nonnegative::{MOST, settle};

/// Motions that have not come nearer to being settled within as many sweeps are left as they are.
const WINDOW: usize = 16;
/// What largest changes have to fall to within these sweeps, as a share.
const PROGRESS: Real = 0.6;
/// Fewer couples of a level are not worth the threads.
const WORTH_THREADS: usize = 400;

/// The couples of a part, and what has pushed them apart.
struct Moves {
    couples: Couples,
    /// In the order of the couples' contacts, N·s.
    shoves: Vec<[Real; 1]>,
    /// Those that are settled while both bodies give way.
    reached: Reached,
    /// Where the last sweep over these began, and where it ended.
    former: State<1>,
    now: State<1>,
    way: Momentum<1>,
    /// How far the last sweep went along the way.
    along: Real,
}

impl Moves {
    fn new(system: &System, pairs: Vec<usize>, places: &[usize]) -> Self {
        let couples = Couples::of(system, pairs, places);
        Self {
            shoves: couples.contacts.iter().map(|&k| system.shoves[k]).collect(),
            couples,
            reached: Reached::default(),
            former: State::default(),
            now: State::default(),
            way: Momentum::default(),
            along: 0.0,
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
        let is_short = |(c, row): (&SolverContact, &Row)| {
            c.least_motion > row.opening(&self.members[c.a].motion, &self.members[c.b].motion)
        };
        self.contacts.iter().zip(&self.rows).any(is_short) && self.go_on_settling_motions(limits)
    }

    /// The same from where it ended, with the contacts that have come since.
    pub fn go_on_settling_motions(&mut self, limits: &SweepLimits) -> bool {
        let mut parts = self.moves();
        let (mut short, mut sweeps, mut done) = (false, 0, None);
        while let Some(level) = parts.all().filter_map(|part| part.work.couples.level_above(done)).min() {
            let count: usize = parts.all().map(|part| part.work.couples.of_level(level).len()).sum();
            parts.side_by_side(self.in_parallel && count >= WORTH_THREADS);
            short |= !self.settle_level(&mut parts, level, &mut sweeps, limits);
            done = Some(level);
        }
        if short {
            parts.side_by_side(self.in_parallel);
            self.settle_wedged(&mut parts, sweeps, limits);
        }
        self.take_motions(&parts);
        if short && limits.together {
            self.settle_around_the_worst(limits);
        }
        short
    }

    /// Moves the motions apart by the masses, wherever the ground is: what is heavy, and hangs on something light, must not give way to it.
    /// To be called when the motions are set.
    pub fn settle_motions_by_mass(&mut self, limits: &SweepLimits) {
        self.shoves.fill([0.0]);
        let mut parts = self.moves();
        parts.side_by_side(self.in_parallel);
        self.settle_wedged(&mut parts, 0, limits);
        self.take_motions(&parts);
        if limits.together {
            self.settle_around_the_worst(limits);
        }
    }

    /// Sweeps over the motions of the couples of a level, of which the upper bodies give way; those whose bodies have not changed
    /// since their last turn are passed over. Returns whether the motions have settled.
    fn settle_level(&self, parts: &mut Parts<Moves>, level: u32, sweeps: &mut usize, limits: &SweepLimits) -> bool {
        let mut watch = Watch::new(WINDOW, PROGRESS);
        let before = *sweeps;
        for count in 1..=limits.motion {
            *sweeps = before + count;
            let now = Sweep { number: *sweeps, is_first: count == 1, change: limits.change };
            let largest = parts.sweep(|_| (), |part| part.turn_level(self, level, &now));
            if largest <= limits.change {
                return true;
            }
            if watch.stalls(count, largest) {
                break;
            }
        }
        false
    }

    /// Sweeps there and back over the motions of those couples that are too near and of those that this reaches, of which both
    /// bodies give way. So many `sweeps` were made already. After every window it is asked anew who is too near: most of those that were reached
    /// have long been settled by then, and momentum begins anew, too.
    fn settle_wedged(&self, parts: &mut Parts<Moves>, sweeps: usize, limits: &SweepLimits) {
        let (mut watch, mut pace) = (Watch::new(WINDOW, PROGRESS), Pace::default());
        let (mut share, mut since) = (None, sweeps);
        for count in 1..=limits.motion {
            let now = Sweep { number: sweeps + count, is_first: count == 1, change: limits.change };
            let get_ready = |part: &mut Part<Moves>| match share {
                None => part.reach_short(self, limits.change),
                Some(share) => part.lean(share),
            };
            let largest = parts.sweep(get_ready, |part| part.turn_reached(self, &now));
            if largest <= limits.change || watch.stalls(count, largest) {
                break;
            }
            parts.sweep_back(|part| part.turn_reached_back(self, since));
            let next = pace.share(parts.all().map(|part| part.work.along).sum());
            share = (count % WINDOW != 0).then_some(next);
            if share.is_none() {
                since = sweeps + count;
            }
        }
    }

    /// The system's motions in parts, and what has pushed them apart.
    fn moves(&self) -> Parts<Moves> {
        self.in_parts(|member| member.motion, |pairs, places| Moves::new(self, pairs, places))
    }

    /// The system has the motions that its parts have.
    fn take_motions(&mut self, parts: &Parts<Moves>) {
        for Part { bodies, velocities, work, .. } in parts.all() {
            for (&body, motion) in bodies.iter().zip(velocities) {
                self.members[body].motion = *motion;
            }
            for (&k, shove) in work.couples.contacts.iter().zip(&work.shoves) {
                self.shoves[k] = *shove;
            }
        }
    }
}

/// A sweep over motions.
struct Sweep {
    /// Sweeps are counted over all levels.
    number: usize,
    /// Whether it is the first of its level.
    is_first: bool,
    /// Changes up to this are none, m/s.
    change: Real,
}

impl Part<Moves> {
    fn turn_level(&mut self, system: &System, level: u32, sweep: &Sweep) -> Real {
        let mut largest: Real = 0.0;
        for place in self.work.couples.of_level(level) {
            let Couple { a, b, upper, .. } = self.work.couples.all[place];
            if !sweep.is_first && self.stamps[a].max(self.stamps[b]) + 1 < sweep.number {
                continue;
            }
            let change = self.turn_motion(system, place, upper);
            if change > sweep.change {
                (self.stamps[a], self.stamps[b]) = (sweep.number, sweep.number);
            }
            largest = largest.max(change);
        }
        largest
    }

    /// Couples that are too near are reached first.
    fn reach_short(&mut self, system: &System, change: Real) {
        let mut reached = Reached::new(self.bodies.len(), &self.work.couples, self.shared_places());
        for (place, couple) in self.work.couples.all.iter().enumerate() {
            if self.is_off(system, couple) > change {
                reached.join(&self.work.couples, place);
            }
        }
        self.work.reached = reached;
        self.work.former = State::default();
        self.work.way = Momentum::default();
        self.take_down();
    }

    /// What was pushed after so many `sweeps` reaches its other couples, from now on.
    fn reach_further(&mut self, system: &System, sweeps: usize) {
        let Moves { couples, reached, .. } = &mut self.work;
        for (body, _) in self.stamps.iter().enumerate().filter(|(_, stamp)| **stamp > sweeps) {
            if !system.inertia(self.bodies[body]).is_immovable() {
                reached.spread(couples, body);
            }
        }
        self.take_down();
    }

    /// Takes down where those that are reached are now.
    fn take_down(&mut self) {
        let Moves { reached, former, now, shoves, .. } = &mut self.work;
        reached.joined.sort_unstable();
        now.impulses.clear();
        now.impulses.extend(reached.contacts.iter().map(|&k| shoves[k]));
        now.velocities.clear();
        now.velocities.extend(reached.bodies.iter().map(|&k| self.velocities[k]));
        // Who is reached only now has not moved yet.
        former.impulses.extend_from_slice(&now.impulses[former.impulses.len()..]);
        former.velocities.extend_from_slice(&now.velocities[former.velocities.len()..]);
    }

    /// Goes on from the last sweep along the way of the sweeps so far.
    fn lean(&mut self, share: Real) {
        let Moves { reached, former, now, way, shoves, .. } = &mut self.work;
        way.lean(share, former, &mut now.impulses, &mut now.velocities);
        for (&k, shove) in reached.contacts.iter().zip(&now.impulses) {
            shoves[k] = *shove;
        }
        for (&k, motion) in reached.bodies.iter().zip(&now.velocities) {
            self.velocities[k] = *motion;
        }
    }

    /// The turns of all that are reached, from where they are now; returns the largest change, m/s.
    fn turn_reached(&mut self, system: &System, sweep: &Sweep) -> Real {
        std::mem::swap(&mut self.work.former, &mut self.work.now);
        let mut largest: Real = 0.0;
        for k in 0..self.work.reached.joined.len() {
            let place = self.work.reached.joined[k];
            let change = self.turn_motion(system, place, Giving::Both);
            largest = largest.max(change);
            if change > sweep.change {
                let Couple { a, b, .. } = self.work.couples.all[place];
                (self.stamps[a], self.stamps[b]) = (sweep.number, sweep.number);
            }
        }
        largest
    }

    /// The same back; then what was pushed since so many `sweeps` reaches further.
    fn turn_reached_back(&mut self, system: &System, sweeps: usize) -> Real {
        for k in (0..self.work.reached.joined.len()).rev() {
            self.turn_motion(system, self.work.reached.joined[k], Giving::Both);
        }
        self.reach_further(system, sweeps);
        self.work.along = self.work.way.along(&self.work.former, &self.work.now.impulses);
        0.0
    }

    /// How far the motions of a couple are from what is wanted, at the contact where it is most, m/s: too little, or pushed to
    /// too much.
    fn is_off(&self, system: &System, couple: &Couple) -> Real {
        let (a, b) = (&self.velocities[couple.a], &self.velocities[couple.b]);
        let off = |(&k, shove): (&usize, &[Real; 1])| {
            let lack = system.contacts[k].least_motion - system.rows[k].opening(a, b);
            if shove[0] > 0.0 { lack.abs() } else { lack }
        };
        self.work
            .couples
            .contacts_of(couple)
            .iter()
            .zip(&self.work.shoves[couple.first..])
            .map(off)
            .fold(0.0, Real::max)
    }

    /// One turn of a couple's motions; returns the largest change of a contact's motion, m/s.
    fn turn_motion(&mut self, system: &System, place: usize, giving: Giving) -> Real {
        let Couple { a, b, count, .. } = self.work.couples.all[place];
        let (mut motion_a, mut motion_b) = (self.velocities[a], self.velocities[b]);
        let change = match count {
            2..=MOST => self.work.part(system, place, giving, [&mut motion_a, &mut motion_b]),
            _ => self.work.part_one_by_one(system, place, giving, [&mut motion_a, &mut motion_b]),
        };
        (self.velocities[a], self.velocities[b]) = (motion_a, motion_b);
        change
    }
}

impl Moves {
    /// Moves the motions of two bodies apart at one contact after the other.
    fn part_one_by_one(&mut self, system: &System, place: usize, giving: Giving, [a, b]: [&mut Velocity; 2]) -> Real {
        let couple = &self.couples.all[place];
        let contacts = self.couples.contacts_of(couple);
        let mut bodies = system.rows[contacts[0]].between(giving, a, b);
        let press = |(&k, shove): (&usize, &mut [Real; 1])| {
            system.rows[k].press(&mut bodies, system.contacts[k].least_motion, &mut shove[0])
        };
        let shoves = &mut self.shoves[couple.first..];
        let largest = contacts.iter().zip(shoves).map(press).fold(0.0, Real::max);
        bodies.end(a, b);
        largest
    }

    /// Moves the motions of two bodies apart at all their contacts together. One by one those of two faces, which are more than
    /// it takes to hold them, hand what pushes them from one to the other in ever smaller parts.
    fn part(&mut self, system: &System, place: usize, giving: Giving, [a, b]: [&mut Velocity; 2]) -> Real {
        let (mut lacks, mut shoves) = ([0.0; MOST], [0.0; MOST]);
        let (mut is_off, mut pulls) = (false, false);
        let couple = self.couples.all[place];
        let size = couple.count;
        for (i, &k) in self.couples.contacts_of(&couple).iter().enumerate() {
            shoves[i] = self.shoves[couple.first + i][0];
            lacks[i] = system.contacts[k].least_motion - system.rows[k].opening(a, b);
            is_off |= lacks[i] > 0.0 || lacks[i] < 0.0 && shoves[i] > 0.0;
            pulls |= shoves[i] < 0.0;
        }
        if !(is_off || pulls) {
            return 0.0;
        }
        let couplings = self.couples.couplings_of(&system.rows, place, giving);
        let (mut settled, mut left) = (shoves, lacks);
        if pulls {
            // Where a step leant too far.
            settled = shoves.map(|shove| shove.max(0.0));
            for i in 0..size {
                left[i] -= (0..size).map(|j| couplings[i * size + j] * (settled[j] - shoves[j])).sum::<Real>();
            }
        }
        settle(couplings, size, &mut left, &mut settled);
        for (i, &k) in self.couples.contacts_of(&couple).iter().enumerate() {
            if settled[i] != shoves[i] {
                system.rows[k].push_along(giving, a, b, settled[i] - shoves[i]);
                self.shoves[couple.first + i][0] = settled[i];
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
        let mut system = System::new(&[ground, cube], &known, &[0, 1], 1e-3);
        // The same face as it will be somewhat later.
        system.add_pair(&corners(Vector::new(0.01, 1.0, -0.02).normalize(), [0.001, -0.01, -0.021, 0.002]));
        let limits =
            SweepLimits { velocity: 0, motion: 6, change: 1e-9, kept: 0.0, stood: false, far: 0.0, together: false };
        assert!(!system.settle_motions(&limits), "left for both to give way");
        let parts = system.moves();
        let whole = &parts.blocks[0];
        assert_eq!(whole.work.couples.all.len(), 1);
        assert!(whole.is_off(&system, &whole.work.couples.all[0]) < 1e-8);
    }
}
