//! The contacts of two solids at an instant, and from one instant to the next.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on is to stop, in its helpers too")]

#[path = "../common/mod.rs"]
mod common;

mod carried;
mod cluster;
mod cut_solids;
mod dented_meshes;
mod fields;
mod flat_sides;
mod ghosts;
mod lateral;
mod manifold;
mod patches;
mod properties;
mod rims;
mod set;
mod sunk;
mod two_sided;
