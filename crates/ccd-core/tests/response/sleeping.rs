//! Bodies at rest sleep, wake when something concerns them, and are then as they would have been.

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::random::Random;

const DT: Real = 1.0 / 60.0;

fn add(world: &mut World, kind: BodyKind, half: [Real; 3], at: [Real; 3]) -> BodyId {
    let pose = Pose::translation(at[0], at[1], at[2]);
    world.add_body(BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose)).unwrap()
}

/// A ground and a tower of three boxes on it.
fn tower(sleeping: bool) -> (World, BodyId, [BodyId; 3]) {
    let mut world = World::new(WorldSettings { sleeping, ..WorldSettings::default() }).unwrap();
    let ground = add(&mut world, BodyKind::Static, [20.0, 0.5, 20.0], [0.0, -0.5, 0.0]);
    let boxes = [0.50001, 1.50002, 2.50003].map(|y| add(&mut world, BodyKind::Dynamic, [0.5; 3], [0.0, y, 0.0]));
    (world, ground, boxes)
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step(DT).unwrap();
        assert_eq!(report.time_lost, 0.0);
    }
}

fn asleep(world: &World, id: BodyId) -> bool {
    world.body(id).unwrap().is_asleep()
}

fn height(world: &World, id: BodyId) -> Real {
    world.body(id).unwrap().pose().translation.y
}

#[test]
fn a_tower_at_rest_sleeps_after_half_a_second_and_stays_where_it_is() {
    let (mut world, ground, boxes) = tower(true);
    run(&mut world, 25);
    assert!(boxes.iter().all(|&id| !asleep(&world, id)));
    run(&mut world, 35);
    assert!(boxes.iter().all(|&id| asleep(&world, id)) && !asleep(&world, ground));
    let before: Vec<Pose> = world.bodies().map(|(_, body)| *body.pose()).collect();
    run(&mut world, 600);
    let after: Vec<Pose> = world.bodies().map(|(_, body)| *body.pose()).collect();
    assert_eq!(before, after);
    assert_eq!(world.contacts().filter(|(_, contacts)| contacts.touching).count(), 3);
}

#[test]
fn who_may_not_sleep_keeps_awake_what_hangs_together_with_it_and_nobody_else() {
    let (mut world, _, boxes) = tower(true);
    let beside = add(&mut world, BodyKind::Dynamic, [0.5; 3], [3.0, 0.50001, 0.0]);
    world.body_mut(boxes[2]).unwrap().can_sleep = false;
    run(&mut world, 120);
    assert!(boxes.iter().all(|&id| !asleep(&world, id)) && asleep(&world, beside));
    world.body_mut(boxes[2]).unwrap().can_sleep = true;
    run(&mut world, 60);
    assert!(boxes.iter().all(|&id| asleep(&world, id)));
}

#[test]
fn what_is_put_to_sleep_sleeps_after_a_step_if_it_is_at_rest_with_all_that_it_touches() {
    let (mut world, ground, boxes) = tower(true);
    run(&mut world, 10);
    // The others have not rested for long enough.
    world.put_to_sleep(boxes[1]);
    run(&mut world, 1);
    assert!(boxes.iter().all(|&id| !asleep(&world, id)));
    boxes.iter().for_each(|&id| world.put_to_sleep(id));
    run(&mut world, 1);
    assert!(boxes.iter().all(|&id| asleep(&world, id)));
    // Neither does what falls, or cannot.
    world.put_to_sleep(ground);
    let falling = add(&mut world, BodyKind::Dynamic, [0.5; 3], [5.0, 3.0, 0.0]);
    world.put_to_sleep(falling);
    run(&mut world, 1);
    assert!(!asleep(&world, falling) && !asleep(&world, ground));
    run(&mut world, 10);
    assert!(height(&world, falling) < 2.95);
    let (mut world, _, boxes) = tower(false);
    run(&mut world, 10);
    boxes.iter().for_each(|&id| world.put_to_sleep(id));
    run(&mut world, 5);
    assert!(boxes.iter().all(|&id| !asleep(&world, id)));
}

#[test]
fn what_sleeps_is_not_looked_at_and_keeps_its_contacts() {
    let (mut world, ground, boxes) = tower(true);
    run(&mut world, 60);
    assert!(boxes.iter().all(|&id| asleep(&world, id)));
    let before: Vec<usize> = world.contacts().map(|(_, contacts)| contacts.points.len()).collect();
    let counters = world.step(DT).unwrap().counters;
    assert_eq!((counters.candidate_pairs, counters.contact_pairs, counters.solver_sweeps), (0, 3, 0));
    assert_eq!(before, world.contacts().map(|(_, contacts)| contacts.points.len()).collect::<Vec<_>>());
    // What is put beside it is found at once, whatever sleeps on, and forgotten when it is taken away.
    let post = add(&mut world, BodyKind::Static, [0.5; 3], [1.0002, 2.0, 0.0]);
    for step in 0..3 {
        world.step(DT).unwrap();
        let found: Vec<BodyId> =
            world.contacts().filter(|(key, _)| key.b == post).map(|(key, _)| key.a).filter(|a| *a != ground).collect();
        assert_eq!(found, boxes[1..], "step {step}");
    }
    world.set_pose(post, Pose::translation(5.0, 2.0, 0.0)).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.contacts().count(), 3);
    world.set_pose(post, Pose::translation(-1.0002, 2.0, 0.0)).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.contacts().count(), 5);
}

#[test]
fn without_sleeping_nothing_sleeps() {
    let (mut world, _, boxes) = tower(false);
    run(&mut world, 120);
    assert!(boxes.iter().all(|&id| !asleep(&world, id)));
}

#[test]
fn what_is_hit_wakes_with_all_it_touches_and_answers_within_the_step() {
    for sleeping in [true, false] {
        let (mut world, _, boxes) = tower(sleeping);
        run(&mut world, 60);
        let ball =
            BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([0.2; 3]).unwrap(), Pose::translation(-3.0, 2.5, 0.0));
        let ball = world.add_body(ball).unwrap();
        world.set_velocity(ball, Vector::x() * 400.0, Vector::zeros()).unwrap();
        // It arrives within the first step.
        let report = world.step(DT).unwrap();
        assert!(!report.impacts.is_empty());
        assert!(world.body(boxes[2]).unwrap().linear_velocity().x > 0.1);
        run(&mut world, 1);
        assert!(boxes.iter().all(|&id| !asleep(&world, id)));
    }
}

/// The centre of mass and the turn of a box that slept afloat and was hit at a corner within the last step. Its frame begins
/// `aside` metres from its middle.
fn hit_in_its_sleep(aside: Real) -> (Vector, Vector) {
    let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
    let signs = (0..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -0.5 } else { 0.5 }));
    let corners: Vec<Point> = signs.map(|[x, y, z]| Point::new(x + aside, y, z)).collect();
    let shape = Shape::convex_hull(&corners).unwrap();
    let pose = Pose::translation(-aside, 0.0, 0.0);
    let body = world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape, pose)).unwrap();
    run(&mut world, 60);
    assert!(asleep(&world, body));
    let ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.1).unwrap(), Pose::translation(0.4, 3.0, 0.3));
    let ball = world.add_body(ball).unwrap();
    world.set_velocity(ball, Vector::y() * -600.0, Vector::zeros()).unwrap();
    let report = world.step(DT).unwrap();
    assert!(!report.impacts.is_empty());
    let body = world.body(body).unwrap();
    ((body.pose() * body.local_centre()).coords, body.pose().rotation.scaled_axis())
}

#[test]
fn what_is_hit_in_its_sleep_turns_about_its_centre_of_mass_wherever_its_frame_begins() {
    let (centre, turn) = hit_in_its_sleep(0.0);
    assert!(turn.norm() > 1e-3);
    let (shifted_centre, shifted_turn) = hit_in_its_sleep(30.0);
    assert!((shifted_centre - centre).norm() < 1e-9 && (shifted_turn - turn).norm() < 1e-9);
}

#[test]
fn what_stood_on_something_that_is_taken_away_falls() {
    for sleeping in [true, false] {
        let (mut world, _, boxes) = tower(sleeping);
        run(&mut world, 60);
        world.remove_body(boxes[1]);
        run(&mut world, 10);
        assert!(height(&world, boxes[2]) < 2.49);
        let (mut world, _, boxes) = tower(sleeping);
        run(&mut world, 60);
        world.set_pose(boxes[0], Pose::translation(10.0, 0.50001, 0.0)).unwrap();
        run(&mut world, 10);
        assert!(height(&world, boxes[1]) < 1.49 && height(&world, boxes[2]) < 2.49);
    }
}

#[test]
fn what_is_taken_away_or_put_elsewhere_wakes_those_that_it_touches_and_no_others() {
    let remove = |world: &mut World, id| drop(world.remove_body(id));
    let put_elsewhere = |world: &mut World, id| {
        assert!(world.set_pose(id, Pose::translation(0.0, -50.0, 0.0)).unwrap());
    };
    for takes_away in [remove, put_elsewhere] {
        let (mut world, floor, boxes) = tower(true);
        let aside = add(&mut world, BodyKind::Dynamic, [0.5; 3], [3.0, 0.50001, 0.0]);
        run(&mut world, 60);
        takes_away(&mut world, boxes[0]);
        assert_eq!([boxes[1], boxes[2], aside].map(|id| asleep(&world, id)), [false, true, true]);
        run(&mut world, 1);
        assert_eq!(world.contacts().filter(|(pair, _)| [pair.a, pair.b].contains(&boxes[0])).count(), 0);
        world.remove_body(floor);
        run(&mut world, 10);
        assert!(height(&world, boxes[1]) < 1.49 && height(&world, boxes[2]) < 2.49);
    }
}

#[test]
fn gravity_that_changes_wakes_all() {
    for sleeping in [true, false] {
        let (mut world, _, boxes) = tower(sleeping);
        run(&mut world, 60);
        let up = WorldSettings { gravity: Vector::y(), ..world.settings().clone() };
        world.set_settings(up).unwrap();
        run(&mut world, 30);
        assert!(boxes.iter().all(|&id| height(&world, id) > 0.6));
    }
}

#[test]
fn a_kinematic_lift_carries_what_sleeps_or_stands_on_it() {
    for sleeping in [true, false] {
        let mut world = World::new(WorldSettings { sleeping, ..WorldSettings::default() }).unwrap();
        let lift = add(&mut world, BodyKind::Kinematic, [2.0, 0.5, 2.0], [0.0, -0.5, 0.0]);
        let load = add(&mut world, BodyKind::Dynamic, [0.5; 3], [0.0, 0.50001, 0.0]);
        run(&mut world, 60);
        assert_eq!(asleep(&world, load), sleeping);
        world.set_velocity(lift, Vector::y() * 0.5, Vector::zeros()).unwrap();
        run(&mut world, 60);
        assert!((height(&world, load) - 1.0).abs() < 1e-3 && !asleep(&world, load));
        world.set_velocity(lift, Vector::y() * -0.5, Vector::zeros()).unwrap();
        run(&mut world, 60);
        assert!((height(&world, load) - 0.5).abs() < 1e-3, "{}", height(&world, load));
        world.set_velocity(lift, Vector::zeros(), Vector::zeros()).unwrap();
        run(&mut world, 60);
        assert_eq!(asleep(&world, load), sleeping);
    }
}

#[test]
fn a_block_on_a_slope_a_twentieth_of_a_degree_too_steep_never_sleeps() {
    let friction: Real = 0.5;
    let slope = friction.atan() + (0.05_f64).to_radians();
    let mut world = World::new(WorldSettings::default()).unwrap();
    let turn = Rotation::from_axis_angle(&Vector::z_axis(), -slope);
    let place = |y: Real| Pose::from_parts((turn * Vector::y() * y).into(), turn);
    for (kind, half, pose) in
        [(BodyKind::Static, [50.0, 0.5, 5.0], place(-0.5)), (BodyKind::Dynamic, [0.5, 0.1, 0.5], place(0.10001))]
    {
        let mut definition = BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose);
        definition.material.friction = friction;
        world.add_body(definition).unwrap();
    }
    let block = world.bodies().last().unwrap().0;
    run(&mut world, 240);
    assert!(!asleep(&world, block));
    assert!(world.body(block).unwrap().linear_velocity().norm() > 0.01);
}

#[test]
fn a_body_afloat_sleeps_and_is_woken_by_a_force() {
    let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
    let body = add(&mut world, BodyKind::Dynamic, [0.5; 3], [0.0; 3]);
    run(&mut world, 60);
    assert!(asleep(&world, body));
    world.body_mut(body).unwrap().force = Vector::y() * 1e-3;
    run(&mut world, 600);
    assert!(!asleep(&world, body) && height(&world, body) > 0.0);
}

/// Boxes that lie on each other's edges, askew, and leaning columns of them: a heap rests if its contacts stay what they are
/// while it creeps, and if nothing that is left unsolved sways it again.
#[test]
fn what_nothing_holds_drifts_on_however_slowly() {
    let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
    // One alone, and two that drift along in touch.
    let places = [[0.0, 5.0, 0.0], [0.0, 0.0, 0.0], [1.00001, 0.0, 0.0]];
    let drifting = places.map(|at| add(&mut world, BodyKind::Dynamic, [0.5; 3], at));
    let speed = 3e-5;
    for id in drifting {
        world.set_velocity(id, Vector::z() * speed, Vector::zeros()).unwrap();
    }
    run(&mut world, 120);
    for id in drifting {
        let (body, way) = (world.body(id).unwrap(), 120.0 * DT * speed);
        assert!((body.pose().translation.z - way).abs() < 1e-12 && !body.is_asleep(), "{}", body.pose());
    }
}

#[test]
fn heaps_of_tumbled_boxes_come_to_rest_and_sleep() {
    for seed in [2, 7, 23] {
        let mut world = World::new(WorldSettings::default()).unwrap();
        add(&mut world, BodyKind::Static, [5.0, 0.5, 5.0], [0.0, -0.5, 0.0]);
        for (x, z) in [(1.5, 0.0), (-1.5, 0.0), (0.0, 1.5), (0.0, -1.5)] {
            let half = if x == 0.0 { [2.0, 3.0, 0.5] } else { [0.5, 3.0, 2.0] };
            add(&mut world, BodyKind::Static, half, [x, 3.0, z]);
        }
        let mut random = Random(seed);
        let boxes: Vec<BodyId> = (0..32)
            .map(|k| {
                let [i, j, layer] = [k % 2, k / 2 % 2, k / 4].map(f64::from);
                let place = [i - 0.5, 0.6 + 0.9 * layer, j - 0.5].map(|x| x + random.between(-0.05, 0.05));
                let pose = Pose::from_parts(place.into(), random.rotation());
                let shape = Shape::cuboid([0.25, 0.2, 0.3]).unwrap();
                world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape, pose)).unwrap()
            })
            .collect();
        let mut steps = 0;
        while !boxes.iter().all(|id| asleep(&world, *id)) {
            let report = world.step(DT).unwrap();
            assert_eq!(report.time_lost, 0.0);
            steps += 1;
            let sleeping = boxes.iter().filter(|id| asleep(&world, **id)).count();
            assert!(steps < 600, "seed {seed}: {sleeping} of 32 sleep");
        }
    }
}

/// A beam on two posts of which one is lower by three fifths of the tolerance touches both, and need not tilt to close that gap.
#[test]
fn a_beam_on_two_posts_of_unequal_height_does_not_rock_within_the_tolerance() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let tolerance = world.settings().tolerance;
    add(&mut world, BodyKind::Static, [0.1, 0.5, 0.1], [-0.9, -0.5, 0.0]);
    add(&mut world, BodyKind::Static, [0.1, 0.5, 0.1], [0.9, -0.5 - 0.6 * tolerance, 0.0]);
    let beam = add(&mut world, BodyKind::Dynamic, [1.0, 0.1, 0.1], [0.0, 0.1 + 0.1 * tolerance, 0.0]);
    let before = *world.body(beam).unwrap().pose();
    run(&mut world, 60);
    let after = *world.body(beam).unwrap().pose();
    assert!(asleep(&world, beam));
    assert!((after.translation.vector - before.translation.vector).norm() < 1e-3 * tolerance);
    assert!(after.rotation.angle_to(&before.rotation) < 1e-3 * tolerance);
}

/// A block on a ground without friction, in a world without sleep.
fn sliding(speed: Real, force: Real) -> (World, BodyId) {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    let ground = add(&mut world, BodyKind::Static, [20.0, 0.5, 20.0], [0.0, -0.5, 0.0]);
    let block = add(&mut world, BodyKind::Dynamic, [0.5; 3], [0.0, 0.50001, 0.0]);
    for id in [ground, block] {
        world.body_mut(id).unwrap().material.friction = 0.0;
    }
    world.set_velocity(block, Vector::x() * speed, Vector::zeros()).unwrap();
    let block_mut = world.body_mut(block).unwrap();
    block_mut.force = Vector::x() * (force * block_mut.mass_properties().mass);
    (world, block)
}

fn gone(world: &World, id: BodyId) -> Real {
    world.body(id).unwrap().pose().translation.x
}

#[test]
fn without_sleep_what_creeps_for_half_a_second_stands_and_what_is_faster_goes_on() {
    let (mut creeping, block) = sliding(1e-5, 0.0);
    run(&mut creeping, 20);
    assert!(gone(&creeping, block) > 3e-6, "{}", gone(&creeping, block));
    run(&mut creeping, 100);
    let stands_at = gone(&creeping, block);
    assert!(stands_at < 6e-6, "{stands_at}");
    run(&mut creeping, 100);
    assert_eq!(gone(&creeping, block), stands_at);
    let (mut faster, block) = sliding(1e-4, 0.0);
    run(&mut faster, 240);
    assert!((gone(&faster, block) - 4e-4).abs() < 1e-6, "{}", gone(&faster, block));
}

#[test]
fn without_sleep_a_pull_of_a_ten_thousandth_of_gravity_moves_what_lies() {
    let (mut world, block) = sliding(0.0, 1e-3);
    run(&mut world, 120);
    assert!((gone(&world, block) - 2e-3).abs() < 1e-4, "{}", gone(&world, block));
}

#[test]
fn without_sleep_what_stands_is_carried_by_a_platform_however_slow() {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    let platform = add(&mut world, BodyKind::Kinematic, [2.0, 0.5, 2.0], [0.0, -0.5, 0.0]);
    let block = add(&mut world, BodyKind::Dynamic, [0.5; 3], [0.0, 0.50001, 0.0]);
    run(&mut world, 60);
    world.set_velocity(platform, Vector::x() * 1e-5, Vector::zeros()).unwrap();
    run(&mut world, 240);
    assert!((gone(&world, block) - 4e-5).abs() < 1e-6, "{}", gone(&world, block));
}

#[test]
fn without_sleep_a_heap_comes_to_stand_to_the_bit() {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    add(&mut world, BodyKind::Static, [100.0, 0.5, 100.0], [0.0, -0.5, 0.0]);
    let mut random = Random(7);
    for k in 0..60 {
        let place = [random.between(-0.6, 0.6), 0.5 + 0.8 * Real::from(k), random.between(-0.6, 0.6)];
        add(&mut world, BodyKind::Dynamic, [0.25; 3], place);
    }
    run(&mut world, 1500);
    let places = |world: &World| world.bodies().map(|(_, body)| *body.pose()).collect::<Vec<_>>();
    let before = places(&world);
    run(&mut world, 120);
    assert_eq!(before, places(&world));
    assert!(world.bodies().all(|(_, body)| *body.linear_velocity() == Vector::zeros() && !body.is_asleep()));
}

#[test]
fn what_long_steps_let_down_without_velocity_at_their_ends_does_not_sleep_on_its_way() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    add(&mut world, BodyKind::Static, [20.0, 0.5, 20.0], [0.0, -0.5, 0.0]);
    let turn = nalgebra::Quaternion::new(-0.335_303_603, 0.308_306_688, -0.160_378_291, -0.875_669_620);
    let pose = Pose::from_parts(Vector::new(0.0, 0.6, 0.0).into(), Rotation::from_quaternion(turn));
    let mut flat = BodyDefinition::new(BodyKind::Dynamic, Shape::ellipsoid([0.3, 0.03, 0.3]).unwrap(), pose);
    (flat.material.friction, flat.material.restitution) = (0.5, 0.0);
    let flat = world.add_body(flat).unwrap();
    for _ in 0..60 {
        world.step(0.1).unwrap();
        assert!(!asleep(&world, flat) || height(&world, flat) < 0.033, "asleep at {} m", height(&world, flat));
    }
    assert!(height(&world, flat) < 0.04, "{} m", height(&world, flat));
}
