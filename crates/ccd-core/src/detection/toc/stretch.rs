//! How far ahead a plane certainly separates two convex solids: the search for a long stretch of time in few tries.

use super::advancement::{Advance, HALF};
use super::plane::{Hints, Plane, used_up};
use crate::geometry::solid::SupportMap;
use crate::math::Real;

/// Tries for a longer stretch on one plane, each two support queries, before a new distance query is the better buy.
const TRIES: usize = 6;
/// The share of the gap that a stretch should aim to use up, and the share that may be left of it.
const AIM: Real = 0.98;
const LITTLE: Real = 0.02;

/// A stretch of time on a plane, and what is left of the gap at its end above the target, metres.
#[derive(Clone, Copy)]
struct Try {
    stretch: Real,
    left: Real,
}

impl Try {
    /// Where the chord to a try with nothing left has `aim` left.
    fn chord(&self, high: &Self, aim: Real) -> Real {
        self.stretch + (high.stretch - self.stretch) * (self.left - aim) / (self.left - high.left)
    }

    /// Where the parabola through three tries, of which `high` has nothing left, has `aim` left between the first two.
    fn root(&self, high: &Self, third: &Self, aim: Real) -> Real {
        let slope = |p: &Self, q: &Self| (q.left - p.left) / (q.stretch - p.stretch);
        let chord = slope(self, high);
        let curve = (slope(high, third) - chord) / (third.stretch - self.stretch);
        let (above, start) = (self.left - aim, chord - curve * (high.stretch - self.stretch));
        let root = self.stretch + 2.0 * above / ((start * start - 4.0 * curve * above).max(0.0).sqrt() - start);
        if root.is_finite() { root } else { self.chord(high, aim) }
    }
}

/// What is known of the time ahead of an instant.
pub(super) struct Stretch {
    /// The part of the gap that may be used up, metres.
    pub room: Real,
    /// How fast it closes at the witness points, m/s.
    pub closing: Real,
    /// The gap that must remain, metres.
    pub target: Real,
    /// Certified, seconds.
    pub safe: Real,
    /// The farthest apart that the solids are known to be at some time of what is certified, metres.
    pub widest: Real,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Advance<'_, A, B> {
    /// Looks for a longer safe stretch, of at most `most` seconds, on `plane`, in a few tries: for the root of what is left of
    /// the gap, by the curve through the ends while all tries are safe, between chords afterwards.
    pub(super) fn lengthen(&self, ways: &mut Stretch, plane: &Plane, most: Real, hints: &mut Hints) {
        let room = ways.room;
        // What is left at a safe stretch, and at one that is not.
        let mut low = Try { stretch: 0.0, left: room };
        let mut high: Option<Try> = None;
        // The try that the last one took the place of.
        let mut former: Option<Try>;
        let mut was_safe = None;
        // Where the last two safe stretches point to.
        let mut secant: Option<Real> = None;
        let mut stretch = plane.outlook(&self.pair, room, ways.closing).max(ways.safe).min(most);
        for _ in 0..TRIES {
            let ahead = self.pair.ahead(plane, stretch, hints);
            let never_less = ahead.worst >= ways.target;
            // A gap that opens first is least at its start, which tells nothing about where it is used up.
            let end = ahead.end - ahead.lost.max(0.0);
            if never_less {
                ways.widest = ways.widest.max(end);
            }
            // What has opened is met further apart than it was.
            let has_opened = self.has_opened(ways.widest);
            let tolerance = if has_opened { self.once_opened } else { self.tolerance };
            let target = if has_opened { HALF * tolerance } else { ways.target };
            // The next look sees the contact if no more than this is left.
            let (aim, touching) = (0.2 * tolerance, 0.45 * tolerance);
            let left = if never_less { end - target } else { ahead.worst - ways.target };
            let is_safe = left >= 0.0;
            let now = Try { stretch, left };
            // An end that two tries in a row have left where it was counts for half, or it would stay there.
            let weight = if was_safe.replace(is_safe) == Some(is_safe) { 0.5 } else { 1.0 };
            // A plane that turns with the feature it was found at, and loses nothing by it, is likely to be the one at contact.
            let is_true = plane.turns() && ahead.lost <= aim;
            // By the gap's bend, if that is the same all along, and the most that is reckoned with.
            let guess = || {
                let own = 2.0 * (ways.closing * stretch - (plane.gap() - ahead.end)) / (stretch * stretch);
                let used = if is_true { room - aim.min(0.5 * room) } else { AIM * room };
                used_up(used, ways.closing, own.min(ahead.bend), ahead.bend)
            };
            if is_safe {
                ways.safe = ways.safe.max(stretch);
                let before = std::mem::replace(&mut low, now);
                // Where much was taken off for bent paths, another look is worth more than the rest.
                let enough = if is_true { touching } else { touching.max(LITTLE * room).max(ahead.lost) };
                if stretch >= most || left <= enough {
                    break;
                }
                former = Some(before);
                let rate = (left - aim) / (before.left - left);
                secant = (before.stretch > 0.0).then_some(stretch + (stretch - before.stretch) * rate);
            } else {
                former = high.replace(now);
            }
            let next = if let Some(high) = high {
                let aim = aim.min(0.5 * low.left);
                let between = high.stretch - low.stretch;
                let next = match former {
                    Some(former) if is_true => low.root(&high, &former, aim),
                    _ if !is_safe && low.stretch == 0.0 => guess(),
                    _ if is_safe => low.chord(&Try { left: weight * high.left, ..high }, aim),
                    _ => Try { left: weight * low.left, ..low }.chord(&high, weight * aim),
                };
                // Closer to the ends where the plane is true: the chord's error there is of second order.
                let margin = if is_true { 0.001 } else { 0.05 };
                next.clamp(low.stretch + margin * between, low.stretch + (1.0 - margin) * between)
            } else {
                let ahead = secant.filter(|_| is_true).unwrap_or_else(guess);
                if is_true && ahead > stretch { ahead.min(2.0 * stretch) } else { ahead.max(1.1 * stretch) }
            };
            let next = next.min(most);
            if high.is_some_and(|high| high.stretch <= ways.safe) || next <= ways.safe {
                // Another plane is certain of more than this one can be.
                break;
            }
            stretch = next;
        }
    }

    /// Whether solids that have been this far apart touch at the wider distance from then on.
    pub fn has_opened(&self, widest: Real) -> bool {
        self.once_opened > self.tolerance && widest >= 2.0 * self.once_opened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The third try may lie on either side of the other two, and the parabola open either way.
        #[test]
        fn three_tries_on_a_parabola_lead_to_its_root_between_the_first_two(
            bend in -5.0..5.0_f64, slope in -5.0..5.0_f64, start in 0.1..3.0_f64, end in 0.2..2.0_f64,
            third in prop_oneof![-2.0..-0.1_f64, 0.1..0.9_f64, 1.1..3.0_f64], aim in 0.0..0.5_f64,
        ) {
            let at = |x: Real| Try { stretch: x, left: start + slope * x + bend * x * x };
            let (low, high) = (at(0.0), at(end));
            prop_assume!(high.left < -1e-3);
            let aim = aim * low.left;
            let root = low.root(&high, &at(third * end), aim);
            prop_assert!((0.0..=end).contains(&root), "{root}");
            prop_assert!((at(root).left - aim).abs() < 1e-7, "{} is left at {root} instead of {aim}", at(root).left);
        }
    }
}
