//! The same scene runs the same at any size, whatever it weighs: nothing is weighed against a metre, a kilogram or a newton, only against the
//! tolerance, which grows with the scene.

use ccd_core::dynamics::{BodyDefinition, BodyError, BodyKind, MassSpecification, Material};
use ccd_core::geometry::mass::MassError;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{ResponseMethod, World, WorldSettings};

use crate::common::methods::METHODS;
use crate::common::models::{l_prism, mesh};

const DT: Real = 1.0 / 60.0;
const STEPS: usize = 90;

/// A column, what tumbles onto it, what slides and rolls off, and what bounces: lengths `size` times and densities `density` times what they are.
fn scene(size: Real, density: Real, response: ResponseMethod) -> World {
    let default = WorldSettings::default();
    let settings = WorldSettings {
        gravity: default.gravity * size,
        tolerance: default.tolerance * size,
        contact_threshold: default.contact_threshold * size,
        response,
        ..default
    };
    let mut world = World::new(settings).unwrap();
    let mut add = |kind, shape: Shape, at: [Real; 3], turn: [Real; 3], bounce: Real| {
        let pose = Pose::from_parts((Vector::from(at) * size).into(), Rotation::from_scaled_axis(Vector::from(turn)));
        let mut body = BodyDefinition::new(kind, shape, pose);
        body.mass = MassSpecification::Density(1000.0 * density);
        body.material = Material { restitution: bounce, ..body.material };
        world.add_body(body).unwrap();
    };
    let cuboid = |half: [Real; 3]| Shape::cuboid(half.map(|h| h * size)).unwrap();
    add(BodyKind::Static, cuboid([8.0, 0.5, 8.0]), [0.0, -0.5, 0.0], [0.0; 3], 0.0);
    // A ramp that is a little too steep to hold what is on it.
    add(BodyKind::Static, cuboid([2.0, 0.1, 1.0]), [4.0, 1.0, 0.0], [0.0, 0.0, 0.4652], 0.0);
    let on_ramp = |x: Real, y: Real| [4.0 - 0.4486 * y + 0.8937 * x, 1.0 + 0.8937 * y + 0.4486 * x, 0.0];
    add(BodyKind::Dynamic, cuboid([0.2, 0.1, 0.2]), on_ramp(0.3, 0.20002), [0.0, 0.0, 0.4652], 0.0);
    for k in 0..4 {
        add(BodyKind::Dynamic, cuboid([0.3, 0.2, 0.3]), [0.0, 0.20001 + 0.40001 * Real::from(k), 0.0], [0.0; 3], 0.0);
    }
    add(BodyKind::Dynamic, cuboid([0.2, 0.1, 0.2]), [-5.0, 0.10001, -5.0], [0.0; 3], 0.0);
    let prism = || mesh(l_prism(0.6 * size, 0.5 * size, 0.3 * size));
    add(BodyKind::Dynamic, prism(), [0.1, 2.7, 0.1], [0.3, 0.2, 0.1], 0.0);
    add(BodyKind::Dynamic, prism(), [-2.0, 1.0, 0.3], [1.0, 0.4, 0.2], 0.3);
    add(BodyKind::Dynamic, Shape::cylinder(0.2 * size, 0.3 * size).unwrap(), [-2.1, 2.4, 0.3], [0.4, 0.0, 1.3], 0.0);
    add(BodyKind::Dynamic, Shape::capsule(0.15 * size, 0.2 * size).unwrap(), [2.0, 0.9, 2.0], [0.0, 0.0, 1.2], 0.8);
    world
}

fn assert_same(what: &str, size: Real, density: Real, response: ResponseMethod) {
    let (mut one, mut other) = (scene(1.0, 1.0, response), scene(size, density, response));
    for step in 0..STEPS {
        let reports = [&mut one, &mut other].map(|world| world.step(DT).unwrap());
        assert_eq!(reports[0].impacts.len(), reports[1].impacts.len(), "{what}, {response:?}, step {step}");
        for ((id, p), (_, q)) in one.bodies().zip(other.bodies()) {
            let place = |pose: &Pose, unit: Real| (pose.translation.vector / unit, pose.rotation.coords);
            assert_eq!(place(p.pose(), 1.0), place(q.pose(), size), "{what}, {response:?}, step {step}, {id:?}");
            let motions = [(p, 1.0), (q, size)].map(|(b, unit)| (b.linear_velocity() / unit, *b.angular_velocity()));
            assert_eq!(motions[0], motions[1], "{what}, {response:?}, step {step}, {id:?}");
            assert_eq!(p.is_asleep(), q.is_asleep(), "{what}, {response:?}, step {step}, {id:?}");
        }
    }
    assert!(one.bodies().any(|(_, body)| body.is_asleep()), "nothing came to rest: {what}, {response:?}");
}

/// Powers of two scale without rounding; masses are then even powers, so that their roots do, too.
#[test]
fn a_scene_runs_to_the_same_bits_at_a_thousandth_and_a_thousand_times_its_size() {
    for response in METHODS {
        for size in [1.0 / 1024.0, 1024.0] {
            assert_same("size", size, 1.0, response);
        }
    }
}

#[test]
fn a_scene_runs_to_the_same_bits_whatever_it_weighs() {
    for response in METHODS {
        for density in [1.0 / 4096.0, 4096.0] {
            assert_same("density", 1.0, density, response);
        }
    }
}

#[test]
fn a_mass_that_can_be_divided_by_turns_as_any_other_and_a_smaller_one_is_an_error() {
    let cuboid = || Shape::cuboid([0.1, 0.2, 0.3]).unwrap();
    let turned = |mass: Real| {
        let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
        let mut body = BodyDefinition::new(BodyKind::Dynamic, cuboid(), Pose::identity());
        (body.mass, body.torque) = (MassSpecification::Mass(mass), Vector::y() * mass);
        let id = world.add_body(body).unwrap();
        world.step(DT).unwrap();
        world.body(id).unwrap().angular_velocity().y
    };
    // The moment about y is (0.2² + 0.6²)/12 kg m² for each kilogram.
    for mass in [1.0, 1e-100, 1e-200, 1e-300] {
        assert!((turned(mass) / DT - 12.0 / 0.4).abs() < 1e-9, "{mass:e} kg: {}", turned(mass));
    }
    let mut body = BodyDefinition::new(BodyKind::Dynamic, cuboid(), Pose::identity());
    body.mass = MassSpecification::Mass(1e-310);
    let refused = World::new(WorldSettings::default()).unwrap().add_body(body);
    assert!(matches!(refused, Err(BodyError::Mass(MassError::TooSmall { what: "mass", .. }))), "{refused:?}");
}
