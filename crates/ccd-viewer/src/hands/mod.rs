//! Hands in the scene: a spring that pulls a body after the pointer, and balls that are shot.

mod grab;
mod shoot;

use bevy::prelude::*;

pub use grab::{Grab, pull};
pub use shoot::Shoot;

/// Dragging and shooting.
pub struct HandsPlugin;

impl Plugin for HandsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Grab>()
            .add_message::<Shoot>()
            .add_observer(grab::take_hold)
            .add_systems(Update, (grab::follow_pointer, grab::draw_spring).chain())
            .add_systems(PreUpdate, shoot::shoot_asked);
    }
}
