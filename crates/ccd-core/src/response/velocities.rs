//! The settling of velocities: sweeps of impulses over all contacts until none lacks anything.

use super::impulse::Velocity;
use super::momentum::{Momentum, Pace};
use super::parts::{Part, Parts};
use super::rolling::resist;
use super::row::Giving;
use super::sequential::SweepLimits;
use super::state::State;
use super::system::System;
use super::turn::Terms;
use super::watch::Watch;
use crate::math::Real;

/// How many times as many sweeps what is far from settled gets: an arch that is put up has to find its thrust at once, or
/// it has fallen before it does.
const PATIENCE: usize = 10;

/// Where as large a share of the contacts has impulses from before, loads are known. They are not carried down anew: that costs as much as
/// many sweeps, and what is known is nearer.
const KNOWN: Real = 0.5;
/// In a pile of as many pairs whose loads are known shock is not propagated, either: what sweeps leave there is less than what it stirs,
/// step after step, until no pile of thousands comes to rest.
const PILE: usize = 64;

/// Sweeps over velocities within which the largest change has to fall to the share of [`STALLED`], once they are as many: where
/// bodies are wedged between each other, loads move on by so little a sweep that thousands would be needed.
const WINDOW: usize = 60;
const STALLED: Real = 0.98;

/// The pairs of a part, and what has pushed at their contacts.
struct Turns {
    pairs: Vec<Turn>,
    law: Law,
    /// In the order of the pairs, N·s.
    impulses: Vec<[Real; 3]>,
    /// The same of what resists rolling.
    rolls: Vec<[Real; 2]>,
    /// Where the last sweep began.
    former: State<3>,
    way: Momentum<3>,
    /// The same of what resists rolling, without the velocities.
    former_rolls: State<2>,
    way_of_rolls: Momentum<2>,
    /// How far the last sweep went along the way.
    along: Real,
}

/// What the impulses of a contact obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    /// Coulomb's.
    Coulomb,
    /// They hold as well as their cones allow ([`Terms::hold`]).
    Holding,
}

/// A pair of a part.
#[derive(Clone, Copy)]
struct Turn {
    /// Its number in the system.
    pair: usize,
    /// Where its bodies stand in the part.
    a: usize,
    b: usize,
    /// Where its contacts begin, and what resists its rolling.
    first: usize,
    first_roll: usize,
}

impl Turns {
    fn new(system: &System, law: Law, pairs: Vec<usize>, places: &[usize]) -> Self {
        let mut turns = Self {
            pairs: Vec::with_capacity(pairs.len()),
            law,
            impulses: Vec::new(),
            rolls: Vec::new(),
            former: State::default(),
            way: Momentum::default(),
            former_rolls: State::default(),
            way_of_rolls: Momentum::default(),
            along: 0.0,
        };
        for k in pairs {
            let pair = &system.pairs[k];
            let (first, first_roll) = (turns.impulses.len(), turns.rolls.len());
            turns.pairs.push(Turn { pair: k, a: places[pair.a], b: places[pair.b], first, first_roll });
            turns.impulses.extend_from_slice(&system.impulses[pair.contacts.clone()]);
            turns.rolls.extend_from_slice(&system.rolls[pair.rollings.clone()]);
        }
        turns
    }
}

impl Part<Turns> {
    /// Every pair's turn, in their order; returns the largest change, m/s.
    fn turn(&mut self, system: &System) -> Real {
        self.remember();
        (0..self.work.pairs.len()).map(|k| self.turn_pair(system, k)).fold(0.0, Real::max)
    }

    /// The same from the last to the first.
    fn turn_back(&mut self, system: &System) -> Real {
        let largest = (0..self.work.pairs.len()).rev().map(|k| self.turn_pair(system, k)).fold(0.0, Real::max);
        let Turns { way, former, impulses, way_of_rolls, former_rolls, rolls, .. } = &self.work;
        self.work.along = way.along(former, impulses) + way_of_rolls.along(former_rolls, rolls);
        largest
    }

    /// Goes on from the last sweep by a share of the way of the sweeps so far.
    fn lean(&mut self, share: Real) {
        let Turns { way, former, impulses, way_of_rolls, former_rolls, rolls, .. } = &mut self.work;
        way.lean(share, former, impulses, &mut self.velocities);
        way_of_rolls.lean(share, former_rolls, rolls, &mut []);
    }

    fn turn_pair(&mut self, system: &System, k: usize) -> Real {
        let Turn { pair, a, b, first, .. } = self.work.pairs[k];
        let pair = &system.pairs[pair];
        let (mut velocity_a, mut velocity_b) = (self.velocities[a], self.velocities[b]);
        let impulses = &mut self.work.impulses[first..first + pair.contacts.len()];
        let terms = Terms { contacts: &system.contacts, rows: &system.rows, patches: &system.patches };
        let velocities = [&mut velocity_a, &mut velocity_b];
        let change = match self.work.law {
            Law::Coulomb => terms.turn(pair, Giving::Both, true, velocities, impulses),
            Law::Holding => terms.hold(pair, velocities, impulses),
        };
        (self.velocities[a], self.velocities[b]) = (velocity_a, velocity_b);
        if pair.rollings.is_empty() { change } else { change.max(self.resist(system, k)) }
    }

    /// The turn of what resists the rolling of a pair, after its contacts'. Few pairs have any.
    #[inline(never)]
    fn resist(&mut self, system: &System, k: usize) -> Real {
        let Turn { pair, a, b, first, first_roll } = self.work.pairs[k];
        let pair = &system.pairs[pair];
        let (mut velocity_a, mut velocity_b) = (self.velocities[a], self.velocities[b]);
        let impulses = &self.work.impulses[first..first + pair.contacts.len()];
        let rolls = &mut self.work.rolls[first_roll..first_roll + pair.rollings.len()];
        let velocities = [&mut velocity_a, &mut velocity_b];
        let change = resist(&system.rollings, pair, Giving::Both, velocities, (impulses, rolls));
        (self.velocities[a], self.velocities[b]) = (velocity_a, velocity_b);
        change
    }

    fn remember(&mut self) {
        self.work.former.impulses.clone_from(&self.work.impulses);
        self.work.former_rolls.impulses.clone_from(&self.work.rolls);
        self.work.former.velocities.clone_from(&self.velocities);
    }
}

/// Sweeps there and back with momentum.
struct Sweeping {
    parts: Parts<Turns>,
    pace: Pace,
    /// How many there have been.
    count: usize,
    /// The largest change of the last one there, m/s.
    largest: Real,
    watch: Watch,
}

impl Sweeping {
    fn new(system: &System, law: Law) -> Self {
        Self {
            parts: system.turns(law),
            pace: Pace::default(),
            count: 0,
            largest: Real::INFINITY,
            watch: Watch::new(WINDOW, STALLED),
        }
    }

    fn is_due(&self, limits: &SweepLimits) -> bool {
        self.count < limits.velocity && self.largest > limits.change
            || self.count < PATIENCE * limits.velocity && self.largest > limits.far
    }

    fn go(&mut self, system: &System) {
        let along = || self.parts.all().map(|part| part.work.along).sum();
        let share = (self.count > 0).then(|| self.pace.share(along()));
        let lean = |part: &mut Part<Turns>| {
            if let Some(share) = share {
                part.lean(share);
            }
        };
        self.largest = self.parts.sweep(lean, |part| part.turn(system));
        self.count += 1;
    }

    /// Whether sweeps come no nearer.
    fn stalls(&mut self) -> bool {
        self.watch.stalls(self.count, self.largest)
    }

    /// Back as well, unless all is settled: a way is one only of steps that favour neither end.
    fn go_back(&mut self, system: &System, limits: &SweepLimits) {
        if self.largest > limits.change {
            self.parts.sweep_back(|part| part.turn_back(system));
            self.count += 1;
        }
    }
}

impl System {
    /// Solves the velocities by sweeps from the impulses that the contacts have; where the sweeps end far from a solution, and the
    /// loads were not known before, shock propagation finishes. What stood before goes on standing if anything can hold it. Returns the number of
    /// sweeps.
    pub fn settle_velocities(&mut self, limits: &SweepLimits) -> usize {
        let free: Vec<Velocity> = self.members.iter().map(|member| member.velocity).collect();
        self.start_warm(&free);
        let known = self.impulses.iter().filter(|impulse| **impulse != [0.0; 3]).count();
        let knows_loads = known as Real >= KNOWN * self.contacts.len() as Real;
        let stirs = self.pairs.len() >= PILE && knows_loads;
        self.begin_unknown();
        let mut sweeping = Sweeping::new(self, Law::Coulomb);
        while sweeping.is_due(limits) {
            sweeping.go(self);
            if sweeping.count == 1 && sweeping.largest <= limits.kept {
                // What carries the loads already goes on carrying them, to the bit.
                return sweeping.count;
            }
            if sweeping.count == 1 && sweeping.largest > limits.far && !knows_loads {
                self.take_velocities(&sweeping.parts);
                if self.try_loads(&free, limits) {
                    sweeping.parts = self.turns(Law::Coulomb);
                    sweeping.parts.all_mut().for_each(Part::remember);
                }
            }
            if sweeping.stalls() {
                break;
            }
            sweeping.go_back(self, limits);
        }
        self.take_velocities(&sweeping.parts);
        if limits.stood && self.try_standing(&free, limits) {
            return sweeping.count;
        }
        if sweeping.largest > limits.far && !stirs {
            self.propagate_shock(limits);
        }
        sweeping.count
    }

    /// Sweeps over the velocities of all contacts, from the impulses that they have, when contacts have joined that lie where the
    /// motions lead. What few sweeps make of a heavy load on light bodies may be far from any solution: where that adds energy, all is
    /// left as it was (erratum E23).
    pub fn land(&mut self, limits: &SweepLimits) {
        let (former, most) = (self.state(), self.kinetic_energy() + self.energy_at(self.slight));
        self.begin_unknown();
        self.sweep_under(Law::Coulomb, limits);
        if self.kinetic_energy() > most {
            self.restore(&former);
        }
    }

    /// Sweeps over the velocities of all contacts, from the impulses that they have, however little nearer each of them comes. Returns the largest
    /// change of the last one, m/s.
    pub fn sweep_on(&mut self, limits: &SweepLimits) -> Real {
        self.sweep_by(Law::Coulomb, limits, |_| false)
    }

    /// Sweeps over all contacts that obey a law until what the limits ask for, or the sweeps come no nearer to it. Returns the largest change of the
    /// last one, m/s.
    pub(super) fn sweep_under(&mut self, law: Law, limits: &SweepLimits) -> Real {
        self.sweep_by(law, limits, |sweeping| law == Law::Coulomb && sweeping.stalls())
    }

    fn sweep_by(&mut self, law: Law, limits: &SweepLimits, is_over: impl Fn(&mut Sweeping) -> bool) -> Real {
        let mut sweeping = Sweeping::new(self, law);
        while sweeping.is_due(limits) {
            sweeping.go(self);
            if is_over(&mut sweeping) {
                break;
            }
            sweeping.go_back(self, limits);
        }
        self.take_velocities(&sweeping.parts);
        sweeping.largest
    }

    /// The system's velocities and impulses in parts.
    fn turns(&self, law: Law) -> Parts<Turns> {
        self.in_parts(|member| member.velocity, |pairs, places| Turns::new(self, law, pairs, places))
    }

    /// The system has the velocities and impulses that its parts have.
    fn take_velocities(&mut self, parts: &Parts<Turns>) {
        for part in parts.all() {
            for (&body, velocity) in part.bodies.iter().zip(&part.velocities) {
                self.members[body].velocity = *velocity;
            }
            for turn in &part.work.pairs {
                let range = self.pairs[turn.pair].contacts.clone();
                let impulses = &part.work.impulses[turn.first..turn.first + range.len()];
                self.impulses[range].copy_from_slice(impulses);
                let range = self.pairs[turn.pair].rollings.clone();
                let rolls = &part.work.rolls[turn.first_roll..turn.first_roll + range.len()];
                self.rolls[range].copy_from_slice(rolls);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Point, Vector};
    use crate::response::blocks::Blocks;
    use crate::response::impulse::Inertia;
    use crate::response::sequential::{SolverBody, SolverContact};

    /// A body that may be of 1 kg and stands, or cannot move.
    fn standing(centre: Point, moves: bool) -> SolverBody {
        let inertia = match moves {
            true => Inertia { centre, inverse_mass: Vector::repeat(1.0), inverse_inertia: Matrix::identity() },
            false => Inertia::immovable(centre),
        };
        SolverBody { inertia, velocity: Velocity::default(), motion: Velocity::default() }
    }

    fn contact(a: usize, b: usize, impulse: Real, least_velocity: Real) -> SolverContact {
        SolverContact {
            a,
            b,
            r_a: Vector::zeros(),
            r_b: Vector::zeros(),
            normal: Vector::y(),
            friction: 0.5,
            least_velocity,
            least_motion: 0.0,
            carried: [0.0; 2],
            impulse: [impulse, 0.0, 0.0],
        }
    }

    #[test]
    fn what_lands_is_not_thrown_at_what_it_lands_on() {
        let bodies = [standing(Point::origin(), false), standing(Point::new(0.0, 1.0, 0.0), true)];
        // The contact has pushed and may now come nearer at 5 m/s: to take back what it pushed would be to pull.
        let mut system = System::new(&bodies, &[contact(0, 1, 10.0, -5.0)], &[0, 1], 1e-3);
        system.land(&SweepLimits {
            velocity: 10,
            motion: 0,
            change: 0.0,
            kept: 0.0,
            far: Real::INFINITY,
            stood: false,
            together: false,
        });
        assert_eq!(system.members[1].velocity, Velocity::default());
        assert_eq!(system.impulses, [[10.0, 0.0, 0.0]]);
    }

    #[test]
    fn shock_is_propagated_only_in_piles_whose_loads_are_not_known() {
        // A column on the ground, which the other half of it meets, and too few sweeps to tell all of it.
        let sinks = 0.01;
        let mut bodies = vec![standing(Point::origin(), false)];
        bodies.extend((0..2 * PILE).map(|row| {
            let mut body = standing(Point::new(0.0, row as Real, 0.0), true);
            body.velocity.linear = Vector::y() * if row < PILE { -sinks } else { -1.0 };
            body
        }));
        let shocks = |is_known: bool| {
            let load = |row: usize| if is_known { sinks * PILE.saturating_sub(row) as Real } else { 0.0 };
            let contacts: Vec<SolverContact> = (0..2 * PILE).map(|row| contact(row, row + 1, load(row), 0.0)).collect();
            // As if the ground were not known to be one, so that no loads are carried down.
            let mut system = System::new(&bodies, &contacts, &vec![1; bodies.len()], 1e-3);
            let limits = SweepLimits {
                velocity: 1,
                motion: 0,
                change: 1e-9,
                kept: 0.0,
                stood: false,
                far: 1e-7,
                together: false,
            };
            system.settle_velocities(&limits);
            system.shocks.iter().map(|shock| shock[0].abs()).fold(0.0, Real::max)
        };
        assert!(shocks(false) > 1e-3, "{}", shocks(false));
        assert_eq!(shocks(true), 0.0);
    }

    #[test]
    fn blocks_side_by_side_settle_at_what_the_whole_settles_at() {
        // Sixteen columns of 40 bodies that fall at 1 m/s, each linked to the next at its foot.
        let (columns, height) = (16, 40);
        let place = |column: usize, row: usize| 1 + column * height + row;
        let mut bodies = vec![standing(Point::origin(), false)];
        let mut contacts = Vec::new();
        for (column, row) in (0..columns).flat_map(|column| (0..height).map(move |row| (column, row))) {
            let mut body = standing(Point::new(1e3 * column as Real, row as Real, 0.0), true);
            body.velocity.linear = -Vector::y();
            bodies.push(body);
            let below = if row == 0 { 0 } else { place(column, row - 1) };
            contacts.push(contact(below, place(column, row), 0.0, 0.0));
            if row == 0 && column > 0 {
                contacts.push(contact(place(column - 1, 0), place(column, 0), 0.0, 0.0));
            }
        }
        contacts.iter_mut().for_each(|c| c.friction = 0.0);
        let limits = SweepLimits {
            velocity: 4000,
            motion: 0,
            change: 1e-9,
            kept: 0.0,
            stood: false,
            far: Real::INFINITY,
            together: false,
        };
        let levels: Vec<u32> =
            (0..bodies.len()).map(|k| if k == 0 { 0 } else { 1 + ((k - 1) % height) as u32 }).collect();
        let inertias: Vec<Inertia> = bodies.iter().map(|body| body.inertia).collect();
        let solve = |in_parallel: bool, in_blocks: bool| {
            let blocks = Blocks::of(&inertias, if in_blocks { 8000 } else { 0 });
            assert_eq!(blocks.count() > 1, in_blocks);
            let mut system = System::in_blocks(&bodies, &contacts, &levels, 1e-3, blocks, in_parallel);
            system.settle_velocities(&limits);
            system.members.iter().map(|member| member.velocity).collect::<Vec<_>>()
        };
        let (whole, apart, side_by_side) = (solve(false, false), solve(false, true), solve(true, true));
        assert_eq!(apart, side_by_side, "the threads change no bit");
        for (one, other) in whole.iter().zip(&apart) {
            assert!((one.linear - other.linear).norm() < 1e-5 && one.linear.norm() < 1e-5, "{one:?} {other:?}");
        }
    }
}
