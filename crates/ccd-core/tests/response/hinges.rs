//! What turns on a pin that is nothing but a body in its hole, with steps of 1/60 s.

use std::f64::consts::{FRAC_PI_2, TAU};

use ccd_core::dynamics::{BodyDefinition, BodyKind, LockedAxes};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const DT: Real = 1.0 / 60.0;
/// The radii of pins, and of the circles about which holes are, metres.
const PIN: Real = 0.18;
const HOLE: Real = 0.2;
/// How far apart things are put, metres.
const GAP: Real = 2e-5;
/// It moves across the pin and turns about it.
const IN_PLANE: LockedAxes = LockedAxes { translation: [false, false, true], rotation: [true, true, false] };

fn world(gravity: Real) -> World {
    let settings =
        WorldSettings { parallel: false, sleeping: false, gravity: Vector::y() * -gravity, ..WorldSettings::default() };
    World::new(settings).unwrap()
}

/// An ellipse of 1.6 m about one of its focuses, with a hole of so many sides there; one of the hole's corners is at -x.
fn cam(sides: u32) -> Shape {
    let (near, bulge): (Real, Real) = (0.5, 0.6);
    let corners = (0..sides).flat_map(|k| {
        let (sin, cos) = (TAU * (Real::from(k) / Real::from(sides) + 0.5)).sin_cos();
        let rim = near / (1.0 - bulge * cos);
        [(HOLE, -0.1), (rim, -0.1), (rim, 0.1), (HOLE, 0.1)].map(|(r, z)| Point::new(r * cos, r * sin, z))
    });
    let faces = (0..sides).flat_map(|k| {
        let (own, next) = (4 * k, 4 * ((k + 1) % sides));
        (0..4).flat_map(move |i| {
            let j = (i + 1) % 4;
            [[own + i, next + i, next + j], [own + i, next + j, own + j]]
        })
    });
    Shape::mesh(TriMesh::try_new(corners.collect(), faces.collect()).unwrap()).unwrap()
}

/// A bar of 2.5 m, of boxes about a square hole near its end.
fn bar() -> Shape {
    let part = |x: Real, y: Real, [half_x, half_y]: [Real; 2]| {
        (Pose::translation(x, y, 0.0), Shape::cuboid([half_x, half_y, 0.1]).unwrap())
    };
    let side = [HOLE, 0.075];
    let parts = [
        part(-0.275, 0.0, [0.075, 0.35]),
        part(1.2, 0.0, [1.0, 0.35]),
        part(0.0, 0.275, side),
        part(0.0, -0.275, side),
    ];
    Shape::compound(parts.to_vec()).unwrap()
}

/// A round pin, and one of so many sides.
fn round_pin() -> Shape {
    Shape::cylinder(PIN, 0.3).unwrap()
}

fn sided_pin(sides: u32) -> Shape {
    let corners: Vec<Point> = (0..2 * sides)
        .map(|k| {
            let (sin, cos) = (TAU * Real::from(k / 2) / Real::from(sides)).sin_cos();
            Point::new(PIN * cos, if k % 2 == 0 { -0.3 } else { 0.3 }, PIN * sin)
        })
        .collect();
    Shape::convex_hull(&corners).unwrap()
}

/// Hangs a body on a pin along z, with the part of its hole at -x on it, turned by `angle` and with a `spin` about the pin, rad/s; `seat` is by how
/// much its frame is beside the pin's axis then, metres.
fn hang(world: &mut World, pin: &Shape, shape: &Shape, seat: Real, [angle, spin]: [Real; 2], friction: Real) -> BodyId {
    let along = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2));
    let mut pin = BodyDefinition::new(BodyKind::Static, pin.clone(), along);
    pin.material.friction = friction;
    world.add_body(pin).unwrap();
    let turned = Rotation::from_scaled_axis(Vector::z() * angle);
    let pose = Pose::from_parts((turned * (Vector::x() * (seat - GAP))).into(), turned);
    let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), pose);
    (body.material.friction, body.material.restitution) = (friction, 0.0);
    body.locked = IN_PLANE;
    let id = world.add_body(body).unwrap();
    let centre = world.body(id).unwrap().centre().coords;
    let spin = Vector::z() * spin;
    world.set_velocity(id, spin.cross(&centre), spin).unwrap();
    id
}

/// By how much the frame of a hole of so many sides is beside the axis of a round pin that lies in its corner.
fn in_a_corner(sides: u32) -> Real {
    HOLE - PIN / (0.5 * TAU / Real::from(sides)).cos()
}

/// Nothing rubs, and the centre of mass goes round the pin: what holds it there does no work.
#[test]
fn what_whirls_on_a_pin_goes_on_whirling() {
    let seated =
        [(bar(), HOLE - PIN, "bar"), (cam(24), in_a_corner(24), "cam of 24"), (cam(96), in_a_corner(96), "cam of 96")];
    for (shape, seat, name) in seated {
        for spin in [1.0, 6.0, -6.0] {
            let mut world = world(0.0);
            hang(&mut world, &round_pin(), &shape, seat, [0.3, spin], 0.0);
            let start = world.energy().kinetic;
            for _ in 0..180 {
                assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
            }
            let left = world.energy().kinetic / start;
            assert!((0.99..=1.0 + 1e-9).contains(&left), "{name}, {spin} rad/s: {left} is left");
        }
    }
}

/// A pin with corners is knocked by each in turn, which takes some energy: with long steps hardly more than with short ones.
#[test]
fn what_swings_on_a_pin_with_corners_loses_as_much_energy_with_long_steps_as_with_short_ones() {
    for sides in [24, 96] {
        let lost = [1.0, 8.0].map(|finer: Real| {
            let mut world = world(9.81);
            let id = hang(&mut world, &sided_pin(sides), &cam(sides), HOLE - PIN, [0.0, 0.0], 0.0);
            let (start, mass) = (world.energy().total(), world.body(id).unwrap().mass_properties().mass);
            let arm = world.body(id).unwrap().centre().coords.norm();
            let mut time = 0.0;
            while time < 3.0 {
                assert_eq!(world.step(DT / finer).unwrap().time_lost, 0.0);
                time += DT / finer;
            }
            (start - world.energy().total()) / (mass * 9.81 * arm)
        });
        assert!(lost[0] < 0.16 && lost[0] < 1.5 * lost[1], "{sides} sides: {lost:?} of what it had at first");
    }
}

/// A round pin in the corner of a hole, with normals by β beside the middle. About the pin μ·r·S takes I·α, S being what the two sides push; along the arm S·cos β
/// and the difference D of the two by μ·sin β give m·R·ω², across it μ·S·cos β and D·sin β give m·R·α. So α is a multiple of ω².
#[test]
fn a_pin_that_rubs_brakes_by_what_whirls_on_it() {
    const SIDES: u32 = 24;
    let friction = 0.1;
    for spin in [3.0, 6.0, -6.0] {
        let mut world = world(0.0);
        let id = hang(&mut world, &round_pin(), &cam(SIDES), in_a_corner(SIDES), [0.3, spin], friction);
        let properties = world.body(id).unwrap().mass_properties();
        let arm = world.body(id).unwrap().centre().coords.norm();
        let by_arm = properties.mass * arm;
        let moment = properties.inertia[(2, 2)] + by_arm * arm;
        let cos = (0.5 * TAU / Real::from(SIDES)).cos();
        let pushed = by_arm / (cos * (1.0 + friction * friction) - friction * friction * by_arm * PIN / moment);
        let rate = friction * PIN * pushed / moment;
        let mut time = 0.0;
        for step in 0..300 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
            time += DT;
            let expected = spin / (1.0 + rate * spin.abs() * time);
            let is = world.body(id).unwrap().angular_velocity().z;
            assert!((is / expected - 1.0).abs() < 0.01, "{spin} rad/s, step {step}: {is} rad/s instead of {expected}");
        }
    }
}
