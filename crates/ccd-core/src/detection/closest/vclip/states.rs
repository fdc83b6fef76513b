//! The states of the walk, one for each pair of kinds of features.

use super::Step;
use crate::geometry::feature::{Feature, FeaturePair};

/// What knows one step from each state; `side` is that of the feature that is named first. `None` where a sign that matters
/// is in doubt.
pub(super) trait States {
    fn vertex_vertex(&self, v: u32, w: u32) -> Option<Step>;
    fn vertex_edge(&self, side: usize, v: u32, e: u32) -> Option<Step>;
    fn vertex_face(&self, side: usize, v: u32, f: u32) -> Option<Step>;
    fn edge_edge(&self, e: u32, g: u32) -> Option<Step>;
    fn edge_face(&self, side: usize, e: u32, f: u32) -> Option<Step>;
    /// Where no walk leads; only a caller's memory names two faces.
    fn two_faces(&self, f: u32, other: Feature) -> Option<Step>;

    /// One step from a pair of features.
    #[inline]
    fn step(&self, at: FeaturePair) -> Option<Step> {
        match (at.a, at.b) {
            (Feature::Vertex(v), Feature::Vertex(w)) => self.vertex_vertex(v, w),
            (Feature::Vertex(v), Feature::Edge(e)) => self.vertex_edge(0, v, e),
            (Feature::Edge(e), Feature::Vertex(v)) => self.vertex_edge(1, v, e),
            (Feature::Vertex(v), Feature::Face(f)) => self.vertex_face(0, v, f),
            (Feature::Face(f), Feature::Vertex(v)) => self.vertex_face(1, v, f),
            (Feature::Edge(e), Feature::Edge(g)) => self.edge_edge(e, g),
            (Feature::Edge(e), Feature::Face(f)) => self.edge_face(0, e, f),
            (Feature::Face(f), Feature::Edge(e)) => self.edge_face(1, e, f),
            (Feature::Face(f), Feature::Face(_)) => self.two_faces(f, at.b),
        }
    }
}
