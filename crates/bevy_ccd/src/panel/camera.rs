//! The camera that the panel is drawn on.

use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy_egui::PrimaryEguiContext;

/// Gives the context of a camera that is gone to another one, rather to one that draws in a window. bevy_egui gives it to the app's first camera and
/// to no other: without this, a menu's camera would take the panel with it.
pub(super) fn hand_context_on(
    mut commands: Commands,
    contexts: Query<(), With<PrimaryEguiContext>>,
    cameras: Query<(Entity, &Camera, &RenderTarget)>,
    mut was_there: Local<bool>,
) {
    if !contexts.is_empty() {
        *was_there = true;
    } else if *was_there {
        let active = cameras.iter().filter(|(_, camera, _)| camera.is_active);
        let next = active.min_by_key(|(.., target)| !matches!(target, RenderTarget::Window(_)));
        if let Some((next, ..)) = next {
            commands.entity(next).insert(PrimaryEguiContext);
        }
    }
}
