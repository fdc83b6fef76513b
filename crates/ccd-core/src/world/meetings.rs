//! Impacts within a step: continuous detection on the resolved motions, met in time order.
//!
//! Every pair that could meet has a certificate: "apart until time t", valid while neither motion changes. The earliest
//! certificate that ends within the step is a meeting: the two, and all that feel it, respond at that time, and go on with new
//! motions for the rest of the step; only pairs of bodies whose motion changed are asked again. Meetings without a bounce are
//! resolved together with the one that is due (see [`super::landing`]). A step ends when all certificates reach its end,
//! which is why it ends disjoint.

use std::sync::Arc;
use std::time::Instant;

use super::agenda::{Agenda, Meeting};
use super::neighbours::Neighbours;
use super::report::StepError;
use super::stepping::{Pair, Stepping};
use super::sweeps::Sweeps;
use super::{ResponseMethod, World};
use crate::contact::{ContactPoint, turn_to_last_gap};
use crate::detection::closest::overlap;
use crate::dynamics::BodyKind;
use crate::math::{Pose, Real};

impl Stepping {
    /// Meets impacts in time order until every pair is certified apart to the end of the step.
    pub(super) fn meet_impacts(&mut self, world: &World) -> Result<(), StepError> {
        let clock = Instant::now();
        self.carry(world, 0.0, None);
        for k in 0..self.courses.len() as u32 {
            if self.is_led(k) {
                self.update_swept(world, k, 0.0);
            }
        }
        let mut pairs = self.pairs_to_check(world);
        pairs.retain(|&pair| !self.goes_on_noticing(world, pair));
        if pairs.is_empty() {
            self.report.phases.check += clock.elapsed();
            return Ok(());
        }
        let meetings = self.certify(world, &pairs, 0.0)?;
        if meetings.is_empty() {
            self.report.phases.check += clock.elapsed();
            return Ok(());
        }
        for meeting in &meetings {
            self.rouse_met(world, meeting.pair);
        }
        self.neighbours = Neighbours::of_pairs(self.courses.len(), self.pushing_pairs());
        let mut agenda = self.agenda();
        meetings.into_iter().for_each(|meeting| self.expect(&mut agenda, meeting));
        let mut response = std::time::Duration::ZERO;
        let mut sweeps: Option<Sweeps> = None;
        while let Some(meeting) = agenda.pop() {
            if meeting.versions != self.versions(meeting.pair) {
                continue;
            }
            if self.is_sensor_pair(meeting.pair) {
                self.notice(&meeting);
                continue;
            }
            let responding = Instant::now();
            let changed = self.meet_due(world, &meeting, &mut agenda);
            response += responding.elapsed();
            let sweeps = sweeps.get_or_insert_with(|| Sweeps::new(self));
            self.ask_again(world, &changed, meeting.time, sweeps, &mut agenda)?;
        }
        self.report.phases.response += response;
        self.report.phases.check += clock.elapsed().saturating_sub(response);
        Ok(())
    }

    /// Resolves a meeting that is due with those that can be resolved with it. Returns whose motion is another now, each once, in their order.
    fn meet_due(&mut self, world: &World, due: &Meeting, agenda: &mut Agenda) -> Vec<u32> {
        for k in [due.pair.0, due.pair.1] {
            self.courses[k as usize].note_place(due.time);
        }
        let (at_once, landings) = if self.has_company(due, agenda) {
            let at_once = self.take_simultaneous(world, due, agenda);
            (at_once, self.take_landings(world, due, agenda))
        } else {
            Default::default()
        };
        let met = at_once.iter().chain(&landings).chain([&due.pair]);
        self.level_what_stands(world, met.flat_map(|&(a, b)| [a, b]));
        let mut changed = self.meet(world, due, &at_once, &landings);
        changed.extend(self.carry(world, due.time, Some(&changed)));
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Asks the pairs of those whose motion has changed at time `t` when they meet.
    fn ask_again(
        &mut self,
        world: &World,
        changed: &[u32],
        t: Real,
        sweeps: &mut Sweeps,
        agenda: &mut Agenda,
    ) -> Result<(), StepError> {
        for &k in changed {
            self.update_swept(world, k, t);
            sweeps.update(self, k);
        }
        let pairs = self.pairs_of(world, changed, sweeps);
        for meeting in self.certify(world, &pairs, t)? {
            for (a, b) in self.rouse_met(world, meeting.pair) {
                self.neighbours.join((a, b));
                agenda.unite(a, b);
            }
            self.expect(agenda, meeting);
        }
        Ok(())
    }

    /// Nothing to meet yet, of bodies that hang together by their contacts.
    fn agenda(&self) -> Agenda {
        let mut agenda = Agenda::new((0..self.courses.len() as u32).map(|k| self.is_movable(k)).collect());
        for (a, b) in self.pushing_pairs() {
            agenda.unite(a, b);
        }
        agenda
    }

    /// What is to be met.
    fn expect(&self, agenda: &mut Agenda, meeting: Meeting) {
        if self.is_sensor_pair(meeting.pair) { agenda.push_notice(meeting) } else { agenda.push(meeting) }
    }

    /// Whether anything else that hangs together with the two of a meeting is to meet within the step. What no longer counts is let go up to there.
    fn has_company(&self, due: &Meeting, agenda: &mut Agenda) -> bool {
        let meetings = agenda.of_cluster(due);
        while let Some(next) = meetings.peek() {
            if next.pair != due.pair && next.versions == self.versions(next.pair) {
                return true;
            }
            meetings.pop();
        }
        false
    }

    /// The meetings after one that is due which can be resolved with it: of the bodies that hang together with its own, in the
    /// order of their times, up to the first that cannot.
    fn take_landings(&mut self, world: &World, due: &Meeting, agenda: &mut Agenda) -> Vec<Pair> {
        let mut landings = Vec::new();
        if world.in_force.response != ResponseMethod::Shock || !self.lands(world, due, due.time) {
            return landings;
        }
        let meetings = agenda.of_cluster(due);
        while let Some(next) = meetings.peek() {
            if next.versions == self.versions(next.pair) && next.pair != due.pair {
                if !self.lands(world, next, due.time) {
                    break;
                }
                let next = *next;
                self.note_landing(world, &next, due.time);
                self.count_meeting(next.pair);
                landings.push(next.pair);
            }
            meetings.pop();
        }
        landings
    }

    /// The meetings with one of the bodies of an impact that come before it has used up the tolerance: what lands on two bodies lands on
    /// both, and not first on the one that rounding puts first.
    fn take_simultaneous(&self, world: &World, due: &Meeting, agenda: &mut Agenda) -> Vec<Pair> {
        let Some(contact) = due.contact.as_ref().filter(|_| !self.is_crowded(due.pair)) else { return Vec::new() };
        let middle = ContactPoint::from(contact).midpoint();
        let [a, b] = [due.pair.0, due.pair.1].map(|k| self.courses[k as usize].motion_from(due.time));
        let approach = -(b.velocity_of(&middle, 0.0) - a.velocity_of(&middle, 0.0)).dot(&contact.normal);
        if approach <= self.impact_speed(world, due.pair) {
            return Vec::new();
        }
        let until = due.time + world.in_force.tolerance / approach;
        let is_shared = |k: u32| self.is_movable(k) && (k == due.pair.0 || k == due.pair.1);
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        let meetings = agenda.of_cluster(due);
        while meetings.peek().is_some_and(|next| next.time <= until) {
            let Some(next) = meetings.pop() else { break };
            if next.versions != self.versions(next.pair) || next.pair == due.pair {
                continue;
            }
            let (c, d) = next.pair;
            let joins = next.contact.is_some() && self.has_room(world, next.pair);
            if joins && (is_shared(c) || is_shared(d)) { taken.push(next.pair) } else { left.push(next) }
        }
        meetings.extend(left);
        taken
    }

    /// What happens when a certificate ends, and with it others at the same instant, and others that end in landings. Returns the bodies
    /// whose motions changed.
    fn meet(&mut self, world: &World, meeting: &Meeting, at_once: &[Pair], landings: &[Pair]) -> Vec<u32> {
        let (a, b) = meeting.pair;
        let t = meeting.time;
        self.count_meeting(meeting.pair);
        let is_exhausted = |k: u32| self.courses[k as usize].impacts >= world.in_force.max_impacts_per_body;
        let movable: Vec<u32> = [a, b].into_iter().filter(|&k| self.is_movable(k)).collect();
        let exhausted: Vec<u32> = movable.iter().copied().filter(|&k| is_exhausted(k)).collect();
        if meeting.contact.is_none() {
            self.uncertified.push(meeting.pair);
        }
        // Who cannot move responds to nothing.
        if meeting.contact.is_none() || exhausted.len() == movable.len() {
            return self.hold_pair(world, meeting.pair, t);
        }
        for &k in &exhausted {
            self.hold(world, k, t);
        }
        let mut changed = exhausted;
        // The whole contact of the two, not its first point alone: what lands flat must not be tipped by the impulse at one corner.
        self.add_close(meeting.pair);
        if world.in_force.response == ResponseMethod::Shock {
            self.refresh_contacts(world, &[meeting.pair], t);
            self.ensure_contact(world, meeting);
            let mut met = vec![meeting.pair];
            met.extend(self.there_already(world, at_once, t));
            changed.extend(self.resolve_meeting(world, &met, landings, t));
        } else {
            self.there_already(world, at_once, t);
            let island = self.island_of(&[a, b]);
            self.refresh_contacts(world, &island.pairs, t);
            self.ensure_contact(world, meeting);
            let island = self.island_of(&[a, b]);
            self.respond_at(world, &island, t);
            changed.extend(&island.bodies);
        }
        changed
    }

    /// Those of the pairs that are as good as in touch at time `t`, with their contacts.
    fn there_already(&mut self, world: &World, pairs: &[Pair], t: Real) -> Vec<Pair> {
        let mut there = Vec::new();
        for &pair in pairs {
            self.add_close(pair);
            self.refresh_contacts(world, &[pair], t);
            let close = self.close.get_mut(&pair).filter(|close| close.separation <= 2.0 * world.in_force.tolerance);
            if let Some(close) = close {
                Arc::make_mut(close).touching = true;
                self.count_meeting(pair);
                there.push(pair);
            }
        }
        there
    }

    /// Counts a meeting for those of the two who can move: everybody meets the floor.
    fn count_meeting(&mut self, pair: Pair) {
        for k in [pair.0, pair.1] {
            if self.is_movable(k) {
                self.courses[k as usize].impacts += 1;
            }
        }
    }

    /// Whether both may meet somebody once more within the step.
    pub(super) fn has_room(&self, world: &World, pair: Pair) -> bool {
        [pair.0, pair.1].iter().all(|&k| self.courses[k as usize].impacts < world.in_force.max_impacts_per_body)
    }

    /// The pair has contacts that are known, from now on.
    pub(super) fn add_close(&mut self, (a, b): Pair) {
        self.close.entry((a, b)).or_default();
        self.neighbours.join((a, b));
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
            self.hold(world, k, t);
            changed.push(k);
        }
        changed
    }

    pub(super) fn hold(&mut self, world: &World, k: u32, t: Real) {
        let dt = self.dt;
        let body = self.body(world, k);
        self.courses[k as usize].hold(body, t, dt);
        self.report.held.push(self.ids[k as usize]);
        self.report.time_lost = self.report.time_lost.max(self.dt - t);
    }

    /// Whether a sensor and what it touched are where they were, and stay there, or overlap: then its contacts are those that the world knows.
    fn goes_on_noticing(&mut self, world: &World, pair: Pair) -> bool {
        if !self.is_sensor_pair(pair) {
            return false;
        }
        let Some(known) = world.contacts.get(&self.key(pair)).filter(|known| known.touching) else { return false };
        let [a, b] = [pair.0, pair.1].map(|k| self.body(world, k));
        let is_known = known.are_for(a.pose(), b.pose(), &world.in_force.contact_search());
        let rest = self.is_at_rest(pair.0) && self.is_at_rest(pair.1);
        // Without contacts they touch only as what was found to overlap there.
        let overlapped = is_known && known.points.is_empty();
        let goes_on = is_known && rest || overlapped || overlap(a.shape(), a.pose(), b.shape(), b.pose());
        if goes_on {
            self.close.insert(pair, Arc::clone(known));
        }
        goes_on
    }

    /// A sensor's contact: remembered for the report, without effect on the motion.
    fn notice(&mut self, meeting: &Meeting) {
        if let Some(contact) = &meeting.contact {
            let [pose_a, pose_b] = self.poses_at(meeting.pair, meeting.time);
            let close = Arc::make_mut(self.close.entry(meeting.pair).or_default());
            close.touching = true;
            close.push([&pose_a, &pose_b], contact.into());
        }
    }

    /// The contacts of the pairs at time `t`; pairs that have left the contact threshold are dropped.
    pub(super) fn refresh_contacts(&mut self, world: &World, pairs: &[Pair], t: Real) {
        for &pair in pairs {
            let [motion_a, motion_b] = [pair.0, pair.1].map(|k| self.courses[k as usize].motion_from(t));
            let (shape_a, shape_b) = (self.body(world, pair.0).shape(), self.body(world, pair.1).shape());
            if let Some(close) = self.close.get_mut(&pair).map(Arc::make_mut) {
                // By the caller's threshold: what is further in a long step is for the motions that it begins with. What meets within it is
                // asked for anew at its time.
                let (then, search) = (close.time, world.settings.contact_search());
                let ended = close.refresh((shape_a, &motion_a), (shape_b, &motion_b), &search, t);
                if !ended.is_empty() {
                    self.pushed.push(pair);
                    self.keep_ended(world, pair, &ended, then, t);
                }
            }
        }
        for pair in pairs {
            let lands = self.landings.contains_key(pair) || self.set_down.contains_key(pair);
            if !lands && self.close.get(pair).is_some_and(|close| close.points.is_empty() && !close.touching) {
                self.close.remove(pair);
                self.neighbours.part(*pair);
            }
        }
    }

    /// The meeting's own contact is among the pair's, whatever the search at an instant gave.
    fn ensure_contact(&mut self, world: &World, meeting: &Meeting) {
        let Some(contact) = &meeting.contact else { return };
        let (a, b) = (&self.courses[meeting.pair.0 as usize], &self.courses[meeting.pair.1 as usize]);
        let origin = a.origin.max(b.origin);
        let stretch = meeting.time - origin;
        let motions = [a.motion_from(meeting.time), b.motion_from(meeting.time)];
        let approach = |p: &ContactPoint| {
            let [at_a, at_b] = motions.map(|motion| motion.velocity_of(&p.midpoint(), 0.0));
            -(at_b - at_a).dot(&p.normal)
        };
        let approaches = |p: &ContactPoint| approach(p) > 0.0;
        let mut own = ContactPoint::from(contact);
        let [shape_a, shape_b] = [meeting.pair.0, meeting.pair.1].map(|k| self.body(world, k).shape());
        let moving = ((shape_a, &motions[0]), (shape_b, &motions[1]));
        turn_to_last_gap(moving.0, moving.1, world.in_force.tolerance, std::slice::from_mut(&mut own));
        let is_alone =
            [meeting.pair.0, meeting.pair.1].iter().all(|&k| !self.is_movable(k) || self.neighbours.of(k).len() <= 1);
        let close = Arc::make_mut(self.close.entry(meeting.pair).or_default());
        close.touching = true;
        // Their motions began where they met last, and did not approach there; of what touches others, what these push leads back as well.
        let is_led_back = is_alone && close.stretch.is_some() && close.solved_at == origin && stretch > 0.0;
        close.pull = if is_led_back { approach(&own).max(0.0) / stretch } else { 0.0 };
        close.stretch = Some(stretch);
        let is_nearer = close.points.is_empty() || close.separation > 1.5 * own.separation.max(0.0);
        // At the rim of a face its normal may be another than that of the places that come together.
        if is_nearer || approaches(&own) && !close.points.iter().any(approaches) {
            close.push([&motions[0].start, &motions[1].start], own);
        }
    }

    pub(super) fn poses_at(&self, pair: Pair, t: Real) -> [Pose; 2] {
        [self.courses[pair.0 as usize].pose_at(t), self.courses[pair.1 as usize].pose_at(t)]
    }

    pub(super) fn versions(&self, pair: Pair) -> (u32, u32) {
        (self.courses[pair.0 as usize].version, self.courses[pair.1 as usize].version)
    }
}
