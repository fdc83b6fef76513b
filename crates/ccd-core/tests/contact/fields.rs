//! Contacts of solids given by functions, of all kinds and with all others.

use ccd_core::contact::{ContactCache, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::math::{Pose, Real};

use crate::common::fields::{FieldKind, Solid, solid};
use crate::common::random::Random;

const MARGIN: Real = 1e-3;
/// How closely solids are placed, metres.
const PLACED: Real = 1e-7;

/// B turned at random and moved towards A until it is so far from it, if that ends.
fn placed(r: &mut Random, a: &Solid, b: &Solid, gap: Real) -> Option<Pose> {
    let far = r.direction() * (a.reach.min(10.0) + b.reach.min(10.0));
    let mut pose = Pose::from_parts(far.into(), r.rotation());
    for _ in 0..40 {
        let found = closest(&a.shape, &Pose::identity(), &b.shape, &pose).unwrap();
        if (found.distance - gap).abs() < PLACED {
            return Some(pose);
        }
        pose.translation.vector -= found.normal * (found.distance - gap);
    }
    None
}

#[test]
fn contacts_of_fields_lie_on_both_surfaces_and_hold_the_nearest_points() {
    let mut random = Random(20_261_132);
    let r = &mut random;
    let mut pairs = 0;
    for kind in FieldKind::FIELDS.into_iter().chain([FieldKind::Hollow]) {
        for other in FieldKind::FIELDS.into_iter().chain(FieldKind::OTHERS).chain([FieldKind::Hollow]) {
            let (a, b) = (solid(r, kind, 1.0), solid(r, other, 1.0));
            let gap = r.magnitude(1e-5, 0.9 * MARGIN);
            let Some(pose) = placed(r, &a, &b, gap) else { continue };
            pairs += 1;
            let mut contacts = Vec::new();
            let (cache, here) = (&mut ContactCache::default(), Pose::identity());
            find_contacts(&a.shape, &here, &b.shape, &pose, MARGIN, cache, &mut contacts);
            let name = format!("{kind:?} and {other:?}, {gap:e} apart");
            let least = contacts.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
            assert!((least - gap).abs() < 1e-3 * MARGIN + 0.05 * gap, "{name}: the nearest contact is {least:e}");
            for c in &contacts {
                let (off_a, off_b) =
                    (a.off_surface(&c.point_a), b.off_surface(&pose.inverse_transform_point(&c.point_b)));
                assert!(off_a.max(off_b) < 1e-6, "{name}: off by {off_a:e} and {off_b:e}");
                let apart = c.normal.dot(&(c.point_b - c.point_a));
                assert!((apart - c.separation).abs() < 1e-12 && c.separation <= MARGIN, "{name}: {c:?}");
            }
        }
    }
    assert!(pairs > 130, "{pairs}");
}
