//! Separating axes against the walk over features and the expanding polytope, and the axis that is kept.

use ccd_core::detection::closest::gjk::RelativePose;
use ccd_core::detection::closest::penetration::penetration;
use ccd_core::detection::closest::separating_axis::{AxisMemory, separating_axis};
use ccd_core::detection::closest::vclip::{FeatureMemory, closest_features};
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::geometry::solid::SupportMap;
use ccd_core::math::{Point, Pose, Rotation, Vector};
use proptest::prelude::*;

/// The points and a small tetrahedron, so that no choice of points is flat.
fn hull(mut points: Vec<[f64; 3]>) -> ConvexPolyhedron {
    points.extend([[0.2, 0.2, 0.2], [-0.2, -0.2, 0.2], [-0.2, 0.2, -0.2], [0.2, -0.2, -0.2]]);
    ConvexPolyhedron::from_points(&points.into_iter().map(Point::from).collect::<Vec<_>>()).unwrap()
}

fn bodies() -> impl Strategy<Value = (ConvexPolyhedron, ConvexPolyhedron, Pose)> {
    let points = || prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 6..24);
    let pose = (prop::array::uniform3(-1.6..1.6_f64), prop::array::uniform3(-3.0..3.0_f64));
    (points(), points(), pose).prop_map(|(p, q, (at, turn))| {
        let rotation = Rotation::from_scaled_axis(Vector::from(turn));
        (hull(p), hull(q), Pose::from_parts(Vector::from(at).into(), rotation))
    })
}

fn relative(pose: &Pose) -> RelativePose {
    RelativePose::new(&Pose::identity(), pose)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn axes_agree_with_the_walk_and_with_the_expanding_polytope((a, b, pose) in bodies()) {
        let placement = relative(&pose);
        let found = separating_axis(&a, &b, &placement, &mut AxisMemory::default(), f64::INFINITY);
        let walked = closest_features(&a, &b, &placement, &mut FeatureMemory::default());
        prop_assert_eq!(walked.overlapping, found.separation <= 0.0, "{:?} {:?}", walked, found);
        // Every answer is a certificate: the bodies' extents along the normal.
        let reach = a.support(&found.normal, 0).point.coords.dot(&found.normal);
        let along_b = placement.rotation.tr_mul(&found.normal);
        let start = b.support(&-along_b, 0).point.coords.dot(&along_b) + placement.translation.dot(&found.normal);
        prop_assert!((start - reach - found.separation).abs() < 1e-12, "{:?}", found);
        if walked.overlapping {
            let deep = penetration(&a, &b, &pose).unwrap();
            prop_assert!((deep.depth + found.separation).abs() < 1e-9, "{:?} {:?}", deep, found);
        } else {
            prop_assert!(found.separation <= walked.distance + 1e-14, "{:?} {:?}", walked, found);
        }
    }

    #[test]
    fn a_kept_axis_that_still_separates_is_the_only_one_looked_at((a, b, pose) in bodies(), turn in prop::array::uniform3(-0.01..0.01_f64)) {
        // Drawn apart along the axis that they have, by more than a turn takes at the end of the longest lever.
        let found = separating_axis(&a, &b, &relative(&pose), &mut AxisMemory::default(), 0.0);
        let apart = pose.translation.vector + found.normal * (1.0 - found.separation).max(0.0);
        let pose = Pose::from_parts(apart.into(), pose.rotation);
        let mut memory = AxisMemory::default();
        let first = separating_axis(&a, &b, &relative(&pose), &mut memory, 0.5);
        prop_assert!(first.separation > 0.5, "{:?}", first);
        let moved = Pose::from_parts(pose.translation, Rotation::from_scaled_axis(Vector::from(turn)) * pose.rotation);
        let second = separating_axis(&a, &b, &relative(&moved), &mut memory, 0.0);
        prop_assert!(second.separation > 0.0);
        // Two edges may have turned past each other: then a new search.
        prop_assert!(second.axes == 1 || matches!(first.features.a, Feature::Edge(_)), "{:?}", second);
    }
}
