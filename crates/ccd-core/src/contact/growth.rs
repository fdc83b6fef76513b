//! The search for a time at which a pair of features that is not in the contact set becomes the closest.
//!
//! Source: Mirtich 1998, section 3.1: bodies are integrated with the contacts of the set kept apart; where they are found
//! to penetrate at the end of an interval all the same, a binary search finds a time at which they are disjoint and their
//! closest features are not in the set. Such a time exists, because the pairs of the set do not penetrate.

use super::ContactPoint;
use super::set::ContactSet;
use crate::detection::closest::{Closest, ClosestError, closest};
use crate::detection::toc::Moving;
use crate::math::Real;
use crate::motion::TimeInterval;
use crate::shape::Shape;

/// How long to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthOptions {
    /// The search ends when the bracket is narrower than this, seconds.
    pub time_tolerance: Real,
    /// New pairs further apart than this are no contacts, metres.
    pub threshold: Real,
}

/// A pair of features to add to the set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewPair {
    /// When, seconds on the motions' clock; the bodies are disjoint then.
    pub time: Real,
    /// Its contact at that time.
    pub contact: ContactPoint,
}

/// Finds a time in the interval at which the bodies are disjoint, within the threshold, and their closest features are no
/// contact of the set. `None` where the bodies do not penetrate at the interval's end, nor are nearest by a new pair there;
/// or where they penetrate by pairs of the set alone (its contacts were not kept apart), or before the interval.
///
/// Cost: a closest-features query for each halving of the interval. For the earliest contact of all, with a proof that nothing was
/// missed, ask [`crate::detection::toc::time_of_contact`]: a body that passes through another within the interval is not seen here.
///
/// # Errors
/// [`ClosestError`] for pairs that cannot be measured.
pub fn next_new_pair<K: Copy>(
    set: &ContactSet<K>,
    a: Moving<'_, Shape>,
    b: Moving<'_, Shape>,
    interval: TimeInterval,
    options: &GrowthOptions,
) -> Result<Option<NewPair>, ClosestError> {
    let look = |time: Real| closest(a.solid, &a.motion.pose_at(time), b.solid, &b.motion.pose_at(time));
    let is_new =
        |found: &Closest| found.distance > 0.0 && found.distance <= options.threshold && !set.contains(&found.features);
    let at = |time: Real, found: Closest| NewPair { time, contact: found.into() };
    let (mut low, mut high) = (interval.start(), interval.end());
    let last = look(high)?;
    if is_new(&last) {
        return Ok(Some(at(high, last)));
    }
    if last.distance > 0.0 {
        return Ok(None);
    }
    while high - low > options.time_tolerance {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        let found = look(middle)?;
        if is_new(&found) {
            return Ok(Some(at(middle, found)));
        }
        if found.distance > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(None)
}
