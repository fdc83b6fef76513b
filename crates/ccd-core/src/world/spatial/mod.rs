//! Spatial queries: what a ray, a moving shape or a place meets among all bodies, on their poses of now, and where a shape gets to among
//! them.
//!
//! **Idea.** Bodies are asked in the order in which their boxes are come to, from a tree, until the best answer so far comes before
//! the next box. The first query after bodies have moved, come or gone fits the tree to them.
//!
//! **Guarantee.** The answers are those of asking every body. A moving shape misses nothing and is never reported later than it truly
//! touches, whatever the solids and however it turns ([`crate::detection::toc`]). Of equals the body with the lowest slot is
//! reported.
//!
//! **Cost.** O(log n + asked) for each query; O(n) more for the first after bodies have moved, O(n log n) after others came.

mod approach;
mod flight;
mod places;
mod ray;
mod ride;
mod slide;
mod walk;
mod way_out;

use std::convert::Infallible;
use std::sync::Arc;

pub use approach::Approach;
use flight::{FlyingBox, with_room};
pub(super) use places::Places;
use ray::FARTHEST;
pub use ray::{Ray, RayHit};
pub use slide::{DEFAULT_GAP, DEFAULT_MEETINGS, OnMeeting, Slide, SlideError, SlideMeeting, SlideQuery};
pub use walk::{Autostep, Ground, Walk};
pub use way_out::WayOut;

use super::{Slot, World};
use crate::detection::closest::{Closest, ClosestError, closest, closest_within};
use crate::detection::toc::{FirstContact, Moving, Toc, TocError, TocOptions, time_of_contact};
use crate::dynamics::Body;
use crate::id::BodyId;
use crate::math::{MAX_COORDINATE, Pose, Real, Vector, is_sound_pose};
use crate::motion::{IntervalError, RigidMotion, TimeInterval};
use crate::shape::Shape;
use crate::volume::Aabb;

/// Where a moving shape first meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// Which body.
    pub body: BodyId,
    /// When and where; side A is the moving shape.
    pub contact: FirstContact,
}

/// The body that is nearest to a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestBody {
    /// Which body.
    pub body: BodyId,
    /// Where, and how far; side A is the shape that was asked for.
    pub closest: Closest,
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QueryError {
    /// There is no such body (any more).
    #[error("there is no {body}")]
    NoBody {
        /// Which.
        body: BodyId,
    },
    /// The caller's own shape is nowhere, or moves to nowhere.
    #[error("the shape's {what} is not finite or beyond {MAX_COORDINATE:e}, or its rotation is no unit quaternion")]
    BadPlace {
        /// `pose` or `motion`.
        what: &'static str,
    },
    /// The time to look ahead is negative or not finite.
    #[error(transparent)]
    Duration(#[from] IntervalError),
    /// The shape and a body cannot be asked when they meet.
    #[error("{body}: {error}")]
    TimeOfContact {
        /// Which body.
        body: BodyId,
        /// Why.
        error: TocError,
    },
    /// The shape and a body cannot be asked how far they are apart.
    #[error("{body}: {error}")]
    Closest {
        /// Which body.
        body: BodyId,
        /// Why.
        error: ClosestError,
    },
}

/// Which bodies a query asks is told by `takes`.
impl World {
    /// The first body that a ray meets within `reach` metres: none for a negative reach or NaN, and at most 10¹².
    pub fn cast_ray(&self, ray: &Ray, reach: Real, takes: impl Fn(BodyId, &Body) -> bool) -> Option<RayHit> {
        let reach = up_to(reach);
        let mut first: Option<RayHit> = None;
        let Ok(()) = self.on_the_way(&ray.flight(), reach, |id, body| {
            // By all of its reach each time, so that the answer is to the bit the first of all.
            if takes(id, body)
                && let Some(hit) = ray.cast(id, body, reach)
                && first.is_none_or(|known| (hit.distance, hit.body) < (known.distance, known.body))
            {
                first = Some(hit);
            }
            Ok::<_, Infallible>(first.map_or(reach, |hit| hit.distance))
        });
        first
    }

    /// All bodies that a ray meets within `reach` metres, each once, the nearest first. Reaches as in [`World::cast_ray`].
    pub fn ray_hits(&self, ray: &Ray, reach: Real, takes: impl Fn(BodyId, &Body) -> bool) -> Vec<RayHit> {
        self.all_hits(ray, reach, |id, body, reach| takes(id, body).then(|| ray.cast(id, body, reach)).flatten())
    }

    /// All parts of bodies that a ray meets within `reach` metres, each once, the nearest first: where a body is a compound, those behind others
    /// too. Reaches as in [`World::cast_ray`].
    pub fn part_ray_hits(&self, ray: &Ray, reach: Real, takes: impl Fn(BodyId, &Body) -> bool) -> Vec<RayHit> {
        self.all_hits(
            ray,
            reach,
            |id, body, reach| {
                if takes(id, body) { ray.cast_parts(id, body, reach) } else { Vec::new() }
            },
        )
    }

    /// What `cast` finds at each body in the way within `reach` metres, the nearest first.
    fn all_hits<H: IntoIterator<Item = RayHit>>(
        &self,
        ray: &Ray,
        reach: Real,
        cast: impl Fn(BodyId, &Body, Real) -> H,
    ) -> Vec<RayHit> {
        let reach = up_to(reach);
        let mut hits = Vec::new();
        let Ok(()) = self.on_the_way(&ray.flight(), reach, |id, body| {
            hits.extend(cast(id, body, reach));
            Ok::<_, Infallible>(reach)
        });
        hits.sort_by(|a: &RayHit, b| a.distance.total_cmp(&b.distance).then(a.body.cmp(&b.body)));
        hits
    }

    /// The first body that a moving shape meets within `duration` seconds (none for a negative duration or NaN, at most 10¹²), as the
    /// bodies stand now. A body that the search ran out of budget for counts as met at the last instant that is certified, where its
    /// separation is above the world's tolerance.
    ///
    /// # Errors
    /// [`QueryError::BadPlace`] for a motion that is none; else it names a body in the way that the shape cannot be asked against.
    pub fn cast_shape(
        &self,
        moving: Moving<'_, Shape>,
        duration: Real,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<ShapeHit>, QueryError> {
        let mut reach = up_to(duration);
        let tolerance = self.in_force.tolerance;
        let mut first: Option<ShapeHit> = None;
        let flight = flight_of(&moving, tolerance)?;
        self.on_the_way(&flight, reach, |id, body| {
            if takes(id, body)
                && let Some(contact) = self.meeting(moving, &flight, (id, body), reach, tolerance)?
                && first.is_none_or(|known| (contact.time, id) < (known.contact.time, known.body))
            {
                reach = contact.time;
                first = Some(ShapeHit { body: id, contact });
            }
            Ok::<_, QueryError>(reach)
        })?;
        Ok(first)
    }

    /// All bodies that a moving shape meets within `duration` seconds if it goes through them, as they stand now: each once, the soonest
    /// first. With a duration of zero, what it touches and overlaps. Durations and budgets as in [`World::cast_shape`].
    ///
    /// # Errors
    /// As [`World::cast_shape`].
    pub fn shape_hits(
        &self,
        moving: Moving<'_, Shape>,
        duration: Real,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Vec<ShapeHit>, QueryError> {
        let reach = up_to(duration);
        let tolerance = self.in_force.tolerance;
        let mut hits = Vec::new();
        let flight = flight_of(&moving, tolerance)?;
        self.on_the_way(&flight, reach, |id, body| {
            if takes(id, body) {
                hits.extend(
                    self.meeting(moving, &flight, (id, body), reach, tolerance)?
                        .map(|contact| ShapeHit { body: id, contact }),
                );
            }
            Ok::<_, QueryError>(reach)
        })?;
        hits.sort_by(|a, b| a.contact.time.total_cmp(&b.contact.time).then(a.body.cmp(&b.body)));
        Ok(hits)
    }

    /// The body that is nearest to a shape at a place, if it is no further away than `reach` metres. Of bodies that overlap it the
    /// one that it is deepest in.
    ///
    /// # Errors
    /// [`QueryError::BadPlace`] for a pose that is none; else it names a body nearby that the shape cannot be asked against.
    pub fn nearest_body(
        &self,
        shape: &Shape,
        pose: &Pose,
        reach: Real,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<NearestBody>, QueryError> {
        if !is_sound_pose(pose) {
            return Err(QueryError::BadPlace { what: "pose" });
        }
        let own = shape.as_solid().local_aabb().transformed(pose);
        let away = |aabb: &Aabb| Some((aabb.min - own.max).sup(&(own.min - aabb.max)).sup(&Vector::zeros()).norm());
        let mut reach = up_to(reach);
        let mut first: Option<NearestBody> = None;
        self.places().in_order(reach, away, |slot| {
            if let Some((id, body)) = self.in_slot(slot)
                && takes(id, body)
            {
                let found = closest_within(shape, pose, body.shape(), body.pose(), reach);
                let closest = found.map_err(|error| QueryError::Closest { body: id, error })?;
                let nearer = |closest: &Closest| {
                    first.is_none_or(|known| (closest.distance, id) < (known.closest.distance, known.body))
                };
                if let Some(closest) = closest.filter(nearer) {
                    // Deeper ones are behind boxes that are no further away than zero.
                    reach = closest.distance.max(0.0);
                    first = Some(NearestBody { body: id, closest });
                }
            }
            Ok::<_, QueryError>(reach)
        })?;
        Ok(first)
    }

    /// When and where two bodies first touch within `duration` seconds if they go on as they move now, with what carries them, whatever
    /// else is in their way; `None` certifies that they stay apart. Where the search ran out of budget before a proof, it is the last
    /// instant that is certified, with what is nearest then: its separation is above the world's tolerance.
    ///
    /// # Errors
    /// [`QueryError`] names a body that is not there, the duration if it is negative or not finite, or the second body, which the first
    /// cannot be asked against.
    pub fn time_of_contact(&self, a: BodyId, b: BodyId, duration: Real) -> Result<Option<FirstContact>, QueryError> {
        let of = |body| {
            let shape_and_motion = self.body(body).map(Body::shape).zip(self.motion_of(body));
            shape_and_motion.ok_or(QueryError::NoBody { body })
        };
        let ((shape_a, motion_a), (shape_b, motion_b)) = (of(a)?, of(b)?);
        let (one, other) = (Moving::new(shape_a, &motion_a), Moving::new(shape_b, &motion_b));
        self.first_contact(one, other, b, duration, self.in_force.tolerance)
    }

    /// The bodies whose boxes share a point with this one, in the order of their slots: few that do not meet it, but some.
    pub fn bodies_near(&self, aabb: &Aabb) -> Vec<BodyId> {
        let mut found = Vec::new();
        let shared = |other: &Aabb| other.overlaps(aabb).then_some(0.0);
        let Ok(()) = self.places().in_order(0.0, shared, |slot| {
            // Those without bounds are asked whatever the key.
            let near = |body: &Body| body.shape().is_bounded() || box_around(body).overlaps(aabb);
            found.extend(self.in_slot(slot).filter(|(_, body)| near(body)).map(|(id, _)| id));
            Ok::<_, Infallible>(0.0)
        });
        found.sort_unstable();
        found
    }

    /// Calls `ask` with the bodies in the order in which a flight comes to their boxes, up to the time that it answered last.
    fn on_the_way<E>(
        &self,
        flight: &FlyingBox,
        limit: Real,
        mut ask: impl FnMut(BodyId, &Body) -> Result<Real, E>,
    ) -> Result<(), E> {
        let mut limit = limit;
        self.places().in_order(
            limit,
            |aabb| flight.entry(aabb),
            |slot| {
                if let Some((id, body)) = self.in_slot(slot) {
                    limit = ask(id, body)?;
                }
                Ok(limit)
            },
        )
    }

    /// When a moving shape comes within `tolerance` of a body.
    fn meeting(
        &self,
        moving: Moving<'_, Shape>,
        flight: &FlyingBox,
        (id, body): (BodyId, &Body),
        duration: Real,
        tolerance: Real,
    ) -> Result<Option<FirstContact>, QueryError> {
        let stay = flight.stay(&box_around(body), duration).filter(|_| duration >= 0.0);
        let Some((_, leaves)) = stay else { return Ok(None) };
        // Times are as exact as the interval is short, and beyond the body there is nothing to ask.
        let duration = if duration > LONG * leaves { leaves } else { duration };
        let stands = RigidMotion::at_rest(*body.pose());
        self.first_contact(moving, Moving::new(body.shape(), &stands), id, duration, tolerance)
    }

    /// The first contact of A with B, which is the shape of `body`.
    fn first_contact(
        &self,
        a: Moving<'_, Shape>,
        b: Moving<'_, Shape>,
        body: BodyId,
        duration: Real,
        tolerance: Real,
    ) -> Result<Option<FirstContact>, QueryError> {
        let interval = TimeInterval::new(0.0, duration)?;
        let options = TocOptions { tolerance, ..TocOptions::default() };
        let found = time_of_contact(a, b, interval, &options);
        match found.map_err(|error| QueryError::TimeOfContact { body, error })?.answer {
            Toc::Contact(contact) | Toc::Overlapping(contact) => Ok(Some(contact)),
            Toc::Separated => Ok(None),
            // What is not certified apart counts as a hit at the end of what is.
            Toc::Undecided { safe_until } => {
                let [pose_a, pose_b] = [a.motion, b.motion].map(|motion| motion.pose_at(safe_until));
                let nearest = closest(a.solid, &pose_a, b.solid, &pose_b);
                let nearest = nearest.map_err(|error| QueryError::Closest { body, error })?;
                Ok(Some(FirstContact::of_nearest(safe_until, &nearest)))
            }
        }
    }

    fn in_slot(&self, slot: u32) -> Option<(BodyId, &Body)> {
        let Slot { generation, body, .. } = self.slots.get(slot as usize)?;
        body.as_ref().map(|body| (BodyId { index: slot, generation: *generation }, body))
    }

    fn places(&self) -> &Places {
        let now =
            || Arc::new(Places::of(self.bodies().map(|(id, body)| (id.index, body)), self.former_places.as_deref()));
        self.places.get_or_init(now)
    }

    /// Bodies are elsewhere, or others, from now on.
    pub(super) fn forget_places(&mut self) {
        if let Some(places) = self.places.take() {
            self.former_places = Some(places);
        }
    }
}

/// A box that holds the shape all along its motion, with this much around it, and does not turn.
///
/// # Errors
/// [`QueryError::BadPlace`] for a motion that is none.
fn flight_of(moving: &Moving<'_, Shape>, margin: Real) -> Result<FlyingBox, QueryError> {
    let (shape, motion) = (moving.solid, moving.motion);
    if !motion.is_finite() {
        return Err(QueryError::BadPlace { what: "motion" });
    }
    let around = if motion.angular_velocity == Vector::zeros() {
        shape.as_solid().local_aabb().transformed(&motion.start)
    } else {
        let radius = shape.bounding_radius_about(&motion.local_centre);
        Aabb::from_half_extents(motion.centre_at(0.0), Vector::repeat(radius))
    };
    Ok(FlyingBox { from: around.inflated(margin), way: motion.linear_velocity })
}

/// A box that holds a body where it is.
fn box_around(body: &Body) -> Aabb {
    with_room(&body.shape().as_solid().local_aabb().transformed(body.pose()))
}

/// Intervals so many times as long as it takes to leave the body behind are cut there.
const LONG: Real = 1e3;

/// How far to look, metres, or for how long, seconds; nowhere for what is negative or no number.
fn up_to(reach: Real) -> Real {
    if reach >= 0.0 { reach.min(FARTHEST) } else { Real::NEG_INFINITY }
}
