//! Entities that the engine's queries do not show.

use crate::common::*;
use bevy::ecs::entity_disabling::Disabled;

/// The same for a disabling component of the game's own.
#[derive(Component, Default)]
struct OutOfSight;

fn app() -> App {
    app_with(|app| {
        app.world_mut().register_disabling_component::<OutOfSight>();
    })
}

/// Where a body is and how it moves after 20 steps, a pause in which it is hidden, and 20 more.
fn outcome<Hiding: Component + Default>(pause: u32) -> impl PartialEq + std::fmt::Debug {
    let mut app = app();
    let body = (ball(50.0), LinearVelocity::new(1.0, 2.0, 3.0), AngularVelocity::new(0.3, 0.1, 0.7));
    let body = app.world_mut().spawn(body).id();
    run(&mut app, 20);
    if pause > 0 {
        app.world_mut().entity_mut(body).insert(Hiding::default());
        let left = place(&app, body);
        run(&mut app, pause);
        assert_eq!(place(&app, body), left);
        assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 0);
        app.world_mut().entity_mut(body).remove::<Hiding>();
    }
    run(&mut app, 20);
    assert!(take::<CcdProblem>(&mut app).is_empty());
    let now = core_body(&app, body);
    (*now.pose(), *now.linear_velocity(), *now.angular_velocity())
}

#[test]
fn a_hidden_body_stands_and_goes_on_as_if_no_time_had_passed() {
    assert_eq!(outcome::<Disabled>(0), outcome::<Disabled>(30), "to the last bit");
}

#[test]
fn a_disabling_component_of_the_games_own_is_one_too() {
    assert_eq!(outcome::<OutOfSight>(0), outcome::<OutOfSight>(30), "to the last bit");
}

#[test]
fn what_is_below_a_hidden_entity_is_out_with_it_and_comes_back_where_it_was() {
    let run_with = |pause: u32| {
        let mut app = app();
        let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
        let ball = (RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(0.0, 50.0, 0.0), ChildOf(parent));
        let ball = app.world_mut().spawn((ball, AngularVelocity::new(0.3, 0.1, 0.7))).id();
        let lift = (RigidBody::Kinematic, Collider::sphere(0.5), LinearVelocity::new(1.0, 0.0, 0.0), ChildOf(parent));
        let lift = app.world_mut().spawn(lift).id();
        let feeler = (Collider::sphere(0.5), Sensor, Transform::from_xyz(0.0, 2.0, 0.0), ChildOf(lift));
        let feeler = app.world_mut().spawn(feeler).id();
        run(&mut app, 20);
        let bodies = [ball, lift, feeler];
        if pause > 0 {
            app.world_mut().entity_mut(parent).insert(Disabled);
            let left = bodies.map(|body| place(&app, body));
            run(&mut app, pause);
            assert_eq!(bodies.map(|body| place(&app, body)), left);
            assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 0);
            app.world_mut().entity_mut(parent).remove::<Disabled>();
        }
        run(&mut app, 20);
        assert!(take::<CcdProblem>(&mut app).is_empty());
        for body in bodies {
            let drawn = app.world().get::<GlobalTransform>(body).expect("propagated").translation();
            let is = bevy_ccd::convert::from_vector(&core_body(&app, body).pose().translation.vector);
            assert!((drawn - is).length() < 1e-5, "drawn at {drawn}, is at {is}");
        }
        bodies.map(|body| (*core_body(&app, body).pose(), *core_body(&app, body).linear_velocity()))
    };
    assert_eq!(run_with(0), run_with(30), "to the last bit");
}

#[test]
fn what_was_changed_of_a_hidden_body_is_taken_over_and_its_collisions_end() {
    let mut app = app();
    app.world_mut().spawn((floor(), CollisionEventsEnabled));
    let body = app.world_mut().spawn(ball(0.51)).id();
    run(&mut app, 90);
    assert_eq!(take::<CollisionStart>(&mut app).len(), 1);
    app.world_mut().entity_mut(body).insert(Disabled);
    run(&mut app, 5);
    assert_eq!(take::<CollisionEnd>(&mut app).len(), 1);
    app.world_mut().get_mut::<Transform>(body).expect("a transform").translation.x = 7.0;
    app.world_mut().entity_mut(body).remove::<Disabled>();
    run(&mut app, 5);
    assert_eq!(take::<CollisionStart>(&mut app).len(), 1);
    assert!((place(&app, body) - Vec3::new(7.0, 0.5, 0.0)).length() < 2e-3, "{}", place(&app, body));
}

#[test]
fn what_is_written_of_a_hidden_static_body_is_drawn_when_it_comes_back() {
    let mut app = app();
    let body = app.world_mut().spawn((RigidBody::Static, Collider::sphere(0.5))).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(body).insert(Disabled);
    run(&mut app, 2);
    app.world_mut().get_mut::<Transform>(body).expect("a transform").translation.x = 7.0;
    run(&mut app, 2);
    app.world_mut().entity_mut(body).remove::<Disabled>();
    run(&mut app, 2);
    assert_eq!(core_body(&app, body).pose().translation.x, 7.0);
    assert_eq!(app.world().get::<GlobalTransform>(body).expect("propagated").translation().x, 7.0);
}

#[test]
fn what_is_hidden_or_despawned_after_the_state_was_put_back_leaves_no_body() {
    for is_hidden in [true, false] {
        let mut app = app();
        let body = app.world_mut().spawn(ball(50.0)).id();
        run(&mut app, 5);
        let before = app.world().resource::<CcdWorld>().snapshot();
        app.world_mut().entity_mut(body).insert(Mass(3.0));
        run(&mut app, 5);
        app.world_mut().resource_mut::<CcdWorld>().restore(before);
        if is_hidden {
            app.world_mut().entity_mut(body).insert(Disabled);
        } else {
            app.world_mut().despawn(body);
        }
        run(&mut app, 3);
        assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 0);
    }
}

#[test]
fn what_is_hidden_touches_nobody() {
    let mut app = app();
    let floor = app.world_mut().spawn((floor(), CollidingEntities::default())).id();
    let ball = app.world_mut().spawn((ball(0.5001), CollidingEntities::default())).id();
    run(&mut app, 60);
    let touched = |app: &App, entity| app.world().get::<CollidingEntities>(entity).expect("a list").to_vec();
    assert_eq!((touched(&app, ball), touched(&app, floor)), (vec![floor], vec![ball]));
    app.world_mut().entity_mut(ball).insert(OutOfSight);
    run(&mut app, 5);
    assert_eq!((touched(&app, ball), touched(&app, floor)), (vec![], vec![]));
    app.world_mut().entity_mut(ball).remove::<OutOfSight>();
    run(&mut app, 5);
    assert_eq!((touched(&app, ball), touched(&app, floor)), (vec![floor], vec![ball]));
}
