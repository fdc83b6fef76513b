//! Fields deep inside of each other: they are never taken for apart, and the depth is a way out.

use ccd_core::detection::closest::{closest, interferes};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;

use crate::common::fields::{FieldKind, as_one_field, solid};
use crate::common::random::Random;

/// What a way apart may be longer than that, metres.
const LONGER: Real = 1e-4;

fn union() -> Shape {
    let block = (Shape::cuboid([1.0; 3]).unwrap(), Pose::identity());
    let dome = (Shape::ball(1.0).unwrap(), Pose::translation(0.0, 1.0, 0.0));
    Shape::csg(Operation::Union, &[block, dome]).unwrap()
}

/// B is apart from A once it is moved out by the depth along the normal, and not before.
fn assert_way_apart(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Real {
    let name = format!("{} against {}", a.as_solid().kind(), b.as_solid().kind());
    let found = closest(a, pose_a, b, pose_b).unwrap();
    assert!(found.distance < 0.0, "{name}: {found:?}");
    assert!(interferes(a, pose_a, b, pose_b, 0.0).is_some_and(|o| o.depth == -found.distance), "{name}: {found:?}");
    let moved = |by: Real| nalgebra::Translation3::from(found.normal * (by - found.distance)) * pose_b;
    let apart = closest(a, pose_a, b, &moved(LONGER)).unwrap();
    assert!((0.0..2.0 * LONGER).contains(&apart.distance), "{name}: {found:?}, moved out {apart:?}");
    let still = closest(a, pose_a, b, &moved(-LONGER)).unwrap();
    assert!(still.distance < 0.0, "{name}: {found:?}, moved out too little {still:?}");
    -found.distance
}

#[test]
fn what_lies_deep_in_a_field_is_moved_out_by_as_much_as_formulas_say() {
    let torus = |minor: Real| Shape::torus(1.0, minor).unwrap();
    let ball = |radius: Real| Shape::ball(radius).unwrap();
    let rounded = [(Shape::cuboid([1.0; 3]).unwrap(), Pose::identity()), (ball(1.2), Pose::identity())];
    let rounded = Shape::csg(Operation::Intersection, &rounded).unwrap();
    let cases = [
        (union(), ball(0.2), Point::origin(), 1.2),
        (union(), Shape::superquadric([0.1; 3], [0.5; 2]).unwrap(), Point::new(0.0, -0.3, 0.0), 0.8),
        (as_one_field(&union()), ball(0.2), Point::origin(), 1.2),
        (as_one_field(&union()), Shape::superquadric([0.1; 3], [0.5; 2]).unwrap(), Point::new(0.0, -0.3, 0.0), 0.8),
        (torus(0.4), ball(0.1), Point::new(1.0, 0.0, 0.0), 0.5),
        (Shape::cuboid([2.0; 3]).unwrap(), Shape::torus(0.5, 0.1).unwrap(), Point::origin(), 2.1),
        (torus(0.3), torus(0.3), Point::origin(), 0.6),
        (rounded, ball(0.1), Point::new(0.0, -0.3, 0.0), 0.8),
    ];
    for (a, b, place, depth) in &cases {
        let pose = Pose::translation(place.x, place.y, place.z);
        let turn = Pose::from_parts(
            Vector::new(3.0, -2.0, 1.0).into(),
            Rotation::from_scaled_axis(Vector::new(0.3, 0.9, -0.4)),
        );
        for (one, pose_one, other, pose_other) in
            [(a, Pose::identity(), b, pose), (b, pose, a, Pose::identity()), (a, turn, b, turn * pose)]
        {
            let found = assert_way_apart(one, &pose_one, other, &pose_other);
            assert!((found - depth).abs() < 1e-5, "{} in {}: {found}", b.as_solid().kind(), a.as_solid().kind());
        }
    }
}

#[test]
fn no_solid_in_the_middle_of_a_field_is_taken_for_apart() {
    let mut random = Random(20_261_126);
    let small = [
        Shape::ball(0.05).unwrap(),
        Shape::capsule(0.03, 0.04).unwrap(),
        Shape::cylinder(0.03, 0.05).unwrap(),
        Shape::superquadric([0.05; 3], [0.4, 1.6]).unwrap(),
        Shape::torus(0.05, 0.02).unwrap(),
    ];
    let mut count = 0;
    for kind in FieldKind::FIELDS {
        let shape = solid(&mut random, kind, 1.0).shape;
        let aabb = shape.as_solid().local_aabb();
        for _ in 0..8 {
            let share = Vector::from_fn(|_, _| random.between(-1.0, 1.0));
            let place = aabb.centre() + aabb.half_extents().component_mul(&share);
            if shape.as_field().unwrap().distance(&place) < -0.01 {
                let pose = Pose::from_parts(place.coords.into(), random.rotation());
                assert_way_apart(&shape, &Pose::identity(), &small[count % small.len()], &pose);
                count += 1;
            }
        }
    }
    assert!(count > 15, "{count}");
}

#[test]
fn whatever_a_field_is_put_into_it_leaves_by_the_way_that_is_told() {
    let mut random = Random(20_261_128);
    let mut overlaps = 0;
    for kind in FieldKind::FIELDS {
        for other in FieldKind::FIELDS.into_iter().chain(FieldKind::OTHERS) {
            let (one, two) = (solid(&mut random, kind, 1.0).shape, solid(&mut random, other, 1.0).shape);
            let place = random.direction() * random.between(0.0, 0.8);
            let pose = Pose::from_parts(place.into(), random.rotation());
            if closest(&one, &Pose::identity(), &two, &pose).unwrap().distance < 0.0 {
                assert_way_apart(&one, &Pose::identity(), &two, &pose);
                overlaps += 1;
            }
        }
    }
    assert!(overlaps > 60, "{overlaps}");
}

#[test]
fn overlaps_however_shallow_are_seen_by_who_asks_for_overlaps_alone() {
    let ball = |radius, x| (Shape::ball(radius).unwrap(), Pose::translation(x, 0.0, 0.0));
    let two_balls = Shape::csg(Operation::Union, &[ball(0.3, -0.3), ball(0.3, 0.3)]).unwrap();
    let solids = [
        (Shape::torus(0.4, 0.1).unwrap(), 0.1),
        (as_one_field(&two_balls), 0.3),
        (two_balls, 0.3),
        (Shape::csg(Operation::Difference, &[ball(0.3, 0.0), ball(0.1, 0.0)]).unwrap(), 0.3),
    ];
    let slab = (Shape::cuboid([2.0, 1.0, 2.0]).unwrap(), Pose::translation(0.0, -1.0, 0.0));
    for (floor, place) in [slab, (Shape::half_space(Vector::y()).unwrap(), Pose::identity())] {
        for (solid, height) in &solids {
            for depth in [1e-3, 1e-4, 1e-5, 2e-6, -2e-6, -1e-5, -1e-3] {
                let pose = Pose::translation(0.1, height - depth, 0.0);
                for (a, pose_a, b, pose_b) in [(&floor, &place, solid, &pose), (solid, &pose, &floor, &place)] {
                    let found = interferes(a, pose_a, b, pose_b, 0.0).map(|overlap| overlap.depth);
                    let name = format!("{} {depth:e} deep in a {}", solid.as_solid().kind(), floor.as_solid().kind());
                    if depth > 0.0 {
                        assert!(found.is_some_and(|d| (d - depth).abs() < 1e-6 + 1e-3 * depth), "{name}: {found:?}");
                    } else {
                        assert_eq!(found, None, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_dips_a_little_into_a_large_ground_with_a_bore_is_told_as_deep_as_it_is() {
    let mut random = Random(8);
    for half in [3.0, 300.0, 3000.0] {
        let ground = (Shape::cuboid([half, 1.0, half]).unwrap(), Pose::translation(0.0, -1.0, 0.0));
        let bore = (Shape::cylinder(0.5, 3.0).unwrap(), Pose::translation(0.5 * half, 0.0, 0.0));
        let ground = Shape::csg(Operation::Difference, &[ground, bore]).unwrap();
        let sides = Vector::new(0.1, 0.2, 0.15);
        let block = Shape::cuboid([sides.x, sides.y, sides.z]).unwrap();
        for depth in [1e-4, 1e-5] {
            let turn = random.rotation();
            let reach = turn.inverse_transform_vector(&Vector::y()).abs().dot(&sides);
            let pose = Pose::from_parts(Vector::new(0.1, reach - depth, 0.2).into(), turn);
            let found = closest(&ground, &Pose::identity(), &block, &pose).unwrap();
            assert!((found.distance + depth).abs() < 1e-2 * depth, "{half} m, {depth} m: {found:?}");
            // A way that is askew by a fiftieth is longer by a five-thousandth.
            assert!((found.normal - Vector::y()).norm() < 0.02, "{half} m, {depth} m: {found:?}");
        }
    }
}
