//! Trees of bounding volumes in flat arrays.

mod aabb_tree;
mod build;
mod dynamic;
#[cfg(test)]
mod tests;

pub use aabb_tree::{AabbTree, NodeKind, TreeNode};
pub use dynamic::{DynamicTree, LeafId};
