//! A world that was exported and built again steps on like the one it came from.

#![allow(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::path::Path;

use ccd_core::contact::ReductionMethod;
use ccd_core::detection::toc::Method;
use ccd_core::dynamics::{BodyDefinition, BodyKind, Integrator, MassSpecification, Material};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::{Case, ShapeCache, build_world, build_world_with, export_world};
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
    let tetrahedron = tetrahedron();
    let shapes = [
        Shape::cuboid([0.2, 0.3, 0.1]),
        Shape::ball(0.25),
        Shape::capsule(0.1, 0.2),
        Shape::cylinder(0.2, 0.1),
        Shape::cone(0.2, 0.3),
    ];
    let shapes = shapes.into_iter().map(|s| s.expect("a shape"));
    let shapes = shapes.chain([Shape::convex_hull(&hull).expect("a hull"), tetrahedron.clone(), tetrahedron]);
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
    assert_eq!(export.meshes.len(), 1, "the two bodies of one mesh share its file");
    assert!(export.left_out.is_empty(), "{:?}", export.left_out);
    let folder = std::env::temp_dir().join(format!("ccd-export-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    export.save(folder.join("case.json")).expect("saved");
    let case = Case::load(folder.join("case.json")).expect("loaded");
    let built = build_world(&case, &folder);
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
    let (mut again, ids) = built.expect("built");
    assert_eq!(ids.len(), 9);
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
fn names_are_kept_while_they_are_unique_and_what_cannot_be_said_is_listed() {
    let mut world = falling_bodies();
    let last = world.bodies().last().map(|(id, _)| id).expect("a body");
    world.body_mut(last).expect("a body").gravity_scale = 0.5;
    world.body_mut(last).expect("a body").material.rolling_resistance = 1e-3;
    let few_impacts = WorldSettings { max_impacts_per_body: 7, ..world.settings().clone() };
    world.set_settings(few_impacts).expect("valid settings");
    let export = export_world(&world, "n", 0.01, 1, |id| (id.index < 3).then(|| "same".to_owned())).expect("an export");
    let names: Vec<&str> = export.case.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names[..3], ["same", "body 1", "body 2"]);
    let left_out = [
        format!("body \"{}\": rolling resistance", names[8]),
        format!("body \"{}\": gravity scale", names[8]),
        "at most 7 impacts per body".to_owned(),
    ];
    assert_eq!(export.left_out, left_out);
    assert!(export.case.to_text().is_ok());
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
    let text = export.case.to_text().expect("a text");
    let case = Case::parse(&text, Path::new("arm.json")).expect("a case");
    assert_eq!(case, export.case);
    let mut shapes = ShapeCache::new("");
    for (file, mesh) in &export.meshes {
        shapes.insert_mesh(file, mesh.clone());
    }
    let (again, ids) = build_world_with(&case, &mut shapes).expect("built");
    assert_eq!(again.settings(), &settings);
    assert_eq!(again.body(ids[0]).expect("a body").local_centre(), com);
}
