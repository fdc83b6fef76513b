//! `all_finite`.

use super::name;
use crate::io::expect::Seen;
use crate::io::expect::outcome::{Measured, Outcome};
use crate::io::expect::subject::Subject;
use crate::math::Real;

/// All poses and velocities are finite numbers.
#[derive(Debug, Default)]
pub(crate) struct Finite {
    first: Option<(usize, Real)>,
    /// Whoever was stopped first for such a number, which no frame shows.
    stopped: Option<(usize, Real)>,
}

impl Finite {
    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        if self.first.is_none() {
            self.first = seen.frame.bodies.iter().position(|b| !b.is_finite()).map(|i| (i, seen.frame.t));
        }
    }

    pub(super) fn stop(&mut self, body: usize, t: Real) {
        self.stopped.get_or_insert((body, t));
    }

    pub(super) fn judge(&self, subjects: &[Subject]) -> Outcome {
        match (self.first, self.stopped) {
            (None, None) => Outcome::judged(true, Measured::Nothing, "every number is finite"),
            (None, Some((body, t))) => {
                let why =
                    format!("\"{}\" was stopped at t = {t} s, because it was no longer finite", name(subjects, body));
                Outcome::judged(false, Measured::Nothing, why)
            }
            (Some((body, t)), _) => {
                let why = format!("\"{}\" is not finite at t = {t} s", name(subjects, body));
                Outcome::judged(false, Measured::Nothing, why)
            }
        }
    }
}
