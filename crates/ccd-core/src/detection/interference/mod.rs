//! Whether two placed solids have points in common now.

mod mesh_mesh;
mod overlap;

pub use mesh_mesh::{
    EdgeFaceMeeting, MeshInterference, Pruning, Relation, Side, find_mesh_interference, relate_meshes,
};
