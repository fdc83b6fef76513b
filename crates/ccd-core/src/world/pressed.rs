//! What is left pressed between bodies of which one has stopped rather than crush it.
//!
//! **Problem.** Between two that close and that nothing pushes back no velocity is right: a solve leaves what is between them with
//! that of the one or of the other, and with restitution with more in every step. Then they stop, it does not move at all, and still it is told to
//! have that velocity.
//! **Idea.** What has stopped stands. At the end of the step all that hangs together with it is relieved of the speed at which it
//! approaches what it touches, contact by contact, until none is left. Each takes energy, and none gives any.
//! **Cost.** None in steps in which nothing has stopped.

use super::World;
use super::course::inertia_of;
use super::resolve::slight_speed;
use super::stepping::{Pair, Stepping};
use crate::contact::ContactPoint;
use crate::dynamics::BodyKind;
use crate::math::{DisjointSets, Real};
use crate::response::impulse::Velocity;
use crate::response::row::Giving;
use crate::response::sequential::{SolverBody, SolverContact};
use crate::response::system::System;

/// Sweeps over all contacts.
const SWEEPS: usize = 200;
/// They end when they change velocities by less than this share of the speed below which touching is contact.
const SETTLED: Real = 1e-3;

impl Stepping {
    /// Takes from the velocities at the end of the step with what approaches what it touches, wherever something stopped rather than crush it.
    pub(super) fn stop_what_is_pressed(&mut self, world: &World) {
        if self.report.crushed.is_empty() {
            return;
        }
        let pairs = self.pairs_about_what_stopped(world);
        let mut bodies: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let mut system = System::empty(slight_speed(&world.in_force));
        for &k in &bodies {
            let (body, course) = (self.body(world, k), &self.courses[k as usize]);
            // What is driven and held stands, whatever velocity it is given.
            let is_dynamic = body.kind() == BodyKind::Dynamic;
            let velocity = if course.held && !is_dynamic { Velocity::default() } else { course.end };
            let pose = course.pose_at(self.dt);
            let inertia = if is_dynamic { inertia_of(body, &pose) } else { course.inertia_at(body, self.dt) };
            system.add_body(&SolverBody { inertia, velocity, motion: Velocity::default() }, 0);
        }
        let place = |k: u32| bodies.partition_point(|&other| other < k);
        let mut impact_speed: Real = 0.0;
        for pair in pairs {
            let places = (place(pair.0), place(pair.1));
            let [shape_a, shape_b] = [pair.0, pair.1].map(|k| self.body(world, k).shape());
            let [pose_a, pose_b] = self.poses_at(pair, self.dt);
            let points = self.close[&pair].points_at((shape_a, &pose_a), (shape_b, &pose_b), world.in_force.tolerance);
            let centres = [places.0, places.1].map(|place| system.inertia(place).centre);
            let contact = |p: &ContactPoint| {
                SolverContact::frictionless(places, p.normal, centres.map(|centre| p.midpoint() - centre))
            };
            let contacts: Vec<SolverContact> = points.iter().map(contact).collect();
            if !contacts.is_empty() {
                system.add_pair(&contacts);
                impact_speed = impact_speed.max(self.impact_speed(world, pair));
            }
        }
        for _ in 0..SWEEPS {
            let mut change: Real = 0.0;
            for pair in 0..system.pair_count() {
                change = change.max(system.turn(pair, Giving::Both));
            }
            if change <= SETTLED * impact_speed {
                break;
            }
        }
        for (&k, member) in bodies.iter().zip(&system.members) {
            if self.body(world, k).kind() == BodyKind::Dynamic {
                self.courses[k as usize].end = member.velocity;
            }
        }
    }

    /// The pairs of all that hangs together with what stopped rather than crush somebody, ascending.
    fn pairs_about_what_stopped(&self, world: &World) -> Vec<Pair> {
        let is_dynamic = |k: u32| self.body(world, k).kind() == BodyKind::Dynamic;
        let pairs: Vec<Pair> = self.pushing_pairs().collect();
        let mut sets = DisjointSets::new(self.courses.len());
        for &(a, b) in pairs.iter().filter(|&&(a, b)| is_dynamic(a) && is_dynamic(b)) {
            sets.join(a, b);
        }
        let mut is_reached = vec![false; self.courses.len()];
        for &(a, b) in &pairs {
            for (stopped, other) in [(a, b), (b, a)] {
                if self.report.crushed.contains(&self.ids[stopped as usize]) && is_dynamic(other) {
                    is_reached[sets.find(other) as usize] = true;
                }
            }
        }
        let mut is_near = |k: u32| is_dynamic(k) && is_reached[sets.find(k) as usize];
        pairs.into_iter().filter(|&(a, b)| is_near(a) || is_near(b)).collect()
    }
}
