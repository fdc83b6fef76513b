//! For how long two parts of moving solids are certainly apart, in closed form.
//!
//! **Problem.** Two parts (boxes of trees, triangles) are apart along a direction n at an instant. Until when is that
//! certain, for little more than the price of looking at the gap?
//!
//! **Idea.** Hold n fixed in the world. The height of a turning point above a plane across n has, at the instant, a value, a
//! slope and a second derivative that are *linear* in the point: n·r, (n×ω)·r and ((n·ω)ω − ω²n)·r. The extreme values over a
//! part are support queries along those three vectors, and what is left is at most |ω|²·|n×ω|·ρ·s³/6 after s seconds,
//! where ρ is the farthest that a point is from the axis.
//!
//! ```text
//!  gap ●──___                          the least of straight lines, less a curve that falls ever faster, is concave:
//!      │     ‾‾──__                    where it is above the target at s, it was so all the way; where it is below,
//!      ├ ─ ─ ─ ─ ─ ‾‾●─ ─ target       the chord's crossing is certain all the same
//!      └─────────────│╲──── s
//! ```
//!
//! Points that face the other solid are pulled away from it by their turning, so that most of the second derivative does no
//! harm: that is what lets the stretches be long. Spins of many turns are certified by the solids of revolution that the
//! parts sweep.
//!
//! **Guarantee.** Errs only towards "too near" (errata E1, E2). **Limits.** One direction, held fixed.
//! **Source.** Tang, Kim and Manocha (2009) for motion bounds of nodes; the expansion to the third derivative is ours.

use super::boxes::{Apart, Closeness};
use super::kinematics::{Instant, PairMotion, Turning};
use super::part::Part;
use crate::math::{Matrix, Real, Vector};

/// Both bodies at an instant, made ready for many certificates: everything in A's frame, at A's centre of rotation.
#[derive(Clone, Debug)]
pub(super) struct Front {
    pub instant: Instant,
    /// B's frame into A's.
    pub relative: Matrix,
    /// The sizes of its components.
    pub spread: Matrix,
    /// From A's centre to B's.
    pub offset: Vector,
    /// B's centre's velocity less A's, m/s.
    velocity: Vector,
    /// Seconds to the interval's end.
    rest: Real,
}

/// A direction along which two parts are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Unit, A's frame, from A to B.
    pub normal: Vector,
    /// Metres; may be negative, when it is none.
    pub size: Real,
    /// The distance of the parts' middles, metres.
    pub middles: Real,
}

impl Front {
    pub fn at(motion: &PairMotion, time: Real) -> Self {
        let instant = motion.at(time);
        let relative = instant.rotation_a.tr_mul(&instant.rotation_b);
        Self {
            relative,
            spread: relative.abs(),
            offset: instant.rotation_a.tr_mul(&instant.offset),
            velocity: instant.rotation_a.tr_mul(&motion.velocity),
            rest: motion.length - time,
            instant,
        }
    }
}

/// The search for certificates of one pair of motions.
#[derive(Debug)]
pub(super) struct Certifier<'m> {
    pub motion: &'m PairMotion,
    pub closeness: Closeness,
}

impl Certifier<'_> {
    /// Whether the gap certifies nothing from the front on.
    pub fn is_close(&self, front: &Front, gap: &Gap) -> bool {
        self.closeness.is_close(gap.size, front.instant.time)
    }

    /// Until when the parts are certified apart from the front on, along the gap's direction.
    pub fn apart<A: Part, B: Part>(&self, front: &Front, gap: &Gap, a: &A, b: &B) -> Apart {
        let time = front.instant.time;
        if self.is_close(front, gap) {
            return Apart::Until(time);
        }
        let room = gap.size - self.closeness.target();
        let rest = front.rest;
        let closing = -gap.normal.dot(&front.velocity);
        if self.motion.is_straight() {
            // Exact along this direction.
            return if closing * rest <= room { Apart::Forever } else { Apart::Until(time + room / closing) };
        }
        let safe = self.turning(front, gap, a, b, room, closing);
        if safe >= rest { Apart::Forever } else { Apart::Until(time + safe) }
    }

    /// Certified seconds from the front on.
    fn turning<A: Part, B: Part>(&self, front: &Front, gap: &Gap, a: &A, b: &B, room: Real, closing: Real) -> Real {
        let (turn_a, turn_b) = (&self.motion.a, &self.motion.b);
        let rest = front.rest;
        let (n, m) = (gap.normal, front.relative.tr_mul(&gap.normal));
        let (spin_a, spin_b) = (turn_a.local_axis * turn_a.speed, turn_b.local_axis * turn_b.speed);
        let (slope_a, slope_b) = (n.cross(&spin_a), m.cross(&spin_b));
        // No point's height changes faster.
        let fastest_a = slope_a.norm() * a.reach();
        let fastest_b = slope_b.norm() * b.reach();
        let bound = closing + fastest_a + fastest_b;
        if bound * rest <= room {
            return rest;
        }
        let floor = room / bound;
        let bend = turn_a.speed * fastest_a + turn_b.speed * fastest_b;
        let jerk = turn_a.speed * turn_a.speed * fastest_a + turn_b.speed * turn_b.speed * fastest_b;
        // The second derivative of the gap now, at the worst points.
        let curve_a = spin_a * n.dot(&spin_a) - n * (turn_a.speed * turn_a.speed);
        let curve_b = spin_b * m.dot(&spin_b) - m * (turn_b.speed * turn_b.speed);
        let dip = (a.most(&curve_a) + b.most(&-curve_b)).max(0.0);
        let offset = gap.normal.dot(&front.offset) - self.closeness.target();
        // A first guess from the slope at the points that are foremost now.
        let slope = closing + a.drift(&n, &slope_a) + b.drift(&-m, &-slope_b);
        let mut stretch = cubic_guess(room, slope, dip, jerk, rest).max(guess(room, slope, bend));
        stretch = if stretch.is_nan() { rest } else { stretch.clamp(floor, rest) };
        // Either bound of the curve holds; one of them is kept, so that what is left is concave in time.
        let (dip, jerk) = if bend < dip + jerk * stretch / 3.0 { (bend, 0.0) } else { (dip, jerk) };
        // What is certainly left of the room after s seconds.
        let left = |s: Real| {
            let straight = offset - closing * s - b.most(&-(m + slope_b * s)) - a.most(&(n + slope_a * s));
            straight - s * s * (0.5 * dip + jerk * s / 6.0)
        };
        let mut above = (floor, Real::NAN);
        for _ in 0..2 {
            let now = left(stretch);
            if now >= 0.0 {
                above = (stretch, now);
                if stretch >= rest || now < 0.3 * room {
                    break;
                }
                stretch = (stretch * 2.0).min(rest);
                continue;
            }
            // Below the chord from the last point above, the curve is not.
            let (from, height) = if above.1.is_nan() { (0.0, room) } else { above };
            let crossing = from + (stretch - from) * height / (height - now);
            if crossing > above.0 {
                above = (crossing, Real::NAN);
            }
            if crossing >= 0.6 * stretch {
                break;
            }
            stretch = (1.6 * crossing).max(floor);
            if stretch <= above.0 {
                break;
            }
        }
        self.revolved(front, gap, a, b, closing, above.0).min(rest)
    }

    /// Certified seconds when a part that turns by much counts as the solid of revolution that it sweeps; `known` are
    /// certain already.
    fn revolved<A: Part, B: Part>(&self, front: &Front, gap: &Gap, a: &A, b: &B, closing: Real, known: Real) -> Real {
        // Below this angle the expansion sees further.
        const ANGLE: Real = 1.5;
        // A solid that turns so much more slowly than the other keeps its own points.
        const SLOW: Real = 0.125;
        let (turn_a, turn_b) = (&self.motion.a, &self.motion.b);
        let fastest = turn_a.speed.max(turn_b.speed);
        if known >= front.rest || fastest * front.rest < ANGLE || fastest * known > 4.0 * ANGLE {
            return known;
        }
        let mut closing = closing;
        let (n, m) = (gap.normal, -front.relative.tr_mul(&gap.normal));
        let swept =
            swept(turn_a, SLOW * fastest, &n, a, &mut closing) + swept(turn_b, SLOW * fastest, &m, b, &mut closing);
        let room = n.dot(&front.offset) - swept - self.closeness.target();
        if room <= 0.0 {
            known
        } else if closing * front.rest <= room {
            front.rest
        } else {
            known.max(room / closing)
        }
    }
}

/// The farthest that a part gets along the unit `direction` while it turns; of one that turns more slowly than `slow`,
/// the farthest that it is now, and what it gains is added to `closing`.
fn swept<P: Part>(turning: &Turning, slow: Real, direction: &Vector, part: &P, closing: &mut Real) -> Real {
    let axis = &turning.local_axis;
    let across = direction.cross(axis).norm().min(1.0);
    if turning.speed <= slow {
        *closing += turning.speed * across * part.reach();
        return part.most(direction);
    }
    let along = direction.dot(axis);
    let [low, high] = part.axial(axis);
    (low * along).max(high * along) + part.reach() * across
}

/// When a gap of `room` metres that closes at `slope` m/s, ever faster by `curve` m/s², is used up, seconds.
#[inline]
fn guess(room: Real, slope: Real, curve: Real) -> Real {
    let root = (slope * slope + 2.0 * curve * room).max(0.0).sqrt();
    if slope >= 0.0 { 2.0 * room / (slope + root) } else { (root - slope) / curve }
}

/// [`guess`] where the curve grows by `jerk` m/s³ besides, at most `rest` seconds: Newton's steps from above, where they never
/// pass the root.
#[inline]
fn cubic_guess(room: Real, slope: Real, curve: Real, jerk: Real, rest: Real) -> Real {
    let mut s = guess(room, slope, curve);
    s = if s < rest { s } else { rest };
    for _ in 0..3 {
        let value = s * (slope + s * (0.5 * curve + s * jerk / 6.0)) - room;
        let rate = slope + s * (curve + 0.5 * s * jerk);
        if value <= 0.0 || rate <= 0.0 {
            break;
        }
        s -= value / rate;
    }
    s
}
