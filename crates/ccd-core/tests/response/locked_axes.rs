//! Bodies with locked axes: games that play in a plane, things on hinges and in guides. What a lock does not forbid goes on as without it.

use std::f64::consts::FRAC_PI_2;

use ccd_core::dynamics::{Body, BodyDefinition, BodyKind, LockedAxes};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{InitialOverlap, ResponseMethod, World, WorldSettings};

use crate::common::methods::METHODS;
use crate::common::models::box_mesh;

const DT: Real = 1.0 / 60.0;
const IN_PLANE: LockedAxes = LockedAxes { translation: [false, false, true], rotation: [true, true, false] };
const HINGED: LockedAxes = LockedAxes { translation: [true; 3], rotation: [true, true, false] };

fn world(response: ResponseMethod) -> World {
    World::new(WorldSettings { parallel: false, response, ..WorldSettings::default() }).unwrap()
}

fn add(
    world: &mut World,
    kind: BodyKind,
    (shape, pose): (Shape, Pose),
    locked: LockedAxes,
    [friction, restitution]: [Real; 2],
) -> BodyId {
    let mut body = BodyDefinition::new(kind, shape, pose);
    (body.material.friction, body.material.restitution, body.locked) = (friction, restitution, locked);
    world.add_body(body).unwrap()
}

fn at(x: Real, y: Real, angle: Real) -> Pose {
    Pose::from_parts(Vector::new(x, y, 0.0).into(), Rotation::from_scaled_axis(Vector::z() * angle))
}

/// What is its own mirror image in the plane z = 0.
fn mirrored() -> [(Shape, Rotation); 5] {
    let across = Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2);
    [
        (Shape::ball(0.3).unwrap(), Rotation::identity()),
        (Shape::cuboid([0.4, 0.25, 0.3]).unwrap(), Rotation::identity()),
        (box_mesh([0.3, 0.3, 0.1]), Rotation::identity()),
        (Shape::capsule(0.2, 0.3).unwrap(), Rotation::identity()),
        (Shape::cylinder(0.3, 0.2).unwrap(), across),
    ]
}

/// Thrown in the plane, nothing leads out of it, with locks or without.
#[test]
fn what_moves_in_a_plane_does_so_with_its_other_axes_locked() {
    for method in METHODS {
        for (shape, turn) in mirrored() {
            for law in [[0.5, 0.0], [0.2, 0.5], [0.0, 0.3]] {
                let thrown = |locked: LockedAxes| {
                    let mut world = world(method);
                    let floor = (Shape::cuboid([20.0, 1.0, 5.0]).unwrap(), Pose::translation(0.0, -1.0, 0.0));
                    add(&mut world, BodyKind::Static, floor, LockedAxes::default(), law);
                    let start = at(0.0, 1.0, 0.3);
                    let pose = Pose::from_parts(start.translation, start.rotation * turn);
                    let id = add(&mut world, BodyKind::Dynamic, (shape.clone(), pose), locked, law);
                    world.set_velocity(id, Vector::new(3.0, -1.0, 0.0), Vector::z() * -2.0).unwrap();
                    for _ in 0..45 {
                        world.step(DT).unwrap();
                    }
                    let body = world.body(id).unwrap();
                    (*body.linear_velocity(), *body.angular_velocity(), body.centre())
                };
                let [free, locked] = [LockedAxes::default(), IN_PLANE].map(thrown);
                let off = (free.0 - locked.0).norm() + (free.1 - locked.1).norm() * 0.3;
                // Springs are as stiff as what they push is heavy, and that yields less where it cannot turn about all axes.
                let bound = if method == ResponseMethod::Penalty { 0.2 } else { 0.05 };
                assert!(
                    off < bound,
                    "{method:?}, {}, {law:?}: {off} m/s, {free:?}, {locked:?}",
                    shape.as_solid().kind()
                );
                assert!((free.2 - locked.2).norm() < 0.02, "{method:?}, {law:?}: {} and {}", free.2, locked.2);
                assert_eq!((locked.2.z, locked.0.z, locked.1.x, locked.1.y), (0.0, 0.0, 0.0, 0.0));
            }
        }
    }
}

/// v = v₀ − μ g t, in whatever plane.
#[test]
fn friction_brakes_what_slides_in_a_plane() {
    for method in METHODS {
        for (plane, along) in [
            (IN_PLANE, Vector::x()),
            (LockedAxes { translation: [true, false, false], rotation: [false, true, true] }, Vector::z()),
            (LockedAxes { translation: [false; 3], rotation: [true; 3] }, Vector::new(0.6, 0.0, 0.8)),
            (LockedAxes { translation: [false, true, false], rotation: [false; 3] }, Vector::x()),
        ] {
            let mut world = world(method);
            let floor = (Shape::cuboid([20.0, 1.0, 20.0]).unwrap(), Pose::translation(0.0, -1.0, 0.0));
            add(&mut world, BodyKind::Static, floor, LockedAxes::default(), [0.4, 0.0]);
            let block = (Shape::cuboid([0.5; 3]).unwrap(), Pose::translation(0.0, 0.5002, 0.0));
            let id = add(&mut world, BodyKind::Dynamic, block, plane, [0.4, 0.0]);
            world.set_velocity(id, along * 5.0, Vector::zeros()).unwrap();
            for _ in 0..30 {
                world.step(DT).unwrap();
            }
            let speed = world.body(id).unwrap().linear_velocity().dot(&along);
            // What cannot come down does not press.
            let expected = if plane.translation[1] { 5.0 } else { 5.0 - 0.4 * 9.81 * 0.5 };
            assert!((speed - expected).abs() < 0.02 * expected, "{method:?}, {plane:?}: {speed} m/s, not {expected}");
        }
    }
}

#[test]
fn a_block_in_a_plane_stays_on_a_slope_that_its_friction_holds() {
    for (degrees, holds) in [(25.0_f64, true), (26.4, true), (26.8, false), (35.0, false)] {
        let angle = degrees.to_radians();
        let mut world = world(ResponseMethod::Shock);
        let slope = (Shape::cuboid([20.0, 1.0, 5.0]).unwrap(), at(angle.sin(), -angle.cos(), angle));
        add(&mut world, BodyKind::Static, slope, LockedAxes::default(), [0.5, 0.0]);
        let place = Vector::new(-angle.sin(), angle.cos(), 0.0) * 0.500_05;
        let block = (Shape::cuboid([0.5; 3]).unwrap(), at(place.x, place.y, angle));
        let id = add(&mut world, BodyKind::Dynamic, block, IN_PLANE, [0.5, 0.0]);
        let start = world.body(id).unwrap().centre();
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        let way = (world.body(id).unwrap().centre() - start).norm();
        let accelerated = 9.81 * (angle.sin() - 0.5 * angle.cos());
        if holds {
            assert!(way < 1e-3, "{degrees}°: {way} m");
        } else {
            assert!((way - 2.0 * accelerated).abs() < 0.05 * way, "{degrees}°: {way} m of {}", 2.0 * accelerated);
        }
    }
}

/// Between two walls, pushed to either side by forces: faces that lie on faces, and cannot tilt but in the plane.
#[test]
fn a_heap_in_a_plane_comes_to_rest_without_losing_time() {
    for tilt in [0.0, 0.2, 0.7] {
        let turned = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::z() * tilt));
        let mut world = world(ResponseMethod::Shock);
        for (half, place) in
            [([3.0, 0.5, 2.0], [0.0, -0.5]), ([0.5, 4.0, 2.0], [-2.7, 2.0]), ([0.5, 4.0, 2.0], [2.7, 2.0])]
        {
            let wall = (Shape::cuboid(half).unwrap(), turned * at(place[0], place[1], 0.0));
            add(&mut world, BodyKind::Static, wall, LockedAxes::default(), [0.3, 0.0]);
        }
        let mut ids = Vec::new();
        for (k, (shape, turn)) in mirrored().into_iter().cycle().take(20).enumerate() {
            let place = turned * at([-1.5, -0.5, 0.5, 1.5][k % 4], 0.6 + 1.1 * (k / 4) as Real, 0.1 * k as Real);
            let pose = Pose::from_parts(place.translation, place.rotation * turn);
            let friction = [0.3, 0.5][k % 2];
            ids.push(add(&mut world, BodyKind::Dynamic, (shape, pose), IN_PLANE, [friction, 0.0]));
            let mass = world.body(ids[k]).unwrap().mass_properties().mass;
            let body = world.body_mut(ids[k]).unwrap();
            body.force = Vector::x() * (4.0 * mass * [1.0, -0.5][k % 2]);
            // What rolls to and fro on something round would go on for long.
            body.material.rolling_resistance = 1e-3;
        }
        for step in 0..480 {
            let report = world.step(DT).unwrap();
            assert_eq!(report.time_lost, 0.0, "{tilt} rad, step {step}");
            assert!(report.min_separation.is_none_or(|gap| gap > 0.0), "{tilt} rad, step {step}");
        }
        let fastest = ids.iter().map(|id| world.body(*id).unwrap().linear_velocity().norm()).fold(0.0, Real::max);
        assert!(fastest < 0.05, "{tilt} rad: {fastest} m/s after 8 s");
    }
}

/// Its points go past the wall, and nothing that pushes along the radius turns it.
#[test]
fn a_wheel_on_a_hinge_beside_a_wall_goes_on_turning() {
    for angle in [0.0, 0.3, 1.1, 2.5_f64] {
        let outward = Vector::new(angle.cos(), angle.sin(), 0.0);
        for friction in [0.0, 0.5] {
            let mut world = world(ResponseMethod::Shock);
            let across = Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2);
            let wheel = (Shape::cylinder(0.5, 0.1).unwrap(), Pose::from_parts(Vector::zeros().into(), across));
            let id = add(&mut world, BodyKind::Dynamic, wheel, HINGED, [friction, 0.0]);
            world.set_velocity(id, Vector::zeros(), Vector::z() * 3.0).unwrap();
            let place = outward * (0.5 + 0.2 + 5e-5);
            let wall = (Shape::cuboid([0.2, 1.0, 1.0]).unwrap(), at(place.x, place.y, angle));
            add(&mut world, BodyKind::Static, wall, LockedAxes::default(), [friction, 0.0]);
            for _ in 0..60 {
                assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
            }
            let spin = world.body(id).unwrap().angular_velocity().z;
            assert!((spin - 3.0).abs() < 1e-9, "{angle} rad, μ {friction}: {spin} rad/s");
        }
    }
}

/// Every lock of three axes each, in a pit in which all strike all.
#[test]
fn nothing_moves_along_a_locked_axis_nor_gains_energy_by_it() {
    let masks: Vec<[bool; 3]> = (0..8).map(|bits| [0, 1, 2].map(|axis| bits >> axis & 1 == 1)).collect();
    for dt in [1.0 / 240.0, DT, 0.05] {
        for (round, rotation) in masks.iter().enumerate() {
            let mut world = world(ResponseMethod::Shock);
            let floor = (Shape::cuboid([3.0, 0.5, 3.0]).unwrap(), Pose::translation(0.0, -0.5, 0.0));
            add(&mut world, BodyKind::Static, floor, LockedAxes::default(), [0.4, 0.0]);
            for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
                let wall = Shape::cuboid([0.3 + 1.7 * Real::abs(z), 3.0, 0.3 + 1.7 * Real::abs(x)]).unwrap();
                let place = Pose::translation(1.8 * x, 2.5, 1.8 * z);
                add(&mut world, BodyKind::Static, (wall, place), LockedAxes::default(), [0.4, 0.0]);
            }
            let mut bodies = Vec::new();
            for (k, (shape, turn)) in mirrored().into_iter().cycle().take(10).enumerate() {
                let k = k as Real;
                let tilt = Rotation::from_euler_angles(0.7 * k, 0.3 - k, 0.2 * k * k);
                let place = Vector::new((1.3 * k).sin() * 0.7, 0.7 + 1.1 * k, (2.1 * k).cos() * 0.7);
                let translation = if k < 7.0 { [false; 3] } else { masks[(round + k as usize) % 7] };
                let locked = LockedAxes { translation, rotation: *rotation };
                let pose = Pose::from_parts(place.into(), tilt * turn);
                let law = [[0.0, 0.4][k as usize % 2], [0.0, 0.5][k as usize % 3 % 2]];
                let id = add(&mut world, BodyKind::Dynamic, (shape, pose), locked, law);
                let spin = Vector::new((k + 1.0).sin(), (2.0 * k).cos(), (3.0 * k).sin()) * 8.0;
                world.set_velocity(id, Vector::new(-place.x, 0.0, -place.z), spin).unwrap();
                bodies.push((id, locked, place));
            }
            let mut least = world.energy().total();
            let first = least;
            for step in 0..(2.0 / dt) as u32 {
                assert_eq!(world.step(dt).unwrap().time_lost, 0.0);
                for (id, locked, place) in &bodies {
                    let body = world.body(*id).unwrap();
                    for axis in 0..3 {
                        let of_centre = (body.linear_velocity()[axis], body.centre()[axis]);
                        if locked.translation[axis] {
                            assert_eq!(of_centre, (0.0, place[axis]), "{dt} s, {locked:?}, step {step}");
                        }
                        let spin = body.angular_velocity()[axis];
                        assert!(!locked.rotation[axis] || spin == 0.0, "{dt} s, {locked:?}, step {step}: {spin} rad/s");
                    }
                }
                let energy = world.energy().total();
                assert!(energy < least + 1e-3 * first, "{dt} s, {rotation:?}, step {step}: {least} to {energy} J");
                least = least.min(energy);
            }
        }
    }
}

/// In the air nothing but guides takes momentum, and guides across a plane take none along it.
#[test]
fn what_collides_in_a_plane_keeps_its_momentum_and_its_angular_momentum_there() {
    let settings = WorldSettings { parallel: false, gravity: Vector::zeros(), ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let mut throw = |shape: Shape, pose: Pose, [x, y, spin]: [Real; 3]| {
        let body = add(&mut world, BodyKind::Dynamic, (shape, pose), IN_PLANE, [0.0, 0.0]);
        world.set_velocity(body, Vector::new(x, y, 0.0), Vector::z() * spin).unwrap();
    };
    let pebble = Shape::ellipsoid([0.08, 0.14, 0.1]).unwrap();
    throw(pebble.clone(), at(-0.304, 0.406, 3.551), [0.579, -1.127, -0.024]);
    throw(Shape::cuboid([0.1, 0.06, 0.1]).unwrap(), at(-0.025, -0.38, 0.841), [-0.019, 1.141, -4.166]);
    throw(pebble, at(0.4, -0.4, 0.3), [-1.0, 0.8, 6.0]);
    let momenta = |world: &World| -> [Vector; 2] {
        let of = |body: &Body| {
            let momentum = body.linear_velocity() * body.mass_properties().mass;
            // About z, which is an axis of each.
            let spin = body.mass_properties().inertia[(2, 2)] * body.angular_velocity();
            [momentum, body.centre().coords.cross(&momentum) + spin]
        };
        world.bodies().map(|(_, body)| of(body)).fold([Vector::zeros(); 2], |[p, l], [q, m]| [p + q, l + m])
    };
    let (before, mut impacts) = (momenta(&world), 0);
    for _ in 0..60 {
        impacts += world.step(DT).unwrap().impacts.len();
    }
    let after = momenta(&world);
    assert!(impacts > 1);
    assert!((after[0] - before[0]).norm() < 1e-9, "{before:?}, {after:?}");
    assert!((after[1].z - before[1].z).abs() < 1e-9 * before[1].z.abs().max(1.0), "{before:?}, {after:?}");
}

#[test]
fn what_was_put_into_another_leaves_it_along_the_axes_that_are_free() {
    for offset in [0.05, 0.3, 0.7] {
        let settings = WorldSettings {
            gravity: Vector::zeros(),
            initial_overlap: InitialOverlap::Separate,
            parallel: false,
            ..WorldSettings::default()
        };
        let mut world = World::new(settings).unwrap();
        let ball = || Shape::ball(0.5).unwrap();
        let fixed = (ball(), Pose::identity());
        add(&mut world, BodyKind::Static, fixed, LockedAxes::default(), [0.0; 2]);
        let guide = LockedAxes { translation: [true, true, false], rotation: [true; 3] };
        let slider = (ball(), Pose::translation(0.3, 0.1, offset));
        let id = add(&mut world, BodyKind::Dynamic, slider, guide, [0.0; 2]);
        let report = world.step(DT).unwrap();
        assert_eq!((report.separated.len(), report.time_lost), (1, 0.0));
        let place = world.body(id).unwrap().centre();
        assert_eq!((place.x, place.y), (0.3, 0.1));
        let apart = (1.0 - 0.1_f64).sqrt();
        assert!(place.z > apart && place.z < apart + 1e-3, "{offset} m: {} m instead of {apart}", place.z);
    }
}
