//! A character that walks, jumps, climbs stairs, rides on a lift, slides along whatever it meets, and pushes crates: arrows or WASD, and space. It
//! jumps up through ledges, which are solid from above.
//!
//! `cargo run --release --example character`

use bevy::prelude::*;
use bevy_ccd::prelude::*;

const SPEED: f32 = 5.0;
const JUMP: f32 = 5.0;
const GRAVITY: f32 = 9.81;
/// Of each step of the stairs: how high and how deep.
const STEP: Vec2 = Vec2::new(0.25, 0.35);
const STEPS: u32 = 8;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, CcdPlugins::default()))
        .insert_resource(ClearColor(Color::srgb(0.07, 0.08, 0.1)))
        .add_systems(Startup, setup)
        .add_systems(FixedUpdate, (lift, walk))
        .run();
}

#[derive(Component, Default)]
struct Walker {
    velocity: Vec3,
    ground: Option<CharacterGround>,
}

/// A platform that goes up and down, and to and fro.
#[derive(Component)]
struct Lift;

fn lift(mut lifts: Query<&mut LinearVelocity, With<Lift>>, time: Res<Time>) {
    let phase = 0.8 * time.elapsed_secs();
    for mut velocity in &mut lifts {
        velocity.0 = Vec3::new(1.5 * (0.5 * phase).cos(), 0.8 * phase.sin(), 0.0);
    }
}

fn walk(
    keys: Res<ButtonInput<KeyCode>>,
    walker: Single<(Entity, &Collider, &mut Transform, &mut Walker)>,
    bodies: Query<&RigidBody>,
    move_and_slide: MoveAndSlide,
    time: Res<Time>,
) -> Result {
    let (entity, shape, mut transform, mut walker) = walker.into_inner();
    let pressed = |one, other| f32::from(u8::from(keys.any_pressed([one, other])));
    let right = pressed(KeyCode::ArrowRight, KeyCode::KeyD) - pressed(KeyCode::ArrowLeft, KeyCode::KeyA);
    let back = pressed(KeyCode::ArrowDown, KeyCode::KeyS) - pressed(KeyCode::ArrowUp, KeyCode::KeyW);
    let wanted = Vec3::new(right, 0.0, back).normalize_or_zero() * SPEED;
    let rise = match walker.ground {
        // Who jumps takes along what carried it up.
        Some(ground) if keys.pressed(KeyCode::Space) => JUMP + ground.velocity.y.max(0.0),
        _ => walker.velocity.y,
    };
    // Slopes up to 45° and steps up to 0.3 m, and down them without hopping.
    let walk = CharacterWalk::default();
    let config = MoveAndSlideConfig { walk: Some(walk), ..default() };
    let moved = move_and_slide.move_and_slide(
        &shape.scaled(transform.scale)?,
        transform.translation,
        transform.rotation,
        wanted.with_y(rise - GRAVITY * time.delta_secs()),
        time.delta(),
        &config,
        &SpatialQueryFilter::from_excluded_entities([entity]),
        |hit| {
            let is_dynamic = bodies.get(hit.entity).is_ok_and(|kind| kind.is_dynamic());
            let is_steep = hit.normal.y < walk.max_slope_climb_angle.cos();
            // What is dynamic and in the way is pushed: the step lets the body do so.
            if is_dynamic && is_steep { MoveAndSlideHitResponse::Ignore } else { MoveAndSlideHitResponse::Accept }
        },
    )?;
    transform.translation = moved.position;
    *walker = Walker { velocity: moved.projected_velocity, ground: moved.ground };
    Ok(())
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut materials: ResMut<Assets<StandardMaterial>>) {
    let [stone, wood, skin] = [[0.3, 0.33, 0.38], [0.7, 0.5, 0.3], [0.3, 0.6, 0.9]]
        .map(|[red, green, blue]| materials.add(Color::srgb(red, green, blue)));
    let mut block = |kind, size: Vec3, at: Transform, material: &Handle<StandardMaterial>| {
        let looks = (Mesh3d(meshes.add(Cuboid::from_size(size))), MeshMaterial3d(material.clone()));
        commands.spawn((kind, Collider::cuboid(size.x, size.y, size.z), looks, at));
    };
    block(RigidBody::Static, Vec3::new(30.0, 1.0, 30.0), Transform::from_xyz(0.0, -0.5, 0.0), &stone);
    // Slopes of 20°, 40° and 60°, and two walls that make an acute corner.
    for (k, angle) in [20.0_f32, 40.0, 60.0].into_iter().enumerate() {
        let at = Transform::from_xyz(-8.0 + 4.0 * k as f32, 0.0, -6.0);
        let at = at.with_rotation(Quat::from_rotation_x(angle.to_radians()));
        block(RigidBody::Static, Vec3::new(3.0, 1.0, 6.0), at, &stone);
    }
    for side in [-1.0, 1.0] {
        let at = Transform::from_xyz(8.0, 1.0, -4.0 + side).with_rotation(Quat::from_rotation_y(side * 0.3));
        block(RigidBody::Static, Vec3::new(8.0, 2.0, 0.2), at, &stone);
    }
    // Stairs up to a landing and down on its other side.
    for k in 0..STEPS {
        let rest = (STEPS - k) as f32;
        let size = Vec3::new(2.0 * rest * STEP.y + 2.0, STEP.x, 3.0);
        block(RigidBody::Static, size, Transform::from_xyz(9.0, (k as f32 + 0.5) * STEP.x, 6.0), &stone);
    }
    for k in 0..4 {
        let at = Transform::from_xyz(3.0, 0.5 + 1.01 * k as f32, 3.0);
        block(RigidBody::Dynamic, Vec3::ONE, at, &wood);
    }
    for k in 0..4 {
        let size = Vec3::new(3.0, 0.1, 2.0);
        commands.spawn((
            (RigidBody::Static, Collider::cuboid(size.x, size.y, size.z), OneWayPlatform::default()),
            (Mesh3d(meshes.add(Cuboid::from_size(size))), MeshMaterial3d(wood.clone())),
            Transform::from_xyz(-4.0 - 0.5 * k as f32, 1.0 + k as f32, 8.0),
        ));
    }
    commands.spawn((
        (RigidBody::Kinematic, Collider::cuboid(2.5, 0.2, 2.5), LinearVelocity::ZERO, Lift),
        (Mesh3d(meshes.add(Cuboid::new(2.5, 0.2, 2.5))), MeshMaterial3d(wood)),
        Transform::from_xyz(-1.0, 0.15, -1.5),
    ));
    commands.spawn((
        RigidBody::Static,
        ColliderConstructor::TrimeshFromMesh,
        Mesh3d(meshes.add(Torus::new(0.5, 2.0))),
        MeshMaterial3d(stone),
        Transform::from_xyz(-5.0, 0.0, 4.0),
    ));
    commands.spawn((
        RigidBody::Kinematic,
        Collider::capsule(0.4, 1.0),
        Walker::default(),
        Mesh3d(meshes.add(Capsule3d::new(0.4, 1.0))),
        MeshMaterial3d(skin),
        Transform::from_xyz(0.0, 2.0, 5.0),
        children![(Camera3d::default(), Transform::from_xyz(0.0, 5.0, 9.0).looking_at(Vec3::ZERO, Vec3::Y))],
    ));
    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(5.0, 10.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}
