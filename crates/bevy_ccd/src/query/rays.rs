//! Rays: what is in the way of a line.

use std::collections::BTreeSet;

use bevy::prelude::*;
use ccd_core::dynamics::Body;
use ccd_core::id::BodyId;
use ccd_core::world::Ray;

use super::filter::SpatialQueryFilter;
use super::hits::{RayHit, SpatialQueryError};
use super::spatial::{SpatialQuery, reach};
use crate::convert::{from_point, from_vector, to_vector};

impl SpatialQuery<'_> {
    /// The first body that a ray meets within `max_distance` metres, which may be infinite.
    ///
    /// # Errors
    /// [`SpatialQueryError::NonFinite`] for an origin or a direction that is not finite, and a distance that is no number.
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Option<RayHit>, SpatialQueryError> {
        self.cast_ray_predicate(origin, direction, max_distance, filter, &|_| true)
    }

    /// [`SpatialQuery::cast_ray`] of those bodies alone that the predicate takes.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_ray`].
    pub fn cast_ray_predicate(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Result<Option<RayHit>, SpatialQueryError> {
        let (ray, reach) = (ray(origin, direction)?, reach(max_distance)?);
        let hit = self.world.core().cast_ray(&ray, reach, self.ray_takes(&ray, filter, predicate));
        Ok(hit.and_then(|hit| self.ray_hit(&hit)))
    }

    /// All bodies that a ray meets within `max_distance` metres, each once, the nearest first.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_ray`].
    pub fn ray_hits(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Vec<RayHit>, SpatialQueryError> {
        self.ray_hits_predicate(origin, direction, max_distance, filter, &|_| true)
    }

    /// [`SpatialQuery::ray_hits`] of those bodies alone that the predicate takes.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_ray`].
    pub fn ray_hits_predicate(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Result<Vec<RayHit>, SpatialQueryError> {
        let (ray, reach) = (ray(origin, direction)?, reach(max_distance)?);
        let hits = self.world.core().ray_hits(&ray, reach, self.ray_takes(&ray, filter, predicate));
        Ok(hits.iter().filter_map(|hit| self.ray_hit(hit)).collect())
    }

    /// All colliders that a ray meets within `max_distance` metres, each once, the nearest first: of a body with several, those behind others
    /// too.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_ray`].
    pub fn collider_ray_hits(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Vec<RayHit>, SpatialQueryError> {
        self.collider_ray_hits_predicate(origin, direction, max_distance, filter, &|_| true)
    }

    /// [`SpatialQuery::collider_ray_hits`] of those bodies alone that the predicate takes.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_ray`].
    pub fn collider_ray_hits_predicate(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Result<Vec<RayHit>, SpatialQueryError> {
        let (ray, reach) = (ray(origin, direction)?, reach(max_distance)?);
        let hits = self.world.core().part_ray_hits(&ray, reach, self.ray_takes(&ray, filter, predicate));
        let mut met = BTreeSet::new();
        Ok(hits.iter().filter_map(|hit| self.ray_hit(hit)).filter(|hit| met.insert(hit.collider)).collect())
    }

    /// What a ray asks.
    fn ray_takes<'a>(
        &'a self,
        ray: &'a Ray,
        filter: &'a SpatialQueryFilter,
        predicate: &'a dyn Fn(Entity) -> bool,
    ) -> impl Fn(BodyId, &Body) -> bool + 'a {
        let begins_in = |id| self.world.core().cast_ray(ray, 0.0, |other, _| other == id).is_some();
        let takes = self.takes(filter, predicate);
        move |id, body| takes(id, body) && !(filter.ignore_origin_penetration && begins_in(id))
    }

    fn ray_hit(&self, hit: &ccd_core::world::RayHit) -> Option<RayHit> {
        Some(RayHit {
            entity: self.world.entity(hit.body)?,
            collider: self.world.collider(hit.body, hit.feature)?,
            distance: hit.distance as f32,
            point: from_point(&hit.point),
            normal: from_vector(&hit.normal),
        })
    }
}

fn ray(origin: Vec3, direction: Dir3) -> Result<Ray, SpatialQueryError> {
    Ray::new(to_vector(origin).into(), to_vector(direction.as_vec3()))
        .ok_or(SpatialQueryError::NonFinite { what: "origin or direction" })
}
