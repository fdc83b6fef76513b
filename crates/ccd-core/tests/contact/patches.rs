//! Contacts of surfaces of patches, and bodies of them in a world.

use ccd_core::contact::{ContactCache, ContactPoint, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::patches::{bowl, pillow, pot};
use crate::common::random::Random;

fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    find_contacts(a, pose_a, b, pose_b, 1e-3, &mut ContactCache::default(), &mut out);
    out
}

#[test]
fn a_flat_face_of_patches_rests_on_its_four_corners() {
    let body = Shape::patches(pillow([0.5, 0.3, 0.4], 0.0));
    let at = Pose::translation(0.0, 0.3004, 0.0);
    for floor in [Shape::half_space(Vector::y()).unwrap(), Shape::cuboid([2.0, 1.0, 2.0]).unwrap()] {
        let top = if matches!(floor, Shape::HalfSpace(_)) { 0.0 } else { -1.0 };
        let found = contacts(&floor, &Pose::translation(0.0, top, 0.0), &body, &at);
        assert!((4..=6).contains(&found.len()), "{found:?}");
        for c in &found {
            assert!((c.separation - 0.0004).abs() < 1e-9 && (c.normal - Vector::y()).norm() < 1e-9, "{c:?}");
        }
        for (x, z) in [(0.5, 0.4), (-0.5, 0.4), (0.5, -0.4), (-0.5, -0.4)] {
            let near = |c: &&ContactPoint| (c.point_b.x - x).abs() < 1e-9 && (c.point_b.z - z).abs() < 1e-9;
            assert!(found.iter().any(|c| near(&c)), "{x} {z} {found:?}");
        }
    }
}

#[test]
fn a_bowl_touches_a_plane_at_its_lowest_point_and_its_separations_are_the_surfaces() {
    let shape = Shape::patches(bowl(1.0, 0.5));
    let plane = Shape::half_space(Vector::z()).unwrap();
    let at = Pose::translation(0.3, 0.2, 0.0005);
    let found = contacts(&plane, &Pose::identity(), &shape, &at);
    let least = found.iter().min_by(|p, q| p.separation.total_cmp(&q.separation)).unwrap();
    assert!((least.separation - 0.0005).abs() < 1e-9 && (least.point_b - at.translation.vector).coords.norm() < 1e-3);
    for c in &found {
        let p = at.inverse_transform_point(&c.point_b);
        assert!((p.z - p.x * p.x - 0.5 * p.y * p.y).abs() < 1e-9, "on the surface: {c:?}");
        assert!((c.separation - c.point_b.z).abs() < 1e-12 && c.separation <= 1e-3, "{c:?}");
    }
    // The same from the other side.
    let swapped = contacts(&shape, &at, &plane, &Pose::identity());
    assert_eq!(swapped.len(), found.len());
    assert!(swapped.iter().all(|c| (c.normal + Vector::z()).norm() < 1e-6));
}

#[test]
fn two_bent_bodies_touch_at_their_nearest_points() {
    let one = Shape::patches(pillow([0.5, 0.3, 0.4], 0.3));
    let turned = Rotation::from_scaled_axis(Vector::new(0.1, 0.7, -0.05));
    let up = 2.0 * 0.3 * (1.0 + 0.3 * 0.5625) + 0.01;
    let mut at = Pose::from_parts(Vector::new(0.02, up, -0.01).into(), turned);
    let gap = closest(&one, &Pose::identity(), &one, &at).unwrap();
    at.translation.vector -= gap.normal * (gap.distance - 0.0003);
    let found = contacts(&one, &Pose::identity(), &one, &at);
    assert!(!found.is_empty());
    let least = found.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
    let exact = closest(&one, &Pose::identity(), &one, &at).unwrap().distance;
    assert!((least - exact).abs() < 1e-6 && found.iter().all(|c| c.separation <= 1e-3), "{exact} {found:?}");
}

#[test]
fn a_pillow_of_patches_falls_on_the_floor_and_on_another_and_rests_without_crossing() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let floor = Shape::cuboid([3.0, 0.5, 3.0]).unwrap();
    let ground =
        world.add_body(BodyDefinition::new(BodyKind::Static, floor, Pose::translation(0.0, -0.5, 0.0))).unwrap();
    let shape = Shape::patches(pillow([0.4, 0.2, 0.3], 0.02));
    let mut bodies = vec![ground];
    for i in 0..2 {
        let tilt = Rotation::from_scaled_axis(Vector::new(0.1, 0.3 * Real::from(i), 0.05));
        let at = Pose::from_parts(Vector::new(0.0, 0.4 + 0.6 * Real::from(i), 0.0).into(), tilt);
        bodies.push(world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape.clone(), at)).unwrap());
    }
    let mut least = Real::INFINITY;
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
        for (i, a) in bodies.iter().enumerate() {
            for b in &bodies[i + 1..] {
                let (a, b) = (world.body(*a).unwrap(), world.body(*b).unwrap());
                least = least.min(closest(a.shape(), a.pose(), b.shape(), b.pose()).unwrap().distance);
            }
        }
    }
    assert!(least > 0.0, "{least}");
    for body in &bodies[1..] {
        let body = world.body(*body).unwrap();
        assert!(body.pose().translation.vector.y > 0.15, "{body:?}");
    }
}

/// A pot of which a slab is left, cut flat on top, with a bore down into it.
fn cut_pot() -> Shape {
    let part = |shape, height| (shape, Pose::translation(0.0, height, 0.0));
    let pot = Shape::patches(pot().scaled(&Vector::repeat(0.15)).unwrap());
    let top = part(Shape::cuboid([0.4, 0.2, 0.4]).unwrap(), 0.4);
    let bore = part(Shape::cylinder(0.08, 0.1).unwrap(), 0.2);
    Shape::csg(Operation::Difference, &[part(pot, 0.0), top, bore]).unwrap()
}

#[test]
fn a_pot_that_is_cut_has_contacts_on_what_is_left_of_it_with_the_normals_of_its_faces_and_creases() {
    let cut = cut_pot();
    let ball = Shape::ball(0.02).unwrap();
    let field = cut.as_field().unwrap();
    let nearest = |at: [Real; 3]| {
        let found = contacts(&cut, &Pose::identity(), &ball, &Pose::translation(at[0], at[1], at[2]));
        found.into_iter().min_by(|c, d| c.separation.total_cmp(&d.separation)).unwrap()
    };
    // On the flat top, on the wall of the bore, and on the crease between them.
    let up = nearest([0.12, 0.2204, 0.0]);
    assert!((up.normal - Vector::y()).norm() < 1e-6 && (up.separation - 0.0004).abs() < 1e-9, "{up:?}");
    let aside = nearest([0.0, 0.15, 0.0596]);
    assert!((aside.normal + Vector::z()).norm() < 1e-6 && (aside.separation - 0.0004).abs() < 1e-9, "{aside:?}");
    let lean = Vector::new(-0.6, 0.8, 0.0);
    let rim = nearest([0.08 + lean.x * 0.0204, 0.2 + lean.y * 0.0204, 0.0]);
    assert!((rim.normal - lean).norm() < 1e-4 && (rim.separation - 0.0004).abs() < 1e-8, "{rim:?}");
    // On the belly, along the way there from outside.
    let mut r = Random(9);
    for _ in 0..12 {
        let turn = r.between(0.0, std::f64::consts::TAU);
        let out = Vector::new(turn.cos(), 0.0, turn.sin());
        let from = Pose::translation(0.5 * out.x, r.between(0.04, 0.16), 0.5 * out.z);
        let way = closest(&cut, &Pose::identity(), &ball, &from).unwrap();
        let at = from.translation.vector - way.normal * (way.distance - 0.0004);
        let touch = nearest([at.x, at.y, at.z]);
        assert!(
            (touch.separation - 0.0004).abs() < 1e-7 && (touch.normal - way.normal).norm() < 1e-4,
            "{touch:?} {way:?}"
        );
        assert!(field.distance(&touch.point_a).abs() < 1e-9, "{touch:?}");
    }
}

#[test]
fn a_pot_that_is_cut_falls_on_the_floor_without_crossing_it() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let floor = Shape::cuboid([3.0, 0.5, 3.0]).unwrap();
    let ground =
        world.add_body(BodyDefinition::new(BodyKind::Static, floor, Pose::translation(0.0, -0.5, 0.0))).unwrap();
    let tilt = Rotation::from_scaled_axis(Vector::new(0.2, 0.0, 0.2));
    let at = Pose::from_parts(Vector::new(0.0, 0.06, 0.0).into(), tilt);
    let pot = world.add_body(BodyDefinition::new(BodyKind::Dynamic, cut_pot(), at)).unwrap();
    for step in 0..40 {
        world.step(1.0 / 60.0).unwrap();
        let (a, b) = (world.body(ground).unwrap(), world.body(pot).unwrap());
        let found = closest(a.shape(), a.pose(), b.shape(), b.pose()).unwrap();
        assert!(found.distance > 0.0, "{step}: {found:?}");
    }
    let place = world.body(pot).unwrap().pose().translation.vector;
    assert!(place.y > -0.01 && place.y < 0.06, "{place}");
}
