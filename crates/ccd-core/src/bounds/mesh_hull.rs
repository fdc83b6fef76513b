//! The convex hull of a mesh, and where the mesh's triangles lie under it.

use std::collections::HashMap;

use super::IndexedMesh;
use crate::geometry::polyhedron::{ConvexPolyhedron, FacePlane};
use crate::math::{Point, Real};

/// No corner of the hull.
const NONE: u32 = u32::MAX;

/// A mesh's hull, with the numbers of its corners in both.
#[derive(Clone, Debug)]
pub(super) struct MeshHull {
    pub(super) polyhedron: ConvexPolyhedron,
    /// For each vertex of the polyhedron its number in the mesh.
    pub(super) vertices: Vec<u32>,
    /// For each vertex of the mesh its number in the polyhedron, or [`NONE`].
    corners: Vec<u32>,
}

impl MeshHull {
    /// `None` where all vertices are in one plane. O(n log n).
    pub(super) fn of(mesh: &IndexedMesh) -> Option<Self> {
        let points = mesh.mesh().vertices();
        let polyhedron = ConvexPolyhedron::from_points(points).ok()?;
        // Each is one of the points, bit by bit.
        let bits = |p: &Point| [p.x, p.y, p.z].map(Real::to_bits);
        let numbers: HashMap<_, u32> = (0..points.len() as u32).rev().map(|v| (bits(&points[v as usize]), v)).collect();
        let number = |p: &Point| numbers.get(&bits(p)).copied();
        let vertices: Vec<u32> = polyhedron.vertices().iter().map(number).collect::<Option<_>>()?;
        let mut corners = vec![NONE; points.len()];
        for (corner, &v) in vertices.iter().enumerate() {
            corners[v as usize] = corner as u32;
        }
        Some(Self { polyhedron, vertices, corners })
    }

    /// Whether a vertex of the mesh is a corner of the hull.
    pub(super) fn is_corner(&self, vertex: u32) -> bool {
        self.corners[vertex as usize] != NONE
    }

    /// The faces of the hull around a triangle's corners, ascending; all where none of these is a corner of the hull.
    pub(super) fn faces_around(&self, triangle: &[u32; 3]) -> Vec<u32> {
        let mut faces = Vec::new();
        for corner in triangle.iter().map(|&v| self.corners[v as usize]).filter(|&corner| corner != NONE) {
            let edges = self.polyhedron.vertex_edges(corner as usize).iter();
            faces.extend(edges.flat_map(|&edge| self.polyhedron.edges()[edge as usize].faces));
        }
        if faces.is_empty() {
            return (0..self.polyhedron.face_count() as u32).collect();
        }
        faces.sort_unstable();
        faces.dedup();
        faces
    }

    /// How far the mesh's triangle `face` is below a face of the hull that it faces, metres, if that is no more than `shallow`: a bound
    /// of how far any of its places is below the hull.
    pub(super) fn height_over(&self, mesh: &IndexedMesh, face: u32, shallow: Real) -> Option<Real> {
        let corners = mesh.triangle(face);
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let nearest = |faces: &[u32]| {
            let planes = faces.iter().map(|&face| &self.polyhedron.planes()[face as usize]);
            let faced = planes.filter(|plane| plane.normal.dot(&normal) > 0.0);
            let height = |plane: &FacePlane| corners.iter().map(|p| depth(plane, p)).fold(0.0, Real::max);
            faced.map(height).reduce(Real::min).filter(|height| *height <= shallow)
        };
        let around = self.faces_around(&mesh.mesh().triangles()[face as usize]);
        let all = || nearest(&(0..self.polyhedron.face_count() as u32).collect::<Vec<_>>());
        nearest(&around).or_else(all)
    }
}

/// How far a point is below the plane of a face, metres.
pub(super) fn depth(plane: &FacePlane, p: &Point) -> Real {
    plane.offset - plane.normal.dot(&p.coords)
}
