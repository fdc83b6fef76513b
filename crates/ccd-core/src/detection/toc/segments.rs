//! Algorithm 3: the time of contact with straight segments in place of boxes.
//!
//! **Problem.** As [`super::obb_bisection`], for solids whose box query is slow or loose and whose segment query is fast.
//! **Idea.** Halve time until the curve of a point is within a quarter of the tolerance ε of its chord, then cast the chord.
//! **Guarantee.** Weaker, on purpose: **a contact that is shallower than the deviation δ ≤ ε/4 of a segment can be missed**,
//! so it is never the default. What is found is not late by more than its own depth test allows: the time of the hit less
//! the time that the point needs for 2δ. Edges against edges, and features with a rounding radius (a segment has no
//! thickness), are found as in Algorithm 2, without this weakness.
//! **Source.** Precise contact determination, Algorithm 3; errata E4, E7.

use super::answer::{Answered, Toc, TocError, TocOptions};
use super::features::{Trajectories, determine_contact};
use super::obb_bisection::{Path, Trial};
use super::side::Side;
use crate::geometry::solid::{Segment, Solid};
use crate::math::Real;
use crate::motion::{RigidMotion, TimeInterval};

/// When two moving solids first meet, by Algorithm 3: can miss contacts shallower than a quarter of the tolerance.
///
/// # Errors
/// As [`super::obb_bisection::time_of_contact`].
///
/// # Cost
/// One segment query for each vertex that comes near and each stretch of its path that is straight up to ε/4.
pub fn time_of_contact(
    a: &dyn Solid,
    motion_a: &RigidMotion,
    b: &dyn Solid,
    motion_b: &RigidMotion,
    interval: TimeInterval,
    options: &TocOptions,
) -> Result<Answered<Toc>, TocError> {
    let found = determine_contact((a, motion_a), (b, motion_b), interval, options, Trajectories::Segments)?;
    Ok(Answered { answer: found.answer.toc, stats: found.stats })
}

impl Path {
    /// One step of Algorithm 3 between the instants `start` and `end`; `speed` bounds the point's, m/s.
    pub(super) fn try_segment(
        &self,
        target: &Side,
        (start, end): (Real, Real),
        speed: Real,
        tolerance: Real,
        queries: &mut u64,
    ) -> Trial {
        if self.deviation > 0.25 * tolerance {
            return if self.meets(target, queries) {
                Trial::Meets { earliest: start, resolved: false }
            } else {
                Trial::Clear
            };
        }
        *queries += 1;
        match target.solid.cast_segment(&Segment { start: self.from, end: self.to }) {
            None => Trial::Clear,
            Some(hit) => {
                let early = if speed > 0.0 { 2.0 * self.deviation / speed } else { 0.0 };
                let earliest = (start + hit.fraction * (end - start) - early).max(start);
                Trial::Meets { earliest, resolved: true }
            }
        }
    }
}
