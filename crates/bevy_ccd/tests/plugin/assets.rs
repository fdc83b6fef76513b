//! Colliders that are built from meshes and models.

use crate::common::*;
use bevy::asset::{AssetPlugin, RenderAssetUsages};
use bevy::mesh::{Indices, Mesh3d, MeshPlugin, PrimitiveTopology};

/// An app with assets from this folder.
fn app_with_assets(folder: &std::path::Path) -> App {
    let file_path = folder.to_string_lossy().into_owned();
    app_with(|app| {
        app.add_plugins((AssetPlugin { file_path, ..default() }, MeshPlugin));
    })
}

fn meshes_app() -> App {
    app_with_assets(std::path::Path::new("assets"))
}

#[test]
fn a_primitive_is_built_at_once() {
    let mut app = app();
    let body =
        app.world_mut().spawn((RigidBody::Dynamic, ColliderConstructor::Capsule { radius: 0.5, height: 1.0 })).id();
    run(&mut app, 2);
    assert!(app.world().get::<CcdBody>(body).is_some());
    assert!(app.world().get::<ColliderConstructor>(body).is_none());
    assert_eq!(take::<ColliderConstructorReady>(&mut app), [ColliderConstructorReady { entity: body }]);
}

#[test]
fn a_mesh_becomes_a_solid_that_falls_and_rests() {
    let mut app = meshes_app();
    app.world_mut().spawn(floor());
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(1.0, 1.0, 1.0));
    let bodies: Vec<Entity> = [ColliderConstructor::TrimeshFromMesh, ColliderConstructor::ConvexHullFromMesh]
        .into_iter()
        .enumerate()
        .map(|(i, constructor)| {
            let at = Transform::from_xyz(3.0 * i as f32, 0.7, 0.0);
            app.world_mut().spawn((RigidBody::Dynamic, Mesh3d(mesh.clone()), constructor, at)).id()
        })
        .collect();
    run(&mut app, 100);
    for body in bodies {
        assert!((place(&app, body).y - 0.5).abs() < 2e-3, "{}", place(&app, body));
        assert!((core_body(&app, body).mass_properties().mass - 1000.0).abs() < 1e-6, "closed, so it has a volume");
    }
}

#[test]
fn a_mesh_that_comes_late_is_waited_for() {
    let mut app = meshes_app();
    let handle = app.world_mut().resource_mut::<Assets<Mesh>>().reserve_handle();
    let body =
        app.world_mut().spawn((RigidBody::Dynamic, Mesh3d(handle.clone()), ColliderConstructor::TrimeshFromMesh)).id();
    run(&mut app, 5);
    assert!(app.world().get::<Collider>(body).is_none());
    app.world_mut().resource_mut::<Assets<Mesh>>().insert(&handle, Mesh::from(Cuboid::default())).expect("a handle");
    run(&mut app, 2);
    assert!(app.world().get::<CcdBody>(body).is_some());
}

#[test]
fn a_bad_mesh_gives_an_event_that_says_why() {
    #[derive(Resource, Default)]
    struct Heard(Option<String>);
    let mut app = meshes_app();
    app.init_resource::<Heard>();
    let bad = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0_f32; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
        .with_inserted_indices(Indices::U16(vec![0, 1, 2]));
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(bad);
    let body = app
        .world_mut()
        .spawn((RigidBody::Static, Mesh3d(mesh), ColliderConstructor::TrimeshFromMesh))
        .observe(|failed: On<ColliderConstructorFailed>, mut heard: ResMut<Heard>| {
            heard.0 = Some(failed.error.to_string())
        })
        .id();
    run(&mut app, 3);
    let heard = app.world().resource::<Heard>().0.clone().expect("an event");
    assert!(heard.contains("face 0"), "{heard}");
    assert_eq!(take::<ColliderConstructorFailed>(&mut app)[0].entity, body);
    assert!(app.world().get::<ColliderConstructor>(body).is_none(), "not tried for ever");
}

#[test]
fn a_constructor_without_its_mesh_fails() {
    let mut app = app();
    let body = app.world_mut().spawn((RigidBody::Static, ColliderConstructor::ConvexHullFromMesh)).id();
    run(&mut app, 2);
    let failed = take::<ColliderConstructorFailed>(&mut app);
    assert_eq!(failed[0].entity, body);
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn an_obj_asset_becomes_a_collider_and_a_missing_one_an_event() {
    let folder = std::env::temp_dir().join(format!("bevy_ccd_obj_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("tetrahedron.obj"), TETRAHEDRON).expect("a file");
    let mut app = app_with_assets(&folder);
    let [good, bad] = ["tetrahedron.obj", "missing.obj"]
        .map(|path| app.world_mut().spawn((RigidBody::Dynamic, ColliderConstructor::Obj { path: path.into() })).id());
    // Assets come from other threads; a second is far more than a file of this size takes.
    for _ in 0..1000 {
        run(&mut app, 1);
        if app.world().get::<CcdBody>(good).is_some() && app.world().get::<ColliderConstructor>(bad).is_none() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    assert!((core_body(&app, good).mass_properties().mass - 1000.0 / 6.0).abs() < 1e-9);
    assert!(app.world().get::<Collider>(bad).is_none());
}

/// A tetrahedron whose faces have vertices of their own.
fn split_tetrahedron() -> String {
    let (places, faces) = (["0 0 0", "1 0 0", "0 1 0", "0 0 1"], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    let vertices: String = faces.iter().flatten().map(|&v: &usize| format!("v {}\n", places[v])).collect();
    vertices + "f 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n"
}

#[test]
fn a_model_whose_faces_have_vertices_of_their_own_is_a_solid_read_from_text_too() {
    let mut app = app();
    let collider = Collider::from_obj_reader(split_tetrahedron().as_bytes(), "split.obj").expect("a model");
    let body = app.world_mut().spawn((RigidBody::Dynamic, collider)).id();
    run(&mut app, 1);
    assert!((core_body(&app, body).mass_properties().mass - 1000.0 / 6.0).abs() < 1e-9);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn the_engines_torus_weighs_what_a_torus_does() {
    let mut app = meshes_app();
    let torus = app.world_mut().resource_mut::<Assets<Mesh>>().add(Torus::new(0.3, 1.0));
    let body = (RigidBody::Dynamic, Mesh3d(torus), ColliderConstructor::TrimeshFromMesh);
    let body = app.world_mut().spawn(body).id();
    run(&mut app, 2);
    let expected = 2.0 * std::f64::consts::PI.powi(2) * 0.65 * 0.35_f64.powi(2) * 1000.0;
    let mass = core_body(&app, body).mass_properties().mass;
    assert!((mass / expected - 1.0).abs() < 0.05, "{mass} kg and not {expected}");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_dynamic_mesh_with_gaps_is_told_of_once_unless_its_weight_is_given() {
    let mut app = meshes_app();
    let plane = app.world_mut().resource_mut::<Assets<Mesh>>().add(Plane3d::default());
    let body = (Mesh3d(plane), ColliderConstructor::TrimeshFromMesh, GravityScale(0.0));
    let [doubtful, weighed, fixed] = [0.0, 10.0, 20.0]
        .map(|x| app.world_mut().spawn((body.clone(), RigidBody::Dynamic, Transform::from_xyz(x, 0.0, 0.0))).id());
    app.world_mut().entity_mut(weighed).insert(ColliderDensity(2.0));
    app.world_mut().entity_mut(fixed).insert(RigidBody::Static);
    run(&mut app, 5);
    let problems = take::<CcdProblem>(&mut app);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(matches!(problems[0].cause, CcdProblemCause::OpenMesh { .. }) && problems[0].entity == Some(doubtful));
    app.world_mut().entity_mut(doubtful).insert(CenterOfMass(Vec3::Y));
    run(&mut app, 5);
    assert!(take::<CcdProblem>(&mut app).is_empty(), "still the same");
    app.world_mut().entity_mut(fixed).insert(RigidBody::Dynamic);
    run(&mut app, 5);
    assert_eq!(take::<CcdProblem>(&mut app).len(), 1);
}

#[test]
fn a_constructor_that_replaces_one_that_waits_is_the_one_that_is_built() {
    let folder = std::env::temp_dir().join(format!("bevy_ccd_replaced_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("small.obj"), TETRAHEDRON).expect("a file");
    let mut app = app_with_assets(&folder);
    let obj = |path: &str| ColliderConstructor::Obj { path: path.into() };
    let body = app.world_mut().spawn((RigidBody::Dynamic, obj("missing.obj"))).id();
    run(&mut app, 1);
    app.world_mut().entity_mut(body).insert(obj("small.obj"));
    for _ in 0..1000 {
        run(&mut app, 1);
        if app.world().get::<ColliderConstructor>(body).is_none() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    assert!(take::<ColliderConstructorFailed>(&mut app).is_empty());
    assert!((core_body(&app, body).mass_properties().mass - 1000.0 / 6.0).abs() < 1e-9);
}

#[test]
fn a_compound_is_built_when_all_its_parts_are_there() {
    let folder = std::env::temp_dir().join(format!("bevy_ccd_compound_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("one.obj"), TETRAHEDRON).expect("a file");
    std::fs::write(folder.join("two.obj"), split_tetrahedron()).expect("a file");
    let mut app = app_with_assets(&folder);
    app.insert_resource(Gravity::ZERO);
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(1.0, 1.0, 1.0));
    let at = |x: f32, part| (Vec3::X * x, Quat::IDENTITY, part);
    let obj = |path: &str| ColliderConstructor::Obj { path: path.into() };
    let inner = ColliderConstructor::Compound(vec![at(0.0, obj("two.obj")), at(2.0, obj("one.obj"))]);
    let ball = ColliderConstructor::Sphere { radius: 0.5 };
    let parts =
        vec![at(-3.0, ColliderConstructor::TrimeshFromMesh), at(0.0, ball), at(3.0, inner), at(9.0, obj("one.obj"))];
    let compound = ColliderConstructor::Compound(parts);
    assert!(compound.requires_mesh());
    let body = app.world_mut().spawn((RigidBody::Dynamic, Mesh3d(mesh), compound)).id();
    for _ in 0..1000 {
        run(&mut app, 1);
        if app.world().get::<ColliderConstructor>(body).is_none() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    assert!(take::<ColliderConstructorFailed>(&mut app).is_empty());
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
    let mass = core_body(&app, body).mass_properties().mass;
    assert!((mass - 1000.0 * (1.0 + ball + 0.5)).abs() < 1e-6, "{mass}");
    let aabb = core_body(&app, body).shape().as_solid().local_aabb();
    assert!((aabb.min.x + 3.5).abs() < 1e-6 && (aabb.max.x - 10.0).abs() < 1e-6, "{aabb:?}");
}

#[test]
fn a_compound_that_cannot_be_says_which_part_and_why() {
    let mut app = app();
    let at = |x: f32, part| (Vec3::X * x, Quat::IDENTITY, part);
    let ball = |radius| ColliderConstructor::Sphere { radius };
    let wrong = [
        (vec![], "part"),
        (vec![at(0.0, ball(1.0)), at(1.0, ball(-1.0))], "part 1"),
        (vec![at(0.0, ColliderConstructor::TrimeshFromMesh)], "Mesh3d"),
        (vec![at(f32::NAN, ball(1.0))], "part 0"),
        (vec![at(0.0, ColliderConstructor::HalfSpace { outward_normal: Vec3::Y })], "half"),
    ];
    for (parts, word) in wrong {
        let body = app.world_mut().spawn((RigidBody::Static, ColliderConstructor::Compound(parts))).id();
        run(&mut app, 1);
        let failed = take::<ColliderConstructorFailed>(&mut app);
        assert!(failed.len() == 1 && failed[0].entity == body, "{failed:?}");
        let why = failed[0].error.to_string();
        assert!(why.contains(word), "{why}");
        assert!(app.world().get::<ColliderConstructor>(body).is_none());
    }
}

#[test]
fn what_falls_on_a_ground_of_heights_comes_to_lie_in_its_valley_however_it_is_made() {
    let heights: Vec<Vec<f32>> = (0..9).map(|row: i32| vec![(row - 3).pow(2) as f32; 5]).collect();
    let scale = Vec3::new(8.0, 0.25, 4.0);
    let ground = |constructed: bool| {
        let mut app = app();
        let mut ground = app.world_mut().spawn((RigidBody::Static, Transform::from_xyz(0.0, 1.0, 0.0)));
        if constructed {
            ground.insert(ColliderConstructor::Heightfield { heights: heights.clone(), scale });
        } else {
            ground.insert(Collider::heightfield(heights.clone(), scale).expect("a ground"));
        }
        let damped = (LinearDamping(2.0), AngularDamping(2.0));
        let ball = (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_xyz(1.6, 4.0, 0.3), damped);
        let ball = app.world_mut().spawn(ball).id();
        run(&mut app, 640);
        place(&app, ball)
    };
    let [one, other] = [false, true].map(ground);
    // The fourth row is the lowest, at x = −1; the slopes beside it rise by a quarter.
    let expected = Vec3::new(-1.0, 1.0 + 0.1 * 1.0625_f32.sqrt(), 0.3);
    assert!((one - expected).length() < 5e-3 && one == other, "{one}, {other}");
}
