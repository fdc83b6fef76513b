//! Rays, moving shapes and times of contact.

use crate::common::*;
use bevy::ecs::system::SystemState;
use bevy_ccd::SpatialQueryError;

fn ask<T>(app: &mut App, question: impl FnOnce(&SpatialQuery) -> T) -> T {
    let mut state = SystemState::<SpatialQuery>::new(app.world_mut());
    question(&state.get(app.world()).expect("the plugin's resources"))
}

fn scene() -> (App, Entity, Entity) {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let near = app
        .world_mut()
        .spawn((
            RigidBody::Static,
            Collider::sphere(1.0),
            Transform::from_xyz(5.0, 0.0, 0.0),
            CollisionLayers::new(0b01, LayerMask::ALL),
        ))
        .id();
    let far = app
        .world_mut()
        .spawn((
            RigidBody::Static,
            Collider::cuboid(2.0, 2.0, 2.0),
            Transform::from_xyz(10.0, 0.0, 0.0).with_rotation(Quat::from_rotation_y(std::f32::consts::FRAC_PI_4)),
            CollisionLayers::new(0b10, LayerMask::ALL),
        ))
        .id();
    run(&mut app, 1);
    (app, near, far)
}

#[test]
fn a_ray_meets_the_nearest_body() {
    let (mut app, near, _) = scene();
    let hit = ask(&mut app, |q| q.cast_ray(Vec3::ZERO, Dir3::X, f32::MAX, &default())).expect("a ray").expect("a hit");
    assert_eq!(hit.entity, near);
    assert!((hit.distance - 4.0).abs() < 1e-5 && (hit.normal + Vec3::X).length() < 1e-5);
    assert!((hit.point - Vec3::X * 4.0).length() < 1e-5);
}

#[test]
fn filters_pass_bodies_over() {
    let (mut app, near, far) = scene();
    for filter in [
        SpatialQueryFilter::from_excluded_entities([near]),
        SpatialQueryFilter::default().with_excluded_entities([near]),
        SpatialQueryFilter::from_mask(0b10),
        SpatialQueryFilter::from_mask(0b01).with_mask(0b10),
    ] {
        let hit = ask(&mut app, |q| q.cast_ray(Vec3::ZERO, Dir3::X, 100.0, &filter)).expect("a ray").expect("a hit");
        assert_eq!(hit.entity, far);
        assert!((hit.distance - (10.0 - 2.0_f32.sqrt())).abs() < 1e-4, "{}", hit.distance);
    }
    let neither = SpatialQueryFilter::from_excluded_entities([far]).with_excluded_entities([near]);
    assert!(ask(&mut app, |q| q.cast_ray(Vec3::ZERO, Dir3::X, 100.0, &neither)).expect("a ray").is_none());
}

#[test]
fn a_ray_that_ends_early_or_goes_beside_meets_nothing() {
    let (mut app, ..) = scene();
    let rays = [(Vec3::ZERO, Dir3::X, 3.9), (Vec3::Y * 3.0, Dir3::X, 100.0), (Vec3::ZERO, Dir3::NEG_X, 100.0)];
    for (from, to, reach) in rays.into_iter().chain([(Vec3::ZERO, Dir3::X, -1.0)]) {
        assert_eq!(ask(&mut app, |q| q.cast_ray(from, to, reach, &default())).expect("a ray"), None);
    }
}

#[test]
fn all_hits_come_in_the_order_of_the_ray() {
    let (mut app, near, far) = scene();
    let hits = ask(&mut app, |q| q.ray_hits(Vec3::X * 20.0, Dir3::NEG_X, 100.0, &default())).expect("a ray");
    assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), [far, near]);
}

#[test]
fn a_cast_shape_stops_where_it_touches_and_never_beyond() {
    let (mut app, near, _) = scene();
    let shape = Collider::sphere(0.5);
    let hit = ask(&mut app, |q| q.cast_shape(&shape, Vec3::ZERO, Quat::IDENTITY, Dir3::X, 100.0, &default()))
        .expect("a shape")
        .expect("a hit");
    assert_eq!(hit.entity, near);
    assert!(hit.distance <= 3.5 && hit.distance > 3.5 - 1e-3, "{}", hit.distance);
    assert!((hit.normal - Vec3::X).length() < 1e-3);
}

#[test]
fn a_shape_is_told_what_it_stands_in() {
    let (mut app, near, _) = scene();
    let shape = Collider::sphere(0.5);
    let at = |q: &SpatialQuery, x: f32| {
        q.shape_intersections(&shape, Vec3::X * x, Quat::IDENTITY, &default()).expect("a shape")
    };
    assert_eq!(ask(&mut app, |q| at(q, 4.0)), [near]);
    assert_eq!(ask(&mut app, |q| at(q, 0.0)), []);
}

#[test]
fn the_time_of_contact_of_two_bodies_is_not_late() {
    let (mut app, near, _) = scene();
    let mover = app
        .world_mut()
        .spawn((
            RigidBody::Kinematic,
            Collider::sphere(0.5),
            Transform::from_xyz(-5.0, 0.0, 0.0),
            LinearVelocity::new(10.0, 0.0, 0.0),
        ))
        .id();
    run(&mut app, 1);
    let start = core_body(&app, mover).pose().translation.x;
    let contact = ask(&mut app, |q| q.time_of_contact(mover, near, 10.0)).expect("balls").expect("they meet");
    let exact = (3.5 - start) / 10.0;
    assert!(contact.time <= exact && contact.time > exact - 1e-4, "{} against {exact}", contact.time);
    assert!(ask(&mut app, |q| q.time_of_contact(mover, near, 0.1)).expect("balls").is_none());
}

#[test]
fn what_is_carried_meets_others_by_the_motion_of_its_carrier() {
    let (mut app, near, _) = scene();
    let mover = app
        .world_mut()
        .spawn((
            RigidBody::Kinematic,
            Collider::sphere(0.1),
            Transform::from_xyz(-5.0, 0.0, 0.0),
            LinearVelocity::new(10.0, 0.0, 0.0),
        ))
        .id();
    let nose = app
        .world_mut()
        .spawn((RigidBody::Kinematic, Sensor, Collider::sphere(0.5), Transform::from_xyz(2.0, 0.0, 0.0)))
        .id();
    app.world_mut().entity_mut(mover).add_child(nose);
    run(&mut app, 2);
    let start = core_body(&app, nose).pose().translation.x;
    let contact = ask(&mut app, |q| q.time_of_contact(nose, near, 10.0)).expect("balls").expect("they meet");
    let exact = (3.5 - start) / 10.0;
    assert!(contact.time <= exact && contact.time > exact - 1e-4, "{} against {exact}", contact.time);
}

#[test]
fn a_predicate_passes_bodies_over() {
    let (mut app, near, far) = scene();
    let filter = SpatialQueryFilter::default();
    let hit = ask(&mut app, |q| q.cast_ray_predicate(Vec3::ZERO, Dir3::X, 100.0, &filter, &|entity| entity != near));
    assert_eq!(hit.expect("a ray").expect("a hit").entity, far);
    let shape = Collider::sphere(0.5);
    let (from, turned) = (Vec3::ZERO, Quat::IDENTITY);
    let is_other = |entity| entity != near;
    let cast = |q: &SpatialQuery| q.cast_shape_predicate(&shape, from, turned, Dir3::X, 100.0, &filter, &is_other);
    assert_eq!(ask(&mut app, cast).expect("a shape").expect("a hit").entity, far);
    let hits = |q: &SpatialQuery| q.shape_hits_predicate(&shape, from, turned, Dir3::X, 100.0, &filter, &is_other);
    let hits = ask(&mut app, hits).expect("a shape");
    assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), [far]);
}

#[test]
fn a_shape_that_is_moved_through_bodies_meets_them_in_order() {
    let (mut app, near, far) = scene();
    let shape = Collider::sphere(0.5);
    let hits = ask(&mut app, |q| q.shape_hits(&shape, Vec3::ZERO, Quat::IDENTITY, Dir3::X, 100.0, &default()))
        .expect("a shape");
    assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), [near, far]);
    assert!(hits[0].distance <= 3.5 && hits[0].distance > 3.5 - 1e-3, "{}", hits[0].distance);
}

#[test]
fn a_point_is_in_bodies_near_them_and_projected_onto_the_nearest() {
    let (mut app, near, far) = scene();
    let (inside, outside) = (Vec3::new(4.25, 0.0, 0.0), Vec3::new(7.5, 0.0, 0.0));
    assert_eq!(ask(&mut app, |q| q.point_intersections(inside, &default())).expect("balls"), [near]);
    assert_eq!(ask(&mut app, |q| q.point_intersections(outside, &default())).expect("balls"), []);
    let project = |q: &SpatialQuery, point| q.project_point(point, 10.0, &default()).expect("balls").expect("a body");
    let found = ask(&mut app, |q| project(q, outside));
    assert_eq!((found.entity, found.is_inside()), (far, false));
    assert!((found.distance - (2.5 - 2.0_f32.sqrt())).abs() < 1e-5, "{}", found.distance);
    assert!((found.point - Vec3::X * (10.0 - 2.0_f32.sqrt())).length() < 1e-5, "{}", found.point);
    let found = ask(&mut app, |q| project(q, inside));
    assert_eq!((found.entity, found.is_inside()), (near, true));
    assert!((found.point - Vec3::X * 4.0).length() < 1e-5 && (found.distance + 0.25).abs() < 1e-5, "{found:?}");
    assert!(ask(&mut app, |q| q.project_point(Vec3::Y * 20.0, 5.0, &default())).expect("balls").is_none());
    let refused = ask(&mut app, |q| q.project_point(Vec3::NAN, 5.0, &default()));
    assert!(matches!(refused, Err(SpatialQueryError::NonFinite { .. })), "{refused:?}");
}

#[test]
fn a_box_tells_the_bodies_near_it() {
    let (mut app, near, far) = scene();
    let around = |x: f32, half: f32| bevy::math::bounding::Aabb3d::new(Vec3::X * x, Vec3::splat(half));
    let near_to = |q: &SpatialQuery, x, half| q.aabb_intersections(around(x, half), &default()).expect("a box");
    assert_eq!(ask(&mut app, |q| near_to(q, 5.0, 0.5)), [near]);
    let both = ask(&mut app, |q| near_to(q, 7.5, 2.0));
    assert!(both.len() == 2 && both.contains(&near) && both.contains(&far), "{both:?}");
    assert_eq!(ask(&mut app, |q| near_to(q, -5.0, 2.0)), []);
}

#[test]
fn rays_and_shapes_may_pass_over_what_they_begin_in() {
    let (mut app, near, far) = scene();
    let over = SpatialQueryFilter::default().with_ignore_origin_penetration(true);
    let inside = Vec3::X * 4.5;
    let ray = |q: &SpatialQuery, from, filter: &SpatialQueryFilter| {
        let first = q.cast_ray(from, Dir3::X, 100.0, filter).expect("a ray").map(|hit| hit.entity);
        let all = q.ray_hits(from, Dir3::X, 100.0, filter).expect("a ray");
        let all: Vec<Entity> = all.iter().map(|hit| hit.entity).collect();
        assert_eq!(first, all.first().copied());
        all
    };
    assert_eq!(ask(&mut app, |q| ray(q, inside, &default())), [near, far]);
    assert_eq!(ask(&mut app, |q| ray(q, inside, &over)), [far]);
    assert_eq!(ask(&mut app, |q| ray(q, Vec3::ZERO, &over)), [near, far]);
    let shape = Collider::sphere(0.5);
    let cast = |q: &SpatialQuery, from, filter: &SpatialQueryFilter| {
        let first = q.cast_shape(&shape, from, Quat::IDENTITY, Dir3::X, 100.0, filter).expect("a shape");
        let all = q.shape_hits(&shape, from, Quat::IDENTITY, Dir3::X, 100.0, filter).expect("a shape");
        let all: Vec<Entity> = all.iter().map(|hit| hit.entity).collect();
        assert_eq!(first.map(|hit| hit.entity), all.first().copied());
        all
    };
    for from in [Vec3::X * 3.6, inside] {
        assert_eq!(ask(&mut app, |q| cast(q, from, &default())), [near, far]);
        assert_eq!(ask(&mut app, |q| cast(q, from, &over)), [far]);
    }
    // What is near, and not in it, is met.
    assert_eq!(ask(&mut app, |q| cast(q, Vec3::X * 3.49, &over)), [near, far]);
}

#[test]
fn a_question_that_is_no_question_is_refused_and_never_answered_with_nothing() {
    let (mut app, ..) = scene();
    let shape = Collider::sphere(0.5);
    let (nan, filter) = (f32::NAN, SpatialQueryFilter::default());
    let [x, no_place] = [Vec3::ZERO, Vec3::new(0.0, nan, 0.0)];
    ask(&mut app, |q| {
        for (from, reach) in [(no_place, 1.0), (x, nan)] {
            let (to, turned) = (Dir3::X, Quat::IDENTITY);
            let refusals = [
                q.cast_ray(from, to, reach, &filter).map(|_| ()),
                q.ray_hits(from, to, reach, &filter).map(|_| ()),
                q.collider_ray_hits(from, to, reach, &filter).map(|_| ()),
                q.cast_shape(&shape, from, turned, to, reach, &filter).map(|_| ()),
                q.shape_hits(&shape, from, turned, to, reach, &filter).map(|_| ()),
            ];
            for (k, refusal) in refusals.into_iter().enumerate() {
                let is_refused = matches!(refusal, Err(SpatialQueryError::NonFinite { .. }));
                assert!(is_refused, "question {k} from {from} by {reach}: {refusal:?}");
            }
        }
        let no_box = bevy::math::bounding::Aabb3d { min: no_place.into(), max: Vec3::ONE.into() };
        assert!(matches!(q.aabb_intersections(no_box, &filter), Err(SpatialQueryError::NonFinite { .. })));
        assert!(matches!(q.project_point(x, nan, &filter), Err(SpatialQueryError::NonFinite { .. })));
        assert!(matches!(q.point_intersections(no_place, &filter), Err(SpatialQueryError::NonFinite { .. })));
        let stands_in = q.shape_intersections(&shape, x, Quat::from_xyzw(nan, 0.0, 0.0, 1.0), &filter);
        assert!(matches!(stands_in, Err(SpatialQueryError::NonFinite { .. })));
        // Without end is a distance.
        assert!(q.cast_ray(x, Dir3::X, f32::INFINITY, &filter).expect("a ray").is_some());
        assert!(q.cast_shape(&shape, x, Quat::IDENTITY, Dir3::X, f32::INFINITY, &filter).expect("a ray").is_some());
    });
}

#[test]
fn what_the_game_moves_by_its_transform_meets_others_as_it_was_moved_last() {
    let (mut app, near, _) = scene();
    let lift = (RigidBody::Kinematic, Collider::sphere(0.1), Transform::from_xyz(-5.0, 0.0, 0.0));
    let lift = app.world_mut().spawn(lift).id();
    let nose = (RigidBody::Kinematic, Sensor, Collider::sphere(0.5), Transform::from_xyz(2.0, 0.0, 0.0));
    let nose = app.world_mut().spawn((nose, ChildOf(lift))).id();
    run(&mut app, 2);
    let ask_both = |app: &mut App| {
        [lift, nose].map(|mover| ask(app, |q| q.time_of_contact(mover, near, 10.0)).expect("balls").map(|c| c.time))
    };
    assert_eq!(ask_both(&mut app), [None; 2], "it stands");
    let speed = 0.125 * RATE;
    let push = |app: &mut App| {
        app.world_mut().get_mut::<Transform>(lift).expect("a transform").translation.x += 0.125;
        app.update();
    };
    (0..3).for_each(|_| push(&mut app));
    let times = ask_both(&mut app);
    for (mover, radius, time) in [(lift, 0.1, times[0]), (nose, 0.5, times[1])] {
        let exact = (4.0 - radius - core_body(&app, mover).pose().translation.x) / speed;
        let time = time.expect("they meet");
        assert!(time <= exact && time > exact - 1e-4, "{time} against {exact}");
    }
    let saved = app.world().resource::<CcdWorld>().snapshot();
    run(&mut app, 1);
    assert_eq!(ask_both(&mut app), [None; 2], "it stands again");
    // A state that was kept knows how it went.
    app.world_mut().resource_mut::<CcdWorld>().restore(saved);
    assert_eq!(ask_both(&mut app), times);
    // Put somewhere else it stands, too.
    push(&mut app);
    assert!(ask_both(&mut app).iter().all(Option::is_some));
    app.world_mut().entity_mut(lift).insert((Teleport, Transform::from_xyz(-6.0, 0.0, 0.0)));
    run(&mut app, 1);
    assert_eq!(ask_both(&mut app), [None; 2]);
}

#[test]
fn a_box_above_a_plane_is_not_near_it() {
    let mut app = still_app();
    let ground = app.world_mut().spawn((RigidBody::Static, Collider::half_space(Vec3::Y))).id();
    let tilted = (RigidBody::Static, Collider::half_space(Vec3::new(0.1, 1.0, 0.0)));
    let tilted = app.world_mut().spawn(tilted).id();
    run(&mut app, 1);
    let near_to = |app: &mut App, height: f32| {
        let aabb = bevy::math::bounding::Aabb3d::new(Vec3::Y * height, Vec3::splat(1.0));
        ask(app, |q| q.aabb_intersections(aabb, &default())).expect("a box")
    };
    // The box around all that is below a tilted plane ends nowhere.
    assert_eq!(near_to(&mut app, 100.0), [tilted]);
    let both = near_to(&mut app, 0.5);
    assert!(both.len() == 2 && both.contains(&ground) && both.contains(&tilted), "{both:?}");
}

#[test]
fn a_direction_that_is_not_quite_of_unit_length_shortens_no_way() {
    let mut app = still_app();
    let wall = (RigidBody::Static, Collider::cuboid(1.0, 9.0, 9.0), Transform::from_xyz(100.49, 0.0, 0.0));
    let wall = app.world_mut().spawn(wall).id();
    run(&mut app, 1);
    let ball = Collider::sphere(0.25);
    // As the engine takes it without a word.
    for length in [0.99993_f32, 1.00007] {
        let along = Dir3::new_unchecked(Vec3::X * length);
        for start in [0.25, 0.2501, 0.2777, 0.3] {
            let from = Vec3::X * start;
            let hit = ask(&mut app, |q| q.cast_shape(&ball, from, Quat::IDENTITY, along, 100.0, &default()));
            let hit = hit.expect("a ball").expect("a wall");
            let exact = f64::from(100.49_f32) - 0.5 - 0.25 - f64::from(start);
            let distance = f64::from(hit.distance);
            assert!(hit.entity == wall && distance <= exact && exact - distance < 2e-4, "{distance} of {exact}");
        }
    }
}

#[test]
fn a_filter_may_pass_over_sensors_and_all_that_is_not_dynamic() {
    let mut app = still_app();
    let at = Transform::from_xyz;
    let zone = app.world_mut().spawn((Collider::sphere(0.5), Sensor, at(2.0, 0.0, 0.0))).id();
    let fixed = app.world_mut().spawn((RigidBody::Static, Collider::sphere(0.5), at(4.0, 0.0, 0.0))).id();
    let moved = app.world_mut().spawn((RigidBody::Kinematic, Collider::sphere(0.5), at(6.0, 0.0, 0.0))).id();
    let free = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), at(8.0, 0.0, 0.0))).id();
    run(&mut app, 1);
    let met = |app: &mut App, filter: SpatialQueryFilter| -> Vec<Entity> {
        let hits = ask(app, |q| q.ray_hits(Vec3::ZERO, Dir3::X, 20.0, &filter)).expect("a ray");
        hits.iter().map(|hit| hit.entity).collect()
    };
    let all = SpatialQueryFilter::default;
    assert_eq!(met(&mut app, all()), [zone, fixed, moved, free]);
    assert_eq!(met(&mut app, all().exclude_sensors()), [fixed, moved, free]);
    assert_eq!(met(&mut app, all().only_dynamic()), [free]);
    let hits =
        ask(&mut app, |q| q.collider_ray_hits_predicate(Vec3::ZERO, Dir3::X, 20.0, &all(), &|entity| entity != fixed));
    let hits: Vec<Entity> = hits.expect("a ray").iter().map(|hit| hit.entity).collect();
    assert_eq!(hits, [zone, moved, free]);
}
