//! What stands around the scene: the list of scenes, the plugin's panel, the transport, tables and plots.

pub mod text;
mod theme;

use bevy::prelude::*;
use bevy_egui::egui::{self, LayerId, Panel, Ui, UiBuilder};
use bevy_egui::{EguiContexts, EguiPrimaryContextPass};

use crate::camera::FreeCanvas;

/// Whether the panels are drawn.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanelsShown(pub bool);

/// The panels.
pub struct PanelsPlugin;

impl Plugin for PanelsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(EguiPrimaryContextPass, (theme::apply, lay_out).chain());
    }
}

fn lay_out(mut contexts: EguiContexts, shown: Res<PanelsShown>, mut free: ResMut<FreeCanvas>) -> Result {
    let ctx = contexts.ctx_mut()?;
    let canvas = ctx.viewport_rect();
    if !shown.0 {
        free.set_if_neq(FreeCanvas { rect: None, pointer_taken: pointer_taken(ctx, canvas) });
        return Ok(());
    }
    let mut root =
        Ui::new(ctx.clone(), "panels".into(), UiBuilder::new().layer_id(LayerId::background()).max_rect(canvas));
    Panel::left("scenes").default_size(190.0).show(&mut root, |ui| ui.heading("Scenes"));
    Panel::right("settings").default_size(290.0).show(&mut root, |ui| ui.heading("Contact"));
    Panel::bottom("transport").default_size(190.0).show(&mut root, |ui| ui.heading("Time"));
    let rect = root.available_rect_before_wrap();
    free.set_if_neq(FreeCanvas {
        rect: in_pixels(rect, ctx.pixels_per_point()),
        pointer_taken: pointer_taken(ctx, rect),
    });
    Ok(())
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
    let over_window = ctx.layer_id_at(pointer).is_some_and(|layer| layer.order != egui::Order::Background);
    !free.contains(pointer) || over_window || ctx.egui_is_using_pointer()
}
