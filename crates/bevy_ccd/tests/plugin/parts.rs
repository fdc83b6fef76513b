//! Of bodies of several colliders, which of them is met.

use crate::common::*;
use bevy::ecs::system::SystemState;

/// A body of a trunk and a head on two children, and a hat that is a compound by itself.
struct Figure {
    body: Entity,
    trunk: Entity,
    head: Entity,
    hat: Entity,
}

fn figure(app: &mut App, kind: RigidBody) -> Figure {
    let body = app.world_mut().spawn((kind, CollisionEventsEnabled)).id();
    let mut child = |collider: Collider, y: f32| {
        app.world_mut().spawn((collider, Transform::from_xyz(0.0, y, 0.0), ChildOf(body))).id()
    };
    let trunk = child(Collider::cuboid(1.0, 2.0, 1.0), 1.0);
    let head = child(Collider::sphere(0.5), 2.5);
    let brim = (Vec3::ZERO, Quat::IDENTITY, Collider::cylinder(0.6, 0.1));
    let crown = (Vec3::Y * 0.2, Quat::IDENTITY, Collider::cylinder(0.3, 0.3));
    let hat = child(Collider::compound([brim, crown]).expect("a compound"), 3.1);
    Figure { body, trunk, head, hat }
}

#[test]
fn a_ray_meets_each_collider_of_a_body_once() {
    let mut app = still_app();
    let Figure { body, trunk, head, hat } = figure(&mut app, RigidBody::Static);
    run(&mut app, 1);
    let mut state = SystemState::<SpatialQuery>::new(app.world_mut());
    let query = state.get(app.world()).expect("the plugin's resources");
    let filter = SpatialQueryFilter::default();
    let hits = query.collider_ray_hits(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, &filter).expect("a ray");
    assert_eq!(
        hits.iter().map(|hit| (hit.entity, hit.collider)).collect::<Vec<_>>(),
        [(body, hat), (body, head), (body, trunk)]
    );
    for (hit, height) in hits.iter().zip([3.45, 3.0, 2.0]) {
        assert!((hit.point.y - height).abs() < 1e-5 && (hit.normal - Vec3::Y).length() < 1e-5, "{hit:?}");
    }
    assert_eq!(query.ray_hits(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, &filter).expect("a ray").len(), 1);
    assert_eq!(query.collider_ray_hits(Vec3::Y * 10.0, Dir3::NEG_Y, 6.8, &filter).expect("a ray").len(), 1);
}

#[test]
fn queries_name_the_collider_beside_the_body() {
    let mut app = still_app();
    let Figure { body, trunk, head, hat } = figure(&mut app, RigidBody::Static);
    run(&mut app, 1);
    let mut state = SystemState::<SpatialQuery>::new(app.world_mut());
    let query = state.get(app.world()).expect("the plugin's resources");
    let all = SpatialQueryFilter::default();
    for (height, part) in [(1.0, trunk), (2.5, head), (3.1, hat), (3.4, hat)] {
        let from = Vec3::new(-5.0, height, 0.0);
        let hit = query.cast_ray(from, Dir3::X, 10.0, &all).expect("a ray").expect("a hit");
        assert_eq!((hit.entity, hit.collider), (body, part));
        assert_eq!(query.ray_hits(from, Dir3::X, 10.0, &all).expect("a ray")[0].collider, part);
        let ball = Collider::sphere(0.01);
        let hit = query.cast_shape(&ball, from, Quat::IDENTITY, Dir3::X, 10.0, &all).expect("an answer");
        assert_eq!(hit.map(|hit| (hit.entity, hit.collider)), Some((body, part)));
        let nearest = query.project_point(Vec3::new(-1.0, height, 0.0), 10.0, &all).expect("an answer");
        assert_eq!(nearest.map(|nearest| (nearest.entity, nearest.collider)), Some((body, part)));
    }
}

#[test]
fn a_collision_names_the_collider_that_was_hit_first() {
    for (height, of) in [(1.0, 0), (2.5, 1), (3.4, 2)] {
        let mut app = still_app();
        let figure = figure(&mut app, RigidBody::Static);
        let part = [figure.trunk, figure.head, figure.hat][of];
        let bullet = (RigidBody::Dynamic, Collider::sphere(0.05), Transform::from_xyz(-5.0, height, 0.0));
        let bullet = app.world_mut().spawn((bullet, LinearVelocity::new(400.0, 0.0, 0.0), Restitution::new(1.0))).id();
        run(&mut app, 10);
        let started = take::<CollisionStart>(&mut app);
        assert_eq!(started.len(), 1, "{started:?}");
        let CollisionStart { collider1, collider2, body1, body2 } = started[0];
        let mut sides = [(body1, collider1), (body2, collider2)];
        sides.sort_unstable_by_key(|(body, _)| *body == bullet);
        assert_eq!(sides, [(figure.body, part), (bullet, bullet)]);
        let ended = take::<CollisionEnd>(&mut app);
        assert_eq!(ended, [CollisionEnd { collider1, collider2, body1, body2 }]);
    }
}

#[test]
fn an_event_is_triggered_on_the_body_and_names_its_own_side_first() {
    #[derive(Resource, Default)]
    struct Heard(Vec<CollisionStart>);
    let mut app = still_app();
    app.init_resource::<Heard>();
    // Spawned first, so that it is the first of the pair.
    let ball = (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_xyz(-2.0, 2.5, 0.0));
    let ball = app.world_mut().spawn((ball, LinearVelocity::new(5.0, 0.0, 0.0))).id();
    let Figure { body, head, .. } = figure(&mut app, RigidBody::Static);
    app.world_mut()
        .entity_mut(body)
        .observe(|hit: On<CollisionStart>, mut heard: ResMut<Heard>| heard.0.push(*hit.event()));
    run(&mut app, 40);
    let expected = CollisionStart { collider1: head, collider2: ball, body1: body, body2: ball };
    assert_eq!(app.world().resource::<Heard>().0, [expected]);
}

#[test]
fn contacts_name_the_colliders_that_touch() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let table = app.world_mut().spawn((RigidBody::Dynamic, Transform::from_xyz(0.0, 1.02, 0.0))).id();
    let mut child = |collider: Collider, at: Vec3| {
        app.world_mut().spawn((collider, Transform::from_translation(at), ChildOf(table))).id()
    };
    let top = child(Collider::cuboid(2.0, 0.1, 2.0), Vec3::ZERO);
    let legs = [-0.9, 0.9].map(|x| child(Collider::cuboid(0.1, 1.0, 1.8), Vec3::new(x, -0.5, 0.0)));
    let cup = (RigidBody::Dynamic, Collider::cylinder(0.1, 0.2), Transform::from_xyz(0.5, 1.2, 0.0));
    let cup = app.world_mut().spawn(cup).id();
    run(&mut app, 60);
    let mut state = SystemState::<Collisions>::new(app.world_mut());
    let collisions = state.get(app.world()).expect("the plugin's resources");
    let stands = collisions.get(floor, table).expect("it stands");
    let mut bodies = [stands.body1, stands.body2];
    bodies.sort_unstable_by_key(|body| *body == table);
    assert_eq!(bodies, [floor, table]);
    for leg in legs {
        assert!(stands.contacts_of(leg).count() >= 2, "{leg}");
        assert!(stands.contacts_of(leg).all(|c| [c.collider1, c.collider2].contains(&floor)));
    }
    assert_eq!(stands.contacts_of(top).count(), 0);
    assert_eq!(stands.contacts().count(), legs.iter().map(|leg| stands.contacts_of(*leg).count()).sum::<usize>());
    let cup_stands = collisions.get(table, cup).expect("it stands");
    let mut colliders = [cup_stands.collider1, cup_stands.collider2];
    colliders.sort_unstable_by_key(|collider| *collider == cup);
    assert_eq!(colliders, [top, cup]);
}

#[test]
fn the_first_layer_is_that_of_bodies_without_layers() {
    let mut app = still_app();
    let plain = app.world_mut().spawn((RigidBody::Static, Collider::sphere(0.5))).id();
    let enemy = (RigidBody::Static, Collider::sphere(0.5), CollisionLayers::new(0b10, LayerMask::ALL));
    let enemy = app.world_mut().spawn((enemy, Transform::from_xyz(3.0, 0.0, 0.0))).id();
    let hunter = (RigidBody::Dynamic, Collider::sphere(0.4), CollisionLayers::new(0b10, 0b10), CollisionEventsEnabled);
    let hunter = (hunter, Transform::from_xyz(-3.0, 0.0, 0.0), LinearVelocity::new(8.0, 0.0, 0.0));
    let hunter = app.world_mut().spawn(hunter).id();
    run(&mut app, 64);
    let met: Vec<_> = take::<CollisionStart>(&mut app).iter().map(|c| (c.body1, c.body2)).collect();
    assert_eq!(met, [(enemy.min(hunter), enemy.max(hunter))], "not {plain}, which is in the first layer alone");
    assert_eq!(CollisionLayers::default(), CollisionLayers::new(LayerMask::DEFAULT, LayerMask::ALL));
}

/// A level of two floors side by side, left and right of x = 0, whose tops are at height zero.
fn level(app: &mut App) -> [Entity; 2] {
    let level = app.world_mut().spawn((RigidBody::Static, Friction::new(0.5), Restitution::new(0.0))).id();
    [-5.0, 5.0].map(|x| {
        let floor = (Collider::cuboid(10.0, 1.0, 10.0), Transform::from_xyz(x, -0.5, 0.0), ChildOf(level));
        app.world_mut().spawn(floor).id()
    })
}

#[test]
fn a_collider_has_the_surface_that_its_own_components_say() {
    let mut app = app();
    let [ice, floor] = level(&mut app);
    app.world_mut().entity_mut(ice).insert(Friction::ZERO);
    app.world_mut().entity_mut(floor).insert(Restitution::new(1.0));
    let puck = |x: f32| {
        (RigidBody::Dynamic, Collider::cuboid(0.4, 0.2, 0.4), Friction::new(0.5), Transform::from_xyz(x, 0.1001, 0.0))
    };
    let pucks = [-4.0, 2.0].map(|x| app.world_mut().spawn((puck(x), LinearVelocity::new(2.0, 0.0, 0.0))).id());
    let balls = [-1.0, 1.0].map(|x| {
        let ball = (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_xyz(x, 1.1, 3.0));
        app.world_mut().spawn(ball).id()
    });
    run(&mut app, 32);
    let [on_ice, on_floor] = pucks.map(|puck| velocity(&app, puck).x);
    assert!((on_ice - 2.0).abs() < 1e-3 && on_floor < 0.1, "{on_ice} m/s on ice, {on_floor} m/s on the floor");
    let [falls, rises] = balls.map(|ball| velocity(&app, ball).y);
    assert!(falls.abs() < 1e-3 && rises > 3.0, "{falls} m/s where nothing is given back, {rises} m/s where all is");
}

#[test]
fn a_rule_of_how_coefficients_combine_may_be_the_bodys_or_a_colliders_and_may_change() {
    let mut app = app();
    let [ice, _] = level(&mut app);
    let puck = (RigidBody::Dynamic, Collider::cuboid(0.4, 0.2, 0.4), Friction::new(0.8));
    let puck = (puck, Transform::from_xyz(-9.0, 0.1001, 0.0), LinearVelocity::new(5.0, 0.0, 0.0));
    let puck = app.world_mut().spawn(puck).id();
    let slowed = |app: &mut App, expected: f32| {
        let before = velocity(app, puck).x;
        run(app, 16);
        let slowed = before - velocity(app, puck).x;
        assert!((slowed - expected * 9.81 * 0.25).abs() < 0.02, "by {slowed} m/s, with a friction of {expected}");
    };
    let rough = Friction::new(0.2);
    app.world_mut().entity_mut(ice).insert(rough);
    slowed(&mut app, 0.4);
    app.world_mut().entity_mut(ice).insert(rough.with_combine_rule(CoefficientCombine::Min));
    slowed(&mut app, 0.2);
    app.world_mut().entity_mut(puck).insert(Friction::new(0.8).with_combine_rule(CoefficientCombine::Multiply));
    slowed(&mut app, 0.16);
    // The body has it for all of its colliders that say nothing themselves.
    let level = app.world().get::<ChildOf>(ice).expect("a parent").parent();
    app.world_mut().entity_mut(level).insert(Friction::new(0.1).with_combine_rule(CoefficientCombine::Max));
    app.world_mut().entity_mut(ice).remove::<Friction>();
    slowed(&mut app, 0.8);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_colliders_surface_may_change_and_is_the_bodys_again_without_its_own() {
    let mut app = app();
    let [ice, _] = level(&mut app);
    let puck = (RigidBody::Dynamic, Collider::cuboid(0.4, 0.2, 0.4), Friction::new(0.5));
    let puck = (puck, Transform::from_xyz(-9.0, 0.1001, 0.0), LinearVelocity::new(4.0, 0.0, 0.0));
    let puck = app.world_mut().spawn(puck).id();
    let slowed = |app: &mut App, expected: f32| {
        let before = velocity(app, puck).x;
        run(app, 16);
        let slowed = before - velocity(app, puck).x;
        assert!((slowed - expected * 9.81 * 0.25).abs() < 0.05, "by {slowed} m/s, with a friction of {expected}");
    };
    slowed(&mut app, 0.5);
    app.world_mut().entity_mut(ice).insert(Friction::ZERO);
    slowed(&mut app, 0.0);
    // The rest of its surface is the body's, and changes with it.
    let level = app.world().get::<ChildOf>(ice).expect("a parent").parent();
    app.world_mut().entity_mut(level).insert(Restitution::new(0.25));
    run(&mut app, 1);
    let materials = core_body(&app, level).part_materials();
    assert_eq!(materials[0].map(|own| (own.friction, own.restitution)), Some((0.0, 0.25)));
    assert_eq!(materials[1], None);
    app.world_mut().entity_mut(ice).remove::<Friction>();
    slowed(&mut app, 0.5);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}
