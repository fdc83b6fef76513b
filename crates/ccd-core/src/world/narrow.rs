//! The contacts of a step: of all pairs that are near each other, and what of them the world knows already.

use std::sync::Arc;

use super::World;
use super::contacts::PairContacts;
use super::stepping::{Marks, Pair, Stepping};
use crate::dynamics::BodyKind;
use crate::volume::Aabb;

impl Stepping {
    /// The contacts of all pairs that are within the contact threshold now.
    pub(super) fn find_contacts(&mut self, world: &World) {
        let (threshold, search) = (world.in_force.contact_threshold, world.in_force.contact_search());
        let box_now = |k: u32| {
            let body = self.body(world, k);
            body.shape().as_solid().local_aabb().transformed(body.pose()).inflated(0.5 * threshold)
        };
        let mut boxes: Vec<Option<Aabb>> = vec![None; self.courses.len()];
        let mut now = |k: u32| *boxes[k as usize].get_or_insert_with(|| box_now(k));
        let is_near = |&(a, b): &Pair| now(a).overlaps(&now(b)) && !self.is_sensor_pair((a, b));
        let near: Vec<Pair> = self.candidates.iter().filter(is_near).collect();
        let times_as_long = if world.last_dt > 0.0 { self.dt / world.last_dt } else { 1.0 };
        // For each pair whether all is as the world knows it.
        let find = |pair: &Pair| -> (Pair, Arc<PairContacts>, bool) {
            let (a, b) = (self.body(world, pair.0), self.body(world, pair.1));
            let mut contacts = world.known_contacts(&self.key(*pair)).cloned().unwrap_or_default();
            let is_known = contacts.are_for(a.pose(), b.pose(), &search);
            if !is_known {
                Arc::make_mut(&mut contacts).refresh((a.shape(), &a.motion()), (b.shape(), &b.motion()), &search, 0.0);
            }
            if times_as_long != 1.0 {
                Arc::make_mut(&mut contacts).bear_for(times_as_long);
            }
            (*pair, contacts, is_known)
        };
        // Of two that stood through the last step next to all is known: looking that up is not worth the threads.
        let stood = |k: u32| match self.marks[k as usize] {
            Marks { kind: BodyKind::Dynamic, stood, .. } => stood,
            _ => self.is_at_rest(k),
        };
        let is_work = |&&(a, b): &&Pair| !(stood(a) && stood(b));
        let mut found = world.execution_over(near.iter().filter(is_work).count()).map(&near, find);
        found.retain(|(_, contacts, _)| !contacts.points.is_empty());
        let at_rest = self.known_to(world).map(|(key, contacts)| (self.pair_of(&key), contacts));
        found.extend(
            at_rest.filter(|(pair, _)| self.both_rest(*pair)).map(|(pair, known)| (pair, Arc::clone(known), true)),
        );
        let known = found.iter().filter(|(.., is_known)| *is_known).count();
        for ((a, b), ..) in found.iter().filter(|(.., is_known)| !is_known) {
            (self.disturbed[*a as usize], self.disturbed[*b as usize]) = (true, true);
        }
        self.close = found.into_iter().map(|(pair, contacts, _)| (pair, contacts)).collect();
        if known < self.known_to(world).count() {
            self.note_lost(world);
        }
        self.count_contacts(world);
    }

    /// Tells how many contacts there are, with those of what is set aside.
    fn count_contacts(&mut self, world: &World) {
        let roused = || self.roused.iter().flat_map(|&island| world.dormant.contacts_of(island));
        let aside = world.dormant.contacts().len() - roused().count();
        let points_aside = world.dormant.points() - roused().map(|(_, contacts)| contacts.points.len()).sum::<usize>();
        let points: usize = self.close.values().map(|contacts| contacts.points.len()).sum();
        self.report.counters.contact_pairs = (self.close.len() + aside) as u64;
        self.report.counters.contacts = (points + points_aside) as u64;
    }

    /// Takes down who has lost contacts since the last step.
    fn note_lost(&mut self, world: &World) {
        // What a sensor notices is found later in the step, and disturbs nobody.
        let is_lost = |pair: &Pair| !self.close.contains_key(pair) && !self.is_sensor_pair(*pair);
        let lost: Vec<Pair> = self.known_to(world).map(|(key, _)| self.pair_of(&key)).filter(is_lost).collect();
        for (a, b) in lost {
            (self.disturbed[a as usize], self.disturbed[b as usize]) = (true, true);
        }
    }

    fn both_rest(&self, (a, b): Pair) -> bool {
        self.resting[a as usize] && self.resting[b as usize]
    }
}
