//! A hundred bullets of 640 triangles at 1000 m/s against a sheet without thickness, with a hole in it: in one step each
//! flies 16 m, and yet those that meet the sheet bounce, and those that meet the hole fly on.
//!
//! Space fires again; the panel has pause, single step, Δt and overlays.
//!
//! `cargo run --release --example bullets`

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_ccd::prelude::*;
use bevy_ccd::{ColliderError, mesh_of};
use ccd_scenes::models::{Bullet, Model, WarpedPlane};

const SPEED: f32 = 1000.0;
/// Metres in front of the sheet.
const START: f32 = 10.0;
const SIDE: i32 = 10;
const SPACING: f32 = 0.2;

/// Where a bullet is fired from.
#[derive(Component)]
struct Muzzle(Transform);

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, CcdPlugins::default(), CcdPanelPlugin::default()))
        .insert_resource(ClearColor(Color::srgb(0.07, 0.08, 0.1)))
        .insert_resource(Gravity::ZERO)
        .insert_resource(CcdDebug::contacts())
        // Δt is 1/60 s; it is shown thirty times slower.
        .insert_resource(CcdClock::with_step_length(1.0 / 60.0))
        .add_systems(Startup, (slow_down, setup))
        .add_systems(Update, fire.run_if(bevy::input::common_conditions::input_just_pressed(KeyCode::Space)))
        .run();
}

fn slow_down(mut time: ResMut<Time<Virtual>>) {
    time.set_relative_speed(1.0 / 30.0);
}

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result<(), BevyError> {
    let sheet = WarpedPlane::default().build()?;
    commands.spawn((
        RigidBody::Static,
        Mesh3d(meshes.add(mesh_of(&sheet))),
        MeshMaterial3d(materials.add(StandardMaterial {
            base_color: Color::srgb(0.35, 0.5, 0.65),
            metallic: 0.6,
            double_sided: true,
            cull_mode: None,
            ..default()
        })),
        Collider::from_trimesh(sheet)?,
        // Its bulge towards the bullets.
        Transform::from_rotation(Quat::from_rotation_z(FRAC_PI_2)),
    ));

    let bullet = Bullet::default().build()?;
    let look = (Mesh3d(meshes.add(mesh_of(&bullet))), MeshMaterial3d(materials.add(Color::srgb(0.85, 0.6, 0.25))));
    let hull: Result<Collider, ColliderError> =
        Collider::convex_hull(bullet.vertices().iter().map(|p| [p.x, p.y, p.z]));
    let hull = hull?;
    for row in 0..SIDE {
        for column in 0..SIDE {
            let [y, z] = [row, column].map(|i| (i as f32 - 0.5 * (SIDE - 1) as f32) * SPACING);
            // Tip first, along +x.
            let muzzle = Transform::from_xyz(-START, y, z).with_rotation(Quat::from_rotation_z(-FRAC_PI_2));
            commands.spawn((
                RigidBody::Dynamic,
                hull.clone(),
                ColliderDensity(10_000.0),
                Restitution::new(0.5),
                Friction::new(0.2),
                LinearVelocity::new(SPEED, 0.0, 0.0),
                TransformInterpolation::default(),
                look.clone(),
                muzzle,
                Muzzle(muzzle),
            ));
        }
    }

    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(-6.0, 8.0, 5.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Camera3d::default(),
        AmbientLight { brightness: 300.0, ..default() },
        Transform::from_xyz(-4.0, 2.0, 5.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    Ok(())
}

/// Puts every bullet back: a written transform is a teleport, a written velocity is taken over.
fn fire(mut bullets: Query<(&Muzzle, &mut Transform, &mut LinearVelocity, &mut AngularVelocity)>) {
    for (muzzle, mut transform, mut linear, mut angular) in &mut bullets {
        *transform = muzzle.0;
        *linear = LinearVelocity::new(SPEED, 0.0, 0.0);
        *angular = AngularVelocity::ZERO;
    }
}
