//! Separating planes that hold over time: the certificate of conservative advancement.
//!
//! **Problem.** Two convex solids are apart at an instant, along a direction n. Until when is that certain?
//!
//! **Idea.** Look at the gap along n(t), a direction that stands still or turns at a constant rate with a face, *at the
//! end* of a stretch of time as well, where it costs one support query of each solid. In between, a point's distance along
//! n(t) whose second derivative is at most G is nowhere below the parabola of that bend through its end values (erratum
//! E1), and the least of many chords is above the chord of the least ends: so the gap is above one parabola.
//!
//! ```text
//!  gap along n  ●                  ● the gap at either end, by support queries
//!               │ ╲_            __ S the most that the parabola hangs below the chord, G s²/8
//!               │   ‾‾──____──‾‾ ●  certain: the parabola's lowest point ([`least_between`])
//! ```
//!
//! A gap that opens as fast as it bends has that at its start, and nothing is taken off it. A direction that stands still has two
//! bounds more: no point swings by more than its circle's diameter, and a spinning solid stays within its own solid of revolution,
//! so that the wildest spin costs no more than a slow one. One that turns has another where the way between the centres
//! certainly bends away: it stays above its tangent ([`least_beyond`]).
//!
//! **Guarantee.** Errs only towards "too near". **Limits.** Knows one plane at a time; the caller looks for the next.
//!
//! **Source.** Mirtich (1996) for conservative advancement; Catto (2013) for planes that turn with a feature; the bound is E1's.

mod bend;
mod side_bounds;

pub(super) use bend::used_up;
pub(crate) use side_bounds::SideBounds;

use super::kinematics::{Instant, PairMotion, Turning, turned};
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Real, Vector};
use bend::{Swing, least_between, least_beyond};

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
    /// The first and second derivative of the centres' part at the start of a turning plane, m/s and m/s².
    rate: Real,
    curve: Real,
}

/// What is certain over a stretch of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// No gap less than this, metres.
    pub worst: Real,
    /// The gap along the plane at the end, metres.
    pub end: Real,
    /// What was taken off the lower end for bent paths, metres.
    pub lost: Real,
    /// What no point's distance along the plane is thought to bend away by more, m/s².
    pub bend: Real,
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
            rate: 0.0,
            curve: 0.0,
        };
        if spin_speed > 0.0 {
            plane.slant = (spin.cross(normal).norm() / spin_speed).min(1.0);
            let (with_a, with_b) = (*spin == motion.a.velocity, *spin == motion.b.velocity);
            plane.bend = self.bounds_a.bend(&motion.a, spin, spin_speed, (with_b, plane.slant))
                + self.bounds_b.bend(&motion.b, spin, spin_speed, (with_a, plane.slant));
            plane.rate = normal.dot(&motion.velocity) + spin.cross(normal).dot(&instant.offset);
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

    /// The gap along the unit `normal` (world) at an instant, metres (rounding not taken off).
    pub fn gap(&self, instant: &Instant, normal: &Vector, hints: &mut Hints) -> Real {
        normal.dot(&instant.offset) + self.height_b(&instant.rotation_b, normal, hints)
            - self.height_a(&instant.rotation_a, normal, hints)
    }

    /// A bound of the rate at which the gap along the unit `normal` (world), which stands still, closes at any time, m/s.
    pub fn closing_bound(&self, normal: &Vector) -> Real {
        let (a, b) = (&self.motion.a, &self.motion.b);
        -normal.dot(&self.motion.velocity)
            + a.speed * self.bounds_a.reach * across(normal, &a.axis)
            + b.speed * self.bounds_b.reach * across(normal, &b.axis)
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
        let swing_a = Swing::of(&motion.a, self.bounds_a.reach, plane.across_a, stretch);
        let swing_b = Swing::of(&motion.b, self.bounds_b.reach, plane.across_b, stretch);
        let (start_gap, end_gap) = (plane.gap(), along + height_b - height_a);
        let mut worst = swing_a.and(&swing_b).least_between(start_gap, end_gap);
        if turns_a {
            let point_of_b = swing_b.least_between(plane.along + plane.height_b, along + height_b);
            worst = worst.max(point_of_b - plane.revolved_a);
        }
        if turns_b {
            let point_of_a = swing_a.least_between(plane.along - plane.height_a, along - height_a);
            worst = worst.max(point_of_a + plane.revolved_b);
        }
        if turns_a && turns_b {
            worst = worst.max(plane.along.min(along) + plane.revolved_b - plane.revolved_a);
        }
        let lower = start_gap.min(end_gap);
        Ahead { worst: worst - self.rounding, end: end_gap, lost: lower - worst, bend: plane.bend }
    }

    fn ahead_turning(&self, plane: &Plane, stretch: Real, hints: &mut Hints) -> Ahead {
        let motion = self.motion;
        let end = plane.time + stretch;
        let offset = motion.offset_at(end);
        let n = turned(&plane.normal, &plane.spin, plane.spin_speed, stretch);
        let along = n.dot(&offset);
        // A face that the plane turns with stays as far from its own centre as it was.
        let height_a = if motion.a.velocity == plane.spin {
            plane.height_a
        } else {
            self.height_a(&motion.a.rotation(end), &n, hints)
        };
        let height_b = if motion.b.velocity == plane.spin {
            plane.height_b
        } else {
            self.height_b(&motion.b.rotation(end), &n, hints)
        };
        let eighth = 0.125 * stretch * stretch;
        let [fewest, most] = plane.centres_bend(motion, end, &offset, &n);
        let bend = (most + plane.bend).max(0.0);
        let end_gap = along + height_b - height_a;
        let worst = least_between(plane.gap(), end_gap, eighth * bend);
        // A round solid is as far along the direction all the time, however far the direction turns.
        let mut centres = least_between(plane.along, along, eighth * most.max(0.0));
        if fewest >= 0.0 {
            centres = centres.max(plane.along + least_beyond(plane.rate, fewest, stretch));
        }
        let round = centres + plane.always_b - plane.always_a;
        let (worst, bend) = if round > worst { (round, most.max(0.0)) } else { (worst, bend) };
        Ahead { worst: worst - self.rounding, end: end_gap, lost: plane.gap().min(end_gap) - worst, bend }
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

    /// No second derivative of n · c along a turning plane is less than the first, or greater than the second, from its start until
    /// `end`, when its normal is `normal` and `offset` the way c between the centres; m/s². Both are below zero where that bends down, so
    /// that it never falls below the chord of its ends, and above zero where it bends away, so that it never falls below a tangent.
    ///
    /// Known at both ends, the second derivative leaves its own chord by at most an eighth of the fourth times the square of the
    /// stretch, upwards where the fourth is below zero and downwards where it is above, and so does the fourth by the sixth. The
    /// derivative of order 2k is n⁽²ᵏ⁾·c + 2k n⁽²ᵏ⁻¹⁾·ċ, where the k-th derivative of n has the size |spin|ᵏ times the slant, and
    /// that of order 2k + 2 is −|spin|² times that of order 2k less 2 n⁽²ᵏ⁺¹⁾·ċ. What the turning and the speed of the centres do
    /// against each other is in the values at the ends.
    fn centres_bend(&self, motion: &PairMotion, end: Real, offset: &Vector, normal: &Vector) -> [Real; 2] {
        let (speed, stretch) = (self.spin_speed, end - self.time);
        let start = motion.offset_at(self.time);
        // Across the axis, times the spin.
        let arm = self.spin.cross(&start).norm_squared().max(self.spin.cross(offset).norm_squared()).sqrt();
        let drift = self.spin.cross(&motion.velocity).norm();
        let square = speed * speed;
        let most = self.slant * (speed * arm + 2.0 * drift);
        let most_fourth = self.slant * square * (speed * arm + 4.0 * drift);
        let most_sixth = self.slant * square * square * (speed * arm + 6.0 * drift);
        let curve = centres_curve(motion, &self.spin, normal, offset);
        let fourth =
            |curve: Real, normal: &Vector| -square * (curve + 2.0 * self.spin.cross(normal).dot(&motion.velocity));
        let fourths = [fourth(self.curve, &self.normal), fourth(curve, normal)];
        let eighth = 0.125 * stretch * stretch;
        let least_fourth = (fourths[0].min(fourths[1]) - eighth * most_sixth).clamp(-most_fourth, 0.0);
        let greatest_fourth = (fourths[0].max(fourths[1]) + eighth * most_sixth).clamp(0.0, most_fourth);
        [
            (-most).max(self.curve.min(curve) - eighth * greatest_fourth),
            most.min(self.curve.max(curve) - eighth * least_fourth),
        ]
    }

    /// Whether the plane turns.
    pub fn turns(&self) -> bool {
        self.spin_speed > 0.0
    }

    /// How long a stretch may be on which a gap of `room` metres is certain not to be used up that closes at `closing` m/s at
    /// first, seconds: an estimate.
    pub fn outlook<A: ?Sized, B: ?Sized>(&self, pair: &ConvexPair<'_, A, B>, room: Real, closing: Real) -> Real {
        if !self.turns() {
            // Solids of revolution come nearer by the way of their centres alone.
            let round = room - (self.revolved_a - self.height_a) - (self.height_b - self.revolved_b);
            let approach = -self.normal.dot(&pair.motion.velocity);
            let passing = if round <= 0.0 {
                0.0
            } else if approach > 0.0 {
                round / approach
            } else {
                Real::INFINITY
            };
            return used_up(room, closing, 0.0, self.bend).max(passing);
        }
        let seen = used_up(room, closing, self.curve, self.curve + self.bend);
        // What round solids would lose at once, to lose nothing by turning.
        let round = self.height_b - self.always_b + self.always_a - self.height_a;
        if round < 0.5 * room { seen.max(used_up(room - round, closing, self.curve, self.curve)) } else { seen }
    }
}

#[cfg(test)]
mod tests;
