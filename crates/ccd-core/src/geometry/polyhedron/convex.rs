//! The closed convex polyhedron: polygonal faces, edges and vertices in flat arrays.

use std::sync::OnceLock;

use super::face_tree::FaceTree;
use super::hull::{HullError, hull_triangles};
use super::merge::{Polygon, polygons};
use super::voronoi::VoronoiBoundary;
use crate::geometry::feature::Feature;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Sphere};

/// The plane of a face: `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacePlane {
    /// Unit, outward.
    pub normal: Vector,
    /// Metres; no corner of the face lies beyond it, and no other vertex by more than the merging of coplanar triangles
    /// allows (1e-11 of the extent).
    pub offset: Real,
}

/// Up to this many faces a scan of all is as fast as a walk over their edges.
const FACE_SCAN_LIMIT: usize = 48;

/// An edge between two vertices and two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvexEdge {
    /// The ends, the smaller number first.
    pub vertices: [u32; 2],
    /// The face in which the edge runs from the first to the second vertex, counter-clockwise from outside, then the
    /// other.
    pub faces: [u32; 2],
}

/// A convex polyhedron with at least four vertices, none of them inside a face or an edge.
///
/// Features are numbered by [`ConvexPolyhedron::vertices`], [`ConvexPolyhedron::edges`] and the faces' order. About 200
/// bytes a vertex.
#[derive(Clone, Debug)]
pub struct ConvexPolyhedron {
    pub(super) vertices: Vec<Point>,
    pub(super) planes: Vec<FacePlane>,
    pub(super) edges: Vec<ConvexEdge>,
    face_start: Vec<u32>,
    face_vertices: Vec<u32>,
    /// Beside `face_vertices`: the edge from that vertex to the next of its face.
    face_edges: Vec<u32>,
    pub(super) star_start: Vec<u32>,
    /// Per vertex, its neighbours.
    pub(super) neighbours: Vec<u32>,
    /// Beside `neighbours`: the edge to that neighbour.
    neighbour_edges: Vec<u32>,
    /// Where a climb starts that has no better place; see `start_cell`.
    pub(super) starts: Vec<u32>,
    pub(super) starts_side: u32,
    pub(super) middle: Point,
    pub(super) aabb: Aabb,
    pub(super) sphere: Sphere,
    voronoi: OnceLock<VoronoiBoundary>,
    face_tree: OnceLock<FaceTree>,
}

impl ConvexPolyhedron {
    /// The convex hull of `points`, in their frame and metres.
    ///
    /// Every point is inside or at most 1e-11 of the extent outside; each vertex is one of the points, bit by bit.
    /// Coplanar triangles are one polygonal face. Cost: O(n log n) expected.
    ///
    /// # Errors
    /// [`HullError`] for fewer than four points, points that are not finite, or all in one plane.
    pub fn from_points(points: &[Point]) -> Result<Self, HullError> {
        let (triangles, extent) = hull_triangles(points)?;
        Ok(Self::from_polygons(points, &polygons(points, &triangles, extent)))
    }

    /// From faces that close a convex surface, counter-clockwise from outside.
    fn from_polygons(points: &[Point], faces: &[Polygon]) -> Self {
        // Number the vertices that are left in the order of the points.
        let mut number = vec![u32::MAX; points.len()];
        for &v in faces.iter().flat_map(|face| &face.rim) {
            number[v as usize] = 0;
        }
        let mut vertices = Vec::new();
        for (n, p) in number.iter_mut().zip(points).filter(|(n, _)| **n == 0) {
            *n = vertices.len() as u32;
            vertices.push(*p);
        }
        let mut face_start = vec![0];
        let mut face_vertices = Vec::new();
        for face in faces {
            face_vertices.extend(face.rim.iter().map(|&v| number[v as usize]));
            face_start.push(face_vertices.len() as u32);
        }

        // Each edge is a side of two faces, once in each direction: sorted by the undirected edge, they are neighbours.
        let mut sides: Vec<([u32; 2], bool, u32, u32)> = Vec::with_capacity(face_vertices.len());
        for (face, range) in face_start.windows(2).enumerate() {
            let rim = &face_vertices[range[0] as usize..range[1] as usize];
            for (k, &from) in rim.iter().enumerate() {
                let to = rim[(k + 1) % rim.len()];
                sides.push(([from.min(to), from.max(to)], from > to, face as u32, range[0] + k as u32));
            }
        }
        sides.sort_unstable();
        let mut edges = Vec::with_capacity(sides.len() / 2);
        let mut face_edges = vec![0; face_vertices.len()];
        for pair in sides.chunks_exact(2) {
            for side in pair {
                face_edges[side.3 as usize] = edges.len() as u32;
            }
            edges.push(ConvexEdge { vertices: pair[0].0, faces: [pair[0].2, pair[1].2] });
        }

        let (star_start, neighbours, neighbour_edges) = stars(vertices.len(), &edges);
        let middle = Point::from(vertices.iter().map(|p| p.coords).sum::<Vector>() / vertices.len() as Real);
        let aabb = Aabb::from_points(&vertices);
        let sphere = Sphere::around(&vertices);
        let planes = faces
            .iter()
            .map(|Polygon { rim, normal }| {
                let heights = rim.iter().map(|&v| normal.dot(&points[v as usize].coords));
                FacePlane { normal: *normal, offset: heights.fold(Real::NEG_INFINITY, Real::max) }
            })
            .collect();
        let mut hull = Self {
            vertices,
            planes,
            edges,
            face_start,
            face_vertices,
            face_edges,
            star_start,
            neighbours,
            neighbour_edges,
            starts: Vec::new(),
            starts_side: 0,
            middle,
            aabb,
            sphere,
            voronoi: OnceLock::new(),
            face_tree: OnceLock::new(),
        };
        hull.find_starts();
        hull
    }

    /// The memory that its arrays hold, bytes, but for the Voronoi regions.
    pub fn size_bytes(&self) -> usize {
        let by_vertex = size_of_val(&*self.vertices) + size_of_val(&*self.star_start) + size_of_val(&*self.starts);
        let by_edge = size_of_val(&*self.edges) + size_of_val(&*self.neighbours) + size_of_val(&*self.neighbour_edges);
        let by_face = size_of_val(&*self.planes) + size_of_val(&*self.face_start);
        by_vertex + by_edge + by_face + size_of_val(&*self.face_vertices) + size_of_val(&*self.face_edges)
    }

    /// The vertices, metres.
    #[inline]
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// The edges, ascending by their vertices.
    #[inline]
    pub fn edges(&self) -> &[ConvexEdge] {
        &self.edges
    }

    /// The planes of the faces.
    #[inline]
    pub fn planes(&self) -> &[FacePlane] {
        &self.planes
    }

    /// How many faces there are.
    #[inline]
    pub fn face_count(&self) -> usize {
        self.planes.len()
    }

    /// The vertices of a face, counter-clockwise from outside.
    ///
    /// # Panics
    /// If there is no such face.
    #[inline]
    pub fn face_vertices(&self, face: usize) -> &[u32] {
        &self.face_vertices[self.face_start[face] as usize..self.face_start[face + 1] as usize]
    }

    /// The corners of a face, counter-clockwise from outside.
    pub(crate) fn face_corners(&self, face: usize) -> Vec<Point> {
        self.face_vertices(face).iter().map(|&v| self.vertices[v as usize]).collect()
    }

    /// The edges of a face: the one from its vertex `k` to the next is number `k`.
    ///
    /// # Panics
    /// If there is no such face.
    #[inline]
    pub fn face_edges(&self, face: usize) -> &[u32] {
        &self.face_edges[self.face_start[face] as usize..self.face_start[face + 1] as usize]
    }

    /// The vertices that share an edge with `vertex`, ascending.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[inline]
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.star_start[vertex] as usize..self.star_start[vertex + 1] as usize]
    }

    /// The edges at `vertex`, in the order of [`ConvexPolyhedron::neighbours`].
    ///
    /// # Panics
    /// If there is no such vertex.
    #[inline]
    pub fn vertex_edges(&self, vertex: usize) -> &[u32] {
        &self.neighbour_edges[self.star_start[vertex] as usize..self.star_start[vertex + 1] as usize]
    }

    /// The Voronoi regions of the features, built when they are first asked for: O(n log n) then, nothing later.
    #[inline]
    pub fn voronoi(&self) -> &VoronoiBoundary {
        self.voronoi.get_or_init(|| VoronoiBoundary::of(self))
    }

    /// The tree of its faces, made when it is first asked for.
    pub(super) fn face_tree(&self) -> &FaceTree {
        self.face_tree.get_or_init(|| FaceTree::of(self))
    }

    /// The faces as triangles, fans around each face's first vertex.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        (0..self.face_count())
            .flat_map(|f| {
                let rim = self.face_vertices(f);
                rim[1..].windows(2).map(|pair| [rim[0], pair[0], pair[1]])
            })
            .collect()
    }

    /// The points scaled along the axes, about the frame's origin, as a hull of their own.
    ///
    /// # Errors
    /// [`HullError`] when a factor is zero or not finite, or flattens the hull.
    pub fn scaled(&self, scale: &Vector) -> Result<Self, HullError> {
        let points: Vec<Point> = self.vertices.iter().map(|p| p.coords.component_mul(scale).into()).collect();
        Self::from_points(&points)
    }

    /// The edge between two vertices.
    pub fn edge_between(&self, one: u32, other: u32) -> Option<u32> {
        let at = self.neighbours(one as usize).binary_search(&other).ok()?;
        Some(self.vertex_edges(one as usize)[at])
    }

    /// The feature that vertices of one face span; a vertex number that is none counts as the last.
    pub(super) fn spanned(&self, vertices: &[u32]) -> Feature {
        let last = self.vertices.len() as u32 - 1;
        let first = vertices.first().map_or(0, |&v| v.min(last));
        let mut others = vertices.iter().map(|&v| v.min(last)).filter(|&v| v != first);
        let Some(second) = others.next() else { return Feature::Vertex(first) };
        let third = others.find(|&v| v != second);
        if third.is_none()
            && let Some(edge) = self.edge_between(first, second)
        {
            return Feature::Edge(edge);
        }
        let holds = |face: &u32| {
            let rim = self.face_vertices(*face as usize);
            rim.contains(&second) && third.is_none_or(|v| rim.contains(&v))
        };
        let mut faces = self.vertex_edges(first as usize).iter().flat_map(|&e| self.edges[e as usize].faces);
        match faces.find(holds) {
            Some(face) => Feature::Face(face),
            // Not of one face: a chord through the inside. The first vertex stands for it.
            None => Feature::Vertex(first),
        }
    }

    /// The face whose outward normal is nearest to `direction`; of many faces, of those around the farthest vertex and whatever
    /// is reached from the best of them over edges, nearer each time. O(1) on average for round solids then.
    pub(crate) fn face_towards(&self, direction: &Vector) -> usize {
        let nearer = |best: (u32, Real), face: u32| {
            let along = self.planes[face as usize].normal.dot(direction);
            if along > best.1 { (face, along) } else { best }
        };
        let none = (0, Real::NEG_INFINITY);
        if self.planes.len() <= FACE_SCAN_LIMIT {
            return (0..self.planes.len() as u32).fold(none, nearer).0 as usize;
        }
        let beside = |edges: &[u32], best| edges.iter().flat_map(|&e| self.edges[e as usize].faces).fold(best, nearer);
        let farthest = self.support(direction, u32::MAX).vertex;
        let mut best = beside(self.vertex_edges(farthest as usize), none);
        loop {
            let next = beside(self.face_edges(best.0 as usize), best);
            if next.0 == best.0 {
                return best.0 as usize;
            }
            best = next;
        }
    }
}

/// Neighbours and edges of each vertex, ascending, in flat arrays.
fn stars(count: usize, edges: &[ConvexEdge]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut arms: Vec<[u32; 3]> = edges
        .iter()
        .enumerate()
        .flat_map(|(e, edge)| {
            let [a, b] = edge.vertices;
            [[a, b, e as u32], [b, a, e as u32]]
        })
        .collect();
    arms.sort_unstable();
    let mut start = vec![0_u32; count + 1];
    for arm in &arms {
        start[arm[0] as usize + 1] += 1;
    }
    for v in 0..count {
        start[v + 1] += start[v];
    }
    (start, arms.iter().map(|arm| arm[1]).collect(), arms.iter().map(|arm| arm[2]).collect())
}
