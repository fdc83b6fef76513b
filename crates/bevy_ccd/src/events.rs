//! What began and ceased to touch, as messages and as events on entities.

use bevy::prelude::*;

use crate::world::CcdWorld;

/// Two bodies began to touch in the last step.
///
/// As a [`Message`] it is written once for each pair of which at least one body has [`CollisionEventsEnabled`]. As an
/// [`EntityEvent`] it is triggered on each body that has the component, with that body as `collider1`.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn count(mut started: MessageReader<CollisionStart>) {
///     for collision in started.read() {
///         println!("{} met {}", collision.collider1, collision.collider2);
///     }
/// }
///
/// fn mine(mut commands: Commands) {
///     commands
///         .spawn((RigidBody::Static, Collider::sphere(0.1), CollisionEventsEnabled))
///         .observe(|hit: On<CollisionStart>, mut commands: Commands| commands.entity(hit.collider1).despawn());
/// }
/// ```
#[derive(EntityEvent, Message, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct CollisionStart {
    /// One body; of an event, the body it is triggered on.
    #[event_target]
    pub collider1: Entity,
    /// The other body.
    pub collider2: Entity,
}

/// Two bodies ceased to touch in the last step, or one of them was removed while they touched.
///
/// As a [`Message`] it is written once for each pair of which at least one body has [`CollisionEventsEnabled`]. As an
/// [`EntityEvent`] it is triggered on each body that has the component and still exists, with that body as `collider1`.
#[derive(EntityEvent, Message, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct CollisionEnd {
    /// One body; of an event, the body it is triggered on.
    #[event_target]
    pub collider1: Entity,
    /// The other body; it may have been despawned.
    pub collider2: Entity,
}

/// Makes a body's collisions known as [`CollisionStart`] and [`CollisionEnd`]. Bodies without it cost nothing there.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct CollisionEventsEnabled;

/// The bodies that a body touches, kept up to date after each step, in ascending order.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct CollidingEntities(pub(crate) Vec<Entity>);

impl CollidingEntities {
    /// Whether the body touches `entity`.
    pub fn contains(&self, entity: &Entity) -> bool {
        self.0.binary_search(entity).is_ok()
    }
}

/// Tells what began and ceased to touch, in the order of the pairs.
pub(crate) fn tell_collisions(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    enabled: Query<(), With<CollisionEventsEnabled>>,
    mut started: MessageWriter<CollisionStart>,
    mut ended: MessageWriter<CollisionEnd>,
) {
    let news = std::mem::take(&mut world.news);
    for (collider1, collider2) in news.started {
        let wanted = [collider1, collider2].map(|entity| enabled.contains(entity));
        if wanted.contains(&true) {
            started.write(CollisionStart { collider1, collider2 });
        }
        if wanted[0] {
            commands.trigger(CollisionStart { collider1, collider2 });
        }
        if wanted[1] {
            commands.trigger(CollisionStart { collider1: collider2, collider2: collider1 });
        }
    }
    for (collider1, collider2) in news.ended {
        let wanted = [collider1, collider2].map(|entity| enabled.contains(entity));
        if wanted.contains(&true) || [collider1, collider2].iter().any(|entity| news.gone.contains(entity)) {
            ended.write(CollisionEnd { collider1, collider2 });
        }
        if wanted[0] {
            commands.trigger(CollisionEnd { collider1, collider2 });
        }
        if wanted[1] {
            commands.trigger(CollisionEnd { collider1: collider2, collider2: collider1 });
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
