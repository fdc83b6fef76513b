//! The panel's contents, without a window.

use crate::common::*;
use bevy::ecs::system::SystemState;
use bevy::log::LogPlugin;
use bevy::render::RenderPlugin;
use bevy::render::settings::{RenderCreation, WgpuSettings};
use bevy::render::sync_world::SyncWorldPlugin;
use bevy::winit::WinitPlugin;
use bevy_ccd::ccd_core::bounds::HierarchyKind;
use bevy_ccd::panel::{CcdPanelParam, panel_ui};
use bevy_egui::{EguiGlobalSettings, PrimaryEguiContext, egui};

#[test]
fn showing_the_panel_changes_nothing() {
    let mut app = app();
    app.world_mut().spawn(floor());
    app.world_mut().spawn(ball(0.6));
    run(&mut app, 60);
    let before = (
        app.world().resource::<CcdSettings>().clone(),
        *app.world().resource::<CcdClock>(),
        *app.world().resource::<Gravity>(),
        app.world().resource::<CcdDebug>().clone(),
    );
    let context = egui::Context::default();
    let mut state = SystemState::<CcdPanelParam>::new(app.world_mut());
    for _ in 0..3 {
        let mut param = state.get_mut(app.world_mut()).expect("the plugin's resources");
        let output = context.run_ui(egui::RawInput::default(), |ui| panel_ui(ui, &mut param));
        assert!(!output.shapes.is_empty(), "something is shown");
    }
    let after = (
        app.world().resource::<CcdSettings>().clone(),
        *app.world().resource::<CcdClock>(),
        *app.world().resource::<Gravity>(),
        app.world().resource::<CcdDebug>().clone(),
    );
    assert_eq!(before, after);
}

#[test]
fn showing_the_panel_leaves_what_lies_beyond_its_sliders_and_between_their_digits() {
    let mut app = app();
    app.world_mut().spawn(ball(0.6));
    let settings = CcdSettings {
        tolerance: 0.0512345678901,
        contact_threshold: 0.5,
        default_friction: 5.0,
        default_rolling_resistance: 0.25,
        max_impacts_per_body: 70_000,
        ..default()
    };
    let clock = CcdClock::with_step_length(0.5);
    let gravity = Gravity(Vec3::new(0.0, -1.625, 1e-4));
    let debug = CcdDebug {
        contact_normals: true,
        forces: true,
        contact_points: true,
        hierarchy: Some(HierarchyKind::ObbTree),
        hierarchy_level: 30,
        normal_length: 1e-7,
        force_length: 7e5,
        point_size: 500.0,
        ..default()
    };
    app.insert_resource(settings.clone())
        .insert_resource(clock)
        .insert_resource(gravity)
        .insert_resource(debug.clone());
    let context = egui::Context::default();
    let mut state = SystemState::<CcdPanelParam>::new(app.world_mut());
    for _ in 0..3 {
        let mut param = state.get_mut(app.world_mut()).expect("the plugin's resources");
        _ = context.run_ui(egui::RawInput::default(), |ui| panel_ui(ui, &mut param));
    }
    assert_eq!(*app.world().resource::<CcdSettings>(), settings);
    assert_eq!(*app.world().resource::<CcdClock>(), clock);
    assert_eq!(*app.world().resource::<Gravity>(), gravity);
    assert_eq!(*app.world().resource::<CcdDebug>(), debug);
}

#[test]
fn a_pair_that_is_looked_into_is_found_and_shown() {
    use bevy_ccd::inspect::CcdFindings;
    let mut app = app();
    let floor = app.world_mut().spawn((floor(), Name::new("ground"))).id();
    let body = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.6, 0.0));
    let body = app.world_mut().spawn((body, Name::new("crate"))).id();
    app.insert_resource(CcdInspect {
        regions: true,
        walk: true,
        trajectory: true,
        paper_box: true,
        index: true,
        body: Some(body),
        ..CcdInspect::pair(body, floor)
    });
    run(&mut app, 2);
    let findings = app.world().resource::<CcdFindings>().clone();
    let closest = findings.closest.expect("a distance");
    assert!((closest.distance - 0.1).abs() < 0.02, "{closest:?}");
    assert!(findings.regions.iter().all(Option::is_some));
    let walk = findings.walk.expect("both are boxes");
    let last = walk.distances.last().copied().expect("a step");
    assert!((last - closest.distance).abs() < 1e-9, "the walk ends at the closest features: {last}");
    assert!(walk.distances.windows(2).all(|w| w[1] <= w[0] + 1e-12), "and never gets further: {:?}", walk.distances);
    app.world_mut().resource_mut::<CcdInspect>().walk_from_far = true;
    run(&mut app, 1);
    let after = app.world().resource::<CcdFindings>().clone();
    let far = after.walk.expect("both are boxes");
    assert!(far.steps.len() > walk.steps.len(), "over both bodies: {:?}", far.steps);
    let (last, distance) = (far.distances.last().expect("a step"), after.closest.expect("a distance").distance);
    assert!((last - distance).abs() < 1e-9, "it ends at the closest features, too: {last} and {distance}");
    let trajectory = findings.trajectory.expect("a way");
    assert_eq!(trajectory.vertices, 8);
    assert!(!trajectory.boxes.is_empty() && !trajectory.paper.misses(), "a fall is straight");

    run(&mut app, 60);
    let context = egui::Context::default();
    let before = app.world().resource::<CcdInspect>().clone();
    let mut state = SystemState::<CcdPanelParam>::new(app.world_mut());
    let mut param = state.get_mut(app.world_mut()).expect("the plugin's resources");
    let output = context.run_ui(egui::RawInput::default(), |ui| panel_ui(ui, &mut param));
    assert!(!output.shapes.is_empty());
    assert_eq!(before, *app.world().resource::<CcdInspect>());
    // A pair that is gone has nothing to show.
    app.world_mut().despawn(body);
    run(&mut app, 2);
    assert_eq!(*app.world().resource::<CcdFindings>(), CcdFindings::default());
}

/// All texts that are painted.
fn texts(shape: &egui::Shape, into: &mut Vec<String>) {
    match shape {
        egui::Shape::Text(text) => into.push(text.galley.text().to_owned()),
        egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| texts(shape, into)),
        _ => {}
    }
}

#[test]
fn a_press_that_stopped_is_told_by_its_name() {
    use bevy_ccd::ccd_core::world::StepReport;

    let mut app = still_app();
    let slab = |kind, x: f32| (kind, Collider::cuboid(1.0, 4.0, 4.0), Transform::from_xyz(x, 0.0, 0.0));
    app.world_mut().spawn(slab(RigidBody::Static, 1.5));
    app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.4, 0.0, 0.0)));
    let press = (slab(RigidBody::Kinematic, -1.5), LinearVelocity(Vec3::X * 2.0), Name::new("the press"));
    app.world_mut().spawn(press);
    let report = |app: &App| -> StepReport { app.world().resource::<CcdWorld>().report().clone() };
    let steps = (0..120).take_while(|_| {
        run(&mut app, 1);
        report(&app).crushed.is_empty()
    });
    assert!(steps.count() < 120, "it stops");
    let context = egui::Context::default();
    let mut state = SystemState::<CcdPanelParam>::new(app.world_mut());
    let mut told = Vec::new();
    for _ in 0..3 {
        let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(400.0, 4000.0)));
        let mut param = state.get_mut(app.world_mut()).expect("the plugin's resources");
        let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
        let output = context.run_ui(input, |ui| panel_ui(ui, &mut param));
        output.shapes.iter().for_each(|clipped| texts(&clipped.shape, &mut told));
    }
    assert!(told.iter().any(|text| text.contains("the press stopped")), "{told:?}");
}

/// How many cameras have the context that the panel is drawn on, and whether this one is among them.
fn contexts(app: &mut App, camera: Entity) -> (usize, bool) {
    let mut contexts = app.world_mut().query_filtered::<Entity, With<PrimaryEguiContext>>();
    let all: Vec<Entity> = contexts.iter(app.world()).collect();
    (all.len(), all.contains(&camera))
}

#[test]
fn the_panel_goes_on_to_the_next_camera_when_its_own_is_gone() {
    for automatic in [true, false] {
        let mut app = App::new();
        // Nothing is drawn, and the renderer's list of what has gone is there for those who write into it.
        let nowhere = Box::new(WgpuSettings { backends: None, ..default() });
        let render = RenderPlugin { render_creation: RenderCreation::Automatic(nowhere), ..default() };
        app.add_plugins(DefaultPlugins.set(render).disable::<WinitPlugin>().disable::<LogPlugin>());
        app.add_plugins(SyncWorldPlugin);
        app.add_plugins((CcdPlugins::default(), CcdPanelPlugin::default()));
        let menu = app.world_mut().spawn(Camera2d).id();
        run(&mut app, 2);
        assert_eq!(contexts(&mut app, menu), (1, true));
        app.world_mut().resource_mut::<EguiGlobalSettings>().auto_create_primary_context = automatic;
        app.world_mut().despawn(menu);
        let game = app.world_mut().spawn(Camera3d::default()).id();
        run(&mut app, 2);
        assert_eq!(contexts(&mut app, game), (usize::from(automatic), automatic));
        // A second camera gets none.
        let map = app.world_mut().spawn(Camera2d).id();
        run(&mut app, 2);
        assert!(!contexts(&mut app, map).1);
    }
}
