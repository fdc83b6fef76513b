//! Scenes: what can be opened, what is open, and how it is put on the stage.

mod actors;
mod catalogue;
mod lab;
mod made;
mod open;
mod shots;
mod solids;
mod stated;

use std::collections::BTreeMap;
use std::path::PathBuf;

use bevy::prelude::Resource;
use ccd_core::id::BodyId;

pub use catalogue::{Catalogue, Group};
pub use open::{Look, OpenScene, ScenesPlugin, Source};
pub use shots::{Fate, Shots, Tally};

/// The scene at hand.
#[derive(Resource, Clone, Debug, Default)]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// What it shows, in a line.
    pub about: String,
    /// What bodies are called.
    pub names: BTreeMap<BodyId, String>,
    /// The count, where it is a shooting.
    pub shots: Option<Shots>,
    /// The part of time that is worth watching, seconds.
    pub window: Option<(f64, f64)>,
    /// The file it came from.
    pub file: Option<PathBuf>,
}

impl Scene {
    /// What a body is called.
    pub fn name_of(&self, body: BodyId) -> String {
        self.names.get(&body).cloned().unwrap_or_else(|| body.to_string())
    }
}
