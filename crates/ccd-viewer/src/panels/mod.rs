//! What stands around the scene: the list of scenes, the plugin's panel, the transport, tables and plots.

mod browser;
pub mod contacts;
pub mod hud;
mod inspector;
mod layout;
mod plots;
pub mod text;
mod theme;
mod timeline;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_ccd::convert::{from_point, to_point};
use bevy_ccd::{CcdInspect, CcdWorld};
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::input::egui_wants_any_keyboard_input;

use crate::camera::{FreeCanvas, LookFrom, View};
use crate::capture::TakePicture;
use crate::draw::bodies::Actor;
use crate::export::SaveCase;
use crate::hands::{Grab, Remove, Shoot};
use crate::playback::{Playback, Transport};
use crate::scenes::{Catalogue, OpenScene, Refusal, Restart, Scene};
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
            .init_resource::<hud::Notice>()
            .add_systems(EguiPrimaryContextPass, (theme::apply, layout::lay_out).chain())
            .add_systems(
                Update,
                keys.run_if(not(egui_wants_any_keyboard_input).and_then(resource_exists::<ButtonInput<KeyCode>>)),
            )
            .init_resource::<Dragged>()
            .add_observer(begin_press)
            .add_observer(note_drag)
            .add_observer(select_clicked);
    }
}

/// Whether the pointer has gone too far since the press for its release to be a click: it has turned the view.
#[derive(Resource, Default)]
struct Dragged(bool);

/// How far a hand trembles in a click, pixels.
const TREMBLE: f32 = 4.0;

fn begin_press(_: On<Pointer<Press>>, mut dragged: ResMut<Dragged>) {
    dragged.0 = false;
}

fn note_drag(drag: On<Pointer<Drag>>, mut dragged: ResMut<Dragged>) {
    dragged.0 |= drag.distance.length() > TREMBLE;
}

/// What keys set off.
#[derive(SystemParam)]
struct Deeds<'w> {
    transport: MessageWriter<'w, Transport>,
    open: MessageWriter<'w, OpenScene>,
    again: MessageWriter<'w, Restart>,
    refusal: ResMut<'w, Refusal>,
    look: MessageWriter<'w, LookFrom>,
    shoot: MessageWriter<'w, Shoot>,
    remove: MessageWriter<'w, Remove>,
    picture: MessageWriter<'w, TakePicture>,
    save: MessageWriter<'w, SaveCase>,
}

fn keys(
    keys: Res<ButtonInput<KeyCode>>,
    scene: Res<Scene>,
    catalogue: Res<Catalogue>,
    playback: Res<Playback>,
    extent: Res<StageExtent>,
    mut shown: ResMut<PanelsShown>,
    mut selection: ResMut<Selection>,
    deeds: Deeds,
) {
    let Deeds {
        mut transport,
        mut open,
        mut again,
        mut refusal,
        mut look,
        mut shoot,
        mut remove,
        mut picture,
        mut save,
    } = deeds;
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
                again.write(Restart);
            }
            KeyCode::KeyF => {
                look.write(LookFrom(view_of_selected(&playback, &selection, &extent)));
            }
            KeyCode::BracketLeft | KeyCode::BracketRight => {
                let ahead = *key == KeyCode::BracketRight;
                open.write_batch(catalogue.beside(&scene.source(), ahead).map(OpenScene));
            }
            KeyCode::KeyP => {
                picture.write(TakePicture);
            }
            KeyCode::KeyE => {
                save.write(SaveCase);
            }
            KeyCode::Delete => {
                remove.write_batch(selection.body.map(Remove));
            }
            KeyCode::Escape => {
                *selection = Selection::default();
                *refusal = Refusal::default();
            }
            KeyCode::KeyB => {
                shoot.write(Shoot);
            }
            KeyCode::KeyH => shown.0 = !shown.0,
            _ => {}
        }
    }
}

/// The selected body from near; the whole without one.
fn view_of_selected(playback: &Playback, selection: &Selection, extent: &StageExtent) -> View {
    let whole = View::of_whole(extent);
    let near = selection.body.and_then(|id| {
        let pose = playback.pose(id)?;
        let solid = playback.body(id)?.shape().as_solid();
        let sphere = solid.bounding_sphere();
        let distance = 6.0 * sphere.radius as f32;
        distance.is_finite().then(|| View { focus: from_point(&(pose * sphere.centre)), distance, ..whole })
    });
    near.unwrap_or(whole)
}

/// A click on a body selects it, and with it its contacts in the table; with Shift held, it and the body that was selected
/// before become the pair that is looked into. A click beside all bodies selects nothing.
fn select_clicked(
    click: On<Pointer<Click>>,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    actors: Query<&Actor>,
    ccd: Res<CcdWorld>,
    playback: Res<Playback>,
    grab: Res<Grab>,
    dragged: Res<Dragged>,
    free: Res<FreeCanvas>,
    mut selection: ResMut<Selection>,
    mut inspect: ResMut<CcdInspect>,
) {
    if click.button != PointerButton::Primary || grab.0.is_some() || dragged.0 {
        return;
    }
    let with_shift = keys.is_some_and(|keys| keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]));
    let Ok(actor) = actors.get(click.original_event_target()) else {
        if !with_shift && !free.pointer_taken {
            *selection = Selection::default();
        }
        return;
    };
    if with_shift {
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
