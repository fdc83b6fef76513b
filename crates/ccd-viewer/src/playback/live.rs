//! The world that steps are made with.

use bevy::prelude::Resource;
use ccd_core::world::{StepReport, World as ContactWorld};

/// The world at the end of the tape.
#[derive(Resource, Default)]
pub struct Live(ContactWorld);

impl Live {
    /// Goes on from `world`.
    pub fn of(world: ContactWorld) -> Self {
        Self(world)
    }

    /// Makes a step of `dt` seconds.
    ///
    /// # Errors
    /// Why it could not be made; the world is as it was.
    pub fn step(&mut self, dt: f64) -> Result<(ContactWorld, StepReport), String> {
        let report = self.0.step(dt).map_err(|error| error.to_string())?;
        Ok((self.0.clone(), report))
    }

    /// Goes on from a recorded state.
    pub fn restore(&mut self, world: ContactWorld) {
        self.0 = world;
    }
}
