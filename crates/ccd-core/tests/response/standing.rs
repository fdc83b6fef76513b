//! What stands to the bit is not solved again, and that makes no difference but in cost; what stands while something else of a large
//! island moves counts as fixed, until it no longer bears what pushes it.

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const DT: Real = 1.0 / 60.0;
/// Steps after which the pyramid stands.
const SETTLED: usize = 120;
/// A base of a pyramid that is large enough for some of it to count as fixed.
const LARGE: usize = 16;

fn add(world: &mut World, kind: BodyKind, half: [Real; 3], at: [Real; 3]) -> BodyId {
    let pose = Pose::translation(at[0], at[1], at[2]);
    world.add_body(BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose)).unwrap()
}

/// A floor and a pyramid of `base` rows on it, without sleep; the floor first, then the boxes from below.
fn pyramid(base: usize) -> (World, Vec<BodyId>) {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    let mut ids = vec![add(&mut world, BodyKind::Static, [20.0, 0.5, 20.0], [0.0, -0.5, 0.0])];
    for row in 0..base {
        for k in 0..base - row {
            let x = 1.02 * (k as Real + 0.5 * row as Real);
            ids.push(add(&mut world, BodyKind::Dynamic, [0.5; 3], [x, 0.5 + 1e-5 + 1.00001 * row as Real, 0.0]));
        }
    }
    (world, ids)
}

fn step(world: &mut World, steps: usize) -> u64 {
    (0..steps).map(|_| world.step(DT).unwrap().counters.islands).sum()
}

fn settled(base: usize) -> (World, Vec<BodyId>) {
    let (mut world, ids) = pyramid(base);
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
    let (mut left, ids) = pyramid(5);
    let (mut solved, _) = pyramid(5);
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
    for base in [5, LARGE] {
        let (mut world, ids) = settled(base);
        assert_eq!(top_moves(&mut world, &ids), 0.0);

        let (mut world, ids) = settled(base);
        world.body_mut(*ids.last().unwrap()).unwrap().force = Vector::x() * 1e5;
        assert!(top_moves(&mut world, &ids) > 0.01, "a force");

        let (mut world, ids) = settled(base);
        world.remove_body(ids[1]).unwrap();
        world.remove_body(ids[2]).unwrap();
        step(&mut world, 60);
        let second_row = world.body(ids[base + 1]).unwrap().pose().translation.y;
        assert!(second_row < 1.4, "what stood on boxes that are gone is still at {second_row}");

        let (mut world, ids) = settled(base);
        let settings = WorldSettings { gravity: Vector::x() * 20.0, ..world.settings().clone() };
        world.set_settings(settings).unwrap();
        assert!(top_moves(&mut world, &ids) > 0.01, "gravity");

        let (mut world, ids) = settled(base);
        let top = world.body(*ids.last().unwrap()).unwrap().pose().translation.vector;
        let ball = BodyDefinition {
            linear_velocity: Vector::x() * 30.0,
            ..BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.4).unwrap(), Pose::from(top - Vector::x() * 5.0))
        };
        world.add_body(ball).unwrap();
        assert!(top_moves(&mut world, &ids) > 0.01, "a ball");
    }
}

/// A heavy plank on a floor, a hundred boxes of 1 kg that stand on it apart from each other, and two that stand side by side; all are
/// one island, and calm. Returns it with the two.
fn laden_plank() -> (World, [BodyId; 2]) {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    add(&mut world, BodyKind::Static, [30.0, 0.5, 30.0], [0.0, -0.5, 0.0]);
    let mut put = |kind, half: [Real; 3], mass: Real, at: [Real; 3]| {
        let pose = Pose::translation(at[0], at[1], at[2]);
        let mut definition = BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose);
        definition.mass = MassSpecification::Mass(mass);
        world.add_body(definition).unwrap()
    };
    put(BodyKind::Dynamic, [20.0, 0.5, 20.0], 1000.0, [0.0, 0.5 + 1e-5, 0.0]);
    for (i, k) in (0..10).flat_map(|i| (0..10).map(move |k| (i, k))) {
        put(BodyKind::Dynamic, [0.5; 3], 1.0, [1.5 * Real::from(i), 1.5 + 2e-5, 1.5 * Real::from(k) - 15.0]);
    }
    let two = [0.0, 1.00001].map(|x| put(BodyKind::Dynamic, [0.5; 3], 1.0, [x - 10.0, 1.5 + 2e-5, 5.0]));
    step(&mut world, 60);
    (world, two)
}

#[test]
fn what_stands_in_a_large_island_gives_way_to_a_neighbour_just_when_friction_no_longer_holds_it() {
    let friction =
        BodyDefinition::new(BodyKind::Dynamic, Shape::ball(1.0).unwrap(), Pose::identity()).material.friction;
    // What holds the two, N: one alone gives way to half of it.
    let holds = 2.0 * friction * 9.81;
    for (share, gives_way) in [(0.6, false), (0.98, false), (0.999, false), (1.001, true), (1.02, true)] {
        let (mut world, [pushed, other]) = laden_plank();
        let place = |world: &World| world.body(other).unwrap().pose().translation.x;
        let before = place(&world);
        world.body_mut(pushed).unwrap().force = Vector::x() * share * holds;
        step(&mut world, 60);
        let moved = place(&world) - before;
        // As far as what is over moves the two within a second, but for the time that it takes to be felt.
        let free = 0.5 * (share - 1.0) * friction * 9.81;
        assert!(
            if gives_way { (0.7 * free..1.1 * free).contains(&moved) } else { moved.abs() < 1e-5 },
            "{share}: {moved} of {free}"
        );
    }
}

#[test]
fn another_step_length_is_solved_for() {
    let (mut world, _) = settled(5);
    assert!(world.step(0.5 * DT).unwrap().counters.islands > 0);
}

/// What lies on something presses it as hard whatever the step: the impulses known from the last one are taken for as long as this one is.
#[test]
fn loads_are_known_when_the_time_step_changes() {
    let (mut world, ids) = settled(LARGE);
    let top = *ids.last().unwrap();
    let before = *world.body(top).unwrap().pose();
    for k in 0..40 {
        let dt = [1.0 / 144.0, 1.0 / 30.0, 0.05, DT][k % 4];
        let report = world.step(dt).unwrap();
        assert_eq!(report.counters.islands, 1, "step {k} is solved for");
        assert!(report.counters.solver_sweeps <= 2, "step {k}: {} sweeps", report.counters.solver_sweeps);
    }
    assert_eq!(*world.body(top).unwrap().pose(), before);
}
