//! A shape that is moved by a velocity slides along what it meets, through nothing, and ends in nothing.

use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{Body, BodyDefinition, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{DEFAULT_GAP, OnMeeting, Slide, SlideError, SlideMeeting, SlideQuery, World};
use proptest::prelude::*;

use crate::common::fixed::{all, at, world_of};
use crate::common::strategies::{primitive, vector};

const GAP: Real = DEFAULT_GAP;

fn ball() -> Shape {
    Shape::ball(0.5).unwrap()
}

fn slab(half: [Real; 3], pose: Pose) -> (Shape, Pose) {
    (Shape::cuboid(half).unwrap(), pose)
}

/// A floor whose top is at height zero.
fn floor() -> (Shape, Pose) {
    slab([50.0, 0.5, 50.0], at(0.0, -0.5, 0.0))
}

/// A wall that faces against x, at `x`.
fn wall(x: Real) -> (Shape, Pose) {
    slab([0.5, 50.0, 50.0], at(x + 0.5, 0.0, 0.0))
}

/// A sheet of triangles.
fn sheet(corners: &[[Real; 3]], triangles: &[[u32; 3]]) -> Shape {
    let corners = corners.iter().map(|corner| Point::from(*corner)).collect();
    Shape::mesh(TriMesh::try_new(corners, triangles.to_vec()).unwrap()).unwrap()
}

/// How far a shape is from the nearest body.
fn clearance(world: &World, shape: &Shape, pose: &Pose) -> Real {
    let solid = world.bodies().filter(|(_, body)| !body.sensor);
    let distance = |body: &Body| closest(shape, pose, body.shape(), body.pose()).unwrap().distance;
    solid.map(|(_, body)| distance(body)).fold(Real::INFINITY, Real::min)
}

fn placed(pose: &Pose, translation: Vector) -> Pose {
    Pose::from_parts(translation.into(), pose.rotation)
}

/// Slides, and holds it against all that is promised of any slide that begins apart.
fn slid(world: &World, query: &SlideQuery) -> (Slide, Vec<SlideMeeting>) {
    let mut meetings = Vec::new();
    let slide = |meetings: &mut Vec<SlideMeeting>| {
        let told = |meeting: &mut SlideMeeting| {
            meetings.push(*meeting);
            OnMeeting::Slide
        };
        world.slide(query, all, told).unwrap()
    };
    let found = slide(&mut meetings);
    let mut again = Vec::new();
    assert!(slide(&mut again) == found && again == meetings, "the same twice");
    let start = clearance(world, query.shape, &query.pose);
    let mut from = query.pose.translation.vector;
    let mut velocity = query.velocity;
    for (translation, left_with) in meetings
        .iter()
        .map(|meeting| (meeting.translation, meeting.velocity))
        .chain([(found.translation, found.velocity)])
    {
        assert!(left_with.norm() <= velocity.norm() * (1.0 + 1e-12), "{left_with} after {velocity}");
        if start > 0.0 {
            for k in 0..=20 {
                let way = from.lerp(&translation, Real::from(k) / 20.0);
                let clearance = clearance(world, query.shape, &placed(&query.pose, way));
                assert!(clearance > 0.0, "{clearance} m at {way}");
            }
        }
        (from, velocity) = (translation, left_with);
    }
    assert!(found.time_left >= 0.0 && found.time_left <= query.duration);
    assert!(clearance(world, query.shape, &placed(&query.pose, found.translation)) > 0.0);
    (found, meetings)
}

fn assert_near(found: Vector, expected: [Real; 3], within: Real) {
    assert!((found - Vector::from(expected)).norm() < within, "{found} and not {expected:?}");
}

#[test]
fn with_nothing_in_the_way_it_goes_the_whole_way() {
    let (slide, meetings) =
        slid(&world_of([floor()]), &SlideQuery::new(&ball(), at(0.0, 3.0, 0.0), Vector::new(4.0, -1.0, 2.0), 0.5));
    assert_near(slide.translation, [2.0, 2.5, 1.0], 1e-15);
    assert!(slide.velocity == Vector::new(4.0, -1.0, 2.0) && slide.time_left == 0.0 && meetings.is_empty());
}

#[test]
fn it_slides_over_a_floor_a_gap_above_it_and_is_told_what_it_met() {
    let world = world_of([floor()]);
    let shape = ball();
    let query = SlideQuery::new(&shape, at(0.0, 1.5, 0.0), Vector::new(4.0, -2.0, 1.0), 2.0);
    let (slide, meetings) = slid(&world, &query);
    assert_near(slide.translation, [8.0, 0.5 + GAP, 2.0], 1e-9);
    assert_near(slide.velocity, [4.0, 0.0, 1.0], 1e-12);
    let [meeting] = meetings[..] else { panic!("one meeting, and not {meetings:?}") };
    assert!((meeting.contact.time - 0.5).abs() < 1e-3 && (meeting.normal - Vector::y()).norm() < 1e-9);
    assert!((meeting.contact.point_b - Point::new(2.0, 0.0, 0.5)).norm() < 1e-3 && meeting.velocity == query.velocity);
}

#[test]
fn who_stands_still_is_where_it_was_to_the_bit_for_ever() {
    let turned = Pose::from_parts(Vector::new(0.0, -0.5, 0.0).into(), Rotation::from_scaled_axis(Vector::z() * 0.3));
    for world in [world_of([floor()]), world_of([(Shape::cuboid([50.0, 0.5, 50.0]).unwrap(), turned)])] {
        let shape = Shape::capsule(0.4, 0.5).unwrap();
        let mut pose = at(0.3, 4.0, 0.1);
        // Straight into the surface: nothing of the velocity is left.
        let down = -(world.bodies().next().unwrap().1.pose().rotation * Vector::y());
        let mut places = Vec::new();
        for _ in 0..50 {
            let (slide, _) = slid(&world, &SlideQuery::new(&shape, pose, down * 9.81, 1.0));
            pose = placed(&pose, slide.translation);
            places.push(slide.translation);
        }
        assert!(places[2..].iter().all(|place| *place == places[2]), "{places:?}");
    }
}

#[test]
fn along_a_wall_it_keeps_what_leads_along_it() {
    let world = world_of([wall(2.0)]);
    let (slide, _) = slid(&world, &SlideQuery::new(&ball(), at(0.0, 0.0, 0.0), Vector::new(3.0, 0.5, 4.0), 5.0));
    assert_near(slide.translation, [1.5 - GAP, 2.5, 20.0], 1e-9);
    assert_near(slide.velocity, [0.0, 0.5, 4.0], 1e-12);
}

#[test]
fn in_the_crease_of_two_planes_it_goes_along_it_and_in_the_corner_of_three_it_stops() {
    let shapes = [ball(), Shape::capsule(0.4, 0.5).unwrap(), Shape::cuboid([0.3, 0.5, 0.4]).unwrap()];
    for turn in [Vector::zeros(), Vector::new(0.3, -0.4, 0.9), Vector::new(-1.1, 0.2, 0.5)] {
        let turn = Rotation::from_scaled_axis(turn);
        let turned = |(shape, pose): (Shape, Pose)| (shape, Pose::from_parts(Vector::zeros().into(), turn) * pose);
        let crease = world_of([floor(), wall(2.0)].map(turned));
        let corner = world_of([floor(), wall(2.0), slab([50.0, 50.0, 0.5], at(0.0, 0.0, 3.5))].map(turned));
        for shape in &shapes {
            let start = Pose::from_parts((turn * Vector::y() * 2.0).into(), turn);
            let velocity = turn * Vector::new(4.0, -3.0, 1.0);
            let query = SlideQuery::new(shape, start, velocity, 2.0);
            let (slide, meetings) = slid(&crease, &query);
            assert!((slide.velocity - turn * Vector::z()).norm() < 1e-6, "{}", slide.velocity);
            assert!((turn.inverse() * slide.translation).z > 1.9 && meetings.len() <= 3, "{meetings:?}");
            let (slide, meetings) = slid(&corner, &SlideQuery { duration: 20.0, ..query });
            assert!(slide.velocity == Vector::zeros() && slide.time_left > 0.0 && meetings.len() <= 6, "{slide:?}");
            let mut place = slide.translation;
            for _ in 0..20 {
                let again = SlideQuery { pose: placed(&start, place), duration: 1.0 / 60.0, ..query };
                let (slide, _) = slid(&corner, &again);
                assert!(
                    (slide.translation - place).norm() < 1e-12,
                    "it is pushed about by {}",
                    slide.translation - place
                );
                place = slide.translation;
            }
        }
    }
}

/// A floor at zero and walls at x = 2 and z = 3 that meet in a corner, as one open mesh.
fn room() -> Shape {
    let corners = [
        [2.0, 0.0, 3.0],
        [-40.0, 0.0, 3.0],
        [2.0, 40.0, 3.0],
        [2.0, 0.0, -40.0],
        [-40.0, 0.0, -40.0],
        [-40.0, 40.0, 3.0],
        [2.0, 40.0, -40.0],
    ];
    sheet(&corners, &[[0, 3, 4], [0, 4, 1], [0, 1, 5], [0, 5, 2], [0, 2, 6], [0, 6, 3]])
}

#[test]
fn in_the_corner_of_one_open_mesh_it_goes_along_and_stops_as_between_bodies() {
    for turn in [Vector::zeros(), Vector::new(0.3, -0.4, 0.9)] {
        let turn = Rotation::from_scaled_axis(turn);
        let about = |at: Vector| Pose::from_parts((turn * at).into(), turn);
        let world = world_of([(room(), about(Vector::zeros()))]);
        for shape in [ball(), Shape::capsule(0.4, 0.1).unwrap(), Shape::cuboid([0.5; 3]).unwrap()] {
            let start = about(Vector::y() * 2.0);
            let along = SlideQuery::new(&shape, start, turn * Vector::new(4.0, -3.0, 1.0), 2.0);
            let (slide, _) = slid(&world, &along);
            assert!((slide.velocity - turn * Vector::z()).norm() < 1e-6 && slide.time_left == 0.0, "{slide:?}");
            let (slide, _) = slid(&world, &SlideQuery { duration: 5.0, ..along });
            assert!(slide.velocity == Vector::zeros() && slide.time_left > 0.0, "{slide:?}");
            for speed in [1e3, 1e5] {
                let fast = SlideQuery { velocity: along.velocity * speed, ..along };
                let (slide, _) = slid(&world, &fast);
                assert!(slide.velocity == Vector::zeros() && slide.time_left > 0.0, "{slide:?}");
            }
            // Out of all three at once, each by a little.
            let way = world.way_out(&shape, &about(Vector::new(1.55, 0.43, 2.57)), GAP, all).unwrap();
            let out = turn.inverse() * way.way + Vector::new(1.55, 0.43, 2.57);
            assert!(way.stuck_in.is_none() && out.x < 1.6 && out.y > 0.39 && out.z < 2.6, "{out}");
            assert!(clearance(&world, &shape, &about(out)) > 0.0);
        }
    }
}

/// Two walls that meet along y with this angle between them, open against x; the crease is at the origin.
fn wedge(angle: Real) -> World {
    world_of([1.0, -1.0].map(|side: Real| {
        let turn = Rotation::from_scaled_axis(Vector::y() * (side * 0.5 * angle));
        let pose = Pose::from_parts(Vector::zeros().into(), turn) * at(0.0, 0.0, -side * 0.5);
        slab([60.0, 50.0, 0.5], pose)
    }))
}

#[test]
fn in_an_acute_wedge_it_neither_sticks_nor_trembles() {
    let shape = ball();
    for angle in [0.05, 0.3, 1.0, 1.5] {
        let world = wedge(angle);
        let start = at(-40.0, 0.0, 0.1);
        let query = SlideQuery::new(&shape, start, Vector::new(30.0, 1.0, 2.0), 2.0);
        let (slide, meetings) = slid(&world, &query);
        assert!((slide.velocity - Vector::y()).norm() < 1e-6, "{angle}: {}", slide.velocity);
        assert!((slide.translation.y - 2.0).abs() < 1e-6 && slide.time_left == 0.0, "{angle}: {slide:?}");
        assert!(meetings.len() <= 5, "{angle}: {} meetings", meetings.len());
        let mut place = slide.translation;
        for k in 1..=30 {
            let again = SlideQuery { pose: placed(&start, place), duration: 0.1, ..query };
            place = slid(&world, &again).0.translation;
            let off = place - slide.translation - Vector::y() * (0.1 * Real::from(k));
            assert!(off.norm() < 1e-6, "{angle}: {off}");
        }
    }
}

#[test]
fn up_a_slope_and_down_it_goes_with_what_leads_along_it() {
    let angle: Real = 0.4;
    let slope = Rotation::from_scaled_axis(Vector::z() * angle);
    let world =
        world_of([slab([50.0, 0.5, 50.0], Pose::from_parts((slope * Vector::new(0.0, -0.5, 0.0)).into(), slope))]);
    let shape = Shape::capsule(0.4, 0.5).unwrap();
    let start = slope * Vector::new(0.0, 0.4 + GAP, 0.0) + Vector::y() * 0.5;
    for speed in [3.0, -3.0] {
        let velocity = Vector::new(speed, -2.0, 0.0);
        let (slide, _) = slid(&world, &SlideQuery::new(&shape, placed(&Pose::identity(), start), velocity, 1.0));
        let along = slope * Vector::x();
        let expected = along * along.dot(&velocity);
        assert!((slide.velocity - expected).norm() < 1e-9 && slide.time_left == 0.0, "{}", slide.velocity);
        assert!((slide.translation - start - expected).norm() < 1e-6, "{}", slide.translation - start);
    }
}

#[test]
fn a_slope_may_be_told_to_be_a_wall_and_is_never_walked_into() {
    let slope = Rotation::from_scaled_axis(Vector::z() * 0.9);
    let world =
        world_of([slab([50.0, 0.5, 50.0], Pose::from_parts((slope * Vector::new(0.0, -0.5, 0.0)).into(), slope))]);
    let shape = ball();
    let start = at(-5.0, 0.0, 0.0);
    let query = SlideQuery::new(&shape, start, Vector::new(4.0, 0.0, 1.0), 5.0);
    let steep = |meeting: &mut SlideMeeting| {
        meeting.normal.y = 0.0;
        OnMeeting::Slide
    };
    let slide = world.slide(&query, all, steep).unwrap();
    assert!(slide.translation.y == 0.0 && (slide.velocity - Vector::z()).norm() < 1e-9, "{slide:?}");
    assert!((slide.translation.z - 5.0).abs() < 1e-9 && slide.time_left == 0.0);
    // Up, of which the slope itself leaves another way.
    let up = |meeting: &mut SlideMeeting| {
        meeting.normal = Vector::y();
        OnMeeting::Slide
    };
    let slide = world.slide(&query, all, up).unwrap();
    assert!(slide.translation.y > 1.0 && clearance(&world, &shape, &placed(&start, slide.translation)) > 0.0);
    let none = |meeting: &mut SlideMeeting| {
        meeting.normal = Vector::repeat(Real::NAN);
        OnMeeting::Slide
    };
    assert_eq!(world.slide(&query, all, none), world.slide(&query, all, |_| OnMeeting::Slide));
}

#[test]
fn stairs_stop_it_and_from_above_it_comes_down_them() {
    let steps = (0..6).map(|k| slab([0.5, 0.5, 5.0], at(Real::from(k), 0.3 * Real::from(k) - 0.5, 0.0)));
    let world = world_of(steps);
    let shape = Shape::cuboid([0.2, 0.5, 0.2]).unwrap();
    let up = SlideQuery::new(&shape, at(0.0, 0.5 + GAP, 0.0), Vector::new(3.0, -1.0, 0.5), 1.0);
    let (slide, _) = slid(&world, &up);
    assert_near(slide.translation, [0.3 - GAP, 0.5 + GAP, 0.5], 1e-6);
    assert_near(slide.velocity, [0.0, 0.0, 0.5], 1e-9);
    // A ball may roll up over an edge that is below its middle, without stepping.
    let shape = ball();
    let (slide, _) = slid(&world, &SlideQuery::new(&shape, at(-0.2, 0.5 + GAP, 0.0), Vector::new(4.0, 0.0, 0.0), 1.0));
    assert!(slide.translation.x > 0.2 && slide.translation.y > 0.6, "{slide:?}");
    let down = SlideQuery::new(&shape, at(4.0, 2.5, 0.0), Vector::new(-3.0, -6.0, 0.0), 2.0);
    let (slide, _) = slid(&world, &down);
    assert!(slide.translation.x < 0.0, "{slide:?}");
}

#[test]
fn over_the_seams_of_tiles_and_of_a_mesh_it_goes_as_over_one_floor() {
    let tiles = (-3..10).map(|k| slab([0.5, 0.5, 2.0], at(Real::from(k), -0.5, 0.0)));
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for k in -3..=10 {
        corners.extend([[Real::from(k), 0.0, -2.0], [Real::from(k), 0.0, 2.0]]);
    }
    for k in 0..13 {
        let first = 2 * k;
        triangles.extend([[first, first + 1, first + 2], [first + 2, first + 1, first + 3]]);
    }
    for world in [world_of(tiles), world_of([(sheet(&corners, &triangles), Pose::identity())])] {
        for shape in [ball(), Shape::cuboid([0.3, 0.5, 0.3]).unwrap(), Shape::capsule(0.3, 0.2).unwrap()] {
            let (slide, meetings) =
                slid(&world, &SlideQuery::new(&shape, at(-1.2, 0.9, 0.3), Vector::new(4.0, -2.0, 0.1), 2.0));
            assert!((slide.velocity - Vector::new(4.0, 0.0, 0.1)).norm() < 1e-6, "{slide:?}");
            assert!((slide.translation.x - 6.8).abs() < 1e-6 && meetings.len() == 1, "{meetings:?}");
        }
    }
}

#[test]
fn at_the_edge_of_a_sheet_it_is_led_aside() {
    let world =
        world_of([(sheet(&[[0.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, 0.0]], &[[0, 1, 2]]), Pose::identity())]);
    let shape = ball();
    for (height, side) in [(0.1, 1.0), (-0.1, -1.0)] {
        let (slide, _) = slid(&world, &SlideQuery::new(&shape, at(-3.0, height, 0.0), Vector::new(5.0, 0.0, 0.0), 2.0));
        assert!(
            slide.translation.y * side > 0.5 && slide.velocity.y * side > 0.5 && slide.time_left == 0.0,
            "{slide:?}"
        );
    }
}

#[test]
fn no_speed_takes_it_through_a_sheet() {
    let corners = [[3.0, -9.0, -9.0], [3.0, -9.0, 9.0], [3.0, 9.0, 0.0]];
    let world = world_of([(sheet(&corners, &[[0, 1, 2]]), Pose::identity())]);
    for shape in [Shape::ball(0.01).unwrap(), Shape::cuboid([0.3, 0.5, 0.3]).unwrap()] {
        for speed in [1.0, 1e2, 1e4, 1e6] {
            for pull in [Vector::zeros(), Vector::new(0.0, 0.3, -0.2)] {
                let velocity = (Vector::x() + pull) * speed;
                let query = SlideQuery::new(&shape, at(0.0, -2.0, 0.5), velocity, 6.0 / speed);
                let (slide, meetings) = slid(&world, &query);
                assert!(slide.translation.x < 3.0 && !meetings.is_empty(), "{slide:?}");
                assert!(slide.velocity.x.abs() < 1e-6 * speed, "{slide:?}");
            }
        }
    }
}

#[test]
fn what_starts_in_touch_goes_on_and_comes_no_nearer_than_it_may() {
    let shape = Shape::cuboid([0.3, 0.5, 0.3]).unwrap();
    let world = world_of([floor(), wall(2.0)]);
    for touch in [1e-9, 1e-6, 1e-5, 9e-5, 2e-4] {
        let start = at(0.0, 0.5 + touch, 0.0);
        let query = SlideQuery::new(&shape, start, Vector::new(4.0, -9.0, 1.0), 1.0);
        let (slide, _) = slid(&world, &query);
        assert!((slide.velocity - Vector::z()).norm() < 1e-9, "{touch}: {slide:?}");
        assert!((slide.translation.x - (1.7 - GAP)).abs() < 1e-9 && (slide.translation.z - 1.0).abs() < 1e-9);
        let height = slide.translation.y - 0.5;
        assert!(height > 0.49 * touch && height < GAP + 1e-9, "{touch}: {height}");
        let (slide, meetings) = slid(&world, &SlideQuery { velocity: Vector::y(), ..query });
        assert!(slide.translation.y > 1.5 && meetings.is_empty(), "it leaves as it likes: {slide:?}");
    }
}

#[test]
fn in_a_slot_that_is_too_narrow_for_gaps_it_goes_on_along_it() {
    let shape = Shape::cuboid([0.3, 0.5, 0.3]).unwrap();
    for room in [1e-6, 1e-4, 1e-3] {
        let world = world_of([floor(), slab([50.0, 0.5, 50.0], at(0.0, 1.5 + room, 0.0))]);
        let query = SlideQuery::new(&shape, at(0.0, 0.5 + 0.3 * room, 0.0), Vector::new(3.0, -1.0, 0.0), 1.0);
        let (slide, _) = slid(&world, &query);
        assert!((slide.translation.x - 3.0).abs() < 1e-9, "{room}: {slide:?}");
        // As well where it begins within a wall.
        let inside = SlideQuery { pose: at(0.0, 0.5 - 0.3 * room, 0.0), ..query };
        let (slide, _) = slid(&world, &inside);
        assert!((slide.translation.x - 3.0).abs() < 1e-9, "{room}: {slide:?}");
    }
}

#[test]
fn what_starts_in_an_overlap_is_moved_out_first() {
    let shape = Shape::capsule(0.4, 0.5).unwrap();
    let corner = world_of([floor(), wall(2.0), slab([50.0, 50.0, 0.5], at(0.0, 0.0, 3.5))]);
    let still = SlideQuery::new(&shape, at(1.7, 0.8, 2.75), Vector::zeros(), 1.0);
    let (slide, _) = slid(&corner, &still);
    assert_near(slide.translation, [1.6 - GAP, 0.9 + GAP, 2.6 - GAP], 1e-4);
    assert_eq!(slide.stuck_in, None);
    let way = corner.way_out(&shape, &still.pose, GAP, all).unwrap();
    assert_eq!(still.pose.translation.vector + way.way, slide.translation);
    let moved = SlideQuery { velocity: Vector::new(1.0, -1.0, -2.0), ..still };
    let (slide, _) = slid(&corner, &moved);
    assert_near(slide.translation, [1.6 - GAP, 0.9 + GAP, 0.6 - GAP], 1e-3);
    // Out of the one it does not go through the other.
    let beside = world_of([slab([0.2, 2.0, 2.0], Pose::identity()), slab([0.2, 2.0, 2.0], at(1.0, 0.0, 0.0))]);
    let thin = Shape::cuboid([0.1, 0.3, 0.3]).unwrap();
    let way = beside.way_out(&thin, &at(0.15, 0.0, 0.0), GAP, all).unwrap();
    assert!((way.way.x - (0.15 + GAP)).abs() < 1e-6 && way.stuck_in.is_none(), "{way:?}");
    let free = beside.way_out(&thin, &at(0.5, 0.0, 0.0), GAP, all).unwrap();
    assert!(free.way == Vector::zeros() && free.stuck_in.is_none());
}

#[test]
fn where_there_is_no_way_out_it_stays_and_names_what_it_is_stuck_in() {
    let world = world_of([floor(), slab([50.0, 0.5, 50.0], at(0.0, 1.2, 0.0))]);
    let shape = Shape::cuboid([0.3, 0.5, 0.3]).unwrap();
    let query = SlideQuery::new(&shape, at(0.0, 0.4, 0.0), Vector::x(), 1.0);
    let slide = world.slide(&query, all, |_| OnMeeting::Slide).unwrap();
    assert!(slide.stuck_in.is_some() && slide.translation == query.pose.translation.vector);
    assert!(slide.velocity == Vector::zeros() && slide.time_left == 1.0);
}

#[test]
fn sensors_and_what_is_passed_are_no_obstacles_and_a_stop_is_one() {
    let mut world = world_of([floor(), wall(2.0), wall(6.0)]);
    let mut sensor = BodyDefinition::new(BodyKind::Static, ball(), at(0.5, 0.6, 0.0));
    sensor.sensor = true;
    world.add_body(sensor).unwrap();
    let shape = ball();
    let query = SlideQuery::new(&shape, at(0.0, 0.6, 0.0), Vector::new(5.0, 0.0, 0.0), 2.0);
    let first_wall = world.bodies().nth(1).unwrap().0;
    let passing = |meeting: &mut SlideMeeting| {
        if meeting.body == first_wall { OnMeeting::Pass } else { OnMeeting::Slide }
    };
    let slide = world.slide(&query, all, passing).unwrap();
    assert!((slide.translation.x - (5.5 - GAP)).abs() < 1e-9, "{slide:?}");
    let without = world.slide(&query, |id, _| id != first_wall, |_| OnMeeting::Slide).unwrap();
    assert_near(without.translation, slide.translation.into(), 1e-9);
    let stopped = world.slide(&query, all, |_| OnMeeting::Stop).unwrap();
    assert!((stopped.translation.x - (1.5 - GAP)).abs() < 1e-9 && stopped.velocity == query.velocity);
    assert!((stopped.time_left - (2.0 - 0.3)).abs() < 1e-3);
}

#[test]
fn what_is_passed_is_what_was_met_whatever_is_written_into_the_meeting() {
    let world = world_of([floor()]);
    let shape = ball();
    let query = SlideQuery::new(&shape, at(0.0, 0.6, 0.0), Vector::new(0.0, -1.0, 0.0), 2.0);
    let mut meetings = 0;
    let passing = |meeting: &mut SlideMeeting| {
        meetings += 1;
        assert!(meetings < 3, "it is met once, and passed");
        meeting.body = BodyId { index: 99, generation: 9 };
        OnMeeting::Pass
    };
    let slide = world.slide(&query, all, passing).unwrap();
    assert_near(slide.translation, [0.0, -1.4, 0.0], 1e-9);
}

#[test]
fn an_approach_ends_a_gap_before_what_it_would_touch() {
    let world = world_of([wall(2.0)]);
    let (shape, start) = (ball(), Pose::identity());
    let way = Vector::new(4.0, 3.0, 0.0);
    let approach = world.approach(&shape, &start, &way, 0.01, all).unwrap().unwrap();
    assert!((approach.distance - 1.25 * 1.49).abs() < 1e-9 && (approach.hit.contact.time - 1.875).abs() < 1e-2);
    assert_eq!(world.approach(&shape, &start, &Vector::y(), 0.01, all).unwrap(), None);
    assert_eq!(world.approach(&shape, &start, &Vector::zeros(), 0.01, all).unwrap(), None);
}

#[test]
fn in_a_bowl_of_a_thousand_facets_it_goes_round_without_a_stop() {
    // The inside of a quarter of a round channel.
    let (radius, parts) = (3.0, 200);
    let place = |k: u32, z: Real| {
        let angle = -std::f64::consts::FRAC_PI_2 + std::f64::consts::PI * Real::from(k) / Real::from(parts);
        [radius * angle.sin(), -radius * angle.cos(), z]
    };
    let corners: Vec<[Real; 3]> = (0..=parts).flat_map(|k| [place(k, -2.0), place(k, 2.0)]).collect();
    let triangles: Vec<[u32; 3]> =
        (0..parts).flat_map(|k| [[2 * k, 2 * k + 1, 2 * k + 2], [2 * k + 2, 2 * k + 1, 2 * k + 3]]).collect();
    let world = world_of([(sheet(&corners, &triangles), Pose::identity())]);
    let shape = ball();
    let start = Rotation::from_scaled_axis(Vector::z() * -1.0);
    let (mut pose, mut velocity) =
        (placed(&Pose::identity(), start * Vector::new(0.0, GAP - 2.5, 0.0)), start * Vector::x() * 4.0);
    let mut most = 0;
    for _ in 0..60 {
        let query = SlideQuery::new(&shape, pose, velocity, 1.0 / 60.0);
        let (slide, meetings) = slid(&world, &query);
        most = most.max(meetings.len());
        assert!(slide.time_left == 0.0, "{slide:?}");
        pose = placed(&pose, slide.translation);
        velocity = slide.velocity;
    }
    assert!(pose.translation.x > 1.0 && velocity.norm() > 3.8, "{pose} {velocity}");
    assert!(most < 8, "{most}");
}

#[test]
fn round_the_inside_of_a_hollow_that_is_a_field_it_goes_in_touch_as_well() {
    let block = (Shape::cuboid([4.0; 3]).unwrap(), Pose::identity());
    let hollow = Shape::csg(Operation::Difference, &[block, (Shape::ball(3.0).unwrap(), Pose::identity())]).unwrap();
    let world = world_of([(hollow, Pose::identity())]);
    let shape = ball();
    for touch in [1e-5, GAP] {
        let (mut pose, mut velocity) = (at(0.0, touch - 2.5, 0.0), Vector::new(2.0, 0.0, 0.0));
        for _ in 0..120 {
            let query = SlideQuery::new(&shape, pose, velocity, 1.0 / 60.0);
            let slide = world.slide(&query, all, |_| OnMeeting::Slide).unwrap();
            assert!(slide.time_left == 0.0 && slide.translation.norm() < 2.5, "{touch}: {slide:?} at {pose}");
            pose = placed(&pose, slide.translation);
            velocity = slide.velocity;
        }
        let turned = pose.translation.x.atan2(-pose.translation.y);
        assert!(turned > 1.2 && velocity.norm() > 1.5, "{touch}: {turned} {velocity}");
    }
}

#[test]
fn zero_velocity_no_time_and_no_meetings_move_nothing_into_anything() {
    let world = world_of([floor()]);
    let shape = ball();
    let query = SlideQuery::new(&shape, at(0.0, 0.7, 0.0), Vector::new(1.0, -5.0, 0.0), 1.0);
    for still in [
        SlideQuery { velocity: Vector::zeros(), ..query },
        SlideQuery { duration: 0.0, ..query },
        SlideQuery { duration: -1.0, ..query },
        SlideQuery { duration: Real::NAN, ..query },
    ] {
        let slide = world.slide(&still, all, |_| OnMeeting::Slide).unwrap();
        assert_eq!(slide.translation, query.pose.translation.vector);
    }
    let slide = world.slide(&SlideQuery { max_meetings: 0, ..query }, all, |_| OnMeeting::Slide).unwrap();
    assert!((slide.translation.y - (0.5 + GAP)).abs() < 1e-9 && slide.time_left > 0.9, "{slide:?}");
}

#[test]
fn what_is_no_number_is_refused() {
    let world = world_of([floor()]);
    let shape = ball();
    let query = SlideQuery::new(&shape, at(0.0, 0.7, 0.0), Vector::x(), 1.0);
    for wrong in [
        SlideQuery { velocity: Vector::new(Real::NAN, 0.0, 0.0), ..query },
        SlideQuery { velocity: Vector::new(0.0, Real::INFINITY, 0.0), ..query },
        SlideQuery { velocity: Vector::repeat(1e200), ..query },
        SlideQuery { velocity: Vector::repeat(1e25), duration: 1e9, ..query },
    ] {
        let refused = world.slide(&wrong, all, |_| OnMeeting::Slide);
        assert!(matches!(refused, Err(SlideError::NonFinite { .. })), "{refused:?}");
    }
    for gap in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        let refused = world.slide(&SlideQuery { gap, ..query }, all, |_| OnMeeting::Slide);
        assert!(matches!(refused, Err(SlideError::BadGap { .. })), "{refused:?}");
        assert!(world.way_out(&shape, &query.pose, gap, all).is_err());
    }
    assert!(world.approach(&shape, &query.pose, &Vector::repeat(Real::NAN), GAP, all).is_err());
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        4 => primitive(),
        1 => prop::array::uniform3(vector(1.5)).prop_filter_map("a triangle", |corners| {
            let corners = corners.map(Point::from).to_vec();
            Shape::mesh(TriMesh::try_new(corners, vec![[0, 1, 2]]).ok()?).ok()
        }),
    ]
}

proptest! {
    #[test]
    fn among_anything_it_goes_through_nothing_and_ends_in_nothing(
        bodies in prop::collection::vec((shape(), vector(4.0), vector(3.0)), 1..24), mover in shape(),
        from in vector(4.0), turn in vector(3.0), velocity in vector(10.0), exponent in 0..4_i32,
    ) {
        let pose = |at: Vector, turn: Vector| Pose::from_parts(at.into(), Rotation::from_scaled_axis(turn));
        let world = world_of(bodies.into_iter().map(|(shape, at, turn)| (shape, pose(at, turn))));
        let start = pose(from, turn);
        let query = SlideQuery::new(&mover, start, velocity * 10.0_f64.powi(exponent), 1.0);
        let first = world.slide(&query, all, |_| OnMeeting::Slide).unwrap();
        if first.stuck_in.is_some() {
            prop_assert_eq!(first.translation, from);
        } else {
            slid(&world, &query);
        }
    }
}

#[test]
fn what_is_passed_does_not_count_among_the_meetings_of_a_slide() {
    let through = (0..20).map(|k| slab([0.05, 1.0, 1.0], at(2.0 + f64::from(k), 0.0, 0.0)));
    let world = world_of(through.chain([wall(30.0)]));
    let ball = ball();
    let query = SlideQuery::new(&ball, at(0.0, 0.0, 0.0), Vector::new(40.0, 1.0, 0.0), 1.0);
    let mut passed = 0;
    let told = |meeting: &mut SlideMeeting| {
        if meeting.translation.x > 25.0 {
            return OnMeeting::Slide;
        }
        passed += 1;
        OnMeeting::Pass
    };
    let slide = world.slide(&query, all, told).unwrap();
    assert_eq!((passed, slide.time_left), (20, 0.0));
    assert!((slide.translation.y - 1.0).abs() < 1e-3, "it slides along the wall: {:?}", slide.translation);
}
