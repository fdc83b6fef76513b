//! What the broad phases and the swept volumes promise.

use ccd_core::detection::broad::brute::{Brute, find_pairs_with};
use ccd_core::detection::broad::grid::Grid;
use ccd_core::detection::broad::sweep::Sweep;
use ccd_core::detection::broad::tree::{BoxTree, BuiltTree, KeptTree};
use ccd_core::detection::broad::{BroadPhase, CandidatePairs, swept_aabb, swept_obb};
use ccd_core::geometry::primitive::{Cuboid, HalfSpace};
use ccd_core::geometry::solid::Solid;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::volume::{Aabb, Obb};
use proptest::prelude::*;

fn vector(range: Real) -> impl Strategy<Value = Vector> {
    [-range..range, -range..range, -range..range].prop_map(Vector::from)
}

/// Spins from none to far beyond a turn a step; a quarter of them about the box's own axis or without translation.
fn motion() -> impl Strategy<Value = RigidMotion> {
    let spin = prop_oneof![Just(0.0), 0.0..10.0_f64, 0.0..1e4_f64];
    let speed = prop_oneof![Just(0.0), 0.0..1e3_f64];
    (vector(3.0), vector(10.0), vector(2.0), (vector(1.0), speed), (vector(1.0), spin)).prop_map(
        |(turn, at, centre, (way, speed), (axis, spin))| RigidMotion {
            start: Pose::from_parts(at.into(), Rotation::from_scaled_axis(turn)),
            local_centre: centre.into(),
            linear_velocity: way * speed,
            angular_velocity: axis * spin,
        },
    )
}

fn half_extents() -> impl Strategy<Value = Vector> {
    [1e-3..2.0, 1e-3..2.0, 1e-3..2.0_f64].prop_map(Vector::from)
}

fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    let half_space = (vector(1.0), vector(3.0)).prop_map(|(normal, at)| {
        let normal = normal.try_normalize(1e-3).unwrap_or_else(Vector::y);
        HalfSpace::try_new(normal).unwrap().local_aabb().transformed(&Pose::translation(at.x, at.y, at.z))
    });
    let floor = Just(HalfSpace::try_new(Vector::y()).unwrap().local_aabb());
    // A coarse lattice, so that faces touch exactly and centres coincide.
    let lattice = ([0..5_i32, 0..5, 0..5], 1..3_i32).prop_map(|(at, size)| {
        let centre = Point::from(Vector::from(at.map(Real::from)));
        Aabb::from_half_extents(centre, Vector::repeat(0.5 * Real::from(size)))
    });
    let loose = (vector(5.0), half_extents()).prop_map(|(c, h)| Aabb::from_half_extents(c.into(), h * 0.5));
    let far = [-1e300..1e300, -1e20..1e20, -1.0..1.0_f64]
        .prop_map(|c| Aabb::from_half_extents(c.into(), Vector::new(0.1, 1.0, 1.0)));
    let long = (vector(5.0), 0..3_usize)
        .prop_map(|(c, k)| Aabb::from_half_extents(c.into(), Vector::repeat(0.1) + Vector::ith(k, 400.0)));
    prop::collection::vec(
        prop_oneof![8 => lattice, 8 => loose, 1 => half_space, 1 => floor, 1 => far, 1 => long],
        0..120,
    )
}

fn list(pairs: &CandidatePairs) -> Vec<(u32, u32)> {
    pairs.iter().collect()
}

proptest! {
    #[test]
    fn every_broad_phase_gives_the_pairs_of_the_oracle_frame_after_frame(
        frames in prop::collection::vec(boxes(), 1..5), margin in prop_oneof![Just(0.0), 0.0..1.0_f64],
    ) {
        let meets = |i: u32, j: u32| !(i + j).is_multiple_of(5);
        let mut kept = KeptTree::new(margin);
        for boxes in &frames {
            let oracle = Brute.find_pairs(boxes, &meets);
            prop_assert!(list(&oracle).windows(2).all(|w| w[0] < w[1]));
            prop_assert!(oracle.iter().all(|(i, j)| i < j && meets(i, j)));
            prop_assert_eq!(&list(&BuiltTree.find_pairs(boxes, &meets)), &list(&oracle));
            prop_assert_eq!(&list(&Sweep.find_pairs(boxes, &meets)), &list(&oracle));
            prop_assert_eq!(&list(&Grid.find_pairs(boxes, &meets)), &list(&oracle));
            prop_assert_eq!(&list(&kept.find_pairs(boxes, &meets)), &list(&oracle));
        }
    }

    #[test]
    fn a_tree_of_boxes_that_change_names_whom_a_box_overlaps_each_once(
        boxes in boxes(), changes in prop::collection::vec((any::<prop::sample::Index>(), boxes()), 0..6),
    ) {
        prop_assume!(!boxes.is_empty());
        let (mut boxes, mut tree) = (boxes.clone(), BoxTree::over(&boxes));
        for (which, others) in &changes {
            // Boxes become any others, bounded ones unbounded and the other way round.
            for (k, other) in others.iter().enumerate() {
                let index = (which.index(boxes.len()) + k) % boxes.len();
                boxes[index] = *other;
                tree.update(index as u32, other);
            }
            for asked in others.iter().chain(&boxes) {
                let mut found = Vec::new();
                tree.query(asked, |i| found.push(i));
                found.sort_unstable();
                let expected: Vec<u32> = (0..).zip(&boxes).filter(|(_, b)| b.overlaps(asked)).map(|(i, _)| i).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn the_pairs_with_any_of_some_boxes_are_those_of_the_oracle(boxes in boxes(), every in 1..40_usize) {
        let meets = |i: u32, j: u32| !(i + j).is_multiple_of(5);
        let some: Vec<u32> = (0..boxes.len() as u32).step_by(every).collect();
        let has_one = |&(i, j): &(u32, u32)| some.contains(&i) || some.contains(&j);
        let expected: Vec<_> = list(&Brute.find_pairs(&boxes, &meets)).into_iter().filter(has_one).collect();
        prop_assert_eq!(list(&find_pairs_with(&boxes, &some, meets)), expected);
    }

    #[test]
    fn swept_boxes_hold_the_box_at_every_instant(
        motion in motion(), half in half_extents(), from in 0.0..0.1_f64, length in 0.0..0.1_f64,
    ) {
        let aabb = Cuboid::try_new(half.into()).unwrap().local_aabb();
        let local = Obb::from_aabb(&aabb, &Pose::identity());
        let interval = TimeInterval::new(from, from + length).unwrap();
        let oriented = swept_obb(&local, &motion, interval);
        let aligned = swept_aabb(&aabb, &motion.rebased(from), length);
        for i in 0..=200 {
            let t = from + length * Real::from(i) / 200.0;
            for corner in local.transformed(&motion.pose_at(t)).corners() {
                let beyond = oriented.axes.tr_mul(&(corner - oriented.centre)).abs() - oriented.half_extents;
                prop_assert!(beyond.max() <= 1e-9, "{} m outside at {t} s", beyond.max());
                prop_assert!(aligned.distance_to_point(&corner) <= 1e-9, "at {t} s");
            }
        }
    }

    #[test]
    fn swept_boxes_are_no_larger_than_the_sphere_about_the_centre_of_rotation_swept(
        motion in motion(), half in half_extents(), length in 1e-4..0.1_f64,
    ) {
        let aabb = Cuboid::try_new(half.into()).unwrap().local_aabb();
        let local = Obb::from_aabb(&aabb, &Pose::identity());
        let reach = local.corners().iter().map(|p| (p - motion.local_centre).norm()).fold(0.0, Real::max);
        let (c0, c1) = (motion.centre_at(0.0), motion.centre_at(length));
        let sweep = Aabb { min: c0.inf(&c1), max: c0.sup(&c1) }.inflated(reach + 1e-9);
        prop_assert!(sweep.contains(&swept_aabb(&aabb, &motion, length)));
        let along = 0.5 * (c1 - c0).norm() + reach;
        let volume = swept_obb(&local, &motion, TimeInterval::new(0.0, length).unwrap()).half_extents.product();
        prop_assert!(volume <= along * reach * reach * (1.0 + 1e-9) + 1e-9);
    }

    #[test]
    fn swept_boxes_of_pure_translation_are_exact(
        turn in vector(3.0), velocity in vector(1e3), half in half_extents(), length in 1e-4..0.1_f64,
    ) {
        let motion = RigidMotion {
            linear_velocity: velocity,
            ..RigidMotion::at_rest(Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(turn)))
        };
        let aabb = Cuboid::try_new(half.into()).unwrap().local_aabb();
        let (start, end) = (aabb.transformed(&motion.start), aabb.transformed(&motion.pose_at(length)));
        let swept = swept_aabb(&aabb, &motion, length);
        prop_assert!((swept.min - start.merged(&end).min).amax() < 1e-9);
        prop_assert!((swept.max - start.merged(&end).max).amax() < 1e-9);
        let local = Obb::from_aabb(&aabb, &Pose::identity());
        let oriented = swept_obb(&local, &motion, TimeInterval::new(0.0, length).unwrap());
        // Along each of its axes it is as long as the box is seen from there, and the way.
        for k in 0..3 {
            let axis = oriented.axes.column(k).into_owned();
            let exact = local.transformed(&motion.start).radius_along(&axis) + 0.5 * length * axis.dot(&velocity).abs();
            prop_assert!((oriented.half_extents[k] - exact).abs() < 1e-9);
        }
    }
}

#[test]
fn moving_half_space_is_unbounded_and_never_nan() {
    let floor = HalfSpace::try_new(Vector::y()).unwrap().local_aabb();
    for angular_velocity in [Vector::zeros(), Vector::new(1e-200, 0.0, 0.0), Vector::new(0.0, 3.0, 0.0)] {
        let motion = RigidMotion {
            linear_velocity: Vector::new(0.0, 2.0, 0.0),
            angular_velocity,
            ..RigidMotion::at_rest(Pose::translation(0.0, 1.0, 0.0))
        };
        let swept = swept_aabb(&floor, &motion, 0.5);
        let turning = angular_velocity != Vector::zeros();
        assert_eq!(swept.max.y, if turning { Real::INFINITY } else { 2.0 });
        assert!(swept.overlaps(&Aabb::from_half_extents(Point::new(1e9, -1e9, 0.0), Vector::repeat(1.0))));
    }
}
