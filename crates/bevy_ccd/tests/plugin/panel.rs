//! The panel's contents, without a window.

use crate::common::*;
use bevy::ecs::system::SystemState;
use bevy_ccd::panel::{CcdPanelParam, panel_ui};
use bevy_egui::egui;

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
