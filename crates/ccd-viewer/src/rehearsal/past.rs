//! What was recorded before something is done stays what it was: seen, and gone on with.

use super::*;
use crate::camera::SceneCamera;
use crate::hands::Shoot;
use crate::scenes::Scene;

/// What is to be the same to the last bit.
type Exact = Vec<(BodyId, Pose, [f64; 6])>;

fn exact(world: &ccd_core::world::World) -> Exact {
    let moves = |body: &ccd_core::dynamics::Body| {
        let (linear, angular) = (body.linear_velocity(), body.angular_velocity());
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    };
    world.bodies().map(|(id, body)| (id, *body.pose(), moves(body))).collect()
}

/// The recorded states from this one on.
fn recorded(app: &App, from: usize) -> Vec<Exact> {
    playback(app).tape.frames().skip(from).map(|frame| exact(frame.state.world())).collect()
}

/// Whether a body is drawn where it was; `None` where it is not on the stage at all.
fn is_drawn(app: &mut App, id: BodyId) -> Option<bool> {
    let pose = playback(app).pose(id);
    let mut actors = app.world_mut().query::<(&Actor, &Visibility, &GlobalTransform)>();
    let (_, visibility, place) = actors.iter(app.world()).find(|(actor, ..)| actor.0 == id)?;
    let is_there = pose.is_some_and(|pose| {
        let off = place.translation() - bevy_ccd::convert::from_vector(&pose.translation.vector);
        off.length() < 1e-5
    });
    Some(*visibility != Visibility::Hidden && is_there)
}

/// Whether the plugin's world has it where it is watched, for overlays, panels and exports.
fn is_known(app: &App, id: BodyId) -> bool {
    let ccd = app.world().resource::<CcdWorld>();
    let entity = ccd.entity(id);
    let known = entity.and_then(|entity| app.world().get::<bevy_ccd::CcdBody>(entity));
    known.is_some_and(|body| body.id() == id) && ccd.core().body(id).is_some()
}

fn step(app: &mut App, steps: u32) {
    for _ in 0..steps {
        wish(app, Transport::StepForward);
    }
    assert_eq!(app.world().resource::<Trouble>().0, None);
}

fn remove(app: &mut App, body: BodyId) {
    app.world_mut().write_message(Remove(body));
    app.update();
}

/// Shoots a ball out of a camera that looks from beside the scene to its middle; returns which it is.
fn shoot(app: &mut App) -> BodyId {
    let mut cameras = app.world_mut().query_filtered::<Entity, With<SceneCamera>>();
    if cameras.iter(app.world()).next().is_none() {
        let place = Transform::from_xyz(6.0, 5.0, 6.0).looking_at(Vec3::Y, Vec3::Y);
        app.world_mut().spawn((SceneCamera, Camera::default(), place, GlobalTransform::from(place)));
    }
    let before: Vec<BodyId> = playback(app).tape.last().state.world().bodies().map(|(id, _)| id).collect();
    app.world_mut().write_message(Shoot);
    app.update();
    let mut after = playback(app).tape.last().state.world().bodies().map(|(id, _)| id);
    after.find(|id| !before.contains(id)).expect("a ball")
}

#[test]
fn a_body_that_is_taken_out_is_gone_from_there_on_and_was_there_before() {
    let mut app = opened("tower");
    step(&mut app, 3);
    let (lowest, _) = places(&app)[1];
    let count = places(&app).len();
    wish(&mut app, Transport::Seek(2.5 / 60.0));
    let on_its_way = playback(&app).pose(lowest);
    wish(&mut app, Transport::Seek(f64::MAX));
    remove(&mut app, lowest);
    assert_eq!(places(&app).len(), count - 1);
    assert_eq!((is_drawn(&mut app, lowest), is_known(&app, lowest)), (Some(false), false));
    step(&mut app, 20);
    assert!(playback(&app).pose(lowest).is_none() && is_drawn(&mut app, lowest) == Some(false));
    wish(&mut app, Transport::Seek(1.0 / 60.0));
    assert!(playback(&app).pose(lowest).is_some(), "it is still seen in what was recorded before");
    assert_eq!((is_drawn(&mut app, lowest), is_known(&app, lowest)), (Some(true), true));
    wish(&mut app, Transport::Seek(2.5 / 60.0));
    assert_eq!(playback(&app).pose(lowest), on_its_way, "up to the instant itself");
    // Back at the end it is gone again, and the tower goes on falling.
    wish(&mut app, Transport::Seek(f64::MAX));
    assert_eq!((is_drawn(&mut app, lowest), is_known(&app, lowest)), (Some(false), false));
    let end = playback(&app).tape.frames().len();
    step(&mut app, 2);
    let mut never_looked_back = opened("tower");
    step(&mut never_looked_back, 3);
    remove(&mut never_looked_back, lowest);
    step(&mut never_looked_back, 22);
    assert_eq!(recorded(&app, end), recorded(&never_looked_back, end));
}

#[test]
fn going_on_from_before_a_body_was_taken_out_goes_on_with_it_as_it_was_recorded() {
    let mut app = opened("tower");
    step(&mut app, 8);
    let whole = recorded(&app, 0);
    let (lowest, _) = places(&app)[1];
    remove(&mut app, lowest);
    step(&mut app, 5);
    wish(&mut app, Transport::Seek(3.0 / 60.0));
    wish(&mut app, Transport::Cut);
    assert_eq!(playback(&app).tape.frames().len(), 4);
    step(&mut app, 5);
    assert_eq!((is_drawn(&mut app, lowest), is_known(&app, lowest)), (Some(true), true));
    assert_eq!(recorded(&app, 0), whole);
    // Taken out anew, it is gone anew.
    remove(&mut app, lowest);
    step(&mut app, 1);
    assert!(playback(&app).pose(lowest).is_none());
}

#[test]
fn a_body_can_be_taken_out_of_the_past_and_inside_a_step() {
    let mut app = opened("tower");
    step(&mut app, 4);
    let (lowest, _) = places(&app)[1];
    wish(&mut app, Transport::Seek(2.5 / 60.0));
    remove(&mut app, lowest);
    let tape = &playback(&app).tape;
    assert!((tape.newest() - 2.5 / 60.0).abs() < 1e-12 && tape.frames().len() == 4);
    assert!(playback(&app).pose(lowest).is_none());
    step(&mut app, 1);
    wish(&mut app, Transport::Seek(2.0 / 60.0));
    assert_eq!(is_drawn(&mut app, lowest), Some(true));
}

#[test]
fn a_ball_is_not_there_before_it_was_shot_and_flies_on_whether_or_not_one_looked_back() {
    let mut flights = Vec::new();
    for looks_back in [false, true] {
        let mut app = opened("tower");
        step(&mut app, 3);
        let ball = shoot(&mut app);
        step(&mut app, 2);
        if looks_back {
            // Just before, inside a step, and long before.
            for instant in [2.5 / 60.0, 1.0 / 60.0] {
                wish(&mut app, Transport::Seek(instant));
                assert_eq!((is_drawn(&mut app, ball), is_known(&app, ball)), (Some(false), false));
            }
            let bodies = app.world().resource::<CcdWorld>().core().bodies().count();
            assert_eq!(bodies, playback(&app).tape.last().state.world().bodies().count() - 1);
            wish(&mut app, Transport::Seek(f64::MAX));
        }
        assert_eq!((is_drawn(&mut app, ball), is_known(&app, ball)), (Some(true), true));
        step(&mut app, 10);
        flights.push(recorded(&app, 0));
    }
    assert_eq!(flights[0], flights[1]);
}

#[test]
fn balls_that_are_cut_away_leave_their_names_and_no_two_have_the_same() {
    let mut app = opened("tower");
    let name = |app: &App, id: BodyId| app.world().resource::<Scene>().name_of(id);
    step(&mut app, 1);
    let first = shoot(&mut app);
    step(&mut app, 3);
    assert_eq!(name(&app, first), "shot-1");
    wish(&mut app, Transport::Seek(0.0));
    wish(&mut app, Transport::Cut);
    step(&mut app, 1);
    let mut names = Vec::new();
    for _ in 0..3 {
        let ball = shoot(&mut app);
        names.push(name(&app, ball));
        step(&mut app, 4);
    }
    assert_eq!(names, ["shot-1", "shot-2", "shot-3"]);
    // One that is taken out was called so before.
    let ball = app.world().resource::<Scene>().names.iter().find(|(_, name)| *name == "shot-2").map(|(id, _)| *id);
    remove(&mut app, ball.expect("it is there"));
    step(&mut app, 1);
    let last = shoot(&mut app);
    assert_eq!(name(&app, last), "shot-4");
}

#[test]
fn a_hand_that_takes_hold_inside_a_step_leaves_what_was_seen_of_it() {
    let mut app = opened("bullets");
    step(&mut app, 1);
    wish(&mut app, Transport::Seek(5e-3));
    let (body, place) = places(&app)[1];
    let target = Point::from(place.translation.vector) + ccd_core::math::Vector::y();
    let held = Grab(Some(Held { body, local: Point::origin(), target }));
    app.insert_resource(held);
    // In a step as long as the clock says that is short now.
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(1e-3);
    let rate = playback(&app).rate;
    wish(&mut app, Transport::Cut);
    assert!((playback(&app).tape.newest() - 5e-3).abs() < 1e-12, "{} s at {rate}", playback(&app).tape.newest());
    assert_eq!(playback(&app).tape.frames().len(), 2);
    let mut untouched = opened("bullets");
    step(&mut untouched, 1);
    wish(&mut untouched, Transport::Seek(5e-3));
    wish(&mut untouched, Transport::Cut);
    assert_eq!(recorded(&app, 1), recorded(&untouched, 1), "the hand was not there");
    app.insert_resource(held);
    wish(&mut app, Transport::StepForward);
    assert!(playback(&app).tape.newest() - 5e-3 <= rate / 30.0 + 1e-12, "from there on it is felt at once");
}

#[test]
fn a_ball_that_is_cut_away_is_neither_selected_nor_looked_into() {
    let mut app = opened("tower");
    step(&mut app, 1);
    let (tower, _) = places(&app)[1];
    let ball = shoot(&mut app);
    step(&mut app, 2);
    let of = |app: &App, id: BodyId| app.world().resource::<CcdWorld>().entity(id).expect("it is there");
    let (shot, stays) = (of(&app, ball), of(&app, tower));
    for (chosen, body, is_kept) in [(shot, ball, false), (stays, tower, true)] {
        app.insert_resource(Selection { body: Some(body), contact: None });
        app.insert_resource(CcdInspect { body: Some(chosen), ..CcdInspect::pair(stays, shot) });
        if is_kept {
            // The ball is gone by now.
            app.insert_resource(CcdInspect { body: Some(chosen), ..CcdInspect::default() });
        }
        wish(&mut app, Transport::Seek(0.0));
        wish(&mut app, Transport::Cut);
        let (selection, inspect) = (app.world().resource::<Selection>(), app.world().resource::<CcdInspect>());
        assert_eq!((selection.body, inspect.pair), (is_kept.then_some(body), None));
        assert_eq!(inspect.body, is_kept.then_some(chosen));
        step(&mut app, 1);
    }
}

#[test]
fn a_ball_is_shot_in_a_scene_of_millimetres_and_where_there_is_no_room_that_is_told_and_nothing_forgotten() {
    let folder = std::env::temp_dir().join(format!("ccd-viewer-tiny-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("tiny.json");
    let case = r#"{"format": "ccd-case/1", "name": "tiny",
        "world": {"dt": 0.001, "steps": 10, "gravity": [0, 0, 0], "tolerance": 1e-7, "contact_threshold": 1e-6},
        "bodies": [{"name": "bead", "kind": "dynamic", "shape": {"type": "sphere", "radius": 5e-4}}]}"#;
    std::fs::write(&file, case).expect("a case file");
    let mut app = opened_from(Source::File(file), None);
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
    step(&mut app, 3);
    let place = Transform::from_xyz(0.0, 0.0, 1.1e-3).looking_at(Vec3::ZERO, Vec3::Y);
    let camera = app.world_mut().spawn((SceneCamera, Camera::default(), place, GlobalTransform::from(place))).id();
    _ = shoot(&mut app);
    // Within the bead there is no room.
    wish(&mut app, Transport::Seek(1e-3));
    let near = GlobalTransform::from_xyz(0.0, 0.0, 1e-4);
    *app.world_mut().get_mut::<GlobalTransform>(camera).expect("it is there") = near;
    let recorded = playback(&app).tape.frames().len();
    app.world_mut().write_message(Shoot);
    app.update();
    assert_eq!(playback(&app).tape.frames().len(), recorded);
    assert!(*app.world().resource::<Notice>() != Notice::default());
}

#[test]
fn the_plugins_clock_follows_a_cut_and_its_button_goes_on_from_where_one_looks() {
    let mut app = opened("tower");
    step(&mut app, 6);
    wish(&mut app, Transport::Seek(2.0 / 60.0));
    app.world_mut().resource_mut::<CcdClock>().request_step();
    app.update();
    let number = |app: &App| playback(app).tape.step_number(playback(app).tape.between().from);
    assert_eq!((number(&app), playback(&app).tape.frames().len()), (3, 7), "the next state is there");
    assert_eq!(app.world().resource::<CcdClock>().requested_steps(), 0);
    wish(&mut app, Transport::Cut);
    let clock = *app.world().resource::<CcdClock>();
    assert_eq!((clock.steps(), clock.simulated()), (3, playback(&app).tape.newest()));
    app.world_mut().resource_mut::<CcdClock>().request_step();
    app.update();
    assert_eq!((number(&app), playback(&app).tape.frames().len()), (4, 5));
    assert_eq!(app.world().resource::<CcdClock>().steps(), 4);
}

#[test]
fn what_is_told_of_a_recorded_state_are_its_own_velocities_and_impulses() {
    let mut app = opened("falling-shapes");
    step(&mut app, 2);
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(0.004);
    step(&mut app, 2);
    let state = playback(&app).tape.frame(2).expect("it is recorded");
    let (time, own) = (state.time, exact(state.state.world()));
    wish(&mut app, Transport::Seek(time));
    for (id, _, [x, y, z, ..]) in own {
        let (linear, _) = playback(&app).velocities(id).expect("it is there");
        assert_eq!([linear.x, linear.y, linear.z], [x, y, z], "{id}");
    }
    // Inside the next step, which is shorter: what happens in it is told, over contacts of the step before.
    wish(&mut app, Transport::Seek(time + 0.002));
    assert!((app.world().resource::<CcdWorld>().report().dt - 1.0 / 60.0).abs() < 1e-12);
}
