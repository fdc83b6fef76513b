//! Bodies between what nothing can push back and what cannot yield: the pushing body stops and is named, nothing is run through,
//! and a press that opens lets go.

use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::random::Random;

const DT: Real = 1.0 / 60.0;

fn cuboid(kind: BodyKind, half: [Real; 3], centre: [Real; 3]) -> BodyDefinition {
    let [x, y, z] = centre;
    BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), Pose::translation(x, y, z))
}

/// No two bodies of which one is dynamic overlap.
fn assert_apart(world: &World) {
    let bodies: Vec<_> = world.bodies().map(|(_, body)| body).collect();
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i + 1..] {
            if a.kind() == BodyKind::Dynamic || b.kind() == BodyKind::Dynamic {
                let near = closest(a.shape(), a.pose(), b.shape(), b.pose()).unwrap();
                assert!(near.distance > 0.0);
            }
        }
    }
}

fn height(world: &World, id: BodyId) -> Real {
    world.body(id).unwrap().pose().translation.y
}

#[test]
fn kinematic_body_that_would_crush_stops_and_is_named() {
    let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
    world.add_body(cuboid(BodyKind::Static, [0.5, 2.0, 2.0], [1.5, 0.0, 0.0])).unwrap();
    world.add_body(cuboid(BodyKind::Dynamic, [0.5; 3], [0.4, 0.0, 0.0])).unwrap();
    let mut press = cuboid(BodyKind::Kinematic, [0.5, 2.0, 2.0], [-1.5, 0.0, 0.0]);
    press.linear_velocity = Vector::x() * 2.0;
    let press = world.add_body(press).unwrap();
    let mut crushed = Vec::new();
    for _ in 0..60 {
        crushed.extend_from_slice(&world.step(DT).unwrap().crushed);
    }
    assert!(crushed.contains(&press));
    // The box is 1 m wide and the wall's face is at 1 m: the press's face, half a metre ahead of it, gets no further than 0.
    let x = world.body(press).unwrap().pose().translation.x;
    assert!(x < -0.5 && x > -0.51, "{x}");
}

#[test]
fn a_press_that_opens_lets_go_of_what_it_crushed() {
    let shapes = [
        Shape::cuboid([0.25; 3]),
        Shape::ball(0.25),
        Shape::capsule(0.15, 0.2),
        Shape::cylinder(0.2, 0.2),
        Shape::cone(0.2, 0.4),
    ];
    let shapes: Vec<Shape> = shapes.into_iter().map(Result::unwrap).collect();
    for speed in [1.0, 20.0] {
        let mut world = World::new(WorldSettings::default()).unwrap();
        world.add_body(cuboid(BodyKind::Static, [5.0, 0.5, 5.0], [0.0, -0.5, 0.0])).unwrap();
        for (x, z) in [(1.1, 0.0), (-1.1, 0.0), (0.0, 1.1), (0.0, -1.1)] {
            let half = if x == 0.0 { [2.0, 2.0, 0.1] } else { [0.1, 2.0, 2.0] };
            world.add_body(cuboid(BodyKind::Static, half, [x, 2.0, z])).unwrap();
        }
        let mut victims = Vec::new();
        for i in 0..10_u8 {
            let f = Real::from(i);
            let turn = Rotation::new(Vector::new((1.3 * f).sin(), (0.7 * f).cos(), (2.1 * f).sin()) * 2.0);
            let (x, z) = (if i % 2 == 0 { -0.5 } else { 0.5 }, if i % 4 < 2 { -0.5 } else { 0.5 });
            let place = Pose::from_parts(Vector::new(x, 0.6 + Real::from(i / 4), z).into(), turn);
            let body = BodyDefinition::new(BodyKind::Dynamic, shapes[usize::from(i) % shapes.len()].clone(), place);
            victims.push(world.add_body(body).unwrap());
        }
        let top = 4.0;
        let mut press = cuboid(BodyKind::Kinematic, [0.98, 0.1, 0.98], [0.0, top, 0.0]);
        press.linear_velocity = Vector::y() * -speed;
        let press = world.add_body(press).unwrap();
        let steps = (1.2 * top / speed / DT) as usize;
        let mut crushed = 0;
        for _ in 0..steps {
            crushed += world.step(DT).unwrap().crushed.len();
            assert_apart(&world);
        }
        assert!(crushed > 0, "at {speed} m/s");
        let lowest = height(&world, press);
        world.set_velocity(press, Vector::y() * speed, Vector::zeros()).unwrap();
        for step in 0..steps {
            let report = world.step(DT).unwrap();
            assert!(report.crushed.is_empty(), "step {step} at {speed} m/s");
            // What was thrown about when the press closed may need a step more.
            assert!(step == 0 || report.time_lost == 0.0, "step {step} at {speed} m/s lost {}", report.time_lost);
            assert_apart(&world);
        }
        let risen = height(&world, press) - lowest;
        assert!((risen - speed * DT * steps as Real).abs() < 1e-9, "{risen} at {speed} m/s");
        // A cone on its side is the flattest: 9 cm from its axis to the floor.
        assert!(victims.iter().all(|&id| height(&world, id) > 0.08), "nothing went through the floor");
    }
}

/// Two walls close on a pile in a pit. What has nowhere to go is not met a thousand times: the walls stop, and only they.
#[test]
fn walls_that_close_on_a_pile_stop_after_few_impacts() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    world.add_body(cuboid(BodyKind::Static, [3.0, 0.2, 3.0], [0.0, -0.2, 0.0])).unwrap();
    for z in [0.85, -0.85] {
        world.add_body(cuboid(BodyKind::Static, [0.9, 1.0, 0.1], [0.0, 1.0, z])).unwrap();
    }
    let walls = [1.0, -1.0].map(|side: Real| {
        let mut wall = cuboid(BodyKind::Kinematic, [0.1, 1.0, 0.7], [0.8 * side, 1.0, 0.0]);
        wall.linear_velocity = Vector::x() * -side;
        world.add_body(wall).unwrap()
    });
    for i in 0..48_u8 {
        let [x, y, z] = [i % 4, i / 16, i / 4 % 4].map(Real::from);
        let shift = 0.01 * (Real::from(i) * 1.7).sin();
        let place = [-0.42 + 0.28 * x + shift, 0.1 + 0.2 * y, -0.45 + 0.3 * z - shift];
        world.add_body(cuboid(BodyKind::Dynamic, [0.1, 0.07, 0.12], place)).unwrap();
    }
    let mut stopped = 0;
    for step in 0..60 {
        let report = world.step(DT).unwrap();
        stopped += report.crushed.len();
        assert!(report.crushed.iter().all(|id| walls.contains(id)));
        assert!(report.impacts.len() < 20_000, "{} impacts in step {step}", report.impacts.len());
        assert_apart(&world);
    }
    assert!(stopped > 0);
}

#[test]
fn what_two_walls_hold_is_told_to_stand() {
    for restitution in [0.0, 0.5] {
        for shape in [Shape::ball(0.5), Shape::cuboid([0.5; 3])].map(Result::unwrap) {
            for speed in [1.0, 0.5, 0.0] {
                let mut world =
                    World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
                let mut add = |mut body: BodyDefinition, speed: Real| {
                    body.linear_velocity = Vector::x() * speed;
                    body.material.restitution = restitution;
                    world.add_body(body).unwrap()
                };
                add(cuboid(BodyKind::Kinematic, [0.5, 2.0, 2.0], [-1.2, 0.0, 0.0]), 1.0);
                add(cuboid(BodyKind::Kinematic, [0.5, 2.0, 2.0], [1.2, 0.0, 0.0]), -speed);
                let held = add(BodyDefinition::new(BodyKind::Dynamic, shape.clone(), Pose::identity()), 0.0);
                for step in 0..60 {
                    let before = *world.body(held).unwrap().pose();
                    let crushed = world.step(DT).unwrap().crushed;
                    let body = world.body(held).unwrap();
                    let (moved, told) =
                        ((body.pose().translation.vector - before.translation.vector) / DT, body.linear_velocity());
                    if !crushed.is_empty() && step > 50 {
                        assert!(
                            moved.norm() < 1e-3 && told.norm() < 1e-3,
                            "step {step}: moves at {moved}, told {told}"
                        );
                        assert!(body.angular_velocity().norm() < 1e-3);
                    }
                    assert!(step < 50 || !crushed.is_empty() || speed == 0.0, "the walls have closed by then");
                }
                assert_apart(&world);
            }
        }
    }
}

/// The drum turns about z, and the cylinder, which is a tenth as wide, lies in it and has been taken along for a while.
#[test]
fn a_drum_that_turns_does_not_stop_for_a_loose_cylinder_in_it() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let cylinder = |radius: Real, half: Real| (Shape::cylinder(radius, half).unwrap(), Pose::identity());
    let drum = Shape::csg(Operation::Difference, &[cylinder(1.2, 0.5), cylinder(1.0, 0.4)]).unwrap();
    let turned = |[x, y, z, w]: [Real; 4]| Rotation::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
    let upright =
        turned([0.475_467_257_543_993_27, 0.523_384_072_172_237_6, 0.523_384_072_172_237_7, 0.475_467_257_543_993_27]);
    let mut drum = BodyDefinition::new(BodyKind::Kinematic, drum, Pose::from_parts([0.0; 3].into(), upright));
    drum.angular_velocity = Vector::z() * 2.0;
    let drum = world.add_body(drum).unwrap();
    let place = [0.417_017_437_198_345_55, -0.766_381_475_094_112_6, -0.005_133_328_571_616_277];
    let lies =
        turned([0.929_813_400_835_342_5, 0.225_317_083_342_248_62, 0.270_974_144_112_060_1, -0.106_076_692_983_308_03]);
    let mut log = BodyDefinition::new(BodyKind::Dynamic, cylinder(0.1, 0.12).0, Pose::from_parts(place.into(), lies));
    log.linear_velocity = Vector::new(1.423_764_450_042_131_3, 0.909_345_817_060_901_8, 0.179_071_175_208_522_12);
    log.angular_velocity = Vector::new(1.257_437_064_789_842_7, 0.659_026_723_860_794_4, 2.486_930_999_536_222);
    let log = world.add_body(log).unwrap();
    for step in 0..10 {
        let report = world.step(DT).unwrap();
        assert!(report.crushed.is_empty() && report.held.is_empty(), "step {step}: {:?}", report.held);
    }
    assert_eq!(world.body(drum).unwrap().angular_velocity(), &(Vector::z() * 2.0));
    assert!(height(&world, log) < -0.5);
    assert_apart(&world);
}

/// Between faces that are all but even there is room far aside: what a door presses against a wall stays where it is, and does not leap there within a step.
#[test]
fn what_a_door_presses_against_a_wall_is_not_flung_aside() {
    for (seed, speed) in (0..8).flat_map(|seed| [(seed, 0.4), (seed, 2.0)]) {
        let mut random = Random(seed);
        let mut world = World::new(WorldSettings { parallel: false, ..WorldSettings::default() }).unwrap();
        let friction = random.between(0.2, 0.8);
        let mut add = |mut body: BodyDefinition| {
            body.material.friction = friction;
            world.add_body(body).unwrap()
        };
        add(BodyDefinition::new(BodyKind::Static, Shape::half_space(Vector::y()).unwrap(), Pose::identity()));
        add(cuboid(BodyKind::Static, [0.1, 1.0, 2.0], [-0.5, 1.01, 0.0]));
        let pressed: Vec<_> = [-0.18, 0.08, 0.34]
            .map(|x| {
                let (wide, aside) = (random.between(0.08, 0.12), random.between(-0.05, 0.05));
                add(cuboid(BodyKind::Dynamic, [wide, 0.9 * wide, wide], [x, 0.9 * wide + 1e-4, aside]))
            })
            .into();
        let mut door = cuboid(BodyKind::Kinematic, [0.1, 1.0, 2.0], [0.64, 1.01, 0.0]);
        door.linear_velocity = Vector::x() * -speed;
        let door = add(door);
        let of = |world: &World, id: BodyId| {
            let body = world.body(id).unwrap();
            (body.centre(), *body.linear_velocity())
        };
        let mut crushed = Vec::new();
        for step in 0..(0.6 / speed / DT) as usize {
            let before: Vec<_> = pressed.iter().map(|&id| of(&world, id)).collect();
            crushed.extend_from_slice(&world.step(DT).unwrap().crushed);
            for (&id, (place, velocity)) in pressed.iter().zip(before) {
                let (now, told) = of(&world, id);
                let way = (now - place).norm() / DT;
                let fastest = told.norm().max(velocity.norm());
                assert!(
                    way <= fastest + 0.5 * speed,
                    "seed {seed}, {speed} m/s, step {step}: {way} m/s, told {fastest}"
                );
            }
            assert_apart(&world);
        }
        assert!(crushed.contains(&door), "seed {seed}, {speed} m/s");
    }
}
