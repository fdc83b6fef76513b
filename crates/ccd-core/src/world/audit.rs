//! The audit of a step: what hangs together must not end it with more energy than forces have given it.
//!
//! **Problem.** Velocities are solved for with the contacts as they are when a motion begins, and motions are bent around where they
//! lead. What hangs on links that swing to and fro within a step is lifted by their motion while its velocity falls: each step
//! gives the velocity what the fall would have given, and no height is lost for it.
//!
//! **Idea.** Contacts give no energy (erratum E23). So the kinetic energy of an island grows over a step by no more than the work of
//! forces along the way that its bodies have really gone. What is over is taken from the velocities: all shrink alike, so
//! that no contact comes nearer. What they do not have the bodies owe: it is taken as soon as they have it. Springs that act over the
//! tolerance may lift what they hold by as much: a ball that owed that would not roll before it had paid, by the little that each short
//! step gives it.
//!
//! Where nothing is fixed momentum is kept as well: it is made whole first ([`super::isolated`]), what the bodies share as one rigid body stays, and what they move
//! otherwise shrinks ([`Shared`]). The two have no energy in common, and none of it brings bodies together that touch.
//!
//! What is on a plane without friction keeps its momentum along it in the same way ([`super::gliding`]).
//!
//! What is fixed to a deck that moves steadily is audited as seen from there.
//!
//! **Not audited** are islands that something else drives: kinematic bodies that turn, or move with different velocities, surfaces that run, and torques; and
//! those that hang in the air with bodies among them that cannot move or turn along some axis that others can, unless one of them can move along none:
//! that is as fixed as the ground.
//!
//! **Cost.** Linear in the bodies of islands of which anything moves.

use super::islands::Island;
use super::isolated::Shared;
use super::stepping::{Pair, Stepping};
use super::{ResponseMethod, World};
use crate::dynamics::{Body, BodyKind, Integrator, kinetic_energy, steady_force};
use crate::math::{Real, Vector};

/// Velocities that make no difference in energy, in slow speeds.
const SLIGHT: Real = 1.0;

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
    /// What springs may give, joules.
    spring: Real,
    /// Whether nothing is fixed.
    is_free: bool,
    /// The velocity of all that is fixed, m/s: energies are as seen from there.
    frame: Vector,
}

impl Stepping {
    /// Takes from the velocities at the end of the step what no force has given.
    pub(super) fn take_gains(&mut self, world: &World) {
        if self.all_stand() {
            return;
        }
        // Who has pushed whom hangs together until the step ends, however far they are by then.
        let mut close: Vec<Pair> = self.pushing_pairs().chain(self.pushed.iter().copied()).collect();
        close.sort_unstable();
        close.dedup();
        // What stands has gained nothing.
        let moves = |k: u32| !self.stands(k);
        for island in self.islands_with(&close, |k| [moves(k); 2]).0 {
            self.keep_momentum(world, &island);
            let Some(balance) = self.balance_of(world, &island) else { continue };
            let fixed = Shared::gliding(balance.frame);
            let shared = if balance.is_free { self.shared_by(world, &island) } else { Some(fixed) };
            let Some(mut shared) = shared else { continue };
            let due = balance.gain - balance.spring;
            let taken = if due > balance.slight {
                let mut at_hand = balance.kinetic;
                let glides = if balance.is_free { None } else { self.glides(world, &island, &balance.frame) };
                if balance.is_free || glides.is_some() {
                    shared = glides.unwrap_or(shared);
                    at_hand = self.kinetic_besides(world, &island, &shared);
                }
                self.take_from(world, &island, &shared, due.min(at_hand), at_hand)
            } else {
                0.0
            };
            let owed = (balance.gain - taken).max(0.0);
            for &k in &island.bodies {
                let body = self.body(world, k);
                if body.kind() == BodyKind::Dynamic {
                    let share = body.mass_properties().mass / balance.mass;
                    self.courses[k as usize].owed = share * owed;
                }
            }
        }
    }

    /// Takes so many joules from what an island's bodies do besides what they share, of which there are so many `at_hand`. Returns what was
    /// taken.
    fn take_from(&mut self, world: &World, island: &Island, shared: &Shared, joules: Real, at_hand: Real) -> Real {
        if joules <= 0.0 {
            return 0.0;
        }
        let kept = (1.0 - joules / at_hand).max(0.0).sqrt();
        for &k in &island.bodies {
            let (body, course) = (self.body(world, k), &self.courses[k as usize]);
            if body.kind() == BodyKind::Dynamic {
                let with_all = shared.at(&(course.pose_at(self.dt) * body.local_centre()));
                self.courses[k as usize].end = with_all + (course.end - with_all) * kept;
            }
        }
        joules
    }

    /// What the bodies of an island move as one; `None` where some of them cannot move or turn along axes that others can.
    fn shared_by(&self, world: &World, island: &Island) -> Option<Shared> {
        self.whole_of(world, island)?.shared_motion()
    }

    /// What the bodies of an island move as one along the plane that they are on without friction, and where nothing pushes them. `None` of those
    /// that are on anything else. What is fixed has the velocity `frame`.
    fn glides(&self, world: &World, island: &Island, frame: &Vector) -> Option<Shared> {
        let normal = self.smooth_plane_of(world, island.pairs.iter().copied())?;
        let at_end = island.bodies.iter().map(|&k| (k, self.courses[k as usize].end.linear));
        Some(Shared::gliding(self.glide_along(world, &normal, at_end) + normal * frame.dot(&normal)))
    }

    /// The kinetic energy of what the bodies of an island do besides, joules.
    fn kinetic_besides(&self, world: &World, island: &Island, shared: &Shared) -> Real {
        let is_dynamic = |k: &&u32| self.body(world, **k).kind() == BodyKind::Dynamic;
        let of = |k: &u32| {
            let (body, course) = (self.body(world, *k), &self.courses[*k as usize]);
            let pose = course.pose_at(self.dt);
            let besides = course.end - shared.at(&(pose * body.local_centre()));
            kinetic_energy(body, &pose, &besides.linear, &besides.angular)
        };
        island.bodies.iter().filter(is_dynamic).map(of).sum()
    }

    /// Whether what touches the body may get energy from it that nobody accounts for: it moves whatever it meets, its surface runs, or a torque turns it.
    pub(super) fn drives(&self, world: &World, k: u32) -> bool {
        let body = self.body(world, k);
        let is_turned_or_moves = match body.kind() {
            BodyKind::Dynamic => body.torque != Vector::zeros(),
            _ => !self.courses[k as usize].motion.is_at_rest(),
        };
        is_turned_or_moves || body.surface_velocity != Vector::zeros()
    }

    /// An empty balance, as seen from all that is fixed in an island; `None` where something drives it otherwise than by moving all of that steadily.
    fn frame_of(&self, world: &World, island: &Island) -> Option<Balance> {
        let mut frame: Option<Vector> = None;
        for &k in &island.bodies {
            let (body, course) = (self.body(world, k), &self.courses[k as usize]);
            let fixed = match body.kind() {
                BodyKind::Dynamic if body.torque != Vector::zeros() => return None,
                BodyKind::Dynamic if body.locked_axes().translation != [true; 3] => None,
                BodyKind::Kinematic if course.motion.angular_velocity != Vector::zeros() => return None,
                BodyKind::Kinematic => Some(course.motion.linear_velocity),
                BodyKind::Dynamic | BodyKind::Static => Some(Vector::zeros()),
            };
            let moves_otherwise = fixed.is_some_and(|velocity| *frame.get_or_insert(velocity) != velocity);
            if moves_otherwise || body.surface_velocity != Vector::zeros() {
                return None;
            }
        }
        Some(Balance { is_free: frame.is_none(), frame: frame.unwrap_or_default(), ..Balance::default() })
    }

    /// `None` for islands that are not audited.
    fn balance_of(&self, world: &World, island: &Island) -> Option<Balance> {
        let bodies = || island.bodies.iter().map(|&k| (self.body(world, k), &self.courses[k as usize]));
        let is_dynamic = |body: &Body| body.kind() == BodyKind::Dynamic;
        let mut balance = self.frame_of(world, island)?;
        if bodies().all(|(body, course)| !is_dynamic(body) || course.stands()) {
            return None;
        }
        let slight = SLIGHT * world.in_force.slow_speed();
        for (body, course) in bodies().filter(|(body, _)| is_dynamic(body)) {
            let (mass, end) = (body.mass_properties().mass, course.pose_at(self.dt));
            let force = steady_force(body, &world.in_force.gravity);
            let way = end * body.local_centre() - body.centre() - balance.frame * self.dt;
            let [first, last] = [body.linear_velocity(), &course.end.linear].map(|linear| linear - balance.frame);
            let before = kinetic_energy(body, body.pose(), &first, body.angular_velocity());
            let after = kinetic_energy(body, &end, &last, &course.end.angular);
            balance.kinetic += after;
            // Explicit Euler moves by the old velocity, from rest by none, while forces work on what they make of it.
            let ahead = match world.in_force.integrator {
                Integrator::Euler => (0.5 * self.dt * force.dot(&(last - first))).max(0.0),
                _ => 0.0,
            };
            balance.gain += after - before - force.dot(&way) - ahead + course.owed;
            balance.mass += mass;
            if world.in_force.response == ResponseMethod::Penalty {
                balance.spring += force.norm() * world.in_force.tolerance;
            }
            balance.slight += 0.5 * mass * slight * slight;
        }
        Some(balance)
    }
}
