//! A step in progress: every body's course, the candidate pairs, and the contacts.
//!
//! Bodies are numbered densely in slot order within a step; pairs are pairs of these numbers, ascending.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::carried::carried_in;
use super::clearance::WORTH_THREADS;
use super::contacts::PairContacts;
use super::course::Course;
use super::flight::Flight;
use super::landing::Landing;
use super::report::StepReport;
use super::set_down::SetDown;
use super::{BroadPhaseMethod, World};
use crate::detection::broad::{self, CandidatePairs};
use crate::dynamics::{Body, BodyKind};
use crate::id::{BodyId, PairKey};
use crate::math::{Real, is_finite};
use crate::motion::RigidMotion;
use crate::response::impulse::Velocity;
use crate::volume::Aabb;

/// How far a step has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Begun,
    Broad,
    Narrow,
    Responded,
    Checked,
}

impl Stage {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Begun => Self::Broad,
            Self::Broad => Self::Narrow,
            Self::Narrow => Self::Responded,
            Self::Responded | Self::Checked => Self::Checked,
        }
    }
}

/// Bodies come no closer within a step than this share of the resting gap, and what is as close is opened before the next
/// step: certificates over finer gaps would take ever smaller steps in time.
pub(super) const MIN_GAP_SHARE: Real = 2e-4;

/// Two dense body numbers, ascending.
pub(super) type Pair = (u32, u32);

#[derive(Clone, Debug)]
pub(super) struct Stepping {
    pub stage: Stage,
    pub dt: Real,
    pub ids: Vec<BodyId>,
    pub courses: Vec<Course>,
    /// Who is carried by whom, carriers before what they carry.
    pub carried: Vec<(u32, u32)>,
    pub candidates: CandidatePairs,
    /// What is known of close pairs; shared with the world's until it changes.
    pub close: BTreeMap<Pair, Arc<PairContacts>>,
    /// For each body whether any of its contacts is not what it was when the last step began.
    pub disturbed: Vec<bool>,
    /// For each body the contacts between it and what cannot move, as last solved.
    pub levels: Vec<u32>,
    /// For each body those that it has an entry of `close` with, while impacts are met.
    pub neighbours: Vec<Vec<u32>>,
    /// For each body whether it hangs together with a crowd that lands in this step.
    pub crowded: Vec<bool>,
    /// Pairs that will touch later in the step, without a bounce: expected in a crowd, or found.
    pub landings: BTreeMap<Pair, Landing>,
    /// Pairs that were found to set down within the step.
    pub set_down: BTreeMap<Pair, SetDown>,
    /// Pairs that no motion of this step could be certified for.
    pub uncertified: Vec<Pair>,
    pub report: StepReport,
}

impl Stepping {
    /// Every body's motion if it met nothing.
    pub(super) fn predict(world: &World, dt: Real) -> Self {
        let mut report = StepReport { dt, ..StepReport::default() };
        let mut ids = Vec::new();
        let mut courses = Vec::new();
        for (id, body) in world.bodies() {
            ids.push(id);
            let mut course = if body.is_asleep() { resting_course(body) } else { predicted_course(world, body, dt) };
            if !(course.motion.is_finite() && is_finite(&course.end.linear) && is_finite(&course.end.angular)) {
                course = standing_course(body);
                report.quarantined.push(id);
            }
            courses.push(course);
        }
        report.counters.bodies = ids.len() as u64;
        let mut predicted = Self {
            stage: Stage::Begun,
            dt,
            disturbed: vec![dt != world.last_dt; ids.len()],
            levels: vec![u32::MAX; ids.len()],
            neighbours: Vec::new(),
            crowded: vec![false; ids.len()],
            landings: BTreeMap::new(),
            set_down: BTreeMap::new(),
            uncertified: Vec::new(),
            carried: carried_in(world, &ids),
            ids,
            courses,
            candidates: CandidatePairs::default(),
            close: BTreeMap::new(),
            report,
        };
        for k in predicted.carry(world, 0.0, None) {
            // Predicted like the others, and not changed since.
            predicted.courses[k as usize].version = 0;
        }
        predicted
    }

    /// The body with the dense number `k`.
    pub(super) fn body<'w>(&self, world: &'w World, k: u32) -> &'w Body {
        match &world.slots[self.ids[k as usize].index as usize].body {
            Some(body) => body,
            None => unreachable!("bodies are only removed between steps, and that ends the step in progress"),
        }
    }

    pub(super) fn key(&self, pair: Pair) -> PairKey {
        PairKey::new(self.ids[pair.0 as usize], self.ids[pair.1 as usize])
    }

    /// Pairs that may meet, or be within the contact threshold, on the predicted motions.
    pub(super) fn find_candidates(&mut self, world: &World) {
        for k in 0..self.courses.len() as u32 {
            self.update_swept(world, k, 0.0);
        }
        self.candidates = self.overlapping_sweeps(world);
        self.report.counters.candidate_pairs = self.candidates.len() as u64;
    }

    /// The pairs whose swept volumes overlap, of bodies that may meet.
    pub(super) fn overlapping_sweeps(&self, world: &World) -> CandidatePairs {
        let boxes: Vec<Aabb> = self.courses.iter().map(|c| c.swept).collect();
        let meets = |a: u32, b: u32| self.body(world, a).meets(self.body(world, b));
        match world.settings.broad_phase {
            BroadPhaseMethod::Tree => broad::tree::find_pairs(&boxes, meets),
            BroadPhaseMethod::Grid => broad::grid::find_pairs(&boxes, meets),
            BroadPhaseMethod::Brute => broad::brute::find_pairs(&boxes, meets),
        }
    }

    /// Sets the volume that the body covers from time `t` to the end of the step, with half the contact threshold around it.
    pub(super) fn update_swept(&mut self, world: &World, k: u32, t: Real) {
        let body = self.body(world, k);
        let course = &self.courses[k as usize];
        let motion = course.motion_from(t);
        let swept = broad::swept_aabb(&body.shape().as_solid().local_aabb(), &motion, self.dt - t);
        // At its final place a body may rest: the margin also covers what a response within the step can add.
        self.courses[k as usize].swept = swept.inflated(0.5 * world.settings.contact_threshold);
    }

    /// The contacts of all candidate pairs that are within the contact threshold now.
    pub(super) fn find_contacts(&mut self, world: &World) {
        let (threshold, search) = (world.settings.contact_threshold, world.settings.contact_search());
        let now: Vec<Aabb> = (0..self.courses.len() as u32)
            .map(|k| {
                let body = self.body(world, k);
                body.shape().as_solid().local_aabb().transformed(body.pose()).inflated(0.5 * threshold)
            })
            .collect();
        let near: Vec<Pair> = self
            .candidates
            .iter()
            .filter(|&(a, b)| now[a as usize].overlaps(&now[b as usize]) && !self.is_sensor_pair(world, (a, b)))
            .collect();
        let find = |pair: &Pair| -> (Pair, Arc<PairContacts>) {
            let (a, b) = (self.body(world, pair.0), self.body(world, pair.1));
            let mut contacts = world.contacts.get(&self.key(*pair)).cloned().unwrap_or_default();
            if !contacts.are_for(a.pose(), b.pose(), &search) {
                Arc::make_mut(&mut contacts).refresh((a.shape(), a.pose()), (b.shape(), b.pose()), &search, 0.0);
            }
            (*pair, contacts)
        };
        // Pairs are independent and gathered in their order, so the threads change no bit.
        let found: Vec<(Pair, Arc<PairContacts>)> = if world.settings.parallel && near.len() >= WORTH_THREADS {
            near.par_iter().map(find).collect()
        } else {
            near.iter().map(find).collect()
        };
        self.close = found.into_iter().filter(|(_, contacts)| !contacts.points.is_empty()).collect();
        self.note_disturbed(world);
        self.report.counters.contact_pairs = self.close.len() as u64;
        self.report.counters.contacts = self.close.values().map(|c| c.points.len() as u64).sum();
    }

    /// Takes down whose contacts have changed since the last step, come or gone.
    fn note_disturbed(&mut self, world: &World) {
        let mut unchanged = 0;
        for (&pair, contacts) in &self.close {
            if world.contacts.get(&self.key(pair)).is_some_and(|known| Arc::ptr_eq(known, contacts)) {
                unchanged += 1;
            } else {
                (self.disturbed[pair.0 as usize], self.disturbed[pair.1 as usize]) = (true, true);
            }
        }
        if unchanged == world.contacts.len() {
            return;
        }
        let numbers: BTreeMap<BodyId, usize> = self.ids.iter().copied().zip(0..).collect();
        for key in world.contacts.keys() {
            if let (Some(&a), Some(&b)) = (numbers.get(&key.a), numbers.get(&key.b))
                && !self.close.contains_key(&(a.min(b) as u32, a.max(b) as u32))
            {
                (self.disturbed[a], self.disturbed[b]) = (true, true);
            }
        }
    }

    /// Whether one of the two only notices.
    pub(super) fn is_sensor_pair(&self, world: &World, pair: Pair) -> bool {
        self.body(world, pair.0).sensor || self.body(world, pair.1).sensor
    }
}

impl World {
    /// Ends a step: what the courses lead to becomes the state.
    pub(super) fn commit(&mut self, mut stepping: Stepping) -> StepReport {
        let dt = stepping.dt;
        for (id, course) in stepping.ids.iter().zip(&stepping.courses) {
            let Some(body) = self.slots[id.index as usize].body.as_mut() else { continue };
            if body.kind == BodyKind::Static {
                continue;
            }
            let pose = course.pose_at(dt);
            if body.pose != pose {
                body.pose = pose;
                // The product of many unit quaternions drifts from unit length by rounding alone.
                body.pose.rotation.renormalize_fast();
            }
            if body.kind == BodyKind::Dynamic {
                body.linear_velocity = course.end.linear;
                body.angular_velocity = course.end.angular;
                body.stood = course.stands();
                body.owed = course.owed;
            }
        }
        self.commit_carried(&stepping);
        self.commit_contacts(&mut stepping);
        stepping.report.counters.asleep = self.bodies().filter(|(_, body)| body.is_asleep()).count() as u64;
        self.time += dt;
        self.last_dt = dt;
        stepping.report
    }

    /// Keeps the contacts at the new placements, and reports who began and ceased to touch.
    fn commit_contacts(&mut self, stepping: &mut Stepping) {
        let former = std::mem::take(&mut self.contacts);
        let (tolerance, threshold) = (self.settings.tolerance, self.settings.contact_threshold);
        let search = self.settings.contact_search();
        let mut close: Vec<(Pair, Arc<PairContacts>)> = std::mem::take(&mut stepping.close).into_iter().collect();
        let is_former = |pair: Pair, shared: &Arc<PairContacts>| {
            former.get(&stepping.key(pair)).is_some_and(|known| Arc::ptr_eq(known, shared))
        };
        let refresh = |(pair, shared): &mut (Pair, Arc<PairContacts>)| {
            if !is_former(*pair, shared) {
                let (a, b) = (stepping.body(self, pair.0), stepping.body(self, pair.1));
                let contacts = Arc::make_mut(shared);
                contacts.end_step();
                let ended = contacts.refresh((a.shape(), a.pose()), (b.shape(), b.pose()), &search, 0.0);
                contacts.hand_over(&ended);
            }
        };
        // Each pair by itself, so that the threads change no bit.
        if self.settings.parallel && close.len() >= WORTH_THREADS {
            close.par_iter_mut().for_each(refresh);
        } else {
            close.iter_mut().for_each(refresh);
        }
        let mut min_separation = Real::INFINITY;
        let pairs: Vec<Pair> = close.iter().map(|(pair, _)| *pair).collect();
        // In the order of the keys, so that the map is built at once.
        let mut kept = Vec::with_capacity(close.len());
        for (pair, mut shared) in close {
            let key = stepping.key(pair);
            if former.get(&key).is_some_and(|known| Arc::ptr_eq(known, &shared)) {
                min_separation = min_separation.min(shared.separation);
                kept.push((key, shared));
                continue;
            }
            let contacts = Arc::make_mut(&mut shared);
            min_separation = min_separation.min(contacts.separation);
            // A gap that has all but closed is too fine to be certified: the next step opens it before it moves anything.
            if contacts.separation < 2.0 * MIN_GAP_SHARE * self.settings.resting_gap() {
                self.tight.insert(key);
            }
            for id in [key.a, key.b] {
                if let Some(body) = self.slot_body_mut(id) {
                    body.stood = false;
                }
            }
            let touched = contacts.touching || contacts.separation <= tolerance;
            let was_touching = former.get(&key).is_some_and(|c| c.touching);
            contacts.touching = touched && contacts.separation <= threshold;
            if touched && !was_touching {
                stepping.report.started.push(key);
            }
            if !contacts.touching && (was_touching || touched) {
                stepping.report.ended.push(key);
            }
            if !contacts.points.is_empty() {
                kept.push((key, shared));
            }
        }
        // Whatever their contacts say: what is not certified stands, and would stand for good.
        self.tight.extend(stepping.uncertified.iter().map(|&pair| stepping.key(pair)));
        self.contacts = kept.into_iter().collect();
        self.put_to_sleep(stepping, &pairs, stepping.dt);
        for (key, contacts) in &former {
            let seen = self.contacts.contains_key(key) || stepping.report.ended.contains(key);
            if contacts.touching && !seen {
                stepping.report.ended.push(*key);
            }
        }
        stepping.report.ended.sort_unstable();
        stepping.report.min_separation = min_separation.is_finite().then_some(min_separation);
    }
}

fn predicted_course(world: &World, body: &Body, dt: Real) -> Course {
    let start = Velocity { linear: *body.linear_velocity(), angular: *body.angular_velocity() };
    let flight = Flight::new(body, body.pose(), &start, &world.settings, dt);
    let motion =
        RigidMotion { linear_velocity: flight.motion.linear, angular_velocity: flight.motion.angular, ..body.motion() };
    Course {
        origin: 0.0,
        motion,
        start,
        end: Velocity { angular: flight.last_spin, ..flight.velocity },
        tumbling: flight.tumbles.then_some(flight.velocity.angular),
        swept: Aabb::EMPTY,
        version: 0,
        impacts: 0,
        held: false,
        owed: body.owed,
    }
}

/// The course of a body that rests where it is, until something meets it.
fn resting_course(body: &Body) -> Course {
    Course { held: false, ..standing_course(body) }
}

/// The course of a body that is stopped where it is, with no velocity left.
fn standing_course(body: &Body) -> Course {
    Course {
        origin: 0.0,
        motion: body.motion().stopped(),
        start: Velocity::default(),
        end: Velocity::default(),
        tumbling: None,
        swept: Aabb::EMPTY,
        version: 0,
        impacts: 0,
        held: true,
        owed: body.owed,
    }
}
