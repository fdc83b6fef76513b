//! What takes bodies and colliders out of the simulation for a while.

use bevy::prelude::*;

/// Takes a body out of the world while it is there: nothing moves it, meets it, or finds it by a query. Its sensors on children go
/// with it.
///
/// When the component is removed, the body goes on from where it was, to the last digit, with the velocities that it had; or
/// from where its [`Transform`] and velocities were set meanwhile. What it touched is told as [`CollisionEnd`], and what it touches
/// then as [`CollisionStart`].
///
/// Entities that the engine's queries do not show ([`Disabled`](bevy::ecs::entity_disabling::Disabled), or another disabling component), and
/// all below them, are out of the world and come back in the same way.
///
/// [`CollisionEnd`]: crate::CollisionEnd
/// [`CollisionStart`]: crate::CollisionStart
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn freeze(mut commands: Commands, bodies: Query<Entity, With<RigidBody>>) {
///     for body in &bodies {
///         commands.entity(body).insert(RigidBodyDisabled);
///     }
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct RigidBodyDisabled;

/// Takes a collider out while it is there: nothing meets it, and no query finds it.
///
/// Of a body of several colliders the others go on, and make up its mass. A body whose every collider is disabled keeps its mass and
/// moves on, but meets nothing; a [`Sensor`](crate::Sensor) without [`RigidBody`](crate::RigidBody) notices nothing.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct ColliderDisabled;
