//! Closest points of what is far thinner than it is long: plates that are left of blocks and slender parts that nothing is left of.

use ccd_core::detection::closest::{ClosestError, closest};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Pose, Real};
use ccd_core::shape::Shape;

/// A box less another around `(shift, 0, 0)`.
fn cut(half: [Real; 3], taken: [Real; 3], shift: Real) -> Shape {
    let parts = [
        (Shape::cuboid(half).unwrap(), Pose::identity()),
        (Shape::cuboid(taken).unwrap(), Pose::translation(shift, 0.0, 0.0)),
    ];
    Shape::csg(Operation::Difference, &parts).unwrap()
}

/// A slender box that nothing is left of.
fn nothing_left(thickness: Real) -> Shape {
    cut([1.0, thickness, 1.0], [2.0, 2.0 * thickness, 2.0], 0.0)
}

#[test]
fn a_slender_part_that_nothing_is_left_of_stands_in_nobodys_way() {
    let (ball, ring) = (Shape::ball(0.5).unwrap(), Shape::torus(0.4, 0.1).unwrap());
    let at = Pose::translation(4.0, 0.0, 0.0);
    for thickness in [0.05, 0.04, 1e-3, 1e-6] {
        let parts = [Shape::cuboid([1.0, thickness, 1.0]).unwrap(), nothing_left(thickness)];
        let placed = parts.clone().map(|shape| (shape, Pose::identity()));
        let union = Shape::csg(Operation::Union, &placed).unwrap();
        let compound = Shape::compound(parts.map(|shape| (Pose::identity(), shape))).unwrap();
        for solid in [&union, &compound] {
            for other in [&ball, &ring] {
                let found = closest(solid, &Pose::identity(), other, &at).unwrap();
                assert!((found.distance - 2.5).abs() < 1e-6, "{thickness}: {found:?}");
            }
        }
        let error = closest(&nothing_left(thickness), &Pose::identity(), &ball, &at).unwrap_err();
        assert!(matches!(error, ClosestError::Empty { .. }), "{thickness}: {error}");
    }
}

#[test]
fn a_plate_that_is_left_of_a_block_is_found_however_thin_it_is() {
    let at = Pose::translation(4.0, 0.0, 0.0);
    for thickness in [1.5e-3, 1e-3, 1e-4, 1e-6] {
        let plate = cut([1.0; 3], [1.0, 2.0, 2.0], thickness);
        let found = closest(&plate, &Pose::identity(), &Shape::torus(0.4, 0.1).unwrap(), &at).unwrap();
        let gap = 4.0 - 0.5 + 1.0 - thickness;
        assert!((found.distance - gap).abs() < 1e-5, "{thickness}: {found:?}");
        assert!(found.iterations < 5000, "{thickness}: {found:?}");
    }
}
