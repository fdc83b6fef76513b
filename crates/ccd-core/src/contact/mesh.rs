//! The contacts of two meshes: those of all pairs of triangles within the margin.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::ContactPoint;
use super::facing::push_rounded;
use super::limits::Limits;
use super::near::NearLists;
use super::triangle::{Corner3, Frames, REGION_SLACK, triangle_contacts};
use crate::bounds::IndexedMesh;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::mesh::triangle::{TrianglePart, closest_point};
use crate::math::{Point, Pose, Real, Vector};
use crate::volume::Aabb;

/// Appends the contacts of two meshes, in A's frame, before any reduction; `b_in_a` places B's frame in A's.
///
/// Cost: the pairs of triangles on the list, and from time to time those of nodes to make it.
pub(super) fn mesh_mesh_contacts(
    a: &Arc<IndexedMesh>,
    b: &Arc<IndexedMesh>,
    b_in_a: &Pose,
    limits: &Limits,
    near: &mut NearLists,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    let rotation = b_in_a.rotation.to_rotation_matrix().into_inner();
    let translation = b_in_a.translation.vector;
    let turn_b = |v: &Vector| rotation.tr_mul(v);
    let frames = Frames { turn_a: &|v| *v, turn_b: &turn_b };
    let reach = limits.reach();
    let near = near.of_meshes(a, b, b_in_a, reach);
    // Inside flat pieces of two solids' surfaces nothing is a feature but the faces, and faces alone make no contact.
    let solid = a.is_closed() && b.is_closed();
    let is_plain = |mesh: &IndexedMesh, face: u32| mesh.surface_features().is_plain_face(face);
    // Each triangle of B is placed once.
    let mut placed: Vec<Option<(Corner3<'_>, Aabb)>> = vec![None; near.faces_b.len()];
    for entry in near.pairs() {
        let (tb, around) = placed[entry.b as usize].get_or_insert_with(|| {
            let face = near.faces_b[entry.b as usize];
            let corners = b.triangle(face).map(|p| Point::from(rotation * p.coords + translation));
            let tb = Corner3 { mesh: b, face, corners, normal: rotation * b.face_normals()[face as usize] };
            (tb, Aabb::from_points(&corners).inflated(reach))
        });
        let listed = &near.faces_a[entry.a as usize];
        if around.overlaps(&listed.aabb) && !(solid && is_plain(a, listed.face) && is_plain(b, tb.face)) {
            let normal = a.face_normals()[listed.face as usize];
            let ta = Corner3 { mesh: a, face: listed.face, corners: listed.corners, normal };
            triangle_contacts(&ta, tb, &frames, limits, out);
        }
    }
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

/// The place of a mesh's surface that is nearest to a point.
struct NearestPlace {
    /// Metres.
    distance: Real,
    point: Point,
    face: u32,
    part: TrianglePart,
    /// Whether the point is behind a triangle of a closed mesh that has the place.
    is_behind: bool,
}

/// Appends the contacts of a mesh (A) with a ball around `centre`, in the mesh's frame. The ball's feature is `Face(0)`.
pub(super) fn mesh_ball_contacts(
    mesh: &IndexedMesh,
    centre: &Point,
    radius: Real,
    limits: &Limits,
    out: &mut Vec<ContactPoint>,
) {
    let around = Aabb { min: *centre, max: *centre }.inflated(radius + limits.margin);
    let surface = mesh.surface_features();
    // A centre right over a seam belongs to the face: one of the two.
    let name = |face: u32, part: TrianglePart| match part {
        TrianglePart::Inside => Feature::Face(face),
        TrianglePart::Side(k) => {
            let edge = mesh.topology().triangle_edges()[face as usize][k as usize];
            if surface.is_flat_edge(edge) { Feature::Face(face) } else { Feature::Edge(edge) }
        }
        TrianglePart::Corner(k) => {
            let vertex = mesh.mesh().triangles()[face as usize][k as usize];
            if surface.is_flat_vertex(vertex) { Feature::Face(face) } else { Feature::Vertex(vertex) }
        }
    };
    let mut nearest: Option<NearestPlace> = None;
    let _ = mesh.visit_triangles_near(&around, |face| {
        let (point, part) = closest_point(&mesh.triangle(face), centre);
        let gap = centre - point;
        let distance = gap.norm();
        let outward = mesh.face_normals()[face as usize];
        let inside = mesh.is_closed() && gap.dot(&outward) < 0.0;
        match &mut nearest {
            Some(known) if distance > known.distance => {}
            Some(known) if distance == known.distance => known.is_behind |= inside,
            _ => nearest = Some(NearestPlace { distance, point, face, part, is_behind: inside }),
        }
        // At the centre itself, and for a centre that has sunk in, only the face has a direction left.
        let normal = if distance > 1e-12 * radius { gap / distance } else { outward };
        let counts = match part {
            TrianglePart::Inside => !inside,
            TrianglePart::Side(k) => {
                let edge = mesh.topology().triangle_edges()[face as usize][k as usize];
                let first = mesh.topology().faces_of_edge(edge as usize)[0] == face;
                first && surface.edge_faces(mesh, edge, &normal, REGION_SLACK)
            }
            TrianglePart::Corner(k) => {
                let vertex = mesh.mesh().triangles()[face as usize][k as usize];
                surface.owner_of_vertex(vertex) == face && surface.vertex_faces(mesh, vertex, &normal, REGION_SLACK)
            }
        };
        if counts {
            let features = FeaturePair { a: name(face, part), b: Feature::Face(0) };
            push_rounded([0.0, radius], (point, *centre), normal, features, limits, out);
        }
        ControlFlow::Continue(())
    });
    // A ball whose middle has sunk in leaves by the way from there to the surface, and its radius beyond. Faces that are further away are not
    // asked: those at the back of a thin wall look as if the middle were behind them, too.
    if let Some(place) = nearest.filter(|place| place.is_behind) {
        let face_normal = mesh.face_normals()[place.face as usize];
        let is_on_it = place.distance <= 1e-12 * radius;
        if is_on_it || mesh.contains(centre) {
            let outward = if is_on_it { face_normal } else { (place.point - centre) / place.distance };
            let features = FeaturePair { a: name(place.face, place.part), b: Feature::Face(0) };
            push_rounded([0.0, radius], (place.point, *centre), outward, features, limits, out);
        }
    }
}
