//! The list of scenes and case files.

use bevy_egui::egui::{self, RichText, ScrollArea, Ui};

use crate::hands::Shot;
use crate::scenes::{Catalogue, Group, Opening, Scene, Source};

/// Draws the list; returns what was chosen.
pub fn show(
    ui: &mut Ui,
    catalogue: &Catalogue,
    (scene, opening): (&Scene, Opening),
    shot: &mut Shot,
) -> Option<Source> {
    let mut chosen = None;
    // What was opened otherwise than by a click is brought into sight, once.
    let last = ui.id().with("opening");
    let is_new = ui.data(|data| data.get_temp(last)) != Some(opening.0);
    ui.data_mut(|data| data.insert_temp(last, opening.0));
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for (group, title) in [(Group::Built, "Scenes"), (Group::Case, "Case files")] {
            let mut entries = catalogue.entries.iter().filter(|entry| entry.group == group).peekable();
            if entries.peek().is_none() {
                continue;
            }
            ui.add_space(4.0);
            ui.heading(title);
            for entry in entries {
                let open = match &entry.source {
                    Source::Built(name) => scene.file.is_none() && *name == scene.name,
                    Source::File(path) => scene.file.as_ref() == Some(path),
                };
                let response = ui.selectable_label(open, &entry.name).on_hover_text(&entry.about);
                if response.clicked() {
                    chosen = Some(entry.source.clone());
                }
                if open && is_new {
                    response.scroll_to_me(None);
                }
            }
        }
        ui.add_space(8.0);
        ui.label(RichText::new("Drop a case file on the window to open it.").weak().small());
        ui.add_space(8.0);
        ui.collapsing("Shooting", |ui| {
            ui.spacing_mut().slider_width = 60.0;
            let slider = |value, range, text| egui::Slider::new(value, range).logarithmic(true).text(text);
            ui.add(slider(&mut shot.radius, 0.005..=0.3, "size")).on_hover_text("radius, as a share of the scene's");
            ui.add(slider(&mut shot.density, 10.0..=20_000.0, "kg/m³")).on_hover_text("density");
            ui.add(egui::Slider::new(&mut shot.speed, 0.1..=1000.0).logarithmic(true).text("speed"))
                .on_hover_text("radii of the scene in a second of watching");
        });
        ui.collapsing("Keys", |ui| {
            egui::Grid::new("keys").num_columns(2).show(ui, |ui| {
                for (key, deed) in KEYS {
                    ui.label(RichText::new(key).monospace());
                    ui.label(RichText::new(deed).small());
                    ui.end_row();
                }
            });
        });
    });
    chosen
}

/// What the keys and the mouse do, as the list shows it.
const KEYS: [(&str, &str); 16] = [
    ("Space", "play, pause"),
    (", .", "step back, forward"),
    ("R", "start again"),
    ("F", "look at the selected, or at all"),
    ("[ ]", "scene before, after"),
    ("Esc", "select nothing"),
    ("H", "hide the panels"),
    ("B", "shoot a ball"),
    ("Del", "remove the selected"),
    ("P", "save a picture"),
    ("E", "export the case"),
    ("left", "orbit; click: select"),
    ("Shift+click", "the pair to look into"),
    ("Ctrl+left", "pull with a spring"),
    ("right", "move the view"),
    ("wheel", "nearer, farther"),
];
