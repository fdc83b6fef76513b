//! The motions of those that feel a meeting.

use super::Ripple;
use crate::math::Real;
use crate::response::impulse::Velocity;
use crate::response::sequential::SweepLimits;
use crate::response::system::Member;
use crate::world::ahead::Outlook;
use crate::world::clearance::Clearance;
use crate::world::flight::Flight;
use crate::world::resolve::sweep_limits;
use crate::world::stepping::{Pair, Stepping};
use crate::world::swing::Swung;

/// Motions are settled when no gap changes by more than this share of the resting gap.
const STILL: Real = 0.1;
/// Motions that change by less than this share of the resting gap are left as they are.
const SAME: Real = 0.25;
/// Sweeps per level while motions are settled. What they leave meets again, with those that it has come down to.
const MOTION_SWEEPS: usize = 100;
/// The same while those join whose motions have to give way.
const ROUGH_SWEEPS: usize = 24;
/// Rounds of letting those join.
const GROWTH_ROUNDS: usize = 4;
/// What tumbles and has met more often within the step is led by the spin that it has.
const AGAIN: u32 = 4;
/// Where something that nothing moves was found so often within the step to leave others nowhere to go, it is not asked for again, which is costly.
const JAMS: u32 = 16;
/// Where a surface bends away under it, what is carried changes its velocity by twice what it then parts with, and by some more where several hold it.
const CARRIED: Real = 3.0;
/// Rounds of the same with what turning does.
const CLEAR_ROUNDS: usize = 2;

impl Ripple<'_> {
    /// Motions that keep every gap, of as many bodies as have to give way for it.
    pub(super) fn settle_motions(&mut self, stepping: &mut Stepping) {
        let limits = SweepLimits {
            motion: MOTION_SWEEPS,
            change: STILL * self.world.in_force.resting_gap() / self.rest,
            together: stepping.jams < JAMS,
            ..sweep_limits(&self.world.in_force)
        };
        let outlook = Outlook { t: self.t, impact_speed: self.impact_speed, crowded: self.crowded };
        let way = Clearance { outlook, limits, lands: true };
        let rough = SweepLimits { motion: ROUGH_SWEEPS, together: false, ..limits };
        for _ in 0..GROWTH_ROUNDS {
            self.want_motions(stepping);
            self.system.settle_motions(&rough);
            if !self.let_join(stepping) {
                break;
            }
        }
        // What turning does is met when all that gives way has joined.
        for _ in 0..CLEAR_ROUNDS {
            self.want_motions(stepping);
            // Those that land beside what they touch stand together.
            let mut pairs = self.owned.clone();
            pairs.dedup_by_key(|owned| owned.pair);
            let bent = stepping.keep_clear(self.world, &way, &mut self.system, &pairs);
            bent.swung.into_iter().for_each(|swung| self.take_swing(stepping, swung));
            self.set_down.extend(bent.set_down.into_iter().map(|(owned, contacts)| (owned.pair, contacts)));
            if !self.let_join(stepping) {
                break;
            }
        }
        stepping.jams += u32::from(self.system.jammed);
        let bodies = &self.bodies;
        let of = |k: usize| (bodies[k].number, bodies[k].start);
        let pairs = bodies.iter().flat_map(|body| stepping.pairs_around(body.number));
        stepping.pay_for_lifts(self.world, self.t, of, pairs, &mut self.system);
    }

    /// A motion that was led along the chord of a swing has come to its end where the two meet again: from there on it is that
    /// of the velocity.
    pub(super) fn part_from_chords(&mut self, stepping: &mut Stepping, pair: Pair) {
        for number in [pair.0, pair.1] {
            let k = self.join(stepping, number);
            let body = &self.bodies[k];
            let change = body.flight.motion - body.former;
            if body.movable && change.linear.norm() + change.angular.norm() * body.radius > self.impact_speed {
                self.bodies[k].struck = true;
                self.surround(stepping, k);
            }
        }
    }

    /// What a swing changed is there from the meeting on, and told as an impact.
    fn take_swing(&mut self, stepping: &Stepping, swung: Swung) {
        for (k, change) in [(swung.owned.a, swung.changes[0]), (swung.owned.b, swung.changes[1])] {
            if self.bodies[k].movable {
                self.start_from(stepping, k, self.bodies[k].start + change);
            }
        }
        stepping.tell_swing(&swung, self.t, &mut self.impacts);
    }

    /// Every body has the motion that follows from its velocities.
    ///
    /// What one body was stopped at shows in its motion at once, what another is pushed with by the mean over the rest of the step, and a blow begins
    /// anew from the velocity: each tells what it did to the one body otherwise than what it did to the other. Several that nothing holds would
    /// move their common centre by that. So their motions change by as much as their velocities do.
    fn want_motions(&mut self, stepping: &Stepping) {
        let is_free = self.is_free_crowd();
        for k in 0..self.bodies.len() {
            let mut motion = self.wanted_motion(stepping, k);
            if is_free {
                let body = &self.bodies[k];
                motion.linear = body.former.linear + self.system.members[k].velocity.linear - body.former_end.linear;
            }
            self.system.members[k].motion = motion;
        }
    }

    /// Whether more than the two that meet have a part in it, of which none hangs on anything fixed. Two alone push nobody else.
    fn is_free_crowd(&self) -> bool {
        let hangs_on_nothing = |member: &Member| member.level == u32::MAX;
        self.bodies.len() > 2 && self.system.members.iter().all(hangs_on_nothing)
    }

    /// The other contacts of those that give way join. Returns whether any do.
    fn let_join(&mut self, stepping: &mut Stepping) -> bool {
        let gives_way = |k: &usize| self.bodies[*k].movable && !self.bodies[*k].surrounded && self.moves_otherwise(*k);
        let giving_way: Vec<usize> = (0..self.bodies.len()).filter(gives_way).collect();
        for &k in &giving_way {
            self.surround(stepping, k);
        }
        !giving_way.is_empty()
    }

    /// The motion that follows from the velocities; of bodies whose contacts have not all joined, the one they have.
    fn wanted_motion(&self, stepping: &Stepping, k: usize) -> Velocity {
        let body = &self.bodies[k];
        if !body.movable || !(body.surrounded || body.struck) {
            return body.former;
        }
        let share = self.world.in_force.integrator.motion_share();
        let flight = &body.flight;
        let velocity = self.system.members[k].velocity;
        let change = velocity - flight.velocity;
        let course = &stepping.courses[body.number as usize];
        let (inert, pose) = (stepping.body(self.world, body.number), course.pose_at(self.t));
        let pushed = |share| {
            let motion = flight.pushed_motion(inert, &pose, &velocity, share, self.rest);
            // The mean turn over the rest of the step can lead into what the spin of now leads away from, or along.
            let led = Velocity { angular: velocity.angular, ..motion };
            let leads_into = |motion: &Velocity| {
                body.pairs.iter().map(|&pair| self.system.lack_with(pair, k, motion)).fold(self.impact_speed, Real::max)
            };
            let is_led = flight.tumbles && (course.impacts > AGAIN || leads_into(&motion) > leads_into(&led));
            if is_led { led } else { motion }
        };
        // What was stopped, and not carried, has the velocity that it was stopped at throughout.
        let bent = body.pairs.iter().map(|&pair| self.system.bend_of(pair)).fold(0.0, Real::max);
        if change.linear.norm() + change.angular.norm() * body.radius > self.impact_speed + CARRIED * bent {
            return if flight.tumbles { Velocity { angular: pushed(1.0).angular, ..velocity } } else { velocity };
        }
        if body.struck || flight.tumbles { pushed(share) } else { body.former + (velocity - body.former_end) * share }
    }

    /// The body has another velocity from now on.
    pub(super) fn start_from(&mut self, stepping: &Stepping, k: usize, start: Velocity) {
        let flight = self.free_flight(stepping, self.bodies[k].number, &start);
        (self.bodies[k].start, self.bodies[k].flight) = (start, flight);
    }

    /// What a body does that nothing touches from now on.
    pub(super) fn free_flight(&self, stepping: &Stepping, number: u32, start: &Velocity) -> Flight {
        let (body, pose) = (stepping.body(self.world, number), stepping.courses[number as usize].pose_at(self.t));
        let flight = Flight::new(body, &pose, start, &self.world.in_force, [self.rest, stepping.dt]);
        let pairs = stepping.pairs_around(number);
        let lies = stepping.lies_on((body, &pose), &start.angular, self.rest, pairs);
        let aside = stepping.courses[number as usize].aside_at(body, self.t);
        match lies {
            Some(normal) => flight.lying(normal),
            None => flight.brought_back(body, aside, self.rest),
        }
    }

    /// Whether the body's motion has changed.
    pub(super) fn moves_otherwise(&self, k: usize) -> bool {
        let change = self.system.members[k].motion - self.bodies[k].former;
        let gap = SAME * self.world.in_force.resting_gap();
        (change.linear.norm() + change.angular.norm() * self.bodies[k].radius) * self.rest > gap
    }
}
