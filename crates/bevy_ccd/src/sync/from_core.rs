//! What the step has made of poses and velocities goes into the ECS.

use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use ccd_core::dynamics::{Body, BodyKind};

use super::CcdBody;
use super::placement::{Placement, mirrors};
use crate::components::{AngularVelocity, LinearVelocity, RigidBody, Sleeping};
use crate::convert::{from_pose, from_vector};
use crate::world::CcdWorld;

/// Takes down whose components may have to be written: nobody else's differ from what they show.
pub(crate) fn gather_changed(mut world: ResMut<CcdWorld>) {
    let world = &mut *world;
    let changed = world.core.take_changed();
    let mut to_show = std::mem::take(&mut world.to_show);
    to_show.extend(changed.into_iter().filter_map(|id| world.entity(id)));
    to_show.sort_unstable();
    to_show.dedup();
    world.to_show = to_show;
}

/// Writes the poses of bodies without a parent. A component is touched only where its rounded value is another.
pub(crate) fn write_root_poses(
    world: Res<CcdWorld>,
    mut bodies: Query<(Option<&RigidBody>, &mut CcdBody, &mut Transform), Without<ChildOf>>,
) {
    for &entity in &world.to_show {
        let Ok((kind, mut body, mut transform)) = bodies.get_mut(entity) else { continue };
        let is_put_back = std::mem::take(&mut body.bypass_change_detection().is_put_back);
        // Of a static one only what is no place is put right.
        let is_shown = kind.is_some_and(|kind| !kind.is_static() || !transform.is_finite()) || is_put_back;
        let Some(now) = world.core().body(body.id).filter(|_| is_shown) else { continue };
        // Where the game put it, and where it goes in the next step: what the game wrote stands, as long as it is there.
        if world.drives.reached(body.id, now.pose()) == Some(true) {
            body.bypass_change_detection().put = Some(*now.pose());
        }
        let is_there = body.put.as_ref() == Some(now.pose()) && !is_put_back;
        if (is_there || world.drives.aim_of(body.id).is_some()) && *transform == body.shown.transform {
            continue;
        }
        let pose = from_pose(now.pose());
        let shown = Transform { translation: pose.translation.into(), rotation: pose.rotation, scale: transform.scale };
        if *transform != shown {
            *transform = shown;
        }
        body.bypass_change_detection().shown.transform = shown;
    }
}

/// Writes the poses of bodies whose entity has a parent, parents first: their transforms are relative to it.
pub(crate) fn write_child_poses(
    world: Res<CcdWorld>,
    parents: Query<&ChildOf>,
    mut access: ParamSet<(
        TransformHelper,
        Query<(&mut Transform, &mut CcdBody)>,
        Query<(Entity, Option<&RigidBody>, &ChildOf, &CcdBody)>,
        Query<(), Changed<Transform>>,
    )>,
) {
    let mut order: Vec<(usize, Entity, Entity)> = (access.p2().iter())
        .filter(|(_, kind, _, body)| kind.is_some_and(|kind| !kind.is_static()) || body.is_put_back)
        .map(|(entity, _, parent, _)| (parents.iter_ancestors(entity).count(), entity, parent.parent()))
        .collect();
    // What is above it may have moved, or is about to.
    let moved = access.p3();
    let is_to_show = |entity: Entity| world.to_show.binary_search(&entity).is_ok();
    order.retain(|&(_, entity, _)| {
        is_to_show(entity) || parents.iter_ancestors(entity).any(|above| is_to_show(above) || moved.contains(above))
    });
    order.sort_unstable();
    for (_, entity, parent) in order {
        let Ok(parent) = access.p0().compute_global_transform(parent) else { continue };
        let mut bodies = access.p1();
        let Ok((mut transform, mut body)) = bodies.get_mut(entity) else { continue };
        // What does not move of itself goes where its parent goes, which is read before the next step.
        let is_put_back = std::mem::take(&mut body.bypass_change_detection().is_put_back);
        let is_shown = |now: &&Body| moves_itself(&world, &body, now) || !transform.is_finite() || is_put_back;
        let Some(now) = world.core().body(body.id).filter(is_shown) else { continue };
        let mut global = Transform::from_isometry(from_pose(now.pose())).compute_affine();
        if body.is_sheared() {
            // By what is above: its own transform turns it before that, and its own scale mirrors it first of all.
            global = global * Affine3A::from_mat3(body.stretch) * Affine3A::from_scale(mirrors(transform.scale));
        }
        let (_, rotation, translation) = (parent.affine().inverse() * global).to_scale_rotation_translation();
        let shown = Transform { translation, rotation, scale: transform.scale };
        if shown.is_finite() && *transform != shown {
            *transform = shown;
        }
        body.bypass_change_detection().shown.transform = *transform;
        // Worked out as the next step will, so that only a true change of the parent differs from it.
        let global = access.p0().compute_global_transform(entity).ok();
        if let Some(Placement { translation, rotation, .. }) =
            global.and_then(|g| Placement::of(&g.affine(), shown.scale))
            && let Ok((_, mut body)) = access.p1().get_mut(entity)
        {
            body.bypass_change_detection().shown.global = Some((translation, rotation));
        }
    }
}

/// A kinematic body with a velocity does so too, and one that could not go where its parent is; not while it has yet to go where the game has put it.
fn moves_itself(world: &CcdWorld, body: &CcdBody, now: &Body) -> bool {
    let moves = || now.linear_velocity().norm_squared() + now.angular_velocity().norm_squared() > 0.0;
    let has_stopped = || world.drives.reached(body.id, now.pose()) == Some(false);
    now.kind() == BodyKind::Dynamic || !body.is_due(world) && (moves() || has_stopped())
}

/// Writes the velocities of bodies that can move.
pub(crate) fn write_velocities(
    world: Res<CcdWorld>,
    mut bodies: Query<(&mut CcdBody, Option<&mut LinearVelocity>, Option<&mut AngularVelocity>), With<RigidBody>>,
) {
    for &entity in &world.to_show {
        let Ok((mut body, linear, angular)) = bodies.get_mut(entity) else { continue };
        // Not what is to move and was refused to: it has no velocities to show.
        let Some(now) = world.core().body(body.id).filter(|now| now.kind() == BodyKind::Dynamic) else { continue };
        let (new_linear, new_angular) = (from_vector(now.linear_velocity()), from_vector(now.angular_velocity()));
        let shown = &mut body.bypass_change_detection().shown;
        // The game may have taken either away.
        if let Some(mut linear) = linear {
            linear.set_if_neq(LinearVelocity(new_linear));
            shown.linear_velocity = new_linear;
        }
        if let Some(mut angular) = angular {
            angular.set_if_neq(AngularVelocity(new_angular));
            shown.angular_velocity = new_angular;
        }
    }
}

/// Says of bodies that fell asleep or woke that they did.
pub(crate) fn write_sleep(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    mut known: Local<u64>,
    mut bodies: Query<&mut CcdBody>,
) {
    let is_stepped = std::mem::replace(&mut *known, world.steps()) != world.steps();
    for entity in std::mem::take(&mut world.to_show) {
        let Ok(mut body) = bodies.get_mut(entity) else { continue };
        let body = body.bypass_change_detection();
        body.is_tired &= !is_stepped;
        if body.is_tired {
            // Until a step has shown whether it can sleep.
            world.to_show.push(entity);
        }
        let sleeps = body.is_tired || world.core().body(body.id).is_some_and(Body::is_asleep);
        if sleeps == std::mem::replace(&mut body.sleeps, sleeps) {
            continue;
        }
        let mut entity = commands.entity(entity);
        if sleeps {
            entity.try_insert(Sleeping);
        } else {
            entity.try_remove::<Sleeping>();
        }
    }
}
