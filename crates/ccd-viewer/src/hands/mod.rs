//! Hands in the scene: a spring that pulls a body after the pointer, balls that are shot, and bodies taken out.

mod grab;
mod remove;
mod shoot;

use bevy::prelude::*;

use crate::panels::hud::Notice;

#[cfg(test)]
pub use grab::Held;
pub use grab::{Grab, REACH, pull};
pub use remove::Remove;
pub use shoot::{Shoot, Shot};

/// Dragging, shooting, taking out.
pub struct HandsPlugin;

impl Plugin for HandsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Grab>()
            .init_resource::<Shot>()
            .init_resource::<Notice>()
            .add_message::<Shoot>()
            .add_message::<Remove>()
            .add_observer(grab::take_hold)
            .add_systems(Update, grab::follow_pointer)
            // Where the body is watched by then.
            .add_systems(PostUpdate, grab::draw_spring)
            .add_systems(PreUpdate, (shoot::shoot_asked, remove::remove_asked));
    }
}
