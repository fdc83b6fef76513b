#![allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]

use super::*;
use crate::dynamics::BodyDefinition;
use crate::math::{Pose, Vector};
use crate::shape::Shape;
use crate::world::{StepReport, WorldSettings};

const DT: Real = 1.0 / 60.0;
const SIDE: u32 = 8;

fn cube(at: [Real; 3]) -> BodyDefinition {
    let pose = Pose::translation(at[0], at[1], at[2]);
    BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([0.2; 3]).unwrap(), pose)
}

/// Stacks of up to three cubes on the ground, one of them in a sensor, a kinematic slab with a cube on it, balls that roll and bounce among them, and walls
/// around; the ground, the slab, and the cubes.
fn field(sleeping: bool) -> (World, [BodyId; 2], Vec<BodyId>) {
    let mut world = World::new(WorldSettings { sleeping, ..WorldSettings::default() }).unwrap();
    let ground = Shape::half_space(Vector::y()).unwrap();
    let ground = world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
    // Walls, so that nothing leaves the field.
    for (k, normal) in [Vector::x(), Vector::z(), -Vector::x(), -Vector::z(), -Vector::y()].into_iter().enumerate() {
        let at = if k < 2 { normal * -4.0 } else { normal * -(Real::from(SIDE) + 1.0) };
        let wall = Shape::half_space(normal).unwrap();
        let pose = Pose::translation(at.x, at.y, at.z);
        world.add_body(BodyDefinition::new(BodyKind::Static, wall, pose)).unwrap();
    }
    let sensor = BodyDefinition { sensor: true, kind: BodyKind::Static, ..cube([0.1, 0.3, 0.1]) };
    world.add_body(sensor).unwrap();
    let slab = BodyDefinition { kind: BodyKind::Kinematic, ..cube([-3.0, 0.3, 0.0]) };
    let slab = world.add_body(slab).unwrap();
    let mut cubes = vec![world.add_body(cube([-3.0, 0.7001, 0.0])).unwrap()];
    for k in 0..SIDE * SIDE {
        for storey in 0..=k % 3 {
            let at = [Real::from(k % SIDE), 0.2001 + 0.4001 * Real::from(storey), Real::from(k / SIDE)];
            cubes.push(world.add_body(cube(at)).unwrap());
        }
    }
    for k in 0..4 {
        let pose = Pose::translation(0.5 + 2.0 * Real::from(k), 0.5, 0.5);
        let mut ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.1).unwrap(), pose);
        (ball.material.restitution, ball.material.friction) = (0.9, 0.05);
        ball.linear_velocity = Vector::new(1.0 + 0.3 * Real::from(k), 0.0, 1.7);
        world.add_body(ball).unwrap();
    }
    (world, [ground, slab], cubes)
}

/// All that a step tells, but for its times.
fn told(report: StepReport) -> String {
    format!("{:?}", report.for_another())
}

fn state(world: &World) -> String {
    let bodies: Vec<_> = world
        .bodies()
        .map(|(id, body)| (id, *body.pose(), *body.linear_velocity(), *body.angular_velocity(), body.is_asleep()))
        .collect();
    let contacts: Vec<_> =
        world.contacts().map(|(pair, known)| (pair, &known.points, &known.impulses, known.touching)).collect();
    format!("{bodies:?} {contacts:?}")
}

#[test]
fn a_world_that_sets_islands_aside_is_to_the_bit_what_it_is_without_whatever_becomes_of_them() {
    for sleeping in [true, false] {
        let (mut world, [ground, slab], mut cubes) = field(sleeping);
        let mut plain = world.clone();
        let (mut most, mut roused) = (0, 0);
        for step in 0..700_usize {
            let k = (13 * step) % cubes.len();
            for world in [&mut world, &mut plain] {
                match step {
                    150 => assert!(world.set_velocity(slab, Vector::x() * 0.2, Vector::zeros()).unwrap()),
                    210 => assert!(world.set_velocity(slab, Vector::zeros(), Vector::zeros()).unwrap()),
                    300 => drop(world.body_mut(ground).unwrap()),
                    _ if step > 120 && step % 23 == 0 => drop(world.remove_body(cubes[k])),
                    _ if step > 120 && step % 37 == 5 => world.wake(cubes[k]),
                    _ if step > 120 && step % 41 == 7 => {
                        assert!(world.set_velocity(cubes[k], Vector::y() * 2.0, Vector::z()).unwrap_or(false));
                    }
                    _ if step > 120 && step % 53 == 9 => {
                        let pose = Pose::translation(Real::from(k as u32 % SIDE), 2.5, 3.0);
                        assert!(world.set_pose(cubes[k], pose).unwrap());
                    }
                    _ => (),
                }
            }
            cubes.retain(|id| world.body(*id).is_some());
            let dt = if step == 400 { 0.5 * DT } else { DT };
            let before = world.dormant.contacts().len();
            plain.rouse_all();
            let reports = [world.step(dt).unwrap(), plain.step(dt).unwrap()].map(told);
            assert_eq!(reports[0], reports[1], "sleeping {sleeping}, step {step}");
            if step % 5 == 0 || step > 680 {
                assert_eq!(state(&world), state(&plain), "sleeping {sleeping}, step {step}");
            }
            let now = world.dormant.contacts().len();
            most = most.max(now);
            roused += usize::from(now < before);
        }
        assert!(most > 100 && roused > 3, "{most} pairs were set aside, islands taken back in {roused} steps");
    }
}

#[test]
fn what_bounces_back_within_a_step_meets_what_was_set_aside_behind_it_with_all_its_contacts() {
    let (mut world, ..) = field(true);
    let post = BodyDefinition { kind: BodyKind::Static, ..cube([-1.0, 0.6, -3.0]) };
    world.add_body(post).unwrap();
    let stack = [0.2001, 0.6002, 1.0003].map(|y| world.add_body(cube([-3.0, y, -3.0])).unwrap());
    for _ in 0..200 {
        world.step(DT).unwrap();
    }
    let mut ball =
        BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.1).unwrap(), Pose::translation(-2.0, 0.6, -3.0));
    // A fifth of a step to the post, and on to the stack.
    (ball.linear_velocity, ball.material.restitution) = (Vector::x() * 200.0, 1.0);
    world.add_body(ball).unwrap();
    let mut plain = world.clone();
    plain.rouse_all();
    assert!(stack.iter().all(|id| world.dormant.island_of(*id).is_some()));
    let reports = [world.step(DT).unwrap(), plain.step(DT).unwrap()];
    assert!(reports[0].impacts.len() >= 2, "{:?}", reports[0].impacts);
    let reports = reports.map(told);
    assert_eq!(reports[0], reports[1]);
    assert_eq!(state(&world), state(&plain));
    assert!(stack.iter().all(|id| world.dormant.island_of(*id).is_none()));
}

#[test]
fn what_is_changed_between_the_stages_of_a_step_is_what_it_is_without_setting_aside() {
    for stage in 0..3 {
        let (mut world, _, cubes) = field(true);
        for _ in 0..200 {
            world.step(DT).unwrap();
        }
        let aside = |id: &&BodyId| world.dormant.island_of(**id).is_some();
        let cube = **cubes.iter().filter(aside).collect::<Vec<_>>().last().unwrap();
        let mut plain = world.clone();
        plain.rouse_all();
        for world in [&mut world, &mut plain] {
            world.begin_step(DT).unwrap();
            for now in 0..3 {
                if now == stage {
                    assert!(world.set_velocity(cube, Vector::y() * 3.0, Vector::x()).unwrap());
                }
                match now {
                    0 => world.broad_phase().unwrap(),
                    1 => world.narrow_phase().unwrap(),
                    _ => world.respond().unwrap(),
                }
            }
            world.check_motion().unwrap();
            world.finish_step().unwrap();
        }
        for step in 0..3 {
            assert_eq!(state(&world), state(&plain), "changed before stage {stage}, {step} steps later");
            let reports = [world.step(DT).unwrap(), plain.step(DT).unwrap()].map(told);
            assert_eq!(reports[0], reports[1], "changed before stage {stage}, {step} steps later");
        }
    }
}

#[test]
fn contacts_are_told_in_their_order_whether_they_are_set_aside_or_not() {
    let (mut world, ..) = field(true);
    for _ in 0..200 {
        world.step(DT).unwrap();
    }
    assert!(!world.dormant.contacts().is_empty() && !world.contacts.is_empty());
    let pairs: Vec<PairKey> = world.contacts().map(|(pair, _)| pair).collect();
    assert!(pairs.is_sorted() && pairs.iter().all(|pair| world.contacts_of(pair).is_some()));
    assert_eq!(pairs.len(), world.dormant.contacts().len() + world.contacts.len());
    world.rouse_all();
    assert!(world.contacts().map(|(pair, _)| pair).eq(pairs));
    assert!(world.dormant.contacts().is_empty() && world.dormant.links.is_empty());
    assert_eq!((world.dormant.points, world.dormant.asleep, world.dormant.separation()), (0, 0, Real::INFINITY));
}
