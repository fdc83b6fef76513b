//! The audit of a step: what hangs together must not end it with more energy than forces have given it.
//!
//! **Problem.** Velocities are solved for with the contacts as they are when a motion begins, and motions are bent around where they
//! lead. What hangs on links that swing to and fro within a step is lifted by their motion while its velocity falls: each step
//! gives the velocity what the fall would have given, and no height is lost for it.
//!
//! **Idea.** Contacts give no energy (erratum E23). So the kinetic energy of an island grows over a step by no more than the work of
//! forces along the way that its bodies have really gone. What is over is taken from the velocities: all shrink alike, so
//! that no contact comes nearer. What they do not have the bodies owe: it is taken as soon as they have it.
//!
//! **Not audited** are islands in which nothing is fixed, to keep their momentum, and those that something drives: kinematic bodies that
//! move, and torques.
//!
//! **Cost.** Linear in the bodies of islands of which anything moves.

use super::World;
use super::course::Course;
use super::islands::Island;
use super::stepping::Stepping;
use crate::dynamics::{Body, BodyKind, kinetic_energy};
use crate::math::{Real, Vector};

/// Velocities that make no difference in energy, m/s.
const SLIGHT: Real = 1e-4;

/// What an island has gained.
#[derive(Clone, Copy, Debug, Default)]
struct Balance {
    /// Kinetic energy at the end of the step, joules.
    kinetic: Real,
    /// By how much that is more than at its beginning and the work of forces, with what was owed, joules.
    gain: Real,
    /// The mass of what can move, kg.
    mass: Real,
    /// What of it makes no difference, joules.
    slight: Real,
}

impl Stepping {
    /// Takes from the velocities at the end of the step what no force has given.
    pub(super) fn take_gains(&mut self, world: &World) {
        if self.courses.iter().all(Course::stands) {
            return;
        }
        for island in self.islands(world) {
            let Some(balance) = self.balance_of(world, &island) else { continue };
            let taken = if balance.gain > balance.slight { balance.gain.min(balance.kinetic) } else { 0.0 };
            let kept = if taken > 0.0 { (1.0 - taken / balance.kinetic).max(0.0).sqrt() } else { 1.0 };
            let owed = (balance.gain - taken).max(0.0);
            for &k in &island.bodies {
                let body = self.body(world, k);
                if body.kind() == BodyKind::Dynamic {
                    let share = body.mass_properties().mass / balance.mass;
                    let course = &mut self.courses[k as usize];
                    (course.end, course.owed) = (course.end * kept, share * owed);
                }
            }
        }
    }

    /// `None` for islands that are not audited.
    fn balance_of(&self, world: &World, island: &Island) -> Option<Balance> {
        let bodies = || island.bodies.iter().map(|&k| (self.body(world, k), &self.courses[k as usize]));
        let is_dynamic = |body: &Body| body.kind() == BodyKind::Dynamic;
        let is_fixed = bodies().any(|(body, _)| !is_dynamic(body));
        let is_driven = bodies().any(|(body, course)| match is_dynamic(body) {
            true => body.torque != Vector::zeros(),
            false => !course.motion.is_at_rest(),
        });
        if !is_fixed || is_driven || bodies().all(|(body, course)| !is_dynamic(body) || course.stands()) {
            return None;
        }
        let mut balance = Balance::default();
        for (body, course) in bodies().filter(|(body, _)| is_dynamic(body)) {
            let (mass, end) = (body.mass_properties().mass, course.pose_at(self.dt));
            let force = body.force + world.settings.gravity * (mass * body.gravity_scale);
            let way = end * body.local_centre() - body.centre();
            let before = kinetic_energy(body, body.pose(), body.linear_velocity(), body.angular_velocity());
            let after = kinetic_energy(body, &end, &course.end.linear, &course.end.angular);
            balance.kinetic += after;
            balance.gain += after - before - force.dot(&way) + course.owed;
            balance.mass += mass;
            balance.slight += 0.5 * mass * SLIGHT * SLIGHT;
        }
        Some(balance)
    }
}
