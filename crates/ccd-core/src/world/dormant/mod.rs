//! Dormant islands: what sleeps or stands for good, with its contacts, as long as nobody comes near.
//!
//! **Problem.** A few things move among thousands that sleep. Every step went through all contacts of these to find that they are what they were.
//!
//! **Idea.** Islands that a step has left as they were, to the bit, are set aside, and their contacts kept apart from the others. A step takes an
//! island back when a box that something sweeps reaches one of its bodies, when something of it no longer rests, and before anything is met
//! with it; the world does so when a caller changes one of its bodies.
//!
//! **Guarantee.** The same bits and the same reports as if nothing was ever set aside.
//!
//! **Cost.** Nothing for what is set aside, but for a glance at each body. Setting aside and taking back: O(log n) a pair. What might be set aside is looked
//! for only every [`EVERY`] steps, so that what rolls along a heap that sleeps does not have it taken back and set aside in turn.

mod step;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::World;
use super::contacts::PairContacts;
use super::sleep::REST_TIME;
use super::stepping::{Pair, Stepping};
use crate::contact::ContactSearch;
use crate::dynamics::BodyKind;
use crate::id::{BodyId, PairKey};
use crate::math::Real;

/// Steps from one look for islands that may be set aside to the next.
const EVERY: u32 = 32;

/// An island that is set aside.
#[derive(Clone, Debug)]
struct Aside {
    /// Those of its bodies that can move.
    bodies: Vec<BodyId>,
    /// Ascending.
    pairs: Vec<PairKey>,
    /// How many contact points it has, and how many bodies that sleep.
    points: usize,
    asleep: usize,
    /// Its smallest separation, metres.
    separation: Real,
}

/// The islands that are set aside.
#[derive(Clone, Debug, Default)]
pub(super) struct Dormant {
    islands: Vec<Option<Aside>>,
    vacant: Vec<u32>,
    /// For each slot the island of its body.
    of_slot: Vec<Option<u32>>,
    contacts: BTreeMap<PairKey, Arc<PairContacts>>,
    /// Who has such contacts with whom, both ways.
    links: BTreeSet<(BodyId, BodyId)>,
    /// The search that they were found by.
    search: Option<ContactSearch>,
    points: usize,
    asleep: usize,
    /// How many islands were taken back so far.
    taken_back: u64,
    /// The smallest separation of all, metres, once somebody has asked.
    separation: OnceLock<Real>,
}

impl Dormant {
    /// The contacts of what is set aside.
    pub fn contacts(&self) -> &BTreeMap<PairKey, Arc<PairContacts>> {
        &self.contacts
    }

    /// How many contact points there are among them.
    pub fn points(&self) -> usize {
        self.points
    }

    /// How many of the bodies sleep.
    pub fn asleep(&self) -> usize {
        self.asleep
    }

    /// How many islands were taken back so far.
    pub fn taken_back(&self) -> u64 {
        self.taken_back
    }

    /// The smallest separation, metres; infinite where nothing is set aside.
    pub fn separation(&self) -> Real {
        let of_islands = || self.islands.iter().flatten().map(|island| island.separation);
        *self.separation.get_or_init(|| of_islands().fold(Real::INFINITY, Real::min))
    }

    /// The island of a body, if it is set aside.
    pub fn island_of(&self, id: BodyId) -> Option<u32> {
        self.of_slot.get(id.index as usize).copied().flatten()
    }

    /// The bodies of an island that can move.
    pub fn bodies_of(&self, island: u32) -> &[BodyId] {
        self.islands[island as usize].as_ref().map_or(&[], |island| &island.bodies)
    }

    /// The contacts of an island.
    pub fn contacts_of(&self, island: u32) -> impl Iterator<Item = (PairKey, &Arc<PairContacts>)> {
        let island = self.islands[island as usize].as_ref();
        let pairs = island.into_iter().flat_map(|island| &island.pairs);
        pairs.filter_map(|pair| Some((*pair, self.contacts.get(pair)?)))
    }

    /// Those that a body has such contacts with.
    pub fn neighbours_of(&self, id: BodyId) -> impl Iterator<Item = BodyId> + '_ {
        linked_with(&self.links, id)
    }

    /// Whether the contacts are those that such a search gives.
    pub fn are_found_by(&self, search: &ContactSearch) -> bool {
        self.contacts.is_empty() || self.search.as_ref() == Some(search)
    }

    fn set_aside(&mut self, bodies: Vec<BodyId>, contacts: Vec<(PairKey, Arc<PairContacts>)>, asleep: usize) {
        let number = self.vacant.pop().unwrap_or_else(|| {
            self.islands.push(None);
            (self.islands.len() - 1) as u32
        });
        for id in &bodies {
            let slot = id.index as usize;
            if self.of_slot.len() <= slot {
                self.of_slot.resize(slot + 1, None);
            }
            self.of_slot[slot] = Some(number);
        }
        let points = contacts.iter().map(|(_, contacts)| contacts.points.len()).sum();
        let separation = contacts.iter().map(|(_, contacts)| contacts.separation).fold(Real::INFINITY, Real::min);
        self.points += points;
        self.asleep += asleep;
        if let Some(least) = self.separation.get_mut() {
            *least = least.min(separation);
        }
        let pairs = contacts.iter().map(|(pair, _)| *pair).collect();
        for (pair, contacts) in contacts {
            self.links.extend(both_ways(&pair));
            self.contacts.insert(pair, contacts);
        }
        self.islands[number as usize] = Some(Aside { bodies, pairs, points, asleep, separation });
    }

    /// Takes an island back: its contacts.
    fn take_back(&mut self, number: u32) -> Vec<(PairKey, Arc<PairContacts>)> {
        let Some(island) = self.islands[number as usize].take() else { return Vec::new() };
        self.vacant.push(number);
        self.taken_back += 1;
        self.points -= island.points;
        self.asleep -= island.asleep;
        if self.separation.get().is_some_and(|least| *least >= island.separation) {
            self.separation = OnceLock::new();
        }
        for id in &island.bodies {
            self.of_slot[id.index as usize] = None;
        }
        let take = |pair: PairKey| {
            for link in both_ways(&pair) {
                self.links.remove(&link);
            }
            Some((pair, self.contacts.remove(&pair)?))
        };
        island.pairs.into_iter().filter_map(take).collect()
    }
}

/// The links of a pair.
pub(super) fn both_ways(pair: &PairKey) -> [(BodyId, BodyId); 2] {
    [(pair.a, pair.b), (pair.b, pair.a)]
}

/// Those that a body is linked with, of links that go both ways.
pub(super) fn linked_with(links: &BTreeSet<(BodyId, BodyId)>, id: BodyId) -> impl Iterator<Item = BodyId> + '_ {
    let least = BodyId { index: 0, generation: 0 };
    links.range((id, least)..).take_while(move |(one, _)| *one == id).map(|(_, other)| *other)
}

impl World {
    /// All contacts, set aside or not, in the order of their pairs.
    pub(super) fn all_contacts(&self) -> impl Iterator<Item = (PairKey, &Arc<PairContacts>)> {
        let mut loose = self.contacts.iter().peekable();
        let mut aside = self.dormant.contacts().iter().peekable();
        std::iter::from_fn(move || {
            let is_loose = match (loose.peek(), aside.peek()) {
                (Some((one, _)), Some((other, _))) => one < other,
                (one, _) => one.is_some(),
            };
            let (pair, contacts) = if is_loose { loose.next() } else { aside.next() }?;
            Some((*pair, contacts))
        })
    }

    /// The contacts of a pair, set aside or not.
    pub(super) fn known_contacts(&self, pair: &PairKey) -> Option<&Arc<PairContacts>> {
        self.contacts.get(pair).or_else(|| self.dormant.contacts().get(pair))
    }

    /// Takes an island back.
    pub(super) fn rouse(&mut self, island: u32) {
        let contacts = Arc::make_mut(&mut self.dormant).take_back(island);
        if let Some(neighbours) = self.neighbours.get_mut() {
            neighbours.extend(contacts.iter().flat_map(|(pair, _)| both_ways(pair)));
        }
        self.contacts.extend(contacts);
    }

    /// The island of a body is no longer set aside.
    pub(super) fn rouse_around(&mut self, id: BodyId) {
        if let Some(island) = self.dormant.island_of(id) {
            self.rouse(island);
        }
    }

    /// No island is set aside any longer.
    pub(super) fn rouse_all(&mut self) {
        for island in 0..self.dormant.islands.len() as u32 {
            self.rouse(island);
        }
    }

    /// Sets islands aside of which the step has left everything as it was, among those that the pairs with contacts make. For each body, whether
    /// it and its contacts are `as_it_was`.
    pub(super) fn set_aside(&mut self, stepping: &Stepping, close: &[Pair], as_it_was: &[bool]) {
        self.steps_since_look += 1;
        if self.steps_since_look < EVERY {
            return;
        }
        self.steps_since_look = 0;
        let stays = |k: u32| as_it_was[k as usize] && (stepping.dormant[k as usize] || self.would_stay(stepping, k));
        let mut stirs: Vec<bool> = (0..as_it_was.len() as u32).map(|k| !stays(k)).collect();
        for (a, b) in self.tight.iter().map(|pair| stepping.pair_of(pair)) {
            [a, b].into_iter().filter(|&k| stepping.is_movable(k)).for_each(|k| stirs[k as usize] = true);
        }
        let pairs: Vec<Pair> = close.iter().copied().filter(|&pair| !stepping.is_sensor_pair(pair)).collect();
        let (_, quiet) = stepping.islands_with(&pairs, |k| [stirs[k as usize]; 2]);
        for island in stepping.islands_of(&quiet) {
            let movable = island.bodies.iter().filter(|&&k| stepping.is_movable(k));
            let bodies: Vec<BodyId> = movable.map(|&k| stepping.ids[k as usize]).collect();
            let asleep = bodies.iter().filter(|id| self.body(**id).is_some_and(|body| body.is_asleep())).count();
            let key = |pair: &Pair| stepping.key(*pair);
            let contacts = island.pairs.iter().filter_map(|pair| self.contacts.remove_entry(&key(pair))).collect();
            let dormant = Arc::make_mut(&mut self.dormant);
            dormant.set_aside(bodies, contacts, asleep);
            dormant.search = Some(self.in_force.contact_search());
        }
    }

    /// Whether the next step would find the body at rest, and leave it so, if nothing met it.
    fn would_stay(&self, stepping: &Stepping, k: u32) -> bool {
        let Some(body) = self.body(stepping.ids[k as usize]) else { return false };
        let lies = match body.kind() {
            BodyKind::Dynamic if self.in_force.sleeping => body.is_asleep(),
            BodyKind::Dynamic => body.stood && body.rested >= REST_TIME,
            BodyKind::Static | BodyKind::Kinematic => true,
        };
        lies && body.settled && body.carrier.is_none() && stepping.has_rested(k) && !stepping.courses[k as usize].held
    }
}
