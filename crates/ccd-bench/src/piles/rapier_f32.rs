//! rapier3d in single precision.

use rapier3d as rapier;

#[path = "rapier_world.rs"]
#[allow(clippy::duplicate_mod, reason = "one source for both precisions, each against its own crate")]
mod world;

pub use world::enter;
