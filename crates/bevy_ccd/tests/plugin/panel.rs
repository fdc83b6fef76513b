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
