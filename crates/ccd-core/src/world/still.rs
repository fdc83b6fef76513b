//! Where the bodies at rest are: a tree over their boxes that is kept from step to step.
//!
//! **Problem.** A few things move among thousands that sleep. A tree over all of them in every step costs a hundred times what they do.
//!
//! **Idea.** What rests has the box that it had in the step before. So those boxes are remembered, and stand in a tree that is built again only when an
//! eighth of what rests is not in it. What moves is looked up in it; what rests and is not in it yet is looked at like what moves.
//!
//! **Guarantee.** An entry holds only for the very pose that it was made for, and whoever is found in the tree is asked whether its box is still that one: the
//! pairs are those of a tree over everything.
//!
//! **Cost.** O(n) comparisons a step; O(n log n) when the tree is built.

use super::World;
use super::stepping::Stepping;
use crate::detection::broad::tree::BoxTree;
use crate::id::BodyId;
use crate::math::{Pose, Real};
use crate::volume::Aabb;

/// Of fewer bodies a tree is built as fast as it is kept.
const FEW: usize = 160;
/// The tree is of use where at least this share of all bodies rests in it.
const WORTH_IT: Real = 0.5;
/// It is built again when more than this share of what rests is not in it, and more than [`LOOSE`].
const MISSING: Real = 0.125;
const LOOSE: usize = 32;

/// What is known of a body that rests.
#[derive(Clone, Copy, Debug)]
struct Entry {
    id: BodyId,
    pose: Pose,
    swept: Aabb,
    /// Whether the tree has this box.
    is_placed: bool,
}

/// The boxes of bodies at rest.
#[derive(Clone, Debug, Default)]
pub(super) struct Still {
    /// The contact threshold that the boxes were made for, metres.
    threshold: Real,
    /// By slots.
    entries: Vec<Option<Entry>>,
    tree: BoxTree,
    /// The bodies in the tree.
    placed: Vec<BodyId>,
}

impl Still {
    /// The box of a body that rests at a pose, if it did so before.
    fn box_of(&self, id: BodyId, pose: &Pose) -> Option<&Entry> {
        let entry = self.entries.get(id.index as usize)?.as_ref();
        entry.filter(|entry| entry.id == id && entry.pose == *pose)
    }

    fn remember(&mut self, entry: Entry) {
        let slot = entry.id.index as usize;
        if self.entries.len() <= slot {
            self.entries.resize(slot + 1, None);
        }
        self.entries[slot] = Some(entry);
    }

    /// Builds the tree over those of these bodies that are known.
    fn build(&mut self, bodies: impl Iterator<Item = BodyId>) {
        self.entries.iter_mut().flatten().for_each(|entry| entry.is_placed = false);
        self.placed.clear();
        let mut boxes = Vec::new();
        for id in bodies {
            if let Some(Some(entry)) = self.entries.get_mut(id.index as usize) {
                entry.is_placed = true;
                boxes.push(entry.swept);
                self.placed.push(id);
            }
        }
        self.tree = BoxTree::over(&boxes);
    }

    /// Calls `visit` with every body of the tree whose box there overlaps `aabb`; it may be elsewhere by now, or gone.
    pub fn query(&self, aabb: &Aabb, mut visit: impl FnMut(BodyId)) {
        self.tree.query(aabb, |place| visit(self.placed[place as usize]));
    }
}

impl Stepping {
    /// Sets the volumes that all bodies cover, those of what rests from what is known of them; and finds out who is in the tree of what rests.
    pub(super) fn place_all(&mut self, world: &World) {
        let threshold = world.in_force.contact_threshold;
        if self.still.threshold != threshold {
            self.still = Box::new(Still { threshold, ..Still::default() });
        }
        let count = self.courses.len();
        self.in_tree = vec![false; count];
        let (mut at_rest, mut missing) = (0, 0);
        for k in 0..count as u32 {
            if !self.resting[k as usize] {
                self.update_swept(world, k, 0.0);
                continue;
            }
            at_rest += 1;
            let (id, pose) = (self.ids[k as usize], *self.body(world, k).pose());
            if let Some(entry) = self.still.box_of(id, &pose) {
                (self.courses[k as usize].swept, self.in_tree[k as usize]) = (entry.swept, entry.is_placed);
            } else {
                self.update_swept(world, k, 0.0);
                let swept = self.courses[k as usize].swept;
                self.still.remember(Entry { id, pose, swept, is_placed: false });
            }
            missing += usize::from(!self.in_tree[k as usize]);
        }
        let is_worth_it = count > FEW && at_rest as Real >= WORTH_IT * count as Real;
        if is_worth_it && missing > LOOSE && missing as Real > MISSING * at_rest as Real {
            self.still.build((0..count).filter(|&k| self.resting[k]).map(|k| self.ids[k]));
            self.in_tree.clone_from(&self.resting);
        }
        let placed = self.in_tree.iter().filter(|placed| **placed).count();
        if (placed as Real) < WORTH_IT * count as Real || count <= FEW {
            self.in_tree.fill(false);
        }
    }

    /// Whether the body rests where the tree of what rests has it.
    pub(super) fn is_in_tree(&self, k: u32) -> bool {
        self.in_tree[k as usize] && self.courses[k as usize].version == 0
    }

    /// Calls `visit` with the number of every body that rests where the tree of what rests has it and whose box overlaps `aabb`.
    pub(super) fn query_still(&self, aabb: &Aabb, mut visit: impl FnMut(u32)) {
        self.still.query(aabb, |id| {
            if let Some(k) = self.number_of(id).filter(|&k| self.is_in_tree(k)) {
                visit(k);
            }
        });
    }
}
