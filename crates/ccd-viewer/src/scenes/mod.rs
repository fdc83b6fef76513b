//! Scenes: what can be opened, what is open, and how it is put on the stage.

mod actors;
mod again;
mod catalogue;
mod extent;
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

pub use again::Restart;
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

/// How many scenes have been opened: what is set for one of them is not for the next, be it the same again.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opening(pub u32);

/// Why what was asked for last could not be opened; the scene before it goes on.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal(pub Option<String>);

impl Scene {
    /// What to open to have it from the start.
    pub fn source(&self) -> Source {
        self.file.clone().map_or_else(|| Source::Built(self.name.clone()), Source::File)
    }

    /// What a body is called.
    pub fn name_of(&self, body: BodyId) -> String {
        self.names.get(&body).cloned().unwrap_or_else(|| body.to_string())
    }

    /// The name of a file about the scene at an instant, seconds; letters that file systems may not bear are left out.
    pub fn file_name(&self, time: f64, extension: &str) -> String {
        let scene: String = self.name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '-' }).collect();
        format!("{scene}-{time:.6}s.{extension}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_after_its_scene_and_instant_whatever_the_scene_is_called() {
        let named = |name: &str| Scene { name: name.into(), ..Scene::default() };
        assert_eq!(named("tower-20").file_name(1.5, "png"), "tower-20-1.500000s.png");
        assert_eq!(named("../a b").file_name(0.0, "json"), "---a-b-0.000000s.json");
    }
}
