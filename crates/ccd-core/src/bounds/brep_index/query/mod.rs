//! Asking the index.

mod exact;
mod point;
mod segment;
mod spans;
mod trace;

pub use segment::SegmentPiece;
pub use trace::{IndexStep, IndexWalk, PointTrace, WalkKind};

use std::ops::AddAssign;

use crate::geometry::feature::Feature;

/// Where a point is in relation to a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Inside, further than ε from the surface.
    Inside,
    /// Outside, further than ε from the surface.
    Outside,
    /// Within ε of this feature of the mesh: a corner, the part of an edge, or the triangle of a face that is nearest.
    /// [`crate::geometry::mesh::Brep::edge_of_mesh_edge`] and [`crate::geometry::mesh::Brep::face_of_triangle`] tell the
    /// whole edge and face.
    On(Feature),
}

/// What answers have cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexStats {
    /// Heights of points above planes.
    pub plane_tests: u64,
    /// Distances from vertices, edges and triangles.
    pub features_tested: u64,
    /// Points off the surface, but too close to a plane to call, that were asked again beside it.
    pub moved: u64,
    /// Points that were decided by exact predicates over the triangles, because the planes could not.
    pub exact: u64,
    /// Features that the distance check behind the tree has found and the tree had not: zero, as far as anyone has seen.
    pub recovered: u64,
}

impl AddAssign for IndexStats {
    fn add_assign(&mut self, other: Self) {
        self.plane_tests += other.plane_tests;
        self.features_tested += other.features_tested;
        self.moved += other.moved;
        self.exact += other.exact;
        self.recovered += other.recovered;
    }
}
