//! System parameters that ask the world.

mod casters;
mod casting;
mod character;
mod collisions;
mod filter;
mod hits;
mod move_and_slide;
mod rays;
mod spatial;

pub use casters::{RayCaster, RayHits, ShapeCaster, ShapeHits};
pub(crate) use casting::{cast_rays, cast_shapes};
pub use character::{CharacterAutostep, CharacterGround, CharacterWalk};
pub use collisions::{Collisions, Contact, ContactPair};
pub use filter::SpatialQueryFilter;
pub use hits::{PointProjection, RayHit, ShapeHit, SpatialQueryError};
pub use move_and_slide::{
    MoveAndSlide, MoveAndSlideConfig, MoveAndSlideHitData, MoveAndSlideHitResponse, MoveAndSlideOutput, MoveHitData,
};
pub use spatial::SpatialQuery;
