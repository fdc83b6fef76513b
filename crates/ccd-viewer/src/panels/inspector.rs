//! The selected body in numbers.

use bevy_egui::egui::{self, Align2, Area, Grid, Id, Order, RichText, Ui};
use ccd_core::dynamics::{Body, BodyKind};
use ccd_core::math::Vector;

use super::contacts::Selection;
use super::text::with_unit;
use crate::palette;
use crate::playback::Playback;
use crate::scenes::Scene;

/// Draws the selected body in the upper right corner of the free canvas; nothing without one.
pub fn show(ctx: &egui::Context, free: egui::Rect, playback: &Playback, scene: &Scene, selection: &Selection) {
    let Some(id) = selection.body else { return };
    let Some(body) = playback.body(id) else { return };
    let (Some(pose), Some(velocities)) = (playback.pose(id), playback.velocities(id)) else { return };
    let centre = (pose * body.local_centre()).coords;
    let card = Area::new(Id::new("selected")).order(Order::Middle).interactable(false).pivot(Align2::RIGHT_TOP);
    let card = card.fixed_pos(free.right_top() + egui::vec2(-10.0, 10.0));
    card.show(ctx, |ui| {
        super::hud::backdrop().show(ui, |ui| numbers(ui, &scene.name_of(id), body, &centre, &velocities))
    });
}

fn numbers(ui: &mut Ui, name: &str, body: &Body, centre: &Vector, (linear, angular): &(Vector, Vector)) {
    // Of one width, so that nothing jumps while it moves.
    let vector = |v: &Vector| [v.x, v.y, v.z].map(|x| format!("{:>8}", brief(x))).concat();
    ui.label(RichText::new(name).strong().color(palette::in_panel(palette::SELECTED)));
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
        let kind = format!("{kind} {}", body.shape().as_solid().kind());
        if body.kind() == BodyKind::Dynamic {
            let mass = body.mass_properties().mass;
            let mass = if mass < 1.0 { with_unit(1e3 * mass, "g") } else { format!("{mass:.1} kg") };
            row("body", format!("{kind}, {mass}"));
        } else {
            row("body", kind);
        }
        row("centre, m", vector(centre));
        row("velocity, m/s", vector(linear));
        row("spin, rad/s", vector(angular));
        row("speed", with_unit(linear.norm(), "m/s"));
        row("surface", format!("friction {:.2}, restitution {:.2}", body.material.friction, body.material.restitution));
    });
}

/// A number with the digits that fit into seven letters.
fn brief(x: f64) -> String {
    let digits = match x.abs() {
        x if x < 100.0 => 3,
        x if x < 10_000.0 => 1,
        x if x < 100_000.0 => 0,
        _ => return format!("{x:.0e}"),
    };
    // Nothing is not less than nothing.
    let text = format!("{x:.digits$}");
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') { text.replace('-', "") } else { text }
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn numbers_fit_into_their_column_however_large() {
        for (x, text) in [
            (0.0, "0.000"),
            (-0.000_1, "0.000"),
            (-99.5, "-99.500"),
            (1234.56, "1234.6"),
            (-20_000.0, "-20000"),
            (3e8, "3e8"),
        ] {
            assert_eq!(brief(x), text);
            assert!(brief(x).len() <= 7);
        }
    }
}
