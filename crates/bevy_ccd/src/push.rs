//! Pushes: impulses that a game gives to bodies.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use ccd_core::dynamics::BodyError;

use crate::convert::{to_point, to_vector};
use crate::sync::CcdBody;
use crate::world::CcdWorld;

/// Gives impulses to bodies: jumps, explosions, recoil.
///
/// An impulse changes the velocity at once, and wakes what sleeps; components show it after the next step. A force that acts on and on is
/// a [`ConstantForce`](crate::ConstantForce). Use it before [`CcdSystems::Sync`](crate::CcdSystems::Sync), or at any time outside of the
/// plugin's systems.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # #[derive(Component)] struct Player;
/// fn jump(keys: Res<ButtonInput<KeyCode>>, players: Query<Entity, With<Player>>, mut impulses: Impulses) -> Result {
///     if keys.just_pressed(KeyCode::Space) {
///         for player in &players {
///             impulses.push(player, Vec3::Y * 400.0)?;
///         }
///     }
///     Ok(())
/// }
/// ```
#[doc(alias = "Forces")]
#[doc(alias = "ExternalImpulse")]
#[derive(SystemParam)]
pub struct Impulses<'w, 's> {
    world: ResMut<'w, CcdWorld>,
    bodies: Query<'w, 's, &'static CcdBody>,
}

/// Why an impulse was not given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImpulseError {
    /// The entity is no body, or none yet: bodies are added in the plugin's next run.
    #[error("entity {0} is no body of the world")]
    NoBody(Entity),
    /// The numbers are none.
    #[error("the impulse cannot be given: {0}")]
    Body(#[from] BodyError),
}

impl Impulses<'_, '_> {
    /// An impulse (N·s, in the world frame) at the centre of mass. Static and kinematic bodies are let be.
    ///
    /// # Errors
    /// [`ImpulseError`] for an entity without a body, and for numbers that are not finite.
    pub fn push(&mut self, entity: Entity, impulse: Vec3) -> Result<(), ImpulseError> {
        let (id, centre) = self.body(entity)?;
        Ok(self.world.apply_impulse(id, &to_vector(impulse), &centre)?)
    }

    /// An impulse (N·s, in the world frame) at a place of the world, which turns the body as well. Static and kinematic bodies are
    /// let be.
    ///
    /// # Errors
    /// [`ImpulseError`] for an entity without a body, and for numbers that are not finite.
    pub fn push_at(&mut self, entity: Entity, impulse: Vec3, at: Vec3) -> Result<(), ImpulseError> {
        let (id, _) = self.body(entity)?;
        Ok(self.world.apply_impulse(id, &to_vector(impulse), &to_point(at))?)
    }

    fn body(&self, entity: Entity) -> Result<(ccd_core::id::BodyId, ccd_core::math::Point), ImpulseError> {
        let id = self.bodies.get(entity).map_err(|_| ImpulseError::NoBody(entity))?.id();
        let body = self.world.core().body(id).ok_or(ImpulseError::NoBody(entity))?;
        Ok((id, body.centre()))
    }
}
