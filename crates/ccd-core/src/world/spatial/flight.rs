//! When a box that flies straight comes to others.

use crate::math::{Point, Real, Vector};
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
pub(super) struct FlyingBox {
    /// At the start.
    pub from: Aabb,
    /// Its way in a unit of time, metres.
    pub way: Vector,
}

impl FlyingBox {
    /// When it comes to another box, which stands: zero if it is there, `None` if it never is.
    pub fn entry(&self, aabb: &Aabb) -> Option<Real> {
        self.stay(aabb, Real::INFINITY).map(|(enter, _)| enter)
    }

    /// From when to when it is at another box until `end`.
    pub fn stay(&self, aabb: &Aabb, end: Real) -> Option<(Real, Real)> {
        // As its corner is in the box grown by its own size.
        let grown = Aabb { min: aabb.min - self.from.max.coords, max: aabb.max - self.from.min.coords };
        grown.stay(&Point::origin(), &self.way, end)
    }
}
