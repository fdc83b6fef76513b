//! Two convex solids: the nearest points, and what rests beside them.

use super::ContactPoint;
use super::box_box::{Completeness, box_box_contacts, patch_contacts};
use super::facing::Limits;
use super::nearest::{Nearest, nearest_points};
use super::side::ConvexSide;
use crate::detection::closest::gjk::GjkCache;
use crate::math::Real;

/// Appends the contacts of two convex solids, before any reduction, in A's frame, which is that of the query.
pub(super) fn convex_contacts(
    a: &ConvexSide<'_>,
    b: &ConvexSide<'_>,
    limits: &Limits,
    cache: &mut GjkCache,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    if let (Some(box_a), Some(box_b)) = (a.placed_box(), b.placed_box())
        && box_box_contacts(&box_a, &box_b, limits, out) == Completeness::Complete
    {
        return;
    }
    let feature_a = |core: &_, vertices: &[u32]| a.feature_at(core, vertices);
    match nearest_points((a.map(), &feature_a), b, limits.margin, cache) {
        None => {}
        Some(Nearest::Apart(nearest)) => {
            if out.len() == start {
                let n = nearest.normal;
                patch_contacts(&a.patch(&n, limits), &b.patch(&-n, limits), &n, limits, out);
            }
            push_unless_found(nearest, start, limits, out);
        }
        Some(Nearest::Overlapping(deepest)) => {
            if out.len() == start {
                let n = deepest.normal;
                let limits = Limits { deepest: 2.0 * deepest.separation - limits.margin, ..*limits };
                patch_contacts(&a.patch(&n, &limits), &b.patch(&-n, &limits), &n, &limits, out);
            }
            if out.len() == start {
                out.push(deepest);
            }
        }
    }
}

/// Appends the nearest points unless `out[start..]` already has a contact as near.
pub(super) fn push_unless_found(nearest: ContactPoint, start: usize, limits: &Limits, out: &mut Vec<ContactPoint>) {
    let least = out[start..].iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
    if nearest.separation <= limits.margin && least > nearest.separation + limits.snap {
        out.push(nearest);
    }
}
