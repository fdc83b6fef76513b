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

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
    /// The smallest separation of all, metres; not known since the island that had it was taken back.
    separation: Option<Real>,
    /// Steps since the last look for islands.
    steps: u32,
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

    /// The smallest separation, metres; infinite where nothing is set aside.
    pub fn separation(&mut self) -> Real {
        let of_islands = || self.islands.iter().flatten().map(|island| island.separation);
        *self.separation.get_or_insert_with(|| of_islands().fold(Real::INFINITY, Real::min))
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
        self.separation = self.separation.map(|least| least.min(separation));
        let pairs = contacts.iter().map(|(pair, _)| *pair).collect();
        for (pair, contacts) in contacts {
            self.links.extend([(pair.a, pair.b), (pair.b, pair.a)]);
            self.contacts.insert(pair, contacts);
        }
        self.islands[number as usize] = Some(Aside { bodies, pairs, points, asleep, separation });
    }

    /// Takes an island back: its contacts.
    fn take_back(&mut self, number: u32) -> Vec<(PairKey, Arc<PairContacts>)> {
        let Some(island) = self.islands[number as usize].take() else { return Vec::new() };
        self.vacant.push(number);
        self.points -= island.points;
        self.asleep -= island.asleep;
        self.separation = self.separation.filter(|least| *least < island.separation);
        for id in &island.bodies {
            self.of_slot[id.index as usize] = None;
        }
        let take = |pair: PairKey| {
            for link in [(pair.a, pair.b), (pair.b, pair.a)] {
                self.links.remove(&link);
            }
            Some((pair, self.contacts.remove(&pair)?))
        };
        island.pairs.into_iter().filter_map(take).collect()
    }
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
        let contacts = self.dormant.take_back(island);
        if let Some(neighbours) = self.neighbours.get_mut() {
            neighbours.extend(contacts.iter().flat_map(|(pair, _)| [(pair.a, pair.b), (pair.b, pair.a)]));
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

    /// Sets islands aside of which the step has left everything as it was, among those of `close`: the pairs with contacts, and whether these are
    /// what they were. For each body, whether the step has left it `as_it_was`.
    pub(super) fn set_aside(&mut self, stepping: &Stepping, close: &[(Pair, bool)], as_it_was: &[bool]) {
        self.dormant.steps += 1;
        if self.dormant.steps < EVERY {
            return;
        }
        self.dormant.steps = 0;
        let mut stirs: Vec<bool> = as_it_was.iter().map(|as_it_was| !as_it_was).collect();
        for k in 0..stirs.len() as u32 {
            stirs[k as usize] |= !self.would_stay(stepping, k);
        }
        let mut pairs = Vec::with_capacity(close.len());
        for &((a, b), is_former) in close.iter().filter(|(pair, _)| !stepping.is_sensor_pair(*pair)) {
            pairs.push((a, b));
            if !is_former || self.tight.contains(&stepping.key((a, b))) {
                // What cannot move is of many islands.
                [a, b].into_iter().filter(|&k| stepping.is_movable(k)).for_each(|k| stirs[k as usize] = true);
            }
        }
        let (_, quiet) = stepping.islands_with(&pairs, |k| [stirs[k as usize]; 2]);
        for island in stepping.islands_of(&quiet) {
            let movable = island.bodies.iter().filter(|&&k| stepping.is_movable(k));
            let bodies: Vec<BodyId> = movable.map(|&k| stepping.ids[k as usize]).collect();
            let asleep = bodies.iter().filter(|id| self.body(**id).is_some_and(|body| body.is_asleep())).count();
            let key = |pair: &Pair| stepping.key(*pair);
            let contacts = island.pairs.iter().filter_map(|pair| self.contacts.remove_entry(&key(pair))).collect();
            self.dormant.set_aside(bodies, contacts, asleep);
        }
        self.dormant.search = Some(self.in_force.contact_search());
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

impl Stepping {
    /// Takes down who is in an island that is set aside, if all of it still lies there.
    pub(super) fn find_dormant(&mut self, world: &World, lies: &[bool]) {
        self.dormant = self.ids.iter().map(|id| world.dormant.island_of(*id).is_some()).collect();
        for k in 0..lies.len() as u32 {
            if !lies[k as usize] {
                self.rouse(world, k);
            }
        }
    }

    /// Takes islands back that something may come near, or that lie on something that no longer rests.
    pub(super) fn rouse_who_may_be_met(&mut self, world: &World) {
        if world.dormant.contacts().is_empty() {
            return;
        }
        let is_other_search = !world.dormant.are_found_by(&world.in_force.contact_search());
        for k in 0..self.ids.len() as u32 {
            if is_other_search {
                self.rouse(world, k);
            } else if !self.resting[k as usize] {
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
    pub(super) fn rouse_met(&mut self, world: &World, pair: Pair) -> Vec<Pair> {
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

    /// The contacts that the world knows of all that is not set aside.
    pub(super) fn known_to<'w>(
        &'w self,
        world: &'w World,
    ) -> impl Iterator<Item = (PairKey, &'w Arc<PairContacts>)> + 'w {
        let loose = world.contacts.iter().map(|(pair, contacts)| (*pair, contacts));
        loose.chain(self.roused.iter().flat_map(|&island| world.dormant.contacts_of(island)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use super::*;
    use crate::dynamics::BodyDefinition;
    use crate::math::{Pose, Vector};
    use crate::shape::Shape;
    use crate::world::{StepReport, WorldSettings};

    const DT: Real = 1.0 / 60.0;
    const SIDE: u32 = 8;

    fn cube(at: [Real; 3]) -> BodyDefinition {
        let pose = Pose::translation(at[0], at[1], at[2]);
        BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([0.2; 3]).unwrap(), pose)
    }

    /// Stacks of up to three cubes on the ground, one of them in a sensor, a kinematic slab with a cube on it, and balls that roll and bounce among them; the
    /// ground, the slab, and the cubes.
    fn field(sleeping: bool) -> (World, [BodyId; 2], Vec<BodyId>) {
        let mut world = World::new(WorldSettings { sleeping, ..WorldSettings::default() }).unwrap();
        let ground = Shape::half_space(Vector::y()).unwrap();
        let ground = world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
        let sensor = BodyDefinition { sensor: true, kind: BodyKind::Static, ..cube([0.1, 0.3, 0.1]) };
        world.add_body(sensor).unwrap();
        let slab = BodyDefinition { kind: BodyKind::Kinematic, ..cube([-3.0, 0.3, 0.0]) };
        let slab = world.add_body(slab).unwrap();
        let mut cubes = vec![world.add_body(cube([-3.0, 0.7001, 0.0])).unwrap()];
        for k in 0..SIDE * SIDE {
            for storey in 0..=k % 3 {
                let at = [Real::from(k % SIDE), 0.2001 + 0.4001 * Real::from(storey), Real::from(k / SIDE)];
                cubes.push(world.add_body(cube(at)).unwrap());
            }
        }
        for k in 0..4 {
            let pose = Pose::translation(0.5 + 2.0 * Real::from(k), 0.5, 0.5);
            let mut ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.1).unwrap(), pose);
            (ball.material.restitution, ball.material.friction) = (0.9, 0.05);
            ball.linear_velocity = Vector::new(1.0 + 0.3 * Real::from(k), 0.0, 1.7);
            world.add_body(ball).unwrap();
        }
        (world, [ground, slab], cubes)
    }

    /// All that a step tells, but for its times.
    fn told(report: StepReport) -> String {
        format!("{:?}", report.for_another())
    }

    fn state(world: &World) -> String {
        let bodies: Vec<_> = world
            .bodies()
            .map(|(id, body)| (id, *body.pose(), *body.linear_velocity(), *body.angular_velocity(), body.is_asleep()))
            .collect();
        let contacts: Vec<_> =
            world.contacts().map(|(pair, known)| (pair, &known.points, &known.impulses, known.touching)).collect();
        format!("{bodies:?} {contacts:?}")
    }

    #[test]
    fn a_world_that_sets_islands_aside_is_to_the_bit_what_it_is_without_whatever_becomes_of_them() {
        for sleeping in [true, false] {
            let (mut world, [ground, slab], mut cubes) = field(sleeping);
            let mut plain = world.clone();
            let (mut most, mut roused) = (0, 0);
            for step in 0..700_usize {
                let k = (13 * step) % cubes.len();
                for world in [&mut world, &mut plain] {
                    match step {
                        150 => assert!(world.set_velocity(slab, Vector::x() * 0.2, Vector::zeros()).unwrap()),
                        210 => assert!(world.set_velocity(slab, Vector::zeros(), Vector::zeros()).unwrap()),
                        300 => drop(world.body_mut(ground).unwrap()),
                        _ if step > 120 && step % 23 == 0 => drop(world.remove_body(cubes[k])),
                        _ if step > 120 && step % 37 == 5 => world.wake(cubes[k]),
                        _ if step > 120 && step % 41 == 7 => {
                            assert!(world.set_velocity(cubes[k], Vector::y() * 2.0, Vector::z()).unwrap_or(false));
                        }
                        _ if step > 120 && step % 53 == 9 => {
                            let pose = Pose::translation(Real::from(k as u32 % SIDE), 2.5, 3.0);
                            assert!(world.set_pose(cubes[k], pose).unwrap());
                        }
                        _ => (),
                    }
                }
                cubes.retain(|id| world.body(*id).is_some());
                let dt = if step == 400 { 0.5 * DT } else { DT };
                let before = world.dormant.contacts().len();
                plain.rouse_all();
                let reports = [world.step(dt).unwrap(), plain.step(dt).unwrap()].map(told);
                assert_eq!(reports[0], reports[1], "sleeping {sleeping}, step {step}");
                if step % 5 == 0 || step > 680 {
                    assert_eq!(state(&world), state(&plain), "sleeping {sleeping}, step {step}");
                }
                let now = world.dormant.contacts().len();
                most = most.max(now);
                roused += usize::from(now < before);
            }
            assert!(most > 100 && roused > 3, "{most} pairs were set aside, islands taken back in {roused} steps");
        }
    }

    #[test]
    fn contacts_are_told_in_their_order_whether_they_are_set_aside_or_not() {
        let (mut world, ..) = field(true);
        for _ in 0..200 {
            world.step(DT).unwrap();
        }
        assert!(!world.dormant.contacts().is_empty() && !world.contacts.is_empty());
        let pairs: Vec<PairKey> = world.contacts().map(|(pair, _)| pair).collect();
        assert!(pairs.is_sorted() && pairs.iter().all(|pair| world.contacts_of(pair).is_some()));
        assert_eq!(pairs.len(), world.dormant.contacts().len() + world.contacts.len());
        world.rouse_all();
        assert!(world.contacts().map(|(pair, _)| pair).eq(pairs));
        assert!(world.dormant.contacts().is_empty() && world.dormant.links.is_empty());
        assert_eq!((world.dormant.points, world.dormant.asleep, world.dormant.separation()), (0, 0, Real::INFINITY));
    }
}
