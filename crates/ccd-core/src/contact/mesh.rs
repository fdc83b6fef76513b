//! The contacts of two meshes: both trees are descended at once to the pairs of triangles within the margin.

use std::ops::ControlFlow;

use super::ContactPoint;
use super::facing::Limits;
use super::triangle::{Corner3, Frames, triangle_contacts};
use crate::bounds::IndexedMesh;
use crate::bounds::tree::NodeKind;
use crate::math::{Matrix, Point, Pose, Real, Vector};
use crate::volume::Aabb;

/// Appends the contacts of two meshes, in A's frame, before any reduction; `b_in_a` places B's frame in A's.
///
/// Cost: the pairs of nodes and triangles within the margin.
pub(super) fn mesh_mesh_contacts(
    a: &IndexedMesh,
    b: &IndexedMesh,
    b_in_a: &Pose,
    limits: &Limits,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    let rotation = b_in_a.rotation.to_rotation_matrix().into_inner();
    let turn_b = |v: &Vector| rotation.tr_mul(v);
    let frames = Frames { turn_a: &|v| *v, turn_b: &turn_b };
    // Inside flat pieces of two solids' surfaces nothing is a feature but the faces, and faces alone make no contact.
    let solid = a.is_closed() && b.is_closed();
    let plain_a = |i: &u32| solid && a.surface_features().is_plain_face(*i);
    visit_close_leaves(a, b, b_in_a, limits.margin, |items_a, items_b| {
        for &j in items_b {
            let plain_b = solid && b.surface_features().is_plain_face(j);
            if plain_b && items_a.iter().all(plain_a) {
                continue;
            }
            let corners = b.triangle(j).map(|p| b_in_a * p);
            let around = Aabb::from_points(&corners).inflated(limits.margin);
            let tb = Corner3 { mesh: b, face: j, corners, normal: rotation * b.face_normals()[j as usize] };
            for &i in items_a {
                if plain_b && plain_a(&i) {
                    continue;
                }
                let corners = a.triangle(i);
                if around.overlaps(&Aabb::from_points(&corners)) {
                    let ta = Corner3 { mesh: a, face: i, corners, normal: a.face_normals()[i as usize] };
                    triangle_contacts(&ta, &tb, &frames, limits, out);
                }
            }
        }
    });
    drop_false_overlaps(a, b, b_in_a, limits, start, out);
}

/// Where a wall is thinner than the margin, its far side seems to be overlapped; only what is inside is.
fn drop_false_overlaps(
    a: &IndexedMesh,
    b: &IndexedMesh,
    b_in_a: &Pose,
    limits: &Limits,
    start: usize,
    out: &mut Vec<ContactPoint>,
) {
    let is_real = |c: &ContactPoint| {
        c.separation >= -limits.snap
            || a.contains(&c.point_b)
            || b.contains(&b_in_a.inverse_transform_point(&c.point_a))
    };
    let mut kept = start;
    for k in start..out.len() {
        if is_real(&out[k]) {
            out[kept] = out[k];
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// Boxes of B's tree in A's frame and the other way round.
struct BoxFrames {
    rotation: Matrix,
    spread: Matrix,
    translation: Vector,
    margin: Real,
}

impl BoxFrames {
    /// Whether the boxes are within the margin along the face normals of both: never `false` when they are closer.
    #[inline]
    fn are_close(&self, a: &Aabb, b: &Aabb) -> bool {
        let (half_a, half_b) = (a.half_extents(), b.half_extents());
        let offset = self.rotation * b.centre().coords + self.translation - a.centre().coords;
        let apart = offset.abs() - half_a - self.spread * half_b;
        // The rounding of the products above, for boxes that only touch.
        let reach = self.margin + 16.0 * Real::EPSILON * (offset.amax() + half_a.amax() + half_b.amax());
        apart.max() <= reach
            && (self.rotation.tr_mul(&offset).abs() - half_b - self.spread.tr_mul(&half_a)).max() <= reach
    }
}

/// Calls `leaves` with the items of every pair of leaves whose boxes are within `margin`, in a fixed order.
fn visit_close_leaves(
    a: &IndexedMesh,
    b: &IndexedMesh,
    b_in_a: &Pose,
    margin: Real,
    mut leaves: impl FnMut(&[u32], &[u32]),
) {
    let rotation = b_in_a.rotation.to_rotation_matrix().into_inner();
    let frames = BoxFrames { rotation, spread: rotation.abs(), translation: b_in_a.translation.vector, margin };
    let (tree_a, tree_b) = (a.tree(), b.tree());
    if tree_a.node_count() == 0 || tree_b.node_count() == 0 {
        return;
    }
    let mut stack = Vec::with_capacity(64);
    stack.push((0_u32, 0_u32));
    while let Some((i, j)) = stack.pop() {
        let (node_a, node_b) = (tree_a.node(i), tree_b.node(j));
        if !frames.are_close(&node_a.aabb, &node_b.aabb) {
            continue;
        }
        match (node_a.kind, node_b.kind) {
            (NodeKind::Leaf { first, count }, NodeKind::Leaf { first: first_b, count: count_b }) => {
                leaves(tree_a.items(first, count), tree_b.items(first_b, count_b));
            }
            (NodeKind::Inner { left, right }, NodeKind::Leaf { .. }) => stack.extend([(right, j), (left, j)]),
            (NodeKind::Leaf { .. }, NodeKind::Inner { left, right }) => stack.extend([(i, right), (i, left)]),
            (NodeKind::Inner { left: la, right: ra }, NodeKind::Inner { left: lb, right: rb }) => {
                // The larger box is opened, so that both sides shrink together.
                let size = |aabb: &Aabb| (aabb.max - aabb.min).norm_squared();
                if size(&node_a.aabb) >= size(&node_b.aabb) {
                    stack.extend([(ra, j), (la, j)]);
                } else {
                    stack.extend([(i, rb), (i, lb)]);
                }
            }
        }
    }
}

/// Appends the contacts of a mesh (A) with a ball around `centre`, in the mesh's frame. The ball's feature is `Face(0)`.
pub(super) fn mesh_ball_contacts(
    mesh: &IndexedMesh,
    centre: &Point,
    radius: Real,
    limits: &Limits,
    out: &mut Vec<ContactPoint>,
) {
    use super::facing::push_rounded;
    use super::triangle::REGION_SLACK;
    use crate::geometry::feature::{Feature, FeaturePair};
    use crate::geometry::mesh::triangle::{TrianglePart, closest_point};

    let around = Aabb { min: *centre, max: *centre }.inflated(radius + limits.margin);
    let surface = mesh.surface_features();
    let _ = mesh.visit_triangles_near(&around, |face| {
        let (point, part) = closest_point(&mesh.triangle(face), centre);
        let gap = centre - point;
        let distance = gap.norm();
        let outward = mesh.face_normals()[face as usize];
        let inside = mesh.is_closed() && gap.dot(&outward) < 0.0;
        // At the centre itself, and for a centre that has sunk in, only the face has a direction left.
        let normal = if distance > 1e-12 * radius { gap / distance } else { outward };
        let (feature, counts) = match part {
            TrianglePart::Inside => (Feature::Face(face), !inside),
            TrianglePart::Side(k) => {
                let edge = mesh.topology().triangle_edges()[face as usize][k as usize];
                let first = mesh.topology().faces_of_edge(edge as usize)[0] == face;
                let seen = surface.edge_faces(mesh, edge, &normal, REGION_SLACK);
                // A centre right over a seam belongs to the face: one of the two.
                let feature = if surface.is_flat_edge(edge) { Feature::Face(face) } else { Feature::Edge(edge) };
                (feature, first && seen)
            }
            TrianglePart::Corner(k) => {
                let vertex = mesh.mesh().triangles()[face as usize][k as usize];
                let first = surface.owner_of_vertex(vertex) == face;
                let seen = surface.vertex_faces(mesh, vertex, &normal, REGION_SLACK);
                let feature =
                    if surface.is_flat_vertex(vertex) { Feature::Face(face) } else { Feature::Vertex(vertex) };
                (feature, first && seen)
            }
        };
        if counts {
            let features = FeaturePair { a: feature, b: Feature::Face(0) };
            push_rounded([0.0, radius], (point, *centre), normal, features, limits, out);
        } else if inside && part == TrianglePart::Inside && distance < radius {
            let features = FeaturePair { a: Feature::Face(face), b: Feature::Face(0) };
            push_rounded([0.0, radius], (point, *centre), outward, features, limits, out);
        }
        ControlFlow::Continue(())
    });
}
