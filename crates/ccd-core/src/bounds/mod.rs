//! Hierarchies of bounding volumes over geometry, usable on their own.

mod indexed_mesh;
mod surface_features;
mod winding;

pub mod fit;
pub mod tree;

pub use indexed_mesh::{ClosestOnMesh, IndexedMesh};
pub use surface_features::SurfaceFeatures;
