//! Closson's method: look at the end of the step, and where the solids interfere there, halve the time until they just
//! touch. A reference to compare with, not a method to trust.
//!
//! **Problem.** When do two solids that are apart at the start and interfere at the end of a step first touch?
//! **Idea.** Where they interfere at the middle, look in the first half, else in the second.
//!
//! ```text
//!   apart ●──────────────○───○─●○──────● interfering      ● kept   ○ replaced
//! ```
//!
//! **Guarantee.** None about the time between the instants looked at, and the type says so: [`Unproven`]. A contact that
//! is over at the end is missed, and of several the one that is found need not be the first. At the reported time the
//! solids are within ε of each other, and they were apart at the start.
//! **Limits.** Anything that moves further in a step than it is thick.
//! **Source.** Closson, section on the time of collision (binary search).

use super::answer::{Answered, Moving, TocError, TocOptions, Unproven};
use super::sight::Sight;
use crate::motion::TimeInterval;
use crate::shape::Shape;

/// When two shapes touch, as far as a look at the end of the interval and halving can tell.
///
/// # Errors
/// As [`super::time_of_contact`].
///
/// # Cost
/// About log₂(speed · Δt / ε) looks at an instant where they interfere at the end, else two.
pub fn time_of_contact(
    a: Moving<'_, Shape>,
    b: Moving<'_, Shape>,
    interval: TimeInterval,
    options: &TocOptions,
) -> Result<Answered<Unproven>, TocError> {
    Sight::new(a, b, options).close_in(interval, |_, _| None)
}
