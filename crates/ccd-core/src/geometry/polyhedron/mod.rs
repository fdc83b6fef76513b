//! Convex polyhedra and convex hulls.

mod convex;
mod hull;
mod merge;
mod solid;
mod voronoi;

pub use convex::{ConvexEdge, ConvexPolyhedron, FacePlane};
pub use hull::{HullError, MAX_HULL_COORDINATE};
pub use voronoi::VoronoiBoundary;

#[cfg(test)]
mod tests;
