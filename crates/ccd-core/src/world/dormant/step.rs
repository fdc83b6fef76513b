//! What a step takes back of what is set aside.

use std::sync::Arc;

use crate::id::PairKey;
use crate::world::World;
use crate::world::contacts::PairContacts;
use crate::world::stepping::{Pair, Stepping};

impl Stepping {
    /// Takes down who is in an island that is set aside, if all of it still lies there.
    pub(in crate::world) fn find_dormant(&mut self, world: &World, lies: &[bool]) {
        self.taken_back = world.dormant.taken_back();
        self.dormant = self.ids.iter().map(|id| world.dormant.island_of(*id).is_some()).collect();
        for k in 0..lies.len() as u32 {
            if !lies[k as usize] {
                self.rouse(world, k);
            }
        }
    }

    /// Takes islands back that something may come near, or that lie on something that no longer rests.
    pub(in crate::world) fn rouse_who_may_be_met(&mut self, world: &World) {
        if world.dormant.contacts().is_empty() {
            return;
        }
        let is_other_search = !world.dormant.are_found_by(&world.in_force.contact_search());
        for k in 0..self.ids.len() as u32 {
            if is_other_search {
                self.rouse(world, k);
            } else if !self.resting[k as usize] {
                // What it ceases to meet is no candidate, and has lost a contact all the same.
                for other in world.dormant.neighbours_of(self.ids[k as usize]) {
                    if let Some(other) = self.number_of(other) {
                        self.rouse(world, other);
                    }
                }
            }
        }
        let near: Vec<Pair> = self.candidates.iter().filter(|&pair| !self.is_sensor_pair(pair)).collect();
        for k in near.into_iter().flat_map(|(a, b)| [a, b]) {
            self.rouse(world, k);
        }
    }

    /// Takes the island of a body back, if it is set aside. Returns which it was.
    fn rouse(&mut self, world: &World, k: u32) -> Option<u32> {
        if !self.dormant[k as usize] {
            return None;
        }
        let island = world.dormant.island_of(self.ids[k as usize])?;
        for id in world.dormant.bodies_of(island) {
            if let Some(other) = self.number_of(*id) {
                self.dormant[other as usize] = false;
            }
        }
        self.roused.push(island);
        Some(island)
    }

    /// The same while impacts are met: the pairs that have contacts again, ascending.
    pub(in crate::world) fn rouse_met(&mut self, world: &World, pair: Pair) -> Vec<Pair> {
        if self.is_sensor_pair(pair) {
            return Vec::new();
        }
        let mut back = Vec::new();
        for k in [pair.0, pair.1] {
            for (key, contacts) in self.rouse(world, k).into_iter().flat_map(|island| world.dormant.contacts_of(island))
            {
                let pair = self.pair_of(&key);
                self.close.insert(pair, Arc::clone(contacts));
                back.push(pair);
            }
        }
        back
    }

    /// Takes note of what the world has taken back since the step began, for the caller has changed it between two stages.
    pub(in crate::world) fn catch_up(&mut self, world: &World) {
        if self.taken_back == world.dormant.taken_back() {
            return;
        }
        self.taken_back = world.dormant.taken_back();
        let is_changed = |k: u32| self.dormant[k as usize] && world.dormant.island_of(self.ids[k as usize]).is_none();
        let changed: Vec<bool> = (0..self.ids.len() as u32).map(is_changed).collect();
        for (pair, contacts) in &world.contacts {
            let (a, b) = self.pair_of(pair);
            if changed[a as usize] || changed[b as usize] {
                self.close.entry((a, b)).or_insert_with(|| Arc::clone(contacts));
            }
        }
        for (dormant, changed) in self.dormant.iter_mut().zip(changed) {
            *dormant &= !changed;
        }
    }

    /// The contacts that the world knows of all that is not set aside.
    pub(in crate::world) fn known_to<'w>(
        &'w self,
        world: &'w World,
    ) -> impl Iterator<Item = (PairKey, &'w Arc<PairContacts>)> + 'w {
        let loose = world.contacts.iter().map(|(pair, contacts)| (*pair, contacts));
        loose.chain(self.roused.iter().flat_map(|&island| world.dormant.contacts_of(island)))
    }
}
