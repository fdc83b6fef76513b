//! The end of a step: what the courses lead to becomes the world's state, and its contacts those at the new placements.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::World;
use super::contacts::PairContacts;
use super::report::StepReport;
use super::stepping::{MIN_GAP_SHARE, Pair, Stepping};
use crate::detection::closest::overlap;
use crate::dynamics::BodyKind;
use crate::id::PairKey;
use crate::math::{Real, Vector};

impl World {
    /// Ends a step: what the courses lead to becomes the state.
    pub(super) fn commit(&mut self, mut stepping: Stepping) -> StepReport {
        let (dt, slow_speed) = (stepping.dt, self.in_force.slow_speed());
        self.forget_places();
        for (id, course) in stepping.ids.iter().zip(&stepping.courses) {
            let Some(body) = self.slots[id.index as usize].body.as_mut() else { continue };
            body.settled = true;
            if body.kind == BodyKind::Static {
                continue;
            }
            body.crushing = if stepping.report.crushed.contains(id) { body.crushing.saturating_add(1) } else { 0 };
            let pose = course.pose_at(dt);
            body.moved[1] = body.moved[0];
            body.moved[0] = [Vector::zeros(); 2];
            if body.pose != pose {
                let way = pose * body.local_centre() - body.centre();
                let turn = (pose.rotation * body.pose.rotation.inverse()).scaled_axis();
                body.moved[0] = [way / dt, turn / dt];
                body.place(pose);
                // The product of many unit quaternions drifts from unit length by rounding alone.
                body.pose.rotation.renormalize_fast();
            }
            if body.kind == BodyKind::Dynamic {
                body.linear_velocity = course.end.linear;
                body.angular_velocity = course.end.angular;
                body.count_calm(course.gave_way, slow_speed, dt);
                body.stood = course.stands();
                body.owed = course.owed;
            }
        }
        // What lands later was told of when it was solved for.
        stepping.report.impacts.sort_by(|a, b| a.time.total_cmp(&b.time));
        self.commit_carried(&stepping);
        self.commit_contacts(&mut stepping);
        stepping.report.counters.asleep = self.bodies().filter(|(_, body)| body.is_asleep()).count() as u64;
        self.time += dt;
        self.last_dt = dt;
        stepping.report
    }

    /// Keeps the contacts at the new placements, and reports who began and ceased to touch.
    fn commit_contacts(&mut self, stepping: &mut Stepping) {
        self.neighbours = OnceLock::new();
        let former = std::mem::take(&mut self.contacts);
        let (tolerance, threshold) = (self.in_force.tolerance, self.in_force.contact_threshold);
        let close = self.contacts_at_the_end(stepping, &former);
        let mut min_separation = Real::INFINITY;
        let pairs: Vec<Pair> = close.iter().map(|(pair, ..)| *pair).collect();
        let is_as_it_was = close.len() == former.len() && close.iter().all(|(.., is_former)| *is_former);
        // In the order of the keys, so that the map is built at once.
        let mut kept = Vec::with_capacity(close.len());
        for (pair, mut shared, is_former) in close {
            let key = stepping.key(pair);
            if is_former {
                min_separation = min_separation.min(shared.separation);
                kept.push((key, shared));
                continue;
            }
            let contacts = Arc::make_mut(&mut shared);
            min_separation = min_separation.min(contacts.separation);
            // A gap that has all but closed is too fine to be certified: the next step opens it before it moves anything.
            if contacts.separation < 2.0 * MIN_GAP_SHARE * self.in_force.resting_gap() {
                self.tight.insert(key);
            }
            for id in [key.a, key.b] {
                if let Some(body) = self.slot_body_mut(id) {
                    body.stood = false;
                }
            }
            let touched = contacts.touching || contacts.separation <= tolerance;
            let was_touching = former.get(&key).is_some_and(|c| c.touching);
            contacts.touching = touched && (contacts.separation <= threshold || self.is_within_sensor(&key));
            if touched && !was_touching {
                stepping.report.started.push(key);
            }
            if !contacts.touching && (was_touching || touched) {
                stepping.report.ended.push(key);
            }
            if contacts.touching || !contacts.points.is_empty() {
                kept.push((key, shared));
            }
        }
        // Whatever their contacts say: what is not certified stands, and would stand for good.
        self.tight.extend(stepping.uncertified.iter().map(|&pair| stepping.key(pair)));
        self.contacts = kept.into_iter().collect();
        self.put_to_rest(stepping, &pairs, stepping.dt);
        for (key, contacts) in former.iter().filter(|_| !is_as_it_was) {
            let seen = self.contacts.contains_key(key) || stepping.report.ended.contains(key);
            if contacts.touching && !seen {
                stepping.report.ended.push(*key);
            }
        }
        stepping.report.ended.sort_unstable();
        stepping.report.min_separation = min_separation.is_finite().then_some(min_separation);
    }

    /// Whether one of the two is a sensor and the other overlaps it: deep inside surfaces may be far away.
    fn is_within_sensor(&self, pair: &PairKey) -> bool {
        let (Some(a), Some(b)) = (self.body(pair.a), self.body(pair.b)) else { return false };
        (a.sensor || b.sensor) && overlap(a.shape(), a.pose(), b.shape(), b.pose())
    }

    /// The step's contacts at the new placements, in the order of their pairs; of each pair whether they are the `former` ones, unchanged.
    fn contacts_at_the_end(
        &self,
        stepping: &mut Stepping,
        former: &BTreeMap<PairKey, Arc<PairContacts>>,
    ) -> Vec<(Pair, Arc<PairContacts>, bool)> {
        let search = self.in_force.contact_search();
        let mut close: Vec<(Pair, Arc<PairContacts>, bool)> = Vec::with_capacity(stepping.close.len());
        let mut known = former.iter().peekable();
        for (pair, shared) in std::mem::take(&mut stepping.close) {
            // Both are in the order of their bodies.
            let key = stepping.key(pair);
            while known.next_if(|(other, _)| **other < key).is_some() {}
            let is_former = known.peek().is_some_and(|(other, known)| **other == key && Arc::ptr_eq(known, &shared));
            // What nothing has pushed may have moved all the same.
            let [a, b] = [pair.0, pair.1].map(|k| stepping.body(self, k).pose());
            let is_former = is_former && shared.are_for(a, b, &search);
            close.push((pair, shared, is_former));
        }
        let refresh = |(pair, shared, is_former): &mut (Pair, Arc<PairContacts>, bool)| {
            if !*is_former {
                let (a, b) = (stepping.body(self, pair.0), stepping.body(self, pair.1));
                let contacts = Arc::make_mut(shared);
                contacts.end_step();
                let ended = contacts.refresh((a.shape(), &a.motion()), (b.shape(), &b.motion()), &search, 0.0);
                contacts.hand_over(&ended);
            }
        };
        let changed = close.iter().filter(|(.., is_former)| !is_former).count();
        self.execution_over(changed).for_each(&mut close, refresh);
        close
    }
}
