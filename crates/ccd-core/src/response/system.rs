//! Bodies and contacts under solution: sweeps over velocities, shock propagation, and the settling of motions.

use std::collections::BTreeSet;
use std::ops::Range;

use super::blocks::Blocks;
use super::impulse::{Inertia, Velocity};
use super::patch::{Patch, patches};
use super::rolling::{Rolling, resist};
use super::row::{Giving, Row};
use super::sequential::{SolverBody, SolverContact, SweepLimits};
use super::turn::Terms;
use crate::math::{Real, Vector};
use crate::parallel::Execution;

/// Fewer contacts are not worth the threads.
const WORTH_THREADS: usize = 256;

/// A body of a system, without what only rows need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its velocity at the end of the interval.
    pub velocity: Velocity,
    /// The constant velocity it moves with over the interval.
    pub motion: Velocity,
    /// How far it is from what cannot move.
    pub level: u32,
    pub(super) inertia: Inertia,
}

/// The contacts of one pair.
#[derive(Clone, Debug)]
pub(super) struct PairRows {
    pub a: usize,
    pub b: usize,
    pub contacts: Range<usize>,
    pub(super) patches: Range<usize>,
    /// What resists rolling: in most pairs nothing does.
    pub(super) rollings: Range<usize>,
    /// Who gives way while shock is propagated and motions are settled.
    pub upper: Giving,
    /// The larger level of the two.
    pub level: u32,
}

/// A system that pairs can be added to while it is solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub members: Vec<Member>,
    /// The contacts as they came: what their impulses are now stands beside them.
    pub contacts: Vec<SolverContact>,
    /// For each contact the parts of its impulse on B: normal, and two tangential ones; N·s.
    pub impulses: Vec<[Real; 3]>,
    pub(super) rows: Vec<Row>,
    pub(super) patches: Vec<Patch>,
    pub(super) pairs: Vec<PairRows>,
    pub(super) rollings: Vec<Rolling>,
    /// For each of them the two parts of its impulse on B, N·s.
    pub(super) rolls: Vec<[Real; 2]>,
    /// What shock propagation has added to each contact's impulse, in the parts of the impulse; N·s.
    pub(super) shocks: Vec<[Real; 3]>,
    /// What each contact has pushed its motions apart by, N·s.
    pub(super) shoves: Vec<[Real; 1]>,
    /// Whether what moves whatever happens was found to leave others nowhere to go.
    pub jammed: bool,
    /// Velocities that make no difference, m/s.
    pub(super) slight: Real,
    /// What its sweeps may be divided into.
    pub(super) blocks: Blocks,
    /// Whether it may be worked on in parallel.
    pub(super) in_parallel: bool,
}

impl System {
    /// Without bodies yet; velocities of `slight` m/s make no difference.
    pub fn empty(slight: Real) -> Self {
        Self { slight, ..Self::default() }
    }

    /// All bodies and contacts of an island; contacts of a pair stand together.
    pub fn new(bodies: &[SolverBody], contacts: &[SolverContact], levels: &[u32], slight: Real) -> Self {
        Self::in_blocks(bodies, contacts, levels, slight, Blocks::default(), false)
    }

    /// The same of bodies in blocks, whose contacts had best stand block by block. What can be is worked out `in_parallel`, to
    /// the same bits.
    pub fn in_blocks(
        bodies: &[SolverBody],
        contacts: &[SolverContact],
        levels: &[u32],
        slight: Real,
        blocks: Blocks,
        in_parallel: bool,
    ) -> Self {
        let mut system = Self { blocks, in_parallel, ..Self::empty(slight) };
        system.shoves.reserve(contacts.len());
        system.shocks.reserve(contacts.len());
        system.members.reserve(bodies.len());
        for (body, level) in bodies.iter().zip(levels) {
            system.add_body(body, *level);
        }
        let row = |c: &SolverContact| {
            let members = [&system.members[c.a], &system.members[c.b]];
            let upper = Giving::upper(members[0].level, members[1].level);
            Row::new(c, members.map(|member| &member.inertia), upper)
        };
        let worth_it = in_parallel && contacts.len() >= WORTH_THREADS;
        system.rows = Execution::parallel_if(worth_it).map(contacts, row);
        system.contacts = contacts.to_vec();
        system.impulses = contacts.iter().map(|c| c.impulse).collect();
        let mut start = 0;
        for pair in contacts.chunk_by(|x, y| x.a == y.a && x.b == y.b) {
            system.enrol(start..start + pair.len());
            start += pair.len();
        }
        system
    }

    /// Adds a body and returns its index.
    pub fn add_body(&mut self, body: &SolverBody, level: u32) -> usize {
        let SolverBody { inertia, velocity, motion } = *body;
        self.members.push(Member { velocity, motion, level, inertia });
        self.members.len() - 1
    }

    /// Adds the contacts of a pair, of which there is at least one, and returns the pair's index.
    pub fn add_pair(&mut self, contacts: &[SolverContact]) -> usize {
        let start = self.contacts.len();
        let members = [&self.members[contacts[0].a], &self.members[contacts[0].b]];
        let upper = Giving::upper(members[0].level, members[1].level);
        self.rows.extend(contacts.iter().map(|c| Row::new(c, members.map(|member| &member.inertia), upper)));
        self.contacts.extend_from_slice(contacts);
        self.impulses.extend(contacts.iter().map(|c| c.impulse));
        self.enrol(start..self.contacts.len());
        self.pairs.len() - 1
    }

    /// Makes the contacts in a range, which have their rows, a pair.
    fn enrol(&mut self, range: Range<usize>) {
        let SolverContact { a, b, .. } = self.contacts[range.start];
        let [level_a, level_b] = [self.members[a].level, self.members[b].level];
        let upper = Giving::upper(level_a, level_b);
        let inertia = [&self.members[a].inertia, &self.members[b].inertia];
        let first_patch = self.patches.len();
        self.patches.extend(patches(&self.contacts[range.clone()], range.start, inertia, upper, self.slight));
        self.shoves.resize(range.end, [0.0]);
        self.shocks.resize(range.end, [0.0; 3]);
        let patches = first_patch..self.patches.len();
        let level = level_a.max(level_b);
        self.pairs.push(PairRows { a, b, contacts: range, patches, rollings: 0..0, upper, level });
    }

    /// Forgets the pairs from the given number on, which only bounded motions.
    pub fn truncate(&mut self, pairs: usize) {
        if let Some(first) = self.pairs.get(pairs) {
            let (contacts, patches) = (first.contacts.start, first.patches.start);
            self.contacts.truncate(contacts);
            self.impulses.truncate(contacts);
            self.rows.truncate(contacts);
            self.shoves.truncate(contacts);
            self.shocks.truncate(contacts);
            self.patches.truncate(patches);
            self.pairs.truncate(pairs);
        }
    }

    /// The bodies of a pair.
    pub fn bodies_of(&self, pair: usize) -> (usize, usize) {
        (self.pairs[pair].a, self.pairs[pair].b)
    }

    /// The inertia of a body.
    pub fn inertia(&self, body: usize) -> &Inertia {
        &self.members[body].inertia
    }

    /// How many pairs there are.
    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// For each contact of a pair its impulse on B, and what shock propagation has added to it; N·s, world.
    pub fn impulses_of(&self, pair: usize) -> (Vec<Vector>, Vec<Vector>) {
        let range = self.pairs[pair].contacts.clone();
        let rows = &self.rows[range.clone()];
        let impulses = rows.iter().zip(&self.impulses[range.clone()]).map(|(row, impulse)| row.vector(impulse));
        let impulses = impulses.collect();
        (impulses, rows.iter().zip(&self.shocks[range]).map(|(row, shock)| row.vector(shock)).collect())
    }

    /// The contacts of a pair that push, with their impulses as they are now.
    pub fn pushing(&self, pair: usize) -> Vec<SolverContact> {
        let range = self.pairs[pair].contacts.clone();
        let now = self.contacts[range.clone()].iter().zip(&self.impulses[range]);
        now.filter(|(_, impulse)| impulse[0] > 0.0).map(|(c, &impulse)| SolverContact { impulse, ..*c }).collect()
    }

    /// The contacts of a pair that have pushed motions apart, as contacts at which velocities stop.
    pub fn shoving(&self, pair: usize) -> Vec<SolverContact> {
        let range = self.pairs[pair].contacts.clone();
        let shoved = self.contacts[range.clone()].iter().zip(&self.shoves[range]).filter(|(_, shove)| shove[0] > 0.0);
        shoved.map(|(c, _)| SolverContact { least_velocity: 0.0, impulse: [0.0; 3], ..*c }).collect()
    }

    /// The parts of the impulses of a pair's contacts: normal, and two tangential ones; N·s.
    pub fn parts_of(&self, pair: usize) -> &[[Real; 3]] {
        &self.impulses[self.pairs[pair].contacts.clone()]
    }

    /// The pairs level by level, with their levels.
    pub(super) fn ground_up(&self) -> Vec<(u32, usize)> {
        let mut order: Vec<(u32, usize)> = self.pairs.iter().map(|p| p.level).zip(0..).collect();
        order.sort_unstable();
        order
    }

    /// Has the pairs of one level take turns, with everything below them frozen, until none changes its velocities by more than is allowed.
    pub(super) fn turn_level(
        &mut self,
        level: &[(u32, usize)],
        limits: &SweepLimits,
        turn: impl Fn(&mut Self, usize, Giving) -> Real,
    ) {
        for _ in 0..limits.velocity {
            let turns = level.iter().map(|&(_, pair)| {
                let upper = self.pairs[pair].upper;
                turn(self, pair, upper)
            });
            if turns.fold(0.0, Real::max) <= limits.change {
                break;
            }
        }
    }

    /// One turn of a pair's contacts; returns the largest change of a contact's velocity, m/s.
    pub fn turn(&mut self, pair: usize, giving: Giving) -> Real {
        let together = if giving == Giving::Both { self.begin_together(pair) } else { None };
        together.unwrap_or_else(|| self.turn_parts(pair, giving, true))
    }

    /// One turn of a pair's contacts, with or without its friction.
    pub(super) fn turn_parts(&mut self, pair: usize, giving: Giving, rubs: bool) -> Real {
        let pair = &self.pairs[pair];
        let (mut a, mut b) = (self.members[pair.a].velocity, self.members[pair.b].velocity);
        let terms = Terms { contacts: &self.contacts, rows: &self.rows, patches: &self.patches };
        let impulses = &mut self.impulses[pair.contacts.clone()];
        let largest = terms.turn(pair, giving, rubs, [&mut a, &mut b], impulses);
        (self.members[pair.a].velocity, self.members[pair.b].velocity) = (a, b);
        if !rubs || pair.rollings.is_empty() {
            return largest;
        }
        let acting = (&*impulses, &mut self.rolls[pair.rollings.clone()]);
        let change = resist(&self.rollings, pair, giving, [&mut a, &mut b], acting);
        (self.members[pair.a].velocity, self.members[pair.b].velocity) = (a, b);
        largest.max(change)
    }

    /// Whether any contact of a pair has pushed motions apart.
    pub fn has_shoved(&self, pair: usize) -> bool {
        self.pairs[pair].contacts.clone().any(|k| self.shoves[k][0] > 0.0)
    }

    /// Brings the velocities at the contacts of one pair, which are not the system's own, to what is wanted of them, and returns
    /// the impulses on B, N·s, world.
    pub fn press_once(&mut self, contacts: &[SolverContact], sweeps: usize) -> Vec<Vector> {
        if contacts.is_empty() {
            return Vec::new();
        }
        let (first, pair) = (self.contacts.len(), self.add_pair(contacts));
        for _ in 0..sweeps {
            self.turn(pair, Giving::Both);
        }
        let impulses = self.rows[first..].iter().zip(&self.impulses[first..]).map(|(row, impulse)| row.vector(impulse));
        let impulses = impulses.collect();
        self.truncate(pair);
        impulses
    }

    /// Lets the velocities of a pair's contacts come no nearer, if any of them has pushed. Returns whether one has.
    pub fn stop_if_pressed(&mut self, pair: usize) -> bool {
        let range = self.pairs[pair].contacts.clone();
        let pressed = range.clone().any(|k| self.shoves[k][0] > 0.0 || self.impulses[k][0] > 0.0);
        if pressed {
            for c in &mut self.contacts[range] {
                c.least_velocity = 0.0;
            }
        }
        pressed
    }

    /// How far the contacts of a pair are from what is wanted of motions, m/s; nothing if they have it all.
    pub fn lack(&self, pair: usize) -> Real {
        let body = self.pairs[pair].a;
        self.lack_with(pair, body, &self.members[body].motion)
    }

    /// The same if one of its bodies has the given motion.
    pub fn lack_with(&self, pair: usize, body: usize, motion: &Velocity) -> Real {
        let PairRows { a, b, contacts, .. } = &self.pairs[pair];
        let of = |member: usize| if member == body { motion } else { &self.members[member].motion };
        let lack = |k: usize| self.contacts[k].least_motion - self.rows[k].opening(of(*a), of(*b));
        contacts.clone().map(lack).fold(0.0, Real::max)
    }

    /// By how much more the contacts of a pair that push have velocities part at the end than motions, m/s: where surfaces bend.
    pub fn bend_of(&self, pair: usize) -> Real {
        let pushing = self.pairs[pair].contacts.clone().filter(|&k| self.impulses[k][0] > 0.0);
        pushing.map(|k| self.contacts[k].least_velocity - self.contacts[k].least_motion).fold(0.0, Real::max)
    }

    /// The bodies that push each other where surfaces bend.
    pub fn pushing_on_bends(&self) -> BTreeSet<(usize, usize)> {
        (0..self.pairs.len()).filter(|&pair| self.bend_of(pair) > 0.0).map(|pair| self.bodies_of(pair)).collect()
    }

    /// The motions of all members.
    pub fn motions(&self) -> Vec<Velocity> {
        self.members.iter().map(|member| member.motion).collect()
    }

    /// Gives all members their motions.
    pub fn set_motions(&mut self, motions: &[Velocity]) {
        for (member, motion) in self.members.iter_mut().zip(motions) {
            member.motion = *motion;
        }
    }

    /// The most that any contact's point moves otherwise than by the given motions of the members, m/s.
    pub fn departure(&self, motions: &[Velocity]) -> Real {
        let of = |member: usize, r: &Vector| (self.members[member].motion - motions[member]).at(r).norm();
        self.contacts.iter().map(|c| of(c.a, &c.r_a).max(of(c.b, &c.r_b))).fold(0.0, Real::max)
    }
}
