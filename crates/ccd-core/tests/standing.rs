//! What stands to the bit is not solved again, and that makes no difference but in cost.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const DT: Real = 1.0 / 60.0;
/// Steps after which the pyramid stands.
const SETTLED: usize = 120;

fn add(world: &mut World, kind: BodyKind, half: [Real; 3], at: [Real; 3]) -> BodyId {
    let pose = Pose::translation(at[0], at[1], at[2]);
    world.add_body(BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose)).unwrap()
}

/// A floor and a pyramid of five rows on it, without sleep; the floor first, then the boxes from below.
fn pyramid() -> (World, Vec<BodyId>) {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    let mut ids = vec![add(&mut world, BodyKind::Static, [20.0, 0.5, 20.0], [0.0, -0.5, 0.0])];
    for row in 0..5 {
        for k in 0..5 - row {
            let x = 1.02 * (f64::from(k) + 0.5 * f64::from(row));
            ids.push(add(&mut world, BodyKind::Dynamic, [0.5; 3], [x, 0.5 + 1e-5 + 1.00001 * f64::from(row), 0.0]));
        }
    }
    (world, ids)
}

fn step(world: &mut World, steps: usize) -> u64 {
    (0..steps).map(|_| world.step(DT).unwrap().counters.islands).sum()
}

fn settled() -> (World, Vec<BodyId>) {
    let (mut world, ids) = pyramid();
    step(&mut world, SETTLED);
    assert_eq!(step(&mut world, 1), 0, "the pyramid is still solved for");
    (world, ids)
}

fn top_moves(world: &mut World, ids: &[BodyId]) -> Real {
    let place = |world: &World| world.body(*ids.last().unwrap()).unwrap().pose().translation.vector;
    let before = place(world);
    step(world, 10);
    (place(world) - before).norm()
}

#[test]
fn what_stands_is_the_same_to_the_bit_whether_it_is_solved_again_or_not() {
    let (mut left, ids) = pyramid();
    let (mut solved, _) = pyramid();
    for k in 0..2 * SETTLED {
        step(&mut left, 1);
        // Whoever is changed is solved for.
        ids.iter().for_each(|&id| assert!(solved.body_mut(id).is_some()));
        let islands = step(&mut solved, 1);
        assert!(islands > 0, "step {k} solves nothing");
        for &id in &ids {
            let (one, other) = (left.body(id).unwrap(), solved.body(id).unwrap());
            assert_eq!(one.pose(), other.pose(), "step {k}");
            assert_eq!(one.linear_velocity(), other.linear_velocity(), "step {k}");
        }
    }
    for ((pair, one), (other_pair, other)) in left.contacts().zip(solved.contacts()) {
        assert_eq!(pair, other_pair);
        assert_eq!(one.impulses, other.impulses, "{pair:?}");
    }
}

#[test]
fn what_stands_moves_as_soon_as_something_concerns_it() {
    let (mut world, ids) = settled();
    assert_eq!(top_moves(&mut world, &ids), 0.0);

    let (mut world, ids) = settled();
    world.body_mut(*ids.last().unwrap()).unwrap().force = Vector::x() * 1e5;
    assert!(top_moves(&mut world, &ids) > 0.01, "a force");

    let (mut world, ids) = settled();
    world.remove_body(ids[1]).unwrap();
    world.remove_body(ids[2]).unwrap();
    step(&mut world, 60);
    let second_row = world.body(ids[6]).unwrap().pose().translation.y;
    assert!(second_row < 1.4, "what stood on boxes that are gone is still at {second_row}");

    let (mut world, ids) = settled();
    let settings = WorldSettings { gravity: Vector::x() * 20.0, ..world.settings().clone() };
    world.set_settings(settings).unwrap();
    assert!(top_moves(&mut world, &ids) > 0.01, "gravity");

    let (mut world, ids) = settled();
    let ball = BodyDefinition {
        linear_velocity: Vector::x() * 30.0,
        ..BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.4).unwrap(), Pose::translation(-3.0, 4.5, 0.0))
    };
    world.add_body(ball).unwrap();
    assert!(top_moves(&mut world, &ids) > 0.01, "a ball");
}

#[test]
fn another_step_length_is_solved_for() {
    let (mut world, _) = settled();
    assert!(world.step(0.5 * DT).unwrap().counters.islands > 0);
}
