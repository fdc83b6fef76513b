//! Where motions lead: how far a pair is looked at ahead, and what its contacts there ask of the motions.

use super::World;
use super::extent::{parts_wholly, rim_speed, thickness, triangles_reach, turning_spin};
use super::gather::Owned;
use super::led::is_run_through;
use super::stepping::{Pair, Stepping};
use super::swing::Swing;
use super::turned::Turned;
use crate::contact::ContactPoint;
use crate::dynamics::Body;
use crate::math::{Point, Pose, Real};
use crate::motion::RigidMotion;
use crate::response::impulse::Velocity;
use crate::response::sequential::SolverContact;
use crate::response::system::System;

/// Gaps at the end of a motion may fall to this share of the resting gap.
const ENOUGH: Real = 0.6;
/// A bend of gaps below this share of the resting gap is not worth a look.
const NEGLIGIBLE: Real = 0.2;
/// How far convex solids that turn about each other are followed by the plane between them, rad: as far as the chord of a
/// circle may stand for it.
const TURN: Real = 0.25;
/// Looks after which contacts are searched for where they would be without a turn.
const LOOKS: usize = 6;
/// A pair that has met within the step is looked at this many times as far ahead as its last motions came.
const LONGER: Real = 4.0;
/// The least look ahead, as a share of what is left of the step.
const SHORTEST: Real = 1e-4;

/// Which motions are looked at.
pub(super) struct Outlook {
    /// When they begin, seconds from the start of the step.
    pub t: Real,
    /// Approach speeds above this are impacts, which are met at their time, m/s.
    pub impact_speed: Real,
    /// Whether they are those of a crowd that lands.
    pub crowded: bool,
}

/// The contacts of a pair where its motions lead.
pub(super) struct Ahead {
    pub owned: Owned,
    pub bounds: Vec<SolverContact>,
    /// The approach speed that turning alone can have led to by then, m/s.
    pub bending: Real,
    /// Whether the pair comes too close there.
    pub tight: bool,
    /// When the first of its places is as near as it may come, if it goes on as at the end; seconds from the beginning of the motions.
    pub lands_at: Real,
    /// Of convex solids that turn far.
    pub swing: Option<Swing>,
}

/// Where a motion leads.
pub(super) struct End {
    pub pose: Pose,
    pub centre: Point,
}

/// How far ahead a pair is looked at.
#[derive(Clone, Copy)]
struct Look {
    /// Seconds from the beginning of the motions.
    time: Real,
    /// How near, metres.
    margin: Real,
    /// The approach speed that turning alone can have led to by then, m/s.
    bending: Real,
    /// Whether that can lead deeper than contacts are found in.
    turns_far: bool,
    /// Until when it cannot, seconds from the beginning of the motions.
    shallow: Real,
}

impl Look {
    /// The same at another time.
    fn at(&self, time: Real) -> Self {
        let share = time / self.time;
        Self { time, margin: self.margin * share * share, bending: self.bending * share, ..*self }
    }
}

/// What a look has found: how far it went in the end, where that leads A and B, and their contacts there.
struct Seen {
    look: Look,
    ends: [End; 2],
    contacts: Vec<ContactPoint>,
}

impl Stepping {
    /// Where the system's motions lead, of all pairs whose gaps do not follow straight lines.
    pub(super) fn looks_ahead(&self, world: &World, outlook: &Outlook, system: &System, pairs: &[Owned]) -> Vec<Ahead> {
        let look = |owned: &Owned| {
            let motions = [owned.a, owned.b].map(|k| &system.members[k].motion);
            let seen = self.contacts_ahead(world, outlook, owned, motions)?;
            Some(self.bounds_of(world, outlook, owned, motions, &seen))
        };
        world.execution_over(pairs.len()).filter_map(pairs, look)
    }

    /// What a pair asks of its motions where they lead.
    fn bounds_of(
        &self,
        world: &World,
        outlook: &Outlook,
        owned: &Owned,
        motions: [&Velocity; 2],
        seen: &Seen,
    ) -> Ahead {
        let Owned { pair, a, b } = *owned;
        let Seen { look, ends: [end_a, end_b], contacts } = seen;
        let resting = world.in_force.resting_gap();
        // What a crowd's first look leaves should not meet again within the step.
        let goal = if outlook.crowded { world.in_force.landing_gap() } else { resting };
        // What comes fast is met at its time, and what would bounce, however much of its speed is turning. But where a rim has been set
        // down it may be set down further along without that.
        let surfaces = self.surfaces(world, pair);
        let sets_down =
            surfaces.restitution() == 0.0 && self.close.get(&pair).is_some_and(|close| close.stretch.is_some());
        let slowest = outlook.impact_speed + if self.bounces(world, pair) { 0.0 } else { look.bending };
        let mut ahead = Ahead {
            owned: *owned,
            bounds: Vec::new(),
            bending: look.bending,
            tight: false,
            lands_at: look.time,
            swing: None,
        };
        for p in contacts.iter().filter(|p| !is_run_through(p, contacts)) {
            let (r_a, r_b) = (p.midpoint() - end_a.centre, p.midpoint() - end_b.centre);
            let along = (motions[1].at(&r_b) - motions[0].at(&r_a)).dot(&p.normal);
            if along < -slowest && !sets_down {
                continue;
            }
            ahead.tight |= p.separation < ENOUGH * resting;
            if p.separation < goal {
                let ago = if along < 0.0 { (goal - p.separation) / -along } else { look.time };
                ahead.lands_at = ahead.lands_at.min(look.time - ago).max(0.0);
            }
            // No more than turning can have taken: over a short look a wrong contact would throw the bodies apart.
            let least_motion = along + ((goal - p.separation) / look.time).min(look.bending + outlook.impact_speed);
            ahead.bounds.push(SolverContact {
                friction: surfaces.at(&p.features).friction,
                carried: self.running_at(world, pair, &p.normal, outlook.t),
                least_motion,
                ..SolverContact::frictionless((a, b), p.normal, [r_a, r_b])
            });
        }
        if look.turns_far && !ahead.bounds.is_empty() {
            let [middle_a, middle_b] = self.ends_of(pair, motions, outlook.t, 0.5 * look.time);
            let points = self.turned_contacts(world, owned, outlook.t, [&middle_a, &middle_b]).contacts;
            ahead.swing = Some(Swing::new(*owned, [&middle_a.centre, &middle_b.centre], points));
        }
        ahead
    }

    /// The contacts that the motions of a pair lead to; `None` where its gaps follow their straight lines.
    fn contacts_ahead(&self, world: &World, outlook: &Outlook, owned: &Owned, motions: [&Velocity; 2]) -> Option<Seen> {
        let (pair, t) = (owned.pair, outlook.t);
        let mut far = self.look_ahead(world, pair, t, motions)?;
        let straight_to = |look: Look| {
            let ends = self.ends_of(pair, motions, t, look.time);
            let contacts = self.contacts_led_to(world, pair, [&ends[0].pose, &ends[1].pose], look.margin);
            Seen { look, ends, contacts }
        };
        if !far.turns_far {
            let seen = straight_to(far);
            if !seen.contacts.is_empty() || !self.is_convex_pair(world, pair) {
                return Some(seen);
            }
            // What has slid off by then is followed for as long as it does not.
            far.turns_far = true;
        }
        let mut look = far;
        for _ in 0..LOOKS {
            let ends = self.ends_of(pair, motions, t, look.time);
            let Turned { contacts, stays } = self.turned_contacts(world, owned, t, [&ends[0], &ends[1]]);
            if !contacts.is_empty() {
                return Some(Seen { look, ends, contacts });
            }
            // As far as something is on the face.
            look = look.at(stays.max(0.5) * look.time);
        }
        Some(straight_to(Look { turns_far: false, ..far.at(far.shallow) }))
    }

    /// How far ahead to look at a pair from time `t` on; `None` where its gaps follow their straight lines.
    fn look_ahead(&self, world: &World, pair: Pair, t: Real, motions: [&Velocity; 2]) -> Option<Look> {
        let rest = self.dt - t;
        let (body_a, body_b) = (self.body(world, pair.0), self.body(world, pair.1));
        let touching: &[ContactPoint] = self.close.get(&pair).map_or(&[], |close| &close.points);
        let spin = |k: u32, body: &Body, motion: &Velocity| {
            let rotation = self.courses[k as usize].pose_at(t).rotation;
            turning_spin(body, &rotation, &motion.angular, touching).norm()
        };
        let (spin_a, spin_b) = (spin(pair.0, body_a, motions[0]), spin(pair.1, body_b, motions[1]));
        let (rim_a, rim_b) = (rim_speed(body_a, spin_a), rim_speed(body_b, spin_b));
        let sliding = (motions[1].linear - motions[0].linear).norm() + rim_a + rim_b;
        // How far the gaps can leave a straight line over the rest of the step.
        let bend = 0.5 * rest * rest * (spin_a * rim_a + spin_b * rim_b + 2.0 * spin_a.max(spin_b) * sliding);
        if bend.is_nan() || bend < NEGLIGIBLE * world.in_force.resting_gap() {
            return None;
        }
        let bodies = [(body_a, motions[0]), (body_b, motions[1])];
        if !touching.is_empty() && touching.iter().all(|p| parts_wholly(bodies, &p.normal)) {
            return None;
        }
        // Overlaps are told well while they are shallow; where the bend may lead deeper, the look is nearer.
        let dent = world.in_force.contact_search().dent();
        let told = (0.25 * thickness(body_a).min(thickness(body_b))).min(triangles_reach([body_a, body_b], dent));
        let deepest = told.max(world.in_force.contact_threshold);
        let shallow = if bend > deepest { rest * (deepest / bend).sqrt() } else { rest };
        let turning = rest.min(TURN / spin_a.max(spin_b));
        let turns_far = turning > shallow && self.is_convex_pair(world, pair);
        let mut time = if turns_far { turning } else { shallow };
        // Along sides that are all but parallel the nearest places run on faster than anything moves: how much turning takes there has shown.
        let pull = self.close.get(&pair).map_or(0.0, |close| close.pull);
        let bend = bend.max(0.5 * rest * rest * pull);
        if let Some((stretch, gap)) =
            self.close.get(&pair).and_then(|c| c.stretch.map(|stretch| (stretch, c.separation)))
        {
            // What met soon would meet as soon again, long before a place far ahead.
            let longer = if !turns_far && gap < ENOUGH * world.in_force.resting_gap() { 1.0 } else { LONGER };
            time = time.min((longer * stretch).max(SHORTEST * rest));
        }
        if time <= self.opens_until(world, pair, t, motions, bend) {
            return None;
        }
        let margin = bend * (time / rest) * (time / rest);
        Some(Look { time, margin, bending: 2.0 * margin / time, turns_far, shallow })
    }

    /// For how long after time `t` no contact of a pair that has bounced comes nearer than it is then, seconds: turning, which bends gaps by up to
    /// `bend` metres over the rest of the step, does not bring back before what parts as fast.
    fn opens_until(&self, world: &World, pair: Pair, t: Real, motions: [&Velocity; 2], bend: Real) -> Real {
        let Some(close) = self.close.get(&pair).filter(|close| !close.points.is_empty()) else { return 0.0 };
        let centres = [pair.0, pair.1].map(|k| self.courses[k as usize].motion_from(t).centre_at(0.0));
        let opening = |p: &ContactPoint| {
            let [at_a, at_b] = [0, 1].map(|side| motions[side].at(&(p.midpoint() - centres[side])));
            (at_b - at_a).dot(&p.normal)
        };
        let (slowest, rest) = (close.points.iter().map(opening).fold(Real::INFINITY, Real::min), self.dt - t);
        // What rocks slowly on one place may come down on another.
        if slowest > self.impact_speed(world, pair) { slowest * rest * rest / bend } else { 0.0 }
    }

    /// Where the motions of a pair lead within `ahead` seconds from time `t` on.
    fn ends_of(&self, pair: Pair, motions: [&Velocity; 2], t: Real, ahead: Real) -> [End; 2] {
        [(pair.0, motions[0]), (pair.1, motions[1])].map(|(k, motion)| {
            let motion = RigidMotion {
                linear_velocity: motion.linear,
                angular_velocity: motion.angular,
                ..self.courses[k as usize].motion_from(t)
            };
            End { pose: motion.pose_at(ahead), centre: motion.centre_at(ahead) }
        })
    }
}
