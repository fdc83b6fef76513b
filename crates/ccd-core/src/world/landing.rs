//! Landings: meetings without a bounce, resolved before their time together with one that is due.
//!
//! In a heap that comes down hundreds of pairs meet within a step. What neither bounces nor moves far until it meets need
//! not be met one by one: its motion is bounded by the gap that it has yet to use up, so that it ends where the two meet,
//! and the velocities stop there; in a crowd, of which much may never get there, with the next step. The check then asks again, as after any
//! response.

use std::sync::Arc;

use super::World;
use super::agenda::Meeting;
use super::extent::thickness;
use super::report::Impact;
use super::stepping::{Pair, Stepping};
use crate::contact::{ContactPoint, turn_to_last_gap};
use crate::math::{Point, Pose, Real, Vector, in_basis};
use crate::response::sequential::SolverContact;

/// What lands may move by this share of the smaller body's thickness until then, and turn by as many radians.
pub(super) const REACH: Real = 0.25;

/// A pair that will touch later in the step.
#[derive(Clone, Debug)]
pub(super) struct Landing {
    /// When it was found to meet, seconds from the start of the step.
    pub time: Real,
    pub points: Vec<LandingPoint>,
    /// Whether its impulse has been told.
    pub told: bool,
    /// When its impulses were solved for, seconds from the start of the step. From then on they act evenly.
    solved_at: Real,
}

impl Landing {
    /// A landing at time `time` that nothing has been solved for.
    pub(super) fn new(time: Real, points: Vec<LandingPoint>) -> Self {
        Self { time, points, told: false, solved_at: 0.0 }
    }

    /// Whether it is still to come at time `t`, or its impulses act on after it.
    pub(super) fn acts_after(&self, t: Real) -> bool {
        self.time > t || self.points.iter().any(|p| p.impulse != Vector::zeros())
    }

    /// What part of the impulses acts from time `t` of a step of `dt` on.
    fn share_after(&self, t: Real, dt: Real) -> Real {
        share_after(self.solved_at, t, dt)
    }
}

/// What part of impulses that act evenly from time `since` of a step of `dt` on acts after time `t`.
pub(super) fn share_after(since: Real, t: Real, dt: Real) -> Real {
    let rest = dt - since;
    if rest > 0.0 { ((dt - t) / rest).clamp(0.0, 1.0) } else { 0.0 }
}

/// A contact at the time of landing.
#[derive(Clone, Debug)]
pub(super) struct LandingPoint {
    pub contact: ContactPoint,
    /// From the centres to the contact at that time, world axes, metres.
    arms: [Vector; 2],
    /// The two surfaces' points in their bodies' frames.
    local: [Point; 2],
    /// What the gap along the normal is beside that of the two points now: they turn until they meet.
    bend: Real,
    /// What it pushes B by, in the velocities at the end of the step, N·s.
    impulse: Vector,
}

impl LandingPoint {
    /// A contact to be of two bodies at the given poses and centres of mass, whose gap closes as its two points do.
    pub(super) fn straight(contact: ContactPoint, poses: [&Pose; 2], centres: [Point; 2]) -> Self {
        let arms = centres.map(|centre| contact.midpoint() - centre);
        let local = [poses[0].inverse() * contact.point_a, poses[1].inverse() * contact.point_b];
        Self { contact, arms, local, bend: 0.0, impulse: Vector::zeros() }
    }
}

impl Stepping {
    /// Whether a meeting may be resolved at time `t` already.
    pub(super) fn lands(&self, world: &World, meeting: &Meeting, t: Real) -> bool {
        let Some(contact) = &meeting.contact else { return false };
        let (a, b) = meeting.pair;
        if !(self.is_movable(a) || self.is_movable(b)) {
            return false;
        }
        let is_its_last = |k: u32| self.courses[k as usize].impacts + 1 >= world.in_force.max_impacts_per_body;
        if is_its_last(a) || is_its_last(b) {
            return false;
        }
        let middle = ContactPoint::from(contact).midpoint();
        let at = |k: u32| {
            let course = &self.courses[k as usize];
            let r = middle - course.inertia_at(self.body(world, k), meeting.time).centre;
            course.motion.linear_velocity + course.motion.angular_velocity.cross(&r)
        };
        let relative = at(b) - at(a);
        let bounces = self.surfaces(world, meeting.pair).at(&contact.features).restitution > 0.0
            && -relative.dot(&contact.normal) > self.impact_speed(world, meeting.pair);
        let until = meeting.time - t;
        let thinner = thickness(self.body(world, a)).min(thickness(self.body(world, b)));
        // Of sheets, which have no thickness, as far as contacts are looked for.
        let reach = (REACH * thinner).max(world.in_force.contact_threshold);
        let spin = |k: u32| self.courses[k as usize].motion.angular_velocity.norm();
        !bounces && relative.norm() * until <= reach && spin(a).max(spin(b)) * until <= REACH
    }

    /// Takes a meeting down that lands, as seen from time `t`.
    pub(super) fn note_landing(&mut self, world: &World, meeting: &Meeting, t: Real) {
        let (Some(contact), (a, b)) = (&meeting.contact, meeting.pair) else { return };
        let own = ContactPoint::from(contact);
        self.add_close(meeting.pair);
        let poses = self.poses_at(meeting.pair, meeting.time);
        let now = self.poses_at(meeting.pair, t);
        let [body_a, body_b] = [a, b].map(|k| self.body(world, k));
        let close = &self.close[&meeting.pair];
        let margin = world.in_force.contact_threshold;
        // The whole contact of the two: what lands flat must not be tipped by the impulse at one corner.
        let mut contacts = close.points_at((body_a.shape(), &poses[0]), (body_b.shape(), &poses[1]), margin);
        let nearest = contacts.iter().map(|p| p.separation).fold(Real::INFINITY, Real::min);
        if nearest > 1.5 * own.separation.max(0.0) {
            contacts.push(own);
        }
        // What slides on from there over a face that is flush does not land on the edge before it.
        let moving = [a, b].map(|k| self.courses[k as usize].motion_from(meeting.time));
        let (moving_a, moving_b) = ((body_a.shape(), &moving[0]), (body_b.shape(), &moving[1]));
        turn_to_last_gap(moving_a, moving_b, world.in_force.tolerance, &mut contacts);
        let centres = [a, b].map(|k| self.courses[k as usize].inertia_at(self.body(world, k), meeting.time).centre);
        let velocities = [a, b].map(|k| self.courses[k as usize].motion);
        let at =
            |side: usize, r: &Vector| velocities[side].linear_velocity + velocities[side].angular_velocity.cross(r);
        let point = |contact: ContactPoint| {
            let arms = centres.map(|centre| contact.midpoint() - centre);
            let along = (at(1, &arms[1]) - at(0, &arms[0])).dot(&contact.normal);
            let local = [poses[0].inverse() * contact.point_a, poses[1].inverse() * contact.point_b];
            let apart = (now[1] * local[1] - now[0] * local[0]).dot(&contact.normal);
            let gap = contact.separation - along * (meeting.time - t);
            LandingPoint { contact, arms, local, bend: gap - apart, impulse: Vector::zeros() }
        };
        let mut landing = Landing::new(meeting.time, contacts.into_iter().map(point).collect());
        landing.solved_at = t;
        if let Some(former) = self.landings.get(&meeting.pair) {
            landing.told = former.told;
            for p in &mut landing.points {
                let same = former.points.iter().find(|known| known.contact.features == p.contact.features);
                p.impulse = same.map_or(Vector::zeros(), |known| known.impulse * former.share_after(t, self.dt));
            }
        }
        self.landings.insert(meeting.pair, landing);
    }

    /// The contacts of a pair that lands, as the solver takes them at time `t`: they leave the gap to be used up.
    pub(super) fn landing_contacts(
        &self,
        world: &World,
        pair: Pair,
        t: Real,
        (a, b): (usize, usize),
    ) -> Vec<SolverContact> {
        let Some(landing) = self.landings.get(&pair) else { return Vec::new() };
        let rest = self.dt - t;
        let goal = if self.is_crowded(pair) { world.in_force.landing_gap() } else { world.in_force.resting_gap() };
        let surfaces = self.surfaces(world, pair);
        let now = self.poses_at(pair, t);
        let left_over = landing.share_after(t, self.dt);
        let row = |p: &LandingPoint| {
            let (normal, impulse) = (p.contact.normal, p.impulse * left_over);
            let apart = (now[1] * p.local[1] - now[0] * p.local[0]).dot(&p.contact.normal);
            let least = ((goal - apart - p.bend) / rest).min(0.0);
            SolverContact {
                a,
                b,
                r_a: p.arms[0],
                r_b: p.arms[1],
                normal,
                friction: surfaces.at(&p.contact.features).friction,
                least_velocity: if impulse == Vector::zeros() { least } else { 0.0 },
                least_motion: least,
                carried: self.running_at(world, pair, &normal, t),
                impulse: in_basis(&normal, &impulse),
            }
        };
        landing.points.iter().map(row).collect()
    }

    /// Takes the impulses that a pair has landed with from time `t` on, N·s. Returns the impacts, the first time that there are
    /// any.
    pub(super) fn land(&mut self, pair: Pair, impulses: &[Vector], t: Real) -> Vec<Impact> {
        let (key, crowded) = (self.key(pair), self.is_crowded(pair));
        let Some(landing) = self.landings.get_mut(&pair) else { return Vec::new() };
        landing.solved_at = t;
        if !crowded {
            for (point, impulse) in landing.points.iter_mut().zip(impulses) {
                point.impulse = *impulse;
            }
        }
        let pressed = impulses.iter().any(|impulse| *impulse != Vector::zeros());
        if !pressed || std::mem::replace(&mut landing.told, true) {
            return Vec::new();
        }
        let time = landing.time;
        if let Some(close) = self.close.get_mut(&pair) {
            Arc::make_mut(close).touching = true;
        }
        let impact = |(p, impulse): (&LandingPoint, &Vector)| Impact {
            time,
            pair: key,
            features: p.contact.features,
            point: p.contact.midpoint(),
            normal: p.contact.normal,
            separation: p.contact.separation,
            impulse: *impulse,
        };
        let of_each = landing.points.iter().zip(impulses).filter(|(_, impulse)| **impulse != Vector::zeros());
        of_each.map(impact).collect()
    }
}
