//! Separating planes that hold over time: the certificate of conservative advancement.
//!
//! **Problem.** Two convex solids are apart at an instant, along a direction n. Until when is that certain?
//!
//! **Idea.** Look at the gap along n(t), a direction that stands still or turns at a constant rate with a face, *at the
//! end* of a stretch of time as well, where it costs one support query of each solid. In between, every point's distance
//! along n(t) leaves the straight line between its end values by at most an eighth of its second derivative times the
//! square of the stretch (erratum E1, applied to the support function: a largest of points is below the largest of chords).
//!
//! ```text
//!  gap along n  ●───___            ● the gap at either end, by support queries
//!               │  S   ‾‾‾──___    S the most that a point leaves its chord
//!               └───────────────●──  certain: min(ends) - S
//! ```
//!
//! A direction that stands still has two bounds more: no point swings by more than its circle's diameter, and a spinning
//! solid stays within its own solid of revolution, so that the wildest spin costs no more than a slow one.
//!
//! **Guarantee.** Errs only towards "too near". **Limits.** Knows one plane at a time; the caller looks for the next.
//!
//! **Source.** Mirtich (1996) for conservative advancement; Catto (2013) for planes that turn with a feature; the bound is E1's.

use super::kinematics::{Instant, PairMotion, Turning, turned};
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Point, Real, Vector};
use crate::motion::bound::chord_deviation;
use crate::volume::Aabb;

/// What the certificates know of one side's core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideBounds {
    /// The rounding radius around the core, metres.
    pub radius: Real,
    /// The farthest the core is from the axis of rotation, metres; zero for a body that does not turn.
    pub reach: Real,
    /// The farthest the core is from the centre of rotation, metres.
    pub size: Real,
    /// The farthest the core gets within the interval from the line through its centre along the other body's axis, metres, where
    /// that is known of a body that hardly turns; else the size.
    pub lever: Real,
    /// The core's extent along the axis of rotation, from the centre, metres.
    pub axial: [Real; 2],
}

impl SideBounds {
    /// Of a convex solid within `size` metres of its centre of rotation.
    pub fn of<S: SupportMap + ?Sized>(solid: &S, turning: &Turning, size: Real) -> Self {
        let radius = solid.radius();
        if turning.speed == 0.0 {
            return Self { radius, reach: 0.0, size, lever: size, axial: [0.0; 2] };
        }
        let axis = &turning.local_axis;
        let along = |direction: &Vector| (solid.support(direction, u32::MAX).point - turning.local_centre).dot(axis);
        let reach = (solid.reach_from_axis(&turning.local_centre, axis) - radius).max(0.0).min(size);
        Self { radius, reach, size, lever: size, axial: [along(&-axis), along(axis)] }
    }

    /// Of a convex solid with the given rounding radius in the box `aabb`, radius included, and within `size` metres of its
    /// centre of rotation: looser than [`SideBounds::of`], and the same work for any number of vertices.
    pub fn within(aabb: &Aabb, radius: Real, turning: &Turning, size: Real) -> Self {
        if turning.speed == 0.0 {
            return Self { radius, reach: 0.0, size, lever: size, axial: [0.0; 2] };
        }
        let (axis, upright) = (&turning.local_axis, turning.local_axis.abs());
        let arm = aabb.centre() - turning.local_centre;
        let half = aabb.half_extents().add_scalar(-radius).sup(&Vector::zeros());
        let (middle, width) = (arm.dot(axis), upright.dot(&half));
        // No |e × axis| is greater for |e| ≤ half, component by component.
        let spread = Vector::new(
            half.y * upright.z + half.z * upright.y,
            half.z * upright.x + half.x * upright.z,
            half.x * upright.y + half.y * upright.x,
        );
        let reach = (arm.cross(axis).norm() + spread.norm()).min(size);
        Self { radius, reach, size, lever: size, axial: [middle - width, middle + width] }
    }

    /// Of a set of points, by themselves.
    pub fn of_points(points: &[Point], turning: &Turning) -> Self {
        let axial = [Real::INFINITY, Real::NEG_INFINITY];
        let mut bounds = Self { radius: 0.0, reach: 0.0, size: 0.0, lever: 0.0, axial };
        for p in points {
            let arm = p - turning.local_centre;
            let along = arm.dot(&turning.local_axis);
            bounds.axial = [bounds.axial[0].min(along), bounds.axial[1].max(along)];
            bounds.size = bounds.size.max(arm.norm_squared());
            bounds.reach = bounds.reach.max(arm.cross(&turning.local_axis).norm_squared());
        }
        bounds.size = bounds.size.sqrt();
        bounds.reach = bounds.reach.sqrt();
        bounds.lever = bounds.size;
        bounds
    }

    /// The same with the lever to a plane that turns with the other body, for a body that by itself turns by no more than a
    /// few degrees over the interval of `length` seconds.
    pub fn beside<S: SupportMap + ?Sized>(self, solid: &S, turning: &Turning, other: &Turning, length: Real) -> Self {
        const LITTLE: Real = 0.1;
        let turn = turning.speed * length;
        if turn > LITTLE || other.speed == 0.0 {
            return self;
        }
        let axis = turning.rotation(0.0).tr_mul(&other.axis);
        let now = (solid.reach_from_axis(&turning.local_centre, &axis) - self.radius).max(0.0);
        // No point moves further than it turns.
        Self { lever: (now + turn * self.size).min(self.size), ..self }
    }

    /// The farthest the core gets along the unit `direction` at any time while it turns, from the centre.
    #[inline]
    fn revolved(&self, turning: &Turning, direction: &Vector, across: Real) -> Real {
        let slope = direction.dot(&turning.axis);
        (self.axial[0] * slope).max(self.axial[1] * slope) + self.reach * across
    }

    /// The farthest that the core ever gets along a direction that turns at `spin`, from the centre; `upright` and `slant` are
    /// the cosine and the sine of its angle to the axis. The other body turns at `spin` when `with_other`.
    fn all_around(&self, turning: &Turning, spin: &Vector, with_other: bool, upright: Real, slant: Real) -> Real {
        let lever = if with_other { self.lever } else { self.size };
        let is_parallel = turning.speed > 0.0 && turning.velocity.cross(spin) == Vector::zeros();
        let lever = if is_parallel { lever.min(self.reach) } else { lever };
        self.size.min(upright * self.size + slant * lever)
    }

    /// A bound of the second derivative of n(t) · r(t) over the core, m/s², where n turns at `spin`, which is the other
    /// body's own when `with_other`, and has the sine `slant` to its axis.
    fn bend(&self, turning: &Turning, spin: &Vector, spin_speed: Real, (with_other, slant): (bool, Real)) -> Real {
        let between = turning.velocity - spin;
        if between == Vector::zeros() {
            0.0
        } else if turning.velocity.cross(spin) == Vector::zeros() && turning.speed > 0.0 {
            // About one axis the two turnings are one.
            between.norm_squared() * self.reach
        } else {
            // In the frame that turns with n a point has the velocity u × r, u the one turning less the other, whose own
            // derivative there is u × (ω × r) − spin × (u × r).
            let any = between.norm() * (spin_speed + turning.speed) * self.size;
            let lever = if with_other { self.lever } else { self.size };
            // Of n″·r the part of r across the axis of n counts; what r's own turning adds is small where that is slow.
            let own = turning.speed * (2.0 * spin_speed * slant + turning.speed) * self.size;
            any.min(spin_speed * spin_speed * slant * lever + own)
        }
    }
}

/// How much of a direction lies across an axis: the sine of the angle between them.
#[inline]
fn across(direction: &Vector, axis: &Vector) -> Real {
    direction.cross(axis).norm().min(1.0)
}

/// Two convex solids in motion, with their bounds.
pub(crate) struct ConvexPair<'q, A: ?Sized, B: ?Sized> {
    pub a: &'q A,
    pub b: &'q B,
    pub bounds_a: SideBounds,
    pub bounds_b: SideBounds,
    pub motion: &'q PairMotion,
    /// How far rounding can move a gap, metres.
    pub rounding: Real,
}

/// A direction that separates at an instant, and how it turns from then on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    time: Real,
    /// Unit, world, from A to B.
    normal: Vector,
    spin: Vector,
    spin_speed: Real,
    /// The offset of the centres along the normal at the start.
    along: Real,
    /// The farthest point of A (radius included) along the normal at the start, from A's centre.
    height_a: Real,
    /// The nearest point of B (radius included) along the normal at the start, from B's centre.
    height_b: Real,
    /// How much of the normal lies across the axis that a turning plane turns about, a sine.
    slant: Real,
    /// What a fixed plane needs: how much of the normal lies across the axes, and the solids of revolution.
    across_a: Real,
    across_b: Real,
    revolved_a: Real,
    revolved_b: Real,
    /// The farthest that A gets along the normal of a turning plane at any time, and the nearest that B gets, each from its
    /// centre, radius included.
    always_a: Real,
    always_b: Real,
    /// Of a plane that stands still, a bound of the second derivative of the gap; of one that turns, of what the solids'
    /// own turning against it adds to that of the centres' part, m/s².
    bend: Real,
    /// The second derivative of the centres' part at the start of a turning plane, m/s².
    curve: Real,
}

/// What is certain over a stretch of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// No gap less than this, metres.
    pub worst: Real,
    /// The gap along the plane at the end, metres.
    pub end: Real,
    /// What was taken off for bent paths, metres.
    pub swing: Real,
}

/// Where climbs over the edges may start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hints {
    pub a: u32,
    pub b: u32,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> ConvexPair<'_, A, B> {
    /// The farthest point of A along the world direction `n`, from its centre, radius included.
    #[inline]
    fn height_a(&self, rotation: &Matrix, n: &Vector, hints: &mut Hints) -> Real {
        let direction = rotation.tr_mul(n);
        let support = self.a.support(&direction, hints.a);
        hints.a = support.vertex;
        direction.dot(&(support.point - self.motion.a.local_centre)) + self.bounds_a.radius
    }

    /// The nearest point of B along the world direction `n`, from its centre, radius included.
    #[inline]
    fn height_b(&self, rotation: &Matrix, n: &Vector, hints: &mut Hints) -> Real {
        let direction = rotation.tr_mul(n);
        let support = self.b.support(&-direction, hints.b);
        hints.b = support.vertex;
        direction.dot(&(support.point - self.motion.b.local_centre)) - self.bounds_b.radius
    }

    /// The plane with the unit `normal` at `instant`, which turns at `spin` (rad/s, world) from there on.
    pub fn plane(&self, instant: &Instant, normal: &Vector, spin: &Vector, hints: &mut Hints) -> Plane {
        let motion = self.motion;
        let spin_speed = spin.norm();
        let mut plane = Plane {
            time: instant.time,
            normal: *normal,
            spin: *spin,
            spin_speed,
            along: normal.dot(&instant.offset),
            height_a: self.height_a(&instant.rotation_a, normal, hints),
            height_b: self.height_b(&instant.rotation_b, normal, hints),
            slant: 0.0,
            across_a: 0.0,
            across_b: 0.0,
            revolved_a: 0.0,
            revolved_b: 0.0,
            always_a: 0.0,
            always_b: 0.0,
            bend: 0.0,
            curve: 0.0,
        };
        if spin_speed > 0.0 {
            plane.slant = (spin.cross(normal).norm() / spin_speed).min(1.0);
            let (with_a, with_b) = (*spin == motion.a.velocity, *spin == motion.b.velocity);
            plane.bend = self.bounds_a.bend(&motion.a, spin, spin_speed, (with_b, plane.slant))
                + self.bounds_b.bend(&motion.b, spin, spin_speed, (with_a, plane.slant));
            plane.curve = centres_curve(motion, spin, normal, &instant.offset);
            let upright = (spin.dot(normal) / spin_speed).abs();
            let all_around = |bounds: &SideBounds, turning: &Turning, with_other: bool| {
                bounds.all_around(turning, spin, with_other, upright, plane.slant) + bounds.radius
            };
            plane.always_a = if with_a { plane.height_a } else { all_around(&self.bounds_a, &motion.a, with_b) };
            plane.always_b = if with_b { plane.height_b } else { -all_around(&self.bounds_b, &motion.b, with_a) };
        } else {
            let (a, b) = (&motion.a, &motion.b);
            plane.across_a = across(normal, &a.axis);
            plane.across_b = across(normal, &b.axis);
            plane.revolved_a = self.bounds_a.revolved(a, normal, plane.across_a) + self.bounds_a.radius;
            plane.revolved_b = -self.bounds_b.revolved(b, &-normal, plane.across_b) - self.bounds_b.radius;
            plane.bend = a.speed * a.speed * self.bounds_a.reach * plane.across_a
                + b.speed * b.speed * self.bounds_b.reach * plane.across_b;
        }
        plane
    }

    /// What is certain of the gap from the plane's start until `stretch` seconds later.
    pub fn ahead(&self, plane: &Plane, stretch: Real, hints: &mut Hints) -> Ahead {
        if plane.spin_speed > 0.0 {
            self.ahead_turning(plane, stretch, hints)
        } else {
            self.ahead_fixed(plane, stretch, hints)
        }
    }

    fn ahead_fixed(&self, plane: &Plane, stretch: Real, hints: &mut Hints) -> Ahead {
        let motion = self.motion;
        let end = plane.time + stretch;
        let n = &plane.normal;
        let along = n.dot(&motion.offset_at(end));
        let (turns_a, turns_b) = (motion.a.speed > 0.0, motion.b.speed > 0.0);
        let height_a = if turns_a { self.height_a(&motion.a.rotation(end), n, hints) } else { plane.height_a };
        let height_b = if turns_b { self.height_b(&motion.b.rotation(end), n, hints) } else { plane.height_b };
        let swing_a = chord_deviation(motion.a.speed, self.bounds_a.reach, stretch) * plane.across_a;
        let swing_b = chord_deviation(motion.b.speed, self.bounds_b.reach, stretch) * plane.across_b;
        let end_gap = along + height_b - height_a;
        let mut worst = (plane.along + plane.height_b - plane.height_a).min(end_gap) - swing_a - swing_b;
        if turns_a {
            worst = worst.max((plane.along + plane.height_b).min(along + height_b) - plane.revolved_a - swing_b);
        }
        if turns_b {
            worst = worst.max((plane.along - plane.height_a).min(along - height_a) + plane.revolved_b - swing_a);
        }
        if turns_a && turns_b {
            worst = worst.max(plane.along.min(along) + plane.revolved_b - plane.revolved_a);
        }
        Ahead { worst: worst - self.rounding, end: end_gap, swing: swing_a + swing_b }
    }

    fn ahead_turning(&self, plane: &Plane, stretch: Real, hints: &mut Hints) -> Ahead {
        let motion = self.motion;
        let instant = motion.at(plane.time + stretch);
        let n = turned(&plane.normal, &plane.spin, plane.spin_speed, stretch);
        let along = n.dot(&instant.offset);
        // A face that the plane turns with stays as far from its own centre as it was.
        let height_a = if motion.a.velocity == plane.spin {
            plane.height_a
        } else {
            self.height_a(&instant.rotation_a, &n, hints)
        };
        let height_b = if motion.b.velocity == plane.spin {
            plane.height_b
        } else {
            self.height_b(&instant.rotation_b, &n, hints)
        };
        let eighth = 0.125 * stretch * stretch;
        let centres = plane.centres_bend(motion, &instant, &n);
        let swing = eighth * (centres + plane.bend).max(0.0);
        let end = along + height_b - height_a;
        let worst = (plane.along + plane.height_b - plane.height_a).min(end) - swing;
        // A round solid is as far along the direction all the time, however far the direction turns.
        let swing_of_centres = eighth * centres.max(0.0);
        let round = plane.along.min(along) + plane.always_b - plane.always_a - swing_of_centres;
        let (worst, swing) = if round > worst { (round, swing_of_centres) } else { (worst, swing) };
        Ahead { worst: worst - self.rounding, end, swing }
    }
}

/// The second derivative of n · c where n turns at `spin` and c, the way between the centres, is `offset` now; m/s².
fn centres_curve(motion: &PairMotion, spin: &Vector, normal: &Vector, offset: &Vector) -> Real {
    spin.dot(normal) * spin.dot(offset) - spin.norm_squared() * normal.dot(offset)
        + 2.0 * spin.cross(normal).dot(&motion.velocity)
}

impl Plane {
    /// The gap along the plane at its start, metres (rounding not taken off).
    pub fn gap(&self) -> Real {
        self.along + self.height_b - self.height_a
    }

    /// A bound of the rate at which the gap closes at any time, m/s, for a plane that stands still.
    pub fn closing_bound<A: ?Sized, B: ?Sized>(&self, pair: &ConvexPair<'_, A, B>) -> Real {
        -self.normal.dot(&pair.motion.velocity)
            + pair.motion.a.speed * pair.bounds_a.reach * self.across_a
            + pair.motion.b.speed * pair.bounds_b.reach * self.across_b
    }

    /// No second derivative of n · c along a turning plane is greater from its start until `end`, when its normal is `normal`;
    /// m/s². Here c is the way between the centres. Below zero where that bends down, so that it never falls below the chord
    /// of its ends.
    ///
    /// Known at both ends, the second derivative leaves its own chord by at most an eighth of the fourth times the square of the
    /// stretch, |n⁗·c + 4 n‴·ċ|, where the k-th derivative of n has the size |spin|ᵏ times the slant. What the turning and the
    /// speed of the centres do against each other is in the values at the ends.
    fn centres_bend(&self, motion: &PairMotion, end: &Instant, normal: &Vector) -> Real {
        let (speed, stretch) = (self.spin_speed, end.time - self.time);
        let start = motion.offset_at(self.time);
        // Across the axis, times the spin.
        let arm = self.spin.cross(&start).norm_squared().max(self.spin.cross(&end.offset).norm_squared()).sqrt();
        let drift = self.spin.cross(&motion.velocity).norm();
        let most = self.slant * (speed * arm + 2.0 * drift);
        let fourth = self.slant * speed * speed * (speed * arm + 4.0 * drift);
        let ends = self.curve.max(centres_curve(motion, &self.spin, normal, &end.offset));
        most.min(ends + 0.125 * stretch * stretch * fourth)
    }

    /// An estimate of how fast the gap is used up: of the bend that is taken off its chord, or of four times its own where
    /// that is down, m/s².
    pub fn bend_estimate(&self) -> Real {
        if self.spin_speed == 0.0 {
            return self.bend;
        }
        let bend = self.bend + self.curve;
        if bend >= 0.0 { bend } else { -4.0 * bend }
    }
}

#[cfg(test)]
mod tests;
