//! The broad phase by trees of boxes.

use super::{BroadPhase, CandidatePairs, MeetFilter};
use crate::bounds::tree::{DynamicTree, LeafId};
use crate::math::Real;
use crate::volume::Aabb;

/// Up to this many boxes testing all pairs is the fastest.
const FEW: usize = 12;
/// Up to this many, sweeping over them.
const SOME: usize = 160;

/// Boxes per leaf: a pair of leaves is tested box by box.
const LEAF: usize = 4;

/// The pairs of boxes that overlap and that `meets` lets meet: the answer of [`super::brute::find_pairs`], bit by bit.
///
/// Builds a tree by halving along the longest spread of the centres, and walks it against itself. O(n log n + found). A few
/// boxes are tested one by one or swept over, which gives the same.
pub fn find_pairs(boxes: &[Aabb], meets: impl Fn(u32, u32) -> bool) -> CandidatePairs {
    if boxes.len() <= FEW {
        super::brute::find_pairs(boxes, meets)
    } else if boxes.len() <= SOME {
        super::sweep::find_pairs(boxes, meets)
    } else {
        find_pairs_by_tree(boxes, meets)
    }
}

fn find_pairs_by_tree(boxes: &[Aabb], meets: impl Fn(u32, u32) -> bool) -> CandidatePairs {
    let tree = BoxTree::over(boxes);
    let mut pairs = Vec::new();
    tree.walk(&mut |(a, i), (b, j)| {
        if a.overlaps(b) && meets(*i.min(j), *i.max(j)) {
            pairs.push((*i, *j));
        }
    });
    CandidatePairs::new(pairs)
}

/// A tree over boxes, halved along the longest spread of their centres. O(n log n) to build.
///
/// Boxes may change: the nodes above grow with them, and never shrink. It stays good while boxes stay near where they were.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    nodes: Vec<Node>,
    /// The boxes with their numbers, in the order of the leaves: those of a leaf are read together. The last ones, from
    /// `bounded` on, are of no leaf: an unbounded box would make every node above it unbounded.
    placed: Vec<(Aabb, u32)>,
    bounded: usize,
    /// For each box where it stands among those, and its leaf.
    places: Vec<(u32, Option<u32>)>,
}

/// A node over `placed[start..end]`, and the next one that is not below it.
#[derive(Clone, Debug)]
struct Node {
    aabb: Aabb,
    start: u32,
    end: u32,
    next: u32,
    parent: Option<u32>,
}

impl Node {
    fn is_leaf(&self) -> bool {
        (self.end - self.start) as usize <= LEAF
    }
}

impl BoxTree {
    /// The tree over these boxes.
    pub fn over(boxes: &[Aabb]) -> Self {
        let is_bounded = |b: &Aabb| (b.max - b.min).iter().all(|side| side.is_finite());
        let (mut order, unbounded): (Vec<u32>, Vec<u32>) =
            (0..boxes.len() as u32).partition(|&i| is_bounded(&boxes[i as usize]));
        let bounded = order.len();
        let mut nodes = Vec::with_capacity(2 * bounded.div_ceil(LEAF));
        if bounded > 0 {
            build(boxes, &mut order, 0, None, &mut nodes);
        }
        order.extend(unbounded);
        let mut places = vec![(0, None); boxes.len()];
        for (&i, at) in order.iter().zip(0..) {
            places[i as usize].0 = at;
        }
        for (node, leaf) in nodes.iter().zip(0..).filter(|(node, _)| node.is_leaf()) {
            order[node.start as usize..node.end as usize].iter().for_each(|&i| places[i as usize].1 = Some(leaf));
        }
        Self { nodes, placed: order.iter().map(|&i| (boxes[i as usize], i)).collect(), bounded, places }
    }

    /// Box number `index` is another one now. Cost: O(height), and nothing above the first node that holds it.
    ///
    /// # Panics
    /// When there is no such box.
    pub fn update(&mut self, index: u32, aabb: &Aabb) {
        let (at, mut above) = self.places[index as usize];
        self.placed[at as usize].0 = *aabb;
        while let Some(node) = above.map(|above| &mut self.nodes[above as usize]) {
            if node.aabb.contains(aabb) {
                break;
            }
            node.aabb = node.aabb.merged(aabb);
            above = node.parent;
        }
    }

    /// Calls `visit` once with the number of every box that overlaps `aabb` (touching counts), in no particular order. Cost:
    /// O(log n + found) for small boxes.
    pub fn query(&self, aabb: &Aabb, mut visit: impl FnMut(u32)) {
        let mut visit_those = |members: &[(Aabb, u32)]| {
            members.iter().filter(|(own, _)| own.overlaps(aabb)).for_each(|(_, i)| visit(*i));
        };
        visit_those(&self.placed[self.bounded..]);
        // In the order of the nodes, passing over what is below those that are apart from it.
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            let meets = node.aabb.overlaps(aabb);
            if meets && node.is_leaf() {
                visit_those(self.members(node));
            }
            index = if meets { index + 1 } else { node.next as usize };
        }
    }

    fn members(&self, node: &Node) -> &[(Aabb, u32)] {
        &self.placed[node.start as usize..node.end as usize]
    }

    /// Tests the members of every two leaves that overlap, and those that are of no leaf against all.
    fn walk(&self, test: &mut impl FnMut(&(Aabb, u32), &(Aabb, u32))) {
        for k in self.bounded..self.placed.len() {
            self.placed[..k].iter().for_each(|other| test(&self.placed[k], other));
        }
        let nodes = &self.nodes;
        let members = |n: &Node| self.members(n);
        let children = |i: u32| [i + 1, nodes[i as usize + 1].next];
        let mut stack: Vec<(u32, u32)> = if nodes.is_empty() { Vec::new() } else { vec![(0, 0)] };
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&nodes[i as usize], &nodes[j as usize]);
            if i == j {
                if a.is_leaf() {
                    let inside = members(a);
                    for (k, x) in inside.iter().enumerate() {
                        inside[..k].iter().for_each(|y| test(x, y));
                    }
                } else {
                    let [l, r] = children(i);
                    stack.extend([(l, l), (r, r), (l, r)]);
                }
            } else if a.aabb.overlaps(&b.aabb) {
                if a.is_leaf() && b.is_leaf() {
                    for x in members(a).iter().filter(|(x, _)| x.overlaps(&b.aabb)) {
                        members(b).iter().for_each(|y| test(x, y));
                    }
                } else if b.is_leaf() || (!a.is_leaf() && a.end - a.start >= b.end - b.start) {
                    stack.extend(children(i).map(|c| (c, j)));
                } else {
                    stack.extend(children(j).map(|c| (i, c)));
                }
            }
        }
    }
}

/// Appends the tree over `order`, whose first element has the place `start` of the whole, below `parent`.
fn build(boxes: &[Aabb], order: &mut [u32], start: u32, parent: Option<u32>, nodes: &mut Vec<Node>) {
    let at = nodes.len();
    let end = start + order.len() as u32;
    let of = |i: &u32| &boxes[*i as usize];
    let aabb = order.iter().map(of).fold(Aabb::EMPTY, |all, b| all.merged(b));
    nodes.push(Node { aabb, start, end, next: at as u32 + 1, parent });
    if order.len() <= LEAF {
        return;
    }
    let twice_centre = |i: &u32| of(i).min.coords + of(i).max.coords;
    let (low, high) = order
        .iter()
        .map(twice_centre)
        .fold((twice_centre(&order[0]), twice_centre(&order[0])), |(low, high), c| (low.inf(&c), high.sup(&c)));
    let axis = (high - low).imax();
    let middle = order.len() / 2;
    // Ties by number, so that the halves are the same on every run.
    order.select_nth_unstable_by(middle, |i, j| twice_centre(i)[axis].total_cmp(&twice_centre(j)[axis]).then(i.cmp(j)));
    let (left, right) = order.split_at_mut(middle);
    build(boxes, left, start, Some(at as u32), nodes);
    build(boxes, right, start + middle as u32, Some(at as u32), nodes);
    nodes[at].next = nodes.len() as u32;
}

/// A broad phase that keeps its tree from call to call: boxes that moved little cost nothing to update.
///
/// Best where boxes of like size stay within `margin` between calls: up to three times as fast as [`find_pairs`]. Where most leave
/// their margin, or sizes differ much, it is up to three times slower, and in a heap at rest hardly faster (numbers in
/// `docs/hierarchies.md`). The boxes of a world are swept over what is left of the step and mostly in heaps, so a world
/// builds anew for what moves, and keeps a [`BoxTree`] of what rests.
#[derive(Clone, Debug)]
pub struct KeptTree {
    tree: DynamicTree,
    leaves: Vec<LeafId>,
}

impl KeptTree {
    /// Without boxes yet. `margin` (metres) is how far a box may move before the tree changes.
    pub fn new(margin: Real) -> Self {
        Self { tree: DynamicTree::new(margin), leaves: Vec::new() }
    }
}

impl BroadPhase for KeptTree {
    fn find_pairs(&mut self, boxes: &[Aabb], meets: &MeetFilter) -> CandidatePairs {
        while self.leaves.len() > boxes.len() {
            if let Some(leaf) = self.leaves.pop() {
                self.tree.remove(leaf);
            }
        }
        for (i, aabb) in boxes.iter().enumerate() {
            match self.leaves.get(i) {
                Some(leaf) => {
                    self.tree.update(*leaf, aabb);
                }
                None => self.leaves.push(self.tree.insert(aabb, i as u32)),
            }
        }
        let mut pairs = Vec::new();
        // The fat boxes propose, the given boxes decide: so the answer does not depend on the tree's history.
        self.tree.for_each_pair(|i, j| {
            let (i, j) = (i.min(j), i.max(j));
            if boxes[i as usize].overlaps(&boxes[j as usize]) && meets(i, j) {
                pairs.push((i, j));
            }
        });
        CandidatePairs::new(pairs)
    }
}

/// The tree built anew on every call, for however few boxes, as a [`BroadPhase`].
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltTree;

impl BroadPhase for BuiltTree {
    fn find_pairs(&mut self, boxes: &[Aabb], meets: &MeetFilter) -> CandidatePairs {
        find_pairs_by_tree(boxes, meets)
    }
}
