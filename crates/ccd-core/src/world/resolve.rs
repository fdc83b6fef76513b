//! What contacts do to the velocities and the motions of an island.

use std::sync::Arc;

use rayon::prelude::*;

use super::clearance::{Clearance, Owned};
use super::crowd;
use super::islands::Island;
use super::react::{FINE, Reaction, Situation};
use super::report::Impact;
use super::stepping::{Pair, Stepping};
use super::{ResponseMethod, World};
use crate::contact::ContactPoint;
use crate::dynamics::Material;
use crate::math::{Point, Real, Vector, orthonormal_basis};
use crate::response::impact::{ImpactLaw, ImpactPoint, resolve_impact};
use crate::response::blocks::Blocks;
use crate::response::impulse::{Inertia, Velocity};
use crate::response::sequential::{SolverBody, SolverContact, SweepLimits};
use crate::response::system::System;

/// Rounds of pairwise impacts at one instant; what is left meets again within the step.
const IMPACT_ROUNDS: usize = 32;
/// A pair that has met within the step recovers its gap within this many times what its last motions had lasted.
const LONGER: Real = 4.0;
/// It takes at least this share of what is left of the step.
const SHORTEST: Real = 0.01;
/// What part of a gap that is too small is recovered per solve.
const GAP_RECOVERY: Real = 0.2;
/// Gaps between these shares of the resting gap, or in a crowd of the landing gap, are left as they are, as if they were closed.
/// Rigid bodies that had to close them all would tilt on every difference, and tilt what lies on them more.
pub(super) const LEFT_ALONE: std::ops::RangeInclusive<Real> = 0.2..=1.8;
/// Motions are settled when no gap changes by more than this share of the resting gap.
const STILL: Real = 1e-3;
/// What has contact with the ground and would move by less than this share of the resting gap stays where it is, to the bit:
/// what is known of its contacts stays known.
const STANDS: Real = 1e-4;
/// What moves need not be settled further than this share of the resting gap.
const STILL_MOVING: Real = 0.01;
/// Velocities that still change by as much are far from settled, m/s. What is left unsolved sways a column of bodies by some
/// thousand times as much, step after step, and nothing that sways sleeps.
const FAR: Real = 3e-7;
/// What sweeps may still change, m/s. A tower sways by some thousand times as much before a contact feels it.
const CHANGE: Real = 1e-9;
/// What known impulses may leave, where all stands, before they are solved for again, m/s: somewhat more, so that what rests
/// does so for good.
pub(super) const KEPT: Real = 10.0 * CHANGE;
pub(super) const LIMITS: SweepLimits = SweepLimits { velocity: 60, motion: 200, change: CHANGE, kept: 0.0, far: FAR };

/// A pair at an instant, as the solver sees it.
pub(super) struct At<'i> {
    /// Seconds from the start of the step.
    pub t: Real,
    /// Whether a crowd lands in the island.
    pub crowded: bool,
    /// Where A stands in the system.
    pub a: usize,
    /// Where B stands.
    pub b: usize,
    pub inertias: [&'i Inertia; 2],
    /// At the end of the step.
    pub velocities: [&'i Velocity; 2],
}

/// What solving an island changes.
struct Solution {
    velocities: Vec<SolverBody>,
    starts: Vec<Velocity>,
    impulses: Vec<(Pair, (Vec<Vector>, Vec<Vector>))>,
    landed: Vec<(Pair, Vec<Vector>)>,
    levels: Vec<u32>,
    impacts: Vec<Impact>,
    reaction: Reaction,
}

impl Stepping {
    /// Solves every island on the motions over the whole step.
    pub(super) fn solve_all_islands(&mut self, world: &World) {
        let mut islands = self.islands(world);
        islands.retain(|island| {
            let changes = island.is_awake(self, world) && !island.stands_again(self, world);
            if !changes {
                self.let_stand(world, island);
            }
            changes
        });
        self.report.counters.islands = islands.len() as u64;
        let solve = |island: &Island| self.solve_island(world, island, 0.0);
        // Islands share only immovable bodies, and are applied in their order: the threads change no bit.
        let solutions: Vec<Solution> = if world.settings.parallel {
            islands.par_iter().map(solve).collect()
        } else {
            islands.iter().map(solve).collect()
        };
        for (island, solution) in islands.iter().zip(solutions) {
            self.apply(world, island, solution, 0.0);
        }
    }

    /// An island of which all stays where it is: takes down how far from the ground its bodies are.
    fn let_stand(&mut self, world: &World, island: &Island) {
        for &k in &island.bodies {
            if self.is_movable(world, k) {
                self.courses[k as usize].stand();
            }
        }
        let levels = island.levels(self, world);
        for (&k, level) in island.bodies.iter().zip(levels) {
            self.levels[k as usize] = level;
        }
    }

    /// Solves one island at time `t`, on the motions over the rest of the step.
    pub(super) fn respond_at(&mut self, world: &World, island: &Island, t: Real) {
        let solution = self.solve_island(world, island, t);
        self.apply(world, island, solution, t);
    }

    fn solve_island(&self, world: &World, island: &Island, t: Real) -> Solution {
        let inertias: Vec<Inertia> =
            island.bodies.iter().map(|&k| self.courses[k as usize].inertia_at(self.body(world, k), t)).collect();
        let mut starts: Vec<Velocity> = island
            .bodies
            .iter()
            .map(|&k| {
                let course = &self.courses[k as usize];
                // What is held stands, whatever velocity it will have after the step.
                if course.held { Velocity::default() } else { course.velocity_at(t, self.dt) }
            })
            .collect();
        let impacts = self.impacts_at(world, island, t, &inertias, &mut starts);

        let rest = self.dt - t;
        let settings = &world.settings;
        let mut bodies: Vec<SolverBody> = (island.bodies.iter().zip(&inertias).zip(&starts))
            .map(|((&k, &inertia), start)| {
                let body = self.body(world, k);
                let pose = self.courses[k as usize].pose_at(t);
                let (linear, angular) = (start.linear, start.angular);
                let change = if self.courses[k as usize].held {
                    settings.integrator.advance(body, &pose, linear, angular, &Vector::zeros(), 0.0)
                } else {
                    settings.integrator.advance(body, &pose, linear, angular, &settings.gravity, rest)
                };
                SolverBody {
                    inertia,
                    velocity: Velocity { linear: change.linear, angular: change.angular },
                    motion: Velocity { linear: change.motion_linear, angular: change.motion_angular },
                }
            })
            .collect();

        let levels = island.levels(self, world);
        let count = island.pairs.iter().map(|pair| self.close[pair].points.len()).sum();
        let (mut contacts, mut separations) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut owned = Vec::with_capacity(island.pairs.len());
        let mut idle = Vec::new();
        let crowded = island.bodies.iter().any(|&k| self.is_movable(world, k) && self.crowded[k as usize]);
        let blocks = Blocks::of(&inertias, count);
        for pair in island.pairs_from_the_ground(&levels, &blocks) {
            let (a, b) = island.local(pair);
            let at = At {
                t,
                crowded,
                a,
                b,
                inertias: [&inertias[a], &inertias[b]],
                velocities: [&bodies[a].velocity, &bodies[b].velocity],
            };
            let first = contacts.len();
            self.pair_contacts(world, pair, &at, &mut contacts);
            if contacts.len() == first {
                // What it pushed in the step before is no part of these velocities.
                let none = self.close.get(&pair).map_or(0, |close| close.points.len());
                let nothing = vec![Vector::zeros(); none];
                idle.push((pair, (nothing.clone(), nothing)));
            } else {
                separations.extend(self.close[&pair].points.iter().map(|p| p.separation));
                owned.push(Owned { pair, a, b });
            }
        }
        let situation =
            Situation { island, inertias: &inertias, starts: &starts, separations: &separations, rest, crowded };
        let mut system = System::in_blocks(&bodies, &contacts, &levels, blocks, settings.parallel);
        let touching = owned.len();
        self.join_landings(world, island, t, &mut system, &mut owned);
        let free: Vec<Velocity> = bodies.iter().map(|body| body.velocity).collect();
        let reaction = self.react(world, &situation, &mut bodies, &mut contacts, &mut system);
        let lands = world.settings.response == ResponseMethod::Shock;
        let fastest = starts.iter().map(|start| start.linear.norm()).fold(0.0, Real::max);
        let goal = settings.resting_gap();
        let still = (STILL * goal).max((FINE * fastest * rest).min(STILL_MOVING * goal));
        let still = if crowded { crowd::STILL * goal } else { still };
        let limits = SweepLimits { change: still / rest, ..LIMITS };
        let impact_speed = owned.iter().map(|o| self.impact_speed(world, o.pair)).fold(0.0, Real::max);
        let way = Clearance { t, limits, lands, impact_speed };
        crowd::stop_motions(&mut system, &owned[touching..], &free, impact_speed);
        let mut looked_at = owned.clone();
        if touching < owned.len() {
            looked_at.sort_by_key(|owner| owner.pair);
            looked_at.dedup_by_key(|owner| owner.pair);
        }
        let mut impacts = impacts;
        for swung in self.keep_clear(world, &way, &mut system, &looked_at) {
            for (k, change) in [(swung.owned.a, swung.changes[0]), (swung.owned.b, swung.changes[1])] {
                if self.is_movable(world, island.bodies[k]) {
                    starts[k] += change;
                }
            }
            self.tell_swing(&swung, t, &mut impacts);
        }
        system.stop_landed(touching, &crowd::landed_limits(impact_speed));
        for (body, member) in bodies.iter_mut().zip(&system.members) {
            (body.velocity, body.motion) = (member.velocity, member.motion);
        }

        let mut impulses = idle;
        impulses.extend(owned[..touching].iter().enumerate().map(|(k, owner)| (owner.pair, system.impulses_of(k))));
        let landed =
            owned.iter().enumerate().skip(touching).map(|(k, owner)| (owner.pair, system.impulses_of(k).0)).collect();
        Solution { velocities: bodies, starts, impulses, landed, levels, impacts, reaction }
    }

    /// Impacts at this instant: pairs in touch whose approach is faster than contact's, a few rounds in order.
    fn impacts_at(
        &self,
        world: &World,
        island: &Island,
        t: Real,
        inertias: &[Inertia],
        velocities: &mut [Velocity],
    ) -> Vec<Impact> {
        let mut impacts = Vec::new();
        for _ in 0..IMPACT_ROUNDS {
            let before = impacts.len();
            for &pair in &island.pairs {
                let (a, b) = island.local(pair);
                let (mut va, mut vb) = (velocities[a], velocities[b]);
                self.impact_between(world, pair, t, [&inertias[a], &inertias[b]], [&mut va, &mut vb], &mut impacts);
                (velocities[a], velocities[b]) = (va, vb);
            }
            if impacts.len() == before {
                break;
            }
        }
        impacts
    }

    /// The impact of a pair at time `t`, if it is in touch and approaches faster than contact does; its velocities change and
    /// it is appended to `impacts`. Returns whether there was one.
    pub(super) fn impact_between(
        &self,
        world: &World,
        pair: Pair,
        t: Real,
        inertias: [&Inertia; 2],
        [velocity_a, velocity_b]: [&mut Velocity; 2],
        impacts: &mut Vec<Impact>,
    ) -> bool {
        let threshold = self.impact_speed(world, pair);
        let Some(close) = self.close.get(&pair).filter(|close| close.separation <= world.settings.tolerance) else {
            return false;
        };
        let touching = || close.points.iter().filter(|p| p.separation <= 2.0 * world.settings.tolerance);
        let as_impact = |p: &ContactPoint| ImpactPoint {
            r_a: p.midpoint() - inertias[0].centre,
            r_b: p.midpoint() - inertias[1].centre,
            normal: p.normal,
        };
        let approach = |p: ImpactPoint| -(velocity_b.at(&p.r_b) - velocity_a.at(&p.r_a)).dot(&p.normal);
        if !touching().any(|p| approach(as_impact(p)) > threshold) {
            return false;
        }
        let points: Vec<ImpactPoint> = touching().map(as_impact).collect();
        let material = self.material(world, pair);
        let law = ImpactLaw {
            friction: material.friction,
            restitution: material.restitution,
            restitution_threshold: threshold,
        };
        let impulses = resolve_impact(inertias, [velocity_a, velocity_b], &points, &law);
        for (p, impulse) in touching().zip(impulses).filter(|(_, j)| *j != Vector::zeros()) {
            impacts.push(Impact {
                time: t,
                pair: self.key(pair),
                features: p.features,
                point: p.midpoint(),
                normal: p.normal,
                separation: p.separation,
                impulse,
            });
        }
        true
    }

    /// Approach speeds of a pair up to this are contact, not impact, m/s: what gravity and the bodies' own forces give within
    /// two steps.
    pub(super) fn impact_speed(&self, world: &World, pair: Pair) -> Real {
        let pulled = |k: u32| {
            let body = self.body(world, k);
            body.inverse_mass().component_mul(&body.force).norm()
        };
        let acceleration = world.settings.gravity.norm().max(pulled(pair.0)).max(pulled(pair.1));
        (2.0 * self.dt * acceleration).max(1e-3)
    }

    pub(super) fn material(&self, world: &World, pair: Pair) -> Material {
        self.body(world, pair.0).material.combined(&self.body(world, pair.1).material)
    }

    /// Appends the contacts of a pair as the solver takes them.
    pub(super) fn pair_contacts(&self, world: &World, pair: Pair, at: &At, contacts: &mut Vec<SolverContact>) {
        let rest = self.dt - at.t;
        let settings = &world.settings;
        let goal = if at.crowded { settings.landing_gap() } else { settings.resting_gap() };
        let friction = self.material(world, pair).friction;
        let close = &self.close[&pair];
        let impact_speed = self.impact_speed(world, pair);
        let [inertia_a, inertia_b] = at.inertias;
        // What comes fast and is not there yet is an impact to come, with its bounce: the check meets it at its time.
        let may_bounce = !at.crowded || self.material(world, pair).restitution > 0.0;
        if close.separation > world.settings.tolerance && may_bounce {
            let [a, b] = at.velocities;
            let approach = |p: &ContactPoint| {
                let (r_a, r_b) = (p.midpoint() - inertia_a.centre, p.midpoint() - inertia_b.centre);
                -(b.at(&r_b) - a.at(&r_a)).dot(&p.normal)
            };
            if close.points.iter().any(|p| approach(p) > impact_speed) {
                return;
            }
        }
        // What rolls or wobbles sets down its next point as soon as it did the last: it is lifted before that.
        let soon = close.stretch.map_or(Real::INFINITY, |stretch| (LONGER * stretch).max(SHORTEST * rest));
        let recovery = soon.min(rest / GAP_RECOVERY);
        let left_over = 1.0 - close.share_before(at.t, self.dt);
        // Points of turning bodies move on arcs: what sticks to a turning face turns with it and does not fly off along the
        // tangent. Faces cannot roll, so that there the points in touch stay the same.
        let is_face = close.points.len() > 2;
        let spins = at.velocities.map(|v| v.angular);
        let carry = |p: &ContactPoint| {
            let inward = |spin: &Vector, centre: &Point| spin.cross(&spin.cross(&(p.midpoint() - centre)));
            (inward(&spins[0], &inertia_a.centre) - inward(&spins[1], &inertia_b.centre)) * rest
        };
        let mut basis: Option<(Vector, (Vector, Vector))> = None;
        contacts.extend(close.points.iter().zip(close.impulses.iter().zip(&close.shock)).map(
            |(p, (impulse, shock))| {
                // The contacts of faces have one normal.
                let known = basis.filter(|(normal, _)| *normal == p.normal);
                let (t1, t2) = basis.insert(known.unwrap_or_else(|| (p.normal, orthonormal_basis(&p.normal)))).1;
                let excess = (p.separation - LEFT_ALONE.end() * goal).max(0.0);
                let lack = if p.separation < LEFT_ALONE.start() * goal { goal - p.separation } else { 0.0 };
                let carried = if is_face { carry(p) } else { Vector::zeros() };
                SolverContact {
                    a: at.a,
                    b: at.b,
                    r_a: p.midpoint() - inertia_a.centre,
                    r_b: p.midpoint() - inertia_b.centre,
                    normal: p.normal,
                    friction,
                    least_velocity: -excess / rest,
                    least_motion: if lack > 0.0 { (lack / recovery).min(impact_speed) } else { -excess / rest },
                    carried: [carried.dot(&t1), carried.dot(&t2)],
                    impulse: [&p.normal, &t1, &t2].map(|d| (impulse + shock).dot(d) * left_over),
                }
            },
        ));
    }

    /// Gives the island's movable bodies their new courses from time `t` on.
    fn apply(&mut self, world: &World, island: &Island, solution: Solution, t: Real) {
        for (&k, &level) in island.bodies.iter().zip(&solution.levels) {
            self.levels[k as usize] = level;
        }
        let stands = |k: &u32| !self.is_movable(world, *k) && self.courses[*k as usize].motion.is_at_rest();
        let is_grounded = island.bodies.iter().any(stands);
        let still = STANDS * world.settings.resting_gap();
        for ((&k, solved), start) in island.bodies.iter().zip(&solution.velocities).zip(&solution.starts) {
            if !self.is_movable(world, k) {
                continue;
            }
            let radius = self.body(world, k).shape().bounding_radius_about(&self.body(world, k).local_centre());
            let way = (solved.motion.linear.norm() + solved.motion.angular.norm() * radius) * (self.dt - t);
            let course = &mut self.courses[k as usize];
            let mut motion = course.motion_from(t);
            motion.linear_velocity = solved.motion.linear;
            motion.angular_velocity = solved.motion.angular;
            if !motion.is_finite() {
                self.report.quarantined.push(self.ids[k as usize]);
                course.hold(t, self.dt);
                (course.start, course.end) = (Velocity::default(), Velocity::default());
                continue;
            }
            let stands = is_grounded && way < still;
            course.motion = if stands { motion.stopped() } else { motion };
            course.origin = t;
            course.start = *start;
            course.end = if stands { Velocity::default() } else { solved.velocity };
            course.version += 1;
        }
        for (pair, impulses) in solution.impulses {
            let Some(close) = self.close.get_mut(&pair) else { continue };
            if !close.holds(&impulses, t) {
                Arc::make_mut(close).solve(impulses, t, self.dt);
            }
        }
        for (pair, impulses) in solution.landed {
            let told = self.tell_landing(pair, &impulses);
            self.report.counters.impacts += told.len() as u64;
            self.report.impacts.extend(told);
        }
        self.report.counters.impacts += solution.impacts.len() as u64;
        self.report.counters.solver_sweeps += solution.reaction.sweeps as u64;
        self.report.counters.substituted_solves += u64::from(solution.reaction.substituted);
        self.report.impacts.extend(solution.impacts);
    }
}
