//! rapier3d in single precision.

use rapier3d as engine;

#[path = "rows.rs"]
#[allow(clippy::duplicate_mod, reason = "one source for both precisions, each against its own crate")]
mod rows;

pub use rows::{bullets_default, bullets_uncapped, pose, rod, vector};
