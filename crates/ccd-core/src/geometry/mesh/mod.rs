//! Triangle meshes: open soups and closed surfaces.
//!
//! [`TriMesh`] is the valid list of triangles that everything else starts from; [`Topology`] says which edges they share
//! and whether they close; [`HalfEdgeMesh`] walks over a manifold surface; [`Brep`] has its faces, edges and corners
//! without the seams of the triangulation; [`triangle`] holds the queries on one triangle. Nothing here repairs anything
//! in silence: what is wrong is a [`MeshError`], and what changes a mesh ([`TriMesh::welded`], [`TriMesh::flipped`],
//! [`TriMesh::compacted`]) is asked for by name.

mod brep;
mod error;
mod half_edge;
mod topology;
mod tri_mesh;

pub mod meeting;
pub mod polygon;
#[cfg(test)]
pub(crate) mod samples;
pub mod triangle;

pub use brep::{Brep, BrepEdge, ConvexPiece, Plane};
pub use error::MeshError;
pub use half_edge::{HalfEdgeMesh, NotManifold};
pub use topology::{SurfaceKind, Topology};
pub use tri_mesh::TriMesh;
