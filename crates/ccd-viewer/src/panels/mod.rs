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
use bevy_ccd::convert::{from_point, to_point};
use bevy_ccd::{CcdInspect, CcdWorld};
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::input::egui_wants_any_keyboard_input;

use crate::camera::{LookFrom, View};
use crate::draw::bodies::Actor;
use crate::hands::{Grab, Shoot};
use crate::playback::{Playback, Transport};
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
    mut shoot: MessageWriter<Shoot>,
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
            KeyCode::KeyB => {
                shoot.write(Shoot);
            }
            KeyCode::KeyH => shown.0 = !shown.0,
            _ => {}
        }
    }
}

/// What to open to start the scene again.
fn source_of(scene: &Scene) -> Source {
    scene.file.clone().map_or_else(|| Source::Built(scene.name.clone()), Source::File)
}

/// A click on a body selects it, and with it its contacts in the table; with Shift held, it and the body that was selected
/// before become the pair that is looked into.
fn select_clicked(
    click: On<Pointer<Click>>,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    actors: Query<&Actor>,
    ccd: Res<CcdWorld>,
    playback: Res<Playback>,
    grab: Res<Grab>,
    mut selection: ResMut<Selection>,
    mut inspect: ResMut<CcdInspect>,
) {
    if click.button != PointerButton::Primary || grab.0.is_some() {
        return;
    }
    let Ok(actor) = actors.get(click.original_event_target()) else { return };
    if keys.is_some_and(|keys| keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight])) {
        let first = selection.body.and_then(|body| ccd.entity(body));
        inspect.pair = first.zip(ccd.entity(actor.0)).filter(|(a, b)| a != b).or(inspect.pair);
        return;
    }
    *selection = Selection { body: Some(actor.0), contact: None };
    inspect.body = ccd.entity(actor.0);
    // The clicked place is followed through the index.
    let pose = playback.pose(actor.0);
    inspect.index_point = click
        .hit
        .position
        .zip(pose)
        .filter(|_| inspect.index)
        .map(|(at, pose)| from_point(&pose.inverse_transform_point(&to_point(at))));
}
