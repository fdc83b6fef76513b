//! What queries answer.

use bevy::ecs::entity::MapEntities;
use bevy::prelude::*;
use ccd_core::detection::closest::ClosestError;
use ccd_core::detection::toc::TocError;

use crate::collider::ColliderError;

/// Where a ray meets a body.
#[derive(Reflect, MapEntities, Clone, Copy, Debug, PartialEq)]
#[reflect(Debug, PartialEq)]
pub struct RayHit {
    /// Which body.
    #[entities]
    pub entity: Entity,
    /// Whose collider: the body's own, or a child's.
    #[entities]
    pub collider: Entity,
    /// Along the ray, metres; zero for a ray that starts inside.
    pub distance: f32,
    /// Where, world.
    pub point: Vec3,
    /// Of the surface, outwards, unit, world.
    pub normal: Vec3,
}

/// Where a moving shape first meets a body.
#[derive(Reflect, MapEntities, Clone, Copy, Debug, PartialEq)]
#[reflect(Debug, PartialEq)]
pub struct ShapeHit {
    /// Which body.
    #[entities]
    pub entity: Entity,
    /// Whose collider: the body's own, or a child's.
    #[entities]
    pub collider: Entity,
    /// How far the shape comes, metres: never further than it truly comes; zero where they touch at the start.
    pub distance: f32,
    /// On the moving shape's surface there, world. Further from `point2` than the world's tolerance where the search ran out of budget:
    /// it ends at what is certified free.
    pub point1: Vec3,
    /// On the body's surface, world.
    pub point2: Vec3,
    /// From the moving shape to the body, unit, world.
    pub normal: Vec3,
}

/// The place of a body's surface that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointProjection {
    /// Which body.
    pub entity: Entity,
    /// Whose collider: the body's own, or a child's.
    pub collider: Entity,
    /// On its surface, world.
    pub point: Vec3,
    /// How far away, metres; negative for a point that is inside.
    pub distance: f32,
}

impl PointProjection {
    /// Whether the point is inside the body.
    pub fn is_inside(&self) -> bool {
        self.distance < 0.0
    }
}

/// Why a query has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SpatialQueryError {
    /// There is no such body (any more), or it is not in the world yet.
    #[error("entity {entity} has no body")]
    NoBody {
        /// Which.
        entity: Entity,
    },
    /// A number that is none, or too large.
    #[error("the {what} is not finite, or too large")]
    NonFinite {
        /// Which.
        what: &'static str,
    },
    /// The skin of a moved shape is not positive.
    #[error("a skin of {skin_width} m is not positive and finite")]
    SkinWidth {
        /// As given, metres.
        skin_width: f32,
    },
    /// A walk that cannot be.
    #[error("a {what} of {value} cannot be")]
    Walk {
        /// What of it.
        what: &'static str,
        /// As given, metres or radians.
        value: f32,
    },
    /// The time to look ahead is negative or not finite.
    #[error(transparent)]
    Duration(#[from] ccd_core::motion::IntervalError),
    /// The shape cannot be built.
    #[error(transparent)]
    Collider(#[from] ColliderError),
    /// The shape and a body cannot be asked when they meet.
    #[error("entity {entity}: {error}")]
    TimeOfContact {
        /// The body.
        entity: Entity,
        /// Why.
        error: TocError,
    },
    /// The shape and a body cannot be asked how far they are apart.
    #[error("entity {entity}: {error}")]
    Closest {
        /// The body.
        entity: Entity,
        /// Why.
        error: ClosestError,
    },
}
