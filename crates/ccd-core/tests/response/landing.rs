//! What lands without a bounce is resolved together, and what stands stays as it is.

use ccd_core::dynamics::{BodyDefinition, BodyKind, Material};
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{StepReport, World, WorldSettings};

const DT: Real = 1.0 / 60.0;

fn world() -> World {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    add(&mut world, BodyKind::Static, [20.0, 0.5, 20.0], [0.0, -0.5, 0.0], 0.0);
    world
}

fn add(world: &mut World, kind: BodyKind, half: [Real; 3], at: [Real; 3], restitution: Real) -> BodyId {
    let pose = Pose::translation(at[0], at[1], at[2]);
    let material = Material { restitution, ..Material::default() };
    let shape = Shape::cuboid(half).unwrap();
    world.add_body(BodyDefinition { material, ..BodyDefinition::new(kind, shape, pose) }).unwrap()
}

fn speed(world: &World, id: BodyId) -> Real {
    world.body(id).unwrap().linear_velocity().y
}

fn height(world: &World, id: BodyId) -> Real {
    world.body(id).unwrap().pose().translation.y
}

/// Rows of boxes that fall with 3 m/s, each a centimetre above the row below it, and what a step does to them.
fn falling_rows(restitution: Real) -> (World, Vec<BodyId>, StepReport) {
    let mut world = world();
    let mut boxes = Vec::new();
    for column in 0..6 {
        for row in 0..4 {
            let at = [1.1 * f64::from(column), 0.51 + 1.01 * f64::from(row), 0.0];
            boxes.push(add(&mut world, BodyKind::Dynamic, [0.5; 3], at, restitution));
        }
    }
    for &id in &boxes {
        world.set_velocity(id, Vector::y() * -3.0, Vector::zeros()).unwrap();
    }
    let report = world.step(DT).unwrap();
    (world, boxes, report)
}

#[test]
fn rows_that_fall_without_a_bounce_stand_after_a_step() {
    let (world, boxes, report) = falling_rows(0.0);
    assert_eq!(report.time_lost, 0.0);
    for (k, &id) in boxes.iter().enumerate() {
        let stacked = 0.5 + (k % 4) as Real;
        assert!(speed(&world, id).abs() < 0.02, "box {k} moves on with {}", speed(&world, id));
        let above = height(&world, id) - stacked;
        assert!(above > 0.0 && above < 4.0 * 1.2e-4, "box {k} is {above} m above its place");
    }
}

#[test]
fn a_landing_is_told_with_no_more_than_it_stopped() {
    let (_, boxes, report) = falling_rows(0.0);
    let momentum = 3.0 * 1000.0;
    assert!(report.impacts.is_sorted_by(|a, b| a.time <= b.time), "in the order of their times");
    for (column, top) in boxes.iter().skip(3).step_by(4).enumerate() {
        // Nothing falls on the top of a column: all its impacts are of its own landing. What approaches as slowly as contact
        // in the end is no impact, and not told.
        let told = report.impacts.iter().filter(|i| [i.pair.a, i.pair.b].contains(top));
        let impulse: Real = told.map(|i| i.impulse.y.abs()).sum();
        assert!(impulse < 1.001 * momentum && impulse > 0.7 * momentum, "column {column}: {impulse} N·s");
    }
}

#[test]
fn what_bounces_does_not_land() {
    let mut world = world();
    let ball = add(&mut world, BodyKind::Dynamic, [0.5; 3], [0.0, 0.52, 0.0], 1.0);
    world.set_velocity(ball, Vector::y() * -3.0, Vector::zeros()).unwrap();
    world.step(DT).unwrap();
    assert!(speed(&world, ball) > 2.5, "{}", speed(&world, ball));
}

#[test]
fn what_is_stopped_on_its_way_does_not_push_what_it_would_have_landed_on() {
    let mut world = world();
    // A beam comes down flat on a high block; on its way it would have reached a low light one as well.
    let high = add(&mut world, BodyKind::Static, [0.5, 0.5, 0.5], [0.0, 0.5001, 0.0], 0.0);
    let low = add(&mut world, BodyKind::Dynamic, [0.5, 0.49, 0.5], [2.0, 0.49001, 0.0], 0.0);
    let beam = add(&mut world, BodyKind::Dynamic, [3.0, 0.1, 0.4], [0.0, 1.11, 0.0], 0.0);
    world.set_velocity(beam, Vector::y() * -3.0, Vector::zeros()).unwrap();
    let report = world.step(DT).unwrap();
    assert!(report.impacts.iter().any(|i| [i.pair.a, i.pair.b].contains(&high)));
    assert!(!report.impacts.iter().any(|i| [i.pair.a, i.pair.b].contains(&low)), "{:?}", report.impacts);
    assert!(speed(&world, low).abs() < 1e-3 && speed(&world, beam).abs() < 0.02);
}

#[test]
fn what_stands_on_the_ground_stays_where_it_is_to_the_bit() {
    let mut world = world();
    for (row, length) in [(0, 3), (1, 2), (2, 1)] {
        for k in 0..length {
            let at = [0.5 * f64::from(row) + 1.001 * f64::from(k), 0.50001 + 1.00001 * f64::from(row), 0.0];
            add(&mut world, BodyKind::Dynamic, [0.5; 3], at, 0.0);
        }
    }
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    let poses = |world: &World| world.bodies().map(|(_, body)| *body.pose()).collect::<Vec<Pose>>();
    let before = poses(&world);
    for _ in 0..600 {
        let report = world.step(DT).unwrap();
        assert_eq!(report.counters.time_of_contact_queries, 0);
        assert_eq!((report.counters.islands, report.counters.solver_sweeps), (0, 0), "nothing is left to solve");
    }
    assert!(before == poses(&world));
}

/// A block of boxes, each half a centimetre from its neighbours, that comes down with 3 m/s.
fn falling_block(restitution: Real) -> (World, Vec<BodyId>) {
    let mut world = world();
    let mut boxes = Vec::new();
    for (x, y, z) in (0..60).map(|k| (k % 4, k / 4 % 3, k / 12)) {
        let at = [1.005 * f64::from(x), 0.52 + 1.005 * f64::from(y), 1.005 * f64::from(z)];
        boxes.push(add(&mut world, BodyKind::Dynamic, [0.5; 3], at, restitution));
    }
    for &id in &boxes {
        world.set_velocity(id, Vector::y() * -3.0, Vector::zeros()).unwrap();
    }
    (world, boxes)
}

#[test]
fn a_crowd_that_lands_is_stopped_in_one_step_by_impulses_that_are_told() {
    let (mut world, boxes) = falling_block(0.0);
    let report = world.step(DT).unwrap();
    assert_eq!(report.time_lost, 0.0);
    assert!(report.min_separation.unwrap() > 0.0);
    for &id in &boxes {
        assert!(speed(&world, id).abs() < 0.05, "moves on with {}", speed(&world, id));
    }
    let ground =
        report.impacts.iter().filter(|impact| !boxes.contains(&impact.pair.a) || !boxes.contains(&impact.pair.b));
    let told: Real = ground.map(|impact| impact.impulse.y.abs()).sum();
    let momentum = 60.0 * 3.0 * 1000.0;
    assert!(told < 1.02 * momentum && told > 0.9 * momentum, "{told} of {momentum} N·s");
    // Each pair is asked for at most a few times, however many land.
    assert!(report.counters.time_of_contact_queries < 1000, "{}", report.counters.time_of_contact_queries);
}

#[test]
fn a_crowd_that_bounces_is_met_at_its_time_and_goes_back_up() {
    let (mut world, boxes) = falling_block(1.0);
    let report = world.step(DT).unwrap();
    assert_eq!(report.time_lost, 0.0);
    assert!(boxes.iter().any(|&id| speed(&world, id) > 1.0), "nothing bounced");
}

#[test]
fn a_crowd_that_lands_askew_overlaps_nothing_loses_no_time_and_gains_no_energy() {
    let (mut world, boxes) = falling_block(0.0);
    for (k, &id) in boxes.iter().enumerate() {
        let (sin, cos) = (k as Real).sin_cos();
        let velocity = Vector::new(2.0 * sin, -4.0 - cos, 2.0 * cos);
        world.set_velocity(id, velocity, Vector::new(cos, sin, -cos) * 3.0).unwrap();
    }
    let energy = |world: &World| -> Real {
        let of = |id: &BodyId| {
            let body = world.body(*id).unwrap();
            1000.0 * (0.5 * body.linear_velocity().norm_squared() + 9.81 * body.pose().translation.y)
                + 0.5 * 1000.0 / 6.0 * body.angular_velocity().norm_squared()
        };
        boxes.iter().map(of).sum()
    };
    let mut before = energy(&world);
    for step in 0..40 {
        let report = world.step(DT).unwrap();
        assert_eq!(report.time_lost, 0.0, "step {step}");
        assert!(report.min_separation.is_none_or(|gap| gap > 0.0), "step {step}: {:?}", report.min_separation);
        let after = energy(&world);
        assert!(after <= before * (1.0 + 1e-6), "step {step}: {after} J after {before} J");
        before = after;
    }
}

/// A wall of twelve columns that touch and stand, eight boxes high, and a box a hand above one of them.
fn wall_and_a_falling_box() -> (World, Vec<BodyId>, BodyId) {
    let mut world = world();
    let gap = 1e-5;
    let mut wall = Vec::new();
    for column in 0..12 {
        for row in 0..8 {
            let at = [(1.0 + gap) * f64::from(column), 0.5 + gap + (1.0 + gap) * f64::from(row), 0.0];
            wall.push(add(&mut world, BodyKind::Dynamic, [0.5; 3], at, 0.0));
        }
    }
    let falling = add(&mut world, BodyKind::Dynamic, [0.5; 3], [3.0, 8.7, 0.0], 0.0);
    (world, wall, falling)
}

#[test]
fn what_lands_on_a_pile_that_stands_is_told_and_lifts_nothing() {
    let (mut world, wall, falling) = wall_and_a_falling_box();
    let start: Vec<Pose> = wall.iter().map(|&id| *world.body(id).unwrap().pose()).collect();
    let mut told = 0.0;
    for step in 0..60 {
        let report = world.step(DT).unwrap();
        assert_eq!(report.time_lost, 0.0, "step {step}");
        told += report.impacts.iter().map(|impact| impact.impulse.y.abs()).sum::<Real>();
    }
    // It fell 0.2 m: 2 m/s and 1000 kg, once, and what the boxes below it pass on.
    assert!(told > 0.9 * 1980.0, "{told} N·s");
    assert!((height(&world, falling) - 8.5).abs() < 1e-3, "{}", height(&world, falling));
    for (&id, start) in wall.iter().zip(&start) {
        let moved = (world.body(id).unwrap().pose().translation.vector - start.translation.vector).norm();
        assert!(moved < 2e-4, "moved {moved} m");
    }
}

#[test]
fn what_comes_down_on_a_corner_in_long_steps_is_not_lifted_by_turning_about_it() {
    let turn = nalgebra::Quaternion::new(-0.395_633_183, 0.283_608_4, -0.342_416_129, -0.803_611_756);
    for shape in [Shape::cuboid([0.3, 0.01, 0.3]).unwrap(), Shape::cuboid([0.2, 0.15, 0.3]).unwrap()] {
        let mut world = world();
        let pose = Pose::from_parts(Vector::new(0.0, 0.6, 0.0).into(), Rotation::from_quaternion(turn));
        let mut plate = BodyDefinition::new(BodyKind::Dynamic, shape, pose);
        plate.material = Material { friction: 0.2, ..Material::default() };
        let id = world.add_body(plate).unwrap();
        let begun = world.energy().total();
        let mut energy = begun;
        for step in 0..50 {
            world.step(0.1).unwrap();
            let now = world.energy().total();
            assert!(now <= energy + 1e-4 * begun, "step {step}: {energy} J, then {now} J");
            energy = now;
        }
        assert!(speed(&world, id).abs() < 1e-3, "{} m/s", speed(&world, id));
    }
}

/// What strikes the floor with an edge, a tip or what is round goes on to turn about that by the spin that it has then, over a rest of the step in which
/// gravity would have stopped it long before. It used to be lifted by up to half of what it had fallen, and to owe that (`world/lifts.rs`).
#[test]
fn what_lands_in_steps_of_up_to_a_second_is_lifted_no_further_than_its_velocity_pays_for() {
    let shapes = [
        Shape::cuboid([0.3, 0.2, 0.4]).unwrap(),
        Shape::capsule(0.2, 0.3).unwrap(),
        Shape::ellipsoid([0.5, 0.2, 0.3]).unwrap(),
        Shape::torus(0.4, 0.15).unwrap(),
        Shape::convex_hull(&[[0.5, 0.0, 0.0], [-0.4, 0.0, 0.3], [0.0, 0.6, -0.2], [0.1, -0.1, 0.5]].map(Point::from))
            .unwrap(),
    ];
    let turn = nalgebra::Quaternion::new(0.730_296_743, 0.182_574_186, 0.365_148_372, 0.547_722_558);
    let pose = |x: Real, y: Real| Pose::from_parts(Vector::new(x, y, 0.03).into(), Rotation::from_quaternion(turn));
    for (k, shape) in shapes.iter().enumerate() {
        for (dt, others) in [(0.25, 0), (0.5, 0), (1.0, 0), (0.25, 1), (0.5, 1), (1.0, 2)] {
            let mut world = world();
            world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape.clone(), pose(0.05, 1.5))).unwrap();
            for other in 1..=others {
                let above = shapes[(k + other) % shapes.len()].clone();
                let at = pose(0.1 * other as Real, 1.5 + 1.5 * other as Real);
                world.add_body(BodyDefinition::new(BodyKind::Dynamic, above, at)).unwrap();
            }
            let begun = world.energy().total();
            let mut least = begun;
            for step in 0..(10.0 / dt) as usize {
                world.step(dt).unwrap();
                let now = world.energy().total();
                assert!(
                    now <= least + 1e-3 * begun,
                    "solid {k}, {others} above, {dt} s, step {step}: {least} J, {now} J"
                );
                least = least.min(now);
            }
        }
    }
}
