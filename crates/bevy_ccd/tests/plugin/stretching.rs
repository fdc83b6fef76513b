//! What parents that are unevenly scaled make of colliders.

use std::collections::BTreeSet;

use crate::common::*;
use bevy::ecs::system::SystemState;
use bevy_ccd::inspect::CcdFindings;

/// An uneven scale, and a turn below it: together they shear.
const UNEVEN: Vec3 = Vec3::new(2.0, 0.5, -1.25);
const TURN: Vec3 = Vec3::new(0.4, 0.9, -0.7);

fn turned() -> Transform {
    let turn = Quat::from_scaled_axis(TURN);
    Transform::from_xyz(0.3, -0.2, 0.5).with_rotation(turn).with_scale(Vec3::new(1.0, 1.5, 0.75))
}

/// The corners of a cube of one metre.
fn cube() -> Vec<Vec3> {
    (0..8).map(|k| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) - 0.5).collect()
}

/// Places on a sphere of half a metre.
fn ball_of_half_a_metre() -> Vec<Vec3> {
    (0..60).map(|k| Quat::from_scaled_axis(Vec3::new(k as f32, 0.7 * k as f32, 1.0)) * Vec3::Y * 0.5).collect()
}

fn cube_mesh() -> Collider {
    let triangles: Vec<[u32; 3]> = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    Collider::trimesh(cube().into_iter().map(|p| p.to_array().map(f64::from)), triangles).expect("a cube")
}

/// The body is where its collider's entity shows these points of the surface: there is something just within, and nothing beyond.
fn assert_is_as_it_shows(app: &mut App, body: Entity, shown: Entity, surface: &[Vec3]) {
    let global = *app.world().get::<GlobalTransform>(shown).expect("propagated");
    let mut state = SystemState::<SpatialQuery>::new(app.world_mut());
    let query = state.get(app.world()).expect("the plugin's resources");
    for point in surface {
        for (share, is_in) in [(0.998, true), (1.002, false)] {
            let place = global.transform_point(*point * share);
            let found = query.point_intersections(place, &SpatialQueryFilter::default()).expect("an answer");
            assert_eq!(found.contains(&body), is_in, "{place} at {share} of {point}");
        }
    }
}

#[test]
fn a_sheared_collider_of_a_child_is_where_it_shows() {
    let hull = Collider::convex_hull(cube().into_iter().map(|p| p.to_array().map(f64::from))).expect("a cube");
    let of_parts = Collider::compound([(Vec3::ZERO, Quat::from_rotation_x(0.3), Collider::sphere(0.5))]);
    for (collider, surface) in [
        (Collider::cuboid(1.0, 1.0, 1.0), cube()),
        (hull, cube()),
        (cube_mesh(), cube()),
        (Collider::sphere(0.5), ball_of_half_a_metre()),
        (of_parts.expect("a ball"), ball_of_half_a_metre()),
    ] {
        let mut app = still_app();
        let place = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(0.6));
        let body = app.world_mut().spawn((RigidBody::Dynamic, place)).id();
        let uneven = app.world_mut().spawn((Transform::from_scale(UNEVEN), ChildOf(body))).id();
        let child = app.world_mut().spawn((collider, turned(), ChildOf(uneven))).id();
        app.world_mut().entity_mut(body).insert(LinearVelocity::new(0.5, 0.0, 0.0));
        run(&mut app, 10);
        assert!(take::<CcdProblem>(&mut app).is_empty());
        assert_is_as_it_shows(&mut app, body, child, &surface);
    }
}

#[test]
fn a_sheared_static_body_is_where_it_shows_and_goes_where_its_parent_goes() {
    for kind in [RigidBody::Static, RigidBody::Kinematic] {
        let mut app = still_app();
        let place = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(UNEVEN);
        let parent = app.world_mut().spawn((kind, Collider::cuboid(0.1, 0.1, 0.1), place)).id();
        let body = (RigidBody::Static, cube_mesh(), turned(), ChildOf(parent));
        let body = app.world_mut().spawn(body).id();
        run(&mut app, 3);
        assert_is_as_it_shows(&mut app, body, body, &cube());
        app.world_mut()
            .entity_mut(parent)
            .insert((LinearVelocity::new(0.5, 0.0, 0.0), AngularVelocity(Vec3::new(0.0, 0.6, 0.0))));
        let saved = app.world().resource::<CcdWorld>().snapshot();
        run(&mut app, 40);
        assert_is_as_it_shows(&mut app, body, body, &cube());
        // Back where it was, its transform says the same as ever.
        app.world_mut().resource_mut::<CcdWorld>().restore(saved);
        run(&mut app, 2);
        assert_is_as_it_shows(&mut app, body, body, &cube());
        let now = app.world().get::<Transform>(body).expect("a transform");
        let way = now.translation.distance(turned().translation) + now.rotation.angle_between(turned().rotation);
        assert!(way < 1e-3 && now.scale == turned().scale, "{now:?}");
        assert!(take::<CcdProblem>(&mut app).is_empty());
    }
}

#[test]
fn a_level_stands_though_some_of_its_colliders_cannot_be_used() {
    let mut app = app();
    let level = app.world_mut().spawn((RigidBody::Static, Name::new("level"))).id();
    let uneven = app.world_mut().spawn((Transform::from_scale(UNEVEN), ChildOf(level))).id();
    let pillar = app.world_mut().spawn((Collider::cylinder(0.5, 1.0), turned(), ChildOf(uneven))).id();
    let lamp = (Collider::sphere(0.2), ColliderDensity(0.0), Transform::from_xyz(3.0, 2.0, 0.0), ChildOf(level));
    let lamp = app.world_mut().spawn(lamp).id();
    let sea = app.world_mut().spawn((Collider::half_space(Vec3::Y), ChildOf(level))).id();
    let ground = (Collider::cuboid(8.0, 1.0, 8.0), Transform::from_xyz(0.0, -0.5, 0.0), ChildOf(level));
    let ground = app.world_mut().spawn((ground, Friction::new(0.25))).id();
    let ball = app.world_mut().spawn(ball(1.0)).insert(Transform::from_xyz(2.0, 1.0, 0.0)).id();
    run(&mut app, 100);
    assert!((place(&app, ball).y - 0.5).abs() < 2e-3, "{}", place(&app, ball));
    let problems = take::<CcdProblem>(&mut app);
    let child = |problem: &CcdProblem| match problem.cause {
        CcdProblemCause::Child { child, .. } => Some(child),
        _ => None,
    };
    let told: BTreeSet<Entity> = problems.iter().filter_map(child).collect();
    assert_eq!((told, problems.len()), (BTreeSet::from([pillar, lamp, sea]), 3), "{problems:?}");
    assert_eq!(app.world().get::<CcdBody>(level).expect("a body").colliders(), [ground]);
    let friction = core_body(&app, level).part_materials()[0].map(|material| material.friction);
    assert_eq!(friction, Some(0.25));
    // Children may come one by one, as those of a scene do.
    let block = (Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(-2.0, 0.5, 0.0), ChildOf(level));
    let block = app.world_mut().spawn(block).id();
    run(&mut app, 2);
    assert_eq!(app.world().get::<CcdBody>(level).expect("a body").colliders(), [ground, block]);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn an_unevenly_scaled_sphere_lies_as_the_ellipsoid_that_it_shows() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let flat = Transform::from_xyz(0.0, 1.0, 0.0).with_scale(Vec3::new(2.0, 0.5, 1.0));
    let body = app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), flat)).id();
    run(&mut app, 150);
    assert!((place(&app, body).y - 0.25).abs() < 2e-3, "{}", place(&app, body));
    assert_is_as_it_shows(&mut app, body, body, &ball_of_half_a_metre());
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn what_is_mirrored_is_where_it_shows_under_parents_too() {
    // A pyramid that is its own image in no plane.
    let corners = [[0.0, 1.0, 0.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 0.7], [0.3, -1.0, -1.0]].map(Vec3::from_array);
    let hull = Collider::convex_hull(corners.map(|p| p.to_array().map(f64::from))).expect("a pyramid");
    let mirrors = [Vec3::new(1.0, -1.0, 1.0), Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, 0.5, -1.0), Vec3::splat(-1.0)];
    for own in mirrors.into_iter().chain([Vec3::new(-1.0, -2.0, 1.0), Vec3::ONE]) {
        for above in [Vec3::ONE, Vec3::new(1.0, -1.0, 1.0), Vec3::splat(-2.0)] {
            for kind in [RigidBody::Dynamic, RigidBody::Kinematic, RigidBody::Static] {
                let mut app = still_app();
                let place = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(0.6));
                let root = app.world_mut().spawn(place.with_scale(above)).id();
                let place = Transform::from_xyz(0.2, 0.1, 0.3).with_rotation(Quat::from_scaled_axis(TURN));
                let body = (kind, hull.clone(), place.with_scale(own), AngularVelocity::new(0.5, -1.0, 0.7));
                let body = app.world_mut().spawn((body, ChildOf(root))).id();
                for updates in [1, 1, 8] {
                    run(&mut app, updates);
                    assert!(take::<CcdProblem>(&mut app).is_empty());
                    assert_is_as_it_shows(&mut app, body, body, &corners);
                }
            }
        }
    }
}

#[test]
fn what_is_mirrored_or_sheared_is_looked_into_where_it_shows() {
    let corners = [[0.0, 1.0, 0.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 0.7], [0.3, -1.0, -1.0]].map(Vec3::from_array);
    let hull = Collider::convex_hull(corners.map(|p| p.to_array().map(f64::from))).expect("a pyramid");
    let mirrors = [Vec3::new(1.0, -1.0, 1.0), Vec3::new(-1.0, -1.0, 1.0), Vec3::splat(-1.0)];
    for (own, above) in mirrors.map(|own| (own, Vec3::ONE)).into_iter().chain([(Vec3::ONE, UNEVEN)]) {
        let mut app = still_app();
        let place = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(0.6));
        let root = app.world_mut().spawn(place.with_scale(above)).id();
        let body = (RigidBody::Static, hull.clone(), turned().with_scale(own), ChildOf(root));
        let body = app.world_mut().spawn(body).id();
        run(&mut app, 1);
        let global = *app.world().get::<GlobalTransform>(body).expect("propagated");
        // A ball beside the corner, from the middle outwards.
        let corner = global.transform_point(corners[0]);
        let beside = corner + 0.75 * (corner - global.translation()).normalize();
        let ball = (RigidBody::Static, Collider::sphere(0.5), Transform::from_translation(beside));
        let ball = app.world_mut().spawn(ball).id();
        app.insert_resource(CcdInspect::pair(body, ball));
        run(&mut app, 2);
        let mut state = SystemState::<SpatialQuery>::new(app.world_mut());
        let query = state.get(app.world()).expect("the plugin's resources");
        let others = SpatialQueryFilter::from_excluded_entities([ball]);
        let nearest = query.project_point(beside, 9.0, &others).expect("a hull").expect("it is near");
        let closest = app.world().resource::<CcdFindings>().closest.expect("a distance");
        let off = (closest.distance + 0.5 - f64::from(nearest.distance)).abs();
        assert!(off < 1e-4, "scale {own}: {} m off", off);
    }
}
