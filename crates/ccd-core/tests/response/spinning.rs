//! What spins while contacts push it: its angular momentum changes by what they push, and by nothing else.

use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::id::BodyId;
use ccd_core::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const GRAVITY: Real = 9.81;
/// How far apart things are put, metres.
const GAP: Real = 1e-5;

/// A floor, and on it a body.
fn put_on_a_floor(mut body: BodyDefinition, friction: Real) -> (World, BodyId) {
    let gravity = Vector::y() * -GRAVITY;
    let settings = WorldSettings { parallel: false, sleeping: false, gravity, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let floor = Shape::half_space(Vector::y()).unwrap();
    let mut floor = BodyDefinition::new(BodyKind::Static, floor, Pose::identity());
    for definition in [&mut floor, &mut body] {
        (definition.material.friction, definition.material.restitution) = (friction, 0.0);
    }
    world.add_body(floor).unwrap();
    let id = world.add_body(body).unwrap();
    (world, id)
}

/// A floor, and on it a body of 1 kg with these moments about its own axes.
fn on_a_floor(
    shape: Shape,
    pose: Pose,
    [moments, com]: [Vector; 2],
    friction: Real,
    [linear, angular]: [Vector; 2],
) -> (World, BodyId) {
    let mut body = BodyDefinition::new(BodyKind::Dynamic, shape, pose);
    let inertia = Matrix::from_diagonal(&moments);
    body.mass = MassSpecification::Properties(MassProperties { mass: 1.0, com: Point::from(com), inertia });
    (body.linear_velocity, body.angular_velocity) = (linear, angular);
    put_on_a_floor(body, friction)
}

/// A wheel with a rounded rim that leans and rolls round in a circle. With the spin s about its axis and Ω about the vertical it leans as it did if its angular
/// momentum, which goes round by Ω, changes by what the floor pushes: Ω × L = r × m (g + Ω × v), r being the way from its centre to where it touches and v = -ω × r.
#[test]
fn a_leaning_wheel_rolls_round_as_its_angular_momentum_says() {
    let (large, small, lean, spin) = (0.1, 0.02, 0.3_f64, 8.0);
    let moments = Vector::new(0.0058, 0.0103, 0.0058);
    let rotation = Rotation::from_scaled_axis(Vector::x() * (std::f64::consts::FRAC_PI_2 - lean));
    let axis = rotation * Vector::y();
    let across = Vector::y() - axis * axis.y;
    let touches = across.normalize() * -large - Vector::y() * small;
    let angular = |round: Real| axis * spin + Vector::y() * round;
    let velocity = |round: Real| -angular(round).cross(&touches);
    let off = |round: Real| {
        let momentum = rotation * rotation.inverse_transform_vector(&angular(round)).component_mul(&moments);
        let force = Vector::y() * GRAVITY + Vector::y().cross(&velocity(round)) * round;
        (Vector::y().cross(&momentum) * round - touches.cross(&force)).x
    };
    let (mut low, mut high) = (-4.0, 0.0);
    assert!(off(low) * off(high) < 0.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if off(low) * off(middle) <= 0.0 { high = middle } else { low = middle }
    }
    for (steps, most) in [(60, 2e-3), (240, 5e-4)] {
        let pose = Pose::from_parts((Vector::y() * (GAP - touches.y)).into(), rotation);
        let shape = Shape::torus(large, small).unwrap();
        let motion = [velocity(low), angular(low)];
        let (mut world, id) = on_a_floor(shape, pose, [moments, Vector::zeros()], 3.0, motion);
        for _ in 0..steps {
            assert_eq!(world.step((steps as Real).recip()).unwrap().time_lost, 0.0);
            let leans = (world.body(id).unwrap().pose().rotation * Vector::y()).y.asin();
            assert!((leans - lean).abs() < 2e-3, "{steps} steps a second: it leans by {leans}");
        }
        let now = world.body(id).unwrap().pose().rotation * Vector::y();
        let round = (axis.z * now.x - axis.x * now.z).atan2(axis.x * now.x + axis.z * now.z);
        assert!((round / low - 1.0).abs() < most, "{steps} steps a second: {round} rad, not {low}");
    }
}

/// A floor without friction pushes upwards, which turns nothing about the vertical.
#[test]
fn a_smooth_floor_leaves_the_angular_momentum_about_the_vertical() {
    let turned = Rotation::from_scaled_axis(Vector::z() * 0.8);
    let com = Vector::y() * -0.04;
    let spin = Vector::new(2.0, 6.0, 1.0);
    for moments in [Vector::repeat(0.0035), Vector::new(0.003, 0.004, 0.0035)] {
        for (steps, most) in [(60, 0.015), (240, 2e-3), (1000, 2e-4)] {
            let pose = Pose::from_parts((Vector::y() * (0.1 + GAP)).into(), turned);
            // Its lowest place neither rises nor falls.
            let linear = Vector::y() * spin.cross(&(turned * com)).y;
            let shape = Shape::ball(0.1).unwrap();
            let (mut world, id) = on_a_floor(shape, pose, [moments, com], 0.0, [linear, spin]);
            let momentum = |world: &World| {
                let body = world.body(id).unwrap();
                let rotation = body.pose().rotation;
                rotation * rotation.inverse_transform_vector(body.angular_velocity()).component_mul(&moments)
            };
            let before = momentum(&world);
            for _ in 0..steps {
                assert_eq!(world.step((steps as Real).recip()).unwrap().time_lost, 0.0);
                let change = (momentum(&world).y - before.y).abs() / before.norm();
                assert!(change < most, "{moments:?}, {steps} steps a second: {change} of it");
            }
        }
    }
}

/// A coin that whirls round near its fall, at 20°, rolls without loss: its place of contact goes round its rim by a tenth of a radian and more within a step.
#[test]
fn a_coin_that_whirls_round_near_its_fall_keeps_its_energy() {
    let (radius, half, tilt) = (0.1, 0.002, 20_f64.to_radians());
    let rotation = Rotation::from_scaled_axis(Vector::x() * tilt);
    let touches = rotation * Vector::new(0.0, -half, radius);
    let shape = Shape::cylinder(radius, half).unwrap();
    let moments = Vector::new(0.25 * radius * radius, 0.5 * radius * radius, 0.25 * radius * radius)
        + Vector::new(1.0, 0.0, 1.0) * (half * half / 3.0);
    // Whirling steadily it turns about the radius that leads to where it touches.
    let angular = rotation * Vector::z() * 11.6;
    let pose = Pose::from_parts((Vector::y() * (GAP - touches.y)).into(), rotation);
    let motion = [-angular.cross(&touches), angular];
    let (mut world, _) = on_a_floor(shape, pose, [moments, Vector::zeros()], 5.0, motion);
    let start = world.energy().total();
    for _ in 0..120 {
        assert_eq!(world.step(1.0 / 240.0).unwrap().time_lost, 0.0);
    }
    let left = world.energy().total() / start;
    assert!((0.99..=1.0 + 1e-9).contains(&left), "{left} of it is left");
}

/// A rod's moment about its length is a thousandth of that across: a hair's breadth aside its momentum would be a spin about it.
#[test]
fn a_slender_rod_that_spins_flat_on_the_floor_does_not_begin_to_roll() {
    for (half, radius, spin, friction, seconds) in [
        (1.0, 0.02, 6.0, 0.0, 10.0),
        (0.09, 0.004, 12.0, 0.0, 5.0),
        (0.3, 0.02, 12.0, 0.0, 5.0),
        (1.0, 0.02, 6.0, 0.05, 2.0),
    ] {
        let across = (3.0 * radius * radius + 4.0 * half * half) / 12.0;
        let moments = Vector::new(across, 0.5 * radius * radius, across);
        let flat = Rotation::from_scaled_axis(Vector::z() * std::f64::consts::FRAC_PI_2);
        let pose = Pose::from_parts(Vector::new(0.0, radius + GAP, 0.0).into(), flat);
        let shape = Shape::cylinder(radius, half).unwrap();
        let spins = [Vector::zeros(), Vector::y() * spin];
        let (mut world, id) = on_a_floor(shape, pose, [moments, Vector::zeros()], friction, spins);
        for _ in 0..(60.0 * seconds) as usize {
            assert_eq!(world.step(1.0 / 60.0).unwrap().time_lost, 0.0);
        }
        let angular = *world.body(id).unwrap().angular_velocity();
        assert!(angular.x.hypot(angular.z) < 1e-3 * spin, "{half} m, friction {friction}: {angular}");
        assert!(friction > 0.0 || (angular.y - spin).abs() < 1e-6 * spin, "{half} m: {angular}");
        assert!(angular.y > 0.3 * spin, "{half} m, friction {friction}: {angular}");
    }
}

/// What holds an end down holds it all step long, while it goes round: held at once, and let turn freely from there on, it would roll by the end of the step, and
/// friction would lift an end.
#[test]
fn what_is_slender_spins_flat_however_far_it_turns_within_a_step() {
    let side = Rotation::from_scaled_axis(Vector::z() * std::f64::consts::FRAC_PI_2);
    let ball = |x: Real| (Pose::translation(x, 0.0, 0.0), Shape::ball(0.05).unwrap());
    let bar = (Pose::identity(), Shape::cuboid([0.45, 0.015, 0.015]).unwrap());
    for (name, shape, rotation, height) in [
        ("stick", Shape::cuboid([0.3, 0.02, 0.02]).unwrap(), Rotation::identity(), 0.02),
        ("ruler", Shape::cuboid([0.3, 0.01, 0.02]).unwrap(), Rotation::identity(), 0.01),
        ("rod", Shape::cylinder(0.012, 0.48).unwrap(), side, 0.012),
        ("capsule", Shape::capsule(0.02, 0.3).unwrap(), side, 0.02),
        ("dumb-bell", Shape::compound(vec![ball(-0.45), ball(0.45), bar]).unwrap(), Rotation::identity(), 0.05),
    ] {
        for (friction, steps, turn) in
            [0.0, 0.6].into_iter().flat_map(|f| [60, 240].map(|s| [0.25, 0.45, 1.0, 2.0].map(|t| (f, s, t)))).flatten()
        {
            let dt = Real::from(steps).recip();
            let pose = Pose::from_parts(Vector::new(0.0, height + GAP, 0.0).into(), rotation);
            let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), pose);
            let spin = turn / dt;
            body.angular_velocity = Vector::y() * spin;
            let (mut world, id) = put_on_a_floor(body, friction);
            for step in 0..steps / 4 {
                assert_eq!(world.step(dt).unwrap().time_lost, 0.0);
                let body = world.body(id).unwrap();
                let (angular, y) = (body.angular_velocity(), body.pose().translation.y);
                let case = format!("{name}, friction {friction}, {turn} rad a step, {steps} a second, step {step}");
                assert!(angular.x.hypot(angular.z) < 1e-3 * spin, "{case}: {angular}");
                assert!((y - height - GAP).abs() < 3.0 * GAP, "{case}: {y} m");
                assert!(friction > 0.0 || (angular.y - spin).abs() < 1e-9 * spin, "{case}: {angular}");
            }
        }
    }
}

/// The floor takes what would turn it aside, and does no work. Let turn freely first, and stopped after it, such a body would lose a part of its spin with every step.
#[test]
fn what_is_unbalanced_spins_flat_on_a_smooth_floor_without_losing_its_spin() {
    let corners = |all: &[[Real; 3]]| all.iter().map(|p| Point::from(*p)).collect::<Vec<_>>();
    let base = [[-0.3, 0.0, -0.2], [0.3, 0.0, -0.2]];
    let tetrahedron = corners(&[base[0], base[1], [0.0, 0.0, 0.3], [0.25, 0.25, -0.15]]);
    let wedge = corners(&[base[0], base[1], [-0.3, 0.0, 0.2], [0.3, 0.0, 0.2], [0.3, 0.3, -0.2], [0.3, 0.3, 0.2]]);
    for (name, points, spin) in [("tetrahedron", tetrahedron, 20.0), ("wedge", wedge, 10.0)] {
        let pose = Pose::from_parts((Vector::y() * GAP).into(), Rotation::identity());
        let shape = Shape::convex_hull(&points).unwrap();
        let mut body = BodyDefinition::new(BodyKind::Dynamic, shape, pose);
        body.angular_velocity = Vector::y() * spin;
        let (mut world, id) = put_on_a_floor(body, 0.0);
        let start = world.energy().kinetic;
        for _ in 0..120 {
            assert_eq!(world.step(1.0 / 60.0).unwrap().time_lost, 0.0);
        }
        let left = world.energy().kinetic / start;
        // Where it lies it is not known in its first step to lie.
        assert!((0.99..=1.0 + 1e-9).contains(&left), "{name}: {left} of it is left");
        let lean = world.body(id).unwrap().pose().rotation * Vector::y();
        assert!(lean.y > 1.0 - 1e-4, "{name} leans: {lean}");
    }
}

#[test]
fn what_tumbles_on_a_smooth_floor_glides_on_as_fast_as_it_did() {
    let radii = Vector::new(0.3, 0.1, 0.1);
    let (a, b) = (radii.x * radii.x, radii.y * radii.y);
    let moments = Vector::new(2.0 * b, a + b, a + b) / 5.0;
    let glides = Vector::new(1.0, 0.0, 0.5);
    for angular in [Vector::new(10.0, 5.0, 0.0), Vector::new(0.0, 0.0, 6.0)] {
        let ellipsoid = Shape::ellipsoid(radii.into()).unwrap();
        let pose = Pose::translation(0.0, radii.y + GAP, 0.0);
        let (mut world, id) = on_a_floor(ellipsoid, pose, [moments, Vector::zeros()], 0.0, [glides, angular]);
        let begun = world.energy().total();
        for _ in 0..180 {
            assert_eq!(world.step(1.0 / 60.0).unwrap().time_lost, 0.0);
            assert!(world.energy().total() <= begun * (1.0 + 1e-9), "no energy comes from nowhere");
        }
        let off = world.body(id).unwrap().linear_velocity() - glides;
        assert!(off.x.hypot(off.z) < 1e-9, "{angular}: {off}");
    }
}
