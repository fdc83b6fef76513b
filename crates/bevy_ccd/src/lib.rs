//! Precise contact for Bevy: no collision missed, on any geometry, at any speed.

mod clock;
mod components;
mod debug;
mod events;
mod schedule;

pub mod convert;

pub use clock::CcdClock;
pub use components::*;
pub use debug::CcdDebug;
pub use events::{CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionStart};
pub use schedule::CcdSystems;
