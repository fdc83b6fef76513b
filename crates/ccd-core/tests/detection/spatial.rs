//! Spatial queries of a world answer as asking every body does.

use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::dynamics::{Body, BodyDefinition, BodyKind, Carrier};
use ccd_core::geometry::solid::Segment;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::volume::Aabb;
use ccd_core::world::{QueryError, Ray, RayHit, World, WorldSettings};
use proptest::prelude::*;

use crate::common::strategies::{primitive, vector};

fn all(_: BodyId, _: &Body) -> bool {
    true
}

fn pose(range: Real) -> impl Strategy<Value = Pose> {
    (vector(range), vector(3.0)).prop_map(|(at, turn)| Pose::from_parts(at.into(), Rotation::from_scaled_axis(turn)))
}

/// Bodies all over the place, above a half-space in some worlds.
fn world() -> impl Strategy<Value = World> {
    (prop::collection::vec((primitive(), pose(8.0)), 1..24), any::<bool>()).prop_map(|(bodies, grounded)| {
        let mut world = World::new(WorldSettings::default()).unwrap();
        if grounded {
            let ground = Shape::half_space(Vector::y()).unwrap();
            world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::translation(0.0, -9.0, 0.0))).unwrap();
        }
        for (shape, pose) in bodies {
            world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape, pose)).unwrap();
        }
        world
    })
}

/// A component of zero now and then: along an axis quotients are infinite.
fn direction() -> impl Strategy<Value = Vector> {
    let component = || prop_oneof![1 => Just(0.0), 4 => -1.0..1.0_f64];
    (component(), component(), component())
        .prop_map(|(x, y, z)| Vector::new(x, y, z))
        .prop_filter("a direction", |d| d.norm() > 1e-2)
}

proptest! {
    #[test]
    fn a_ray_meets_first_what_is_first_of_all_that_it_meets(
        world in world(), from in vector(12.0), direction in direction(), reach in 1.0..40.0_f64,
    ) {
        let ray = Ray::new(from.into(), direction).unwrap();
        let mut hits: Vec<(Real, BodyId)> = Vec::new();
        for (id, body) in world.bodies() {
            let local = |p: Point| body.pose().inverse_transform_point(&p);
            let segment = Segment { start: local(ray.at(0.0)), end: local(ray.at(reach)) };
            hits.extend(body.shape().as_solid().cast_segment(&segment).map(|hit| (hit.fraction * reach, id)));
        }
        hits.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let found = world.ray_hits(&ray, reach, all);
        prop_assert_eq!(found.len(), hits.len());
        for (hit, (distance, _)) in found.iter().zip(&hits) {
            prop_assert!((hit.distance - distance).abs() < 1e-7 && (hit.point - ray.at(hit.distance)).norm() < 1e-9);
        }
        prop_assert_eq!(world.cast_ray(&ray, reach, all), found.first().copied());
        if let Some((_, first)) = hits.first() {
            let second = world.cast_ray(&ray, reach, |id, _| id != *first);
            prop_assert_eq!(second.map(|hit| hit.body).is_some(), hits.len() > 1);
        }
    }

    #[test]
    fn a_ray_meets_each_part_of_a_compound_as_if_it_were_a_body(
        parts in prop::collection::vec((primitive(), pose(3.0)), 1..6), place in pose(6.0), others in world(), from in vector(12.0),
        direction in direction(), reach in 1.0..40.0_f64,
    ) {
        let mut apart = others.clone();
        let fixed = |shape, pose| BodyDefinition::new(BodyKind::Static, shape, pose);
        let of_parts = parts.iter().map(|(shape, pose)| apart.add_body(fixed(shape.clone(), place * pose)).unwrap());
        let of_parts: Vec<BodyId> = of_parts.collect();
        let mut together = others;
        let compound = Shape::compound(parts.into_iter().map(|(shape, pose)| (pose, shape))).unwrap();
        let body = together.add_body(fixed(compound, place)).unwrap();
        let ray = Ray::new(from.into(), direction).unwrap();
        let part_of = |hit: &RayHit| match (hit.body == body, together.body(hit.body).map(Body::shape)) {
            (true, Some(Shape::Compound(compound))) => of_parts[compound.part_of_feature(hit.feature).0 as usize],
            _ => hit.body,
        };
        let found = together.part_ray_hits(&ray, reach, all);
        let expected = apart.ray_hits(&ray, reach, all);
        prop_assert_eq!(found.iter().map(part_of).collect::<Vec<_>>(), expected.iter().map(|hit| hit.body).collect::<Vec<_>>());
        for (hit, alone) in found.iter().zip(&expected) {
            prop_assert!((hit.distance - alone.distance).abs() < 1e-9 && (hit.normal - alone.normal).norm() < 1e-9);
        }
        let first = together.cast_ray(&ray, reach, all);
        prop_assert_eq!(first.map(|hit| hit.body), found.first().map(|hit| hit.body));
    }

    #[test]
    fn a_moving_shape_meets_first_what_is_first_of_all_that_it_meets(
        world in world(), shape in primitive(), start in pose(12.0), flight in direction(), speed in 0.1..40.0_f64,
        spin in prop_oneof![Just(Vector::zeros()), vector(20.0)],
    ) {
        let motion = RigidMotion {
            linear_velocity: flight * speed,
            angular_velocity: spin,
            ..RigidMotion::at_rest(start)
        };
        let moving = Moving::new(&shape, &motion);
        let options = TocOptions { tolerance: world.settings().tolerance, ..TocOptions::default() };
        let mut meetings: Vec<(Real, BodyId)> = Vec::new();
        for (id, body) in world.bodies() {
            let stands = RigidMotion::at_rest(*body.pose());
            let interval = TimeInterval::new(0.0, 1.0).unwrap();
            let found = time_of_contact(moving, Moving::new(body.shape(), &stands), interval, &options).unwrap();
            match found.answer {
                Toc::Contact(contact) | Toc::Overlapping(contact) => meetings.push((contact.time, id)),
                Toc::Separated => {}
                Toc::Undecided { safe_until } => meetings.push((safe_until, id)),
            }
        }
        meetings.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let found = world.shape_hits(moving, 1.0, all).unwrap();
        prop_assert_eq!(found.iter().map(|hit| (hit.contact.time, hit.body)).collect::<Vec<_>>(), meetings.clone());
        // A search over less time may take other steps to the same meeting.
        let first = world.cast_shape(moving, 1.0, all).unwrap();
        prop_assert_eq!(first.is_some(), !meetings.is_empty());
        if let (Some(first), Some((time, _))) = (first, meetings.first()) {
            let way = speed * flight.norm() + 20.0 * 4.0;
            prop_assert!((first.contact.time - time).abs() * way < 10.0 * options.tolerance, "{first:?} {time}");
        }
    }

    #[test]
    fn the_nearest_body_is_the_nearest_of_all(world in world(), shape in primitive(), at in pose(14.0), reach in 0.1..20.0_f64) {
        let distance = |body: &Body| closest(&shape, &at, body.shape(), body.pose()).unwrap().distance;
        let least = world.bodies().map(|(_, body)| distance(body)).fold(Real::INFINITY, Real::min);
        let found = world.nearest_body(&shape, &at, reach, all).unwrap();
        match found {
            Some(nearest) => prop_assert!((nearest.closest.distance - least).abs() < 1e-7 && least <= reach + 1e-7),
            None => prop_assert!(least > reach - 1e-7, "{least}"),
        }
    }

    #[test]
    fn of_all_bodies_near_a_box_none_is_left_out(world in world(), at in vector(9.0), half in prop::array::uniform3(0.0..4.0_f64)) {
        let aabb = Aabb::from_half_extents(at.into(), half.into());
        let found = world.bodies_near(&aabb);
        for (id, body) in world.bodies() {
            let own = body.shape().as_solid().local_aabb().transformed(body.pose());
            let is_far = !own.inflated(1e-4).overlaps(&aabb);
            prop_assert!(!own.overlaps(&aabb) || found.contains(&id), "{id} is left out");
            prop_assert!(!(is_far && body.shape().is_bounded() && found.contains(&id)), "{id} is far");
        }
    }
}

#[test]
fn queries_see_bodies_that_have_come_gone_moved_and_stepped() {
    let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
    let ray = Ray::new(Point::origin(), Vector::x()).unwrap();
    let first = |world: &World| world.cast_ray(&ray, 100.0, all).map(|hit| (hit.body, hit.distance));
    assert_eq!(first(&world), None);
    let ball =
        |x: Real| BodyDefinition::new(BodyKind::Dynamic, Shape::ball(1.0).unwrap(), Pose::translation(x, 0.0, 0.0));
    let one = world.add_body(ball(9.0)).unwrap();
    assert_eq!(first(&world), Some((one, 8.0)));
    let other = world.add_body(ball(5.0)).unwrap();
    assert_eq!(first(&world), Some((other, 4.0)));
    world.set_pose(other, Pose::translation(20.0, 0.0, 0.0)).unwrap();
    assert_eq!(first(&world), Some((one, 8.0)));
    world.set_velocity(one, Vector::new(-60.0, 0.0, 0.0), Vector::zeros()).unwrap();
    let before = world.clone();
    world.step(1.0 / 60.0).unwrap();
    let (body, distance) = first(&world).unwrap();
    assert!(body == one && (distance - 7.0).abs() < 1e-9, "{distance}");
    assert_eq!(first(&before), Some((one, 8.0)));
    world.remove_body(one);
    assert_eq!(first(&world), Some((other, 19.0)));
}

#[test]
fn a_ray_sees_a_small_ball_from_ten_thousand_kilometres_on_its_very_surface() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let place = Pose::translation(1e7, 0.0, 0.0);
    world.add_body(BodyDefinition::new(BodyKind::Static, Shape::ball(0.01).unwrap(), place)).unwrap();
    let hit = world.cast_ray(&Ray::new(Point::origin(), Vector::x() * 1e-200).unwrap(), Real::INFINITY, all).unwrap();
    assert!((hit.distance - (1e7 - 0.01)).abs() < 1e-8 && (hit.normal + Vector::x()).norm() < 1e-6);
}

#[test]
fn no_distance_finds_nothing() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let ground = Shape::half_space(Vector::y()).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
    let (ray, ball) = (Ray::new(Point::origin(), Vector::x()).unwrap(), Shape::ball(1.0).unwrap());
    let stands = RigidMotion::at_rest(Pose::identity());
    assert!(world.cast_ray(&ray, 0.0, all).is_some());
    for reach in [-1.0, Real::NAN] {
        assert_eq!(world.cast_ray(&ray, reach, all), None);
        assert_eq!(world.cast_shape(Moving::new(&ball, &stands), reach, all), Ok(None));
        assert_eq!(world.nearest_body(&ball, &Pose::identity(), reach, all), Ok(None));
    }
}

#[test]
fn however_far_a_cast_may_go_it_ends_as_exactly_at_what_it_meets() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let wall = Shape::cuboid([0.5, 5.0, 5.0]).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, wall, Pose::translation(4.5, 0.0, 0.0))).unwrap();
    let ball = Shape::ball(0.5).unwrap();
    let flies = RigidMotion { linear_velocity: Vector::x(), ..RigidMotion::at_rest(Pose::identity()) };
    for duration in [4.0, 1e6, 1e9, Real::from(f32::MAX), Real::INFINITY] {
        let hit = world.cast_shape(Moving::new(&ball, &flies), duration, all).unwrap().unwrap();
        assert!(hit.contact.time <= 3.5 && hit.contact.time > 3.5 - 1e-4, "{duration}: {}", hit.contact.time);
    }
}

#[test]
fn what_cannot_be_certified_apart_is_an_error_and_no_certificate() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let ball = |x| {
        let mut ball =
            BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.5).unwrap(), Pose::translation(x, 0.0, 0.0));
        ball.linear_velocity.x = -x;
        ball
    };
    let [a, b] = [-2.0, 2.0].map(|x| world.add_body(ball(x)).unwrap());
    assert_eq!(world.time_of_contact(a, b, 0.5), Ok(None));
    let contact = world.time_of_contact(a, b, 1.0).unwrap().unwrap();
    assert!(contact.time <= 0.75 && contact.time > 0.7499);
    for duration in [-1.0, Real::NAN, Real::INFINITY] {
        assert!(matches!(world.time_of_contact(a, b, duration), Err(QueryError::Duration(_))));
    }
    world.remove_body(b);
    assert_eq!(world.time_of_contact(a, b, 1.0), Err(QueryError::NoBody { body: b }));
}

#[test]
fn rays_are_made_of_finite_numbers_and_a_direction() {
    assert_eq!(Ray::new(Point::new(Real::NAN, 0.0, 0.0), Vector::x()), None);
    assert_eq!(Ray::new(Point::origin(), Vector::zeros()), None);
    assert_eq!(Ray::new(Point::origin(), Vector::new(Real::INFINITY, 0.0, 0.0)), None);
    assert!(Ray::new(Point::origin(), Vector::new(1e300, 1e300, 0.0)).is_some());
}

#[test]
fn what_is_carried_moves_with_its_carrier_and_by_itself() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let body = |kind, at: Vector| {
        BodyDefinition::new(kind, Shape::ball(0.5).unwrap(), Pose::from_parts(at.into(), Rotation::identity()))
    };
    let mut wheel = body(BodyKind::Dynamic, Vector::x());
    (wheel.linear_velocity, wheel.angular_velocity) = (Vector::z(), Vector::y() * 2.0);
    let wheel = world.add_body(wheel).unwrap();
    let lamp = world.add_body(body(BodyKind::Kinematic, Vector::new(1.0, 0.0, -3.0))).unwrap();
    assert!(world.motion_of(lamp).unwrap().is_at_rest());
    world.body_mut(lamp).unwrap().carrier = Some(Carrier { body: wheel, place: Pose::translation(0.0, 0.0, -3.0) });
    let velocity = |world: &World| {
        let (motion, place) = (world.motion_of(lamp).unwrap(), *world.body(lamp).unwrap().pose());
        motion.velocity_of(&place.translation.vector.into(), 0.0)
    };
    assert!((velocity(&world) - Vector::new(-6.0, 0.0, 1.0)).norm() < 1e-12);
    // Half a turn about the wheel's centre, which goes on.
    let half = std::f64::consts::PI / 2.0;
    let place = world.motion_of(lamp).unwrap().pose_at(half).translation.vector;
    assert!((place - Vector::new(1.0, 0.0, 3.0 + half)).norm() < 1e-12, "{place}");
    world.set_velocity(lamp, Vector::new(0.0, 5.0, 0.0), Vector::zeros()).unwrap();
    assert!((velocity(&world) - Vector::new(-6.0, 5.0, 1.0)).norm() < 1e-12);
    // In a circle nobody carries anybody.
    let other = world.add_body(body(BodyKind::Kinematic, Vector::y() * 9.0)).unwrap();
    world.body_mut(other).unwrap().carrier = Some(Carrier { body: lamp, place: Pose::identity() });
    world.body_mut(lamp).unwrap().carrier = Some(Carrier { body: other, place: Pose::identity() });
    assert!((velocity(&world) - Vector::new(0.0, 5.0, 0.0)).norm() < 1e-12);
    assert!(world.motion_of(other).unwrap().is_at_rest());
}
