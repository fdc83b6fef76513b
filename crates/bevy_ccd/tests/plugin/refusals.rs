//! What is refused keeps nothing else from being done, and is done once it can be.

use crate::common::*;

fn is_body(app: &App, entity: Entity) -> bool {
    app.world().get::<CcdBody>(entity).is_some()
}

fn transform(app: &mut App, entity: Entity) -> Mut<'_, Transform> {
    app.world_mut().get_mut::<Transform>(entity).expect("a transform")
}

/// Runs on, and expects one problem of this entity.
fn assert_told_once(app: &mut App, entity: Entity) {
    run(app, 5);
    let problems = take::<CcdProblem>(app);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].entity, Some(entity));
}

#[test]
fn a_body_that_was_refused_for_its_velocity_is_one_once_that_is_set_right() {
    let mut app = still_app();
    let body = app.world_mut().spawn((ball(0.0), LinearVelocity::new(f32::INFINITY, 0.0, 0.0))).id();
    assert_told_once(&mut app, body);
    app.world_mut().get_mut::<LinearVelocity>(body).expect("a velocity").0 = Vec3::X;
    run(&mut app, 65);
    assert!((place(&app, body).x - 1.0).abs() < 0.02, "{}", place(&app, body));
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_body_that_was_refused_for_its_parent_is_one_once_that_is_set_right() {
    type Spoil = fn(&mut EntityWorldMut);
    // What moves itself cannot be sheared.
    let spoiled: [(RigidBody, Spoil); 3] = [
        (RigidBody::Static, |parent| _ = parent.remove::<Transform>()),
        (RigidBody::Kinematic, |parent| _ = parent.insert(Transform::from_scale(Vec3::new(1.0, 3.0, 1.0)))),
        (RigidBody::Static, |parent| _ = parent.insert(Transform::from_xyz(f32::NAN, 0.0, 0.0))),
    ];
    for (kind, spoil) in spoiled {
        let mut app = still_app();
        let parent = app.world_mut().spawn(Transform::default()).id();
        spoil(&mut app.world_mut().entity_mut(parent));
        let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
        let body = (kind, Collider::cuboid(1.0, 1.0, 1.0), turned, ChildOf(parent));
        let body = app.world_mut().spawn(body).id();
        assert_told_once(&mut app, body);
        assert!(!is_body(&app, body));
        app.world_mut().entity_mut(parent).insert(Transform::from_xyz(1.0, 0.0, 0.0));
        run(&mut app, 2);
        assert_eq!(core_body(&app, body).pose().translation.x, 1.0);
        assert!(take::<CcdProblem>(&mut app).is_empty());
    }
}

#[test]
fn a_refused_body_under_a_parent_that_moves_is_told_once() {
    let mut app = still_app();
    let parent = (RigidBody::Kinematic, Collider::sphere(0.5), LinearVelocity::new(1.0, 0.0, 0.0));
    let parent = app.world_mut().spawn(parent).id();
    let body = app.world_mut().spawn((ball(3.0), Mass(-1.0), ChildOf(parent))).id();
    assert_told_once(&mut app, body);
}

#[test]
fn a_good_change_that_was_made_with_a_bad_one_is_made_once_that_is_set_right() {
    let mut app = still_app();
    let body = app.world_mut().spawn((ball(0.0), Restitution::new(0.5))).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(body).insert((Collider::sphere(2.0), Restitution::new(1.5)));
    assert_told_once(&mut app, body);
    app.world_mut().entity_mut(body).insert(Restitution::new(0.25));
    run(&mut app, 2);
    let mass = 4.0 / 3.0 * std::f64::consts::PI * 8000.0;
    assert!((core_body(&app, body).mass_properties().mass - mass).abs() < 1e-6, "it has the new collider");
    assert_eq!(core_body(&app, body).material.restitution, 0.25);
    // Set back to what it was, a refused change is none.
    app.world_mut().entity_mut(body).insert(Restitution::new(1.5));
    assert_told_once(&mut app, body);
    app.world_mut().entity_mut(body).insert(Restitution::new(0.25));
    run(&mut app, 2);
    app.world_mut().entity_mut(body).insert(Restitution::new(1.5));
    assert_told_once(&mut app, body);
}

#[test]
fn a_static_body_that_may_not_fall_for_its_velocity_falls_once_that_is_set_right() {
    let mut app = app();
    let body = app.world_mut().spawn(ball(0.0)).insert(RigidBody::Static).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(body).insert((RigidBody::Dynamic, LinearVelocity::new(f32::NAN, 0.0, 0.0)));
    run(&mut app, 3);
    assert!(!take::<CcdProblem>(&mut app).is_empty());
    app.world_mut().entity_mut(body).insert(LinearVelocity::ZERO);
    run(&mut app, 10);
    assert!(place(&app, body).y < 0.0);
}

#[test]
fn a_bad_place_keeps_no_velocity_from_being_taken_over() {
    let mut app = still_app();
    let body = app.world_mut().spawn(ball(0.0)).id();
    run(&mut app, 2);
    transform(&mut app, body).translation = Vec3::NAN;
    app.world_mut().entity_mut(body).insert((
        LinearVelocity::new(1.0, 0.0, 0.0),
        AngularVelocity(Vec3::INFINITY),
        Mass(3.0),
    ));
    run(&mut app, 64);
    assert!((place(&app, body).x - 1.0).abs() < 1e-4, "{}", place(&app, body));
    assert_eq!(core_body(&app, body).angular_velocity().norm(), 0.0);
    assert!((core_body(&app, body).mass_properties().mass - 3.0).abs() < 1e-9);
    let problems = take::<CcdProblem>(&mut app);
    assert_eq!(problems.len(), 2, "of the place and of the spin: {problems:?}");
}

#[test]
fn a_body_that_its_parent_shears_is_told_of_and_takes_over_all_but_its_place() {
    for kind in [RigidBody::Dynamic, RigidBody::Kinematic] {
        let mut app = still_app();
        let parent = app.world_mut().spawn(Transform::default()).id();
        let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
        let body = (kind, Collider::cuboid(1.0, 1.0, 1.0), turned, ChildOf(parent));
        let body = app.world_mut().spawn(body).id();
        run(&mut app, 3);
        transform(&mut app, parent).scale = Vec3::new(1.0, 3.0, 1.0);
        assert_told_once(&mut app, body);
        app.world_mut().entity_mut(body).insert((LinearVelocity::new(1.0, 0.0, 0.0), Friction::new(0.25), Mass(3.0)));
        run(&mut app, 64);
        let now = core_body(&app, body);
        assert!((now.pose().translation.x - 1.0).abs() < 1e-4, "{}", now.pose());
        assert_eq!(now.material.friction, 0.25);
        assert!(kind.is_kinematic() || (now.mass_properties().mass - 3.0).abs() < 1e-9);
        assert!(take::<CcdProblem>(&mut app).is_empty());
        transform(&mut app, parent).scale = Vec3::ONE;
        run(&mut app, 3);
        assert!(take::<CcdProblem>(&mut app).is_empty());
    }
}

#[test]
fn a_kinematic_child_of_a_parent_without_a_place_is_told_of_once() {
    let mut app = still_app();
    let parent = app.world_mut().spawn(Transform::default()).id();
    let body = (RigidBody::Kinematic, Collider::sphere(0.5), ChildOf(parent));
    let body = app.world_mut().spawn(body).id();
    run(&mut app, 2);
    transform(&mut app, parent).translation.x = f32::NAN;
    assert_told_once(&mut app, body);
    transform(&mut app, parent).translation.x = 2.0;
    run(&mut app, 3);
    assert!((core_body(&app, body).pose().translation.x - 2.0).abs() < 1e-9);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_place_beyond_numbers_is_not_left_on_the_screen() {
    for kind in [RigidBody::Static, RigidBody::Kinematic, RigidBody::Dynamic] {
        let mut app = still_app();
        let parent = app.world_mut().spawn(Transform::default()).id();
        let [root, child] = [0.0, 2.0]
            .map(|x| app.world_mut().spawn((kind, Collider::sphere(0.5), Transform::from_xyz(x, 0.0, 0.0))).id());
        app.world_mut().entity_mut(child).insert(ChildOf(parent));
        run(&mut app, 2);
        // Where the game put it last is its digits.
        transform(&mut app, root).translation.y = 1.0;
        run(&mut app, 2);
        transform(&mut app, root).translation = Vec3::INFINITY;
        run(&mut app, 2);
        assert_eq!(place(&app, root), Vec3::Y, "{kind:?}");
        if !kind.is_static() {
            transform(&mut app, child).translation = Vec3::INFINITY;
            run(&mut app, 2);
            assert_eq!(place(&app, child), Vec3::X * 2.0, "{kind:?}");
        }
    }
}

#[test]
fn a_negative_zero_that_is_written_again_and_again_wakes_nobody() {
    let mut app = app_with(|app| {
        app.add_systems(FixedUpdate, |mut bodies: Query<(&mut LinearVelocity, &RigidBody)>| {
            for (mut velocity, _) in bodies.iter_mut().filter(|(_, kind)| kind.is_dynamic()) {
                if velocity.0 == Vec3::ZERO {
                    velocity.0 = -Vec3::ZERO;
                }
            }
        });
    });
    app.world_mut().spawn(floor());
    let load = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.51, 0.0));
    let load = app.world_mut().spawn(load).id();
    run(&mut app, 192);
    assert!(core_body(&app, load).is_asleep());
    run(&mut app, 10);
    assert!(core_body(&app, load).is_asleep());
}

#[test]
fn the_same_turn_as_the_negative_quaternion_wakes_nobody() {
    let mut app = app_with(|app| {
        app.add_systems(FixedUpdate, |mut bodies: Query<&mut Transform, With<Name>>| {
            bodies.iter_mut().for_each(|mut transform| transform.rotation = -transform.rotation);
        });
    });
    app.world_mut().spawn(floor());
    let load = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.51, 0.0));
    let load = app.world_mut().spawn((load, Name::new("flipped"))).id();
    run(&mut app, 192);
    assert!(core_body(&app, load).is_asleep());
}

#[test]
fn a_static_body_that_may_not_be_carried_is_where_it_is_drawn() {
    let mut app = still_app();
    let carrier = (RigidBody::Kinematic, Collider::sphere(0.5), Transform::from_xyz(10.0, 0.0, 0.0));
    let carrier = app.world_mut().spawn((carrier, LinearVelocity::new(1.0, 0.0, 0.0))).id();
    let body = app.world_mut().spawn(ball(3.0)).insert(RigidBody::Static).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(body).insert((ChildOf(carrier), Friction::new(-1.0)));
    run(&mut app, 3);
    app.world_mut().entity_mut(carrier).remove::<RigidBody>();
    app.world_mut().entity_mut(body).insert(Friction::new(0.5));
    run(&mut app, 3);
    let seen = app.world().get::<GlobalTransform>(body).expect("propagated").translation();
    let exact = core_body(&app, body).pose().translation.vector;
    assert!(
        (bevy_ccd::convert::from_vector(&exact) - seen).length() < 1e-5,
        "drawn at {seen}, in the world at {exact}"
    );
    assert!(seen.x > 10.0);
}

/// Where a body is drawn, and that it is there.
fn drawn(app: &App, entity: Entity) -> Vec3 {
    let exact = bevy_ccd::convert::from_vector(&core_body(app, entity).pose().translation.vector);
    assert!((exact - place(app, entity)).length() < 1e-6, "it is at {exact}, and drawn at {}", place(app, entity));
    exact
}

#[test]
fn a_sensor_that_is_a_body_no_longer_stands_where_it_is_drawn_though_its_collider_is_refused() {
    let mut app = app();
    let motion = (LinearVelocity::new(1.0, 2.0, 0.0), AngularVelocity(Vec3::Y));
    let sensor = app.world_mut().spawn((ball(10.0), Sensor, motion)).id();
    run(&mut app, 10);
    app.world_mut().entity_mut(sensor).remove::<RigidBody>().insert(Collider::sphere(-1.0));
    let stands = place(&app, sensor);
    assert_told_once(&mut app, sensor);
    run(&mut app, 20);
    assert!((drawn(&app, sensor) - stands).length() < 1e-6);
    app.world_mut().entity_mut(sensor).insert((RigidBody::Dynamic, Collider::sphere(1.0)));
    run(&mut app, 20);
    assert!(drawn(&app, sensor).y < stands.y + 0.7 && drawn(&app, sensor) != stands);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_body_that_is_to_stand_stands_where_it_is_drawn_though_its_collider_is_refused() {
    let mut app = app();
    let body = app.world_mut().spawn((ball(10.0), LinearVelocity::new(1.0, 2.0, 0.0))).id();
    run(&mut app, 10);
    app.world_mut().entity_mut(body).insert((RigidBody::Static, Collider::sphere(-1.0)));
    let stands = place(&app, body);
    assert_told_once(&mut app, body);
    run(&mut app, 20);
    assert_eq!(drawn(&app, body), stands);
}

#[test]
fn what_is_refused_for_the_same_reason_with_other_numbers_is_told_once() {
    type Write = fn(&mut App, Entity, f32);
    let writes: [(&str, Write); 4] = [
        ("a velocity that is none", |app, body, _| {
            app.world_mut().get_mut::<LinearVelocity>(body).expect("a velocity").0.x = f32::NAN;
        }),
        ("a capsule that is squashed", |app, body, k| transform(app, body).scale.y = 1.0 - 0.005 * k),
        ("a mass that cannot be", |app, body, k| _ = app.world_mut().entity_mut(body).insert(Mass(-k))),
        ("a rotation that is none", |app, body, k| {
            transform(app, body).rotation = Quat::from_xyzw(f32::NAN, k, k, 1.0)
        }),
    ];
    for (what, write) in writes {
        let mut app = app();
        app.world_mut().spawn(floor());
        let body = (RigidBody::Dynamic, Collider::capsule(0.3, 0.4), Transform::from_xyz(0.0, 0.5, 0.0));
        let body = app.world_mut().spawn(body).id();
        run(&mut app, 3);
        for k in 1..=60_u8 {
            write(&mut app, body, f32::from(k));
            run(&mut app, 1);
        }
        assert_eq!(take::<CcdProblem>(&mut app).len(), 1, "{what}");
        // What was accepted meanwhile and is refused anew is told anew.
        app.world_mut()
            .entity_mut(body)
            .remove::<Mass>()
            .insert((LinearVelocity::new(0.1, 0.0, 0.0), Transform::from_xyz(0.0, 0.5, 0.0)));
        run(&mut app, 3);
        write(&mut app, body, 7.0);
        run(&mut app, 3);
        assert_eq!(take::<CcdProblem>(&mut app).len(), 1, "{what}");
    }
}

#[test]
fn children_that_are_refused_for_the_same_reason_are_told_of_each() {
    let mut app = app();
    let child = || (Collider::capsule(0.3, 0.4), Transform::from_scale(Vec3::new(1.0, 2.0, 1.0)));
    let body = (RigidBody::Dynamic, Collider::sphere(0.5), children![child(), child()]);
    app.world_mut().spawn(body);
    run(&mut app, 5);
    assert_eq!(take::<CcdProblem>(&mut app).len(), 2);
}
