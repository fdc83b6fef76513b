//! A static tree of axis-aligned boxes over numbered items.
//!
//! **Problem.** Find the few of many items (triangles, parts) that a box, a segment or a point can concern.
//! **Idea.** Split the items by a [`SplitRule`] down to leaves of at most four; keep the nodes in one array, in the order
//! of a depth-first walk, so that a left child follows its parent.
//! **Guarantee.** A node's box holds the boxes of all its items: it is rounded outwards to `f32`, by at most one part in 8
//! million, which makes a node 32 bytes. The same boxes give the same tree, for any number of threads.
//! **Limits.** Items that move need [`AabbTree::refit`], or [`super::DynamicTree`] when they change places.
//! **Source.** Goldsmith and Salmon (1987) for the heuristic, Wald (2007) for the bins.

use std::ops::Range;

use super::VolumeTree;
use super::build::{SplitRule, build};
use crate::geometry::mesh::TriMesh;
use crate::math::{Matrix, Point, Pose, Real, Vector};
use crate::volume::{Aabb, Obb};

/// A tree of boxes over items `0..n`. See the module for what it promises.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AabbTree {
    pub(super) nodes: Vec<Node>,
    order: Vec<u32>,
}

/// 32 bytes: two to a cache line. While the tree is built, the items have the same form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) min: [f32; 3],
    /// Inner: how far behind this node its right child is. Leaf: where its items start in the order. Item: its number.
    pub(super) link: u32,
    pub(super) max: [f32; 3],
    /// How many items a leaf has; zero for an inner node.
    pub(super) count: u32,
}

/// A node's box in the precision in which it is kept; the fourth numbers say nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBox {
    pub centre: [f32; 4],
    pub half: [f32; 4],
}

impl NodeBox {
    /// A node's that is built around `aabb`.
    pub fn around(aabb: &Aabb) -> Self {
        Node::around(aabb, 0, 0).middle()
    }
}

/// A node as the walks of others see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNode {
    /// A box around all items below.
    pub aabb: Aabb,
    /// Its children or its items.
    pub kind: NodeKind,
}

/// What is below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Two child nodes.
    Inner {
        /// The number of one child.
        left: u32,
        /// The number of the other.
        right: u32,
    },
    /// The items `order()[first..first + count]`.
    Leaf {
        /// Where they start.
        first: u32,
        /// How many they are, one to four.
        count: u32,
    },
}

impl NodeKind {
    /// Whether there is no node below.
    pub fn is_leaf(&self) -> bool {
        matches!(self, Self::Leaf { .. })
    }
}

impl Node {
    pub(super) fn around(aabb: &Aabb, link: u32, count: u32) -> Self {
        let down = |x: Real| {
            let near = x as f32;
            if Real::from(near) > x { near.next_down() } else { near }
        };
        let up = |x: Real| -down(-x);
        Self {
            min: [down(aabb.min.x), down(aabb.min.y), down(aabb.min.z)],
            link,
            max: [up(aabb.max.x), up(aabb.max.y), up(aabb.max.z)],
            count,
        }
    }

    /// A box around `aabb`, up to two roundings larger than need be: cheaper than [`Node::around`], for queries.
    #[inline]
    pub(super) fn loosely_around(aabb: &Aabb) -> Self {
        let slack = |x: f32| x.abs() * f32::EPSILON + f32::MIN_POSITIVE;
        let down = |x: Real| {
            let near = (x as f32).clamp(f32::MIN, f32::MAX);
            near - slack(near)
        };
        let (min, max) = (aabb.min, aabb.max);
        Self {
            min: [down(min.x), down(min.y), down(min.z)],
            link: 0,
            max: [-down(-max.x), -down(-max.y), -down(-max.z)],
            count: 0,
        }
    }

    #[inline]
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        (self.min[0] <= other.max[0])
            && (self.min[1] <= other.max[1])
            && (self.min[2] <= other.max[2])
            && (other.min[0] <= self.max[0])
            && (other.min[1] <= self.max[1])
            && (other.min[2] <= self.max[2])
    }

    /// What is below, for the node with this number.
    #[inline]
    fn kind(&self, index: u32) -> NodeKind {
        if self.count == 0 {
            NodeKind::Inner { left: index + 1, right: index + self.link }
        } else {
            NodeKind::Leaf { first: self.link, count: self.count }
        }
    }

    #[inline]
    pub(super) fn middle(&self) -> NodeBox {
        let of = |with: fn(f32, f32) -> f32| {
            let [x, y, z] = [0, 1, 2].map(|k| 0.5 * with(self.max[k], self.min[k]));
            [x, y, z, 0.0]
        };
        NodeBox { centre: of(|max, min| max + min), half: of(|max, min| max - min) }
    }

    #[inline]
    pub(super) fn aabb(&self) -> Aabb {
        Aabb { min: Point::from(self.min.map(Real::from)), max: Point::from(self.max.map(Real::from)) }
    }
}

impl AabbTree {
    /// The tree over the triangles of `mesh`. O(n log n), on rayon's threads; about 48 bytes a triangle.
    pub fn build(mesh: &TriMesh) -> Self {
        Self::build_by(mesh, SplitRule::SurfaceArea)
    }

    /// [`AabbTree::build`] by the rule of one's choice.
    pub fn build_by(mesh: &TriMesh, rule: SplitRule) -> Self {
        let items = (0..mesh.triangles().len())
            .map(|f| Node::around(&Aabb::from_points(&mesh.triangle(f)), f as u32, 1))
            .collect();
        let (nodes, order) = build(items, rule, Some(mesh));
        Self { nodes, order }
    }

    /// The tree over items with these boxes; empty for none. O(n log n).
    pub fn from_boxes(boxes: &[Aabb]) -> Self {
        let items = boxes.iter().zip(0..).map(|(aabb, index)| Node::around(aabb, index, 1)).collect();
        let (nodes, order) = build(items, SplitRule::SurfaceArea, None);
        Self { nodes, order }
    }

    /// Fits the boxes anew to items that have moved: item `i` now has the box `aabb_of(i)`. O(n), in place.
    ///
    /// The tree stays right whatever moved; it stays good while neighbours stay neighbours. The same tree and boxes give
    /// the same result.
    pub fn refit(&mut self, mut aabb_of: impl FnMut(u32) -> Aabb) {
        // Children stand behind their parents.
        for index in (0..self.nodes.len()).rev() {
            let Node { link, count, .. } = self.nodes[index];
            self.nodes[index] = if count > 0 {
                let around = self.items(link, count).iter().fold(Aabb::EMPTY, |all, &i| all.merged(&aabb_of(i)));
                Node::around(&around, link, count)
            } else {
                let (left, right) = (&self.nodes[index + 1], &self.nodes[index + link as usize]);
                Node {
                    min: std::array::from_fn(|k| left.min[k].min(right.min[k])),
                    link,
                    max: std::array::from_fn(|k| left.max[k].max(right.max[k])),
                    count,
                }
            };
        }
    }

    /// How many nodes there are; the root is node 0.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Node `index`.
    ///
    /// # Panics
    /// When there is no such node.
    #[inline]
    pub fn node(&self, index: u32) -> TreeNode {
        let node = &self.nodes[index as usize];
        TreeNode { aabb: node.aabb(), kind: node.kind(index) }
    }

    /// A node's box, and what is below it.
    #[inline]
    pub(crate) fn node_box(&self, index: u32) -> (NodeBox, NodeKind) {
        let node = &self.nodes[index as usize];
        (node.middle(), node.kind(index))
    }

    /// The items in the order of the leaves.
    #[inline]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Where the items below each node are in the order.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges = vec![0..0; self.nodes.len()];
        // Children stand behind their parents.
        for index in (0..self.nodes.len()).rev() {
            let Node { link, count, .. } = self.nodes[index];
            ranges[index] = if count > 0 {
                link as usize..(link + count) as usize
            } else {
                ranges[index + 1].start..ranges[index + link as usize].end
            };
        }
        ranges
    }

    /// The items of a leaf, as [`NodeKind::Leaf`] gives them.
    #[inline]
    pub fn items(&self, first: u32, count: u32) -> &[u32] {
        &self.order[first as usize..(first + count) as usize]
    }

    /// The box around everything; empty for an empty tree.
    pub fn aabb(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, Node::aabb)
    }

    /// The sum of all nodes' areas, m²: what the walks of small boxes and segments cost is in proportion to it.
    pub fn area(&self) -> Real {
        self.nodes.iter().map(|node| node.aabb().area()).sum()
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.order)
    }
}

/// The frame of one tree in that of another.
#[derive(Clone, Copy, Debug)]
pub struct AabbPlacement {
    rotation: Matrix,
    spread: Matrix,
    translation: Vector,
    margin: Real,
}

impl VolumeTree for AabbTree {
    type Volume = Aabb;
    type Placement = AabbPlacement;

    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    fn kind(&self, index: u32) -> NodeKind {
        self.nodes[index as usize].kind(index)
    }

    fn volume(&self, index: u32) -> Aabb {
        self.nodes[index as usize].aabb()
    }

    #[inline]
    fn items(&self, first: u32, count: u32) -> &[u32] {
        &self.order[first as usize..(first + count) as usize]
    }

    #[inline]
    fn size(&self, index: u32) -> Real {
        let node = &self.nodes[index as usize];
        let side = |k: usize| Real::from(node.max[k]) - Real::from(node.min[k]);
        side(0).max(side(1)).max(side(2))
    }

    fn placement(pose_b_in_a: &Pose, margin: Real) -> AabbPlacement {
        let rotation = pose_b_in_a.rotation.to_rotation_matrix().into_inner();
        AabbPlacement { rotation, spread: rotation.abs(), translation: pose_b_in_a.translation.vector, margin }
    }

    /// By the face normals of both boxes alone: van den Bergen (1997) found that the nine other axes cost more than they save
    /// in a tree.
    #[inline]
    fn overlaps(placement: &AabbPlacement, a: &Self, index_a: u32, b: &Self, index_b: u32) -> bool {
        let (one, other) = (a.nodes[index_a as usize].aabb(), b.nodes[index_b as usize].aabb());
        let (half_a, half_b) = (one.half_extents(), other.half_extents());
        let offset = placement.rotation * other.centre().coords + placement.translation - one.centre().coords;
        // The rounding of the products, for boxes that only touch.
        let slack = placement.margin + 16.0 * Real::EPSILON * (offset.amax() + half_a.amax() + half_b.amax());
        let apart_a = offset.abs() - half_a - placement.spread * half_b;
        let apart_b = placement.rotation.tr_mul(&offset).abs() - half_b - placement.spread.tr_mul(&half_a);
        apart_a.max() <= slack && apart_b.max() <= slack
    }

    fn obb(&self, index: u32) -> Obb {
        Obb::from_aabb(&self.nodes[index as usize].aabb(), &Pose::identity())
    }
}
