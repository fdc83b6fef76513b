//! Balls shot into the scene from the camera.

use std::collections::BTreeSet;

use bevy::ecs::message::MessageCursor;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_ccd::convert::{to_point, to_vector};
use bevy_ccd::{CcdBody, Collider, ColliderDensity, LinearVelocity, RigidBody};
use ccd_core::detection::closest::interferes;
use ccd_core::math::Pose;
use ccd_core::shape::Shape;

use crate::camera::SceneCamera;
use crate::draw::bodies::{Actor, Paint, Paints};
use crate::draw::shapes::Meshes;
use crate::panels::hud::Notice;
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
    // Whoever cannot be shot forgets nothing of what is recorded.
    let Some(flight) = Flight::of(world, ray) else {
        let now = world.resource::<Time<Real>>().elapsed();
        world.resource_mut::<Notice>().tell("there is no room for a ball before the camera", now);
        return;
    };
    if !world.resource::<Playback>().tape.is_at_end() {
        playback::obey_now(world, Transport::Cut);
    }
    shoot(world, flight);
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

/// A ball, where it starts and how it flies.
struct Flight {
    ball: Shape,
    start: Vec3,
    velocity: Vec3,
}

impl Flight {
    /// Along `ray`; none where there is no room for the ball at the watched instant.
    fn of(world: &World, ray: Ray3d) -> Option<Self> {
        let (shot, playback) = (world.resource::<Shot>(), world.resource::<Playback>());
        let size = world.resource::<StageExtent>().radius;
        let radius = shot.radius * size;
        let speed = shot.speed * f64::from(size) / playback.rate.max(1e-9);
        let start = ray.origin + *ray.direction * (2.0 * radius);
        let ball = Shape::ball(f64::from(radius)).ok()?;
        let place = Pose::from(to_point(start));
        let (state, ..) = playback.watched()?;
        let margin = state.world().settings().tolerance;
        let mut bodies = state.world().bodies();
        let is_free = bodies.all(|(id, body)| {
            let pose = playback.pose(id).unwrap_or(*body.pose());
            interferes(body.shape(), &pose, &ball, &place, margin).is_none()
        });
        let velocity = bevy_ccd::convert::from_vector(&(to_vector(*ray.direction) * speed));
        is_free.then_some(Self { ball, start, velocity })
    }
}

/// Adds a ball to the world at the end of the tape.
fn shoot(world: &mut World, Flight { ball, start, velocity }: Flight) {
    let density = world.resource::<Shot>().density;
    playback::stand_at_end(world);
    let mesh = world
        .resource_scope(|world, mut meshes: Mut<Meshes>| meshes.get(&ball, &mut world.resource_mut::<Assets<Mesh>>()));
    let name = new_name(world.resource::<Scene>());
    let entity = world
        .spawn((
            RigidBody::Dynamic,
            Collider::from(ball),
            ColliderDensity(density),
            Transform::from_translation(start),
            LinearVelocity(velocity),
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
