//! Entities follow a state that the world was put back to.

use bevy::prelude::*;
use ccd_core::dynamics::Body;
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Vector};

use super::CcdBody;
use super::carriers::is_same;
use super::into_core::{How, pose_of, remake};
use super::parking::leave;
use super::placement::Placements;
use super::spec::{BodyComponents, BodyComponentsItem};
use crate::convert::{from_pose, from_vector};
use crate::drive::is_reached;
use crate::interpolation::TransformInterpolation;
use crate::problem::Problems;
use crate::world::CcdWorld;

/// Whether the state was put back and entities do not follow it yet.
pub(crate) fn is_restored(world: Res<CcdWorld>) -> bool {
    world.unfollowed
}

/// Once after the state was put back: what components say of bodies holds, and the world has those bodies that are entities now.
pub(crate) fn follow_restored(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    mut bodies: Query<(BodyComponents, &mut CcdBody, Option<&mut TransformInterpolation>)>,
    placements: Placements,
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
    for (c, mut body, interpolation) in &mut bodies {
        let (entity, body) = (c.entity, body.bypass_change_detection());
        if let Some(mut interpolation) = interpolation {
            interpolation.bypass_change_detection().forget();
        }
        let id = world.body_id(entity).filter(|id| world.core.body(*id).is_some());
        let Some(id) = id else {
            // It enters again as a new one does.
            commands.entity(entity).queue_silenced(leave);
            continue;
        };
        (body.is_put_back, body.due) = (true, None);
        body.seen.forget();
        world.to_show.push(entity);
        body.id = id;
        let was_made_anew = world.making_of(entity) != Some(body.making);
        let is_other = was_made_anew || world.core.body(id).is_some_and(|now| !body.spec.is_kind_of(now));
        let is_surface = world.core.body(id).is_some_and(|now| body.spec.is_surface_of(now));
        if is_other || !is_surface {
            let spec = body.spec.clone();
            let how = if is_other { How::AsItWas } else { How::InPlace };
            if let Err(cause) = remake(&mut world, body, &spec, entity, how) {
                problems.tell(entity, cause);
            }
        }
        // What does not move of itself now may have done so then.
        if !c.moves_itself() {
            // Zero is a velocity that every body can have.
            _ = world.core.set_velocity(body.id, Vector::zeros(), Vector::zeros());
        }
        if let Some(now) = world.core.body(body.id) {
            know_what_is_shown(body, now, &c, &placements);
        }
    }
}

/// Components that the game has put back as well show the state already: they are no change, and the state keeps all its digits.
fn know_what_is_shown(body: &mut CcdBody, now: &Body, c: &BodyComponentsItem, placements: &Placements) {
    let (linear, angular) = (c.linear_velocity(), c.angular_velocity());
    if linear == from_vector(now.linear_velocity()) {
        body.shown.linear_velocity = linear;
    }
    if angular == from_vector(now.angular_velocity()) {
        body.shown.angular_velocity = angular;
    }
    let Ok(placement) = placements.of(c) else { return };
    let Ok(shown) = pose_of(&placement) else { return };
    if c.parent.is_some() {
        // Worked out through the parents, which rounds it.
        if is_same(now.pose(), &shown) {
            body.shown.transform = *c.transform;
            body.shown.global = Some((placement.translation, placement.rotation));
        }
        return;
    }
    let (pose, rounded) = (now.pose(), from_pose(now.pose()));
    // What the game has put somewhere shows the game's own digits.
    let at_place = Pose::from_parts(shown.translation, pose.rotation);
    let turned = Pose::from_parts(pose.translation, shown.rotation);
    if placement.translation == Vec3::from(rounded.translation) || is_reached(&at_place, pose) {
        body.shown.transform.translation = placement.translation;
    }
    if placement.rotation == rounded.rotation || is_reached(&turned, pose) {
        body.shown.transform.rotation = placement.rotation;
    }
    if is_reached(&shown, pose) {
        (body.put, body.is_put_back) = (Some(*pose), false);
    }
}
