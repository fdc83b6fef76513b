//! What began and ceased to touch, as messages and as events on entities.

use bevy::prelude::*;

use crate::impacts::CollisionImpact;
use crate::touching::Meeting;
use crate::world::CcdWorld;

/// Two bodies began to touch in the last step.
///
/// As a [`Message`] it is written once for each pair of bodies of which at least one has [`CollisionEventsEnabled`]. As an
/// [`EntityEvent`] it is triggered on each body that has the component, with that body as `body1`.
///
/// Of bodies that are made of the colliders of several entities it names those that met first; which others touch meanwhile is told by
/// [`Collisions`](crate::Collisions).
///
/// It is told after the step and before transforms are propagated: an observer finds each [`GlobalTransform`] as it was a frame ago, which
/// `set_parent_in_place` goes by as well. Where bodies are now, their [`Transform`]s say.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn count(mut started: MessageReader<CollisionStart>) {
///     for collision in started.read() {
///         println!("{} met {}", collision.body1, collision.body2);
///     }
/// }
///
/// fn mine(mut commands: Commands) {
///     commands
///         .spawn((RigidBody::Static, Collider::sphere(0.1), CollisionEventsEnabled))
///         .observe(|hit: On<CollisionStart>, mut commands: Commands| commands.entity(hit.body1).despawn());
/// }
/// ```
#[derive(EntityEvent, Message, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct CollisionStart {
    /// Whose collider met the other: `body1` or a child.
    pub collider1: Entity,
    /// Whose collider it met: `body2` or a child.
    pub collider2: Entity,
    /// One body; of an event, the body it is triggered on. A [`Sensor`](crate::Sensor) without [`RigidBody`](crate::RigidBody) counts as one.
    #[event_target]
    pub body1: Entity,
    /// The other body.
    pub body2: Entity,
}

/// Two bodies ceased to touch in the last step, or one of them was removed while they touched.
///
/// As a [`Message`] it is written once for each pair of bodies of which at least one has [`CollisionEventsEnabled`]. As an
/// [`EntityEvent`] it is triggered on each body that has the component and still exists, with that body as `body1`. The colliders
/// are those that [`CollisionStart`] named.
#[derive(EntityEvent, Message, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct CollisionEnd {
    /// Whose collider had met the other: `body1` or a child, which may have been despawned.
    pub collider1: Entity,
    /// Whose collider it had met: `body2` or a child, which may have been despawned.
    pub collider2: Entity,
    /// One body; of an event, the body it is triggered on.
    #[event_target]
    pub body1: Entity,
    /// The other body; it may have been despawned.
    pub body2: Entity,
}

/// Both from a meeting, seen from the one side or the other.
macro_rules! of_meeting {
    ($event:ident) => {
        impl $event {
            fn of(meeting: &Meeting) -> Self {
                let Meeting { bodies: (body1, body2), colliders: (collider1, collider2) } = *meeting;
                Self { collider1, collider2, body1, body2 }
            }

            fn swapped(self) -> Self {
                let Self { collider1, collider2, body1, body2 } = self;
                Self { collider1: collider2, collider2: collider1, body1: body2, body2: body1 }
            }
        }
    };
}

of_meeting!(CollisionStart);
of_meeting!(CollisionEnd);

/// Makes a body's collisions known as [`CollisionStart`], [`CollisionImpact`] and [`CollisionEnd`]. Bodies without it cost nothing there.
///
/// From when it is inserted on: of what touches already the end is told and no start. [`Collisions`](crate::Collisions) tells who that is.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct CollisionEventsEnabled;

/// The bodies that a body touches, kept up to date after each step, in ascending order.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct CollidingEntities(#[entities] pub(crate) Vec<Entity>);

impl CollidingEntities {
    /// Whether the body touches `entity`.
    pub fn contains(&self, entity: &Entity) -> bool {
        self.0.binary_search(entity).is_ok()
    }
}

/// Tells what began and ceased to touch, in the order of the pairs, and between these the impacts, in the order of time.
pub(crate) fn tell_collisions(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    enabled: Query<(), With<CollisionEventsEnabled>>,
    mut started: MessageWriter<CollisionStart>,
    mut impacts: MessageWriter<CollisionImpact>,
    mut ended: MessageWriter<CollisionEnd>,
) {
    let news = std::mem::take(&mut world.news);
    for meeting in news.started {
        let [is_wanted_by_1, is_wanted_by_2] = <[Entity; 2]>::from(meeting.bodies).map(|body| enabled.contains(body));
        let collision = CollisionStart::of(&meeting);
        if is_wanted_by_1 || is_wanted_by_2 {
            started.write(collision);
        }
        if is_wanted_by_1 {
            commands.trigger(collision);
        }
        if is_wanted_by_2 {
            commands.trigger(collision.swapped());
        }
    }
    // The report of a step is told once.
    for impact in world.report().impacts.iter().filter(|_| news.is_of_a_step) {
        let Some((one, other)) = world.entities(impact.pair) else { continue };
        let [is_wanted_by_1, is_wanted_by_2] = [one, other].map(|body| enabled.contains(body));
        if !is_wanted_by_1 && !is_wanted_by_2 {
            continue;
        }
        let Some(impact) = CollisionImpact::of(&world, impact) else { continue };
        impacts.write(impact);
        if is_wanted_by_1 {
            commands.trigger(impact);
        }
        if is_wanted_by_2 {
            commands.trigger(impact.flipped());
        }
    }
    for meeting in news.ended {
        let bodies = <[Entity; 2]>::from(meeting.bodies);
        let [is_wanted_by_1, is_wanted_by_2] = bodies.map(|body| enabled.contains(body));
        let collision = CollisionEnd::of(&meeting);
        if is_wanted_by_1 || is_wanted_by_2 || bodies.iter().any(|body| news.gone.contains(body)) {
            ended.write(collision);
        }
        if is_wanted_by_1 {
            commands.trigger(collision);
        }
        if is_wanted_by_2 {
            commands.trigger(collision.swapped());
        }
    }
}

/// Brings the lists of touching entities up to date; a list is touched only where it is another.
pub(crate) fn update_colliding_entities(world: Res<CcdWorld>, mut lists: Query<(Entity, &mut CollidingEntities)>) {
    if lists.is_empty() || !world.is_changed() {
        return;
    }
    for (entity, mut list) in &mut lists {
        list.set_if_neq(CollidingEntities(world.partners(entity).collect()));
    }
}
