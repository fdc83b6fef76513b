//! A world that was exported and built again steps on like the one it came from.

#![allow(clippy::expect_used, reason = "a test that cannot go on says why")]

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification, Material};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::{Case, build_world, export_world};
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

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
        body.material = Material { friction: 0.1 * i, restitution: 0.05 * i };
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
    let export = export_world(&world, "n", 0.01, 1, |id| (id.index < 3).then(|| "same".to_owned())).expect("an export");
    let names: Vec<&str> = export.case.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names[..3], ["same", "body 1", "body 2"]);
    assert_eq!(export.left_out, [format!("body \"{}\": gravity scale", names[8])]);
    assert!(export.case.to_text().is_ok());
}
