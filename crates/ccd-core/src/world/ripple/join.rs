//! Who joins a ripple: bodies with what they would do if nothing touched them, and the contacts of a pair.

use super::felt::{approach_as_before, bear_as_before};
use super::{Joined, Joining, Kind, Ripple, ordered};
use crate::response::impulse::Velocity;
use crate::response::sequential::SolverBody;
use crate::world::flight::Flight;
use crate::world::gather::Owned;
use crate::world::stepping::{Pair, Stepping};
use crate::world::wants::At;

impl Ripple<'_> {
    /// All contacts of a body join.
    pub(super) fn surround(&mut self, stepping: &mut Stepping, k: usize) {
        if std::mem::replace(&mut self.bodies[k].surrounded, true) {
            return;
        }
        let number = self.bodies[k].number;
        let mut others = stepping.neighbours.of(number).to_vec();
        others.sort_unstable();
        for other in others {
            self.join_pair(stepping, ordered(number, other), Joining::Feels);
        }
    }

    /// A pair's contacts at this time join, unless they are there.
    pub(super) fn join_pair(&mut self, stepping: &mut Stepping, pair: Pair, joining: Joining) {
        if !self.known.insert(pair) {
            return;
        }
        for k in [pair.0, pair.1] {
            stepping.courses[k as usize].note_place(self.t);
        }
        if joining != Joining::Meets {
            stepping.refresh_contacts(self.world, &[pair], self.t);
        }
        let Some(close) = stepping.close.get(&pair) else { return };
        let has_points = !close.points.is_empty();
        let (a, b) = (self.join(stepping, pair.0), self.join(stepping, pair.1));
        let (mut contacts, mut arm) = (Vec::new(), 0.0);
        if has_points {
            let members = [&self.system.members[a], &self.system.members[b]];
            let still = Velocity::default();
            let at = At {
                t: self.t,
                crowded: self.crowded,
                a,
                b,
                inertias: [self.system.inertia(a), self.system.inertia(b)],
                starts: members.map(|m| &m.motion),
                velocities: members.map(|m| &m.velocity),
                motions: members.map(|m| &m.motion),
                // They are in the motions already.
                forced: [&still; 2],
            };
            arm = stepping.pair_contacts(self.world, pair, &at, &mut contacts);
        }
        if joining == Joining::Feels {
            let bodies = [&self.bodies[a], &self.bodies[b]];
            contacts.iter_mut().for_each(|c| bear_as_before(c, bodies, self.felt()));
            if self.crowded {
                self.lend_gaps(&mut contacts, &stepping.close[&pair].points);
            }
        }
        // What touches at one place may land at another.
        let landing = stepping.landings.get(&pair);
        let lands_later = contacts.is_empty() || landing.is_some_and(|landing| landing.acts_after(self.t));
        let lands_later = lands_later && self.is_to_land;
        let landing =
            if lands_later { stepping.landing_contacts(self.world, pair, self.t, (a, b)) } else { Vec::new() };
        let mut set_down = stepping.set_down_contacts(pair, self.t, (a, b));
        set_down.iter_mut().for_each(|c| approach_as_before(c, [&self.bodies[a], &self.bodies[b]]));
        // They are of several places of the bodies, and no patch together.
        let set_down =
            set_down.into_iter().enumerate().map(|(number, contact)| (Kind::SetsDown(number), vec![contact]));
        for (kind, contacts) in [(Kind::Touches, contacts), (Kind::Lands, landing)].into_iter().chain(set_down) {
            if contacts.is_empty() {
                continue;
            }
            let place = self.system.add_pair(&contacts);
            if kind == Kind::Touches && arm > 0.0 {
                self.system.resist_rolling(place, arm, &stepping.known_rolling(pair, self.t));
            }
            self.owned.push(Owned { pair, a, b });
            self.kinds.push(kind);
            for k in [a, b] {
                if self.bodies[k].movable {
                    self.bodies[k].pairs.push(place);
                }
            }
        }
    }

    /// Where the body stands in the system.
    pub(super) fn join(&mut self, stepping: &Stepping, number: u32) -> usize {
        if let Some(&place) = self.places.get(&number) {
            return place;
        }
        let course = &stepping.courses[number as usize];
        let body = stepping.body(self.world, number);
        let movable = stepping.is_movable(number);
        let inertia = course.inertia_at(body, self.t);
        let motion = Velocity { linear: course.motion.linear_velocity, angular: course.motion.angular_velocity };
        // What is held stands, whatever velocity it will have after the step.
        let (start, velocity) =
            if course.held { Default::default() } else { (course.velocity_at(body, self.t, stepping.dt), course.end) };
        let level = if movable { stepping.levels[number as usize] } else { 0 };
        let flight = if movable {
            self.free_flight(stepping, number, &start)
        } else {
            Flight { velocity: start, motion: start, ..Flight::default() }
        };
        let pushed = if movable {
            let linear = velocity.linear - flight.velocity.linear;
            Velocity { linear, angular: course.spin_to_come(body, &flight, self.t, stepping.dt) }
        } else {
            Velocity::default()
        };
        let velocity = flight.velocity + pushed;
        let place = self.system.add_body(&SolverBody { inertia, velocity, motion }, level);
        self.bodies.push(Joined {
            number,
            start,
            flight,
            former_end: velocity,
            former: motion,
            pushed,
            struck: false,
            movable,
            radius: body.reach(),
            untold: 0.0,
            surrounded: false,
            pairs: Vec::new(),
        });
        self.places.insert(number, place);
        place
    }
}
