//! Moving shapes and places among the bodies of the world; rays are in `rays.rs`.

use std::cell::RefCell;
use std::collections::BTreeSet;

use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use ccd_core::detection::closest::overlap;
use ccd_core::detection::toc::{FirstContact, Moving};
use ccd_core::dynamics::Body;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose};
use ccd_core::motion::RigidMotion;
use ccd_core::shape::Shape;
use ccd_core::volume::Aabb;
use ccd_core::world::QueryError;

use super::filter::SpatialQueryFilter;
use super::hits::{PointProjection, ShapeHit, SpatialQueryError};
use crate::collider::{Collider, ColliderError};
use crate::convert::{from_length, from_point, from_vector, to_pose, to_vector};
use crate::world::CcdWorld;

/// Asks what a ray, a moving shape or a place meets, on the poses after the last step.
///
/// Bodies are found by a tree: a query among thousands costs little more than one among ten. The first one after a step fits the
/// tree to where the bodies are.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn look_down(query: SpatialQuery) -> Result {
///     let filter = SpatialQueryFilter::default();
///     if let Some(hit) = query.cast_ray(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, &filter)? {
///         println!("{} is {} m below", hit.entity, hit.distance);
///     }
///     Ok(())
/// }
/// ```
///
/// A question that is none, as with a NaN, has no answer but an error: that nothing is in the way is said only where nothing is.
#[derive(SystemParam)]
pub struct SpatialQuery<'w> {
    pub(super) world: Res<'w, CcdWorld>,
}

/// The radius of the ball that stands for a point, metres.
const POINT: f64 = 1e-9;

impl SpatialQuery<'_> {
    /// The first body that a shape, as large as it was made ([`Collider::scaled`]), meets when it is moved from `origin` along `direction`, without
    /// turning, by at most `max_distance` metres, which may be infinite. Misses nothing: the distance is never beyond the first contact, and
    /// a shape that has gone so far is within the world's tolerance of what it meets.
    ///
    /// # Errors
    /// [`SpatialQueryError`] for numbers that are not finite, a shape that cannot be built, and one that a body in its way cannot be asked against.
    pub fn cast_shape(
        &self,
        shape: &Collider,
        origin: Vec3,
        rotation: Quat,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Option<ShapeHit>, SpatialQueryError> {
        self.cast_shape_predicate(shape, origin, rotation, direction, max_distance, filter, &|_| true)
    }

    /// [`SpatialQuery::cast_shape`] of those bodies alone that the predicate takes.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_shape`].
    pub fn cast_shape_predicate(
        &self,
        shape: &Collider,
        origin: Vec3,
        rotation: Quat,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Result<Option<ShapeHit>, SpatialQueryError> {
        let shape = shape.shape(Vec3::ONE)?;
        let (motion, reach) = (motion(origin, rotation, direction)?, reach(max_distance)?);
        let takes = self.shape_takes((&shape, &motion.start), filter, predicate);
        let hit = self.world.core().cast_shape(Moving::new(&shape, &motion), reach, takes);
        Ok(hit.map_err(|error| self.error(error))?.and_then(|hit| self.shape_hit(&hit)))
    }

    /// All bodies that a shape, as large as it was made, meets when it is moved through them, each once, the nearest first.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_shape`].
    pub fn shape_hits(
        &self,
        shape: &Collider,
        origin: Vec3,
        rotation: Quat,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Vec<ShapeHit>, SpatialQueryError> {
        self.shape_hits_predicate(shape, origin, rotation, direction, max_distance, filter, &|_| true)
    }

    /// [`SpatialQuery::shape_hits`] of those bodies alone that the predicate takes.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_shape`].
    pub fn shape_hits_predicate(
        &self,
        shape: &Collider,
        origin: Vec3,
        rotation: Quat,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Result<Vec<ShapeHit>, SpatialQueryError> {
        let shape = shape.shape(Vec3::ONE)?;
        let (motion, reach) = (motion(origin, rotation, direction)?, reach(max_distance)?);
        let takes = self.shape_takes((&shape, &motion.start), filter, predicate);
        let hits = self.world.core().shape_hits(Moving::new(&shape, &motion), reach, takes);
        Ok(hits.map_err(|error| self.error(error))?.iter().filter_map(|hit| self.shape_hit(hit)).collect())
    }

    /// The bodies that touch or overlap a shape, as large as it was made, at a place.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_shape`].
    pub fn shape_intersections(
        &self,
        shape: &Collider,
        position: Vec3,
        rotation: Quat,
        filter: &SpatialQueryFilter,
    ) -> Result<Vec<Entity>, SpatialQueryError> {
        let shape = shape.shape(Vec3::ONE)?;
        let pose = finite_pose(position, rotation)?;
        self.touching(&shape, pose, filter)
    }

    /// The bodies that a point is in, or on to within the world's tolerance.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_shape`].
    pub fn point_intersections(
        &self,
        point: Vec3,
        filter: &SpatialQueryFilter,
    ) -> Result<Vec<Entity>, SpatialQueryError> {
        let (ball, pose) = ball_at(point)?;
        self.touching(&ball, pose, filter)
    }

    /// The bodies whose boxes share a point with this one: few that do not meet it, but some. Far cheaper than to ask the shapes.
    ///
    /// # Errors
    /// [`SpatialQueryError::NonFinite`] for a box with corners that are no numbers; it may be infinite.
    pub fn aabb_intersections(
        &self,
        aabb: Aabb3d,
        filter: &SpatialQueryFilter,
    ) -> Result<Vec<Entity>, SpatialQueryError> {
        if aabb.min.is_nan() || aabb.max.is_nan() {
            return Err(SpatialQueryError::NonFinite { what: "box" });
        }
        let [min, max] = [aabb.min, aabb.max].map(|corner| Point::from(to_vector(corner.into())));
        let takes = self.takes(filter, &|_| true);
        let near = self.world.core().bodies_near(&Aabb { min, max }).into_iter();
        let taken = near.filter(|id| self.world.core().body(*id).is_some_and(|body| takes(*id, body)));
        Ok(taken.filter_map(|id| self.world.entity(id)).collect())
    }

    /// The nearest place to a point, of all bodies' surfaces within `max_distance` metres; of bodies that the point is in, that of the one
    /// that it is deepest in.
    ///
    /// # Errors
    /// As [`SpatialQuery::cast_shape`].
    pub fn project_point(
        &self,
        point: Vec3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Option<PointProjection>, SpatialQueryError> {
        let (ball, pose) = ball_at(point)?;
        let (takes, reach) = (self.takes(filter, &|_| true), reach(max_distance)?);
        let nearest = self.world.core().nearest_body(&ball, &pose, reach, takes);
        Ok(nearest.map_err(|error| self.error(error))?.and_then(|nearest| {
            Some(PointProjection {
                entity: self.world.entity(nearest.body)?,
                collider: self.world.collider(nearest.body, nearest.closest.features.b)?,
                point: from_point(&nearest.closest.point_b),
                distance: (nearest.closest.distance + POINT) as f32,
            })
        }))
    }

    /// When and where two bodies first touch within `seconds` if they go on as they move now, with what carries them, whatever else is
    /// in their way.
    ///
    /// The time is never later than their true first contact; `None` certifies that they stay apart. Where the search ran out of budget
    /// before a proof, it is the last instant that is certified, with what is nearest then.
    ///
    /// # Errors
    /// [`SpatialQueryError`] for entities without a body, bodies that cannot be asked against each other, and seconds that are negative or
    /// not finite.
    #[doc(alias = "time_of_impact")]
    #[doc(alias = "toi")]
    pub fn time_of_contact(
        &self,
        one: Entity,
        other: Entity,
        seconds: f64,
    ) -> Result<Option<FirstContact>, SpatialQueryError> {
        let body = |entity| self.world.body_id(entity).ok_or(SpatialQueryError::NoBody { entity });
        self.world.core().time_of_contact(body(one)?, body(other)?, seconds).map_err(|error| self.error(error))
    }

    fn touching(
        &self,
        shape: &Shape,
        pose: Pose,
        filter: &SpatialQueryFilter,
    ) -> Result<Vec<Entity>, SpatialQueryError> {
        let motion = RigidMotion::at_rest(pose);
        let takes = self.takes(filter, &|_| true);
        // What overlaps is not asked how deep.
        let overlapping = RefCell::default();
        let takes = |id: BodyId, body: &Body| {
            let taken = takes(id, body);
            if taken && overlap(shape, &pose, body.shape(), body.pose()) {
                BTreeSet::insert(&mut overlapping.borrow_mut(), id);
                return false;
            }
            taken
        };
        let hits = self.world.core().shape_hits(Moving::new(shape, &motion), 0.0, takes);
        let mut bodies = overlapping.take();
        bodies.extend(hits.map_err(|error| self.error(error))?.iter().map(|hit| hit.body));
        Ok(bodies.into_iter().filter_map(|id| self.world.entity(id)).collect())
    }

    /// What a shape that is moved from a place asks. What it cannot be asked against is an error of the query, not of this.
    fn shape_takes<'a>(
        &'a self,
        (shape, start): (&'a Shape, &'a Pose),
        filter: &'a SpatialQueryFilter,
        predicate: &'a dyn Fn(Entity) -> bool,
    ) -> impl Fn(BodyId, &Body) -> bool + 'a {
        let begins_in = |body: &Body| overlap(shape, start, body.shape(), body.pose());
        let takes = self.takes(filter, predicate);
        move |id, body| takes(id, body) && !(filter.ignore_origin_penetration && begins_in(body))
    }

    pub(super) fn takes<'a>(
        &'a self,
        filter: &'a SpatialQueryFilter,
        predicate: &'a dyn Fn(Entity) -> bool,
    ) -> impl Fn(BodyId, &Body) -> bool + 'a {
        move |id, body| self.world.entity(id).is_some_and(|entity| filter.takes(entity, body) && predicate(entity))
    }

    pub(super) fn shape_hit(&self, hit: &ccd_core::world::ShapeHit) -> Option<ShapeHit> {
        Some(ShapeHit {
            entity: self.world.entity(hit.body)?,
            collider: self.world.collider(hit.body, hit.contact.features.b)?,
            // At one metre per second, seconds are metres.
            distance: from_length(hit.contact.time),
            point1: from_point(&hit.contact.point_a),
            point2: from_point(&hit.contact.point_b),
            normal: from_vector(&hit.contact.normal),
        })
    }

    pub(super) fn error(&self, error: QueryError) -> SpatialQueryError {
        let entity = |id| self.world.entity(id).unwrap_or(Entity::PLACEHOLDER);
        match error {
            QueryError::NoBody { body } => SpatialQueryError::NoBody { entity: entity(body) },
            QueryError::BadPlace { what } => SpatialQueryError::NonFinite { what },
            QueryError::Duration(error) => error.into(),
            QueryError::TimeOfContact { body, error } => {
                SpatialQueryError::TimeOfContact { entity: entity(body), error }
            }
            QueryError::Closest { body, error } => SpatialQueryError::Closest { entity: entity(body), error },
        }
    }
}

/// How far is asked, metres.
pub(super) fn reach(max_distance: f32) -> Result<f64, SpatialQueryError> {
    if max_distance.is_nan() {
        return Err(SpatialQueryError::NonFinite { what: "distance" });
    }
    Ok(max_distance.into())
}

/// One metre per second along `direction`.
fn motion(origin: Vec3, rotation: Quat, direction: Dir3) -> Result<RigidMotion, SpatialQueryError> {
    let pose = finite_pose(origin, rotation)?;
    // In `f32` its length is one but for rounding, and for what turning it again and again has left.
    let unit =
        to_vector(direction.as_vec3()).try_normalize(0.0).filter(|unit| unit.iter().all(|part| part.is_finite()));
    let linear_velocity = unit.ok_or(SpatialQueryError::NonFinite { what: "direction" })?;
    Ok(RigidMotion { linear_velocity, ..RigidMotion::at_rest(pose) })
}

/// The ball that stands for a point.
fn ball_at(point: Vec3) -> Result<(Shape, Pose), SpatialQueryError> {
    let ball = Shape::ball(POINT).map_err(ColliderError::from)?;
    Ok((ball, finite_pose(point, Quat::IDENTITY)?))
}

pub(super) fn finite_pose(position: Vec3, rotation: Quat) -> Result<Pose, SpatialQueryError> {
    to_pose(position, rotation).ok_or(SpatialQueryError::NonFinite { what: "position or rotation" })
}
