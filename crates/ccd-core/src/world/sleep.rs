//! Sleep: islands that have come to rest are left as they are until something concerns them.
//!
//! A sleeping body keeps its place, its contacts and their impulses; nothing of it is computed. It stays what it is, a body
//! at rest: what meets it within a step is resolved with it as with any other. It wakes, with its whole island, when it
//! touches what is awake or what moves it, and when the caller changes it, what it touches, or the settings.
//!
//! Without sleep, too, what stood through a step to the bit, and of which nothing has changed since, stands through the next:
//! the same would be solved again (see [`super::islands::Island::stands_again`]). Of a heap of hundreds that would never be so by
//! itself: somewhere the loads of two faces are still handed on by parts too small to be felt. What lies on something fixed, and has
//! crept no faster than that moves it for as long as it takes to fall asleep, stands from then on.

use super::World;
use super::dormant::{both_ways, linked_with};
use super::extent::rim_speed;
use super::stepping::{Marks, Pair, Stepping};
use crate::dynamics::{Body, BodyKind};
use crate::id::BodyId;
use crate::math::{Real, Vector};

/// A body is at rest while none of its points is faster than this, in slow speeds. By the default tolerance, what a slope lets slide is faster
/// after its first step, even if it is steeper than friction by a twentieth of a degree only.
const REST_SPEED: Real = 1.0;
/// Without sleep what creeps stands while none of its points is faster than this, in slow speeds. A pull of a hundred-thousandth of gravity
/// makes what lies faster within the time that it would have to last.
pub(super) const CREEP_SPEED: Real = 0.2;
/// An island sleeps, or stands, when all of it has been as slow for this long, seconds.
pub(super) const REST_TIME: Real = 0.5;

impl World {
    /// Wakes a sleeping body; what it touches wakes in the next step. Without effect on others.
    pub fn wake(&mut self, id: BodyId) {
        self.note_change_within(id);
        if let Some(body) = self.slot_body_mut(id) {
            body.wake();
        }
    }

    /// Has a dynamic body sleep after the next step instead of after half a second, if it is at rest by then: as slow as what sleeps, and
    /// hanging together with nothing that moves, or that is at rest for less than half a second and was not put to sleep as well. What
    /// cannot sleep so goes on as if it had not been asked for; the same goes for other bodies, and for all where sleep is off.
    pub fn put_to_sleep(&mut self, id: BodyId) {
        if let Some(body) = self.slot_body_mut(id) {
            body.is_put_to_sleep = true;
        }
    }

    /// Wakes every body.
    pub fn wake_all(&mut self) {
        self.rouse_all();
        let all: Vec<BodyId> = self.bodies().map(|(id, _)| id).collect();
        all.into_iter().for_each(|id| self.wake(id));
    }

    /// Wakes the bodies that `id` has contacts with, and tells who they are. O(log n) and each of them, after the first call since a step.
    pub(super) fn wake_neighbours(&mut self, id: BodyId) -> Vec<BodyId> {
        let links = self.neighbours.get_or_init(|| self.contacts.keys().flat_map(both_ways).collect());
        let neighbours: Vec<BodyId> = linked_with(links, id).chain(self.dormant.neighbours_of(id)).collect();
        for &neighbour in &neighbours {
            self.wake(neighbour);
        }
        neighbours
    }

    /// Ends a step of `dt`: who has been at rest for long enough sleeps, or stands, whoever moves is awake. `close` are the pairs with
    /// contacts. Returns whether that was so of all, and nothing moved.
    pub(super) fn put_to_rest(&mut self, stepping: &Stepping, close: &[Pair], dt: Real) -> bool {
        let sleeping = self.in_force.sleeping;
        let rests = |marks: &Marks| !sleeping || marks.asleep || marks.kind != BodyKind::Dynamic;
        if stepping.marks.iter().all(rests) && stepping.all_stand() {
            return true;
        }
        let mut is_alone = vec![true; stepping.courses.len()];
        for &(a, b) in close {
            (is_alone[a as usize], is_alone[b as usize]) = (false, false);
        }
        // What sleeps and has not been moved sleeps on.
        let stirs = |k: u32| {
            let Marks { kind, asleep, .. } = stepping.marks[k as usize];
            kind == BodyKind::Dynamic && !asleep || !stepping.stands(k)
        };
        for island in stepping.islands_with(close, |k| [stirs(k); 2]).0 {
            self.rest(stepping, &island.bodies, false, dt);
        }
        for k in 0..stepping.courses.len() as u32 {
            if is_alone[k as usize] && !stepping.dormant[k as usize] && stepping.is_movable(k) {
                self.rest(stepping, &[k], true, dt);
            }
        }
        false
    }

    /// [`World::put_to_rest`] for bodies that hang together.
    fn rest(&mut self, stepping: &Stepping, bodies: &[u32], alone: bool, dt: Real) {
        let sleeping = self.in_force.sleeping;
        let slow = self.in_force.slow_speed() * if sleeping { REST_SPEED } else { CREEP_SPEED };
        let (mut rested, mut is_grounded, mut is_still) = (Real::INFINITY, false, true);
        for &k in bodies {
            let (body, course) = (stepping.body(self, k), &stepping.courses[k as usize]);
            let is_fixed = body.kind != BodyKind::Dynamic && course.motion.is_at_rest();
            // What lies on a surface that runs faster, and is slow, has been stopped.
            let runs = body.surface_velocity != Vector::zeros() && body.surface_velocity.norm() <= slow;
            let drives = body.kind != BodyKind::Dynamic && !is_fixed || runs;
            // What long steps leave without velocity at their ends may still be on its way down.
            let is_slow = speed(body).max(on_its_way(body)) <= slow;
            // What something carries is not at rest, however slowly.
            let stays = !course.held && is_slow && !drives && body.can_sleep;
            let lasts = match body.kind {
                BodyKind::Dynamic if sleeping && body.is_put_to_sleep => REST_TIME,
                BodyKind::Dynamic => body.rested + dt,
                BodyKind::Static | BodyKind::Kinematic => Real::INFINITY,
            };
            rested = rested.min(if stays { lasts } else { 0.0 });
            is_grounded |= is_fixed;
            let zero = Vector::zeros();
            is_still &= body.kind != BodyKind::Dynamic || body.linear_velocity == zero && body.angular_velocity == zero;
        }
        // What nothing holds drifts on, however slowly.
        if !is_grounded && !is_still {
            rested = 0.0;
        }
        let pulled = |&k: &u32| stepping.body(self, k).is_pulled(&self.in_force.gravity);
        if alone && bodies.iter().any(pulled) {
            rested = 0.0;
        }
        for &k in bodies {
            let id = stepping.ids[k as usize];
            let Some(body) = self.inner_body_mut(id).filter(|body| body.kind == BodyKind::Dynamic) else { continue };
            let before = (body.asleep, body.linear_velocity, body.angular_velocity);
            body.rested = rested;
            body.asleep = sleeping && rested >= REST_TIME;
            let stands = !sleeping && is_grounded && rested >= REST_TIME;
            body.stood |= stands;
            if body.asleep || stands {
                (body.linear_velocity, body.angular_velocity) = (Vector::zeros(), Vector::zeros());
            }
            if before != (body.asleep, body.linear_velocity, body.angular_velocity) {
                self.note_change(id.index);
            }
        }
    }
}

/// The most that a point of the body moves, m/s.
pub(super) fn speed(body: &Body) -> Real {
    fastest(body, &body.linear_velocity, &body.angular_velocity)
}

/// The same of its way over the last step; of what sways, and is back where it was two steps ago, nothing.
fn on_its_way(body: &Body) -> Real {
    let [[linear, angular], [linear_before, angular_before]] = body.moved;
    fastest(body, &linear, &angular).min(fastest(body, &(linear + linear_before), &(angular + angular_before)))
}

fn fastest(body: &Body, linear: &Vector, angular: &Vector) -> Real {
    linear.norm() + rim_speed(body, angular.norm())
}
