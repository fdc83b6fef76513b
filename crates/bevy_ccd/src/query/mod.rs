//! System parameters that ask the world.

mod collisions;
mod filter;
mod hits;
mod spatial;

pub use collisions::{Collisions, Contact, ContactPair};
pub use filter::SpatialQueryFilter;
pub use hits::{PointProjection, RayHit, ShapeHit, SpatialQueryError};
pub use spatial::SpatialQuery;
