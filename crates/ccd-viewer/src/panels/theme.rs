//! How the panels look: dark, calm, close to the colours of the stage.

use bevy::prelude::*;
use bevy_egui::EguiContexts;
use bevy_egui::egui::{Color32, CornerRadius, FontFamily, FontId, Stroke, TextStyle, Theme, Visuals};

/// Sets the look once.
pub(super) fn apply(mut contexts: EguiContexts, mut done: Local<bool>) -> Result {
    if *done {
        return Ok(());
    }
    *done = true;
    let ctx = contexts.ctx_mut()?;
    ctx.set_theme(Theme::Dark);
    ctx.set_visuals_of(Theme::Dark, visuals());
    ctx.style_mut_of(Theme::Dark, |style| {
        let sans = |size| FontId::new(size, FontFamily::Proportional);
        style.text_styles.insert(TextStyle::Heading, sans(15.0));
        style.text_styles.insert(TextStyle::Body, sans(13.0));
        style.text_styles.insert(TextStyle::Button, sans(13.0));
        style.text_styles.insert(TextStyle::Small, sans(11.0));
        style.text_styles.insert(TextStyle::Monospace, FontId::new(11.5, FontFamily::Monospace));
        style.spacing.item_spacing = [7.0, 4.0].into();
        style.spacing.slider_width = 120.0;
        // A picture of a standing clock must not catch a window half faded in.
        style.animation_time = 0.0;
    });
    // Letters that are drawn for the first time later on make the atlas grow, and blank the panels for a frame.
    ctx.fonts_mut(|fonts| {
        let sizes = [15.0, 13.0, 11.0].map(|size| FontId::new(size, FontFamily::Proportional));
        for font in sizes.into_iter().chain([11.5, 10.0].map(|size| FontId::new(size, FontFamily::Monospace))) {
            // In several places, for letters are kept by the fraction of a pixel that they begin at.
            for shift in ["", "i", "a", "W"] {
                fonts.layout_no_wrap(format!("{shift}{LETTERS}"), font.clone(), Color32::WHITE);
            }
        }
    });
    Ok(())
}

/// What the panels write with.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\
     .,:;-+*/%()[]<>=_'\"|&#·×–−…°²³µμνδεθΔ→≤≥é⏮⏪▶⏸⏩⏭✂☰✔✖";

fn visuals() -> Visuals {
    let mut look = Visuals::dark();
    look.panel_fill = Color32::from_rgb(24, 28, 35);
    look.window_fill = Color32::from_rgb(30, 35, 43);
    look.extreme_bg_color = Color32::from_rgb(15, 18, 23);
    look.faint_bg_color = Color32::from_rgb(32, 37, 46);
    look.selection.bg_fill = Color32::from_rgb(36, 88, 128);
    look.selection.stroke = Stroke::new(1.0, Color32::from_rgb(210, 232, 255));
    look.hyperlink_color = Color32::from_rgb(120, 190, 240);
    let text = Color32::from_rgb(205, 212, 222);
    look.widgets.noninteractive.fg_stroke = Stroke::new(1.0, text);
    look.widgets.noninteractive.bg_stroke = Stroke::new(1.0, Color32::from_rgb(48, 55, 66));
    look.widgets.inactive.fg_stroke = Stroke::new(1.0, text);
    look.widgets.inactive.weak_bg_fill = Color32::from_rgb(46, 53, 65);
    look.widgets.inactive.bg_fill = Color32::from_rgb(52, 60, 73);
    look.widgets.hovered.weak_bg_fill = Color32::from_rgb(60, 72, 90);
    for widget in [&mut look.widgets.inactive, &mut look.widgets.hovered, &mut look.widgets.active] {
        widget.corner_radius = CornerRadius::same(4);
    }
    look
}
