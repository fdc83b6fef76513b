//! Where the panels stand, and what their buttons set off.

use bevy::diagnostic::{DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_ccd::panel::{CcdPanelParam, panel_ui};
use bevy_egui::EguiContexts;
use bevy_egui::egui::{self, LayerId, Panel, RichText, ScrollArea, Ui, UiBuilder};

use super::contacts::{self, Filter, Selection};
use super::plots::{self, Quantity};
use super::timeline::{self, Wish};
use super::{PanelsShown, browser, hud, inspector};
use crate::camera::{FreeCanvas, LookFrom, View};
use crate::draw::bodies::Count;
use crate::hands::Shot;
use crate::playback::{Playback, Transport, Trouble};
use crate::scenes::{Catalogue, OpenScene, Opening, Refusal, Restart, Scene};
use crate::stage::StageExtent;

/// What the drawer under the scene shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Contacts,
    Energy,
    Gap,
    Phases,
    Work,
}

/// The drawer under the scene, and the timeline above it.
#[derive(Resource, Default)]
pub(super) struct Drawer {
    tab: Tab,
    filter: Filter,
    window: timeline::Window,
    /// The scene that the window was set for.
    opening: Opening,
}

/// What the panels show.
#[derive(SystemParam)]
pub(super) struct Shown<'w> {
    catalogue: Res<'w, Catalogue>,
    scene: Res<'w, Scene>,
    opening: Res<'w, Opening>,
    extent: Res<'w, StageExtent>,
    trouble: Res<'w, Trouble>,
    refusal: Res<'w, Refusal>,
    count: Res<'w, Count>,
    panels: Res<'w, PanelsShown>,
    notice: Res<'w, hud::Notice>,
    real: Res<'w, Time<Real>>,
    diagnostics: Res<'w, DiagnosticsStore>,
}

impl Shown<'_> {
    /// Pictures a second, where they are counted.
    fn frame_rate(&self) -> Option<f64> {
        self.diagnostics.get(&FrameTimeDiagnosticsPlugin::FPS)?.smoothed()
    }
}

/// What the panels change.
#[derive(SystemParam)]
pub(super) struct Changed<'w, 's> {
    playback: ResMut<'w, Playback>,
    contact: CcdPanelParam<'w, 's>,
    selection: ResMut<'w, Selection>,
    drawer: ResMut<'w, Drawer>,
    free: ResMut<'w, FreeCanvas>,
    transport: MessageWriter<'w, Transport>,
    open: MessageWriter<'w, OpenScene>,
    again: MessageWriter<'w, Restart>,
    look: MessageWriter<'w, LookFrom>,
    shot: ResMut<'w, Shot>,
}

pub(super) fn lay_out(mut contexts: EguiContexts, shown: Shown, mut changed: Changed) -> Result {
    let ctx = contexts.ctx_mut()?.clone();
    let canvas = ctx.viewport_rect();
    let mut rect = canvas;
    if shown.panels.0 {
        let mut root =
            Ui::new(ctx.clone(), "panels".into(), UiBuilder::new().layer_id(LayerId::background()).max_rect(canvas));
        let has_list = canvas.width() >= ROOM_FOR_LIST;
        if has_list {
            Panel::left("scenes").default_size(150.0).show(&mut root, |ui| list(ui, &shown, &mut changed));
        }
        // Where there is little room, the transport has all of the width.
        let under = |root: &mut Ui, changed: &mut Changed| {
            Panel::bottom("drawer").default_size(205.0).show(root, |ui| drawer(ui, &shown, changed));
        };
        if !has_list {
            under(&mut root, &mut changed);
        }
        Panel::right("settings").default_size(296.0).show(&mut root, |ui| {
            if !has_list {
                ui.add_space(4.0);
                ui.menu_button("☰ Scenes", |ui| {
                    ui.set_width(180.0);
                    ui.set_height((canvas.height() - 60.0).max(60.0));
                    list(ui, &shown, &mut changed);
                });
            }
            settings(ui, &mut changed);
        });
        if has_list {
            under(&mut root, &mut changed);
        }
        rect = root.available_rect_before_wrap();
    }
    hud::show(
        &ctx,
        rect,
        &hud::Lines {
            scene: &shown.scene,
            playback: &changed.playback,
            paused: changed.contact.clock.paused,
            tally: shown.count.0,
            frame_rate: shown.frame_rate(),
            trouble: shown.trouble.0.as_deref(),
            refusal: shown.refusal.0.as_deref(),
            notice: shown.notice.at(shown.real.elapsed()),
        },
    );
    inspector::show(&ctx, rect, &changed.playback, &shown.scene, &changed.selection);
    let pixels = if shown.panels.0 { in_pixels(rect, ctx.pixels_per_point()) } else { None };
    changed.free.set_if_neq(FreeCanvas { rect: pixels, pointer_taken: pointer_taken(&ctx, rect) });
    Ok(())
}

/// The list of scenes has a side of its own in a canvas at least as wide, points; else it is behind a button.
const ROOM_FOR_LIST: f32 = 900.0;

fn list(ui: &mut Ui, shown: &Shown, changed: &mut Changed) {
    if let Some(source) = browser::show(ui, &shown.catalogue, (&shown.scene, *shown.opening), &mut changed.shot) {
        changed.open.write(OpenScene(source));
    }
}

fn settings(ui: &mut Ui, changed: &mut Changed) {
    // The bar stands beside what is scrolled, not over the ends of long names.
    let scroll = &mut ui.spacing_mut().scroll;
    scroll.floating_allocated_width = scroll.bar_width + scroll.bar_inner_margin;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.add_space(4.0);
        panel_ui(ui, &mut changed.contact);
    });
}

fn drawer(ui: &mut Ui, shown: &Shown, changed: &mut Changed) {
    let Changed { playback, contact, selection, drawer, transport, again, look, .. } = changed;
    if drawer.opening != *shown.opening {
        drawer.opening = *shown.opening;
        drawer.window.show(shown.scene.window);
    }
    ui.add_space(4.0);
    let wish =
        timeline::show(ui, playback, &contact.clock, contact.clock.step_length.unwrap_or_default(), &mut drawer.window);
    match wish {
        None => {}
        Some(Wish::Restart) => {
            again.write(Restart);
        }
        Some(Wish::Transport(asked)) => {
            transport.write(asked);
        }
    }
    ui.horizontal_wrapped(|ui| {
        for (tab, name) in [
            (Tab::Contacts, "Contacts"),
            (Tab::Energy, "Energy"),
            (Tab::Gap, "Gap"),
            (Tab::Phases, "Phase times"),
            (Tab::Work, "Work"),
        ] {
            ui.selectable_value(&mut drawer.tab, tab, RichText::new(name));
        }
        if drawer.tab == Tab::Contacts {
            ui.separator();
            contacts::filter_ui(ui, &shown.scene, &mut drawer.filter, selection);
        }
    });
    let quantity = match drawer.tab {
        Tab::Contacts => {
            match contacts::show(ui, playback, &shown.scene, drawer.filter, selection) {
                Some(contacts::RowWish::LookAt(row)) => {
                    look.write(LookFrom(View::at_contact(&row, &shown.extent)));
                }
                Some(contacts::RowWish::LookInto(pair)) => {
                    contact.inspect.pair = contact.world.entities(pair).or(contact.inspect.pair);
                }
                None => {}
            }
            return;
        }
        Tab::Energy => Quantity::Energy,
        Tab::Gap => Quantity::Gap,
        Tab::Phases => Quantity::Phases,
        Tab::Work => Quantity::Work,
    };
    if let Some(time) = plots::show(ui, playback, quantity, *shown.opening, &mut drawer.window) {
        transport.write(Transport::Seek(time));
    }
}

/// The rectangle in physical pixels; `None` where nothing is left to draw into.
fn in_pixels(rect: egui::Rect, scale: f32) -> Option<URect> {
    let pixel = |x: f32| (x * scale).round().max(0.0) as u32;
    let rect = URect::new(pixel(rect.min.x), pixel(rect.min.y), pixel(rect.max.x), pixel(rect.max.y));
    (rect.width() > 0 && rect.height() > 0).then_some(rect)
}

/// Whether the pointer is over a panel or a window of the panels, or holds one of their widgets.
fn pointer_taken(ctx: &egui::Context, free: egui::Rect) -> bool {
    let Some(pointer) = ctx.input(|input| input.pointer.interact_pos()) else { return false };
    let over_window = ctx.layer_id_at(pointer).is_some_and(|layer| layer.order > egui::Order::Middle);
    !free.contains(pointer) || over_window || ctx.egui_is_using_pointer()
}
