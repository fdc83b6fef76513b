//! Events are truthful, and contacts can be asked.

use crate::common::*;
use bevy::ecs::system::SystemState;

/// What observers on an entity saw.
#[derive(Resource, Default)]
struct Seen(Vec<(&'static str, Entity)>);

#[test]
fn start_and_end_alternate_and_say_what_the_contacts_say() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let ball = app.world_mut().spawn((ball(2.25), Restitution::new(0.8), CollisionEventsEnabled)).id();
    let mut touching = false;
    let (mut starts, mut ends) = (0, 0);
    for _ in 0..200 {
        run(&mut app, 1);
        let (start, end) = (take::<CollisionStart>(&mut app).len(), take::<CollisionEnd>(&mut app).len());
        assert!(start <= 1 && end <= 1);
        starts += start;
        ends += end;
        // A bounce within one step is both.
        let now = (i32::from(touching) + start as i32 - end as i32) == 1;
        assert_eq!(now, app.world().resource::<CcdWorld>().are_touching(floor, ball));
        touching = now;
        if touching {
            assert!(place(&app, ball).y < 0.51, "told to touch at {}", place(&app, ball));
        }
        if place(&app, ball).y > 0.51 {
            assert!(!touching);
        }
    }
    assert!(starts >= 3 && ends >= 2, "{starts} starts, {ends} ends");
    assert!(starts - ends <= 1);
}

#[test]
fn observers_hear_of_their_own_entity_first() {
    let mut app = app();
    app.init_resource::<Seen>();
    let floor = app.world_mut().spawn((floor(), CollisionEventsEnabled)).id();
    let ball = app
        .world_mut()
        .spawn((ball(0.6), CollisionEventsEnabled))
        .observe(|hit: On<CollisionStart>, mut seen: ResMut<Seen>| seen.0.push(("start", hit.collider2)))
        .observe(|hit: On<CollisionEnd>, mut seen: ResMut<Seen>| seen.0.push(("end", hit.collider2)))
        .id();
    run(&mut app, 60);
    assert_eq!(app.world().resource::<Seen>().0, [("start", floor)]);
    app.world_mut().get_mut::<Transform>(ball).expect("a transform").translation.y = 30.0;
    run(&mut app, 3);
    assert_eq!(app.world().resource::<Seen>().0, [("start", floor), ("end", floor)]);
}

#[test]
fn without_the_component_nothing_is_told() {
    let mut app = app();
    app.world_mut().spawn(floor());
    app.world_mut().spawn(ball(0.6));
    run(&mut app, 60);
    assert!(take::<CollisionStart>(&mut app).is_empty());
}

#[test]
fn despawning_one_of_two_that_touch_ends_their_collision() {
    let mut app = app();
    let floor = app.world_mut().spawn((floor(), CollisionEventsEnabled, CollidingEntities::default())).id();
    let ball = app.world_mut().spawn(ball(0.51)).id();
    run(&mut app, 60);
    assert!(app.world().get::<CollidingEntities>(floor).expect("a list").contains(&ball));
    take::<CollisionEnd>(&mut app);
    app.world_mut().despawn(ball);
    run(&mut app, 2);
    let ended = take::<CollisionEnd>(&mut app);
    assert_eq!(ended.len(), 1);
    assert!([ended[0].collider1, ended[0].collider2].contains(&ball));
    assert!(app.world().get::<CollidingEntities>(floor).expect("a list").is_empty());
}

#[test]
fn contacts_of_a_resting_box_carry_its_weight() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let body = app
        .world_mut()
        .spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Mass(3.0), Transform::from_xyz(0.0, 0.51, 0.0)))
        .id();
    run(&mut app, 100);
    let mut state = SystemState::<Collisions>::new(app.world_mut());
    let collisions = state.get(app.world()).expect("the plugin's resources");
    assert!(collisions.contains(floor, body) && collisions.contains(body, floor));
    assert_eq!(collisions.entities_colliding_with(body).collect::<Vec<_>>(), [floor]);
    let pair = collisions.get(body, floor).expect("they touch");
    let up = if pair.collider2 == body { 1.0 } else { -1.0 };
    assert!(pair.contacts().count() >= 3);
    for contact in pair.contacts() {
        assert!((contact.normal * up - Vec3::Y).length() < 1e-3, "{}", contact.normal);
        assert!(contact.separation >= 0.0);
    }
    let carried = pair.total_impulse().y * up * RATE as f32;
    assert!((carried - 3.0 * 9.81).abs() < 0.5, "{carried} N");
}

#[test]
fn what_one_body_touches_is_what_all_pairs_tell_also_after_a_state_was_put_back() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let at = |x: f32, y: f32| (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(x, y, 0.0));
    let mut bodies = vec![floor];
    for (x, y) in [(0.0, 0.505), (0.0, 1.51), (3.0, 0.505), (6.0, 4.0)] {
        bodies.push(app.world_mut().spawn(at(x, y)).id());
    }
    fn counts(app: &mut App, bodies: &[Entity]) -> Vec<usize> {
        let mut state = SystemState::<Collisions>::new(app.world_mut());
        let collisions = state.get(app.world()).expect("the plugin's resources");
        for &one in bodies {
            let mut told: Vec<Entity> = collisions.entities_colliding_with(one).collect();
            let is_of = |pair: &bevy_ccd::ContactPair| pair.collider1 == one || pair.collider2 == one;
            let other =
                |pair: bevy_ccd::ContactPair| if pair.collider1 == one { pair.collider2 } else { pair.collider1 };
            let mut all: Vec<Entity> = collisions.iter().filter(is_of).map(other).collect();
            told.sort_unstable();
            all.sort_unstable();
            assert_eq!(told, all);
            assert!(bodies.iter().all(|&other| collisions.contains(one, other) == told.contains(&other)));
        }
        bodies.iter().map(|&one| collisions.collisions_with(one).count()).collect()
    }
    run(&mut app, 30);
    assert_eq!(counts(&mut app, &bodies), [2, 2, 1, 1, 0]);
    let before = app.world().resource::<CcdWorld>().snapshot();
    run(&mut app, 90);
    assert_eq!(counts(&mut app, &bodies), [3, 2, 1, 1, 1]);
    app.world_mut().resource_mut::<CcdWorld>().restore(before);
    assert_eq!(counts(&mut app, &bodies), [2, 2, 1, 1, 0]);
    run(&mut app, 90);
    assert_eq!(counts(&mut app, &bodies), [3, 2, 1, 1, 1]);
    app.world_mut().despawn(bodies[1]);
    assert_eq!(counts(&mut app, &bodies), [2, 0, 0, 1, 1]);
}

#[test]
fn who_wanted_to_know_and_goes_ends_its_collision_too() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let ball = app.world_mut().spawn((ball(0.51), CollisionEventsEnabled)).id();
    run(&mut app, 60);
    assert_eq!(take::<CollisionStart>(&mut app).len(), 1);
    app.world_mut().despawn(ball);
    run(&mut app, 3);
    let ended = take::<CollisionEnd>(&mut app);
    assert_eq!(ended.len(), 1, "{ended:?}");
    let pair = [ended[0].collider1, ended[0].collider2];
    assert!(pair.contains(&ball) && pair.contains(&floor));
}

#[test]
fn a_pair_is_seen_from_either_of_its_bodies_and_from_nobody_else() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let part = (Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.0, 0.1));
    let body = (RigidBody::Dynamic, Mass(3.0), Transform::from_xyz(0.0, 0.51, 0.0));
    let body = app.world_mut().spawn(body).with_child(part).id();
    let part = app.world().get::<Children>(body).expect("a child")[0];
    // Awake, so that its impulses are of the last step.
    run(&mut app, 10);
    let mut state = SystemState::<Collisions>::new(app.world_mut());
    let collisions = state.get(app.world()).expect("the plugin's resources");
    for pair in [collisions.get(body, floor), collisions.get(floor, body)] {
        let pair = pair.expect("they touch");
        assert!(pair.seen_from(part).is_none() && pair.seen_from(Entity::PLACEHOLDER).is_none());
        let from_floor = pair.seen_from(floor).expect("one of the two");
        let from_body = pair.seen_from(body).and_then(|pair| pair.seen_from(body)).expect("one of the two");
        assert_eq!((from_floor.body1, from_floor.body2), (floor, body));
        assert_eq!((from_body.body1, from_body.body2), (body, floor));
        assert_eq!((from_body.collider1, from_body.collider2), (part, floor));
        assert_eq!((from_floor.collider1, from_floor.collider2), (floor, part));
        assert!(from_floor.contacts().count() >= 3);
        for (up, down) in from_floor.contacts().zip(from_body.contacts()) {
            assert_eq!(up.flipped(), down);
            assert_eq!((down.collider1, down.collider2), (part, floor));
            assert!((up.normal - Vec3::Y).length() < 1e-3 && up.point == down.point);
        }
        let weight = 3.0 * 9.81 / RATE as f32;
        assert!((from_floor.total_impulse() - Vec3::Y * weight).length() < 0.01, "{}", from_floor.total_impulse());
        assert_eq!(from_body.total_impulse(), -from_floor.total_impulse());
        assert_eq!(from_body.seen_from(floor).expect("one of the two").total_impulse(), from_floor.total_impulse());
        assert_eq!(from_body.contacts_of(part).count(), from_body.contacts().count());
    }
}
