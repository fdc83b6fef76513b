//! Trees of bounding volumes in flat arrays.

mod aabb_tree;

pub use aabb_tree::{AabbTree, NodeKind, TreeNode};
