//! Which bodies a query asks.

use bevy::ecs::entity::MapEntities;
use bevy::prelude::*;
use ccd_core::dynamics::Body;

use crate::components::LayerMask;

/// Which bodies a query asks.
#[derive(Reflect, MapEntities, Clone, Debug, PartialEq, Eq)]
#[reflect(Default, Debug, PartialEq)]
pub struct SpatialQueryFilter {
    /// Bodies that belong to one of these layers.
    pub mask: LayerMask,
    /// Bodies that are passed over.
    #[entities]
    pub excluded_entities: Vec<Entity>,
    /// Whether rays and moving shapes pass over the bodies that they begin in: a ray those that its origin is in or on, a shape those that it
    /// overlaps where it begins. They meet nothing of such a body on their further way either.
    pub ignore_origin_penetration: bool,
}

impl Default for SpatialQueryFilter {
    fn default() -> Self {
        Self { mask: LayerMask::ALL, excluded_entities: Vec::new(), ignore_origin_penetration: false }
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

    /// The same, passing over the bodies that rays and shapes begin in, or not.
    #[must_use]
    pub fn with_ignore_origin_penetration(mut self, ignore: bool) -> Self {
        self.ignore_origin_penetration = ignore;
        self
    }

    pub(super) fn takes(&self, entity: Entity, body: &Body) -> bool {
        body.layers.memberships & self.mask.0 != 0 && !self.excluded_entities.contains(&entity)
    }
}
