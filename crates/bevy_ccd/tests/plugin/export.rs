//! A running world as a case, read back by the core and stepped beside the one that it came from.

use crate::common::*;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bevy::ecs::system::RunSystemOnce;
use bevy_ccd::SavedCase;
use bevy_ccd::ccd_core::geometry::field::{Gyroid, Operation};
use bevy_ccd::ccd_core::io::case::{Case, CaseShape, Export, build_world};
use bevy_ccd::ccd_core::math::Pose;
use bevy_ccd::ccd_core::shape::Shape;
use bevy_ccd::ccd_core::world::World as CoreWorld;

/// A folder of this test's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bevy_ccd-export-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder").map(|entry| entry.expect("an entry"));
        let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

fn save(app: &mut App, path: &Path) -> Result<SavedCase, CaseExportError> {
    let path = path.to_owned();
    app.world_mut().run_system_once(move |case: CaseExport| case.save(&path)).expect("the system runs")
}

fn case(app: &mut App) -> Result<Export, CaseExportError> {
    app.world_mut().run_system_once(|case: CaseExport| case.case("case")).expect("the system runs")
}

/// The world of a case file, as `ccd run` builds it, and its step length.
fn loaded(file: &Path) -> (CoreWorld, f64) {
    let case = Case::load(file).expect("a case file");
    let (world, _) = build_world(&case, file.parent().expect("a folder")).expect("a world");
    (world, case.world.dt)
}

/// How two worlds went beside each other.
struct Beside {
    /// The furthest that the places of a body were apart, metres.
    metres: f64,
    /// The same for its rotations, radians.
    radians: f64,
    /// How many bodies have begun to touch something.
    touched: usize,
}

/// Steps the app and the world that was read.
fn step_beside(app: &mut App, again: &mut CoreWorld, dt: f64, steps: u32) -> Beside {
    let mut touched = BTreeSet::new();
    let (mut metres, mut radians) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        app.update();
        again.step(dt).expect("a step");
        let world = app.world().resource::<CcdWorld>();
        touched.extend(world.report().started.iter().flat_map(|pair| [pair.a, pair.b]));
        assert_eq!(world.core().bodies().count(), again.bodies().count());
        for ((_, a), (_, b)) in world.core().bodies().zip(again.bodies()) {
            metres = metres.max((a.pose().translation.vector - b.pose().translation.vector).norm());
            // Twice the way between unit quaternions is the angle, where that is small; of equal bits it is zero.
            radians = radians.max(2.0 * (a.pose().rotation.coords - b.pose().rotation.coords).norm());
        }
    }
    Beside { metres, radians, touched: touched.len() }
}

/// A pyramid of Bevy's own geometry as a mesh collider.
fn wedge() -> Collider {
    let corners = [[-0.5, 0.0, -0.5], [0.5, 0.0, -0.5], [0.5, 0.0, 0.5], [-0.5, 0.0, 0.5], [0.0, 0.7, 0.0]];
    let faces = [[0, 1, 2], [0, 2, 3], [0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0]];
    Collider::trimesh(corners.to_vec(), faces.to_vec()).expect("a mesh")
}

/// Bodies of many kinds that fall onto a floor, with a lift that the game moves by its velocity.
fn populate(app: &mut App) {
    let world = app.world_mut();
    world.spawn((floor(), Name::new("floor"), Friction::new(0.8)));
    let at =
        |x: f32, y: f32| Transform::from_xyz(x, y, 0.0).with_rotation(Quat::from_euler(EulerRot::XYZ, 0.3, x, 0.2));
    let colliders = [
        Collider::cuboid(0.8, 0.6, 1.0),
        Collider::sphere(0.4),
        Collider::capsule(0.3, 0.8),
        Collider::cylinder(0.4, 0.7),
        Collider::cone(0.4, 0.8),
        wedge(),
        wedge(),
    ];
    for (i, collider) in (0_u8..).zip(colliders) {
        let i = f32::from(i);
        let motion = (LinearVelocity::new(0.1, 0.0, -0.2 * i), AngularVelocity::new(0.5, i, -0.3));
        let surface = (Restitution::new(0.1 * i), Friction::new(0.2 + 0.1 * i));
        world.spawn((RigidBody::Dynamic, collider, at(2.0 * i - 8.0, 1.5), motion, surface, Name::new("thing")));
    }
    let part = (Collider::cuboid(0.2, 0.2, 1.2), Transform::from_xyz(0.5, 0.0, 0.0));
    let hammer = (RigidBody::Dynamic, Collider::cuboid(1.0, 0.1, 0.1), at(7.0, 1.5), Name::new("hammer"));
    world.spawn((hammer, children![part]));
    let lift = (RigidBody::Kinematic, Collider::cuboid(2.0, 0.2, 2.0), LinearVelocity::new(0.0, 0.25, 0.0));
    world.spawn((lift, Transform::from_xyz(10.0, 1.0, 0.0), Name::new("lift")));
    let locked = (RigidBody::Dynamic, Collider::cuboid(0.5, 0.5, 0.5), LockedAxes::ROTATION_LOCKED, Mass(3.0));
    world.spawn((locked, Transform::from_xyz(10.0, 1.6, 0.0)));
}

#[test]
fn a_world_in_flight_goes_on_from_its_case_to_the_same_bits_until_all_has_landed() {
    let mut app = app();
    populate(&mut app);
    run(&mut app, 5);
    let folder = Folder::new("flight");
    let saved = save(&mut app, &folder.0.join("flight")).expect("saved");
    assert_eq!(saved.left_out, Vec::<String>::new());
    // The two wedges were made separately, and are of one model all the same.
    assert_eq!(folder.names(), ["flight-mesh-0.obj", "flight.json"]);
    let (mut again, dt) = loaded(&saved.files.case);
    assert_eq!(dt, 1.0 / RATE);
    // Nothing has touched yet, so that the state is all there is: 60 steps, in which all comes down, are the same.
    let beside = step_beside(&mut app, &mut again, dt, 60);
    assert_eq!((beside.metres, beside.radians), (0.0, 0.0));
    let bodies = again.bodies().count();
    assert_eq!((beside.touched, bodies), (bodies, 11));
}

#[test]
fn a_world_at_rest_stays_where_it_is_in_its_case() {
    let mut app = app();
    populate(&mut app);
    // What rolls on is no test of rest.
    for mut velocity in
        app.world_mut().query_filtered::<&mut LinearVelocity, With<Friction>>().iter_mut(app.world_mut())
    {
        velocity.0 = Vec3::ZERO;
    }
    for mut spin in app.world_mut().query_filtered::<&mut AngularVelocity, With<Friction>>().iter_mut(app.world_mut()) {
        spin.0 = Vec3::ZERO;
    }
    run(&mut app, 640);
    let asleep = app.world().resource::<CcdWorld>().report().counters.asleep;
    assert!(asleep >= 3, "{asleep} bodies sleep");
    let folder = Folder::new("rest");
    let saved = save(&mut app, &folder.0.join("rest.json")).expect("saved");
    let (mut again, dt) = loaded(&saved.files.case);
    // Contacts are no part of a case: the solver finds the impulses that hold the bodies anew, and nobody sleeps at first. So the bits
    // differ, by no more than a body settles: the tolerance ε.
    let Beside { metres, radians, .. } = step_beside(&mut app, &mut again, dt, 60);
    assert!(metres < 1e-4 && radians < 1e-3, "{metres} m, {radians} rad");
}

#[test]
fn bodies_are_called_by_their_names_and_those_of_one_name_by_their_entities_too() {
    let mut app = app();
    let floor = app.world_mut().spawn((floor(), Name::new("floor"))).id();
    let [one, other] = [3.0, 5.0].map(|y| app.world_mut().spawn((ball(y), Name::new("ball"))).id());
    let nameless = app.world_mut().spawn(ball(7.0)).id();
    run(&mut app, 1);
    let export = case(&mut app).expect("an export");
    for (entity, name) in [
        (floor, "floor".to_owned()),
        (one, format!("ball {one}")),
        (other, format!("ball {other}")),
        (nameless, format!("entity {nameless}")),
    ] {
        let place = core_body(&app, entity).pose().translation.vector;
        let body = export.case.bodies.iter().find(|body| body.position[..] == *place.as_slice()).expect("it is there");
        assert_eq!(body.name, name);
    }
    assert_eq!(export.case.bodies.len(), 4);
}

#[test]
fn a_body_that_no_case_can_hold_is_refused_by_its_entity_and_nothing_is_written() {
    let mut app = app();
    app.world_mut().spawn((floor(), Name::new("floor")));
    let gyroid = Shape::implicit(Gyroid::try_new(1.0, 0.2).expect("a surface")).expect("a solid");
    let here = Pose::identity();
    let cut = [(Shape::cuboid([0.5; 3]).expect("a box"), here), (gyroid, here)];
    let sponge = Shape::csg(Operation::Intersection, &cut).expect("a solid");
    let sponge = Collider::from(sponge);
    let sponge = app
        .world_mut()
        .spawn((RigidBody::Static, sponge, Transform::from_xyz(0.0, 9.0, 0.0), Name::new("sponge")))
        .id();
    run(&mut app, 1);
    let folder = Folder::new("refused");
    let error = save(&mut app, &folder.0.join("a.json")).expect_err("no file can say it");
    let text = error.to_string();
    let CaseExportError::Body { entity, name, source } = error else { panic!("{text}") };
    assert_eq!((entity, name.as_str(), source.key()), (sponge, "sponge", Some("shape")));
    assert!(text.contains(&sponge.to_string()) && text.contains("sponge") && text.contains("gyroid"), "{text}");
    assert_eq!(folder.names(), Vec::<String>::new());
    // A file that cannot be is told with its name; no body is to blame.
    app.world_mut().despawn(sponge);
    run(&mut app, 1);
    let error = save(&mut app, &folder.0.join("no/such/a.json")).expect_err("there is no such folder");
    assert!(matches!(&error, CaseExportError::Case(why) if why.file().ends_with("no/such/a.json")), "{error}");
}

#[test]
fn a_name_that_is_taken_gets_a_number() {
    let mut app = app();
    app.world_mut().spawn(floor());
    run(&mut app, 1);
    let folder = Folder::new("numbers");
    let files = [(); 3].map(|()| save(&mut app, &folder.0.join("bug")).expect("saved").files.case);
    assert_eq!(files, ["bug.json", "bug-2.json", "bug-3.json"].map(|name| folder.0.join(name)));
}

#[test]
fn what_the_game_moves_goes_on_and_what_is_carried_goes_along() {
    let mut app = app();
    let door = (RigidBody::Kinematic, Collider::cuboid(1.0, 2.0, 0.1), Transform::default(), Name::new("door"));
    let door = app.world_mut().spawn(door).id();
    let handle = (RigidBody::Static, Collider::sphere(0.1), Transform::from_xyz(0.4, 0.0, 0.2), Name::new("handle"));
    app.world_mut().spawn((handle, ChildOf(door)));
    for i in 1..=4_u8 {
        app.world_mut().get_mut::<Transform>(door).expect("a transform").translation.x = 0.1 * f32::from(i);
        app.update();
    }
    let export = case(&mut app).expect("an export");
    let assert_goes_on = |export: &Export| {
        for body in &export.case.bodies {
            let wanted = 0.1 * RATE;
            assert!((body.linear_velocity[0] - wanted).abs() < 1e-4, "{} at {:?}", body.name, body.linear_velocity);
        }
    };
    assert_goes_on(&export);
    let kept = app.world().resource::<CcdWorld>().snapshot();
    app.update();
    let export_kept = move |case: CaseExport| case.case_of(&kept, "kept");
    let of_kept = app.world_mut().run_system_once(export_kept).expect("the system runs");
    assert_goes_on(&of_kept.expect("an export"));
    let export = case(&mut app).expect("an export");
    assert!(export.case.bodies.iter().all(|body| body.linear_velocity == [0.0; 3]), "the door stands");
}

#[test]
fn sensors_damping_and_layers_are_told_or_said_otherwise() {
    let mut app = app();
    app.world_mut().spawn((floor(), Name::new("floor")));
    app.world_mut().spawn((Sensor, Collider::sphere(2.0), Transform::from_xyz(0.0, 2.0, 0.0), Name::new("zone")));
    app.world_mut().spawn((ball(2.0), Name::new("slow"), LinearDamping(0.5)));
    app.world_mut().spawn((ball(5.0), Name::new("balloon"), GravityScale(0.0)));
    let debris = CollisionLayers { memberships: LayerMask(2), filters: LayerMask(!2) };
    for name in ["shard", "splinter"] {
        app.world_mut().spawn((ball(8.0), Name::new(name), debris));
    }
    run(&mut app, 1);
    let export = case(&mut app).expect("an export");
    let body = |name: &str| export.case.bodies.iter().find(|body| body.name == name);
    assert!(body("zone").is_none());
    assert_eq!(export.left_out, ["sensors, to which nothing answers (\"zone\")", "linear damping (\"slow\")"]);
    let balloon = body("balloon").expect("it is there");
    let weight = balloon.mass_properties.expect("it has").mass * f64::from(9.81_f32);
    assert!((balloon.force[1] - weight).abs() < 1e-9 * weight, "{:?}", balloon.force);
    let groups = ["slow", "shard", "splinter"].map(|name| body(name).expect("it is there").no_collide_group);
    assert_eq!(groups, [None, Some(1), Some(1)]);
}

#[test]
fn settings_are_those_of_the_next_step() {
    let mut app = app();
    app.world_mut().spawn(ball(1.0));
    run(&mut app, 2);
    app.insert_resource(Gravity(Vec3::new(0.0, -1.5, 0.0)));
    app.world_mut().resource_mut::<CcdSettings>().tolerance = 2e-4;
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(0.01);
    let world = case(&mut app).expect("an export").case.world;
    assert_eq!((world.gravity, world.tolerance, world.dt, world.steps), ([0.0, -1.5, 0.0], 2e-4, 0.01, 500));
    // A length that no step has is none.
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(f64::NAN);
    assert_eq!(case(&mut app).expect("an export").case.world.dt, 1.0 / RATE);
}

#[test]
fn a_state_that_was_kept_is_exported_as_it_was() {
    let mut app = app();
    let kept = app.world_mut().spawn((ball(2.0), Name::new("kept"))).id();
    let gone = app.world_mut().spawn((ball(6.0), Name::new("gone"))).id();
    run(&mut app, 3);
    let snapshot = app.world().resource::<CcdWorld>().snapshot();
    let then = core_body(&app, kept).pose().translation.y;
    app.world_mut().despawn(gone);
    // The body is built anew, in another generation of its slot.
    app.world_mut().entity_mut(kept).insert(Mass(7.0));
    run(&mut app, 10);
    let export = app
        .world_mut()
        .run_system_once(move |case: CaseExport| case.case_of(&snapshot, "then"))
        .expect("the system runs")
        .expect("an export");
    let mut bodies: Vec<(&str, f64)> = export.case.bodies.iter().map(|b| (b.name.as_str(), b.position[1])).collect();
    bodies.sort_by_key(|(name, _)| *name);
    assert_eq!((bodies[1], bodies.len()), (("kept", then), 2));
    assert!(bodies[0].0.starts_with("body "), "{}", bodies[0].0);
}

#[test]
fn half_a_step_is_refused() {
    #[derive(Resource, Default)]
    struct Refused(Vec<bool>);
    let mut app = app_with(|app| {
        app.init_resource::<Refused>();
        let look = |case: CaseExport, mut refused: ResMut<Refused>| {
            refused.0.push(matches!(case.case("half"), Err(CaseExportError::StepInProgress)));
        };
        let sets = (CcdSystems::NarrowPhase, CcdSystems::Response, CcdSystems::Writeback);
        app.add_systems(FixedPostUpdate, (look.after(sets.0).before(sets.1), look.after(sets.2)).chain());
    });
    app.world_mut().spawn(ball(1.0));
    run(&mut app, 1);
    assert_eq!(app.world().resource::<Refused>().0, [true, false]);
}

#[test]
fn meshes_and_compounds_keep_to_the_words_of_the_format() {
    let mut app = app();
    populate(&mut app);
    run(&mut app, 1);
    let export = case(&mut app).expect("an export");
    let shape = |name: &str| export.case.bodies.iter().find(|body| body.name == name).map(|body| &body.shape);
    assert!(matches!(shape("hammer"), Some(CaseShape::Compound { of }) if of.len() == 2));
    let text = export.case.to_text().expect("a text");
    assert!(text.starts_with("{\n  \"format\": \"ccd-case/1\","), "{text}");
}

#[cfg(feature = "panel")]
mod panel {
    use super::*;
    use bevy::ecs::system::SystemState;
    use bevy_ccd::panel::{CcdCaseFile, CcdPanelParam, panel_ui};
    use bevy_egui::egui::{self, Event, Modifiers, PointerButton, Pos2, RawInput, Rect};

    /// Draws the panel with these events; answers with the texts that are shown and where.
    fn draw(app: &mut App, context: &egui::Context, events: Vec<Event>) -> Vec<(String, Rect)> {
        let mut state = SystemState::<CcdPanelParam>::new(app.world_mut());
        let mut param = state.get_mut(app.world_mut()).expect("the plugin's resources");
        let screen = Some(Rect::from_min_size(Pos2::ZERO, egui::vec2(400.0, 4000.0)));
        let input = RawInput { screen_rect: screen, events, ..RawInput::default() };
        let output = context.run_ui(input, |ui| panel_ui(ui, &mut param));
        let text = |shape: egui::epaint::ClippedShape| match shape.shape {
            egui::Shape::Text(text) => Some((text.galley.text().to_owned(), text.visual_bounding_rect())),
            _ => None,
        };
        output.shapes.into_iter().filter_map(text).collect()
    }

    fn click(app: &mut App, context: &egui::Context, at: Pos2) {
        let button = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        draw(app, context, vec![Event::PointerMoved(at)]);
        draw(app, context, vec![button(true)]);
        draw(app, context, vec![button(false)]);
    }

    #[test]
    fn the_button_saves_numbers_the_name_and_tells_where_or_why_not() {
        let mut app = app();
        app.world_mut().spawn(floor());
        run(&mut app, 2);
        let folder = Folder::new("panel");
        app.world_mut().resource_mut::<CcdCaseFile>().path = folder.0.join("seen").to_string_lossy().into_owned();
        let context = egui::Context::default();
        draw(&mut app, &context, Vec::new());
        let texts = draw(&mut app, &context, Vec::new());
        let (_, place) = texts.iter().find(|(text, _)| text == "Export case").expect("a button");
        let told = |app: &mut App, context: &egui::Context| {
            let texts = draw(app, context, Vec::new());
            texts.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join("\n")
        };
        for name in ["seen.json", "seen-2.json"] {
            click(&mut app, &context, place.center());
            let told = told(&mut app, &context);
            assert!(told.contains(&*folder.0.join(name).to_string_lossy()), "{told}");
        }
        assert_eq!(folder.names(), ["seen-2.json", "seen.json"]);
        app.world_mut().resource_mut::<CcdCaseFile>().path = folder.0.join("no/where").to_string_lossy().into_owned();
        click(&mut app, &context, place.center());
        let told = told(&mut app, &context);
        assert!(told.contains("where.json") && !told.contains("saved as"), "{told}");
    }
}
