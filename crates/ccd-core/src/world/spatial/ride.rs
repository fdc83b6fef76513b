//! Ground that moves: what stands on it goes where it goes.
//!
//! **Idea.** The body below is taken to go on as over the last step: the game may be about to tell it otherwise, but who was left behind for a step
//! catches up in the next. So at the end of its own way the shape is moved on by as much as the place that it stands on.
//!
//! Ground whose surface runs takes it along besides.
//!
//! **Guarantee.** On that way it passes through nothing but the body that carries it. Once that has gone on as before, the shape is beside it as it
//! was; until then it may overlap it.

use super::approach::Mover;
use super::walk::{Ground, STANDS};
use super::{QueryError, World};
use crate::dynamics::Body;
use crate::id::BodyId;
use crate::math::{Point, Real, Vector, is_finite};
use crate::motion::RigidMotion;
use crate::world::one_way::stops;

impl World {
    /// Moves a shape on with the ground that it stands on, for so many seconds, and tells by how much, metres.
    pub(super) fn ride(
        &self,
        mover: &mut Mover,
        ground: &Ground,
        duration: Real,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Vector, QueryError> {
        let Some(body) = self.body(ground.body) else { return Ok(Vector::zeros()) };
        let motion = going_on(body);
        let place = body.pose().inverse_transform_point(&ground.point);
        let way = if motion.is_at_rest() { Vector::zeros() } else { motion.pose_at(duration) * place - ground.point };
        let along = body.running(&body.pose().rotation, &ground.normal) * duration;
        if !is_finite(&(mover.pose.translation.vector + way + along)) {
            return Ok(Vector::zeros());
        }
        let way = self.go(mover, &way, |id, body| id != ground.body && takes(id, body))?;
        // A surface that runs takes it along its own body, which may be in the way.
        Ok(way + self.go(mover, &along, takes)?)
    }

    /// Whether a body is solid for what is moved from there: not a one-way platform from elsewhere than its side. What stands on one that goes otherwise
    /// over a step than over the one before is left in it by that, and stands on it still.
    pub(super) fn stops(&self, body: &Body, mover: &Mover) -> bool {
        let [[now, turns], [before, turned]] = body.moved;
        let change = |turning: Real| (now - before).norm() + if turning > 0.0 { turning * body.reach() } else { 0.0 };
        let left_in = change((turns - turned).norm()) * self.last_dt;
        stops(body, mover.shape, &mover.pose, STANDS * mover.gap + left_in)
    }

    /// Moves a shape straight as far as it is free, and tells by how much, metres.
    fn go(&self, mover: &mut Mover, way: &Vector, takes: impl Fn(BodyId, &Body) -> bool) -> Result<Vector, QueryError> {
        if *way == Vector::zeros() {
            return Ok(*way);
        }
        let blocked = self.approach_of(mover, way, takes)?;
        let way = blocked.map_or(*way, |approach| way * (approach.distance / way.norm()));
        mover.shift(&way);
        Ok(way)
    }

    /// The velocity, m/s, with which the surface of a body went along over the last step at a place with this unit normal, and that with
    /// which the body turned, rad/s.
    pub(super) fn last_velocity(&self, ground: BodyId, place: &Point, normal: &Vector) -> [Vector; 2] {
        let Some(body) = self.body(ground) else { return [Vector::zeros(); 2] };
        let (motion, running) = (going_on(body), body.running(&body.pose().rotation, normal));
        [motion.velocity_of(place, 0.0) + running, motion.angular_velocity]
    }
}

/// How a body goes on if it does as over the last step.
fn going_on(body: &Body) -> RigidMotion {
    let [linear_velocity, angular_velocity] = body.moved[0];
    RigidMotion { start: *body.pose(), local_centre: body.local_centre(), linear_velocity, angular_velocity }
}
