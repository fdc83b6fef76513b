//! The nearest points of two convex sides.

use super::convex::Nearest;
use super::side::ConvexSide;
use crate::math::Real;

/// The nearest points, if they are within `margin` metres.
pub(super) fn nearest_points(_a: &ConvexSide<'_>, _b: &ConvexSide<'_>, _margin: Real) -> Option<Nearest> {
    None
}
