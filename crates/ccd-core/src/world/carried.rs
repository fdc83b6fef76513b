//! Bodies that others carry: their courses follow from those of their carriers, through every impact.

use std::collections::BTreeMap;

use super::World;
use super::course::{Course, velocity_of};
use super::stepping::Stepping;
use crate::dynamics::{Body, BodyKind, Carrier};
use crate::id::BodyId;
use crate::math::{Point, Pose, Real, Rotation};
use crate::motion::RigidMotion;
use crate::response::impulse::Velocity;

/// What is as close to its place as this share of its distance from the carrier's frame, or of a metre, is there.
const IN_PLACE: Real = 1e-9;

/// The dense numbers of carried bodies with those of their carriers, carriers first. What carries itself is not carried.
pub(super) fn carried_in(world: &World, ids: &[BodyId]) -> Vec<(u32, u32)> {
    let is_carried = |id: &BodyId| world.body(*id).is_some_and(|body| carrier(body).is_some());
    if !ids.iter().any(is_carried) {
        return Vec::new();
    }
    let numbers: BTreeMap<BodyId, u32> = ids.iter().copied().zip(0..).collect();
    let carrier_of = |k: u32| -> Option<u32> {
        let carrier = carrier(world.body(ids[k as usize])?)?;
        numbers.get(&carrier.body).copied()
    };
    let mut carried: Vec<(usize, u32, u32)> = (0..ids.len() as u32)
        .filter_map(|k| {
            let by = carrier_of(k)?;
            let depth = std::iter::successors(Some(by), |&above| carrier_of(above)).take(ids.len() + 1).count();
            (depth <= ids.len()).then_some((depth, k, by))
        })
        .collect();
    carried.sort_unstable();
    carried.into_iter().map(|(_, k, by)| (k, by)).collect()
}

fn carrier(body: &Body) -> Option<&Carrier> {
    body.carrier.as_ref().filter(|_| body.kind() == BodyKind::Kinematic)
}

impl Stepping {
    /// Brings what is carried on its way from time `t` on: all of it, or what is carried by one of `changed`. Returns whose course
    /// is another now.
    pub(super) fn carry(&mut self, world: &World, t: Real, changed: Option<&[u32]>) -> Vec<u32> {
        let mut moved: Vec<u32> = Vec::new();
        for (k, by) in self.carried.clone() {
            let concerned = changed.is_none_or(|changed| changed.contains(&by) || moved.contains(&by));
            if !concerned || self.courses[k as usize].held {
                continue;
            }
            let body = self.body(world, k);
            let Some(carrier) = carrier(body) else { continue };
            let (motion, velocity) = self.carried_motion(body, carrier, [k, by], t);
            let course = &mut self.courses[k as usize];
            if !motion.is_finite() || course.motion_from(t) == motion {
                continue;
            }
            course.lead(t, motion);
            (course.start, course.end, course.tumbling) = (velocity, velocity, None);
            moved.push(k);
        }
        moved
    }

    /// The motion of body `k` from time `t` on, which `by` carries, and the velocity that contacts feel.
    fn carried_motion(&self, body: &Body, carrier: &Carrier, [k, by]: [u32; 2], t: Real) -> (RigidMotion, Velocity) {
        let course: &Course = &self.courses[by as usize];
        let now = self.courses[k as usize].pose_at(t);
        let own = velocity_of(body);
        let on_its_way = course.motion_from(t);
        let goes_with = own == Velocity::default() && is_at(&now, &(on_its_way.start * carrier.place), carrier);
        let rest = self.dt - t;
        if rest <= 0.0 || goes_with && on_its_way.is_at_rest() {
            return (RigidMotion::at_rest(now), Velocity::default());
        }
        let centre = body.local_centre();
        let end = moved(&(course.pose_at(self.dt) * carrier.place), &centre, &own, self.dt);
        // The straight way to its place at the end. What was held back catches up.
        let straight = RigidMotion {
            start: now,
            local_centre: centre,
            linear_velocity: (end * centre - now * centre) / rest,
            angular_velocity: (end.rotation * now.rotation.inverse()).scaled_axis() / rest,
        };
        let velocity = Velocity { linear: straight.linear_velocity, angular: straight.angular_velocity };
        if goes_with && body.sensor {
            // Nothing answers to a sensor, so that its way may be the very arc.
            let local_centre = carrier.place.inverse_transform_point(&on_its_way.local_centre);
            return (RigidMotion { start: now, local_centre, ..on_its_way }, velocity);
        }
        (straight, velocity)
    }
}

impl World {
    /// The motion of a body as it goes on from now, or as it was led last ([`Body::set_led`]), with that of what carries it; `None` if there is no
    /// such body.
    pub fn motion_of(&self, id: BodyId) -> Option<RigidMotion> {
        let own = self.body(id)?.motion_as_led();
        let above = |id: &BodyId| self.body(*id).and_then(carrier).map(|carrier| carrier.body);
        let carriers = std::iter::successors(above(&id), above).take(self.slots.len() + 1);
        // Bodies that carry each other in a circle carry nothing.
        let carrier = if carriers.count() > self.slots.len() { None } else { above(&id) };
        let by = carrier.and_then(|by| self.motion_of(by));
        let Some(by) = by else { return Some(own) };
        if own.is_at_rest() {
            // On the very arc.
            let local_centre = own.start.inverse_transform_point(&by.centre_at(0.0));
            return Some(RigidMotion { start: own.start, local_centre, ..by });
        }
        let linear_velocity = own.linear_velocity + by.velocity_of(&own.centre_at(0.0), 0.0);
        Some(RigidMotion { linear_velocity, angular_velocity: own.angular_velocity + by.angular_velocity, ..own })
    }

    /// What moves by its own velocities as well is elsewhere in the frame of its carrier from now on. Returns whether there is such.
    pub(super) fn commit_carried(&mut self, stepping: &Stepping) -> bool {
        let mut any_moves = false;
        for &(k, by) in &stepping.carried {
            let [id, by] = [k, by].map(|k| stepping.ids[k as usize]);
            let Some(from) = self.body(by).map(|by| *by.pose()) else { continue };
            if stepping.courses[k as usize].held {
                continue;
            }
            let Some(body) = self.inner_body_mut(id) else { continue };
            let moves = body.linear_velocity.norm_squared() + body.angular_velocity.norm_squared() > 0.0;
            any_moves |= moves;
            if let Some(carrier) = body.carrier.as_mut().filter(|_| moves) {
                carrier.place = from.inverse() * body.pose;
            }
        }
        any_moves
    }
}

fn is_at(pose: &Pose, place: &Pose, carrier: &Carrier) -> bool {
    let reach = IN_PLACE * (1.0 + carrier.place.translation.vector.norm());
    (pose.translation.vector - place.translation.vector).norm() <= reach
        && pose.rotation.angle_to(&place.rotation) <= IN_PLACE
}

/// After `dt` seconds of these velocities, the linear one of the local `centre`, about which it turns.
fn moved(pose: &Pose, centre: &Point, velocity: &Velocity, dt: Real) -> Pose {
    let rotation = Rotation::from_scaled_axis(velocity.angular * dt) * pose.rotation;
    let place = pose * centre + velocity.linear * dt;
    Pose::from_parts((place - rotation * centre).into(), rotation)
}
