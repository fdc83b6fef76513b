//! rapier3d in double precision.

use rapier3d_f64 as engine;

#[path = "rows.rs"]
#[allow(clippy::duplicate_mod, reason = "one source for both precisions, each against its own crate")]
mod rows;

pub use rows::{bullets_uncapped, rod};
