//! Hierarchies of bounding volumes over geometry, usable on their own.

mod indexed_mesh;
mod winding;

pub mod tree;

pub use indexed_mesh::{ClosestOnMesh, IndexedMesh};
