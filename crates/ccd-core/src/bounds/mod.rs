//! Hierarchies of bounding volumes over geometry, usable on their own.

pub mod tree;
