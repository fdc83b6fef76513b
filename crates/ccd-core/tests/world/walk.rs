//! A sliding shape that walks: it climbs steps and comes down them, stays on the ground, and takes what is too steep or too high for a wall.

use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{Body, BodyDefinition, BodyKind};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{Autostep, DEFAULT_GAP, OnMeeting, Slide, SlideError, SlideMeeting, SlideQuery, Walk, World};
use proptest::prelude::*;

use crate::common::fixed::{all, at, world_of};
use crate::common::strategies::vector;

const GAP: Real = DEFAULT_GAP;
const DT: Real = 1.0 / 60.0;
const GRAVITY: Real = 9.81;
/// Of each step of the stairs.
const RISE: Real = 0.25;
const DEPTH: Real = 0.4;
const STEPS: u32 = 6;
/// What a character has: steps of 0.3 m, 0.1 m wide, slopes of 45°.
const STEP: Autostep = Autostep { max_height: 0.3, min_width: 0.1, onto_dynamic: true };

fn walk() -> Walk {
    Walk { up: Vector::y(), max_slope: std::f64::consts::FRAC_PI_4, autostep: Some(STEP), snap: Some(0.3), rides: true }
}

fn slab(half: [Real; 3], pose: Pose) -> (Shape, Pose) {
    (Shape::cuboid(half).unwrap(), pose)
}

/// A block from x on, this far along x, whose top is at a height.
fn block(x: Real, depth: Real, top: Real) -> (Shape, Pose) {
    slab([0.5 * depth, 5.0, 5.0], at(x + 0.5 * depth, top - 5.0, 0.0))
}

fn floor() -> (Shape, Pose) {
    block(-50.0, 100.0, 0.0)
}

/// A flight of steps that begins at x = 0 and ends in a landing.
fn stairs() -> Vec<(Shape, Pose)> {
    let steps = (0..STEPS).map(|k| {
        let depth = if k + 1 == STEPS { 20.0 } else { DEPTH };
        block(DEPTH * Real::from(k), depth, RISE * Real::from(k + 1))
    });
    steps.chain([floor()]).collect()
}

/// The same flight as one open mesh, whose edges are cut off by this much.
fn sheet_of_stairs(bevel: Real) -> Shape {
    let mut outline = vec![[-20.0, 0.0]];
    for k in 0..STEPS {
        let (x, y) = (DEPTH * Real::from(k), RISE * Real::from(k));
        outline.extend([[x, y], [x, y + RISE - bevel]]);
        if bevel > 0.0 {
            outline.push([x + bevel, y + RISE]);
        }
    }
    outline.push([20.0, RISE * Real::from(STEPS)]);
    let corners = outline.iter().flat_map(|&[x, y]| [-5.0, 5.0].map(|z| Point::new(x, y, z))).collect();
    let count = u32::try_from(outline.len()).unwrap();
    let triangles = (0..count - 1).map(|k| 2 * k).flat_map(|k| [[k, k + 1, k + 2], [k + 2, k + 1, k + 3]]).collect();
    Shape::mesh(TriMesh::try_new(corners, triangles).unwrap()).unwrap()
}

/// Shapes that stand upright, with how far their frame is above their foot.
fn walkers() -> [(Shape, Real); 4] {
    [
        (Shape::cuboid([0.3, 0.9, 0.3]).unwrap(), 0.9),
        (Shape::capsule(0.4, 0.5).unwrap(), 0.9),
        (Shape::cylinder(0.3, 0.9).unwrap(), 0.9),
        (Shape::ball(0.5).unwrap(), 0.5),
    ]
}

fn clearance(world: &World, shape: &Shape, pose: &Pose) -> Real {
    let distance = |body: &Body| closest(shape, pose, body.shape(), body.pose()).unwrap().distance;
    world.bodies().map(|(_, body)| distance(body)).fold(Real::INFINITY, Real::min)
}

/// Whether something is in touch with a height or a gap above it: what it passes by it may come nearer to.
fn is_on(above: Real, height: Real) -> bool {
    above > height && above < height + GAP + 1e-6
}

fn placed(pose: &Pose, translation: Vector) -> Pose {
    Pose::from_parts(translation.into(), pose.rotation)
}

/// Slides once, and holds it against what is promised of every slide.
fn slid(world: &World, query: &SlideQuery) -> Slide {
    let ask = || world.slide(query, all, |_| OnMeeting::Slide).unwrap();
    let slide = ask();
    assert_eq!(slide, ask(), "the same twice");
    let clearance = clearance(world, query.shape, &placed(&query.pose, slide.translation));
    assert!(clearance > 0.0, "{clearance} m at {}", slide.translation);
    assert!(slide.velocity.norm() <= query.velocity.norm() * (1.0 + 1e-12), "{slide:?}");
    assert!(slide.stuck_in.is_none() && slide.time_left >= 0.0);
    slide
}

/// A character that wants to go at a velocity, level, and falls, for some steps; all its places.
fn walked(world: &World, shape: &Shape, from: Vector, wanted: Vector, walk: Walk, steps: usize) -> Vec<Slide> {
    let up = walk.up.normalize();
    let (mut pose, mut fall) = (Pose::from_parts(from.into(), Rotation::identity()), 0.0);
    let mut way = Vec::with_capacity(steps);
    for _ in 0..steps {
        let velocity = wanted + up * (fall - GRAVITY * DT);
        let query = SlideQuery { walk: Some(walk), ..SlideQuery::new(shape, pose, velocity, DT) };
        let slide = slid(world, &query);
        pose = placed(&pose, slide.translation);
        fall = up.dot(&slide.velocity);
        way.push(slide);
    }
    way
}

#[test]
fn a_flight_of_stairs_is_climbed_and_come_down_at_any_pace() {
    let height = RISE * Real::from(STEPS);
    let worlds = [
        world_of(stairs()),
        world_of([(sheet_of_stairs(0.0), Pose::identity())]),
        world_of([(sheet_of_stairs(0.03), Pose::identity())]),
    ];
    for (k, world) in worlds.iter().enumerate() {
        for (shape, foot) in walkers() {
            for pace in [0.1, 0.5, 2.0, 5.0, 20.0] {
                let steps = (4.5 / (pace * DT)).ceil();
                let upwards = walked(
                    world,
                    &shape,
                    Vector::new(-1.0, foot + GAP, 0.0),
                    Vector::x() * pace,
                    walk(),
                    steps as usize,
                );
                let top = upwards.last().unwrap();
                let told = format!("world {k}, {} at {pace} m/s: {top:?}", shape.as_solid().kind());
                assert!(is_on(top.translation.y - foot, height) && top.translation.x > 2.4, "{told}");
                assert!(top.ground.is_some_and(|ground| (ground.normal - Vector::y()).norm() < 1e-6), "{told}");
                assert!(upwards.iter().all(|slide| slide.ground.is_some()), "{told}: it leaves the ground");
                let way = upwards.windows(2).map(|pair| pair[1].translation.x - pair[0].translation.x);
                let farthest = way.fold(0.0, Real::max);
                assert!(farthest < pace * DT + 2.0 * GAP + 1e-9, "{told}: it goes {farthest} at once");
                let lowest = upwards.windows(2).map(|pair| pair[1].translation.y - pair[0].translation.y);
                assert!(lowest.fold(0.0, Real::min) > -2.0 * GAP, "{told}: it falls back");
                let downwards = walked(world, &shape, top.translation, Vector::x() * -pace, walk(), steps as usize);
                let end = downwards.last().unwrap();
                assert!(is_on(end.translation.y - foot, 0.0) && end.translation.x < -0.6, "{told}: {end:?}");
                assert!(downwards.iter().all(|slide| slide.ground.is_some()), "{told}: it flies down");
            }
        }
    }
}

#[test]
fn stairs_are_climbed_at_a_slant_and_whichever_way_is_up() {
    let shape = Shape::ball(0.4).unwrap();
    let level = walked(
        &world_of(stairs()),
        &shape,
        Vector::new(-1.0, 0.4 + GAP, -1.0),
        Vector::new(2.0, 0.0, 1.0),
        walk(),
        120,
    );
    assert!(is_on(level[119].translation.y - 0.4, 1.5), "{:?}", level[119]);
    assert!((level[119].translation.z - 1.0).abs() < 0.05, "{:?}", level[119]);
    for turn in [Vector::new(0.0, 0.0, 1.5), Vector::new(0.4, -2.0, 0.9)] {
        let turn = Rotation::from_scaled_axis(turn);
        let turned = |(shape, pose): (Shape, Pose)| (shape, Pose::from_parts(Vector::zeros().into(), turn) * pose);
        let world = world_of(stairs().into_iter().map(turned));
        let walk = Walk { up: turn * Vector::y() * 3.0, ..walk() };
        let from = turn * Vector::new(-1.0, 0.4 + GAP, -1.0);
        let way = walked(&world, &shape, from, turn * Vector::new(2.0, 0.0, 1.0), walk, 120);
        let off = way.iter().zip(&level).map(|(a, b)| (turn.inverse() * a.translation - b.translation).norm());
        let off = off.fold(0.0, Real::max);
        assert!(off < GAP, "{off}");
    }
}

#[test]
fn who_walks_without_steps_is_stopped_by_the_first() {
    let world = world_of(stairs());
    for (shape, foot) in walkers() {
        let walk = Walk { autostep: None, ..walk() };
        let way = walked(&world, &shape, Vector::new(-1.0, foot + GAP, 0.0), Vector::x() * 3.0, walk, 60);
        assert!(way.iter().all(|slide| (slide.translation.y - foot - GAP).abs() < 1e-9), "{:?}", way.last());
        assert!(way[59].translation.x < 0.0 && way[59].velocity.x.abs() < 1e-9);
    }
}

#[test]
fn a_step_that_is_too_high_stops_it_and_one_as_high_as_it_may_be_does_not() {
    for (shape, foot) in walkers() {
        for pace in [0.1, 1.0, 10.0, 300.0] {
            for (top, is_climbed) in [(0.3, true), (0.302, false), (0.35, false), (0.6, false)] {
                let world = world_of([floor(), block(0.0, 2.0, top), block(2.0, 1.0, 9.0)]);
                let steps = ((1.3 / (pace * DT)).ceil() as usize).max(20);
                let way = walked(&world, &shape, Vector::new(-1.0, foot + GAP, 0.0), Vector::x() * pace, walk(), steps);
                let end = way[steps - 1].translation;
                let told = format!("{} onto {top} at {pace} m/s: {end}", shape.as_solid().kind());
                if is_climbed {
                    assert!(end.x > 0.2 && is_on(end.y - foot, top), "{told}");
                } else {
                    let highest = way.iter().map(|slide| slide.translation.y).fold(0.0, Real::max);
                    assert!(end.x < 0.0 && highest < foot + 2.0 * GAP, "{told}, up to {highest}");
                }
            }
        }
    }
}

#[test]
fn a_round_foot_rides_over_what_is_no_steeper_to_it_than_it_may_walk_on() {
    let shape = Shape::capsule(0.4, 0.5).unwrap();
    let low = Walk { autostep: Some(Autostep { max_height: 0.05, ..STEP }), ..walk() };
    for (walk, top, is_climbed) in
        [(low, 0.11, true), (low, 0.125, false), (Walk { autostep: None, ..low }, 0.11, true)]
    {
        let world = world_of([floor(), block(0.0, 5.0, top)]);
        let way = walked(&world, &shape, Vector::new(-1.0, 0.9 + GAP, 0.0), Vector::x() * 2.0, walk, 60);
        assert_eq!(way[59].translation.y > 0.9 + 0.9 * top, is_climbed, "{top}: {:?}", way[59]);
    }
}

#[test]
fn a_ledge_that_is_too_narrow_is_not_climbed() {
    for (shape, foot) in walkers() {
        for (width, is_climbed) in [(0.05, false), (0.09, false), (0.3, true)] {
            let world = world_of([floor(), block(0.0, width, 0.2), block(width, 2.0, 1.0)]);
            let way = walked(&world, &shape, Vector::new(-1.0, foot + GAP, 0.0), Vector::x() * 2.0, walk(), 60);
            let rise = way[59].translation.y - foot - GAP;
            let told = format!("{} onto a ledge of {width}: {rise}", shape.as_solid().kind());
            // A round foot meets what is behind before it has gone so far on.
            let is_round = foot < 0.9 || width < 0.3;
            assert!(if is_climbed { rise > 0.1 } else { rise.abs() < 1e-9 || is_round && rise < 0.2 }, "{told}");
        }
    }
}

#[test]
fn a_ceiling_blocks_the_climb() {
    for (shape, foot) in walkers() {
        let tall = 2.0 * foot;
        for (room, is_climbed) in [(0.1, false), (0.199, false), (0.21, true)] {
            let ceiling = slab([50.0, 0.5, 5.0], at(0.0, tall + room + 0.5, 0.0));
            let world = world_of([floor(), block(0.0, 5.0, 0.2), ceiling]);
            let way = walked(&world, &shape, Vector::new(-1.0, foot + GAP, 0.0), Vector::x() * 2.0, walk(), 60);
            let end = way[59].translation;
            let told = format!("{} with {room} above it: {end}", shape.as_solid().kind());
            if is_climbed {
                assert!(end.x > 0.3 && is_on(end.y - foot, 0.2), "{told}");
            } else {
                assert!(end.x < 0.0 && end.y < foot + 2.0 * GAP, "{told}");
            }
        }
    }
}

/// A slope that rises along x from the origin, beside a floor.
fn slope(degrees: Real) -> World {
    let turn = Rotation::from_scaled_axis(Vector::z() * degrees.to_radians());
    let top = Pose::from_parts(Vector::zeros().into(), turn) * at(5.0, -0.5, 0.0);
    world_of([floor(), slab([5.0, 0.5, 5.0], top)])
}

#[test]
fn slopes_are_climbed_up_to_the_steepest_and_stairs_do_not_help_with_others() {
    for (shape, foot) in walkers() {
        for degrees in [10.0, 30.0, 44.0, 46.0, 60.0, 80.0] {
            let way =
                walked(&slope(degrees), &shape, Vector::new(-1.0, foot + GAP, 0.0), Vector::x() * 2.0, walk(), 120);
            let rise = way[119].translation.y - foot - GAP;
            let told = format!("{} on {degrees}°: {rise}", shape.as_solid().kind());
            assert!(if degrees < 45.0 { rise > 0.3 } else { rise < 2.0 * GAP }, "{told}");
            assert!(way.iter().all(|slide| slide.ground.is_some()), "{told}: it leaves the ground");
        }
    }
}

#[test]
fn who_stands_on_a_slope_stays_to_the_bit_and_down_one_that_is_too_steep_it_slides_even_against_it() {
    let shape = Shape::capsule(0.4, 0.5).unwrap();
    let stands = walked(&slope(40.0), &shape, Vector::new(2.0, 4.0, 0.0), Vector::zeros(), walk(), 120);
    assert!(stands[90..].iter().all(|slide| slide.translation == stands[90].translation), "{:?}", stands[119]);
    assert!(stands[119].ground.is_some() && stands[119].translation.y > 1.0);
    for wanted in [Vector::zeros(), Vector::x() * 3.0, Vector::new(3.0, 0.0, 1.0)] {
        let slides = walked(&slope(60.0), &shape, Vector::new(2.0, 6.0, 0.0), wanted, walk(), 240);
        // This one forgets how fast it slid level, so it comes down steadily.
        let fallen = slides[60].translation.y - slides[180].translation.y;
        assert!(fallen > 0.9 && slides[60..180].iter().all(|slide| slide.ground.is_none()), "{wanted}: {fallen}");
    }
    let across = walked(&slope(30.0), &shape, Vector::new(2.0, 2.1, 0.0), Vector::z(), walk(), 120);
    assert!((across[119].translation - across[60].translation - Vector::z() * (59.0 * DT)).norm() < 1e-6);
}

#[test]
fn over_a_crest_it_stays_on_the_ground_and_a_jump_or_a_ledge_lets_it_fly() {
    let shape = Shape::capsule(0.4, 0.5).unwrap();
    let turn = Rotation::from_scaled_axis(Vector::z() * 0.6);
    let ramp = |side: Real| {
        let turn = Rotation::from_scaled_axis(Vector::z() * (0.6 * side));
        (
            Shape::cuboid([2.0, 0.5, 5.0]).unwrap(),
            Pose::from_parts(Vector::zeros().into(), turn) * at(-2.0 * side, -0.5, 0.0),
        )
    };
    let world = world_of([ramp(1.0), ramp(-1.0)]);
    let from = turn * Vector::new(-2.0, 0.0, 0.0) + Vector::y() * (0.4 / 0.6_f64.cos() + 0.5 + 2.0 * GAP);
    for pace in [1.0, 6.0] {
        let steps = (2.8 / (pace * DT)) as usize;
        let over = walked(&world, &shape, from, Vector::x() * pace, walk(), steps);
        assert!(
            over.iter().all(|slide| slide.ground.is_some()),
            "{pace}: {:?}",
            over.iter().enumerate().find(|(_, s)| s.ground.is_none())
        );
        let flies = walked(&world, &shape, from, Vector::x() * pace, Walk { snap: None, ..walk() }, steps);
        assert!(flies.iter().any(|slide| slide.ground.is_none()), "{pace}");
    }
    let ledge = world_of([floor(), block(-50.0, 50.0, 3.0)]);
    let off = walked(&ledge, &shape, Vector::new(-0.2, 3.9 + GAP, 0.0), Vector::x() * 5.0, walk(), 20);
    assert!(off[12].ground.is_none() && off[12].velocity.y < -0.5, "{:?}", off[12]);
    let jump = SlideQuery {
        walk: Some(walk()),
        ..SlideQuery::new(&shape, at(-0.41, 0.9 + GAP, 0.0), Vector::new(5.0, 4.0, 0.0), DT)
    };
    let slide = slid(&world_of([floor(), block(0.0, 5.0, 0.3)]), &jump);
    assert!(slide.ground.is_none() && slide.velocity.y == 4.0, "{slide:?}");
    assert!((slide.translation.y - 0.9 - GAP - 4.0 * DT).abs() < 0.01, "who jumps is not lifted: {slide:?}");
}

#[test]
fn dynamic_bodies_are_climbed_if_they_may_be() {
    for onto_dynamic in [true, false] {
        let mut world = world_of([floor()]);
        let (shape, pose) = block(0.0, 2.0, 0.2);
        world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape, pose)).unwrap();
        let walk = Walk { autostep: Some(Autostep { onto_dynamic, ..STEP }), ..walk() };
        for (shape, foot) in walkers() {
            let way = walked(&world, &shape, Vector::new(-1.0, foot + GAP, 0.0), Vector::x() * 2.0, walk, 50);
            assert_eq!(way[49].translation.y > foot + 0.1, onto_dynamic, "{:?}", way[49]);
        }
    }
}

#[test]
fn what_is_in_touch_with_its_ground_is_lifted_off_and_trips_on_no_seam() {
    let tiles = (-3..6).map(|k| block(Real::from(k), 1.0, 0.0));
    let worlds = [world_of(tiles), world_of([(sheet_of_stairs(0.0), Pose::identity())])];
    for (world, pace) in worlds.iter().zip([3.0, -3.0]) {
        for (shape, foot) in walkers() {
            for height in [1e-7, 1e-5, 4e-4] {
                for snap in [Some(0.3), None] {
                    let from = Vector::new(-1.0, foot + height, 0.0);
                    let way = walked(world, &shape, from, Vector::x() * pace, Walk { snap, ..walk() }, 90);
                    let (first, end) = (way[0], way[89]);
                    let told = format!("{} from {height}: {first:?} {end:?}", shape.as_solid().kind());
                    assert!((first.translation.y - foot - GAP).abs() < 1e-6, "{told}");
                    assert!((end.translation.x + 1.0 - 90.0 * pace * DT).abs() < 5.0 * GAP, "{told}");
                }
            }
        }
    }
}

#[test]
fn what_the_caller_does_about_a_step_is_done() {
    let world = world_of([floor(), block(0.0, 2.0, 0.2)]);
    let shape = Shape::cuboid([0.3, 0.9, 0.3]).unwrap();
    let query = SlideQuery {
        walk: Some(walk()),
        ..SlideQuery::new(&shape, at(-0.4, 0.9 + GAP, 0.0), Vector::new(3.0, 0.0, 1.0), 0.2)
    };
    let to = |respond: &dyn Fn(&mut SlideMeeting) -> OnMeeting| world.slide(&query, all, |m| respond(m)).unwrap();
    let climbs = to(&|_| OnMeeting::Slide);
    assert!((climbs.translation - Vector::new(0.2, 1.1 + GAP, 0.2)).norm() < 1e-2, "{climbs:?}");
    let stops = to(&|_| OnMeeting::Stop);
    assert!((stops.translation.x - (-0.3 - GAP)).abs() < 1e-9 && stops.ground.is_none(), "{stops:?}");
    let passes = to(&|_| OnMeeting::Pass);
    assert!((passes.translation - Vector::new(0.2, 0.9 + GAP, 0.2)).norm() < 1e-9, "{passes:?}");
    let led = to(&|m| {
        m.normal = Vector::new(-1.0, 0.0, -1.0);
        OnMeeting::Slide
    });
    assert!(led.translation.x < -0.29 && led.translation.y < 0.91, "{led:?}");
}

#[test]
fn a_walk_that_cannot_be_is_refused() {
    let (world, shape) = (world_of([floor()]), Shape::ball(0.5).unwrap());
    let step = |max_height, min_width| Some(Autostep { max_height, min_width, ..STEP });
    for wrong in [
        Walk { up: Vector::zeros(), ..walk() },
        Walk { up: Vector::repeat(Real::NAN), ..walk() },
        Walk { max_slope: -0.1, ..walk() },
        Walk { max_slope: 1.6, ..walk() },
        Walk { max_slope: Real::NAN, ..walk() },
        Walk { autostep: step(-0.1, 0.1), ..walk() },
        Walk { autostep: step(0.1, Real::INFINITY), ..walk() },
        Walk { snap: Some(Real::NAN), ..walk() },
    ] {
        let query = SlideQuery { walk: Some(wrong), ..SlideQuery::new(&shape, at(0.0, 0.6, 0.0), Vector::x(), DT) };
        let refused = world.slide(&query, all, |_| OnMeeting::Slide);
        assert!(matches!(refused, Err(SlideError::BadWalk { .. } | SlideError::NonFinite { .. })), "{refused:?}");
    }
    for odd in [
        Walk { max_slope: 0.0, ..walk() },
        Walk { max_slope: 1.57, ..walk() },
        Walk { autostep: step(0.0, 0.0), snap: Some(0.0), ..walk() },
        Walk { autostep: step(1e9, 1e9), snap: Some(1e9), ..walk() },
    ] {
        let way = walked(&world_of(stairs()), &shape, Vector::new(-1.0, 0.6, 0.0), Vector::x() * 3.0, odd, 120);
        assert!(way[119].translation.iter().all(|c| c.is_finite()));
    }
    // Whatever comes of them, it is no panic.
    let half_space = Shape::half_space(Vector::y()).unwrap();
    let far = Walk { autostep: step(1e300, 1e300), snap: Some(1e300), max_slope: 1.57, ..walk() };
    for (shape, gap) in [(&shape, 1e300), (&shape, 1e-300), (&half_space, GAP)] {
        let query = SlideQuery::new(shape, at(-0.6, 0.51, 0.0), Vector::new(3.0, -0.1, 0.0), DT);
        let _ = world_of(stairs()).slide(&SlideQuery { walk: Some(far), gap, ..query }, all, |_| OnMeeting::Slide);
    }
}

proptest! {
    #[test]
    fn among_steps_of_all_sizes_at_any_speed_it_ends_in_nothing_and_behind_no_sheet(
        blocks in prop::collection::vec((vector(4.0), prop::array::uniform3(0.05..1.0_f64), -0.8..0.8_f64), 0..12),
        which in 0..4_usize, from in vector(3.0), velocity in vector(10.0), exponent in 0..4_i32, max_height in 0.0..2.0_f64,
        min_width in 0.0..0.5_f64, snap in 0.0..2.0_f64,
    ) {
        // A room of open sheets about blocks of all sizes, each turned a little.
        let side = |axis: usize, sign: Real| {
            let mut corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]].map(|[u, v]| [sign * 5.0, u, v]);
            corners.iter_mut().for_each(|corner| corner.rotate_right(axis));
            let corners = corners.map(Point::from).to_vec();
            Shape::mesh(TriMesh::try_new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()).unwrap()
        };
        let room = (0..3).flat_map(|axis| [1.0, -1.0].map(|sign| (side(axis, sign), Pose::identity())));
        let blocks = blocks.iter().map(|(place, half, turn)| {
            let place = Vector::new(place.x, -5.0 + 0.5 * (place.y + 4.0), place.z);
            slab(*half, Pose::from_parts(place.into(), Rotation::from_scaled_axis(Vector::new(*turn, 2.0 * turn, 0.0))))
        });
        let world = world_of(room.chain(blocks));
        let (shape, _) = &walkers()[which];
        let autostep = Some(Autostep { max_height, min_width, onto_dynamic: false });
        let walk = Some(Walk { autostep, snap: Some(snap), ..walk() });
        let (mut pose, mut velocity) = (placed(&Pose::identity(), from), velocity * 10.0_f64.powi(exponent));
        for _ in 0..4 {
            let query = SlideQuery { walk, ..SlideQuery::new(shape, pose, velocity, 1.0) };
            let first = world.slide(&query, all, |_| OnMeeting::Slide).unwrap();
            if first.stuck_in.is_some() {
                break;
            }
            let slide = slid(&world, &query);
            prop_assert!(slide.translation.amax() < 5.0, "{} is out", slide.translation);
            pose = placed(&pose, slide.translation);
            velocity = Vector::new(-velocity.z, velocity.y, velocity.x);
        }
    }
}
