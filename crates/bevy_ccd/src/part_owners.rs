//! Whose collider the parts of a body's shape are.

use bevy::prelude::*;
use ccd_core::geometry::feature::Feature;
use ccd_core::shape::compound::Compound;

/// The colliders that a body is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colliders<'a> {
    /// The body's entity.
    pub body: Entity,
    /// Whose collider each part is.
    pub owners: &'a [Entity],
    /// The parts, where there are several.
    pub compound: Option<&'a Compound>,
}

impl Colliders<'_> {
    /// Whose collider a feature of the body's shape is of.
    pub fn of(&self, feature: Feature) -> Entity {
        let part = self.compound.map_or(0, |compound| compound.part_of_feature(feature).0);
        self.owners.get(part as usize).copied().unwrap_or_else(|| self.first())
    }

    /// That of the first part.
    pub fn first(&self) -> Entity {
        self.owners.first().copied().unwrap_or(self.body)
    }

    /// Whether they are of one entity.
    pub fn is_one(&self) -> bool {
        self.owners.iter().all(|owner| *owner == self.first())
    }
}
