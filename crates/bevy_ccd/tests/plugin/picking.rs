//! Pointers pick colliders.

use bevy::camera::visibility::RenderLayers;
use bevy::ecs::message::MessageCursor;
use bevy::picking::backend::PointerHits;
use bevy::picking::backend::ray::{RayId, RayMap};
use bevy::picking::pointer::PointerId;

use crate::common::*;

/// An app whose one pointer, the mouse, looks along x from where the camera is.
fn picking_app() -> (App, Entity) {
    let mut app = app_with(|app| {
        app.init_resource::<RayMap>().add_message::<PointerHits>().add_plugins(CcdPickingPlugin);
    });
    app.insert_resource(Gravity::ZERO);
    let camera = app.world_mut().spawn(Camera { order: 3, ..default() }).id();
    let ray = Ray3d::new(Vec3::ZERO, Dir3::X);
    app.world_mut().resource_mut::<RayMap>().map.insert(RayId::new(camera, PointerId::Mouse), ray);
    (app, camera)
}

fn ball_at(x: f32) -> impl Bundle {
    (RigidBody::Static, Collider::sphere(1.0), Transform::from_xyz(x, 0.0, 0.0))
}

/// What is picked after bodies have come into the world.
fn picked(app: &mut App) -> Vec<PointerHits> {
    app.update();
    app.world_mut().resource_mut::<Messages<PointerHits>>().clear();
    app.update();
    let hits = app.world().resource::<Messages<PointerHits>>();
    MessageCursor::default().read(hits).cloned().collect()
}

fn picked_entities(app: &mut App) -> Vec<Entity> {
    picked(app).iter().flat_map(|hits| hits.picks.iter().map(|(entity, _)| *entity)).collect()
}

#[test]
fn the_nearest_collider_is_picked_where_the_ray_meets_it() {
    let (mut app, camera) = picking_app();
    app.world_mut().spawn(ball_at(20.0));
    let near = app.world_mut().spawn(ball_at(10.0)).id();
    app.world_mut().spawn(ball_at(-10.0));
    let hits = picked(&mut app);
    let [PointerHits { pointer: PointerId::Mouse, picks, order }] = &hits[..] else { panic!("{hits:?}") };
    let [(entity, hit)] = &picks[..] else { panic!("{picks:?}") };
    assert_eq!((*entity, hit.camera, *order), (near, camera, 3.0));
    assert!((hit.depth - 9.0).abs() < 1e-5, "{}", hit.depth);
    assert!(hit.position.is_some_and(|place| (place - Vec3::X * 9.0).length() < 1e-5), "{:?}", hit.position);
    assert!(hit.normal.is_some_and(|normal| (normal + Vec3::X).length() < 1e-5), "{:?}", hit.normal);
}

#[test]
fn what_is_beside_all_is_not_told() {
    let (mut app, _) = picking_app();
    app.world_mut().spawn((RigidBody::Static, Collider::sphere(1.0), Transform::from_xyz(10.0, 1.1, 0.0)));
    assert!(picked(&mut app).is_empty());
}

#[test]
fn pickable_says_what_is_passed_over_and_what_lets_what_is_behind_be_picked() {
    let (mut app, _) = picking_app();
    let glass = Pickable { should_block_lower: false, is_hoverable: true };
    app.world_mut().spawn((ball_at(5.0), Pickable::IGNORE));
    let pane = app.world_mut().spawn((ball_at(10.0), glass)).id();
    let behind = app.world_mut().spawn((ball_at(15.0), Pickable::default())).id();
    app.world_mut().spawn(ball_at(20.0));
    assert_eq!(picked_entities(&mut app), [pane, behind]);
}

#[test]
fn of_a_body_with_several_colliders_the_one_that_is_met_is_picked_and_each_may_be_passed_over() {
    let (mut app, _) = picking_app();
    let part = |x: f32| (Collider::sphere(1.0), Transform::from_xyz(x, 0.0, 0.0));
    let body = app.world_mut().spawn((RigidBody::Dynamic, Transform::from_xyz(10.0, 0.0, 0.0))).id();
    let front = app.world_mut().spawn((part(-4.0), ChildOf(body))).id();
    let back = app.world_mut().spawn((part(4.0), ChildOf(body))).id();
    app.world_mut().spawn(ball_at(30.0));
    assert_eq!(picked_entities(&mut app), [front]);
    app.world_mut().entity_mut(front).insert(Pickable::IGNORE);
    assert_eq!(picked_entities(&mut app), [back]);
}

#[test]
fn cameras_pick_what_is_on_their_layers_and_what_their_filter_takes() {
    let (mut app, camera) = picking_app();
    let first = app.world_mut().spawn(ball_at(5.0)).id();
    let second = app.world_mut().spawn((ball_at(10.0), RenderLayers::layer(1))).id();
    assert_eq!(picked_entities(&mut app), [first]);
    app.world_mut().entity_mut(camera).insert(RenderLayers::layer(1));
    assert_eq!(picked_entities(&mut app), [second]);
    app.world_mut().entity_mut(camera).insert(RenderLayers::from_layers(&[0, 1]));
    assert_eq!(picked_entities(&mut app), [first]);
    let filter = SpatialQueryFilter::from_excluded_entities([first]);
    app.world_mut().entity_mut(camera).insert(CcdPickingCamera(filter));
    assert_eq!(picked_entities(&mut app), [second]);
}

#[test]
fn where_markers_are_required_only_marked_cameras_pick_marked_colliders() {
    let (mut app, camera) = picking_app();
    app.world_mut().spawn(ball_at(5.0));
    let marked = app.world_mut().spawn((ball_at(10.0), Pickable::default())).id();
    app.insert_resource(CcdPickingSettings { require_markers: true });
    assert!(picked(&mut app).is_empty());
    app.world_mut().entity_mut(camera).insert(CcdPickingCamera::default());
    assert_eq!(picked_entities(&mut app), [marked]);
}
