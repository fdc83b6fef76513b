//! The egui panel: what can be set, and what the last step did.
//!
//! Any game can open it; an app with its own layout calls [`panel_ui`] in a panel of its own.

mod body;
mod camera;
mod case_file;
mod index;
mod number;
mod pair;
mod report;
mod settings;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
pub use case_file::CcdCaseFile;
pub use number::{NumberText, exact_drag, exact_slider};
pub use pair::{kinship_name, rule_name};
pub use settings::response_name;

use bevy_egui::{EguiContexts, EguiGlobalSettings, EguiPlugin, EguiPreUpdateSet, EguiPrimaryContextPass, egui};

use crate::clock::CcdClock;
use crate::debug::CcdDebug;
use crate::inspect::{CcdFindings, CcdIndexFindings, CcdInspect};
use crate::settings::{CcdSettings, Gravity};
use crate::world::CcdWorld;

/// Shows the panel as a window while [`CcdPanel::open`] is set. Add it after `DefaultPlugins`; it brings bevy_egui along. An app that
/// adds an `EguiPlugin` of its own adds that one first: Bevy panics where a plugin is added twice.
///
/// It is drawn on the app's first camera, and where that is gone on another one. An app that has cleared
/// `EguiGlobalSettings::auto_create_primary_context` says which one has it.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// App::new().add_plugins((DefaultPlugins, CcdPlugins::default(), CcdPanelPlugin::default())).run();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CcdPanelPlugin {
    /// Whether the window is open at the start.
    pub open: bool,
}

impl Default for CcdPanelPlugin {
    fn default() -> Self {
        Self { open: true }
    }
}

/// Whether the panel's window is open. Open it from the game's own keys or menus.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct CcdPanel {
    /// Shown or not.
    pub open: bool,
}

impl Plugin for CcdPanelPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<EguiPlugin>() {
            app.add_plugins(EguiPlugin::default());
        }
        app.register_type::<CcdPanel>()
            .insert_resource(CcdPanel { open: self.open })
            .add_systems(
                PreUpdate,
                camera::hand_context_on
                    .run_if(|settings: Res<EguiGlobalSettings>| settings.auto_create_primary_context)
                    .before(EguiPreUpdateSet::InitContexts),
            )
            .add_systems(EguiPrimaryContextPass, show_window.run_if(|panel: Res<CcdPanel>| panel.open));
    }
}

/// What the panel shows and changes.
#[derive(SystemParam)]
pub struct CcdPanelParam<'w, 's> {
    /// ε, restitution, friction, methods.
    pub settings: ResMut<'w, CcdSettings>,
    /// Gravity.
    pub gravity: ResMut<'w, Gravity>,
    /// Pause, single step, Δt.
    pub clock: ResMut<'w, CcdClock>,
    /// Overlay switches.
    pub debug: ResMut<'w, CcdDebug>,
    /// The pair that is looked into.
    pub inspect: ResMut<'w, CcdInspect>,
    /// What is seen of it.
    pub findings: Res<'w, CcdFindings>,
    /// What is seen of the B-rep index of a body.
    pub index: Res<'w, CcdIndexFindings>,
    /// What entities are called.
    pub names: Query<'w, 's, &'static Name>,
    /// The report.
    pub world: Res<'w, CcdWorld>,
    /// The length of the first step while the clock has none of its own.
    pub fixed: Res<'w, Time<Fixed>>,
    /// Where the world is saved as a case.
    pub case_file: ResMut<'w, CcdCaseFile>,
}

impl CcdPanelParam<'_, '_> {
    /// What an entity is called.
    fn name_of(&self, entity: Entity) -> String {
        self.names.get(entity).map_or_else(|_| format!("entity {entity}"), |name| name.to_string())
    }
}

fn show_window(mut contexts: EguiContexts, mut panel: ResMut<CcdPanel>, mut param: CcdPanelParam) -> Result {
    let mut open = panel.open;
    egui::Window::new("Contact").open(&mut open).default_width(300.0).default_height(640.0).vscroll(true).show(
        contexts.ctx_mut()?,
        |ui| {
            panel_ui(ui, &mut param);
        },
    );
    if open != panel.open {
        panel.open = open;
    }
    Ok(())
}

/// The panel's contents, to be shown in any egui container: clock, export, settings, overlays, and the last step's report.
pub fn panel_ui(ui: &mut egui::Ui, param: &mut CcdPanelParam) {
    settings::clock_ui(ui, param);
    case_file::case_file_ui(ui, param);
    ui.separator();
    settings::settings_ui(ui, param);
    egui::CollapsingHeader::new("Overlays").default_open(true).show(ui, |ui| settings::overlays_ui(ui, param));
    egui::CollapsingHeader::new("Pair")
        .default_open(param.inspect.pair.is_some())
        .show(ui, |ui| pair::pair_ui(ui, param));
    egui::CollapsingHeader::new("B-rep index")
        .default_open(param.inspect.index)
        .show(ui, |ui| index::index_ui(ui, param));
    egui::CollapsingHeader::new("Last step").default_open(true).show(ui, |ui| report::report_ui(ui, param));
}
