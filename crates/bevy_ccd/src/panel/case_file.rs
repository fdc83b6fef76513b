//! The world at hand as a file.

use bevy::prelude::*;
use bevy_egui::egui::{RichText, TextEdit, Ui};

use super::CcdPanelParam;
use crate::export::{CaseExportError, Playing, SavedCase};

/// Where the panel's button saves the world as a case, and how that went the last time. See [`CaseExport`](crate::CaseExport).
#[derive(Resource, Debug)]
pub struct CcdCaseFile {
    /// What was typed; while it is empty, the suggestion counts.
    pub path: String,
    /// Shown in the empty field. An app with names for its scenes puts them here.
    pub suggested: String,
    /// How the last export went.
    pub outcome: Option<Result<SavedCase, CaseExportError>>,
}

impl Default for CcdCaseFile {
    fn default() -> Self {
        Self { path: String::new(), suggested: "case.json".to_owned(), outcome: None }
    }
}

impl CcdCaseFile {
    /// Where to save next.
    pub fn target(&self) -> &str {
        let typed = self.path.trim();
        if typed.is_empty() { &self.suggested } else { typed }
    }
}

/// The button, where to, and what came of it.
pub(super) fn case_file_ui(ui: &mut Ui, param: &mut CcdPanelParam) {
    ui.horizontal(|ui| {
        let button =
            ui.button("Export case").on_hover_text("Save the world as it is now, for `ccd run` and the viewer");
        if button.clicked() {
            let saved = param.playing().save(param.case_file.target().as_ref());
            param.case_file.outcome = Some(saved);
        }
        let mut path = param.case_file.path.clone();
        let field = TextEdit::singleline(&mut path).hint_text(&param.case_file.suggested).desired_width(f32::INFINITY);
        if ui.add(field).on_hover_text("Where to; a name that is taken gets a number").changed() {
            param.case_file.path = path;
        }
    });
    match &param.case_file.outcome {
        None => {}
        Some(Ok(saved)) => {
            ui.label(RichText::new(saved.to_string()).small());
            if !saved.left_out.is_empty() {
                let text = format!("left out: {}", saved.left_out.join("; "));
                ui.label(RichText::new(text).small().color(ui.visuals().warn_fg_color));
            }
        }
        Some(Err(error)) => {
            ui.label(RichText::new(error.to_string()).small().color(ui.visuals().error_fg_color));
        }
    }
}

impl CcdPanelParam<'_, '_> {
    fn playing(&self) -> Playing<'_> {
        Playing {
            world: &self.world,
            clock: &self.clock,
            settings: &self.settings,
            gravity: &self.gravity,
            fixed: &self.fixed,
            names: &self.names,
        }
    }
}
