//! Convex polyhedra and convex hulls.

mod convex;
pub(crate) mod exact;
mod face_tree;
mod half_spaces;
mod hull;
mod merge;
mod solid;
mod voronoi;

pub use convex::{ConvexEdge, ConvexPolyhedron, FacePlane};
pub use half_spaces::HalfSpacesError;
pub use hull::{HullError, MAX_HULL_COORDINATE};
pub use voronoi::{RegionPlane, VoronoiBoundary};

#[cfg(test)]
mod tests;
