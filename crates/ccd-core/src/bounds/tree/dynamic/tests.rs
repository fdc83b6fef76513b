use super::*;
use crate::math::{Point, Vector};
use proptest::prelude::*;

fn assert_sound(tree: &DynamicTree) {
    let mut leaves = 0;
    let mut stack = vec![(tree.root, NONE)];
    while let Some((i, parent)) = stack.pop() {
        let Some(node) = tree.nodes.get(i as usize) else { continue };
        assert!(node.live);
        assert_eq!(node.parent, parent);
        if node.is_leaf() {
            leaves += 1;
        } else {
            let [a, b] = node.children.map(|c| tree.nodes[c as usize].aabb);
            assert_eq!(node.aabb, a.merged(&b));
            stack.extend(node.children.map(|c| (c, i)));
        }
    }
    assert_eq!(leaves, tree.len());
}

fn boxes() -> impl Strategy<Value = Aabb> {
    let unbounded =
        Aabb { min: Vector::repeat(Real::NEG_INFINITY).into(), max: Point::new(Real::INFINITY, 0.0, Real::INFINITY) };
    prop_oneof![
        20 => ([-5.0..5.0, -5.0..5.0, -5.0..5.0_f64], [0.0..1.0, 0.0..1.0, 0.0..3.0_f64])
            .prop_map(|(c, h)| Aabb::from_half_extents(c.into(), h.into())),
        1 => Just(unbounded),
    ]
}

proptest! {
    #[test]
    fn tree_agrees_with_a_list_through_any_history(
        history in prop::collection::vec((0..4_u8, any::<prop::sample::Index>(), boxes()), 1..200),
        margin in prop_oneof![Just(0.0), 0.0..0.5_f64],
    ) {
        let mut tree = DynamicTree::new(margin);
        let mut list: Vec<(LeafId, u32, Aabb)> = Vec::new();
        for (step, (what, which, aabb)) in history.iter().enumerate() {
            if *what < 2 || list.is_empty() {
                list.push((tree.insert(aabb, step as u32), step as u32, *aabb));
            } else if *what == 2 {
                let (leaf, value, _) = list.swap_remove(which.index(list.len()));
                prop_assert_eq!(tree.remove(leaf), Some(value));
            } else {
                let at = which.index(list.len());
                list[at].2 = *aabb;
                tree.update(list[at].0, aabb);
            }
            assert_sound(&tree);
            let mut found = Vec::new();
            tree.query(aabb, |v| found.push(v));
            for (_, value, b) in &list {
                prop_assert!(found.contains(value) || !b.overlaps(aabb));
                prop_assert!(!found.contains(value) || b.inflated(4.0 * margin).overlaps(aabb));
            }
        }
        let pairs = tree.overlapping_pairs();
        prop_assert!(pairs.windows(2).all(|w| w[0] < w[1]));
        for (i, (_, v, a)) in list.iter().enumerate() {
            for (_, w, b) in &list[..i] {
                let named = pairs.contains(&(*v.min(w), *v.max(w)));
                prop_assert!(named || !a.overlaps(b));
                prop_assert!(!named || margin > 0.0 || a.overlaps(b));
            }
        }
    }
}

#[test]
fn small_moves_leave_the_tree_alone_and_removed_leaves_are_gone() {
    let mut tree = DynamicTree::new(0.1);
    let at = |x: Real| Aabb::from_half_extents(Point::new(x, 0.0, 0.0), Vector::repeat(1.0));
    let leaf = tree.insert(&at(0.0), 7);
    assert!(!tree.update(leaf, &at(0.05)));
    assert!(tree.update(leaf, &at(0.2)));
    assert_eq!(tree.remove(leaf), Some(7));
    assert_eq!(tree.remove(leaf), None);
    assert!(!tree.update(leaf, &at(9.0)));
    assert!(tree.is_empty());
}

#[test]
fn boxes_in_a_row_make_a_shallow_tree() {
    let mut tree = DynamicTree::new(0.0);
    for i in 0..1024 {
        tree.insert(&Aabb::from_half_extents(Point::new(Real::from(i), 0.0, 0.0), Vector::repeat(0.4)), i as u32);
    }
    // Sorted input makes a list without rotations.
    assert!(tree.height() <= 40, "{}", tree.height());
}
