//! Two trees walked down together.

use std::ops::ControlFlow;

use super::{NodeKind, VolumeTree};
use crate::math::{Pose, Real};

/// What a walk over two trees has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairWork {
    /// Pairs of volumes tested.
    pub volume_tests: u64,
    /// Pairs of leaves handed over.
    pub leaf_pairs: u64,
}

/// Calls `leaves` with the items of every two leaves whose volumes come within `margin` metres of each other, the
/// frame of `b` standing at `pose_b_in_a` in that of `a`, until it breaks.
///
/// No pair of items within the margin is missed. Of two nodes the larger is divided, so both are pruned at once; the order is
/// that of the trees, so the same input gives the same calls.
pub fn visit_pairs<T: VolumeTree>(
    a: &T,
    b: &T,
    pose_b_in_a: &Pose,
    margin: Real,
    leaves: impl FnMut(&[u32], &[u32]) -> ControlFlow<()>,
) -> (ControlFlow<()>, PairWork) {
    visit_pairs_watched(a, b, pose_b_in_a, margin, |_, _, _| {}, leaves)
}

/// [`visit_pairs`], telling `watch` of every pair of nodes that is tested, and whether they come within the margin: what a view
/// shows of a query.
pub fn visit_pairs_watched<T: VolumeTree>(
    a: &T,
    b: &T,
    pose_b_in_a: &Pose,
    margin: Real,
    mut watch: impl FnMut(u32, u32, bool),
    mut leaves: impl FnMut(&[u32], &[u32]) -> ControlFlow<()>,
) -> (ControlFlow<()>, PairWork) {
    let mut work = PairWork::default();
    if a.node_count() == 0 || b.node_count() == 0 {
        return (ControlFlow::Continue(()), work);
    }
    let placement = T::placement(pose_b_in_a, margin);
    let mut open = vec![(0_u32, 0_u32)];
    while let Some((i, j)) = open.pop() {
        work.volume_tests += 1;
        let is_near = T::overlaps(&placement, a, i, b, j);
        watch(i, j, is_near);
        if !is_near {
            continue;
        }
        match (a.kind(i), b.kind(j)) {
            (NodeKind::Leaf { first, count }, NodeKind::Leaf { first: first_b, count: count_b }) => {
                work.leaf_pairs += 1;
                if leaves(a.items(first, count), b.items(first_b, count_b)).is_break() {
                    return (ControlFlow::Break(()), work);
                }
            }
            (NodeKind::Inner { left, right }, NodeKind::Leaf { .. }) => open.extend([(right, j), (left, j)]),
            (NodeKind::Leaf { .. }, NodeKind::Inner { left, right }) => open.extend([(i, right), (i, left)]),
            (NodeKind::Inner { left, right }, NodeKind::Inner { left: left_b, right: right_b }) => {
                if a.size(i) >= b.size(j) {
                    open.extend([(right, j), (left, j)]);
                } else {
                    open.extend([(i, right_b), (i, left_b)]);
                }
            }
        }
    }
    (ControlFlow::Continue(()), work)
}
