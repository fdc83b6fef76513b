//! Rays, and where they meet a body.

use super::flight::{FlyingBox, with_room};
use crate::dynamics::Body;
use crate::geometry::feature::Feature;
use crate::geometry::solid::{Segment, Solid};
use crate::id::BodyId;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;
use crate::volume::Aabb;

/// The farthest that a query looks, metres, and the longest, seconds: beyond it coordinates resolve less than a millimetre.
pub(super) const FARTHEST: Real = 1e12;

/// A half-line in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: Point,
    direction: Vector,
}

impl Ray {
    /// From a place along a direction of any length; `None` for numbers that are not finite, and a direction of no length.
    pub fn new(origin: Point, direction: Vector) -> Option<Self> {
        let longest = direction.amax();
        let is_sound = origin.coords.iter().all(|c| c.is_finite()) && longest.is_finite() && longest > 0.0;
        // By its longest component first, so that no square of it overflows or vanishes.
        is_sound.then(|| Self { origin, direction: (direction / longest).normalize() })
    }

    /// The place `distance` metres along the ray.
    pub fn at(&self, distance: Real) -> Point {
        self.origin + self.direction * distance
    }

    pub(super) fn flight(&self) -> FlyingBox {
        FlyingBox { from: Aabb { min: self.origin, max: self.origin }, way: self.direction }
    }

    /// Where it meets a body within `reach` metres.
    pub(super) fn cast(&self, id: BodyId, body: &Body, reach: Real) -> Option<RayHit> {
        self.cast_solid(id, body.shape().as_solid(), body.pose(), reach)
    }

    /// Where it meets each part of a body within `reach` metres, whatever other parts are in front of it.
    pub(super) fn cast_parts(&self, id: BodyId, body: &Body, reach: Real) -> Vec<RayHit> {
        let Shape::Compound(compound) = body.shape() else { return Vec::from_iter(self.cast(id, body, reach)) };
        let parts = (0..).zip(compound.parts());
        let hits = parts.filter_map(|(number, part)| {
            let hit = self.cast_solid(id, part.shape.as_solid(), &(body.pose() * part.pose), reach)?;
            Some(RayHit { feature: compound.feature_of_part(number, hit.feature), ..hit })
        });
        hits.collect()
    }

    fn cast_solid(&self, id: BodyId, solid: &dyn Solid, pose: &Pose, reach: Real) -> Option<RayHit> {
        let local = FlyingBox {
            from: Aabb::from_points(&[pose.inverse_transform_point(&self.origin)]),
            way: pose.inverse_transform_vector(&self.direction),
        };
        // Only the part in the solid's box is asked, so that its fractions have all digits however far the ray reaches.
        let (from, to) = local.stay(&with_room(&solid.local_aabb()), reach)?;
        let at = |t: Real| pose.inverse_transform_point(&self.at(t));
        let hit = solid.cast_segment(&Segment { start: at(from), end: at(to) })?;
        let distance = from + hit.fraction * (to - from);
        let normal = pose.rotation * hit.normal;
        Some(RayHit { body: id, distance, point: self.at(distance), normal, feature: hit.feature })
    }
}

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Which body.
    pub body: BodyId,
    /// Along the ray, metres; zero for a ray that starts inside.
    pub distance: Real,
    /// Where, world.
    pub point: Point,
    /// Of the surface, outwards, unit, world.
    pub normal: Vector,
    /// The feature of the body's shape that is hit.
    pub feature: Feature,
}
