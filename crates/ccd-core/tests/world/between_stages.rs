//! What a caller changes while a step is in progress: in that step it is too late for some of it, but none of it is lost.

use ccd_core::dynamics::{BodyDefinition, BodyKind, CollisionLayers};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{StepError, StepReport, World, WorldSettings};

const DT: Real = 1.0 / 60.0;
const STAGES: usize = 6;

fn cube(kind: BodyKind, x: Real, y: Real) -> BodyDefinition {
    BodyDefinition::new(kind, Shape::cuboid([0.5; 3]).unwrap(), Pose::translation(x, y, 0.0))
}

/// A cube that rests on the ground, by itself or beside one that falls far away.
fn at_rest(sleeping: bool, another_falls: bool) -> (World, BodyId) {
    let mut world = World::new(WorldSettings { sleeping, ..WorldSettings::default() }).unwrap();
    let ground = Shape::half_space(Vector::y()).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
    let rests = world.add_body(cube(BodyKind::Dynamic, 0.0, 0.500_01)).unwrap();
    if another_falls {
        world.add_body(cube(BodyKind::Dynamic, 500.0, 5000.0)).unwrap();
    }
    for _ in 0..100 {
        world.step(DT).unwrap();
    }
    (world, rests)
}

/// A step in which something is changed after so many of its stages.
fn step_with(world: &mut World, stage: usize, change: impl Fn(&mut World)) -> StepReport {
    let stages: [fn(&mut World) -> Result<(), StepError>; STAGES - 1] =
        [|world| world.begin_step(DT), World::broad_phase, World::narrow_phase, World::respond, World::check_motion];
    for (k, make) in stages.into_iter().enumerate() {
        if k == stage {
            change(world);
        }
        make(world).unwrap();
    }
    if stage == STAGES - 1 {
        change(world);
    }
    world.finish_step().unwrap()
}

fn height(world: &World, id: BodyId) -> Real {
    world.body(id).unwrap().pose().translation.y
}

#[test]
fn what_rests_goes_by_what_is_changed_of_it_between_the_stages_of_a_step() {
    let changes: [fn(&mut World, BodyId); 3] = [
        |world, id| world.body_mut(id).unwrap().force = Vector::y() * 2e5,
        |world, id| world.body_mut(id).unwrap().gravity_scale = -1.0,
        |world, id| assert!(world.set_velocity(id, Vector::y() * 20.0, Vector::zeros()).unwrap()),
    ];
    for (k, change) in changes.into_iter().enumerate() {
        for (sleeping, another_falls) in [(true, true), (true, false), (false, true), (false, false)] {
            let risen: Vec<Real> = (0..STAGES)
                .map(|stage| {
                    let (mut world, rests) = at_rest(sleeping, another_falls);
                    step_with(&mut world, stage, |world| change(world, rests));
                    for _ in 0..30 {
                        world.step(DT).unwrap();
                    }
                    height(&world, rests)
                })
                .collect();
            assert!(risen[0] > 1.5, "change {k}: {risen:?}");
            // A step more or less.
            assert!(risen.iter().all(|y| (y - risen[0]).abs() < 0.1 * risen[0]), "change {k}, {sleeping}: {risen:?}");
        }
    }
}

#[test]
fn a_number_that_is_none_is_refused_by_the_next_step() {
    for stage in 1..STAGES {
        let (mut world, rests) = at_rest(true, true);
        step_with(&mut world, stage, |world| world.body_mut(rests).unwrap().force = Vector::x() * Real::NAN);
        assert!(matches!(world.step(DT), Err(StepError::Body { body, .. }) if body == rests), "stage {stage}");
    }
}

#[test]
fn what_a_velocity_is_changed_by_is_added_to_what_the_step_makes_of_it() {
    for stage in 0..STAGES {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let falls = world.add_body(cube(BodyKind::Dynamic, 0.0, 50.0)).unwrap();
        world.step(DT).unwrap();
        let spin = Vector::new(0.0, 3.0, 0.0);
        step_with(&mut world, stage, |world| {
            let body = world.body_mut(falls).unwrap();
            let pushed = body.linear_velocity() + Vector::x() * 7.0;
            body.set_velocity(pushed, spin).unwrap();
        });
        let body = world.body(falls).unwrap();
        let due = Vector::new(7.0, -9.81 * 2.0 * DT, 0.0);
        assert!((body.linear_velocity() - due).norm() < 1e-12, "stage {stage}: {}", body.linear_velocity());
        assert!((body.angular_velocity() - spin).norm() < 1e-12, "stage {stage}: {}", body.angular_velocity());
    }
}

#[test]
fn what_is_added_between_the_stages_of_an_uneventful_step_takes_part_from_the_next_on() {
    for stage in 1..STAGES {
        let (mut world, _) = at_rest(true, false);
        let beside = world.add_body(cube(BodyKind::Static, 50.0, 5.0)).unwrap();
        world.step(DT).unwrap();
        world.remove_body(beside);
        let added = std::cell::Cell::new(None);
        step_with(&mut world, stage, |world| {
            added.set(Some(world.add_body(cube(BodyKind::Dynamic, 4.0, 5.0)).unwrap()));
        });
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        assert!(height(&world, added.get().unwrap()) < 0.6, "stage {stage}");
    }
}

#[test]
fn what_comes_to_meet_what_it_is_in_between_the_stages_of_a_step_is_found_by_the_next() {
    for stage in 1..STAGES {
        let settings = WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() };
        let mut world = World::new(settings).unwrap();
        let mut apart = cube(BodyKind::Dynamic, 0.0, 0.0);
        apart.layers = CollisionLayers { memberships: 1, filters: 0 };
        let apart = world.add_body(apart).unwrap();
        world.add_body(cube(BodyKind::Dynamic, 0.5, 0.1)).unwrap();
        world.step(DT).unwrap();
        let all = CollisionLayers { memberships: 1, filters: u32::MAX };
        step_with(&mut world, stage, |world| world.body_mut(apart).unwrap().layers = all);
        assert!(matches!(world.step(DT), Err(StepError::InitialOverlap { .. })), "stage {stage}");
    }
}
