//! Where the bodies of a world are: a tree over their boxes, which queries walk in their own order.

use super::flight::with_room;
use crate::bounds::tree::{AabbTree, NodeKind};
use crate::detection::queue::{Queue, Ranked};
use crate::dynamics::Body;
use crate::math::Real;
use crate::volume::Aabb;

/// A tree whose boxes have grown in sum to so many times what they were when it was built is built anew.
const GROWN: Real = 1.5;

/// The boxes of the bodies at an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    tree: AabbTree,
    /// The sum of its nodes' areas when it was built, m².
    area: Real,
    /// Of each item of the tree the body's slot and box.
    boxes: Vec<(u32, Aabb)>,
    /// The slots of bodies without bounds.
    unbounded: Vec<u32>,
}

/// What waits to be looked at.
#[derive(Clone, Copy)]
enum Waiting {
    Node(u32),
    Body(u32),
}

impl Ranked for Waiting {
    type Rank = (bool, std::cmp::Reverse<u32>);

    /// Of what is equally near nodes come before bodies, and these in the order of their slots.
    fn rank(&self) -> Self::Rank {
        match *self {
            Self::Node(node) => (true, std::cmp::Reverse(node)),
            Self::Body(slot) => (false, std::cmp::Reverse(slot)),
        }
    }
}

impl Places {
    /// Of bodies with their slots. O(n log n); O(n) where the same bodies have moved little since `former`.
    pub fn of<'w>(bodies: impl Iterator<Item = (u32, &'w Body)>, former: Option<&Self>) -> Self {
        let mut places = Self::default();
        for (slot, body) in bodies {
            if body.shape().is_bounded() {
                let aabb = body.shape().as_solid().local_aabb().transformed(body.pose());
                places.boxes.push((slot, with_room(&aabb)));
            } else {
                places.unbounded.push(slot);
            }
        }
        if !former.is_some_and(|former| places.fit(former)) {
            let boxes: Vec<Aabb> = places.boxes.iter().map(|(_, aabb)| *aabb).collect();
            places.tree = AabbTree::from_boxes(&boxes);
            places.area = places.tree.area();
        }
        places
    }

    /// Takes a former tree over for these boxes, if they are the same bodies' and it is still good.
    fn fit(&mut self, former: &Self) -> bool {
        let slots = |boxes: &[(u32, Aabb)]| boxes.iter().map(|(slot, _)| *slot).collect::<Vec<_>>();
        if former.boxes.len() != self.boxes.len() || slots(&former.boxes) != slots(&self.boxes) {
            return false;
        }
        self.tree = former.tree.clone();
        self.tree.refit(|item| self.boxes[item as usize].1);
        self.area = former.area;
        self.tree.area() <= GROWN * self.area
    }

    /// Calls `ask` with the slots of bodies in the order of the `key` of their boxes, those without bounds first. It answers up to
    /// which key others are still asked for; `None` is no key at all. No box may have a smaller key than one that holds it.
    pub fn in_order<E>(
        &self,
        limit: Real,
        key: impl Fn(&Aabb) -> Option<Real>,
        mut ask: impl FnMut(u32) -> Result<Real, E>,
    ) -> Result<(), E> {
        let mut limit = limit;
        for &slot in &self.unbounded {
            limit = ask(slot)?;
        }
        let mut queue = Queue::new();
        if self.tree.node_count() > 0
            && let Some(due) = key(&self.tree.aabb())
        {
            queue.push(due, Waiting::Node(0));
        }
        while let Some((due, waiting)) = queue.pop() {
            if due > limit {
                break;
            }
            let node = match waiting {
                Waiting::Node(node) => self.tree.node(node),
                Waiting::Body(slot) => {
                    limit = ask(slot)?;
                    continue;
                }
            };
            match node.kind {
                NodeKind::Inner { left, right } => {
                    for child in [left, right] {
                        if let Some(due) = key(&self.tree.node(child).aabb).filter(|due| *due <= limit) {
                            queue.push(due, Waiting::Node(child));
                        }
                    }
                }
                NodeKind::Leaf { first, count } => {
                    for &item in self.tree.items(first, count) {
                        let (slot, aabb) = &self.boxes[item as usize];
                        if let Some(due) = key(aabb).filter(|due| *due <= limit) {
                            queue.push(due, Waiting::Body(*slot));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
