//! Precise contact determination: bounds of motions, order and times of the search (E1 to E7, E20 to E22).

use ccd_core::detection::broad::swept_obb;
use ccd_core::detection::toc::features::{Trajectories, determine_contact};
use ccd_core::detection::toc::{Method, Moving, Promise, TocOptions, time_of_contact};
use ccd_core::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RelativeMotion, RigidMotion, TimeInterval, bound, lever_arms};
use ccd_core::shape::Shape;
use ccd_core::volume::Obb;

/// An arc of this angle on a circle of 1 m, its chord, and by how much it is longer: the paper's ν.
const ARC: Real = 0.1;

fn chord_and_nu() -> (Real, Real) {
    let chord = 2.0 * (0.5 * ARC).sin();
    (chord, ARC - chord)
}

fn moving(at: [Real; 3], linear: Vector, angular: Vector) -> RigidMotion {
    RigidMotion {
        linear_velocity: linear,
        angular_velocity: angular,
        ..RigidMotion::at_rest(Pose::translation(at[0], at[1], at[2]))
    }
}

/// A shape with its motion.
type Mover<'a> = (&'a Shape, &'a RigidMotion);

fn ask(method: Method, a: Mover<'_>, b: Mover<'_>, (start, end): (Real, Real), tolerance: Real) -> Real {
    let (interval, options) =
        (TimeInterval::new(start, end).unwrap(), TocOptions { method, tolerance, ..TocOptions::default() });
    let found = time_of_contact(Moving::new(a.0, a.1), Moving::new(b.0, b.1), interval, &options).unwrap();
    found.answer.contact().unwrap_or_else(|| panic!("{method:?} misses it: {:?}", found.answer)).time
}

/// The time that each method which looks at all of the interval and of the solids, not at instants or samples only, reports.
fn times(a: Mover<'_>, b: Mover<'_>, interval: (Real, Real), tolerance: Real) -> Vec<Real> {
    let methods =
        Method::ALL.into_iter().filter(|method| !matches!(method.promise(), Promise::Looks | Promise::Samples));
    methods.map(|method| ask(method, a, b, interval, tolerance)).collect()
}

#[test]
fn e01_half_of_nu_is_sixty_times_too_little_for_an_arc_and_the_deviation_is_enough() {
    let (_, nu) = chord_and_nu();
    let sagitta = 1.0 - (0.5 * ARC).cos();
    assert!(sagitta > 59.0 * 0.5 * nu, "the premise: {sagitta} and {nu}");
    let deviation = bound::chord_deviation(1.0, 1.0, ARC);
    assert!(deviation >= sagitta && deviation < 1.001 * sagitta);
    assert!((bound::chord_deviation(1.0, 1.0, 0.5 * ARC) / deviation - 0.25).abs() < 1e-12, "halved, it is a quarter");
}

#[test]
fn e02_the_rim_of_a_wheel_rests_on_the_ground_and_moves_at_twice_the_wheels_speed_on_top() {
    let wheel = moving([0.0; 3], Vector::x(), -Vector::z());
    let speed_at = |t| wheel.velocity_of(&wheel.point_at(&Point::new(0.0, -1.0, 0.0), t), t).norm();
    assert!(speed_at(0.0) < 1e-15, "the premise: by the speed at the start it would never move");
    let bound = bound::speed(1.0, 1.0, 1.0);
    assert!((speed_at(std::f64::consts::PI) - 2.0).abs() < 1e-12 && bound >= 2.0 - 1e-12);
}

#[test]
fn e03_what_rests_leaves_its_chord_when_it_is_seen_from_something_that_turns_far_away() {
    let (resting, turning) = (
        moving([10.0, 0.0, 0.0], Vector::zeros(), Vector::zeros()),
        moving([0.0; 3], Vector::zeros(), Vector::z() * ARC),
    );
    let seen = RelativeMotion::new(&resting, &turning);
    let [from, middle, to] = [0.0, 0.5, 1.0].map(|t| seen.pose_at(t));
    let place = |at: &ccd_core::motion::RelativePose| at.a_in_b * Point::origin();
    let left = (place(&middle).coords - (place(&from).coords + place(&to).coords) * 0.5).norm();
    let (reach, arm) = lever_arms(&resting, &Point::origin());
    assert_eq!(
        (reach, arm),
        (0.0, 0.0),
        "the premise: without the lever arm of the frame there would be no bound but zero"
    );
    let deviation = seen.chord_deviation(&from, &to, reach, arm);
    assert!(left > 0.012 && deviation >= left && deviation < 1.01 * left, "{left} {deviation}");
}

#[test]
fn e04_the_time_of_a_hit_is_its_share_of_the_way_from_the_start_times_the_length_of_the_interval() {
    let (cube, ground) = (Shape::cuboid([0.5; 3]).unwrap(), Shape::half_space(Vector::y()).unwrap());
    // Its bottom is at 1.5 m when the interval begins, and at −0.5 m when it ends.
    let falling = moving([0.0, 3.0, 0.0], -Vector::y(), Vector::zeros());
    let (start, end, above, below): (Real, Real, Real, Real) = (1.0, 3.0, 1.5, 0.5);
    let met = start + (end - start) * above / (above + below);
    assert_eq!(met, 2.5);
    let printed: Real = start + below / (above + below);
    assert!((printed - met).abs() > 1.0, "the premise");
    let rest = RigidMotion::at_rest(Pose::identity());
    for time in times((&cube, &falling), (&ground, &rest), (start, end), 1e-6) {
        assert!(time <= met && time > met - 1e-6, "{time}");
    }
}

#[test]
fn e05_of_two_sheets_on_the_way_the_first_is_met_though_the_second_is_in_the_later_half() {
    let bullet = Shape::cuboid([0.01; 3]).unwrap();
    let sheet = |x: Real| (Pose::translation(x, 0.0, 0.0), Shape::cuboid([0.001, 1.0, 1.0]).unwrap());
    let sheets = Shape::compound([sheet(0.3), sheet(0.7)]).unwrap();
    let flying = moving([0.0; 3], Vector::x(), Vector::zeros());
    let rest = RigidMotion::at_rest(Pose::identity());
    for time in times((&bullet, &flying), (&sheets, &rest), (0.0, 1.0), 1e-6) {
        assert!(time <= 0.289 && time > 0.289 - 2e-6, "{time}");
    }
}

#[test]
fn e07_a_wall_between_an_arc_and_its_chord_is_met_though_nu_is_less_than_the_tolerance() {
    let tolerance = 1e-4;
    let (_, nu) = chord_and_nu();
    assert!(nu < tolerance, "the premise: by ν the chord would do");
    let corners = [[1.0, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, -0.01, 0.01], [0.0, 0.0, -0.01]];
    let spike = Shape::convex_hull(&corners.map(Point::from)).unwrap();
    let start = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::z() * (-0.5 * ARC)));
    let swing = RigidMotion { angular_velocity: Vector::z() * ARC, ..RigidMotion::at_rest(start) };
    // The tip is 1.25 mm beyond the chord in its middle; the wall reaches to within 0.6 mm of the arc's highest place.
    let near = 1.0 - 6e-4;
    assert!((0.5 * ARC).cos() < near, "the premise: the wall is clear of both ends of the way, and of the chord");
    let wall = Shape::cuboid([0.1, 1.0, 1.0]).unwrap();
    let rest = RigidMotion::at_rest(Pose::translation(near + 0.1, 0.0, 0.0));
    let met = (0.5 * ARC - near.acos()) / ARC;
    let within = (0.5 * ARC - (near - tolerance).acos()) / ARC;
    for time in times((&spike, &swing), (&wall, &rest), (0.0, 1.0), tolerance) {
        // Algorithm 3 may be as late as makes a quarter of ε in depth.
        let depth = (ARC * (time - 0.5)).cos() - near;
        assert!(depth <= 0.25 * tolerance && time >= within - 1e-9, "{time}: {depth} m deep");
    }
    let promised = ask(Method::ObbBisection, (&spike, &swing), (&wall, &rest), (0.0, 1.0), tolerance);
    assert!(promised <= met, "{promised} of {met}");
}

#[test]
fn e20_a_rotation_stays_one_over_a_thousand_turns_and_adding_its_derivative_is_none() {
    let omega = Vector::new(0.0, 1.0, 0.0);
    let added = Matrix::identity() + omega.cross_matrix();
    assert!(added.determinant() > 1.9, "the premise: a step of one radian doubles the volume");
    let spinning = moving([0.0; 3], Vector::zeros(), omega * std::f64::consts::TAU * 1000.25);
    let turned = spinning.rotation_at(1.0).to_rotation_matrix().into_inner();
    assert!(
        (turned.determinant() - 1.0).abs() < 1e-14 && (turned.transpose() * turned - Matrix::identity()).amax() < 1e-14
    );
    assert!((turned * Vector::x() + Vector::z()).norm() < 1e-9, "a quarter of a turn is left: {turned}");
}

#[test]
fn e21_a_swept_box_holds_both_ends_of_a_translation_though_nu_is_zero() {
    let flying = moving([0.0; 3], Vector::new(300.0, 400.0, 0.0), Vector::zeros());
    let nu = 500.0 - (flying.centre_at(1.0) - flying.centre_at(0.0)).norm();
    assert!(nu.abs() < 1e-12, "the premise: spheres of radius ν are points");
    let local = Obb { centre: Point::origin(), axes: Matrix::identity(), half_extents: Vector::new(0.1, 0.2, 0.3) };
    let swept = swept_obb(&local, &flying, TimeInterval::new(0.0, 1.0).unwrap());
    for t in [0.0, 0.25, 1.0] {
        for corner in local.corners() {
            let inside = swept.axes.transpose() * (flying.pose_at(t) * corner - swept.centre);
            assert!((inside.abs() - swept.half_extents).max() <= 1e-9, "{corner} at {t}");
        }
    }
}

#[test]
fn e22_normals_go_from_a_to_b_whichever_side_the_points_are_of() {
    let spike =
        Shape::convex_hull(&[[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 1.0], [-1.0, 1.0, -1.0]].map(Point::from))
            .unwrap();
    let ground = Shape::cuboid([2.0, 0.5, 2.0]).unwrap();
    // The spike's tip is the point that meets the ground's face: once it is of A, once of B.
    let (falling, rest) =
        (moving([0.0, 1.0, 0.0], -Vector::y(), Vector::zeros()), RigidMotion::at_rest(Pose::identity()));
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    for (a, b, towards_b) in [((&spike, &falling), (&ground, &rest), -1.0), ((&ground, &rest), (&spike, &falling), 1.0)]
    {
        let options = TocOptions::default();
        let found =
            determine_contact((a.0.as_solid(), a.1), (b.0.as_solid(), b.1), interval, &options, Trajectories::Boxes);
        let normal = found.unwrap().answer.toc.contact().unwrap().normal;
        assert!((normal - Vector::y() * towards_b).norm() < 1e-9, "{normal}");
    }
}
