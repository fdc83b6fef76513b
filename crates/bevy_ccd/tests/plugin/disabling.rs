//! Bodies and colliders that are out of the simulation for a while.

use crate::common::*;

#[test]
fn a_disabled_body_stands_and_goes_on_as_if_no_time_had_passed() {
    let outcome = |pause: u32| {
        let mut app = app();
        let body = (ball(50.0), LinearVelocity::new(1.0, 2.0, 3.0), AngularVelocity::new(0.3, 0.1, 0.7));
        let body = app.world_mut().spawn(body).id();
        run(&mut app, 20);
        if pause > 0 {
            app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
            let left = place(&app, body);
            run(&mut app, pause);
            assert_eq!(place(&app, body), left);
            assert!(app.world().get::<CcdBody>(body).is_none());
            assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 0);
            app.world_mut().entity_mut(body).remove::<RigidBodyDisabled>();
        }
        run(&mut app, 20);
        let now = core_body(&app, body);
        (*now.pose(), *now.linear_velocity(), *now.angular_velocity())
    };
    assert_eq!(outcome(0), outcome(30), "to the last bit");
}

#[test]
fn what_was_changed_of_a_disabled_body_is_taken_over_and_the_rest_is_kept() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app.world_mut().spawn((ball(0.0), LinearVelocity::new(1.0, 0.0, 0.0))).id();
    run(&mut app, 5);
    app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
    run(&mut app, 5);
    app.world_mut().get_mut::<Transform>(body).expect("a transform").translation = Vec3::Y * 7.0;
    app.world_mut().entity_mut(body).insert(Mass(3.0));
    run(&mut app, 5);
    app.world_mut().entity_mut(body).remove::<RigidBodyDisabled>();
    run(&mut app, 64);
    assert!((place(&app, body) - Vec3::new(1.0, 7.0, 0.0)).length() < 1e-5, "{}", place(&app, body));
    assert!((core_body(&app, body).mass_properties().mass - 3.0).abs() < 1e-9);
}

#[test]
fn a_disabled_support_lets_its_load_fall_and_ends_and_starts_collisions() {
    let mut app = app();
    let floor = app.world_mut().spawn((floor(), CollisionEventsEnabled)).id();
    let load = app.world_mut().spawn(ball(0.51)).id();
    run(&mut app, 90);
    assert_eq!(take::<CollisionStart>(&mut app).len(), 1);
    app.world_mut().entity_mut(floor).insert(RigidBodyDisabled);
    run(&mut app, 8);
    assert_eq!(take::<CollisionEnd>(&mut app).len(), 1);
    assert!(place(&app, load).y < 0.48);
    app.world_mut().get_mut::<Transform>(load).expect("a transform").translation.y = 0.6;
    app.world_mut().entity_mut(floor).remove::<RigidBodyDisabled>();
    run(&mut app, 90);
    assert_eq!(take::<CollisionStart>(&mut app).len(), 1);
    assert!((place(&app, load).y - 0.5).abs() < 2e-3, "{}", place(&app, load));
}

#[test]
fn the_sensors_of_a_disabled_body_are_out_with_it() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let other = app.world_mut().spawn((RigidBody::Static, Collider::sphere(0.5))).id();
    let body = (RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(3.0, 0.0, 0.0));
    let body = app.world_mut().spawn(body).id();
    let feeler = (Collider::sphere(0.5), Sensor, CollidingEntities::default(), Transform::from_xyz(-2.5, 0.0, 0.0));
    let feeler = app.world_mut().spawn((feeler, ChildOf(body))).id();
    let touched = |app: &App| app.world().get::<CollidingEntities>(feeler).expect("a list").to_vec();
    run(&mut app, 3);
    assert_eq!(touched(&app), [other]);
    app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
    run(&mut app, 3);
    assert!(touched(&app).is_empty());
    app.world_mut().entity_mut(body).remove::<RigidBodyDisabled>();
    run(&mut app, 3);
    assert_eq!(touched(&app), [other]);
    app.world_mut().entity_mut(feeler).insert(ColliderDisabled);
    run(&mut app, 3);
    assert!(touched(&app).is_empty());
    app.world_mut().entity_mut(feeler).remove::<ColliderDisabled>();
    run(&mut app, 3);
    assert_eq!(touched(&app), [other]);
}

#[test]
fn a_body_whose_collider_is_disabled_moves_on_and_meets_nothing() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let body = app.world_mut().spawn((ball(0.51), CollisionEventsEnabled)).id();
    run(&mut app, 90);
    let id = app.world().get::<CcdBody>(body).expect("a body").id();
    take::<CollisionStart>(&mut app);
    app.world_mut().entity_mut(body).insert(ColliderDisabled);
    run(&mut app, 20);
    assert!(place(&app, body).y < 0.3, "it falls through: {}", place(&app, body));
    assert_eq!(take::<CollisionEnd>(&mut app).len(), 1);
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").id(), id, "it is the same body");
    app.world_mut().get_mut::<Transform>(body).expect("a transform").translation.y = 2.0;
    app.world_mut().entity_mut(body).remove::<ColliderDisabled>();
    run(&mut app, 120);
    assert!((place(&app, body).y - 0.5).abs() < 2e-3, "{}", place(&app, body));
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_disabled_part_leaves_the_others() {
    let mut app = app();
    let body = app.world_mut().spawn(ball(0.0)).id();
    let child = (Collider::sphere(0.5), Transform::from_xyz(2.0, 0.0, 0.0), ChildOf(body));
    let child = app.world_mut().spawn(child).id();
    run(&mut app, 2);
    let mass = core_body(&app, body).mass_properties().mass;
    app.world_mut().entity_mut(child).insert(ColliderDisabled);
    run(&mut app, 2);
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").colliders(), [body]);
    assert!((core_body(&app, body).mass_properties().mass - mass / 2.0).abs() < 1e-9);
    app.world_mut().entity_mut(child).remove::<ColliderDisabled>();
    run(&mut app, 2);
    assert!((core_body(&app, body).mass_properties().mass - mass).abs() < 1e-9);
}

#[test]
fn what_was_moved_while_time_stood_and_then_disabled_comes_back_where_it_was_moved_to() {
    let leave: [[fn(&mut EntityWorldMut); 2]; 2] = [
        [|body| _ = body.insert(RigidBodyDisabled), |body| _ = body.remove::<RigidBodyDisabled>()],
        [
            |body| _ = body.insert(bevy::ecs::entity_disabling::Disabled),
            |body| _ = body.remove::<bevy::ecs::entity_disabling::Disabled>(),
        ],
    ];
    let kinds: [fn(&mut EntityWorldMut); 3] = [
        |body| _ = body.insert(RigidBody::Kinematic),
        |body| _ = body.insert(Sensor),
        |body| _ = body.insert((RigidBody::Kinematic, Sensor)),
    ];
    for [leave, come] in leave {
        for is in kinds {
            for is_carried in [false, true] {
                let mut app = still_app();
                let above = app.world_mut().spawn((ball(0.0), LinearVelocity::new(0.0, 0.0, 1.0))).id();
                let body = app.world_mut().spawn((Collider::sphere(0.3), Transform::from_xyz(4.0, 0.0, 0.0))).id();
                is(&mut app.world_mut().entity_mut(body));
                if is_carried {
                    app.world_mut().entity_mut(body).insert(ChildOf(above));
                }
                run(&mut app, 3);
                app.world_mut().resource_mut::<CcdClock>().paused = true;
                run(&mut app, 1);
                app.world_mut().get_mut::<Transform>(body).expect("a transform").translation.x = 9.0;
                run(&mut app, 1);
                leave(&mut app.world_mut().entity_mut(body));
                run(&mut app, 1);
                come(&mut app.world_mut().entity_mut(body));
                run(&mut app, 1);
                // It has come in where it is drawn.
                let exact = |app: &App| bevy_ccd::convert::from_vector(&core_body(app, body).pose().translation.vector);
                let at = exact(&app);
                assert!((at.x - 9.0).abs() < 1e-5, "in the pause it is at {at}");
                app.world_mut().resource_mut::<CcdClock>().paused = false;
                run(&mut app, 4);
                let (at, drawn) = (exact(&app), app.world().get::<GlobalTransform>(body).expect("drawn").translation());
                assert!((at - drawn).length() < 1e-5 && (at.x - 9.0).abs() < 1e-5, "{at}, drawn at {drawn}");
            }
        }
    }
}
