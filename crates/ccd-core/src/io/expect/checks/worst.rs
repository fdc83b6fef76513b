//! The worst value of many, with its place.

use crate::math::Real;

/// The largest value so far, with the body and the time it belongs to. What is not a number is worse than any number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Worst {
    found: Option<(Real, usize, Real)>,
}

impl Worst {
    /// Looks at a value of `body` at the time `t`. Returns whether it is the worst so far.
    pub(super) fn observe(&mut self, value: Real, body: usize, t: Real) -> bool {
        let is_worse = match self.found {
            None => true,
            Some((worst, ..)) => !worst.is_nan() && (value.is_nan() || value > worst),
        };
        if is_worse {
            self.found = Some((value, body, t));
        }
        is_worse
    }

    /// The value, the body and the time.
    pub(super) fn get(&self) -> Option<(Real, usize, Real)> {
        self.found
    }
}

/// How far `value` is outside `[min, max]`; negative inside.
pub(super) fn excess(value: Real, min: Option<Real>, max: Option<Real>) -> Real {
    let below = min.map_or(Real::NEG_INFINITY, |min| min - value);
    let above = max.map_or(Real::NEG_INFINITY, |max| value - max);
    if below.is_nan() || above.is_nan() { Real::NAN } else { below.max(above) }
}

/// `[min, max]` in words.
pub(super) fn bounds_in_words(min: Option<Real>, max: Option<Real>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "anything".to_owned(),
    }
}
