//! A body's course through a step: constant-velocity motion from its last impact (or the step's start) to the step's end.

use crate::dynamics::{Body, BodyKind};
use crate::math::{Pose, Real, Rotation, Vector};
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

/// The velocity that the world has of a body: at the beginning of a step.
pub(super) fn velocity_of(body: &Body) -> Velocity {
    Velocity { linear: *body.linear_velocity(), angular: *body.angular_velocity() }
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
    /// Of what tumbles and has flown freely since the step began: from how it would be turned at `origin` to how its straight motions have it (see
    /// [`super::flight`]).
    pub aside: Option<Rotation>,
    /// The normal of what bears it far apart (see [`super::lying`]), of what is slender and spins fast across its length.
    pub lies: Option<Vector>,
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
    /// Where the present motion leads by an instant that is resolved, and how many seconds after its beginning that is.
    pub noted: Option<(Real, Pose)>,
}

impl Course {
    /// The pose at time `t` of the step.
    pub fn pose_at(&self, t: Real) -> Pose {
        if self.motion.is_at_rest() || t == self.origin { self.motion.start } else { self.pose_after(t - self.origin) }
    }

    /// The pose so many seconds after the beginning of the motion.
    pub fn pose_after(&self, seconds: Real) -> Pose {
        match self.noted {
            Some((then, pose)) if then == seconds => pose,
            _ => self.motion.pose_at(seconds),
        }
    }

    /// Notes where the body is at time `t` of the step: whatever is resolved then asks for it again and again.
    pub fn note_place(&mut self, t: Real) {
        if !self.motion.is_at_rest() {
            let after = t - self.origin;
            self.noted = Some((after, self.pose_after(after)));
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
        (self.start, self.end, self.tumbling, self.noted) = (Velocity::default(), Velocity::default(), None, None);
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
        if self.is_movable(body.kind()) {
            inertia_of(body, &pose)
        } else {
            Inertia::immovable(pose * body.local_centre())
        }
    }

    /// Whether impulses can change the velocity of a body of this kind.
    pub fn is_movable(&self, kind: BodyKind) -> bool {
        !self.held && !self.fixed && kind == BodyKind::Dynamic
    }

    /// The motion from time `t` on by what was solved for; `None` of numbers that are not finite.
    pub fn motion_by(&self, t: Real, motion: &Velocity, end: &Velocity) -> Option<RigidMotion> {
        let Velocity { linear: linear_velocity, angular: angular_velocity } = *motion;
        let motion = RigidMotion { linear_velocity, angular_velocity, ..self.motion_from(t) };
        (motion.is_finite() && end.is_finite()).then_some(motion)
    }

    /// Another motion from time `t` on, with these velocities then and at the end of the step.
    pub fn go_on(&mut self, t: Real, motion: RigidMotion, [start, end]: [Velocity; 2]) {
        self.lead(t, motion);
        (self.start, self.end) = (start, end);
    }

    /// Another motion from time `t` on.
    pub fn lead(&mut self, t: Real, motion: RigidMotion) {
        (self.origin, self.motion, self.noted, self.aside) = (t, motion, None, None);
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
        self.noted = None;
        self.origin = t;
        self.held = true;
        self.version += 1;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot build its scene has failed")]
mod tests {
    use super::*;
    use crate::dynamics::BodyDefinition;
    use crate::shape::Shape;
    use crate::world::stepping::Stepping;
    use crate::world::{World, WorldSettings};

    const DT: Real = 1.0 / 60.0;

    #[test]
    fn a_place_that_is_noted_is_the_one_that_the_motion_leads_to_until_another_motion_begins() {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let mut rod =
            BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([1.0, 0.01, 0.02]).unwrap(), Pose::identity());
        rod.linear_velocity = Vector::new(3.0, 1.0, -2.0);
        rod.angular_velocity = Vector::new(0.5, 90.0, 7.0);
        let id = world.add_body(rod).unwrap();
        let (body, t) = (world.body(id).unwrap(), 0.3 * DT);
        let predicted = Stepping::predict(&world, DT).courses.remove(0);
        let led = |course: &Course, t: Real| course.motion.pose_at(t - course.origin);
        let noting = || {
            let mut course = predicted.clone();
            course.note_place(t);
            course
        };

        let course = noting();
        for time in [t, 0.5 * t, DT] {
            assert_eq!(course.pose_at(time), led(&predicted, time), "at {time} s");
        }
        assert_eq!(course.velocity_at(body, t, DT), predicted.velocity_at(body, t, DT));

        // Another motion: what was noted is as many seconds after the beginning of the former one.
        for (origin, times) in [(t, [2.0 * t, 2.5 * t]), (0.0, [t, 2.0 * t])] {
            let mut course = noting();
            let back = RigidMotion { linear_velocity: -course.motion.linear_velocity, ..course.motion_from(origin) };
            course.go_on(origin, back, [course.start, course.end]);
            for time in times {
                assert_eq!(course.pose_at(time), back.pose_at(time - origin), "from {origin} s, at {time} s");
            }
        }
        let mut course = noting();
        course.hold(body, t, DT);
        assert_eq!(course.pose_at(DT), led(&predicted, t), "held");
        let mut course = noting();
        course.stand();
        assert_eq!(course.pose_at(t), predicted.motion.start, "stands");
    }
}
