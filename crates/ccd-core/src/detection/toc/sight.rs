//! Looks at single instants: what the methods share that do not look in between.

use super::answer::{Answered, FirstContact, Moving, Toc, TocError, TocOptions, Unproven};
use super::front;
use crate::math::Real;
use crate::motion::TimeInterval;
use crate::shape::Shape;
use crate::stats::QueryStats;

/// Two moving shapes that are looked at now and then.
pub(super) struct Sight<'q> {
    pub a: Moving<'q, Shape>,
    pub b: Moving<'q, Shape>,
    options: &'q TocOptions,
    stats: QueryStats,
}

/// What there is at an instant.
enum Seen {
    Apart,
    /// Within the tolerance, but not in each other.
    Touching(FirstContact),
    Interfering(FirstContact),
    /// The budget ran out, or the tolerance is below the rounding of the coordinates.
    Unknown,
}

impl<'q> Sight<'q> {
    pub fn new(a: Moving<'q, Shape>, b: Moving<'q, Shape>, options: &'q TocOptions) -> Self {
        Self { a, b, options, stats: QueryStats::default() }
    }

    fn look(&mut self, time: Real) -> Result<Seen, TocError> {
        let Ok(instant) = TimeInterval::new(time, time) else { return Ok(Seen::Unknown) };
        if self.stats.total() >= self.options.budget {
            return Ok(Seen::Unknown);
        }
        self.stats.advances += 1;
        let options = TocOptions { method: super::Method::Auto, starts_apart: false, ..*self.options };
        let found = front::without_depth(self.a, self.b, instant, &options, None).map_err(|error| match error {
            TocError::Unsupported { kind_a, kind_b, .. } => {
                TocError::Unsupported { method: self.options.method, kind_a, kind_b }
            }
            other => other,
        })?;
        self.stats += found.stats;
        Ok(match found.answer {
            Toc::Separated => Seen::Apart,
            Toc::Contact(c) | Toc::Overlapping(c) if c.separation > 0.0 => Seen::Touching(c),
            Toc::Contact(c) | Toc::Overlapping(c) => Seen::Interfering(c),
            Toc::Undecided { .. } => Seen::Unknown,
        })
    }

    /// Closes in on a time of touch between the ends of the interval, if they interfere at its end. `guess` may name a time
    /// between two at which they are apart and interfere; without one the middle is taken, and every other time anyway.
    pub fn close_in(
        mut self,
        interval: TimeInterval,
        mut guess: impl FnMut(Real, Real) -> Option<Real>,
    ) -> Result<Answered<Unproven>, TocError> {
        let (mut apart, mut interfering) = (interval.start(), interval.end());
        let answer = match self.look(apart)? {
            Seen::Touching(contact) | Seen::Interfering(contact) => Toc::Overlapping(contact),
            Seen::Unknown => Toc::Undecided { safe_until: apart },
            Seen::Apart => match self.look(interfering)? {
                Seen::Apart => Toc::Separated,
                Seen::Touching(contact) => Toc::Contact(contact),
                Seen::Unknown => Toc::Undecided { safe_until: apart },
                Seen::Interfering(_) => {
                    let mut guesses = true;
                    loop {
                        let middle = 0.5 * (apart + interfering);
                        if middle <= apart || middle >= interfering {
                            // Time has no finer steps: they pass the tolerance within one.
                            break Toc::Undecided { safe_until: apart };
                        }
                        let guessed = if guesses { guess(apart, interfering) } else { None };
                        guesses = !guesses;
                        let time = guessed.filter(|t| *t > apart && *t < interfering).unwrap_or(middle);
                        match self.look(time)? {
                            Seen::Apart => apart = time,
                            Seen::Touching(contact) => break Toc::Contact(contact),
                            Seen::Interfering(_) => interfering = time,
                            Seen::Unknown => break Toc::Undecided { safe_until: apart },
                        }
                    }
                }
            },
        };
        Ok(Answered { answer: Unproven(answer), stats: self.stats })
    }
}
