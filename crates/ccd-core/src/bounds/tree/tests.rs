//! The tree against testing every item.

use std::ops::ControlFlow;

use super::aabb_tree::Node;
use super::build::MAX_DEPTH;
use super::{AabbTree, NodeKind, VolumeTree};
use crate::geometry::solid::Segment;
use crate::math::{Point, Pose, Real, Rotation, Vector};
use crate::volume::{Aabb, Obb};
use proptest::prelude::*;

fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    // Coarse centres, so that many coincide.
    let item = ([-5..=5, -5..=5, -5..=5_i32], 0.0..1.0_f64)
        .prop_map(|(c, h)| Aabb::from_half_extents(Point::from(c.map(Real::from)), Vector::new(h, 0.5 * h, 0.0)));
    prop::collection::vec(item, 0..120)
}

fn found(visit: impl FnOnce(&mut dyn FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()>) -> Vec<u32> {
    let mut found = Vec::new();
    let _ = visit(&mut |i| {
        found.push(i);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}

proptest! {
    #[test]
    fn every_item_is_in_one_leaf_and_every_box_holds_what_is_below(boxes in boxes()) {
        let tree = AabbTree::from_boxes(&boxes);
        let mut order = tree.order().to_vec();
        order.sort_unstable();
        prop_assert_eq!(order, (0..boxes.len() as u32).collect::<Vec<_>>());
        let mut leaf_items = 0;
        for i in 0..tree.node_count() as u32 {
            let node = tree.node(i);
            match node.kind {
                NodeKind::Inner { left, right } => {
                    prop_assert!(node.aabb.contains(&tree.node(left).aabb) && node.aabb.contains(&tree.node(right).aabb));
                    prop_assert!(left > i && right > left);
                }
                NodeKind::Leaf { first, count } => {
                    prop_assert!((1..=4).contains(&count));
                    leaf_items += count;
                    for &item in tree.items(first, count) {
                        prop_assert!(node.aabb.contains(&boxes[item as usize]));
                    }
                }
            }
        }
        prop_assert_eq!(leaf_items as usize, boxes.len());
        prop_assert_eq!(AabbTree::from_boxes(&boxes), tree);
    }

    #[test]
    fn box_queries_find_all_that_testing_every_box_finds(
        boxes in boxes(), c in [-6.0..6.0, -6.0..6.0, -6.0..6.0_f64], h in [0.0..3.0, 0.0..3.0, 0.0..3.0_f64], turn in [-3.0..3.0, -3.0..3.0, -3.0..3.0_f64],
    ) {
        let tree = AabbTree::from_boxes(&boxes);
        let query = Aabb::from_half_extents(Point::from(c), Vector::from(h));
        let candidates = found(|f| tree.visit_aabb(&query, f));
        for (i, b) in boxes.iter().enumerate() {
            prop_assert!(!b.overlaps(&query) || candidates.contains(&(i as u32)));
        }
        let pose = Pose::from_parts(Vector::from(c).into(), Rotation::from_scaled_axis(Vector::from(turn)));
        let obb = Obb::from_aabb(&Aabb::from_half_extents(Point::origin(), Vector::from(h)), &pose);
        let candidates = found(|f| tree.visit_obb(&obb, f));
        for (i, b) in boxes.iter().enumerate() {
            prop_assert!(!obb.overlaps(&Obb::from_aabb(b, &Pose::identity())) || candidates.contains(&(i as u32)));
        }
    }

    #[test]
    fn casts_and_closest_items_are_those_of_testing_every_item(
        boxes in boxes(), p in [-6..=6, -6..=6, -6..=6_i32], q in [-6..=6, -6..=6, -6..=6_i32],
    ) {
        let tree = AabbTree::from_boxes(&boxes);
        let (start, end) = (Point::from(p.map(Real::from)), Point::from(q.map(Real::from)));
        let segment = Segment { start, end };
        // The items are the (rounded) boxes themselves, clipped side by side.
        let hit = |i: u32| {
            let aabb = Node::around(&boxes[i as usize], 0, 0).aabb();
            let (mut from, mut to) = (0.0_f64, 1.0_f64);
            for k in 0..3 {
                for (outward, bound) in [(-1.0, -aabb.min[k]), (1.0, aabb.max[k])] {
                    let rise = outward * (end[k] - start[k]);
                    let room = bound - outward * start[k];
                    if rise == 0.0 && room < 0.0 {
                        return None;
                    } else if rise > 0.0 {
                        to = to.min(room / rise);
                    } else if rise < 0.0 {
                        from = from.max(room / rise);
                    }
                }
            }
            (from <= to).then_some(from)
        };
        let all = 0..boxes.len() as u32;
        let first = |best: Option<(Real, u32)>, (f, i): (Real, u32)| match best {
            Some((g, _)) if g <= f => best,
            _ => Some((f, i)),
        };
        let expected = all.clone().filter_map(|i| hit(i).map(|f| (f, i))).fold(None, first);
        prop_assert_eq!(tree.cast_segment(&segment, hit), expected);

        let distance = |i: u32| {
            let aabb = Node::around(&boxes[i as usize], 0, 0).aabb();
            (aabb.min - start).sup(&(start - aabb.max)).sup(&Vector::zeros()).norm_squared()
        };
        let expected = all.map(|i| (distance(i), i)).fold(None, first);
        prop_assert_eq!(tree.closest(&start, Real::INFINITY, distance), expected);
        let within = expected.filter(|(d, _)| *d <= 1.0);
        prop_assert_eq!(tree.closest(&start, 1.0, distance), within);
    }
}

#[test]
fn items_that_double_in_distance_do_not_make_the_tree_deep() {
    // Every cut of the heuristic takes a few items off: without the halving below a depth, this is close to a list.
    let boxes: Vec<Aabb> = (-100..100)
        .map(|i| {
            let size = 2.0_f64.powi(i);
            Aabb::from_half_extents(Point::new(size, 0.0, 0.0), Vector::repeat(0.1 * size))
        })
        .collect();
    let tree = AabbTree::from_boxes(&boxes);
    assert!(tree.height() > 48, "the premise: the heuristic alone goes deep, here {}", tree.height());
    assert!(tree.height() <= MAX_DEPTH);
    assert_eq!(tree.overlapping(&tree.aabb()).len(), 200);
}
