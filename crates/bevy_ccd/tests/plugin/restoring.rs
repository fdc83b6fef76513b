//! States to go back to, in worlds whose entities have changed since.

use crate::common::*;

use bevy_ccd::ccd_core::dynamics::BodyKind;

fn snapshot(app: &App) -> CcdSnapshot {
    app.world().resource::<CcdWorld>().snapshot()
}

fn restore(app: &mut App, snapshot: &CcdSnapshot) {
    app.world_mut().resource_mut::<CcdWorld>().restore(snapshot.clone());
}

fn body_count(app: &App) -> usize {
    app.world().resource::<CcdWorld>().core().bodies().count()
}

fn moving(app: &mut App, y: f32) -> Entity {
    app.world_mut().spawn((ball(y), LinearVelocity::new(1.0, 0.0, 0.0))).id()
}

#[test]
fn a_body_that_was_built_anew_since_goes_back_as_what_it_is_now() {
    let mut app = still_app();
    let body = moving(&mut app, 0.0);
    run(&mut app, 10);
    let before = snapshot(&app);
    let there = place(&app, body);
    for mass in [3.0, 5.0] {
        run(&mut app, 10);
        app.world_mut().entity_mut(body).insert((Mass(mass), Collider::sphere(0.1 * mass)));
        run(&mut app, 10);
        restore(&mut app, &before);
        run(&mut app, 1);
        assert!((place(&app, body).x - there.x - 1.0 / RATE as f32).abs() < 1e-5, "{}", place(&app, body));
        assert!((core_body(&app, body).mass_properties().mass - f64::from(mass)).abs() < 1e-6);
        assert_eq!(body_count(&app), 1);
    }
    let after = snapshot(&app);
    restore(&mut app, &before);
    run(&mut app, 5);
    restore(&mut app, &after);
    run(&mut app, 1);
    assert!((place(&app, body).x - there.x - 2.0 / RATE as f32).abs() < 1e-5, "forward too");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_surface_that_was_changed_since_stays_as_the_components_say() {
    let mut app = still_app();
    let body = app.world_mut().spawn((ball(0.0), Friction::new(0.3))).id();
    run(&mut app, 2);
    let before = snapshot(&app);
    app.world_mut().entity_mut(body).insert((Friction::new(0.9), ConstantForce::new(0.0, 1.0, 0.0)));
    run(&mut app, 2);
    restore(&mut app, &before);
    run(&mut app, 1);
    assert_eq!(core_body(&app, body).material.friction, f64::from(0.9_f32));
    assert_eq!(core_body(&app, body).force.y, 1.0);
}

#[test]
fn bodies_that_are_none_any_more_do_not_come_back_and_new_ones_stay() {
    let mut app = still_app();
    let [gone, disabled, stays] = [0.0, 5.0, 10.0].map(|y| moving(&mut app, y));
    run(&mut app, 10);
    let before = snapshot(&app);
    app.world_mut().despawn(gone);
    app.world_mut().entity_mut(disabled).insert(RigidBodyDisabled);
    run(&mut app, 2);
    // They take the places of those that are gone.
    let [new, newer] = [20.0, 25.0].map(|y| moving(&mut app, y));
    run(&mut app, 10);
    let there = place(&app, new);
    restore(&mut app, &before);
    run(&mut app, 1);
    assert_eq!(body_count(&app), 3);
    assert!((place(&app, stays).x - 11.0 / RATE as f32).abs() < 1e-5, "{}", place(&app, stays));
    assert!((place(&app, new) - there - Vec3::X / RATE as f32).length() < 1e-5, "{}", place(&app, new));
    for entity in [stays, new, newer] {
        let id = app.world().get::<CcdBody>(entity).expect("a body").id();
        assert_eq!(app.world().resource::<CcdWorld>().entity(id), Some(entity));
    }
    app.world_mut().entity_mut(disabled).remove::<RigidBodyDisabled>();
    run(&mut app, 2);
    assert_eq!(body_count(&app), 4);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn what_was_let_go_of_since_is_met_again() {
    let mut app = still_app();
    let parent = app.world_mut().spawn(ball(0.0)).id();
    let child = (RigidBody::Kinematic, Collider::sphere(0.5), Transform::from_xyz(3.0, 0.0, 0.0), ChildOf(parent));
    let child = app.world_mut().spawn(child).id();
    run(&mut app, 2);
    let before = snapshot(&app);
    app.world_mut().entity_mut(child).remove::<ChildOf>();
    run(&mut app, 2);
    restore(&mut app, &before);
    app.world_mut().entity_mut(child).insert(LinearVelocity::new(-4.0, 0.0, 0.0));
    run(&mut app, 64);
    assert!(velocity(&app, parent).x < -3.9, "{}", velocity(&app, parent));
}

#[test]
fn what_the_game_has_moved_since_is_drawn_where_it_goes_back_to() {
    let mut app = still_app();
    let parent = app.world_mut().spawn((of_kind(RigidBody::Kinematic), Transform::from_xyz(0.0, 9.0, 0.0))).id();
    let kinds = [RigidBody::Static, RigidBody::Kinematic];
    let mut bodies: Vec<Entity> = kinds.map(|kind| app.world_mut().spawn(of_kind(kind)).id()).to_vec();
    bodies.extend(kinds.map(|kind| app.world_mut().spawn((of_kind(kind), ChildOf(parent))).id()));
    bodies.push(app.world_mut().spawn((Collider::sphere(0.5), Sensor)).id());
    run(&mut app, 3);
    let before = snapshot(&app);
    let drawn = |app: &App, body: Entity| app.world().get::<GlobalTransform>(body).expect("propagated").translation();
    let there: Vec<Vec3> = bodies.iter().map(|body| drawn(&app, *body)).collect();
    for &body in &bodies {
        app.world_mut().get_mut::<Transform>(body).expect("a transform").translation.x += 5.0;
    }
    run(&mut app, 3);
    restore(&mut app, &before);
    run(&mut app, 3);
    for (&body, there) in bodies.iter().zip(there) {
        let exact = bevy_ccd::convert::from_vector(&core_body(&app, body).pose().translation.vector);
        let drawn = drawn(&app, body);
        assert!((exact - drawn).length() < 1e-5, "{body} is at {exact}, drawn at {drawn}");
        assert!((there - drawn).length() < 1e-5, "{body} was at {there}, drawn at {drawn}");
    }
}

#[test]
fn what_stands_now_stands_where_it_was_when_it_moved() {
    let stop: [fn(&mut EntityWorldMut); 2] =
        [|body| _ = body.insert(RigidBody::Static), |body| _ = body.remove::<RigidBody>()];
    for stop in stop {
        let mut app = still_app();
        let body =
            app.world_mut().spawn((of_kind(RigidBody::Kinematic), Sensor, LinearVelocity::new(1.0, 0.0, 0.0))).id();
        run(&mut app, 10);
        let before = snapshot(&app);
        stop(&mut app.world_mut().entity_mut(body));
        run(&mut app, 10);
        restore(&mut app, &before);
        run(&mut app, 1);
        let there = place(&app, body);
        assert!((there.x - 10.0 / RATE as f32).abs() < 1e-5, "{there}");
        run(&mut app, 10);
        let exact = bevy_ccd::convert::from_vector(&core_body(&app, body).pose().translation.vector);
        assert!((exact - there).length() < 1e-6 && place(&app, body) == there, "{exact} and not {there}");
    }
}

#[test]
fn a_name_that_was_given_anew_after_the_state_was_put_back_is_no_other_body() {
    let mut app = still_app();
    let body = moving(&mut app, 0.0);
    run(&mut app, 2);
    let first = snapshot(&app);
    // Built anew twice, each time of the next name; and from the first state again, the second time as another.
    for mass in [3.0, 4.0] {
        app.world_mut().entity_mut(body).insert(Mass(mass));
        run(&mut app, 2);
    }
    let second = snapshot(&app);
    restore(&mut app, &first);
    run(&mut app, 2);
    app.world_mut().entity_mut(body).insert(RigidBody::Static);
    run(&mut app, 2);
    restore(&mut app, &second);
    run(&mut app, 1);
    let there = place(&app, body);
    run(&mut app, 10);
    assert_eq!(core_body(&app, body).kind(), BodyKind::Static);
    assert_eq!(place(&app, body), there);
    assert_eq!(body_count(&app), 1);
}

fn of_kind(kind: RigidBody) -> impl Bundle {
    (kind, Collider::sphere(0.5))
}

#[test]
fn what_touched_and_is_put_in_again_has_not_ceased_to_touch() {
    let mut app = app();
    let ground = app.world_mut().spawn((floor(), CollisionEventsEnabled)).id();
    run(&mut app, 2);
    let before = snapshot(&app);
    let late = app.world_mut().spawn(ball(0.5)).id();
    run(&mut app, 2);
    assert_eq!(take::<CollisionStart>(&mut app).len(), 1);
    // The state knows nothing of it, and so it enters anew, where it is.
    restore(&mut app, &before);
    run(&mut app, 2);
    assert!(app.world().resource::<CcdWorld>().are_touching(ground, late));
    assert_eq!((take::<CollisionStart>(&mut app).len(), take::<CollisionEnd>(&mut app).len()), (0, 0));
}

/// Where it is, how large and how heavy.
fn numbers(app: &App, entity: Entity) -> (Vec3, f64, f64) {
    let body = core_body(app, entity);
    let half = body.shape().as_solid().local_aabb().half_extents().x;
    (bevy_ccd::convert::from_vector(&body.pose().translation.vector), half, body.mass_properties().mass)
}

#[test]
fn bodies_that_entered_anew_after_a_state_was_put_back_go_forward_as_themselves() {
    let mut app = still_app();
    app.world_mut().spawn(ball(-50.0));
    run(&mut app, 2);
    let before = snapshot(&app);
    // The later one is of the earlier entity, and the two enter anew the other way round.
    let door = app.world_mut().spawn(Transform::from_xyz(7.0, 0.0, 0.0)).id();
    let ball = app.world_mut().spawn((ball(30.0), Mass(2.0))).id();
    run(&mut app, 1);
    app.world_mut().entity_mut(door).insert((RigidBody::Dynamic, Collider::cuboid(4.0, 4.0, 4.0), Mass(5.0)));
    run(&mut app, 2);
    let after = snapshot(&app);
    let were = [door, ball].map(|body| numbers(&app, body));
    for _ in 0..3 {
        restore(&mut app, &before);
        run(&mut app, 2);
        assert_eq!([door, ball].map(|body| numbers(&app, body)), were, "as they were, for they stand");
        restore(&mut app, &after);
        run(&mut app, 2);
        assert_eq!([door, ball].map(|body| numbers(&app, body)), were);
    }
    assert_eq!(body_count(&app), 3);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_body_in_the_slot_of_one_that_a_later_state_knows_is_not_taken_for_it() {
    let mut app = still_app();
    let first = app.world_mut().spawn(ball(0.0)).id();
    run(&mut app, 1);
    let before = snapshot(&app);
    app.world_mut().despawn(first);
    run(&mut app, 1);
    let second = app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(4.0, 4.0, 4.0))).id();
    run(&mut app, 1);
    let after = snapshot(&app);
    app.world_mut().despawn(second);
    run(&mut app, 1);
    restore(&mut app, &before);
    run(&mut app, 1);
    let third = app.world_mut().spawn(ball(9.0)).id();
    run(&mut app, 1);
    let is = numbers(&app, third);
    restore(&mut app, &after);
    run(&mut app, 2);
    assert_eq!(numbers(&app, third), is);
    assert_eq!(body_count(&app), 1);
}

#[test]
fn a_mass_that_was_given_since_stays_though_a_later_state_has_the_same_name_for_the_body() {
    let mut app = still_app();
    let before = snapshot(&app);
    let body = moving(&mut app, 0.0);
    run(&mut app, 1);
    app.world_mut().entity_mut(body).insert(Mass(3.0));
    run(&mut app, 2);
    let after = snapshot(&app);
    restore(&mut app, &before);
    run(&mut app, 1);
    for mass in [9.0, 4.0] {
        app.world_mut().entity_mut(body).insert(Mass(mass));
        run(&mut app, 2);
        restore(&mut app, &after);
        run(&mut app, 2);
        assert!((core_body(&app, body).mass_properties().mass - f64::from(mass)).abs() < 1e-6);
    }
}

#[test]
fn what_goes_back_to_before_its_bodies_and_forward_again_comes_to_the_same_bits() {
    let outcome = |detour: bool| {
        let mut app = app();
        app.world_mut().spawn(floor());
        run(&mut app, 2);
        let before = snapshot(&app);
        let bodies = [0.5, 1.5, 2.5].map(|y| {
            let block = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), LinearVelocity::new(0.2 * y, 0.0, 0.0));
            app.world_mut().spawn((block, Transform::from_xyz(0.1 * y, y, 0.0))).id()
        });
        run(&mut app, 12);
        let after = snapshot(&app);
        if detour {
            restore(&mut app, &before);
            run(&mut app, 3);
            app.world_mut().entity_mut(bodies[1]).insert(RigidBodyDisabled);
            run(&mut app, 2);
            app.world_mut().entity_mut(bodies[1]).remove::<RigidBodyDisabled>();
            run(&mut app, 2);
        }
        restore(&mut app, &after);
        run(&mut app, 20);
        bodies.map(|body| {
            let now = core_body(&app, body);
            (*now.pose(), *now.linear_velocity(), *now.angular_velocity())
        })
    };
    assert_eq!(outcome(false), outcome(true));
}

#[test]
fn a_body_that_was_disabled_or_hidden_for_a_while_since_goes_back_like_any_other() {
    use bevy::ecs::entity_disabling::Disabled;
    let hide: [[fn(&mut EntityWorldMut); 2]; 3] = [
        [|_| {}, |_| {}],
        [|body| _ = body.insert(RigidBodyDisabled), |body| _ = body.remove::<RigidBodyDisabled>()],
        [|body| _ = body.insert(Disabled), |body| _ = body.remove::<Disabled>()],
    ];
    for [hide, show] in hide {
        let mut app = still_app();
        let body = moving(&mut app, 0.0);
        run(&mut app, 4);
        let before = snapshot(&app);
        let there = place(&app, body);
        run(&mut app, 10);
        hide(&mut app.world_mut().entity_mut(body));
        run(&mut app, 1);
        // Another takes its place meanwhile.
        let other = moving(&mut app, 9.0);
        run(&mut app, 1);
        show(&mut app.world_mut().entity_mut(body));
        run(&mut app, 5);
        restore(&mut app, &before);
        run(&mut app, 1);
        let (now, wanted) = (place(&app, body), there + Vec3::X / RATE as f32);
        assert!((now - wanted).length() < 1e-5, "{now} and not {wanted}");
        assert_eq!(
            app.world()
                .resource::<CcdWorld>()
                .body_id(body)
                .zip(app.world().get::<CcdBody>(body))
                .map(|(id, body)| id == body.id()),
            Some(true)
        );
        assert!(place(&app, other).y == 9.0 && body_count(&app) == 2);
    }
}

#[test]
fn a_body_that_is_hidden_as_a_state_without_it_is_put_back_is_no_other_when_it_is_shown() {
    use bevy::ecs::entity_disabling::Disabled;
    let mut app = still_app();
    let before = snapshot(&app);
    let body = moving(&mut app, 0.0);
    run(&mut app, 2);
    let there = place(&app, body);
    app.world_mut().entity_mut(body).insert(Disabled);
    restore(&mut app, &before);
    run(&mut app, 2);
    let other = app.world_mut().spawn((ball(9.0), Mass(2.0))).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(body).remove::<Disabled>();
    run(&mut app, 1);
    assert!((place(&app, body) - there - Vec3::X / RATE as f32).length() < 1e-5, "{}", place(&app, body));
    assert_eq!((place(&app, other).y, numbers(&app, other).2, body_count(&app)), (9.0, 2.0, 2));
    assert!(numbers(&app, body).2 > 100.0, "it weighs {} kg", numbers(&app, body).2);
}
