//! Steps that are long beside the time in which things fall over.

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::random::Random;

/// Cubes of 2 · `half` metres, thrown onto a floor by `throw`, which is given the place of each; none stands otherwise than flat on a side when all
/// have come to rest.
fn come_to_lie_flat(half: Real, dt: Real, settings: &WorldSettings, throw: impl Fn(usize, Vector) -> BodyDefinition) {
    let mut world = World::new(settings.clone()).unwrap();
    let floor = Shape::half_space(Vector::y()).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, floor, Pose::identity())).unwrap();
    for k in 0..16 {
        let place = Vector::new((k % 4) as Real, 0.0, (k / 4) as Real) * (8.0 * half);
        world.add_body(throw(k, place)).unwrap();
    }
    let first = world.energy();
    let size = first.kinetic + first.potential.abs();
    let mut energy = first.total();
    for step in 0..120 {
        assert_eq!(world.step(dt).unwrap().time_lost, 0.0, "{half} m, {dt} s, step {step}");
        let now = world.energy().total();
        assert!(now <= energy + 1e-6 * size, "{half} m, {dt} s, step {step}: {now} J after {energy} J");
        energy = now;
    }
    for (id, body) in world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic) {
        let above = body.centre().y - half;
        assert!(body.is_asleep() && above.abs() < 2e-3 * half, "{half} m, {dt} s: {id} is {above} m above the floor");
    }
}

fn cube(half: Real, pose: Pose) -> BodyDefinition {
    BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([half; 3]).unwrap(), pose)
}

#[test]
fn what_is_thrown_comes_to_lie_flat_in_steps_of_a_quarter_of_a_second_and_more() {
    for dt in [0.255, 0.4, 0.64] {
        come_to_lie_flat(0.5, dt, &WorldSettings::default(), |k, place| {
            let mut random = Random(k as u64);
            let mut body = cube(0.5, Pose::from_parts((place + Vector::y() * 2.0).into(), random.rotation()));
            body.linear_velocity = random.direction();
            body.angular_velocity = random.direction() * 3.0;
            body
        });
    }
}

#[test]
fn dice_of_millimetres_that_lean_fall_flat_at_sixty_steps_a_second() {
    for half in [1e-3, 2.5e-3] {
        let tolerance = 4e-4 * half;
        let contact_threshold = 10.0 * tolerance;
        let settings = WorldSettings { tolerance, contact_threshold, ..WorldSettings::default() };
        come_to_lie_flat(half, 1.0 / 60.0, &settings, |k, place| {
            let lean = Rotation::from_scaled_axis(Vector::z() * (0.01 + 0.03 * k as Real));
            let low = (lean * Vector::x()).x.abs() + (lean * Vector::y()).x.abs();
            cube(half, Pose::from_parts((place + Vector::y() * (half * (low + 1e-3))).into(), lean))
        });
    }
}
