//! With what force bodies ran into each other, and where.

use bevy::prelude::*;
use ccd_core::world;

use crate::convert::{from_point, from_vector};
use crate::world::CcdWorld;

/// Two bodies ran into each other in the last step, at one place: where and how hard. For damage, sounds, and sparks.
///
/// As a [`Message`] it is written once for each impact of bodies of which at least one has
/// [`CollisionEventsEnabled`](crate::CollisionEventsEnabled). As an [`EntityEvent`] it is triggered on each body that has the component,
/// with that body as `body1`. Of all bodies [`Collisions::impacts`](crate::Collisions::impacts) tells them.
///
/// What bounces off has parted again when the step ends, and is not among the pairs that touch then; its impact is told all the same. Who
/// meets at several places at once, as a box that falls flat on a floor, has an impact at each, and who bounces several times in a step one
/// each time. What lies, slides, or is set down more slowly than an impact has none: its pushes are in its
/// [contacts](crate::Collisions). What is noticed by a sensor has none.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # #[derive(Component)] struct Health(f32);
/// fn hurt(mut impacts: MessageReader<CollisionImpact>, mut health: Query<&mut Health>) {
///     for impact in impacts.read() {
///         for body in [impact.body1, impact.body2] {
///             if let Ok(mut health) = health.get_mut(body) {
///                 health.0 -= impact.impulse.length();
///             }
///         }
///     }
/// }
///
/// // A bumper, which kicks what hits it.
/// fn bumper(mut commands: Commands) {
///     let bumper = (RigidBody::Static, Collider::cylinder(0.5, 1.0), CollisionEventsEnabled);
///     commands.spawn(bumper).observe(|hit: On<CollisionImpact>, mut impulses: Impulses| {
///         // What another observer has made no body of meanwhile needs no kick.
///         _ = impulses.push(hit.body2, hit.normal * 2.0);
///     });
/// }
/// ```
#[doc(alias = "ContactForceEvent")]
#[derive(EntityEvent, Message, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Debug, PartialEq)]
pub struct CollisionImpact {
    /// Whose collider was met: `body1` or a child.
    pub collider1: Entity,
    /// Whose collider it met: `body2` or a child.
    pub collider2: Entity,
    /// One body; of an event, the body it is triggered on.
    #[event_target]
    pub body1: Entity,
    /// The other body.
    pub body2: Entity,
    /// Since the start of the step, seconds.
    pub time: f32,
    /// Halfway between the two surfaces, metres, world.
    pub point: Vec3,
    /// Unit, from `body1` to `body2`, world.
    pub normal: Vec3,
    /// The impulse on `body2`, N·s, world.
    pub impulse: Vec3,
}

impl CollisionImpact {
    /// `None` where one of the two is no body any more.
    pub(crate) fn of(world: &CcdWorld, impact: &world::Impact) -> Option<Self> {
        let (a, b) = (world.colliders(impact.pair.a)?, world.colliders(impact.pair.b)?);
        Some(Self {
            collider1: a.of(impact.features.a),
            collider2: b.of(impact.features.b),
            body1: a.body,
            body2: b.body,
            time: impact.time as f32,
            point: from_point(&impact.point),
            normal: from_vector(&impact.normal),
            impulse: from_vector(&impact.impulse),
        })
    }

    /// The same with this body as `body1`: the normal leads from it to the other, and the impulse is that which the other got. `None` for
    /// an entity that is neither of the two.
    pub fn seen_from(&self, body: Entity) -> Option<Self> {
        match *self {
            same if same.body1 == body => Some(same),
            other if other.body2 == body => Some(other.flipped()),
            _ => None,
        }
    }

    /// The same, seen from the other side.
    #[must_use]
    pub fn flipped(self) -> Self {
        let Self { collider1, collider2, body1, body2, time, point, normal, impulse } = self;
        Self {
            collider1: collider2,
            collider2: collider1,
            body1: body2,
            body2: body1,
            time,
            point,
            normal: -normal,
            impulse: -impulse,
        }
    }
}
