//! Rays and shapes that are cast at every step from where an entity is.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;

use super::filter::SpatialQueryFilter;
use super::hits::{RayHit, ShapeHit};
use super::spatial::SpatialQuery;
use crate::collider::Collider;
use crate::components::RigidBody;
use crate::problem::{CcdProblemCause, Problems};

/// Casts a ray at every step, from where its entity is then; what it meets is in [`RayHits`].
///
/// Asks the poses after the step, like a [`SpatialQuery`] in a system after
/// [`CcdSystems::Writeback`](crate::CcdSystems::Writeback). While the world is paused it goes on asking.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn setup(mut commands: Commands) {
///     let eye = RayCaster::new(Vec3::Y * 0.5, Dir3::NEG_Z).with_max_distance(50.0).with_max_hits(1);
///     commands.spawn((RigidBody::Dynamic, Collider::capsule(0.4, 1.0), eye));
/// }
///
/// fn look(eyes: Query<(&RayCaster, &RayHits)>) {
///     for (eye, hits) in &eyes {
///         for hit in hits.iter() {
///             println!("from {} it sees {} at {}", eye.global_origin(), hit.entity, hit.point);
///         }
///     }
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, RayHits)]
pub struct RayCaster {
    /// Whether it casts; if not, it has no hits.
    pub enabled: bool,
    /// Where the ray begins, metres: in the frame that has the entity's place and rotation and no scale.
    pub origin: Vec3,
    /// Where it goes, in the same frame.
    pub direction: Dir3,
    /// How far, metres.
    pub max_distance: f32,
    /// How many bodies at most, the nearest first.
    pub max_hits: u32,
    /// Whether it passes over the body that its entity is or belongs to, and that body's sensors.
    pub ignore_self: bool,
    /// Which bodies it asks.
    pub query_filter: SpatialQueryFilter,
    global_origin: Vec3,
    global_direction: Dir3,
}

impl Default for RayCaster {
    /// Along x, without end.
    fn default() -> Self {
        Self::new(Vec3::ZERO, Dir3::X)
    }
}

impl From<Ray3d> for RayCaster {
    fn from(ray: Ray3d) -> Self {
        Self::from_ray(ray)
    }
}

impl RayCaster {
    /// Without end and with as many hits as there are, but for its entity's own body.
    pub fn new(origin: Vec3, direction: Dir3) -> Self {
        Self {
            enabled: true,
            origin,
            direction,
            max_distance: f32::MAX,
            max_hits: u32::MAX,
            ignore_self: true,
            query_filter: SpatialQueryFilter::default(),
            global_origin: origin,
            global_direction: direction,
        }
    }

    /// [`RayCaster::new`] of a ray in the entity's frame.
    pub fn from_ray(ray: Ray3d) -> Self {
        Self::new(ray.origin, ray.direction)
    }

    /// The same, beginning there.
    #[must_use]
    pub fn with_origin(mut self, origin: Vec3) -> Self {
        self.origin = origin;
        self
    }

    /// The same, in this direction.
    #[must_use]
    pub fn with_direction(mut self, direction: Dir3) -> Self {
        self.direction = direction;
        self
    }

    /// The same, no further than this, metres.
    #[must_use]
    pub fn with_max_distance(mut self, max_distance: f32) -> Self {
        self.max_distance = max_distance;
        self
    }

    /// The same, with no more hits than this.
    #[must_use]
    pub fn with_max_hits(mut self, max_hits: u32) -> Self {
        self.max_hits = max_hits;
        self
    }

    /// The same, which passes over its own body or does not.
    #[must_use]
    pub fn with_ignore_self(mut self, ignore: bool) -> Self {
        self.ignore_self = ignore;
        self
    }

    /// The same, asking these bodies.
    #[must_use]
    pub fn with_query_filter(mut self, query_filter: SpatialQueryFilter) -> Self {
        self.query_filter = query_filter;
        self
    }

    /// Casts from the next step on.
    pub fn enable(&mut self) {
        self.enabled = true;
    }

    /// Casts no more, and has no hits from the next step on.
    pub fn disable(&mut self) {
        self.enabled = false;
    }

    /// Where the ray last began, world.
    pub fn global_origin(&self) -> Vec3 {
        self.global_origin
    }

    /// Where it last went, world.
    pub fn global_direction(&self) -> Dir3 {
        self.global_direction
    }
}

/// What a [`RayCaster`] met after the last step: each body once, the nearest first. Changed only where it is something else.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct RayHits(Vec<RayHit>);

impl<'a> IntoIterator for &'a RayHits {
    type Item = &'a RayHit;
    type IntoIter = std::slice::Iter<'a, RayHit>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Moves a shape along a line at every step, from where its entity is then; what it meets is in [`ShapeHits`].
///
/// Asks when a [`RayCaster`] does. Never misses and never reports too far, by the world's tolerance. A cast that has no answer is told as
/// a [`CcdProblem`](crate::CcdProblem), and has no hits.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn setup(mut commands: Commands) {
///     let feet = ShapeCaster::new(Collider::sphere(0.35), Vec3::ZERO, Quat::IDENTITY, Dir3::NEG_Y).with_max_distance(0.6);
///     commands.spawn((RigidBody::Dynamic, Collider::capsule(0.4, 1.0), feet));
/// }
///
/// fn stands(walkers: Query<&ShapeHits>) -> bool {
///     walkers.iter().any(|hits| hits.iter().any(|hit| hit.normal.y < -0.7))
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Debug, PartialEq)]
#[require(Transform, ShapeHits)]
pub struct ShapeCaster {
    /// Whether it casts; if not, it has no hits.
    pub enabled: bool,
    /// What is moved, as large as it was made.
    pub shape: Collider,
    /// Where the shape begins, metres: in the frame that has the entity's place and rotation and no scale.
    pub origin: Vec3,
    /// How it is turned, in the same frame.
    pub shape_rotation: Quat,
    /// Where it goes, in the same frame.
    pub direction: Dir3,
    /// How far, metres.
    pub max_distance: f32,
    /// How many bodies at most, the nearest first: one, unless set.
    pub max_hits: u32,
    /// Whether it passes over the body that its entity is or belongs to, and that body's sensors.
    pub ignore_self: bool,
    /// Which bodies it asks.
    pub query_filter: SpatialQueryFilter,
    global_origin: Vec3,
    global_shape_rotation: Quat,
    global_direction: Dir3,
    /// Why it last had no answer, as was told.
    told: Option<String>,
}

impl ShapeCaster {
    /// Without end, to the first body that is not its entity's own.
    pub fn new(shape: impl Into<Collider>, origin: Vec3, shape_rotation: Quat, direction: Dir3) -> Self {
        Self {
            enabled: true,
            shape: shape.into(),
            origin,
            shape_rotation,
            direction,
            max_distance: f32::MAX,
            max_hits: 1,
            ignore_self: true,
            query_filter: SpatialQueryFilter::default(),
            global_origin: origin,
            global_shape_rotation: shape_rotation,
            global_direction: direction,
            told: None,
        }
    }

    /// The same, beginning there.
    #[must_use]
    pub fn with_origin(mut self, origin: Vec3) -> Self {
        self.origin = origin;
        self
    }

    /// The same, in this direction.
    #[must_use]
    pub fn with_direction(mut self, direction: Dir3) -> Self {
        self.direction = direction;
        self
    }

    /// The same, no further than this, metres.
    #[must_use]
    pub fn with_max_distance(mut self, max_distance: f32) -> Self {
        self.max_distance = max_distance;
        self
    }

    /// The same, with no more hits than this.
    #[must_use]
    pub fn with_max_hits(mut self, max_hits: u32) -> Self {
        self.max_hits = max_hits;
        self
    }

    /// The same, which passes over its own body or does not.
    #[must_use]
    pub fn with_ignore_self(mut self, ignore: bool) -> Self {
        self.ignore_self = ignore;
        self
    }

    /// The same, asking these bodies.
    #[must_use]
    pub fn with_query_filter(mut self, query_filter: SpatialQueryFilter) -> Self {
        self.query_filter = query_filter;
        self
    }

    /// Casts from the next step on.
    pub fn enable(&mut self) {
        self.enabled = true;
    }

    /// Casts no more, and has no hits from the next step on.
    pub fn disable(&mut self) {
        self.enabled = false;
    }

    /// Where the shape last began, world.
    pub fn global_origin(&self) -> Vec3 {
        self.global_origin
    }

    /// How it was last turned, world.
    pub fn global_shape_rotation(&self) -> Quat {
        self.global_shape_rotation
    }

    /// Where it last went, world.
    pub fn global_direction(&self) -> Dir3 {
        self.global_direction
    }
}

/// What a [`ShapeCaster`] met after the last step: each body once, the nearest first. Changed only where it is something else.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct ShapeHits(Vec<ShapeHit>);

impl<'a> IntoIterator for &'a ShapeHits {
    type Item = &'a ShapeHit;
    type IntoIter = std::slice::Iter<'a, ShapeHit>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

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
) {
    for (entity, mut caster, mut hits) in &mut casters {
        let mut found = Vec::new();
        if caster.enabled
            && let Some((rotation, translation)) = places.of(entity)
        {
            // Where it is is nobody's change.
            let caster = caster.bypass_change_detection();
            caster.global_origin = translation + rotation * caster.origin;
            caster.global_direction = rotation * caster.direction;
            let own = caster.ignore_self.then(|| places.whole(entity));
            let takes = |entity: Entity| own != Some(places.whole(entity));
            let (from, to) = (caster.global_origin, caster.global_direction);
            let (reach, filter) = (caster.max_distance, &caster.query_filter);
            found = match caster.max_hits {
                0 => Vec::new(),
                1 => query.cast_ray_predicate(from, to, reach, filter, &takes).into_iter().collect(),
                most => {
                    let mut all = query.ray_hits_predicate(from, to, reach, filter, &takes);
                    all.truncate(most as usize);
                    all
                }
            };
        }
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
            let (shape, start) = (&caster.shape, (caster.global_origin, caster.global_shape_rotation));
            let (to, reach, filter) = (caster.global_direction, caster.max_distance, &caster.query_filter);
            found = match caster.max_hits {
                0 => Ok(Vec::new()),
                1 => query
                    .cast_shape_predicate(shape, start, to, reach, filter, &takes)
                    .map(|hit| hit.into_iter().collect()),
                most => query.shape_hits_predicate(shape, start, to, reach, filter, &takes).map(|mut all| {
                    all.truncate(most as usize);
                    all
                }),
            };
        }
        let found = found.unwrap_or_else(|error| {
            let why = error.to_string();
            if caster.told.as_ref() != Some(&why) {
                problems.tell(entity, CcdProblemCause::ShapeCaster(error));
                caster.told = Some(why);
            }
            Vec::new()
        });
        hits.set_if_neq(ShapeHits(found));
    }
}
