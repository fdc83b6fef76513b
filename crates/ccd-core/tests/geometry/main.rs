//! Solids: what they hold, weigh and promise, and the trees over them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on is to stop, in its helpers too")]

#[path = "../common/mod.rs"]
mod common;

mod brep;
mod brep_index;
mod compound;
mod convex_pieces;
mod fields;
mod hierarchies;
mod patch_fields;
mod patches;
mod primitives;
mod sphere_tree;
