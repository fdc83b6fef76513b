//! A step in progress: every body's course, the candidate pairs, and the contacts.
//!
//! Bodies are numbered densely in slot order within a step; pairs are pairs of these numbers, ascending.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::carried::carried_in;
use super::contacts::PairContacts;
use super::course::{Course, velocity_of};
use super::flight::Flight;
use super::landing::Landing;
use super::neighbours::Neighbours;
use super::report::StepReport;
use super::set_down::SetDown;
use super::still::Still;
use super::{BroadPhaseMethod, World};
use crate::detection::broad::{self, CandidatePairs};
use crate::dynamics::{Body, BodyKind};
use crate::id::{BodyId, PairKey};
use crate::math::{Real, Rotation, is_finite};
use crate::motion::RigidMotion;
use crate::response::impulse::Velocity;
use crate::volume::Aabb;

/// How far a step has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    #[default]
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

/// The boxes of up to as many moving bodies are compared with all others, one by one, instead of building anything over all.
const FEW: usize = 16;

/// Two dense body numbers, ascending.
pub(super) type Pair = (u32, u32);

/// What stages ask of all bodies, all of it side by side: a body itself is a thousand bytes, and there are thousands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub kind: BodyKind,
    pub sensor: bool,
    pub asleep: bool,
    pub stood: bool,
    pub settled: bool,
}

impl Marks {
    fn of(body: &Body) -> Self {
        let Body { kind, sensor, asleep, stood, settled, .. } = *body;
        Self { kind, sensor, asleep, stood, settled }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Stepping {
    pub stage: Stage,
    /// Whether nothing happens in it (see [`super::idle`]), so that all else is empty but for what it tells.
    pub is_idle: bool,
    pub dt: Real,
    /// How often what is left of the step was made shorter for an island that is solved (see [`super::lifts`]).
    pub shortened: u32,
    pub ids: Vec<BodyId>,
    /// For each slot of the world the dense number of its body, if it has one.
    numbers: Vec<u32>,
    pub courses: Vec<Course>,
    /// For each body what is asked of all of them.
    pub marks: Vec<Marks>,
    /// Who is carried by whom, carriers before what they carry.
    pub carried: Vec<(u32, u32)>,
    pub candidates: CandidatePairs,
    /// What is known of close pairs; shared with the world's until it changes.
    pub close: BTreeMap<Pair, Arc<PairContacts>>,
    /// For each body whether it rests where it is until something meets it: two such have no contacts but those that the world knows.
    pub resting: Vec<bool>,
    /// The boxes of bodies at rest, taken from the world for the step.
    pub still: Box<Still>,
    /// For each body whether it rests where the tree of those has it.
    pub in_tree: Vec<bool>,
    /// For each body whether any of its contacts is not what it was when the last step began.
    pub disturbed: Vec<bool>,
    /// For each body the contacts between it and what cannot move, as last solved.
    pub levels: Vec<u32>,
    /// For each body whether it hangs together with what stands, all or most of it, and its level is not known yet.
    pub unlevelled: Vec<bool>,
    /// For each body those that it has an entry of `close` with, while impacts are met.
    pub neighbours: Neighbours,
    /// For each body whether its island is set aside, with its contacts.
    pub dormant: Vec<bool>,
    /// The islands that this step has taken back.
    pub roused: Vec<u32>,
    /// How many the world itself had taken back by when this was asked last.
    pub taken_back: u64,
    /// For each body whether it hangs together with a crowd that lands in this step.
    pub crowded: Vec<bool>,
    /// Meetings so far in which something that nothing moves left others nowhere to go.
    pub jams: u32,
    /// In how many meetings so far each body that nothing pushes back has done so.
    pub crushing: BTreeMap<u32, u32>,
    /// Pairs that will touch later in the step, without a bounce: expected in a crowd, or found.
    pub landings: BTreeMap<Pair, Landing>,
    /// Pairs that were found to set down within the step.
    pub set_down: BTreeMap<Pair, SetDown>,
    /// Pairs of which contacts have pushed that are no more.
    pub pushed: Vec<Pair>,
    /// Pairs that no motion of this step could be certified for.
    pub uncertified: Vec<Pair>,
    pub report: StepReport,
}

impl Stepping {
    /// A step in which nothing happens, with what it tells.
    pub(super) fn idle(report: StepReport) -> Self {
        Self { is_idle: true, dt: report.dt, report, ..Self::default() }
    }

    /// Every body's motion if it met nothing.
    pub(super) fn predict(world: &World, dt: Real) -> Self {
        let mut report = StepReport { dt, ..StepReport::default() };
        let mut ids = Vec::with_capacity(world.slots.len());
        let mut courses = Vec::with_capacity(world.slots.len());
        let mut marks = Vec::with_capacity(world.slots.len());
        let mut resting = Vec::with_capacity(world.slots.len());
        let mut is_any_carried = false;
        let mut numbers = vec![u32::MAX; world.slots.len()];
        for (id, body) in world.bodies() {
            numbers[id.index as usize] = ids.len() as u32;
            ids.push(id);
            // What stood is expected to stand again: who meets it, or what else becomes of its contacts, has it solved for as it is then.
            let stands = body.stood && body.settled && dt == world.last_dt;
            marks.push(Marks::of(body));
            is_any_carried |= body.carrier.is_some();
            let lies = body.is_asleep() || stands;
            resting.push(lies && body.settled && !body.sensor);
            if lies {
                courses.push(resting_course(body));
                continue;
            }
            let mut course = predicted_course(world, body, dt);
            let leads_to = course.motion.centre_at(dt).coords;
            let numbers = [&leads_to, &course.end.linear, &course.end.angular];
            if !(course.motion.is_finite() && numbers.into_iter().all(is_finite)) {
                course = standing_course(body);
                report.quarantined.push(id);
            }
            courses.push(course);
        }
        report.counters.bodies = ids.len() as u64;
        let mut predicted = Self {
            dt,
            numbers,
            disturbed: vec![dt != world.last_dt; ids.len()],
            levels: vec![u32::MAX; ids.len()],
            unlevelled: vec![false; ids.len()],
            crowded: vec![false; ids.len()],
            carried: if is_any_carried { carried_in(world, &ids) } else { Vec::new() },
            ids,
            courses,
            marks,
            report,
            ..Self::default()
        };
        for k in predicted.carry(world, 0.0, None) {
            // Predicted like the others, and not changed since.
            predicted.courses[k as usize].version = 0;
        }
        predicted.find_dormant(world, &resting);
        for k in (0..resting.len()).filter(|&k| !predicted.dormant[k]) {
            resting[k] = predicted.marks[k].settled && predicted.stays(k as u32);
        }
        predicted.resting = resting;
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

    /// The dense number of a body, if it is in the step.
    pub(super) fn number_of(&self, id: BodyId) -> Option<u32> {
        let k = self.numbers.get(id.index as usize).copied().filter(|&k| k != u32::MAX)?;
        (self.ids[k as usize] == id).then_some(k)
    }

    /// The dense numbers of a pair that the world knows.
    pub(super) fn pair_of(&self, key: &PairKey) -> Pair {
        let [a, b] = [key.a, key.b].map(|id| self.numbers[id.index as usize]);
        (a.min(b), a.max(b))
    }

    /// Whether it goes nowhere, and notices nothing: what a sensor rests in is looked at in every step.
    pub(super) fn stays(&self, k: u32) -> bool {
        self.is_at_rest(k) && !self.marks[k as usize].sensor
    }

    /// Whether it goes nowhere.
    pub(super) fn is_at_rest(&self, k: u32) -> bool {
        self.dormant[k as usize] || self.courses[k as usize].motion.is_at_rest()
    }

    /// Whether it had no velocity when the step began, and has none and no motion since.
    pub(super) fn stands(&self, k: u32) -> bool {
        self.dormant[k as usize] || self.courses[k as usize].stands()
    }

    /// Whether nobody has any velocity.
    pub(super) fn all_stand(&self) -> bool {
        (0..self.courses.len() as u32).all(|k| self.stands(k))
    }

    /// Whether its motion is another than was predicted.
    pub(super) fn is_led(&self, k: u32) -> bool {
        !self.dormant[k as usize] && self.courses[k as usize].version > 0
    }

    /// Whether it rested where it is when the step began, and nothing has moved it since.
    pub(super) fn has_rested(&self, k: u32) -> bool {
        self.resting[k as usize] && !self.is_led(k) && self.is_at_rest(k)
    }

    /// Whether two bodies may touch each other with effect or notice in this step.
    pub(super) fn may_touch(&self, world: &World, a: u32, b: u32) -> bool {
        let named = |k: u32| (self.ids[k as usize], self.body(world, k));
        world.may_touch(named(a), named(b))
    }

    /// Pairs that may meet, or come within the contact threshold, on the predicted motions.
    pub(super) fn find_candidates(&mut self, world: &World) {
        self.place_all(world);
        self.candidates = self.overlapping_sweeps(world, |k| self.resting[k as usize]);
        self.report.counters.candidate_pairs = self.candidates.len() as u64;
        self.rouse_who_may_be_met(world);
    }

    /// The pairs whose swept volumes overlap, of bodies that may meet and of which not both stay.
    pub(super) fn overlapping_sweeps(&self, world: &World, stays: impl Fn(u32) -> bool) -> CandidatePairs {
        let meets = |a: u32, b: u32| self.may_touch(world, a, b);
        let go: Vec<u32> = (0..self.courses.len() as u32).filter(|&k| !stays(k)).collect();
        let stays = &stays;
        let who_meets = |a: u32, b: u32| !(stays(a) && stays(b)) && meets(a, b);
        if world.in_force.broad_phase == BroadPhaseMethod::Tree && self.in_tree.contains(&true) {
            return self.overlapping_beside_what_rests(&go, stays, who_meets);
        }
        let boxes: Vec<Aabb> = self.courses.iter().map(|c| c.swept).collect();
        if go.len() <= FEW {
            return broad::brute::find_pairs_with(&boxes, &go, meets);
        }
        let meets = who_meets;
        match world.in_force.broad_phase {
            BroadPhaseMethod::Tree => broad::tree::find_pairs(&boxes, meets),
            BroadPhaseMethod::Grid => broad::grid::find_pairs(&boxes, meets),
            BroadPhaseMethod::Brute => broad::brute::find_pairs(&boxes, meets),
        }
    }

    /// The same of all but those that `stays` in the tree of what rests, and of those that `go` with these.
    fn overlapping_beside_what_rests(
        &self,
        go: &[u32],
        stays: impl Fn(u32) -> bool,
        meets: impl Fn(u32, u32) -> bool,
    ) -> CandidatePairs {
        let rests = |k: u32| self.is_in_tree(k) && stays(k);
        let others: Vec<u32> = (0..self.courses.len() as u32).filter(|&k| !rests(k)).collect();
        let boxes: Vec<Aabb> = others.iter().map(|&k| self.courses[k as usize].swept).collect();
        let number = |place: u32| others[place as usize];
        let among = broad::tree::find_pairs(&boxes, |i, j| meets(number(i), number(j)));
        let mut pairs: Vec<Pair> = among.iter().map(|(i, j)| (number(i), number(j))).collect();
        for &k in go {
            self.query_still(&self.courses[k as usize].swept, |other| {
                if rests(other) && meets(k.min(other), k.max(other)) {
                    pairs.push((k, other));
                }
            });
        }
        CandidatePairs::new(pairs)
    }

    /// Sets the volume that the body covers from time `t` to the end of the step, with half the contact threshold around it.
    pub(super) fn update_swept(&mut self, world: &World, k: u32, t: Real) {
        let body = self.body(world, k);
        let course = &self.courses[k as usize];
        let motion = course.motion_from(t);
        let swept = broad::swept_aabb(&body.shape().as_solid().local_aabb(), &motion, self.dt - t);
        // At its final place a body may rest: the margin also covers what a response within the step can add.
        self.courses[k as usize].swept = swept.inflated(0.5 * world.in_force.contact_threshold);
    }

    /// The pairs that have contacts which push, ascending: not those of which one only notices.
    pub(super) fn pushing_pairs(&self) -> impl Iterator<Item = Pair> + Clone {
        self.close.keys().copied().filter(|&pair| !self.is_sensor_pair(pair))
    }

    /// Whether one of the two only notices.
    pub(super) fn is_sensor_pair(&self, pair: Pair) -> bool {
        self.marks[pair.0 as usize].sensor || self.marks[pair.1 as usize].sensor
    }
}

fn predicted_course(world: &World, body: &Body, dt: Real) -> Course {
    let start = velocity_of(body);
    let flight = Flight::new(body, body.pose(), &start, &world.in_force, [dt; 2]);
    let motion =
        RigidMotion { linear_velocity: flight.motion.linear, angular_velocity: flight.motion.angular, ..body.motion() };
    Course {
        origin: 0.0,
        motion,
        start,
        end: Velocity { angular: flight.last_spin, ..flight.velocity },
        tumbling: flight.tumbles.then_some(flight.velocity.angular),
        top: flight.top.is_some(),
        aside: flight.flies_freely(body).then(Rotation::identity),
        lies: None,
        swept: Aabb::EMPTY,
        version: 0,
        impacts: 0,
        held: false,
        fixed: false,
        gave_way: false,
        owed: body.owed,
        noted: None,
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
        top: false,
        aside: None,
        lies: None,
        swept: Aabb::EMPTY,
        version: 0,
        impacts: 0,
        held: true,
        fixed: false,
        gave_way: false,
        owed: body.owed,
        noted: None,
    }
}
