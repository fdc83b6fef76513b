//! Rigid body contact: closest points of parallel edges, clipping, normals at no distance (E26).

use ccd_core::contact::{ContactCache, find_contacts};
use ccd_core::detection::closest::{ClosestMethod, PairMemory, closest_by};
use ccd_core::geometry::feature::Feature;
use ccd_core::math::{Pose, Rotation, Vector};
use ccd_core::shape::Shape;

#[test]
fn e26_parallel_edges_have_a_distance_though_the_formula_divides_by_zero() {
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    // Two ridges along z, one over the other: the edges are parallel, and each other's nearest.
    let ridge = Rotation::from_scaled_axis(Vector::z() * std::f64::consts::FRAC_PI_4);
    let [below, above] = [0.0, 2.0].map(|y| Pose::from_parts(Vector::new(0.0, y, 0.0).into(), ridge));
    let k = 1.0_f64;
    assert!((1.0 / (1.0 - k * k)).is_infinite(), "the premise");
    for method in [ClosestMethod::VClip, ClosestMethod::Gjk, ClosestMethod::SeparatingAxis] {
        let found = closest_by(method, &cube, &below, &cube, &above, &mut PairMemory::default()).unwrap();
        assert!((found.distance - (2.0 - 2.0_f64.sqrt())).abs() < 1e-9, "{method}: {found:?}");
        assert!((found.normal - Vector::y()).norm() < 1e-6, "{method}: {found:?}");
    }
}

#[test]
fn e26_an_edge_that_leaves_a_region_with_its_head_is_clipped_there() {
    // The long edge of a bar lies over a small cube's top and reaches beyond it with one end only: its part over the top counts.
    let top = Shape::cuboid([0.5; 3]).unwrap();
    let bar = Shape::cuboid([2.0, 0.1, 0.1]).unwrap();
    let tilt = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_4);
    let lean = Rotation::from_scaled_axis(Vector::z() * -0.1);
    for side in [1.0, -1.0] {
        let lean = if side > 0.0 { lean } else { lean.inverse() };
        let at = Pose::from_parts(Vector::new(side * 1.9, 1.0, 0.0).into(), lean * tilt);
        let exact =
            closest_by(ClosestMethod::Gjk, &top, &Pose::identity(), &bar, &at, &mut PairMemory::default()).unwrap();
        let found =
            closest_by(ClosestMethod::VClip, &top, &Pose::identity(), &bar, &at, &mut PairMemory::default()).unwrap();
        assert!((found.distance - exact.distance).abs() < 1e-9, "{found:?} {exact:?}");
        assert!(matches!((found.features.a, found.features.b), (Feature::Edge(_), Feature::Edge(_))), "{found:?}");
    }
}

#[test]
fn e26_what_touches_without_any_distance_has_the_normal_of_its_features() {
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    let mut points = Vec::new();
    let above = Pose::translation(0.25, 1.0, 0.125);
    find_contacts(&cube, &Pose::identity(), &cube, &above, 1e-3, &mut ContactCache::default(), &mut points);
    assert_eq!(points.len(), 4, "{points:?}");
    assert!(points.iter().all(|c| c.separation == 0.0 && c.normal == Vector::y()), "{points:?}");
}
