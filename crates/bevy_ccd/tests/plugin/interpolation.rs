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

#[test]
fn a_state_that_is_put_back_is_a_jump_and_eased_from_there_on() {
    let mut app = still_app();
    let velocity = LinearVelocity::new(RATE as f32, 0.0, 0.0);
    let body = app.world_mut().spawn((ball(0.0), velocity, TransformInterpolation::default())).id();
    quarter_frames(&mut app);
    run(&mut app, 41);
    let before = app.world().resource::<CcdWorld>().snapshot();
    let left = core_body(&app, body).pose().translation.x as f32;
    run(&mut app, 41);
    app.world_mut().resource_mut::<CcdWorld>().restore(before);
    let forward = place(&app, body).x;
    let mut last = forward;
    for _ in 0..16 {
        run(&mut app, 1);
        let now = place(&app, body).x;
        // One metre a step, a quarter of it a frame: on at the end of the way, or near the place that it goes back to.
        assert!(now >= forward || (now - left).abs() < 4.5, "{now} is between {left} and {forward}");
        assert!(now > forward || last >= forward || now - last < 0.251, "from {last} to {now}");
        last = now;
    }
    assert!((last - left).abs() < 4.5);
}

/// Frames of 4/9 of a step: 144 a second at 64 steps a second.
fn fast_frames(app: &mut App) {
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(64.0 / 144.0 / RATE)));
}

#[test]
fn a_rotation_or_scale_that_is_written_between_steps_costs_no_way() {
    type Write = fn(&mut Transform, f32);
    let writes: [Write; 2] = [
        |transform, k| transform.rotation = Quat::from_rotation_y(0.01 * k),
        |transform, k| transform.scale = Vec3::splat(1.0 + 1e-3 * k),
    ];
    for write in writes {
        for every in [1, 2, 3, 6] {
            let mut app = app_with(|app| {
                app.add_systems(
                    Update,
                    move |mut bodies: Query<&mut Transform, With<CcdBody>>, mut frame: Local<u32>| {
                        *frame += 1;
                        for mut transform in bodies.iter_mut().filter(|_| frame.is_multiple_of(every)) {
                            write(&mut transform, *frame as f32);
                        }
                    },
                );
            });
            app.insert_resource(Gravity::ZERO);
            let walker = (RigidBody::Dynamic, Collider::capsule(0.4, 1.0), LockedAxes::ROTATION_LOCKED);
            let walker = (walker, LinearVelocity::new(10.0, 0.0, 0.0), TransformInterpolation::default());
            let walker = app.world_mut().spawn(walker).id();
            fast_frames(&mut app);
            run(&mut app, 144);
            let (steps, mut last) = (app.world().resource::<CcdClock>().steps(), place(&app, walker).x);
            let way = core_body(&app, walker).pose().translation.x;
            assert!((way - 10.0 * (steps - 1) as f64 / RATE).abs() < 0.2, "{way} m in {steps} steps, every {every}");
            for _ in 0..30 {
                run(&mut app, 1);
                let now = place(&app, walker).x;
                assert!((now - last - 10.0 / 144.0).abs() < 1e-3, "not smooth: from {last} to {now}, every {every}");
                last = now;
            }
        }
    }
}

#[test]
fn a_place_that_is_written_between_steps_turns_nothing_back() {
    for phase in 0..4 {
        let mut app = app();
        app.insert_resource(Gravity::ZERO);
        let spinning = (ball(0.0), AngularVelocity::new(0.0, 10.0, 0.0), TransformInterpolation::default());
        let spinning = app.world_mut().spawn(spinning).id();
        quarter_frames(&mut app);
        run(&mut app, 40 + phase);
        let angle = |app: &App| core_body(app, spinning).pose().rotation.scaled_axis().y;
        let steps = |app: &App| app.world().resource::<CcdClock>().steps();
        let (start, first) = (angle(&app), steps(&app));
        app.world_mut().get_mut::<Transform>(spinning).expect("a transform").translation.x = 9.0;
        run(&mut app, 8);
        let turned = 10.0 / RATE * (steps(&app) - first) as f64;
        assert!((angle(&app) - start - turned).abs() < 1e-6, "{} and not {turned}", angle(&app) - start);
        assert_eq!(place(&app, spinning).x, 9.0);
    }
}

#[test]
fn a_disabled_body_stands_still_on_the_screen() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = (ball(0.0), LinearVelocity::new(8.0, 0.0, 0.0), TransformInterpolation::default());
    let body = app.world_mut().spawn(body).id();
    quarter_frames(&mut app);
    run(&mut app, 18);
    app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
    run(&mut app, 8);
    let stands = place(&app, body);
    for _ in 0..16 {
        run(&mut app, 1);
        assert_eq!(place(&app, body), stands);
    }
}

/// An eased body at 10 m/s, frames of less than a third of a step, and one of them between two steps.
fn between_steps(more: impl FnOnce(&mut App)) -> (App, Entity) {
    let mut app = app_with(more);
    app.insert_resource(Gravity::ZERO);
    let body = (ball(0.0), LinearVelocity::new(10.0, 0.0, 0.0), TransformInterpolation::default());
    let body = app.world_mut().spawn(body).id();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(0.3 / RATE)));
    run(&mut app, 41);
    let is = core_body(&app, body).pose().translation.x as f32;
    assert!(place(&app, body).x < is - 0.02, "it is drawn where it was");
    (app, body)
}

#[test]
fn an_eased_body_stands_while_a_run_condition_stops_the_sets() {
    #[derive(Resource)]
    struct Playing(bool);
    use CcdSystems::{BroadPhase, NarrowPhase, Response, Sync, Writeback};
    let (mut app, body) = between_steps(|app| {
        let all = (Sync, BroadPhase, NarrowPhase, Response, Writeback);
        app.insert_resource(Playing(true));
        app.configure_sets(FixedPostUpdate, all.run_if(|playing: Res<Playing>| playing.0));
    });
    app.world_mut().resource_mut::<Playing>().0 = false;
    // Up to where it is.
    run(&mut app, 8);
    let is = core_body(&app, body).pose().translation.x as f32;
    for _ in 0..14 {
        run(&mut app, 1);
        assert_eq!(place(&app, body).x, is);
    }
    app.world_mut().resource_mut::<Playing>().0 = true;
    run(&mut app, 20);
    assert!(place(&app, body).x > is, "it goes on");
}

#[test]
fn who_is_eased_no_longer_or_eased_anew_loses_no_way() {
    for again in [false, true] {
        let (mut app, body) = between_steps(|_| {});
        let from = core_body(&app, body).pose().translation.x;
        let steps = app.world().resource::<CcdClock>().steps();
        let mut entity = app.world_mut().entity_mut(body);
        if again {
            entity.insert(TransformInterpolation::default());
        } else {
            entity.remove::<TransformInterpolation>();
        }
        assert_eq!(place(&app, body).x, from as f32, "it shows where it is");
        run(&mut app, 20);
        let way = 10.0 / RATE * (app.world().resource::<CcdClock>().steps() - steps) as f64;
        let is = core_body(&app, body).pose().translation.x;
        assert!((is - from - way).abs() < 1e-12, "inserted again: {again}, {way} m, from {from} to {is}");
    }
}
