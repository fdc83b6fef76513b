//! One-way platforms.

use std::time::Duration;

use bevy::ecs::system::{RunSystemOnce, SystemState};

use crate::common::*;

const LOW: LayerMask = LayerMask(1 << 1);

/// A platform whose top is at height zero.
fn ledge() -> impl Bundle {
    (RigidBody::Static, Collider::cuboid(8.0, 0.2, 8.0), Transform::from_xyz(0.0, -0.1, 0.0), OneWayPlatform::default())
}

#[test]
fn a_ball_is_thrown_through_from_below_lies_on_top_and_drops_down_when_its_layers_say_so() {
    let mut app = app();
    let layers = CollisionLayers::new(LOW, LayerMask::ALL);
    app.world_mut().spawn((ledge(), layers));
    let ball = app.world_mut().spawn((ball(-2.0), LinearVelocity(Vec3::Y * 9.0), CollisionLayers::default())).id();
    run(&mut app, 160);
    assert!((place(&app, ball).y - 0.5).abs() < 1e-3, "{}", place(&app, ball));
    app.world_mut().get_mut::<CollisionLayers>(ball).expect("layers").filters = !LOW;
    run(&mut app, 8);
    app.world_mut().get_mut::<CollisionLayers>(ball).expect("layers").filters = LayerMask::ALL;
    run(&mut app, 64);
    assert!(place(&app, ball).y < -2.0, "{}", place(&app, ball));
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_platform_is_turned_with_its_entity_and_may_cease_to_be_one() {
    let mut app = app();
    // Upside down it is solid from below.
    let turned = Quat::from_rotation_x(std::f32::consts::PI);
    let ledge = app.world_mut().spawn(ledge()).insert(Transform::from_rotation(turned)).id();
    let falls = app.world_mut().spawn(ball(2.0)).id();
    let rises = (
        RigidBody::Dynamic,
        Collider::sphere(0.25),
        Transform::from_xyz(2.0, -2.0, 0.0),
        LinearVelocity(Vec3::Y * 9.0),
    );
    let rises = app.world_mut().spawn(rises).id();
    let mut top = f32::MIN;
    for _ in 0..64 {
        run(&mut app, 1);
        top = top.max(place(&app, rises).y);
    }
    assert!(place(&app, falls).y < -1.0 && top < -0.3, "{} and {top}", place(&app, falls));
    app.world_mut().entity_mut(ledge).remove::<OneWayPlatform>();
    app.world_mut().entity_mut(falls).insert((Transform::from_xyz(0.0, 2.0, 0.0), LinearVelocity(Vec3::ZERO)));
    run(&mut app, 128);
    assert!((place(&app, falls).y - 0.6).abs() < 1e-3, "{}", place(&app, falls));
}

#[test]
fn a_character_jumps_up_through_a_platform_and_walks_on_it() {
    let mut app = app();
    app.world_mut().spawn(ledge());
    app.world_mut().spawn(floor()).insert(Transform::from_xyz(0.0, -3.5, 0.0));
    run(&mut app, 1);
    let config = MoveAndSlideConfig { walk: Some(CharacterWalk::default()), ..default() };
    let (shape, step) = (Collider::capsule(0.3, 1.0), Duration::from_secs_f64(1.0 / RATE));
    let (mut at, mut velocity) = (Vec3::new(-2.0, -2.199, 0.0), Vec3::new(1.0, 9.0, 0.0));
    let mut ground = None;
    for _ in 0..160 {
        let mut state = SystemState::<MoveAndSlide>::new(app.world_mut());
        let slide = state.get(app.world()).expect("the plugin's resources");
        let accept = |_: &mut MoveAndSlideHitData| MoveAndSlideHitResponse::Accept;
        velocity += Vec3::NEG_Y * 9.81 / RATE as f32;
        velocity.x = 1.0;
        let moved = slide.move_and_slide(&shape, at, Quat::IDENTITY, velocity, step, &config, &default(), accept);
        let moved = moved.expect("numbers");
        assert!(moved.stuck_in.is_none());
        (at, velocity, ground) = (moved.position, moved.projected_velocity, moved.ground);
    }
    assert!(ground.is_some() && (at - Vec3::new(0.5, 0.801, 0.0)).length() < 5e-3, "{at}");
}

#[test]
fn a_platform_that_is_part_of_a_body_has_no_effect_and_is_told_of() {
    let mut app = still_app();
    let body = app.world_mut().spawn(ball(0.0)).id();
    let part = (Collider::sphere(0.5), Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(body), OneWayPlatform::default());
    let part = app.world_mut().spawn(part).id();
    run(&mut app, 1);
    let problems = take::<CcdProblem>(&mut app);
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.entity == Some(part) && problem.to_string().contains("OneWayPlatform"), "{problem}");
}

#[test]
fn a_case_says_that_platforms_are_left_out() {
    let mut app = still_app();
    app.world_mut().spawn((ledge(), Name::new("ledge")));
    app.world_mut().spawn(ball(3.0));
    run(&mut app, 1);
    let export = app.world_mut().run_system_once(|case: CaseExport| case.case("case")).expect("the system runs");
    let left_out = export.expect("a world").left_out;
    assert_eq!(left_out, ["one-way platforms, which are solid from everywhere (\"ledge\")"]);
}
