//! Bodies that pass through each other.

use bevy::prelude::*;

/// Bodies of one group pass through each other and do not notice each other, whatever their layers: what is shot and who shot it, the parts
/// of a vehicle.
///
/// The group is named by an entity. If that is a body it belongs to the group itself, with or without the component; if not, or not any
/// more, it is a name like any other. Who is carried by one of the group, as a kinematic body or a sensor below it, belongs to it too. A
/// body that leaves the group while it is within another of them is moved out of it in the next step.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn shoot(mut commands: Commands, player: Single<(Entity, &Transform), With<Name>>) {
///     let (player, muzzle) = *player;
///     let ball = (RigidBody::Dynamic, Collider::sphere(0.05), LinearVelocity(muzzle.forward() * 400.0));
///     commands.spawn((ball, *muzzle, NoCollideGroup(player)));
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Component, Debug, PartialEq)]
pub struct NoCollideGroup(#[entities] pub Entity);
