//! Whether a mesh bounds a solid, told by its first fault.
//!
//! Structures that ask what is inside need a surface that is closed, wound one way, and that does not pass through itself.
//! The first edge or pair of faces where it is none is named, so that whoever made the model can mend it.

use super::IndexedMesh;
use super::tree::{AabbTree, NodeKind};
use crate::geometry::mesh::meeting::neighbours_cross;
use crate::geometry::mesh::{HalfEdgeMesh, NotManifold, SurfaceKind, TriMesh};

/// Why a mesh bounds no solid. Vertices and faces are counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSolid {
    /// An edge with a single face.
    #[error("the surface is open: the edge of vertices {} and {} has only face {face}", vertices[0], vertices[1])]
    Open {
        /// The ends of the edge.
        vertices: [u32; 2],
        /// Its face.
        face: u32,
    },
    /// An edge or vertex where the surface is no surface, or faces wound against each other.
    #[error("the surface is not manifold: {0}")]
    NotManifold(#[from] NotManifold),
    /// The surface is wound inwards.
    #[error("the surface is inside out: its faces are wound clockwise seen from outside")]
    InsideOut,
    /// The surface encloses nothing.
    #[error("the surface encloses no volume")]
    NoVolume,
    /// Two faces that pass through each other, or touch where they share nothing.
    #[error("the surface meets itself: face {} and face {} have points in common that they do not share", faces[0], faces[1])]
    MeetsItself {
        /// The two, the lower first.
        faces: [u32; 2],
    },
}

impl IndexedMesh {
    /// Checks that the mesh bounds a solid: closed, manifold, wound outwards, not meeting itself. O(n log n) at worst, and
    /// exact: the last is decided by exact predicates.
    ///
    /// # Errors
    /// [`NotSolid`] with the first fault, in the order of its variants.
    pub fn check_solid(&self) -> Result<(), NotSolid> {
        let topology = self.topology();
        if let Some(edge) = topology.boundary_edges().next() {
            let vertices = topology.edges()[edge as usize];
            return Err(NotSolid::Open { vertices, face: topology.faces_of_edge(edge as usize)[0] });
        }
        HalfEdgeMesh::from_topology(self.mesh(), topology)?;
        match self.surface_kind() {
            SurfaceKind::Solid => {}
            SurfaceKind::InsideOut => return Err(NotSolid::InsideOut),
            SurfaceKind::Soup => return Err(NotSolid::NoVolume),
        }
        match find_self_meeting(self.mesh(), self.tree()) {
            Some(faces) => Err(NotSolid::MeetsItself { faces }),
            None => Ok(()),
        }
    }

    /// Two faces of the mesh that have points in common beyond the vertices and edge they share by number, the lower first; the
    /// first in the order of the tree. Exact. `None` for a surface that does not meet itself.
    pub fn find_self_meeting(&self) -> Option<[u32; 2]> {
        find_self_meeting(self.mesh(), self.tree())
    }
}

fn find_self_meeting(mesh: &TriMesh, tree: &AabbTree) -> Option<[u32; 2]> {
    let meet = |i: u32, j: u32| {
        let corners = |f: u32| (mesh.triangles()[f as usize], mesh.triangle(f as usize));
        let ((t, places_t), (u, places_u)) = (corners(i), corners(j));
        neighbours_cross(t, &places_t, u, &places_u).then_some([i.min(j), i.max(j)])
    };
    let mut open = if tree.node_count() > 0 { vec![(0_u32, 0_u32)] } else { Vec::new() };
    while let Some((i, j)) = open.pop() {
        let (a, b) = (tree.node(i), tree.node(j));
        if !a.aabb.overlaps(&b.aabb) {
            continue;
        }
        match (a.kind, b.kind) {
            (NodeKind::Inner { left, right }, _) if i == j => {
                open.extend([(left, right), (right, right), (left, left)])
            }
            (NodeKind::Leaf { first, count }, NodeKind::Leaf { first: first_b, count: count_b }) => {
                let (items, items_b) = (tree.items(first, count), tree.items(first_b, count_b));
                for (k, &f) in items.iter().enumerate() {
                    let others = if i == j { &items[..k] } else { items_b };
                    if let Some(faces) = others.iter().find_map(|&g| meet(f, g)) {
                        return Some(faces);
                    }
                }
            }
            // The larger is divided; a leaf cannot be.
            (NodeKind::Inner { left, right }, kind) if kind.is_leaf() || a.aabb.area() >= b.aabb.area() => {
                open.extend([(right, j), (left, j)]);
            }
            (_, NodeKind::Inner { left, right }) => open.extend([(i, right), (i, left)]),
            // Not reached: one of two nodes that are not both leaves is inner.
            (NodeKind::Inner { .. }, NodeKind::Leaf { .. }) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Point;

    fn indexed(vertices: &[[i32; 3]], triangles: &[[u32; 3]]) -> IndexedMesh {
        let vertices = vertices.iter().map(|p| Point::from(p.map(f64::from))).collect();
        IndexedMesh::new(TriMesh::try_new(vertices, triangles.to_vec()).unwrap()).unwrap()
    }

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    const CORNERS: [[i32; 3]; 4] = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]];

    #[test]
    fn the_first_fault_of_a_surface_is_named_with_its_edge_or_faces() {
        assert_eq!(indexed(&CORNERS, &TETRAHEDRON).check_solid(), Ok(()));
        let open = indexed(&CORNERS, &TETRAHEDRON[..3]);
        assert_eq!(open.check_solid(), Err(NotSolid::Open { vertices: [1, 2], face: 0 }));
        let inwards = TETRAHEDRON.map(|[a, b, c]| [a, c, b]);
        assert_eq!(indexed(&CORNERS, &inwards).check_solid(), Err(NotSolid::InsideOut));
        assert_eq!(indexed(&CORNERS[..3], &[[0, 1, 2], [0, 2, 1]]).check_solid(), Err(NotSolid::NoVolume));
        let mut twisted = TETRAHEDRON;
        twisted[3] = [1, 3, 2];
        assert!(matches!(
            indexed(&CORNERS, &twisted).check_solid(),
            Err(NotSolid::NotManifold(NotManifold::Winding { .. }))
        ));
        // A second tetrahedron whose tip comes to, or through, the slanted face of the first.
        for (tip, meets) in [(2, true), (1, true), (3, false)] {
            let mut corners = CORNERS.to_vec();
            corners.extend([[tip, tip, 0], [9, 9, 1], [9, 8, 3], [8, 9, 3]]);
            let mut triangles = TETRAHEDRON.to_vec();
            // Its winding outwards as it stands.
            triangles.extend([[4, 6, 5], [4, 7, 6], [4, 5, 7], [5, 6, 7]]);
            let found = indexed(&corners, &triangles).check_solid();
            match found {
                Err(NotSolid::MeetsItself { faces }) => assert!(meets && faces[0] < 4 && faces[1] >= 4, "{faces:?}"),
                other => assert!(!meets && other == Ok(()), "{tip}: {other:?}"),
            }
        }
    }
}
