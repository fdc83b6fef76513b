//! Bodies that are put exactly into touch: they get a gap where there is room beside them, and are led nowhere else.

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{InitialOverlap, World, WorldSettings};

const DT: Real = 1.0 / 60.0;

fn cuboid(half: [Real; 3]) -> Shape {
    Shape::cuboid(half).unwrap()
}

fn add(world: &mut World, kind: BodyKind, shape: Shape, at: [Real; 3]) -> BodyId {
    world.add_body(BodyDefinition::new(kind, shape, Pose::translation(at[0], at[1], at[2]))).unwrap()
}

/// Four walls, a floor and, if it is closed, a lid around a room from the origin to these extents.
fn room(world: &mut World, extents: [Real; 3], is_closed: bool) {
    for axis in 0..3 {
        for beyond in [false, true] {
            if axis == 1 && beyond && !is_closed {
                continue;
            }
            let mut half = [5.0; 3];
            half[axis] = 0.5;
            let mut at = extents.map(|extent| 0.5 * extent);
            at[axis] = if beyond { extents[axis] + 0.5 } else { -0.5 };
            add(world, BodyKind::Static, cuboid(half), at);
        }
    }
}

fn place(world: &World, id: BodyId) -> Point {
    world.body(id).unwrap().centre()
}

/// Some steps, in which nobody goes further than `reach` metres and no energy comes from nowhere.
fn stays(world: &mut World, bodies: &[BodyId], reach: Real, what: &str) {
    let before: Vec<Point> = bodies.iter().map(|id| place(world, *id)).collect();
    let energy = world.energy().total();
    let weight: Real = bodies.iter().map(|id| world.body(*id).unwrap().mass_properties().mass * 9.81).sum();
    for step in 0..30 {
        world.step(DT).unwrap_or_else(|error| panic!("{what}, step {step}: {error}"));
        for (id, before) in bodies.iter().zip(&before) {
            let way = (place(world, *id) - before).norm();
            assert!(way < reach, "{what}, step {step}: {way} m");
        }
        assert!(world.energy().total() < energy + weight * reach, "{what}, step {step}");
    }
}

#[test]
fn what_fits_exactly_between_walls_is_not_led_through_them() {
    for initial_overlap in [InitialOverlap::Error, InitialOverlap::Separate] {
        let fits: [(&str, [Real; 3], Shape); 4] = [
            ("a box in a cell", [1.0; 3], cuboid([0.5; 3])),
            ("a ball in a cell", [1.0; 3], Shape::ball(0.5).unwrap()),
            ("a box between two walls", [1.0, 3.0, 3.0], cuboid([0.5; 3])),
            ("a cylinder between floor and lid", [3.0, 1.0, 3.0], Shape::cylinder(0.5, 0.5).unwrap()),
        ];
        for (what, extents, shape) in fits {
            let settings = WorldSettings { initial_overlap, gravity: Vector::zeros(), ..WorldSettings::default() };
            let mut world = World::new(settings).unwrap();
            room(&mut world, extents, true);
            let middle = extents.map(|extent| 0.5 * extent);
            let fitted = add(&mut world, BodyKind::Dynamic, shape, middle);
            stays(&mut world, &[fitted], 1e-3, what);
        }
    }
}

#[test]
fn tiles_that_fill_their_frame_stay_in_it_and_what_stands_beside_it_gets_its_gap() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    room(&mut world, [4.0, 1.0, 4.0], false);
    let mut tiles = Vec::new();
    for (i, k) in (0..15).map(|n| (n % 4, n / 4)) {
        let at = [Real::from(i) + 0.5, 0.5, Real::from(k) + 0.5];
        tiles.push(add(&mut world, BodyKind::Dynamic, cuboid([0.5; 3]), at));
    }
    // On the top of a wall.
    let beside = add(&mut world, BodyKind::Dynamic, cuboid([0.1; 3]), [-0.5, 5.6, 2.0]);
    tiles.push(beside);
    stays(&mut world, &tiles, 1e-3, "tiles");
    assert!(place(&world, beside).y > 5.6 + 1e-6, "{}", place(&world, beside));
}

#[test]
fn a_row_of_boxes_next_to_each_other_gets_its_gaps_at_once_however_small_they_are() {
    for gap in [0.0, 1e-12, 1e-8] {
        let mut world = World::new(WorldSettings::default()).unwrap();
        add(&mut world, BodyKind::Static, cuboid([100.0, 0.5, 5.0]), [0.0, -0.5, 0.0]);
        let at = |k: i32| [Real::from(k) * (1.0 + gap), 0.5 + gap, 0.0];
        let row: Vec<BodyId> = (0..80).map(|k| add(&mut world, BodyKind::Dynamic, cuboid([0.5; 3]), at(k))).collect();
        for step in 0..10 {
            let report = world.step(DT).unwrap();
            assert_eq!((report.time_lost, report.held.len()), (0.0, 0), "{gap} m, step {step}");
        }
        for pair in row.windows(2) {
            let between = (place(&world, pair[1]) - place(&world, pair[0])).x - 1.0;
            assert!(between > 1e-6, "{gap} m: {between} m are left between two");
        }
    }
}
