//! Flight: how a body goes on when nothing touches it, and how its spin goes on with it when something does.
//!
//! A step solves for the velocities at its end with the inertia that bodies have when it begins. For what turns little that is
//! as good as the step. But the spin that a slender rod has about its axis would be thousands of times the energy across it:
//! a tenth of a radian further the same numbers are another spin. So what tumbles is solved as it is now, and goes on from there
//! as a free body does; and where contacts lead the motion elsewhere, the spin turns with the body. Neither adds energy
//! (erratum E23).
//!
//! What turns less is pushed evenly over the step while it turns, so that its angular momentum changes by what contacts push: to keep the numbers of its
//! spin would carry each push half a step too far around, and a wheel that leans would roll round in another circle, by the first order of the step.
//!
//! A top does not go where it is pushed: its axis follows its momentum, and what is kept of its spin from step to step is that. So of what
//! spins as fast its contacts push evenly over the step while it turns, and where they lead it a little aside its momentum stays.
//!
//! A motion is straight and steady, and has what tumbles turned a little aside halfway of how it would be. Met there it goes on as it would have, with what it
//! is given: the next motion leads it back.

use super::course::Course;
use super::settings::WorldSettings;
use crate::dynamics::{Body, BodyKind, Turn, turn_between, turned};
use crate::math::{Pose, Real, Rotation, Vector, rotation_over};
use crate::response::impulse::Velocity;

/// What turns by less than this within the rest of a step keeps its inertia, rad.
const SLIGHT_TURN: Real = 1e-3;
/// A body tumbles if its spin, kept as it is while the body turns, would be another energy by this share.
const TUMBLING: Real = 0.03;
/// What spins steadily by more than this within a step is a top, rad, if its axis, pushed aside, comes round by more than
/// [`COMES_ROUND`] rad meanwhile.
const TOP: Real = 0.25;
const COMES_ROUND: Real = 0.1;
/// A motion is led a little aside if the same momentum is there no more energy than this share.
const ASIDE: Real = 1e-3;
/// What turns further than this within a step takes along what pushes it, rad: what turns less is pushed evenly, as from outside.
const FAR_AROUND: Real = 0.5;
/// Pushed evenly it may end with more energy by this share than pushed at once.
const EVENLY: Real = 1e-2;
/// More energy than a spin is allowed by this share is not rounding.
const ROUNDING: Real = 1e-9;

/// What a body does from an instant to the end of the step if nothing touches it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flight {
    /// What contacts act on: the velocity at the end of the step. The spin of what tumbles is [`Flight::spin`].
    pub velocity: Velocity,
    /// The spin at the instant, with what torques add until the end of the step, as if the body did not turn meanwhile.
    pub spin: Vector,
    /// The constant velocity of the motion.
    pub motion: Velocity,
    /// The spin at the end of the step.
    pub last_spin: Vector,
    /// Whether its inertia turns far.
    pub tumbles: bool,
    /// Of what spins as a top the spin at the instant: pushes act evenly on it.
    pub top: Option<Vector>,
    /// From how it would be turned to how its straight motions have it; `None` of what contacts have led.
    pub aside: Option<Rotation>,
    /// The normal on which what [lies](super::lying) goes round.
    pub lies: Option<Vector>,
}

impl Flight {
    /// Of `body`, placed at `pose` with the velocity `start`, over the last `rest` seconds of a step of `dt`.
    pub fn new(body: &Body, pose: &Pose, start: &Velocity, settings: &WorldSettings, [rest, dt]: [Real; 2]) -> Self {
        if body.kind() == BodyKind::Static {
            return Self { velocity: *start, motion: *start, ..Self::default() };
        }
        let change = settings.integrator.advance(body, pose, start.linear, start.angular, &settings.gravity, rest);
        let motion = Velocity { linear: change.motion_linear, angular: change.motion_angular };
        let mut velocity = Velocity { linear: change.linear, angular: change.angular };
        let top = is_top(body, pose, &start.angular, dt).then_some(start.angular);
        let tumbles = turns_far(body, pose, [&start.angular, &motion.angular], [rest, dt]);
        let spin = driven(body, pose, &start.angular, rest);
        if tumbles {
            velocity.angular = spin;
        }
        Self { velocity, spin, motion, last_spin: change.angular, tumbles, top, aside: None, lies: None }
    }

    /// Whether nothing but its own turning changes its spin.
    pub fn flies_freely(&self, body: &Body) -> bool {
        self.tumbles
            && body.kind() == BodyKind::Dynamic
            && body.torque == Vector::zeros()
            && body.angular_damping == 0.0
            && !is_guided(body)
    }

    /// The same of what is turned `aside` of how it would be: by the end of the step it is as it would have been.
    pub fn brought_back(self, body: &Body, aside: Option<Rotation>, rest: Real) -> Self {
        let flight = Self { aside: aside.filter(|_| self.flies_freely(body)), ..self };
        Self { motion: Velocity { angular: flight.back(self.motion.angular, rest), ..self.motion }, ..flight }
    }

    /// A mean spin over `rest` seconds, so that it leads to how the body should be turned.
    fn back(&self, angular: Vector, rest: Real) -> Vector {
        match self.aside {
            Some(aside) if rest > 0.0 => {
                let led = aside.inverse() * rotation_over(&angular, rest);
                turn_between(&Rotation::identity(), &led, &(angular * rest)) / rest
            }
            _ => angular,
        }
    }

    /// Whether a body turns as a free one that has been solved to have this `velocity` at the end of the step and to turn by `mean`, rad/s.
    pub fn is_followed(&self, body: &Body, pose: &Pose, velocity: &Velocity, mean: &Vector, rest: Real) -> bool {
        let free = self.pushed_motion(body, pose, velocity, 1.0, rest).angular;
        (mean - free).norm() <= ROUNDING * free.norm()
    }

    /// The same of what [lies](super::lying): it is solved with the spin that it has now.
    pub fn lying(self, normal: Vector) -> Self {
        let velocity = Velocity { angular: self.spin, ..self.velocity };
        Self { velocity, tumbles: true, lies: Some(normal), ..self }
    }

    /// The motion of a body whose velocity contacts have made `velocity`: the integrator's `share` of what they have changed.
    pub fn pushed_motion(&self, body: &Body, pose: &Pose, velocity: &Velocity, share: Real, rest: Real) -> Velocity {
        let change = *velocity - self.velocity;
        let angular = match self.top {
            _ if let Some(normal) = &self.lies => {
                let about = normal * velocity.angular.dot(normal);
                rotation_over(&about, 0.5 * rest) * velocity.angular
            }
            _ if !self.tumbles || change.angular == Vector::zeros() => self.motion.angular + change.angular * share,
            Some(spin) => {
                let pushed = body.angular_momentum(pose, &change.angular) / rest;
                self.back(body.turn_under(pose, &spin, &(body.torque + pushed), rest).mean, rest)
            }
            None => self.back(body.turn_freely(pose, &velocity.angular, rest).mean, rest),
        };
        Velocity { linear: self.motion.linear + change.linear * share, angular }
    }
}

/// What `rest` seconds of its torque and its damping make of the spin of a body that does not turn meanwhile.
fn driven(body: &Body, pose: &Pose, spin: &Vector, rest: Real) -> Vector {
    (spin + body.angular_acceleration(pose, &body.torque) * rest) / (1.0 + body.angular_damping * rest)
}

/// Whether a body with this spin and this mean spin over the last `rest` seconds of a step of `dt` turns so far that its inertia does.
pub(super) fn turns_far(body: &Body, pose: &Pose, [spin, mean]: [&Vector; 2], [rest, dt]: [Real; 2]) -> bool {
    !body.has_equal_moments() && (is_top(body, pose, spin, dt) || tumbles(body, pose, spin, mean, rest))
}

/// Whether the body turns so far over `rest` seconds that its spin has to turn with it.
fn tumbles(body: &Body, pose: &Pose, spin: &Vector, motion: &Vector, rest: Real) -> bool {
    if spin.norm() * rest < SLIGHT_TURN {
        return false;
    }
    if turns_aside(body, pose, spin, rest) {
        return true;
    }
    let energy = body.spin_energy(pose, spin);
    (body.spin_energy(&turned(pose, motion, rest), spin) - energy).abs() > TUMBLING * energy
}

/// Whether its own turning changes the spin of a free body by more than a share of [`TUMBLING`] within `rest` seconds.
pub(super) fn turns_aside(body: &Body, pose: &Pose, spin: &Vector, rest: Real) -> bool {
    let torque = -spin.cross(&body.angular_momentum(pose, spin));
    body.angular_acceleration(pose, &torque).norm() * rest > TUMBLING * spin.norm()
}

/// Whether the body spins so fast about an axis of its own that its axis does not go where it is pushed.
fn is_top(body: &Body, pose: &Pose, spin: &Vector, dt: Real) -> bool {
    body.kind() == BodyKind::Dynamic && spin.norm() * dt > TOP && body.nutation(pose, spin) * dt > COMES_ROUND
}

/// Whether some axes are locked: a spin along the others does not turn with the body, and what holds the locked ones changes the momentum
/// along them alone.
pub(super) fn is_guided(body: &Body) -> bool {
    body.locked_axes().rotation != [false; 3]
}

/// A spin at a pose with no more energy than allowed, joules; `None` where it has more by more than [`ASIDE`].
fn within(body: &Body, (pose, spin): (&Pose, Vector), allowed: Real) -> Option<Vector> {
    let has = body.spin_energy(pose, &spin);
    let scaled = || spin * (allowed / has).sqrt();
    (has <= allowed * (1.0 + ASIDE)).then(|| if has > allowed { scaled() } else { spin })
}

impl Course {
    /// Takes over the spin that a solve has led to by the end of the step, of a body that had `start` and whose new motion
    /// begins now.
    pub fn end_spin(&mut self, body: &Body, start: &Velocity, flight: &Flight, solved: &Vector, rest: Real) {
        self.tumbling = None;
        self.top = flight.top.is_some();
        self.end.angular = *solved;
        let turn = start.angular.norm().max(solved.norm()).max(self.motion.angular_velocity.norm()) * rest;
        if !flight.tumbles && turn < SLIGHT_TURN || body.has_equal_moments() {
            return;
        }
        let now = flight.spin + (solved - flight.velocity.angular);
        let gains = || {
            let reached = body.spin_energy(&self.motion.pose_at(rest), solved);
            reached > body.spin_energy(&self.motion.start, &now) * (1.0 + ROUNDING)
        };
        if flight.tumbles || self.lies.is_some() || turn <= FAR_AROUND && !is_guided(body) || gains() {
            self.tumbling = Some(now);
            self.end.angular = self.tumbled(body, &now, rest);
        }
    }

    /// The spin after this share of the `rest` seconds that the course takes: between those at both ends, with no more energy
    /// than between theirs. Spins are other spins where the body has turned.
    pub(super) fn spin_between(&self, body: &Body, share: Real, rest: Real) -> Vector {
        let spin = self.start.angular.lerp(&self.end.angular, share);
        if share == 0.0 || self.motion.angular_velocity.norm() * rest < SLIGHT_TURN || body.has_equal_moments() {
            return spin;
        }
        let energy = |time: Real, spin: &Vector| body.spin_energy(&self.pose_after(time), spin);
        let (first, last) = (energy(0.0, &self.start.angular), energy(rest, &self.end.angular));
        let (allowed, reached) = (first + (last - first) * share, energy(share * rest, &spin));
        if reached > allowed * (1.0 + ROUNDING) { spin * (allowed / reached).sqrt() } else { spin }
    }

    /// What contacts are to add to the spin between time `t` and the end of a step of `dt`, where a body would go on in `flight`.
    pub fn spin_to_come(&self, body: &Body, flight: &Flight, t: Real, dt: Real) -> Vector {
        match &self.tumbling {
            Some(pushed) => {
                let whole = dt - self.origin;
                let share = ((dt - t) / whole.max(Real::MIN_POSITIVE)).clamp(0.0, 1.0);
                let (from, now) = (&self.motion.start, self.pose_at(t));
                let left = (pushed - driven(body, from, &self.start.angular, whole)) * share;
                if is_guided(body) {
                    return left;
                }
                // Who pushes does not turn with it.
                let spin = flight.velocity.angular;
                let whole = spin + body.angular_acceleration(&now, &body.angular_momentum(from, &left));
                let turned = || spin + now.rotation * from.rotation.inverse() * left;
                within(body, (&now, whole), body.spin_energy(from, pushed)).unwrap_or_else(turned) - spin
            }
            None => self.end.angular - flight.last_spin,
        }
    }

    /// The spin that `spin` at the beginning of the motion is `after` seconds of it: by the angular momentum, and turned with
    /// the body where that has been led elsewhere.
    pub fn tumbled(&self, body: &Body, spin: &Vector, after: Real) -> Vector {
        if after <= 0.0 {
            return *spin;
        }
        let start = &self.motion.start;
        let is_guided = is_guided(body);
        if is_guided || self.top && self.aside.is_none() {
            let reached = self.pose_after(after);
            let kept = body.angular_acceleration(&reached, &body.angular_momentum(start, spin));
            let allowed = body.spin_energy(start, spin);
            if is_guided {
                let has = body.spin_energy(&reached, &kept);
                return if has > allowed { kept * (allowed / has).sqrt() } else { kept };
            }
            if let Some(kept) = within(body, (&reached, kept), allowed) {
                return kept;
            }
        }
        if let Some(normal) = &self.lies {
            return self.gone_round(body, spin, normal, after);
        }
        self.pushed_evenly(body, spin, after).unwrap_or_else(|| self.led(body.turn_freely(start, spin, after), after))
    }

    /// The same of what turns little: what makes its spin at the beginning `spin` pushes evenly all the way, as a constant torque does. Where the
    /// motion is led elsewhere the spin turns with the body: of a slender one the same momentum a hair's breadth aside would be a spin about
    /// its length, which leads it further aside. `None` of what turns far, and where that would be more energy than by a push at once.
    fn pushed_evenly(&self, body: &Body, spin: &Vector, after: Real) -> Option<Vector> {
        if self.start.angular.norm().max(spin.norm()) * after > FAR_AROUND {
            return None;
        }
        let start = &self.motion.start;
        let pushes = body.angular_momentum(start, &(spin - self.start.angular)) / after;
        let turn = body.turn_under(start, &self.start.angular, &pushes, after);
        let energy = body.spin_energy(&turned(start, &turn.mean, after), &turn.angular);
        // What has met within the step adds up from meeting to meeting.
        let more = if self.origin == 0.0 { EVENLY } else { ASIDE };
        if energy > body.spin_energy(start, spin) * (1.0 + more) {
            return None;
        }
        Some(self.led(turn, after))
    }

    /// From how a body would be turned at time `t` of the step to how its straight motions have it, if it has flown freely until then.
    pub fn aside_at(&self, body: &Body, t: Real) -> Option<Rotation> {
        let (aside, spin, after) = (self.aside?, self.tumbling?, t - self.origin);
        let turn = body.turn_freely(&self.motion.start, &spin, after);
        let end = turned(&self.motion.start, &turn.mean, after);
        Some(self.pose_after(after).rotation * end.rotation.inverse() * aside)
    }

    /// The spin at the end of a turn of `after` seconds, turned on with the body where its motion leads elsewhere.
    fn led(&self, turn: Turn, after: Real) -> Vector {
        let end = turned(&self.motion.start, &turn.mean, after);
        self.pose_after(after).rotation * end.rotation.inverse() * turn.angular
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot build its scene has failed")]

    use crate::dynamics::{BodyDefinition, BodyKind};
    use crate::id::BodyId;
    use crate::math::{Pose, Real, Rotation, Vector};
    use crate::shape::Shape;
    use crate::world::stepping::Stepping;
    use crate::world::{World, WorldSettings};

    const DT: Real = 1.0 / 60.0;

    /// A splinter in free fall with the given spin, and its course through a step.
    fn falling(spin: Vector) -> (World, BodyId, Stepping) {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let rotation = Rotation::from_euler_angles(0.3, 0.7, -0.4);
        let pose = Pose::from_parts(Vector::new(0.0, 5.0, 0.0).into(), rotation);
        let splinter = Shape::cuboid([0.00066, 0.00094, 0.0426]).unwrap();
        let mut body = BodyDefinition::new(BodyKind::Dynamic, splinter, pose);
        body.angular_velocity = spin;
        let id = world.add_body(body).unwrap();
        let stepping = Stepping::predict(&world, DT);
        (world, id, stepping)
    }

    #[test]
    fn what_tumbles_has_its_spin_energy_at_every_instant_of_a_step() {
        for spin in [Vector::new(3.0, 0.2, 1.0), Vector::new(20.0, -30.0, 5.0), Vector::new(0.0, 4.0, 90.0)] {
            let (world, id, stepping) = falling(spin);
            let (body, course) = (world.body(id).unwrap(), &stepping.courses[0]);
            let first = body.spin_energy(body.pose(), &spin);
            for k in 0..=20 {
                let t = DT * Real::from(k) / 20.0;
                let now = body.spin_energy(&course.pose_at(t), &course.velocity_at(body, t, DT).angular);
                assert!(now <= first * (1.0 + 1e-4), "{spin:?} at {t} s: {now} J of {first} J");
            }
        }
    }

    #[test]
    fn the_spin_that_contacts_leave_keeps_its_energy_while_the_motion_is_led_elsewhere() {
        let (world, id, mut stepping) = falling(Vector::new(20.0, -30.0, 5.0));
        let (body, course) = (world.body(id).unwrap(), &mut stepping.courses[0]);
        let flight = super::Flight::new(body, body.pose(), &course.start.clone(), &world.in_force, [DT; 2]);
        assert!(flight.tumbles);
        // About its length, while it is led to turn across it.
        let solved = body.pose().rotation * Vector::z() * 60.0;
        course.motion.angular_velocity = body.pose().rotation * Vector::x() * 40.0;
        let start = course.start;
        course.end_spin(body, &start, &flight, &solved, DT);
        let left = body.spin_energy(body.pose(), &solved);
        let reached = body.spin_energy(&course.pose_at(DT), &course.end.angular);
        assert!((reached - left).abs() <= 1e-3 * left, "{reached} J of {left} J");
        let kept = body.spin_energy(&course.pose_at(DT), &solved);
        assert!(kept > 10.0 * left, "the same numbers would do: {kept} J of {left} J");
    }
}
