//! Two features whose corners move on straight lines over [0, 1]: when do they first come within a distance?
//!
//! **Problem.** A vertex and a triangle, or two edges, are within `d` of each other exactly when the origin is within `d`
//! of the polygon of their differences (a triangle, a parallelogram). Its corners move on straight lines too.
//!
//! **Idea.** Where the polygon is at time `t`, take the direction `n` from the origin to its nearest point. The heights
//! `n·xᵢ` are linear in time, so until the first of them sinks to `d` the whole polygon stays beyond the plane: advance to
//! there, exactly, and look again. No step ever passes the first contact.
//!
//! ```text
//!      x₁────x₂        n·xᵢ(s) > d for every corner and every s in [t, t']
//!       ╲  ╱   ↑n      ⇒ nothing of the polygon is within d of o before t'
//!        x₀ ───┼── d
//!              o
//! ```
//!
//! Where normals turn while the gap stays small (a vertex that slides along a turning plane), the volume polynomial
//! x₀·(e₁×e₂), a cubic in Bernstein form, certifies whole stretches instead.
//!
//! **Guarantee.** No false negative: rounding is counted against the certificate, in proportion to the coordinates. What
//! `f64` cannot decide is continued in double-double, so that a false positive needs a gap below about 1e-29 of the
//! features' distance and size, or about 1e-27 where they graze. **Limits.** After [`MAX_ADVANCES`] steps the answer is
//! [`LinearToc::Undecided`].
//!
//! **Source.** The role of the linear tests: erratum E6. Directional advancement: Tang, Kim, Manocha 2009 (C²A).

mod polygon;

use crate::math::{DoubleDouble, Point, Real, Scalar, Shortest, Vector};
use polygon::{certified_by_volume, dot, even_direction, lerp, separating_direction};

/// The most steps of one query. The worst of the public benchmark queries takes under a hundred; a
/// larger bound only lets contrived motions run longer before they are answered with what is certain.
pub const MAX_ADVANCES: u32 = 2_000;

/// The most steps in `f64`: where the gap is near its rounding they grow short, and double-double is the faster way.
const FILTER_ADVANCES: u32 = 32;

/// Of a corner that all but touches, steps that are shorter than this share of the way lead nowhere.
const SHORT: Real = 1e-12;

/// After how many plain steps the cubic's certificate is tried too: most queries end before.
const PATIENCE: u32 = 6;

/// A gap of so many times what rounding can make of none is not told from none: closer to it, steps are as short as it is near.
const NONE: Real = 8.0;

/// After how many steps running that are too short to change the time in `f64` none is told from a gap: before and after a narrow
/// place steps halve and double at least, which from 2^-54 of the time to the last digit of a double-double, 2^-103, and back makes
/// fewer. Only before a graze that is as near as can be told are there more.
const IDLE: u32 = 100;

/// Guesses at an instant of contact, after every so many steps.
const GUESSES: u32 = 4;

/// What counts as contact of two linearly moving features.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearOptions {
    /// The features are in contact when they are no further apart than this; metres, zero for touching alone.
    pub thickness: Real,
    /// By how much more than `thickness` a contact may be reported early; metres. Zero asks for the sharpest answer.
    pub slack: Real,
}

/// The first contact of two linearly moving features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearContact {
    /// In [0, 1]: before it the features are certified further apart than the thickness. Never late.
    pub time: Real,
    /// The unit direction from the first feature to the second at that time; zero where they touch exactly and have no
    /// normal.
    pub normal: Vector,
    /// The distance at that time, metres.
    pub separation: Real,
}

/// The answer of a linear feature query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum LinearToc {
    /// Certified: further apart than the thickness over all of [0, 1].
    Separated,
    /// They come within the thickness, up to the slack and the smallest gap that can be told from none.
    Contact(LinearContact),
    /// [`MAX_ADVANCES`] was not enough; certified apart until `safe_until` in [0, 1].
    Undecided {
        /// A time in [0, 1].
        safe_until: Real,
    },
}

impl LinearToc {
    /// The time until which the features are certified apart; `None` when that is all of [0, 1].
    pub fn safe_until(&self) -> Option<Real> {
        match self {
            Self::Separated => None,
            Self::Contact(c) => Some(c.time),
            Self::Undecided { safe_until } => Some(*safe_until),
        }
    }
}

/// Why a linear feature query has no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LinearError {
    /// A coordinate is not finite, or too large for its differences to be.
    #[error("coordinate {index} of the {when} positions is not finite or beyond 1e150")]
    NotFinite {
        /// Which of the four points.
        index: usize,
        /// `start` or `end`.
        when: &'static str,
    },
    /// The thickness or slack is negative or not finite.
    #[error("the thickness {} m and slack {} m must be finite and not negative", Shortest(*thickness), Shortest(*slack))]
    BadThickness {
        /// As given, metres.
        thickness: Real,
        /// As given, metres.
        slack: Real,
    },
}

/// Refuses what arithmetic cannot carry.
pub(super) fn check(start: &[Point; 4], end: &[Point; 4], options: &LinearOptions) -> Result<(), LinearError> {
    // Differences, squares and the cubic's coefficients are taken after scaling; only the differences come before it.
    const LARGEST: Real = 1e150;
    for (points, when) in [(start, "start"), (end, "end")] {
        if let Some(index) = points.iter().position(|p| !p.iter().all(|c| c.abs() <= LARGEST)) {
            return Err(LinearError::NotFinite { index, when });
        }
    }
    let LinearOptions { thickness, slack } = *options;
    if thickness >= 0.0 && slack >= 0.0 && thickness.is_finite() && slack.is_finite() {
        Ok(())
    } else {
        Err(LinearError::BadThickness { thickness, slack })
    }
}

/// Which points to subtract for each corner of the difference polygon, in order around it: `second - first`.
pub(super) type Corners<const K: usize> = [(usize, usize); K];

/// Finds the first contact; the arguments have passed [`check`].
pub(super) fn first_contact<const K: usize>(
    start: &[Point; 4],
    end: &[Point; 4],
    corners: &Corners<K>,
    options: &LinearOptions,
) -> LinearToc {
    // The filter that ends most queries: the differences keep one sign along an axis. Rounded subtraction keeps signs and order.
    let mut largest = 0.0_f64;
    for axis in 0..3 {
        let (mut low, mut high) = (Real::INFINITY, Real::NEG_INFINITY);
        for &(first, second) in corners {
            for points in [start, end] {
                let difference = points[second][axis] - points[first][axis];
                low = low.min(difference);
                high = high.max(difference);
            }
        }
        let reach = options.thickness * (1.0 + 4.0 * Real::EPSILON);
        if low > reach || high < -reach {
            return LinearToc::Separated;
        }
        largest = largest.max(high).max(-low);
    }
    if largest == 0.0 {
        return LinearToc::Contact(LinearContact { time: 0.0, normal: Vector::zeros(), separation: 0.0 });
    }
    // A power of two, so that scaling is exact; afterwards neither overflow nor underflow matters.
    let scale = power_of_two_below(largest);
    let scaled = Scaled { start, end, corners, scale, options };
    match scaled.advance::<Real>(0.0, FILTER_ADVANCES) {
        Outcome::Separated => LinearToc::Separated,
        Outcome::Contact(contact) => LinearToc::Contact(contact),
        Outcome::Blocked(LinearContact { time, .. }) | Outcome::Exhausted(time) => {
            match scaled.advance::<DoubleDouble>(time, MAX_ADVANCES) {
                Outcome::Separated => LinearToc::Separated,
                Outcome::Contact(contact) | Outcome::Blocked(contact) => LinearToc::Contact(contact),
                Outcome::Exhausted(time) => LinearToc::Undecided { safe_until: time },
            }
        }
    }
}

fn power_of_two_below(value: Real) -> Real {
    // The exponent bits alone; a subnormal becomes the smallest normal number.
    Real::from_bits(value.max(Real::MIN_POSITIVE).to_bits() & (0x7ff << 52))
}

enum Outcome {
    Separated,
    Contact(LinearContact),
    /// The certificate is within rounding of failing: more digits may tell.
    Blocked(LinearContact),
    Exhausted(Real),
}

/// A query with the exact power of two that brings its differences near one.
struct Scaled<'a, const K: usize> {
    start: &'a [Point; 4],
    end: &'a [Point; 4],
    corners: &'a Corners<K>,
    scale: Real,
    options: &'a LinearOptions,
}

type Triple<S> = [S; 3];

impl<const K: usize> Scaled<'_, K> {
    fn differences<S: Scalar>(&self, points: &[Point; 4]) -> [Triple<S>; K] {
        let down = S::from_real(1.0 / self.scale);
        self.corners.map(|(first, second)| {
            std::array::from_fn(|axis| S::difference(points[second][axis], points[first][axis]) * down)
        })
    }

    /// Advances from `time`, until which the features are certified apart, in the precision of `S`.
    fn advance<S: Scalar>(&self, time: Real, rounds: u32) -> Outcome {
        let (start, end) = (self.differences::<S>(self.start), self.differences::<S>(self.end));
        let reach: [Real; 3] =
            std::array::from_fn(|axis| start.iter().chain(&end).fold(0.0, |m: Real, x| m.max(x[axis].to_real().abs())));
        let thickness = self.options.thickness / self.scale;
        let enough = (self.options.thickness + self.options.slack) / self.scale;
        let one = S::from_real(1.0);
        let mut t = S::from_real(time);
        // The last instant looked at, and what was left of the gap there.
        let mut before: Option<(S, Real)> = None;
        // The last stretch that the volume certified.
        let mut certified = S::from_real(0.0);
        let mut idle = 0;
        for round in 0..rounds {
            let now: [Triple<S>; K] = std::array::from_fn(|i| lerp(&start[i], &end[i], t));
            let Some(found) = separating_direction(&now) else {
                return Outcome::Blocked(self.contact(t, [0.0; 3], 0.0));
            };
            let n = found.direction;
            let normal = n.map(Scalar::to_real);
            let rounding = rounding_of_heights::<S>(&normal, &reach);
            let floor = thickness * found.norm * (1.0 + 8.0 * Real::EPSILON) + rounding;
            let gap = found.height.to_real() / found.norm;
            // More than the rounding, so that a step which passes is one worth taking.
            if found.height.to_real() <= floor + NONE * rounding {
                return Outcome::Blocked(self.contact(t, normal, gap));
            }
            if gap <= enough {
                return Outcome::Contact(self.contact(t, normal, gap));
            }
            let Some(mut next) = crossing(&n, S::from_real(floor), &start, &end) else { return Outcome::Separated };
            if round >= PATIENCE {
                // As far ahead as may pay: the coefficients are tight over short stretches only. Plain steps are of the length of
                // the gap; before a graze that is the square of the way to it, and the last stretch is the better measure.
                const AHEAD: Real = 1024.0;
                const LONGER: Real = 4.0;
                let (plain, grown) = ((next - t) * S::from_real(AHEAD), certified * S::from_real(LONGER));
                let ahead = t + if plain > grown { plain } else { grown };
                let horizon = if ahead < one { ahead } else { one };
                let then: [Triple<S>; K] = std::array::from_fn(|i| lerp(&start[i], &end[i], horizon));
                let share = certified_by_volume(&now, &then, &reach, thickness).unwrap_or(0.0);
                certified = (horizon - t) * S::from_real(share);
                let reached = t + certified;
                next = if reached > next { reached } else { next };
                if let Some(found) = even_direction(&now) {
                    let n = found.direction;
                    let rounding = rounding_of_heights::<S>(&n.map(Scalar::to_real), &reach);
                    let floor = thickness * found.norm * (1.0 + 8.0 * Real::EPSILON) + rounding;
                    if now.iter().all(|x| dot(&n, x).to_real() > floor + rounding) {
                        match crossing(&n, S::from_real(floor), &start, &end) {
                            None => return Outcome::Separated,
                            Some(reached) => next = if reached > next { reached } else { next },
                        }
                    } else if (next - t).to_real() <= SHORT {
                        // The nearest corner is about as near as can be told, and steps are as short as it is near.
                        return Outcome::Blocked(self.contact(t, normal, gap));
                    }
                }
            }
            if next >= one {
                return Outcome::Separated;
            }
            idle = if (next - t).to_real() <= 0.25 * Real::EPSILON * t.to_real() { idle + 1 } else { 0 };
            // No progress: as far as this precision goes.
            if next <= t || idle >= IDLE {
                return Outcome::Blocked(self.contact(t, normal, gap));
            }
            let left = (found.height - S::from_real(floor)).to_real() / found.norm;
            if let Some(before) = before
                && round % GUESSES == 0
                && self.touches_at_once(&start, &end, &reach, before, (t, left, &normal))
            {
                return Outcome::Contact(self.contact(t, normal, gap));
            }
            before = Some((t, left));
            t = next;
        }
        Outcome::Exhausted(round_down(t.to_real()))
    }

    /// Whether there is an instant of contact so soon that the time of it is the same in `f64`.
    ///
    /// Towards a contact steps shrink like the gap, by a half or less each time, down to the last digit that there is. Where the
    /// time has no more to gain by them, all that is left to know is whether the gap closes at all: its root is sought by secants
    /// through the last instant, `before`, and `now` (each with what is left of the gap there, and of now the direction), and it is a
    /// contact if nothing is left at an instant that was looked at.
    fn touches_at_once<S: Scalar>(
        &self,
        start: &[Triple<S>; K],
        end: &[Triple<S>; K],
        reach: &[Real; 3],
        before: (S, Real),
        (now, left, normal): (S, Real, &[Real; 3]),
    ) -> bool {
        let soon = Real::EPSILON * now.to_real();
        let thickness = self.options.thickness / self.scale;
        let (mut earlier, mut last) = (before, (now, left));
        for _ in 0..GUESSES {
            let share = last.1 / (earlier.1 - last.1);
            let root = last.0 + (last.0 - earlier.0) * S::from_real(share);
            let ahead = (root - now).to_real();
            if !share.is_finite() || ahead <= 0.0 || ahead > soon || root > S::from_real(1.0) {
                return false;
            }
            let corners: [Triple<S>; K] = std::array::from_fn(|i| lerp(&start[i], &end[i], root));
            let Some(found) = separating_direction(&corners) else { return true };
            let n = found.direction.map(Scalar::to_real);
            let rounding = rounding_of_heights::<S>(&n, reach);
            let floor = thickness * found.norm * (1.0 + 8.0 * Real::EPSILON) + rounding;
            if found.height.to_real() <= floor + NONE * rounding {
                return true;
            }
            // Beyond the root the direction has turned about.
            let side: Real = (0..3).map(|k| n[k] * normal[k]).sum();
            let height = if side < 0.0 { -found.height } else { found.height };
            (earlier, last) = (last, (root, (height - S::from_real(floor)).to_real() / found.norm));
        }
        false
    }

    fn contact<S: Scalar>(&self, t: S, normal: [Real; 3], gap: Real) -> LinearContact {
        LinearContact {
            time: round_down(t.to_real()),
            normal: Vector::from(normal).try_normalize(0.0).unwrap_or_else(Vector::zeros),
            separation: gap.max(0.0) * self.scale,
        }
    }
}

/// What rounding can make of a height along `n`: of the corners, of interpolation and of the crossing time, all relative to the
/// coordinates of the whole motion, and of what is too small to keep its digits.
fn rounding_of_heights<S: Scalar>(n: &[Real; 3], reach: &[Real; 3]) -> Real {
    16.0 * S::EPSILON * (0..3).map(|k| n[k].abs() * reach[k]).sum::<Real>() + Real::MIN_POSITIVE
}

/// The first time at which a corner's height along `n` sinks to `floor`, above which all of them are now; `None` for never.
fn crossing<S: Scalar, const K: usize>(
    n: &Triple<S>,
    floor: S,
    start: &[Triple<S>; K],
    end: &[Triple<S>; K],
) -> Option<S> {
    let mut first: Option<S> = None;
    for (start, end) in start.iter().zip(end) {
        let (from, to) = (dot(n, start), dot(n, end));
        if to <= floor {
            let time = (from - floor) / (from - to);
            first = Some(first.map_or(time, |s| if time < s { time } else { s }));
        }
    }
    first
}

/// The nearest number below a time that may have been rounded up, kept in [0, 1].
fn round_down(time: Real) -> Real {
    time.next_down().clamp(0.0, 1.0)
}
