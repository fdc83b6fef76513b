//! What makes an entity a body.

use bevy::prelude::*;

use super::{AngularVelocity, LinearVelocity};

/// Makes an entity with a [`Collider`](crate::Collider) a body of the world.
///
/// The colliders of its children (and theirs) that have no `RigidBody` of their own belong to it as well: together they
/// are one body, at the children's places and scales, each as dense as its own
/// [`ColliderDensity`](crate::ColliderDensity) says, with the surface that its own [`Friction`](crate::Friction),
/// [`Restitution`](crate::Restitution) and [`RollingResistance`](crate::RollingResistance) say; what it does not say is as the body has it.
/// They may be added, removed and moved while the world runs. Layers are the body's.
///
/// The component may be replaced, inserted and removed while the world runs. Its [`Transform`] is written by the
/// simulation after each step and read only where something else has changed it: then a dynamic or static body is there at
/// once, and a kinematic one moves there within the next step (see [`RigidBody::Kinematic`]).
///
/// When the entity gets a parent, changes it or loses it, or the parent is moved, a static or kinematic body goes to where that puts it. A
/// dynamic one stays where it is in the world, and its transform is rewritten, unless the game has written that too: after steps alone, so that below what
/// the game moves in every frame it is drawn beside its place in between.
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
    /// Never moves of itself; of infinite mass. Under a body that moves it is carried along.
    ///
    /// Where a collider of it moves, the whole body is built anew in that step, and all that touches it wakes. What moves in a level, a fan or a
    /// door, is better a [`RigidBody::Kinematic`] body of its own.
    Static,
    /// Moves as the game says, whatever it meets, and pushes and carries dynamic bodies. It passes through what is not dynamic.
    ///
    /// It moves with its [`LinearVelocity`] and [`AngularVelocity`]; and where the game writes its [`Transform`] it moves there within
    /// the next step, the shortest way round, at the velocity that this takes, which what it meets and what stands on it
    /// feel. Both may be; then the one is added to the other. Write the transform in a schedule as regular as the steps
    /// (`FixedUpdate`): one that is written once a frame moves in some steps and stands in others. To be elsewhere at once, it takes a
    /// [`Teleport`].
    ///
    /// As the child of a body it is carried where that body goes, and the two do not meet.
    ///
    /// Where it would crush a body against something that cannot yield it stops for the rest of the step. Once its velocity leads
    /// away, it goes on.
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
/// On an entity with [`RigidBody`] it makes a sensor of the whole body. On a child with a [`Collider`](crate::Collider) and no `RigidBody`
/// it makes that collider a sensor by itself, which goes exactly where the body goes, through every impact, adds nothing to
/// its mass, and does not notice the body itself or its other sensors. On an entity that is no body and no body's child it makes
/// a sensor that stands where its [`Transform`] is; where the game moves it, it notices all that is on the way. Collisions are
/// told with the entity that has the `Sensor`.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # fn setup(mut commands: Commands) {
/// commands.spawn((Collider::cuboid(2.0, 2.0, 2.0), Sensor, CollidingEntities::default()));
/// let feet = (Collider::sphere(0.2), Sensor, CollidingEntities::default(), Transform::from_xyz(0.0, -0.9, 0.0));
/// commands.spawn((RigidBody::Dynamic, Collider::capsule(0.4, 1.0), children![feet]));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
pub struct Sensor;

/// Keeps a body, and all that hangs together with it, from falling asleep, and from being made to stand however slowly it creeps.
///
/// Nobody needs it to wake a body: see [`Sleeping`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct SleepingDisabled;

/// Is on a dynamic body as long as it sleeps: it has come to rest with all that it touches, and nothing of it is computed until something
/// concerns it. Inserted and removed by the plugin when that changes, after the step; so `On<Add, Sleeping>` and `On<Remove, Sleeping>`
/// tell of it.
///
/// What sleeps wakes when something touches it, when it, what it touches or the world's settings are changed, and when it is pushed, and with
/// it in the next step what it touches. When the game removes the component it wakes, too. When the game inserts it, or
/// spawns a body with it, the body does not wait for half a second: it sleeps after the next step if it is at rest by then, on something or
/// without weight, with all that it touches asleep or asked to sleep as well. On what moves or falls the component is not there any more
/// after that step.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn count(bodies: Query<(), With<RigidBody>>, asleep: Query<(), With<Sleeping>>) {
///     println!("{} of {} bodies sleep", asleep.iter().count(), bodies.iter().count());
/// }
///
/// fn wake_all(mut commands: Commands, asleep: Query<Entity, With<Sleeping>>) {
///     for body in &asleep {
///         commands.entity(body).remove::<Sleeping>();
///     }
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct Sleeping;

/// Says that what is written into the [`Transform`] of a kinematic body or a sensor before the next step is no motion: it is there at
/// once, and nothing on the way is met. Taken away by the plugin. Dynamic and static bodies are teleported without it. What a teleported
/// body carries is teleported with it.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn start_again(mut commands: Commands, lift: Single<(Entity, &mut Transform), With<Name>>) {
///     let (entity, mut transform) = lift.into_inner();
///     transform.translation = Vec3::ZERO;
///     commands.entity(entity).insert(Teleport);
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct Teleport;
