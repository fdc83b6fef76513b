//! Trees of bounding volumes in flat arrays.

mod aabb_tree;
mod build;

pub use aabb_tree::{AabbTree, NodeKind, TreeNode};
