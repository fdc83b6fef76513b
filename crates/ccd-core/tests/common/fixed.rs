//! Worlds of things that stand, for shapes that are moved through them.

use ccd_core::dynamics::{Body, BodyDefinition, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

/// Takes every body.
pub fn all(_: BodyId, _: &Body) -> bool {
    true
}

pub fn at(x: Real, y: Real, z: Real) -> Pose {
    Pose::translation(x, y, z)
}

/// A world of static bodies.
pub fn world_of(bodies: impl IntoIterator<Item = (Shape, Pose)>) -> World {
    let mut world = World::new(WorldSettings::default()).unwrap();
    for (shape, pose) in bodies {
        world.add_body(BodyDefinition::new(BodyKind::Static, shape, pose)).unwrap();
    }
    world
}
