//! Smooth blocks that are flat for all that counts stand, slide and come to rest as what is flat does; what is round rolls as before.

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::models::{flat_sheet, mesh};

const G: Real = 9.81;
const DT: Real = 1.0 / 60.0;
/// The gap at which things are put down, metres.
const GAP: Real = 2e-5;

fn solid(radii: [Real; 3], exponents: [Real; 2]) -> Shape {
    Shape::superquadric(radii, exponents).unwrap()
}

/// Floors whose tops are at height zero: the last is smooth itself.
fn floors() -> [(Shape, Real); 4] {
    [
        (Shape::half_space(Vector::y()).unwrap(), 0.0),
        (Shape::cuboid([3.0, 0.5, 3.0]).unwrap(), -0.5),
        (mesh(flat_sheet(3.0, 12)), 0.0),
        (solid([3.0, 0.5, 3.0], [0.1; 2]), -0.5),
    ]
}

/// A body put down over the origin of a floor that leans by so much about z, turned before that.
fn on_slope(
    (floor, height): &(Shape, Real),
    slope: Real,
    (shape, above, turn): (&Shape, Real, Rotation),
    friction: Real,
) -> (World, BodyId) {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let lean = Rotation::from_scaled_axis(Vector::z() * slope);
    let along = |height: Real, turn: Rotation| Pose::from_parts((lean * (Vector::y() * height)).into(), lean * turn);
    let mut ground = BodyDefinition::new(BodyKind::Static, floor.clone(), along(*height, Rotation::identity()));
    ground.material.friction = friction;
    world.add_body(ground).unwrap();
    let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), along(above + GAP, turn));
    body.material.friction = friction;
    let body = world.add_body(body).unwrap();
    (world, body)
}

/// How far the body goes within so many steps, metres, and the most contacts that it has meanwhile.
fn goes(world: &mut World, body: BodyId, steps: u32) -> (Real, usize) {
    let place = |world: &World| world.body(body).unwrap().pose().translation.vector;
    let (before, mut most) = (place(world), 0);
    for _ in 0..steps {
        world.step(DT).unwrap();
        most = most.max(world.contacts().map(|(_, contacts)| contacts.points.len()).sum());
    }
    ((place(world) - before).norm(), most)
}

#[test]
fn a_smooth_block_stands_on_a_slope_that_holds_it_and_slides_down_a_steeper_one_as_a_box_does() {
    let blocks = [
        (solid([0.1; 3], [0.2; 2]), 0.1),
        (solid([0.3, 0.1, 0.3], [0.1; 2]), 0.1),
        // A coin, and a can on its end.
        (solid([0.1, 0.02, 0.1], [0.2, 1.0]), 0.02),
        (solid([0.1, 0.1, 0.1], [0.2, 1.0]), 0.1),
    ];
    let tangent: Real = 0.3;
    let slope = tangent.atan();
    for floor in floors() {
        for (block, half) in &blocks {
            let upright = (block, *half, Rotation::identity());
            let (mut world, body) = on_slope(&floor, slope, upright, tangent + 0.1);
            let (drift, _) = goes(&mut world, body, 120);
            assert!(drift < 1e-4, "{block:?} creeps by {drift} m on {}", floor.0.as_solid().kind());
            let friction = tangent - 0.1;
            let (mut world, body) = on_slope(&floor, slope, upright, friction);
            let (before, _) = goes(&mut world, body, 30);
            let started = world.body(body).unwrap().linear_velocity().norm();
            goes(&mut world, body, 60);
            let gained = world.body(body).unwrap().linear_velocity().norm() - started;
            let right = G * (slope.sin() - friction * slope.cos());
            assert!(
                (gained / right - 1.0).abs() < 0.01,
                "{block:?}: {gained}, not {right} m/s², on {}",
                floor.0.as_solid().kind()
            );
            assert!(before > 0.0);
        }
    }
}

#[test]
fn a_smooth_block_that_is_dropped_comes_to_rest_on_a_flat_side_and_sleeps() {
    let turn = Rotation::from_scaled_axis(Vector::new(0.4, -0.7, 0.2));
    for floor in floors() {
        for shape in [solid([0.2; 3], [0.3, 1.0]), solid([0.1; 3], [0.2; 2]), solid([0.1, 0.2, 0.15], [0.3; 2])] {
            let (mut world, body) = on_slope(&floor, 0.0, (&shape, 0.5, turn), 0.5);
            goes(&mut world, body, 1200);
            let body = world.body(body).unwrap();
            assert!(body.is_asleep(), "{shape:?} on {}: {}", floor.0.as_solid().kind(), body.angular_velocity());
        }
    }
}

#[test]
fn what_is_round_keeps_one_contact_and_rolls_as_a_ball_does() {
    let slope: Real = 0.1;
    let spheroid = [0.1, 0.15, 0.1];
    let lying = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
    for floor in &floors()[..3] {
        for shape in [Shape::ball(0.1).unwrap(), Shape::ellipsoid(spheroid).unwrap(), solid(spheroid, [1.0; 2])] {
            let (mut world, body) = on_slope(floor, slope, (&shape, 0.1, lying), 0.5);
            let (way, most) = goes(&mut world, body, 120);
            let right = 0.5 * 5.0 / 7.0 * G * slope.sin() * 4.0;
            assert_eq!(most, 1, "{shape:?} on {}", floor.0.as_solid().kind());
            assert!(
                (way / right - 1.0).abs() < 0.01,
                "{shape:?}: {way}, not {right} m, on {}",
                floor.0.as_solid().kind()
            );
        }
    }
}

#[test]
fn a_smooth_can_rolls_on_its_side_by_its_moment_of_inertia() {
    let slope: Real = 0.1;
    let can = solid([0.1, 0.2, 0.1], [0.2, 1.0]);
    let lying = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
    for floor in floors() {
        let (mut world, body) = on_slope(&floor, slope, (&can, 0.1, lying), 0.5);
        let (way, _) = goes(&mut world, body, 120);
        let mass = can.mass_properties(1.0).unwrap().0;
        let right = 0.5 * G * slope.sin() * 4.0 / (1.0 + mass.inertia.m22 / (mass.mass * 0.01));
        assert!((way / right - 1.0).abs() < 0.01, "{way}, not {right} m, on {}", floor.0.as_solid().kind());
    }
}
