//! What contacts do to the velocities and the motions of an island.

use std::sync::Arc;

use super::ahead::Outlook;
use super::clearance::{Bent, Clearance};
use super::crowd;
use super::extent::rim_speed;
use super::flight::Flight;
use super::gather::{Gathered, IslandAt, Owned};
use super::islands::Island;
use super::react::{Reaction, Situation};
use super::report::Impact;
use super::stepping::{Pair, Stepping};
use super::swing::Swung;
use super::{ResponseMethod, World, WorldSettings};
use crate::dynamics::Integrator;
use crate::math::{Real, Vector};
use crate::response::impulse::{Inertia, Velocity};
use crate::response::sequential::{SolverBody, SolverContact, SweepLimits};
use crate::response::system::{Member, System};

/// Motions are settled when no gap changes by more than this share of the resting gap.
const STILL: Real = 1e-2;
/// What has contact with the ground and would move by less than this share of the resting gap stays where it is, to the bit:
/// what is known of its contacts stays known.
const STANDS: Real = 1e-4;
/// Velocities that still change by as many slow speeds are far from settled. What is left unsolved sways a column of bodies by some
/// thousand times as much, step after step, and nothing that sways sleeps.
const FAR: Real = 3e-3;
/// What sweeps may still change, in slow speeds. A tower sways by some thousand times as much before a contact feels it.
const CHANGE: Real = 1e-5;
/// What known impulses may leave, where all stands, before they are solved for again, in slow speeds: somewhat more, so that what rests
/// does so for good.
pub(super) const KEPT: Real = 10.0 * CHANGE;
/// What makes no difference in energy, in slow speeds.
const SLIGHT: Real = 10.0;

/// Velocities that make no difference to a system, m/s.
pub(super) fn slight_speed(settings: &WorldSettings) -> Real {
    SLIGHT * settings.slow_speed()
}

/// How long to sweep.
pub(super) fn sweep_limits(settings: &WorldSettings) -> SweepLimits {
    let slow = settings.slow_speed();
    SweepLimits {
        velocity: 60,
        motion: 200,
        change: CHANGE * slow,
        kept: 0.0,
        stood: false,
        far: FAR * slow,
        together: true,
    }
}

/// How long to sweep over motions over the `rest` of a step, seconds.
fn motion_limits(settings: &WorldSettings, rest: Real, crowded: bool) -> SweepLimits {
    let still = if crowded { crowd::STILL } else { STILL };
    SweepLimits { change: still * settings.resting_gap() / rest, ..sweep_limits(settings) }
}

/// The pairs of a system: those that touch, and behind them those that are yet to land, which may be among these.
struct SystemPairs {
    owned: Vec<Owned>,
    touching: usize,
}

impl SystemPairs {
    /// Those that touch, and those that land.
    fn split(&self) -> (&[Owned], &[Owned]) {
        self.owned.split_at(self.touching)
    }

    /// All of them, each once.
    fn each_once(&self) -> Vec<Owned> {
        let mut pairs = self.owned.clone();
        if self.touching < pairs.len() {
            pairs.sort_by_key(|owner| owner.pair);
            pairs.dedup_by_key(|owner| owner.pair);
        }
        pairs
    }
}

/// What pairs push within a solved island.
pub(super) struct Pushes {
    /// Of those that touch: what pushes B, and what shock propagation added; N·s.
    pub impulses: Vec<(Pair, (Vec<Vector>, Vec<Vector>))>,
    /// Of those of them that resist rolling: by what angular impulse on B, N·m·s.
    pub rolled: Vec<(Pair, Vector)>,
    /// Of those that land later in the step: what pushes B, N·s.
    pub landed: Vec<(Pair, Vec<Vector>)>,
}

impl Pushes {
    /// Those of a system's pairs, of which some resist rolling, and of others that have so many contact points and no part in it.
    fn of(system: &System, placed: &SystemPairs, rolling: &[(usize, Real)], idle: Vec<(Pair, usize)>) -> Self {
        let (touching, landing) = placed.split();
        let nothing = |count: usize| vec![Vector::zeros(); count];
        // What idle pairs pushed in the step before is no part of these velocities.
        let idle = idle.into_iter().map(|(pair, count)| (pair, (nothing(count), nothing(count))));
        let pushed = touching.iter().enumerate().map(|(k, owner)| (owner.pair, system.impulses_of(k)));
        let rolled = rolling.iter().map(|&(place, _)| (touching[place].pair, system.rolled(place)));
        let landed = (touching.len()..).zip(landing).map(|(k, owner)| (owner.pair, system.impulses_of(k).0));
        Self { impulses: idle.chain(pushed).collect(), rolled: rolled.collect(), landed: landed.collect() }
    }
}

/// What solving an island makes of a body.
struct Solved {
    /// At the end of the step.
    velocity: Velocity,
    /// Over what is left of it.
    motion: Velocity,
    flight: Flight,
    /// The velocity that the flight began with.
    before: Velocity,
    /// The same, with what swings changed at once.
    start: Velocity,
    /// How far it is from what cannot move.
    level: u32,
}

/// What solving an island changes.
pub(super) struct Solution {
    /// Of its bodies, in their order.
    bodies: Vec<Solved>,
    /// Which share of their way what they may lift leaves them.
    pub share: Real,
    pub pushes: Pushes,
    pub set_down: Vec<(Owned, Vec<SolverContact>)>,
    pub impacts: Vec<Impact>,
    reaction: Reaction,
}

impl Solution {
    /// With motions so many times as fast; `None` if anything tumbles.
    pub fn slowed(mut self, factor: Real) -> Option<Self> {
        for solved in &mut self.bodies {
            solved.motion = solved.motion * factor;
        }
        self.bodies.iter().all(|solved| !solved.flight.tumbles).then_some(self)
    }
}

impl Stepping {
    /// Solves every island on the motions over the whole step.
    pub(super) fn solve_all_islands(&mut self, world: &World) {
        let islands = self.islands_that_change();
        self.report.counters.islands = islands.len() as u64;
        let fixed = self.fix_what_stands(world, &islands);
        for (island, solution) in self.solve_around(world, &fixed, islands) {
            self.apply(world, &island, solution, 0.0);
        }
        fixed.into_iter().flatten().for_each(|k| self.courses[k as usize].fixed = false);
    }

    /// The solutions at time `t` of islands of which none moves what is of another.
    pub(super) fn solve_each(&self, world: &World, islands: &[Island], t: Real) -> Vec<Solution> {
        let solve = |island: &Island| self.solve_island(world, island, t);
        let pairs: usize = islands.iter().map(|island| island.pairs.len()).sum();
        // One that is worth it is handed over as a whole, and shared out from there.
        let mut solutions = world.execution_over(pairs).map(islands, solve);
        self.solve_shorter(world, islands, &mut solutions, t);
        solutions
    }

    /// Solves one island at time `t`, on the motions over the rest of the step.
    pub(super) fn respond_at(&mut self, world: &World, island: &Island, t: Real) {
        for solution in self.solve_each(world, std::slice::from_ref(island), t) {
            self.apply(world, island, solution, t);
        }
    }

    fn solve_island(&self, world: &World, island: &Island, t: Real) -> Solution {
        let inertias: Vec<Inertia> =
            island.bodies.iter().map(|&k| self.courses[k as usize].inertia_at(self.body(world, k), t)).collect();
        let mut starts = self.velocities_at(world, island, t);
        let mut impacts = self.impacts_at(world, island, t, &inertias, &mut starts);

        // Where forces lead, and what contacts want.
        let rest = self.dt - t;
        let settings = &world.in_force;
        let flights = self.flights_from(world, island, t, &starts);
        let mut bodies: Vec<SolverBody> = (flights.iter().zip(&inertias))
            .map(|(flight, &inertia)| SolverBody { inertia, velocity: flight.velocity, motion: flight.motion })
            .collect();

        let levels = island.levels(self, world);
        let crowded = island.bodies.iter().any(|&k| self.is_movable(k) && self.crowded[k as usize]);
        let whole =
            IslandAt { island, t, crowded, levels: &levels, inertias: &inertias, starts: &starts, bodies: &bodies };
        let Gathered { blocks, mut contacts, separations, running, owned, rolling, idle } = self.gather(world, &whole);
        let situation = Situation { starts: &starts, separations: &separations, running: &running, rest, crowded };
        let mut system =
            System::in_blocks(&bodies, &contacts, &levels, slight_speed(settings), blocks, settings.parallel);
        for &(place, arm) in &rolling {
            system.resist_rolling(place, arm, &self.known_rolling(owned[place].pair, t));
        }
        let mut placed = SystemPairs { touching: owned.len(), owned };
        self.join_landings(world, island, t, &mut system, &mut placed.owned);

        // What the method does about it.
        let free: Vec<Velocity> = bodies.iter().map(|body| body.velocity).collect();
        let reaction = self.react(world, &situation, &mut bodies, &mut contacts, &mut system);
        if !reaction.moved && self.ride(world, island, &starts, &contacts, &mut bodies) {
            system.set_motions(&bodies.iter().map(|body| body.motion).collect::<Vec<_>>());
        }
        self.lead_what_tumbles(world, island, &flights, &mut system, t);

        // Where the motions lead.
        let Bent { swung, set_down } = self.lead_clear(world, t, (&situation, &free), &placed, &mut system);
        let of = |k: usize| (island.bodies[k], starts[k]);
        let share = self.pay_for_lifts(world, t, of, island.pairs.iter().copied(), &mut system);
        let place = |(k, (flight, start)): (usize, (Flight, &Velocity))| {
            let Member { velocity, motion, level, .. } = system.members[k];
            Solved { velocity, motion, flight, before: *start, start: *start, level }
        };
        let mut solved: Vec<Solved> = flights.into_iter().zip(&starts).enumerate().map(place).collect();
        for swung in &swung {
            self.take_swing(island, swung, &mut solved);
            self.tell_swing(swung, t, &mut impacts);
        }
        let pushes = Pushes::of(&system, &placed, &rolling, idle);
        Solution { bodies: solved, share, pushes, set_down, impacts, reaction }
    }

    /// Leads a system's motions from time `t` on clear of what is ahead, and has velocities land on it. `free` are those that it would have without
    /// contacts.
    fn lead_clear(
        &self,
        world: &World,
        t: Real,
        (situation, free): (&Situation, &[Velocity]),
        placed: &SystemPairs,
        system: &mut System,
    ) -> Bent {
        let settings = &world.in_force;
        let lands = settings.response == ResponseMethod::Shock;
        let impact_speed = placed.owned.iter().map(|o| self.impact_speed(world, o.pair)).fold(0.0, Real::max);
        if lands {
            self.land_ahead(situation, impact_speed, &sweep_limits(settings), system);
        }
        let (_, landing) = placed.split();
        crowd::stop_motions(system, landing, free, impact_speed);
        let outlook = Outlook { t, impact_speed, crowded: situation.crowded };
        let limits = motion_limits(settings, situation.rest, situation.crowded);
        self.keep_clear(world, &Clearance { outlook, limits, lands }, system, &placed.each_once())
    }

    /// What swings has other velocities from the beginning.
    fn take_swing(&self, island: &Island, swung: &Swung, solved: &mut [Solved]) {
        for (k, change) in [(swung.owned.a, swung.changes[0]), (swung.owned.b, swung.changes[1])] {
            if self.is_movable(island.bodies[k]) {
                solved[k].start += change;
            }
        }
    }

    /// The velocities of an island's bodies at time `t`.
    fn velocities_at(&self, world: &World, island: &Island, t: Real) -> Vec<Velocity> {
        let velocity = |&k: &u32| {
            let course = &self.courses[k as usize];
            // What is held stands, whatever velocity it will have after the step.
            if course.held { Velocity::default() } else { course.velocity_at(self.body(world, k), t, self.dt) }
        };
        island.bodies.iter().map(velocity).collect()
    }

    /// Where an island's bodies would go over the rest of the step from time `t` on, with these velocities then.
    fn flights_from(&self, world: &World, island: &Island, t: Real, starts: &[Velocity]) -> Vec<Flight> {
        let flight = |(&k, start): (&u32, &Velocity)| {
            let course = &self.courses[k as usize];
            if course.held || course.fixed {
                Flight::default()
            } else {
                let (body, pose, rest) = (self.body(world, k), course.pose_at(t), self.dt - t);
                let flight = Flight::new(body, &pose, start, &world.in_force, [rest, self.dt]);
                let lies = self.lies_on((body, &pose), &start.angular, rest, island.pairs_of(k));
                lies.map_or(flight, |normal| flight.lying(normal))
            }
        };
        island.bodies.iter().zip(starts).map(flight).collect()
    }

    /// What tumbles turns as a free body with the spin that contacts have left it; or by that spin, where the mean turn over the rest
    /// of the step leads into what it touches.
    fn lead_what_tumbles(&self, world: &World, island: &Island, flights: &[Flight], system: &mut System, t: Real) {
        let tumbling: Vec<usize> = (0..flights.len()).filter(|&member| flights[member].tumbles).collect();
        for &member in &tumbling {
            let k = island.bodies[member];
            let (body, pose) = (self.body(world, k), self.courses[k as usize].pose_at(t));
            let velocity = system.members[member].velocity;
            system.members[member].motion.angular =
                flights[member].pushed_motion(body, &pose, &velocity, 1.0, self.dt - t).angular;
        }
        if tumbling.is_empty() {
            return;
        }
        let mut lacks = vec![[0.0 as Real; 2]; flights.len()];
        for pair in 0..system.pair_count() {
            let (a, b) = system.bodies_of(pair);
            for member in [a, b].into_iter().filter(|&member| flights[member].tumbles) {
                let Member { motion, velocity, .. } = &system.members[member];
                let led = Velocity { angular: velocity.angular, ..*motion };
                let [mean, now] = &mut lacks[member];
                *mean = mean.max(system.lack_with(pair, member, motion));
                *now = now.max(system.lack_with(pair, member, &led));
            }
        }
        for member in tumbling {
            let [mean, now] = lacks[member];
            if mean > now.max(self.impact_speed(world, (island.bodies[member], island.bodies[member]))) {
                system.members[member].motion.angular = system.members[member].velocity.angular;
            }
        }
    }

    /// Gives the island's movable bodies their new courses from time `t` on.
    fn apply(&mut self, world: &World, island: &Island, solution: Solution, t: Real) {
        for (&k, solved) in island.bodies.iter().zip(&solution.bodies) {
            self.levels[k as usize] = solved.level;
        }
        for (pair, impulses) in solution.pushes.impulses {
            let Some(close) = self.close.get_mut(&pair) else { continue };
            if !close.holds(&impulses, t) {
                Arc::make_mut(close).solve(impulses, t, self.dt);
            }
        }
        let stands = |k: &u32| !self.is_movable(*k) && self.courses[*k as usize].motion.is_at_rest();
        let is_grounded = island.bodies.iter().any(stands);
        let still = STANDS * world.in_force.resting_gap();
        for (&k, solved) in island.bodies.iter().zip(&solution.bodies) {
            if !self.is_movable(k) {
                continue;
            }
            let body = self.body(world, k);
            let speed = |by: &Velocity| by.linear.norm() + rim_speed(body, by.angular.norm());
            let way = match world.in_force.integrator {
                // It moves by the velocity that there was, and shows a step later that something has set out.
                Integrator::Euler => speed(&solved.motion).max(speed(&solved.velocity)),
                _ => speed(&solved.motion),
            } * self.dt;
            let pose = self.courses[k as usize].pose_at(t);
            let lies = self.lies_on((body, &pose), &solved.velocity.angular, self.dt - t, island.pairs_of(k));
            let course = &mut self.courses[k as usize];
            course.lies = lies;
            let Some(motion) = course.motion_by(t, &solved.motion, &solved.velocity) else {
                self.report.quarantined.push(self.ids[k as usize]);
                course.give_up(body, t, self.dt);
                continue;
            };
            let stands = is_grounded && way < still;
            let (motion, end) =
                if stands { (motion.stopped(), Velocity::default()) } else { (motion, solved.velocity) };
            course.go_on(t, motion, [solved.start, end]);
            course.end_spin(body, &solved.before, &solved.flight, &end.angular, self.dt - t);
        }
        for (pair, rolled) in solution.pushes.rolled {
            if let Some(close) = self.close.get_mut(&pair).filter(|close| close.rolling != rolled) {
                Arc::make_mut(close).rolling = rolled;
            }
        }
        for (pair, impulses) in solution.pushes.landed {
            let told = self.land(pair, &impulses, t);
            self.report.counters.impacts += told.len() as u64;
            self.report.impacts.extend(told);
        }
        for (owned, contacts) in solution.set_down {
            self.keep_set_down(world, owned.pair, contacts, t);
        }
        self.report.counters.solver_sweeps += solution.reaction.sweeps as u64;
        self.report.counters.substituted_solves += u64::from(solution.reaction.substituted);
        self.tell_impacts(solution.impacts);
    }
}
