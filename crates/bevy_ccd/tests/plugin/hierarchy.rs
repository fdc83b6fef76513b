//! Bodies whose entities have parents, and scales.

use crate::common::*;

#[test]
fn a_body_under_a_moved_and_scaled_parent_is_where_it_looks() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let parent = app
        .world_mut()
        .spawn(
            Transform::from_xyz(1.0, 2.0, 0.0).with_rotation(Quat::from_rotation_z(0.5)).with_scale(Vec3::splat(2.0)),
        )
        .id();
    let child = app
        .world_mut()
        .spawn((RigidBody::Dynamic, Collider::sphere(0.25), Transform::from_xyz(0.0, 1.0, 0.0), ChildOf(parent)))
        .id();
    run(&mut app, 200);
    let global = app.world().get::<GlobalTransform>(child).expect("propagated").translation();
    // A quarter of a metre at scale 2.
    assert!((global.y - 0.5).abs() < 2e-3, "{global}");
    let exact = bevy_ccd::convert::from_vector(&core_body(&app, child).pose().translation.vector);
    assert!((global - exact).length() < 1e-5);
}

#[test]
fn a_moving_parent_carries_a_kinematic_child_and_not_a_dynamic_one() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let parent = app.world_mut().spawn(Transform::default()).id();
    let [carried, free] = [(RigidBody::Kinematic, 0.0), (RigidBody::Dynamic, 5.0)].map(|(kind, x)| {
        app.world_mut().spawn((kind, Collider::sphere(0.5), Transform::from_xyz(x, 0.0, 0.0), ChildOf(parent))).id()
    });
    run(&mut app, 3);
    app.world_mut().get_mut::<Transform>(parent).expect("a transform").translation.y = 3.0;
    run(&mut app, 3);
    assert!((core_body(&app, carried).pose().translation.y - 3.0).abs() < 1e-6);
    assert_eq!(core_body(&app, free).pose().translation.y, 0.0);
    let shown = app.world().get::<GlobalTransform>(free).expect("propagated").translation();
    assert!(shown.y.abs() < 1e-6, "{shown}");
}

#[test]
fn a_kinematic_child_keeps_all_digits_while_its_parent_stands() {
    let mut app = app();
    let parent =
        app.world_mut().spawn(Transform::from_xyz(0.3, 0.1, 0.7).with_rotation(Quat::from_rotation_x(1.1))).id();
    let child = app
        .world_mut()
        .spawn((
            RigidBody::Kinematic,
            Collider::sphere(0.5),
            Transform::from_xyz(0.2, 0.0, 0.0),
            LinearVelocity::new(0.1, 0.0, 0.0),
            ChildOf(parent),
        ))
        .id();
    run(&mut app, 1);
    let start = core_body(&app, child).pose().translation.x;
    run(&mut app, 100);
    let moved = core_body(&app, child).pose().translation.x - start;
    let expected = f64::from(0.1_f32) * 100.0 / RATE;
    assert!((moved - expected).abs() < 1e-12, "off by {}", moved - expected);
}

#[test]
fn an_unevenly_scaled_box_has_the_size_that_it_shows() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let body = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::cuboid(1.0, 1.0, 1.0),
            Transform::from_xyz(0.0, 2.0, 0.0).with_scale(Vec3::new(1.0, 3.0, 2.0)),
        ))
        .id();
    run(&mut app, 150);
    assert!((place(&app, body).y - 1.5).abs() < 2e-3, "{}", place(&app, body));
    assert_eq!(app.world().get::<Transform>(body).expect("a transform").scale, Vec3::new(1.0, 3.0, 2.0));
}

#[test]
fn an_unevenly_scaled_capsule_is_refused_by_name() {
    let mut app = app();
    let body = app.world_mut().spawn((RigidBody::Dynamic, Collider::capsule(0.5, 1.0), Name::new("pill"))).id();
    app.world_mut().get_mut::<Transform>(body).expect("a transform").scale = Vec3::new(1.0, 2.0, 1.0);
    run(&mut app, 5);
    let problems = take::<CcdProblem>(&mut app);
    assert_eq!(problems.len(), 1, "told once");
    assert_eq!(problems[0].entity, Some(body));
    assert!(problems[0].to_string().contains("capsule"), "{}", problems[0]);
    // Set right, it is a body.
    app.world_mut().get_mut::<Transform>(body).expect("a transform").scale = Vec3::splat(2.0);
    run(&mut app, 2);
    assert!(app.world().get::<CcdBody>(body).is_some());
}

#[test]
fn a_body_that_falls_carries_what_hangs_on_it_and_does_not_move_of_itself() {
    let mut app = app();
    let parent = app.world_mut().spawn(ball(50.0)).id();
    let hung = [(RigidBody::Kinematic, 2.0), (RigidBody::Static, -2.0)].map(|(kind, x)| {
        let beside = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((kind, Collider::sphere(0.5), beside, ChildOf(parent))).id()
    });
    run(&mut app, 32);
    for child in hung {
        assert_eq!(place(&app, child).yz(), Vec2::ZERO, "its transform is its own");
        let behind = core_body(&app, child).pose().translation.y - core_body(&app, parent).pose().translation.y;
        assert!(behind.abs() < 1e-9, "{behind} m behind");
    }
}

#[test]
fn what_hangs_on_a_kinematic_body_is_where_it_is_after_every_step() {
    let mut app = app();
    let parent = (RigidBody::Kinematic, Collider::sphere(0.5), Transform::from_scale(Vec3::splat(2.0)));
    let motion = (LinearVelocity::new(3.0, 0.0, -1.0), AngularVelocity::new(0.0, 2.0, 5.0));
    let parent = app.world_mut().spawn((parent, motion)).id();
    let arm = Transform::from_xyz(0.5, 0.25, 0.0).with_rotation(Quat::from_rotation_x(0.3));
    let arm = app.world_mut().spawn((arm, ChildOf(parent))).id();
    let hand = (RigidBody::Kinematic, Collider::sphere(0.1), Transform::from_xyz(0.0, 1.0, 0.5));
    let hand = app.world_mut().spawn((hand, ChildOf(arm))).id();
    for step in 0..100 {
        run(&mut app, 1);
        if step == 50 {
            // The game moves the body too.
            app.world_mut().get_mut::<Transform>(parent).expect("a transform").translation.y += 1.0;
            continue;
        }
        let shown = app.world().get::<GlobalTransform>(hand).expect("propagated").translation();
        let exact = bevy_ccd::convert::from_vector(&core_body(&app, hand).pose().translation.vector);
        assert!((shown - exact).length() < 1e-4, "step {step}: shown at {shown}, in the world at {exact}");
    }
    assert!(take::<CcdProblem>(&mut app).is_empty(), "the hand and the body do not meet");
}

#[test]
fn what_is_carried_pushes_at_the_speed_that_it_is_carried_at() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let cart = (RigidBody::Kinematic, Collider::cuboid(1.0, 1.0, 1.0), LinearVelocity::new(2.0, 0.0, 0.0));
    let cart = app.world_mut().spawn(cart).id();
    let shovel = (RigidBody::Kinematic, Collider::cuboid(0.2, 2.0, 2.0), Transform::from_xyz(1.0, 0.0, 0.0));
    app.world_mut().spawn((shovel, ChildOf(cart)));
    let load = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(2.0, 0.0, 0.0));
    let load = app.world_mut().spawn(load).id();
    run(&mut app, 65);
    assert!((velocity(&app, load).x - 2.0).abs() < 1e-3, "{}", velocity(&app, load));
    assert!(place(&app, load).x > place(&app, cart).x + 1.59);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_family_that_parts_meets_again() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let parent = app.world_mut().spawn(ball(0.0)).id();
    let child = (RigidBody::Kinematic, Collider::sphere(0.5), Transform::from_xyz(0.5, 0.0, 0.0), ChildOf(parent));
    let child = app.world_mut().spawn((child, CollidingEntities::default())).id();
    run(&mut app, 3);
    assert!(app.world().get::<CollidingEntities>(child).expect("a list").is_empty());
    assert_eq!(place(&app, parent), Vec3::ZERO, "what it carries does not push it");
    app.world_mut().entity_mut(child).remove::<ChildOf>().insert(Transform::from_xyz(3.0, 0.0, 0.0));
    run(&mut app, 1);
    app.world_mut().entity_mut(child).insert(LinearVelocity::new(-4.0, 0.0, 0.0));
    run(&mut app, 64);
    assert!(velocity(&app, parent).x < -3.9, "{}", velocity(&app, parent));
}

#[test]
fn what_hangs_on_a_turning_parent_stays_the_same_body() {
    let mut app = still_app();
    let turning = AngularVelocity::new(0.7, 1.1, -0.4);
    let parent = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), turning)).id();
    let pivot = app.world_mut().spawn(Transform::from_xyz(9.0, 0.0, 0.0).with_scale(Vec3::splat(1.3))).id();
    let arm = Transform::from_xyz(2.0, 0.0, 0.0)
        .with_rotation(Quat::from_rotation_z(0.3))
        .with_scale(Vec3::new(1.0, 0.7, 2.0));
    let arms = [
        app.world_mut().spawn((RigidBody::Kinematic, Collider::cuboid(1.0, 0.2, 0.2), arm, ChildOf(parent))).id(),
        app.world_mut().spawn((Collider::cuboid(1.0, 0.2, 0.2), Sensor, arm, ChildOf(parent))).id(),
        app.world_mut().spawn((RigidBody::Kinematic, Collider::cuboid(1.0, 0.2, 0.2), arm, ChildOf(pivot))).id(),
        app.world_mut().spawn((RigidBody::Static, Collider::cuboid(1.0, 0.2, 0.2), arm, ChildOf(pivot))).id(),
    ];
    run(&mut app, 2);
    let id = |app: &App, body: Entity| app.world().get::<CcdBody>(body).expect("a body").id();
    let ids = arms.map(|arm| id(&app, arm));
    for k in 0..100_u8 {
        let turn = Quat::from_euler(EulerRot::XYZ, 0.1 * f32::from(k), 0.07 * f32::from(k), 0.0);
        app.world_mut().get_mut::<Transform>(pivot).expect("a transform").rotation = turn;
        run(&mut app, 1);
        assert_eq!(arms.map(|arm| id(&app, arm)), ids, "tick {k}");
    }
    app.world_mut().get_mut::<Transform>(pivot).expect("a transform").scale = Vec3::splat(1.31);
    run(&mut app, 1);
    let now = arms.map(|arm| id(&app, arm));
    assert_eq!(now[..2], ids[..2]);
    assert!(now[2] != ids[2] && now[3] != ids[3], "what has become larger is another");
}

#[test]
fn what_is_written_of_a_kinematic_child_that_moves_stands_while_time_does() {
    let bare: fn(&mut EntityWorldMut) = |_| {};
    let sensor: fn(&mut EntityWorldMut) = |above| _ = above.insert((Sensor, Collider::sphere(0.1)));
    let body: fn(&mut EntityWorldMut) = |above| _ = above.insert((RigidBody::Dynamic, Collider::sphere(0.1)));
    for (above_is, dress) in [("no body", bare), ("a sensor", sensor), ("a body", body)] {
        let mut app = still_app();
        let above = app.world_mut().spawn(Transform::from_xyz(0.0, 1.0, 0.0)).id();
        dress(&mut app.world_mut().entity_mut(above));
        let child = (RigidBody::Kinematic, Collider::sphere(0.3), LinearVelocity::new(1.0, 0.0, 0.0));
        let child = app.world_mut().spawn((child, Transform::from_xyz(4.0, 0.0, 0.0), ChildOf(above))).id();
        run(&mut app, 3);
        app.world_mut().resource_mut::<CcdClock>().paused = true;
        run(&mut app, 2);
        app.world_mut().get_mut::<Transform>(child).expect("a transform").translation.x = 9.0;
        run(&mut app, 3);
        assert_eq!(place(&app, child).x, 9.0, "in the pause, above is {above_is}");
        app.world_mut().resource_mut::<CcdClock>().paused = false;
        run(&mut app, 1);
        let (drawn, exact) = (place(&app, child), core_body(&app, child).pose().translation.vector);
        let wanted = 9.0 + 1.0 / RATE;
        assert!((f64::from(drawn.x) - wanted).abs() < 1e-5, "drawn at {drawn}, above is {above_is}");
        assert!((exact.x - wanted).abs() < 1e-5 && (exact.y - 1.0).abs() < 1e-5, "at {exact}, above is {above_is}");
    }
}

#[test]
fn what_hangs_on_a_turned_body_of_an_unevenly_scaled_parent_is_carried_where_it_is_drawn() {
    type Change = fn(&mut EntityWorldMut);
    let kinds: [Change; 3] = [
        |child| _ = child.insert(Sensor),
        |child| _ = child.insert(RigidBody::Kinematic),
        |child| _ = child.insert(RigidBody::Static),
    ];
    for (scale, own) in [(Vec3::new(2.0, 1.0, 1.0), Vec3::ONE), (Vec3::new(-2.0, 1.0, 3.0), Vec3::new(1.0, -0.5, 1.0))]
    {
        for is in kinds {
            let mut app = still_app();
            let root = app.world_mut().spawn(Transform::from_scale(scale)).id();
            let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
            let body = (RigidBody::Dynamic, Collider::cuboid(0.4, 0.4, 0.4), LinearVelocity::new(0.0, 0.0, 1.0));
            let place = Transform::from_rotation(turn).with_scale(own);
            let body = app.world_mut().spawn((body, place, ChildOf(root))).id();
            let child = (Collider::cuboid(0.2, 0.2, 0.2), Transform::from_xyz(0.3, 1.0, -0.2), ChildOf(body));
            let child = app.world_mut().spawn(child).id();
            is(&mut app.world_mut().entity_mut(child));
            run(&mut app, 10);
            assert!(take::<CcdProblem>(&mut app).is_empty());
            let drawn = app.world().get::<GlobalTransform>(child).expect("propagated").translation();
            let exact = bevy_ccd::convert::from_vector(&core_body(&app, child).pose().translation.vector);
            assert!((drawn - exact).length() < 1e-4, "at {exact}, drawn at {drawn}");
            assert!(drawn.z > 0.1 - 3.0, "it goes along: {drawn}");
        }
    }
}
