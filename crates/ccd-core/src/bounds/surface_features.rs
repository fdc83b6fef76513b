//! Which edges and vertices of a mesh are features of its surface, and from where they can be the nearest.
//!
//! A triangulated plane has edges and vertices that its surface has not: a body that slides over them must not feel
//! them. And a true edge is the nearest feature only for points in its Voronoi region: from elsewhere a face is nearer.

use super::IndexedMesh;
use super::hollows::{Hollows, hollows};
use crate::geometry::feature::Feature;
use crate::math::{Point, Real, Vector};

/// Two triangles whose planes differ by less than this sine are one flat piece: far above the rounding of coordinates,
/// and so far below what could be seen that thousands of such bends in a row are still flat.
const FLAT: Real = 1e-8;

/// Which corners and sides of a triangle are looked at with it. Every feature that can be the nearest of its surface belongs
/// to one triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnFeatures {
    /// Bit `k`: the triangle is the first one at corner `k`.
    pub corners: u8,
    /// Bit `k`: corner `k` is, besides, no vertex inside a flat piece.
    pub vertices: u8,
    /// Bit `k`: the triangle is the first one at side `k`, which is neither inside a flat piece nor, of a solid, bent inwards.
    pub edges: u8,
}

/// The features of a mesh's surface. 13 bytes an edge, 9 a vertex and eight a triangle.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceFeatures {
    edge_is_flat: Vec<bool>,
    vertex_is_flat: Vec<bool>,
    face_is_plain: Vec<bool>,
    face_owns: Vec<OwnFeatures>,
    /// Of each triangle as it is seen from its normal's side, and from the other.
    face_hollows: Vec<[Hollows; 2]>,
    vertex_owner: Vec<u32>,
    /// `neighbours[starts[v]..starts[v + 1]]` are the other ends of the edges at vertex `v`.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    is_convex: bool,
}

impl SurfaceFeatures {
    /// The memory it holds, bytes.
    pub(super) fn size_bytes(&self) -> usize {
        size_of_val(&*self.edge_is_flat)
            + size_of_val(&*self.vertex_is_flat)
            + size_of_val(&*self.face_is_plain)
            + size_of_val(&*self.face_owns)
            + size_of_val(&*self.face_hollows)
            + size_of_val(&*self.vertex_owner)
            + size_of_val(&*self.starts)
            + size_of_val(&*self.neighbours)
    }

    /// The features of `mesh`. Linear time.
    pub(super) fn of(mesh: &IndexedMesh) -> Self {
        let vertex_count = mesh.mesh().vertices().len();
        let edges = mesh.topology().edges();
        let edge_is_flat: Vec<bool> = (0..edges.len() as u32).map(|e| is_flat(mesh, e)).collect();

        let mut starts = vec![0_u32; vertex_count + 1];
        for v in edges.iter().flatten() {
            starts[*v as usize + 1] += 1;
        }
        for v in 0..vertex_count {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; 2 * edges.len()];
        let mut vertex_is_flat = vec![true; vertex_count];
        for (&[v, w], flat) in edges.iter().zip(&edge_is_flat) {
            for (from, to) in [(v, w), (w, v)] {
                neighbours[next[from as usize] as usize] = to;
                next[from as usize] += 1;
                vertex_is_flat[from as usize] &= flat;
            }
        }
        let mut vertex_owner = vec![u32::MAX; vertex_count];
        for (face, corners) in mesh.mesh().triangles().iter().enumerate() {
            for &v in corners {
                vertex_owner[v as usize] = vertex_owner[v as usize].min(face as u32);
            }
        }
        let plain = |(corners, sides): (&[u32; 3], &[u32; 3])| {
            corners.iter().all(|&v| vertex_is_flat[v as usize]) && sides.iter().all(|&e| edge_is_flat[e as usize])
        };
        let face_is_plain = mesh.mesh().triangles().iter().zip(mesh.topology().triangle_edges()).map(plain).collect();
        let face_hollows = hollows(mesh, &edge_is_flat);
        let owns = |face: usize| {
            let bits = |holds: &dyn Fn(usize) -> bool| (0..3).map(|k| u8::from(holds(k)) << k).sum::<u8>();
            let (corners, sides) = (mesh.mesh().triangles()[face], mesh.topology().triangle_edges()[face]);
            let first_at_side = |e: u32| mesh.topology().faces_of_edge(e as usize)[0] == face as u32;
            let corners = corners.map(|v| (vertex_owner[v as usize] == face as u32, vertex_is_flat[v as usize]));
            OwnFeatures {
                corners: bits(&|k| corners[k].0),
                vertices: bits(&|k| corners[k].0 && !corners[k].1),
                edges: bits(&|k| {
                    let e = sides[k];
                    let is_hollow = mesh.is_closed() && face_hollows[face][0].edges >> k & 1 == 1;
                    first_at_side(e) && !edge_is_flat[e as usize] && !is_hollow
                }),
            }
        };
        let face_owns = (0..mesh.mesh().triangles().len()).map(owns).collect();
        let is_convex = mesh.is_closed()
            && mesh.topology().is_manifold()
            && mesh.topology().shell_count() == 1
            && (0..edges.len() as u32).all(|e| edge_is_flat[e as usize] || is_convex(mesh, e));
        Self {
            edge_is_flat,
            vertex_is_flat,
            face_is_plain,
            face_owns,
            face_hollows,
            vertex_owner,
            starts,
            neighbours,
            is_convex,
        }
    }

    /// Whether the edge lies inside a flat piece of the surface.
    #[inline]
    pub fn is_flat_edge(&self, edge: u32) -> bool {
        self.edge_is_flat[edge as usize]
    }

    /// Whether the vertex lies inside a flat piece of the surface.
    #[inline]
    pub fn is_flat_vertex(&self, vertex: u32) -> bool {
        self.vertex_is_flat[vertex as usize]
    }

    /// Whether the triangle lies inside a flat piece of the surface: none of its edges and corners is a feature.
    #[inline]
    pub fn is_plain_face(&self, face: u32) -> bool {
        self.face_is_plain[face as usize]
    }

    /// Which corners and sides of a triangle are looked at with it.
    #[inline]
    pub fn own_features(&self, face: u32) -> OwnFeatures {
        self.face_owns[face as usize]
    }

    /// Which sides and corners of a triangle lie in a hollow, seen from its normal's side or, `turned`, from the other.
    #[inline]
    pub fn hollows(&self, face: u32, turned: bool) -> Hollows {
        self.face_hollows[face as usize][usize::from(turned)]
    }

    /// Whether the mesh bounds a convex solid: closed, in one piece, and bent outwards at every edge.
    #[inline]
    pub fn is_convex(&self) -> bool {
        self.is_convex
    }

    /// The first triangle at the vertex: it stands for the vertex where every vertex is to be looked at once.
    #[inline]
    pub fn owner_of_vertex(&self, vertex: u32) -> u32 {
        self.vertex_owner[vertex as usize]
    }

    /// The other ends of the edges at the vertex.
    #[inline]
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }

    /// Whether points in the unit direction `towards` from inside the feature see it as the nearest one of the surface, up to
    /// `slack` (a sine); a face always counts, an edge or vertex inside a flat piece never.
    pub fn faces(&self, mesh: &IndexedMesh, feature: Feature, towards: &Vector, slack: Real) -> bool {
        match feature {
            Feature::Face(_) => true,
            Feature::Edge(e) => !self.is_flat_edge(e) && self.edge_faces(mesh, e, towards, slack),
            Feature::Vertex(v) => !self.is_flat_vertex(v) && self.vertex_faces(mesh, v, towards, slack),
        }
    }

    /// Whether points in the unit direction `towards` from inside the edge see the edge as the nearest feature, up to `slack` (a sine):
    /// whether all triangles at the edge fall away. `towards` should be perpendicular to the edge.
    pub fn edge_faces(&self, mesh: &IndexedMesh, edge: u32, towards: &Vector, slack: Real) -> bool {
        let [start, end] = mesh.edge(edge);
        let along = end - start;
        mesh.topology().faces_of_edge(edge as usize).iter().all(|&face| {
            let inward = across(&start, &along, &opposite(mesh, face, edge));
            towards.dot(&inward) <= slack * inward.norm()
        })
    }

    /// Whether points in the unit direction `towards` from the vertex see the vertex as the nearest feature, up to
    /// `slack` (a sine): whether all edges at it fall away.
    pub fn vertex_faces(&self, mesh: &IndexedMesh, vertex: u32, towards: &Vector, slack: Real) -> bool {
        let vertices = mesh.mesh().vertices();
        let here = vertices[vertex as usize];
        self.neighbours(vertex).iter().all(|&w| {
            let along = vertices[w as usize] - here;
            towards.dot(&along) <= slack * along.norm()
        })
    }
}

/// The part of the way from the line to `p` that is perpendicular to the line.
pub(super) fn across(start: &Point, along: &Vector, p: &Point) -> Vector {
    let way = p - start;
    way - along * (way.dot(along) / along.norm_squared())
}

/// The corner of a triangle that is not on the edge.
pub(super) fn opposite(mesh: &IndexedMesh, face: u32, edge: u32) -> Point {
    let ends = mesh.topology().edges()[edge as usize];
    let corners = mesh.mesh().triangles()[face as usize];
    let corner = corners.into_iter().find(|v| !ends.contains(v)).unwrap_or(corners[0]);
    mesh.mesh().vertices()[corner as usize]
}

fn is_flat(mesh: &IndexedMesh, edge: u32) -> bool {
    let &[f, g] = mesh.topology().faces_of_edge(edge as usize) else { return false };
    let [start, end] = mesh.edge(edge);
    let along = end - start;
    let (one, other) =
        (across(&start, &along, &opposite(mesh, f, edge)), across(&start, &along, &opposite(mesh, g, edge)));
    let height = mesh.face_normals()[f as usize].dot(&other);
    one.dot(&other) < 0.0 && height.abs() <= FLAT * other.norm()
}

fn is_convex(mesh: &IndexedMesh, edge: u32) -> bool {
    let &[f, g] = mesh.topology().faces_of_edge(edge as usize) else { return false };
    let way = opposite(mesh, g, edge) - mesh.edge(edge)[0];
    mesh.face_normals()[f as usize].dot(&way) < 0.0
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::geometry::mesh::TriMesh;

    /// A flat floor of 2 × 1 squares, the second of which is folded up by `rise` at its far end.
    pub fn strip(rise: Real) -> IndexedMesh {
        let vertices =
            (0..6).map(|i| Point::new(f64::from(i / 2), if i > 3 { rise } else { 0.0 }, f64::from(i % 2))).collect();
        let triangles = vec![[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]];
        IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
    }

    pub fn edge_between(mesh: &IndexedMesh, v: u32, w: u32) -> u32 {
        mesh.topology().edges().iter().position(|e| *e == [v, w]).unwrap() as u32
    }

    #[test]
    fn seams_of_a_flat_piece_are_flat_and_folds_and_rims_are_not() {
        for (rise, fold_is_flat) in [(0.0, true), (1e-10, true), (1e-6, false), (-1.0, false)] {
            let mesh = strip(rise);
            let features = mesh.surface_features();
            assert!(features.is_flat_edge(edge_between(&mesh, 1, 2)));
            assert_eq!(features.is_flat_edge(edge_between(&mesh, 2, 3)), fold_is_flat);
            assert!(!features.is_flat_edge(edge_between(&mesh, 0, 1)));
            assert!((0..6).all(|v| !features.is_flat_vertex(v)), "every vertex is on the rim");
        }
    }

    #[test]
    fn every_feature_that_can_be_the_nearest_belongs_to_one_triangle() {
        // A cross section like an L, drawn along z: one edge of it is bent inwards.
        let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let vertices = [0.0, 1.0].iter().flat_map(|z| outline.map(|[x, y]| Point::new(x, y, *z))).collect();
        let mut triangles = vec![[0, 3, 1], [1, 3, 2], [0, 4, 3], [0, 5, 4]];
        triangles.extend(triangles.clone().iter().map(|[p, q, r]| [p + 6, r + 6, q + 6]));
        triangles.extend((0..6).flat_map(|i| {
            let j = (i + 1) % 6;
            [[i, j, j + 6], [i, j + 6, i + 6]]
        }));
        let mesh = IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap();
        assert!(mesh.is_closed());
        let features = mesh.surface_features();
        let mut owners = (vec![0; 12], vec![0; mesh.topology().edges().len()]);
        for face in 0..20 {
            let own = features.own_features(face as u32);
            assert_eq!(own.corners & own.vertices, own.vertices);
            for k in 0..3 {
                owners.0[mesh.mesh().triangles()[face][k] as usize] += own.vertices >> k & 1;
                owners.1[mesh.topology().triangle_edges()[face][k] as usize] += own.edges >> k & 1;
            }
        }
        assert_eq!(owners.0, [1; 12]);
        for (e, &count) in owners.1.iter().enumerate() {
            let bent_inwards = e as u32 == edge_between(&mesh, 3, 9);
            assert_eq!(count, u8::from(!bent_inwards && !features.is_flat_edge(e as u32)), "{e}");
        }
    }

    #[test]
    fn a_ridge_is_the_nearest_from_above_and_a_valley_is_not() {
        let up = Vector::y();
        for (rise, ridge) in [(-1.0, true), (1.0, false)] {
            let mesh = strip(rise);
            let features = mesh.surface_features();
            assert_eq!(features.edge_faces(&mesh, edge_between(&mesh, 2, 3), &up, 1e-6), ridge);
            assert_eq!(features.vertex_faces(&mesh, 2, &up, 1e-6), ridge);
        }
        // Not from the side, though: there the fold's own triangles are nearer.
        let mesh = strip(-1.0);
        let aside = Vector::new(-1.0, 1.0, 0.0).normalize();
        assert!(!mesh.surface_features().edge_faces(&mesh, edge_between(&mesh, 2, 3), &aside, 1e-6));
    }
}
