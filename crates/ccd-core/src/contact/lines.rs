//! The contacts of lines that lie along each other, and where lines cross or are nearest.

use super::ContactPoint;
use super::facing::push_rounded;
use super::limits::Limits;
use super::patch::Patch;
use super::triangle::FACING;
use crate::geometry::feature::FeaturePair;
use crate::math::{Point, Real, Vector};

/// Two lines that meet at less than this sine are long contacts, not crossings.
const PARALLEL: Real = 0.1;

/// Appends the contacts of two segments, or of a segment and a point, that lie along each other: each end beside the
/// other's inside. Crossing segments have one contact only, their nearest points, which the caller knows already.
///
/// `normal` is the direction from A to B of the nearest points of the whole solids. Constant cost.
pub(super) fn line_contacts(a: &Patch, b: &Patch, normal: &Vector, limits: &Limits, out: &mut Vec<ContactPoint>) {
    if a.edge_count() != 1 || b.edge_count() != 1 {
        return;
    }
    let ([a0, a1], [b0, b1]) = (a.edge(0), b.edge(0));
    let (along_a, along_b) = (a1 - a0, b1 - b0);
    if along_a.cross(&along_b).norm() > PARALLEL * along_a.norm() * along_b.norm() {
        return;
    }
    let mut end = |corner: &Point, start: &Point, along: &Vector, features: FeaturePair, sign: Real| {
        let at = (corner - start).dot(along) / along.norm_squared();
        // Ends that coincide count for both sides; the copies are joined later.
        let snap = limits.snap / along.norm();
        if !(-snap..=1.0 + snap).contains(&at) {
            return;
        }
        let foot = start + along * at.clamp(0.0, 1.0);
        let (point_a, point_b) = if sign > 0.0 { (foot, *corner) } else { (*corner, foot) };
        let gap = point_b - point_a;
        let distance = gap.norm();
        // A tiny gap has no direction of its own (E26); a visible one that leads elsewhere is of other features.
        let own = if distance > 1e-3 * limits.margin.max(limits.snap) { gap / distance } else { *normal };
        if own.dot(normal) > FACING && (gap - own * gap.dot(&own)).norm() <= limits.snap {
            push_rounded([a.radius, b.radius], (point_a, point_b), own, features, limits, out);
        }
    };
    for (k, corner) in [b0, b1].iter().enumerate() {
        end(corner, &a0, &along_a, FeaturePair { a: a.edge_features[0], b: b.vertex_features[k] }, 1.0);
    }
    for (k, corner) in [a0, a1].iter().enumerate() {
        end(corner, &b0, &along_b, FeaturePair { a: a.vertex_features[k], b: b.edge_features[0] }, -1.0);
    }
}

/// The fractions where two lines cross seen along `direction`, where the second begins `between` from the first; `None` for
/// lines that are parallel seen so (erratum E26).
pub(super) fn crossing_along(
    direction: &Vector,
    between: &Vector,
    along_a: &Vector,
    along_b: &Vector,
) -> Option<(Real, Real)> {
    let (beside_a, beside_b) = (along_a.cross(direction), along_b.cross(direction));
    let determinant = along_a.dot(&beside_b);
    if determinant.abs() <= 1e-7 * along_a.norm() * along_b.norm() {
        return None;
    }
    Some((between.dot(&beside_b) / determinant, between.dot(&beside_a) / determinant))
}

/// The fractions where two lines are nearest to each other; `None` for parallel ones (erratum E26).
pub(super) fn nearest_on_lines(a: &Point, along_a: &Vector, b: &Point, along_b: &Vector) -> Option<(Real, Real)> {
    let between = b - a;
    let (aa, bb, ab) = (along_a.norm_squared(), along_b.norm_squared(), along_a.dot(along_b));
    let determinant = aa * bb - ab * ab;
    if determinant <= 1e-14 * aa * bb {
        return None;
    }
    let (da, db) = (between.dot(along_a), between.dot(along_b));
    Some(((da * bb - db * ab) / determinant, (da * ab - db * aa) / determinant))
}
