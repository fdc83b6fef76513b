//! Two convex solids: the nearest points, and what rests beside them.

use super::ContactPoint;
use super::box_box::{Completeness, box_box_contacts, patch_contacts};
use super::facing::Limits;
use super::nearest::{Nearest, nearest_points};
use super::side::ConvexSide;
use crate::detection::closest::gjk::GjkCache;
use crate::math::{Real, Vector};

/// Appends the contacts of two convex solids, before any reduction, in A's frame, which is that of the query.
///
/// `last_normal` is the direction from A to B of an earlier search, for solids that overlap meanwhile.
pub(super) fn convex_contacts(
    a: &ConvexSide<'_>,
    b: &ConvexSide<'_>,
    limits: &Limits,
    last_normal: Option<Vector>,
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
    let suggestions = last_normal.as_slice();
    match nearest_points((a.map(), &feature_a), b, limits.margin, suggestions, cache) {
        None => {}
        Some(Nearest::Apart(nearest)) => {
            if out.len() == start {
                let n = nearest.normal;
                patch_contacts(&a.patch(&n), &b.patch(&-n), &n, limits, out);
            }
            push_unless_found(nearest, start, limits, out);
        }
        Some(Nearest::Overlapping { normal, separation }) => {
            if out.len() == start {
                let limits = Limits { deepest: 2.0 * separation - limits.margin, ..*limits };
                patch_contacts(&a.patch(&normal), &b.patch(&-normal), &normal, &limits, out);
            }
            if out.len() == start {
                out.push(overlap_contact(a, b, normal, separation));
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

/// The one contact of solids that overlap where no faces, lines or corners face each other: at B's deepest point.
fn overlap_contact(a: &ConvexSide<'_>, b: &ConvexSide<'_>, normal: Vector, separation: Real) -> ContactPoint {
    let (deepest, feature_b) = b.support(&-normal);
    let (_, feature_a) = a.support(&normal);
    let point_b = deepest - normal * b.map().radius();
    ContactPoint {
        point_a: point_b - normal * separation,
        point_b,
        normal,
        separation,
        features: crate::geometry::feature::FeaturePair { a: feature_a, b: feature_b },
    }
}
