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

/// Without friction nothing turns the speed along a floor, or down a slope, into height.
#[test]
fn what_glides_on_a_smooth_plane_is_not_lifted_by_its_glide() {
    let (half, dt) = ([0.12, 0.05, 0.08], 0.1);
    for (seed, slope) in (0..40).flat_map(|seed| [(seed, 0.0), (seed, 0.3)]) {
        let mut random = Random(seed);
        let mut world = World::new(WorldSettings { parallel: false, ..WorldSettings::default() }).unwrap();
        let tilt = Rotation::from_scaled_axis(Vector::z() * -slope);
        let under = Pose::from_parts((tilt * Vector::y() * -0.2).into(), tilt);
        let plane = Shape::cuboid([40.0, 0.2, 40.0]).unwrap();
        let mut floor = BodyDefinition::new(BodyKind::Static, plane, under);
        let pose = Pose::from_parts(Vector::new(0.0, 0.4, 0.0).into(), random.rotation());
        let mut body = BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid(half).unwrap(), pose);
        body.linear_velocity = Vector::new(random.between(-4.0, 4.0), -1.0, random.between(-4.0, 4.0));
        body.angular_velocity = random.direction() * random.between(0.0, 10.0);
        (floor.material.friction, body.material.friction) = (0.0, 0.0);
        world.add_body(floor).unwrap();
        let id = world.add_body(body).unwrap();
        let along = world.body(id).unwrap().linear_velocity().z;
        // A step may open gaps by a few times the tolerance.
        let free = 5.0 * world.settings().tolerance * world.body(id).unwrap().mass_properties().mass * 9.81;
        let mut energy = world.energy().total();
        for step in 0..15 {
            assert_eq!(world.step(dt).unwrap().time_lost, 0.0);
            let now = world.energy().total();
            assert!(now <= energy + free, "seed {seed}, slope {slope}, step {step}: {now} J after {energy} J");
            energy = now;
            let off = world.body(id).unwrap().linear_velocity().z - along;
            assert!(off.abs() < 1e-9, "seed {seed}, slope {slope}, step {step}: its speed across changes by {off} m/s");
        }
    }
}
