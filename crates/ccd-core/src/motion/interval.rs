//! Closed intervals of time.

use crate::math::{Real, Shortest};

/// A closed interval of time, seconds on the clock of the motions it is used with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeInterval {
    start: Real,
    end: Real,
}

/// An interval that is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the time interval [{}, {}] is empty or not finite", Shortest(*start), Shortest(*end))]
pub struct IntervalError {
    /// The given start, seconds.
    pub start: Real,
    /// The given end, seconds.
    pub end: Real,
}

impl TimeInterval {
    /// The interval `[start, end]`.
    ///
    /// # Errors
    /// [`IntervalError`] unless both are finite and `start <= end`.
    pub fn new(start: Real, end: Real) -> Result<Self, IntervalError> {
        if start.is_finite() && end.is_finite() && start <= end {
            Ok(Self { start, end })
        } else {
            Err(IntervalError { start, end })
        }
    }

    /// The first instant, seconds.
    pub fn start(&self) -> Real {
        self.start
    }

    /// The last instant, seconds.
    pub fn end(&self) -> Real {
        self.end
    }

    /// The length, seconds.
    pub fn length(&self) -> Real {
        self.end - self.start
    }
}
