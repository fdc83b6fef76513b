//! Casts what casters ask for.

use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;

use super::casters::{RayCaster, RayHits, ShapeCaster, ShapeHits};
use super::hits::SpatialQueryError;
use super::spatial::SpatialQuery;
use crate::components::RigidBody;
use crate::problem::{CcdProblemCause, Problems, Reason, tell_new};
use crate::sync::Placement;

/// Where casters are, and what is their own.
#[derive(SystemParam)]
pub(crate) struct CasterPlaces<'w, 's> {
    helper: TransformHelper<'w, 's>,
    bodies: Query<'w, 's, (), With<RigidBody>>,
    parents: Query<'w, 's, &'static ChildOf>,
    transforms: Query<'w, 's, &'static Transform>,
}

/// Where a caster is, and how its axes are turned.
struct CasterPlace {
    translation: Vec3,
    rotation: Quat,
    /// What is above it mirrors its axes before they are turned: 1 or −1 each.
    mirrors: Vec3,
}

impl CasterPlace {
    fn point(&self, local: Vec3) -> Vec3 {
        self.translation + self.rotation * (self.mirrors * local)
    }

    fn direction(&self, local: Dir3) -> Dir3 {
        let mirrored = if self.mirrors == Vec3::ONE { Ok(local) } else { Dir3::new(self.mirrors * *local) };
        self.rotation * mirrored.unwrap_or(local)
    }

    /// The axis of a turn is mirrored, and which way round it goes as well.
    fn turn(&self, local: Quat) -> Quat {
        let axis = self.mirrors.element_product() * self.mirrors * local.xyz();
        self.rotation * Quat::from_vec4(axis.extend(local.w))
    }
}

impl CasterPlaces<'_, '_> {
    /// `None` of what has no place. A caster's own scale is none of its place's.
    fn of(&self, entity: Entity) -> Option<CasterPlace> {
        let own = Transform { scale: Vec3::ONE, ..*self.transforms.get(entity).ok()? };
        let above = match self.parents.get(entity) {
            Ok(child) => self.helper.compute_global_transform(child.parent()).ok()?.affine(),
            Err(_) => Affine3A::IDENTITY,
        };
        let Placement { translation, rotation, stretch } = Placement::of(&(above * own.compute_affine()), Vec3::ONE)?;
        let scale = Vec3::new(stretch.x_axis.x, stretch.y_axis.y, stretch.z_axis.z);
        let is_a_place = rotation.is_finite() && translation.is_finite() && scale.cmpne(Vec3::ZERO).all();
        is_a_place.then(|| CasterPlace { translation, rotation, mirrors: scale.signum() })
    }

    /// Which bodies a caster takes: all, or all but the one that it is on.
    fn others(&self, caster: Entity, ignore_self: bool) -> impl Fn(Entity) -> bool {
        let own = ignore_self.then(|| self.whole(caster));
        move |entity| own != Some(self.whole(entity))
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
            && let Some(place) = places.of(entity)
        {
            caster.global_origin = place.point(caster.origin);
            caster.global_direction = place.direction(caster.direction);
            let (from, to) = (caster.global_origin, caster.global_direction);
            let (reach, filter) = (caster.max_distance, &caster.query_filter);
            let takes = places.others(entity, caster.ignore_self);
            found = nearest(
                caster.max_hits,
                || query.cast_ray_predicate(from, to, reach, filter, &takes),
                || query.ray_hits_predicate(from, to, reach, filter, &takes),
            );
        }
        let whom = (entity, &mut problems);
        hits.set_if_neq(RayHits(or_told(found, &mut caster.told, CcdProblemCause::RayCaster, whom)));
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
            && let Some(place) = places.of(entity)
        {
            caster.global_origin = place.point(caster.origin);
            caster.global_shape_rotation = place.turn(caster.shape_rotation);
            caster.global_direction = place.direction(caster.direction);
            let (shape, from, turned) = (&caster.shape, caster.global_origin, caster.global_shape_rotation);
            let (to, reach, filter) = (caster.global_direction, caster.max_distance, &caster.query_filter);
            let takes = places.others(entity, caster.ignore_self);
            found = nearest(
                caster.max_hits,
                || query.cast_shape_predicate(shape, from, turned, to, reach, filter, &takes),
                || query.shape_hits_predicate(shape, from, turned, to, reach, filter, &takes),
            );
        }
        let whom = (entity, &mut problems);
        hits.set_if_neq(ShapeHits(or_told(found, &mut caster.told, CcdProblemCause::ShapeCaster, whom)));
    }
}

/// The nearest `most` hits, of which only the `first` is sought where one is enough.
fn nearest<H>(
    most: u32,
    first: impl FnOnce() -> Result<Option<H>, SpatialQueryError>,
    all: impl FnOnce() -> Result<Vec<H>, SpatialQueryError>,
) -> Result<Vec<H>, SpatialQueryError> {
    match most {
        0 => Ok(Vec::new()),
        1 => first().map(|hit| hit.into_iter().collect()),
        most => all().map(|mut all| {
            all.truncate(most as usize);
            all
        }),
    }
}

/// What was found. An error is told if it has another reason than the last one, and nothing was.
fn or_told<H>(
    found: Result<Vec<H>, SpatialQueryError>,
    told: &mut Option<Reason>,
    cause: fn(SpatialQueryError) -> CcdProblemCause,
    (entity, problems): (Entity, &mut Problems),
) -> Vec<H> {
    match found {
        Ok(hits) => {
            *told = None;
            hits
        }
        Err(error) => {
            tell_new(told, cause(error), entity, problems);
            Vec::new()
        }
    }
}
