//! Bodies of one group pass through each other.

use crate::common::*;

/// A ball that flies along x, of a group.
fn shot(x: f32, group: Entity) -> impl Bundle {
    let ball = (RigidBody::Dynamic, Collider::sphere(0.1), LinearVelocity(Vec3::X * 100.0));
    (ball, Transform::from_xyz(x, 0.0, 0.0), NoCollideGroup(group))
}

/// A cube at rest.
fn target(kind: RigidBody, x: f32) -> impl Bundle {
    (kind, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(x, 0.0, 0.0), CollisionEventsEnabled)
}

#[test]
fn what_is_shot_passes_through_who_shot_it_and_what_that_carries_and_meets_all_others() {
    let mut app = still_app();
    let player = app.world_mut().spawn(target(RigidBody::Dynamic, 0.0)).id();
    let shield = app.world_mut().spawn((target(RigidBody::Kinematic, 2.0), ChildOf(player))).id();
    let wall = app.world_mut().spawn(target(RigidBody::Static, 8.0)).id();
    let [first, second] = [0.0, -3.0].map(|x| app.world_mut().spawn(shot(x, player)).id());
    run(&mut app, 30);
    for ball in [first, second] {
        assert!((2.5..7.5).contains(&place(&app, ball).x), "{}", place(&app, ball));
    }
    assert_eq!((place(&app, player), place(&app, shield)), (Vec3::ZERO, Vec3::X * 2.0));
    let met: Vec<Entity> = take::<CollisionStart>(&mut app).iter().flat_map(|c| [c.body1, c.body2]).collect();
    assert!(met.contains(&wall) && !met.contains(&player) && !met.contains(&shield), "{met:?}");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_group_may_be_named_by_what_is_no_body_and_by_what_is_gone() {
    let mut app = still_app();
    let name = app.world_mut().spawn_empty().id();
    let still = app.world_mut().spawn((target(RigidBody::Dynamic, 2.0), NoCollideGroup(name))).id();
    let ball = app.world_mut().spawn(shot(0.0, name)).id();
    app.world_mut().despawn(name);
    run(&mut app, 4);
    assert!(place(&app, ball).x > 3.0 && place(&app, still).x == 2.0);
}

#[test]
fn who_leaves_a_group_is_met_again_and_moved_out_of_whom_it_was_in() {
    let mut app = still_app();
    let still = app.world_mut().spawn(target(RigidBody::Static, 0.0)).id();
    let (near, far) = (Transform::from_xyz(0.4, 0.0, 0.0), Transform::from_xyz(-5.0, 0.0, 0.0));
    let [inside, outside] = [near, far].map(|at| {
        let ball = (RigidBody::Dynamic, Collider::sphere(0.2), at, NoCollideGroup(still));
        app.world_mut().spawn(ball).id()
    });
    run(&mut app, 2);
    assert_eq!(place(&app, inside).x, 0.4);
    for ball in [inside, outside] {
        app.world_mut().entity_mut(ball).remove::<NoCollideGroup>();
    }
    app.world_mut().entity_mut(outside).insert(LinearVelocity(Vec3::X * 100.0));
    run(&mut app, 10);
    assert!(place(&app, inside).x >= 0.7, "{}", place(&app, inside));
    assert!(place(&app, outside).x <= -0.7, "{}", place(&app, outside));
}

#[test]
fn groups_are_as_components_say_after_the_state_was_put_back() {
    let mut app = still_app();
    let still = app.world_mut().spawn(target(RigidBody::Static, 5.0)).id();
    let ball = app.world_mut().spawn(shot(0.0, still)).id();
    run(&mut app, 1);
    let grouped = app.world().resource::<CcdWorld>().snapshot();
    app.world_mut().entity_mut(ball).remove::<NoCollideGroup>();
    run(&mut app, 1);
    let alone = app.world().resource::<CcdWorld>().snapshot();
    app.world_mut().resource_mut::<CcdWorld>().restore(grouped);
    run(&mut app, 10);
    assert!(place(&app, ball).x < 5.0, "it is in no group: {}", place(&app, ball));
    app.world_mut().entity_mut(ball).insert(NoCollideGroup(still));
    app.world_mut().resource_mut::<CcdWorld>().restore(alone);
    run(&mut app, 10);
    assert!(place(&app, ball).x > 6.0, "it is in the group: {}", place(&app, ball));
}

#[test]
fn the_group_of_a_part_has_no_effect_and_is_told_of() {
    let mut app = still_app();
    let body = app.world_mut().spawn(target(RigidBody::Dynamic, 0.0)).id();
    let part = (Collider::sphere(0.5), Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(body), NoCollideGroup(body));
    let part = app.world_mut().spawn(part).id();
    run(&mut app, 1);
    let problems = take::<CcdProblem>(&mut app);
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert_eq!(problem.entity, Some(part));
    assert!(problem.to_string().contains("NoCollideGroup"), "{problem}");
}
