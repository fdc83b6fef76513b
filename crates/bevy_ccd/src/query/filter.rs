//! Which bodies a query asks.

use bevy::prelude::*;
use ccd_core::dynamics::Body;

use crate::components::LayerMask;

/// Which bodies a query asks.
#[derive(Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Default, Debug, PartialEq)]
pub struct SpatialQueryFilter {
    /// Bodies that belong to one of these layers.
    pub mask: LayerMask,
    /// Bodies that are passed over.
    pub excluded_entities: Vec<Entity>,
}

impl Default for SpatialQueryFilter {
    fn default() -> Self {
        Self { mask: LayerMask::ALL, excluded_entities: Vec::new() }
    }
}

impl SpatialQueryFilter {
    /// Only bodies that belong to one of these layers.
    pub fn from_mask(mask: impl Into<LayerMask>) -> Self {
        Self { mask: mask.into(), ..Self::default() }
    }

    /// All bodies but these.
    pub fn from_excluded_entities(entities: impl IntoIterator<Item = Entity>) -> Self {
        Self { excluded_entities: entities.into_iter().collect(), ..Self::default() }
    }

    /// The same, without these entities.
    #[must_use]
    pub fn with_excluded_entities(mut self, entities: impl IntoIterator<Item = Entity>) -> Self {
        self.excluded_entities.extend(entities);
        self
    }

    /// The same, for these layers.
    #[must_use]
    pub fn with_mask(mut self, mask: impl Into<LayerMask>) -> Self {
        self.mask = mask.into();
        self
    }

    pub(super) fn takes(&self, entity: Entity, body: &Body) -> bool {
        body.layers.memberships & self.mask.0 != 0 && !self.excluded_entities.contains(&entity)
    }
}
