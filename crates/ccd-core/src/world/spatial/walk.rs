//! A sliding shape that walks: it climbs steps, stays on the ground downhill, and takes what is too steep for a wall.
//!
//! **Idea.** A step is three straight ways: up, forward and down again, each as far as it is free. It is taken where what stops the shape is too
//! steep to be walked on, or is an edge, and what it comes down on is neither too steep nor too high. A round foot meets an edge with its side, so
//! how steep and how high the ground is that ends there is asked by a ray behind the contact.
//!
//! **Guarantee.** As of [`World::slide`]: every way is certified free of contact, and what is too high, too steep or too narrow is met as a wall.
//!
//! **Cost.** A cast down at the start and one or two at the end; at what it meets and does not walk on up to six more, and a few rays.

use super::approach::Mover;
use super::slide::SlideError;
use super::{QueryError, Ray, ShapeHit, World, up_to};
use crate::detection::closest::closest;
use crate::detection::toc::FirstContact;
use crate::dynamics::{Body, BodyKind};
use crate::id::BodyId;
use crate::math::cone::{SAME, nearest_in_cone};
use crate::math::{Point, Pose, Real, Rotation, Vector};
use crate::shape::Shape;

/// How many gaps below a shape the ground may be on which it stands: an edge that a round foot has beside it, with a normal 86° from up, is a gap
/// away when it is so far below.
pub(super) const STANDS: Real = 8.0;

/// How a sliding shape walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walk {
    /// Against gravity: a direction of any length, world.
    pub up: Vector,
    /// How steep the ground may be, radians from the level, from zero to below π/2. Steeper ground is not gone up, as if it were an upright wall,
    /// and slid down. On ground that is not steeper, what falls does not slide: the part of its velocity that leads down ends there.
    pub max_slope: Real,
    /// Whether it climbs steps, and which.
    pub autostep: Option<Autostep>,
    /// How far below it the ground may be at its end, metres, for it to be set down there: who walks down a slope or stairs does not fly off. Only for
    /// what stands on the ground at the start, and does not jump.
    pub snap: Option<Real>,
    /// Whether what it stands on carries it along: a lift, a turntable, a raft, a conveyor belt.
    pub rides: bool,
}

/// Which steps a walking shape climbs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autostep {
    /// How high above its foot, the lowest place of the shape, metres; so a step may be higher by the gap that it keeps. A round foot rides over
    /// low edges by itself: over those that it meets with a normal that is no steeper than the slope that it can walk on.
    pub max_height: Real,
    /// How far it must be free to go on upon the step, metres.
    pub min_width: Real,
    /// Whether it steps onto dynamic bodies as well.
    pub onto_dynamic: bool,
}

/// The ground that a walking shape stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Which body.
    pub body: BodyId,
    /// What would touch if it went straight down; side A is the shape. The time is the distance until then, metres.
    pub contact: FirstContact,
    /// Where the ground is: that of the contact, or beside it on the surface that ends in an edge there; world.
    pub point: Point,
    /// The normal of the ground there, unit, world: never steeper than can be walked on.
    pub normal: Vector,
    /// With what velocity the surface of the ground went there over the last step, m/s, world: that of its body, and what it runs at besides.
    pub velocity: Vector,
    /// With what angular velocity it turned, rad/s, world.
    pub angular_velocity: Vector,
}

/// A [`Walk`] that can be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walker {
    up: Vector,
    /// Of the steepest ground.
    cos: Real,
    tan: Real,
    autostep: Option<Autostep>,
    pub snap: Option<Real>,
    pub rides: bool,
}

/// A way onto a step that can be climbed.
pub(super) struct Climb {
    pub way: Vector,
    /// How long it takes to go forward so far, seconds.
    pub time: Real,
}

impl Walker {
    pub fn new(walk: &Walk) -> Result<Self, SlideError> {
        let Walk { up, max_slope, autostep, snap, rides } = *walk;
        let longest = up.amax();
        if !longest.is_finite() {
            return Err(SlideError::NonFinite { what: "direction up" });
        }
        if longest == 0.0 {
            return Err(SlideError::BadWalk { what: "direction up with a length", value: longest });
        }
        if !(0.0..std::f64::consts::FRAC_PI_2).contains(&max_slope) {
            return Err(SlideError::BadWalk { what: "steepest slope", value: max_slope });
        }
        let length = |what, value: Real| {
            let is_sound = value.is_finite() && value >= 0.0;
            if is_sound { Ok(up_to(value)) } else { Err(SlideError::BadWalk { what, value }) }
        };
        let autostep = match autostep {
            None => None,
            Some(Autostep { max_height, min_width, onto_dynamic }) => Some(Autostep {
                max_height: length("step height", max_height)?,
                min_width: length("step width", min_width)?,
                onto_dynamic,
            }),
        };
        let snap = snap.map(|snap| length("snap distance", snap)).transpose()?;
        Ok(Self { up: (up / longest).normalize(), cos: max_slope.cos(), tan: max_slope.tan(), autostep, snap, rides })
    }

    /// Whether a surface with this normal is walked on.
    pub fn walks_on(&self, normal: &Vector) -> bool {
        self.up.dot(normal) >= self.cos - SAME
    }

    /// What a surface that is too steep is taken for: upright where it rises, itself where it overhangs.
    pub fn wall(&self, surface: &Vector) -> Vector {
        if self.up.dot(surface) > 0.0 { self.level(surface).try_normalize(SAME).unwrap_or(*surface) } else { *surface }
    }

    fn level(&self, v: &Vector) -> Vector {
        v - self.up * self.up.dot(v)
    }

    /// How fast what goes level rises if it stays on the ground; the ground can be walked on.
    fn rise(&self, level: &Vector, ground: &Vector) -> Real {
        -ground.dot(level) / ground.dot(&self.up)
    }

    /// A velocity without what of its fall would make it slide on this ground: it keeps as much as follows the ground down. Never longer.
    pub fn borne(&self, velocity: &Vector, ground: &Vector) -> Vector {
        let level = self.level(velocity);
        let follows = self.rise(&level, ground).min(0.0);
        level + self.up * self.up.dot(velocity).max(follows)
    }

    /// Whether what has this velocity gets off the ground with it, by more than the gap: who goes level or down never does.
    pub fn leaves(&self, velocity: &Vector, duration: Real, ground: &Ground, gap: Real) -> bool {
        let follows = self.rise(&self.level(velocity), &ground.normal).max(0.0);
        (self.up.dot(velocity) - follows) * duration > gap
    }
}

/// A vector, shortened to the length of another if it is longer.
pub(super) fn no_longer_than(v: Vector, other: &Vector) -> Vector {
    let (own, most) = (v.norm(), other.norm());
    if own > most { v * (most / own) } else { v }
}

impl World {
    /// The ground that a shape stands on: what is first below it of all that can be walked on.
    pub(super) fn ground_of(
        &self,
        mover: &Mover,
        walker: &Walker,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<Ground>, QueryError> {
        let way = -walker.up * (STANDS * mover.gap);
        let ground = |hit: &ShapeHit| self.ground_at(hit, mover.gap, walker, &takes);
        let first = self.first_on_way(mover, &way, &takes, |hit| ground(hit).is_some())?;
        Ok(first.and_then(|hit| ground(&hit)))
    }

    /// What can be walked on where a shape would touch: the surface itself, or the one that ends in an edge there.
    fn ground_at(
        &self,
        hit: &ShapeHit,
        gap: Real,
        walker: &Walker,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Option<Ground> {
        let ShapeHit { body, contact } = *hit;
        let normal = -contact.normal;
        let ground = |point: Point, normal: Vector| {
            let [velocity, angular_velocity] = self.last_velocity(body, &point, &normal);
            Ground { body, contact, point, normal, velocity, angular_velocity }
        };
        let touched = || walker.walks_on(&normal).then(|| ground(contact.point_b, normal));
        let Some(outwards) = walker.level(&normal).try_normalize(SAME) else {
            return touched();
        };
        if walker.up.dot(&normal) <= 0.0 {
            return None;
        }
        // Beside the edge; and as far as a step must be wide, where the edge is rounded or cut off.
        let behind = [Some(gap), walker.autostep.map(|step| step.min_width)];
        let surface = behind.into_iter().flatten().find_map(|behind| {
            // Ground that rises or falls no steeper than it may is within this of the edge's height.
            let room = behind * walker.tan + gap;
            let ray = Ray::new(contact.point_b - outwards * behind + walker.up * room, -walker.up)?;
            let hit = self.cast_ray(&ray, 2.0 * room, |id, body| !body.sensor && takes(id, body))?;
            let is_ground = hit.distance > 0.0 && walker.walks_on(&hit.normal);
            is_ground.then(|| ground(hit.point, hit.normal))
        });
        surface.or_else(touched)
    }

    /// The step up onto what stops a shape, if it can be climbed.
    pub(super) fn step_up(
        &self,
        mover: &Mover,
        walker: &Walker,
        stopped_by: &ShapeHit,
        (velocity, time_left): (Vector, Real),
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<Climb>, QueryError> {
        let Some(autostep) = walker.autostep else { return Ok(None) };
        let level = walker.level(&velocity);
        let speed = level.norm();
        let is_refused = |id| !autostep.onto_dynamic && self.body(id).is_some_and(|b| b.kind() == BodyKind::Dynamic);
        if !(speed > 0.0 && level.dot(&stopped_by.contact.normal) > 0.0) || is_refused(stopped_by.body) {
            return Ok(None);
        }
        // What can be walked on is gone up, but over an edge a round foot would be thrown.
        let surface = -stopped_by.contact.normal;
        let is_edge = || {
            let ground = self.ground_at(stopped_by, mover.gap, walker, &takes);
            ground.is_some_and(|ground| ground.normal.dot(&surface) < 1.0 - SAME)
        };
        if walker.walks_on(&surface) && !is_edge() {
            return Ok(None);
        }
        let stands = self.ground_of(mover, walker, &takes)?;
        let Some(foot) = foot(mover, &walker.up)
            .filter(|_| stands.is_some_and(|ground| !walker.leaves(&velocity, time_left, &ground, mover.gap)))
        else {
            return Ok(None);
        };
        let up = self.free_way(mover, &walker.up, autostep.max_height + mover.gap, &takes)?;
        let mut raised = *mover;
        raised.shift(&(walker.up * up));
        // What is stopped is a gap before the step, and on it only behind another.
        let onto = 2.0 * mover.gap;
        let width = (autostep.min_width + mover.gap).max(onto);
        let direction = level / speed;
        if self.free_way(&raised, &direction, width, &takes)? < width {
            return Ok(None);
        }
        let mut forward = (speed * time_left).min(width);
        loop {
            let mut stepped = raised;
            stepped.shift(&(direction * forward));
            let Some(ground) = self.set_down(&mut stepped, walker, up + STANDS * mover.gap, &takes)? else {
                return Ok(None);
            };
            let height = walker.up.dot(&ground.point.coords) - foot;
            if height <= 0.0 && forward < onto {
                // Too slow to get onto it.
                forward = onto;
                continue;
            }
            // No higher than it could rise either, so that a round foot does not climb half of a step under a ceiling.
            let climbs = height <= autostep.max_height.min(up) && !is_refused(ground.body);
            let way = stepped.pose.translation.vector - mover.pose.translation.vector;
            return Ok(climbs.then_some(Climb { way, time: forward / speed }));
        }
    }

    /// Moves a shape down onto the ground, no further than `most`; without any it is left on its way.
    fn set_down(
        &self,
        mover: &mut Mover,
        walker: &Walker,
        most: Real,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Option<Ground>, QueryError> {
        let Some(down) = self.approach_of(mover, &(-walker.up * most), &takes)? else { return Ok(None) };
        mover.shift(&(-walker.up * down.distance));
        match self.ground_at(&down.hit, mover.gap, walker, &takes) {
            None => self.ground_of(mover, walker, &takes),
            found => Ok(found),
        }
    }

    /// Sets a shape down on the ground that it stands on, or has below it no further than it snaps to if it `walks`. Also the velocity with which it goes
    /// on there, and the ground; none for what leaves it.
    pub(super) fn set_on_ground(
        &self,
        mover: &mut Mover,
        walker: &Walker,
        (velocity, duration, walks): (Vector, Real, bool),
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<(Vector, Option<Ground>), QueryError> {
        if let Some(snap) = walker.snap.filter(|_| walks) {
            let mut below = *mover;
            if let Some(ground) = self.set_down(&mut below, walker, snap, &takes)? {
                *mover = below;
                self.lift(mover, walker, &ground, &takes)?;
                return Ok((walker.level(&velocity), Some(ground)));
            }
        }
        let ground = self.ground_of(mover, walker, &takes)?;
        let ground = ground.filter(|ground| !walker.leaves(&velocity, duration, ground, mover.gap));
        let Some(ground) = ground else { return Ok((velocity, None)) };
        self.lift(mover, walker, &ground, &takes)?;
        Ok((nearest_in_cone(&walker.borne(&velocity, &ground.normal), &[ground.normal]), Some(ground)))
    }

    /// Lifts a shape to the gap that it is to keep, as far as there is room, where it is in touch with its ground: so low it would trip on the
    /// seams of flush tiles.
    fn lift(
        &self,
        mover: &mut Mover,
        walker: &Walker,
        ground: &Ground,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<(), QueryError> {
        let Some(body) = self.body(ground.body) else { return Ok(()) };
        let near = mover.nearest(ground.body, body, mover.touch)?;
        if let Some(near) = near.filter(|near| walker.walks_on(&-near.normal)) {
            let rise = (mover.gap - near.distance) / -near.normal.dot(&walker.up);
            let rise = self.free_way(mover, &walker.up, rise, takes)?;
            mover.shift(&(walker.up * rise));
        }
        Ok(())
    }

    /// How far a shape can go along a direction and leave the gap, up to `most`.
    fn free_way(
        &self,
        mover: &Mover,
        direction: &Vector,
        most: Real,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<Real, QueryError> {
        let approach = self.approach_of(mover, &(direction * most), takes)?;
        Ok(approach.map_or(most, |approach| approach.distance))
    }
}

/// How high along `up` the lowest place of a shape is; `None` of one that has none.
fn foot(mover: &Mover, up: &Vector) -> Option<Real> {
    let solid = mover.shape.as_solid();
    let below = solid.bounding_sphere();
    let height = up.dot(&(mover.pose * below.centre).coords) - 2.0 * below.radius;
    let floor = Pose::from_parts((up * height).into(), Rotation::identity());
    let distance = closest(mover.shape, &mover.pose, &Shape::half_space(*up).ok()?, &floor).ok()?.distance;
    distance.is_finite().then_some(height + distance)
}
