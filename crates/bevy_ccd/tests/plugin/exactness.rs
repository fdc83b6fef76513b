//! The `f64` world is the truth; what the ECS shows never feeds back.

use crate::common::*;
use bevy_ccd::ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use bevy_ccd::ccd_core::math::{Pose, Vector};
use bevy_ccd::ccd_core::shape::Shape;
use bevy_ccd::ccd_core::world::World as CoreWorld;

#[test]
fn rounding_to_f32_moves_no_body() {
    // Far from the origin a step's motion is less than f32 can show there.
    let far = 1_000_000.0_f32;
    let slow = 0.001_f32;
    assert_eq!(far + slow / RATE as f32, far, "premise: f32 cannot show this motion");
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::cuboid(1.0, 2.0, 3.0),
            Transform::from_xyz(far, 0.0, 0.0).with_rotation(Quat::from_rotation_y(0.3)),
            LinearVelocity::new(slow, 0.0, 0.0),
            AngularVelocity::new(0.1, 0.2, 0.3),
        ))
        .id();
    let settings = app.world().resource::<CcdSettings>().to_world_settings(&Gravity::ZERO);
    let mut alone = CoreWorld::new(settings).expect("settings");
    let shape = Shape::cuboid([0.5, 1.0, 1.5]).expect("a box");
    let rotation = bevy_ccd::convert::to_rotation(Quat::from_rotation_y(0.3)).expect("a rotation");
    let pose = Pose::from_parts(Vector::new(far.into(), 0.0, 0.0).into(), rotation);
    let id = alone
        .add_body(BodyDefinition {
            linear_velocity: Vector::new(slow.into(), 0.0, 0.0),
            angular_velocity: Vector::new(0.1_f32.into(), 0.2_f32.into(), 0.3_f32.into()),
            mass: MassSpecification::Density(1000.0),
            ..BodyDefinition::new(BodyKind::Dynamic, shape, pose)
        })
        .expect("a body");
    for _ in 0..500 {
        run(&mut app, 1);
        alone.step(app.world().resource::<CcdWorld>().report().dt).expect("a step");
    }
    let alone = alone.body(id).expect("a body");
    assert_eq!(core_body(&app, body).pose(), alone.pose());
    assert_eq!(core_body(&app, body).angular_velocity(), alone.angular_velocity());
    let moved = alone.pose().translation.x - f64::from(far);
    assert!(moved > 0.005, "it has moved: {moved}");
}

#[test]
fn a_change_of_place_keeps_all_digits_of_the_rotation() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app.world_mut().spawn((ball(0.0), AngularVelocity::new(1.0, 2.0, 3.0))).id();
    run(&mut app, 33);
    app.insert_resource(CcdClock::paused());
    let before = core_body(&app, body).pose().rotation;
    assert_ne!(before, bevy_ccd::convert::to_rotation(bevy_ccd::convert::from_rotation(&before)).expect("a rotation"));
    app.world_mut().get_mut::<Transform>(body).expect("a transform").translation.x = 2.5;
    run(&mut app, 1);
    assert_eq!(core_body(&app, body).pose().translation.x, 2.5);
    assert_eq!(core_body(&app, body).pose().rotation, before);
}

#[test]
fn a_transform_that_is_touched_but_not_changed_changes_nothing() {
    let mut app = app_with(|app| {
        app.add_systems(Update, |mut all: Query<&mut Transform>| all.iter_mut().for_each(|mut t| t.set_changed()));
    });
    app.insert_resource(Gravity::ZERO);
    let body = app.world_mut().spawn((ball(0.1), LinearVelocity::new(0.1, 0.2, 0.3))).id();
    run(&mut app, 64);
    let exact = 0.1_f32 as f64 + 0.2_f32 as f64 * 64.0 / RATE;
    assert!((core_body(&app, body).pose().translation.y - exact).abs() < 1e-12);
}

#[test]
fn a_body_at_rest_is_not_marked_as_changed() {
    #[derive(Resource, Default)]
    struct Changes(u32);
    let mut app = app_with(|app| {
        app.init_resource::<Changes>().add_systems(
            Last,
            |moved: Query<(), (With<RigidBody>, Changed<Transform>)>, mut changes: ResMut<Changes>| {
                changes.0 = moved.iter().count() as u32;
            },
        );
    });
    app.insert_resource(Gravity::ZERO);
    app.world_mut().spawn(ball(0.0));
    run(&mut app, 5);
    assert_eq!(app.world().resource::<Changes>().0, 0);
}

#[test]
fn what_a_state_has_of_a_surface_and_of_forces_keeps_its_digits_while_something_else_is_set() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let pushed =
        (ball(0.0), ConstantForce(Vec3::new(0.1, 0.2, 0.3)), LinearDamping(0.1), SurfaceVelocity(Vec3::X * 0.7));
    let body = app.world_mut().spawn((pushed, Friction::new(0.3))).id();
    run(&mut app, 1);
    let mut state = app.world().resource::<CcdWorld>().snapshot();
    let id = app.world().get::<CcdBody>(body).expect("a body").id();
    let exact = state.core.body_mut(id).expect("it is there");
    (exact.force, exact.surface_velocity) = (Vector::new(0.1, 0.2, 0.3), Vector::new(0.7, 0.0, 0.0));
    (exact.material.friction, exact.linear_damping) = (0.3, 0.1);
    app.world_mut().resource_mut::<CcdWorld>().restore(state);
    run(&mut app, 1);
    app.world_mut().resource_mut::<CcdSettings>().default_restitution = 0.5;
    app.world_mut().entity_mut(body).insert(ConstantTorque(Vec3::X));
    run(&mut app, 1);
    let now = core_body(&app, body);
    assert_eq!((now.force, now.surface_velocity), (Vector::new(0.1, 0.2, 0.3), Vector::new(0.7, 0.0, 0.0)));
    assert_eq!((now.material.friction, now.linear_damping), (0.3, 0.1));
    assert_eq!((now.material.restitution, now.torque), (0.5, Vector::x()), "what was set is as it was set");
    app.world_mut().entity_mut(body).insert(Friction::new(0.4));
    run(&mut app, 1);
    assert_eq!(core_body(&app, body).material.friction, f64::from(0.4_f32));
}
