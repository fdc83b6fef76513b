//! Bodies by the names and places that the case gives them.

use std::collections::BTreeMap;

use ccd_core::id::{BodyId, PairKey};
use ccd_core::io::case::Case;
use ccd_core::world::StepError;

/// The names of a world's bodies.
#[derive(Debug)]
pub(super) struct Names {
    names: Vec<String>,
    places: BTreeMap<BodyId, usize>,
}

impl Names {
    /// The bodies of `case`, which are `ids` in the world.
    pub(super) fn new(case: &Case, ids: &[BodyId]) -> Self {
        Self {
            names: case.bodies.iter().map(|b| b.name.clone()).collect(),
            places: ids.iter().enumerate().map(|(place, id)| (*id, place)).collect(),
        }
    }

    /// The name of a body.
    pub(super) fn name(&self, id: BodyId) -> Option<&str> {
        self.names.get(self.place(id)?).map(String::as_str)
    }

    /// The place of a body in the case.
    pub(super) fn place(&self, id: BodyId) -> Option<usize> {
        self.places.get(&id).copied()
    }

    /// The places of two bodies in the case, the smaller first.
    pub(super) fn places(&self, pair: PairKey) -> Option<(usize, usize)> {
        let (a, b) = (self.place(pair.a)?, self.place(pair.b)?);
        Some((a.min(b), a.max(b)))
    }

    /// The error in words, with names where the world has numbers.
    pub(super) fn explain(&self, error: &StepError) -> String {
        let name = |id: BodyId| self.name(id).map_or_else(|| id.to_string(), |name| format!("body \"{name}\""));
        let words = error.with_names(name);
        match error {
            StepError::InitialOverlap { .. } => {
                format!("{words}; key \"world.initial_overlap\": \"separate\" would move them apart")
            }
            _ => words,
        }
    }
}
