//! The B-rep index of the body that is looked into.

use bevy::prelude::*;
use bevy_egui::egui::{Grid, Slider, Ui};
use ccd_core::bounds::brep_index::Side;

use super::CcdPanelParam;
use crate::inspect::subtree_name;

/// Switch, level, and the way of the followed point.
pub(super) fn index_ui(ui: &mut Ui, param: &mut CcdPanelParam) {
    super::body::body_ui(ui, "ccd_index_body", param);
    let mut inspect = param.inspect.clone();
    if inspect.body.is_none() {
        return;
    }
    ui.horizontal(|ui| {
        ui.checkbox(&mut inspect.index, "B-rep index");
        ui.add_enabled(inspect.index, super::settings::level(&mut inspect.index_level, 64));
        if inspect.index_point.is_some() && ui.small_button("✖ point").clicked() {
            inspect.index_point = None;
        }
    });
    let findings = &param.index;
    if let Some(why) = &findings.refused {
        ui.label(format!("no index: {why}"));
    }
    if let Some(index) = findings.index() {
        let shape = index.shape();
        ui.monospace(format!("{} nodes, {} cells drawn", shape.node_count(), findings.cells.len()));
    }
    if let Some((_, trace)) = &findings.trace {
        ui.monospace(format!("{:?}, {} plane tests", trace.place, trace.stats.plane_tests));
        let count = findings.steps.len();
        let mut step = inspect.index_step.min(count.saturating_sub(1)) + 1;
        if ui.add(Slider::new(&mut step, 1..=count.max(1)).text(format!("step of {count}"))).changed() {
            inspect.index_step = step - 1;
        }
        Grid::new("ccd_index").num_columns(3).striped(true).show(ui, |ui| {
            for (index, (visited, _)) in findings.steps.iter().enumerate() {
                let side = visited.at.map_or("", |branch| match branch.side {
                    Side::Above => "above",
                    Side::On => "on",
                    Side::Below => "below",
                });
                if ui.selectable_label(index + 1 == step, side).clicked() {
                    inspect.index_step = index;
                }
                ui.monospace(subtree_name(&visited.subtree));
                ui.monospace(format!("{:+.3e} m", visited.height));
                ui.end_row();
            }
        });
    } else if inspect.index {
        ui.weak("click a place of the body to follow it through the index");
    }
    param.inspect.set_if_neq(inspect);
}
