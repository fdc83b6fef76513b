//! Model generators.
//!
//! Each is a struct of options with defaults and a `build`; [`find`] reaches them by name, for command lines.

mod bullet;
mod cuboid;
mod gear;
mod screw;
mod sphere;
mod torus;
mod warped_plane;

pub use bullet::Bullet;
pub use cuboid::Cuboid;
pub use gear::Gear;
pub use screw::{Bolt, Nut};
pub use sphere::{Icosphere, UvSphere};
pub use torus::{Ring, Torus};
pub use warped_plane::WarpedPlane;

use ccd_core::geometry::mesh::{MeshError, TriMesh};
use ccd_core::math::Real;

use crate::options::{OptionError, Options};

/// A generator of a mesh.
pub trait Model: Options {
    /// The mesh.
    ///
    /// # Errors
    /// [`ModelError`], with the option that is out of range.
    fn build(&self) -> Result<TriMesh, ModelError>;
}

/// Why a model cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// An option that does not exist or is out of range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Options in range that together give no mesh, such as proportions beyond the digits of a number.
    #[error("{model}: {source}")]
    Mesh {
        /// The model.
        model: &'static str,
        /// What is wrong with the mesh.
        source: MeshError,
    },
}

/// A generator by name.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// The name, as on a command line.
    pub name: &'static str,
    /// What it makes, in one line.
    pub about: &'static str,
    options: fn() -> Vec<&'static str>,
    make: Make,
}

type Make = fn(&[(&str, Real)]) -> Result<TriMesh, ModelError>;

impl ModelEntry {
    const fn of<M: Model>() -> Self {
        Self { name: M::NAME, about: M::ABOUT, options: M::names, make: make::<M> }
    }

    /// The names of its options.
    pub fn options(&self) -> Vec<&'static str> {
        (self.options)()
    }

    /// Makes the model with these options; the others keep their defaults.
    ///
    /// # Errors
    /// [`ModelError`], with the option that is wrong.
    pub fn make(&self, options: &[(&str, Real)]) -> Result<TriMesh, ModelError> {
        (self.make)(options)
    }
}

/// All generators.
pub const ALL: [ModelEntry; 10] = [
    ModelEntry::of::<Bullet>(),
    ModelEntry::of::<WarpedPlane>(),
    ModelEntry::of::<Torus>(),
    ModelEntry::of::<Ring>(),
    ModelEntry::of::<Gear>(),
    ModelEntry::of::<Bolt>(),
    ModelEntry::of::<Nut>(),
    ModelEntry::of::<Cuboid>(),
    ModelEntry::of::<Icosphere>(),
    ModelEntry::of::<UvSphere>(),
];

/// The generator called `name`, if there is one.
pub fn find(name: &str) -> Option<ModelEntry> {
    ALL.into_iter().find(|e| e.name == name)
}

fn make<M: Model>(options: &[(&str, Real)]) -> Result<TriMesh, ModelError> {
    M::with(options)?.build()
}

fn finished<M: Model>(mesh: Result<TriMesh, MeshError>) -> Result<TriMesh, ModelError> {
    mesh.map_err(|source| ModelError::Mesh { model: M::NAME, source })
}
