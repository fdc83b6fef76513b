//! A shape that is moved by a velocity and slides along what it meets, as a character of a game does.
//!
//! **Idea.** Straight ways, each as far as the shape can go, by the time of contact. Where it meets something it stops a gap short of it, and
//! goes on with what of its velocity leads into none of the surfaces that it has met at this place: the nearest vector in the cone
//! between them ([`nearest_in_cone`]), so that it slides along one, in the crease of two, and stops in the corner of three.
//!
//! **Guarantee.** Every way is certified free of contact, at any speed and through open meshes as well; where the shape ends it overlaps nothing.
//! Velocity is taken off and never added. The same world gives the same bits.
//!
//! **Cost.** A shape cast for each way; one more look around the shape at the start.

use super::flight::Flight;
use super::way_out::WayOut;
use super::{QueryError, ShapeHit, World, box_around, flight_of, up_to};
use crate::detection::closest::{Closest, closest_within};
use crate::detection::toc::{FirstContact, Moving};
use crate::dynamics::Body;
use crate::id::BodyId;
use crate::math::cone::nearest_in_cone;
use crate::math::{Pose, Real, Vector, is_finite, is_finite_pose};
use crate::motion::RigidMotion;
use crate::shape::Shape;
use crate::tolerance::DEFAULT_TOLERANCE;

/// The gap that a sliding shape keeps unless it is told another, metres: ten times the tolerance.
pub const DEFAULT_GAP: Real = 10.0 * DEFAULT_TOLERANCE;

/// How often a sliding shape is turned aside at most unless it is told otherwise: corners take three, fine meshes that curve some more.
pub const DEFAULT_MEETINGS: u32 = 16;

/// What is shorter is no direction.
const SHORTEST: Real = 1e-6;

/// A shape to be moved, without turning.
#[derive(Clone, Copy, Debug)]
pub struct SlideQuery<'a> {
    /// What is moved.
    pub shape: &'a Shape,
    /// Where it is.
    pub pose: Pose,
    /// m/s, world.
    pub velocity: Vector,
    /// Seconds; nothing moves for a negative duration or NaN, and at most 10¹².
    pub duration: Real,
    /// How far it stays from what it meets, metres, positive; half of it counts as touching. What it passes by it may come nearer to, though
    /// never to zero.
    pub gap: Real,
    /// After so many meetings it stops where it is, and has time left.
    pub max_meetings: u32,
}

impl<'a> SlideQuery<'a> {
    /// With [`DEFAULT_GAP`] and [`DEFAULT_MEETINGS`].
    pub fn new(shape: &'a Shape, pose: Pose, velocity: Vector, duration: Real) -> Self {
        Self { shape, pose, velocity, duration, gap: DEFAULT_GAP, max_meetings: DEFAULT_MEETINGS }
    }
}

/// Something that a sliding shape meets on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlideMeeting {
    /// Which body.
    pub body: BodyId,
    /// What would touch if it went on straight; side A is the moving shape. The time is in seconds from the start of the whole.
    pub contact: FirstContact,
    /// Where the shape's frame is when it stops short of it, world.
    pub translation: Vector,
    /// With what velocity it came, m/s.
    pub velocity: Vector,
    /// Along which plane it slides, unit, out of the body. Another direction may be put here, such as the horizontal one of a slope that is too steep
    /// to be walked up; what is no direction is ignored.
    pub normal: Vector,
}

/// What a sliding shape does about something that it meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnMeeting {
    /// Slides along it.
    #[default]
    Slide,
    /// Goes through it, and through all of that body until it ends: it may end within it.
    Pass,
    /// Ends here, with the velocity that it came with.
    Stop,
}

/// Where a sliding shape ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    /// Where, the shape's frame, world. It is turned as it was.
    pub translation: Vector,
    /// What is left of the velocity, m/s: it leads into nothing that is met there.
    pub velocity: Vector,
    /// What is left of the duration, seconds: above zero where it had no velocity (left), was stopped, or has met too much.
    pub time_left: Real,
    /// A body that it overlaps from the start, and could not be moved out of: it has not moved at all.
    pub stuck_in: Option<BodyId>,
}

/// How far a shape can go on a straight way, and what stops it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// How far it can go and leave the gap, metres.
    pub distance: Real,
    /// What it would touch; the time is the distance until then, metres.
    pub hit: ShapeHit,
}

/// Why a shape is not moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SlideError {
    /// A number that is none, or too large.
    #[error("the {what} is not finite, or too large")]
    NonFinite {
        /// Which.
        what: &'static str,
    },
    /// The gap to keep is not positive, or not finite.
    #[error("the gap of {gap} m is not positive and finite")]
    BadGap {
        /// As given, metres.
        gap: Real,
    },
    /// A body nearby cannot be asked.
    #[error(transparent)]
    Query(#[from] QueryError),
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
        if !is_finite_pose(&pose) {
            return Err(SlideError::NonFinite { what: "pose" });
        }
        if !(gap.is_finite() && gap > 0.0) {
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

/// Where a shape was turned aside last: surfaces that it met within the gap of it bound its velocity together.
struct Place {
    translation: Vector,
    /// With which velocity it came here.
    velocity: Vector,
    normals: Vec<Vector>,
}

impl World {
    /// Moves a shape by its velocity and along what it meets, as the bodies stand now; sensors are no obstacle. Whatever it meets is told to
    /// `on_meeting`, in order, and may be met several times.
    ///
    /// A shape that overlaps something at the start is moved out first ([`World::way_out`]); what cannot be moved out stays where it is.
    ///
    /// # Errors
    /// [`SlideError`] for numbers that are not finite or a gap that is none, and names a body in the way that the shape cannot be asked against.
    ///
    /// # Example
    /// ```
    /// use ccd_core::dynamics::{BodyDefinition, BodyKind};
    /// use ccd_core::math::{Pose, Vector};
    /// use ccd_core::shape::Shape;
    /// use ccd_core::world::{OnMeeting, SlideQuery, World, WorldSettings};
    ///
    /// let mut world = World::new(WorldSettings::default())?;
    /// let floor = BodyDefinition::new(BodyKind::Static, Shape::half_space(Vector::y())?, Pose::identity());
    /// world.add_body(floor)?;
    /// let ball = Shape::ball(0.5)?;
    /// let fall = SlideQuery::new(&ball, Pose::translation(0.0, 2.0, 0.0), Vector::new(3.0, -4.0, 0.0), 1.0);
    /// let slide = world.slide(&fall, |_, _| true, |_| OnMeeting::Slide)?;
    /// assert!((slide.translation - Vector::new(3.0, 0.5 + fall.gap, 0.0)).norm() < 1e-9);
    /// assert!((slide.velocity - Vector::new(3.0, 0.0, 0.0)).norm() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slide(
        &self,
        query: &SlideQuery,
        takes: impl Fn(BodyId, &Body) -> bool,
        mut on_meeting: impl FnMut(&mut SlideMeeting) -> OnMeeting,
    ) -> Result<Slide, SlideError> {
        if !is_finite(&query.velocity) {
            return Err(SlideError::NonFinite { what: "velocity" });
        }
        let mut mover = Mover::new(query.shape, query.pose, query.gap)?;
        let duration = up_to(query.duration).max(0.0);
        if !is_finite(&(query.pose.translation.vector + query.velocity * duration)) {
            return Err(SlideError::NonFinite { what: "end of the way" });
        }
        let (mut velocity, mut time_left) = (query.velocity, duration);
        let WayOut { way, stuck_in } = self.way_out_of(&mover, &takes)?;
        if stuck_in.is_some() {
            let translation = mover.pose.translation.vector;
            return Ok(Slide { translation, velocity: Vector::zeros(), time_left, stuck_in });
        }
        mover.shift(&way);
        let mut place = Place { translation: mover.pose.translation.vector, velocity, normals: Vec::new() };
        let mut passed: Vec<BodyId> = Vec::new();
        for meetings in 1.. {
            let speed = velocity.norm();
            if speed == 0.0 {
                break;
            }
            let Some(approach) =
                self.approach_of(&mover, &(velocity * time_left), |id, body| !passed.contains(&id) && takes(id, body))?
            else {
                mover.shift(&(velocity * time_left));
                time_left = 0.0;
                break;
            };
            let before = mover.pose.translation.vector;
            let contact =
                FirstContact { time: duration - time_left + approach.hit.contact.time / speed, ..approach.hit.contact };
            mover.shift(&(velocity * (approach.distance / speed)));
            time_left = (time_left - approach.distance / speed).max(0.0);
            let translation = mover.pose.translation.vector;
            if (translation - place.translation).norm() > mover.gap {
                place = Place { translation, velocity, normals: Vec::new() };
            }
            let surface = -contact.normal;
            let mut meeting = SlideMeeting { body: approach.hit.body, contact, translation, velocity, normal: surface };
            match on_meeting(&mut meeting) {
                OnMeeting::Slide => {}
                OnMeeting::Pass => {
                    passed.push(meeting.body);
                    continue;
                }
                OnMeeting::Stop => break,
            }
            let former = velocity;
            velocity = place.turned_aside(&surface, &meeting.normal);
            // The same again would be met in the same place.
            if meetings >= query.max_meetings || (velocity == former && translation == before) {
                break;
            }
        }
        Ok(Slide { translation: mover.pose.translation.vector, velocity, time_left, stuck_in: None })
    }

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
        if !(is_finite(way) && is_finite(&(pose.translation.vector + way))) {
            return Err(SlideError::NonFinite { what: "way" });
        }
        Ok(self.approach_of(&Mover::new(shape, *pose, gap)?, way, takes)?)
    }

    pub(super) fn approach_of(
        &self,
        mover: &Mover,
        way: &Vector,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<Approach>, QueryError> {
        let length = way.norm();
        if length == 0.0 {
            return Ok(None);
        }
        // At one metre per second, seconds are metres.
        let direction = way / length;
        let motion = RigidMotion { linear_velocity: direction, ..RigidMotion::at_rest(mover.pose) };
        let moving = Moving::new(mover.shape, &motion);
        let flight = flight_of(&moving, mover.touch);
        let (mut reach, mut first) = (length, None::<ShapeHit>);
        self.on_the_way(&flight, reach, |id, body| {
            if !body.sensor
                && takes(id, body)
                && let Some(contact) = self.obstacle(mover, moving, &flight, (id, body), reach)?
                && first.is_none_or(|known| (contact.time, id) < (known.contact.time, known.body))
            {
                reach = contact.time;
                first = Some(ShapeHit { body: id, contact });
            }
            Ok::<_, QueryError>(reach)
        })?;
        Ok(first.map(|hit| {
            let closing = direction.dot(&hit.contact.normal);
            let back = (mover.gap - hit.contact.separation) / closing;
            let back = if closing > 0.0 { back.clamp(0.0, hit.contact.time) } else { 0.0 };
            Approach { distance: hit.contact.time - back, hit }
        }))
    }

    /// Where a body stops the shape. One that it starts in touch with stops it at half of the distance that it has.
    fn obstacle(
        &self,
        mover: &Mover,
        moving: Moving<'_, Shape>,
        flight: &Flight,
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

impl Place {
    /// The velocity that leads along this plane as well. Where `plane` is not the surface itself, it does not lead into the surface either.
    fn turned_aside(&mut self, surface: &Vector, plane: &Vector) -> Vector {
        let given = (plane != surface).then(|| plane.try_normalize(SHORTEST).filter(is_finite)).flatten();
        let plane = given.unwrap_or(*surface);
        self.normals.push(plane);
        let velocity = nearest_in_cone(&self.velocity, &self.normals);
        if surface.dot(&velocity) >= 0.0 || plane == *surface {
            return velocity;
        }
        self.normals.push(*surface);
        nearest_in_cone(&self.velocity, &self.normals)
    }
}
