//! Shapes of many kinds rain into a box, each met by its own geometry.
//!
//! `cargo run --release --example falling_shapes`

use bevy::prelude::*;
use bevy_ccd::prelude::*;

const COLUMNS: i32 = 4;
const LAYERS: i32 = 5;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, CcdPlugins::default(), CcdPanelPlugin::default()))
        .insert_resource(ClearColor(Color::srgb(0.07, 0.08, 0.1)))
        .add_systems(Startup, (setup_stage, setup_shapes))
        .run();
}

fn setup_stage(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let stone = materials.add(Color::srgb(0.3, 0.33, 0.38));
    let glass = materials.add(StandardMaterial {
        base_color: Color::srgba(0.5, 0.7, 0.9, 0.15),
        alpha_mode: AlphaMode::Blend,
        ..default()
    });
    let mut wall = |size: Vec3, at: Vec3, material: &Handle<StandardMaterial>| {
        commands.spawn((
            RigidBody::Static,
            Collider::cuboid(size.x, size.y, size.z),
            Mesh3d(meshes.add(Cuboid::from_size(size))),
            MeshMaterial3d(material.clone()),
            Transform::from_translation(at),
        ));
    };
    wall(Vec3::new(14.0, 0.5, 14.0), Vec3::new(0.0, -0.25, 0.0), &stone);
    for side in [-1.0, 1.0] {
        wall(Vec3::new(0.1, 2.0, 6.2), Vec3::new(3.05 * side, 1.0, 0.0), &glass);
        wall(Vec3::new(6.0, 2.0, 0.1), Vec3::new(0.0, 1.0, 3.05 * side), &glass);
    }
    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(5.0, 10.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Camera3d::default(),
        AmbientLight { brightness: 250.0, ..default() },
        Transform::from_xyz(6.0, 6.5, 10.0).looking_at(Vec3::Y, Vec3::Y),
    ));
}

fn setup_shapes(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let octahedron = Sphere::new(0.5).mesh().uv(4, 2);
    // What is drawn, and what builds the collider.
    let kinds: [(Handle<Mesh>, ColliderConstructor); 6] = [
        (meshes.add(Sphere::new(0.4)), ColliderConstructor::Sphere { radius: 0.4 }),
        (
            meshes.add(Cuboid::new(0.9, 0.5, 0.7)),
            ColliderConstructor::Cuboid { x_length: 0.9, y_length: 0.5, z_length: 0.7 },
        ),
        (meshes.add(Capsule3d::new(0.25, 0.6)), ColliderConstructor::Capsule { radius: 0.25, height: 0.6 }),
        (meshes.add(Cylinder::new(0.35, 0.6)), ColliderConstructor::Cylinder { radius: 0.35, height: 0.6 }),
        (meshes.add(Cone::new(0.45, 0.8)), ColliderConstructor::Cone { radius: 0.45, height: 0.8 }),
        (meshes.add(octahedron), ColliderConstructor::ConvexHullFromMesh),
    ];
    for i in 0..COLUMNS * COLUMNS * LAYERS {
        let (column, row, layer) = (i % COLUMNS, i / COLUMNS % COLUMNS, i / (COLUMNS * COLUMNS));
        let [x, z] = [column, row].map(|k| 1.3 * (k as f32 - 0.5 * (COLUMNS - 1) as f32));
        let kind = (3 * i + 2 * layer) as usize % kinds.len();
        let (mesh, constructor) = kinds[kind].clone();
        let tilt = Quat::from_euler(EulerRot::XYZ, 0.4 * i as f32, 0.9 * i as f32, 0.2);
        commands.spawn((
            RigidBody::Dynamic,
            constructor,
            Restitution::new(0.2),
            TransformInterpolation::default(),
            Mesh3d(mesh),
            MeshMaterial3d(materials.add(Color::hsl(60.0 * kind as f32, 0.55, 0.55))),
            Transform::from_xyz(x, 3.0 + 1.4 * layer as f32, z).with_rotation(tilt),
        ));
    }
}
