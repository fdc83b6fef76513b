//! The choice of the single body that is looked into.

use bevy::prelude::*;
use bevy_egui::egui::{ComboBox, Ui};

use super::CcdPanelParam;

/// A list of all bodies; `id` tells apart the places in which it is shown.
pub(super) fn body_ui(ui: &mut Ui, id: &str, param: &mut CcdPanelParam) {
    let chosen = param.inspect.body;
    let now = chosen.map_or_else(|| "choose a body".into(), |entity| param.name_of(entity));
    let mut wanted: Option<Entity> = None;
    ComboBox::from_id_salt(id).selected_text(now).width(180.0).show_ui(ui, |ui| {
        for (entity, _, _) in param.world.bodies() {
            if ui.selectable_label(chosen == Some(entity), param.name_of(entity)).clicked() {
                wanted = Some(entity);
            }
        }
    });
    if wanted.is_some() && wanted != chosen {
        param.inspect.body = wanted;
        param.inspect.index_point = None;
    }
}
