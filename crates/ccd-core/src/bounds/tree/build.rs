//! Building the tree, top down.
//!
//! Items are rounded to `f32` first; merging rounded boxes loses nothing more, so every node gets the box it would get
//! by rounding the exact one. A large node's two halves are built on two threads: each half is a pure function of its
//! items, and the two lists of nodes are joined left before right, so the number of threads changes no bit.

use super::aabb_tree::Node;
use super::split::{self, Cut};
use crate::geometry::mesh::TriMesh;
use crate::math::Real;

/// The most items of a leaf.
const LEAF_ITEMS: usize = 4;
/// The price of looking at an item in units of looking at a node: exact tests cost more than boxes.
pub(super) const ITEM_PRICE: Real = 2.0;
/// From this depth on nodes are halved by count, so that the depth stays under [`MAX_DEPTH`] however the items lie.
const CHOSEN_DEPTH: usize = 48;
/// A bound on the depth: 2³² items are halved 32 times.
pub(super) const MAX_DEPTH: usize = CHOSEN_DEPTH + 33;
/// Halves of fewer items are not worth a thread.
const ITEMS_PER_THREAD: usize = 4096;

/// How the items of a node are divided between its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SplitRule {
    /// Where the surface area heuristic expects the least work, over 16 bins of each axis (Goldsmith and Salmon 1987; Wald
    /// 2007): the best trees of the three, and the default.
    #[default]
    SurfaceArea,
    /// Through the middle of the box's longest side, so that boxes stay as near to cubes as can be (van den Bergen 1997):
    /// twice as fast to build as the first, for queries up to a third slower.
    CubeLike,
    /// Across the direction in which the surface of the node's convex hull spreads most, at its mean (Gottschalk, Lin and
    /// Manocha 1996); of at most eight triangles, in which their corners do. Hardly ever the best here: over fifty times slower to build
    /// than the first, for trees that are asked a little slower but for one measured case, of oriented boxes, too.
    HullCovariance,
}

/// The nodes in depth-first order, and the items' numbers in the order of the leaves. `mesh` is what the items are
/// triangles of; without it hull covariances are those of the boxes' centres.
pub(super) fn build(mut items: Vec<Node>, rule: SplitRule, mesh: Option<&TriMesh>) -> (Vec<Node>, Vec<u32>) {
    let mut nodes = Vec::new();
    if !items.is_empty() {
        let centres = Bounds::of_centres(&items);
        nodes = Splitter { rule, mesh }.nodes_over(&mut items, 0, 0, &centres);
    }
    nodes.shrink_to_fit();
    (nodes, items.iter().map(|item| item.link).collect())
}

#[derive(Clone, Copy)]
struct Splitter<'m> {
    rule: SplitRule,
    mesh: Option<&'m TriMesh>,
}

impl Splitter<'_> {
    fn nodes_over(self, items: &mut [Node], first: usize, depth: usize, centres: &Bounds) -> Vec<Node> {
        if items.len() < 2 * ITEMS_PER_THREAD {
            let mut nodes = Vec::with_capacity(items.len());
            self.append(items, first, depth, centres, &mut nodes);
            return nodes;
        }
        let around = Bounds::around(items);
        let (middle, left_centres, right_centres) = self.divide(items, depth, &around, centres);
        let (left, right) = items.split_at_mut(middle);
        let (mut left_nodes, mut right_nodes) = rayon::join(
            || self.nodes_over(left, first, depth + 1, &left_centres),
            || self.nodes_over(right, first + middle, depth + 1, &right_centres),
        );
        let mut nodes = Vec::with_capacity(1 + left_nodes.len() + right_nodes.len());
        // Links are relative, so lists can be moved behind each other as they are.
        nodes.push(around.node(1 + left_nodes.len() as u32, 0));
        nodes.append(&mut left_nodes);
        nodes.append(&mut right_nodes);
        nodes
    }

    /// Appends the nodes over `items`, which lie at `first` in the order.
    fn append(self, items: &mut [Node], first: usize, depth: usize, centres: &Bounds, nodes: &mut Vec<Node>) {
        let around = Bounds::around(items);
        let few = if (2..=LEAF_ITEMS).contains(&items.len()) {
            // Few items are better in two leaves than in one only where that is the cheaper.
            let worth = ITEM_PRICE * items.len() as Real;
            split::surface_area(items, around.area(), centres).filter(|cut| cut.price < worth)
        } else {
            None
        };
        if items.len() <= LEAF_ITEMS && few.is_none() {
            nodes.push(around.node(first as u32, items.len() as u32));
            return;
        }
        let (middle, left_centres, right_centres) = match few {
            Some(cut) if self.rule == SplitRule::SurfaceArea && depth < CHOSEN_DEPTH => partition(items, &cut),
            _ => self.divide(items, depth, &around, centres),
        };
        let here = nodes.len();
        nodes.push(around.node(0, 0));
        let (left, right) = items.split_at_mut(middle);
        self.append(left, first, depth + 1, &left_centres, nodes);
        nodes[here].link = (nodes.len() - here) as u32;
        self.append(right, first + middle, depth + 1, &right_centres, nodes);
    }

    /// Reorders the items and answers how many go left, with the bounds of both halves' centres.
    fn divide(self, items: &mut [Node], depth: usize, around: &Bounds, centres: &Bounds) -> (usize, Bounds, Bounds) {
        let cut = if depth >= CHOSEN_DEPTH {
            None
        } else {
            match self.rule {
                SplitRule::SurfaceArea => split::surface_area(items, around.area(), centres),
                SplitRule::CubeLike => split::cube_like(items, around),
                SplitRule::HullCovariance => split::hull_covariance(items, self.mesh),
            }
        };
        match cut {
            Some(cut) => partition(items, &cut),
            None => halve(items, centres),
        }
    }
}

/// Moves the items that go left to the front.
fn partition(items: &mut [Node], cut: &Cut) -> (usize, Bounds, Bounds) {
    let (mut left, mut left_centres, mut right_centres) = (0, Bounds::EMPTY, Bounds::EMPTY);
    for i in 0..items.len() {
        let centre = centre(&items[i]);
        if cut.goes_left(&centre) {
            left_centres.grow(&centre);
            items.swap(left, i);
            left += 1;
        } else {
            right_centres.grow(&centre);
        }
    }
    (left, left_centres, right_centres)
}

/// Halves of equal count along the longest axis, equal places by number.
fn halve(items: &mut [Node], centres: &Bounds) -> (usize, Bounds, Bounds) {
    let axis = centres.longest_axis();
    let middle = items.len() / 2;
    items.sort_unstable_by(|a, b| centre(a)[axis].total_cmp(&centre(b)[axis]).then(a.link.cmp(&b.link)));
    (middle, Bounds::of_centres(&items[..middle]), Bounds::of_centres(&items[middle..]))
}

/// The middle of an item's box. Halved first, so that the sum cannot overflow.
#[inline]
pub(super) fn centre(item: &Node) -> [f32; 3] {
    std::array::from_fn(|k| 0.5 * item.min[k] + 0.5 * item.max[k])
}

/// A box of `f32`. The fourth number is never read: it fills the vector registers.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    min: [f32; 4],
    max: [f32; 4],
}

impl Bounds {
    pub(super) const EMPTY: Self = Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4] };

    fn around(items: &[Node]) -> Self {
        let mut bounds = Self::EMPTY;
        items.iter().for_each(|item| bounds.merge_item(item));
        bounds
    }

    pub(super) fn of_centres(items: &[Node]) -> Self {
        let mut bounds = Self::EMPTY;
        items.iter().for_each(|item| bounds.grow(&centre(item)));
        bounds
    }

    #[inline]
    pub(super) fn merge_item(&mut self, item: &Node) {
        let ([a, b, c], [d, e, f]) = (item.min, item.max);
        self.merge(&Self { min: [a, b, c, 0.0], max: [d, e, f, 0.0] });
    }

    #[inline]
    fn grow(&mut self, [x, y, z]: &[f32; 3]) {
        let p = [*x, *y, *z, 0.0];
        self.merge(&Self { min: p, max: p });
    }

    #[inline]
    pub(super) fn merge(&mut self, other: &Self) {
        for k in 0..4 {
            // Not `f32::min`: items have no NaN, and a plain comparison is one instruction.
            self.min[k] = if other.min[k] < self.min[k] { other.min[k] } else { self.min[k] };
            self.max[k] = if other.max[k] > self.max[k] { other.max[k] } else { self.max[k] };
        }
    }

    pub(super) fn min(&self) -> [f32; 3] {
        [self.min[0], self.min[1], self.min[2]]
    }

    pub(super) fn extents(&self) -> [f32; 3] {
        std::array::from_fn(|k| self.max[k] - self.min[k])
    }

    pub(super) fn longest_axis(&self) -> usize {
        let [x, y, z] = self.extents();
        if x >= y && x >= z {
            0
        } else if y >= z {
            1
        } else {
            2
        }
    }

    /// The middle along `axis`.
    pub(super) fn middle(&self, axis: usize) -> f32 {
        0.5 * self.min[axis] + 0.5 * self.max[axis]
    }

    /// Half the surface area.
    #[inline]
    pub(super) fn area(&self) -> Real {
        let [x, y, z] = std::array::from_fn(|k| Real::from(self.max[k]) - Real::from(self.min[k]));
        if x < 0.0 { 0.0 } else { x * y + y * z + z * x }
    }

    fn node(&self, link: u32, count: u32) -> Node {
        let max = [self.max[0], self.max[1], self.max[2]];
        Node { min: self.min(), link, max, count }
    }
}
