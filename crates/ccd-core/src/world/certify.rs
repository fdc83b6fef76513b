//! Certificates: which pairs need one, and how long each is certainly apart on the motions that its bodies have.

use super::World;
use super::agenda::Meeting;
use super::drift::Drift;
use super::report::StepError;
use super::stepping::{MIN_GAP_SHARE, Pair, Stepping};
use super::sweeps::Sweeps;
use crate::detection::dispatch::walks_two_meshes;
use crate::detection::toc::{Answered, Method, Moving, Toc, TocError, TocOptions, time_of_contact_among};
use crate::dynamics::BodyKind;
use crate::math::{Point, Real};
use crate::motion::{RigidMotion, TimeInterval, spheres_stay_apart};
use crate::shape::Shape;
use crate::stats::QueryStats;

/// The smallest distance that two bodies may come to, metres per metre of their coordinates: three digits above what rounding
/// leaves of a distance between surfaces, so that apart is told from touching with certainty.
const RESOLUTION: Real = 1e-13;

/// Like [`MIN_GAP_SHARE`], for what is pushed by a body that nothing can push back. Where there is room, the pushed body has left by then;
/// where there is none, nothing is found out by going on.
const PRESSED_GAP_SHARE: Real = 1.0 / 64.0;

/// Pairs with contacts that bound their motion may come within this share of the resting gap before they meet.
const NEAR_ENOUGH: Real = 0.6;

/// Pairs that use up less than this share of the gap that their contacts have are not asked for. Contacts have the gap along
/// their normal, which is more than the distance where edges cross beside a face: step after step, what is not asked for must
/// not add up to it.
const UNTOLD: Real = 1e-3;

impl Stepping {
    /// All pairs whose swept volumes overlap and of which at least one moves.
    pub(super) fn pairs_to_check(&mut self, world: &World) -> Vec<Pair> {
        if (0..self.courses.len() as u32).any(|k| self.is_led(k)) {
            // Responses changed motions: the volumes that were swept on the predicted ones no longer tell.
            self.candidates = self.overlapping_sweeps(world, |k| self.stays(k));
        }
        self.candidates.iter().filter(|&pair| self.can_meet(pair)).collect()
    }

    /// The pairs of the given bodies (ascending) with all others, from now on.
    pub(super) fn pairs_of(&self, world: &World, changed: &[u32], sweeps: &Sweeps) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for &k in changed {
            sweeps.query(self, k, |other| {
                let listed_already = other < k && changed.binary_search(&other).is_ok();
                let pair = (k.min(other), k.max(other));
                if !listed_already && self.may_touch(world, k, other) && self.can_meet(pair) {
                    pairs.push(pair);
                }
            });
        }
        pairs.sort_unstable();
        pairs
    }

    /// What rests was apart when it came to rest, but for what a sensor notices: that was put there, or rests in it.
    fn can_meet(&self, pair: Pair) -> bool {
        !(self.stays(pair.0) && self.stays(pair.1))
    }

    /// The ends of the pairs' certificates from time `t` on, as far as they lie within the step.
    pub(super) fn certify(&mut self, world: &World, pairs: &[Pair], t: Real) -> Result<Vec<Meeting>, StepError> {
        let ask = |&pair: &Pair| self.certify_pair(world, pair, t);
        let answers = world.execution_over(pairs.len()).map(pairs, ask);
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
        if rest <= 0.0
            || self.spheres_stay_apart(world, pair, t)
            || self.gap_outlasts(world, pair, t)
            || self.is_noticed(pair)
        {
            return Ok(Answered { answer: None, stats });
        }
        let (a, b) = (self.body(world, pair.0), self.body(world, pair.1));
        let motion_a = self.courses[pair.0 as usize].motion_from(t);
        let motion_b = self.courses[pair.1 as usize].motion_from(t);
        let scale = 1.0 + motion_a.centre_at(0.0).coords.amax().max(motion_b.centre_at(0.0).coords.amax());
        let goal = world.in_force.resting_gap();
        // Whose motions have been bounded by their gap may come near it.
        let is_known =
            self.landings.contains_key(&pair) || self.close.get(&pair).is_some_and(|close| !close.points.is_empty());
        let known = self.close.get(&pair).filter(|close| close.time == t).map(|close| close.separation);
        let query = GapQuery {
            a: Moving::new(a.shape(), &motion_a),
            b: Moving::new(b.shape(), &motion_b),
            rest,
            tolerance: if is_known { NEAR_ENOUGH * goal } else { world.in_force.tolerance },
            method: world.in_force.detection,
            resolution: RESOLUTION * scale,
            least_gap: (RESOLUTION * scale).max(self.least_gap_share(world, pair) * goal),
            gap: known.unwrap_or(Real::INFINITY),
            among: self.triangles_that_may_meet(world, pair, [&motion_a, &motion_b], t),
            notices: self.is_sensor_pair(pair),
        };
        let mut found = query.ask(0.0, &mut stats)?;
        let returns = match &found.toc {
            Toc::Contact(c) if found.tolerance <= 0.5 * goal && c.separation <= found.tolerance => Some(c.time),
            _ => found.returns,
        };
        if let Some(time) = returns {
            // The gap may have opened on the way: then they meet again at a wider one, which leaves more room to respond.
            let again = query.ask(0.5 * time, &mut stats)?;
            if again.tolerance > 2.0 * found.tolerance {
                found = again;
            }
        }
        let meeting = |time: Real, contact| Meeting { time: t + time, pair, versions: self.versions(pair), contact };
        let answer = match found.toc {
            Toc::Separated => None,
            // Who meet at its very end are apart there, and the next step's.
            Toc::Contact(contact) if contact.time >= rest => None,
            Toc::Contact(contact) => Some(meeting(contact.time, Some(contact))),
            Toc::Undecided { safe_until } => Some(meeting(safe_until, None)),
            Toc::Overlapping(contact) => Some(meeting(contact.time, query.notices.then_some(contact))),
        };
        Ok(Answered { answer, stats })
    }

    /// The share of the resting gap below which a pair may part, but not meet again.
    fn least_gap_share(&self, world: &World, (a, b): Pair) -> Real {
        let moves = |k: u32| !self.courses[k as usize].motion.is_at_rest();
        let pushes = |k: u32| self.body(world, k).kind() == BodyKind::Kinematic && moves(k);
        if pushes(a) || pushes(b) { PRESSED_GAP_SHARE } else { MIN_GAP_SHARE }
    }

    /// How far a body reaches from the centre that its motion turns it about, metres: from its own, but for what is carried on an arc.
    fn reach_of_motion(&self, world: &World, k: u32) -> Real {
        let body = self.body(world, k);
        body.reach() + (self.courses[k as usize].motion.local_centre - body.local_centre()).norm()
    }

    /// Whether the spheres about the motions' centres, which hold the bodies however they turn, stay apart over the rest of the step.
    fn spheres_stay_apart(&self, world: &World, pair: Pair, t: Real) -> bool {
        let radii = self.reach_of_motion(world, pair.0) + self.reach_of_motion(world, pair.1);
        let from = [pair.0, pair.1].map(|k| {
            let course = &self.courses[k as usize];
            (&course.motion, t - course.origin)
        });
        let near = world.in_force.tolerance.max(world.in_force.resting_gap());
        spheres_stay_apart(from, self.dt - t, radii, near)
    }

    /// Whether the pair's known gap cannot be used up within the rest of the step, by the bound on the relative motion.
    fn gap_outlasts(&self, world: &World, pair: Pair, t: Real) -> bool {
        let Some(close) = self.close.get(&pair) else { return false };
        let (a, b) = (&self.courses[pair.0 as usize], &self.courses[pair.1 as usize]);
        if close.points.is_empty() || close.time != t {
            return false;
        }
        let turning = |k: u32| match self.courses[k as usize].motion.angular_velocity.norm() {
            0.0 => 0.0,
            spin => spin * self.reach_of_motion(world, k),
        };
        let speed = (a.motion.linear_velocity - b.motion.linear_velocity).norm() + turning(pair.0) + turning(pair.1);
        speed * (self.dt - t) <= UNTOLD * close.separation
    }

    /// The pairs of triangles of two meshes that can meet between time `t` and the end of the step: those that are no further apart than
    /// the bodies drift by then. `None` where that is not known, or far.
    fn triangles_that_may_meet(
        &self,
        world: &World,
        pair: Pair,
        motions: [&RigidMotion; 2],
        t: Real,
    ) -> Option<Vec<[u32; 2]>> {
        let close = self.close.get(&pair)?;
        let [a, b] = [pair.0, pair.1].map(|k| self.body(world, k));
        if !walks_two_meshes(a.shape(), b.shape(), world.in_force.detection) {
            return None;
        }
        let drift = Drift::new(motions, self.dt - t);
        // Nothing is asked for at a wider distance than this.
        let tolerance = world.in_force.resting_gap().max(world.in_force.tolerance);
        let [pose_a, pose_b] = motions.map(|motion| &motion.start);
        close.cache().triangles_within((a.shape(), pose_a), (b.shape(), pose_b), |hull: &[Point]| {
            drift.reach(hull.iter().map(|p| pose_a * p), tolerance)
        })
    }

    /// Whether a sensor has already noticed this contact in this step.
    fn is_noticed(&self, pair: Pair) -> bool {
        self.is_sensor_pair(pair) && self.close.get(&pair).is_some_and(|close| close.touching)
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
    /// Closer than this, no two come, metres.
    resolution: Real,
    /// What is closer than this may part, but is held where it would come to half the gap, metres.
    least_gap: Real,
    /// How far apart they are known to be at the motions' beginning, metres.
    gap: Real,
    /// Of two meshes that are near each other, the pairs of triangles that can meet.
    among: Option<Vec<[u32; 2]>>,
    /// Whether one only notices the other, which may be in it.
    notices: bool,
}

/// The answer, and the distance that it was asked for.
struct Found {
    toc: Toc,
    tolerance: Real,
    /// When a pair that may only part comes to half of its gap, seconds from the motions' beginning.
    returns: Option<Real>,
}

impl GapQuery<'_> {
    /// The first time from `start` on at which the pair is within the tolerance; or, where it is within the tolerance
    /// at `start` already, at which it has come to half the distance that it has then, which is still apart. Undecided where
    /// that is the least gap already.
    fn ask(&self, start: Real, stats: &mut QueryStats) -> Result<Found, TocError> {
        let mut options = TocOptions {
            tolerance: self.tolerance,
            method: self.method,
            starts_apart: !self.notices,
            once_opened: self.tolerance,
            ..TocOptions::default()
        };
        // Who is known to be nearer than that need not be asked to be told so.
        if start == 0.0 && self.gap > self.least_gap && self.gap <= options.tolerance {
            options.tolerance = 0.5 * self.gap;
        }
        let mut is_tight = false;
        loop {
            let Ok(interval) = TimeInterval::new(start, self.rest) else {
                return Ok(Found { toc: Toc::Separated, tolerance: options.tolerance, returns: None });
            };
            let ask = time_of_contact_among(self.a, self.b, interval, &options, self.among.as_deref())?;
            *stats += ask.stats;
            match ask.answer {
                Toc::Overlapping(contact)
                    if !self.notices
                        && contact.separation > self.resolution
                        && options.tolerance > 0.5 * contact.separation =>
                {
                    is_tight = contact.separation <= self.least_gap;
                    options.tolerance = 0.5 * contact.separation;
                    if options.method.may_miss() {
                        options.method = Method::Auto;
                    }
                }
                Toc::Contact(contact) if is_tight && contact.separation <= options.tolerance => {
                    let toc = Toc::Undecided { safe_until: start };
                    return Ok(Found { toc, tolerance: options.tolerance, returns: Some(contact.time) });
                }
                toc => return Ok(Found { toc, tolerance: options.tolerance, returns: None }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::contact::{ContactCache, find_contacts};
    use crate::detection::closest::closest_within;
    use crate::geometry::mesh::samples;
    use crate::math::{Pose, Rotation, Vector};
    use proptest::prelude::*;

    const EPSILON: Real = 1e-4;

    fn vector(size: Real) -> impl Strategy<Value = Vector> {
        [-size..size, -size..size, -size..size].prop_map(Vector::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn linked_rings_miss_nothing_by_the_triangles_within_reach(
            turn in vector(1.0), gap in 0.0..0.02_f64, linear in vector(0.5), spins in [vector(0.4), vector(0.4)],
        ) {
            // The one ring's tube stands in the other's hole, next to it.
            let upright = Rotation::new(Vector::x() * (0.25 * TAU) + 0.1 * turn);
            let placed = Pose::from_parts(Vector::new(1.6 - gap, 0.0, 0.0).into(), upright);
            let (ring, rest) = (Shape::mesh(samples::ring(24, 10)).unwrap(), 1.0 / 60.0);
            let motion = |start: Pose, linear: Vector, spin: Vector| RigidMotion {
                linear_velocity: linear,
                angular_velocity: spin,
                ..RigidMotion::at_rest(start)
            };
            let (a, b) = (motion(Pose::identity(), Vector::zeros(), spins[0]), motion(placed, linear, spins[1]));
            let mut cache = ContactCache::default();
            find_contacts(&ring, &a.start, &ring, &b.start, 1e-3, &mut cache, &mut Vec::new());
            let drift = Drift::new([&a, &b], rest);
            let reach = |hull: &[Point]| drift.reach(hull.iter().map(|p| a.start * p), EPSILON);
            let among = cache.triangles_within((&ring, &a.start), (&ring, &b.start), reach);
            prop_assume!(among.is_some());
            let options = TocOptions { tolerance: EPSILON, ..TocOptions::default() };
            let interval = TimeInterval::new(0.0, rest).unwrap();
            let ask = |among: Option<&[[u32; 2]]>| {
                time_of_contact_among(Moving::new(&ring, &a), Moving::new(&ring, &b), interval, &options, among).unwrap()
            };
            let (found, by_trees) = (ask(among.as_deref()).answer, ask(None).answer);
            let until = match &found {
                Toc::Separated => rest,
                Toc::Contact(contact) => {
                    prop_assert!(contact.separation <= EPSILON);
                    contact.time
                }
                Toc::Overlapping(_) => {
                    prop_assert!(matches!(by_trees, Toc::Overlapping(_)));
                    return Ok(());
                }
                Toc::Undecided { .. } => return Err(TestCaseError::fail("undecided")),
            };
            for i in 0..=16 {
                let t = until * Real::from(i) / 16.0;
                let near = closest_within(&ring, &a.pose_at(t), &ring, &b.pose_at(t), EPSILON).unwrap();
                prop_assert!(near.is_none_or(|near| near.distance > 0.0), "they overlap at {t} s of {until} s");
            }
        }
    }
}
