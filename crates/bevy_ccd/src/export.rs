//! The running world as a case file: found in a game, replayed by the command, the viewer and tests.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use ccd_core::id::BodyId;
use ccd_core::io::case::{CaseError, Export, SavedExport, export_world};
use ccd_core::world::World as CoreWorld;

use crate::clock::CcdClock;
use crate::settings::{CcdSettings, Gravity, possible_of};
use crate::world::{CcdSnapshot, CcdWorld};

/// Exports the world as a case: a file, with its models beside it, that `ccd run` and the viewer play from there on. Press a key in the
/// game, send the files, and whoever gets them sees the next step as the game would have made it.
///
/// What is exported is the state after the last step, in the core's `f64`, with the settings and the length of the next step. What the game
/// has changed in components since is not in it. Bodies are called by their [`Name`]; where several have the same, or none, the entity is
/// added, and `entity 12v0` stands for what has none. Kinematic bodies that the game has moved in the last step go on at that speed.
///
/// Contacts, and what the solver remembers of them, are no part of a case. Where nothing touches yet, the steps are the same to the last
/// bit, and so is how it lands. Where something does, the solver starts anew: what rests stays within ε, what slides or tumbles goes on
/// from the same state, not to the same bits. What else the format cannot say, such as damping, is told in [`SavedCase::left_out`] and in
/// the notes of the case.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn report_a_bug(keys: Res<ButtonInput<KeyCode>>, case: CaseExport) {
///     if keys.just_pressed(KeyCode::F9) {
///         match case.save("strange-landing.json") {
///             Ok(saved) => info!("{saved}"),
///             Err(error) => error!("{error}"),
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(report_a_bug);
/// ```
///
/// A step that went wrong is over when it is seen. Keep the state before it ([`CcdWorld::snapshot`]), and export that with
/// [`CaseExport::case_of`].
///
/// To be used before [`CcdSystems::Sync`](crate::CcdSystems::Sync) or after [`CcdSystems::Writeback`](crate::CcdSystems::Writeback), in any
/// schedule.
#[derive(SystemParam)]
pub struct CaseExport<'w, 's> {
    world: Res<'w, CcdWorld>,
    clock: Res<'w, CcdClock>,
    settings: Res<'w, CcdSettings>,
    gravity: Res<'w, Gravity>,
    fixed: Res<'w, Time<Fixed>>,
    names: Query<'w, 's, &'static Name>,
}

/// A case that was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedCase {
    /// The case file and the models beside it, as absolute paths.
    pub files: SavedExport,
    /// What the format cannot say and the case leaves out, in words.
    pub left_out: Vec<String>,
}

impl fmt::Display for SavedCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "saved as {}", self.files.case.display())?;
        match self.files.models.len() {
            0 => Ok(()),
            1 => write!(f, ", with a model beside it"),
            n => write!(f, ", with {n} models beside it"),
        }
    }
}

/// Why the world cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseExportError {
    /// Half a step is no state that could be played from.
    #[error("a step is on its way: export before `CcdSystems::Sync` or after `CcdSystems::Writeback`")]
    StepInProgress,
    /// No case file can hold this body.
    #[error("entity {entity} (\"{name}\") cannot be in a case file: {}", .source.reason())]
    Body {
        /// Whose body it is.
        entity: Entity,
        /// What it would be called in the case.
        name: String,
        /// What it is that cannot be said.
        source: CaseError,
    },
    /// The file cannot be written, or something that belongs to no entity cannot be said; it names which.
    #[error(transparent)]
    Case(#[from] CaseError),
}

impl CaseExport<'_, '_> {
    /// The world as a case called `name`, in memory: to be changed, or saved where it replaces others ([`Export::save`]).
    ///
    /// It lasts five seconds, which `case.world.steps` may change. O(n log n) for n bodies, and their models are copied.
    ///
    /// # Errors
    /// [`CaseExportError`] names the entity that no case can hold.
    pub fn case(&self, name: &str) -> Result<Export, CaseExportError> {
        self.playing().case(name)
    }

    /// The same for a state that was kept, such as that before a step in which something went wrong. Bodies whose entities are gone
    /// are called by their number.
    ///
    /// # Errors
    /// As [`CaseExport::case`].
    pub fn case_of(&self, snapshot: &CcdSnapshot, name: &str) -> Result<Export, CaseExportError> {
        self.playing().case_of(snapshot.core.clone(), name, Some(snapshot))
    }

    /// Saves the world as a case at `path`, which gets the extension `.json` if it has not, with its models beside it. Nothing that is there is
    /// replaced: a name that is taken gets a number, as in `bug-2.json`.
    ///
    /// # Errors
    /// As [`CaseExport::case`], and [`CaseExportError::Case`] with the file that cannot be written; no file is left half written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<SavedCase, CaseExportError> {
        self.playing().save(path.as_ref())
    }

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

/// How long an exported case lasts, seconds: enough to see what comes of a contact, and soon run.
const LASTS: f64 = 5.0;

/// However short its steps are, it has no more.
const MOST_STEPS: f64 = 10_000.0;

/// What an export is made from, wherever it is held.
pub(crate) struct Playing<'a> {
    pub world: &'a CcdWorld,
    pub clock: &'a CcdClock,
    pub settings: &'a CcdSettings,
    pub gravity: &'a Gravity,
    pub fixed: &'a Time<Fixed>,
    pub names: &'a Query<'a, 'a, &'static Name>,
}

impl Playing<'_> {
    fn name_of(&self, entity: Entity) -> Option<String> {
        self.names.get(entity).ok().map(|name| name.as_str().to_owned())
    }

    fn case(&self, name: &str) -> Result<Export, CaseExportError> {
        if self.world.in_progress() {
            return Err(CaseExportError::StepInProgress);
        }
        self.case_of(self.world.core().clone(), name, None)
    }

    /// The case of `core`, which is the present state or that of `snapshot`.
    fn case_of(
        &self,
        mut core: CoreWorld,
        name: &str,
        snapshot: Option<&CcdSnapshot>,
    ) -> Result<Export, CaseExportError> {
        // Those that are refused do not come into force in the game either.
        let exact = core.settings().gravity;
        let wanted = self.settings.to_world_settings_from(self.gravity, Some(&exact));
        _ = core.set_settings(possible_of(wanted, core.settings()).0);
        let dt = self.step_length();
        let steps = (LASTS / dt).ceil().clamp(1.0, MOST_STEPS) as u32;
        let whose = |id| self.world.entity_in(snapshot, id);
        let names = self.names(&core, whose);
        let export = export_world(&core, name, dt, steps, |id| names.get(&id).cloned())
            .map_err(|error| blame(error, &names, whose))?;
        // What cannot be read back is told of its entity here, and not of a file when it is saved.
        export.case.to_text().map_err(|error| blame(error, &names, whose))?;
        Ok(export)
    }

    pub fn save(&self, path: &Path) -> Result<SavedCase, CaseExportError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let path = with_json(path);
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let export = self.case(&name)?;
        let files = export.save_new(&path)?;
        Ok(SavedCase { files, left_out: export.left_out })
    }

    /// The length of the next step, seconds.
    fn step_length(&self) -> f64 {
        self.clock.next_step_length(self.world.report().dt, self.fixed.timestep())
    }

    /// What bodies are called: no two alike.
    fn names(&self, core: &CoreWorld, whose: impl Fn(BodyId) -> Option<Entity>) -> BTreeMap<BodyId, String> {
        let entities = core.bodies().filter_map(|(id, _)| Some((id, whose(id)?)));
        let named: Vec<_> = entities.map(|(id, entity)| (id, entity, self.name_of(entity))).collect();
        let mut count: BTreeMap<&str, u32> = BTreeMap::new();
        for name in named.iter().filter_map(|(_, _, name)| name.as_deref()) {
            *count.entry(name).or_default() += 1;
        }
        let is_own = |name: &&str| !name.is_empty() && count.get(name) == Some(&1);
        let mut taken: BTreeSet<String> =
            named.iter().filter_map(|(_, _, name)| name.as_deref().filter(is_own)).map(str::to_owned).collect();
        let mut names = BTreeMap::new();
        for (id, entity, name) in &named {
            let name = match name.as_deref().filter(|name| !name.is_empty()) {
                Some(name) if is_own(&name) => name.to_owned(),
                shared => {
                    let mut name = format!("{} {entity}", shared.unwrap_or("entity"));
                    while !taken.insert(name.clone()) {
                        name.push('\'');
                    }
                    name
                }
            };
            names.insert(*id, name);
        }
        names
    }
}

/// The error with the entity whose body it is about.
fn blame(
    error: CaseError,
    names: &BTreeMap<BodyId, String>,
    whose: impl Fn(BodyId) -> Option<Entity>,
) -> CaseExportError {
    let id = names.iter().find(|(_, name)| Some(name.as_str()) == error.body()).map(|(id, _)| *id);
    match id.and_then(|id| Some((whose(id)?, names.get(&id)?.clone()))) {
        Some((entity, name)) => CaseExportError::Body { entity, name, source: error },
        None => error.into(),
    }
}

/// The path with the extension of case files; the name of a folder stays what it is, to be refused.
fn with_json(path: PathBuf) -> PathBuf {
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let is_folder = path.file_name().is_none() || path.to_string_lossy().ends_with(std::path::is_separator);
    if is_json || is_folder {
        return path;
    }
    let mut longer = OsString::from(path);
    longer.push(".json");
    longer.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_file_ends_in_json_and_a_folder_stays_a_folder() {
        for (given, wanted) in [
            ("/a/bug.json", "/a/bug.json"),
            ("/a/bug.JSON", "/a/bug.JSON"),
            ("/a/bug", "/a/bug.json"),
            ("/a/tower-1.500000s", "/a/tower-1.500000s.json"),
            ("/a/", "/a/"),
            ("/a/..", "/a/.."),
        ] {
            assert_eq!(with_json(given.into()), PathBuf::from(wanted));
        }
    }
}
