//! When a box that flies straight comes to others.

use crate::math::{Real, Vector};
use crate::volume::Aabb;

/// Room around a box for the rounding of a long way to it, as a share of its size and in metres.
const ROUNDING: Real = 1e-6;

/// The box with room for the rounding of a long way to it.
pub(super) fn with_room(aabb: &Aabb) -> Aabb {
    let size = aabb.half_extents().amax();
    aabb.inflated(ROUNDING * if size.is_finite() { 1.0 + size } else { 1.0 })
}

/// A box that flies straight, without turning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    /// At the start.
    pub from: Aabb,
    /// Its way in a unit of time, metres.
    pub way: Vector,
}

impl Flight {
    /// When it comes to another box, which stands: zero if it is there, `None` if it never is.
    pub fn entry(&self, aabb: &Aabb) -> Option<Real> {
        self.stay(aabb, Real::INFINITY).map(|(enter, _)| enter)
    }

    /// From when to when it is at another box until `end`.
    pub fn stay(&self, aabb: &Aabb, end: Real) -> Option<(Real, Real)> {
        let (mut enter, mut leave) = (0.0_f64, end);
        for k in 0..3 {
            let (low, high) = (aabb.min[k] - self.from.max[k], aabb.max[k] - self.from.min[k]);
            if self.way[k] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
                continue;
            }
            let (one, other) = (low / self.way[k], high / self.way[k]);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        (enter <= leave).then_some((enter, leave))
    }
}
