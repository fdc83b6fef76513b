//! The response methods in worlds: whatever the method, nothing overlaps, and what should rest or slide does.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its scene has failed")]

use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{BodyDefinition, BodyKind, Material};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{ResponseMethod, World, WorldSettings};

const METHODS: [ResponseMethod; 5] = [
    ResponseMethod::Shock,
    ResponseMethod::Pairwise,
    ResponseMethod::Penalty,
    ResponseMethod::Lcp,
    ResponseMethod::Svd,
];

fn world(response: ResponseMethod) -> World {
    World::new(WorldSettings { response, parallel: false, ..WorldSettings::default() }).unwrap()
}

fn material(friction: Real) -> Material {
    Material { friction, ..Material::default() }
}

fn add(world: &mut World, kind: BodyKind, half: [Real; 3], pose: Pose, friction: Real) -> BodyId {
    let mut definition = BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose);
    definition.material = material(friction);
    world.add_body(definition).unwrap()
}

fn distance(world: &World, a: BodyId, b: BodyId) -> Real {
    let (a, b) = (world.body(a).unwrap(), world.body(b).unwrap());
    closest(a.shape(), a.pose(), b.shape(), b.pose()).unwrap().distance
}

#[test]
fn every_method_brings_three_dropped_boxes_to_rest_without_overlap() {
    for method in METHODS {
        let mut world = world(method);
        let mut bodies =
            vec![add(&mut world, BodyKind::Static, [5.0, 0.5, 5.0], Pose::translation(0.0, -0.5, 0.0), 0.5)];
        for k in 0..3 {
            let pose = Pose::translation(0.0, 0.6 + 1.1 * Real::from(k), 0.0);
            bodies.push(add(&mut world, BodyKind::Dynamic, [0.5; 3], pose, 0.5));
        }
        let mut heights = Vec::new();
        for _ in 0..180 {
            world.step(1.0 / 60.0).unwrap();
            for pair in bodies.windows(2) {
                let gap = distance(&world, pair[0], pair[1]);
                assert!(gap > 0.0, "{method:?}: {gap}");
            }
            heights.push(world.body(bodies[3]).unwrap().pose().translation.y);
        }
        let (before, last) = (heights[120], heights[179]);
        assert!((last - 2.5).abs() < 1e-3, "{method:?}: the top box is at {last} m");
        assert!((last - before).abs() < 1e-5, "{method:?}: in a second it sinks {} m", before - last);
    }
}

#[test]
fn every_method_lets_a_block_slide_if_and_only_if_the_slope_is_steeper_than_friction() {
    for method in METHODS {
        for (slope, holds) in [(0.4, true), (0.6, false)] {
            let turn = Rotation::from_axis_angle(&Vector::z_axis(), Real::atan(-slope));
            let mut world = world(method);
            add(
                &mut world,
                BodyKind::Static,
                [9.0, 0.5, 9.0],
                Pose::from_parts((turn * Vector::y() * -0.5).into(), turn),
                0.5,
            );
            let start = turn * Vector::y() * 0.10005;
            let block = add(&mut world, BodyKind::Dynamic, [0.5, 0.1, 0.5], Pose::from_parts(start.into(), turn), 0.5);
            for _ in 0..60 {
                world.step(1.0 / 60.0).unwrap();
            }
            let come = (world.body(block).unwrap().pose().translation.vector - start).norm();
            let free = 0.5 * 9.81 * (slope - 0.5) * Real::cos(Real::atan(slope));
            let expected = if holds { 0.0 } else { free };
            assert!((come - expected).abs() < 0.02, "{method:?} at {slope}: came {come} m, expected {expected} m");
        }
    }
}
