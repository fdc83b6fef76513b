//! Contacts where a flat cap ends: at its rim.

use ccd_core::contact::{ContactCache, ContactPoint, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use proptest::prelude::*;

use crate::common::models::{box_mesh, l_prism, mesh};

const MARGIN: Real = 1e-3;

/// Solids with a face that looks up.
fn supports() -> [Shape; 4] {
    [
        Shape::cuboid([0.6, 0.1, 0.5]).unwrap(),
        box_mesh([0.6, 0.1, 0.5]),
        mesh(l_prism(0.8, 0.6, 0.7)),
        Shape::cylinder(0.6, 0.1).unwrap(),
    ]
}

fn contacts(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Vec<ContactPoint> {
    let mut found = Vec::new();
    find_contacts(a.0, a.1, b.0, b.1, MARGIN, &mut ContactCache::default(), &mut found);
    found
}

/// A round solid that leans and is `gap` metres from a support, as far as it is told; with how far it is.
fn placed_above(support: &Shape, round: &Shape, lean: [Real; 3], place: [Real; 2], gap: Real) -> Option<(Pose, Real)> {
    let rotation = Rotation::from_scaled_axis(Vector::x() * lean[0])
        * Rotation::from_scaled_axis(Vector::z() * lean[2])
        * Rotation::from_scaled_axis(Vector::y() * lean[1]);
    let mut placed = Pose::from_parts(Vector::new(place[0], 2.0, place[1]).into(), rotation);
    for _ in 0..60 {
        let found = closest(support, &Pose::identity(), round, &placed).unwrap();
        if found.distance > 0.0 && (found.distance - gap).abs() < 1e-7 {
            return Some((placed, found.distance));
        }
        placed.translation.vector -= found.normal * (found.distance - gap);
    }
    None
}

/// By how much the nearest contact is nearer than the two are, metres.
fn too_near(support: &Shape, round: &Shape, placed: &Pose, distance: Real) -> Real {
    let still = Pose::identity();
    let found = [contacts((support, &still), (round, placed)), contacts((round, placed), (support, &still))];
    let nearest = found.iter().flatten().map(|c| c.separation).fold(Real::INFINITY, Real::min);
    distance - nearest
}

/// An edge over a rim, a corner right beside one, and a corner of the polygon in it right beside a triangle, at the places where no normal of
/// the two is to be had: they were told 2.5, 2.7 and 4 micrometres nearer than the solids are.
#[test]
fn what_is_beside_a_rim_and_has_no_normal_of_its_own_there_is_no_nearer_than_it_is() {
    let cuboid = Shape::cuboid([0.6, 0.1, 0.5]).unwrap();
    let cases = [
        (
            cuboid.clone(),
            0.2,
            [0.22137466254324364, 0.0, 0.07014374079967416],
            [-0.5630354740050665, 0.7166592271051463],
            0.7425e-3,
        ),
        (
            cuboid,
            0.4406372719342195,
            [-0.07144120657537861, 0.0, 0.2101314195951575],
            [-0.5702554766541496, -0.7436696961944073],
            0.4481e-3,
        ),
        (mesh(l_prism(0.8, 0.6, 0.7)), 0.2, [0.0, 0.0, 0.28055628011080397], [-0.7625337478781473, 0.0], 0.7943e-3),
    ];
    for (k, (support, radius, lean, place, gap)) in cases.iter().enumerate() {
        let round = Shape::cylinder(*radius, 0.1).unwrap();
        let (placed, distance) = placed_above(support, &round, *lean, *place, *gap).unwrap();
        let short = too_near(support, &round, &placed, distance);
        assert!(short < 1e-7, "{k}: {short} of {distance}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(0xCA9), ..ProptestConfig::default() })]

    /// A cap leans on a solid, its rim over an edge of that or beside it.
    #[test]
    fn no_contact_of_a_leaning_cap_is_nearer_than_the_two_solids_are(
        lean in [-0.3..0.3_f64, -3.0..3.0, -0.3..0.3],
        place in [-0.9..0.9_f64, -0.9..0.9],
        radius in 0.2..0.8_f64,
        gap in 1e-6..8e-4_f64,
    ) {
        for round in [Shape::cylinder(radius, 0.1).unwrap(), Shape::cone(radius, 0.3).unwrap()] {
            for (k, support) in supports().iter().enumerate() {
                let Some((placed, distance)) = placed_above(support, &round, lean, place, gap) else { continue };
                let short = too_near(support, &round, &placed, distance);
                prop_assert!(short < 1e-6, "{k}: {short} of {distance}");
            }
        }
    }
}
