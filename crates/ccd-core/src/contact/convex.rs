//! Two convex solids: the nearest points, and what rests beside them.

use super::ContactPoint;
use super::box_box::{Completeness, box_box_contacts, edge_contacts, patch_contacts};
use super::limits::Limits;
use super::nearest::{Nearest, nearest_points};
use super::patch::Patch;
use super::side::ConvexSide;
use crate::detection::closest::gjk::GjkCache;
use crate::math::Vector;

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
    match nearest_points(a, b, limits.margin, cache) {
        None => {}
        Some(Nearest::Apart(nearest)) => {
            let n = nearest.normal;
            let (patch_a, patch_b) = patches(a, b, &n, limits);
            if out.len() == start {
                patch_contacts(&patch_a, &patch_b, &n, limits, out);
            }
            // Of a generator that lies along an edge one end alone may be so near beside the face that it counts as over it.
            let half = (patch_a.lateral.is_some() || patch_b.lateral.is_some()) && out.len() < start + 2;
            if half || !has_nearest(&nearest, start, limits, out) {
                // Beside the faces: the edges may lie along each other.
                edge_contacts(&patch_a, &patch_b, &n, limits, out);
            }
            push_unless_found(nearest, start, limits, out);
        }
        Some(Nearest::Overlapping(deepest)) => {
            if out.len() == start {
                let n = deepest.normal;
                let limits = Limits { deepest: 2.0 * deepest.separation - limits.margin, ..*limits };
                let (patch_a, patch_b) = patches(a, b, &n, &limits);
                patch_contacts(&patch_a, &patch_b, &n, &limits, out);
            }
            push_unless_found(deepest, start, limits, out);
        }
    }
}

/// The parts that look at each other along `normal`. What is round touches the true surface in one place, however flat that is.
fn patches(a: &ConvexSide<'_>, b: &ConvexSide<'_>, normal: &Vector, limits: &Limits) -> (Patch, Patch) {
    let (patch_a, patch_b) = (a.patch(normal, limits), b.patch(&-normal, limits));
    let is_round = |patch: &Patch| patch.vertices.len() == 1;
    match (&patch_a.bulge, &patch_b.bulge) {
        (Some(_), None) if is_round(&patch_b) => (a.true_patch(normal, limits), patch_b),
        (None, Some(_)) if is_round(&patch_a) => (patch_a, b.true_patch(&-normal, limits)),
        _ => (patch_a, patch_b),
    }
}

/// Whether `out[start..]` has a contact as near as the nearest points.
pub(super) fn has_nearest(nearest: &ContactPoint, start: usize, limits: &Limits, out: &[ContactPoint]) -> bool {
    out[start..].iter().any(|c| c.separation <= nearest.separation + limits.snap)
}

/// Appends the nearest points unless `out[start..]` already has a contact as near.
pub(super) fn push_unless_found(nearest: ContactPoint, start: usize, limits: &Limits, out: &mut Vec<ContactPoint>) {
    if nearest.separation <= limits.margin && !has_nearest(&nearest, start, limits, out) {
        out.push(nearest);
    }
}
