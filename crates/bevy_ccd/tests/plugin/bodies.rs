//! Bodies: falling, resting, fast, filtered, locked, pushed.

use std::f32::consts::FRAC_PI_2;

use crate::common::*;

#[test]
fn a_ball_falls_as_far_as_gravity_says() {
    let mut app = app();
    let ball = app.world_mut().spawn(ball(100.0)).id();
    run(&mut app, 64);
    let fallen = 100.0 - place(&app, ball).y;
    assert!((fallen - 0.5 * 9.81).abs() < 0.1, "{fallen} m in a second");
    assert!((velocity(&app, ball).y + 9.81).abs() < 1e-3);
}

#[test]
fn a_ball_comes_to_rest_on_the_floor() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let ball = app.world_mut().spawn(ball(2.0)).id();
    run(&mut app, 200);
    assert!((place(&app, ball).y - 0.5).abs() < 2e-3, "{}", place(&app, ball));
    assert!(velocity(&app, ball).length() < 1e-3, "{}", velocity(&app, ball));
}

#[test]
fn a_bullet_at_a_thousand_metres_a_second_does_not_pass_a_wall_of_one_millimetre() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    app.world_mut().spawn((RigidBody::Static, Collider::cuboid(0.001, 4.0, 4.0)));
    let bullet = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::sphere(0.01),
            Transform::from_xyz(-7.0, 0.0, 0.0),
            LinearVelocity::new(1000.0, 0.0, 0.0),
        ))
        .id();
    // Premise: from step to step it would be on one side, then far on the other.
    let per_step = 1000.0 / RATE as f32;
    assert!(-7.0 + per_step > 1.0);
    run(&mut app, 8);
    assert!(place(&app, bullet).x < -0.01, "passed: {}", place(&app, bullet));
    assert!(place(&app, bullet).x > -0.02, "stopped too early: {}", place(&app, bullet));
}

#[test]
fn two_bullets_meet_in_the_air() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let [left, right] = [-1.0_f32, 1.0].map(|side| {
        app.world_mut()
            .spawn((
                RigidBody::Dynamic,
                Collider::sphere(0.01),
                Restitution::PERFECTLY_ELASTIC,
                Transform::from_xyz(5.0 * side, 0.0, 0.0),
                LinearVelocity::new(-900.0 * side, 0.0, 0.0),
            ))
            .id()
    });
    run(&mut app, 4);
    assert!(place(&app, left).x < -1.0 && place(&app, right).x > 1.0, "they passed through each other");
}

#[test]
fn a_sensor_notices_and_lets_pass() {
    let mut app = app();
    let gate = app
        .world_mut()
        .spawn((RigidBody::Static, Collider::cuboid(4.0, 0.1, 4.0), Sensor, CollisionEventsEnabled))
        .id();
    let ball = app.world_mut().spawn(ball(1.0)).id();
    run(&mut app, 64);
    assert!(place(&app, ball).y < -1.0, "{}", place(&app, ball));
    let met: Vec<_> = take::<CollisionStart>(&mut app);
    assert!(
        met.iter().any(|m| [m.collider1, m.collider2] == [gate, ball] || [m.collider2, m.collider1] == [gate, ball])
    );
}

#[test]
fn layers_that_do_not_meet_pass() {
    let mut app = app();
    app.world_mut().spawn((floor(), CollisionLayers::new(0b01, 0b01)));
    let ghost = app.world_mut().spawn((ball(1.0), CollisionLayers::new(0b10, LayerMask::ALL))).id();
    let solid = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::sphere(0.5),
            Transform::from_xyz(5.0, 1.0, 0.0),
            CollisionLayers::new(0b01, LayerMask::ALL),
        ))
        .id();
    run(&mut app, 64);
    assert!(place(&app, ghost).y < -1.0);
    assert!(place(&app, solid).y > 0.4);
}

#[test]
fn locked_axes_do_not_move() {
    let mut app = app();
    let ball = app
        .world_mut()
        .spawn((ball(5.0), LockedAxes::new().lock_translation_y(), LinearVelocity::new(1.0, 0.0, 0.0)))
        .id();
    run(&mut app, 64);
    assert_eq!(place(&app, ball).y, 5.0);
    assert!(place(&app, ball).x > 0.9);
}

#[test]
fn gravity_scale_and_constant_force_balance() {
    let mut app = app();
    let floating = app.world_mut().spawn((ball(5.0), GravityScale(0.0))).id();
    let held = app
        .world_mut()
        .spawn((ball(5.0), Mass(2.0), ConstantForce::new(0.0, 2.0 * 9.81, 0.0), CollisionLayers::NONE))
        .id();
    run(&mut app, 64);
    assert_eq!(place(&app, floating).y, 5.0);
    assert!((place(&app, held).y - 5.0).abs() < 1e-4);
}

#[test]
fn damping_slows() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let damped = app.world_mut().spawn((ball(0.0), LinearVelocity::new(4.0, 0.0, 0.0), LinearDamping(1.0))).id();
    run(&mut app, 64);
    let speed = velocity(&app, damped).x;
    // e⁻¹ of it is left after a second.
    assert!((speed - 4.0 * (-1.0_f32).exp()).abs() < 0.05, "{speed}");
}

#[test]
fn a_kinematic_body_pushes_and_is_not_pushed() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let pusher = app
        .world_mut()
        .spawn((RigidBody::Kinematic, Collider::cuboid(1.0, 1.0, 1.0), LinearVelocity::new(2.0, 0.0, 0.0)))
        .id();
    let pushed =
        app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(2.0, 0.0, 0.0))).id();
    run(&mut app, 128);
    assert!((place(&app, pusher).x - 4.0).abs() < 0.05, "{}", place(&app, pusher));
    assert!(place(&app, pushed).x > place(&app, pusher).x + 0.99);
}

#[test]
fn the_same_scene_gives_the_same_bits() {
    let outcome = || {
        let mut app = app();
        app.world_mut().spawn(floor());
        let bodies: Vec<Entity> = (0..12)
            .map(|i| {
                let at = Transform::from_xyz((i % 3) as f32 * 0.3, 1.0 + i as f32 * 1.1, (i % 2) as f32 * 0.2);
                let shape = if i % 2 == 0 { Collider::cuboid(1.0, 0.6, 0.8) } else { Collider::sphere(0.4) };
                app.world_mut().spawn((RigidBody::Dynamic, shape, at)).id()
            })
            .collect();
        run(&mut app, 90);
        bodies.iter().map(|&body| *core_body(&app, body).pose()).collect::<Vec<_>>()
    };
    assert_eq!(outcome(), outcome());
}

#[test]
fn a_compound_rests_on_its_parts_and_takes_an_even_scale() {
    let dumbbell = Collider::compound([
        (Vec3::NEG_X, Quat::IDENTITY, Collider::sphere(0.5)),
        (Vec3::X, Quat::IDENTITY, Collider::sphere(0.5)),
        (Vec3::ZERO, Quat::from_rotation_z(FRAC_PI_2), Collider::cylinder(0.1, 2.0)),
    ])
    .expect("three parts");
    let mut app = app();
    app.world_mut().spawn(floor());
    let [plain, large] = [(0.0, 1.0), (9.0, 2.0)].map(|(x, scale)| {
        let transform = Transform::from_xyz(x, 1.5 * scale, 0.0).with_scale(Vec3::splat(scale));
        app.world_mut().spawn((RigidBody::Dynamic, dumbbell.clone(), transform)).id()
    });
    run(&mut app, 200);
    for (entity, height) in [(plain, 0.5), (large, 1.0)] {
        assert!((place(&app, entity).y - height).abs() < 2e-3, "{}", place(&app, entity));
    }
    assert!(dumbbell.shape(Vec3::new(1.0, 2.0, 1.0)).is_err());
}

#[test]
fn a_compound_of_nothing_or_nowhere_is_refused() {
    assert!(matches!(Collider::compound([]), Err(ColliderError::Compound(_))));
    let nowhere = Collider::compound([(Vec3::NAN, Quat::IDENTITY, Collider::sphere(1.0))]);
    assert!(matches!(nowhere, Err(ColliderError::PartPose { part: 0, .. })));
}

#[test]
fn an_entity_without_a_transform_is_no_body_until_it_has_one_again() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let support = (RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 2.0, 0.0));
    let support = app.world_mut().spawn(support).id();
    let ball = app.world_mut().spawn(ball(3.01)).id();
    run(&mut app, 60);
    app.world_mut().entity_mut(support).remove::<Transform>();
    run(&mut app, 100);
    assert!(app.world().get::<CcdBody>(support).is_none());
    assert!((place(&app, ball).y - 0.5).abs() < 5e-3, "it fell: {}", place(&app, ball));
    app.world_mut().entity_mut(support).insert(Transform::from_xyz(0.0, 2.0, 0.0));
    run(&mut app, 2);
    assert!(app.world().get::<CcdBody>(support).is_some());
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_velocity_is_shown_though_the_other_was_taken_away() {
    let mut app = app();
    let body = app.world_mut().spawn((ball(50.0), AngularVelocity::new(0.0, 2.0, 0.0))).id();
    run(&mut app, 5);
    app.world_mut().entity_mut(body).remove::<AngularVelocity>();
    run(&mut app, 20);
    assert_eq!(velocity(&app, body).y, core_body(&app, body).linear_velocity().y as f32);
    app.world_mut().entity_mut(body).remove::<LinearVelocity>().insert(AngularVelocity::new(0.0, 3.0, 0.0));
    run(&mut app, 5);
    assert_eq!(app.world().get::<AngularVelocity>(body), Some(&AngularVelocity::new(0.0, 3.0, 0.0)));
}
