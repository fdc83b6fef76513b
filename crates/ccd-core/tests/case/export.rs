//! A world that was exported and built again steps on like the one it came from.

use std::path::Path;

use ccd_core::contact::ReductionMethod;
use ccd_core::detection::toc::Method;
use ccd_core::dynamics::{
    BodyDefinition, BodyKind, Carrier, CoefficientCombine, CollisionLayers, Integrator, MassSpecification, Material,
};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::{Case, Export, ShapeCache, build_world, build_world_with, export_world};
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{BroadPhaseMethod, InitialOverlap, ResponseMethod, World, WorldSettings};

fn tetrahedron() -> Shape {
    let corners = [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.4]].map(Point::from);
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    Shape::mesh(TriMesh::try_new(corners.to_vec(), triangles).expect("a mesh")).expect("a solid")
}

fn falling_bodies() -> World {
    let mut world = World::new(WorldSettings::default()).expect("valid settings");
    let ground = Shape::half_space(Vector::y()).expect("a half-space");
    world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).expect("a ground");
    let hull: Vec<Point> =
        (0..6).map(|i| Point::new(f64::from(i % 2), f64::from(i % 3), f64::from(i % 5)) * 0.2).collect();
    let round: Vec<Point> =
        (0..40).map(|i| f64::from(i) * 2.4).map(|a| Point::new(a.cos(), 0.02 * a - 1.0, a.sin()) * 0.3).collect();
    let round = Shape::convex_hull(&round).expect("a hull");
    let tetrahedron = tetrahedron();
    let shapes = [
        Shape::cuboid([0.2, 0.3, 0.1]),
        Shape::ball(0.25),
        Shape::capsule(0.1, 0.2),
        Shape::cylinder(0.2, 0.1),
        Shape::cone(0.2, 0.3),
    ];
    let shapes = shapes.into_iter().map(|s| s.expect("a shape"));
    let shapes = shapes.chain([Shape::convex_hull(&hull).expect("a hull"), tetrahedron.clone(), tetrahedron, round]);
    for (i, shape) in shapes.enumerate() {
        let i = i as f64;
        let pose = Pose::from_parts(
            Vector::new(1.5 * i, 1.0 + 0.1 * i, 0.3).into(),
            Rotation::from_scaled_axis(Vector::new(0.3 * i, 0.1, -0.2)),
        );
        let mut body = BodyDefinition::new(BodyKind::Dynamic, shape, pose);
        body.linear_velocity = Vector::new(0.1, 0.0, -0.3 * i);
        body.angular_velocity = Vector::new(1.0, i, 0.5);
        body.mass = MassSpecification::Mass(1.0 + i);
        body.material = Material { friction: 0.1 * i, restitution: 0.05 * i, ..Material::default() };
        world.add_body(body).expect("a body");
    }
    world
}

#[test]
fn an_exported_world_steps_on_to_the_same_bits() {
    let mut world = falling_bodies();
    for _ in 0..7 {
        world.step(0.01).expect("a step");
    }
    let export = export_world(&world, "falling: bodies", 0.01, 20, |_| None).expect("an export");
    assert_eq!(export.meshes.len(), 2, "the two bodies of one mesh share its file, and a hull of many corners has one");
    assert!(export.left_out.is_empty(), "{:?}", export.left_out);
    let folder = std::env::temp_dir().join(format!("ccd-export-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    export.save(folder.join("case.json")).expect("saved");
    let case = Case::load(folder.join("case.json")).expect("loaded");
    let built = build_world(&case, &folder);
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
    let (mut again, ids) = built.expect("built");
    assert_eq!(ids.len(), 10);
    // In flight there is nothing but the state: no contact and no memory of one.
    for _ in 0..20 {
        world.step(0.01).expect("a step");
        again.step(0.01).expect("a step");
        for ((_, a), (_, b)) in world.bodies().zip(again.bodies()) {
            assert_eq!(a.pose(), b.pose(), "{}", a.shape().as_solid().kind());
            assert_eq!(a.linear_velocity(), b.linear_velocity());
            assert_eq!(a.angular_velocity(), b.angular_velocity());
            assert_eq!(a.mass_properties(), b.mass_properties());
        }
    }
}

#[test]
fn a_world_exported_before_anything_touches_lands_to_the_same_bits() {
    let mut world = falling_bodies();
    world.step(0.01).expect("a step");
    let mut again = read_back(&export_world(&world, "fall", 0.01, 1, |_| None).expect("an export"));
    let mut touched = 0;
    for _ in 0..120 {
        touched += world.step(0.01).expect("a step").impacts.len();
        again.step(0.01).expect("a step");
        for ((_, a), (_, b)) in world.bodies().zip(again.bodies()) {
            assert_eq!(a.pose(), b.pose(), "{}", a.shape().as_solid().kind());
            assert_eq!(a.linear_velocity(), b.linear_velocity());
        }
    }
    assert!(touched >= 9, "every body has landed: {touched} impacts");
}

#[test]
fn names_are_kept_while_they_are_unique_and_what_cannot_be_said_is_listed_and_noted() {
    let mut world = falling_bodies();
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    world.body_mut(ids[8]).expect("a body").linear_damping = 0.5;
    world.body_mut(ids[1]).expect("a body").linear_damping = 0.25;
    world.body_mut(ids[8]).expect("a body").material.rolling_resistance = 1e-3;
    world.body_mut(ids[8]).expect("a body").surface_velocity.x = 1.0;
    world.body_mut(ids[2]).expect("a body").material.friction_combine = Some(CoefficientCombine::Min);
    let few_impacts = WorldSettings { max_impacts_per_body: 7, ..world.settings().clone() };
    world.set_settings(few_impacts).expect("valid settings");
    let export = export_world(&world, "n", 0.01, 1, |id| (id.index < 3).then(|| "same".to_owned())).expect("an export");
    let names: Vec<&str> = export.case.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names[..3], ["same", "body 1", "body 2"]);
    let left_out = [
        "linear damping (\"body 1\", \"body 8\")",
        "how coefficients combine (\"body 2\")",
        "surface velocities (\"body 8\")",
        "rolling resistance (\"body 8\")",
        "at most 7 impacts per body",
    ];
    assert_eq!(export.left_out, left_out);
    assert_eq!(export.case.notes.as_deref(), Some(&*format!("Left out: {}.", left_out.join("; "))));
    assert!(export.case.to_text().is_ok());
}

#[test]
fn a_gravity_scale_is_said_as_a_force_and_the_body_falls_alike() {
    let mut world = falling_bodies();
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    for (&id, scale) in ids[1..].iter().zip([0.0, 0.5, 2.0, -1.0, 1.0, 0.1, 3.0, 0.25, 1.5]) {
        world.body_mut(id).expect("a body").gravity_scale = scale;
    }
    let export = export_world(&world, "n", 0.01, 1, |_| None).expect("an export");
    assert!(export.left_out.is_empty() && export.case.notes.is_none(), "{:?}", export.left_out);
    let mut again = read_back(&export);
    for _ in 0..20 {
        world.step(0.01).expect("a step");
        again.step(0.01).expect("a step");
    }
    for ((_, a), (_, b)) in world.bodies().zip(again.bodies()) {
        // m·g·(s − 1) / m + g is g·s but for the last digits.
        let off = (a.pose().translation.vector - b.pose().translation.vector).norm();
        assert!(off < 1e-13, "{off} m");
    }
}

#[test]
fn sensors_are_left_out_and_layers_become_groups() {
    let mut world = falling_bodies();
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    world.body_mut(ids[2]).expect("a body").sensor = true;
    for &id in &ids[5..] {
        // They pass through each other and meet all others.
        world.body_mut(id).expect("a body").layers = CollisionLayers { memberships: 2, filters: !2 };
    }
    let export = export_world(&world, "n", 0.01, 1, |_| None).expect("an export");
    assert_eq!(export.left_out, ["sensors, to which nothing answers (\"body 2\")"]);
    let groups: Vec<_> = export.case.bodies.iter().map(|b| b.no_collide_group).collect();
    assert_eq!(groups[..4], [None; 4]);
    assert_eq!(groups[4..], [Some(1); 5]);

    // A body that passes through two that meet cannot be said.
    world.body_mut(ids[1]).expect("a body").layers = CollisionLayers { memberships: 0, filters: 0 };
    let export = export_world(&world, "n", 0.01, 1, |_| None).expect("an export");
    assert!(export.left_out[1].starts_with("collision layers (\"body 1\""), "{:?}", export.left_out);
}

#[test]
fn what_is_carried_goes_on_as_it_goes() {
    let mut world = World::new(WorldSettings::default()).expect("valid settings");
    let at = |x: f64| Pose::translation(x, 0.0, 0.0);
    let ball = || Shape::ball(0.1).expect("a ball");
    let mut hub = BodyDefinition::new(BodyKind::Kinematic, ball(), at(0.0));
    (hub.linear_velocity, hub.angular_velocity) = (Vector::x(), Vector::y() * 2.0);
    let hub = world.add_body(hub).expect("a body");
    let mut rider = BodyDefinition::new(BodyKind::Kinematic, ball(), at(3.0));
    rider.linear_velocity = Vector::y();
    let rider = world.add_body(rider).expect("a body");
    world.body_mut(rider).expect("a body").carrier = Some(Carrier { body: hub, place: at(3.0) });
    let export = export_world(&world, "n", 0.01, 1, |_| None).expect("an export");
    let velocities = (export.case.bodies[1].linear_velocity, export.case.bodies[1].angular_velocity);
    assert_eq!(velocities, ([1.0, 1.0, -6.0], [0.0, 2.0, 0.0]));
    assert_eq!(export.left_out, ["what carries bodies, which go on by themselves (\"body 1\")"]);
    // Two that would carry each other are an error of the game's and no endless search: they go as in the world, by themselves.
    world.body_mut(hub).expect("a body").carrier = Some(Carrier { body: rider, place: at(-3.0) });
    let export = export_world(&world, "n", 0.01, 1, |_| None).expect("an export");
    let velocities = export.case.bodies.iter().map(|body| (body.linear_velocity, body.angular_velocity));
    let own = [([1.0, 0.0, 0.0], [0.0, 2.0, 0.0]), ([0.0, 1.0, 0.0], [0.0; 3])];
    assert!(velocities.eq(own), "{:?}", export.case.bodies);
}

#[test]
fn who_is_carried_is_exported_as_the_world_moves_it() {
    let mut world = World::new(WorldSettings::default()).expect("valid settings");
    let at = |x: f64| Pose::translation(x, 0.0, 0.0);
    let mut add = |kind: BodyKind, x: f64, velocity: Vector| {
        let mut body = BodyDefinition::new(kind, Shape::ball(0.1).expect("a ball"), at(x));
        body.linear_velocity = velocity;
        world.add_body(body).expect("a body")
    };
    // A train of a hundred, each carried by the one before it, and a dynamic body, which nothing carries.
    let train: Vec<_> = (0..100).map(|car| add(BodyKind::Kinematic, f64::from(car), Vector::x())).collect();
    let free = add(BodyKind::Dynamic, -1.0, Vector::y());
    for pair in train.windows(2) {
        world.body_mut(pair[1]).expect("a body").carrier = Some(Carrier { body: pair[0], place: at(1.0) });
    }
    world.body_mut(free).expect("a body").carrier = Some(Carrier { body: train[0], place: at(-1.0) });
    let export = export_world(&world, "n", 0.01, 1, |_| None).expect("an export");
    let velocities: Vec<[f64; 3]> = export.case.bodies.iter().map(|body| body.linear_velocity).collect();
    assert_eq!((velocities[99], velocities[100]), ([100.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
}

#[test]
fn a_mesh_that_a_file_cannot_say_as_it_is_is_told() {
    // A tetrahedron whose faces share no corner is a sheet to the world, and would be closed by whoever reads it.
    let corners = [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.4]].map(Point::from);
    let apart = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2].map(|corner| corners[corner]);
    let faces = vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]];
    let sheet = Shape::mesh(TriMesh::try_new(apart.to_vec(), faces).expect("a mesh")).expect("a sheet");
    let grid = Shape::distance_grid(&Shape::ball(0.5).expect("a ball"), 0.25).expect("a grid");
    let mut world = World::new(WorldSettings::default()).expect("valid settings");
    for (i, shape) in (0_u8..).zip([sheet, grid, tetrahedron()]) {
        let pose = Pose::translation(3.0 * f64::from(i), 0.0, 0.0);
        world.add_body(BodyDefinition::new(BodyKind::Static, shape, pose)).expect("a body");
    }
    let export = export_world(&world, "n", 0.01, 1, |_| None).expect("an export");
    let left_out = [
        "that a mesh is a sheet, which is closed when it is read, by joining vertices (\"body 0\")",
        "grids of distances, whose surfaces are meshes here (\"body 1\")",
    ];
    assert_eq!(export.left_out, left_out);
}

#[test]
fn settings_and_a_kinematic_body_s_own_centre_come_back_as_they_were() {
    let settings = WorldSettings {
        gravity: Vector::new(1.0, 2.0, 3.0),
        tolerance: 2e-4,
        contact_threshold: 3e-3,
        detection: Method::Advancement,
        response: ResponseMethod::Pairwise,
        integrator: Integrator::Rk4,
        broad_phase: BroadPhaseMethod::Grid,
        reduction: ReductionMethod::None,
        initial_overlap: InitialOverlap::Separate,
        sleeping: false,
        ..WorldSettings::default()
    };
    let mut world = World::new(settings.clone()).expect("valid settings");
    let mut arm = BodyDefinition::new(BodyKind::Kinematic, tetrahedron(), Pose::identity());
    let com = Point::new(0.3, -0.2, 0.1);
    arm.mass = MassSpecification::Properties(MassProperties { com, ..MassProperties::UNIT });
    arm.angular_velocity = Vector::y();
    world.add_body(arm).expect("a body");
    let export = export_world(&world, "arm", 0.01, 1, |_| None).expect("an export");
    assert!(export.left_out.is_empty(), "{:?}", export.left_out);
    let again = read_back(&export);
    assert_eq!(again.settings(), &settings);
    let (_, arm) = again.bodies().next().expect("a body");
    assert_eq!(arm.local_centre(), com);
}

/// The world that is read from the text of the export.
fn read_back(export: &Export) -> World {
    let text = export.case.to_text().expect("a text");
    let case = Case::parse(&text, Path::new("export.json")).expect("a case");
    assert_eq!(case, export.case);
    let mut shapes = ShapeCache::new("");
    for (file, mesh) in &export.meshes {
        shapes.insert_mesh(file, mesh.clone());
    }
    build_world_with(&case, &mut shapes).expect("built").0
}
