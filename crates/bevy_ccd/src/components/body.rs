//! What makes an entity a body.

use bevy::prelude::*;

use super::{AngularVelocity, LinearVelocity};

/// Makes an entity with a [`Collider`](crate::Collider) a body of the world.
///
/// The colliders of its children (and theirs) that have no `RigidBody` of their own belong to it as well: together they
/// are one body, at the children's places and scales, each as dense as its own
/// [`ColliderDensity`](crate::ColliderDensity) or else the body's. They may be added, removed and moved while the world
/// runs; friction, restitution and layers are the body's.
///
/// The component may be replaced, inserted and removed while the world runs. Its [`Transform`] is written by the
/// simulation after each step and read only where something else has changed it (a teleport).
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn setup(mut commands: Commands) {
///     commands.spawn((RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(0.0, 3.0, 0.0)));
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Hash)]
#[require(Transform, LinearVelocity, AngularVelocity)]
pub enum RigidBody {
    /// Moves by gravity, forces and impulses.
    #[default]
    Dynamic,
    /// Never moves; of infinite mass.
    Static,
    /// Moves with its [`LinearVelocity`] and [`AngularVelocity`], whatever it meets, and pushes dynamic bodies.
    ///
    /// Where it would crush a body against something that cannot yield it stops for the rest of the step.
    Kinematic,
}

impl RigidBody {
    /// Whether forces and impulses move it.
    pub fn is_dynamic(&self) -> bool {
        *self == Self::Dynamic
    }

    /// Whether it never moves.
    pub fn is_static(&self) -> bool {
        *self == Self::Static
    }

    /// Whether it moves by its given velocities alone.
    pub fn is_kinematic(&self) -> bool {
        *self == Self::Kinematic
    }
}

/// Makes a body notice contacts and pass through: no impulse acts on it or on what it meets.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # fn setup(mut commands: Commands) {
/// commands.spawn((RigidBody::Static, Collider::cuboid(2.0, 2.0, 2.0), Sensor, CollidingEntities::default()));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct Sensor;
