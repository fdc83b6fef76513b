//! What the static trees have in common.

use super::NodeKind;
use crate::math::{Pose, Real};
use crate::volume::Obb;

/// A binary tree of bounding volumes over numbered items; the root, if there is one, is node 0.
///
/// Every volume holds all items below its node, so the nodes of one level hold everything together.
pub trait VolumeTree {
    /// What bounds a node, in the frame of the items.
    type Volume;
    /// The frame of one tree seen from that of another, made ready for many tests.
    type Placement;

    /// How many nodes there are.
    fn node_count(&self) -> usize;

    /// The children or items of node `index`.
    ///
    /// # Panics
    /// When there is no such node.
    fn kind(&self, index: u32) -> NodeKind;

    /// The volume of node `index`, in the frame of the items.
    ///
    /// # Panics
    /// When there is no such node.
    fn volume(&self, index: u32) -> Self::Volume;

    /// The items of a leaf, as [`NodeKind::Leaf`] gives them.
    fn items(&self, first: u32, count: u32) -> &[u32];

    /// How large a node is: the larger of two is divided first. Metres.
    fn size(&self, index: u32) -> Real;

    /// Makes the frame of a tree `b`, which has `pose_b_in_a` seen from the frame of a tree `a`, ready for tests in which
    /// volumes count as overlapping up to a distance of `margin` metres.
    fn placement(pose_b_in_a: &Pose, margin: Real) -> Self::Placement;

    /// Whether the volumes of node `index_a` of `a` and `index_b` of `b` overlap. Never `false` for volumes that are within
    /// the margin of each other, up to the rounding of the pose.
    fn overlaps(placement: &Self::Placement, a: &Self, index_a: u32, b: &Self, index_b: u32) -> bool;

    /// An oriented box around the volume of node `index`, in the frame of the items: what is drawn of it.
    ///
    /// # Panics
    /// When there is no such node.
    fn obb(&self, index: u32) -> Obb;

    /// The nodes of level `level` in the order of the leaves: those at that depth, and the leaves above it, so that every
    /// level covers all items. Level 0 is the root.
    fn level(&self, level: usize) -> Vec<u32> {
        let mut found = Vec::new();
        let mut open = if self.node_count() > 0 { vec![(0, 0)] } else { Vec::new() };
        while let Some((index, depth)) = open.pop() {
            match self.kind(index) {
                NodeKind::Inner { left, right } if depth < level => {
                    open.extend([(right, depth + 1), (left, depth + 1)]);
                }
                _ => found.push(index),
            }
        }
        found
    }

    /// The boxes of level `level` placed by `pose`: what a debug view draws.
    fn level_in_world(&self, level: usize, pose: &Pose) -> Vec<Obb> {
        self.level(level).into_iter().map(|index| self.obb(index).transformed(pose)).collect()
    }

    /// The level of every node, by its number; 0 for the root.
    fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.node_count()];
        let mut open = if self.node_count() > 0 { vec![(0, 0)] } else { Vec::new() };
        while let Some((index, depth)) = open.pop() {
            depths[index as usize] = depth;
            if let NodeKind::Inner { left, right } = self.kind(index) {
                open.extend([(right, depth + 1), (left, depth + 1)]);
            }
        }
        depths
    }

    /// The number of levels: of nodes on the longest way down; zero for an empty tree.
    fn height(&self) -> usize {
        self.leaf_depths().map(|(depth, _)| depth).max().unwrap_or(0)
    }

    /// The mean number of nodes on the way to an item; zero for an empty tree.
    fn average_height(&self) -> Real {
        let (depths, items) = self
            .leaf_depths()
            .fold((0.0, 0.0), |(d, n), (depth, count)| (d + depth as Real * Real::from(count), n + Real::from(count)));
        if items > 0.0 { depths / items } else { 0.0 }
    }

    /// The number of nodes on the way to each leaf, and its number of items.
    fn leaf_depths(&self) -> std::vec::IntoIter<(usize, u32)> {
        let mut found = Vec::new();
        let mut open = if self.node_count() > 0 { vec![(0, 1)] } else { Vec::new() };
        while let Some((index, depth)) = open.pop() {
            match self.kind(index) {
                NodeKind::Inner { left, right } => open.extend([(right, depth + 1), (left, depth + 1)]),
                NodeKind::Leaf { count, .. } => found.push((depth, count)),
            }
        }
        found.into_iter()
    }
}
