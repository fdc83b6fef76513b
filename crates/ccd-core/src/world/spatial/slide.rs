//! A shape that is moved by a velocity and slides along what it meets, as a character of a game does.
//!
//! **Idea.** Straight ways, each as far as the shape can go, by the time of contact. Where it meets something it stops a gap short of it, and
//! goes on with what of its velocity leads into none of the surfaces that it has met at this place: the nearest vector in the cone
//! between them ([`nearest_in_cone`]), so that it slides along one, in the crease of two, and stops in the corner of three.
//!
//! **Guarantee.** Every way is certified free of contact, at any speed and through open meshes as well; where the shape ends it overlaps nothing, once
//! what carries it has gone on.
//! Velocity is taken off and never added. The same world gives the same bits.
//!
//! **Cost.** A shape cast for each way; one more look around the shape at the start.

use super::approach::{Approach, Mover};
use super::walk::{Ground, Walk, Walker, no_longer_than};
use super::way_out::WayOut;
use super::{QueryError, ShapeHit, World, up_to};
use crate::detection::toc::FirstContact;
use crate::dynamics::Body;
use crate::id::BodyId;
use crate::math::cone::nearest_in_cone;
use crate::math::{MAX_COORDINATE, Pose, Real, Vector, is_finite};
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
    /// After so many meetings it stops where it is, and has time left; what it passes does not count.
    pub max_meetings: u32,
    /// How it walks; without, all that it meets is alike, and there is no up and down.
    pub walk: Option<Walk>,
}

impl<'a> SlideQuery<'a> {
    /// With [`DEFAULT_GAP`] and [`DEFAULT_MEETINGS`], and without a [`Walk`].
    pub fn new(shape: &'a Shape, pose: Pose, velocity: Vector, duration: Real) -> Self {
        Self { shape, pose, velocity, duration, gap: DEFAULT_GAP, max_meetings: DEFAULT_MEETINGS, walk: None }
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
    /// to be walked up; what is no direction is ignored. What walks does no more about such a surface than slide along this.
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
    /// What is left of the velocity, m/s: it leads into nothing that is met there, but for the edge of a step that is being climbed.
    pub velocity: Vector,
    /// What is left of the duration, seconds: above zero where it had no velocity (left), was stopped, or has met too much.
    pub time_left: Real,
    /// A body that it overlaps from the start, and could not be moved out of: it has not moved at all.
    pub stuck_in: Option<BodyId>,
    /// What it stands on at its end: of what walks, unless it was stopped, is stuck or leaves the ground.
    pub ground: Option<Ground>,
    /// By how much what it stands on has carried it after that, metres, world: the translation holds it already. Until the ground has gone on as over the
    /// last step, the shape may overlap it.
    pub carried: Vector,
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
    /// The gap to keep is not positive, or beyond [`MAX_COORDINATE`].
    #[error("the gap of {gap:e} m is not above zero and at most {MAX_COORDINATE:e} m")]
    BadGap {
        /// As given, metres.
        gap: Real,
    },
    /// A walk that cannot be.
    #[error("a {what} of {value} cannot be")]
    BadWalk {
        /// What of it.
        what: &'static str,
        /// As given, metres or radians.
        value: Real,
    },
    /// A body nearby cannot be asked.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Where a shape was turned aside last: surfaces that it met within the gap of it bound its velocity together.
struct Place {
    translation: Vector,
    /// With which velocity it came here.
    velocity: Vector,
    normals: Vec<Vector>,
}

impl World {
    /// Moves a shape by its velocity and along what it meets, as the bodies stand now; sensors are no obstacle, and one-way platforms
    /// only to what begins on their side. Whatever it meets is told to `on_meeting`, in order, and may be met several times.
    ///
    /// A shape that overlaps something at the start is moved out first ([`World::way_out`]); what cannot be moved out stays where it is.
    /// With a [`Walk`] it climbs the steps that it meets, and is set down on the ground in the end; what it comes down on so is not told. Ground that moves
    /// carries it on from there.
    ///
    /// # Errors
    /// [`SlideError`] for numbers that are not finite, a gap that is none or a walk that cannot be, and names a body in the way that the shape cannot be asked against.
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
        let Prepared { mut mover, walker, duration } = Prepared::new(query)?;
        let start = mover;
        let takes = |id, body: &Body| takes(id, body) && self.stops(body, &start);
        let WayOut { way, stuck_in } = self.way_out_of(&mover, takes)?;
        if stuck_in.is_some() {
            let (translation, velocity) = (mover.pose.translation.vector, Vector::zeros());
            return Ok(Slide { translation, velocity, time_left: duration, stuck_in, ground: None, carried: velocity });
        }
        mover.shift(&way);
        let mut sliding = Sliding::new(query, Prepared { mover, walker, duration });
        let walks = sliding.begins_on_ground(self, takes)?;
        let mut is_stopped = false;
        while let Some((hit, mut meeting)) = sliding.go_straight(self, takes)? {
            match on_meeting(&mut meeting) {
                OnMeeting::Slide => {
                    if !sliding.turn_aside(self, &hit, &meeting.normal, takes)? {
                        break;
                    }
                }
                OnMeeting::Pass => sliding.passed.push(hit.body),
                OnMeeting::Stop => {
                    is_stopped = true;
                    break;
                }
            }
        }
        let (ground, carried) = if is_stopped { (None, Vector::zeros()) } else { sliding.stand(self, walks, takes)? };
        let Sliding { mover, velocity, time_left, .. } = sliding;
        let translation = mover.pose.translation.vector;
        Ok(Slide { translation, velocity, time_left, stuck_in: None, ground, carried })
    }
}

/// What a question is about, checked.
struct Prepared<'a> {
    mover: Mover<'a>,
    walker: Option<Walker>,
    /// Seconds.
    duration: Real,
}

impl<'a> Prepared<'a> {
    fn new(query: &SlideQuery<'a>) -> Result<Self, SlideError> {
        if !is_finite(&query.velocity) {
            return Err(SlideError::NonFinite { what: "velocity" });
        }
        let mover = Mover::new(query.shape, query.pose, query.gap)?;
        let walker = query.walk.as_ref().map(Walker::new).transpose()?;
        let duration = up_to(query.duration).max(0.0);
        if !is_finite(&(query.pose.translation.vector + query.velocity * duration)) {
            return Err(SlideError::NonFinite { what: "end of the way" });
        }
        Ok(Self { mover, walker, duration })
    }
}

/// A shape on its way along what it meets.
struct Sliding<'a> {
    mover: Mover<'a>,
    walker: Option<Walker>,
    /// Of the whole, seconds.
    duration: Real,
    velocity: Vector,
    time_left: Real,
    /// Where its last straight way began.
    from: Vector,
    place: Place,
    /// Through which bodies it goes.
    passed: Vec<BodyId>,
    /// How often it may yet be turned aside.
    meetings_left: u32,
}

impl<'a> Sliding<'a> {
    fn new(query: &SlideQuery, Prepared { mover, walker, duration }: Prepared<'a>) -> Self {
        let (velocity, from) = (query.velocity, mover.pose.translation.vector);
        let place = Place::new(from, velocity);
        let meetings_left = query.max_meetings;
        Self { mover, walker, duration, velocity, time_left: duration, from, place, passed: Vec::new(), meetings_left }
    }

    /// Whether it stands on ground that it does not leave, and is to stay there.
    fn begins_on_ground(&self, world: &World, takes: impl Fn(BodyId, &Body) -> bool) -> Result<bool, QueryError> {
        let Some(walker) = self.walker.filter(|walker| walker.snap.is_some()) else { return Ok(false) };
        let ground = world.ground_of(&self.mover, &walker, takes)?;
        Ok(ground.is_some_and(|ground| !walker.leaves(&self.velocity, self.duration, &ground, self.mover.gap)))
    }

    /// Goes straight on: to its end, or until it is a gap from what it meets.
    fn go_straight(
        &mut self,
        world: &World,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<(ShapeHit, SlideMeeting)>, QueryError> {
        let velocity = self.velocity;
        let speed = velocity.norm();
        if speed == 0.0 {
            return Ok(None);
        }
        let rest = velocity * self.time_left;
        let takes = |id, body: &Body| !self.passed.contains(&id) && takes(id, body);
        let Some(Approach { distance, hit }) = world.approach_of(&self.mover, &rest, takes)? else {
            self.mover.shift(&rest);
            self.time_left = 0.0;
            return Ok(None);
        };
        let time = self.duration - self.time_left + hit.contact.time / speed;
        self.from = self.mover.pose.translation.vector;
        self.mover.shift(&(velocity * (distance / speed)));
        self.time_left = (self.time_left - distance / speed).max(0.0);
        let translation = self.mover.pose.translation.vector;
        if (translation - self.place.translation).norm() > self.mover.gap {
            self.place = Place::new(translation, velocity);
        }
        let contact = FirstContact { time, ..hit.contact };
        Ok(Some((hit, SlideMeeting { body: hit.body, contact, translation, velocity, normal: -contact.normal })))
    }

    /// Turns aside from what it has met, along a plane with this normal, or climbs it. Returns whether it goes on.
    fn turn_aside(
        &mut self,
        world: &World,
        met: &ShapeHit,
        normal: &Vector,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<bool, QueryError> {
        self.meetings_left = self.meetings_left.saturating_sub(1);
        let surface = -met.contact.normal;
        let walker = self.walker.filter(|_| *normal == surface);
        if let Some(walker) = walker.filter(|_| self.meetings_left > 0) {
            let takes = |id, body: &Body| !self.passed.contains(&id) && takes(id, body);
            if let Some(climb) = world.step_up(&self.mover, &walker, met, (self.velocity, self.time_left), takes)? {
                self.mover.shift(&climb.way);
                self.time_left = (self.time_left - climb.time).max(0.0);
                self.place = Place::new(self.mover.pose.translation.vector, self.velocity);
                return Ok(true);
            }
        }
        let former = self.velocity;
        self.velocity = match walker {
            Some(walker) => no_longer_than(self.place.walked(&surface, &walker), &former),
            None => self.place.turned_aside(&surface, normal),
        };
        // The same again would be met in the same place.
        let is_same = self.velocity == former && self.mover.pose.translation.vector == self.from;
        Ok(self.meetings_left > 0 && !is_same)
    }

    /// Sets what walks down on its ground, with the velocity that it has there, and lets that carry it. Returns the ground, and how far it was carried.
    fn stand(
        &mut self,
        world: &World,
        walks: bool,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<(Option<Ground>, Vector), QueryError> {
        let Some(walker) = self.walker else { return Ok((None, Vector::zeros())) };
        let takes = |id, body: &Body| !self.passed.contains(&id) && takes(id, body);
        let came = (self.velocity, self.duration, walks);
        let (velocity, ground) = world.set_on_ground(&mut self.mover, &walker, came, takes)?;
        self.velocity = velocity;
        let carried = match ground.as_ref().filter(|_| walker.rides) {
            Some(ground) => world.ride(&mut self.mover, ground, self.duration, takes)?,
            None => Vector::zeros(),
        };
        Ok((ground, carried))
    }
}

impl Place {
    fn new(translation: Vector, velocity: Vector) -> Self {
        Self { translation, velocity, normals: Vec::new() }
    }

    /// The velocity that leads along this plane as well. Where `plane` is not the surface itself, it does not lead into the surface either.
    fn turned_aside(&mut self, surface: &Vector, plane: &Vector) -> Vector {
        let given = (plane != surface).then(|| plane.try_normalize(SHORTEST).filter(is_finite)).flatten();
        let plane = given.unwrap_or(*surface);
        self.normals.push(plane);
        let velocity = nearest_in_cone(&self.velocity, &self.normals);
        if surface.dot(&velocity) >= 0.0 || plane == *surface {
            return velocity;
        }
        // What the plane takes off is gone: what presses against a slope that is a wall to it falls down along it, and does not hang there.
        self.velocity = velocity;
        self.normals.push(*surface);
        nearest_in_cone(&self.velocity, &self.normals)
    }

    /// The same for what walks.
    fn walked(&mut self, surface: &Vector, walker: &Walker) -> Vector {
        if walker.walks_on(surface) {
            self.velocity = walker.borne(&self.velocity, surface);
            self.turned_aside(surface, surface)
        } else {
            self.turned_aside(surface, &walker.wall(surface))
        }
    }
}
