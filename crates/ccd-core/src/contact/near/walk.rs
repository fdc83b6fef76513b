//! One walk over two trees, or over one against a box, that finds all triangles within a radius.

use super::Near;
use crate::bounds::IndexedMesh;
use crate::bounds::tree::{NodeBox, NodeFrames, NodeKind};
use crate::math::{Point, Pose, Real, Vector};
use crate::volume::Aabb;

/// How far apart two boxes are along the axis where they are furthest apart, metres; negative where they overlap.
#[inline]
fn box_gap(one: &Aabb, other: &Aabb) -> Real {
    (one.min - other.max).sup(&(other.min - one.max)).max()
}

/// How far the corners of a triangle are from a plane on one side of it, at least; negative where they are on both.
#[inline]
fn plane_gap(origin: &Point, normal: &Vector, corners: &[Point; 3]) -> Real {
    let heights = corners.map(|p| (p - origin).dot(normal));
    let (low, high) = (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]));
    low.max(-high)
}

/// Appends the pairs of triangles of two meshes within `radius` metres of each other, and what is near enough to cost less than the proof.
pub(super) fn list_meshes(a: &IndexedMesh, b: &IndexedMesh, b_in_a: &Pose, radius: Real, entries: &mut Vec<Near>) {
    let rotation = b_in_a.rotation.to_rotation_matrix().into_inner();
    let nodes = NodeFrames::new(b_in_a, [&a.tree().aabb(), &b.tree().aabb()], radius);
    visit_close_leaves(a, b, &nodes, |node_a, items_b| {
        for &j in items_b {
            let corners_b = b.triangle(j).map(|p| Point::from(rotation * p.coords + b_in_a.translation.vector));
            let (box_b, normal_b) = (Aabb::from_points(&corners_b), rotation * b.face_normals()[j as usize]);
            // More than the rounding of the gaps below.
            let size = radius + box_b.min.coords.amax().max(box_b.max.coords.amax());
            let around = box_b.inflated(radius + 4.0 * Real::EPSILON * size);
            let _ = a.tree().visit_aabb_below(node_a, &around, |i| {
                let corners_a = a.triangle(i);
                let mut gap = box_gap(&Aabb::from_points(&corners_a), &box_b);
                if gap <= radius {
                    gap = gap.max(plane_gap(&corners_a[0], &a.face_normals()[i as usize], &corners_b));
                }
                if gap <= radius {
                    gap = gap.max(plane_gap(&corners_b[0], &normal_b, &corners_a));
                }
                if gap <= radius {
                    entries.push(Near::new(i, j, gap));
                }
                std::ops::ControlFlow::Continue(())
            });
        }
    });
}

/// Appends the triangles of a mesh within `radius` metres of a box of another frame, likewise.
pub(super) fn list_mesh_and_box(a: &IndexedMesh, b: &Aabb, b_in_a: &Pose, radius: Real, entries: &mut Vec<Near>) {
    let frames = NodeFrames::new(b_in_a, [&a.tree().aabb(), b], radius);
    let around_b = NodeBox::around(b);
    let _ = a.tree().visit_node_boxes(
        |node| !frames.are_apart(node, &around_b),
        |i| {
            let corners = a.triangle(i).map(|p| b_in_a.inverse_transform_point(&p));
            let gap = box_gap(&Aabb::from_points(&corners), b);
            if gap <= radius {
                entries.push(Near::new(i, 0, gap));
            }
            std::ops::ControlFlow::Continue(())
        },
    );
}

/// Calls `leaves` with a node of A and the items of a leaf of B whose boxes, and the capsules of whatever is above them, are within the radius:
/// no leaves with triangles that near are left out. The order depends on the trees only.
fn visit_close_leaves(a: &IndexedMesh, b: &IndexedMesh, frames: &NodeFrames, mut leaves: impl FnMut(u32, &[u32])) {
    let (tree_a, tree_b) = (a.tree(), b.tree());
    let (capsules_a, capsules_b) = (a.capsules(), b.capsules());
    if tree_a.node_count() == 0 || tree_b.node_count() == 0 {
        return;
    }
    let mut stack = Vec::with_capacity(64);
    stack.push((0_u32, 0_u32));
    while let Some((i, j)) = stack.pop() {
        let ((box_a, kind_a), (box_b, kind_b)) = (tree_a.node_box(i), tree_b.node_box(j));
        if frames.are_apart(&box_a, &box_b) {
            continue;
        }
        if let (Some(a), Some(b)) = (capsules_a.capsule(i), capsules_b.capsule(j))
            && frames.capsules_are_apart(&a, &b)
        {
            continue;
        }
        match (kind_a, kind_b) {
            // The boxes of single triangles tell more than those of nodes, and cost less in A's frame.
            (_, NodeKind::Leaf { first, count }) => leaves(i, tree_b.items(first, count)),
            (NodeKind::Leaf { .. }, NodeKind::Inner { left, right }) => stack.extend([(i, right), (i, left)]),
            (NodeKind::Inner { left: la, right: ra }, NodeKind::Inner { left: lb, right: rb }) => {
                // The larger box is opened, so that both sides shrink together.
                let size = |around: &NodeBox| around.half.iter().map(|x| x * x).sum::<f32>();
                if size(&box_a) >= size(&box_b) {
                    stack.extend([(ra, j), (la, j)]);
                } else {
                    stack.extend([(i, rb), (i, lb)]);
                }
            }
        }
    }
}
