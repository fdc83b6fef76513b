//! One-way platforms stop what is on their side, and nothing else.

use std::f64::consts::{FRAC_PI_4, PI};

use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{Body, BodyDefinition, BodyError, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{Autostep, InitialOverlap, OnMeeting, Slide, SlideQuery, StepError, Walk, World, WorldSettings};

use crate::common::fixed::{all, at};
use crate::common::random::Random;

const DT: Real = 1.0 / 60.0;

const WALK: Walk = Walk {
    up: Vector::new(0.0, 1.0, 0.0),
    max_slope: FRAC_PI_4,
    autostep: Some(Autostep { max_height: 0.3, min_width: 0.1, onto_dynamic: true }),
    snap: Some(0.3),
    rides: true,
};

fn world() -> World {
    World::new(WorldSettings::default()).unwrap()
}

fn platform(kind: BodyKind, shape: Shape, pose: Pose) -> BodyDefinition {
    BodyDefinition { one_way: Some(Vector::y()), ..BodyDefinition::new(kind, shape, pose) }
}

fn slab() -> Shape {
    Shape::cuboid([2.0, 0.1, 1.0]).unwrap()
}

/// A platform whose top is at height 0.1.
fn ledge(kind: BodyKind) -> BodyDefinition {
    platform(kind, slab(), Pose::identity())
}

fn thrown(shape: Shape, pose: Pose, velocity: Vector) -> BodyDefinition {
    BodyDefinition { linear_velocity: velocity, ..BodyDefinition::new(BodyKind::Dynamic, shape, pose) }
}

fn ball() -> Shape {
    Shape::ball(0.25).unwrap()
}

fn crate_of(half: Real) -> Shape {
    Shape::cuboid([half; 3]).unwrap()
}

fn height(world: &World, id: BodyId) -> Real {
    world.body(id).unwrap().pose().translation.y
}

fn run(world: &mut World, dt: Real, steps: usize) {
    for _ in 0..steps {
        let report = world.step(dt).unwrap();
        assert!(report.time_lost == 0.0 && report.separated.is_empty(), "{report:?}");
    }
}

fn distance(a: &Body, b: &Body) -> Real {
    closest(a.shape(), a.pose(), b.shape(), b.pose()).unwrap().distance
}

/// An arch over x, as an open mesh 2 m wide.
fn arch(radius: Real) -> Shape {
    const PARTS: u32 = 24;
    let angle = |k: u32| PI * Real::from(k) / Real::from(PARTS);
    let corners = (0..=PARTS)
        .flat_map(|k| [-1.0, 1.0].map(|z| Point::new(-radius * angle(k).cos(), radius * angle(k).sin(), z)))
        .collect();
    let quads = (0..PARTS).map(|k| [2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2]);
    let triangles = quads.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Shape::mesh(TriMesh::try_new(corners, triangles).unwrap()).unwrap()
}

#[test]
fn whatever_is_thrown_from_below_passes_and_comes_down_to_lie_on_top() {
    let corners = [[-2.0, 0.1, -1.0], [2.0, 0.1, -1.0], [2.0, 0.1, 1.0], [-2.0, 0.1, 1.0]].map(Point::from);
    let sheet = TriMesh::try_new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let half = Shape::cuboid([1.0, 0.1, 1.0]).unwrap();
    let hole = (Shape::ball(0.2).unwrap(), at(1.5, 0.0, 0.0));
    let platforms = [
        slab(),
        Shape::mesh(sheet).unwrap(),
        Shape::compound([(at(-1.0, 0.0, 0.0), half.clone()), (at(1.0, 0.0, 0.0), half)]).unwrap(),
        Shape::csg(Operation::Difference, &[(slab(), Pose::identity()), hole]).unwrap(),
    ];
    let things =
        [(ball(), 0.25), (Shape::cuboid([0.2, 0.3, 0.2]).unwrap(), 0.3), (Shape::torus(0.3, 0.1).unwrap(), 0.1)];
    for solid in &platforms {
        for (thing, half) in &things {
            let names = format!("{} and {}", thing.as_solid().kind(), solid.as_solid().kind());
            let mut world = world();
            world.add_body(platform(BodyKind::Static, solid.clone(), Pose::identity())).unwrap();
            let id = world.add_body(thrown(thing.clone(), at(0.0, -2.0, 0.0), Vector::new(0.0, 8.0, 0.0))).unwrap();
            let mut top: Real = -2.0;
            for _ in 0..180 {
                run(&mut world, DT, 1);
                top = top.max(height(&world, id));
            }
            // Nothing took of its speed: it came as high as v² / 2g.
            assert!((top - (64.0 / (2.0 * 9.81) - 2.0)).abs() < 0.01, "{names}: {top}");
            assert!((height(&world, id) - 0.1 - half).abs() < 1e-3, "{names}: {}", height(&world, id));
        }
    }
}

#[test]
fn at_any_speed_and_length_of_step_it_stops_from_above_and_lets_through_from_below() {
    for (dt, speed) in [(DT, 1000.0), (0.1, 1000.0), (0.1, 3.0), (1e-3, 50.0)] {
        for side in [1.0, -1.0] {
            let mut world = world();
            world.add_body(ledge(BodyKind::Static)).unwrap();
            let way = Vector::new(0.0, -side * speed, 0.0);
            let free = BodyDefinition { gravity_scale: 0.0, ..thrown(ball(), at(0.5, side, 0.2), way) };
            let id = world.add_body(free).unwrap();
            run(&mut world, dt, (2.5 / (speed * dt)) as usize + 1);
            let is_above = height(&world, id) > 0.0;
            assert!(is_above, "{speed} m/s in steps of {dt} s from {side}: {}", height(&world, id));
        }
    }
}

#[test]
fn what_is_not_on_its_side_moves_as_if_it_were_not_there_and_what_is_on_it_never_gets_in() {
    let mut r = Random(7);
    let (mut on_side, mut elsewhere, mut met) = (0, 0, 0);
    for _ in 0..400 {
        let half = [r.between(0.5, 2.0), r.between(0.05, 0.5), r.between(0.5, 2.0)];
        let tilt = Rotation::from_scaled_axis(r.direction() * r.between(0.0, 0.7));
        let pose = Pose::from_parts(Vector::zeros().into(), tilt);
        let kind = if r.chance(0.5) { BodyKind::Static } else { BodyKind::Kinematic };
        let moving = if kind == BodyKind::Kinematic { 1.0 } else { 0.0 };
        let definition = BodyDefinition {
            linear_velocity: r.direction() * r.between(0.0, 3.0) * moving,
            angular_velocity: r.direction() * r.between(0.0, 2.0) * moving,
            ..platform(kind, Shape::cuboid(half).unwrap(), pose)
        };
        let shape = match r.below(4) {
            0 => Shape::ball(r.between(0.1, 0.5)),
            1 => Shape::cuboid([0; 3].map(|_| r.between(0.1, 0.5))),
            2 => Shape::capsule(r.between(0.1, 0.3), r.between(0.1, 0.5)),
            _ => Shape::cone(r.between(0.1, 0.5), r.between(0.1, 0.5)),
        };
        let place = Pose::from_parts((r.direction() * r.between(0.5, 3.0)).into(), r.rotation());
        let body = BodyDefinition {
            angular_velocity: r.direction() * r.between(0.0, 20.0),
            ..thrown(shape.unwrap(), place, r.direction() * r.between(0.0, 12.0))
        };
        let dt = if r.chance(0.3) { 0.1 } else { DT };
        let mut world = world();
        let ids = [definition, body].map(|definition| world.add_body(definition).unwrap());
        let mut was_on_side = false;
        for _ in 0..60 {
            let [platform, thing] = ids.map(|id| world.body(id).unwrap());
            let found = closest(platform.shape(), platform.pose(), thing.shape(), thing.pose()).unwrap();
            let up = platform.pose().rotation * Vector::y();
            let top = Shape::half_space(up).unwrap();
            let top_pose =
                Pose::from_parts((platform.pose().translation.vector + up * half[1]).into(), Rotation::identity());
            let over = closest(&top, &top_pose, thing.shape(), thing.pose()).unwrap().distance;
            let along = found.normal.dot(&up);
            // Which of the two it is when it is neither is for rounding to say; and what comes out is within until it is as far away as what rests.
            let is_near = found.distance.abs() < 1e-4;
            let is_certain = (was_on_side || !is_near) && over.abs() > 1e-9 && (along - 0.5).abs() > 1e-6;
            let is_on_side = over > 0.0 || (found.distance > 0.0 && along >= 0.5);
            let mut alone = world.clone();
            alone.remove_body(ids[0]);
            alone.step(dt).unwrap();
            let report = world.step(dt).unwrap();
            let [platform, thing] = ids.map(|id| world.body(id).unwrap());
            was_on_side = is_on_side;
            if is_on_side {
                on_side += usize::from(is_certain);
                met += usize::from(!report.impacts.is_empty());
                assert!(!is_certain || distance(platform, thing) > 0.0);
            } else if is_certain {
                elsewhere += 1;
                assert_eq!(thing.pose(), alone.body(ids[1]).unwrap().pose());
            }
        }
    }
    assert!(on_side > 2000 && elsewhere > 2000 && met > 50, "{on_side} on its side, {elsewhere} elsewhere, {met} met");
}

#[test]
fn an_arch_is_solid_where_it_is_no_steeper_than_60_degrees_and_from_outside_only() {
    for (x, is_stopped) in [(0.0, true), (1.2, true), (2.2, false)] {
        let mut world = world();
        world.add_body(platform(BodyKind::Static, arch(2.0), Pose::identity())).unwrap();
        let falls = world.add_body(thrown(ball(), at(x, 3.0, 0.0), Vector::zeros())).unwrap();
        let locked = BodyDefinition {
            locked: ccd_core::dynamics::LockedAxes { translation: [true, false, true], ..Default::default() },
            ..thrown(ball(), at(-x, -3.0, 0.7), Vector::new(0.0, 11.0, 0.0))
        };
        let rises = world.add_body(locked).unwrap();
        let (mut top, mut met): (Real, bool) = (-3.0, false);
        for _ in 0..90 {
            let report = world.step(DT).unwrap();
            met |= report.impacts.iter().any(|impact| [impact.pair.a, impact.pair.b].contains(&falls));
            top = top.max(height(&world, rises));
        }
        assert!((top - (121.0 / (2.0 * 9.81) - 3.0)).abs() < 0.02, "rises to {top} at {x}");
        assert_eq!(met, is_stopped, "at {x} it came to {}", height(&world, falls));
    }
}

#[test]
fn a_load_of_a_thousand_times_the_weight_of_what_it_lies_on_presses_nothing_through() {
    for tilt in [0.0, 0.3] {
        let mut world = world();
        let turned = Pose::rotation(Vector::z() * tilt);
        world.add_body(platform(BodyKind::Static, slab(), turned)).unwrap();
        let mut pile = Vec::new();
        for (k, density) in [10.0, 10_000.0].into_iter().enumerate() {
            let place = turned * at(0.0, 0.1 + 0.2 + 1e-3 + 0.401 * k as Real, 0.0);
            let mut body = thrown(crate_of(0.2), place, Vector::zeros());
            body.mass = ccd_core::dynamics::MassSpecification::Density(density);
            pile.push(world.add_body(body).unwrap());
        }
        run(&mut world, DT, 600);
        for id in pile {
            assert!(height(&world, id) > 0.1, "{}", height(&world, id));
        }
    }
}

#[test]
fn a_lift_carries_what_stands_on_it_however_it_starts_and_comes_up_through_what_is_in_its_way_below() {
    let mut world = world();
    let lift = world.add_body(ledge(BodyKind::Kinematic)).unwrap();
    let guest = world.add_body(thrown(crate_of(0.2), at(0.0, 0.3001, 0.0), Vector::zeros())).unwrap();
    let hung = BodyDefinition { gravity_scale: 0.0, ..thrown(crate_of(0.2), at(1.2, 1.05, 0.0), Vector::zeros()) };
    let hung = world.add_body(hung).unwrap();
    run(&mut world, DT, 5);
    for speed in [3.0, -2.0, 5.0, 0.0] {
        world.body_mut(lift).unwrap().set_velocity(Vector::new(0.0, speed, 0.0), Vector::zeros()).unwrap();
        run(&mut world, DT, 60);
        let [lift, guest] = [lift, guest].map(|id| world.body(id).unwrap());
        assert!(distance(lift, guest) > 0.0, "at {speed} m/s");
    }
    // It was above the lift when that came up.
    assert!(height(&world, hung) > height(&world, lift));
}

#[test]
fn it_may_become_one_and_cease_to_be_one_at_any_time() {
    let mut world = world();
    let ledge = world.add_body(ledge(BodyKind::Static)).unwrap();
    let id = world.add_body(thrown(ball(), at(0.0, 0.4, 0.0), Vector::zeros())).unwrap();
    run(&mut world, DT, 120);
    assert!(world.body(id).unwrap().is_asleep());
    // Turned around it is solid from below, and what sleeps on it falls.
    world.body_mut(ledge).unwrap().one_way = Some(-Vector::y());
    run(&mut world, DT, 6);
    assert!(height(&world, id) < 0.35, "{}", height(&world, id));
    // Solid from everywhere, it holds something within, which is moved out.
    world.body_mut(ledge).unwrap().one_way = None;
    let mut settings = world.settings().clone();
    settings.initial_overlap = InitialOverlap::Separate;
    world.set_settings(settings).unwrap();
    let report = world.step(DT).unwrap();
    assert_eq!(report.separated.len(), 1);
    let [ledge, ball] = [ledge, id].map(|id| world.body(id).unwrap());
    assert!(distance(ledge, ball) > 0.0);
}

#[test]
fn what_is_put_on_it_so_that_they_touch_stays_on_it() {
    let things = [(ball(), 0.25), (crate_of(0.25), 0.25), (Shape::torus(0.3, 0.1).unwrap(), 0.1)];
    for (shape, half) in things {
        for too_low in [0.0, 5e-5, -5e-7] {
            let mut world = world();
            world.add_body(ledge(BodyKind::Static)).unwrap();
            let id =
                world.add_body(thrown(shape.clone(), at(0.0, 0.1 + half - too_low, 0.0), Vector::zeros())).unwrap();
            run(&mut world, DT, 30);
            assert!((height(&world, id) - 0.1 - half).abs() < 1e-4, "{} {too_low} m too low", shape.as_solid().kind());
            // And when it is lifted and put back.
            world.set_pose(id, at(0.5, 0.1 + half - too_low, 0.0)).unwrap();
            run(&mut world, DT, 30);
            assert!((height(&world, id) - 0.1 - half).abs() < 1e-4, "{} {too_low} m too low", shape.as_solid().kind());
        }
    }
}

#[test]
fn a_thousand_kilometres_away_it_is_as_solid_and_as_open() {
    let far = Pose::translation(1e6, -1e6, 1e6);
    for (from, speed, ends_above) in [(2.0, 0.0, true), (-2.0, 9.0, true), (-2.0, 3.0, false)] {
        let mut world = world();
        world.add_body(platform(BodyKind::Static, slab(), far)).unwrap();
        let id = world.add_body(thrown(crate_of(0.2), far * at(0.3, from, 0.0), Vector::y() * speed)).unwrap();
        run(&mut world, DT, 180);
        let above = height(&world, id) + 1e6;
        assert_eq!((above - 0.3).abs() < 1e-3, ends_above, "{above}");
        assert!(ends_above || above < -5.0, "{above}");
    }
}

#[test]
fn sensors_are_noticed_by_platforms_from_everywhere() {
    let mut world = world();
    world.add_body(ledge(BodyKind::Static)).unwrap();
    let foot = BodyDefinition { sensor: true, ..thrown(ball(), at(0.0, -1.0, 0.0), Vector::new(0.0, 10.0, 0.0)) };
    world.add_body(foot).unwrap();
    let (mut started, mut ended) = (0, 0);
    for _ in 0..30 {
        let report = world.step(DT).unwrap();
        started += report.started.len();
        ended += report.ended.len();
    }
    assert_eq!((started, ended), (1, 1));
}

#[test]
fn directions_that_are_none_are_refused() {
    for direction in [[0.0; 3], [Real::NAN, 0.0, 1.0], [0.0, Real::INFINITY, 0.0], [1e-300, 0.0, 0.0]] {
        let mut world = world();
        let way = Some(Vector::from(direction));
        let refused = world.add_body(BodyDefinition { one_way: way, ..ledge(BodyKind::Static) });
        assert!(matches!(refused, Err(BodyError::NonFinite { .. } | BodyError::OutOfRange { .. })), "{direction:?}");
        let id = world.add_body(ledge(BodyKind::Static)).unwrap();
        world.body_mut(id).unwrap().one_way = way;
        assert!(matches!(world.step(DT), Err(StepError::Body { .. })), "{direction:?}");
    }
    // Any other length will do.
    let long = BodyDefinition { one_way: Some(Vector::y() * 1e9), ..ledge(BodyKind::Static) };
    world().add_body(long).unwrap();
}

/// Moves a capsule for so many steps; its velocity falls, and what it keeps of it goes on.
fn walked(world: &World, steps: usize, pose: &mut Pose, velocity: &mut Vector) -> Slide {
    let shape = Shape::capsule(0.3, 0.5).unwrap();
    let mut last = None;
    for _ in 0..steps {
        *velocity -= Vector::y() * 9.81 * DT;
        let query = SlideQuery { walk: Some(WALK), ..SlideQuery::new(&shape, *pose, *velocity, DT) };
        let slide = world.slide(&query, all, |_| OnMeeting::Slide).unwrap();
        assert!(slide.stuck_in.is_none());
        (pose.translation.vector, *velocity) = (slide.translation, slide.velocity);
        last = Some(slide);
    }
    last.unwrap()
}

#[test]
fn a_character_jumps_up_through_and_stands_and_walks_on_top() {
    let mut world = world();
    world.add_body(ledge(BodyKind::Static)).unwrap();
    let (mut pose, mut velocity) = (at(-1.0, -1.5, 0.0), Vector::new(0.5, 8.0, 0.0));
    let slide = walked(&world, 150, &mut pose, &mut velocity);
    assert!(slide.ground.is_some());
    assert!((pose.translation.y - 0.9).abs() < 0.01 && pose.translation.x > 0.0, "{}", pose.translation.vector);
    // From beside it goes through, and does not climb it.
    let (mut pose, mut velocity) = (at(-3.0, 0.75, 0.0), Vector::new(3.0, 0.0, 0.0));
    walked(&world, 60, &mut pose, &mut velocity);
    assert!(pose.translation.x > -0.1 && pose.translation.y < -3.0, "{}", pose.translation.vector);
}

#[test]
fn a_character_stays_on_a_lift_that_starts_at_once() {
    let mut world = world();
    let lift = world.add_body(ledge(BodyKind::Kinematic)).unwrap();
    let (mut pose, mut velocity) = (at(0.0, 0.91, 0.0), Vector::zeros());
    for speed in [0.0, 0.4, -0.4, 5.0, -0.4, 0.0] {
        world.body_mut(lift).unwrap().set_velocity(Vector::new(0.0, speed, 0.0), Vector::zeros()).unwrap();
        for _ in 0..30 {
            walked(&world, 1, &mut pose, &mut velocity);
            world.step(DT).unwrap();
        }
        let above = pose.translation.y - height(&world, lift) - 0.9;
        assert!(above.abs() < 0.01, "{above} m above the lift at {speed} m/s");
    }
}
