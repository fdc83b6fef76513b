//! The boundary representation of a solid: maximal flat faces with their loops, straight edges, and corners.
//!
//! **Problem.** A triangulation has edges inside flat faces and vertices inside straight edges that the solid's surface
//! has not; a classification has to name what the surface has.
//! **Idea.** Triangles that share an edge and lie in one plane, within `flatness`, are one face; the edges between two faces
//! that lie on one line, within `flatness`, are one edge; what is left where edges end is a corner. Half-edges run around the
//! faces: the outline counter-clockwise seen from outside, holes clockwise.
//! **Guarantee.** Every vertex of a face's triangles lies within `flatness` of the face's plane, every vertex of an edge
//! within `flatness` of the segment between its ends. Nothing moves: a face *is* its triangles, an edge its parts.
//! **Limits.** Only for closed, manifold, consistently wound meshes. Faces grow from their largest triangle, so that of two
//! flat pieces that meet at an angle of less than `flatness` over their size one may take from the other.
//! **Source.** Vaněček (1990), sections 2 and 2.3: what his reduction removes as pseudo entities is never made here.

mod build;
mod convex;

use super::{HalfEdgeMesh, Topology, TriMesh};
use crate::math::{Matrix, Point, Real, Vector};

pub use self::convex::ConvexPiece;

/// An oriented plane: the points `p` with `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit; it points above.
    pub normal: Vector,
    /// Along the normal, metres from the origin.
    pub offset: Real,
}

impl Plane {
    /// The plane through `point` with the unit `normal`.
    #[inline]
    pub fn through(point: &Point, normal: Vector) -> Self {
        Self { normal, offset: normal.dot(&point.coords) }
    }

    /// How far `point` is above the plane, metres; negative below. Rounding: about 4 units in the last place of the
    /// largest coordinate.
    #[inline]
    pub fn height(&self, point: &Point) -> Real {
        self.normal.dot(&point.coords) - self.offset
    }
}

/// An edge of a [`Brep`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrepEdge {
    /// The mesh vertices where it starts and ends.
    pub ends: [u32; 2],
    /// The faces to its left and right, walking from start to end with the outside above.
    pub faces: [u32; 2],
}

/// The faces, edges and corners of a solid over its triangles. See the module.
///
/// Faces and edges have numbers of their own; corners keep the number of their mesh vertex. Half-edge `2e` runs along edge
/// `e` with `faces[0]` to its left, half-edge `2e + 1` back with `faces[1]` to its left.
#[derive(Clone, Debug, PartialEq)]
pub struct Brep {
    flatness: Real,
    planes: Vec<Plane>,
    /// `face_triangles[face_starts[f]..face_starts[f + 1]]` are the triangles of face `f`.
    face_starts: Vec<u32>,
    face_triangles: Vec<u32>,
    triangle_faces: Vec<u32>,
    edges: Vec<BrepEdge>,
    /// `edge_parts[edge_starts[e]..edge_starts[e + 1]]` are the mesh edges of edge `e`, from start to end.
    edge_starts: Vec<u32>,
    edge_parts: Vec<u32>,
    /// For each mesh edge the edge it is a part of, or `NONE` inside a face.
    mesh_edges: Vec<u32>,
    is_corner: Vec<bool>,
    next: Vec<u32>,
    /// `loops[loop_starts[f]..loop_starts[f + 1]]` are the first half-edges of the loops of face `f`.
    loop_starts: Vec<u32>,
    loops: Vec<u32>,
}

/// No edge.
const NONE: u32 = u32::MAX;

impl Brep {
    /// The boundary representation of a closed mesh, with its topology and half-edges, which must be those of `mesh`.
    /// Faces and edges are flat and straight within `flatness` metres. O(n log n).
    pub fn build(mesh: &TriMesh, topology: &Topology, half_edges: &HalfEdgeMesh, flatness: Real) -> Self {
        build::build(mesh, topology, half_edges, flatness)
    }

    /// How flat faces and how straight edges are, metres.
    #[inline]
    pub fn flatness(&self) -> Real {
        self.flatness
    }

    /// How many faces there are.
    #[inline]
    pub fn face_count(&self) -> usize {
        self.planes.len()
    }

    /// How many corners there are. Linear time.
    pub fn corner_count(&self) -> usize {
        self.is_corner.iter().filter(|c| **c).count()
    }

    /// Corners, edges and faces together: what the paper's Table 1 counts.
    pub fn entity_count(&self) -> usize {
        self.corner_count() + self.edges.len() + self.face_count()
    }

    /// The planes of the faces; normals point outwards.
    #[inline]
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The edges.
    #[inline]
    pub fn edges(&self) -> &[BrepEdge] {
        &self.edges
    }

    /// The triangles of a face, ascending.
    ///
    /// # Panics
    /// When there is no such face.
    #[inline]
    pub fn triangles_of_face(&self, face: u32) -> &[u32] {
        &self.face_triangles[self.face_starts[face as usize] as usize..self.face_starts[face as usize + 1] as usize]
    }

    /// The face of a triangle.
    ///
    /// # Panics
    /// When there is no such triangle.
    #[inline]
    pub fn face_of_triangle(&self, triangle: u32) -> u32 {
        self.triangle_faces[triangle as usize]
    }

    /// The mesh edges that an edge is made of, from its start to its end.
    ///
    /// # Panics
    /// When there is no such edge.
    #[inline]
    pub fn parts_of_edge(&self, edge: u32) -> &[u32] {
        &self.edge_parts[self.edge_starts[edge as usize] as usize..self.edge_starts[edge as usize + 1] as usize]
    }

    /// The edge that a mesh edge is a part of; `None` for one that lies inside a face.
    ///
    /// # Panics
    /// When there is no such mesh edge.
    #[inline]
    pub fn edge_of_mesh_edge(&self, mesh_edge: u32) -> Option<u32> {
        let edge = self.mesh_edges[mesh_edge as usize];
        (edge != NONE).then_some(edge)
    }

    /// Whether a mesh vertex is a corner: edges end there.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline]
    pub fn is_corner(&self, vertex: u32) -> bool {
        self.is_corner[vertex as usize]
    }

    /// The corners, ascending.
    pub fn corners(&self) -> impl Iterator<Item = u32> + '_ {
        self.is_corner.iter().zip(0..).filter(|(corner, _)| **corner).map(|(_, v)| v)
    }

    /// The half-edge that follows around the same face.
    ///
    /// # Panics
    /// When there is no such half-edge.
    #[inline]
    pub fn next(&self, half_edge: u32) -> u32 {
        self.next[half_edge as usize]
    }

    /// The half-edge back along the same edge.
    #[inline]
    pub fn twin(&self, half_edge: u32) -> u32 {
        half_edge ^ 1
    }

    /// The face to the left of a half-edge.
    ///
    /// # Panics
    /// When there is no such half-edge.
    #[inline]
    pub fn face_of_half_edge(&self, half_edge: u32) -> u32 {
        self.edges[half_edge as usize / 2].faces[half_edge as usize % 2]
    }

    /// The mesh vertex where a half-edge starts.
    ///
    /// # Panics
    /// When there is no such half-edge.
    #[inline]
    pub fn origin(&self, half_edge: u32) -> u32 {
        self.edges[half_edge as usize / 2].ends[half_edge as usize % 2]
    }

    /// The first half-edge of each loop of a face: one for the outline, one for each hole.
    ///
    /// # Panics
    /// When there is no such face.
    #[inline]
    pub fn loops_of_face(&self, face: u32) -> &[u32] {
        &self.loops[self.loop_starts[face as usize] as usize..self.loop_starts[face as usize + 1] as usize]
    }

    /// The half-edges of the loop that `first` belongs to, in order.
    pub fn loop_from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(first), move |&h| Some(self.next(h)).filter(|&n| n != first))
    }

    /// The faces around a corner, each once, ascending. Linear in the edges of the solid's faces there.
    pub fn faces_of_corner(&self, half_edges: &HalfEdgeMesh, vertex: u32) -> Vec<u32> {
        let mut faces: Vec<u32> =
            half_edges.around_vertex(vertex).map(|h| self.face_of_triangle(half_edges.face(h))).collect();
        faces.sort_unstable();
        faces.dedup();
        faces
    }

    /// The three of the given faces whose planes meet in a point best: whose unit normals have the largest determinant in
    /// absolute value (the first such triple), with that determinant. `None` for fewer than three faces. Cubic.
    ///
    /// This is how the paper defines a vertex by planes; a determinant near zero tells a corner that planes alone define badly.
    ///
    /// ```
    /// use ccd_core::geometry::mesh::{Brep, HalfEdgeMesh, Topology, TriMesh};
    /// use ccd_core::math::Point;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point::from);
    /// let mesh = TriMesh::try_new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
    /// let half_edges = HalfEdgeMesh::try_new(&mesh)?;
    /// let brep = Brep::build(&mesh, &Topology::of(&mesh), &half_edges, 1e-12);
    ///
    /// // Of a tetrahedron three faces meet at a right angle, and others at sharper ones.
    /// let determinant = |corner| {
    ///     let faces = brep.faces_of_corner(&half_edges, corner);
    ///     brep.defining_faces(&faces).map(|(_, determinant)| determinant)
    /// };
    /// assert_eq!(determinant(0), Some(1.0));
    /// assert!(determinant(1) < Some(0.6));
    ///
    /// // The middle of an edge is in the planes of its faces, and between those at its ends.
    /// let [p, q] = brep.edges()[0].ends.map(|corner| corners[corner as usize]);
    /// let heights = brep.planes_of_edge(&mesh, 0).map(|plane| plane.height(&(p + (q - p) / 2.0)));
    /// assert!(heights[..2].iter().all(|height| height.abs() < 1e-15) && heights[2] < 0.0 && heights[3] < 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn defining_faces(&self, faces: &[u32]) -> Option<([u32; 3], Real)> {
        let normal = |i: usize| self.planes[faces[i] as usize].normal;
        let mut best: Option<([u32; 3], Real)> = None;
        for i in 0..faces.len() {
            for j in i + 1..faces.len() {
                for k in j + 1..faces.len() {
                    let determinant = Matrix::from_columns(&[normal(i), normal(j), normal(k)]).determinant().abs();
                    if best.is_none_or(|(_, d)| determinant > d) {
                        best = Some(([faces[i], faces[j], faces[k]], determinant));
                    }
                }
            }
        }
        best
    }

    /// The four planes that define an edge: those of its two faces, and those across it at its start and end, which point
    /// away from it. Where the faces' planes are too nearly one (their normals' sine below `1e-6`), the second is the
    /// plane through the edge perpendicular to the first.
    ///
    /// # Panics
    /// When there is no such edge.
    pub fn planes_of_edge(&self, mesh: &TriMesh, edge: u32) -> [Plane; 4] {
        const NEARLY_ONE: Real = 1e-6;
        let BrepEdge { ends, faces } = self.edges[edge as usize];
        let [start, end] = ends.map(|v| mesh.vertices()[v as usize]);
        let along = (end - start).normalize();
        let [left, right] = faces.map(|f| self.planes[f as usize]);
        let second = if left.normal.cross(&right.normal).norm() > NEARLY_ONE {
            right
        } else {
            Plane::through(&start, along.cross(&left.normal).normalize())
        };
        [left, second, Plane::through(&start, -along), Plane::through(&end, along)]
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        let numbers = [
            &self.face_starts,
            &self.face_triangles,
            &self.triangle_faces,
            &self.edge_starts,
            &self.edge_parts,
            &self.mesh_edges,
            &self.next,
            &self.loop_starts,
            &self.loops,
        ];
        size_of_val(&*self.planes)
            + size_of_val(&*self.edges)
            + size_of_val(&*self.is_corner)
            + numbers.iter().map(|v| size_of_val(&***v)).sum::<usize>()
    }
}
