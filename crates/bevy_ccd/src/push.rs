//! Pushes: impulses that a game gives to bodies.

use bevy::ecs::entity::Entities;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use ccd_core::dynamics::{Body, BodyError, check_finite};
use ccd_core::math::{Point, Vector};

use crate::components::RigidBody;
use crate::convert::{to_point, to_vector};
use crate::problem::Problems;
use crate::sync::CcdBody;
use crate::world::CcdWorld;

/// Gives impulses to bodies: jumps, explosions, recoil.
///
/// An impulse waits for the next [`CcdSystems::Sync`](crate::CcdSystems::Sync), paused or not: there it is added to the velocity that
/// the body has then, which includes what the game has written into its components meanwhile, in whichever order the two were said. It
/// wakes what sleeps; components show it after the next step. A force that acts on and on is a
/// [`ConstantForce`](crate::ConstantForce); one that acts over this step only, its impulse: force times [`Time::delta_secs`] in a fixed
/// schedule. Any system may use it, beside [`SpatialQuery`](crate::SpatialQuery) and
/// [`Collisions`](crate::Collisions) too.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # #[derive(Component)] struct Player;
/// fn jump(keys: Res<ButtonInput<KeyCode>>, players: Query<Entity, With<Player>>, mut impulses: Impulses) {
///     if keys.just_pressed(KeyCode::Space) {
///         for player in &players {
///             if let Err(error) = impulses.push(player, Vec3::Y * 400.0) {
///                 warn!("no jump: {error}");
///             }
///         }
///     }
/// }
/// ```
#[doc(alias = "Forces")]
#[doc(alias = "ExternalImpulse")]
#[derive(SystemParam)]
pub struct Impulses<'w, 's> {
    queue: ResMut<'w, ImpulseQueue>,
    entities: &'w Entities,
    bodies: Query<'w, 's, (), Or<(With<RigidBody>, With<CcdBody>)>>,
}

/// Why an impulse was not taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImpulseError {
    /// The entity is there and has no [`RigidBody`].
    #[error("entity {0} is no body")]
    NoBody(Entity),
    /// The numbers are none.
    #[error("the impulse cannot be given: {0}")]
    Body(#[from] BodyError),
}

/// Impulses that wait to be given.
#[derive(Resource, Debug, Default)]
pub(crate) struct ImpulseQueue(Vec<Impulse>);

#[derive(Clone, Copy, Debug)]
struct Impulse {
    entity: Entity,
    /// In the world frame.
    impulse: Vector,
    does: Effect,
}

#[derive(Clone, Copy, Debug)]
enum Effect {
    /// N·s, at the centre of mass.
    Push,
    /// N·s, at a place of the world.
    PushAt(Point),
    /// N·m·s.
    Turn,
}

impl Impulses<'_, '_> {
    /// An impulse (N·s, in the world frame) at the centre of mass. Static and kinematic bodies are let be, and so are those that the
    /// world does not have in its next [`CcdSystems::Sync`](crate::CcdSystems::Sync), as disabled and despawned ones. What the same system
    /// spawns with its [`Commands`] may be pushed. An impulse of zero wakes nobody.
    ///
    /// # Errors
    /// [`ImpulseError`] for an entity that is there and no body, and for numbers that are not finite or beyond 10³⁰.
    pub fn push(&mut self, entity: Entity, impulse: Vec3) -> Result<(), ImpulseError> {
        self.enqueue(Impulse { entity, impulse: to_vector(impulse), does: Effect::Push })
    }

    /// An impulse (N·s, in the world frame) at a place of the world, which turns the body as well. Whom [`Impulses::push`] lets be
    /// is let be.
    ///
    /// # Errors
    /// As [`Impulses::push`].
    pub fn push_at(&mut self, entity: Entity, impulse: Vec3, at: Vec3) -> Result<(), ImpulseError> {
        self.enqueue(Impulse { entity, impulse: to_vector(impulse), does: Effect::PushAt(to_point(at)) })
    }

    /// An angular impulse (N·m·s, in the world frame), which turns the body about its centre of mass and pushes it nowhere. Whom
    /// [`Impulses::push`] lets be is let be.
    ///
    /// # Errors
    /// As [`Impulses::push`].
    pub fn turn(&mut self, entity: Entity, impulse: Vec3) -> Result<(), ImpulseError> {
        self.enqueue(Impulse { entity, impulse: to_vector(impulse), does: Effect::Turn })
    }

    fn enqueue(&mut self, impulse: Impulse) -> Result<(), ImpulseError> {
        // What is not there yet may be a body by then, and what is there no more has been one; the placeholder stands for none.
        let may_be_body = !self.entities.contains_spawned(impulse.entity) && impulse.entity != Entity::PLACEHOLDER;
        if !(may_be_body || self.bodies.contains(impulse.entity)) {
            return Err(ImpulseError::NoBody(impulse.entity));
        }
        check_finite("impulse", &impulse.impulse)?;
        if let Effect::PushAt(at) = impulse.does {
            check_finite("point of impulse", &at.coords)?;
        }
        // What pushes nobody wakes nobody.
        if impulse.impulse != Vector::zeros() {
            self.queue.0.push(impulse);
        }
        Ok(())
    }
}

/// Gives what has been asked for, in the order of asking, on top of the velocities that were taken over.
pub(crate) fn give_impulses(mut queue: ResMut<ImpulseQueue>, mut world: ResMut<CcdWorld>, mut problems: Problems) {
    if queue.0.is_empty() {
        return;
    }
    for Impulse { entity, impulse, does } in queue.0.drain(..) {
        let Some(id) = world.body_id(entity) else { continue };
        let given = match does {
            Effect::PushAt(at) => world.apply_impulse(id, &impulse, &at),
            Effect::Turn => world.apply_angular_impulse(id, &impulse),
            Effect::Push => {
                let Some(centre) = world.core().body(id).map(Body::centre) else { continue };
                world.apply_impulse(id, &impulse, &centre)
            }
        };
        if let Err(error) = given {
            problems.tell(entity, error);
        }
    }
}
