//! Rays and moving shapes through the world.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use ccd_core::detection::toc::{FirstContact, Moving, Toc, TocOptions, time_of_contact};
use ccd_core::dynamics::Body;
use ccd_core::geometry::solid::Segment;
use ccd_core::math::{Point, Pose, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::volume::Aabb;

use crate::collider::{Collider, ColliderError};
use crate::components::LayerMask;
use crate::convert::{from_point, from_vector, to_pose, to_vector};
use crate::world::CcdWorld;

/// Asks what a ray or a moving shape meets, on the poses after the last step.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn look_down(query: SpatialQuery) {
///     let filter = SpatialQueryFilter::default();
///     if let Some(hit) = query.cast_ray(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, &filter) {
///         println!("{} is {} m below", hit.entity, hit.distance);
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct SpatialQuery<'w> {
    world: Res<'w, CcdWorld>,
}

/// Which bodies a query asks.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    fn takes(&self, entity: Entity, body: &Body) -> bool {
        body.layers.memberships & self.mask.0 != 0 && !self.excluded_entities.contains(&entity)
    }
}

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Which body.
    pub entity: Entity,
    /// Along the ray, metres; zero for a ray that starts inside.
    pub distance: f32,
    /// Where, world.
    pub point: Vec3,
    /// Of the surface, outwards, unit, world.
    pub normal: Vec3,
}

/// Where a moving shape first meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// Which body.
    pub entity: Entity,
    /// How far the shape comes, metres: never further than it truly comes; zero where they touch at the start.
    pub distance: f32,
    /// On the moving shape's surface there, world.
    pub point1: Vec3,
    /// On the body's surface, world.
    pub point2: Vec3,
    /// From the moving shape to the body, unit, world.
    pub normal: Vec3,
}

/// The farthest that a query looks, metres: beyond it coordinates in `f64` resolve less than a millimetre.
const FARTHEST: f64 = 1e12;

impl SpatialQuery<'_> {
    /// The first body that a ray meets within `max_distance` metres.
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Option<RayHit> {
        let ray = Ray::new(origin, direction)?;
        let mut reach = f64::from(max_distance).min(FARTHEST);
        let mut first = None;
        for (entity, body) in self.asked(filter) {
            if let Some(hit) = ray.cast(entity, body, reach) {
                reach = f64::from(hit.distance).min(reach);
                // Ties go to the first body, so that the answer has one value.
                if first.is_none_or(|known: RayHit| hit.distance < known.distance) {
                    first = Some(hit);
                }
            }
        }
        first
    }

    /// All bodies that a ray meets within `max_distance` metres, each once, the nearest first.
    pub fn ray_hits(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Vec<RayHit> {
        let Some(ray) = Ray::new(origin, direction) else { return Vec::new() };
        let reach = f64::from(max_distance).min(FARTHEST);
        let mut hits: Vec<RayHit> =
            self.asked(filter).filter_map(|(entity, body)| ray.cast(entity, body, reach)).collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.entity.cmp(&b.entity)));
        hits
    }

    /// The first body that a shape meets when it is moved from `origin` along `direction`, without turning, by at most
    /// `max_distance` metres. Never misses and never reports too far, by the world's tolerance.
    ///
    /// # Errors
    /// [`ColliderError`] for a shape that cannot be built.
    pub fn cast_shape(
        &self,
        shape: &Collider,
        origin: Vec3,
        rotation: Quat,
        direction: Dir3,
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Result<Option<ShapeHit>, ColliderError> {
        let shape = shape.shape(Vec3::ONE)?;
        let Some(pose) = to_pose(origin, rotation) else { return Ok(None) };
        // At one metre per second, seconds are metres.
        let motion = RigidMotion { linear_velocity: to_vector(direction.as_vec3()), ..RigidMotion::at_rest(pose) };
        let mut reach = f64::from(max_distance).min(FARTHEST);
        let mut first: Option<(f64, ShapeHit)> = None;
        for (entity, body) in self.asked(filter) {
            let Some(contact) = self.meeting((&shape, &motion), body, &RigidMotion::at_rest(*body.pose()), reach)
            else {
                continue;
            };
            if first.is_none_or(|(distance, _)| contact.time < distance) {
                reach = contact.time;
                first = Some((contact.time, shape_hit(entity, &contact)));
            }
        }
        Ok(first.map(|(_, hit)| hit))
    }

    /// The bodies that touch or overlap a shape at a place.
    ///
    /// # Errors
    /// [`ColliderError`] for a shape that cannot be built.
    pub fn shape_intersections(
        &self,
        shape: &Collider,
        position: Vec3,
        rotation: Quat,
        filter: &SpatialQueryFilter,
    ) -> Result<Vec<Entity>, ColliderError> {
        let shape = shape.shape(Vec3::ONE)?;
        let Some(pose) = to_pose(position, rotation) else { return Ok(Vec::new()) };
        let motion = RigidMotion::at_rest(pose);
        let touches =
            |body: &Body| self.meeting((&shape, &motion), body, &RigidMotion::at_rest(*body.pose()), 0.0).is_some();
        Ok(self.asked(filter).filter(|(_, body)| touches(body)).map(|(entity, _)| entity).collect())
    }

    /// When and where two bodies first touch within `seconds` if they go on as they move now, whatever else is in their way.
    ///
    /// The time is never later than their true first contact; `None` certifies that they stay apart.
    #[doc(alias = "time_of_impact")]
    #[doc(alias = "toi")]
    pub fn time_of_contact(&self, one: Entity, other: Entity, seconds: f64) -> Option<FirstContact> {
        let find = |entity| self.world.bodies().find(|(known, ..)| *known == entity).map(|(.., body)| body);
        let (a, b) = (find(one)?, find(other)?);
        self.meeting((a.shape(), &a.motion()), b, &b.motion(), seconds)
    }

    fn asked<'a>(&'a self, filter: &'a SpatialQueryFilter) -> impl Iterator<Item = (Entity, &'a Body)> {
        self.world.bodies().map(|(entity, _, body)| (entity, body)).filter(|(entity, body)| filter.takes(*entity, body))
    }

    fn meeting(
        &self,
        moving: (&Shape, &RigidMotion),
        body: &Body,
        motion: &RigidMotion,
        duration: f64,
    ) -> Option<FirstContact> {
        let interval = TimeInterval::new(0.0, duration).ok()?;
        let options = TocOptions { tolerance: self.world.core().settings().tolerance, ..TocOptions::default() };
        let (a, b) = (Moving::new(moving.0, moving.1), Moving::new(body.shape(), motion));
        match time_of_contact(a, b, interval, &options) {
            Ok(answered) => match answered.answer {
                Toc::Contact(contact) | Toc::Overlapping(contact) => Some(contact),
                Toc::Separated => None,
                // What is not certified apart counts as a hit at the end of what is.
                Toc::Undecided { safe_until } => Some(undecided(moving.1, body, safe_until)),
            },
            Err(_) => None,
        }
    }
}

/// The contact that stands for a search that ran out of budget.
fn undecided(motion: &RigidMotion, body: &Body, time: f64) -> FirstContact {
    let (from, to) = (motion.pose_at(time).translation.vector, body.pose().translation.vector);
    let feature = ccd_core::geometry::feature::Feature::Face(0);
    FirstContact {
        time,
        point_a: Point::from(from),
        point_b: Point::from(to),
        normal: (to - from).try_normalize(0.0).unwrap_or_else(Vector::y),
        separation: 0.0,
        features: ccd_core::geometry::feature::FeaturePair { a: feature, b: feature },
    }
}

fn shape_hit(entity: Entity, contact: &FirstContact) -> ShapeHit {
    ShapeHit {
        entity,
        distance: contact.time as f32,
        point1: from_point(&contact.point_a),
        point2: from_point(&contact.point_b),
        normal: from_vector(&contact.normal),
    }
}

/// A ray in `f64`.
struct Ray {
    origin: Point,
    direction: Vector,
}

impl Ray {
    fn new(origin: Vec3, direction: Dir3) -> Option<Self> {
        let direction = to_vector(direction.as_vec3()).try_normalize(0.0)?;
        origin.is_finite().then_some(Self { origin: Point::from(to_vector(origin)), direction })
    }

    fn cast(&self, entity: Entity, body: &Body, reach: f64) -> Option<RayHit> {
        let solid = body.shape().as_solid();
        let (from, to) = self.within(&padded(&solid.local_aabb()), body.pose(), reach)?;
        // Only the part in the body's box is asked, so that its fractions have all digits however far the ray reaches.
        let at = |t: f64| body.pose().inverse_transform_point(&(self.origin + self.direction * t));
        let segment = Segment { start: at(from), end: at(to) };
        let hit = solid.cast_segment(&segment)?;
        let distance = from + hit.fraction * (to - from);
        Some(RayHit {
            entity,
            distance: distance as f32,
            point: from_point(&(self.origin + self.direction * distance)),
            normal: from_vector(&(body.pose().rotation * hit.normal)),
        })
    }

    /// The part of the ray, up to `reach`, in a box that `pose` places.
    fn within(&self, aabb: &Aabb, pose: &Pose, reach: f64) -> Option<(f64, f64)> {
        let origin = pose.inverse_transform_point(&self.origin);
        let direction = pose.inverse_transform_vector(&self.direction);
        let (mut from, mut to) = (0.0_f64, reach);
        for i in 0..3 {
            if direction[i] == 0.0 {
                if origin[i] < aabb.min[i] || origin[i] > aabb.max[i] {
                    return None;
                }
                continue;
            }
            let (near, far) = ((aabb.min[i] - origin[i]) / direction[i], (aabb.max[i] - origin[i]) / direction[i]);
            from = from.max(near.min(far));
            to = to.min(near.max(far));
        }
        (from <= to).then_some((from, to))
    }
}

/// The box with room for the rounding of a long way to it.
fn padded(aabb: &Aabb) -> Aabb {
    let size = aabb.half_extents().amax();
    aabb.inflated(if size.is_finite() { 1e-6 + 1e-6 * size } else { 1e-6 })
}
