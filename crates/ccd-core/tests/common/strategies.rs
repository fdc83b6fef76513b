//! Random vectors and shapes.

use ccd_core::math::{Real, Vector};
use ccd_core::shape::Shape;
use proptest::prelude::*;

/// Each component up to `range` either way.
pub fn vector(range: Real) -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-range..range).prop_map(Vector::from)
}

/// Balls, boxes, capsules and cones of some decimetres to some metres.
pub fn primitive() -> impl Strategy<Value = Shape> {
    let size = || 0.1..1.5_f64;
    prop_oneof![
        size().prop_map(|r| Shape::ball(r).expect("a ball")),
        prop::array::uniform3(size()).prop_map(|half| Shape::cuboid(half).expect("a box")),
        (size(), size()).prop_map(|(r, h)| Shape::capsule(r, h).expect("a capsule")),
        (size(), size()).prop_map(|(r, h)| Shape::cone(r, h).expect("a cone")),
    ]
}
