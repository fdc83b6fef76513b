//! The end of a step: what the courses lead to becomes the world's state, and its contacts those at the new placements.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::World;
use super::contacts::PairContacts;
use super::course::{Course, velocity_of};
use super::report::StepReport;
use super::stepping::{MIN_GAP_SHARE, Pair, Stepping};
use crate::detection::closest::overlap;
use crate::dynamics::{Body, BodyKind};
use crate::id::PairKey;
use crate::math::{Real, Vector};
use crate::response::impulse::Velocity;

/// The contacts of a pair at the end of a step.
struct Close {
    pair: Pair,
    contacts: Arc<PairContacts>,
    /// Whether they are those that the step began with, unchanged.
    is_former: bool,
    /// Whether the pair touched when the step began.
    was_touching: bool,
}

/// The velocity that a body ends a step with that it began with the velocity `before`: what the step has led to, and what its velocity was changed
/// by meanwhile.
fn changed_meanwhile(body: &Body, before: &Velocity, end: &Velocity) -> Velocity {
    let now = velocity_of(body);
    let sum = *end + (now - *before);
    if sum.is_finite() { sum } else { now }
}

/// Puts a body where its course leads to within `dt` seconds. Returns whether it is somewhere else then.
fn follow(body: &mut Body, course: &Course, dt: Real) -> bool {
    let pose = course.pose_at(dt);
    body.moved[1] = body.moved[0];
    body.moved[0] = [Vector::zeros(); 2];
    if body.pose == pose {
        return false;
    }
    let way = pose * body.local_centre() - body.centre();
    // Poses tell a turn but for whole rounds: what goes as it began is asked itself.
    let spin = match course.origin {
        0.0 => course.motion.angular_velocity,
        _ => (pose.rotation * body.pose.rotation.inverse()).scaled_axis() / dt,
    };
    body.moved[0] = [way / dt, spin];
    body.place(pose);
    // The product of many unit quaternions drifts from unit length by rounding alone.
    body.pose.rotation.renormalize_fast();
    true
}

impl World {
    /// Ends a step: what the courses lead to becomes the state.
    pub(super) fn commit(&mut self, mut stepping: Stepping) -> StepReport {
        let dt = stepping.dt;
        self.forget_places();
        stepping.catch_up(self);
        // Whether the step leaves all as it was: then so does the next.
        let mut is_idle = dt == self.last_dt && stepping.is_uneventful() && self.tight.is_empty();
        let as_it_was = self.commit_bodies(&stepping);
        is_idle &= as_it_was.iter().all(|as_it_was| *as_it_was);
        // What lands later was told of when it was solved for.
        stepping.report.impacts.sort_by(|a, b| a.time.total_cmp(&b.time));
        is_idle &= !self.commit_carried(&stepping) && self.unchecked.is_empty();
        is_idle &= self.commit_contacts(&mut stepping, as_it_was);
        self.still = stepping.still;
        self.time += dt;
        self.last_dt = dt;
        self.idle = is_idle.then(|| stepping.report.for_another());
        stepping.report
    }

    /// Where the courses lead to, and how fast, becomes the bodies' state. Returns for each body whether it is in every way as it was.
    fn commit_bodies(&mut self, stepping: &Stepping) -> Vec<bool> {
        let (dt, slow_speed) = (stepping.dt, self.in_force.slow_speed());
        let mut changed = Vec::new();
        let mut as_it_was = vec![true; stepping.ids.len()];
        for (k, (id, course)) in stepping.ids.iter().zip(&stepping.courses).enumerate() {
            if stepping.dormant[k] {
                continue;
            }
            let Some(body) = self.slots[id.index as usize].body.as_mut() else { continue };
            let within = self.changed_within.get(id);
            let mut is_former = body.settled && within.is_none();
            body.settled = within.is_none();
            if body.kind == BodyKind::Static {
                as_it_was[k] = is_former;
                continue;
            }
            let crushing = if stepping.report.crushed.contains(id) { body.crushing.saturating_add(1) } else { 0 };
            is_former &= body.crushing == crushing && body.moved == [[Vector::zeros(); 2]; 2];
            body.crushing = crushing;
            body.forget_led();
            let velocities = (body.linear_velocity, body.angular_velocity);
            let mut is_changed = follow(body, course, dt);
            if body.kind == BodyKind::Dynamic {
                let end = within.map_or(course.end, |before| changed_meanwhile(body, before, &course.end));
                (body.linear_velocity, body.angular_velocity) = (end.linear, end.angular);
                is_changed |= velocities != (end.linear, end.angular);
                is_former &= body.stood == course.stands() && body.owed == course.owed;
                body.count_calm(course.gave_way, slow_speed, dt);
                is_former &= body.is_calm() && !body.is_put_to_sleep;
                body.stood = course.stands();
                body.owed = course.owed;
            }
            if within.is_some() {
                body.wake();
            }
            if is_changed {
                changed.push(id.index);
            }
            as_it_was[k] = is_former && !is_changed;
        }
        changed.into_iter().for_each(|slot| self.note_change(slot));
        as_it_was
    }

    /// Keeps the contacts at the new placements, and reports who began and ceased to touch. Returns whether all are as they were, and all that can
    /// rests.
    fn commit_contacts(&mut self, stepping: &mut Stepping, mut as_it_was: Vec<bool>) -> bool {
        self.neighbours = OnceLock::new();
        for island in std::mem::take(&mut stepping.roused) {
            self.rouse(island);
        }
        let former = std::mem::take(&mut self.contacts);
        let former_count = former.len();
        let (tolerance, threshold) = (self.in_force.tolerance, self.in_force.contact_threshold);
        let (close, lost) = self.contacts_at_the_end(stepping, former);
        let mut min_separation = self.dormant.separation();
        let are_former = close.len() == former_count && close.iter().all(|close| close.is_former);
        let pairs: Vec<Pair> = close.iter().map(|close| close.pair).collect();
        for (a, b) in close.iter().filter(|close| !close.is_former).map(|close| close.pair) {
            // What cannot move is what it was, whatever it touches.
            [a, b].into_iter().filter(|&k| stepping.is_movable(k)).for_each(|k| as_it_was[k as usize] = false);
        }
        // In the order of the keys, so that the map is built at once.
        let mut kept = Vec::with_capacity(close.len());
        for Close { pair, contacts: mut shared, is_former, was_touching } in close {
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
            if !stepping.is_sensor_pair(pair) {
                for id in [key.a, key.b] {
                    if let Some(body) = self.inner_body_mut(id) {
                        body.stood = false;
                    }
                }
            }
            let touched = contacts.touching || contacts.separation <= tolerance;
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
        let pushing: Vec<Pair> = pairs.iter().copied().filter(|&pair| !stepping.is_sensor_pair(pair)).collect();
        let all_rest = self.put_to_rest(stepping, &pushing, stepping.dt);
        self.count_asleep(stepping);
        self.set_aside(stepping, &pairs, &as_it_was);
        for key in lost {
            if !stepping.report.ended.contains(&key) {
                stepping.report.ended.push(key);
            }
        }
        stepping.report.ended.sort_unstable();
        stepping.report.min_separation = min_separation.is_finite().then_some(min_separation);
        are_former && all_rest
    }

    /// Tells how many bodies sleep now, whoever was put to sleep among them.
    fn count_asleep(&mut self, stepping: &mut Stepping) {
        let mut asleep = self.dormant.asleep();
        for (id, _) in stepping.ids.iter().zip(&stepping.dormant).filter(|(_, dormant)| !**dormant) {
            if let Some(body) = self.inner_body_mut(*id) {
                body.is_put_to_sleep = false;
                asleep += usize::from(body.is_asleep());
            }
        }
        stepping.report.counters.asleep = asleep as u64;
    }

    /// Whether one of the two is a sensor and the other overlaps it: deep inside surfaces may be far away.
    fn is_within_sensor(&self, pair: &PairKey) -> bool {
        let (Some(a), Some(b)) = (self.body(pair.a), self.body(pair.b)) else { return false };
        (a.sensor || b.sensor) && overlap(a.shape(), a.pose(), b.shape(), b.pose())
    }

    /// The step's contacts at the new placements, in the order of their pairs; and those of the `former` ones that touched and are no more.
    fn contacts_at_the_end(
        &self,
        stepping: &mut Stepping,
        former: BTreeMap<PairKey, Arc<PairContacts>>,
    ) -> (Vec<Close>, Vec<PairKey>) {
        let search = self.in_force.contact_search();
        let is_same_search = stepping.dt == self.last_dt;
        let mut close: Vec<Close> = Vec::with_capacity(stepping.close.len());
        let mut lost = Vec::new();
        let mut known = former.into_iter().peekable();
        for (pair, contacts) in std::mem::take(&mut stepping.close) {
            // Both are in the order of their bodies.
            let key = stepping.key(pair);
            while let Some((gone, known)) = known.next_if(|(other, _)| *other < key) {
                lost.extend(known.touching.then_some(gone));
            }
            // What they were is let go before they become others: nobody else may need it.
            let known = known.next_if(|(other, _)| *other == key).map(|(_, known)| known);
            let was_touching = known.as_ref().is_some_and(|known| known.touching);
            // What nothing has pushed may have moved all the same; but not what has rested through this step and through the last, as long as
            // that: of these the contacts are known.
            let is_known = || {
                let [a, b] = [pair.0, pair.1].map(|k| stepping.body(self, k).pose());
                contacts.are_for(a, b, &search)
            };
            let have_rested = is_same_search && stepping.has_rested(pair.0) && stepping.has_rested(pair.1);
            let is_former = known.is_some_and(|known| Arc::ptr_eq(&known, &contacts)) && (have_rested || is_known());
            close.push(Close { pair, contacts, is_former, was_touching });
        }
        lost.extend(known.filter(|(_, known)| known.touching).map(|(gone, _)| gone));
        let refresh = |close: &mut Close| {
            if !close.is_former {
                let (a, b) = (stepping.body(self, close.pair.0), stepping.body(self, close.pair.1));
                let contacts = Arc::make_mut(&mut close.contacts);
                contacts.end_step();
                let ended = contacts.refresh((a.shape(), &a.motion()), (b.shape(), &b.motion()), &search, 0.0);
                contacts.hand_over(&ended);
            }
        };
        let changed = close.iter().filter(|close| !close.is_former).count();
        self.execution_over(changed).for_each(&mut close, refresh);
        (close, lost)
    }
}
