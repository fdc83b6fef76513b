//! The case at hand as a file: the state that is watched, for `ccd run`, the tests, and whoever else should see it.

use std::path::Path;

use bevy::prelude::*;
use bevy_ccd::CaseExport;
use bevy_ccd::panel::CcdCaseFile;
use bevy_egui::EguiPostUpdateSet;

use crate::panels::hud::Notice;
use crate::playback::Playback;
use crate::scenes::Scene;

/// Asks for the watched state to be saved where the panel says.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveCase;

/// Saves the watched state when asked. The panel of the plugin has the button; both save what the plugin's world stands at, which is the
/// watched state, or the start of the step that is watched.
pub struct ExportPlugin;

impl Plugin for ExportPlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<SaveCase>()
            // When the world stands at the watched state, and before the panel is drawn.
            .add_systems(PostUpdate, (suggest_name, save_asked).chain().before(EguiPostUpdateSet::EndPass));
    }
}

/// Files are called after the scene and the time of the state that is saved.
fn suggest_name(scene: Res<Scene>, playback: Res<Playback>, mut file: ResMut<CcdCaseFile>) {
    let between = playback.tape.between();
    let time = playback.tape.frame(between.from).map_or(0.0, |frame| frame.time);
    let name = scene.file_name(time, "json");
    if file.suggested != name {
        file.suggested = name;
    }
}

fn save_asked(
    mut asked: MessageReader<SaveCase>,
    case: CaseExport,
    mut file: ResMut<CcdCaseFile>,
    mut notice: ResMut<Notice>,
    time: Res<Time<Real>>,
) {
    if asked.read().count() == 0 {
        return;
    }
    let saved = case.save(file.target());
    let told = match &saved {
        Ok(saved) => saved.to_string(),
        Err(error) => error.to_string(),
    };
    notice.tell(told, time.elapsed());
    file.outcome = Some(saved);
}

/// Saves the watched state as `file`, in the place of what was there: for scripts, which know their files.
///
/// # Errors
/// A sentence that names the file or the body.
pub fn save_as(case: &CaseExport, file: &Path) -> Result<(), String> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let export = case.case(&name).map_err(|error| error.to_string())?;
    for what in &export.left_out {
        eprintln!("ccd-viewer: the case leaves out {what}");
    }
    export.save(file).map(|_| ()).map_err(|error| error.to_string())
}
