//! Bodies that touch nothing: what is locked stays, what turns does so about its centre of mass, and integrators have their order.

use ccd_core::dynamics::{BodyDefinition, BodyKind, Integrator, LockedAxes, MassSpecification};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::id::BodyId;
use ccd_core::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};
use proptest::prelude::*;

fn world(integrator: Integrator) -> World {
    World::new(WorldSettings { gravity: Vector::zeros(), integrator, ..WorldSettings::default() }).unwrap()
}

fn block(kind: BodyKind) -> BodyDefinition {
    BodyDefinition::new(kind, Shape::cuboid([0.5, 0.25, 0.1]).unwrap(), Pose::identity())
}

fn run(world: &mut World, body: BodyId, seconds: Real, dt: Real) -> Pose {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
    *world.body(body).unwrap().pose()
}

#[test]
fn a_locked_axis_holds_whatever_velocity_is_given() {
    for kind in [BodyKind::Dynamic, BodyKind::Kinematic] {
        let mut world = world(Integrator::default());
        let mut definition = block(kind);
        definition.locked = LockedAxes { translation: [false, true, false], rotation: [true, true, false] };
        (definition.linear_velocity, definition.angular_velocity) =
            (Vector::new(1.0, 2.0, 3.0), Vector::new(4.0, 5.0, 6.0));
        let id = world.add_body(definition).unwrap();
        let moves = |world: &World| {
            let body = world.body(id).unwrap();
            (*body.linear_velocity(), *body.angular_velocity())
        };
        assert_eq!(moves(&world), (Vector::new(1.0, 0.0, 3.0), Vector::new(0.0, 0.0, 6.0)));
        world.set_velocity(id, Vector::new(-1.0, 7.0, 0.0), Vector::new(8.0, 0.0, -2.0)).unwrap();
        assert_eq!(moves(&world), (Vector::new(-1.0, 0.0, 0.0), Vector::new(0.0, 0.0, -2.0)));
        let pose = run(&mut world, id, 0.5, 0.01);
        assert!((pose.translation.vector - Vector::new(-0.5, 0.0, 0.0)).norm() < 1e-12, "{kind:?}: {pose}");
        assert!(pose.rotation.angle_to(&Rotation::from_scaled_axis(-Vector::z())) < 1e-12, "{kind:?}: {pose}");
    }
}

#[test]
fn what_turns_about_one_axis_alone_has_the_inertia_about_that_axis() {
    // Tilted, so that the inertia about z and the inverse of it have little to do with each other.
    let mut world = world(Integrator::default());
    let mut definition = block(BodyKind::Dynamic);
    definition.pose = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::new(0.4, 0.7, -0.2)));
    definition.locked = LockedAxes { translation: [true; 3], rotation: [true, true, false] };
    definition.torque = Vector::new(20.0, -30.0, 10.0);
    let id = world.add_body(definition).unwrap();
    let body = world.body(id).unwrap();
    let about_z = body.inertia(body.pose())[(2, 2)];
    run(&mut world, id, 0.5, 0.01);
    let spin = world.body(id).unwrap().angular_velocity().z;
    assert!((spin - 10.0 * 0.5 / about_z).abs() < 1e-9 * spin, "{spin}, {about_z} kg m²");
}

#[test]
fn a_kinematic_body_turns_about_its_centre_of_mass_like_a_dynamic_one() {
    let end = |kind: BodyKind| {
        let mut world = world(Integrator::default());
        let mut definition = block(kind);
        let (com, inertia) = (Point::new(1.0, 0.0, 0.0), Matrix::identity());
        definition.mass = MassSpecification::Properties(MassProperties { mass: 1.0, com, inertia });
        definition.angular_velocity = Vector::z();
        let id = world.add_body(definition).unwrap();
        run(&mut world, id, 1.0, 0.01)
    };
    let expected = Vector::new(1.0 - 1.0_f64.cos(), -1.0_f64.sin(), 0.0);
    for kind in [BodyKind::Dynamic, BodyKind::Kinematic] {
        let found = end(kind).translation.vector;
        assert!((found - expected).norm() < 1e-12, "{kind:?}: {found}");
    }
}

/// How far a block that begins to tumble with a spin, rad/s, is from where it should be after so many seconds, radians.
fn turning_error(integrator: Integrator, (spin, seconds): ([Real; 3], Real), dt: Real) -> Real {
    let end = |integrator: Integrator, dt: Real| {
        let mut world = world(integrator);
        let mut definition = block(BodyKind::Dynamic);
        definition.angular_velocity = Vector::from(spin);
        let id = world.add_body(definition).unwrap();
        run(&mut world, id, seconds, dt).rotation
    };
    end(integrator, dt).angle_to(&end(Integrator::ImprovedEuler, 1e-4))
}

#[test]
fn what_tumbles_freely_keeps_its_momentum_and_its_energy_to_rounding_by_every_integrator() {
    for integrator in [Integrator::Euler, Integrator::SemiImplicit, Integrator::ImprovedEuler, Integrator::Rk4] {
        let mut world = world(integrator);
        let mut definition = block(BodyKind::Dynamic);
        definition.angular_velocity = Vector::new(5.0, 7.0, -3.0);
        definition.linear_velocity = Vector::new(1.0, -2.0, 0.5);
        let id = world.add_body(definition).unwrap();
        let momentum = |world: &World| {
            let body = world.body(id).unwrap();
            (body.inertia(body.pose()) * body.angular_velocity(), *body.linear_velocity())
        };
        let ((spin, linear), energy) = (momentum(&world), world.energy().total());
        for _ in 0..600 {
            world.step(1.0 / 60.0).unwrap();
        }
        let ((last_spin, last_linear), last_energy) = (momentum(&world), world.energy().total());
        assert!((last_spin - spin).norm() <= 1e-12 * spin.norm(), "{integrator:?}: {last_spin} of {spin}");
        assert_eq!(last_linear, linear, "{integrator:?}");
        assert!((last_energy / energy - 1.0).abs() <= 1e-12, "{integrator:?}: {last_energy} J of {energy} J");
    }
}

#[test]
fn runge_kutta_turns_a_tumbling_body_by_the_fourth_order() {
    let [long, short] = [0.04, 0.02].map(|dt| turning_error(Integrator::Rk4, ([3.0, 1.0, 2.0], 1.0), dt));
    assert!((12.0..20.0).contains(&(long / short)), "{long} and {short}");
    assert!(short < 1e-6, "{short}");
}

/// Spin about the middle axis turns over while that about the others passes through zero: what keeps the energy must not hold it back there.
#[test]
fn shorter_steps_bring_every_rule_nearer_to_how_a_body_tumbles_over() {
    for integrator in [Integrator::Euler, Integrator::SemiImplicit] {
        for spin in [[1.0, 4.0, 1.0], [0.05, 4.0, 0.02]] {
            let errors = [1.0 / 60.0, 1.0 / 240.0, 1.0 / 960.0].map(|dt| turning_error(integrator, (spin, 3.0), dt));
            let [long, middle, short] = errors;
            let is_nearer = middle < 0.5 * long && short < 0.5 * middle && short < 1e-2;
            assert!(is_nearer, "{integrator:?}, {spin:?} rad/s: {errors:?} rad");
        }
    }
}

proptest! {
    /// What turns freely turns no faster than it would with all of its energy about the axis of its least moment; explicit rules up to twice as
    /// fast, where a step changes the spin by as much as there is.
    #[test]
    fn no_integrator_makes_a_turn_of_any_size_of_a_spin_however_long_the_step(
        half in prop::array::uniform3(0.01..0.5_f64), axis in prop::array::uniform3(-1.0..1.0_f64), size in -1.0..6.0_f64,
        turn in prop::array::uniform3(-3.0..3.0_f64), dt in prop::sample::select(vec![1.0 / 240.0, 1.0 / 60.0, 0.1]),
        rotation in prop::option::of(any::<[bool; 3]>()),
        integrator in prop::sample::select(vec![
            Integrator::Euler, Integrator::SemiImplicit, Integrator::ImprovedEuler, Integrator::Rk4,
        ]),
    ) {
        let mut world = world(integrator);
        let pose = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::from(turn)));
        let mut definition = BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid(half).unwrap(), pose);
        definition.angular_velocity = Vector::from(axis) * Real::powf(10.0, size);
        definition.locked.rotation = rotation.unwrap_or_default();
        let id = world.add_body(definition).unwrap();
        let first = world.energy().total();
        for _ in 0..20 {
            let body = world.body(id).unwrap();
            let least = body.inertia(&pose).symmetric_eigenvalues().min();
            let fastest = (2.0 * world.energy().total() / least).sqrt();
            let spin = *body.angular_velocity();
            let change = integrator.advance(body, body.pose(), Vector::zeros(), spin, &Vector::zeros(), dt);
            let reached = change.motion_angular.norm();
            prop_assert!(reached <= 2.0 * fastest, "{reached} rad/s of {fastest} rad/s");
            world.step(dt).unwrap();
        }
        let last = world.energy().total();
        prop_assert!(last <= first * (1.0 + 1e-8), "{last} J of {first} J");
    }
}
