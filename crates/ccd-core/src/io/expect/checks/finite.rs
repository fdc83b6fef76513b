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
}

impl Finite {
    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        if self.first.is_none() {
            self.first = seen.frame.bodies.iter().position(|b| !b.is_finite()).map(|i| (i, seen.frame.t));
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject]) -> Outcome {
        match self.first {
            None => Outcome::judged(true, Measured::Nothing, "every number is finite"),
            Some((body, t)) => {
                let why = format!("\"{}\" is not finite at t = {t} s", name(subjects, body));
                Outcome::judged(false, Measured::Nothing, why)
            }
        }
    }
}
