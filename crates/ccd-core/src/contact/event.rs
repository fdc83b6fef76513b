//! When a contact starts and ends.

use crate::math::{Real, Shortest};

/// Two margins, so that a contact at the limit does not start and end with every rounding.
///
/// ```text
///             separation ≤ enter
///        ┌──────────────────────────▶
///      apart                      touching
///        ◀──────────────────────────┘
///             separation > leave
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hysteresis {
    enter: Real,
    leave: Real,
}

/// Margins that are none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the enter margin {} m and the leave margin {} m must be finite, with enter < leave", Shortest(*enter), Shortest(*leave))]
pub struct HysteresisError {
    /// As given, metres.
    pub enter: Real,
    /// As given, metres.
    pub leave: Real,
}

impl Hysteresis {
    /// Contacts start at a separation of `enter` metres or less and end above `leave`.
    ///
    /// # Errors
    /// [`HysteresisError`] unless both are finite and `enter < leave`.
    pub fn new(enter: Real, leave: Real) -> Result<Self, HysteresisError> {
        if enter.is_finite() && leave.is_finite() && enter < leave {
            Ok(Self { enter, leave })
        } else {
            Err(HysteresisError { enter, leave })
        }
    }

    /// The separation at which contacts start, metres.
    pub fn enter(&self) -> Real {
        self.enter
    }

    /// The separation above which contacts end, metres: the margin to look for contact points with.
    pub fn leave(&self) -> Real {
        self.leave
    }

    /// Whether the pair touches now, given whether it did; `None` is a separation beyond the leave margin.
    pub fn touches(&self, touched: bool, separation: Option<Real>) -> bool {
        separation.is_some_and(|s| s <= if touched { self.leave } else { self.enter })
    }
}

/// A change of whether a pair touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transition {
    /// The pair touches now and did not before.
    Started,
    /// The pair touched before and does not now.
    Ended,
}

/// A change of whether a pair touches, with the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContactEvent<K> {
    /// The pair.
    pub pair: K,
    /// What happened to it.
    pub transition: Transition,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separation_that_trembles_between_the_margins_changes_nothing() {
        let margins = Hysteresis::new(1e-3, 2e-3).unwrap();
        let mut touches = false;
        let mut changes = 0;
        for separation in [
            Some(5e-3),
            Some(1.5e-3),
            Some(0.9e-3),
            Some(1.5e-3),
            Some(0.9e-3),
            Some(1.9e-3),
            Some(2.1e-3),
            Some(1.5e-3),
            None,
        ] {
            let now = margins.touches(touches, separation);
            changes += u32::from(now != touches);
            touches = now;
        }
        assert_eq!(changes, 2);
        assert!(!touches);
    }

    #[test]
    fn margins_in_the_wrong_order_or_not_finite_are_refused() {
        for (enter, leave) in [(2.0, 1.0), (1.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert!(Hysteresis::new(enter, leave).is_err());
        }
    }
}
