//! Entities follow a state that the world was put back to.

use bevy::prelude::*;
use ccd_core::id::BodyId;
use ccd_core::math::Vector;

use super::CcdBody;
use super::into_core::remake;
use crate::components::{RigidBody, Sleeping};
use crate::problem::Problems;
use crate::world::CcdWorld;

/// Once after the state was put back: what components say of bodies holds, and the world has those bodies that are entities now.
pub(crate) fn follow_restored(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    mut bodies: Query<(Entity, &mut CcdBody, Option<&RigidBody>)>,
    mut problems: Problems,
) {
    if !std::mem::take(&mut world.bypass_change_detection().unfollowed) {
        return;
    }
    let of_nobody: Vec<BodyId> =
        world.core.bodies().map(|(id, _)| id).filter(|id| world.entity(*id).is_none()).collect();
    for id in of_nobody {
        world.core.remove_body(id);
    }
    for (entity, mut body, kind) in &mut bodies {
        let body = body.bypass_change_detection();
        let id = world.body_id(entity).filter(|id| world.core.body(*id).is_some());
        let Some(id) = id else {
            // It enters again as a new one does.
            commands.entity(entity).remove::<(CcdBody, Sleeping)>();
            continue;
        };
        body.is_put_back = true;
        let was_rebuilt = std::mem::replace(&mut body.id, id) != id;
        // The same name may have been given to another body since, for the state has forgotten that one's.
        let is_other = was_rebuilt || world.core.body(id).is_some_and(|now| !body.spec.is_kind_of(now));
        let is_surface = world.core.body(id).is_some_and(|now| body.spec.is_surface_of(now));
        if is_other || !is_surface {
            let spec = body.spec.clone();
            if let Err(cause) = remake(&mut world, body, &spec, entity, !is_other) {
                problems.tell(entity, cause);
            }
        }
        // What does not move of itself now may have done so then.
        if kind.is_none_or(RigidBody::is_static) {
            // Zero is a velocity that every body can have.
            _ = world.core.set_velocity(body.id, Vector::zeros(), Vector::zeros());
        }
    }
}
