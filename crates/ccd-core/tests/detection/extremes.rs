//! Whatever finite numbers queries and worlds are given, nothing panics and no NaN comes out.
//!
//! Numbers of any size are often too large to be answered for. Cases that are refused do not count; a test fails where more are than [`REFUSED`].

use ccd_core::detection::closest::{ClosestError, closest};
use ccd_core::detection::toc::{Moving, Toc, TocError, TocOptions, TracedPoint, time_of_contact, trace_point};
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector, is_finite};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::shape::compound::{Compound, CompoundError, Part};
use ccd_core::world::{InitialOverlap, World, WorldSettings};
use proptest::prelude::*;

/// How many cases may be refused for each that is answered.
const REFUSED: u32 = 10;

fn cases(answered: u32) -> ProptestConfig {
    ProptestConfig { max_global_rejects: REFUSED * answered, ..ProptestConfig::with_cases(answered) }
}

fn refused<E: std::fmt::Display>(error: E) -> TestCaseError {
    TestCaseError::reject(error.to_string())
}

/// One of [`shapes`].
fn any_shape() -> impl Strategy<Value = usize> {
    0..shapes().len()
}

fn shapes() -> Vec<Shape> {
    let corners = [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.4]].map(Point::from).to_vec();
    let mesh = TriMesh::try_new(corners.clone(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap();
    let sheet = TriMesh::try_new(corners.clone(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    vec![
        Shape::ball(0.3).unwrap(),
        Shape::cuboid([0.2, 0.3, 0.4]).unwrap(),
        Shape::capsule(0.1, 0.2).unwrap(),
        Shape::cylinder(0.2, 0.1).unwrap(),
        Shape::cone(0.2, 0.3).unwrap(),
        Shape::convex_hull(&corners).unwrap(),
        Shape::mesh(mesh).unwrap(),
        Shape::mesh(sheet).unwrap(),
        Shape::half_space(Vector::y()).unwrap(),
        Shape::ellipsoid([0.2, 0.3, 0.4]).unwrap(),
        Shape::torus(0.4, 0.1).unwrap(),
    ]
}

/// Ordinary numbers, and of any size that a number can have.
fn number() -> impl Strategy<Value = Real> {
    prop_oneof![
        3 => -2.0..2.0_f64,
        1 => (-1.0..1.0_f64, -300..308_i32).prop_map(|(m, e)| m * 10_f64.powi(e)),
    ]
}

fn vector() -> impl Strategy<Value = Vector> {
    [number(), number(), number()].prop_map(Vector::from)
}

fn pose() -> impl Strategy<Value = Pose> {
    let turn = prop::array::uniform3(-3.0..3.0_f64);
    (vector(), turn).prop_map(|(at, turn)| Pose::from_parts(at.into(), Rotation::from_scaled_axis(turn.into())))
}

fn motion() -> impl Strategy<Value = RigidMotion> {
    (pose(), vector(), vector()).prop_map(|(start, linear_velocity, angular_velocity)| RigidMotion {
        linear_velocity,
        angular_velocity,
        ..RigidMotion::at_rest(start)
    })
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn closest_points_are_numbers_or_an_error(i in any_shape(), j in any_shape(), a in pose(), b in pose()) {
        let shapes = shapes();
        let found = closest(&shapes[i], &a, &shapes[j], &b).map_err(refused)?;
        prop_assert!(!found.distance.is_nan(), "{found:?}");
        prop_assert!(is_finite(&found.point_a.coords) && is_finite(&found.point_b.coords), "{found:?}");
        prop_assert!((found.normal.norm() - 1.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn times_of_contact_are_numbers_or_an_error(
        i in any_shape(), j in any_shape(), a in motion(), b in motion(), duration in number(),
    ) {
        let shapes = shapes();
        let interval = TimeInterval::new(0.0, duration.abs()).map_err(refused)?;
        let options = TocOptions { budget: 10_000, ..TocOptions::default() };
        let (a, b) = (Moving::new(&shapes[i], &a), Moving::new(&shapes[j], &b));
        let found = time_of_contact(a, b, interval, &options).map_err(refused)?;
        match found.answer {
            Toc::Separated => {}
            Toc::Undecided { safe_until } => prop_assert!((0.0..=duration.abs()).contains(&safe_until)),
            Toc::Contact(c) | Toc::Overlapping(c) => {
                prop_assert!((0.0..=duration.abs()).contains(&c.time), "{c:?}");
                prop_assert!(!c.separation.is_nan(), "{c:?}");
                prop_assert!(is_finite(&c.point_a.coords) && is_finite(&c.point_b.coords), "{c:?}");
                prop_assert!((c.normal.norm() - 1.0).abs() < 1e-9, "{c:?}");
            }
        }
    }
}

/// Evenly in the exponent of ten.
fn magnitude(low: Real, high: Real) -> impl Strategy<Value = Real> {
    (low..high).prop_map(|e| 10_f64.powf(e))
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn however_long_and_fast_a_motion_is_a_contact_is_within_the_tolerance_and_not_late(
        i in any_shape(), speed in magnitude(-3.0, 15.0), duration in magnitude(0.0, 14.0), gap in magnitude(-3.0, 3.0),
        spin in magnitude(-3.0, 11.0), spins in any::<bool>(), direction in [-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64],
        tolerance in magnitude(-7.0, -3.0),
    ) {
        let shapes = shapes();
        let ball = &shapes[0];
        let direction = Vector::from(direction).try_normalize(0.1).ok_or_else(|| refused("no direction"))?;
        let at = shapes[i].as_solid().bounding_sphere();
        // Beside the other, or above it where it has no end.
        let (centre, radius) = if at.radius.is_finite() { (at.centre, at.radius) } else { (Point::origin(), 0.0) };
        let direction = if at.radius.is_finite() { direction } else { Vector::y() };
        let place = centre + direction * (radius + 0.3 + gap + tolerance);
        let turning = if spins { Vector::new(0.0, spin, 0.0) } else { Vector::zeros() };
        let a = RigidMotion {
            linear_velocity: -direction * speed, ..RigidMotion::at_rest(Pose::from_parts(place.coords.into(), Rotation::identity()))
        };
        let b = RigidMotion { angular_velocity: turning, ..RigidMotion::at_rest(Pose::identity()) };
        let interval = TimeInterval::new(0.0, duration).unwrap();
        let options = TocOptions { tolerance, budget: 20_000, ..TocOptions::default() };
        let found = time_of_contact(Moving::new(ball, &a), Moving::new(&shapes[i], &b), interval, &options);
        let found = found.map_err(refused)?;
        prop_assert!(!matches!(found.answer, Toc::Overlapping(_)), "they start {gap} m apart: {:?}", found.answer);
        if let Toc::Contact(contact) = found.answer {
            prop_assert!(contact.separation <= tolerance, "{contact:?}");
            let between = (contact.point_b - contact.point_a).norm();
            let rounding = 1e-15 * (place.coords.norm() + speed * contact.time);
            prop_assert!(between <= tolerance + rounding, "{between}: {contact:?}");
        }
        if i == 0 {
            // Two balls, head on: they touch when the gap is closed.
            let met = (gap + tolerance) / speed;
            match found.answer.safe_until() {
                None => prop_assert!(met >= duration * (1.0 - 1e-9)),
                Some(time) => prop_assert!(time <= met * (1.0 + 1e-12), "{time} after {met}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn worlds_step_to_numbers_or_an_error(
        i in any_shape(), j in any_shape(), a in motion(), b in motion(), dt in number(), gravity in vector(),
    ) {
        let shapes = shapes();
        let settings = WorldSettings {
            gravity, parallel: false, initial_overlap: InitialOverlap::Separate, ..WorldSettings::default()
        };
        let mut world = World::new(settings).map_err(refused)?;
        for (kind, k, motion) in [(BodyKind::Dynamic, i, a), (BodyKind::Dynamic, j, b), (BodyKind::Static, 1, a)] {
            let mut body = BodyDefinition::new(kind, shapes[k].clone(), motion.start);
            (body.linear_velocity, body.angular_velocity) = (motion.linear_velocity, motion.angular_velocity);
            // Half-spaces do not move, and what has no mass is refused.
            let _ = world.add_body(body);
        }
        prop_assume!(world.bodies().next().is_some());
        for k in 0..3 {
            match world.step(dt.abs()) {
                Err(error) if k == 0 => return Err(refused(error)),
                Err(_) => return Ok(()),
                Ok(_) => {}
            }
            for (_, body) in world.bodies() {
                let pose = body.pose();
                prop_assert!(is_finite(&pose.translation.vector) && is_finite(body.linear_velocity()));
                prop_assert!(is_finite(body.angular_velocity()) && pose.rotation.coords.iter().all(|c| c.is_finite()));
            }
        }
    }
}

/// Rotations that were never made unit.
fn no_rotations() -> impl Iterator<Item = Rotation> {
    let numbers =
        [[0.0; 4], [0.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 1.002], [1e100, 0.0, 0.0, 1e100], [1e200, 0.0, 0.0, 1e200]];
    let with_nan = [Real::NAN, 0.0, 0.0, 1.0];
    numbers.into_iter().chain([with_nan]).map(|[x, y, z, w]| Rotation::new_unchecked([x, y, z, w].into()))
}

#[test]
fn rotations_that_are_no_unit_quaternions_are_refused_and_slightly_rounded_ones_are_not() {
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let rounded = Rotation::new_unchecked([0.0, 0.0, 0.0, 1.0 + 1e-6].into());
    let shapes = shapes();
    for (i, j) in (0..shapes.len()).flat_map(|i| (0..shapes.len()).map(move |j| (i, j))) {
        let (a, b) = (&shapes[i], &shapes[j]);
        for rotation in no_rotations() {
            let pose = Pose::from_parts(Vector::new(3.0, 0.0, 0.0).into(), rotation);
            let found = closest(a, &pose, b, &Pose::identity());
            assert_eq!(found, Err(ClosestError::NonFinitePose { side: 'a' }), "{i} {j} {rotation:?}");
            let (moves, rests) = (RigidMotion::at_rest(Pose::identity()), RigidMotion::at_rest(pose));
            let options = TocOptions::default();
            let found = time_of_contact(Moving::new(a, &moves), Moving::new(b, &rests), interval, &options);
            assert_eq!(found.unwrap_err(), TocError::NonFiniteMotion { side: 'b' }, "{i} {j} {rotation:?}");
        }
    }
    let pose = Pose::from_parts(Vector::new(3.0, 0.0, 0.0).into(), rounded);
    assert!(closest(&shapes[0], &pose, &shapes[1], &Pose::identity()).is_ok());
}

#[test]
fn parts_with_rotations_that_are_no_unit_quaternions_are_refused() {
    for rotation in no_rotations() {
        let parts = [(Shape::ball(0.3).unwrap(), Pose::identity()), (Shape::ball(0.3).unwrap(), rotated(rotation))];
        let compound = Compound::new(parts.iter().map(|(shape, pose)| Part::new(shape.clone(), *pose)).collect());
        assert_eq!(compound.unwrap_err(), CompoundError::NonFinitePose { part: 1 }, "{rotation:?}");
        let union = Shape::csg(Operation::Union, &parts);
        assert!(union.is_err_and(|error| error.to_string().contains("no unit quaternion")), "{rotation:?}");
    }
}

fn rotated(rotation: Rotation) -> Pose {
    Pose::from_parts(Vector::zeros().into(), rotation)
}

#[test]
fn a_point_whose_way_is_followed_is_not_less_than_thin() {
    let (rests, interval) = (RigidMotion::at_rest(at_x(3.0)), TimeInterval::new(0.0, 1.0).unwrap());
    let target = Shape::ball(0.3).unwrap();
    let traced = |radius: Real| {
        let point = TracedPoint { local: Point::origin(), radius };
        trace_point(&point, &RigidMotion::at_rest(Pose::identity()), (target.as_solid(), &rests), interval, 1e-4, 9)
    };
    assert!(traced(0.0).is_ok() && traced(0.1).is_ok());
    for radius in [-0.1, Real::NAN, Real::INFINITY] {
        assert_eq!(traced(radius).unwrap_err(), TocError::NonFiniteMotion { side: 'a' });
    }
}

fn at_x(x: Real) -> Pose {
    Pose::translation(x, 0.0, 0.0)
}
