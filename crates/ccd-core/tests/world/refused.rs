//! Numbers that cannot be are refused where they are given, and the error says whose they are.

use ccd_core::detection::toc::Moving;
use ccd_core::dynamics::{BodyDefinition, BodyError, BodyKind, Carrier, MassSpecification};
use ccd_core::geometry::mass::{MassError, MassProperties};
use ccd_core::id::BodyId;
use ccd_core::math::{MAX_COORDINATE, Matrix, Pose, Real, Rotation, Vector};
use ccd_core::motion::RigidMotion;
use ccd_core::shape::Shape;
use ccd_core::world::{
    MOST_OVERLAPS_TOLD, OnMeeting, QueryError, SettingsError, SlideError, SlideQuery, StepError, Walk, World,
    WorldSettings,
};

use crate::common::fixed::{all, at, world_of};

fn ball() -> Shape {
    Shape::ball(0.5).unwrap()
}

fn falling_ball(pose: Pose) -> BodyDefinition {
    BodyDefinition::new(BodyKind::Dynamic, ball(), pose)
}

/// Places with rotations that were never made unit.
fn no_places() -> impl Iterator<Item = Pose> {
    let unchecked = |w: Real| Rotation::new_unchecked([0.0, 0.0, 0.0, w].into());
    [0.0, 0.5, 1.002, 1e200].map(|w| Pose::from_parts(Vector::new(0.0, 3.0, 0.0).into(), unchecked(w))).into_iter()
}

#[test]
fn no_body_is_put_where_its_rotation_is_no_unit_quaternion() {
    for place in no_places() {
        let norm = place.rotation.coords.norm();
        let refused = BodyError::OutOfRange { what: "quaternion norm", value: norm, range: "within a thousandth of 1" };
        let mut world = World::default();
        assert_eq!(world.add_body(falling_ball(place)), Err(refused.clone()));
        let body = world.add_body(falling_ball(at(0.0, 1.0, 0.0))).unwrap();
        assert_eq!(world.set_pose(body, place), Err(refused.clone()));
        assert_eq!(world.body(body).unwrap().pose(), &at(0.0, 1.0, 0.0));
        let kinematic = BodyDefinition::new(BodyKind::Kinematic, ball(), at(5.0, 0.0, 0.0));
        let carried = world.add_body(kinematic).unwrap();
        world.body_mut(carried).unwrap().carrier = Some(Carrier { body, place });
        assert_eq!(world.step(0.01).unwrap_err(), StepError::Body { body: carried, error: refused });
    }
}

#[test]
fn a_place_that_is_none_is_blamed_on_the_shape_that_is_asked_for_whether_there_is_a_neighbour_or_not() {
    let nowhere = Pose::translation(Real::NAN, 0.0, 0.0);
    for world in [World::default(), world_of([(ball(), Pose::identity())])] {
        for place in no_places().chain([nowhere]) {
            let (pose, motion) = (QueryError::BadPlace { what: "pose" }, QueryError::BadPlace { what: "motion" });
            let shape = ball();
            assert_eq!(world.nearest_body(&shape, &place, 9.0, all).unwrap_err(), pose);
            let stands = RigidMotion::at_rest(place);
            let moving = Moving::new(&shape, &stands);
            assert_eq!(world.cast_shape(moving, 1.0, all).unwrap_err(), motion);
            assert_eq!(world.shape_hits(moving, 1.0, all).unwrap_err(), motion);
            let refused = SlideError::Query(pose);
            assert_eq!(world.way_out(&shape, &place, 0.01, all).unwrap_err(), refused);
            assert_eq!(world.approach(&shape, &place, &Vector::x(), 0.01, all).unwrap_err(), refused);
            let query = SlideQuery::new(&shape, place, Vector::x(), 1.0);
            assert_eq!(world.slide(&query, all, |_| OnMeeting::Slide).unwrap_err(), refused);
        }
        let speeds =
            RigidMotion { linear_velocity: Vector::x() * Real::INFINITY, ..RigidMotion::at_rest(at(9.0, 0.0, 0.0)) };
        let cast = world.cast_shape(Moving::new(&ball(), &speeds), 1.0, all);
        assert_eq!(cast.unwrap_err(), QueryError::BadPlace { what: "motion" });
    }
}

#[test]
fn an_error_calls_a_body_by_its_name_once() {
    let body = BodyId { index: 1, generation: 0 };
    let error = World::default().time_of_contact(body, body, 1.0).unwrap_err();
    assert_eq!(error.to_string(), format!("there is no {body}"));
}

#[test]
fn an_inertia_that_cannot_be_is_refused_for_what_is_wrong_with_it() {
    let refused = |inertia: Matrix| {
        let mass = MassSpecification::Properties(MassProperties { inertia, ..MassProperties::UNIT });
        match World::default().add_body(BodyDefinition { mass, ..falling_ball(Pose::identity()) }) {
            Err(BodyError::Mass(error)) => error,
            other => panic!("{inertia}: {other:?}"),
        }
    };
    let identity = Matrix::identity();
    assert_eq!(refused(identity * 1e300), MassError::TooLarge { what: "inertia", value: 1e300 });
    assert_eq!(refused(identity * 1e-320), MassError::TooSmall { what: "inertia", value: 1e-320 });
    let skewed = Matrix::new(1.0, 0.9, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    assert_eq!(refused(skewed), MassError::Unsymmetric);
    assert!(matches!(refused(Matrix::from_diagonal(&Vector::new(1.0, 1.0, 10.0))), MassError::Inertia { .. }));
}

#[test]
fn no_distance_of_a_world_or_a_question_is_beyond_the_largest_coordinate() {
    let too_large = 2.0 * MAX_COORDINATE;
    for (tolerance, what) in [(too_large, "tolerance"), (1e-4, "contact threshold")] {
        let settings = WorldSettings { tolerance, contact_threshold: too_large, ..WorldSettings::default() };
        assert_eq!(settings.validate(), Err(SettingsError::TooLarge { what, value: too_large }));
    }
    let (world, shape) = (world_of([(ball(), Pose::identity())]), ball());
    for gap in [too_large, Real::MAX] {
        let refused = SlideError::BadGap { gap };
        assert_eq!(world.way_out(&shape, &Pose::identity(), gap, all).unwrap_err(), refused);
        let query = SlideQuery { gap, ..SlideQuery::new(&shape, Pose::identity(), Vector::x(), 1.0) };
        assert_eq!(world.slide(&query, all, |_| OnMeeting::Slide).unwrap_err(), refused);
    }
}

#[test]
fn a_direction_up_of_no_length_is_told_from_one_that_is_no_number() {
    let (world, shape) = (World::default(), ball());
    let refused = |up: Vector| {
        let walk = Some(Walk { up, max_slope: 0.7, autostep: None, snap: None, rides: false });
        let query = SlideQuery { walk, ..SlideQuery::new(&shape, Pose::identity(), Vector::x(), 1.0) };
        world.slide(&query, all, |_| OnMeeting::Slide).unwrap_err()
    };
    assert!(matches!(refused(Vector::zeros()), SlideError::BadWalk { .. }));
    assert_eq!(refused(Vector::repeat(Real::NAN)), SlideError::NonFinite { what: "direction up" });
}

#[test]
fn of_very_many_overlaps_a_step_is_refused_with_as_many_as_it_tells() {
    for (count, told, words) in
        [(30, 30 * 29 / 2, "(435 such pairs)"), (200, MOST_OVERLAPS_TOLD, "(at least 4096 such pairs)")]
    {
        let mut world = World::default();
        for _ in 0..count {
            world.add_body(falling_ball(Pose::identity())).unwrap();
        }
        let error = world.step(0.01).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        let StepError::InitialOverlap { first, all } = error else { panic!("{error}") };
        assert!(all.len() == told && first.depth == 1.0, "{count}: {first:?}");
    }
}

#[test]
fn a_velocity_that_is_none_wakes_nobody() {
    let none = Vector::x() * Real::NAN;
    let mut world = World::default();
    let ground = Shape::cuboid([5.0, 0.5, 5.0]).unwrap();
    let ground = BodyDefinition::new(BodyKind::Kinematic, ground, at(0.0, -0.5, 0.0));
    let ground = world.add_body(ground).unwrap();
    let rests = world.add_body(falling_ball(at(0.0, 0.5, 0.0))).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
    }
    assert!(world.body(rests).unwrap().is_asleep());
    for id in [rests, ground] {
        for (linear, angular, what) in [(none, Vector::x(), "linear velocity"), (Vector::x(), none, "angular velocity")]
        {
            let refused = world.set_velocity(id, linear, angular);
            assert_eq!(refused, Err(BodyError::NonFinite { what }));
            assert!(world.body(rests).unwrap().is_asleep(), "{what} of {id}");
        }
    }
}
