//! What rolls and slides where surfaces bend, or tilt: motions that are known in closed form, with steps of 1/60 s.

use std::f64::consts::{FRAC_PI_2, TAU};

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::geometry::field::Operation;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::models::{box_triangles, mesh};

const DT: Real = 1.0 / 60.0;
const GRAVITY: Real = 9.81;
/// How far apart things are put, metres.
const GAP: Real = 2e-5;

fn world() -> World {
    let gravity = Vector::y() * -GRAVITY;
    World::new(WorldSettings { parallel: false, sleeping: false, gravity, ..WorldSettings::default() }).unwrap()
}

/// A body of 1 kg without restitution.
fn body(kind: BodyKind, shape: &Shape, pose: Pose, friction: Real) -> BodyDefinition {
    let mut body = BodyDefinition::new(kind, shape.clone(), pose);
    (body.material.friction, body.material.restitution) = (friction, 0.0);
    body.mass = MassSpecification::Mass(1.0);
    body
}

/// At a place of the plane across z, with what is round about y turned so that it is round about z.
fn across(x: Real, y: Real) -> Pose {
    Pose::from_parts(Vector::new(x, y, 0.0).into(), Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2))
}

/// A pendulum's period over that of its small swings, for an amplitude in rad: the reciprocal of the arithmetic-geometric mean of 1 and cos θ/2.
fn lengthened(amplitude: Real) -> Real {
    let (mut a, mut g): (Real, Real) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..8 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    a.recip()
}

/// What is left after some seconds of the energy that a swing has above that of `lowest`, J, and its mean period, s.
fn swing(world: &mut World, body: BodyId, lowest: Real, seconds: Real) -> [Real; 2] {
    let start = world.energy().total();
    let (mut crossings, mut before, mut time) = (Vec::new(), world.body(body).unwrap().centre().x, 0.0);
    while time < seconds {
        assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
        time += DT;
        let now = world.body(body).unwrap().centre().x;
        if before * now < 0.0 {
            crossings.push(time - DT * now / (now - before));
        }
        before = now;
    }
    let period = 2.0 * (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as Real;
    [(world.energy().total() - lowest) / (start - lowest), period]
}

#[test]
fn what_rolls_or_slides_in_a_bowl_swings_as_a_pendulum_and_goes_on_swinging() {
    let (hollow, radius, amplitude): (Real, Real, Real) = (1.0, 0.2, 0.5);
    let way = hollow - radius;
    let block = (Shape::cuboid([2.0, 1.0, 2.0]).unwrap(), Pose::identity());
    // Their moments over their mass and the square of their radius.
    let capsule = (0.6 * 0.5 + radius * 4.0 / 3.0 * 0.4) / (0.6 + radius * 4.0 / 3.0);
    for (hole, shape, moment) in [
        (Shape::ball(hollow), Shape::ball(radius), 0.4),
        (Shape::cylinder(hollow, 3.0), Shape::capsule(radius, 0.3), capsule),
    ] {
        let hollowed = Shape::csg(Operation::Difference, &[block.clone(), (hole.unwrap(), across(0.0, 1.0))]).unwrap();
        for friction in [0.0, 1.0] {
            let mut world = world();
            world.add_body(body(BodyKind::Static, &hollowed, Pose::identity(), friction)).unwrap();
            let (sin, cos) = amplitude.sin_cos();
            let start = across((way - GAP) * sin, 1.0 - (way - GAP) * cos);
            let rolling = world.add_body(body(BodyKind::Dynamic, shape.as_ref().unwrap(), start, friction)).unwrap();
            let [left, period] = swing(&mut world, rolling, GRAVITY * (1.0 - way), 5.0);
            let slower = if friction > 0.0 { 1.0 + moment } else { 1.0 };
            let expected = TAU * (slower * way / GRAVITY).sqrt() * lengthened(amplitude);
            assert!((period / expected - 1.0).abs() < 1e-4, "friction {friction}: {period} s, and not {expected}");
            assert!(left > 0.997 && left < 1.0 + 1e-9, "friction {friction}: {left} of the energy is left");
        }
    }
}

#[test]
fn a_hoop_that_hangs_on_a_rod_goes_on_swinging() {
    let ([major, minor], rod, amplitude): ([Real; 2], Real, Real) = ([0.5, 0.05], 0.1, 0.3);
    let inner = major - minor;
    let way = inner - rod - GAP;
    let mut world = world();
    world.add_body(body(BodyKind::Static, &Shape::cylinder(rod, 1.0).unwrap(), across(0.0, 0.0), 2.0)).unwrap();
    let start = across(way * amplitude.sin(), -way * amplitude.cos());
    let hoop = body(BodyKind::Dynamic, &Shape::torus(major, minor).unwrap(), start, 2.0);
    let hoop = world.add_body(hoop).unwrap();
    let [left, period] = swing(&mut world, hoop, -GRAVITY * way, 5.0);
    let moment = (major * major + 0.75 * minor * minor) / (inner * inner);
    let expected = TAU * ((1.0 + moment) * way / GRAVITY).sqrt() * lengthened(amplitude);
    assert!((period / expected - 1.0).abs() < 5e-4, "{period} s, and not {expected}");
    assert!(left > 0.997 && left < 1.0 + 1e-9, "{left} of the energy is left");
}

#[test]
fn an_egg_that_rocks_goes_on_rocking() {
    let (radii, tilt): ([Real; 3], Real) = ([0.3, 0.2, 0.3], 0.3);
    let mut world = world();
    world.add_body(body(BodyKind::Static, &Shape::half_space(Vector::y()).unwrap(), Pose::identity(), 1.0)).unwrap();
    let height = (radii[0] * tilt.sin()).hypot(radii[1] * tilt.cos()) + GAP;
    let turned = Rotation::from_scaled_axis(Vector::z() * tilt);
    let pose = Pose::from_parts(Vector::new(0.0, height, 0.0).into(), turned);
    let egg = world.add_body(body(BodyKind::Dynamic, &Shape::ellipsoid(radii).unwrap(), pose, 1.0)).unwrap();
    let (start, lowest, mut flips, mut before) = (world.energy().total(), GRAVITY * radii[1], 0, 1.0);
    for _ in 0..300 {
        assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
        let now = (world.body(egg).unwrap().pose().rotation * Vector::x()).y;
        flips += u32::from(before * now < 0.0);
        before = now;
    }
    let left = (world.energy().total() - lowest) / (start - lowest);
    assert_eq!(flips, 9, "it rocks with 1.11 s");
    assert!(left > 0.95 && left < 1.0 + 1e-9, "{left} of the energy is left");
}

#[test]
fn what_slides_down_a_ball_or_a_log_without_friction_leaves_it_at_two_thirds_of_its_height() {
    let (large, small, start): (Real, Real, Real) = (1.0, 0.2, 0.1);
    let way = large + small;
    for [below, above] in [
        [Shape::ball(large), Shape::ball(small)],
        [Shape::cylinder(large, 3.0), Shape::cylinder(small, 0.5)],
        [Shape::ball(large), Shape::capsule(small, 0.3)],
    ] {
        let mut world = world();
        world.add_body(body(BodyKind::Static, &below.unwrap(), across(0.0, 0.0), 0.0)).unwrap();
        let pose = across((way + GAP) * start.sin(), (way + GAP) * start.cos());
        let slider = world.add_body(body(BodyKind::Dynamic, &above.unwrap(), pose, 0.0)).unwrap();
        let before = world.energy().total();
        while world.body(slider).unwrap().centre().y > 0.0 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
        }
        let cos = 2.0 / 3.0 * start.cos();
        let (got, expected) = (world.body(slider).unwrap().linear_velocity().x, (GRAVITY * way * cos).sqrt() * cos);
        assert!((got / expected - 1.0).abs() < 2e-4, "{got} m/s, and not {expected}");
        assert!(
            (world.energy().total() - before).abs() < 1e-6 * before,
            "{} J, and not {before}",
            world.energy().total()
        );
    }
}

#[test]
fn what_slides_or_rolls_off_an_edge_leaves_it_where_its_weight_no_longer_holds_it() {
    let (radius, speed): (Real, Real) = (0.5, 0.3);
    for (shape, moment) in [
        (Shape::ball(radius), 0.0),
        (Shape::cylinder(radius, 0.4), 0.0),
        (Shape::capsule(radius, 0.4), 0.0),
        (Shape::ball(radius), 0.4),
        (Shape::cylinder(radius, 0.4), 0.5),
    ] {
        let friction = if moment > 0.0 { 50.0 } else { 0.0 };
        let mut world = world();
        let block = Shape::cuboid([3.0, 1.0, 2.0]).unwrap();
        world.add_body(body(BodyKind::Static, &block, Pose::translation(-3.0, -1.0, 0.0), friction)).unwrap();
        let mut slider = body(BodyKind::Dynamic, &shape.unwrap(), across(-0.1, radius + GAP), friction);
        slider.linear_velocity = Vector::x() * speed;
        slider.angular_velocity = Vector::z() * if moment > 0.0 { -speed / radius } else { 0.0 };
        let slider = world.add_body(slider).unwrap();
        let before = world.energy().total();
        while world.body(slider).unwrap().centre().y > -0.3 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
        }
        // Where (1 + i) v² / 2 has come to what it fell, and v² to g r cos.
        let inertia = 1.0 + moment;
        let cos = (0.5 * inertia * speed * speed / (GRAVITY * radius) + 1.0) / (1.0 + 0.5 * inertia);
        let (got, expected) = (world.body(slider).unwrap().linear_velocity().x, (GRAVITY * radius * cos).sqrt() * cos);
        // With less friction what rolls would slip before it leaves.
        assert!((got / expected - 1.0).abs() < 6e-3, "moment {moment}: {got} m/s, and not {expected}");
        assert!(
            (world.energy().total() - before).abs() < 2e-3 * GRAVITY * radius,
            "{} J, and not {before}",
            world.energy().total()
        );
    }
}

#[test]
fn what_rests_on_curves_is_pushed_along_their_normals() {
    let (large, small, angle): (Real, Real, Real) = (1.0, 0.2, 0.5);
    let way = large + small + GAP;
    for [below, above] in [
        [Shape::ball(large).unwrap(), Shape::ball(small).unwrap()],
        [Shape::cylinder(large, 3.0).unwrap(), Shape::capsule(small, 0.3).unwrap()],
        [Shape::ellipsoid([large; 3]).unwrap(), Shape::ellipsoid([small; 3]).unwrap()],
    ] {
        let mut world = world();
        let wall = Shape::cuboid([1.0, 3.0, 3.0]).unwrap();
        let beside = way * angle.sin() + small + GAP + 1.0;
        world.add_body(body(BodyKind::Static, &wall, Pose::translation(beside, 0.0, 0.0), 0.0)).unwrap();
        let below = world.add_body(body(BodyKind::Static, &below, across(0.0, 0.0), 0.0)).unwrap();
        let pose = across(way * angle.sin(), way * angle.cos());
        world.add_body(body(BodyKind::Dynamic, &above, pose, 0.0)).unwrap();
        for _ in 0..60 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
        }
        assert_eq!(world.contacts().count(), 2, "it lies on the one and against the other");
        for (pair, contacts) in world.contacts() {
            let push: Real = contacts.impulses.iter().map(|impulse| impulse.norm()).sum();
            let is_wall = pair.a != below && pair.b != below;
            let expected = GRAVITY * DT * if is_wall { angle.tan() } else { angle.cos().recip() };
            assert!((push / expected - 1.0).abs() < 1e-4, "{push} N s, and not {expected}");
        }
    }
}

/// How far from the axis of a tray, beside it, a body is after a time that began to slide or roll on it at `start`, metres. With ω the tray's and
/// (1 + i) the inertia of what rolls, (1 + i) x'' = ω² x - g sin ωt.
fn on_a_tray(start: Real, [spin, moment, time]: [Real; 3]) -> Real {
    let rate = spin / (1.0 + moment).sqrt();
    let falls = GRAVITY / (spin * spin * (2.0 + moment));
    start * (rate * time).cosh() + falls * ((spin * time).sin() - spin / rate * (rate * time).sinh())
}

#[test]
fn what_slides_or_rolls_on_a_tray_that_tilts_takes_its_way() {
    let (spin, size, start, depth): (Real, Real, Real, Real) = (1.0, 0.2, 2.0, 0.5);
    for (shape, moment) in [
        (Shape::ball(size), 0.4),
        (Shape::cylinder(size, 0.3), 0.5),
        (Shape::ball(size), 0.0),
        (Shape::cuboid([size; 3]), 0.0),
    ] {
        let friction = if moment > 0.0 { 1.0 } else { 0.0 };
        let mut world = world();
        let tray = Shape::cuboid([5.0, depth, 1.0]).unwrap();
        let mut tray = body(BodyKind::Kinematic, &tray, Pose::translation(0.0, -depth, 0.0), friction);
        tray.angular_velocity = Vector::z() * spin;
        world.add_body(tray).unwrap();
        let mut slider = body(BodyKind::Dynamic, &shape.unwrap(), across(start, size + GAP), friction);
        // As what lies on the tray.
        slider.linear_velocity = Vector::new(-(depth + size + GAP), start, 0.0) * spin;
        slider.angular_velocity = Vector::z() * spin;
        let slider = world.add_body(slider).unwrap();
        let time = 36.0 * DT;
        for _ in 0..36 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
        }
        let place = world.body(slider).unwrap().centre().coords + Vector::y() * depth;
        let along = Vector::new((spin * time).cos(), (spin * time).sin(), 0.0).dot(&place);
        let expected = on_a_tray(start, [spin, moment, time]);
        assert!((along - expected).abs() < 3e-4, "moment {moment}: {along} m, and not {expected}");
    }
}

/// With long steps, or a fine tolerance, a ball turns about an edge within a step by far more than its gap: it meets the edge again and again, and goes on.
#[test]
fn a_ball_that_comes_over_an_edge_in_long_steps_loses_no_time() {
    let scenes = [(1.0 / 60.0, 1e-6, 0.1, 0.3, 1.0), (1.0 / 30.0, 1e-5, 0.1, 0.3, 1.0), (0.1, 1e-4, 3.0, 0.3, 4.9)];
    for (dt, tolerance, radius, height, speed) in scenes {
        for friction in [0.0, 0.5] {
            let settings = WorldSettings {
                tolerance,
                contact_threshold: 10.0 * tolerance,
                sleeping: false,
                parallel: false,
                gravity: Vector::y() * -GRAVITY,
                ..WorldSettings::default()
            };
            let mut world = World::new(settings).unwrap();
            let up = Shape::half_space(Vector::y()).unwrap();
            world.add_body(body(BodyKind::Static, &up, Pose::identity(), friction)).unwrap();
            let half = 0.5 * height * radius;
            let step = Shape::cuboid([10.0 * radius, half, 10.0 * radius]).unwrap();
            world
                .add_body(body(BodyKind::Static, &step, Pose::translation(13.0 * radius, half, 0.0), friction))
                .unwrap();
            let place = Pose::translation(radius, radius + 0.1 * tolerance, 0.0);
            let mut ball = body(BodyKind::Dynamic, &Shape::ball(radius).unwrap(), place, friction);
            (ball.linear_velocity, ball.angular_velocity) = (Vector::x() * speed, Vector::z() * (-speed / radius));
            world.add_body(ball).unwrap();
            let mut time = 0.0;
            while time < 70.0 * dt {
                assert_eq!(world.step(dt).unwrap().time_lost, 0.0, "Δt {dt} s, μ {friction}, after {time} s");
                time += dt;
            }
        }
    }
}

/// A marble that rolls down between two parallel rods turns about the line through the places where it touches them, ρ from its centre:
/// a = g sin θ / (1 + 2/5 (r/ρ)²). What gravity would have it fall within a step, the rods take.
#[test]
fn a_marble_rolls_down_between_two_thin_rods_as_fast_as_it_should() {
    let (radius, slope): (Real, Real) = (0.01, 0.087);
    let along = Vector::new(slope.cos(), -slope.sin(), 0.0);
    let up = Vector::new(slope.sin(), slope.cos(), 0.0);
    for (thickness, apart) in [(0.003, 0.016), (0.001, 0.019), (0.0003, 0.016)] {
        let settings = WorldSettings { tolerance: 1e-5, contact_threshold: 1e-4, ..world().settings().clone() };
        let mut world = World::new(settings).unwrap();
        let rod = Shape::cylinder(thickness, 1.5).unwrap();
        let turned = Rotation::from_scaled_axis(Vector::z() * (FRAC_PI_2 - slope));
        for side in [-0.5, 0.5] {
            let place = along * 1.4 + Vector::z() * (side * apart);
            world.add_body(body(BodyKind::Static, &rod, Pose::from_parts(place.into(), turned), 0.8)).unwrap();
        }
        let height = ((radius + thickness).powi(2) - 0.25 * apart * apart).sqrt();
        let start = Pose::from_parts((up * (height + 1e-5)).into(), Rotation::identity());
        let marble = body(BodyKind::Dynamic, &Shape::ball(radius).unwrap(), start, 0.8);
        let marble = world.add_body(marble).unwrap();
        for _ in 0..90 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
        }
        let lever = radius * height / (radius + thickness);
        let fast = GRAVITY * slope.sin() / (1.0 + 0.4 * (radius / lever).powi(2)) * 1.5;
        let marble = world.body(marble).unwrap();
        let (speed, spin) = (marble.linear_velocity().dot(&along), -marble.angular_velocity().z);
        assert!((speed / fast - 1.0).abs() < 3e-3, "rods of {thickness} m: {speed} m/s, not {fast}");
        assert!((speed / (spin * lever) - 1.0).abs() < 1e-3, "rods of {thickness} m: {speed} m/s at {spin} rad/s");
    }
}

/// On a smooth wall that turns about y with ω a ball goes outward as a bead does on a rod: z₀ cosh ωt along it. A sheet has nothing behind
/// it, and its normal turns all the same.
#[test]
fn what_slides_on_a_turning_sheet_goes_as_on_a_turning_block() {
    let (radius, spin, start): (Real, Real, Real) = (0.1, 5.0, 0.05);
    let (corners, sides) = box_triangles([0.05, 1.0, 0.5]);
    // One on either side, so that they turn about the middle.
    let walls = |is_part: fn(&[Point; 3]) -> bool| {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for sign in [1.0, -1.0] {
            for t in sides.iter().map(|t| t.map(|k| corners[k as usize])).filter(is_part) {
                let first = vertices.len() as u32;
                vertices.extend(t.map(|p| Point::new(sign * (p.x + 1.05), p.y, sign * p.z)));
                triangles.push([first, first + 1, first + 2]);
            }
        }
        mesh((vertices, triangles))
    };
    let sheets = walls(|t| t.iter().all(|p| p.x < 0.0));
    let block = |x: Real| (Pose::translation(x, 0.0, 0.0), Shape::cuboid([0.05, 1.0, 0.5]).unwrap());
    let blocks = Shape::compound([-1.05, 1.05].map(block)).unwrap();
    for (name, walls) in [("blocks", blocks), ("sheets", sheets)] {
        let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..world().settings().clone() }).unwrap();
        let mut walls = body(BodyKind::Kinematic, &walls, Pose::identity(), 0.0);
        walls.angular_velocity = Vector::y() * spin;
        world.add_body(walls).unwrap();
        let place = Vector::new(1.0 - radius - GAP, 0.0, start);
        let mut ball = body(BodyKind::Dynamic, &Shape::ball(radius).unwrap(), Pose::from(place), 0.0);
        (ball.linear_velocity, ball.angular_velocity) = (Vector::y().cross(&place) * spin, Vector::y() * spin);
        let ball = world.add_body(ball).unwrap();
        let mut time = 0.0;
        for _ in 0..18 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
            time += DT;
        }
        let along = Rotation::from_scaled_axis(Vector::y() * (spin * time)) * Vector::z();
        let (way, expected) = (world.body(ball).unwrap().centre().coords.dot(&along), start * (spin * time).cosh());
        assert!((way / expected - 1.0).abs() < 0.01, "{name}: {way} m along the wall, not {expected}");
    }
}
