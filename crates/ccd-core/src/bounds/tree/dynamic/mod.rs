//! A tree of boxes that come, go and move.
//!
//! Problem: bodies move a little every step; rebuilding a tree for them every time throws the work away. Idea: leaves
//! hold *fat* boxes, so that most moves change nothing; a leaf that leaves its fat box is taken out and put in again
//! where it adds the least surface, and rotations on the way up keep the tree good. Guarantee: a query reports every
//! leaf whose box overlaps (and some whose fat box does). Limits: unbounded boxes are allowed, but each costs a visit to
//! every query. Source: the surface-area heuristic for insertion and rotation of Kopta et al. (2012).

use crate::math::Real;
use crate::volume::Aabb;

const NONE: u32 = u32::MAX;

/// A leaf of a [`DynamicTree`], valid until it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeafId(u32);

#[derive(Clone, Debug)]
struct Node {
    aabb: Aabb,
    parent: u32,
    /// Both [`NONE`] for a leaf.
    children: [u32; 2],
    /// The caller's number of a leaf; the next free node of a free one.
    value: u32,
    live: bool,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// A binary tree of fat boxes with a number on each.
#[derive(Clone, Debug)]
pub struct DynamicTree {
    nodes: Vec<Node>,
    root: u32,
    free: u32,
    len: usize,
    margin: Real,
}

/// The area that the heuristic compares: like [`Aabb::area`], but a number for unbounded boxes too.
#[inline]
fn cost(aabb: &Aabb) -> Real {
    const UNBOUNDED: Real = 1e100;
    let d = (aabb.max - aabb.min).map(|side| side.min(UNBOUNDED));
    d.x * d.y + d.y * d.z + d.z * d.x
}

impl DynamicTree {
    /// An empty tree whose fat boxes are `margin` metres larger than asked, on every side; zero is allowed.
    pub fn new(margin: Real) -> Self {
        Self { nodes: Vec::new(), root: NONE, free: NONE, len: 0, margin: if margin > 0.0 { margin } else { 0.0 } }
    }

    /// How many leaves there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no leaf.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A box around all leaves; empty for none.
    pub fn aabb(&self) -> Aabb {
        self.nodes.get(self.root as usize).map_or(Aabb::EMPTY, |n| n.aabb)
    }

    /// Adds a leaf with the caller's number `value`. Cost: O(height).
    pub fn insert(&mut self, aabb: &Aabb, value: u32) -> LeafId {
        let leaf = self.new_node(Node {
            aabb: aabb.inflated(self.margin),
            parent: NONE,
            children: [NONE; 2],
            value,
            live: true,
        });
        self.link(leaf);
        self.len += 1;
        LeafId(leaf)
    }

    /// Takes a leaf out and returns its number; `None` if it is no leaf of this tree.
    pub fn remove(&mut self, leaf: LeafId) -> Option<u32> {
        self.leaf(leaf)?;
        self.unlink(leaf.0);
        let node = &mut self.nodes[leaf.0 as usize];
        let value = std::mem::replace(&mut node.value, self.free);
        node.live = false;
        self.free = leaf.0;
        self.len -= 1;
        Some(value)
    }

    /// Gives a leaf a new box. Returns whether the tree changed: not while the leaf's fat box holds the new one and is not
    /// much too large for it. A leaf that is none changes nothing.
    pub fn update(&mut self, leaf: LeafId, aabb: &Aabb) -> bool {
        let Some(node) = self.leaf(leaf) else { return false };
        let fat = aabb.inflated(self.margin);
        if node.aabb.contains(aabb) && aabb.inflated(4.0 * self.margin).contains(&node.aabb) {
            return false;
        }
        self.unlink(leaf.0);
        self.nodes[leaf.0 as usize].aabb = fat;
        self.link(leaf.0);
        true
    }

    /// Calls `visit` with the number of every leaf whose fat box overlaps `aabb`. Cost: O(log n + found) for small boxes.
    pub fn query(&self, aabb: &Aabb, mut visit: impl FnMut(u32)) {
        let mut stack = vec![self.root];
        while let Some(node) = stack.pop().and_then(|i| self.nodes.get(i as usize)) {
            if !node.aabb.overlaps(aabb) {
                continue;
            }
            if node.is_leaf() {
                visit(node.value);
            } else {
                stack.extend(node.children);
            }
        }
    }

    /// Calls `visit` once with the numbers of every two leaves whose fat boxes overlap, in an order that only depends on
    /// the history of the tree.
    pub fn for_each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        if self.root == NONE {
            return;
        }
        // A node with itself stands for all pairs within it.
        let mut stack = vec![(self.root, self.root)];
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&self.nodes[i as usize], &self.nodes[j as usize]);
            if i == j {
                if !a.is_leaf() {
                    let [l, r] = a.children;
                    stack.extend([(r, r), (l, l), (l, r)]);
                }
            } else if a.aabb.overlaps(&b.aabb) {
                match (a.is_leaf(), b.is_leaf()) {
                    (true, true) => visit(a.value, b.value),
                    (false, true) => stack.extend(a.children.map(|c| (c, j))),
                    (true, false) => stack.extend(b.children.map(|c| (i, c))),
                    (false, false) if cost(&a.aabb) > cost(&b.aabb) => stack.extend(a.children.map(|c| (c, j))),
                    (false, false) => stack.extend(b.children.map(|c| (i, c))),
                }
            }
        }
    }

    /// The numbers of every two leaves whose fat boxes overlap: the smaller first, ascending.
    pub fn overlapping_pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        self.for_each_pair(|a, b| pairs.push((a.min(b), a.max(b))));
        pairs.sort_unstable();
        pairs
    }

    /// The longest way from the root to a leaf, in edges.
    pub fn height(&self) -> usize {
        let mut highest = 0;
        let mut stack = vec![(self.root, 0)];
        while let Some((i, depth)) = stack.pop() {
            if let Some(node) = self.nodes.get(i as usize) {
                highest = highest.max(depth);
                stack.extend(node.children.map(|c| (c, depth + 1)));
            }
        }
        highest
    }

    fn leaf(&self, leaf: LeafId) -> Option<&Node> {
        self.nodes.get(leaf.0 as usize).filter(|n| n.live && n.is_leaf())
    }

    fn new_node(&mut self, node: Node) -> u32 {
        if self.free == NONE {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        } else {
            let at = self.free;
            self.free = self.nodes[at as usize].value;
            self.nodes[at as usize] = node;
            at
        }
    }

    /// Puts an unlinked leaf where it adds the least area.
    fn link(&mut self, leaf: u32) {
        if self.root == NONE {
            self.nodes[leaf as usize].parent = NONE;
            self.root = leaf;
            return;
        }
        let aabb = self.nodes[leaf as usize].aabb;
        let sibling = self.best_sibling(&aabb);
        let old_parent = self.nodes[sibling as usize].parent;
        let parent = self.new_node(Node {
            aabb: aabb.merged(&self.nodes[sibling as usize].aabb),
            parent: old_parent,
            children: [sibling, leaf],
            value: 0,
            live: true,
        });
        self.replace_child(old_parent, sibling, parent);
        self.nodes[sibling as usize].parent = parent;
        self.nodes[leaf as usize].parent = parent;
        self.refit_from(old_parent);
    }

    fn unlink(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Node { children: [a, b], parent: grandparent, .. } = self.nodes[parent as usize];
        let sibling = if a == leaf { b } else { a };
        self.replace_child(grandparent, parent, sibling);
        self.nodes[sibling as usize].parent = grandparent;
        let freed = &mut self.nodes[parent as usize];
        (freed.live, freed.value, freed.children) = (false, self.free, [NONE; 2]);
        self.free = parent;
        self.refit_from(grandparent);
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
        } else {
            for child in &mut self.nodes[parent as usize].children {
                if *child == old {
                    *child = new;
                }
            }
        }
    }

    /// Walks down to the node beside which a new leaf adds the least area, ancestors included.
    fn best_sibling(&self, aabb: &Aabb) -> u32 {
        let grown = |i: u32| cost(&self.nodes[i as usize].aabb.merged(aabb));
        let mut at = self.root;
        let (mut best, mut best_cost) = (at, grown(at));
        // What the ancestors grow by whatever is chosen below.
        let mut inherited = 0.0;
        loop {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                return best;
            }
            inherited += grown(at) - cost(&node.aabb);
            let [a, b] = node.children.map(|child| {
                let direct = grown(child) + inherited;
                let below = &self.nodes[child as usize];
                // The least that going on into the child can cost: the new leaf alone, and the child's own growth.
                let bound = if below.is_leaf() { direct } else { direct - cost(&below.aabb) + cost(aabb) };
                (direct, bound, child)
            });
            for (direct, _, child) in [a, b] {
                if direct < best_cost {
                    (best, best_cost) = (child, direct);
                }
            }
            let next = if a.1 <= b.1 { a } else { b };
            if next.1 >= best_cost && next.2 != best {
                return best;
            }
            at = next.2;
        }
    }

    /// Recomputes the boxes from `node` up, turning each node so that its children's area is least.
    fn refit_from(&mut self, node: u32) {
        let mut at = node;
        while at != NONE {
            let [a, b] = self.nodes[at as usize].children;
            self.nodes[at as usize].aabb = self.nodes[a as usize].aabb.merged(&self.nodes[b as usize].aabb);
            self.rotate(at);
            at = self.nodes[at as usize].parent;
        }
    }

    /// Swaps a child of `at` with a grandchild on the other side, if that makes the other child smaller.
    fn rotate(&mut self, at: u32) {
        let children = self.nodes[at as usize].children;
        let mut best: Option<(Real, [u32; 3], Aabb)> = None;
        for (child, other) in [(children[0], children[1]), (children[1], children[0])] {
            let other_node = &self.nodes[other as usize];
            if other_node.is_leaf() {
                continue;
            }
            let before = cost(&other_node.aabb);
            let [x, y] = other_node.children;
            for (goes_up, stays) in [(x, y), (y, x)] {
                let aabb = self.nodes[child as usize].aabb.merged(&self.nodes[stays as usize].aabb);
                let gain = before - cost(&aabb);
                if gain > best.as_ref().map_or(0.0, |b| b.0) {
                    best = Some((gain, [child, other, goes_up], aabb));
                }
            }
        }
        if let Some((_, [child, other, goes_up], aabb)) = best {
            self.replace_child(at, child, goes_up);
            self.replace_child(other, goes_up, child);
            self.nodes[goes_up as usize].parent = at;
            self.nodes[child as usize].parent = other;
            self.nodes[other as usize].aabb = aabb;
        }
    }
}

#[cfg(test)]
mod tests;
