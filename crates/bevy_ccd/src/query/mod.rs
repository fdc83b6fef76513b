//! System parameters that ask the world.

mod collisions;
mod spatial;

pub use collisions::{Collisions, Contact, ContactPair};
pub use spatial::{RayHit, ShapeHit, SpatialQuery, SpatialQueryFilter};
