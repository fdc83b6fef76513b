//! Bodies whose entities get parents, change them and lose them.

use crate::common::*;

fn exact(app: &App, entity: Entity) -> Vec3 {
    bevy_ccd::convert::from_vector(&core_body(app, entity).pose().translation.vector)
}

/// The body is drawn there, and is there.
fn assert_at(app: &App, entity: Entity, place: Vec3, when: &str) {
    let seen = app.world().get::<GlobalTransform>(entity).expect("propagated").translation();
    let exact = exact(app, entity);
    assert!((seen - place).length() < 1e-4, "{when}: drawn at {seen} and not at {place}");
    assert!((exact - place).length() < 1e-4, "{when}: in the world at {exact} and not at {place}");
}

/// A kinematic body that moves at a metre per second along x, and one of this kind 3 m above it that it carries.
fn carried(app: &mut App, kind: RigidBody) -> (Entity, Entity) {
    let carrier = (RigidBody::Kinematic, Collider::sphere(0.5), LinearVelocity::new(1.0, 0.0, 0.0));
    let carrier = app.world_mut().spawn(carrier).id();
    let child = (kind, Collider::sphere(0.5), Transform::from_xyz(0.0, 3.0, 0.0), ChildOf(carrier));
    let child = app.world_mut().spawn(child).id();
    run(app, 64);
    assert_at(app, child, place(app, carrier) + Vec3::Y * 3.0, "carried");
    (carrier, child)
}

#[test]
fn what_is_detached_from_a_body_is_carried_by_it_no_longer() {
    for kind in [RigidBody::Kinematic, RigidBody::Static] {
        let mut app = still_app();
        let (_, child) = carried(&mut app, kind);
        // Its transform now says where in the world it is.
        app.world_mut().entity_mut(child).remove::<ChildOf>();
        run(&mut app, 64);
        assert_at(&app, child, Vec3::Y * 3.0, &format!("{kind:?}, transform not written"));
        assert!(core_body(&app, child).carrier.is_none());

        let (_, child) = carried(&mut app, kind);
        let there = app.world().get::<GlobalTransform>(child).expect("propagated").compute_transform();
        app.world_mut().entity_mut(child).remove::<ChildOf>().insert(there);
        run(&mut app, 64);
        assert_at(&app, child, there.translation, &format!("{kind:?}, transform written"));
        app.world_mut().entity_mut(child).insert(Transform::from_xyz(0.0, 20.0, 0.0));
        run(&mut app, 10);
        assert_at(&app, child, Vec3::Y * 20.0, &format!("{kind:?}, moved by the game"));

        let (_, child) = carried(&mut app, kind);
        let root = app.world_mut().spawn(Transform::default()).id();
        app.world_mut().entity_mut(child).insert(ChildOf(root));
        run(&mut app, 64);
        assert_at(&app, child, Vec3::Y * 3.0, &format!("{kind:?}, under an entity that stands"));
    }
}

#[test]
fn a_sensor_that_is_detached_from_a_body_stands_where_its_transform_is() {
    let mut app = still_app();
    let body = app.world_mut().spawn((ball(0.0), LinearVelocity::new(1.0, 0.0, 0.0))).id();
    let sensor = (Collider::sphere(0.5), Sensor, Transform::from_xyz(0.0, 3.0, 0.0), ChildOf(body));
    let sensor = app.world_mut().spawn(sensor).id();
    run(&mut app, 64);
    app.world_mut().entity_mut(sensor).remove::<ChildOf>().insert(Transform::from_xyz(0.0, 7.0, 0.0));
    run(&mut app, 64);
    assert_at(&app, sensor, Vec3::Y * 7.0, "dropped");
}

#[test]
fn what_a_body_picks_up_is_at_the_place_that_it_gets_there() {
    for carrier in [RigidBody::Static, RigidBody::Kinematic, RigidBody::Dynamic] {
        for kind in [RigidBody::Static, RigidBody::Kinematic, RigidBody::Dynamic] {
            let mut app = still_app();
            let hand = (carrier, Collider::sphere(0.2), Transform::from_xyz(10.0, 0.0, 0.0));
            let hand = app.world_mut().spawn(hand).id();
            let picked = (kind, Collider::sphere(0.2), Transform::from_xyz(0.0, 3.0, 0.0));
            let picked = app.world_mut().spawn(picked).id();
            run(&mut app, 5);
            app.world_mut().entity_mut(picked).insert((ChildOf(hand), Transform::from_xyz(0.0, 1.0, 0.0)));
            run(&mut app, 10);
            assert_at(&app, picked, Vec3::new(10.0, 1.0, 0.0), &format!("{kind:?} by {carrier:?}"));
            assert!(take::<CcdProblem>(&mut app).is_empty());
        }
    }
}

#[test]
fn what_is_picked_up_by_a_body_of_the_same_tick_is_at_the_place_that_it_gets_there() {
    let mut app = still_app();
    let picked = (RigidBody::Kinematic, Collider::sphere(0.2), Transform::from_xyz(0.0, 3.0, 0.0));
    let picked = app.world_mut().spawn(picked).id();
    run(&mut app, 5);
    let hand = (RigidBody::Kinematic, Collider::sphere(0.2), Transform::from_xyz(10.0, 0.0, 0.0));
    let hand = app.world_mut().spawn(hand).id();
    app.world_mut().entity_mut(picked).insert((ChildOf(hand), Transform::from_xyz(0.0, 1.0, 0.0)));
    run(&mut app, 10);
    assert_at(&app, picked, Vec3::new(10.0, 1.0, 0.0), "in the hand");
}

#[test]
fn what_changes_from_one_body_to_another_goes_with_the_other() {
    let mut app = still_app();
    let (_, child) = carried(&mut app, RigidBody::Kinematic);
    let hand = (RigidBody::Kinematic, Collider::sphere(0.2), LinearVelocity::new(0.0, 0.0, 1.0));
    let hand = app.world_mut().spawn((hand, Transform::from_xyz(-10.0, 0.0, 0.0))).id();
    app.world_mut().entity_mut(child).insert(ChildOf(hand));
    run(&mut app, 64);
    assert_at(&app, child, Vec3::new(-10.0, 3.0, 1.0), "in the other hand");
}

#[test]
fn what_does_not_move_by_forces_and_loses_its_parent_is_where_it_is_drawn() {
    for kind in [RigidBody::Static, RigidBody::Kinematic] {
        let mut app = still_app();
        let parent = Transform::from_xyz(5.0, 0.0, 0.0).with_rotation(Quat::from_rotation_z(1.0));
        let parent = app.world_mut().spawn(parent).id();
        let body = (kind, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 1.0, 0.0), ChildOf(parent));
        let body = app.world_mut().spawn(body).id();
        run(&mut app, 3);
        app.world_mut().entity_mut(body).remove::<ChildOf>();
        run(&mut app, 3);
        assert_at(&app, body, Vec3::Y, &format!("{kind:?}"));
        assert!(core_body(&app, body).pose().rotation.angle() < 1e-6, "it is turned with its parent no longer");
    }
}

#[test]
fn a_carried_body_that_becomes_static_keeps_its_place_and_none_of_its_velocity() {
    let mut app = still_app();
    let carrier = (RigidBody::Kinematic, Collider::sphere(0.5), LinearVelocity::new(1.0, 0.0, 0.0));
    let carrier = app.world_mut().spawn(carrier).id();
    let child = (ball(3.0), LinearVelocity::new(0.0, 5.0, 0.0), ChildOf(carrier));
    let child = app.world_mut().spawn(child).id();
    run(&mut app, 10);
    app.world_mut().entity_mut(child).insert(RigidBody::Static);
    let offset = exact(&app, child) - exact(&app, carrier);
    run(&mut app, 64);
    assert_at(&app, child, exact(&app, carrier) + offset, "static");
    app.world_mut().entity_mut(child).insert(RigidBody::Dynamic);
    run(&mut app, 64);
    assert!((exact(&app, child) - exact(&app, carrier) - offset).y > 4.9, "it has not forgotten its velocity");
}

#[test]
fn what_hangs_on_a_disabled_body_is_carried_by_the_one_above() {
    let mut app = still_app();
    let (carrier, between) = carried(&mut app, RigidBody::Kinematic);
    let tip = (RigidBody::Kinematic, Collider::sphere(0.1), Transform::from_xyz(0.0, 2.0, 0.0), ChildOf(between));
    let tip = app.world_mut().spawn(tip).id();
    run(&mut app, 10);
    app.world_mut().entity_mut(between).insert(RigidBodyDisabled);
    for _ in 0..10 {
        run(&mut app, 1);
        let there = exact(&app, carrier) + Vec3::Y * 5.0;
        assert_at(&app, tip, there, "below a disabled body");
    }
}

#[test]
fn what_was_moved_on_a_body_while_time_stood_is_there_when_it_is_carried_no_longer() {
    type Change = fn(&mut EntityWorldMut);
    let stands: [(&str, Change); 4] = [
        ("the one above becomes static", |above| _ = above.insert(RigidBody::Static)),
        ("the one above is disabled", |above| _ = above.insert(RigidBodyDisabled)),
        ("the one above is a body no longer", |above| _ = above.remove::<RigidBody>()),
        ("it is detached", |above| _ = above.detach_all_children()),
    ];
    let kinds: [(&str, Change); 3] = [
        ("static", |child| _ = child.insert(RigidBody::Static)),
        ("kinematic", |child| _ = child.insert(RigidBody::Kinematic)),
        ("sensor", |child| _ = child.insert(Sensor)),
    ];
    for (kind, is) in kinds {
        for (when, change) in stands {
            if (kind, when) == ("sensor", "the one above is disabled") {
                // It is disabled with it.
                continue;
            }
            for later in [0, 2] {
                let mut app = still_app();
                let above = app.world_mut().spawn(ball(0.0)).id();
                let child = (Collider::sphere(0.3), Transform::from_xyz(4.0, 0.0, 0.0), ChildOf(above));
                let child = app.world_mut().spawn(child).id();
                is(&mut app.world_mut().entity_mut(child));
                run(&mut app, 3);
                app.world_mut().resource_mut::<CcdClock>().paused = true;
                run(&mut app, 1);
                app.world_mut().get_mut::<Transform>(child).expect("a transform").translation.y = 7.0;
                run(&mut app, 1);
                change(&mut app.world_mut().entity_mut(above));
                run(&mut app, later);
                app.world_mut().resource_mut::<CcdClock>().paused = false;
                run(&mut app, 4);
                assert_at(&app, child, Vec3::new(4.0, 7.0, 0.0), &format!("{kind}, {when}, {later} ticks later"));
            }
        }
    }
}

#[test]
fn what_becomes_static_on_a_body_that_was_scaled_while_time_stood_is_where_it_is_drawn() {
    let mut app = still_app();
    let above = (RigidBody::Static, Collider::sphere(0.2), Transform::from_xyz(1.0, 2.0, 3.0));
    let above = app.world_mut().spawn(above).id();
    let sensor = (Sensor, Collider::sphere(0.3), Transform::from_xyz(4.0, 0.0, 0.0), ChildOf(above));
    let sensor = app.world_mut().spawn(sensor).id();
    run(&mut app, 3);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    app.world_mut().get_mut::<Transform>(above).expect("a transform").scale = Vec3::splat(2.0);
    run(&mut app, 1);
    app.world_mut().entity_mut(sensor).insert(RigidBody::Static);
    app.world_mut().resource_mut::<CcdClock>().paused = false;
    run(&mut app, 2);
    assert_at(&app, sensor, Vec3::new(9.0, 2.0, 3.0), "static");
}
