//! Trees of bounding volumes in flat arrays.
//!
//! | tree | volume | for |
//! |---|---|---|
//! | [`AabbTree`] | axis-aligned box, 32 bytes a node | one query against many items; what moves within itself (refit) |
//! | [`ObbTree`] | oriented box, 128 bytes a node | two meshes close to each other, each in its own pose |
//! | [`KdopTree`] | 18-sided slab polytope, 80 bytes a node | comparison: between the two, never the best |
//! | [`NodeSlabs`] | a slab beside each box of an [`AabbTree`], 12 bytes a node | times of contact of meshes |
//! | [`NodeCapsules`] | a capsule around its larger nodes besides, 28 bytes each | times of contact of meshes, and their near triangles |
//! | [`DynamicTree`] | fat axis-aligned box | items that come, move and go |
//!
//! The first three share one shape ([`VolumeTree`]), so [`visit_pairs`] walks two of a kind down together, and each gives
//! its nodes level by level to whoever draws them. `docs/hierarchies.md` says by numbers which to use when.

mod aabb_queries;
mod aabb_tree;
mod build;
mod capsules;
mod dual;
mod dynamic;
mod frames;
mod kdop_tree;
mod obb_tree;
mod slabs;
mod split;
#[cfg(test)]
mod tests;
mod volume_tree;

pub(crate) use aabb_tree::NodeBox;
pub use aabb_tree::{AabbTree, NodeKind, TreeNode};
pub use build::SplitRule;
pub(crate) use capsules::nearest_way;
pub use capsules::{NodeCapsule, NodeCapsules};
pub use dual::{PairWork, visit_pairs, visit_pairs_watched};
pub use dynamic::{DynamicTree, LeafId};
pub(crate) use frames::NodeFrames;
pub use kdop_tree::{Kdop18, KdopTree};
pub use obb_tree::ObbTree;
pub use slabs::{NodeSlabs, Slab};
pub use volume_tree::VolumeTree;
