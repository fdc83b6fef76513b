//! Smooth convex solids that are flat for all that counts touch what lies along them in several places; all others in one.

use ccd_core::contact::{ContactCache, ContactPoint, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::geometry::field::ImplicitSurface;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::{FieldShape, Shape};
use proptest::prelude::*;

use crate::common::models::{flat_sheet, mesh};

const MARGIN: Real = 1e-3;
const RADIUS: Real = 0.1;

fn solid(radii: [Real; 3], exponents: [Real; 2]) -> Shape {
    Shape::superquadric(radii, exponents).unwrap()
}

/// Floors whose tops are at height zero: the last is smooth itself.
fn floors() -> [(Shape, Pose); 4] {
    [
        (Shape::half_space(Vector::y()).unwrap(), Pose::identity()),
        (Shape::cuboid([2.0, 0.5, 2.0]).unwrap(), Pose::translation(0.0, -0.5, 0.0)),
        (mesh(flat_sheet(2.0, 8)), Pose::identity()),
        (solid([2.0, 0.5, 2.0], [0.1; 2]), Pose::translation(0.0, -0.5, 0.0)),
    ]
}

fn contacts(floor: &(Shape, Pose), shape: &Shape, pose: &Pose) -> Vec<ContactPoint> {
    let mut found = Vec::new();
    find_contacts(&floor.0, &floor.1, shape, pose, MARGIN, &mut ContactCache::default(), &mut found);
    found
}

/// How far the function of a superquadric is from zero at a place of the world.
fn off(shape: &Shape, pose: &Pose, place: &Point) -> Real {
    let Shape::Field(FieldShape::Superquadric(field)) = shape else { return 0.0 };
    field.surface().value(&pose.inverse_transform_point(place)).abs()
}

/// Turns that bring each side of a block down, with a small lean.
fn lying(side: usize, lean: Vector) -> Rotation {
    let axis = [Vector::zeros(), Vector::x(), Vector::z(), -Vector::x(), -Vector::z(), 2.0 * Vector::x()][side];
    Rotation::from_scaled_axis(lean) * Rotation::from_scaled_axis(axis * std::f64::consts::FRAC_PI_2)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn contacts_of_a_flat_side_are_on_both_surfaces_and_the_nearest_points_are_among_them(
        e in prop::array::uniform2(0.05..0.3_f64), side in 0..6_usize, gap in 2e-5..3e-4_f64,
        lean in prop::array::uniform3(-1e-3..1e-3_f64), turn in 0.0..6.3_f64, aside in prop::array::uniform2(-0.2..0.2_f64),
    ) {
        let shape = solid([RADIUS, 1.3 * RADIUS, 0.8 * RADIUS], e);
        let rotation = Rotation::from_scaled_axis(Vector::y() * turn) * lying(side, Vector::from(lean));
        for floor in floors() {
            // At the gap above the floor's plane, which the smooth one is a little below of.
            let low = Pose::from_parts(Vector::zeros().into(), rotation);
            let reach = closest(&floors()[0].0, &Pose::identity(), &shape, &Pose::from_parts(Vector::y().into(), rotation));
            let height = 1.0 - reach.unwrap().distance;
            let pose = Pose::from_parts(Vector::new(aside[0], height + gap, aside[1]).into(), low.rotation);
            let found = contacts(&floor, &shape, &pose);
            prop_assert!(found.len() >= 3, "{} on {}", found.len(), floor.0.as_solid().kind());
            for c in &found {
                prop_assert!(off(&shape, &pose, &c.point_b) < 1e-9 && off(&floor.0, &floor.1, &c.point_a) < 1e-9, "{c:?}");
                let apart = c.point_b - c.point_a;
                prop_assert!((apart.dot(&c.normal) - c.separation).abs() < 1e-9, "{c:?}");
                prop_assert!(c.normal.y > 0.999, "{c:?}");
            }
            let least = found.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
            let truth = closest(&floor.0, &floor.1, &shape, &pose).unwrap().distance;
            prop_assert!((least - truth).abs() < 3e-6, "{least}, not {truth}, on {}", floor.0.as_solid().kind());
        }
    }

    #[test]
    fn what_is_round_touches_in_one_place(
        radii in prop::array::uniform3(0.02..0.3_f64), e in prop::array::uniform2(0.7..1.5_f64),
        axis in prop::array::uniform3(-3.0..3.0_f64), gap in 2e-5..3e-4_f64,
    ) {
        let rotation = Rotation::from_scaled_axis(Vector::from(axis));
        for shape in [solid(radii, e), Shape::ellipsoid(radii).unwrap()] {
            let high = Pose::from_parts(Vector::y().into(), rotation);
            let floor = &floors()[0];
            let height = 1.0 - closest(&floor.0, &floor.1, &shape, &high).unwrap().distance;
            let pose = Pose::from_parts((Vector::y() * (height + gap)).into(), rotation);
            for floor in &floors()[..2] {
                prop_assert_eq!(contacts(floor, &shape, &pose).len(), 1);
            }
        }
    }
}

#[test]
fn a_ball_on_a_flat_side_touches_the_true_surface_there() {
    let block = (solid([RADIUS; 3], [0.3; 2]), Pose::identity());
    for x in [0.0, 0.02, 0.035] {
        let ball = Shape::ball(0.05).unwrap();
        let place = Pose::translation(x, RADIUS + 0.05, 0.01);
        let nearest = closest(&block.0, &block.1, &ball, &place).unwrap();
        let found = contacts(&block, &ball, &place);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].separation - nearest.distance).abs() < 1e-9, "{found:?}");
        assert!(off(&block.0, &block.1, &found[0].point_a) < 1e-9);
    }
}

#[test]
fn what_bends_one_way_only_lies_on_a_line() {
    // A can on its side, and what is square across its axis, on its axis and tilted about the flat way.
    let can = solid([RADIUS, 2.0 * RADIUS, RADIUS], [0.2, 1.0]);
    for turn in [0.0, 0.4, 1.9] {
        let rotation = lying(1, Vector::zeros()) * Rotation::from_scaled_axis(Vector::y() * turn);
        let pose = Pose::from_parts((Vector::y() * (RADIUS + 5e-5)).into(), rotation);
        for floor in floors() {
            let found = contacts(&floor, &can, &pose);
            let ends = found.iter().map(|c| c.point_b.z);
            let (low, high) = ends.fold((0.0_f64, 0.0_f64), |(low, high), z| (low.min(z), high.max(z)));
            assert!(low < -0.1 && high > 0.1, "{low} to {high} on {}", floor.0.as_solid().kind());
            assert!(
                found.iter().all(|c| c.point_b.x.abs() < 1e-4 && (c.normal - Vector::y()).norm() < 0.01),
                "{found:?}"
            );
        }
    }
}
