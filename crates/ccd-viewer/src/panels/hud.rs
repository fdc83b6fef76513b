//! The lines over the scene: what is shown, how slowly, the count of shots, and what went wrong.

use std::sync::Arc;
use std::time::Duration;

use bevy::prelude::Resource;
use bevy_egui::egui::{
    self, Align, Align2, Area, Color32, CornerRadius, FontSelection, Frame, Id, Label, Margin, Order, RichText, Ui,
    WidgetText,
};

use super::text::with_unit;
use super::timeline::rate_text;
use crate::palette;
use crate::playback::Playback;
use crate::scenes::{Scene, Tally};

/// What the lines tell.
pub struct Lines<'a> {
    /// The scene at hand.
    pub scene: &'a Scene,
    /// The watched instant.
    pub playback: &'a Playback,
    /// Whether time stands.
    pub paused: bool,
    /// The count of a shooting.
    pub tally: Option<Tally>,
    /// Pictures a second, where they are counted.
    pub frame_rate: Option<f64>,
    /// What stopped the simulation.
    pub trouble: Option<&'a str>,
    /// Why what was asked for is not open.
    pub refusal: Option<&'a str>,
    /// What is worth knowing for a while.
    pub notice: Option<&'a str>,
}

/// What is worth knowing for a while.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct Notice {
    text: String,
    until: Duration,
}

impl Notice {
    /// Tells it from `now` on, a time since the start.
    pub fn tell(&mut self, text: impl Into<String>, now: Duration) {
        *self = Self { text: text.into(), until: now + Duration::from_secs(4) };
    }

    /// What is told at a time since the start.
    pub(super) fn at(&self, now: Duration) -> Option<&str> {
        (now < self.until).then_some(self.text.as_str())
    }
}

/// What lines over the scene stand on.
pub fn backdrop() -> Frame {
    Frame::new()
        .fill(Color32::from_rgba_unmultiplied(16, 19, 25, 190))
        .corner_radius(CornerRadius::same(6))
        .inner_margin(Margin::symmetric(10, 7))
}

/// Draws the lines in the upper left corner of the free canvas.
pub fn show(ctx: &egui::Context, free: egui::Rect, lines: &Lines<'_>) {
    let backdrop = backdrop();
    Area::new(Id::new("hud"))
        .order(Order::Middle)
        .interactable(false)
        .fixed_pos(free.min + egui::vec2(10.0, 10.0))
        .show(ctx, |ui| {
            backdrop.show(ui, |ui| {
                ui.set_max_width((free.width() - 40.0).max(120.0));
                ui.label(RichText::new(&lines.scene.name).strong().size(15.0).color(Color32::WHITE));
                if !lines.scene.about.is_empty() {
                    about(ui, &lines.scene.about);
                }
                ui.label(RichText::new(clock(lines)).monospace());
                if let Some(tally) = lines.tally {
                    count(ui, tally);
                }
                if let Some(notice) = lines.notice {
                    ui.label(RichText::new(notice).color(palette::in_panel(palette::SELECTED)));
                }
            });
        });
    let told = [("stopped", lines.trouble), ("not opened (Esc: close this)", lines.refusal)];
    if told.iter().all(|(_, reason)| reason.is_none()) {
        return;
    }
    Area::new(Id::new("trouble"))
        .order(Order::Middle)
        .pivot(Align2::LEFT_BOTTOM)
        .fixed_pos(free.left_bottom() + egui::vec2(10.0, -10.0))
        .show(ctx, |ui| {
            backdrop.show(ui, |ui| {
                ui.set_max_width((free.width() - 40.0).max(120.0));
                for (what, reason) in told {
                    let Some(reason) = reason else { continue };
                    ui.label(RichText::new(what).strong().color(palette::in_panel(palette::HIT)));
                    ui.label(reason);
                }
            });
        });
}

/// The rows that a scene is told of in; the rest is seen with the pointer on them.
const ROWS: usize = 3;

fn about(ui: &mut Ui, text: &str) {
    let small = WidgetText::from(RichText::new(text).small());
    let mut rows = Arc::unwrap_or_clone(small.into_layout_job(ui.style(), FontSelection::Default, Align::Min));
    rows.wrap.max_rows = ROWS;
    let (place, rows, response) = Label::new(rows).layout_in_ui(ui);
    // These lines let the pointer through to the scene, so that they are asked themselves whether it is on them.
    let pointer = ui.input(|input| input.pointer.hover_pos());
    if rows.elided && pointer.is_some_and(|at| response.rect.contains(at)) {
        response.show_tooltip_text(text);
    }
    ui.painter().galley(place, rows, ui.visuals().text_color());
}

fn clock(lines: &Lines<'_>) -> String {
    let state = if lines.paused { "paused".into() } else { speed(lines.playback) };
    let frames = lines.frame_rate.map_or(String::new(), |rate| {
        let digits = usize::from(rate < 9.95);
        format!("  {rate:.digits$} fps")
    });
    format!("t = {}  {state}{frames}", with_unit(lines.playback.tape.watched(), "s"))
}

/// How fast it is watched, and how fast it was to be where that is not reached.
fn speed(playback: &Playback) -> String {
    let Playback { rate, pace, .. } = *playback;
    let words = |rate: f64| format!("speed {}", rate_text(rate));
    if pace > NEARLY { words(rate) } else { format!("{} (wanted: {})", words(rate * pace), rate_text(rate)) }
}

/// What is reached of a speed is all of it from this share on: frames end within steps.
const NEARLY: f64 = 0.98;

fn count(ui: &mut Ui, tally: Tally) {
    ui.horizontal_wrapped(|ui| {
        for (colour, number, word) in [
            (palette::FLYING, tally.flying, "flying"),
            (palette::HIT, tally.hit, "hit"),
            (palette::THROUGH, tally.through, "through the hole"),
        ] {
            let (dot, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
            ui.painter().circle_filled(dot.center(), 4.5, palette::in_panel(colour));
            ui.label(RichText::new(format!("{number} {word}")).strong());
            ui.add_space(4.0);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_that_is_not_reached_is_told_beside_the_one_that_is() {
        let watched = |rate: f64, pace: f64| speed(&Playback { rate, pace, ..Playback::default() });
        assert_eq!(watched(1.0, 1.0), "speed 1.00 ×");
        assert_eq!(watched(1e-3, 0.999), "speed 1/1000");
        assert_eq!(watched(1.0, 0.48), "speed 0.48 × (wanted: 1.00 ×)");
    }
}
