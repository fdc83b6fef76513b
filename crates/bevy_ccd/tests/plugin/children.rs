//! Bodies made of the colliders of several entities.

use crate::common::*;

use bevy_ccd::ccd_core::shape::Shape;

/// A dumb-bell: a body without a collider of its own, with two balls as children a metre to both sides.
fn dumb_bell(app: &mut App, height: f32) -> (Entity, [Entity; 2]) {
    let body = app.world_mut().spawn((RigidBody::Dynamic, Transform::from_xyz(0.0, height, 0.0))).id();
    let ends = [-1.0, 1.0]
        .map(|x| app.world_mut().spawn((Collider::sphere(0.25), Transform::from_xyz(x, 0.0, 0.0), ChildOf(body))).id());
    (body, ends)
}

fn part_count(app: &App, entity: Entity) -> usize {
    match core_body(app, entity).shape() {
        Shape::Compound(compound) => compound.parts().len(),
        _ => 1,
    }
}

#[test]
fn the_colliders_of_children_are_one_body_with_their_parent() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let (body, ends) = dumb_bell(&mut app, 1.0);
    run(&mut app, 150);
    assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 2, "the floor and the dumb-bell");
    // It lies on both its ends.
    assert!((place(&app, body).y - 0.25).abs() < 2e-3, "{}", place(&app, body));
    let ccd = app.world().get::<CcdBody>(body).expect("a body");
    assert_eq!(ccd.colliders(), ends);
    let shown = app.world().get::<GlobalTransform>(ends[1]).expect("propagated").translation();
    assert!((shown - place(&app, body) - Vec3::X).length() < 1e-3, "the children are carried along: {shown}");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn masses_add_up_with_the_densities_of_the_children() {
    let mut app = app();
    let (body, [light, heavy]) = dumb_bell(&mut app, 0.0);
    app.world_mut().entity_mut(body).insert(ColliderDensity(500.0));
    app.world_mut().entity_mut(heavy).insert(ColliderDensity(1500.0));
    app.world_mut().entity_mut(light).insert(Name::new("light end"));
    run(&mut app, 1);
    let mass = *core_body(&app, body).mass_properties();
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.25_f64.powi(3);
    assert!((mass.mass - 2000.0 * ball).abs() < 1e-9, "{}", mass.mass);
    // The centre lies where the two balance: a quarter of the way from the middle of the heavy end to the other.
    assert!((mass.com.x - 0.5).abs() < 1e-12, "{}", mass.com);
}

#[test]
fn children_come_go_and_move_while_the_world_runs() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let (body, [left, right]) = dumb_bell(&mut app, 0.5);
    run(&mut app, 100);
    assert!((place(&app, body).y - 0.25).abs() < 2e-3);

    // A leg is added in the middle, long enough to lift the body.
    let leg = (Collider::capsule(0.1, 1.0), Transform::from_xyz(0.0, 1.0, 0.0), ChildOf(body));
    let leg = app.world_mut().spawn(leg).id();
    run(&mut app, 1);
    assert_eq!(part_count(&app, body), 3);

    // Both ends move down: what stood on them is lifted, not sunk into the floor.
    for end in [left, right] {
        app.world_mut().get_mut::<Transform>(end).expect("a transform").translation.y = -0.4;
    }
    run(&mut app, 200);
    let height = place(&app, body).y;
    assert!((height - 0.65).abs() < 5e-3, "{height}");

    app.world_mut().despawn(leg);
    app.world_mut().entity_mut(left).remove::<Collider>();
    run(&mut app, 1);
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").colliders(), [right]);

    // Without any collider it is no body any more; with one again, it is.
    app.world_mut().despawn(right);
    run(&mut app, 1);
    assert!(app.world().get::<CcdBody>(body).is_none());
    assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 1);
    app.world_mut().entity_mut(left).insert(Collider::sphere(0.5));
    run(&mut app, 2);
    assert!(app.world().get::<CcdBody>(body).is_some());
    // The floor was overlapped when the ends moved into it, and no more than that went wrong.
    let problems = take::<CcdProblem>(&mut app);
    assert!(problems.iter().all(|p| matches!(p.cause, CcdProblemCause::Overlap { .. })), "{problems:?}");
}

#[test]
fn a_body_that_only_moves_is_never_rebuilt_for_its_children() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let (body, _) = dumb_bell(&mut app, 0.0);
    app.world_mut().entity_mut(body).insert((
        LinearVelocity::new(1.0, 2.0, 3.0),
        AngularVelocity(Vec3::new(0.3, 0.7, -0.2)),
        Transform::from_xyz(0.1, 0.2, 0.3).with_scale(Vec3::splat(1.3)),
    ));
    run(&mut app, 1);
    let id = app.world().get::<CcdBody>(body).expect("a body").id();
    run(&mut app, 100);
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").id(), id);
}

#[test]
fn scales_reach_the_children_of_children() {
    let mut app = app();
    let parent = (RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_scale(Vec3::splat(2.0)));
    let parent = app.world_mut().spawn(parent).id();
    let turned = Transform::from_xyz(1.0, 0.0, 0.0).with_rotation(Quat::from_rotation_z(0.5));
    let between = app.world_mut().spawn((turned, ChildOf(parent))).id();
    let tip =
        (Collider::sphere(0.5), Transform::from_xyz(0.0, 1.0, 0.0).with_scale(Vec3::splat(0.5)), ChildOf(between));
    let tip = app.world_mut().spawn(tip).id();
    run(&mut app, 2);
    let Shape::Compound(compound) = core_body(&app, parent).shape() else { panic!("not a compound") };
    let part = &compound.parts()[1];
    let Shape::Ball(ball) = &part.shape else { panic!("not a ball") };
    assert!((ball.radius() - 0.5).abs() < 1e-6, "{}", ball.radius());
    let shown = app.world().get::<GlobalTransform>(tip).expect("propagated").translation();
    let held = bevy_ccd::convert::from_vector(&part.pose.translation.vector);
    assert!((shown - held).length() < 1e-5, "shown at {shown}, held at {held}");
}

#[test]
fn a_child_that_is_a_body_itself_belongs_to_nobody_else() {
    let mut app = app();
    let (body, [left, _]) = dumb_bell(&mut app, 3.0);
    app.world_mut().entity_mut(left).insert(RigidBody::Dynamic);
    run(&mut app, 2);
    assert_eq!(part_count(&app, body), 1);
    assert!(app.world().get::<CcdBody>(left).is_some());
    app.world_mut().entity_mut(left).remove::<RigidBody>();
    run(&mut app, 2);
    assert!(app.world().get::<CcdBody>(left).is_none());
    assert_eq!(part_count(&app, body), 2);
}

#[test]
fn a_child_that_cannot_be_a_part_is_named_once_and_the_others_are_the_body() {
    let mut app = app();
    let (body, [left, right]) = dumb_bell(&mut app, 3.0);
    app.world_mut().entity_mut(left).insert(Collider::capsule(0.25, 0.5));
    run(&mut app, 2);
    // A rotated child of an unevenly scaled parent is sheared.
    let squeezed = Transform::from_scale(Vec3::new(1.0, 3.0, 1.0));
    let squeezed = app.world_mut().spawn((squeezed, ChildOf(body))).id();
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
    app.world_mut().entity_mut(left).insert((turned, ChildOf(squeezed)));
    run(&mut app, 5);
    let problems = take::<CcdProblem>(&mut app);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].entity, Some(body));
    assert!(matches!(problems[0].cause, CcdProblemCause::Child { child, .. } if child == left), "{}", problems[0]);
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").colliders(), [right]);

    // What else changes is no reason to tell it again.
    app.world_mut().entity_mut(right).insert(ColliderDensity(500.0));
    run(&mut app, 5);
    assert!(take::<CcdProblem>(&mut app).is_empty());

    app.world_mut().entity_mut(left).insert((Transform::from_xyz(-1.0, 0.0, 0.0), ChildOf(body)));
    app.world_mut().get_mut::<Transform>(left).expect("a transform").scale = Vec3::new(1.0, 2.0, 1.0);
    run(&mut app, 5);
    let problems = take::<CcdProblem>(&mut app);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].to_string().contains("scaled by 1, 2, 1"), "{}", problems[0]);

    app.world_mut().get_mut::<Transform>(left).expect("a transform").scale = Vec3::ONE;
    run(&mut app, 5);
    assert_eq!(part_count(&app, body), 2);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_body_none_of_whose_colliders_can_be_used_is_refused_and_one_that_was_keeps_its_shape() {
    let mut app = app();
    let flat = Transform::from_scale(Vec3::new(1.0, 0.0, 1.0));
    let body = app.world_mut().spawn(RigidBody::Static).id();
    let child = app.world_mut().spawn((Collider::cuboid(1.0, 1.0, 1.0), flat, ChildOf(body))).id();
    run(&mut app, 3);
    assert!(app.world().get::<CcdBody>(body).is_none());
    let problems = take::<CcdProblem>(&mut app);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].to_string().contains("the scale 1, 0, 1"), "{}", problems[0]);
    app.world_mut().entity_mut(child).insert(Transform::default());
    run(&mut app, 3);
    assert!(take::<CcdProblem>(&mut app).is_empty());
    app.world_mut().entity_mut(child).insert(flat);
    run(&mut app, 3);
    assert_eq!(part_count(&app, body), 1);
    assert_eq!(take::<CcdProblem>(&mut app).len(), 1);
}

#[test]
fn a_child_collider_needs_no_transform_to_be_a_part() {
    let mut app = app();
    let body = app.world_mut().spawn((RigidBody::Dynamic, children![Collider::sphere(0.5)])).id();
    run(&mut app, 2);
    let part = app.world().get::<Children>(body).expect("a child")[0];
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").colliders(), [part]);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}
