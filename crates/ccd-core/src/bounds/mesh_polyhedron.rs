//! The convex polyhedron that a small convex mesh is, with the mesh's own numbers.
//!
//! A crate of twelve triangles has six faces. As a polyhedron it rests on one of them with four corners, and not on two triangles with a
//! seam between; its features keep the numbers that they have in the mesh.

use super::IndexedMesh;
use crate::geometry::feature::Feature;
use crate::geometry::polyhedron::{ConvexPolyhedron, FacePlane};
use crate::geometry::solid::Solid;
use crate::math::{Point, Real};

/// Triangles that are no further behind the plane of a face are a part of it, as a share of the mesh's size: what hulls merge.
const FLAT: Real = 1e-11;

/// A convex mesh as a polyhedron.
#[derive(Clone, Debug)]
pub struct MeshPolyhedron {
    polyhedron: ConvexPolyhedron,
    /// For each vertex, edge and face of the polyhedron the number that it has in the mesh; of a face of several triangles the first one's.
    vertices: Vec<u32>,
    edges: Vec<u32>,
    faces: Vec<u32>,
}

impl MeshPolyhedron {
    /// Of a mesh that is convex; `None` where an edge of the polyhedron is none of the mesh's: where vertices divide it that are no corners.
    pub(super) fn of(mesh: &IndexedMesh) -> Option<Self> {
        let points = mesh.mesh().vertices();
        let polyhedron = ConvexPolyhedron::from_points(points).ok()?;
        // Each is one of the points, bit by bit.
        let number = |p| points.iter().position(|q| q == p).map(|v| v as u32);
        let vertices: Vec<u32> = polyhedron.vertices().iter().map(number).collect::<Option<_>>()?;
        let named = |ends: [u32; 2]| ends.map(|v| vertices[v as usize]);
        let edge = |ends: [u32; 2]| mesh.topology().edge_between(ends[0], ends[1]);
        let edges = polyhedron.edges().iter().map(|e| edge(named(e.vertices))).collect::<Option<_>>()?;
        let near = FLAT * mesh.local_aabb().half_extents().norm();
        let triangles = 0..mesh.mesh().triangles().len() as u32;
        let face = |plane: &FacePlane| {
            let depth = |p: &Point| plane.offset - plane.normal.dot(&p.coords);
            triangles.clone().find(|&f| mesh.triangle(f).iter().all(|p| depth(p) <= near))
        };
        let faces = polyhedron.planes().iter().map(face).collect::<Option<_>>()?;
        Some(Self { polyhedron, vertices, edges, faces })
    }

    /// The polyhedron.
    #[inline]
    pub fn polyhedron(&self) -> &ConvexPolyhedron {
        &self.polyhedron
    }

    /// A feature of the polyhedron as one of the mesh.
    ///
    /// # Panics
    /// When the polyhedron has no such feature.
    #[inline]
    pub fn in_mesh(&self, feature: Feature) -> Feature {
        match feature {
            Feature::Vertex(v) => Feature::Vertex(self.vertices[v as usize]),
            Feature::Edge(e) => Feature::Edge(self.edges[e as usize]),
            Feature::Face(f) => Feature::Face(self.faces[f as usize]),
        }
    }

    /// The memory it holds, bytes.
    pub(super) fn size_bytes(&self) -> usize {
        let numbers = size_of_val(&*self.vertices) + size_of_val(&*self.edges) + size_of_val(&*self.faces);
        size_of::<Self>() + self.polyhedron.size_bytes() + numbers
    }

    /// The face of the polyhedron that a triangle of the mesh stands for, if it does.
    pub fn face_of(&self, triangle: u32) -> Option<usize> {
        self.faces.iter().position(|&face| face == triangle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::TriMesh;
    use crate::math::Point;

    /// The box from -1 to 1 whose upper face is a fan around its middle if `fan`, and two triangles otherwise; the vertices in reverse.
    fn crate_mesh(fan: bool) -> IndexedMesh {
        let sign = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let mut vertices: Vec<Point> = (0..8).rev().map(|i| Point::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
        vertices.push(Point::new(0.0, 1.0, 0.0));
        let mut quads = vec![[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [0, 2, 3, 1], [4, 5, 7, 6]];
        let top = [[2, 6, 8], [6, 7, 8], [7, 3, 8], [3, 2, 8]];
        if !fan {
            vertices.pop();
            quads.push([2, 6, 7, 3]);
        }
        let halves = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        // Corner k of the box is vertex 7 - k.
        let renumbered = |v: u32| if v < 8 { 7 - v } else { v };
        let triangles = halves.chain(top.into_iter().filter(|_| fan)).map(|t| t.map(renumbered)).collect();
        IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
    }

    #[test]
    fn a_crate_has_six_faces_and_the_features_of_its_mesh_however_its_faces_are_divided() {
        [false, true].into_iter().for_each(|fan| assert_six_faces(&crate_mesh(fan)));
    }

    fn assert_six_faces(mesh: &IndexedMesh) {
        let found = mesh.as_polyhedron().expect("it is convex");
        let polyhedron = found.polyhedron();
        assert_eq!((polyhedron.face_count(), polyhedron.edges().len()), (6, 12));
        for (v, p) in polyhedron.vertices().iter().enumerate() {
            let Feature::Vertex(named) = found.in_mesh(Feature::Vertex(v as u32)) else { panic!("a vertex is one") };
            assert_eq!(mesh.mesh().vertices()[named as usize], *p);
        }
        for (e, edge) in polyhedron.edges().iter().enumerate() {
            let Feature::Edge(named) = found.in_mesh(Feature::Edge(e as u32)) else { panic!("an edge is one") };
            let mut ends = edge.vertices.map(|v| polyhedron.vertices()[v as usize]).to_vec();
            ends.retain(|end| !mesh.edge(named).contains(end));
            assert!(ends.is_empty(), "edge {e} is not the mesh's {named}");
        }
        for (f, plane) in polyhedron.planes().iter().enumerate() {
            let Feature::Face(named) = found.in_mesh(Feature::Face(f as u32)) else { panic!("a face is one") };
            assert_eq!(mesh.face_normals()[named as usize], plane.normal);
            assert_eq!(found.face_of(named), Some(f));
        }
    }

    #[test]
    fn a_mesh_with_a_vertex_inside_an_edge_is_left_to_its_triangles() {
        let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [1.0, 0.0, 0.0]];
        let triangles = vec![[0, 2, 4], [4, 2, 1], [0, 4, 3], [4, 1, 3], [0, 3, 2], [1, 2, 3]];
        let mesh = IndexedMesh::new(TriMesh::try_new(corners.map(Point::from).to_vec(), triangles).unwrap()).unwrap();
        assert!(mesh.as_convex().is_some() && mesh.as_polyhedron().is_none());
    }
}
