//! rapier3d in double precision.

use rapier3d_f64 as rapier;

#[path = "rapier_world.rs"]
#[allow(clippy::unnecessary_cast, reason = "the same source serves single precision")]
#[allow(clippy::duplicate_mod, reason = "one source for both precisions, each against its own crate")]
mod world;

pub use world::enter;
