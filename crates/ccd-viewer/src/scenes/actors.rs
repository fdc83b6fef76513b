//! Bodies enter the stage: entities of the plugin, in the order in which they are stated, then put to their exact state.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_ccd::convert::{from_point, from_rotation, from_vector};
use bevy_ccd::{
    AngularVelocity, CcdBody, CcdClock, CcdSettings, CcdSnapshot, CcdWorld, Collider, CollisionLayers, ConstantForce,
    ConstantTorque, Friction, Gravity, LinearVelocity, LockedAxes, Mass, NoCollideGroup, Restitution, RigidBody,
};
use ccd_core::dynamics::{Body, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::world::{StepReport, World as ContactWorld, WorldSettings};

use super::stated::{Stated, StatedBody};
use crate::draw::bodies::{Actor, Paints, paint_of};
use crate::draw::shapes::Meshes;
use crate::playback;

/// Takes all bodies off the stage.
pub(super) fn clear(world: &mut World) {
    let actors: Vec<Entity> = world.query_filtered::<Entity, With<Actor>>().iter(world).collect();
    for entity in actors {
        world.despawn(entity);
    }
    world.insert_resource(Meshes::default());
    // An empty world gives its slots away from the first.
    world.resource_mut::<CcdWorld>().restore(CcdSnapshot::default());
}

/// Puts the bodies of `built` on the stage in its state.
///
/// # Errors
/// A sentence, where the plugin has not taken a body.
pub(super) fn enter(world: &mut World, stated: &Stated, built: &ContactWorld) -> Result<(), String> {
    take_settings(world, stated, built.settings());
    // The digits of its gravity are known before the resource, which rounds it, is taken over: rounded, the largest that can be is too large.
    if let Ok(empty) = ContactWorld::new(built.settings().clone()) {
        world.resource_mut::<CcdWorld>().restore(CcdSnapshot::new(empty, StepReport::default()));
    }
    // The plugin takes bodies in the order of their entities.
    let mut entities: Vec<Entity> = built.bodies().map(|_| world.spawn_empty().id()).collect();
    entities.sort_unstable();
    let ids: Vec<BodyId> = built.bodies().map(|(id, _)| id).collect();
    for ((&entity, (id, body)), stated) in entities.iter().zip(built.bodies()).zip(&stated.bodies) {
        dress(world, entity, id, body, stated);
    }
    group(world, &entities, built);
    playback::take_over(world);
    let mut fresh = CcdClock::default();
    fresh.paused = world.resource::<CcdClock>().paused;
    fresh.step_length = Some(stated.dt);
    world.insert_resource(fresh);
    for (&entity, id) in entities.iter().zip(ids) {
        if world.get::<CcdBody>(entity).map(CcdBody::id) != Some(id) {
            return Err(format!("the plugin refused {id}"));
        }
    }
    let snapshot = CcdSnapshot::new(built.clone(), StepReport::default());
    world.resource_mut::<CcdWorld>().restore(snapshot);
    // Now it is known whose the bodies are, and who is in a group with whom.
    playback::take_over(world);
    Ok(())
}

/// Whom bodies pass through: the first of each group gives it its name.
fn group(world: &mut World, entities: &[Entity], built: &ContactWorld) {
    let mut first_of: BTreeMap<u32, Entity> = BTreeMap::new();
    for (&entity, (_, body)) in entities.iter().zip(built.bodies()) {
        if let Some(number) = body.no_collide_group {
            let first = *first_of.entry(number).or_insert(entity);
            world.entity_mut(entity).insert(NoCollideGroup(first));
        }
    }
}

fn take_settings(world: &mut World, stated: &Stated, settings: &WorldSettings) {
    world.insert_resource(Gravity(from_vector(&settings.gravity)));
    world.insert_resource(CcdSettings {
        tolerance: settings.tolerance,
        contact_threshold: settings.contact_threshold,
        default_friction: stated.friction as f32,
        default_restitution: stated.restitution as f32,
        detection: settings.detection,
        response: settings.response,
        integrator: settings.integrator,
        broad_phase: settings.broad_phase,
        reduction: settings.reduction,
        initial_overlap: settings.initial_overlap,
        max_impacts_per_body: settings.max_impacts_per_body,
        sleeping: settings.sleeping,
        ..CcdSettings::default()
    });
}

fn dress(world: &mut World, entity: Entity, id: BodyId, body: &Body, stated: &StatedBody) {
    let pose = body.pose();
    let place =
        Transform::from_translation(from_vector(&pose.translation.vector)).with_rotation(from_rotation(&pose.rotation));
    let kind = match body.kind() {
        BodyKind::Static => RigidBody::Static,
        BodyKind::Dynamic => RigidBody::Dynamic,
        BodyKind::Kinematic => RigidBody::Kinematic,
    };
    let locked = body.locked_axes();
    world.entity_mut(entity).insert((
        Actor(id),
        Name::new(stated.name.clone()),
        kind,
        Collider::from(body.shape().clone()),
        place,
        LinearVelocity(from_vector(body.linear_velocity())),
        AngularVelocity(from_vector(body.angular_velocity())),
        LockedAxes { translation: locked.translation, rotation: locked.rotation },
        CollisionLayers { memberships: body.layers.memberships.into(), filters: body.layers.filters.into() },
        ConstantForce(from_vector(&body.force)),
        ConstantTorque(from_vector(&body.torque)),
    ));
    if body.kind() == BodyKind::Dynamic {
        let mass = body.mass_properties();
        world.entity_mut(entity).insert((Mass(mass.mass as f32), bevy_ccd::CenterOfMass(from_point(&mass.com))));
    }
    // What the case leaves to the world follows the panel's sliders.
    if let Some(friction) = stated.friction {
        world.entity_mut(entity).insert(Friction::new(friction as f32));
    }
    if let Some(restitution) = stated.restitution {
        world.entity_mut(entity).insert(Restitution::new(restitution as f32));
    }
    let mesh = world.resource_scope(|world, mut meshes: Mut<Meshes>| {
        meshes.get(body.shape(), &mut world.resource_mut::<Assets<Mesh>>())
    });
    let Some(mesh) = mesh else { return };
    let material = world.resource_scope(|world, mut paints: Mut<Paints>| {
        paints.get(paint_of(body.kind(), id), false, &mut world.resource_mut::<Assets<StandardMaterial>>())
    });
    world.entity_mut(entity).insert((Mesh3d(mesh), MeshMaterial3d(material)));
}
