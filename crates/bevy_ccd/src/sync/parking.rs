//! Bodies that are out of the world for a while, and come back as they went.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use ccd_core::math::{Pose, Vector};

use super::CcdBody;
use super::shown::Shown;
use super::spec::BodySpec;
use crate::components::Sleeping;
use crate::events::CollidingEntities;
use crate::world::CcdWorld;

/// The state of a disabled body, for when it comes back.
#[derive(Component)]
pub(crate) struct Parked {
    /// What its components were.
    pub shown: Shown,
    /// Where it was, or was to be in the next step.
    pub pose: Pose,
    /// Whether it is not there: the body above was to take it to where its entity is.
    pub is_left: bool,
    pub velocities: (Vector, Vector),
}

/// What the body of an entity was made of that is none at the moment: where it is made of the same when it comes back, states that are kept know it.
#[derive(Component)]
pub(crate) struct Made {
    pub(super) spec: BodySpec,
    pub making: u64,
}

/// Takes the body of an entity out that enters again as a new one does.
pub(super) fn leave(mut entity: EntityWorldMut) {
    let Some(body) = entity.get::<CcdBody>() else { return };
    let made = Made { spec: body.spec.clone(), making: body.making };
    entity.insert(made);
    entity.remove::<(CcdBody, Sleeping)>();
}

/// Takes the body of an entity out, whether or not queries show the entity.
pub(super) fn park(mut entity: EntityWorldMut) {
    let Some(body) = entity.get::<CcdBody>() else { return };
    let (shown, made) = (body.shown, Made { spec: body.spec.clone(), making: body.making });
    let world = entity.resource::<CcdWorld>();
    let is_due = body.is_due(world);
    let id = world.body_id(entity.id());
    let parked = id.and_then(|id| Some((world.core.body(id)?, world.drives.aim_of(id)))).map(|(now, aim)| {
        let velocities = (*now.linear_velocity(), *now.angular_velocity());
        Parked { shown, pose: *aim.unwrap_or(now.pose()), is_left: is_due && aim.is_none(), velocities }
    });
    entity.insert(made);
    // Nobody keeps the list of what queries do not show.
    if let Some(mut list) = entity.get_mut::<CollidingEntities>() {
        list.set_if_neq(CollidingEntities::default());
    }
    // Of what a state that was put back a moment ago does not know there is nothing to come back to.
    if let Some(parked) = parked {
        entity.insert(parked);
    }
    entity.remove::<CcdBody>();
}

/// Finds what the engine's queries do not show: entities that are [`Disabled`](bevy::ecs::entity_disabling::Disabled), or have another
/// disabling component.
#[derive(SystemParam)]
pub(crate) struct Hidden<'w, 's> {
    shown: Query<'w, 's, ()>,
    parents: Query<'w, 's, &'static ChildOf>,
}

impl Hidden<'_, '_> {
    pub fn contains(&self, entity: Entity) -> bool {
        !self.shown.contains(entity)
    }

    /// Whether an entity above is hidden: the engine propagates no transform to what is below.
    pub fn is_above(&self, entity: Entity) -> bool {
        self.parents.iter_ancestors(entity).any(|above| self.contains(above))
    }
}
