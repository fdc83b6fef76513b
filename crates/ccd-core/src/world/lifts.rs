//! How far motions may lift what they move.
//!
//! **Problem.** Motions are steady over the rest of a step. What has struck a floor with its edge goes on to turn about it by the spin that it has
//! then, and in a long step rises further than gravity would have let it: that energy comes from nowhere.
//!
//! **Idea.** What hangs together rises against forces by no more than its kinetic energy pays for. Where motions would lead further, all of them are
//! made slower by one share: so they go the same way, which is clear of what stands, and end before it costs too much. What lets gaps open, which is
//! less than the tolerance, is free.
//!
//! What leans and is let go has no velocity that pays, and the steady motion of a long step would turn it through the floor if it were not lifted: it would stand
//! there, leaning, for good. Where next to nothing of the way is left an island is solved as in a step of a fourth of the length, and again; so far it goes
//! ([`Stepping::solve_shorter`]), slowly, and keeps the velocity that it has by then.
//!
//! What is on a plane without friction goes on along it as it does ([`super::gliding`]): that pays for nothing, and is not made slower.
//!
//! **Not held** are motions beside what drives them ([`Stepping::drives`]), and by springs, which push over the tolerance.
//!
//! **Cost.** A sum over the bodies; their inertias are asked only where they rise.

use super::islands::Island;
use super::resolve::Solution;
use super::stepping::{Pair, Stepping};
use super::{ResponseMethod, World};
use crate::dynamics::{kinetic_energy, steady_force};
use crate::math::{Real, Vector};
use crate::response::impulse::Velocity;
use crate::response::system::{Member, System};

/// Next to nothing of a way.
const NEXT_TO_NOTHING: Real = 0.1;
/// Which part of what is left of a step comes next.
const PART: Real = 0.25;
/// How often.
const MOST_PARTS: u32 = 4;

impl Stepping {
    /// Of islands that lifts leave next to nothing of their way from time `t` of the step on, the solutions become those of a part of what is left of it, drawn out
    /// over all of it; but not those of what tumbles.
    pub(super) fn solve_shorter(&self, world: &World, islands: &[Island], solutions: &mut [Solution], t: Real) {
        let cut: Vec<usize> = (0..islands.len()).filter(|&k| solutions[k].share < NEXT_TO_NOTHING).collect();
        if cut.is_empty() || self.shortened == MOST_PARTS {
            return;
        }
        let mut shorter = self.clone();
        shorter.dt = t + PART * (self.dt - t);
        shorter.shortened += 1;
        let of_cut: Vec<Island> = cut.iter().map(|&k| islands[k].clone()).collect();
        for (k, solution) in cut.into_iter().zip(shorter.solve_each(world, &of_cut, t)) {
            if let Some(slowed) = solution.slowed(PART) {
                solutions[k] = slowed;
            }
        }
    }

    /// Makes the motions of a system's members from time `t` of the step on slower where they lift more by its end than the members'
    /// velocities at `t` pay for. `of` tells the number of a member's body, and that velocity; `pairs` are all those of the members. Returns which share
    /// of their way is left.
    pub(super) fn pay_for_lifts(
        &self,
        world: &World,
        t: Real,
        of: impl Fn(usize) -> (u32, Velocity),
        pairs: impl Iterator<Item = Pair>,
        system: &mut System,
    ) -> Real {
        if world.in_force.response == ResponseMethod::Penalty {
            return 1.0;
        }
        let [glide, led, left] = self.glides_of(world, &of, pairs, &system.members);
        let (mut lift, mut free) = (0.0, 0.0);
        for (k, member) in system.members.iter().enumerate() {
            let (number, _) = of(k);
            if self.is_movable(number) {
                let force = steady_force(self.body(world, number), &world.in_force.gravity);
                lift -= force.dot(&(member.motion.linear - self.if_free(world, number, led))) * (self.dt - t);
                free += force.norm() * world.in_force.tolerance - self.courses[number as usize].owed;
            }
        }
        if lift <= free.max(0.0) {
            return 1.0;
        }
        let numbers = || (0..system.members.len()).map(|k| of(k).0);
        if numbers().any(|number| self.drives(world, number)) {
            return 1.0;
        }
        let (mut kinetic, mut lent) = (0.0, 0.0);
        for (number, velocity) in (0..system.members.len()).map(&of) {
            let pose = self.courses[number as usize].pose_at(t);
            let besides = velocity.linear - self.if_free(world, number, glide);
            kinetic += kinetic_energy(self.body(world, number), &pose, &besides, &velocity.angular);
            lent += self.lent_within_the_step(world, number, t);
        }
        let paid = (kinetic + free - lent.max(0.0)).max(0.0);
        if lift <= paid {
            return 1.0;
        }
        for (k, member) in system.members.iter_mut().enumerate() {
            let (number, _) = of(k);
            if self.is_movable(number) {
                let gliding = |by| Velocity { linear: self.if_free(world, number, by), ..Velocity::default() };
                member.motion = gliding(led) + (member.motion - gliding(led)) * (paid / lift);
                member.velocity = gliding(left);
            }
        }
        paid / lift
    }

    /// How a body glides that moves freely; others do not.
    fn if_free(&self, world: &World, number: u32, glide: Vector) -> Vector {
        if self.moves_freely(world, number) { glide } else { Vector::zeros() }
    }

    /// How a system's members glide as one, if they are on a plane without friction: by their velocities now, by their motions, and by their velocities at the
    /// end.
    fn glides_of(
        &self,
        world: &World,
        of: impl Fn(usize) -> (u32, Velocity),
        pairs: impl Iterator<Item = Pair>,
        members: &[Member],
    ) -> [Vector; 3] {
        let Some(normal) = self.smooth_plane_of(world, pairs) else { return Default::default() };
        let along = |linear: &dyn Fn(usize) -> Vector| {
            self.glide_along(world, &normal, (0..members.len()).map(|k| (of(k).0, linear(k))))
        };
        [along(&|k| of(k).1.linear), along(&|k| members[k].motion.linear), along(&|k| members[k].velocity.linear)]
    }

    /// How much kinetic energy a body has at time `t` that its way since the beginning of its course has not given it, joules: forces change velocities evenly,
    /// wherever contacts lead.
    fn lent_within_the_step(&self, world: &World, number: u32, t: Real) -> Real {
        let (body, course) = (self.body(world, number), &self.courses[number as usize]);
        if course.origin == t {
            return 0.0;
        }
        let [from, to] = [course.origin, t].map(|t| course.pose_at(t));
        let velocity = course.velocity_at(body, t, self.dt);
        let before = kinetic_energy(body, &from, &course.start.linear, &course.start.angular);
        let now = kinetic_energy(body, &to, &velocity.linear, &velocity.angular);
        let way = to * body.local_centre() - from * body.local_centre();
        now - before - steady_force(body, &world.in_force.gravity).dot(&way)
    }
}
