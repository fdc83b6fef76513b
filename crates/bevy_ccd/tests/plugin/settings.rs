//! Settings can be seen and set by reflection, as editors do; the plugin by itself is enough.

use crate::common::*;
use bevy::ecs::system::SystemState;
use bevy::reflect::{PartialReflect, ReflectMut, ReflectRef, enums::DynamicEnum, tuple::DynamicTuple};
use bevy_ccd::CcdPlugin;
use bevy_ccd::ccd_core::bounds::HierarchyKind;
use bevy_ccd::ccd_core::math::Vector;
use bevy_ccd::ccd_core::world::{InitialOverlap, ResponseMethod, WorldSettings};

#[test]
fn every_setting_is_reflected_and_every_choice_can_be_taken_by_its_name() {
    let mut settings = CcdSettings::default();
    // Its number of fields, so that one that is added is not forgotten.
    let CcdSettings {
        tolerance: _,
        contact_threshold: _,
        default_restitution: _,
        default_friction: _,
        default_rolling_resistance: _,
        max_impacts_per_body: _,
        sleeping: _,
        parallel: _,
        detection: _,
        response: _,
        integrator: _,
        broad_phase: _,
        reduction: _,
        initial_overlap: _,
    } = settings;
    let ReflectMut::Struct(fields) = settings.reflect_mut() else { panic!("it is a struct") };
    assert_eq!(fields.field_len(), 14);
    let choices = [
        ("detection", "Auto", "Advancement"),
        ("response", "Shock", "Penalty"),
        ("integrator", "ImprovedEuler", "Rk4"),
        ("broad_phase", "Tree", "Grid"),
        ("reduction", "Manifold", "Cluster"),
        ("initial_overlap", "Separate", "Error"),
    ];
    for (name, now, wanted) in choices {
        let field = fields.field_mut(name).unwrap_or_else(|| panic!("no {name}"));
        let ReflectRef::Enum(choice) = field.reflect_ref() else { panic!("{name} is no choice") };
        assert_eq!(choice.variant_name(), now);
        field.try_apply(&DynamicEnum::new(wanted, ())).expect("it has this variant");
        let ReflectRef::Enum(choice) = field.reflect_ref() else { panic!("{name} is no choice") };
        assert_eq!(choice.variant_name(), wanted);
        assert!(field.try_apply(&DynamicEnum::new("Magic", ())).is_err());
    }
    assert_eq!((settings.response, settings.initial_overlap), (ResponseMethod::Penalty, InitialOverlap::Error));
    let copy = CcdSettings::from_reflect(settings.to_dynamic().as_partial_reflect()).expect("all of it");
    assert_eq!(copy, settings);
}

#[test]
fn the_hierarchy_that_is_drawn_can_be_chosen_by_its_name() {
    let mut debug = CcdDebug::default();
    let ReflectMut::Struct(fields) = debug.reflect_mut() else { panic!("it is a struct") };
    let mut kind = DynamicTuple::default();
    kind.insert(DynamicEnum::new("ObbTree", ()));
    let field = fields.field_mut("hierarchy").expect("a field");
    field.try_apply(&DynamicEnum::new("Some", kind)).expect("it has this variant");
    assert_eq!(debug.hierarchy, Some(HierarchyKind::ObbTree));
    let copy = CcdDebug::from_reflect(debug.to_dynamic().as_partial_reflect()).expect("all of it");
    assert_eq!(copy, debug);
    let field = debug.reflect_path_mut("hierarchy").expect("a field");
    field.try_apply(&DynamicEnum::new("None", ())).expect("it has this variant");
    assert_eq!(debug.hierarchy, None);
}

#[test]
fn a_setting_that_is_reflected_is_in_force_in_the_next_step() {
    let mut app = app();
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let registration = registry.get_with_type_path("bevy_ccd::settings::CcdSettings").expect("it is registered");
    assert!(registration.data::<ReflectResource>().is_some());
    let mut settings = app.world_mut().resource_mut::<CcdSettings>();
    let response = settings.reflect_path_mut("response").expect("a field");
    response.try_apply(&DynamicEnum::new("Pairwise", ())).expect("it has this variant");
    run(&mut app, 1);
    let in_force = app.world().resource::<CcdWorld>().core().settings().response;
    assert_eq!(in_force, ResponseMethod::Pairwise);
}

#[test]
fn the_plugin_by_itself_steps_the_world_and_keeps_settings_that_were_there_before() {
    for is_before in [true, false] {
        let mut app = App::new();
        let moon = Gravity(Vec3::NEG_Y * 1.62);
        if is_before {
            app.insert_resource(moon);
        }
        app.add_plugins((MinimalPlugins, TransformPlugin, CcdPlugin::new(FixedPreUpdate)));
        if !is_before {
            app.insert_resource(moon);
        }
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1)).insert_resource(Time::<Fixed>::from_hz(RATE));
        app.finish();
        app.cleanup();
        let ball = app.world_mut().spawn(ball(5.0)).id();
        run(&mut app, 1 + RATE as u32);
        assert!((velocity(&app, ball).y + 1.62).abs() < 1e-3, "{}", velocity(&app, ball));
    }
}

#[test]
fn gravity_keeps_the_digits_that_a_state_has_of_it_until_somebody_changes_it() {
    let mut app = app();
    let in_force = |app: &App| app.world().resource::<CcdWorld>().core().settings().gravity.y;
    run(&mut app, 1);
    assert_eq!(in_force(&app), f64::from(-9.81_f32));
    let mut state = app.world().resource::<CcdWorld>().snapshot();
    let settings = state.core.settings().clone();
    let exact = WorldSettings { gravity: Vector::new(0.0, -9.81, 0.0), ..settings };
    state.core.set_settings(exact).expect("settings");
    app.world_mut().resource_mut::<CcdWorld>().restore(state.clone());
    run(&mut app, 2);
    assert_eq!(in_force(&app), -9.81);
    // Nor does another setting, or a gravity that is written and is the same, change it.
    app.world_mut().resource_mut::<CcdSettings>().default_friction = 0.7;
    app.insert_resource(Gravity::default());
    run(&mut app, 2);
    assert_eq!(in_force(&app), -9.81);
    let mut export = SystemState::<CaseExport>::new(app.world_mut());
    let case = export.get(app.world()).expect("its resources").case("falls").expect("a case");
    assert_eq!(case.case.world.gravity[1], -9.81);
    app.insert_resource(Gravity(Vec3::NEG_Y * 1.62));
    run(&mut app, 1);
    assert_eq!(in_force(&app), f64::from(-1.62_f32));
    // The settings are the present ones after a restore.
    app.world_mut().resource_mut::<CcdWorld>().restore(state);
    run(&mut app, 1);
    assert_eq!(in_force(&app), f64::from(-1.62_f32));
}
