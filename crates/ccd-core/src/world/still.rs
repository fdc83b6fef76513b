//! Where the bodies at rest are: a tree over their boxes that is kept from step to step.
//!
//! **Problem.** A few things move among thousands that sleep. A tree over all of them in every step costs far more than what moves.
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
            *self.still = Still { threshold, ..Still::default() };
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
            // It rests where its body is.
            let (id, pose) = (self.ids[k as usize], self.courses[k as usize].motion.start);
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
        self.in_tree[k as usize] && !self.is_led(k)
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use super::*;
    use crate::detection::broad;
    use crate::dynamics::{BodyDefinition, BodyKind};
    use crate::shape::Shape;
    use crate::world::sweeps::Sweeps;
    use crate::world::{InitialOverlap, WorldSettings};

    const DT: Real = 1.0 / 60.0;
    const SIDE: u32 = 15;

    fn cube(at: [Real; 3]) -> BodyDefinition {
        let pose = Pose::translation(at[0], at[1], at[2]);
        BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([0.2; 3]).unwrap(), pose)
    }

    /// Cubes in rows on the ground, and balls that bounce among them.
    fn field() -> (World, Vec<BodyId>) {
        let settings = WorldSettings { initial_overlap: InitialOverlap::Separate, ..WorldSettings::default() };
        let mut world = World::new(settings).unwrap();
        let ground = Shape::half_space(crate::math::Vector::y()).unwrap();
        world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
        let at = |k: u32| [0.6 * Real::from(k % SIDE), 0.2001, 0.6 * Real::from(k / SIDE)];
        let cubes = (0..SIDE * SIDE).map(|k| world.add_body(cube(at(k))).unwrap()).collect();
        for k in 0..24 {
            let [x, _, z] = at(9 * k + 4);
            let pose = Pose::translation(x + 0.3, 1.0 + 0.1 * Real::from(k % 7), z + 0.3);
            let mut ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.08).unwrap(), pose);
            ball.material.restitution = 1.0;
            ball.linear_velocity = [0.5, 0.0, -0.3].into();
            world.add_body(ball).unwrap();
        }
        (world, cubes)
    }

    #[test]
    fn pairs_are_those_of_all_bodies_whoever_comes_goes_is_moved_or_falls_asleep() {
        let (mut world, mut cubes) = field();
        let mut kept = 0;
        for step in 0..240_usize {
            let k = (7 * step) % cubes.len();
            match step % 12 {
                3 => drop(world.remove_body(cubes.swap_remove(k))),
                // In the slot of the one before, and perhaps where another was.
                5 => cubes.push(world.add_body(cube([0.6 * (step % 15) as Real, 0.2001 + 0.5, -1.0])).unwrap()),
                7 => {
                    let pose = Pose::translation(0.6 * (step % 13) as Real, 1.5, 9.6);
                    assert!(world.set_pose(cubes[k], pose).unwrap());
                }
                9 => world.wake(cubes[k]),
                _ => (),
            }
            let mut stepping = Stepping::predict(&world, DT);
            stepping.still = world.still.clone();
            stepping.find_candidates(&world);
            let boxes: Vec<Aabb> = stepping.courses.iter().map(|course| course.swept).collect();
            let fresh = |k: u32| {
                let mut stepping = stepping.clone();
                stepping.update_swept(&world, k, 0.0);
                stepping.courses[k as usize].swept
            };
            assert!((0..boxes.len() as u32).step_by(5).all(|k| fresh(k) == boxes[k as usize]), "step {step}");
            let rests = |k: u32| stepping.resting[k as usize];
            let meets = |a: u32, b: u32| !(rests(a) && rests(b)) && stepping.may_touch(&world, a, b);
            assert_eq!(stepping.candidates, broad::brute::find_pairs(&boxes, meets), "step {step}");
            // Who has moved within the step is where it is then, and no longer where it rested.
            let (mut sweeps, moved) = (Sweeps::new(&stepping), [3, 40, 41, 200]);
            for k in moved {
                stepping.courses[k as usize].version += 1;
                stepping.courses[k as usize].swept = boxes[k as usize].inflated(1.0);
                sweeps.update(&stepping, k);
            }
            for k in (0..boxes.len() as u32).step_by(17).chain(moved) {
                let mut found = Vec::new();
                sweeps.query(&stepping, k, |other| found.push(other));
                found.sort_unstable();
                let overlaps = |other: &u32| {
                    let of = |k: u32| &stepping.courses[k as usize].swept;
                    *other != k && of(k).overlaps(of(*other))
                };
                let expected: Vec<u32> = (0..boxes.len() as u32).filter(overlaps).collect();
                assert_eq!(found, expected, "step {step}, body {k}");
            }
            kept += usize::from(stepping.in_tree.contains(&true));
            world.step(DT).unwrap();
        }
        assert!(kept > 100, "the tree was of use in {kept} steps");
    }
}
