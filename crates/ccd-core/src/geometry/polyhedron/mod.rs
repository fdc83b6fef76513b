//! Convex polyhedra and convex hulls.

mod convex;
mod hull;
mod merge;
mod solid;

pub use convex::{ConvexEdge, ConvexPolyhedron, FacePlane};
pub use hull::{HullError, MAX_HULL_COORDINATE};

#[cfg(test)]
mod tests;
