//! What slides or lands on several bodies whose faces are flush does so as on one, and what lands edge by edge loses nothing by it.

use std::f64::consts::TAU;

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{ResponseMethod, World, WorldSettings};

use crate::common::models::{box_mesh, box_triangles};

/// How far above the floor what slides begins, metres: as what rests.
const GAP: Real = 1e-5;

/// A sheet of 4 by 4 squares as wide as the box, where its top is.
fn sheet(half: [Real; 3]) -> Shape {
    let share = |i: u32| Real::from(i) / 2.0 - 1.0;
    let place = |i: u32| Point::new(half[0] * share(i % 5), half[1], half[2] * share(i / 5));
    let squares = (0..16).map(|i| i % 4 + i / 4 * 5);
    let triangles = squares.flat_map(|i| [[i, i + 5, i + 1], [i + 1, i + 5, i + 6]]).collect();
    Shape::mesh(TriMesh::try_new((0..25).map(place).collect(), triangles).unwrap()).unwrap()
}

fn two_boxes(half: [Real; 3]) -> Shape {
    let part = |z: Real| (Pose::translation(0.0, 0.0, z), Shape::cuboid([half[0], half[1], 0.5 * half[2]]).unwrap());
    Shape::compound(vec![part(-0.5 * half[2]), part(0.5 * half[2])]).unwrap()
}

/// A box as what two boxes have in common: a field, of which only cells of space know.
fn both_boxes(half: [Real; 3]) -> Shape {
    let part = |z: Real| (Shape::cuboid([half[0], half[1], half[2] + 0.5]).unwrap(), Pose::translation(0.0, 0.0, z));
    Shape::csg(Operation::Intersection, &[part(-0.5), part(0.5)]).unwrap()
}

/// A box whose bottom is hollowed out by a ball.
fn hollowed(half: [Real; 3]) -> Shape {
    let part = |shape: Shape, y: Real| (shape, Pose::translation(0.0, y, 0.0));
    let ball = Shape::ball(0.8 * half[1]).unwrap();
    Shape::csg(Operation::Difference, &[part(Shape::cuboid(half).unwrap(), 0.0), part(ball, -half[1])]).unwrap()
}

/// A prism with five upright sides, whose corners are in line with no seam.
fn prism(radius: Real, half_height: Real) -> Shape {
    let corner = |k: u32| {
        let (sin, cos) = (TAU * Real::from(k) / 5.0).sin_cos();
        [-half_height, half_height].map(|y| Point::new(radius * cos, y, radius * sin))
    };
    Shape::convex_hull(&(0..5).flat_map(corner).collect::<Vec<_>>()).unwrap()
}

/// Tiles of 2 m by 4 m with their tops at height zero and a gap of `seam` metres between them, from x = -2 on.
fn tiles(tile: &Shape, seam: Real, friction: Real) -> World {
    let mut world = World::new(WorldSettings::default()).unwrap();
    for i in 0..6 {
        let place = Pose::translation(Real::from(i) * (2.0 + seam) - 1.0, -0.5, 0.0);
        let mut tile = BodyDefinition::new(BodyKind::Static, tile.clone(), place);
        tile.material.friction = friction;
        world.add_body(tile).unwrap();
    }
    world
}

fn slider(world: &mut World, shape: &Shape, height: Real, speed: Real, friction: Real) -> BodyId {
    let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), Pose::translation(-1.0, height + GAP, 0.0));
    body.linear_velocity.x = speed;
    body.material.friction = friction;
    world.add_body(body).unwrap()
}

#[test]
fn what_slides_over_flush_tiles_keeps_its_way() {
    const HALF: [Real; 3] = [1.0, 0.5, 2.0];
    let tiles_of = [
        Shape::cuboid(HALF).unwrap(),
        Shape::convex_hull(&box_triangles(HALF).0).unwrap(),
        box_mesh(HALF),
        sheet(HALF),
        two_boxes(HALF),
        both_boxes(HALF),
    ];
    let sliders = [
        (Shape::cuboid([0.3, 0.2, 0.25]).unwrap(), 0.2),
        (Shape::convex_hull(&box_triangles([0.3, 0.2, 0.25]).0).unwrap(), 0.2),
        (box_mesh([0.3, 0.2, 0.25]), 0.2),
        (Shape::cylinder(0.3, 0.2).unwrap(), 0.2),
        (Shape::cone(0.3, 0.2).unwrap(), 0.2),
        (Shape::ball(0.3).unwrap(), 0.3),
        (Shape::capsule(0.2, 0.3).unwrap(), 0.5),
        (two_boxes([0.3, 0.2, 0.25]), 0.2),
    ];
    for (i, tile) in tiles_of.iter().enumerate() {
        for (j, (shape, height)) in sliders.iter().enumerate() {
            for (speed, dt) in [(0.3, 1.0 / 60.0), (1.0, 0.1), (4.0, 1.0 / 60.0), (50.0, 1.0 / 240.0)] {
                for seam in [0.0, 1e-3] {
                    let mut world = tiles(tile, seam, 0.0);
                    let id = slider(&mut world, shape, *height, speed, 0.0);
                    let mut time = 0.0;
                    while time < 5.0_f64.min(8.0 / speed) {
                        world.step(dt).unwrap();
                        time += dt;
                        let body = world.body(id).unwrap();
                        let place = format!("tile {i}, slider {j}, {speed} m/s, seam {seam} m, at {}", body.pose());
                        let v = body.linear_velocity();
                        // A ball that rolls over a crack of a millimetre sinks into it by half a micrometre.
                        assert!((v - Vector::x() * speed).norm() < 1e-2 * speed.max(1.0), "{place}: {v}");
                        assert!((body.pose().translation.y - height).abs() < 1.1e-4, "{place}");
                    }
                }
            }
        }
    }
}

/// Six by six tiles of a square metre without friction, with their tops at height zero and their corners together.
fn grid(tile: &Shape) -> World {
    let mut world = World::new(WorldSettings::default()).unwrap();
    for i in 0..36 {
        let [x, z] = [i % 6, i / 6].map(|k| Real::from(k) + 0.5);
        let mut tile = BodyDefinition::new(BodyKind::Static, tile.clone(), Pose::translation(x, -0.5, z));
        tile.material.friction = 0.0;
        world.add_body(tile).unwrap();
    }
    world
}

/// Across its way such a body has no face of the tiles: what leads along a seam leads away from the next tile as well.
#[test]
fn what_slides_along_seams_as_well_as_over_them_or_spins_keeps_its_way() {
    const HALF: [Real; 3] = [0.5; 3];
    let tiles_of = [
        Shape::cuboid(HALF).unwrap(),
        Shape::convex_hull(&box_triangles(HALF).0).unwrap(),
        box_mesh(HALF),
        sheet(HALF),
        both_boxes(HALF),
        hollowed(HALF),
    ];
    let sliders = [
        Shape::cuboid([0.1, 0.1, 0.12]).unwrap(),
        box_mesh([0.1; 3]),
        prism(0.12, 0.1),
        Shape::cylinder(0.1, 0.1).unwrap(),
        Shape::cone(0.1, 0.1).unwrap(),
        Shape::ball(0.1).unwrap(),
        two_boxes([0.1; 3]),
        hollowed([0.1; 3]),
    ];
    let ways = [
        ([2.6, 1.4], 0.0, 1.0 / 60.0),
        ([0.5, 0.9], 0.0, 1.0 / 60.0),
        ([12.0, 20.0], 0.0, 1.0 / 240.0),
        ([3.0, 0.0], 5.0, 1.0 / 60.0),
    ];
    for (i, tile) in tiles_of.iter().enumerate() {
        for (j, shape) in sliders.iter().enumerate() {
            for ([x, z], spin, dt) in ways {
                let mut world = grid(tile);
                let start = Pose::translation(0.31, 0.1 + GAP, 0.773);
                let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), start);
                (body.linear_velocity, body.angular_velocity) = (Vector::new(x, 0.0, z), Vector::y() * spin);
                body.material.friction = 0.0;
                let id = world.add_body(body).unwrap();
                let mut way = 0.0;
                while way < 4.0 {
                    world.step(dt).unwrap();
                    way += x.hypot(z) * dt;
                    let body = world.body(id).unwrap();
                    let place = format!("tile {i}, slider {j}, ({x}, {z}) m/s, {spin} rad/s, at {}", body.pose());
                    let off = body.linear_velocity() - Vector::new(x, 0.0, z);
                    assert!(off.norm() < 1e-2 * x.hypot(z).max(1.0), "{place}: off by {off}");
                    assert!((body.pose().translation.y - 0.1).abs() < 1.1e-4, "{place}");
                }
            }
        }
    }
}

/// What slides straight over a seam goes askew over a belt that runs along it.
#[test]
fn what_slides_onto_a_belt_that_is_flush_with_the_floor_does_not_trip() {
    for belt in [Shape::cuboid([2.0, 0.5, 50.0]).unwrap(), box_mesh([2.0, 0.5, 50.0])] {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let floor = Shape::cuboid([2.0, 0.5, 0.5]).unwrap();
        world.add_body(BodyDefinition::new(BodyKind::Static, floor, Pose::translation(-2.0, -0.5, 0.0))).unwrap();
        let mut belt = BodyDefinition::new(BodyKind::Kinematic, belt, Pose::translation(2.0, -0.5, 0.0));
        belt.linear_velocity.z = 1.0;
        world.add_body(belt).unwrap();
        let cube = Shape::cuboid([0.1; 3]).unwrap();
        let mut cube = BodyDefinition::new(BodyKind::Dynamic, cube, Pose::translation(-0.5, 0.1 + GAP, 0.0));
        (cube.linear_velocity.x, cube.material.friction) = (3.0, 0.2);
        let id = world.add_body(cube).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 60.0).unwrap();
            let body = world.body(id).unwrap();
            assert!((body.pose().translation.y - 0.1).abs() < 1.1e-4, "at {}", body.pose());
        }
        assert!(world.body(id).unwrap().pose().translation.x > 1.0);
    }
}

/// Lets a plate fall flat onto two tiles, off their seam, and tells its way, turn and velocity.
fn lands(response: ResponseMethod, restitution: Real) -> (Vector, Real, Vector) {
    let mut world = tiles(&Shape::cuboid([1.0, 0.5, 2.0]).unwrap(), 0.0, 0.5);
    world.set_settings(WorldSettings { response, ..world.settings().clone() }).unwrap();
    let plate = Shape::cuboid([0.6, 0.1, 0.4]).unwrap();
    let mut plate = BodyDefinition::new(BodyKind::Dynamic, plate, Pose::translation(0.25, 0.35, 0.0));
    plate.material.restitution = restitution;
    let id = world.add_body(plate).unwrap();
    let mut most: Real = 0.0;
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
        most = most.max(world.body(id).unwrap().pose().rotation.angle());
    }
    let body = world.body(id).unwrap();
    (body.pose().translation.vector - Vector::new(0.25, 0.1, 0.0), most, *body.linear_velocity())
}

#[test]
fn what_lands_flat_on_two_tiles_is_not_tipped_by_the_first() {
    for response in [ResponseMethod::Shock, ResponseMethod::Pairwise, ResponseMethod::Lcp, ResponseMethod::Svd] {
        for restitution in [0.0, 0.5] {
            let (way, turn, velocity) = lands(response, restitution);
            let told = format!("{response:?}, restitution {restitution}: {way} {turn} {velocity}");
            assert!(way.norm() < 2e-3 && turn < 2e-3 && velocity.norm() < 1e-2, "{told}");
        }
    }
}

#[test]
fn what_comes_down_a_little_tilted_bounces_with_all_its_energy() {
    for half in [[0.5, 0.5, 0.5], [0.5, 0.05, 0.2], [0.5, 0.2, 0.5]] {
        let floors = [(Shape::half_space(Vector::y()).unwrap(), 0.0), (Shape::cuboid([9.0, 1.0, 9.0]).unwrap(), 1.0)];
        for (floor, top) in &floors {
            for tilt in [0.0, 1e-4, 2e-4, 3e-4, 5e-4, 1e-3, 3e-3, 1e-2, 0.1] {
                let settings = WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() };
                let mut world = World::new(settings).unwrap();
                let below = Pose::translation(0.0, -top, 0.0);
                world.add_body(BodyDefinition::new(BodyKind::Static, floor.clone(), below)).unwrap();
                let turned = Rotation::from_scaled_axis(Vector::z() * tilt);
                let pose = Pose::from_parts(Vector::new(0.0, 1.0, 0.0).into(), turned);
                let mut body = BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid(half).unwrap(), pose);
                (body.material.friction, body.material.restitution) = (0.0, 1.0);
                body.linear_velocity.y = -4.0;
                let id = world.add_body(body).unwrap();
                let before = world.energy().kinetic;
                for _ in 0..40 {
                    world.step(1.0 / 60.0).unwrap();
                }
                let kept = world.energy().kinetic / before;
                assert!((kept - 1.0).abs() < 2e-3, "{half:?} tilted by {tilt} keeps {kept}");
                assert!(world.body(id).unwrap().linear_velocity().y > 0.0);
            }
        }
    }
}
