//! Taking a body out of the scene.

use bevy::ecs::message::MessageCursor;
use bevy::prelude::*;
use bevy_ccd::{CcdWorld, RigidBodyDisabled};
use ccd_core::id::BodyId;

use crate::panels::contacts::Selection;
use crate::playback::{self, Playback, Transport};

/// Asks for a body to be taken out, at the watched instant and for good.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct Remove(pub BodyId);

pub(super) fn remove_asked(world: &mut World, mut cursor: Local<MessageCursor<Remove>>) {
    let asked: Vec<Remove> =
        world.get_resource::<Messages<Remove>>().map(|asked| cursor.read(asked).copied().collect()).unwrap_or_default();
    for Remove(id) in asked {
        if world.resource::<Playback>().pose(id).is_none() {
            continue;
        }
        if !world.resource::<Playback>().tape.is_at_end() {
            playback::obey_now(world, Transport::Cut);
        }
        playback::stand_at_end(world);
        let Some(entity) = world.resource::<CcdWorld>().entity(id) else { continue };
        // It stays on the stage for what was recorded before.
        world.entity_mut(entity).insert(RigidBodyDisabled);
        playback::take_over(world);
        world.insert_resource(Selection::default());
        playback::amend_end(world);
    }
}
