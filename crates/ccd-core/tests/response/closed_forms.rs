//! Motions that are known in closed form, or by symmetry.

use std::f64::consts::{FRAC_PI_2, TAU};

use ccd_core::dynamics::{Body, BodyDefinition, BodyKind, MassSpecification};
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::models::{box_mesh, flat_sheet, mesh};

const DT: Real = 1.0 / 60.0;
const GRAVITY: Real = 9.81;

fn world(gravity: Real) -> World {
    let settings = WorldSettings { parallel: false, gravity: Vector::y() * -gravity, ..WorldSettings::default() };
    World::new(settings).unwrap()
}

/// The floors at height 0 that the scenes are tried on.
fn floors() -> [(Shape, Pose); 3] {
    [
        (Shape::half_space(Vector::y()).unwrap(), Pose::identity()),
        (Shape::cuboid([50.0, 1.0, 50.0]).unwrap(), Pose::translation(0.0, -1.0, 0.0)),
        (mesh(flat_sheet(50.0, 40)), Pose::identity()),
    ]
}

/// A body of 1 kg.
fn add(world: &mut World, kind: BodyKind, (shape, pose): (Shape, Pose), [friction, restitution]: [Real; 2]) -> BodyId {
    let mut body = BodyDefinition::new(kind, shape, pose);
    (body.material.friction, body.material.restitution) = (friction, restitution);
    body.mass = MassSpecification::Mass(1.0);
    world.add_body(body).unwrap()
}

fn at(x: Real, y: Real, angle: Real) -> Pose {
    Pose::from_parts(Vector::new(x, y, 0.0).into(), Rotation::from_scaled_axis(Vector::z() * angle))
}

fn steps(world: &mut World, seconds: Real) {
    for _ in 0..(seconds / DT).round() as u32 {
        assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
    }
}

/// The moment of inertia about z through the centre of mass, kg·m².
fn moment(body: &Body) -> Real {
    (body.inertia(body.pose()) * Vector::z()).z
}

/// The velocity (along x and y, and about z) of a body of 1 kg and the given moment after a blow in the plane at `(x, y)` from its centre, by
/// the static-then-sliding test (E10), with friction against what slides before or, if nothing does, against what begins to.
fn after_blow([vx, vy]: [Real; 2], moment: Real, [x, y]: [Real; 2], [friction, restitution]: [Real; 2]) -> [Real; 3] {
    let (normal, tangent, across) = (1.0 + x * x / moment, 1.0 + y * y / moment, -x * y / moment);
    let (rises, stops) = (-(1.0 + restitution) * vy, -vx);
    let determinant = normal * tangent - across * across;
    let sticking = [(tangent * rises - across * stops) / determinant, (normal * stops - across * rises) / determinant];
    let [push, rub] = if sticking[1].abs() <= friction * sticking[0] {
        sticking
    } else {
        let side = if vx == 0.0 { sticking[1].signum() } else { -vx.signum() };
        let push = rises / (normal + across * side * friction);
        [push, side * friction * push]
    };
    [vx + rub, vy + push, (x * push - y * rub) / moment]
}

/// A rod of a metre, 2 cm thick, and the place that strikes a floor first if it is turned by `tilt` about z, from its centre.
fn rods(tilt: Real) -> [(Shape, [Real; 2]); 3] {
    let (radius, half) = (0.01, 0.5);
    let rim = [half * tilt.sin() - radius * tilt.cos(), -half * tilt.cos() - radius * tilt.sin()];
    [
        (Shape::capsule(radius, half).unwrap(), [half * tilt.sin(), -half * tilt.cos() - radius]),
        (Shape::cylinder(radius, half).unwrap(), rim),
        (Shape::cuboid([radius, half, radius]).unwrap(), rim),
    ]
}

#[test]
fn a_rod_that_falls_onto_its_end_is_thrown_as_the_law_of_friction_says() {
    for floor in floors() {
        for tilt in [0.3, 0.7, 1.2] {
            for (rod, end) in rods(tilt) {
                for friction in [0.0, 0.2, 0.6] {
                    for restitution in [0.0, 0.5] {
                        for along in [0.0, 3.0, -3.0] {
                            let law = [friction, restitution];
                            let mut world = world(0.0);
                            add(&mut world, BodyKind::Static, floor.clone(), law);
                            let id = add(&mut world, BodyKind::Dynamic, (rod.clone(), at(0.017, 1.0, tilt)), law);
                            world.set_velocity(id, Vector::new(along, -2.0, 0.0), Vector::zeros()).unwrap();
                            while world.step(DT).unwrap().impacts.is_empty() {}
                            let body = world.body(id).unwrap();
                            let [x, y, spin] = after_blow([along, -2.0], moment(body), end, law);
                            let off = (body.linear_velocity() - Vector::new(x, y, 0.0)).norm();
                            let off_spin = (body.angular_velocity() - Vector::z() * spin).norm();
                            // It strikes half of ε above the floor.
                            assert!(
                                off < 2e-3 && off_spin < 1e-2,
                                "{tilt} rad, {law:?}, {along} m/s: {off}, {off_spin}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Nothing tells the plank's two sides apart: it must not begin to turn to one of them by itself.
#[test]
fn a_plank_that_comes_down_on_an_edge_does_not_choose_a_side() {
    for floor in floors() {
        for half in [[0.01, 0.5, 0.01], [0.01, 0.5, 0.2], [0.1, 0.2, 0.1]] {
            for plank in [Shape::cuboid(half).unwrap(), box_mesh(half)] {
                for tilt in [0.1, 0.3, 0.7_f64] {
                    for (drop, along) in [(1e-5_f64, 0.0), (1e-5, 1.0), (1e-3, 0.0), (1e-3, 1.0), (0.1, 1.0)] {
                        let law = [0.8, 0.0];
                        let mut world = world(GRAVITY);
                        add(&mut world, BodyKind::Static, floor.clone(), law);
                        let height = half[0] * tilt.sin() + half[1] * tilt.cos() + drop;
                        let id = add(&mut world, BodyKind::Dynamic, (plank.clone(), at(0.017, height, tilt)), law);
                        world.set_velocity(id, Vector::x() * along, Vector::zeros()).unwrap();
                        // Until it has landed, and two steps more: what pushes an edge before it soon turns to a side, from whatever
                        // there is of rounding.
                        let fall = (2.0 * drop / GRAVITY).sqrt();
                        steps(&mut world, (fall / DT).ceil() * DT + 2.0 * DT);
                        let body = world.body(id).unwrap();
                        // The fastest of its corners, each sideways.
                        let sideways = (0..8)
                            .map(|k| Vector::from_fn(|i, _| if k >> i & 1 == 0 { half[i] } else { -half[i] }))
                            .map(|corner| body.angular_velocity().cross(&(body.pose().rotation * corner)))
                            .map(|turning| (body.linear_velocity() + turning).z.abs())
                            .fold(0.0, Real::max);
                        assert!(sideways < 1e-2, "{half:?}, {tilt} rad, {drop} m, {along} m/s: {sideways} m/s");
                    }
                }
            }
        }
    }
}

/// Its centre goes round on a circle of half its length: θ'' = m g l sin θ / (I + m l²), until it leaves the wall.
#[test]
fn a_ladder_slides_down_a_smooth_wall_as_a_pendulum_falls() {
    let (first, time) = (0.4_f64, 0.45);
    for floor in floors() {
        for [length, radius] in [[1.0, 0.01], [0.5, 0.005]] {
            let mut world = world(GRAVITY);
            add(&mut world, BodyKind::Static, floor.clone(), [0.0; 2]);
            let wall = (Shape::cuboid([0.5, 5.0, 5.0]).unwrap(), Pose::translation(-0.5, 5.001, 0.0));
            add(&mut world, BodyKind::Static, wall, [0.0; 2]);
            let (x, y) = (length * first.sin() + radius + 1e-5, length * first.cos() + radius + 1e-5);
            let ladder = (Shape::capsule(radius, length).unwrap(), at(x, y, first));
            let id = add(&mut world, BodyKind::Dynamic, ladder, [0.0; 2]);
            let moment = moment(world.body(id).unwrap());
            let time = time * length.sqrt();
            steps(&mut world, time);
            let time = (time / DT).round() * DT;
            let (parts, mut angle, mut spin) = (100_000, first, 0.0);
            for _ in 0..parts {
                spin += GRAVITY * length * angle.sin() / (moment + length * length) * time / Real::from(parts);
                angle += spin * time / Real::from(parts);
            }
            let body = world.body(id).unwrap();
            let now = body.pose().rotation.scaled_axis().z;
            assert!((now - angle).abs() < 0.01 * (angle - first) + spin * DT, "{now} rad instead of {angle}");
            assert!((body.angular_velocity().z - spin).abs() < 0.02 * spin, "{} rad/s", body.angular_velocity().z);
        }
    }
}

/// A = −m g sin θ cos θ / (M + m sin² θ), and the centre of both stays above the same place.
#[test]
fn a_block_that_slides_down_a_free_wedge_drives_it_away() {
    for floor in floors() {
        for mass in [0.1, 1.0, 10.0] {
            for degrees in [15.0_f64, 30.0, 45.0] {
                let angle = degrees.to_radians();
                let height = 2.0 * angle.tan();
                let corners = [(-1.0, 0.0), (1.0, 0.0), (-1.0, height)];
                let corners: Vec<Point> =
                    corners.iter().flat_map(|&(x, y)| [-0.5, 0.5].map(|z| Point::new(x, y, z))).collect();
                let mut world = world(GRAVITY);
                add(&mut world, BodyKind::Static, floor.clone(), [0.0; 2]);
                let hull = Shape::convex_hull(&corners).unwrap();
                let mut wedge = BodyDefinition::new(BodyKind::Dynamic, hull, Pose::translation(0.0, 1e-5, 0.0));
                (wedge.mass, wedge.material.friction) = (MassSpecification::Mass(mass), 0.0);
                let wedge = world.add_body(wedge).unwrap();
                let place = Vector::new(-0.6, 0.8 * height, 0.0) + Vector::new(angle.sin(), angle.cos(), 0.0) * 0.10001;
                let block = (Shape::cuboid([0.1; 3]).unwrap(), at(place.x, place.y, -angle));
                let block = add(&mut world, BodyKind::Dynamic, block, [0.0; 2]);
                steps(&mut world, 0.3);
                let speed = -GRAVITY * angle.sin() * angle.cos() / (mass + angle.sin().powi(2)) * 0.3;
                let [of_wedge, of_block] = [wedge, block].map(|id| world.body(id).unwrap().linear_velocity().x);
                assert!(
                    (of_wedge - speed).abs() < 0.01 * speed.abs(),
                    "{mass} kg, {degrees}°: {of_wedge}, not {speed}"
                );
                assert!((of_block + mass * speed).abs() < 0.01 * (mass * speed).abs(), "{of_block} m/s");
            }
        }
    }
}

#[test]
fn what_lies_on_a_table_is_left_behind_just_where_friction_cannot_carry_it() {
    for (acceleration, friction) in [(0.98, 0.1), (1.0, 0.1), (4.8, 0.5), (5.0, 0.5)] {
        let mut world = world(GRAVITY);
        let table = (Shape::cuboid([50.0, 0.1, 1.0]).unwrap(), Pose::translation(0.0, -0.1, 0.0));
        let table = add(&mut world, BodyKind::Kinematic, table, [friction, 0.0]);
        let block = (Shape::cuboid([0.2, 0.1, 0.2]).unwrap(), Pose::translation(0.0, 0.10001, 0.0));
        let block = add(&mut world, BodyKind::Dynamic, block, [friction, 0.0]);
        let mut speed = 0.0;
        for _ in 0..120 {
            speed += acceleration * DT;
            world.set_velocity(table, Vector::x() * speed, Vector::zeros()).unwrap();
            steps(&mut world, DT);
        }
        let left = speed - world.body(block).unwrap().linear_velocity().x;
        let expected = (acceleration - friction * GRAVITY).max(0.0) * 2.0;
        assert!((left - expected).abs() < 2e-3, "{acceleration} m/s², μ {friction}: {left} m/s, not {expected}");
    }
}

/// It turns about the line on which it lies, and its centre goes round its tip. By the end of a step it lies elsewhere, by more than the step sees
/// where it is fast: that costs it some of its speed.
#[test]
fn a_cone_rolls_round_its_tip_and_falls_behind_by_no_more_than_is_told() {
    for floor in floors() {
        for (steps_a_second, rate, most) in
            [(60.0, 0.5, 0.005), (60.0, 2.0, 0.06), (240.0, 0.5, 0.003), (240.0, 2.0, 0.002)]
        {
            let (radius, half) = (0.3_f64, 0.5);
            let opening = (radius / (2.0 * half)).atan();
            let out = Vector::new(opening.cos(), opening.sin(), 0.0);
            let rotation = Rotation::rotation_between(&-Vector::y(), &out).unwrap();
            let tip = Vector::y() * half;
            let pose = Pose::from_parts((Vector::y() * 1e-5 - rotation * tip).into(), rotation);
            let mut world = world(GRAVITY);
            add(&mut world, BodyKind::Static, floor.clone(), [1.0, 0.0]);
            let id = add(&mut world, BodyKind::Dynamic, (Shape::cone(radius, half).unwrap(), pose), [1.0, 0.0]);
            let spin = Vector::x() * (-rate / opening.tan());
            let centre = world.body(id).unwrap().centre().coords;
            world.set_velocity(id, spin.cross(&centre), spin).unwrap();
            let round = TAU;
            for _ in 0..(round / rate * steps_a_second).round() as u32 {
                assert_eq!(world.step(steps_a_second.recip()).unwrap().time_lost, 0.0);
            }
            let body = world.body(id).unwrap();
            let (centre, tip) = (body.centre().coords, body.pose() * Point::from(tip));
            let behind = (centre.z.atan2(centre.x) / round).rem_euclid(1.0);
            assert!(behind < most, "{rate} rad/s, {steps_a_second} steps a second: {behind} of a round");
            assert!(tip.coords.norm() < 0.003, "its tip is at {tip}");
        }
    }
}

/// What falls about a corner, an edge or a rim that sticks loses nothing to it: what it falls it gains in motion.
#[test]
fn what_falls_over_about_where_it_stands_gains_what_it_falls() {
    let (half, friction) = (0.5, 5.0);
    for floor in floors() {
        for (wide, tilt) in [(0.01, 0.3), (0.1, 0.3), (0.5, 0.9)] {
            for shape in [Shape::cuboid([wide, half, wide]).unwrap(), Shape::cylinder(wide, half).unwrap()] {
                let mut world = world(GRAVITY);
                add(&mut world, BodyKind::Static, floor.clone(), [friction, 0.0]);
                let rotation = Rotation::from_scaled_axis(Vector::z() * -tilt);
                let foot = Vector::new(wide, -half, 0.0);
                let pose = Pose::from_parts((Vector::y() * 1e-5 - rotation * foot).into(), rotation);
                let id = add(&mut world, BodyKind::Dynamic, (shape, pose), [friction, 0.0]);
                let start = world.energy();
                let leans = |world: &World| {
                    let up = world.body(id).unwrap().pose().rotation * Vector::y();
                    up.x.atan2(up.y)
                };
                while leans(&world) < 1.1 {
                    assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
                }
                let now = world.energy();
                let kept = now.kinetic / (start.total() - now.potential);
                assert!((0.999..1.0001).contains(&kept), "{wide} m wide: {kept} of what it fell");
                let slips = (world.body(id).unwrap().pose() * Point::from(foot)).coords.norm();
                assert!(slips < 0.01, "{wide} m wide: {slips} m aside");
            }
        }
    }
}

/// A coin that rolls on its rim and leans sways, and where it does not slip loses nothing.
#[test]
fn a_coin_that_leans_and_rolls_keeps_its_energy() {
    let (radius, half, lean, turn, roll): (Real, Real, Real, Real, Real) = (0.3, 0.002, 0.5, 2.5, -8.0);
    for floor in floors() {
        for (steps_a_second, most) in [(60, 0.01), (240, 1e-3)] {
            let mut world = world(GRAVITY);
            add(&mut world, BodyKind::Static, floor.clone(), [3.0, 0.0]);
            let (axis, up) = (Vector::new(lean.cos(), lean.sin(), 0.0), Vector::new(-lean.sin(), lean.cos(), 0.0));
            let rotation = Rotation::rotation_between(&Vector::y(), &axis).unwrap();
            let height = radius * lean.cos() + half * lean.sin() + 1e-5;
            let pose = Pose::from_parts((Vector::y() * height).into(), rotation);
            let coin = add(&mut world, BodyKind::Dynamic, (Shape::cylinder(radius, half).unwrap(), pose), [3.0, 0.0]);
            let spin = Vector::y() * turn + axis * roll;
            world.set_velocity(coin, spin.cross(&(up * radius)), spin).unwrap();
            let begun = world.energy().total();
            for _ in 0..3 * steps_a_second {
                assert_eq!(world.step(Real::from(steps_a_second).recip()).unwrap().time_lost, 0.0);
            }
            let lost = 1.0 - world.energy().total() / begun;
            assert!((-1e-4..most).contains(&lost), "{steps_a_second} steps a second: {lost}");
        }
    }
}

/// A part of a compound rolls as it would by itself: the end of a capsule is no corner that it would turn on.
#[test]
fn what_is_made_of_round_parts_rolls_as_they_do() {
    let (radius, half) = (0.1, 0.3);
    let within = || (Pose::translation(0.0, 0.05, 0.0), Shape::ball(0.05).unwrap());
    for round in [Shape::capsule(radius, half).unwrap(), Shape::cylinder(radius, half).unwrap()] {
        for shape in [round.clone(), Shape::compound([(Pose::identity(), round), within()]).unwrap()] {
            for (steps_a_second, speed) in [(60, 0.3), (240, 2.0)] {
                let mut world = world(GRAVITY);
                add(&mut world, BodyKind::Static, floors()[0].clone(), [0.5, 0.0]);
                let lying = Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2);
                let pose = Pose::from_parts((Vector::y() * (radius + 1e-5)).into(), lying);
                let id = add(&mut world, BodyKind::Dynamic, (shape.clone(), pose), [0.5, 0.0]);
                world.set_velocity(id, Vector::x() * speed, Vector::z() * (-speed / radius)).unwrap();
                let begun = world.energy().kinetic;
                for _ in 0..2 * steps_a_second {
                    assert_eq!(world.step(Real::from(steps_a_second).recip()).unwrap().time_lost, 0.0);
                }
                let kept = world.energy().kinetic / begun;
                assert!((kept - 1.0).abs() < 1e-5, "{kept} of its energy at {speed} m/s");
            }
        }
    }
}

/// Down a smooth edge a ball slides as a bead on a sphere: it leaves where two thirds of its height above the edge are left. A cylinder that lies
/// along the edge does the same, and hardly turns. It used to be met at two places with normals of their own, stood still and turned over.
#[test]
fn a_cylinder_slides_off_a_smooth_edge_as_a_ball_does() {
    let (radius, start) = (0.5, 0.05_f64);
    let lying = Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2);
    for shape in [Shape::ball(radius).unwrap(), Shape::cylinder(radius, 0.4).unwrap()] {
        for (edge, pose) in [
            (Shape::cuboid([5.0; 3]).unwrap(), Pose::translation(-5.0, -5.0, 0.0)),
            (box_mesh([5.0; 3]), Pose::translation(-5.0, -5.0, 0.0)),
        ] {
            let mut world = world(GRAVITY);
            add(&mut world, BodyKind::Static, (edge, pose), [0.0; 2]);
            let place = Vector::new(start.sin(), start.cos(), 0.0) * (radius + 2e-5);
            let id =
                add(&mut world, BodyKind::Dynamic, (shape.clone(), Pose::from_parts(place.into(), lying)), [0.0; 2]);
            steps(&mut world, 2.0);
            let body = world.body(id).unwrap();
            let leaves = 2.0 / 3.0 * start.cos();
            let expected = (leaves * leaves * leaves * GRAVITY * radius).sqrt();
            let speed = body.linear_velocity().x;
            assert!((speed / expected - 1.0).abs() < 0.05, "{speed} m/s, not {expected}");
            // Where it has all but left, its contact is turned across its way (`contact/passing.rs`), which gives it a hundredth of a roll.
            let turns = body.angular_velocity().norm();
            assert!(turns < 0.02 * speed / radius && body.linear_velocity().z.abs() < 1e-5, "{turns} rad/s");
        }
    }
}

/// A prism of so many sides, its corners a radius from its axis, with one of them `turn` from x towards z.
fn prism(sides: u32, [radius, half]: [Real; 2], turn: Real) -> Shape {
    let corners = (0..2 * sides).map(|i| {
        let (sin, cos) = (TAU * Real::from(i / 2) / Real::from(sides) + turn).sin_cos();
        Point::new(radius * cos, if i % 2 == 0 { half } else { -half }, radius * sin)
    });
    Shape::convex_hull(&corners.collect::<Vec<_>>()).unwrap()
}

/// What stands on a slope falls over when its weight leaves its base, whatever way the base is turned: of a circle, and of a polygon. Of either
/// four corners used to carry it, and it fell over up to a tenth too early, or leant ever further on a mesh.
#[test]
fn what_stands_on_a_round_or_many_sided_base_falls_over_where_its_weight_leaves_it() {
    let (radius, half) = (0.3, 0.5);
    let sides = 10;
    let apothem = radius * (0.5 * TAU / Real::from(sides)).cos();
    for turn in [0.0, 0.2, 0.4, 0.55] {
        let lying = Rotation::from_scaled_axis(Vector::y() * turn);
        // Where the line down the slope through the middle leaves the polygon.
        let beside =
            (turn + 0.5 * TAU / Real::from(sides)).rem_euclid(TAU / Real::from(sides)) - 0.5 * TAU / Real::from(sides);
        let leaves = apothem / (0.5 * TAU / Real::from(sides) - beside.abs()).cos();
        for (shape, rotation, height, base) in [
            (Shape::cylinder(radius, half).unwrap(), lying, half, radius),
            // The centre of a cone's mass is a quarter of its height up.
            (Shape::cone(radius, 2.0 * half).unwrap(), lying, 2.0 * half, radius),
            (prism(sides, [radius, half], turn), Rotation::identity(), half, leaves),
        ] {
            for (floor, pose) in floors() {
                for share in [0.97, 1.03] {
                    let slope = (share * base / half).atan();
                    let mut world = world(0.0);
                    let gravity = Vector::new(slope.sin(), -slope.cos(), 0.0) * GRAVITY;
                    world.set_settings(WorldSettings { gravity, ..world.settings().clone() }).unwrap();
                    add(&mut world, BodyKind::Static, (floor.clone(), pose), [3.0, 0.0]);
                    let pose = Pose::from_parts(Vector::new(0.013, height + 1e-5, 0.021).into(), rotation);
                    let id = add(&mut world, BodyKind::Dynamic, (shape.clone(), pose), [3.0, 0.0]);
                    steps(&mut world, 3.0);
                    let body = world.body(id).unwrap();
                    let lean = (body.pose().rotation * Vector::y()).y.clamp(-1.0, 1.0).acos();
                    if share < 1.0 {
                        assert!(lean < 5e-3 && body.is_asleep(), "{shape:?} turned by {turn}: leans by {lean}");
                    } else {
                        assert!(lean > 0.3, "{shape:?} turned by {turn}: leans by {lean} only");
                    }
                }
            }
        }
    }
}
