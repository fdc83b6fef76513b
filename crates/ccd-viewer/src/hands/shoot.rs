//! Balls shot into the scene from the camera.

use std::collections::BTreeSet;

use bevy::ecs::message::MessageCursor;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_ccd::convert::{to_point, to_vector};
use bevy_ccd::{CcdBody, CcdWorld, Collider, ColliderDensity, LinearVelocity, RigidBody};
use ccd_core::detection::closest::interferes;
use ccd_core::math::Pose;
use ccd_core::shape::Shape;

use crate::camera::SceneCamera;
use crate::draw::bodies::{Actor, Paint, Paints};
use crate::draw::shapes::mesh_of;
use crate::playback::{self, Playback, Transport};
use crate::scenes::Scene;
use crate::stage::StageExtent;

/// Asks for a ball to be shot to where the pointer is, or straight ahead.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct Shoot;

/// What is shot.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// The radius of a ball as a share of the scene's.
    pub radius: f32,
    /// How many radii of the scene a ball flies in a second of watching.
    pub speed: f64,
    /// kg/m³.
    pub density: f32,
}

impl Default for Shot {
    /// As heavy as stone.
    fn default() -> Self {
        Self { radius: 0.045, speed: 5.0, density: 2600.0 }
    }
}

pub(super) fn shoot_asked(world: &mut World, mut cursor: Local<MessageCursor<Shoot>>) {
    let asked = world.get_resource::<Messages<Shoot>>().is_some_and(|asked| cursor.read(asked).count() > 0);
    if !asked {
        return;
    }
    let Some(ray) = line_of_fire(world) else { return };
    if !world.resource::<Playback>().tape.is_at_end() {
        playback::obey_now(world, Transport::Cut);
    }
    shoot(world, ray);
}

/// From the camera to the pointer; without a pointer, where the camera looks.
fn line_of_fire(world: &mut World) -> Option<Ray3d> {
    let cursor =
        world.query_filtered::<&Window, With<PrimaryWindow>>().iter(world).next().and_then(Window::cursor_position);
    let (camera, transform) =
        world.query_filtered::<(&Camera, &GlobalTransform), With<SceneCamera>>().iter(world).next()?;
    let towards = cursor.and_then(|cursor| camera.viewport_to_world(transform, cursor).ok());
    Some(towards.unwrap_or_else(|| Ray3d::new(transform.translation(), transform.forward())))
}

/// Adds a ball to the world at the end of the tape, flying along `ray`; none where there is no room for it.
fn shoot(world: &mut World, ray: Ray3d) {
    let shot = *world.resource::<Shot>();
    let radius = shot.radius * world.resource::<StageExtent>().radius;
    let speed =
        shot.speed * f64::from(world.resource::<StageExtent>().radius) / world.resource::<Playback>().rate.max(1e-9);
    let start = ray.origin + *ray.direction * (2.0 * radius);
    let Ok(ball) = Shape::ball(f64::from(radius)) else { return };
    let pose = Pose::from(to_point(start));
    playback::stand_at_end(world);
    let core = world.resource::<CcdWorld>().core();
    let touches = core.bodies().any(|(_, body)| interferes(body.shape(), body.pose(), &ball, &pose, 1e-3).is_some());
    if touches {
        return;
    }
    let mesh = mesh_of(&ball).map(|mesh| world.resource_mut::<Assets<Mesh>>().add(mesh));
    let name = new_name(world.resource::<Scene>());
    let velocity = to_vector(*ray.direction) * speed;
    let entity = world
        .spawn((
            RigidBody::Dynamic,
            Collider::from(ball),
            ColliderDensity(shot.density),
            Transform::from_translation(start),
            LinearVelocity(bevy_ccd::convert::from_vector(&velocity)),
            Name::new(name.clone()),
        ))
        .id();
    // The plugin takes it in without making a step.
    playback::take_over(world);
    let Some(id) = world.get::<CcdBody>(entity).map(CcdBody::id) else {
        world.despawn(entity);
        return;
    };
    let material = world.resource_scope(|world, mut paints: Mut<Paints>| {
        paints.get(Paint::Dynamic(id.index as usize), false, &mut world.resource_mut::<Assets<StandardMaterial>>())
    });
    world.entity_mut(entity).insert(Actor(id));
    if let Some(mesh) = mesh {
        world.entity_mut(entity).insert((Mesh3d(mesh), MeshMaterial3d(material)));
    }
    world.resource_mut::<Scene>().names.insert(id, name);
    playback::amend_end(world);
}

/// A name for a ball that nobody has in the scene, nor had in what is recorded of it.
fn new_name(scene: &Scene) -> String {
    let taken: BTreeSet<&str> = scene.names.values().map(String::as_str).collect();
    let mut number = 1;
    loop {
        let name = format!("shot-{number}");
        if !taken.contains(name.as_str()) {
            return name;
        }
        number += 1;
    }
}
