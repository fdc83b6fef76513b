//! Impacts within a step: continuous detection on the resolved motions, met in time order.
//!
//! Every pair that could meet has a certificate: "apart until time t", valid while neither motion changes. The earliest
//! certificate that ends within the step is a meeting: the two, and all that feel it, respond at that time, and go on with new
//! motions for the rest of the step; only pairs of bodies whose motion changed are asked again. A step ends when all
//! certificates reach its end, which is why it ends disjoint.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::report::StepError;
use super::stepping::{MIN_GAP_SHARE, Pair, Stepping};
use super::sweeps::Sweeps;
use super::{ResponseMethod, World};
use crate::contact::ContactPoint;
use crate::detection::toc::{Answered, FirstContact, Method, Moving, Toc, TocError, TocOptions, time_of_contact};
use crate::dynamics::BodyKind;
use crate::math::{Pose, Real};
use crate::motion::TimeInterval;
use crate::shape::Shape;
use crate::stats::QueryStats;

/// The smallest distance that two bodies may come to, metres per metre of their coordinates: three digits above what rounding
/// leaves of a distance between surfaces, so that apart is told from touching with certainty.
const RESOLUTION: Real = 1e-13;

/// The end of a pair's certificate.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Seconds from the start of the step.
    time: Real,
    pair: Pair,
    /// The versions of the two courses that the certificate is about.
    versions: (u32, u32),
    /// Where they meet; `None` where the search ran out of budget, or the bodies are too close to be told apart.
    contact: Option<FirstContact>,
}

impl PartialEq for Meeting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Meeting {}

impl PartialOrd for Meeting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Meeting {
    /// The heap's greatest is the earliest; ties go to the smaller pair, so that the order never depends on threads.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.pair.cmp(&self.pair)).then(other.versions.cmp(&self.versions))
    }
}

impl Stepping {
    /// Meets impacts in time order until every pair is certified apart to the end of the step.
    pub(super) fn meet_impacts(&mut self, world: &World) -> Result<(), StepError> {
        let clock = Instant::now();
        for k in 0..self.courses.len() as u32 {
            if self.courses[k as usize].version > 0 {
                self.update_swept(world, k, 0.0);
            }
        }
        self.neighbours = self.close_neighbours(world);
        let pairs = self.pairs_to_check(world);
        let mut heap: BinaryHeap<Meeting> = self.certify(world, &pairs, 0.0)?.into();
        let mut response = std::time::Duration::ZERO;
        let mut sweeps: Option<Sweeps> = None;
        while let Some(meeting) = heap.pop() {
            if meeting.versions != self.versions(meeting.pair) {
                continue;
            }
            let responding = Instant::now();
            let mut changed = self.meet(world, &meeting);
            response += responding.elapsed();

            changed.sort_unstable();
            changed.dedup();
            let sweeps = sweeps.get_or_insert_with(|| Sweeps::new(&self.courses));
            for &k in &changed {
                self.update_swept(world, k, meeting.time);
                sweeps.update(&self.courses, k);
            }
            let pairs = self.pairs_of(world, &changed, sweeps);
            heap.extend(self.certify(world, &pairs, meeting.time)?);
        }
        self.report.phases.response += response;
        self.report.phases.check += clock.elapsed().saturating_sub(response);
        Ok(())
    }

    /// For each body those that it may have contacts with.
    fn close_neighbours(&self, world: &World) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); self.courses.len()];
        for &(a, b) in self.close.keys().filter(|&&pair| !self.is_sensor_pair(world, pair)) {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        neighbours
    }

    /// What happens when a certificate ends. Returns the bodies whose motions changed.
    fn meet(&mut self, world: &World, meeting: &Meeting) -> Vec<u32> {
        let (a, b) = meeting.pair;
        let t = meeting.time;
        if self.is_sensor_pair(world, meeting.pair) {
            self.notice(meeting);
            return Vec::new();
        }
        let exhausted = |s: &Self, k: u32| s.courses[k as usize].impacts >= world.settings.max_impacts_per_body;
        for k in [a, b] {
            self.courses[k as usize].impacts += 1;
        }
        let can_respond = self.is_movable(world, a) || self.is_movable(world, b);
        if meeting.contact.is_none() || !can_respond || exhausted(self, a) && exhausted(self, b) {
            return self.hold_pair(world, meeting.pair, t);
        }
        let mut changed = Vec::new();
        for k in [a, b] {
            if self.is_movable(world, k) && exhausted(self, k) {
                self.hold(k, t);
                changed.push(k);
            }
        }
        // The whole contact of the two, not its first point alone: what lands flat must not be tipped by the impulse at one corner.
        self.close.entry(meeting.pair).or_default();
        if !self.neighbours[a as usize].contains(&b) {
            self.neighbours[a as usize].push(b);
            self.neighbours[b as usize].push(a);
        }
        if world.settings.response == ResponseMethod::Shock {
            self.refresh_contacts(world, &[meeting.pair], t);
            self.ensure_contact(meeting);
            changed.extend(self.resolve_meeting(world, meeting.pair, t));
        } else {
            let island = self.island_of(world, &[a, b]);
            self.refresh_contacts(world, &island.pairs, t);
            self.ensure_contact(meeting);
            let island = self.island_of(world, &[a, b]);
            self.respond_at(world, &island, t);
            changed.extend(&island.bodies);
        }
        changed
    }

    /// Both bodies stand for the rest of the step: time is lost, never geometry.
    fn hold_pair(&mut self, world: &World, pair: Pair, t: Real) -> Vec<u32> {
        let mut changed = Vec::new();
        for k in [pair.0, pair.1] {
            let course = &self.courses[k as usize];
            if course.held || course.motion.is_at_rest() {
                continue;
            }
            if self.body(world, k).kind() == BodyKind::Kinematic {
                self.report.crushed.push(self.ids[k as usize]);
            }
            self.hold(k, t);
            changed.push(k);
        }
        changed
    }

    fn hold(&mut self, k: u32, t: Real) {
        let dt = self.dt;
        self.courses[k as usize].hold(t, dt);
        self.report.held.push(self.ids[k as usize]);
        self.report.time_lost = self.report.time_lost.max(self.dt - t);
    }

    /// A sensor's contact: remembered for the report, without effect on the motion.
    fn notice(&mut self, meeting: &Meeting) {
        if let Some(contact) = &meeting.contact {
            let [pose_a, pose_b] = self.poses_at(meeting.pair, meeting.time);
            let close = Arc::make_mut(self.close.entry(meeting.pair).or_default());
            close.touching = true;
            close.push([&pose_a, &pose_b], contact_point(contact));
        }
    }

    /// The contacts of the pairs at time `t`; pairs that have left the contact threshold are dropped.
    pub(super) fn refresh_contacts(&mut self, world: &World, pairs: &[Pair], t: Real) {
        for &pair in pairs {
            let [pose_a, pose_b] = self.poses_at(pair, t);
            let (shape_a, shape_b) = (self.body(world, pair.0).shape(), self.body(world, pair.1).shape());
            if let Some(close) = self.close.get_mut(&pair).map(Arc::make_mut) {
                close.refresh((shape_a, &pose_a), (shape_b, &pose_b), &world.settings.contact_search(), t);
            }
        }
        for pair in pairs {
            if self.close.get(pair).is_some_and(|close| close.points.is_empty() && !close.touching) {
                self.close.remove(pair);
                for (k, other) in [(pair.0, pair.1), (pair.1, pair.0)] {
                    if let Some(neighbours) = self.neighbours.get_mut(k as usize) {
                        neighbours.retain(|&n| n != other);
                    }
                }
            }
        }
    }

    /// The meeting's own contact is among the pair's, whatever the search at an instant gave.
    fn ensure_contact(&mut self, meeting: &Meeting) {
        let Some(contact) = &meeting.contact else { return };
        let (a, b) = (&self.courses[meeting.pair.0 as usize], &self.courses[meeting.pair.1 as usize]);
        let stretch = meeting.time - a.origin.max(b.origin);
        let [pose_a, pose_b] = self.poses_at(meeting.pair, meeting.time);
        let close = Arc::make_mut(self.close.entry(meeting.pair).or_default());
        close.touching = true;
        close.stretch = Some(stretch);
        if close.points.is_empty() || close.separation > 1.5 * contact.separation.max(0.0) {
            close.push([&pose_a, &pose_b], contact_point(contact));
        }
    }

    fn poses_at(&self, pair: Pair, t: Real) -> [Pose; 2] {
        [self.courses[pair.0 as usize].pose_at(t), self.courses[pair.1 as usize].pose_at(t)]
    }

    fn versions(&self, pair: Pair) -> (u32, u32) {
        (self.courses[pair.0 as usize].version, self.courses[pair.1 as usize].version)
    }

    /// All pairs whose swept volumes overlap and of which at least one moves.
    fn pairs_to_check(&mut self, world: &World) -> Vec<Pair> {
        if self.courses.iter().any(|c| c.version > 0) {
            // Responses changed motions: the volumes that were swept on the predicted ones no longer tell.
            self.candidates = self.overlapping_sweeps(world);
        }
        self.candidates.iter().filter(|&pair| self.can_meet(pair)).collect()
    }

    /// The pairs of the given bodies (ascending) with all others, from now on.
    fn pairs_of(&self, world: &World, changed: &[u32], sweeps: &Sweeps) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for &k in changed {
            sweeps.query(&self.courses, k, |other| {
                let listed_already = other < k && changed.binary_search(&other).is_ok();
                let pair = (k.min(other), k.max(other));
                if !listed_already && self.body(world, k).meets(self.body(world, other)) && self.can_meet(pair) {
                    pairs.push(pair);
                }
            });
        }
        pairs.sort_unstable();
        pairs
    }

    fn can_meet(&self, pair: Pair) -> bool {
        !(self.courses[pair.0 as usize].motion.is_at_rest() && self.courses[pair.1 as usize].motion.is_at_rest())
    }

    /// The ends of the pairs' certificates from time `t` on, as far as they lie within the step.
    fn certify(&mut self, world: &World, pairs: &[Pair], t: Real) -> Result<Vec<Meeting>, StepError> {
        let ask = |&pair: &Pair| self.certify_pair(world, pair, t);
        // Few pairs are not worth the threads; the answers are gathered in the pairs' order either way.
        let answers: Vec<_> = if world.settings.parallel && pairs.len() >= 16 {
            pairs.par_iter().map(ask).collect()
        } else {
            pairs.iter().map(ask).collect()
        };
        let mut meetings = Vec::new();
        for (pair, answer) in pairs.iter().zip(answers) {
            let answered = answer.map_err(|error| StepError::Detection { pair: self.key(*pair), error })?;
            self.report.counters.query += answered.stats;
            self.report.counters.time_of_contact_queries += u64::from(answered.stats != QueryStats::default());
            meetings.extend(answered.answer);
        }
        Ok(meetings)
    }

    fn certify_pair(&self, world: &World, pair: Pair, t: Real) -> Result<Answered<Option<Meeting>>, TocError> {
        let rest = self.dt - t;
        let mut stats = QueryStats::default();
        if rest <= 0.0 || self.gap_outlasts(world, pair, t) || self.is_noticed(world, pair) {
            return Ok(Answered { answer: None, stats });
        }
        let (a, b) = (self.body(world, pair.0), self.body(world, pair.1));
        let motion_a = self.courses[pair.0 as usize].motion_from(t);
        let motion_b = self.courses[pair.1 as usize].motion_from(t);
        let scale = 1.0 + motion_a.centre_at(0.0).coords.amax().max(motion_b.centre_at(0.0).coords.amax());
        let goal = world.settings.resting_gap();
        let query = GapQuery {
            a: Moving::new(a.shape(), &motion_a),
            b: Moving::new(b.shape(), &motion_b),
            rest,
            tolerance: world.settings.tolerance,
            method: world.settings.detection,
            least_gap: (RESOLUTION * scale).max(MIN_GAP_SHARE * goal),
        };
        let mut found = query.ask(0.0, &mut stats)?;
        if let Toc::Contact(c) = &found.toc
            && found.tolerance <= 0.5 * goal
        {
            // The gap may have opened on the way: then they meet again at a wider one, which leaves more room to respond.
            let middle = 0.5 * c.time;
            let again = query.ask(middle, &mut stats)?;
            if again.tolerance > 2.0 * found.tolerance {
                found = again;
            }
        }
        let meeting = |time: Real, contact| Meeting { time: t + time, pair, versions: self.versions(pair), contact };
        let answer = match found.toc {
            Toc::Separated => None,
            Toc::Contact(contact) => Some(meeting(contact.time, Some(contact))),
            Toc::Undecided { safe_until } => Some(meeting(safe_until, None)),
            Toc::Overlapping(contact) => {
                let sensor = self.is_sensor_pair(world, pair);
                Some(meeting(contact.time, sensor.then_some(contact)))
            }
        };
        Ok(Answered { answer, stats })
    }

    /// Whether the pair's known gap cannot be used up within the rest of the step, by the bound on the relative motion.
    fn gap_outlasts(&self, world: &World, pair: Pair, t: Real) -> bool {
        let Some(close) = self.close.get(&pair) else { return false };
        let (a, b) = (&self.courses[pair.0 as usize], &self.courses[pair.1 as usize]);
        if close.points.is_empty() || close.time != t {
            return false;
        }
        let turning = |k: u32| {
            let body = self.body(world, k);
            let angular = self.courses[k as usize].motion.angular_velocity.norm();
            if angular == 0.0 { 0.0 } else { angular * body.shape().bounding_radius_about(&body.local_centre()) }
        };
        let speed = (a.motion.linear_velocity - b.motion.linear_velocity).norm() + turning(pair.0) + turning(pair.1);
        speed * (self.dt - t) <= 0.5 * close.separation
    }

    /// Whether a sensor has already noticed this contact in this step.
    fn is_noticed(&self, world: &World, pair: Pair) -> bool {
        self.is_sensor_pair(world, pair) && self.close.get(&pair).is_some_and(|close| close.touching)
    }
}

/// The question when a pair comes closer than it may.
struct GapQuery<'q> {
    a: Moving<'q, Shape>,
    b: Moving<'q, Shape>,
    /// Seconds from the motions' beginning to the end of the step.
    rest: Real,
    /// The distance to ask for of pairs that are further apart, metres.
    tolerance: Real,
    method: Method,
    /// Closer than this, nothing is asked.
    least_gap: Real,
}

/// The answer, and the distance that it was asked for.
struct Found {
    toc: Toc,
    tolerance: Real,
}

impl GapQuery<'_> {
    /// The first time from `start` on at which the pair is within the tolerance; or, where it is within the tolerance
    /// at `start` already, at which it has come to half the distance that it has then, which is still apart.
    fn ask(&self, start: Real, stats: &mut QueryStats) -> Result<Found, TocError> {
        let mut options =
            TocOptions { tolerance: self.tolerance, method: self.method, starts_apart: true, ..TocOptions::default() };
        loop {
            let Ok(interval) = TimeInterval::new(start, self.rest) else {
                return Ok(Found { toc: Toc::Separated, tolerance: options.tolerance });
            };
            let ask = time_of_contact(self.a, self.b, interval, &options)?;
            *stats += ask.stats;
            match ask.answer {
                Toc::Overlapping(contact)
                    if contact.separation > self.least_gap && options.tolerance > 0.5 * contact.separation =>
                {
                    options.tolerance = 0.5 * contact.separation;
                    if options.method.may_miss() {
                        options.method = Method::Auto;
                    }
                }
                toc => return Ok(Found { toc, tolerance: options.tolerance }),
            }
        }
    }
}

fn contact_point(contact: &FirstContact) -> ContactPoint {
    ContactPoint {
        point_a: contact.point_a,
        point_b: contact.point_b,
        normal: contact.normal,
        separation: contact.separation,
        features: contact.features,
    }
}
