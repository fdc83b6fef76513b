//! What a pair remembers from one query to the next, and the features that it names.

use super::super::simplex::{Simplex, SimplexVertex};
use crate::geometry::solid::SupportPoint;
use crate::math::{Point, Vector};

/// The state of the last query on a pair: where the next one starts. Valid for any later poses of the same two solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GjkCache {
    pub(super) simplex: Simplex,
    pub(super) hint_a: u32,
    pub(super) hint_b: u32,
}

impl Default for GjkCache {
    fn default() -> Self {
        Self { simplex: Simplex::default(), hint_a: SupportPoint::CURVED, hint_b: SupportPoint::CURVED }
    }
}

/// Up to four distinct support vertices.
#[derive(Clone, Copy, Debug, Default)]
pub struct VertexList {
    ids: [u32; 4],
    len: usize,
}

impl VertexList {
    /// The vertices, each once, in ascending order.
    pub fn as_slice(&self) -> &[u32] {
        &self.ids[..self.len]
    }

    fn collect(ids: impl Iterator<Item = u32>) -> Self {
        let mut list = Self::default();
        for id in ids {
            if !list.as_slice().contains(&id) && list.len < 4 {
                list.ids[list.len] = id;
                list.len += 1;
            }
        }
        list.ids[..list.len].sort_unstable();
        list
    }
}

/// Up to four different points.
pub(crate) struct PointList {
    points: [Vector; 4],
    len: usize,
}

impl PointList {
    fn collect(points: impl Iterator<Item = Vector>) -> Self {
        let mut list = Self { points: [Vector::zeros(); 4], len: 0 };
        for p in points {
            if !list.as_slice().contains(&p) && list.len < 4 {
                list.points[list.len] = p;
                list.len += 1;
            }
        }
        list
    }

    pub fn as_slice(&self) -> &[Vector] {
        &self.points[..self.len]
    }
}

impl GjkCache {
    /// The support vertices of A that span the nearest point.
    pub fn vertices_a(&self) -> VertexList {
        VertexList::collect(self.simplex.vertices[..self.simplex.len].iter().map(|v| v.vertex_a))
    }

    /// The support vertices of B that span the nearest point.
    pub fn vertices_b(&self) -> VertexList {
        VertexList::collect(self.simplex.vertices[..self.simplex.len].iter().map(|v| v.vertex_b))
    }

    /// The different points of A's core that span the nearest point, in A's frame.
    pub(crate) fn distinct_a(&self) -> PointList {
        PointList::collect(self.simplex.vertices[..self.simplex.len].iter().map(|v| v.a))
    }

    /// The different points of B's core that span the nearest point, in B's frame.
    pub(crate) fn distinct_b(&self) -> PointList {
        PointList::collect(self.simplex.vertices[..self.simplex.len].iter().map(|v| v.b))
    }

    /// Of a pair of which nothing is known but that B's `vertex`, at `point`, is foremost against the face of A with the
    /// given corners: where it stands over the face, there is nothing left to search for.
    pub(crate) fn at_face(corners: &[Point; 3], vertex: u32, point: &Point) -> Self {
        let mut cache = Self { hint_b: vertex, ..Self::default() };
        for (k, corner) in corners.iter().enumerate() {
            cache.simplex.push(SimplexVertex {
                a: corner.coords,
                b: point.coords,
                vertex_a: k as u32,
                vertex_b: vertex,
                ..SimplexVertex::default()
            });
        }
        cache
    }

    /// Takes one support point of B as all that is known.
    pub(crate) fn remember_b(&mut self, vertex: u32, point: &Point) {
        self.hint_b = vertex;
        self.simplex.len = 0;
        self.simplex.push(SimplexVertex { b: point.coords, vertex_b: vertex, ..SimplexVertex::default() });
        self.simplex.weights[0] = 1.0;
    }

    /// Where the next climb over A's edges may start.
    pub fn hint_a(&self) -> u32 {
        self.hint_a
    }

    /// Where the next climb over B's edges may start.
    pub fn hint_b(&self) -> u32 {
        self.hint_b
    }
}
