//! A body's course through a step: constant-velocity motion from its last impact (or the step's start) to the step's end.

use crate::dynamics::{Body, BodyKind};
use crate::math::{Pose, Real, Vector};
use crate::motion::RigidMotion;
use crate::response::impulse::{Inertia, Velocity};
use crate::volume::Aabb;

/// The inertia of a body at a pose.
pub(super) fn inertia_of(body: &Body, pose: &Pose) -> Inertia {
    Inertia {
        centre: pose * body.local_centre(),
        inverse_mass: body.inverse_mass(),
        inverse_inertia: body.inverse_inertia(pose),
    }
}

#[derive(Clone, Debug)]
pub(super) struct Course {
    /// When the present motion began, seconds from the start of the step.
    pub origin: Real,
    /// The present motion; its clock is zero at `origin`.
    pub motion: RigidMotion,
    /// The velocity at `origin`, which forces and contacts turn into `end` by the end of the step.
    pub start: Velocity,
    /// The velocity at the end of the step.
    pub end: Velocity,
    /// Of what tumbles or is pushed evenly while it turns (see [`super::flight`]): the spin at `origin` if all that contacts add over the rest of the step were
    /// there already. The spin at the end follows from it.
    pub tumbling: Option<Vector>,
    /// Whether it spins as a top (see [`super::flight`]), whose momentum stays where its motion is led a little aside.
    pub top: bool,
    /// Where the body is over the rest of the step.
    pub swept: Aabb,
    /// Counts changes of the motion, so that answers about former motions are recognised.
    pub version: u32,
    /// Impacts so far.
    pub impacts: u32,
    /// Stands still for the rest of the step.
    pub held: bool,
    /// Stands, and counts as fixed while others are solved (see [`super::standing`]).
    pub fixed: bool,
    /// Did so in this step, and did not bear what pushed it.
    pub gave_way: bool,
    /// Energy that contacts have given the body, and that its velocity has not had to give back; joules (see [`super::audit`]).
    pub owed: Real,
}

impl Course {
    /// The pose at time `t` of the step.
    pub fn pose_at(&self, t: Real) -> Pose {
        if self.motion.is_at_rest() || t == self.origin {
            self.motion.start
        } else {
            self.motion.pose_at(t - self.origin)
        }
    }

    /// Whether the body had no velocity when the step began, and has none and no motion since.
    pub fn stands(&self) -> bool {
        let none = Velocity::default();
        !self.held && self.origin == 0.0 && self.motion.is_at_rest() && self.start == none && self.end == none
    }

    /// The body stays where it is from the step's beginning on.
    pub fn stand(&mut self) {
        self.motion = self.motion.stopped();
        (self.start, self.end, self.tumbling) = (Velocity::default(), Velocity::default(), None);
    }

    /// The motion with its clock at zero at time `t` of the step.
    pub fn motion_from(&self, t: Real) -> RigidMotion {
        RigidMotion { start: self.pose_at(t), ..self.motion }
    }

    /// The velocity at time `t` of a step of `dt`: forces act evenly.
    pub fn velocity_at(&self, body: &Body, t: Real, dt: Real) -> Velocity {
        let rest = dt - self.origin;
        let share = if rest > 0.0 { ((t - self.origin) / rest).clamp(0.0, 1.0) } else { 1.0 };
        let angular = match &self.tumbling {
            Some(pushed) => self.tumbled(body, &self.start.angular.lerp(pushed, share), t - self.origin),
            None => self.spin_between(body, share, rest),
        };
        Velocity { linear: self.start.linear.lerp(&self.end.linear, share), angular }
    }

    /// The body's inertia at time `t`, as impulses see it.
    pub fn inertia_at(&self, body: &Body, t: Real) -> Inertia {
        let pose = self.pose_at(t);
        if self.is_movable(body) { inertia_of(body, &pose) } else { Inertia::immovable(pose * body.local_centre()) }
    }

    /// Whether impulses can change its velocity.
    pub fn is_movable(&self, body: &Body) -> bool {
        !self.held && !self.fixed && body.kind() == BodyKind::Dynamic
    }

    /// The motion from time `t` on by what was solved for; `None` of numbers that are not finite.
    pub fn motion_by(&self, t: Real, motion: &Velocity, end: &Velocity) -> Option<RigidMotion> {
        let Velocity { linear: linear_velocity, angular: angular_velocity } = *motion;
        let motion = RigidMotion { linear_velocity, angular_velocity, ..self.motion_from(t) };
        (motion.is_finite() && end.is_finite()).then_some(motion)
    }

    /// Another motion from time `t` on, with these velocities then and at the end of the step.
    pub fn go_on(&mut self, t: Real, motion: RigidMotion, [start, end]: [Velocity; 2]) {
        (self.origin, self.motion, self.start, self.end) = (t, motion, start, end);
        self.version += 1;
    }

    /// Stops the body at time `t` of a step of `dt` for good: what was solved for is no motion.
    pub fn give_up(&mut self, body: &Body, t: Real, dt: Real) {
        self.hold(body, t, dt);
        (self.start, self.end) = (Velocity::default(), Velocity::default());
    }

    /// Stops the motion at time `t` of a step of `dt`. What is lost is time: no force acts in it either.
    pub fn hold(&mut self, body: &Body, t: Real, dt: Real) {
        self.start = self.velocity_at(body, t, dt);
        (self.end, self.tumbling) = (self.start, None);
        self.motion = self.motion_from(t).stopped();
        self.origin = t;
        self.held = true;
        self.version += 1;
    }
}
