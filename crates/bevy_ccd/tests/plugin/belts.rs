//! Surfaces that run along their bodies.

use std::time::Duration;

use bevy::ecs::system::SystemState;

use crate::common::*;

/// A belt along the world's z, whose own x points there, with its top at height zero.
fn belt(speed: f32) -> impl Bundle {
    let turned = Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2);
    let place = Transform::from_xyz(0.0, -0.5, 0.0).with_rotation(turned);
    (RigidBody::Static, Collider::cuboid(40.0, 1.0, 4.0), place, SurfaceVelocity(Vec3::X * speed))
}

fn crate_of(x: f32) -> impl Bundle {
    (RigidBody::Dynamic, Collider::cuboid(0.5, 0.5, 0.5), Transform::from_xyz(x, 0.2501, 0.0))
}

#[test]
fn a_belt_takes_along_what_lies_on_it_the_way_it_is_turned_and_may_be_changed_while_it_runs() {
    let mut app = app();
    let belt = app.world_mut().spawn(belt(2.0)).id();
    let goods = app.world_mut().spawn(crate_of(0.0)).id();
    run(&mut app, 64);
    assert!((velocity(&app, goods) - Vec3::Z * 2.0).length() < 1e-3, "{}", velocity(&app, goods));
    app.world_mut().entity_mut(belt).insert(SurfaceVelocity(Vec3::NEG_X));
    run(&mut app, 64);
    assert!((velocity(&app, goods) + Vec3::Z).length() < 1e-3, "{}", velocity(&app, goods));
    app.world_mut().entity_mut(belt).remove::<SurfaceVelocity>();
    run(&mut app, 64);
    assert!(velocity(&app, goods).length() < 1e-3, "{}", velocity(&app, goods));
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_state_that_is_put_back_has_the_belts_that_components_say() {
    let mut app = app();
    let belt = app.world_mut().spawn(belt(2.0)).id();
    let goods = app.world_mut().spawn(crate_of(0.0)).id();
    run(&mut app, 4);
    let saved = app.world().resource::<CcdWorld>().snapshot();
    app.world_mut().entity_mut(belt).insert(SurfaceVelocity(Vec3::X));
    run(&mut app, 4);
    app.world_mut().resource_mut::<CcdWorld>().restore(saved);
    run(&mut app, 64);
    assert!((velocity(&app, goods) - Vec3::Z).length() < 1e-3, "{}", velocity(&app, goods));
}

#[test]
fn a_character_that_walks_is_taken_along_by_a_belt_up_to_what_is_in_the_way() {
    let mut app = app();
    app.world_mut().spawn(belt(2.0));
    let wall = (RigidBody::Static, Collider::cuboid(4.0, 4.0, 1.0), Transform::from_xyz(0.0, 2.0, 5.5));
    app.world_mut().spawn(wall);
    run(&mut app, 1);
    let config = MoveAndSlideConfig { walk: Some(CharacterWalk::default()), ..default() };
    let (shape, step) = (Collider::capsule(0.3, 1.0), Duration::from_secs_f64(1.0 / RATE));
    let mut at = Vec3::new(0.0, 0.801, 0.0);
    for k in 0..192 {
        let mut state = SystemState::<MoveAndSlide>::new(app.world_mut());
        let slide = state.get(app.world()).expect("the plugin's resources");
        let accept = |_: &mut MoveAndSlideHitData| MoveAndSlideHitResponse::Accept;
        let walk = Vec3::X * 0.25;
        let moved = slide.move_and_slide(&shape, at, Quat::IDENTITY, walk, step, &config, &default(), accept);
        let moved = moved.expect("numbers");
        let ground = moved.ground.expect("the belt");
        assert!((ground.velocity - Vec3::Z * 2.0).length() < 1e-5, "{ground:?}");
        at = moved.position;
        let seconds = (k + 1) as f32 / RATE as f32;
        let expected = Vec3::new(0.25 * seconds, 0.801, (2.0 * seconds).min(4.699));
        assert!((at - expected).length() < 2e-3, "{at} instead of {expected}");
    }
}

#[test]
fn the_belt_of_a_part_has_no_effect_and_is_told_of() {
    let mut app = still_app();
    let body = app.world_mut().spawn(crate_of(0.0)).id();
    let part = (Collider::sphere(0.5), Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(body), SurfaceVelocity(Vec3::X));
    let part = app.world_mut().spawn(part).id();
    run(&mut app, 1);
    let problems = take::<CcdProblem>(&mut app);
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.entity == Some(part) && problem.to_string().contains("SurfaceVelocity"), "{problem}");
}
