//! Hierarchies of bounding volumes over geometry, usable on their own.

mod convex_mesh;
mod convex_pieces;
mod hierarchy;
mod hollows;
mod indexed_mesh;
mod indexed_patches;
mod mesh_field;
mod mesh_hull;
mod mesh_parts;
mod mesh_polyhedron;
mod mesh_solid;
mod patch_cells;
mod patch_field;
mod patch_hull;
mod solidity;
mod surface_features;
mod winding;

pub mod brep_index;
pub mod fit;
pub mod sphere_tree;
pub mod tree;
pub mod uniform_grid;

pub use convex_pieces::DecompositionError;
pub use hierarchy::{Hierarchy, HierarchyKind, LevelVolume};
pub use hollows::Hollows;
pub use indexed_mesh::{ClosestOnMesh, IndexedMesh};
pub(crate) use indexed_patches::StandIn;
pub use indexed_patches::{ClosestOnPatches, IndexedPatches};
pub use mesh_polyhedron::MeshPolyhedron;
pub use solidity::NotSolid;
pub use surface_features::{OwnFeatures, SurfaceFeatures};
