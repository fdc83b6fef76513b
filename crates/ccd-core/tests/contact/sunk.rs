//! What has sunk into a mesh that is not convex, and what only touches it in line with one of its faces.

use ccd_core::contact::{ContactCache, ContactPoint, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;

use crate::common::models::{Triangles, mesh};
use crate::common::random::Random;
use crate::common::solids::plate;

const MARGIN: Real = 1e-3;

fn contacts(a: &Shape, b: &Shape, pose_b: &Pose, margin: Real) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    find_contacts(a, &Pose::identity(), b, pose_b, margin, &mut ContactCache::default(), &mut out);
    out
}

fn least(found: &[ContactPoint]) -> Real {
    found.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min)
}

/// A prism over an L of two by two squares of half a metre, as a mesh and as two boxes.
fn ell(half_height: Real) -> [Shape; 2] {
    let prism = plate(&["##", "#."], 1.0);
    let place = |p: &Point| Point::new(0.5 * p.x, 0.5 * p.y, (2.0 * p.z - 1.0) * half_height);
    let triangles: Triangles = (prism.vertices().iter().map(place).collect(), prism.triangles().to_vec());
    let part = |x: Real, y: Real, half: [Real; 2]| {
        (Pose::translation(x, y, 0.0), Shape::cuboid([half[0], half[1], half_height]).unwrap())
    };
    [mesh(triangles), Shape::compound([part(0.5, 0.25, [0.5, 0.25]), part(0.25, 0.75, [0.25, 0.25])]).unwrap()]
}

#[test]
fn what_touches_the_border_of_a_face_in_line_with_it_has_no_contact_deep_behind_it() {
    let mut random = Random(0x11ae);
    let mut touching = 0;
    while touching < 400 {
        let mut quarters = |low: usize, high: usize| 0.25 * (low + random.below(high - low + 1)) as Real;
        let [ell, boxes] = ell(quarters(1, 4));
        let half = [quarters(1, 3), quarters(1, 3), quarters(1, 3)];
        let place = [quarters(0, 14) - 1.5, quarters(0, 14) - 1.5, quarters(0, 12) - 1.5];
        let body =
            if random.chance(0.3) { Shape::cylinder(half[0], half[1]).unwrap() } else { Shape::cuboid(half).unwrap() };
        let found =
            closest(&boxes, &Pose::identity(), &body, &Pose::translation(place[0], place[1], place[2])).unwrap();
        if found.distance.abs() > 1e-12 {
            continue;
        }
        touching += 1;
        for gap in [0.0, 1e-15, 1e-9, 1e-5, -1e-9, -1e-5] {
            let by = found.normal * gap;
            let pose = Pose::translation(place[0] + by.x, place[1] + by.y, place[2] + by.z);
            let distance = closest(&ell, &Pose::identity(), &body, &pose).unwrap().distance;
            let contacts = contacts(&ell, &body, &pose, MARGIN);
            let least = least(&contacts);
            assert!((least - distance).abs() < 1e-4, "{body:?} at {place:?}, {gap:e}: {distance}, {contacts:?}");
        }
    }
}

#[test]
fn what_sticks_out_of_a_mesh_has_a_contact_where_it_leaves_beside_a_face_sooner_too() {
    // A capsule along one leg of a plate, near the upper face, with its tip out of the leg's end.
    let legs = plate(&["####", "####", "####", "#..#"], 1.0);
    let capsule = Shape::capsule(0.13, 0.985).unwrap();
    let legs = mesh((legs.vertices().to_vec(), legs.triangles().to_vec()));
    let found = contacts(&legs, &capsule, &Pose::translation(3.647, 3.068, 0.894), MARGIN);
    assert!(!found.is_empty() && found.iter().all(|c| c.separation < -0.1), "{found:?}");
}

#[test]
fn what_has_sunk_through_a_face_by_more_than_half_of_itself_keeps_its_contacts() {
    let [ell, _] = ell(1.0);
    for depth in [0.02, 0.06, 0.11, 0.14] {
        for x in [0.3, 0.75] {
            let found = contacts(
                &ell,
                &Shape::cuboid([0.1, 0.075, 0.4]).unwrap(),
                &Pose::translation(x, 0.575 - depth, 0.0),
                MARGIN,
            );
            let over: Vec<_> = found.iter().filter(|c| c.normal.y > 0.9).collect();
            if x > 0.5 {
                assert!(
                    over.len() >= 4 && over.iter().all(|c| (c.separation + depth).abs() < 1e-9),
                    "{depth}: {found:?}"
                );
            } else {
                assert!(over.is_empty(), "{depth}: {found:?}");
            }
        }
    }
}

#[test]
fn a_ball_whose_middle_has_sunk_into_a_mesh_that_is_not_convex_leaves_by_the_way_to_its_surface() {
    let [ell, _] = ell(1.0);
    let mut random = Random(0xba11);
    let mut sunk = 0;
    while sunk < 200 {
        let radius = random.between(0.02, 0.3);
        let middle = Vector::new(random.between(0.0, 1.0), random.between(0.0, 1.0), random.between(-1.0, 1.0));
        let Shape::Mesh(surface) = &ell else { unreachable!("it is a mesh") };
        let distance = surface.signed_distance(&middle.into());
        if distance > -1e-3 || -distance > radius {
            continue;
        }
        sunk += 1;
        let ball = Shape::ball(radius).unwrap();
        let found = contacts(&ell, &ball, &Pose::translation(middle.x, middle.y, middle.z), MARGIN);
        let deepest = found.iter().min_by(|c, d| c.separation.total_cmp(&d.separation)).unwrap();
        assert!((deepest.separation + radius - distance).abs() < 1e-9, "{middle} {radius}: {found:?}");
        let way = deepest.point_a.coords - middle;
        assert!((way + deepest.normal * distance).norm() < 1e-9, "{middle} {radius}: {found:?}");
        assert_eq!(found.iter().filter(|c| c.separation < -radius).count(), 1, "{middle} {radius}: {found:?}");
    }
}

#[test]
fn a_ball_that_is_larger_than_a_wall_is_thick_is_not_behind_its_far_side() {
    // A wall of ten centimetres.
    let [ell, _] = ell(0.05);
    let ball = Shape::ball(0.3).unwrap();
    for height in [0.01, 0.1, 0.25] {
        let found = contacts(&ell, &ball, &Pose::translation(0.3, 0.3, 0.05 + height), MARGIN);
        assert!((least(&found) - (height - 0.3)).abs() < 1e-9, "{height}: {found:?}");
    }
}

#[test]
fn what_a_cache_remembers_of_other_shapes_changes_no_contact() {
    let cylinders = [1.0, 0.1].map(|size| Shape::cylinder(size, size).unwrap());
    let turn = Rotation::from_scaled_axis(Vector::new(0.9, 0.2, 0.7));
    for k in 0..200 {
        let pose = Pose::from_parts(Vector::new(0.3, 2.0 + 0.01 * Real::from(k), 0.2).into(), turn);
        let mut cache = ContactCache::default();
        let [_, after] = cylinders.each_ref().map(|shape| {
            let mut found = Vec::new();
            find_contacts(shape, &Pose::identity(), shape, &pose, 0.05, &mut cache, &mut found);
            found
        });
        assert_eq!(after, contacts(&cylinders[1], &cylinders[1], &pose, 0.05), "{k}");
    }
}
