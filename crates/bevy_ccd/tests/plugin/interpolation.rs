//! Eased poses between steps.

use crate::common::*;
use std::time::Duration;

/// Frames of a quarter of a step.
fn quarter_frames(app: &mut App) {
    let quarter = Duration::from_secs_f64(0.25 / RATE);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(quarter));
}

#[test]
fn a_frame_between_two_steps_shows_a_pose_between() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app
        .world_mut()
        .spawn((ball(0.0), LinearVelocity::new(RATE as f32, 0.0, 0.0), TransformInterpolation::default()))
        .id();
    run(&mut app, 4);
    quarter_frames(&mut app);
    let mut last = place(&app, body).x;
    for _ in 0..24 {
        run(&mut app, 1);
        let now = place(&app, body).x;
        // One metre a step: a quarter of it a frame.
        assert!((now - last - 0.25).abs() < 1e-3, "from {last} to {now}");
        last = now;
    }
}

#[test]
fn easing_changes_no_bit_of_the_simulation() {
    let outcome = |eased: bool| {
        let mut app = app();
        app.world_mut().spawn(floor());
        let body = app
            .world_mut()
            .spawn((
                RigidBody::Dynamic,
                Collider::cuboid(1.0, 0.5, 0.7),
                Transform::from_xyz(0.0, 2.0, 0.0).with_rotation(Quat::from_rotation_x(0.4)),
                AngularVelocity::new(1.0, 2.0, 0.5),
            ))
            .id();
        if eased {
            app.world_mut().entity_mut(body).insert(TransformInterpolation::default());
        }
        quarter_frames(&mut app);
        run(&mut app, 400);
        *core_body(&app, body).pose()
    };
    assert_eq!(outcome(true), outcome(false));
}

#[test]
fn a_teleport_of_an_eased_body_is_a_jump() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body =
        app.world_mut().spawn((ball(0.0), LinearVelocity::new(8.0, 0.0, 0.0), TransformInterpolation::default())).id();
    quarter_frames(&mut app);
    run(&mut app, 17);
    app.world_mut().get_mut::<Transform>(body).expect("a transform").translation = Vec3::new(0.0, 100.0, 0.0);
    for _ in 0..16 {
        run(&mut app, 1);
        assert_eq!(place(&app, body).y, 100.0, "neither eased nor undone");
    }
    assert!((core_body(&app, body).pose().translation.y - 100.0).abs() < 1e-9);
    assert!(core_body(&app, body).pose().translation.x > 0.1);
}
