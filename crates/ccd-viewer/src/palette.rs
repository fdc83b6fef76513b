//! Every colour of the viewer, so that they stay apart from each other and mean one thing each.

use bevy::color::Color;
use bevy_egui::egui::Color32;

/// The empty space, and what the ground fades into.
pub const SPACE: Color = Color::srgb(0.105, 0.125, 0.155);
/// The ground between its lines.
pub const GROUND: Color = Color::srgb(0.145, 0.165, 0.195);
/// Bodies that never move.
pub const STATIC: Color = Color::srgb(0.33, 0.42, 0.53);
/// Bodies that move by themselves, whatever they meet.
pub const KINEMATIC: Color = Color::srgb(0.62, 0.50, 0.78);
/// Bodies that forces and contacts move, in turn.
pub const DYNAMIC: [Color; 6] = [
    Color::srgb(0.90, 0.66, 0.30),
    Color::srgb(0.36, 0.66, 0.78),
    Color::srgb(0.80, 0.47, 0.40),
    Color::srgb(0.53, 0.70, 0.42),
    Color::srgb(0.74, 0.58, 0.74),
    Color::srgb(0.82, 0.76, 0.58),
];
/// A shot that has met nothing yet.
pub const FLYING: Color = Color::srgb(0.93, 0.73, 0.32);
/// A shot that has met the sheet.
pub const HIT: Color = Color::srgb(0.93, 0.29, 0.22);
/// A shot that has passed the sheet without meeting it.
pub const THROUGH: Color = Color::srgb(0.26, 0.80, 0.56);
/// The normal of a meeting within a step.
pub const IMPACT: Color = Color::srgb(0.62, 1.0, 0.22);
/// The normal of a contact that lasts.
pub const TOUCH: Color = Color::srgb(0.25, 0.85, 1.0);
/// What is selected.
pub const SELECTED: Color = Color::srgb(1.0, 0.92, 0.35);

/// A colour for text and plots in the panels.
pub fn in_panel(colour: Color) -> Color32 {
    let c = colour.to_srgba();
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    Color32::from_rgb(byte(c.red), byte(c.green), byte(c.blue))
}
