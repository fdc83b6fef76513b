//! Which triangles share which edges, and what surface they make together.

use super::TriMesh;
use crate::math::{DisjointSets, Real};

/// What a mesh is, taken as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceKind {
    /// Closed, consistently wound, outward: it has an inside.
    Solid,
    /// Closed and consistently wound, but inside out (its volume is negative): two-sided, without an inside.
    /// [`TriMesh::flipped`] makes it a solid.
    InsideOut,
    /// Open, or wound without consistency, or closed around no volume (a sheet and its back): two-sided, without an inside.
    Soup,
}

/// A volume below this share of area × diagonal is the rounding of none.
const VOLUME_ROUNDING: Real = 1e-14;

/// The edges of a mesh with the triangles on them.
///
/// Edges are numbered in ascending order of their vertices, so equal meshes have equal topologies. 42 bytes a triangle
/// where every edge has two triangles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    edges: Vec<[u32; 2]>,
    /// `edge_faces[starts[e]..starts[e + 1]]` are the triangles of edge `e`.
    starts: Vec<u32>,
    edge_faces: Vec<u32>,
    triangle_edges: Vec<[u32; 3]>,
    summary: Summary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Summary {
    boundary_edges: usize,
    non_manifold_edges: usize,
    inconsistent_edges: usize,
    non_manifold_vertices: usize,
    shells: usize,
    balanced: bool,
}

impl Topology {
    /// The topology of `mesh`, by vertex number: vertices that share a place but not a number share no edge
    /// (see [`TriMesh::welded`]). O(n log n).
    pub fn of(mesh: &TriMesh) -> Self {
        let triangles = mesh.triangles();
        // One record for each side of each triangle: the edge's ends, then which side of which triangle it is.
        let mut sides: Vec<(u64, u32)> = Vec::with_capacity(3 * triangles.len());
        for (face, t) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (from, to) = (t[k], t[(k + 1) % 3]);
                let key = u64::from(from.min(to)) << 32 | u64::from(from.max(to));
                sides.push((key, (3 * face + k) as u32));
            }
        }
        sides.sort_unstable();

        let mut edges = Vec::with_capacity(sides.len() / 2);
        let mut starts = Vec::with_capacity(sides.len() / 2 + 1);
        let mut edge_faces = Vec::with_capacity(sides.len());
        let mut triangle_edges = vec![[0; 3]; triangles.len()];
        let (mut boundary_edges, mut non_manifold_edges, mut inconsistent_edges) = (0, 0, 0);
        let mut balanced = true;
        for uses in sides.chunk_by(|a, b| a.0 == b.0) {
            let key = uses[0].0;
            let [low, high] = [(key >> 32) as u32, key as u32];
            starts.push(edge_faces.len() as u32);
            let mut balance = 0_i64;
            for &(_, side) in uses {
                let (face, k) = (side / 3, (side % 3) as usize);
                triangle_edges[face as usize][k] = edges.len() as u32;
                balance += if triangles[face as usize][k] == low { 1 } else { -1 };
                edge_faces.push(face);
            }
            edges.push([low, high]);
            balanced &= balance == 0;
            match uses.len() {
                1 => boundary_edges += 1,
                2 if balance != 0 => inconsistent_edges += 1,
                2 => {}
                _ => non_manifold_edges += 1,
            }
        }
        starts.push(edge_faces.len() as u32);
        edges.shrink_to_fit();
        starts.shrink_to_fit();

        let summary = Summary {
            boundary_edges,
            non_manifold_edges,
            inconsistent_edges,
            non_manifold_vertices: 0,
            shells: 0,
            balanced,
        };
        let mut topology = Self { edges, starts, edge_faces, triangle_edges, summary };
        topology.summary.shells = topology.count_shells();
        topology.summary.non_manifold_vertices = topology.count_non_manifold_vertices(mesh);
        topology
    }

    /// The edges, each with its lower vertex first, in ascending order.
    #[inline]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The edge between two vertices. O(log n).
    pub fn edge_between(&self, v: u32, w: u32) -> Option<u32> {
        self.edges.binary_search(&[v.min(w), v.max(w)]).ok().map(|e| e as u32)
    }

    /// The triangles on edge `edge`, ascending: one on a boundary, two inside a manifold surface.
    ///
    /// # Panics
    /// When there is no such edge.
    #[inline]
    pub fn faces_of_edge(&self, edge: usize) -> &[u32] {
        &self.edge_faces[self.starts[edge] as usize..self.starts[edge + 1] as usize]
    }

    /// The edges of each triangle; the one at `k` runs from the triangle's corner `k` to its next.
    #[inline]
    pub fn triangle_edges(&self) -> &[[u32; 3]] {
        &self.triangle_edges
    }

    /// The edges with a single triangle, ascending.
    pub fn boundary_edges(&self) -> impl Iterator<Item = u32> + '_ {
        self.edges_with(|faces| faces == 1)
    }

    /// The edges with more than two triangles, ascending.
    pub fn non_manifold_edges(&self) -> impl Iterator<Item = u32> + '_ {
        self.edges_with(|faces| faces > 2)
    }

    fn edges_with(&self, wanted: impl Fn(usize) -> bool + 'static) -> impl Iterator<Item = u32> + '_ {
        (0..self.edges.len()).filter(move |&e| wanted(self.faces_of_edge(e).len())).map(|e| e as u32)
    }

    /// How many edges have a single triangle.
    pub fn boundary_edge_count(&self) -> usize {
        self.summary.boundary_edges
    }

    /// How many edges have more than two triangles.
    pub fn non_manifold_edge_count(&self) -> usize {
        self.summary.non_manifold_edges
    }

    /// How many edges have two triangles that are wound against each other.
    pub fn inconsistent_edge_count(&self) -> usize {
        self.summary.inconsistent_edges
    }

    /// How many vertices join parts of the surface that share no edge there.
    pub fn non_manifold_vertex_count(&self) -> usize {
        self.summary.non_manifold_vertices
    }

    /// How many parts the surface falls into when triangles hold together by their edges.
    pub fn shell_count(&self) -> usize {
        self.summary.shells
    }

    /// Whether the surface has no boundary: every edge is run through as often in one direction as in the other, so
    /// that every point off the surface has a winding number. Edges of four triangles, where two solids touch, are allowed.
    pub fn is_closed(&self) -> bool {
        self.summary.balanced
    }

    /// Whether every edge has at most two triangles and every vertex one fan of them.
    pub fn is_manifold(&self) -> bool {
        self.summary.non_manifold_edges == 0 && self.summary.non_manifold_vertices == 0
    }

    /// Whether no two triangles on a common edge of two are wound against each other.
    pub fn is_consistently_wound(&self) -> bool {
        self.summary.inconsistent_edges == 0
    }

    /// What `mesh`, whose topology this is, makes as a whole.
    pub fn surface_kind(&self, mesh: &TriMesh) -> SurfaceKind {
        if !self.is_closed() {
            return SurfaceKind::Soup;
        }
        let volume = mesh.signed_volume();
        let aabb = mesh.aabb();
        let rounding = VOLUME_ROUNDING * mesh.area() * (aabb.max - aabb.min).norm();
        if volume > rounding {
            SurfaceKind::Solid
        } else if volume < -rounding {
            SurfaceKind::InsideOut
        } else {
            SurfaceKind::Soup
        }
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&*self.edges)
            + size_of_val(&*self.starts)
            + size_of_val(&*self.edge_faces)
            + size_of_val(&*self.triangle_edges)
    }

    /// One triangle of each part that the surface falls into, the lowest; ascending. Linear time.
    pub fn shells(&self) -> Vec<u32> {
        let mut sets = self.shell_sets();
        (0..self.triangle_edges.len() as u32).filter(|&f| sets.find(f) == f).collect()
    }

    fn count_shells(&self) -> usize {
        self.shell_sets().count()
    }

    fn shell_sets(&self) -> DisjointSets {
        let mut sets = DisjointSets::new(self.triangle_edges.len());
        for e in 0..self.edges.len() {
            for pair in self.faces_of_edge(e).windows(2) {
                sets.join(pair[0], pair[1]);
            }
        }
        sets
    }

    /// The corners of triangles are joined across shared edges; a vertex whose corners stay in several sets has several fans.
    fn count_non_manifold_vertices(&self, mesh: &TriMesh) -> usize {
        let triangles = mesh.triangles();
        let corner_of = |face: u32, vertex: u32| {
            let k = triangles[face as usize].iter().position(|&v| v == vertex).unwrap_or(0);
            3 * face + k as u32
        };
        let mut sets = DisjointSets::new(3 * triangles.len());
        for (e, ends) in self.edges.iter().enumerate() {
            for pair in self.faces_of_edge(e).windows(2) {
                for &v in ends {
                    sets.join(corner_of(pair[0], v), corner_of(pair[1], v));
                }
            }
        }
        let mut fans = vec![0_u32; mesh.vertices().len()];
        for (face, t) in triangles.iter().enumerate() {
            for (k, &v) in t.iter().enumerate() {
                let corner = (3 * face + k) as u32;
                if sets.find(corner) == corner {
                    fans[v as usize] += 1;
                }
            }
        }
        fans.iter().filter(|&&n| n > 1).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Point, Vector};

    fn cube_triangles(base: u32) -> Vec<[u32; 3]> {
        // Corner i has the coordinates of its bits.
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        quads.iter().flat_map(|&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]]).map(|t| t.map(|v| v + base)).collect()
    }

    fn cube_vertices(offset: Vector) -> Vec<Point> {
        (0..8).map(|i| Point::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) + offset).collect()
    }

    #[test]
    fn a_cube_is_a_solid_and_turned_over_it_is_inside_out() {
        let cube = TriMesh::try_new(cube_vertices(Vector::zeros()), cube_triangles(0)).unwrap();
        let topology = Topology::of(&cube);
        assert_eq!(topology.edges().len(), 18);
        assert!(topology.is_closed() && topology.is_manifold() && topology.is_consistently_wound());
        assert_eq!(topology.shell_count(), 1);
        assert_eq!(topology.surface_kind(&cube), SurfaceKind::Solid);
        for (e, ends) in topology.edges().iter().enumerate() {
            for &f in topology.faces_of_edge(e) {
                assert!(ends.iter().all(|v| cube.triangles()[f as usize].contains(v)));
                assert!(topology.triangle_edges()[f as usize].contains(&(e as u32)));
            }
        }
        let flipped = cube.flipped();
        assert_eq!(Topology::of(&flipped).surface_kind(&flipped), SurfaceKind::InsideOut);
    }

    #[test]
    fn a_missing_face_leaves_a_boundary_and_a_turned_face_an_inconsistency() {
        let mut open = cube_triangles(0);
        open.pop();
        let open = TriMesh::try_new(cube_vertices(Vector::zeros()), open).unwrap();
        let topology = Topology::of(&open);
        assert_eq!((topology.boundary_edge_count(), topology.boundary_edges().count()), (3, 3));
        assert_eq!(topology.surface_kind(&open), SurfaceKind::Soup);

        let mut turned = cube_triangles(0);
        turned[0].swap(1, 2);
        let turned = TriMesh::try_new(cube_vertices(Vector::zeros()), turned).unwrap();
        let topology = Topology::of(&turned);
        assert_eq!((topology.inconsistent_edge_count(), topology.is_closed()), (3, false));
    }

    #[test]
    fn cubes_that_touch_in_an_edge_or_a_vertex_are_closed_but_not_manifold() {
        for (offset, shared) in [(Vector::new(1.0, 1.0, 0.0), 2), (Vector::new(1.0, 1.0, 1.0), 1)] {
            let mut vertices = cube_vertices(Vector::zeros());
            vertices.extend(cube_vertices(offset));
            let mut triangles = cube_triangles(0);
            triangles.extend(cube_triangles(8));
            let mesh = TriMesh::try_new(vertices, triangles).unwrap().welded();
            assert_eq!(mesh.vertices().len(), 16 - shared);
            let topology = Topology::of(&mesh);
            assert!(topology.is_closed() && !topology.is_manifold());
            assert_eq!(topology.non_manifold_edge_count(), shared - 1);
            // The four triangles of a shared edge hold both cubes together; a shared vertex does not.
            assert_eq!(topology.shell_count(), if shared == 2 { 1 } else { 2 });
            assert_eq!(topology.non_manifold_vertex_count(), if shared == 2 { 0 } else { 1 });
            assert_eq!(topology.surface_kind(&mesh), SurfaceKind::Solid);
        }
    }
}
