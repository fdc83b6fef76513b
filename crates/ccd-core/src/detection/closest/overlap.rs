//! Whether solids overlap, without a measure of how deep.

use super::hulls::{self, ByHulls};
use super::{compound, field_pair, interferes, mesh, patches};
use crate::detection::dispatch::needs_cells;
use crate::math::{Pose, is_sound_pose};
use crate::shape::Shape;

/// Whether two solids overlap or touch, but for rounding, without a measure of how deep, which of meshes and fields takes hundreds of times as long;
/// `false` where [`closest`](super::closest) is an error.
pub fn overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let is_placed = [pose_a, pose_b].into_iter().all(is_sound_pose);
    is_placed
        && overlap_of_hollow(a, pose_a, b, pose_b).unwrap_or_else(|| interferes(a, pose_a, b, pose_b, 0.0).is_some())
}

/// The same of those pairs whose depth takes longer than that: `None` of others.
pub(super) fn overlap_of_hollow(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<bool> {
    let b_in_a = pose_a.inv_mul(pose_b);
    if a.as_compound().is_some() || b.as_compound().is_some() {
        return compound::overlap(a, b, &b_in_a).ok();
    }
    if let Some(overlap) = fields_overlap(a, b, &b_in_a) {
        return Some(overlap);
    }
    match (a, b) {
        (Shape::Patches(_), _) | (_, Shape::Patches(_)) => {
            patches::nearest_or_overlap(a, b, &b_in_a, 0.0).ok().map(|(_, overlap)| overlap)
        }
        (Shape::Mesh(_), Shape::Mesh(_)) => Some(mesh_overlaps(a, pose_a, b, pose_b)),
        (Shape::Mesh(_), other) | (other, Shape::Mesh(_)) if other.as_convex().is_some() => {
            Some(mesh_overlaps(a, pose_a, b, pose_b))
        }
        _ => None,
    }
}

/// Whether a mesh overlaps another or a convex solid, without a measure of how deep, which takes hundreds of times as long; not for
/// other solids, whose depth is found at once.
pub(crate) fn mesh_overlaps(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let b_in_a = pose_a.inv_mul(pose_b);
    match (a, b) {
        _ if hulls::are_beyond(a, b, &b_in_a, 0.0) => false,
        (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) => mesh::meshes_overlap(mesh_a, mesh_b, &b_in_a),
        (Shape::Mesh(mesh), other) => {
            other.as_convex().is_some_and(|convex| mesh::overlaps_convex(mesh, convex, other, &b_in_a))
        }
        (_, Shape::Mesh(_)) => mesh_overlaps(b, pose_b, a, pose_a),
        _ => false,
    }
}

/// The same of solids of which at least one is told by a field; `None` of others.
fn fields_overlap(a: &Shape, b: &Shape, b_in_a: &Pose) -> Option<bool> {
    if !needs_cells(a) && !needs_cells(b) {
        return None;
    }
    match hulls::by_hulls(a, b, b_in_a, 0.0) {
        ByHulls::Beyond => Some(false),
        ByHulls::Nearest(found) => Some(found.distance <= 0.0),
        ByHulls::Unknown => Some(field_pair(a, b, b_in_a)?.0.overlap_at_all()),
    }
}
