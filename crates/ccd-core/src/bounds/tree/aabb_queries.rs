//! What is asked of a tree of axis-aligned boxes: all items near a box, the first on a segment, the nearest to a point.
//!
//! The walks keep what waits on the machine's stack, and allocate nothing.

use std::ops::ControlFlow;

use super::aabb_tree::{AabbTree, Node, NodeBox};
use super::build::MAX_DEPTH;
use crate::geometry::solid::Segment;
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb};

impl AabbTree {
    /// Calls `item` for every item under nodes whose boxes `meets` accepts, left to right, until it breaks.
    ///
    /// `meets` must accept every box that holds one it accepts.
    pub fn visit(
        &self,
        mut meets: impl FnMut(&Aabb) -> bool,
        item: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_nodes(0, |node| meets(&node.aabb()), item)
    }

    /// [`AabbTree::visit`] in the single precision in which the tree keeps its boxes.
    pub(crate) fn visit_node_boxes(
        &self,
        mut meets: impl FnMut(&NodeBox) -> bool,
        item: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_nodes(0, |node| meets(&node.middle()), item)
    }

    /// [`AabbTree::visit`] of a node and all that is below it.
    #[inline]
    fn visit_nodes(
        &self,
        top: u32,
        mut meets: impl FnMut(&Node) -> bool,
        mut item: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Nodes are stored in the order of the walk: a node that is not met is passed over with all that is below it,
        // and the next one to look at is always the next of those kept for later.
        let mut stack = [top; MAX_DEPTH + 1];
        let mut waiting = usize::from((top as usize) < self.nodes.len());
        while waiting > 0 {
            waiting -= 1;
            let mut index = stack[waiting];
            // Down the left children, keeping the right ones.
            loop {
                let node = &self.nodes[index as usize];
                if !meets(node) {
                    break;
                }
                if node.count > 0 {
                    for &i in self.items(node.link, node.count) {
                        item(i)?;
                    }
                    break;
                }
                stack[waiting] = index + node.link;
                waiting += 1;
                index += 1;
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `item` for every item whose leaf's box shares a point with `aabb`: all items that meet it, and few others.
    pub fn visit_aabb(&self, aabb: &Aabb, item: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        self.visit_aabb_below(0, aabb, item)
    }

    /// The same of those below one node alone.
    pub(crate) fn visit_aabb_below(
        &self,
        node: u32,
        aabb: &Aabb,
        item: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Rounded outwards once, so that the walk compares in `f32`.
        let query = Node::loosely_around(aabb);
        self.visit_nodes(node, |node| node.overlaps(&query), item)
    }

    /// [`AabbTree::visit_aabb`] for an oriented box, told apart by the face normals of both boxes.
    pub fn visit_obb(&self, obb: &Obb, item: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let around = obb.aabb();
        let (inverse, spread) = (obb.axes.transpose(), obb.axes.transpose().abs());
        self.visit(
            |node| {
                let half = node.half_extents();
                let offset = node.centre() - obb.centre;
                // The rounding of the products below, for boxes that only touch.
                let pad = 8.0 * Real::EPSILON * (offset.amax() + half.amax() + obb.half_extents.amax());
                node.overlaps(&around.inflated(pad)) && {
                    let apart = (inverse * offset).abs() - spread * half - obb.half_extents;
                    apart.max() <= pad
                }
            },
            item,
        )
    }

    /// The items whose leaf's box shares a point with `aabb`, in the order of the leaves.
    pub fn overlapping(&self, aabb: &Aabb) -> Vec<u32> {
        let mut found = Vec::new();
        let _ = self.visit_aabb(aabb, |i| {
            found.push(i);
            ControlFlow::Continue(())
        });
        found
    }

    /// The item that `segment` meets first, with the fraction that `test` gave for it; of equals the lowest number.
    ///
    /// `test` answers the fraction in [0, 1] at which the segment first meets an item, never outside the item's box.
    pub fn cast_segment(&self, segment: &Segment, mut test: impl FnMut(u32) -> Option<Real>) -> Option<(Real, u32)> {
        let slabs = Slabs::new(segment);
        let mut best: Option<(Real, u32)> = None;
        let mut stack = Stack::new();
        if let Some(enter) = self.nodes.first().and_then(|root| slabs.enter(root)) {
            stack.push(0, enter);
        }
        while let Some((index, enter)) = stack.pop() {
            if best.is_some_and(|(fraction, _)| enter > fraction) {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &i in self.items(node.link, node.count) {
                    if let Some(fraction) = test(i)
                        && best.is_none_or(|(f, j)| fraction < f || fraction == f && i < j)
                    {
                        best = Some((fraction, i));
                    }
                }
                continue;
            }
            let children = [index + 1, index + node.link].map(|c| (c, slabs.enter(&self.nodes[c as usize])));
            // The nearer child last, so that it is taken first.
            let nearer_is_left = children[0].1.unwrap_or(2.0) <= children[1].1.unwrap_or(2.0);
            for k in if nearer_is_left { [1, 0] } else { [0, 1] } {
                if let (child, Some(enter)) = children[k] {
                    stack.push(child, enter);
                }
            }
        }
        best
    }

    /// The item nearest to `point`, with its squared distance as `distance_squared` gave it; of equals the lowest number.
    ///
    /// Only items within `max_distance` metres are found. `distance_squared` must not be less than the squared distance
    /// to the item's box.
    pub fn closest(
        &self,
        point: &Point,
        max_distance: Real,
        distance_squared: impl FnMut(u32) -> Real,
    ) -> Option<(Real, u32)> {
        self.closest_nearly(point, max_distance, 0.0, distance_squared)
    }

    /// [`AabbTree::closest`], content with an item up to `1 + slack` times as far as the nearest: where many are about as far,
    /// as from the middle of a sphere, most of them need not be looked at.
    pub(crate) fn closest_nearly(
        &self,
        point: &Point,
        max_distance: Real,
        slack: Real,
        mut distance_squared: impl FnMut(u32) -> Real,
    ) -> Option<(Real, u32)> {
        let to_box = |index: u32| {
            let aabb = self.nodes[index as usize].aabb();
            (aabb.min - point).sup(&(point - aabb.max)).sup(&Vector::zeros()).norm_squared()
        };
        let limit = max_distance * max_distance;
        let squared = (1.0 + slack) * (1.0 + slack);
        let mut best: Option<(Real, u32)> = None;
        let mut stack = Stack::new();
        if !self.nodes.is_empty() {
            stack.push(0, to_box(0));
        }
        while let Some((index, distance)) = stack.pop() {
            if distance * squared > best.map_or(limit * squared, |(d, _)| d) {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &i in self.items(node.link, node.count) {
                    let distance = distance_squared(i);
                    if distance <= limit && best.is_none_or(|(d, j)| distance < d || distance == d && i < j) {
                        best = Some((distance, i));
                    }
                }
                continue;
            }
            let (left, right) = (index + 1, index + node.link);
            let (to_left, to_right) = (to_box(left), to_box(right));
            if to_left <= to_right {
                stack.push(right, to_right);
                stack.push(left, to_left);
            } else {
                stack.push(left, to_left);
                stack.push(right, to_right);
            }
        }
        best
    }
}

/// Nodes still to visit: one for each level and one more, so it lives on the machine's stack.
struct Stack {
    nodes: [(u32, Real); MAX_DEPTH + 1],
    len: usize,
}

impl Stack {
    fn new() -> Self {
        Self { nodes: [(0, 0.0); MAX_DEPTH + 1], len: 0 }
    }

    #[inline]
    fn push(&mut self, node: u32, key: Real) {
        self.nodes[self.len] = (node, key);
        self.len += 1;
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, Real)> {
        self.len = self.len.checked_sub(1)?;
        Some(self.nodes[self.len])
    }
}

/// A segment made ready for boxes.
struct Slabs {
    start: Point,
    direction: Vector,
    inverse: Vector,
}

impl Slabs {
    fn new(segment: &Segment) -> Self {
        let direction = segment.end - segment.start;
        // The reciprocal of a subnormal overflows; the largest number keeps 0 times it 0, where infinity would give NaN.
        let inverse = direction.map(|d| (1.0 / d).clamp(-Real::MAX, Real::MAX));
        Self { start: segment.start, direction, inverse }
    }

    /// The fraction in [0, 1] at which the segment enters the node's box; never late, never `None` when it does.
    #[inline]
    fn enter(&self, node: &Node) -> Option<Real> {
        // Three roundings in each product below, so that touching counts.
        const WIDEN: Real = 4.0 * Real::EPSILON;
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for k in 0..3 {
            let below = Real::from(node.min[k]) - self.start[k];
            let above = Real::from(node.max[k]) - self.start[k];
            if self.direction[k] == 0.0 {
                if below > 0.0 || above < 0.0 {
                    return None;
                }
                continue;
            }
            let (one, other) = (below * self.inverse[k], above * self.inverse[k]);
            enter = enter.max(one.min(other) * (1.0 - WIDEN));
            leave = leave.min(one.max(other) * (1.0 + WIDEN));
        }
        (enter <= leave).then_some(enter)
    }
}
