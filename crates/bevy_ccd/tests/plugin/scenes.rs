//! Colliders for all meshes below an entity.

use crate::common::*;
use bevy::asset::{AssetPlugin, RenderAssetUsages};
use bevy::mesh::{Mesh3d, MeshPlugin, PrimitiveTopology};
use bevy_ccd::ColliderConstructorHierarchyReady;

/// How often it was told that all colliders are there, and of whom.
#[derive(Resource, Default)]
struct Ready(Vec<Entity>);

fn scene_app() -> App {
    let mut app = app_with(|app| {
        app.add_plugins((AssetPlugin::default(), MeshPlugin));
    });
    app.insert_resource(Gravity::ZERO).init_resource::<Ready>();
    app.add_observer(|ready: On<ColliderConstructorHierarchyReady>, mut told: ResMut<Ready>| told.0.push(ready.entity));
    app
}

fn told(app: &mut App) -> Vec<Entity> {
    std::mem::take(&mut app.world_mut().resource_mut::<Ready>().0)
}

fn mesh(app: &mut App, mesh: impl Into<Mesh>) -> Mesh3d {
    Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh))
}

fn unit_cube(app: &mut App) -> Mesh3d {
    mesh(app, Cuboid::new(1.0, 1.0, 1.0))
}

fn colliders(app: &App, body: Entity) -> Vec<Entity> {
    app.world().get::<CcdBody>(body).expect("a body").colliders().to_vec()
}

/// A named node with a mesh below, as glTF has it. The node, and what has the mesh.
fn node(app: &mut App, above: Entity, name: &str, x: f32, mesh: Mesh3d) -> (Entity, Entity) {
    let node = (Name::new(name.to_owned()), Transform::from_xyz(x, 0.0, 0.0), ChildOf(above));
    let node = app.world_mut().spawn(node).id();
    (node, app.world_mut().spawn((Name::new("Mesh"), Transform::default(), mesh, ChildOf(node))).id())
}

#[test]
fn a_scene_that_is_spawned_later_becomes_a_body() {
    let mut app = scene_app();
    let hierarchy = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh);
    let level = app.world_mut().spawn((RigidBody::Dynamic, hierarchy)).id();
    run(&mut app, 5);
    assert!(app.world().get::<CcdBody>(level).is_none() && told(&mut app).is_empty());
    let cube = unit_cube(&mut app);
    let meshes = [0.0, 3.0].map(|x| node(&mut app, level, "Crate", x, cube.clone()).1);
    run(&mut app, 1);
    assert_eq!(colliders(&app, level), meshes);
    assert!((core_body(&app, level).mass_properties().mass - 2000.0).abs() < 1e-6);
    assert_eq!(told(&mut app), [level]);
    // What comes later gets its own, and it is told again.
    let late = node(&mut app, level, "Crate", 6.0, cube).1;
    run(&mut app, 5);
    assert_eq!(colliders(&app, level), [meshes[0], meshes[1], late]);
    assert_eq!(told(&mut app), [level]);
    assert!(take::<CcdProblem>(&mut app).is_empty());
    assert_eq!(take::<ColliderConstructorReady>(&mut app).len(), 3);
}

#[test]
fn meshes_that_load_later_are_waited_for_and_told_of_when_the_last_is_there() {
    let mut app = scene_app();
    let level = ColliderConstructorHierarchy::new(ColliderConstructor::ConvexHullFromMesh);
    let level = app.world_mut().spawn((RigidBody::Static, level)).id();
    let late = app.world_mut().resource_mut::<Assets<Mesh>>().reserve_handle();
    let cube = unit_cube(&mut app);
    let there = node(&mut app, level, "There", 0.0, cube).1;
    let coming = node(&mut app, level, "Coming", 3.0, Mesh3d(late.clone())).1;
    run(&mut app, 5);
    assert_eq!(colliders(&app, level), [there]);
    assert!(told(&mut app).is_empty());
    app.world_mut().resource_mut::<Assets<Mesh>>().insert(&late, Cuboid::default().into()).expect("a handle");
    run(&mut app, 1);
    assert_eq!(colliders(&app, level), [there, coming]);
    assert_eq!(told(&mut app), [level]);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn names_choose_constructors_for_what_is_below_them() {
    let mut app = scene_app();
    let hierarchy = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh)
        .with_constructor_for_name("Rock", ColliderConstructor::ConvexHullFromMesh)
        .with_density_for_name("Rock", ColliderDensity(3000.0))
        .with_constructor_for_name("Barrel", ColliderConstructor::Sphere { radius: 0.25 })
        .without_constructor_for_name("Grass");
    let level = app.world_mut().spawn((RigidBody::Dynamic, hierarchy)).id();
    let cube = unit_cube(&mut app);
    let plain = node(&mut app, level, "Wall", 0.0, cube.clone());
    let rock = node(&mut app, level, "Rock", 3.0, cube.clone());
    let barrel = node(&mut app, level, "Barrel", 6.0, cube.clone());
    let grass = node(&mut app, level, "Grass", 9.0, cube.clone());
    // A listed name below another.
    let pebble = node(&mut app, grass.0, "Rock", 12.0, cube.clone());
    let has_own = (cube, Collider::sphere(0.1), Transform::from_xyz(15.0, 0.0, 0.0), ChildOf(level));
    let has_own = app.world_mut().spawn(has_own).id();
    run(&mut app, 2);
    assert_eq!(colliders(&app, level), [plain.1, rock.1, barrel.0, pebble.1, has_own]);
    let ball = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
    let expected = 1000.0 * (1.0 + ball(0.25) + ball(0.1)) + 2.0 * 3000.0;
    let mass = core_body(&app, level).mass_properties().mass;
    assert!((mass - expected).abs() < 1e-6 * expected, "{mass} kg and not {expected}");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn only_the_listed_ones_get_a_collider_where_there_is_no_default() {
    let mut app = scene_app();
    let hierarchy = ColliderConstructorHierarchy::new(None)
        .with_constructor_for_name("Floor", ColliderConstructor::TrimeshFromMesh);
    let level = app.world_mut().spawn((RigidBody::Static, hierarchy)).id();
    let plane = mesh(&mut app, Plane3d::default());
    node(&mut app, level, "Sky", 0.0, plane.clone());
    let floor = node(&mut app, level, "Floor", 0.0, plane).1;
    run(&mut app, 2);
    assert_eq!(colliders(&app, level), [floor]);
}

#[test]
fn a_bad_mesh_is_named_and_the_others_are_built() {
    let mut app = scene_app();
    let hierarchy = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh);
    let level = app.world_mut().spawn((RigidBody::Static, hierarchy)).id();
    let lines = Mesh::new(PrimitiveTopology::LineList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0_f32; 3], [1.0, 0.0, 0.0]]);
    let (lines, cube) = (mesh(&mut app, lines), unit_cube(&mut app));
    let bad = node(&mut app, level, "Wires", 0.0, lines).1;
    let good = node(&mut app, level, "Wall", 0.0, cube).1;
    run(&mut app, 20);
    let failed = take::<ColliderConstructorFailed>(&mut app);
    assert_eq!(failed.len(), 1, "once");
    assert_eq!(failed[0].entity, bad);
    assert_eq!(colliders(&app, level), [good]);
    assert_eq!(told(&mut app), [level]);
    // What the game takes away stays away.
    app.world_mut().entity_mut(good).remove::<Collider>();
    run(&mut app, 5);
    assert!(app.world().get::<Collider>(good).is_none());
}

#[test]
fn a_hierarchy_below_another_goes_by_its_own_rules() {
    let mut app = scene_app();
    let outer = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh);
    let outer = app.world_mut().spawn((RigidBody::Static, outer)).id();
    let cube = unit_cube(&mut app);
    let (inner, own) = node(&mut app, outer, "Inner", 0.0, cube.clone());
    app.world_mut().entity_mut(inner).insert((ColliderConstructorHierarchy::new(None), cube));
    run(&mut app, 3);
    assert_eq!(colliders(&app, outer), [inner], "and not {own}");
}

#[test]
fn a_scene_that_is_spawned_anew_gets_colliders_anew() {
    let mut app = scene_app();
    let hierarchy = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh);
    let level = app.world_mut().spawn((RigidBody::Static, hierarchy)).id();
    let cube = unit_cube(&mut app);
    for round in 0..3 {
        let (scene, mesh) = node(&mut app, level, "Scene", 0.0, cube.clone());
        run(&mut app, 2);
        assert_eq!(colliders(&app, level), [mesh], "{round}");
        app.world_mut().despawn(scene);
        run(&mut app, 2);
        assert!(app.world().get::<CcdBody>(level).is_none());
    }
    assert_eq!(told(&mut app), [level; 3]);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_compound_by_name_is_one_collider_and_one_with_the_mesh_in_it_is_each_meshs() {
    let mut app = scene_app();
    let cube = unit_cube(&mut app);
    let ball = || (Vec3::Y, Quat::IDENTITY, ColliderConstructor::Sphere { radius: 0.25 });
    let given = ColliderConstructor::Compound(vec![ball(), ball()]);
    let from_mesh = (Vec3::ZERO, Quat::IDENTITY, ColliderConstructor::TrimeshFromMesh);
    let with_mesh = ColliderConstructor::Compound(vec![ball(), from_mesh]);
    let hierarchy = ColliderConstructorHierarchy::new(None)
        .with_constructor_for_name("Lamp", given)
        .with_constructor_for_name("Crate", with_mesh);
    let level = app.world_mut().spawn((RigidBody::Static, hierarchy)).id();
    let (lamp, _) = node(&mut app, level, "Lamp", 0.0, cube.clone());
    let (_, crate_mesh) = node(&mut app, level, "Crate", 5.0, cube);
    run(&mut app, 2);
    assert!(take::<ColliderConstructorFailed>(&mut app).is_empty());
    // Each of the two colliders has two parts.
    let found = colliders(&app, level);
    assert_eq!(found, [lamp, lamp, crate_mesh, crate_mesh]);
}

/// A cube of a metre in two materials, each a mesh that is open: its lid, and the rest.
fn two_materials(app: &mut App) -> [Mesh3d; 2] {
    let corners = |keep: fn(&Vec3) -> bool| {
        let (vertices, triangles) = bevy_ccd::triangles_of(&Cuboid::new(1.0, 1.0, 1.0).into()).expect("triangles");
        let at = |v: u32| vertices[v as usize].coords.map(|x| x as f32);
        let triangles = triangles.iter().map(|t| t.map(|v| Vec3::from(<[f32; 3]>::from(at(v)))));
        triangles.filter(|t| keep(&((t[0] + t[1] + t[2]) / 3.0))).flatten().map(Vec3::into).collect::<Vec<[f32; 3]>>()
    };
    [corners(|middle| middle.y > 0.49), corners(|middle| middle.y <= 0.49)].map(|corners| {
        let part = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
        mesh(app, part.with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners))
    })
}

#[test]
fn meshes_that_are_closed_together_are_one_solid() {
    let mut app = scene_app();
    let hierarchy = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromChildren);
    let level = app.world_mut().spawn((RigidBody::Dynamic, hierarchy)).id();
    let [lid, rest] = two_materials(&mut app);
    let nodes = [0.0, 3.0].map(|x| {
        let (node, _) = node(&mut app, level, "Crate", x, lid.clone());
        app.world_mut().spawn((Transform::default(), rest.clone(), ChildOf(node)));
        node
    });
    // A mesh that is a body by itself is no part of what it hangs on.
    let (_, own) = node(&mut app, level, "Lamp", 9.0, lid.clone());
    app.world_mut().entity_mut(own).insert((RigidBody::Static, Collider::sphere(0.1)));
    run(&mut app, 2);
    assert_eq!(colliders(&app, level), nodes);
    assert!(take::<ColliderConstructorFailed>(&mut app).is_empty());
    let mass = core_body(&app, level).mass_properties().mass;
    assert!((mass - 2000.0).abs() < 1e-6, "{mass} kg");
    assert_eq!(told(&mut app), [level]);
    assert!(take::<CcdProblem>(&mut app).is_empty());
    // Each by itself is an open sheet, and it is said what to do.
    let sheets = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh);
    let level = app.world_mut().spawn((RigidBody::Dynamic, sheets, Transform::from_xyz(0.0, 9.0, 0.0))).id();
    node(&mut app, level, "Crate", 0.0, rest);
    run(&mut app, 2);
    let problems = take::<CcdProblem>(&mut app);
    assert!(problems.iter().any(|p| p.cause.to_string().contains("TrimeshFromChildren")), "{problems:?}");
}

#[test]
fn meshes_of_children_are_joined_where_they_are_once_all_are_there_but_those_of_bodies() {
    let mut app = scene_app();
    let level = ColliderConstructorHierarchy::new(None)
        .with_constructor_for_name("Crate", ColliderConstructor::TrimeshFromChildren)
        .with_density_for_name("Crate", ColliderDensity(500.0));
    let level = app.world_mut().spawn((RigidBody::Dynamic, level)).id();
    let [lid, _] = two_materials(&mut app);
    // The lid four times as wide and half a metre lower; the rest is to come, mirrored and so turned inside out.
    let late = app.world_mut().resource_mut::<Assets<Mesh>>().reserve_handle();
    let (node, at_lid) = node(&mut app, level, "Crate", 5.0, lid);
    *app.world_mut().get_mut::<Transform>(at_lid).expect("a place") =
        Transform::from_xyz(0.0, -0.5, 0.0).with_scale(Vec3::new(4.0, 1.0, 1.0));
    let mirrored = Transform::from_xyz(0.0, -0.5, 0.0).with_scale(Vec3::new(-4.0, 1.0, 1.0));
    app.world_mut().spawn((mirrored, Mesh3d(late.clone()), ChildOf(node)));
    let loose = (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_xyz(0.0, 30.0, 0.0), unit_cube(&mut app));
    app.world_mut().spawn((loose, ChildOf(node)));
    run(&mut app, 5);
    assert!(app.world().get::<CcdBody>(level).is_none() && told(&mut app).is_empty());
    let [_, rest] = two_materials(&mut app);
    let rest = app.world().resource::<Assets<Mesh>>().get(&rest.0).expect("it is there").clone();
    app.world_mut().resource_mut::<Assets<Mesh>>().insert(&late, rest).expect("a handle");
    run(&mut app, 2);
    assert_eq!(colliders(&app, level), [node]);
    let properties = core_body(&app, level).mass_properties();
    assert!((properties.mass - 4.0 * 500.0).abs() < 1e-6, "{} kg", properties.mass);
    let middle = properties.com - ccd_core::math::Point::new(5.0, -0.5, 0.0);
    assert!(middle.norm() < 1e-6, "{middle:?}");
    // Without children that have meshes there is nothing to join.
    let alone = app.world_mut().spawn((RigidBody::Dynamic, ColliderConstructor::TrimeshFromChildren)).id();
    run(&mut app, 1);
    let failed = take::<ColliderConstructorFailed>(&mut app);
    assert!(failed.len() == 1 && failed[0].entity == alone, "{failed:?}");
}
