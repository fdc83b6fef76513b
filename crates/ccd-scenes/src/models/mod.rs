//! Model generators.
//!
//! Each is a struct of options with defaults and a `build`; [`make`] reaches them by name, for command lines.

mod bullet;
mod cuboid;
mod gear;
mod options;
mod sphere;
mod torus;
mod warped_plane;

pub use bullet::Bullet;
pub use cuboid::Cuboid;
pub use gear::Gear;
pub use options::{Field, Model, ModelError};
pub use sphere::{Icosphere, UvSphere};
pub use torus::{Ring, Torus};
pub use warped_plane::WarpedPlane;

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::Real;

/// A generator by name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name, as on a command line.
    pub name: &'static str,
    /// What it makes, in one line.
    pub about: &'static str,
    options: fn() -> Vec<&'static str>,
    make: Make,
}

type Make = fn(&[(&str, Real)]) -> Result<TriMesh, ModelError>;

impl Entry {
    const fn of<M: Model>() -> Self {
        Self { name: M::NAME, about: M::ABOUT, options: option_names::<M>, make: make_with::<M> }
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
pub const ALL: [Entry; 8] = [
    Entry::of::<Bullet>(),
    Entry::of::<WarpedPlane>(),
    Entry::of::<Torus>(),
    Entry::of::<Ring>(),
    Entry::of::<Gear>(),
    Entry::of::<Cuboid>(),
    Entry::of::<Icosphere>(),
    Entry::of::<UvSphere>(),
];

/// The generator called `name`, if there is one.
pub fn find(name: &str) -> Option<Entry> {
    ALL.into_iter().find(|e| e.name == name)
}

fn option_names<M: Model>() -> Vec<&'static str> {
    M::default().fields().into_iter().map(|(name, _)| name).collect()
}

fn make_with<M: Model>(options: &[(&str, Real)]) -> Result<TriMesh, ModelError> {
    let mut model = M::default();
    for &(option, value) in options {
        model.set(option, value)?;
    }
    model.build()
}
