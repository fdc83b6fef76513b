//! What a teleported body carries is teleported with it.

use crate::common::*;

fn at(app: &App, entity: Entity) -> Vec3 {
    bevy_ccd::convert::from_vector(&core_body(app, entity).pose().translation.vector)
}

/// A box of this kind at the origin, and a fence that it carries 1.5 m above, which is the older entity.
fn cart_with_fence(app: &mut App, kind: RigidBody) -> (Entity, Entity) {
    let fence = (RigidBody::Static, Collider::cuboid(0.2, 1.0, 1.0), Transform::from_xyz(0.0, 1.5, 0.0));
    let fence = app.world_mut().spawn(fence).id();
    let cart = app.world_mut().spawn((kind, Collider::cuboid(1.0, 1.0, 1.0))).add_child(fence).id();
    run(app, 5);
    (cart, fence)
}

/// A small ball that rests there.
fn ball_at(app: &mut App, x: f32) -> Entity {
    app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.3), Transform::from_xyz(x, 1.5, 0.0))).id()
}

fn put(app: &mut App, entity: Entity, x: f32) {
    app.world_mut().get_mut::<Transform>(entity).expect("a transform").translation.x = x;
}

#[test]
fn what_a_teleported_body_carries_is_teleported_and_hits_nothing_on_the_way() {
    for kind in [RigidBody::Dynamic, RigidBody::Kinematic] {
        let mut app = still_app();
        let ball = ball_at(&mut app, 50.0);
        let (cart, fence) = cart_with_fence(&mut app, kind);
        put(&mut app, cart, 100.0);
        app.world_mut().entity_mut(cart).insert(Teleport);
        run(&mut app, 5);
        assert_eq!(at(&app, fence), Vec3::new(100.0, 1.5, 0.0), "{kind:?}");
        assert_eq!(velocity(&app, ball), Vec3::ZERO, "{kind:?}: the ball was between");
    }
}

#[test]
fn what_is_carried_by_what_is_carried_is_teleported_as_well_though_the_bodies_are_built_anew() {
    let mut app = still_app();
    let ball = ball_at(&mut app, 50.0);
    let (cart, fence) = cart_with_fence(&mut app, RigidBody::Dynamic);
    let flag = (RigidBody::Kinematic, Collider::sphere(0.1), Transform::from_xyz(0.0, 0.1, 0.0));
    let flag = app.world_mut().spawn(flag).insert(ChildOf(fence)).id();
    run(&mut app, 5);
    *app.world_mut().get_mut::<Transform>(cart).expect("a transform") =
        Transform::from_xyz(100.0, 0.0, 0.0).with_scale(Vec3::splat(0.98));
    run(&mut app, 1);
    // Their places on a smaller cart they take up on their way.
    assert!(at(&app, flag).distance(Vec3::new(100.0, 1.6 * 0.98, 0.0)) < 1e-5, "{}", at(&app, flag));
    run(&mut app, 4);
    assert_eq!(velocity(&app, ball), Vec3::ZERO);
}

#[test]
fn what_is_teleported_with_its_carrier_by_the_game_as_well_is_teleported_once() {
    let mut app = still_app();
    let (cart, fence) = cart_with_fence(&mut app, RigidBody::Dynamic);
    put(&mut app, cart, 100.0);
    app.world_mut().entity_mut(fence).insert((Teleport, Transform::from_xyz(0.0, 2.0, 0.0)));
    run(&mut app, 1);
    assert_eq!(at(&app, fence), Vec3::new(100.0, 2.0, 0.0));
}

#[test]
fn the_feet_of_a_teleported_player_notice_nothing_on_the_way() {
    let mut app = still_app();
    let zone = (RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(50.0, -0.9, 0.0));
    app.world_mut().spawn(zone);
    let feet = (Collider::sphere(0.2), Sensor, CollisionEventsEnabled, Transform::from_xyz(0.0, -0.9, 0.0));
    let player = (RigidBody::Dynamic, Collider::capsule(0.4, 1.0), children![feet]);
    let player = app.world_mut().spawn(player).id();
    run(&mut app, 5);
    put(&mut app, player, 100.0);
    run(&mut app, 5);
    assert_eq!(take::<CollisionStart>(&mut app), []);
}

#[test]
fn what_a_teleported_body_carries_is_there_while_time_stands() {
    let mut app = still_app();
    let (cart, fence) = cart_with_fence(&mut app, RigidBody::Dynamic);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    put(&mut app, cart, 100.0);
    run(&mut app, 2);
    assert_eq!((at(&app, cart).x, at(&app, fence).x), (100.0, 100.0), "as drawn");
}

#[test]
fn a_static_body_that_is_picked_up_hits_nothing_on_the_way() {
    let mut app = still_app();
    let ball = ball_at(&mut app, 10.0);
    let player = app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0))).id();
    let item = (RigidBody::Static, Collider::cuboid(0.4, 0.4, 0.4), Transform::from_xyz(20.0, 1.5, 0.0));
    let item = app.world_mut().spawn(item).id();
    run(&mut app, 5);
    app.world_mut().entity_mut(item).insert((ChildOf(player), Transform::from_xyz(0.0, 1.5, 0.0)));
    run(&mut app, 5);
    assert_eq!((at(&app, item), velocity(&app, ball)), (Vec3::new(0.0, 1.5, 0.0), Vec3::ZERO));
}
