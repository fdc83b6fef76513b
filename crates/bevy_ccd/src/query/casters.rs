//! Rays and shapes that are cast at every step from where an entity is.

use bevy::prelude::*;

use super::filter::SpatialQueryFilter;
use super::hits::{RayHit, ShapeHit};
use crate::collider::Collider;
use crate::problem::Reason;

/// What both casters are set and asked by.
macro_rules! caster_settings {
    ($caster:ty) => {
        impl $caster {
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

            /// Where it last began, world.
            pub fn global_origin(&self) -> Vec3 {
                self.global_origin
            }

            /// Where it last went, world.
            pub fn global_direction(&self) -> Dir3 {
                self.global_direction
            }
        }
    };
}

/// Casts a ray at every step, from where its entity is then; what it meets is in [`RayHits`].
///
/// Asks the poses after the step, like a [`SpatialQuery`](crate::SpatialQuery) in a system after
/// [`CcdSystems::Writeback`](crate::CcdSystems::Writeback). While the world is paused it goes on asking. A cast that has no answer, as with a NaN,
/// is told as a [`CcdProblem`](crate::CcdProblem), and has no hits.
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
    /// Where the ray begins, metres: in the frame that has the entity's place and rotation and no scale, mirrored where what is above the
    /// entity is.
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
    #[entities]
    pub query_filter: SpatialQueryFilter,
    pub(super) global_origin: Vec3,
    pub(super) global_direction: Dir3,
    /// Why it last had no answer, as was told.
    #[reflect(ignore)]
    pub(super) told: Option<Reason>,
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
            told: None,
        }
    }

    /// [`RayCaster::new`] of a ray in the entity's frame.
    pub fn from_ray(ray: Ray3d) -> Self {
        Self::new(ray.origin, ray.direction)
    }
}

caster_settings!(RayCaster);

/// What a [`RayCaster`] met after the last step: each body once, the nearest first. Changed only where it is something else.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct RayHits(#[entities] pub(super) Vec<RayHit>);

impl<'a> IntoIterator for &'a RayHits {
    type Item = &'a RayHit;
    type IntoIter = std::slice::Iter<'a, RayHit>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Moves a shape along a line at every step, from where its entity is then; what it meets is in [`ShapeHits`].
///
/// Asks when a [`RayCaster`] does, and finds what [`SpatialQuery::cast_shape`](crate::SpatialQuery::cast_shape) does. A cast that has no answer
/// is told as a [`CcdProblem`](crate::CcdProblem), and has no hits.
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
    /// Where the shape begins, metres: in the frame that has the entity's place and rotation and no scale, mirrored where what is above the
    /// entity is.
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
    #[entities]
    pub query_filter: SpatialQueryFilter,
    pub(super) global_origin: Vec3,
    pub(super) global_shape_rotation: Quat,
    pub(super) global_direction: Dir3,
    /// Why it last had no answer, as was told.
    #[reflect(ignore)]
    pub(super) told: Option<Reason>,
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

    /// How it was last turned, world.
    pub fn global_shape_rotation(&self) -> Quat {
        self.global_shape_rotation
    }
}

caster_settings!(ShapeCaster);

/// What a [`ShapeCaster`] met after the last step: each body once, the nearest first. Changed only where it is something else.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct ShapeHits(#[entities] pub(super) Vec<ShapeHit>);

impl<'a> IntoIterator for &'a ShapeHits {
    type Item = &'a ShapeHit;
    type IntoIter = std::slice::Iter<'a, ShapeHit>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
