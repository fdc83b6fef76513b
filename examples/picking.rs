//! A wall of bricks: who points at one sees which, and a click pushes it away where it was clicked.
//!
//! `cargo run --release --example picking`

use bevy::prelude::*;
use bevy_ccd::prelude::*;

const BRICK: Vec3 = Vec3::new(1.0, 0.5, 0.5);
/// Of a click, N·s: a brick of a quarter of a ton alone would go at 3 m/s.
const PUSH: f32 = 750.0;

/// Of what is pointed at.
const GLOW: LinearRgba = LinearRgba::rgb(0.3, 0.2, 0.02);

fn main() {
    App::new().add_plugins((DefaultPlugins, CcdPlugins::default(), CcdPickingPlugin)).add_systems(Startup, setup).run();
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut materials: ResMut<Assets<StandardMaterial>>) {
    commands.spawn((
        RigidBody::Static,
        Collider::cuboid(20.0, 0.5, 20.0),
        Pickable::IGNORE,
        Mesh3d(meshes.add(Cuboid::new(20.0, 0.5, 20.0))),
        MeshMaterial3d(materials.add(Color::srgb(0.32, 0.36, 0.42))),
        Transform::from_xyz(0.0, -0.25, 0.0),
    ));
    let brick = meshes.add(Cuboid::from_size(BRICK));
    for row in 0..6 {
        for column in 0..6 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let at = Vec3::new(column as f32 - 2.75 + shift, BRICK.y * (row as f32 + 0.5), 0.0);
            let clay = Color::hsl(14.0, 0.45, 0.4 + 0.03 * ((row * 5 + column * 7) % 4) as f32);
            commands
                .spawn((
                    RigidBody::Dynamic,
                    Collider::cuboid(BRICK.x, BRICK.y, BRICK.z),
                    TransformInterpolation::default(),
                    Mesh3d(brick.clone()),
                    MeshMaterial3d(materials.add(clay)),
                    Transform::from_translation(at),
                ))
                .observe(glow::<Over>(GLOW))
                .observe(glow::<Out>(LinearRgba::BLACK))
                .observe(push);
        }
    }
    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(4.0, 8.0, 6.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((Camera3d::default(), Transform::from_xyz(2.0, 3.5, 9.0).looking_at(Vec3::Y * 1.5, Vec3::Y)));
}

fn push(click: On<Pointer<Click>>, cameras: Query<&GlobalTransform>, mut impulses: Impulses) -> Result {
    if let Some(place) = click.hit.position {
        let away = (place - cameras.get(click.hit.camera)?.translation()).normalize();
        impulses.push_at(click.entity, away * PUSH, place)?;
    }
    Ok(())
}

fn glow<E: std::fmt::Debug + Clone + Reflect>(
    emissive: LinearRgba,
) -> impl Fn(On<Pointer<E>>, Query<&MeshMaterial3d<StandardMaterial>>, ResMut<Assets<StandardMaterial>>) -> Result {
    move |event, bricks, mut materials| {
        if let Some(mut material) = materials.get_mut(bricks.get(event.entity)?.id()) {
            material.emissive = emissive;
        }
        Ok(())
    }
}
