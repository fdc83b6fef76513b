//! The selected body in numbers.

use bevy_egui::egui::{Grid, RichText, Ui};
use ccd_core::dynamics::BodyKind;

use super::contacts::Selection;
use super::text::with_unit;
use crate::playback::Playback;
use crate::scenes::Scene;

/// Draws the selected body; nothing without one.
pub fn show(ui: &mut Ui, playback: &Playback, scene: &Scene, selection: &Selection) {
    let Some(id) = selection.body else {
        ui.label(
            RichText::new("Click a body to see its numbers, a row of the table to see its contact.").weak().small(),
        );
        return;
    };
    let Some(body) = playback.watched().and_then(|(from, to, _)| to.world.body(id).or_else(|| from.world.body(id)))
    else {
        return;
    };
    let pose = playback.pose(id).unwrap_or(*body.pose());
    let vector = |v: &ccd_core::math::Vector| format!("{:.4}  {:.4}  {:.4}", v.x, v.y, v.z);
    ui.label(RichText::new(scene.name_of(id)).strong());
    Grid::new("body").num_columns(2).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.label(RichText::new(name).small());
            ui.label(RichText::new(value).monospace());
            ui.end_row();
        };
        let kind = match body.kind() {
            BodyKind::Static => "static",
            BodyKind::Dynamic => "dynamic",
            BodyKind::Kinematic => "kinematic",
        };
        row("kind", format!("{kind} {}", body.shape().as_solid().kind()));
        if body.kind() == BodyKind::Dynamic {
            row("mass", format!("{:.4} kg", body.mass_properties().mass));
        }
        row("centre, m", vector(&(pose * body.local_centre()).coords));
        row("velocity, m/s", vector(body.linear_velocity()));
        row("spin, rad/s", vector(body.angular_velocity()));
        row("speed", with_unit(body.linear_velocity().norm(), "m/s"));
        row("friction", format!("{:.3}", body.material.friction));
        row("restitution", format!("{:.3}", body.material.restitution));
    });
}
