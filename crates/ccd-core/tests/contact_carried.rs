//! Contacts that follow from the last search are those that a search finds: same features, same points, same separations.

#![allow(clippy::unwrap_used, reason = "a solid that is refused is a failed test")]

mod common;

use ccd_core::contact::{ContactCache, ContactPoint, ContactSearch, ReductionMethod, find_contacts, find_contacts_by};
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::shape::Shape;
use common::models::box_mesh;
use common::random::Random;

const MARGIN: f64 = 1e-2;

/// Bodies whose highest and lowest points are half a metre from their middles when they lie as they are.
fn bodies() -> Vec<Shape> {
    let prism: Vec<Point> = (0..5)
        .flat_map(|i| {
            let (s, c) = (std::f64::consts::TAU * f64::from(i) / 5.0).sin_cos();
            [Point::new(0.6 * c, -0.5, 0.6 * s), Point::new(0.6 * c, 0.5, 0.6 * s)]
        })
        .collect();
    vec![Shape::cuboid([0.5; 3]).unwrap(), Shape::convex_hull(&prism).unwrap(), box_mesh([0.5; 3])]
}

fn hardly_moved(pose: &Pose, by: f64, random: &mut Random) -> Pose {
    let turn = Rotation::from_scaled_axis(random.direction() * by);
    Pose::from_parts((pose.translation.vector + random.direction() * by).into(), turn * pose.rotation)
}

fn least(contacts: &[ContactPoint]) -> f64 {
    contacts.iter().map(|c| c.separation).fold(f64::INFINITY, f64::min)
}

#[test]
fn carried_contacts_are_those_of_a_search_at_the_new_placement() {
    let mut random = Random(0xca22);
    let bodies = bodies();
    let (mut compared, mut carried) = (0, 0);
    for case in 0..600 {
        let (a, b) = (&bodies[random.below(3)], &bodies[random.below(3)]);
        let home = Pose::from_parts((random.direction() * 3.0).into(), random.rotation());
        let spin = Rotation::from_scaled_axis(Vector::y() * random.between(-3.0, 3.0));
        let tilt = Rotation::from_scaled_axis(random.direction() * [0.0, 1e-4, 1e-3][random.below(3)]);
        let offset = Vector::new(
            random.between(-0.6, 0.6),
            1.0 + random.between(-1e-4, 0.3 * MARGIN),
            random.between(-0.6, 0.6),
        );
        let above = home * Pose::from_parts(offset.into(), tilt * spin);
        let mut cache = ContactCache::default();
        let mut first = Vec::new();
        find_contacts(a, &home, b, &above, MARGIN, &mut cache, &mut first);
        // A point half a metre off moves by less than a thousandth of the margin in all.
        let by = 0.2e-3 * MARGIN;
        let (home, above) = (hardly_moved(&home, by, &mut random), hardly_moved(&above, by, &mut random));
        let (mut now, mut fresh) = (Vec::new(), Vec::new());
        find_contacts(a, &home, b, &above, MARGIN, &mut cache, &mut now);
        find_contacts(a, &home, b, &above, MARGIN, &mut ContactCache::default(), &mut fresh);
        let features = |contacts: &[ContactPoint]| contacts.iter().map(|c| c.features).collect::<Vec<_>>();
        carried += usize::from(!now.is_empty() && features(&now) == features(&first));
        assert!((least(&now) - least(&fresh)).abs() <= 2e-3 * MARGIN || least(&now) == least(&fresh), "case {case}");
        for c in &now {
            let along = (c.point_b - c.point_a).dot(&c.normal);
            assert!((along - c.separation).abs() < 1e-13, "case {case}: {c:?}");
            let Some(f) = fresh.iter().find(|f| f.features == c.features) else { continue };
            compared += 1;
            assert!((c.separation - f.separation).abs() < 1e-9, "case {case}: {c:?} {f:?}");
            assert!((c.normal - f.normal).norm() < 1e-5, "case {case}: {c:?} {f:?}");
            // Two lines that cross at a small angle meet elsewhere for a small change of direction.
            assert!(
                (c.point_a - f.point_a).norm() < 1e-5 && (c.point_b - f.point_b).norm() < 1e-5,
                "case {case}: {c:?} {f:?}"
            );
        }
    }
    assert!(compared > 1500 && carried > 400, "{compared} compared, {carried} carried");
}

#[test]
fn what_has_moved_or_is_asked_otherwise_is_searched_anew() {
    let bodies = bodies();
    let cube = &bodies[0];
    let at = |x: f64, y: f64| Pose::translation(x, y, 0.0);
    let mut cache = ContactCache::default();
    let mut count = |shape: &Shape, pose: Pose, margin: f64, reduction: ReductionMethod| {
        let mut out = Vec::new();
        let search = ContactSearch { margin, tolerance: 1e-4, reduction };
        find_contacts_by((cube, &at(0.0, 0.0)), (shape, &pose), &search, &mut cache, &mut out);
        out.len()
    };
    assert_eq!(count(cube, at(0.2, 1.001), MARGIN, ReductionMethod::Manifold), 4);
    assert_eq!(count(cube, at(0.2, 1.001), 1e-4, ReductionMethod::Manifold), 0);
    assert_eq!(count(cube, at(0.2, 1.001), MARGIN, ReductionMethod::Average), 1);
    assert_eq!(count(cube, at(0.2, 1.001), MARGIN, ReductionMethod::Manifold), 4);
    // Another shape in its place, then another place.
    let small = Shape::cuboid([0.25; 3]).unwrap();
    assert_eq!(count(&small, at(0.2, 1.001), MARGIN, ReductionMethod::Manifold), 0);
    assert_eq!(count(cube, at(0.2, 1.001), MARGIN, ReductionMethod::Manifold), 4);
    assert_eq!(count(cube, at(0.2, 1.011), MARGIN, ReductionMethod::Manifold), 0);
    // Within a thousandth of the margin, but over its end.
    assert_eq!(count(cube, at(0.2, 1.0 + MARGIN - 1e-6), MARGIN, ReductionMethod::Manifold), 4);
    assert_eq!(count(cube, at(0.2, 1.0 + MARGIN + 1e-6), MARGIN, ReductionMethod::Manifold), 0);
    assert_eq!(count(cube, Pose::translation(f64::NAN, 0.0, 0.0), MARGIN, ReductionMethod::Manifold), 0);
}

#[test]
fn contacts_far_from_the_origin_lose_nothing_by_being_carried() {
    let cube = &bodies()[0];
    let far = Vector::new(1e6, 0.0, 0.0);
    let at = |y: f64| Pose::from_parts((far + Vector::new(0.25, y, 0.125)).into(), Rotation::identity());
    let mut cache = ContactCache::default();
    let mut out = Vec::new();
    for y in [1.0, 1.0 + 1.0 / 1_048_576.0, 1.0 + 1.0 / 524_288.0] {
        out.clear();
        find_contacts(cube, &at(0.0), cube, &at(y), MARGIN, &mut cache, &mut out);
        assert!(out.len() == 4 && out.iter().all(|c| c.separation == y - 1.0), "{out:?}");
    }
}
