//! How velocities change under forces over an interval in which nothing is touched, and with which constant velocities
//! the body then moves.
//!
//! Whatever the integrator, detection checks exactly the constant-velocity motion that is carried out.
//! The torque-free term ω × Iω is kept (erratum E24).

use super::Turn;
use super::body::{Body, BodyKind};
use crate::math::{Pose, Real, Vector, rotation_over};

/// A relative gain of spin energy up to this is the rounding of a conserved quantity, not an error of the step.
const ENERGY_ROUNDING: Real = 1e-10;

/// Turns longer than this between the ends of a step are too long for stages that are a half of it apart, radians.
const LONG_TURN: Real = 2.0;

/// The rule by which forces change velocities and velocities change places.
///
/// What turns so far within a step that a rule's own numbers would be a turn of any size goes round its momentum instead, whatever the rule; where
/// axes are locked it keeps its spin. Without locked axes what turns freely keeps its angular momentum and its energy by every rule, to rounding; the rules
/// differ in where it is by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Integrator {
    /// Explicit Euler: moves with the old velocity.
    Euler,
    /// Semi-implicit Euler: moves with the new velocity.
    SemiImplicit,
    /// Improved Euler (Heun): moves with the mean of both; exact for constant forces.
    #[default]
    ImprovedEuler,
    /// Fourth-order Runge–Kutta.
    Rk4,
}

/// The velocities after an interval, and the constant ones of the motion over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityChange {
    /// Linear velocity at the end, m/s.
    pub linear: Vector,
    /// Angular velocity at the end, rad/s.
    pub angular: Vector,
    /// The motion's constant linear velocity, m/s.
    pub motion_linear: Vector,
    /// The motion's constant angular velocity, rad/s.
    pub motion_angular: Vector,
}

impl Integrator {
    /// The velocities of `body`, placed at `pose` with the given velocities, after `dt` seconds under gravity and its own forces.
    pub fn advance(
        self,
        body: &Body,
        pose: &Pose,
        linear: Vector,
        angular: Vector,
        gravity: &Vector,
        dt: Real,
    ) -> VelocityChange {
        if body.kind() != BodyKind::Dynamic {
            return VelocityChange { linear, angular, motion_linear: linear, motion_angular: angular };
        }
        let new_linear = linear + free_acceleration(body, gravity) * dt;
        let (new_angular, mean_angular) = self.turn(body, pose, angular, dt);
        let new_linear = new_linear / (1.0 + body.linear_damping * dt);
        VelocityChange {
            linear: new_linear,
            angular: new_angular / (1.0 + body.angular_damping * dt),
            motion_linear: linear.lerp(&new_linear, self.motion_share()),
            motion_angular: mean_angular,
        }
    }

    /// What part of a change of velocity over an interval shows in the motion over it, in [0, 1].
    pub fn motion_share(self) -> Real {
        match self {
            Self::Euler => 0.0,
            Self::SemiImplicit => 1.0,
            Self::ImprovedEuler | Self::Rk4 => 0.5,
        }
    }

    /// The angular velocity after `dt`, and the constant one of the motion.
    fn turn(self, body: &Body, pose: &Pose, angular: Vector, dt: Real) -> (Vector, Vector) {
        let start = angular_acceleration(body, pose, &angular);
        // Bodies that spin about a principal axis, and all that do not spin, keep their velocity to the last bit.
        if start.norm() * dt <= 1e-13 * angular.norm() {
            return (angular, angular);
        }
        let goes_by_momentum = self.goes_by_momentum(body, pose, &angular, dt);
        let turn = if goes_by_momentum {
            body.turn_under(pose, &angular, &body.torque, dt)
        } else {
            let (new, mean) = match self {
                Self::Euler => (angular + start * dt, angular),
                Self::SemiImplicit => (angular + start * dt, angular + start * dt),
                Self::ImprovedEuler => (angular + start * dt, angular + start * (0.5 * dt)),
                Self::Rk4 => rk4_turn(body, pose, angular, start, dt),
            };
            match body.gyration() {
                Some(gyration) => gyration.led_by(pose, &angular, &body.torque, &mean, dt),
                None => Turn { angular: new, mean },
            }
        };
        if body.torque == Vector::zeros() && (goes_by_momentum || body.gyration().is_some()) {
            // Keeps its energy by itself.
            return (turn.angular, turn.mean);
        }
        (without_gain(body, pose, &angular, turn.angular, &turn.mean, dt), turn.mean)
    }

    /// Whether the body goes round its momentum, or keeps its spin where axes are locked: by improved Euler, unless axes are locked, and by
    /// every rule where a step is so long that what it takes for the turn has nothing to do with it. It would be a turn of any size.
    fn goes_by_momentum(self, body: &Body, pose: &Pose, angular: &Vector, dt: Real) -> bool {
        match self {
            Self::ImprovedEuler if body.gyration().is_some() => true,
            Self::Rk4 => {
                let driven = body.angular_acceleration(pose, &body.torque).norm() * dt;
                (angular.norm() + driven) * dt > LONG_TURN
            }
            _ => {
                let gyroscopic = -angular.cross(&body.angular_momentum(pose, angular));
                body.angular_acceleration(pose, &gyroscopic).norm() * dt > angular.norm()
            }
        }
    }
}

/// Gravity and the body's constant force, m/s², locked axes at rest.
fn free_acceleration(body: &Body, gravity: &Vector) -> Vector {
    let free = body.inverse_mass().map(|m| if m > 0.0 { 1.0 } else { 0.0 });
    gravity.component_mul(&free) * body.gravity_scale + body.inverse_mass().component_mul(&body.force)
}

/// I⁻¹(τ − ω × Iω), rad/s².
fn angular_acceleration(body: &Body, pose: &Pose, angular: &Vector) -> Vector {
    if *angular == Vector::zeros() && body.torque == Vector::zeros() {
        return Vector::zeros();
    }
    body.angular_acceleration(pose, &(body.torque - angular.cross(&body.angular_momentum(pose, angular))))
}

/// The pose of a body that has turned with `angular` rad/s for `dt` seconds, about its frame's origin.
pub(crate) fn turned(pose: &Pose, angular: &Vector, dt: Real) -> Pose {
    Pose::from_parts(pose.translation, rotation_over(angular, dt) * pose.rotation)
}

/// The classical fourth-order stages over angular velocity and the angle turned by since the start, whose rate is not the angular
/// velocity alone once the axis moves; the mean is that angle over the interval.
///
/// Source: Munthe-Kaas, "High order Runge–Kutta methods on manifolds" (1999).
fn rk4_turn(body: &Body, pose: &Pose, w1: Vector, k1: Vector, dt: Real) -> (Vector, Vector) {
    let stage = |angle: &Vector, w: &Vector| {
        let across = angle.cross(w);
        let rate = w - across * 0.5 + angle.cross(&across) / 12.0;
        (angular_acceleration(body, &turned(pose, angle, 1.0), w), rate)
    };
    let (half, r1) = (0.5 * dt, w1);
    let (k2, r2) = stage(&(r1 * half), &(w1 + k1 * half));
    let (k3, r3) = stage(&(r2 * half), &(w1 + k2 * half));
    let (k4, r4) = stage(&(r3 * dt), &(w1 + k3 * dt));
    (w1 + (k1 + (k2 + k3) * 2.0 + k4) * (dt / 6.0), (r1 + (r2 + r3) * 2.0 + r4) / 6.0)
}

/// `new`, scaled back where spinning freely would have gained energy: an integrator's error at steps that are too long for
/// the spin, which must not feed the world.
fn without_gain(body: &Body, pose: &Pose, old: &Vector, new: Vector, mean: &Vector, dt: Real) -> Vector {
    if new == *old {
        return new;
    }
    // Explicit Euler moves by the old spin, from rest by none, while the torque works on what it makes of it.
    let work = body.torque.dot(mean).max(body.torque.dot(&old.lerp(&new, 0.5))) * dt;
    let allowed = body.spin_energy(pose, old) + work.max(0.0);
    let reached = body.spin_energy(&turned(pose, mean, dt), &new);
    if reached > allowed * (1.0 + ENERGY_ROUNDING) { new * (allowed / reached).sqrt() } else { new }
}
