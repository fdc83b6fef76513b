//! Pause, single step, Δt, schedules, diagnostics.

use crate::common::*;
use bevy::app::FixedMainScheduleOrder;
use bevy::diagnostic::DiagnosticsStore;
use bevy::ecs::schedule::ScheduleLabel;
use std::time::Duration;

#[test]
fn a_paused_world_stands_and_a_requested_step_is_made() {
    let mut app = app();
    let ball = app.world_mut().spawn(ball(10.0)).id();
    app.insert_resource(CcdClock::paused());
    run(&mut app, 20);
    assert_eq!(place(&app, ball).y, 10.0);
    app.world_mut().resource_mut::<CcdClock>().request_step();
    run(&mut app, 20);
    assert_eq!(app.world().resource::<CcdClock>().steps(), 1);
    assert!(place(&app, ball).y < 10.0);
}

#[test]
fn a_teleport_is_taken_over_while_paused() {
    let mut app = app();
    let ball = app.world_mut().spawn(ball(10.0)).id();
    run(&mut app, 1);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    app.world_mut().get_mut::<Transform>(ball).expect("a transform").translation.x = 4.0;
    run(&mut app, 1);
    assert_eq!(core_body(&app, ball).pose().translation.x, 4.0);
}

#[test]
fn a_set_step_length_is_the_length_of_every_step_and_of_the_fixed_clock() {
    let mut app = app();
    app.world_mut().spawn(ball(0.0));
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(0.01);
    run(&mut app, 10);
    assert_eq!(app.world().resource::<CcdWorld>().report().dt, 0.01);
    let timestep = app.world().resource::<Time<Fixed>>().timestep().as_secs_f64();
    assert!((timestep - 0.01).abs() < 1e-9);
}

#[test]
fn the_schedule_is_the_users_choice() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, CcdPlugins::new(PostUpdate)))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(10)));
    app.configure_schedules(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..default() });
    let ball = app.world_mut().spawn(ball(10.0)).id();
    run(&mut app, 20);
    assert_eq!(app.world().resource::<CcdWorld>().report().dt, 0.01);
    let global = app.world().get::<GlobalTransform>(ball).expect("propagated").translation();
    assert_eq!(global, place(&app, ball), "propagated after it was written, in the same frame");
    assert!(global.y < 10.0);
}

#[test]
fn every_step_is_recorded_in_the_diagnostics() {
    let mut app = app();
    app.world_mut().spawn(floor());
    app.world_mut().spawn(ball(0.51));
    run(&mut app, 30);
    let store = app.world().resource::<DiagnosticsStore>();
    for path in CcdDiagnosticsPlugin::paths() {
        assert!(store.get(&path).and_then(|diagnostic| diagnostic.value()).is_some(), "{path} has no value");
    }
    assert_eq!(store.get(&CcdDiagnosticsPlugin::BODIES).and_then(|d| d.value()), Some(2.0));
    assert_eq!(store.get(&CcdDiagnosticsPlugin::ASLEEP).and_then(|d| d.value()), Some(0.0));
    assert!(store.get(&CcdDiagnosticsPlugin::CONTACTS).and_then(|d| d.value()) >= Some(1.0));
}

#[test]
fn a_step_that_is_made_again_is_recorded_again() {
    let mut app = app();
    app.world_mut().spawn(ball(10.0));
    run(&mut app, 10);
    let recorded = |app: &App| {
        let store = app.world().resource::<DiagnosticsStore>();
        store.get(&CcdDiagnosticsPlugin::BODIES).map_or(0, |bodies| bodies.history_len())
    };
    let before = recorded(&app);
    let mut clock = app.world_mut().resource_mut::<CcdClock>();
    let (simulated, steps) = (clock.simulated(), clock.steps());
    clock.set_counts(simulated - 0.1, steps - 1);
    run(&mut app, 1);
    assert_eq!((app.world().resource::<CcdClock>().steps(), recorded(&app)), (steps, before + 1));
}

#[test]
fn a_step_that_cannot_be_is_told_once_and_the_world_goes_on_when_it_can() {
    for length in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
        let mut app = app();
        let ball = app.world_mut().spawn(ball(10.0)).id();
        app.world_mut().resource_mut::<CcdClock>().step_length = Some(length);
        run(&mut app, 5);
        assert_eq!(take::<CcdProblem>(&mut app).len(), 1, "{length}");
        app.world_mut().resource_mut::<CcdClock>().step_length = None;
        run(&mut app, 5);
        assert!(place(&app, ball).y < 10.0);
    }
}

#[test]
fn the_engines_fixed_clock_may_change_its_rate_while_the_world_runs() {
    let mut app = app();
    let ball = app.world_mut().spawn((ball(0.0), GravityScale(0.0), LinearVelocity::new(8.0, 0.0, 0.0))).id();
    run(&mut app, 4);
    let before = place(&app, ball).x;
    app.world_mut().resource_mut::<Time<Fixed>>().set_timestep_hz(16.0);
    run(&mut app, 4);
    assert_eq!(app.world().resource::<CcdWorld>().report().dt, 1.0 / 16.0);
    assert!((place(&app, ball).x - before - 8.0 * 4.0 / 16.0).abs() < 1e-4, "{}", place(&app, ball).x - before);
}

#[test]
fn a_world_whose_virtual_time_is_paused_stands() {
    let mut app = app_with(|_| {});
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / RATE)));
    app.world_mut().spawn(ball(10.0));
    run(&mut app, 4);
    let steps = app.world().resource::<CcdClock>().steps();
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    run(&mut app, 10);
    assert_eq!(app.world().resource::<CcdClock>().steps(), steps);
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
    run(&mut app, 4);
    assert!(app.world().resource::<CcdClock>().steps() >= steps + 3);
}

#[test]
fn a_step_that_is_asked_for_while_the_schedules_clock_stands_is_made_when_that_goes_on() {
    let per_frame = || {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, CcdPlugins::new(Update)));
        app.insert_resource(CcdClock::paused());
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(5)));
        app
    };
    let steps = |app: &App| app.world().resource::<CcdClock>().steps();
    let left = |app: &App| app.world().resource::<CcdClock>().requested_steps();
    // The first run of a schedule has not advanced yet.
    let mut app = per_frame();
    app.world_mut().resource_mut::<CcdClock>().request_step();
    run(&mut app, 3);
    assert_eq!((steps(&app), left(&app)), (1, 0));
    let mut app = per_frame();
    run(&mut app, 2);
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    app.world_mut().resource_mut::<CcdClock>().request_steps(3);
    run(&mut app, 5);
    assert_eq!((steps(&app), left(&app)), (0, 3));
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
    run(&mut app, 5);
    assert_eq!((steps(&app), left(&app)), (3, 0));
}

#[test]
fn a_world_with_steps_of_a_set_length_stands_while_virtual_time_is_paused_in_any_schedule() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, CcdPlugins::new(Update)));
    app.insert_resource(CcdClock::with_step_length(0.01));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(5)));
    let steps = |app: &App| app.world().resource::<CcdClock>().steps();
    run(&mut app, 4);
    let made = steps(&app);
    assert!(made >= 3);
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    run(&mut app, 8);
    assert_eq!(steps(&app), made);
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
    run(&mut app, 4);
    assert_eq!(steps(&app), made + 4);
}

/// A schedule of the app's own.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Physics;

/// An app that steps in that, which it puts among the fixed ones before or after the plugin is added; frames of 10 ms.
fn app_of_physics(plugin_first: bool) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin)).init_schedule(Physics);
    if plugin_first {
        app.add_plugins(CcdPlugins::new(Physics));
    }
    app.world_mut().resource_mut::<FixedMainScheduleOrder>().insert_after(FixedPostUpdate, Physics);
    if !plugin_first {
        app.add_plugins(CcdPlugins::new(Physics));
    }
    app.insert_resource(Gravity::ZERO).insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(10)));
    app.finish();
    app.cleanup();
    app.update();
    app
}

#[test]
fn steps_of_a_set_length_stay_with_real_time_in_a_schedule_of_ones_own_among_the_fixed_ones() {
    for plugin_first in [false, true] {
        let mut app = app_of_physics(plugin_first);
        let ball = app.world_mut().spawn((ball(0.0), LinearVelocity(Vec3::X))).id();
        app.insert_resource(CcdClock::with_step_length(0.1));
        run(&mut app, 300);
        let x = place(&app, ball).x;
        assert!((2.7..3.1).contains(&x), "in 3 s at 1 m/s it goes {x} m; plugin first: {plugin_first}");
    }
}

#[test]
fn what_is_eased_is_eased_in_a_schedule_of_ones_own_among_the_fixed_ones() {
    for plugin_first in [false, true] {
        let mut app = app_of_physics(plugin_first);
        app.insert_resource(Time::<Fixed>::from_hz(20.0));
        let eased = (ball(0.0), LinearVelocity(Vec3::X), TransformInterpolation::default());
        let ball = app.world_mut().spawn(eased).id();
        run(&mut app, 20);
        let mut x = place(&app, ball).x;
        for _ in 0..10 {
            app.update();
            let before = std::mem::replace(&mut x, place(&app, ball).x);
            assert!((x - before - 0.01).abs() < 1e-3, "from {before} to {x}; plugin first: {plugin_first}");
        }
    }
}

#[test]
fn a_schedule_that_runs_once_a_frame_leaves_the_fixed_clock_alone() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, CcdPlugins::new(Update)));
    app.insert_resource(CcdClock::with_step_length(0.1));
    let timestep = app.world().resource::<Time<Fixed>>().timestep();
    run(&mut app, 3);
    assert_eq!(app.world().resource::<Time<Fixed>>().timestep(), timestep);
}
