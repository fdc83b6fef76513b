//! Case files are stepped by the viewer as the command steps them.

use super::*;
use ccd_core::math::Vector;

/// A case file with these bodies, and the viewer with it open.
struct Opened {
    folder: std::path::PathBuf,
    file: std::path::PathBuf,
}

impl Opened {
    fn new(name: &str, world: &str, bodies: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("ccd-viewer-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let file = folder.join("case.json");
        let case =
            format!(r#"{{"format": "ccd-case/1", "name": "{name}", "world": {{{world}}}, "bodies": [{bodies}]}}"#);
        std::fs::write(&file, case).expect("a case file");
        Self { folder, file }
    }

    fn viewer(&self, at: Option<f64>) -> App {
        opened_from(Source::File(self.file.clone()), at)
    }

    /// Steps it as the command does, and in the viewer, and compares every state.
    fn assert_steps_are_the_same(&self, steps: u32) -> App {
        let mut app = self.viewer(None);
        let case = Case::load(&self.file).expect("a case file");
        let (mut world, _) = build_world(&case, &self.folder).expect("a world");
        let exact = |world: &ccd_core::world::World| {
            let of = |body: &ccd_core::dynamics::Body| {
                (*body.pose(), *body.linear_velocity(), *body.angular_velocity(), body.force, body.material.friction)
            };
            world.bodies().map(|(_, body)| of(body)).collect::<Vec<_>>()
        };
        for step in 1..=steps {
            wish(&mut app, Transport::StepForward);
            assert_eq!(app.world().resource::<Trouble>().0, None);
            world.step(case.world.dt).expect("a step");
            assert_eq!(exact(playback(&app).tape.last().state.world()), exact(&world), "step {step}");
        }
        app
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_case_has_its_own_gravity_forces_surfaces_and_motions_to_the_last_bit() {
    let bodies = r#"
        {"name": "floor", "kind": "static", "shape": {"type": "box", "half_extents": [10, 0.5, 10]}, "position": [0, -0.5, 0]},
        {"name": "lift", "kind": "kinematic", "shape": {"type": "box", "half_extents": [0.5, 0.1, 0.5]},
         "position": [3.1, 0.3, 0.7], "linear_velocity": [0.1, 0.3, 0], "angular_velocity": [0, 0.7, 0.1]},
        {"name": "falls", "kind": "dynamic", "shape": {"type": "box", "half_extents": [0.3, 0.2, 0.1]}, "density": 777.7,
         "position": [0.1, 0.9, 0.3], "rotation": [0.1, 0.2, 0.3, 0.927], "angular_velocity": [0.3, 0.1, 0.7],
         "force": [0.1, 0.2, 0.3], "friction": 0.3, "restitution": 0.1}"#;
    let world = r#""dt": 0.01, "steps": 10, "gravity": [0.1, -9.81, 0], "friction": 0.7, "restitution": 0.15"#;
    let case = Opened::new("digits", world, bodies);
    let mut app = case.assert_steps_are_the_same(40);
    // Another surface for those that state none rounds nothing else.
    app.world_mut().resource_mut::<CcdSettings>().default_friction = 0.25;
    wish(&mut app, Transport::StepForward);
    let world = playback(&app).tape.last().state.world();
    let falls = world.bodies().find(|(_, body)| body.force.y != 0.0).map(|(_, body)| body).expect("it is there");
    assert_eq!((falls.force, falls.material.friction), (Vector::new(0.1, 0.2, 0.3), 0.3));
    assert_eq!((falls.material.restitution, world.settings().gravity), (0.1, Vector::new(0.1, -9.81, 0.0)));
}

#[test]
fn the_largest_gravity_of_a_case_is_not_rounded_beyond_what_can_be() {
    let ball = r#"{"name": "falls", "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.5}}"#;
    let case = Opened::new("largest", r#""dt": 0.01, "steps": 1, "gravity": [0, 0, -1e30]"#, ball);
    _ = case.assert_steps_are_the_same(1);
}

#[test]
fn bodies_of_a_group_pass_through_each_other_and_meet_all_others() {
    let ball = |name: &str, x: f64, more: &str| {
        format!(
            r#"{{"name": "{name}", "kind": "dynamic", "shape": {{"type": "sphere", "radius": 0.5}}, "position": [{x}, 0, 0] {more}}}"#
        )
    };
    // The second lies in the first at once.
    let bodies = [
        ball("flies", -1.0, r#", "linear_velocity": [4, 0, 0], "no_collide_group": 3"#),
        ball("within", -0.8, r#", "no_collide_group": 3"#),
        ball("same", 0.5, r#", "no_collide_group": 3"#),
        ball("wall", 3.0, r#", "no_collide_group": 7"#),
        ball("other", 5.0, r#", "no_collide_group": 7"#),
    ];
    let case = Opened::new("groups", r#""dt": 0.01, "steps": 100, "gravity": [0, 0, 0]"#, &bodies.join(","));
    let app = case.assert_steps_are_the_same(100);
    let speeds: Vec<f64> =
        (playback(&app).tape.last().state.world().bodies()).map(|(_, body)| body.linear_velocity().x).collect();
    assert!(speeds[1] == 0.0 && speeds[2] == 0.0 && speeds[3] > 0.1, "{speeds:?}");
}

#[test]
fn why_the_simulation_stopped_is_told_by_name_and_again_when_it_is_tried_again() {
    let ball = |name: &str, x: f64| {
        format!(
            r#"{{"name": "{name}", "kind": "dynamic", "shape": {{"type": "sphere", "radius": 0.5}}, "position": [{x}, 0, 0]}}"#
        )
    };
    let world = r#""dt": 0.01, "steps": 100, "gravity": [0, 0, 0], "initial_overlap": "error""#;
    let case = Opened::new("stopped", world, &[ball("left-one", 0.0), ball("right-one", 0.9)].join(","));
    let mut app = case.viewer(None);
    for _ in 0..3 {
        wish(&mut app, Transport::StepForward);
        let told = app.world().resource::<Trouble>().0.clone().expect("it does not step");
        assert!(told.starts_with("left-one and right-one overlap by 1.000e-1 m"), "{told}");
    }
    let mut app = case.viewer(Some(0.5));
    app.update();
    assert_eq!((playback(&app).missed, playback(&app).stop_at), (Some(0.5), None));
}

#[test]
fn a_scene_is_played_up_to_its_instant_however_many_frames_that_takes() {
    let ball = r#"{"name": "flies", "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.5}, "linear_velocity": [1, 0, 0]}"#;
    let case = Opened::new("instant", r#""dt": 0.01, "steps": 100, "gravity": [0, 0, 0]"#, ball);
    let mut app = case.viewer(Some(3.0));
    let mut frames = 1;
    while playback(&app).stop_at.is_some() {
        app.update();
        frames += 1;
    }
    assert!(frames > 30 && playback(&app).missed.is_none() && app.world().resource::<CcdClock>().paused);
    assert!((playback(&app).tape.watched() - 3.0).abs() < 1e-9);
    let (id, _) = places(&app)[0];
    let along = playback(&app).pose(id).expect("it is there").translation.x;
    assert!((along - 3.0).abs() < 1e-9, "{along}");
}

#[test]
fn whoever_wishes_something_on_the_way_to_an_instant_is_led_on_no_further() {
    let ball = r#"{"name": "flies", "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.5}}"#;
    let case = Opened::new("left", r#""dt": 0.01, "steps": 100, "gravity": [0, 0, 0]"#, ball);
    for wished in [Transport::Toggle, Transport::StepBack, Transport::Seek(0.05)] {
        let mut app = case.viewer(Some(3.0));
        app.world_mut().resource_mut::<CcdClock>().paused = false;
        app.update();
        wish(&mut app, wished);
        let newest = playback(&app).tape.newest();
        assert!(newest < 1.0 && app.world().resource::<CcdClock>().paused, "{wished:?}");
        app.update();
        assert_eq!((playback(&app).tape.newest(), playback(&app).stop_at), (newest, None), "{wished:?}");
    }
}

#[test]
fn frames_take_as_many_short_steps_as_they_last_or_tell_what_they_reach() {
    let ball = r#"{"name": "flies", "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.5}}"#;
    let case = Opened::new("short", r#""dt": 0.001, "steps": 100, "gravity": [0, 0, 0]"#, ball);
    // After a second the pace before it counts for e⁻² yet.
    for (steps, second, pace) in [(u32::MAX, 0.99..1.01, 0.98..1.01), (8, 0.47..0.49, 0.54..0.56)] {
        let mut app = case.viewer(None);
        app.insert_resource(StepsPerFrame(steps)).insert_resource(TimeUpdateStrategy::ManualDuration(FRAME));
        app.world_mut().resource_mut::<CcdClock>().paused = false;
        (0..60).for_each(|_| app.update());
        let reached = (playback(&app).tape.newest(), playback(&app).pace);
        assert!(second.contains(&reached.0) && pace.contains(&reached.1), "{steps} steps a frame: {reached:?}");
    }
}

#[test]
fn the_speed_that_is_reached_is_told_where_frames_take_long() {
    let ball = r#"{"name": "flies", "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.5}}"#;
    let case = Opened::new("slow", r#""dt": 0.1, "steps": 100, "gravity": [0, 0, 0]"#, ball);
    let mut app = case.viewer(None);
    let second = std::time::Duration::from_secs(1);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(second));
    app.world_mut().resource_mut::<CcdClock>().paused = false;
    (0..8).for_each(|_| app.update());
    // The engine's clock goes on by a quarter of a second in each.
    let (reached, pace) = (playback(&app).tape.watched(), playback(&app).pace);
    assert!((1.7..2.1).contains(&reached) && (0.24..0.26).contains(&pace), "{reached} s in 8 s, told as {pace}");
}

#[test]
fn a_hand_pulls_once_however_often_its_step_is_tried() {
    let ball = r#"{"name": "held", "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.5}}"#;
    let case = Opened::new("held", r#""dt": 0.01, "steps": 100, "gravity": [0, 0, 0]"#, ball);
    let mut app = case.viewer(None);
    let (body, _) = places(&app)[0];
    app.insert_resource(Grab(Some(Held { body, local: Point::origin(), target: Point::new(1.0, 0.0, 0.0) })));
    // As long as no step is.
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(-0.01);
    for _ in 0..3 {
        wish(&mut app, Transport::StepForward);
        assert!(app.world().resource::<Trouble>().0.is_some());
        let held = app.world().resource::<CcdWorld>().core().body(body).expect("it is there");
        assert_eq!(*held.linear_velocity(), Vector::zeros());
    }
}
