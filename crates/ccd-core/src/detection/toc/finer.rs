//! Motions so long, fast or spinning that rounding over all of them is coarser than the tolerance.
//!
//! **Problem.** What rounding can move a gap by grows with the way and with the angle of the whole interval. Searches count all of it
//! against every instant, and tell nothing nearer than a few times that from a touch, though at an early instant places are as exact as
//! ever.
//! **Idea.** The time that they report is still certified. From there on a stretch is searched that is so short that rounding over it
//! is fine enough; then the rest as before.
//! **Guarantee.** Never late, and within the tolerance at the reported time; where the clock or the coordinates no longer resolve the
//! tolerance the answer is [`Toc::Undecided`] at a certified time.

use super::front::{Query, without_depth};
use super::kinematics::PairMotion;
use super::{Answered, Moving, Toc, TocError, TocOptions};
use crate::math::Real;
use crate::motion::TimeInterval;
use crate::shape::Shape;
use crate::stats::QueryStats;

/// The share of the tolerance that rounding may take: half of what searches bear before they ask for less.
const SHARE: Real = 1.0 / 16.0;
/// The error of a place far along the motion, as a share of what searches allow for: they count 64 units in the last place for what is
/// hardly more than one of the clock and two of the way.
const OF_CLOCK: Real = 1.0 / 16.0;
/// The most stretches. They shorten as the clock grows coarser, and gain nothing then.
const STRETCHES: u32 = 64;

impl Query<'_> {
    /// The answer that was found, if what it calls contact is within the tolerance, or one that is.
    pub(super) fn within_tolerance(&self, found: Answered<Toc>) -> Result<Answered<Toc>, TocError> {
        let nearest = self.options.tolerance.max(self.options.once_opened);
        let too_far = |toc: &Toc| toc.contact().filter(|c| c.separation > nearest).map(|c| c.time);
        let Answered { mut answer, mut stats } = found;
        let end = self.interval.end();
        for _ in 0..STRETCHES {
            let Some(from) = too_far(&answer) else { return Ok(Answered { answer, stats }) };
            let to = self.fine_until(from).min(end);
            if to.is_nan() || to <= from || stats.total() >= self.options.budget {
                break;
            }
            let found = self.search_from(from, to, &stats)?;
            stats += found.stats;
            answer = found.answer;
            if answer == Toc::Separated && to < end {
                let rest = self.search_from(to, end, &stats)?;
                stats += rest.stats;
                answer = rest.answer;
            } else if too_far(&answer).is_some() {
                break;
            }
        }
        if let Some(safe_until) = too_far(&answer) {
            answer = Toc::Undecided { safe_until };
        }
        Ok(Answered { answer, stats })
    }

    /// The answer from one time, until which they are certified apart, to another, after the work that is done.
    fn search_from(&self, from: Real, to: Real, done: &QueryStats) -> Result<Answered<Toc>, TocError> {
        let Ok(interval) = TimeInterval::new(from, to) else {
            return Ok(Answered { answer: Toc::Undecided { safe_until: from }, stats: QueryStats::default() });
        };
        let has_begun = from > self.interval.start();
        let starts_apart = self.options.starts_apart || has_begun;
        let budget = self.options.budget.saturating_sub(done.total());
        let options = TocOptions { starts_apart, budget, ..*self.options };
        let found = without_depth(self.a, self.b, interval, &options, self.among)?;
        let answer = match found.answer {
            // They have come there from further apart.
            Toc::Overlapping(contact) if has_begun => Toc::Contact(contact),
            answer => answer,
        };
        Ok(Answered { answer, ..found })
    }

    /// Until when a search from `from` on (seconds on the motions' clock) has rounding that the tolerance bears; not later than `from`
    /// where that is at no time.
    fn fine_until(&self, from: Real) -> Real {
        let rest = self.interval.end() - from;
        let reach = |of: &Moving<'_, Shape>| {
            let centre = &of.motion.local_centre;
            if of.solid.is_bounded() { of.solid.bounding_radius_about(centre) } else { centre.coords.norm() }
        };
        let rounding = |length: Real| {
            PairMotion::new(self.a.motion, self.b.motion, from, length).rounding(reach(&self.a), reach(&self.b))
        };
        let here = rounding(0.0);
        let rate = (rounding(rest) - here) / rest;
        let room = SHARE * self.options.tolerance - here - OF_CLOCK * rate * from.abs();
        // Half of it, because the clock goes on until then.
        from + 0.5 * room / rate
    }
}
