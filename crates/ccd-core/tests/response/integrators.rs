//! What the rules of integration do where bodies touch.

use ccd_core::dynamics::{BodyDefinition, BodyKind, Integrator};
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const GRAVITY: Real = 9.81;
const DT: Real = 1.0 / 60.0;

/// How far a body goes down a slope of so many radians in a second from rest, metres, if it begins `height` above it.
fn way_down(integrator: Integrator, slope: Real, (shape, height): (Shape, Real), friction: Real) -> Real {
    let settings = WorldSettings { gravity: Vector::y() * -GRAVITY, integrator, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let up = Vector::new(slope.sin(), slope.cos(), 0.0);
    let ground = Shape::half_space(up).unwrap();
    let mut ground = BodyDefinition::new(BodyKind::Static, ground, Pose::identity());
    let tilted = Rotation::from_scaled_axis(Vector::z() * -slope);
    let mut body = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::from_parts((up * height).into(), tilted));
    (ground.material.friction, body.material.friction) = (friction, friction);
    world.add_body(ground).unwrap();
    let id = world.add_body(body).unwrap();
    for _ in 0..(1.0 / DT).round() as u32 {
        world.step(DT).unwrap();
    }
    world.body(id).unwrap().pose().translation.vector.dot(&Vector::new(slope.cos(), -slope.sin(), 0.0))
}

#[test]
fn what_is_let_go_on_a_rough_slope_rolls_and_slides_by_every_integrator() {
    let slope = Real::to_radians(20.0);
    for integrator in [Integrator::Euler, Integrator::SemiImplicit, Integrator::ImprovedEuler, Integrator::Rk4] {
        let (friction, ball, block) = (0.2, Shape::ball(0.1).unwrap(), Shape::cuboid([0.1; 3]).unwrap());
        let rolls = way_down(integrator, slope, (ball, 0.1), 0.9);
        let slides = way_down(integrator, slope, (block, 0.1), friction);
        // Rules of the first order are behind, or ahead, by half of a step's way.
        let near = 1.1 * DT;
        let rolled = 0.5 * 5.0 / 7.0 * GRAVITY * slope.sin();
        assert!((rolls / rolled - 1.0).abs() < near, "{integrator:?}: the ball has rolled {rolls} m of {rolled} m");
        let slid = 0.5 * GRAVITY * (slope.sin() - friction * slope.cos());
        assert!((slides / slid - 1.0).abs() < near, "{integrator:?}: the block has slid {slides} m of {slid} m");
    }
}
