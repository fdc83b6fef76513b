//! Two convex solids: the nearest points, and what rests beside them.

use super::ContactPoint;
use super::box_box::{Completeness, box_box_contacts, patch_contacts};
use super::facing::Limits;
use super::side::ConvexSide;
use crate::geometry::feature::FeaturePair;
use crate::math::{Point, Real, Vector};

/// The nearest points of two convex solids, or the least overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    pub(super) point_a: Point,
    pub(super) point_b: Point,
    /// Unit, from A to B.
    pub(super) normal: Vector,
    pub(super) separation: Real,
    pub(super) features: FeaturePair,
}

impl Nearest {
    fn contact(&self) -> ContactPoint {
        let &Self { point_a, point_b, normal, separation, features } = self;
        ContactPoint { point_a, point_b, normal, separation, features }
    }
}

/// Appends the contacts of two convex solids, in the frame of the query, before any reduction.
pub(super) fn convex_contacts(
    a: &ConvexSide<'_>,
    b: &ConvexSide<'_>,
    limits: &Limits,
    nearest: impl FnOnce() -> Option<Nearest>,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    if let (Some(box_a), Some(box_b)) = (a.placed_box(), b.placed_box())
        && box_box_contacts(&box_a, &box_b, limits, out) == Completeness::Complete
    {
        return;
    }
    let Some(nearest) = nearest().filter(|n| n.separation <= limits.margin) else { return };
    if out.len() == start {
        let n = nearest.normal;
        let deepest = limits.deepest.max(2.0 * nearest.separation.min(0.0) - limits.margin);
        patch_contacts(&a.patch(&n), &b.patch(&-n), &n, &Limits { deepest, ..*limits }, out);
    }
    let least = out[start..].iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
    if least > nearest.separation + limits.snap {
        out.push(nearest.contact());
    }
}
