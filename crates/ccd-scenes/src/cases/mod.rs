//! Scene builders: case files with the models they use and what must hold in them.
//!
//! Each is a struct of options with defaults and a `build`; [`find`] reaches them by name, for command lines. What comes
//! out is [`CaseFiles`]: cases that name models by file, to be saved into one folder.

mod balance;
mod bullets;
mod chain;
mod dumb_bells;
mod hinges;
mod masonry;
mod motion;
mod parts;
mod piles;
mod pots;
mod rod;
mod screws;
mod stacks;
mod wrecking_ball;

pub use balance::{Coin, Egg, SeeSaw};
pub use bullets::Bullets;
pub use chain::Chain;
pub use dumb_bells::DumbBells;
pub use hinges::Hinges;
pub use masonry::{Arch, CardHouse, Overhang};
pub use motion::{Cradle, Dominoes, Slope, Turntable};
pub use piles::{FallingShapes, Heap, RingPile};
pub use pots::Pots;
pub use rod::Rod;
pub use screws::BoltInNut;
pub use stacks::{MassRatio, Pyramid, Tower};
pub use wrecking_ball::WreckingBall;

use std::path::{Path, PathBuf};

use ccd_core::geometry::mass::MassError;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::parametric::{PatchError, PatchSurface};
use ccd_core::io::case::{Case, CaseError};
use ccd_core::io::obj::{ObjError, save_obj};
use ccd_core::io::patches::{PatchFileError, save_patches};
use ccd_core::math::Real;

use crate::models::ModelError;
use crate::options::{OptionError, Options};

/// A builder of cases.
pub trait Scene: Options {
    /// The options that need not be added to the names of its files and cases: these have their values, or are fixed.
    const NAMED: &'static [&'static str] = &[];

    /// The cases with their models.
    ///
    /// # Errors
    /// [`SceneError`], with the option that is out of range.
    fn build(&self) -> Result<CaseFiles, SceneError>;
}

/// Cases and the models that they name, all for one folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseFiles {
    /// File names, as the cases name them, with the meshes.
    pub models: Vec<(String, TriMesh)>,
    /// The same for surfaces of patches.
    pub patches: Vec<(String, PatchSurface)>,
    /// File names with the cases.
    pub cases: Vec<(String, Case)>,
}

/// Why cases cannot be made or saved.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// An option that does not exist or is out of range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A model that cannot be made.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A model that has no mass.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// A model that cannot be written.
    #[error(transparent)]
    Obj(#[from] ObjError),
    /// Patches that make no surface.
    #[error(transparent)]
    Surface(#[from] PatchError),
    /// A surface that cannot be written.
    #[error(transparent)]
    Patches(#[from] PatchFileError),
    /// A case that cannot be written.
    #[error(transparent)]
    Case(#[from] CaseError),
}

impl CaseFiles {
    /// One case under a file name, without models.
    fn of(file: impl Into<String>, case: Case) -> Self {
        Self::default().and(file, case)
    }

    /// With one more case.
    fn and(mut self, file: impl Into<String>, case: Case) -> Self {
        self.cases.push((file.into(), case));
        self
    }

    /// With a mesh that cases name.
    fn with_model(mut self, file: &str, mesh: TriMesh) -> Self {
        self.models.push((file.to_owned(), mesh));
        self
    }

    /// With a surface that cases name.
    fn with_patches(mut self, file: &str, surface: PatchSurface) -> Self {
        self.patches.push((file.to_owned(), surface));
        self
    }

    /// With these options in the names of files and cases, so that none takes the place of another: `slope-20-friction-0.3.json`.
    fn told_apart_by(mut self, options: &[(&str, Real)]) -> Self {
        for (file, case) in &mut self.cases {
            let stem = file.strip_suffix(".json").unwrap_or(file).to_owned();
            let apart = options.iter().map(|(option, value)| format!("-{}-{value}", option.replace('_', "-")));
            *file = format!("{stem}{}.json", apart.collect::<String>());
            case.name.extend(options.iter().map(|(option, value)| format!(", {} {value}", option.replace('_', " "))));
        }
        self
    }

    /// Writes models and cases into `folder`, which must exist; answers the paths, models first, then surfaces.
    ///
    /// # Errors
    /// [`SceneError`], with the file that cannot be written.
    pub fn save(&self, folder: &Path) -> Result<Vec<PathBuf>, SceneError> {
        let mut written = Vec::with_capacity(self.models.len() + self.patches.len() + self.cases.len());
        for (name, mesh) in &self.models {
            let path = folder.join(name);
            save_obj(mesh, &path)?;
            written.push(path);
        }
        for (name, surface) in &self.patches {
            let path = folder.join(name);
            save_patches(surface, &path)?;
            written.push(path);
        }
        for (name, case) in &self.cases {
            let path = folder.join(name);
            case.save(&path)?;
            written.push(path);
        }
        Ok(written)
    }
}

/// A builder of cases by name.
#[derive(Clone, Copy, Debug)]
pub struct SceneEntry {
    /// The name, as on a command line.
    pub name: &'static str,
    /// What it makes, in one line.
    pub about: &'static str,
    options: fn() -> Vec<&'static str>,
    make: Make,
}

type Make = fn(&[(&str, Real)]) -> Result<CaseFiles, SceneError>;

impl SceneEntry {
    const fn of<S: Scene>() -> Self {
        Self { name: S::NAME, about: S::ABOUT, options: S::names, make: make::<S> }
    }

    /// The names of its options.
    pub fn options(&self) -> Vec<&'static str> {
        (self.options)()
    }

    /// Makes the cases with these options; the others keep their defaults. What is not as by default is in the names of files and cases, where these are not fixed.
    ///
    /// # Errors
    /// [`SceneError`], with the option that is wrong.
    pub fn make(&self, options: &[(&str, Real)]) -> Result<CaseFiles, SceneError> {
        (self.make)(options)
    }
}

/// All builders.
pub const ALL: [SceneEntry; 24] = [
    SceneEntry::of::<Bullets>(),
    SceneEntry::of::<Tower>(),
    SceneEntry::of::<Pyramid>(),
    SceneEntry::of::<MassRatio>(),
    SceneEntry::of::<Heap>(),
    SceneEntry::of::<RingPile>(),
    SceneEntry::of::<FallingShapes>(),
    SceneEntry::of::<Chain>(),
    SceneEntry::of::<Rod>(),
    SceneEntry::of::<Arch>(),
    SceneEntry::of::<CardHouse>(),
    SceneEntry::of::<Overhang>(),
    SceneEntry::of::<Slope>(),
    SceneEntry::of::<Cradle>(),
    SceneEntry::of::<Dominoes>(),
    SceneEntry::of::<Turntable>(),
    SceneEntry::of::<SeeSaw>(),
    SceneEntry::of::<Egg>(),
    SceneEntry::of::<Coin>(),
    SceneEntry::of::<BoltInNut>(),
    SceneEntry::of::<WreckingBall>(),
    SceneEntry::of::<Hinges>(),
    SceneEntry::of::<DumbBells>(),
    SceneEntry::of::<Pots>(),
];

/// The builder called `name`, if there is one.
pub fn find(name: &str) -> Option<SceneEntry> {
    ALL.into_iter().find(|e| e.name == name)
}

fn make<S: Scene>(options: &[(&str, Real)]) -> Result<CaseFiles, SceneError> {
    let mut scene = S::with(options)?;
    let mut changed = scene.changed();
    changed.retain(|(option, _)| !S::NAMED.contains(option));
    Ok(scene.build()?.told_apart_by(&changed))
}
