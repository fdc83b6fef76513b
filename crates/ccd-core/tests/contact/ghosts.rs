//! No ghost contacts: what slides over the seams of a tessellated plane sees one smooth surface.

use std::path::Path;

use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::dynamics::{BodyDefinition, BodyKind, Material};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::id::BodyId;
use ccd_core::io::obj::load_obj;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::volume::Aabb;
use ccd_core::world::{StepReport, World, WorldSettings};

use crate::common::models::box_mesh;

const DT: Real = 1.0 / 60.0;

/// A flat strip of 128 × 32 cells of 0.125 m, two triangles each: 8192 triangles in the plane y = 0, facing up.
fn floor() -> Shape {
    let (long, wide, size) = (128_u32, 32_u32, 0.125);
    let place = |i: u32, j: u32| Point::new(f64::from(i) * size - 2.0, 0.0, (f64::from(j) - 16.0) * size);
    let vertices = (0..=long).flat_map(|i| (0..=wide).map(move |j| place(i, j))).collect();
    let cell = |i: u32, j: u32| {
        let v = i * (wide + 1) + j;
        [[v, v + 1, v + wide + 2], [v, v + wide + 2, v + wide + 1]]
    };
    let triangles = (0..long).flat_map(|i| (0..wide).flat_map(move |j| cell(i, j))).collect();
    Shape::mesh(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
}

/// A bullet along x of 640 triangles or so: a cylinder with an ogive.
fn bullet() -> Shape {
    let sides = 20;
    let rings = [(-0.3, 0.1), (0.05, 0.1), (0.1, 0.095), (0.15, 0.082), (0.2, 0.058), (0.28, 0.025)];
    let ring = |(x, r): (Real, Real)| {
        (0..sides).map(move |k| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / f64::from(sides)).sin_cos();
            Point::new(x, r * cos, r * sin)
        })
    };
    let mut points: Vec<Point> = rings.into_iter().flat_map(ring).collect();
    points.push(Point::new(0.3, 0.0, 0.0));
    Shape::convex_hull(&points).unwrap()
}

/// Drops a flat body that slides along; returns the world after the step of the impact, with its report.
fn land(ground: Shape, body: Shape, height: Real) -> (Vector, Vector, StepReport) {
    let mut world = World::new(WorldSettings::default()).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
    let start = Pose::translation(0.0, height + 0.3, 0.01);
    let mut definition = BodyDefinition::new(BodyKind::Dynamic, body, start);
    definition.material = Material { friction: 0.0, ..Material::default() };
    let id: BodyId = world.add_body(definition).unwrap();
    world.set_velocity(id, Vector::new(5.0, 0.0, 0.3), Vector::zeros()).unwrap();
    loop {
        let report = world.step(DT).unwrap();
        if !report.impacts.is_empty() {
            let body = world.body(id).unwrap();
            return (body.pose().translation.vector, *body.angular_velocity(), report);
        }
    }
}

#[test]
fn a_ball_over_a_seam_within_the_tolerance_touches_the_floor_and_not_the_rim_of_the_next_triangle() {
    let (floor, ball) = (floor(), Shape::ball(0.15).unwrap());
    let still = RigidMotion::at_rest(Pose::identity());
    let definition = BodyDefinition::new(BodyKind::Dynamic, ball.clone(), Pose::translation(1.236, 0.15005, 0.084));
    let mut world = World::new(WorldSettings::default()).unwrap();
    let id = world.add_body(definition).unwrap();
    let interval = TimeInterval::new(0.0, 0.01).unwrap();
    for sinking in [0.004, 0.0144, 0.04] {
        world.set_velocity(id, Vector::new(4.757, -sinking, 0.285), Vector::new(0.242, 0.0, -4.035)).unwrap();
        let motion = world.body(id).unwrap().motion();
        let ask = |tolerance: Real| {
            let options = TocOptions { tolerance, ..TocOptions::default() };
            let (a, b) = (Moving::new(&floor, &still), Moving::new(&ball, &motion));
            time_of_contact(a, b, interval, &options).unwrap().answer
        };
        // Within the tolerance from the start: that is an overlap by it, not a contact a rounding later.
        assert!(matches!(ask(1e-4), Toc::Overlapping(c) if (c.separation - 5e-5).abs() < 1e-12));
        let Toc::Contact(contact) = ask(2.5e-5) else { panic!("it sinks by {} m", sinking * 0.01) };
        assert!((contact.normal - Vector::y()).norm() < 1e-9, "{contact:?}");
        // By the height at that time, whatever triangle is met.
        let height = 5e-5 - sinking * contact.time;
        assert!((contact.separation - height).abs() < 1e-12, "{contact:?}");
    }
}

#[test]
fn what_lands_flat_is_not_tipped_and_loses_no_time() {
    for (shape, height) in [
        (Shape::cuboid([0.2, 0.1, 0.3]).unwrap(), 0.1),
        (Shape::cylinder(0.2, 0.1).unwrap(), 0.1),
        (Shape::cone(0.2, 0.1).unwrap(), 0.1),
        (Shape::ball(0.15).unwrap(), 0.15),
    ] {
        for ground in [Shape::half_space(Vector::y()).unwrap(), floor()] {
            let (place, spin, report) = land(ground, shape.clone(), height);
            assert_eq!((report.time_lost, report.held.len()), (0.0, 0), "{shape:?}");
            assert!(spin.norm() < 1e-6, "{shape:?} spins by {spin}");
            assert!((place.x - 5.0 * 15.0 * DT).abs() < 1e-9, "{shape:?} at {place}");
            for impact in &report.impacts {
                assert!((impact.normal - Vector::y()).norm() < 1e-9, "{shape:?}: {impact:?}");
            }
        }
    }
}

/// Nothing tells which side of the seam the corner is on: its own face's normal, and no other, is that of the plane.
#[test]
fn a_corner_that_comes_down_on_a_seam_of_a_flat_floor_is_thrown_straight_up() {
    let bodies = [
        Shape::cuboid([0.01, 0.5, 0.01]).unwrap(),
        Shape::cylinder(0.3, 0.2).unwrap(),
        Shape::cone(0.01, 0.5).unwrap(),
        box_mesh([0.3, 0.2, 0.25]),
    ];
    let turned =
        Pose::from_parts(Vector::new(0.1, 0.2, 0.3).into(), Rotation::from_scaled_axis([0.7, -0.4, 1.1].into()));
    for body in &bodies {
        for tilt in [0.1, 0.3, 0.7, -0.3, 2.5] {
            for turn in [0.0, 0.4] {
                for (x, z) in [(0.0, 0.0), (0.03, 0.0), (0.0, 0.04), (0.05, 0.05)] {
                    for ground in [Pose::identity(), turned] {
                        let axis = |axis: Vector, angle: Real| Rotation::from_scaled_axis(axis * angle);
                        let rotation = axis(Vector::y(), turn) * axis(Vector::z(), tilt);
                        let down = rotation.inverse() * -Vector::y();
                        let corner = match body {
                            Shape::Mesh(mesh) => {
                                let places = mesh.mesh().vertices().iter().map(|p| p.coords);
                                places.max_by(|p, q| p.dot(&down).total_cmp(&q.dot(&down))).unwrap()
                            }
                            _ => body.as_convex().unwrap().support(&down, 0).point.coords,
                        };
                        let place = Vector::new(x, 0.3, z) - rotation * corner;
                        let mut world =
                            World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
                        world.add_body(BodyDefinition::new(BodyKind::Static, floor(), ground)).unwrap();
                        let pose = ground * Pose::from_parts(place.into(), rotation);
                        let mut definition = BodyDefinition::new(BodyKind::Dynamic, body.clone(), pose);
                        definition.material = Material { friction: 0.0, ..Material::default() };
                        definition.linear_velocity = ground.rotation * Vector::new(0.0, -2.0, 0.0);
                        let id = world.add_body(definition).unwrap();
                        while world.step(DT).unwrap().impacts.is_empty() {}
                        let after = ground.rotation.inverse() * world.body(id).unwrap().linear_velocity();
                        let aside = after.xz().norm();
                        assert!(aside < 1e-9, "{body:?}, {tilt} rad, turned {turn}, at {x}, {z}: {after}");
                    }
                }
            }
        }
    }
}

/// A world with the ground and one body that slides at 5 m/s, all turned by `turn`; returns the body's poses in the ground's
/// frame after every step.
fn slide(ground: Shape, body: &Shape, start: Pose, turn: &Rotation, friction: Real) -> Vec<Pose> {
    let turn = Pose::from_parts(Vector::zeros().into(), *turn);
    let gravity = turn * Vector::new(0.0, -9.81, 0.0);
    let mut world = World::new(WorldSettings { gravity, ..WorldSettings::default() }).unwrap();
    let mut floor = BodyDefinition::new(BodyKind::Static, ground, turn);
    floor.material = Material { friction, ..Material::default() };
    world.add_body(floor).unwrap();
    let mut definition = BodyDefinition::new(BodyKind::Dynamic, body.clone(), turn * start);
    definition.material = Material { friction, ..Material::default() };
    let id: BodyId = world.add_body(definition).unwrap();
    world.set_velocity(id, turn * Vector::new(6.0, 0.0, 0.3), Vector::zeros()).unwrap();
    let mut poses = Vec::new();
    for step in 0..120 {
        let report = world.step(DT).unwrap();
        assert_eq!((report.impacts.len(), report.time_lost), (0, 0.0), "step {step}: a seam was hit");
        poses.push(turn.inverse() * world.body(id).unwrap().pose());
    }
    poses
}

/// Bodies on the plane y = 0, within the resting gap of it.
fn bodies() -> [(&'static str, Shape, Pose); 5] {
    let half = std::f64::consts::PI / 20.0;
    let lying = Pose::from_parts(
        [0.0, 0.1 * half.cos() + 1e-5, 0.0].into(),
        Rotation::from_axis_angle(&Vector::y_axis(), 0.3) * Rotation::from_axis_angle(&Vector::x_axis(), half),
    );
    [
        ("box", Shape::cuboid([0.2, 0.1, 0.3]).unwrap(), Pose::translation(0.0, 0.1 + 1e-5, 0.01)),
        ("ball", Shape::ball(0.15).unwrap(), Pose::translation(0.0, 0.15 + 1e-5, 0.01)),
        ("bullet", bullet(), lying),
        ("cylinder", Shape::cylinder(0.2, 0.1).unwrap(), Pose::translation(0.0, 0.1 + 1e-5, 0.01)),
        ("cone", Shape::cone(0.2, 0.1).unwrap(), Pose::translation(0.0, 0.1 + 1e-5, 0.01)),
    ]
}

/// Slides all bodies more than 10 m over `ground`, whose top is the plane y = 0, and over a half-space, and compares them after every step.
fn slides_as_on_a_half_space(ground: &Shape, named: &str) {
    let oblique = Rotation::from_scaled_axis(Vector::new(0.4, -0.7, 0.3));
    for (name, shape, start) in &bodies() {
        let mut worst: Real = 0.0;
        for (turn, friction) in [(Rotation::identity(), 0.0), (Rotation::identity(), 0.05), (oblique, 0.05)] {
            let plane = slide(Shape::half_space(Vector::y()).unwrap(), shape, *start, &turn, friction);
            let mesh = slide(ground.clone(), shape, *start, &turn, friction);
            for (on_plane, on_mesh) in plane.iter().zip(&mesh) {
                let apart = (on_plane.translation.vector - on_mesh.translation.vector).amax();
                worst = worst.max(apart).max(on_plane.rotation.angle_to(&on_mesh.rotation));
            }
            let way = plane[119].translation.x;
            assert!(way > 10.0, "{name} slides {way} m");
            assert!(worst < 1e-9, "{name} over {named} with friction {friction}: {worst}");
        }
        println!("{name:<9} over {named}: {worst:.1e}");
    }
}

#[test]
fn a_box_a_ball_and_a_bullet_slide_ten_metres_over_8192_triangles_as_on_a_half_space() {
    slides_as_on_a_half_space(&floor(), "8192 triangles");
}

/// A plane of two triangles, a gear's face around its bore, and the ends of a cylinder and of a cube, tessellated as they came. Reads the
/// folder in the environment variable `CCD_CORPUS`.
#[test]
fn bodies_slide_ten_metres_over_the_tessellated_planes_of_the_corpus_as_on_a_half_space() {
    let Some(corpus) = std::env::var_os("CCD_CORPUS") else {
        println!("skipped: CCD_CORPUS is not set");
        return;
    };
    for (model, aside) in [("plane", 1.3), ("gears_gear", 18.0), ("cylinder", 1.3), ("cube-symmetric", 1.3)] {
        let mesh = load_obj(Path::new(&corpus).join("meshes").join(model).with_extension("obj")).unwrap();
        let around = Aabb::from_points(mesh.vertices());
        let (middle, size) = (around.centre(), around.max - around.min);
        // 60 m wide, the way 5 m before its middle and beside what is in the middle of it.
        let scale = 60.0 / size.x.min(size.z);
        let placed = |p: &Point| {
            Point::new((p.x - middle.x) * scale + 5.0, (p.y - around.max.y) * scale, (p.z - middle.z) * scale - aside)
        };
        let vertices = mesh.vertices().iter().map(placed).collect();
        let ground = Shape::mesh(TriMesh::try_new(vertices, mesh.triangles().to_vec()).unwrap()).unwrap();
        slides_as_on_a_half_space(&ground, model);
    }
}
