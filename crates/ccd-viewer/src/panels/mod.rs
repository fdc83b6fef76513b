//! What stands around the scene: the list of scenes, the plugin's panel, the transport, tables and plots.

mod browser;
pub mod contacts;
mod hud;
mod inspector;
mod layout;
mod plots;
pub mod text;
mod theme;
mod timeline;

use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::input::egui_wants_any_keyboard_input;

use crate::camera::{LookFrom, View};
use crate::draw::bodies::Actor;
use crate::playback::Transport;
use crate::scenes::{OpenScene, Scene, Source};
use crate::stage::StageExtent;
use contacts::Selection;

/// Whether the panels are drawn.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanelsShown(pub bool);

/// The panels and the keys.
pub struct PanelsPlugin;

impl Plugin for PanelsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<layout::Drawer>()
            .add_systems(EguiPrimaryContextPass, (theme::apply, layout::lay_out).chain())
            .add_systems(
                Update,
                keys.run_if(not(egui_wants_any_keyboard_input).and_then(resource_exists::<ButtonInput<KeyCode>>)),
            )
            .add_observer(select_clicked);
    }
}

fn keys(
    keys: Res<ButtonInput<KeyCode>>,
    scene: Res<Scene>,
    extent: Res<StageExtent>,
    mut shown: ResMut<PanelsShown>,
    mut selection: ResMut<Selection>,
    mut transport: MessageWriter<Transport>,
    mut open: MessageWriter<OpenScene>,
    mut look: MessageWriter<LookFrom>,
) {
    for key in keys.get_just_pressed() {
        match key {
            KeyCode::Space => {
                transport.write(Transport::Toggle);
            }
            KeyCode::Comma => {
                transport.write(Transport::StepBack);
            }
            KeyCode::Period => {
                transport.write(Transport::StepForward);
            }
            KeyCode::KeyR => {
                open.write(OpenScene(source_of(&scene)));
            }
            KeyCode::KeyF => {
                look.write(LookFrom(View::of_whole(&extent)));
            }
            KeyCode::Escape => *selection = Selection::default(),
            KeyCode::KeyH => shown.0 = !shown.0,
            _ => {}
        }
    }
}

/// What to open to start the scene again.
fn source_of(scene: &Scene) -> Source {
    scene.file.clone().map_or_else(|| Source::Built(scene.name.clone()), Source::File)
}

/// A click on a body selects it, and with it its contacts in the table; a click into space selects nothing.
fn select_clicked(click: On<Pointer<Click>>, actors: Query<&Actor>, mut selection: ResMut<Selection>) {
    if click.button != PointerButton::Primary {
        return;
    }
    if let Ok(actor) = actors.get(click.original_event_target()) {
        *selection = Selection { body: Some(actor.0), contact: None };
    }
}
