//! Anything against a half-space: every corner within the margin of the plane is a contact.

use super::ContactPoint;
use super::facing::push_rounded;
use super::limits::Limits;
use super::side::ConvexSide;
use crate::bounds::IndexedMesh;
use crate::bounds::tree::NodeKind;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;

/// The boundary plane of a half-space in the frame of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// A place on it.
    pub(super) point: Point,
    /// Unit, out of the half-space.
    pub(super) normal: Vector,
}

impl Plane {
    /// The plane seen from the frame that `pose` places.
    pub(super) fn local_to(&self, pose: &Pose) -> Self {
        Self { point: pose.inverse_transform_point(&self.point), normal: pose.inverse_transform_vector(&self.normal) }
    }

    /// The height of a place over the plane, metres.
    #[inline]
    pub(super) fn height(&self, p: &Point) -> Real {
        (p - self.point).dot(&self.normal)
    }

    /// Keeps the contact of a place of the surface if it is within the limits; A is the half-space.
    pub(super) fn push(&self, place: Point, feature: Feature, limits: &Limits, out: &mut Vec<ContactPoint>) {
        let foot = place - self.normal * self.height(&place);
        let features = FeaturePair { a: Feature::Face(0), b: feature };
        push_rounded([0.0; 2], (foot, place), self.normal, features, limits, out);
    }
}

/// Appends the contacts of anything with a plane in the frame of the query, where `pose` places the shape.
///
/// Two half-spaces have no contacts: they are apart or overlap without end.
pub(super) fn plane_contacts(plane: &Plane, shape: &Shape, pose: &Pose, limits: &Limits, out: &mut Vec<ContactPoint>) {
    match shape {
        Shape::HalfSpace(_) => {}
        Shape::Mesh(mesh) => {
            let start = out.len();
            plane_mesh_contacts(&plane.local_to(pose), mesh, limits, out);
            for c in &mut out[start..] {
                (c.point_a, c.point_b, c.normal) = (pose * c.point_a, pose * c.point_b, pose * c.normal);
            }
        }
        _ => {
            let Some(side) = ConvexSide::new(shape, *pose, limits.dent()) else { return };
            let start = out.len();
            let patch = side.patch(&-plane.normal, limits);
            let corners = patch.vertices.iter().zip(patch.vertex_features.iter());
            for (corner, feature) in corners.chain(patch.extras.iter().map(|(p, f)| (p, f))) {
                plane.push(corner + patch.to_surface(corner, &-plane.normal), *feature, limits, out);
            }
            // The lowest point of a round rim, or of a corner that the face beside it does not hold.
            let least = out[start..].iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
            let (lowest, feature) = side.support(&-plane.normal);
            if plane.height(&lowest) - patch.radius < least - limits.snap {
                plane.push(lowest - plane.normal * patch.radius, feature, limits, out);
            }
        }
    }
}

/// Appends the contacts of a mesh with a plane, all in the mesh's frame: every vertex below the margin, each once.
///
/// Cost: the nodes and triangles below the margin.
pub(super) fn plane_mesh_contacts(plane: &Plane, mesh: &IndexedMesh, limits: &Limits, out: &mut Vec<ContactPoint>) {
    let tree = mesh.tree();
    let surface = mesh.surface_features();
    let vertices = mesh.mesh().vertices();
    let mut stack = Vec::with_capacity(64);
    if tree.node_count() > 0 {
        stack.push(0_u32);
    }
    while let Some(index) = stack.pop() {
        let node = tree.node(index);
        if plane.height(&node.aabb.centre()) - plane.normal.abs().dot(&node.aabb.half_extents()) > limits.margin {
            continue;
        }
        match node.kind {
            NodeKind::Inner { left, right } => stack.extend([right, left]),
            NodeKind::Leaf { first, count } => {
                for &face in tree.items(first, count) {
                    for &v in &mesh.mesh().triangles()[face as usize] {
                        if surface.owner_of_vertex(v) == face && !surface.is_flat_vertex(v) {
                            plane.push(vertices[v as usize], Feature::Vertex(v), limits, out);
                        }
                    }
                }
            }
        }
    }
}
