//! The smallest use of the plugin: a ball falls on the ground.
//!
//! `cargo run --release --example minimal`

use bevy::prelude::*;
use bevy_ccd::prelude::*;

fn main() {
    App::new().add_plugins((DefaultPlugins, CcdPlugins::default())).add_systems(Startup, setup).run();
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut materials: ResMut<Assets<StandardMaterial>>) {
    commands.spawn((
        RigidBody::Static,
        Collider::cuboid(12.0, 0.5, 12.0),
        Mesh3d(meshes.add(Cuboid::new(12.0, 0.5, 12.0))),
        MeshMaterial3d(materials.add(Color::srgb(0.32, 0.36, 0.42))),
        Transform::from_xyz(0.0, -0.25, 0.0),
    ));
    commands.spawn((
        RigidBody::Dynamic,
        Collider::sphere(0.5),
        Restitution::new(0.7),
        TransformInterpolation::default(),
        Mesh3d(meshes.add(Sphere::new(0.5))),
        MeshMaterial3d(materials.add(Color::srgb(0.9, 0.45, 0.2))),
        Transform::from_xyz(0.0, 4.0, 0.0),
    ));
    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(4.0, 8.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 3.5, 9.0).looking_at(Vec3::Y, Vec3::Y)));
}
