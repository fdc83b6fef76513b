//! Whether two placed solids have points in common now: exactly, for meshes, and approximately in bounded time, by spheres.

mod by_index;
mod mesh_mesh;
mod overlap;
mod spheres;
mod visited;

pub use by_index::{
    CollisionEstimate, IndexCollision, IndexContact, IndexPenetration, IndexRelation, IndexedStep, collide_by_index,
    estimate_collision_time,
};
pub use mesh_mesh::{
    EdgeFaceMeeting, MeshInterference, Pruning, Relation, Side, find_mesh_interference, relate_meshes,
};
pub use spheres::{
    SphereBudget, SphereContact, SphereInterference, SpherePair, SphereReduction, find_sphere_interference,
};
pub use visited::{PairTrace, TestedPair, VisitedNode, trace_pair};
