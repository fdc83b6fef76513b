//! What contacts do to the velocities and the motions of an island.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::World;
use super::clearance::Clearance;
use super::islands::Island;
use super::react::{Reaction, Situation};
use super::report::Impact;
use super::stepping::{Pair, Stepping};
use crate::dynamics::Material;
use crate::math::{Real, Vector, orthonormal_basis};
use crate::response::impact::{ImpactLaw, ImpactPoint, resolve_impact};
use crate::response::impulse::{Inertia, Velocity};
use crate::response::sequential::{SolverBody, SolverContact, SweepLimits};

/// Rounds of pairwise impacts at one instant; what is left meets again within the step.
const IMPACT_ROUNDS: usize = 32;
/// What part of a gap that is too small is recovered per solve.
const GAP_RECOVERY: Real = 0.2;
pub(super) const LIMITS: SweepLimits = SweepLimits { velocity: 60, motion: 200, change: 1e-7 };

/// What solving an island changes.
struct Solution {
    velocities: Vec<SolverBody>,
    starts: Vec<Velocity>,
    impulses: Vec<(Pair, Vec<Vector>)>,
    impacts: Vec<Impact>,
    reaction: Reaction,
}

impl Stepping {
    /// Solves every island on the motions over the whole step.
    pub(super) fn solve_all_islands(&mut self, world: &World) {
        let islands = self.islands(world);
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

        let levels = island.levels(&inertias);
        let (contacts, owners) = self.solver_contacts(world, island, t, &inertias, &levels, &bodies);
        let separations: Vec<Real> = contacts.iter().map(|(_, separation)| *separation).collect();
        let mut contacts: Vec<SolverContact> = contacts.into_iter().map(|(contact, _)| contact).collect();
        let situation = Situation {
            island,
            inertias: &inertias,
            levels: &levels,
            starts: &starts,
            separations: &separations,
            rest,
        };
        let reaction = self.react(world, &situation, &mut bodies, &mut contacts);
        let mut pairs = owners.clone();
        pairs.dedup();
        let impact_speed = self.impact_speed(world);
        let way = Clearance { island, t, levels: &levels, limits: LIMITS, impact_speed };
        self.keep_clear(world, &way, &mut bodies, &contacts, &pairs);

        let mut impulses: BTreeMap<Pair, Vec<Vector>> = BTreeMap::new();
        for (contact, pair) in contacts.iter().zip(&owners) {
            impulses.entry(*pair).or_default().push(contact.total_impulse());
        }
        Solution { velocities: bodies, starts, impulses: impulses.into_iter().collect(), impacts, reaction }
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
        let threshold = self.impact_speed(world);
        let mut impacts = Vec::new();
        for _ in 0..IMPACT_ROUNDS {
            let mut any = false;
            for &pair in &island.pairs {
                let (a, b) = island.local(pair);
                let close = &self.close[&pair];
                if close.separation > world.settings.tolerance {
                    continue;
                }
                let touching: Vec<_> =
                    close.points.iter().filter(|p| p.separation <= 2.0 * world.settings.tolerance).collect();
                let points: Vec<ImpactPoint> = touching
                    .iter()
                    .map(|p| ImpactPoint {
                        r_a: p.midpoint() - inertias[a].centre,
                        r_b: p.midpoint() - inertias[b].centre,
                        normal: p.normal,
                    })
                    .collect();
                let approach = |p: &ImpactPoint| -(velocities[b].at(&p.r_b) - velocities[a].at(&p.r_a)).dot(&p.normal);
                if !points.iter().any(|p| approach(p) > threshold) {
                    continue;
                }
                any = true;
                let material = self.material(world, pair);
                let law = ImpactLaw {
                    friction: material.friction,
                    restitution: material.restitution,
                    restitution_threshold: threshold,
                };
                let (mut va, mut vb) = (velocities[a], velocities[b]);
                let impulses = resolve_impact([&inertias[a], &inertias[b]], [&mut va, &mut vb], &points, &law);
                (velocities[a], velocities[b]) = (va, vb);
                for (p, impulse) in touching.iter().zip(impulses).filter(|(_, j)| *j != Vector::zeros()) {
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
            }
            if !any {
                break;
            }
        }
        impacts
    }

    /// Approach speeds up to this are contact, not impact, m/s: what gravity gives within two steps.
    fn impact_speed(&self, world: &World) -> Real {
        (2.0 * self.dt * world.settings.gravity.norm()).max(1e-3)
    }

    pub(super) fn material(&self, world: &World, pair: Pair) -> Material {
        self.body(world, pair.0).material.combined(&self.body(world, pair.1).material)
    }

    /// The contacts of the island as the solver takes them, from the ground up, with their separations (metres) and the
    /// pair each belongs to.
    fn solver_contacts(
        &self,
        world: &World,
        island: &Island,
        t: Real,
        inertias: &[Inertia],
        levels: &[u32],
        bodies: &[SolverBody],
    ) -> (Vec<(SolverContact, Real)>, Vec<Pair>) {
        let rest = self.dt - t;
        let goal = world.settings.resting_gap();
        let share_of_step = rest / self.dt;
        let impact_speed = self.impact_speed(world);
        let mut contacts = Vec::new();
        let mut owners = Vec::new();
        for pair in island.pairs_from_the_ground(levels) {
            let (a, b) = island.local(pair);
            let friction = self.material(world, pair).friction;
            let close = &self.close[&pair];
            let places = close.points.iter().map(|p| ImpactPoint {
                r_a: p.midpoint() - inertias[a].centre,
                r_b: p.midpoint() - inertias[b].centre,
                normal: p.normal,
            });
            let approach =
                |p: &ImpactPoint| -(bodies[b].velocity.at(&p.r_b) - bodies[a].velocity.at(&p.r_a)).dot(&p.normal);
            // What comes fast and is not there yet is an impact to come, with its bounce: the check meets it at its time.
            if close.separation > world.settings.tolerance && places.clone().any(|p| approach(&p) > impact_speed) {
                continue;
            }
            for (p, impulse) in close.points.iter().zip(&close.impulses) {
                let (t1, t2) = orthonormal_basis(&p.normal);
                let left = goal - p.separation;
                let contact = SolverContact {
                    a,
                    b,
                    r_a: p.midpoint() - inertias[a].centre,
                    r_b: p.midpoint() - inertias[b].centre,
                    normal: p.normal,
                    friction,
                    least_velocity: left.min(0.0) / rest,
                    least_motion: if left > 0.0 { GAP_RECOVERY * left / rest } else { left / rest },
                    impulse: [impulse.dot(&p.normal), impulse.dot(&t1), impulse.dot(&t2)].map(|j| j * share_of_step),
                };
                contacts.push((contact, p.separation));
                owners.push(pair);
            }
        }
        (contacts, owners)
    }

    /// Gives the island's movable bodies their new courses from time `t` on.
    fn apply(&mut self, world: &World, island: &Island, solution: Solution, t: Real) {
        for ((&k, solved), start) in island.bodies.iter().zip(&solution.velocities).zip(&solution.starts) {
            if !self.is_movable(world, k) {
                continue;
            }
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
            course.motion = motion;
            course.origin = t;
            course.start = *start;
            course.end = solved.velocity;
            course.version += 1;
        }
        for (pair, impulses) in solution.impulses {
            if let Some(close) = self.close.get_mut(&pair) {
                close.impulses = impulses;
            }
        }
        self.report.counters.impacts += solution.impacts.len() as u64;
        self.report.counters.solver_sweeps += solution.reaction.sweeps as u64;
        self.report.counters.substituted_solves += u64::from(solution.reaction.substituted);
        self.report.impacts.extend(solution.impacts);
    }
}
