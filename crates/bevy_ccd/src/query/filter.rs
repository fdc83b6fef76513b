//! Which bodies a query asks.

use bevy::ecs::entity::MapEntities;
use bevy::prelude::*;
use ccd_core::dynamics::{Body, BodyKind};

use crate::components::LayerMask;

/// Which bodies a query asks.
#[derive(Reflect, MapEntities, Clone, Debug, PartialEq, Eq)]
#[reflect(Default, Debug, PartialEq)]
pub struct SpatialQueryFilter {
    /// Bodies that belong to one of these layers.
    pub mask: LayerMask,
    /// Bodies that are passed over, with all their colliders. A child whose collider is part of a body is none itself, and has no effect here.
    #[entities]
    pub excluded_entities: Vec<Entity>,
    /// Whether rays and moving shapes pass over the bodies that they begin in: a ray those that its origin is in or on, a shape those that it
    /// overlaps where it begins. They meet nothing of such a body on their further way either. Without effect on [`MoveAndSlide`](crate::MoveAndSlide),
    /// which begins by moving the shape out of what it overlaps.
    pub ignore_origin_penetration: bool,
    /// Whether sensors are passed over.
    pub exclude_sensors: bool,
    /// Whether all but dynamic bodies are passed over.
    pub only_dynamic: bool,
}

impl Default for SpatialQueryFilter {
    fn default() -> Self {
        Self {
            mask: LayerMask::ALL,
            excluded_entities: Vec::new(),
            ignore_origin_penetration: false,
            exclude_sensors: false,
            only_dynamic: false,
        }
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

    /// The same, without sensors.
    #[must_use]
    pub fn exclude_sensors(self) -> Self {
        Self { exclude_sensors: true, ..self }
    }

    /// The same, for dynamic bodies alone.
    #[must_use]
    pub fn only_dynamic(self) -> Self {
        Self { only_dynamic: true, ..self }
    }

    pub(super) fn takes(&self, entity: Entity, body: &Body) -> bool {
        let is_of_a_kind = !self.only_dynamic || body.kind() == BodyKind::Dynamic;
        let is_solid = !self.exclude_sensors || !body.sensor;
        let is_in_a_layer = body.layers.memberships & self.mask.0 != 0;
        is_of_a_kind && is_solid && is_in_a_layer && !self.excluded_entities.contains(&entity)
    }
}
