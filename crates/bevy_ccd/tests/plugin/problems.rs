//! Bad input is told with the entity's name, and stops nothing else.

use crate::common::*;

/// Spawns it next to a good body, and returns the problems told.
fn told(bad: impl Bundle) -> (Entity, Vec<CcdProblem>) {
    let mut app = app();
    let good = app.world_mut().spawn(ball(100.0)).id();
    let bad = app.world_mut().spawn(bad).id();
    run(&mut app, 10);
    assert!(place(&app, good).y < 100.0, "the good body goes on");
    assert!(core_body(&app, good).pose().translation.y.is_finite());
    (bad, take::<CcdProblem>(&mut app))
}

fn told_once(bad: impl Bundle, says: &str) {
    let (bad, problems) = told(bad);
    assert_eq!(problems.len(), 1, "told once: {problems:?}");
    assert_eq!(problems[0].entity, Some(bad));
    assert!(problems[0].to_string().contains(says), "{}", problems[0]);
}

#[test]
fn impossible_masses_are_refused() {
    told_once((ball(0.0), Mass(-1.0)), "mass");
    told_once((ball(0.0), Mass(f32::NAN)), "mass");
    told_once((ball(0.0), ColliderDensity(0.0)), "density");
    told_once((ball(0.0), AngularInertia::new(Vec3::new(1.0, 1.0, 5.0))), "inertia");
}

#[test]
fn impossible_sizes_are_refused() {
    told_once((RigidBody::Dynamic, Collider::sphere(-1.0)), "radius");
    told_once((RigidBody::Dynamic, Collider::cuboid(1.0, f64::NAN, 1.0)), "not a finite number");
    told_once((RigidBody::Dynamic, Collider::half_space(Vec3::Y)), "unbounded");
}

#[test]
fn impossible_places_and_velocities_are_refused() {
    told_once((RigidBody::Dynamic, Collider::sphere(1.0), Transform::from_xyz(f32::NAN, 0.0, 0.0)), "pose");
    let zero = Transform { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..default() };
    told_once((RigidBody::Dynamic, Collider::sphere(1.0), zero), "rotation");
    told_once((ball(0.0), LinearVelocity::new(f32::INFINITY, 0.0, 0.0)), "velocity");
    told_once((RigidBody::Dynamic, Collider::sphere(1.0), Transform::from_scale(Vec3::ZERO)), "scale");
}

#[test]
fn impossible_surfaces_are_refused() {
    told_once((ball(0.0), Restitution::new(1.5)), "restitution");
    told_once((ball(0.0), Friction::new(-0.5)), "friction");
    told_once((ball(0.0), RollingResistance(-0.5)), "rolling resistance");
    told_once((ball(0.0), RollingResistance(f32::NAN)), "rolling resistance");
    told_once((ball(0.0), LinearDamping(-1.0)), "damping");
}

#[test]
fn a_bad_change_leaves_the_body_as_it_was() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app.world_mut().spawn((ball(0.0), Mass(2.0), LinearVelocity::new(1.0, 0.0, 0.0))).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(body).insert(Mass(f32::INFINITY));
    app.world_mut().get_mut::<Transform>(body).expect("a transform").translation.x = f32::NAN;
    run(&mut app, 10);
    let problems = take::<CcdProblem>(&mut app);
    assert!(
        !problems.is_empty() && problems.len() <= 3 && problems.iter().all(|p| p.entity == Some(body)),
        "{problems:?}"
    );
    assert!((core_body(&app, body).mass_properties().mass - 2.0).abs() < 1e-9);
    assert!(place(&app, body).is_finite(), "the true place is shown again");
}

#[test]
fn an_overlap_at_the_start_is_told_and_separated() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let a = app.world_mut().spawn(ball(0.0)).id();
    let b = app.world_mut().spawn(ball(0.8)).id();
    run(&mut app, 3);
    let problems = take::<CcdProblem>(&mut app);
    assert!(problems.iter().any(|p| matches!(p.cause, CcdProblemCause::Overlap { .. })), "{problems:?}");
    let distance = (place(&app, b) - place(&app, a)).length();
    assert!(distance >= 1.0, "{distance}");
    assert!(velocity(&app, a).length() < 1e-6, "gained {}", velocity(&app, a));
}

#[test]
fn bad_settings_are_refused_and_the_old_ones_stay() {
    let mut app = app();
    let ball = app.world_mut().spawn(ball(10.0)).id();
    run(&mut app, 1);
    app.world_mut().resource_mut::<CcdSettings>().tolerance = -1.0;
    run(&mut app, 5);
    let problems = take::<CcdProblem>(&mut app);
    assert_eq!(problems.len(), 1);
    assert!(matches!(problems[0].cause, CcdProblemCause::Settings(_)));
    assert!(place(&app, ball).y < 10.0);
}

#[test]
fn a_bad_setting_keeps_no_other_out_of_force() {
    let mut app = app();
    let in_force = |app: &App| app.world().resource::<CcdWorld>().core().settings().clone();
    app.world_mut().resource_mut::<CcdSettings>().tolerance = -1.0;
    app.world_mut().resource_mut::<CcdSettings>().sleeping = false;
    run(&mut app, 1);
    app.insert_resource(Gravity(Vec3::NEG_Y));
    run(&mut app, 1);
    let settings = in_force(&app);
    assert!(settings.gravity.y == -1.0 && !settings.sleeping && settings.tolerance > 0.0, "{settings:?}");
    assert_eq!(take::<CcdProblem>(&mut app).len(), 1, "told once");
    app.insert_resource(Gravity(Vec3::NAN));
    app.world_mut().resource_mut::<CcdSettings>().tolerance = 2e-4;
    run(&mut app, 1);
    let settings = in_force(&app);
    assert!(settings.gravity.y == -1.0 && settings.tolerance == 2e-4, "{settings:?}");
    assert_eq!(take::<CcdProblem>(&mut app).len(), 1);
}

#[test]
fn colliders_say_at_once_why_they_cannot_be_built() {
    let flat = Collider::convex_hull([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert!(matches!(flat, Err(ColliderError::Hull(_))), "{flat:?}");
    let beyond = Collider::trimesh([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 7]]);
    assert_eq!(beyond.expect_err("no vertex 7").to_string(), "face 0 uses vertex 7 of 3");
    let obj = Collider::from_obj_reader("v 0 0\nf 1 1 1\n".as_bytes(), "bad.obj");
    assert!(obj.expect_err("two coordinates").to_string().starts_with("bad.obj, line 1"));
}

#[test]
fn components_that_do_nothing_are_told_of_once() {
    let mut app = app();
    let lone = app.world_mut().spawn(Collider::sphere(0.5)).id();
    let bare = app.world_mut().spawn(RigidBody::Dynamic).id();
    let body = app.world_mut().spawn((RigidBody::Static, Transform::from_xyz(9.0, 0.0, 0.0))).id();
    let part = (Collider::sphere(0.5), CollisionEventsEnabled, CollidingEntities::default(), Mass(2.0), ChildOf(body));
    let part = app.world_mut().spawn((part, CollisionLayers::new(0b10, 0b10))).id();
    // These are the body's.
    app.world_mut().spawn((Collider::sphere(0.5), CollisionLayers::default(), ChildOf(body)));
    // These do something.
    let feet = (Collider::sphere(0.5), Sensor, CollisionEventsEnabled, ChildOf(body));
    app.world_mut().spawn(feet);
    app.world_mut().spawn((RigidBody::Static, children![(Transform::default(), children![Collider::sphere(0.1)])]));
    app.world_mut().spawn((Collider::sphere(0.1), Sensor, Transform::from_xyz(-9.0, 0.0, 0.0)));
    run(&mut app, 5);
    let told: Vec<_> = take::<CcdProblem>(&mut app)
        .iter()
        .filter_map(|problem| match problem.cause {
            CcdProblemCause::NoEffect { component, .. } => Some((problem.entity?, component)),
            _ => panic!("{problem}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            (lone, "Collider"),
            (bare, "RigidBody"),
            (part, "CollisionEventsEnabled"),
            (part, "CollidingEntities"),
            (part, "Mass"),
            (part, "CollisionLayers"),
        ]
    );
}

#[test]
fn why_the_world_does_not_step_is_told_once_and_known_until_it_does() {
    let mut app = app();
    app.world_mut().spawn(ball(0.0));
    run(&mut app, 1);
    let refusal = |app: &App| app.world().resource::<CcdWorld>().refusal().map(ToString::to_string);
    assert_eq!(refusal(&app), None);
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(-1.0);
    for _ in 0..3 {
        run(&mut app, 1);
        assert!(refusal(&app).is_some_and(|why| why.contains("-1 s")));
    }
    assert_eq!(take::<CcdProblem>(&mut app).len(), 1);
    app.world_mut().resource_mut::<CcdClock>().step_length = Some(0.01);
    run(&mut app, 1);
    assert_eq!(refusal(&app), None);
}

#[test]
fn of_many_that_overlap_in_one_place_each_is_told_of_once() {
    let mut app = still_app();
    let crate_ = || (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::default());
    let crates: Vec<Entity> = (0..12).map(|_| app.world_mut().spawn(crate_()).id()).collect();
    run(&mut app, 10);
    let named: Vec<(Option<Entity>, Entity)> = take::<CcdProblem>(&mut app)
        .into_iter()
        .filter_map(|problem| match problem.cause {
            CcdProblemCause::Overlap { other, .. } => Some((problem.entity, other)),
            _ => None,
        })
        .collect();
    assert!(named.len() <= crates.len(), "{named:?}");
    for body in crates {
        assert!(named.iter().any(|&(one, other)| one == Some(body) || other == body), "{body} in {named:?}");
    }
}

#[test]
fn an_overlap_that_is_made_anew_in_every_step_is_told_once_and_again_after_a_second_without() {
    let mut app = app();
    let lift = app.world_mut().spawn(floor()).id();
    for x in -2..=2_i8 {
        let load =
            (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(2.0 * f32::from(x), 0.5, 0.0));
        app.world_mut().spawn(load);
    }
    run(&mut app, 5);
    for expected in [5, 5] {
        for _ in 0..30 {
            app.world_mut().get_mut::<Transform>(lift).expect("a transform").translation.y += 0.02;
            run(&mut app, 1);
        }
        assert_eq!(take::<CcdProblem>(&mut app).len(), expected);
        run(&mut app, 70);
    }
}
