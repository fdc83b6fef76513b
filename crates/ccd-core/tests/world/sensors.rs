//! Sensors notice what is in them, whether anything moves or not, and change no motion.

use ccd_core::detection::closest::interferes;
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::id::{BodyId, PairKey};
use ccd_core::math::{Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::fields::{FieldKind, solid};
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
