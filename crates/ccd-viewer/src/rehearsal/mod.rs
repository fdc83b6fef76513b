//! Tests of the viewer at work, without a window: scenes are opened, watched, cut and changed as keys and buttons do it.

mod cases;
mod past;

use std::collections::BTreeSet;

use bevy::asset::AssetPlugin;
use bevy::gizmos::GizmoPlugin;
use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_ccd::panel::CcdCaseFile;
use bevy_ccd::{CcdClock, CcdInspect, CcdPlugins, CcdSettings, CcdWorld};
use ccd_core::id::BodyId;
use ccd_core::io::case::{Case, build_world};
use ccd_core::math::{Point, Pose};

use crate::camera::LookFrom;
use crate::capture::FRAME;
use crate::draw::bodies::{Actor, BodiesPlugin};
use crate::export::{ExportPlugin, SaveCase};
use crate::hands::{Grab, HandsPlugin, Held, Remove};
use crate::panels::contacts::Selection;
use crate::panels::hud::Notice;
use crate::playback::{Playback, PlaybackPlugin, Simulate, StepsPerFrame, Transport, Trouble, obey_now};
use crate::scenes::{Look, OpenScene, Opening, Refusal, Restart, ScenesPlugin, Source};

/// The viewer with this scene open and the clock standing, without what draws.
fn opened(scene: &str) -> App {
    let app = opened_from(Source::Built(scene.into()), None);
    assert_eq!(app.world().resource::<Trouble>().0, None);
    app
}

/// The same with what is to be played up to an instant, seconds.
fn opened_from(first: Source, at: Option<f64>) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), MeshPlugin, GizmoPlugin))
        .init_asset::<StandardMaterial>()
        .init_resource::<Notice>()
        .add_message::<LookFrom>()
        .add_message::<FileDragAndDrop>()
        .init_schedule(Simulate)
        .insert_resource(CcdClock::paused())
        .add_plugins((CcdPlugins::new(Simulate), PlaybackPlugin, HandsPlugin, ExportPlugin, BodiesPlugin))
        .add_plugins(ScenesPlugin { first, speed: None, at, show: Vec::new(), look: Look::default() });
    // As the renderer has it.
    app.register_required_components::<Mesh3d, Visibility>();
    app.finish();
    app.cleanup();
    app.update();
    app
}

fn playback(app: &App) -> &Playback {
    app.world().resource::<Playback>()
}

/// The moving bodies with their places at the watched instant.
fn places(app: &App) -> Vec<(BodyId, Pose)> {
    let playback = playback(app);
    let bodies = playback.tape.last().state.world().bodies();
    bodies.filter_map(|(id, _)| Some((id, playback.pose(id)?))).collect()
}

fn wish(app: &mut App, wish: Transport) {
    obey_now(app.world_mut(), wish);
    app.update();
}

#[test]
fn going_on_from_inside_a_step_begins_where_the_bodies_were_seen() {
    let mut app = opened("bullets");
    wish(&mut app, Transport::StepForward);
    wish(&mut app, Transport::Seek(5e-4));
    let seen = places(&app);
    wish(&mut app, Transport::Cut);
    assert!((playback(&app).tape.newest() - 5e-4).abs() < 1e-15 && playback(&app).tape.is_at_end());
    for ((id, was), (same, is)) in seen.iter().zip(places(&app)) {
        assert_eq!(*id, same);
        // What is seen inside a step is put together from its ends, as near as an eye can tell.
        let off = (was.translation.vector - is.translation.vector).norm();
        let state = playback(&app).tape.last().state.world();
        let size = state.body(same).expect("it is there").shape().as_solid().bounding_sphere().radius;
        assert!(off < 0.02 * size || off == 0.0, "{id} is {off} m from where it was seen, of {size} m");
    }
    wish(&mut app, Transport::StepForward);
    assert!((playback(&app).tape.newest() - 5e-4 - 1.0 / 60.0).abs() < 1e-9, "steps have their own length again");
}

#[test]
fn a_cut_leaves_a_running_clock_running_and_a_standing_one_standing() {
    for paused in [true, false] {
        let mut app = opened("lab-closest-features");
        wish(&mut app, Transport::StepForward);
        wish(&mut app, Transport::Seek(0.01));
        app.world_mut().resource_mut::<CcdClock>().paused = paused;
        obey_now(app.world_mut(), Transport::Cut);
        assert_eq!(app.world().resource::<CcdClock>().paused, paused);
    }
}

#[test]
fn a_hand_is_felt_in_slow_motion_within_a_thirtieth_of_a_second_of_watching() {
    let mut app = opened("bullets");
    let (body, place) = places(&app)
        .into_iter()
        .find(|(id, _)| {
            playback(&app).tape.last().state.world().body(*id).is_some_and(|body| body.linear_velocity().norm() > 1.0)
        })
        .expect("a bullet");
    let target = Point::from(place.translation.vector) + ccd_core::math::Vector::y();
    app.insert_resource(Grab(Some(Held { body, local: Point::origin(), target })));
    let rate = playback(&app).rate;
    obey_now(app.world_mut(), Transport::StepForward);
    let step = playback(&app).tape.newest();
    assert!(step > 0.0 && step <= rate / 30.0 + 1e-15, "{step} s at {rate}");
    let rises = playback(&app).tape.last().state.world().body(body).expect("it is there").linear_velocity().y;
    assert!(rises > 0.0, "{rises} m/s");
}

#[test]
fn scenes_can_be_opened_one_after_the_other_and_leave_nothing_of_each_other() {
    let mut app = opened("tower");
    for scene in ["chain", "lab-paper-bound", "tower"] {
        wish(&mut app, Transport::StepForward);
        app.world_mut().write_message(OpenScene(Source::Built(scene.into())));
        app.update();
        let bodies = playback(&app).tape.last().state.world().bodies().count();
        let actors = app.world_mut().query::<&Actor>().iter(app.world()).count();
        assert_eq!((actors, playback(&app).tape.newest()), (bodies, 0.0), "{scene}");
        assert_eq!(app.world().resource::<Trouble>().0, None, "{scene}");
    }
}

#[test]
fn starting_again_keeps_what_was_set_and_the_pair_and_opening_from_the_list_does_not() {
    let mut app = opened("tower");
    let ids: Vec<BodyId> = places(&app).into_iter().map(|(id, _)| id).collect();
    let entity = |app: &App, id| app.world().resource::<CcdWorld>().entity(id).expect("it is on the stage");
    let pair = Some((entity(&app, ids[1]), entity(&app, ids[2])));
    app.world_mut().resource_mut::<CcdInspect>().pair = pair;
    app.world_mut().resource_mut::<CcdSettings>().default_friction = 0.9;
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(0.01);
    app.world_mut().resource_mut::<Playback>().rate = 0.25;
    wish(&mut app, Transport::StepForward);
    let looks = |app: &App| app.world().resource::<Messages<LookFrom>>().len();
    let looked = looks(&app);
    app.world_mut().write_message(Restart);
    app.update();
    assert_eq!((playback(&app).tape.newest(), playback(&app).rate), (0.0, 0.25));
    assert!(looks(&app) <= looked, "one goes on looking from where one looked");
    let pair = app.world().resource::<CcdInspect>().pair;
    assert_eq!(pair, Some((entity(&app, ids[1]), entity(&app, ids[2]))), "the same bodies, on the stage anew");
    wish(&mut app, Transport::StepForward);
    assert!((playback(&app).tape.newest() - 0.01).abs() < 1e-12);
    let friction = |app: &App| {
        let body = playback(app).tape.last().state.world().body(ids[1]).map(|body| body.material.friction);
        body.expect("it is there")
    };
    assert!((friction(&app) - 0.9).abs() < 1e-6, "{}", friction(&app));

    app.world_mut().write_message(OpenScene(Source::Built("tower".into())));
    app.update();
    wish(&mut app, Transport::StepForward);
    assert_eq!((playback(&app).rate, app.world().resource::<CcdInspect>().pair), (1.0, None));
    assert!((friction(&app) - 0.5).abs() < 1e-6 && (playback(&app).tape.newest() - 1.0 / 60.0).abs() < 1e-12);
}

#[test]
fn a_scene_that_is_opened_again_is_another_one_to_panels_and_one_that_is_started_again_is_not() {
    let mut app = opened("tower");
    let first = *app.world().resource::<Opening>();
    app.world_mut().write_message(Restart);
    app.update();
    assert_eq!(*app.world().resource::<Opening>(), first);
    app.world_mut().write_message(OpenScene(Source::Built("tower".into())));
    app.update();
    assert_ne!(*app.world().resource::<Opening>(), first);
}

#[test]
fn a_body_is_lit_up_where_it_is_selected_be_it_one_that_never_moves() {
    let mut app = opened("tower");
    let ids: Vec<BodyId> = places(&app).into_iter().map(|(id, _)| id).collect();
    let paint = |app: &mut App, id: BodyId| {
        let mut actors = app.world_mut().query::<(&Actor, &MeshMaterial3d<StandardMaterial>)>();
        let found = actors.iter(app.world()).find(|(actor, _)| actor.0 == id);
        found.map(|(_, paint)| paint.0.clone()).expect("it is drawn")
    };
    for id in [ids[0], ids[1]] {
        let before = paint(&mut app, id);
        app.insert_resource(Selection { body: Some(id), contact: None });
        app.update();
        assert_ne!(paint(&mut app, id), before, "{id}");
        app.insert_resource(Selection::default());
        app.update();
        assert_eq!(paint(&mut app, id), before, "{id}");
    }
    // Boxes of one size and of one colour are drawn from the same.
    let mut drawn = app.world_mut().query::<(&Mesh3d, &MeshMaterial3d<StandardMaterial>)>();
    let drawn: Vec<_> = drawn.iter(app.world()).map(|(mesh, paint)| (mesh.0.id(), paint.0.id())).collect();
    let count = |of: &dyn Fn(usize) -> String| (0..drawn.len()).map(of).collect::<BTreeSet<_>>().len();
    assert_eq!(count(&|i| format!("{:?}", drawn[i].0)), 2, "floor and boxes");
    assert!(count(&|i| format!("{:?}", drawn[i].1)) <= 7, "six colours, and the floor's");
}

#[test]
fn what_cannot_be_opened_is_told_and_the_scene_at_hand_goes_on() {
    let mut app = opened("tower");
    app.world_mut().resource_mut::<CcdClock>().paused = false;
    app.world_mut().write_message(OpenScene(Source::File("no/such/case.json".into())));
    app.update();
    let refusal = app.world().resource::<Refusal>().0.clone();
    assert!(refusal.is_some_and(|reason| reason.contains("no/such/case.json")));
    assert_eq!(app.world().resource::<Trouble>().0, None, "nothing has stopped");
    assert!(!app.world().resource::<CcdClock>().paused && places(&app).len() > 20);
    app.world_mut().write_message(OpenScene(Source::Built("chain".into())));
    app.update();
    assert_eq!(*app.world().resource::<Refusal>(), Refusal::default());
}

#[test]
fn what_stopped_the_simulation_is_told_no_longer_once_it_goes_on() {
    let mut app = opened("tower");
    let length = app.world().resource::<CcdClock>().step_length;
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(-1.0);
    wish(&mut app, Transport::StepForward);
    assert!(app.world().resource::<Trouble>().0.is_some() && playback(&app).tape.newest() == 0.0);
    app.world_mut().resource_mut::<CcdClock>().step_length = length;
    wish(&mut app, Transport::StepForward);
    assert_eq!(app.world().resource::<Trouble>().0, None);
    assert!(playback(&app).tape.newest() > 0.0);
}

#[test]
fn sixty_frames_of_a_second_make_sixty_steps_and_show_the_last() {
    let mut app = opened("tower");
    app.world_mut().resource_mut::<CcdClock>().paused = false;
    app.insert_resource(TimeUpdateStrategy::ManualDuration(FRAME));
    for _ in 0..60 {
        app.update();
    }
    let between = playback(&app).tape.between();
    assert_eq!((playback(&app).tape.step_number(between.to), between.from), (60, between.to));
}

#[test]
fn a_watched_state_of_the_past_is_exported_and_steps_on_as_it_was_recorded() {
    let folder = std::env::temp_dir().join(format!("ccd-viewer-past-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let mut app = opened("bullets");
    for _ in 0..4 {
        wish(&mut app, Transport::StepForward);
    }
    let frame = |app: &App, index: usize| {
        let frame = playback(app).tape.frame(index).expect("it is recorded");
        let poses: Vec<Pose> = frame.state.world().bodies().map(|(_, body)| *body.pose()).collect();
        (frame.time, poses)
    };
    let ((from, start), (to, end)) = (frame(&app, 0), frame(&app, 1));
    // Inside the first step, which began in flight: what is exported is its start.
    wish(&mut app, Transport::Seek(0.4 * (from + to)));
    app.world_mut().resource_mut::<CcdCaseFile>().path = folder.join("past").to_string_lossy().into_owned();
    app.world_mut().write_message(SaveCase);
    app.update();
    let file = app.world().resource::<CcdCaseFile>();
    assert_eq!(file.suggested, "bullets-0.000000s.json");
    let saved = file.outcome.as_ref().expect("it was asked for").as_ref().expect("saved").clone();
    assert_eq!(saved.left_out, Vec::<String>::new());
    let case = Case::load(&saved.files.case).expect("a case file");
    let names: Vec<&str> = case.bodies.iter().map(|body| body.name.as_str()).collect();
    assert!(names.contains(&"sheet") && names.contains(&"bullet-3-4"), "{names:?}");
    let (mut world, _) = build_world(&case, &folder).expect("a world");
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
    app.world_mut().write_message(Restart);
    app.update();
    assert!(app.world().resource::<CcdCaseFile>().outcome.is_some());
    app.world_mut().write_message(OpenScene(Source::Built("tower".into())));
    app.update();
    assert!(app.world().resource::<CcdCaseFile>().outcome.is_none(), "of another scene nothing was saved yet");
    let poses = |world: &ccd_core::world::World| world.bodies().map(|(_, body)| *body.pose()).collect::<Vec<Pose>>();
    assert_eq!(poses(&world), start);
    world.step(case.world.dt).expect("a step");
    assert_eq!((case.world.dt, poses(&world)), (to - from, end));
}
