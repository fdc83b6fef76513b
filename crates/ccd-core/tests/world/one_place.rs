//! Several bodies that were put into one place: each gets a place of its own, near by and on its own side of every wall.

use ccd_core::dynamics::{BodyDefinition, BodyKind, LockedAxes};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{InitialOverlap, World, WorldSettings};

use crate::common::models::{box_mesh, flat_sheet, mesh};

const DT: Real = 1.0 / 60.0;
const RADIUS: Real = 0.1;

fn empty() -> World {
    World::new(WorldSettings { initial_overlap: InitialOverlap::Separate, ..WorldSettings::default() }).unwrap()
}

fn add(world: &mut World, kind: BodyKind, shape: &Shape, place: Vector) -> BodyId {
    world
        .add_body(BodyDefinition::new(kind, shape.clone(), Pose::from_parts(place.into(), Rotation::identity())))
        .unwrap()
}

/// So many of a shape in one place, and where they are after a step.
fn put_into_one_place(world: &mut World, shape: &Shape, count: usize, place: Vector) -> Vec<Vector> {
    let bodies: Vec<BodyId> = (0..count).map(|_| add(world, BodyKind::Dynamic, shape, place)).collect();
    let report = world.step(DT).unwrap();
    assert!(report.min_separation.is_none_or(|apart| apart > 0.0));
    let body = |id: BodyId| world.body(id).unwrap();
    assert!(bodies.iter().all(|&id| body(id).linear_velocity().norm() <= 9.81 * DT + 1e-9), "none is thrown");
    bodies.iter().map(|&id| body(id).pose().translation.vector).collect()
}

/// What measures no more than a ball of [`RADIUS`] along its axes.
fn shapes() -> [Shape; 4] {
    [
        Shape::ball(RADIUS).unwrap(),
        Shape::cuboid([RADIUS; 3]).unwrap(),
        box_mesh([RADIUS; 3]),
        Shape::cylinder(RADIUS, RADIUS).unwrap(),
    ]
}

#[test]
fn many_put_into_one_place_spread_to_all_sides_that_are_free() {
    for shape in shapes() {
        for height in [RADIUS, 2.0] {
            let mut world = empty();
            add(&mut world, BodyKind::Static, &Shape::cuboid([9.0, 0.5, 9.0]).unwrap(), Vector::y() * -0.5);
            let place = Vector::y() * height;
            let places = put_into_one_place(&mut world, &shape, 20, place);
            for axis in [0, 2] {
                let ends = [Real::min, Real::max].map(|of| places.iter().map(|p| p[axis]).fold(0.0, of));
                assert!(ends[0] < -1.9 * RADIUS && ends[1] > 1.9 * RADIUS, "along {axis}: {ends:?}");
            }
            let furthest = places.iter().map(|p| (p - place).norm()).fold(0.0, Real::max);
            assert!(furthest < 4.1 * RADIUS, "{furthest}");
            let raised = places.iter().map(|p| p.y - height).sum::<Real>() / 20.0;
            assert!(raised < 2.0 * RADIUS, "raised by {raised}");
        }
    }
}

#[test]
fn many_put_into_one_place_stay_in_the_room_that_they_are_in() {
    for shape in shapes() {
        let mut world = empty();
        let (half, wall) = (0.35, 0.01);
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let mut half_extents = [half + 2.0 * wall; 3];
                half_extents[axis] = wall;
                let place = Vector::from_fn(|i, _| if i == axis { side * (half + wall) } else { 0.0 });
                add(&mut world, BodyKind::Static, &Shape::cuboid(half_extents).unwrap(), place);
            }
        }
        let places = put_into_one_place(&mut world, &shape, 18, Vector::zeros());
        assert!(places.iter().all(|p| p.amax() < half), "{places:?}");
    }
}

#[test]
fn small_ones_put_into_one_place_with_a_larger_one_stay_on_their_side_of_a_sheet() {
    let mut world = empty();
    let sheet = mesh(flat_sheet(5.0, 4));
    add(&mut world, BodyKind::Static, &sheet, Vector::zeros());
    let place = Vector::y() * 1.05 * RADIUS;
    let large = add(&mut world, BodyKind::Dynamic, &Shape::ball(RADIUS).unwrap(), place);
    let places = put_into_one_place(&mut world, &Shape::ball(0.55 * RADIUS).unwrap(), 20, place);
    let large = world.body(large).unwrap().pose().translation.vector;
    assert!(places.iter().chain([&large]).all(|p| p.y > 0.5 * RADIUS), "{places:?}");
}

#[test]
fn what_is_locked_and_put_into_one_place_with_others_moves_along_no_locked_axis() {
    let mut world = empty();
    let place = Vector::new(0.1, 2.0, 0.3);
    let shape = Shape::ball(RADIUS).unwrap();
    let bodies: Vec<BodyId> = (0..12)
        .map(|_| {
            let pose = Pose::from_parts(place.into(), Rotation::identity());
            let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), pose);
            body.locked = LockedAxes { translation: [false, false, true], ..LockedAxes::default() };
            world.add_body(body).unwrap()
        })
        .collect();
    world.step(DT).unwrap();
    let places = bodies.iter().map(|&id| world.body(id).unwrap().pose().translation.vector);
    assert!(places.clone().all(|p| p.z == place.z));
    assert!(places.map(|p| (p - place).norm()).fold(0.0, Real::max) < 4.1 * RADIUS);
}

#[test]
fn two_put_into_one_place_leave_by_their_least_way_out() {
    let mut world = empty();
    let shape = Shape::cuboid([0.3, 0.1, 0.2]).unwrap();
    let places = put_into_one_place(&mut world, &shape, 2, Vector::y());
    let way = places[1] - places[0];
    assert!((way.norm() - 0.2).abs() < 1e-3 && way.y.abs() > 0.19, "{way}");
}
