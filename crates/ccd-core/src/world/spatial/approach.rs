//! How far a shape can go on a straight way: what slides, walks and is moved out of an overlap is made of.
//!
//! **Guarantee.** The way is certified free of contact, at any speed. What begins in touch can leave, and comes no nearer than half as near.

use super::flight::FlyingBox;
use super::slide::SlideError;
use super::{QueryError, ShapeHit, World, box_around, flight_of};
use crate::detection::closest::{Closest, closest_within};
use crate::detection::toc::{FirstContact, Moving};
use crate::dynamics::Body;
use crate::id::BodyId;
use crate::math::{MAX_COORDINATE, Pose, Real, Vector, is_finite, is_sound_pose};
use crate::motion::RigidMotion;
use crate::shape::Shape;

/// How far a shape can go on a straight way, and what stops it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// How far it can go and leave the gap, metres.
    pub distance: Real,
    /// What it would touch; the time is the distance until then, metres.
    pub hit: ShapeHit,
}

/// A shape at a place, with the gap that it keeps.
#[derive(Clone, Copy)]
pub(super) struct Mover<'a> {
    pub shape: &'a Shape,
    pub pose: Pose,
    pub gap: Real,
    /// The distance at which it counts as touching.
    pub touch: Real,
}

impl<'a> Mover<'a> {
    pub fn new(shape: &'a Shape, pose: Pose, gap: Real) -> Result<Self, SlideError> {
        if !is_sound_pose(&pose) {
            return Err(QueryError::BadPlace { what: "pose" }.into());
        }
        if !(gap > 0.0 && gap <= MAX_COORDINATE) {
            return Err(SlideError::BadGap { gap });
        }
        Ok(Self { shape, pose, gap, touch: 0.5 * gap })
    }

    /// What of a body is no further than `reach`.
    pub fn nearest(&self, id: BodyId, body: &Body, reach: Real) -> Result<Option<Closest>, QueryError> {
        closest_within(self.shape, &self.pose, body.shape(), body.pose(), reach)
            .map_err(|error| QueryError::Closest { body: id, error })
    }

    pub fn shift(&mut self, by: &Vector) {
        self.pose.translation.vector += by;
    }
}

impl World {
    /// How far a shape can be moved along `way` until it is a gap from what it would meet; `None` if it meets nothing. Without turning, as the bodies
    /// stand now; sensors are no obstacle. A shape that overlaps a body can go nowhere.
    ///
    /// # Errors
    /// As [`World::slide`].
    pub fn approach(
        &self,
        shape: &Shape,
        pose: &Pose,
        way: &Vector,
        gap: Real,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<Approach>, SlideError> {
        let mover = Mover::new(shape, *pose, gap)?;
        if !(is_finite(way) && is_finite(&(pose.translation.vector + way))) {
            return Err(SlideError::NonFinite { what: "way" });
        }
        Ok(self.approach_of(&mover, way, |id, body| takes(id, body) && self.stops(body, &mover))?)
    }

    pub(super) fn approach_of(
        &self,
        mover: &Mover,
        way: &Vector,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<Approach>, QueryError> {
        Ok(self.first_on_way(mover, way, takes, |_| true)?.map(|hit| {
            let closing = way.normalize().dot(&hit.contact.normal);
            let back = (mover.gap - hit.contact.separation) / closing;
            let back = if closing > 0.0 { back.clamp(0.0, hit.contact.time) } else { 0.0 };
            Approach { distance: hit.contact.time - back, hit }
        }))
    }

    /// What a shape first touches on a straight way, of each body the first place, if it counts.
    pub(super) fn first_on_way(
        &self,
        mover: &Mover,
        way: &Vector,
        takes: impl Fn(BodyId, &Body) -> bool,
        counts: impl Fn(&ShapeHit) -> bool,
    ) -> Result<Option<ShapeHit>, QueryError> {
        let length = way.norm();
        if length == 0.0 {
            return Ok(None);
        }
        // At one metre per second, seconds are metres.
        let direction = way / length;
        let motion = RigidMotion { linear_velocity: direction, ..RigidMotion::at_rest(mover.pose) };
        let moving = Moving::new(mover.shape, &motion);
        let flight = flight_of(&moving, mover.touch)?;
        let (mut reach, mut first) = (length, None::<ShapeHit>);
        self.on_the_way(&flight, reach, |id, body| {
            if !body.sensor
                && takes(id, body)
                && let Some(contact) = self.obstacle(mover, moving, &flight, (id, body), reach)?
                && first.is_none_or(|known| (contact.time, id) < (known.contact.time, known.body))
                && counts(&ShapeHit { body: id, contact })
            {
                reach = contact.time;
                first = Some(ShapeHit { body: id, contact });
            }
            Ok::<_, QueryError>(reach)
        })?;
        Ok(first)
    }

    /// Where a body stops the shape. One that it starts in touch with stops it at half of the distance that it has.
    fn obstacle(
        &self,
        mover: &Mover,
        moving: Moving<'_, Shape>,
        flight: &FlyingBox,
        (id, body): (BodyId, &Body),
        reach: Real,
    ) -> Result<Option<FirstContact>, QueryError> {
        let mut tolerance = mover.touch;
        if flight.entry(&box_around(body)) == Some(0.0)
            && let Some(nearest) = mover.nearest(id, body, mover.touch)?
        {
            if nearest.distance <= 0.0 {
                return Ok(Some(FirstContact::of_nearest(0.0, &nearest)));
            }
            tolerance = 0.5 * nearest.distance;
        }
        self.meeting(moving, flight, (id, body), reach, tolerance)
    }
}
