//! Friction may have several answers: what some of them would hold at rest stands.

use std::f64::consts::FRAC_PI_2;

use ccd_core::dynamics::{BodyDefinition, BodyKind, Material};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

/// Metres.
const RADIUS: Real = 0.1;
/// Between what touches, metres.
const GAP: Real = 1e-5;

/// Bodies of one shape and friction at these places, on a half-space; the ids of those that are free.
fn pile(shape: &Shape, friction: Real, turn: Vector, places: &[Vector]) -> (World, Vec<BodyId>) {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    let material = Material { friction, ..Material::default() };
    let ground = Shape::half_space(Vector::y()).unwrap();
    let ground = BodyDefinition::new(BodyKind::Static, ground, Pose::identity());
    world.add_body(BodyDefinition { material, ..ground }).unwrap();
    let body = |at: &Vector| BodyDefinition {
        material,
        ..BodyDefinition::new(BodyKind::Dynamic, shape.clone(), Pose::new(*at, turn))
    };
    let ids = places.iter().map(|at| world.add_body(body(at)).unwrap()).collect();
    (world, ids)
}

/// Logs that lie along z, so many in the lowest row.
fn logs(base: usize, friction: Real) -> (World, Vec<BodyId>) {
    let apart = 2.0 * RADIUS + GAP;
    let height = 0.75_f64.sqrt() * apart;
    let places = (0..base).flat_map(|row| {
        let at = move |k: usize| apart * (k as Real - 0.5 * (base - row - 1) as Real);
        (0..base - row).map(move |k| Vector::new(at(k), RADIUS + GAP + row as Real * height, 0.0))
    });
    pile(&Shape::cylinder(RADIUS, 0.5).unwrap(), friction, Vector::x() * FRAC_PI_2, &places.collect::<Vec<_>>())
}

/// Balls as cannonballs are piled, so many along each side of the lowest layer, a triangle.
fn balls(base: usize, friction: Real) -> (World, Vec<BodyId>) {
    let apart = 2.0 * RADIUS + GAP;
    let (deep, high) = (0.75_f64.sqrt(), (2.0_f64 / 3.0).sqrt());
    let mut places = Vec::new();
    for layer in 0..base {
        let shift = layer as Real;
        for row in 0..base - layer {
            for k in 0..base - layer - row {
                let x = k as Real + 0.5 * row as Real + 0.5 * shift;
                let z = deep * (row as Real + shift / 3.0);
                places.push(Vector::new(x * apart, RADIUS + GAP + shift * high * apart, z * apart));
            }
        }
    }
    pile(&Shape::ball(RADIUS).unwrap(), friction, Vector::zeros(), &places)
}

/// How far anything goes within a second, metres.
fn drift((mut world, ids): (World, Vec<BodyId>)) -> Real {
    let places = |world: &World| -> Vec<Vector> {
        ids.iter().map(|id| world.body(*id).unwrap().pose().translation.vector).collect()
    };
    let before = places(&world);
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
    }
    before.iter().zip(places(&world)).map(|(before, after)| (after - before).norm()).fold(0.0, Real::max)
}

#[test]
fn logs_in_a_pile_stand_where_friction_can_hold_them_and_roll_apart_where_it_cannot() {
    for (base, friction) in [(3, 0.5), (4, 0.5), (4, 0.6), (4, 0.8), (4, 1.0), (5, 0.6), (5, 1.0), (6, 0.8)] {
        let drift = drift(logs(base, friction));
        assert!(drift < 1e-6, "{base} rows, μ {friction}: {drift} m");
    }
    // Two logs that carry a third need tan 15° where these touch it; more rows need no less.
    for base in 2..5 {
        let drift = drift(logs(base, 0.25));
        assert!(drift > 0.1, "{base} rows: {drift} m");
    }
}

#[test]
fn cannonballs_stand_where_friction_can_hold_them() {
    for (base, friction) in [(2, 0.4), (3, 0.5), (3, 0.8), (4, 0.8), (4, 1.0)] {
        let drift = drift(balls(base, friction));
        assert!(drift < 1e-6, "{base} layers, μ {friction}: {drift} m");
    }
}
