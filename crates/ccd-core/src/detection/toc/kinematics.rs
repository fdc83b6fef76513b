//! The relative motion of a pair, unrolled for many evaluations.
//!
//! Everything is seen in a frame with the world's axes whose origin rides on A's centre of rotation. Such a frame is as
//! good as the world for distances at an instant and for fixed directions, and it keeps coordinates as small as the pair
//! is, wherever in the world it is.

use crate::math::{Matrix, Point, Real, Vector, skew};
use crate::motion::RigidMotion;

/// A body's turning about its centre: rotation matrices at any time for one sine and cosine.
#[derive(Clone, Debug)]
pub(crate) struct Turning {
    /// The rotation at time zero.
    start: Matrix,
    /// What the sine of the angle is multiplied with.
    sine: Matrix,
    /// What one less the cosine is multiplied with.
    versine: Matrix,
    /// The unit axis in the world; zero when the body does not turn.
    pub axis: Vector,
    /// The unit axis in the body's frame; zero when the body does not turn.
    pub local_axis: Vector,
    /// The angular velocity, rad/s.
    pub velocity: Vector,
    /// Its size, rad/s.
    pub speed: Real,
    /// The centre of rotation, in the body's frame.
    pub local_centre: Point,
}

impl Turning {
    fn new(motion: &RigidMotion, at: Real) -> Self {
        let start = motion.rotation_at(at).to_rotation_matrix().into_inner();
        let velocity = motion.angular_velocity;
        let speed = velocity.norm();
        let axis = if speed > 0.0 { velocity / speed } else { Vector::zeros() };
        let cross = skew(&axis);
        let sine = cross * start;
        Self {
            start,
            sine,
            versine: cross * sine,
            axis,
            local_axis: start.tr_mul(&axis),
            velocity,
            speed,
            local_centre: motion.local_centre,
        }
    }

    /// Of what does not turn, with the world's axes about its centre.
    fn still() -> Self {
        let none = Matrix::zeros();
        Self {
            start: Matrix::identity(),
            sine: none,
            versine: none,
            axis: Vector::zeros(),
            local_axis: Vector::zeros(),
            velocity: Vector::zeros(),
            speed: 0.0,
            local_centre: Point::origin(),
        }
    }

    /// The rotation from the body's frame into the world `s` seconds after the start (Rodrigues).
    #[inline]
    pub fn rotation(&self, s: Real) -> Matrix {
        if self.speed == 0.0 {
            return self.start;
        }
        let (sin, cos) = (self.speed * s).sin_cos();
        self.start + self.sine * sin + self.versine * (1.0 - cos)
    }
}

/// `v` turned by `velocity` (rad/s) over `s` seconds.
#[inline]
pub(crate) fn turned(v: &Vector, velocity: &Vector, speed: Real, s: Real) -> Vector {
    if speed == 0.0 {
        return *v;
    }
    let axis = velocity / speed;
    let (sin, cos) = (speed * s).sin_cos();
    let cross = axis.cross(v);
    v + cross * sin + axis.cross(&cross) * (1.0 - cos)
}

/// Where both bodies are at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant {
    /// Seconds after the interval's start.
    pub time: Real,
    /// A's frame into the world.
    pub rotation_a: Matrix,
    /// B's frame into the world.
    pub rotation_b: Matrix,
    /// From A's centre of rotation to B's.
    pub offset: Vector,
}

/// Two motions, one relative to the other, on a clock that starts with the interval.
#[derive(Clone, Debug)]
pub(crate) struct PairMotion {
    pub a: Turning,
    pub b: Turning,
    /// From A's centre to B's at the interval's start.
    offset: Vector,
    /// B's centre's velocity less A's.
    pub velocity: Vector,
    /// A's centre in the world at the interval's start, and its velocity.
    centre_a: Point,
    velocity_a: Vector,
    /// The interval's length, seconds.
    pub length: Real,
}

impl PairMotion {
    /// Of two finite motions from `start` on, for `length` seconds.
    pub fn new(a: &RigidMotion, b: &RigidMotion, start: Real, length: Real) -> Self {
        let (turning_a, turning_b) = (Turning::new(a, start), Turning::new(b, start));
        // Differences first: the places themselves may be a million metres from the origin.
        let between = b.start.translation.vector - a.start.translation.vector;
        let arms = b.start.rotation * b.local_centre.coords - a.start.rotation * a.local_centre.coords;
        let velocity = b.linear_velocity - a.linear_velocity;
        Self {
            offset: between + arms + velocity * start,
            velocity,
            centre_a: a.centre_at(start),
            velocity_a: a.linear_velocity,
            a: turning_a,
            b: turning_b,
            length,
        }
    }

    /// The same motion of the centres, where A, or B, does not turn, and has a frame with the world's axes about its centre.
    pub fn without_turning(&self, a: bool, b: bool) -> Self {
        let mut still = self.clone();
        if a {
            still.a = Turning::still();
        }
        if b {
            still.b = Turning::still();
        }
        still
    }

    /// Both bodies `s` seconds after the start.
    #[inline]
    pub fn at(&self, s: Real) -> Instant {
        Instant { time: s, rotation_a: self.a.rotation(s), rotation_b: self.b.rotation(s), offset: self.offset_at(s) }
    }

    /// From A's centre to B's `s` seconds after the start.
    #[inline]
    pub fn offset_at(&self, s: Real) -> Vector {
        self.offset + self.velocity * s
    }

    /// The place of A's centre in the world `s` seconds after the start.
    pub fn centre_a_at(&self, s: Real) -> Point {
        self.centre_a + self.velocity_a * s
    }

    /// Whether neither body turns.
    #[inline]
    pub fn is_straight(&self) -> bool {
        self.a.speed == 0.0 && self.b.speed == 0.0
    }

    /// How far rounding can move a computed gap, metres, when A's points are within `reach_a` of its centre (and of its
    /// frame's origin) and B's within `reach_b`: proportional to the coordinates, and to the angle, whose own rounding turns the body.
    pub fn rounding(&self, reach_a: Real, reach_b: Real) -> Real {
        const UNITS: Real = 64.0 * Real::EPSILON;
        let way = self.offset.norm() + self.velocity.norm() * self.length;
        UNITS
            * (way
                + (reach_a + self.a.local_centre.coords.norm()) * (1.0 + self.a.speed * self.length)
                + (reach_b + self.b.local_centre.coords.norm()) * (1.0 + self.b.speed * self.length))
    }
}

/// How a point of A moves in B's frame from an instant on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointMotion {
    /// The place there.
    pub place: Point,
    /// m/s, there.
    pub velocity: Vector,
    /// m/s², there.
    pub acceleration: Vector,
    /// No acceleration from there on is larger, m/s².
    pub most_acceleration: Real,
    /// None changes faster, m/s³.
    pub most_jerk: Real,
}

impl PointMotion {
    /// Of a `point` in A's frame, over the next `rest` seconds.
    pub fn of(motion: &PairMotion, point: &Point, at: &Instant, rest: Real) -> Self {
        let arm = at.rotation_a * (point - motion.a.local_centre);
        let lever = arm - at.offset;
        let velocity = motion.a.velocity.cross(&arm) - motion.velocity - motion.b.velocity.cross(&lever);
        let (reach, length) = (motion.a.axis.cross(&arm).norm() + 4.0 * Real::EPSILON * arm.norm(), arm.norm());
        let linear = motion.velocity.norm() + motion.a.speed * reach;
        let (spin, omega) = (motion.a.speed, motion.b.speed);
        let furthest = lever.norm() + (motion.velocity.norm() * rest + 2.0 * if spin > 0.0 { length } else { 0.0 });
        // The lever's derivatives seen in the world, and from them in the other's turning frame.
        let (turn_a, turn_b) = (&motion.a.velocity, &motion.b.velocity);
        let first = turn_a.cross(&arm) - motion.velocity;
        let second = turn_a.cross(&turn_a.cross(&arm));
        let acceleration = second - turn_b.cross(&first) * 2.0 + turn_b.cross(&turn_b.cross(&lever));
        let most_acceleration = spin * spin * reach + 2.0 * omega * linear + omega * omega * furthest;
        let most_jerk = spin * spin * reach * (spin + 3.0 * omega)
            + 3.0 * omega * omega * linear
            + omega * omega * omega * furthest;
        let place = at.rotation_b.tr_mul(&lever) + motion.b.local_centre.coords;
        Self {
            place: place.into(),
            velocity: at.rotation_b.tr_mul(&velocity),
            acceleration: at.rotation_b.tr_mul(&acceleration),
            most_acceleration: most_acceleration * (1.0 + 1e-12),
            most_jerk: most_jerk * (1.0 + 1e-12),
        }
    }
}
