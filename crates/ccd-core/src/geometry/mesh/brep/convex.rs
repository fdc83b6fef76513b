//! Cutting faces into convex pieces.
//!
//! **Idea.** The triangles of a face are convex pieces already; every edge between two pieces is removed that leaves a
//! convex piece (Hertel and Mehlhorn, 1983): at most four times as many pieces as need be.
//! **Guarantee.** Pieces cover the face without overlap and have no corner that turns right.

use super::Brep;
use crate::geometry::mesh::{Topology, TriMesh};
use crate::math::{Point, Vector};

/// A convex part of a face.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvexPiece {
    /// The face it is a part of.
    pub face: u32,
    /// Mesh vertices, counter-clockwise seen from outside; straight corners are left in.
    pub corners: Vec<u32>,
}

impl Brep {
    /// The convex pieces of all faces, in the order of the faces. For faces of few triangles linear time.
    pub fn convex_pieces(&self, mesh: &TriMesh, topology: &Topology) -> Vec<ConvexPiece> {
        let mut pieces = Vec::with_capacity(self.face_count());
        for face in 0..self.face_count() as u32 {
            self.pieces_of_face(mesh, topology, face, &mut pieces);
        }
        pieces
    }

    fn pieces_of_face(&self, mesh: &TriMesh, topology: &Topology, face: u32, pieces: &mut Vec<ConvexPiece>) {
        let triangles = self.triangles_of_face(face);
        let mut open: Vec<Vec<u32>> = triangles.iter().map(|&t| mesh.triangles()[t as usize].to_vec()).collect();
        if triangles.len() > 1 {
            // Pieces by number; a piece that was merged into another points to it.
            let mut merged_into: Vec<usize> = (0..open.len()).collect();
            let find = |merged_into: &[usize], mut i: usize| {
                while merged_into[i] != i {
                    i = merged_into[i];
                }
                i
            };
            let normal = self.planes[face as usize].normal;
            for (k, &t) in triangles.iter().enumerate() {
                for &e in &topology.triangle_edges()[t as usize] {
                    let &[s, other] = topology.faces_of_edge(e as usize) else { continue };
                    // Each inner edge once, from its lower triangle.
                    if s != t || self.triangle_faces[other as usize] != face {
                        continue;
                    }
                    let Ok(l) = triangles.binary_search(&other) else { continue };
                    let (i, j) = (find(&merged_into, k), find(&merged_into, l));
                    if i == j {
                        continue;
                    }
                    if let Some(corners) = joined(mesh, &normal, &open[i], &open[j], topology.edges()[e as usize]) {
                        merged_into[j] = i;
                        open[i] = corners;
                        open[j] = Vec::new();
                    }
                }
            }
        }
        pieces.extend(open.into_iter().filter(|c| !c.is_empty()).map(|corners| ConvexPiece { face, corners }));
    }
}

/// The polygon of two polygons that share the side between `v` and `w`, if it is convex there and they share no more.
fn joined(mesh: &TriMesh, normal: &Vector, one: &[u32], other: &[u32], [v, w]: [u32; 2]) -> Option<Vec<u32>> {
    let side = |polygon: &[u32]| {
        let n = polygon.len();
        (0..n).find(|&i| {
            let ends = (polygon[i], polygon[(i + 1) % n]);
            ends == (v, w) || ends == (w, v)
        })
    };
    let (i, j) = (side(one)?, side(other)?);
    let (n, m) = (one.len(), other.len());
    if one.iter().filter(|corner| other.contains(corner)).count() != 2 {
        return None;
    }
    // Around the first from the shared side's end to its start, then on around the second.
    let mut corners: Vec<u32> = (0..n).map(|k| one[(i + 1 + k) % n]).collect();
    corners.extend((1..m - 1).map(|k| other[(j + 1 + k) % m]));
    let total = corners.len();
    let place = |k: usize| -> Point { mesh.vertices()[corners[k % total] as usize] };
    let turns_left = |k: usize| {
        let (p, q, r) = (place(k + total - 1), place(k), place(k + 1));
        (q - p).cross(&(r - q)).dot(normal) >= 0.0
    };
    (turns_left(0) && turns_left(n - 1)).then_some(corners)
}
