//! Half-edges: walking over a manifold surface.

use super::{Topology, TriMesh};

/// The half-edges of a manifold, consistently wound mesh, closed or open.
///
/// Half-edge `h` is side `h % 3` of triangle `h / 3`: it runs from that corner to the next one, with the triangle to its
/// left seen from outside. `next` and `face` are therefore arithmetic, and only twins and one outgoing half-edge a vertex are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfEdgeMesh {
    origins: Vec<u32>,
    twins: Vec<u32>,
    outgoing: Vec<u32>,
}

/// Why a mesh has no half-edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotManifold {
    /// More than two triangles on an edge.
    #[error("the edge of vertices {} and {} has {faces} faces", vertices[0], vertices[1])]
    Edge {
        /// The ends of the edge.
        vertices: [u32; 2],
        /// How many triangles are on it.
        faces: usize,
    },
    /// Two triangles wound against each other.
    #[error("faces {} and {} are wound against each other along the edge of vertices {} and {}", faces[0], faces[1], vertices[0], vertices[1])]
    Winding {
        /// The ends of the edge.
        vertices: [u32; 2],
        /// The two triangles.
        faces: [u32; 2],
    },
    /// Several fans of triangles meet in one vertex.
    #[error("vertex {vertex} joins parts of the surface that share no edge there")]
    Vertex {
        /// The vertex.
        vertex: u32,
    },
}

/// The twin of a half-edge on a boundary.
const NONE: u32 = u32::MAX;

impl HalfEdgeMesh {
    /// The half-edges of `mesh`, by vertex number (see [`TriMesh::welded`]).
    ///
    /// # Errors
    /// [`NotManifold`], with the first edge or vertex where the surface is none. O(n log n).
    pub fn try_new(mesh: &TriMesh) -> Result<Self, NotManifold> {
        Self::from_topology(mesh, &Topology::of(mesh))
    }

    /// [`HalfEdgeMesh::try_new`] with a topology at hand, which must be that of `mesh`. Linear time.
    ///
    /// # Errors
    /// As [`HalfEdgeMesh::try_new`].
    pub fn from_topology(mesh: &TriMesh, topology: &Topology) -> Result<Self, NotManifold> {
        let triangles = mesh.triangles();
        let origins: Vec<u32> = triangles.iter().flatten().copied().collect();
        let mut twins = vec![NONE; origins.len()];
        let side_of = |face: u32, edge: usize| {
            let k = topology.triangle_edges()[face as usize].iter().position(|&e| e as usize == edge).unwrap_or(0);
            3 * face + k as u32
        };
        for (e, &vertices) in topology.edges().iter().enumerate() {
            match *topology.faces_of_edge(e) {
                [_] => {}
                [f, g] => {
                    let (h, i) = (side_of(f, e), side_of(g, e));
                    if origins[h as usize] == origins[i as usize] {
                        return Err(NotManifold::Winding { vertices, faces: [f, g] });
                    }
                    twins[h as usize] = i;
                    twins[i as usize] = h;
                }
                ref more => return Err(NotManifold::Edge { vertices, faces: more.len() }),
            }
        }

        // Start each vertex at its boundary, where it has one, so that turning from there passes the whole fan.
        let mut outgoing = vec![NONE; mesh.vertices().len()];
        let mut corners = vec![0_u32; mesh.vertices().len()];
        for (h, &v) in origins.iter().enumerate() {
            corners[v as usize] += 1;
            if outgoing[v as usize] == NONE || twins[h] == NONE {
                outgoing[v as usize] = h as u32;
            }
        }
        let half_edges = Self { origins, twins, outgoing };
        for (v, &count) in corners.iter().enumerate() {
            if half_edges.around_vertex(v as u32).count() != count as usize {
                return Err(NotManifold::Vertex { vertex: v as u32 });
            }
        }
        Ok(half_edges)
    }

    /// How many half-edges there are: three for each triangle.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there is none; never, for a mesh has triangles.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// The next half-edge around the triangle.
    #[inline]
    pub fn next(&self, half_edge: u32) -> u32 {
        if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
    }

    /// The previous half-edge around the triangle.
    #[inline]
    pub fn previous(&self, half_edge: u32) -> u32 {
        if half_edge.is_multiple_of(3) { half_edge + 2 } else { half_edge - 1 }
    }

    /// The half-edge of the neighbouring triangle; `None` on a boundary.
    #[inline]
    pub fn twin(&self, half_edge: u32) -> Option<u32> {
        let twin = self.twins[half_edge as usize];
        (twin != NONE).then_some(twin)
    }

    /// The vertex where the half-edge starts.
    #[inline]
    pub fn origin(&self, half_edge: u32) -> u32 {
        self.origins[half_edge as usize]
    }

    /// The vertex where the half-edge ends.
    #[inline]
    pub fn target(&self, half_edge: u32) -> u32 {
        self.origins[self.next(half_edge) as usize]
    }

    /// The triangle to the left of the half-edge.
    #[inline]
    pub fn face(&self, half_edge: u32) -> u32 {
        half_edge / 3
    }

    /// A half-edge that starts at `vertex`; on a boundary, the one that has no twin.
    #[inline]
    pub fn outgoing(&self, vertex: u32) -> u32 {
        self.outgoing[vertex as usize]
    }

    /// The half-edges that start at `vertex`, counter-clockwise seen from outside, once each.
    pub fn around_vertex(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.outgoing(vertex);
        // Turning counter-clockwise about the origin: the twin of the side that ends there.
        std::iter::successors(Some(first), move |&h| self.twin(self.previous(h)).filter(|&h| h != first))
    }

    /// The boundary loops, each as its half-edges in order; none for a closed mesh.
    pub fn boundary_loops(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.len()];
        let mut loops = Vec::new();
        for first in 0..self.len() as u32 {
            if self.twin(first).is_some() || seen[first as usize] {
                continue;
            }
            let mut boundary = Vec::new();
            let mut h = first;
            while !seen[h as usize] {
                seen[h as usize] = true;
                boundary.push(h);
                h = self.outgoing(self.target(h));
            }
            loops.push(boundary);
        }
        loops
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Point;

    fn grid(n: u32) -> TriMesh {
        let vertices =
            (0..=n).flat_map(|i| (0..=n).map(move |j| Point::new(f64::from(i), f64::from(j), 0.0))).collect();
        let triangles = (0..n)
            .flat_map(|i| (0..n).map(move |j| i * (n + 1) + j))
            .flat_map(|a| [[a, a + n + 1, a + n + 2], [a, a + n + 2, a + 1]])
            .collect();
        TriMesh::try_new(vertices, triangles).unwrap()
    }

    #[test]
    fn walking_over_an_open_grid_reaches_every_corner_once_and_its_rim_in_one_loop() {
        let mesh = grid(4);
        let half_edges = HalfEdgeMesh::try_new(&mesh).unwrap();
        for h in 0..half_edges.len() as u32 {
            assert_eq!(half_edges.previous(half_edges.next(h)), h);
            assert_eq!(half_edges.next(half_edges.next(half_edges.next(h))), h);
            if let Some(twin) = half_edges.twin(h) {
                assert_eq!(half_edges.twin(twin), Some(h));
                assert_eq!(half_edges.origin(twin), half_edges.target(h));
                assert_ne!(half_edges.face(twin), half_edges.face(h));
            }
        }
        let around: usize = (0..mesh.vertices().len() as u32).map(|v| half_edges.around_vertex(v).count()).sum();
        assert_eq!(around, half_edges.len());
        let loops = half_edges.boundary_loops();
        assert_eq!(loops.iter().map(Vec::len).collect::<Vec<_>>(), [16]);
    }

    #[test]
    fn each_way_of_not_being_manifold_is_named() {
        let place = |i: u32| Point::new(f64::from(i), f64::from(i * i), f64::from(i * i * i));
        let mesh =
            |n: u32, triangles: &[[u32; 3]]| TriMesh::try_new((0..n).map(place).collect(), triangles.to_vec()).unwrap();
        let refused = |mesh: TriMesh| HalfEdgeMesh::try_new(&mesh).unwrap_err();
        assert_eq!(
            refused(mesh(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]])),
            NotManifold::Edge { vertices: [0, 1], faces: 3 }
        );
        assert_eq!(refused(mesh(4, &[[0, 1, 2], [0, 1, 3]])), NotManifold::Winding { vertices: [0, 1], faces: [0, 1] });
        assert_eq!(refused(mesh(5, &[[0, 1, 2], [2, 3, 4]])), NotManifold::Vertex { vertex: 2 });
    }
}
