//! Casts what casters ask for.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;

use super::casters::{RayCaster, RayHits, ShapeCaster, ShapeHits};
use super::hits::SpatialQueryError;
use super::spatial::SpatialQuery;
use crate::components::RigidBody;
use crate::problem::{CcdProblemCause, Problems};

/// Where casters are, and what is their own.
#[derive(SystemParam)]
pub(crate) struct CasterPlaces<'w, 's> {
    helper: TransformHelper<'w, 's>,
    bodies: Query<'w, 's, (), With<RigidBody>>,
    parents: Query<'w, 's, &'static ChildOf>,
}

impl CasterPlaces<'_, '_> {
    /// Rotation and translation; `None` of what has no place.
    fn of(&self, entity: Entity) -> Option<(Quat, Vec3)> {
        let (_, rotation, translation) =
            self.helper.compute_global_transform(entity).ok()?.to_scale_rotation_translation();
        (rotation.is_finite() && translation.is_finite()).then_some((rotation, translation))
    }

    /// The body that an entity is or belongs to; of none the entity itself.
    fn whole(&self, entity: Entity) -> Entity {
        let above = std::iter::once(entity).chain(self.parents.iter_ancestors(entity));
        above.into_iter().find(|above| self.bodies.contains(*above)).unwrap_or(entity)
    }
}

/// Casts the rays.
pub(crate) fn cast_rays(
    query: SpatialQuery,
    places: CasterPlaces,
    mut casters: Query<(Entity, &mut RayCaster, &mut RayHits)>,
    mut problems: Problems,
) {
    for (entity, mut caster, mut hits) in &mut casters {
        let mut found = Ok(Vec::new());
        // Where it is is nobody's change.
        let caster = caster.bypass_change_detection();
        if caster.enabled
            && let Some((rotation, translation)) = places.of(entity)
        {
            caster.global_origin = translation + rotation * caster.origin;
            caster.global_direction = rotation * caster.direction;
            let own = caster.ignore_self.then(|| places.whole(entity));
            let takes = |entity: Entity| own != Some(places.whole(entity));
            let (from, to) = (caster.global_origin, caster.global_direction);
            let (reach, filter) = (caster.max_distance, &caster.query_filter);
            found = match caster.max_hits {
                0 => Ok(Vec::new()),
                1 => query.cast_ray_predicate(from, to, reach, filter, &takes).map(|hit| hit.into_iter().collect()),
                most => query.ray_hits_predicate(from, to, reach, filter, &takes).map(|mut all| {
                    all.truncate(most as usize);
                    all
                }),
            };
        }
        let found = found.unwrap_or_else(|error| {
            if is_news(&mut caster.told, &error) {
                problems.tell(entity, CcdProblemCause::RayCaster(error));
            }
            Vec::new()
        });
        hits.set_if_neq(RayHits(found));
    }
}

/// Casts the shapes.
pub(crate) fn cast_shapes(
    query: SpatialQuery,
    places: CasterPlaces,
    mut casters: Query<(Entity, &mut ShapeCaster, &mut ShapeHits)>,
    mut problems: Problems,
) {
    for (entity, mut caster, mut hits) in &mut casters {
        let mut found = Ok(Vec::new());
        // Where it is is nobody's change.
        let caster = caster.bypass_change_detection();
        if caster.enabled
            && let Some((rotation, translation)) = places.of(entity)
        {
            caster.global_origin = translation + rotation * caster.origin;
            caster.global_shape_rotation = rotation * caster.shape_rotation;
            caster.global_direction = rotation * caster.direction;
            let own = caster.ignore_self.then(|| places.whole(entity));
            let takes = |entity: Entity| own != Some(places.whole(entity));
            let (shape, from, turned) = (&caster.shape, caster.global_origin, caster.global_shape_rotation);
            let (to, reach, filter) = (caster.global_direction, caster.max_distance, &caster.query_filter);
            found = match caster.max_hits {
                0 => Ok(Vec::new()),
                1 => query
                    .cast_shape_predicate(shape, from, turned, to, reach, filter, &takes)
                    .map(|hit| hit.into_iter().collect()),
                most => query.shape_hits_predicate(shape, from, turned, to, reach, filter, &takes).map(|mut all| {
                    all.truncate(most as usize);
                    all
                }),
            };
        }
        let found = found.unwrap_or_else(|error| {
            if is_news(&mut caster.told, &error) {
                problems.tell(entity, CcdProblemCause::ShapeCaster(error));
            }
            Vec::new()
        });
        hits.set_if_neq(ShapeHits(found));
    }
}

/// Whether this is not what was told last; it is now.
fn is_news(told: &mut Option<String>, error: &SpatialQueryError) -> bool {
    let why = error.to_string();
    told.replace(why.clone()) != Some(why)
}
