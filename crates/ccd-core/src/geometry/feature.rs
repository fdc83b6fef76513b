//! Features: the vertices, edges and faces by which a solid touches.

use std::fmt;

use crate::math::{Point, Real};

/// A vertex, edge or face of a solid, by its index in that solid.
///
/// Curved solids number their parts: a sphere is `Face(0)`; a capsule's straight part is `Edge(0)` and its caps are
/// `Vertex(0)` and `Vertex(1)`; a cylinder's or cone's caps are faces, its rims edges, its side the last face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A corner.
    Vertex(u32),
    /// A segment between two vertices.
    Edge(u32),
    /// A face (of a mesh: a triangle).
    Face(u32),
}

/// Faces from this number on are named by features of the solid that others were cut out of; below are those of its cells.
const OF_UNCUT: u32 = 1 << 31;

impl Feature {
    /// What this one of the solid that others were cut out of is called on what is left: no face of that has such a number.
    pub(crate) fn of_uncut(self) -> Self {
        let (kind, number) = match self {
            Self::Vertex(k) => (0, k),
            Self::Edge(k) => (1, k),
            Self::Face(k) => (2, k),
        };
        Self::Face(OF_UNCUT | number.wrapping_mul(3).wrapping_add(kind))
    }

    /// Of which feature of the solid that others were cut out of this is the name, if it is one's.
    fn uncut(self) -> Option<Self> {
        let Self::Face(name @ OF_UNCUT..) = self else { return None };
        let name = name - OF_UNCUT;
        Some([Self::Vertex, Self::Edge, Self::Face][name as usize % 3](name / 3))
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.uncut().unwrap_or(*self) {
            Self::Vertex(i) => write!(f, "vertex {i}"),
            Self::Edge(i) => write!(f, "edge {i}"),
            Self::Face(i) => write!(f, "face {i}"),
        }
    }
}

/// The two features that realise a contact or a closest distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeaturePair {
    /// The feature of side A.
    pub a: Feature,
    /// The feature of side B.
    pub b: Feature,
}

/// The representative surface points of a solid and the features they span, in the solid's frame.
///
/// Every point of the solid's surface lies within `radius + error` of some vertex, edge or face of the set, and every
/// point of those lies within `radius` *inside* the surface: a capsule is its segment with `radius`, a cylinder two
/// polygons whose sagitta is `error`. For polyhedra and soups both are zero and the set is exact.
#[derive(Clone, Debug, Default)]
pub struct FeatureSet {
    /// Positions, metres.
    pub vertices: Vec<Point>,
    /// Pairs of vertex indices.
    pub edges: Vec<[u32; 2]>,
    /// Triples of vertex indices; for a soup, its triangles.
    pub faces: Vec<[u32; 3]>,
    /// The rounding radius around the features, metres.
    pub radius: Real,
    /// How far the true surface may lie outside the rounded features, metres.
    pub error: Real,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_of_what_others_were_cut_out_of_is_shown_as_what_it_was() {
        for feature in [Feature::Vertex(0), Feature::Edge(3), Feature::Face(12)] {
            assert_ne!(feature.of_uncut(), feature);
            assert_eq!(feature.of_uncut().to_string(), feature.to_string());
        }
    }
}
