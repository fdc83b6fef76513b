//! Sensors notice what is in them, whether anything moves or not, and change no motion.

use ccd_core::detection::closest::interferes;
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::id::{BodyId, PairKey};
use ccd_core::math::{Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{ResponseMethod, World, WorldSettings};

use crate::common::fields::{FieldKind, solid};
use crate::common::methods::METHODS;
use crate::common::random::Random;

const DT: Real = 1.0 / 60.0;

fn body(kind: BodyKind, half: Real, y: Real) -> BodyDefinition {
    BodyDefinition::new(kind, Shape::cuboid([half; 3]).unwrap(), Pose::translation(0.0, y, 0.0))
}

fn sensor(kind: BodyKind, half: Real, y: Real) -> BodyDefinition {
    BodyDefinition { sensor: true, ..body(kind, half, y) }
}

/// Steps of the world at which the pair began and ceased to touch.
fn events(world: &mut World, pair: (BodyId, BodyId), steps: usize) -> (Vec<usize>, Vec<usize>) {
    let key = PairKey::new(pair.0, pair.1);
    let (mut started, mut ended) = (Vec::new(), Vec::new());
    for step in 0..steps {
        let report = world.step(DT).unwrap();
        if report.started.contains(&key) {
            started.push(step);
        }
        if report.ended.contains(&key) {
            ended.push(step);
        }
    }
    (started, ended)
}

#[test]
fn a_sensor_that_is_put_over_something_fixed_notices_it_until_it_is_taken_away() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let ground = world.add_body(body(BodyKind::Static, 1.0, -1.0)).unwrap();
    let foot = world.add_body(sensor(BodyKind::Kinematic, 0.1, 5.0)).unwrap();
    assert_eq!(events(&mut world, (ground, foot), 3), (vec![], vec![]));
    world.set_pose(foot, Pose::translation(0.0, 0.05, 0.0)).unwrap();
    assert_eq!(events(&mut world, (ground, foot), 10), (vec![0], vec![]));
    world.set_pose(foot, Pose::translation(0.0, 5.0, 0.0)).unwrap();
    assert_eq!(events(&mut world, (ground, foot), 3), (vec![], vec![0]));
}

#[test]
fn what_falls_asleep_in_a_sensor_is_still_in_it() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    world.add_body(body(BodyKind::Static, 1.0, -1.0)).unwrap();
    let room = world.add_body(sensor(BodyKind::Static, 0.6, 0.7)).unwrap();
    let guest = world.add_body(body(BodyKind::Dynamic, 0.25, 0.25 + 1e-5)).unwrap();
    assert_eq!(events(&mut world, (room, guest), 120), (vec![0], vec![]));
    assert!(world.body(guest).unwrap().is_asleep());
    world.set_pose(guest, Pose::translation(0.0, 5.0, 0.0)).unwrap();
    assert_eq!(events(&mut world, (room, guest), 2), (vec![], vec![0]));
}

#[test]
fn a_sensor_changes_no_motion() {
    let fall = |with_sensor: bool| {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let ball = world.add_body(body(BodyKind::Dynamic, 0.25, 3.0)).unwrap();
        if with_sensor {
            world.add_body(sensor(BodyKind::Static, 0.5, 1.0)).unwrap();
        }
        for _ in 0..60 {
            world.step(DT).unwrap();
        }
        *world.body(ball).unwrap().pose()
    };
    assert_eq!(fall(true), fall(false));
}

#[test]
fn what_rests_in_a_sensor_is_not_asked_about_again_until_something_moves() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let ground = world.add_body(body(BodyKind::Static, 1.0, -1.0)).unwrap();
    let room = world.add_body(sensor(BodyKind::Kinematic, 0.6, 0.3)).unwrap();
    let guest = world.add_body(body(BodyKind::Dynamic, 0.25, 0.25 + 1e-5)).unwrap();
    let within = |world: &World, one, other| world.contacts_of(&PairKey::new(one, other)).is_some_and(|c| c.touching);
    assert_eq!(events(&mut world, (room, ground), 120), (vec![0], vec![]));
    for _ in 0..20 {
        let report = world.step(DT).unwrap();
        assert_eq!(report.counters.time_of_contact_queries, 0);
        assert!(report.started.is_empty() && report.ended.is_empty());
        assert!(within(&world, room, ground) && within(&world, room, guest));
    }
    // The guest is pushed out, and comes to rest outside.
    world.set_velocity(guest, Vector::new(3.0, 2.0, 0.0), Vector::zeros()).unwrap();
    let (started, ended) = events(&mut world, (room, guest), 120);
    assert_eq!((started.len(), ended.len()), (0, 1));
    assert!(within(&world, room, ground) && !within(&world, room, guest));
}

#[test]
fn a_sensor_disturbs_nobody_who_stands_in_it() {
    let solved = |with_sensor: bool| {
        let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
        world.add_body(body(BodyKind::Static, 1.0, -1.0)).unwrap();
        world.add_body(body(BodyKind::Dynamic, 0.25, 0.25 + 1e-5)).unwrap();
        if with_sensor {
            world.add_body(sensor(BodyKind::Kinematic, 0.6, 0.3)).unwrap();
        }
        let sweeps = (0..120).map(|_| world.step(DT).unwrap().counters.solver_sweeps);
        sweeps.collect::<Vec<_>>().split_off(100)
    };
    assert_eq!(solved(true), solved(false));
}

#[test]
fn a_sensor_of_any_kind_notices_what_is_in_it_for_as_long_as_it_is() {
    let mut random = Random(20_261_131);
    let r = &mut random;
    let kinds = || FieldKind::FIELDS.into_iter().chain(FieldKind::OTHERS).filter(|kind| *kind != FieldKind::HalfSpace);
    let mut inside = 0;
    for (number, (kind, guest)) in kinds().flat_map(|kind| kinds().map(move |guest| (kind, guest))).enumerate() {
        let (room, guest) = (solid(r, kind, 0.5).shape, solid(r, guest, 0.5).shape);
        let name = format!("{number}: {} in a {}", guest.as_solid().kind(), room.as_solid().kind());
        let (way, aside) = (r.direction() * 4.0, r.direction() * 0.4);
        let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
        let at_rest = BodyDefinition::new(BodyKind::Static, room.clone(), Pose::identity());
        let sensor = world.add_body(BodyDefinition { sensor: true, ..at_rest }).unwrap();
        let pose = Pose::from_parts((aside - 0.5 * way).into(), r.rotation());
        let mover = BodyDefinition {
            linear_velocity: way,
            angular_velocity: r.direction() * 5.0,
            ..BodyDefinition::new(BodyKind::Kinematic, guest.clone(), pose)
        };
        let mover = world.add_body(mover).unwrap();
        let pair = PairKey::new(sensor, mover);
        let mut noticed = false;
        for step in 0..60 {
            let report = world.step(DT).unwrap();
            let (started, ended) = (report.started.contains(&pair), report.ended.contains(&pair));
            assert!(!(noticed && started && !ended), "{name}, step {step}: noticed twice");
            noticed = if ended { false } else { noticed || started };
            // To measure an overlap takes long.
            if step % 6 != 0 {
                continue;
            }
            let now = world.body(mover).unwrap().pose();
            let overlap = interferes(&room, &Pose::identity(), &guest, now, 2e-3);
            if overlap.is_some_and(|overlap| overlap.depth > 1e-6) {
                inside += 1;
                assert!(noticed, "{name}, step {step}: not noticed, {overlap:?}");
            }
            assert!(overlap.is_some() || !noticed, "{name}, step {step}: noticed, and out of it");
        }
    }
    assert!(inside > 500, "{inside}");
}

/// Where the bodies are after each of `steps` steps, and how fast they go, without sensors and with them.
fn with_and_without(
    settings: &WorldSettings,
    bodies: &[BodyDefinition],
    sensors: &[BodyDefinition],
    steps: usize,
) -> [Vec<(Pose, Vector, Vector)>; 2] {
    [&[], sensors].map(|sensors| {
        let mut world = World::new(settings.clone()).unwrap();
        let ids: Vec<BodyId> = bodies.iter().map(|body| world.add_body(body.clone()).unwrap()).collect();
        sensors.iter().for_each(|sensor| _ = world.add_body(sensor.clone()).unwrap());
        let mut seen = Vec::new();
        for _ in 0..steps {
            world.step(DT).unwrap();
            let state = |id: &BodyId| {
                let body = world.body(*id).unwrap();
                (*body.pose(), *body.linear_velocity(), *body.angular_velocity())
            };
            seen.extend(ids.iter().map(state));
        }
        seen
    })
}

#[test]
fn a_sensor_that_is_entered_on_the_way_to_an_impact_is_no_wall_for_any_method() {
    // It comes to the sensor's side after 0.3 of a step, and to the floor after 0.6.
    let floor =
        BodyDefinition::new(BodyKind::Static, Shape::cuboid([5.0; 3]).unwrap(), Pose::translation(0.0, -5.0, 0.0));
    let mut slider = body(BodyKind::Dynamic, 0.1, 0.1 + 0.6 * DT);
    slider.linear_velocity = Vector::new(1.0, -1.0, 0.0);
    slider.material.friction = 0.0;
    let pose = Pose::translation(0.6 + 0.3 * DT, 0.5, 0.0);
    let beside = BodyDefinition { pose, ..sensor(BodyKind::Static, 0.5, 0.0) };
    for response in METHODS {
        let settings = WorldSettings { response, gravity: Vector::zeros(), ..WorldSettings::default() };
        let [without, with] =
            with_and_without(&settings, &[floor.clone(), slider.clone()], std::slice::from_ref(&beside), 3);
        assert_eq!(without, with, "{response:?}");
        // On springs it is tilted a little.
        let slack = if response == ResponseMethod::Penalty { 0.1 } else { 1e-9 };
        assert!((without[5].1.x - 1.0).abs() < slack, "{response:?}: it slides on at {}", without[5].1);
    }
}

#[test]
fn sensors_change_no_motion_of_what_tumbles_through_them() {
    let floor =
        BodyDefinition::new(BodyKind::Static, Shape::cuboid([5.0; 3]).unwrap(), Pose::translation(0.0, -5.0, 0.0));
    let cube = |k: usize| {
        let at = Pose::translation(0.15 * (k % 3) as Real, 0.3 + 0.25 * k as Real, 0.05 * (k % 4) as Real);
        let spin = Vector::new(0.3, 1.0, 0.2 * k as Real);
        BodyDefinition { pose: at, angular_velocity: spin, ..body(BodyKind::Dynamic, 0.1, 0.0) }
    };
    let bodies: Vec<BodyDefinition> = std::iter::once(floor).chain((0..10).map(cube)).collect();
    let room = |j: usize| {
        let at = Vector::new(0.1, 0.05, 0.0) * j as Real + Vector::new(0.0, 0.0, 0.2);
        let pose = Pose::new(at, Vector::new(0.3, 0.5, 0.2));
        let kind = if j.is_multiple_of(2) { BodyKind::Static } else { BodyKind::Kinematic };
        let spin = if j == 3 { Vector::y() } else { Vector::zeros() };
        BodyDefinition { pose, angular_velocity: spin, ..sensor(kind, 0.3, 0.0) }
    };
    let rooms: Vec<BodyDefinition> = (0..6).map(room).collect();
    let [without, with] = with_and_without(&WorldSettings::default(), &bodies, &rooms, 120);
    let first = without.iter().zip(&with).position(|(a, b)| a != b);
    assert!(first.is_none(), "other bits from step {:?} on", first.map(|first| first / bodies.len()));
}

#[test]
fn what_meets_in_a_sensor_keeps_its_angular_momentum() {
    let settings = WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() };
    let half = |side: Real| {
        let mut cube = body(BodyKind::Dynamic, 0.25, 0.0);
        cube.pose = Pose::translation(0.4 * side, 0.1 * side, 0.02 * side);
        cube.linear_velocity = Vector::new(-side, 0.0, 0.0);
        cube.angular_velocity = Vector::new(0.3, 0.5, 2.0 * side);
        cube
    };
    let room = sensor(BodyKind::Static, 30.0, 0.0);
    let [without, with] = with_and_without(&settings, &[half(1.0), half(-1.0)], &[room], 60);
    assert_eq!(without, with);
}

#[test]
fn a_sensor_neither_holds_what_drifts_nor_keeps_awake_what_stands_and_tells_when_it_has_left_it() {
    let floating = WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() };
    let drifting = BodyDefinition { linear_velocity: Vector::x() * 5e-5, ..body(BodyKind::Dynamic, 0.25, 0.0) };
    let [without, with] = with_and_without(&floating, &[drifting], &[sensor(BodyKind::Static, 3.0, 0.0)], 120);
    assert_eq!(without, with);
    assert!(without[119].1.x > 0.0, "it drifts on");

    let mut world = World::new(WorldSettings::default()).unwrap();
    world.add_body(body(BodyKind::Static, 1.0, -1.0)).unwrap();
    let stack = [0.0, 1.0, 2.0].map(|k| body(BodyKind::Dynamic, 0.25, 0.25 + 1e-5 + 0.50001 * k));
    let stack = stack.map(|cube| world.add_body(cube).unwrap());
    let rising = BodyDefinition { linear_velocity: Vector::y() * 0.2, ..sensor(BodyKind::Kinematic, 0.3, 0.9) };
    let rising = world.add_body(rising).unwrap();
    assert_eq!(events(&mut world, (rising, stack[2]), 60), (vec![0], vec![]));
    assert!(stack.iter().all(|id| world.body(*id).unwrap().is_asleep()), "they sleep while it rises through them");
    // The top of the uppermost is at 1.5 m, and the sensor's lower side comes there after 4.5 s.
    let (started, ended) = events(&mut world, (rising, stack[2]), 300);
    assert!(started.is_empty() && ended.len() == 1 && ended[0].abs_diff(210) < 3, "{started:?}, {ended:?}");
    assert!(stack.iter().all(|id| world.body(*id).unwrap().is_asleep()));
}
