//! A meeting within the step, resolved as far around it as it is felt.
//!
//! Everything was solved to the end of the step before two bodies met; what the meeting changes spreads from them through
//! contacts and fades. So the system that is solved again begins with the two, and whenever a body's velocity or motion has
//! changed by more than a contact can bear, the body's other contacts join. What is not felt keeps its course, and with it
//! its certificates.

mod crush;
mod felt;
mod join;
mod motions;
mod velocities;
mod waves;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::World;
use super::flight::Flight;
use super::gather::Owned;
use super::report::Impact;
use super::resolve::slight_speed;
use super::stepping::{Pair, Stepping};
use crate::math::Real;
use crate::response::impulse::Velocity;
use crate::response::sequential::SolverContact;
use crate::response::system::{Member, System};

/// What a body's velocity may change by without its other contacts being looked at, as a share of the speed below which
/// touching is contact and not impact. Motions keep the gaps whatever velocities do, and the next step solves for these anew.
const FELT: Real = 0.03;
/// The same in a crowd that lands, where the next step has as much to do again.
const FELT_IN_A_CROWD: Real = 0.3;
/// A blow has faded where it changes velocities by less than this share of what it did at first; what approaches as slowly
/// meets as contact.
const FADED: Real = 0.02;

/// The bodies and pairs that have joined, and what has become of them.
struct Ripple<'w> {
    world: &'w World,
    /// Whether what is to land later bounds it.
    is_to_land: bool,
    /// Whether it is in a crowd that lands.
    crowded: bool,
    t: Real,
    rest: Real,
    system: System,
    /// Where each body stands in the system.
    places: BTreeMap<u32, usize>,
    bodies: Vec<Joined>,
    /// The pairs that have joined: in the order of the system's pairs.
    owned: Vec<Owned>,
    /// When each of them pushes.
    kinds: Vec<Kind>,
    /// What was found to set down later.
    set_down: Vec<(Pair, Vec<SolverContact>)>,
    /// Those pairs whose contacts have been looked at.
    known: BTreeSet<Pair>,
    impacts: Vec<Impact>,
    /// Approach speeds of those that met up to this are contact, not impact, m/s.
    impact_speed: Real,
    /// The largest change of velocity by an impact, m/s.
    blow: Real,
}

/// Why a pair joins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    /// It meets now.
    Meets,
    /// It meets later and is resolved with it.
    Lands,
    /// One of its bodies feels a meeting.
    Feels,
}

/// When contacts push.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Now.
    Touches,
    /// When the two meet, later in the step.
    Lands,
    /// Where the motion was to lead: this one of the contacts that are kept of the pair.
    SetsDown(usize),
}

/// A body in a ripple.
struct Joined {
    number: u32,
    /// The velocity now.
    start: Velocity,
    /// From there on, if nothing touched it.
    flight: Flight,
    /// The velocity at the end of the step before the meeting.
    former_end: Velocity,
    /// The motion before the meeting.
    former: Velocity,
    /// What contacts had added to the velocity by the end of the step.
    pushed: Velocity,
    /// Whether an impact has changed its velocity.
    struck: bool,
    movable: bool,
    radius: Real,
    /// Change of velocity that its other contacts have not been told of, m/s.
    untold: Real,
    /// Whether all its contacts have joined.
    surrounded: bool,
    /// Its pairs in the system.
    pairs: Vec<usize>,
}

impl Stepping {
    /// Resolves the meeting of pairs at time `t`, whose contacts are those of that time, and with it `landings`, which are to
    /// meet later; gives every body that feels it a new course. Returns the bodies whose motions changed, ascending.
    pub(super) fn resolve_meeting(&mut self, world: &World, met: &[Pair], landings: &[Pair], t: Real) -> Vec<u32> {
        let mut changed = Vec::new();
        let ripple = self.settle_ripple_uncrushed(world, met, landings, t, &mut changed);
        // In a crowd next to all is still to settle, and settles where it meets again.
        changed.extend(if ripple.crowded || !ripple.kinds.contains(&Kind::Lands) || !ripple.falls_short() {
            ripple.finish(self, met, landings)
        } else {
            // Where bodies turn far until they land, what bounds them there may bar the way out of here: they meet when they do.
            self.settle_ripple(world, met, None, t).finish(self, met, &[])
        });
        changed.sort_unstable();
        changed
    }

    /// The ripple of a meeting, with velocities and motions that bear it; and with what is to land, or nothing that is.
    fn settle_ripple<'w>(&mut self, world: &'w World, met: &[Pair], landings: Option<&[Pair]>, t: Real) -> Ripple<'w> {
        let is_to_land = landings.is_some();
        let landings = landings.unwrap_or_default();
        let mut ripple = Ripple {
            world,
            is_to_land,
            crowded: met.iter().any(|&pair| self.is_crowded(pair)),
            t,
            rest: self.dt - t,
            system: System::empty(slight_speed(&world.in_force)),
            places: BTreeMap::new(),
            bodies: Vec::new(),
            owned: Vec::new(),
            kinds: Vec::new(),
            set_down: Vec::new(),
            known: BTreeSet::new(),
            impacts: Vec::new(),
            impact_speed: met.iter().map(|&pair| self.impact_speed(world, pair)).fold(0.0, Real::max),
            blow: 0.0,
        };
        for &pair in met {
            self.raise_levels(world, pair);
            ripple.join_pair(self, pair, Joining::Meets);
        }
        for &landing in landings {
            self.raise_levels(world, landing);
            ripple.join_pair(self, landing, Joining::Lands);
        }
        for &pair in met {
            ripple.part_from_chords(self, pair);
        }
        ripple.meet(self, met, landings);
        let all: VecDeque<usize> = (0..ripple.system.pair_count()).collect();
        ripple.settle_velocities(self, all);
        ripple.settle_motions(self);
        ripple
    }

    /// What comes to stand on something stands higher than it, and so does what stands on that already.
    fn raise_levels(&mut self, world: &World, (a, b): Pair) {
        let mut reached = VecDeque::from([(a, b), (b, a)]);
        while let Some((lower, upper)) = reached.pop_front() {
            if !self.is_movable(upper) {
                continue;
            }
            let ground = if self.is_movable(lower) { self.levels[lower as usize] } else { 0 };
            let level = ground.saturating_add(1);
            let former = self.levels[upper as usize];
            // What is yet to land may be held off by what carries it already.
            let stands = self.touches(world, ordered(lower, upper)) || former == u32::MAX;
            if level < former && stands {
                self.levels[upper as usize] = level;
                let on_it = |&&next: &&u32| self.touches(world, ordered(upper, next));
                reached.extend(self.neighbours.of(upper).iter().filter(on_it).map(|&next| (upper, next)));
            }
        }
    }
}

impl Ripple<'_> {
    /// Whether what touches now comes nearer than its gap by the end of the step.
    fn falls_short(&self) -> bool {
        let gap = self.world.in_force.resting_gap();
        let touching = (0..self.kinds.len()).filter(|&pair| self.kinds[pair] == Kind::Touches);
        touching.map(|pair| self.system.lack(pair)).any(|lack| lack * self.rest > gap)
    }

    fn finish(mut self, stepping: &mut Stepping, met: &[Pair], landings: &[Pair]) -> Vec<u32> {
        self.land(stepping);
        self.apply(stepping, met, landings)
    }

    /// What lands has landed by the end of the step: its velocities stop. In a crowd much is expected to land that others keep from it; there
    /// they go on to use up their gaps, and the next step stops them.
    fn land(&mut self, stepping: &mut Stepping) {
        let lands = |place: &usize| self.kinds[*place] == Kind::Lands && !stepping.is_crowded(self.owned[*place].pair);
        let landing: Vec<usize> = (0..self.kinds.len()).filter(lands).collect();
        let landed: VecDeque<usize> = landing.into_iter().filter(|&place| self.system.stop_if_pressed(place)).collect();
        if !landed.is_empty() {
            self.settle_velocities(stepping, landed);
        }
    }

    /// Gives new courses and impulses. Those that met get a new one in any case: their certificate has ended.
    fn apply(mut self, stepping: &mut Stepping, met: &[Pair], landings: &[Pair]) -> Vec<u32> {
        let mut changed = Vec::new();
        let mut met: Vec<u32> = landings.iter().chain(met).flat_map(|&(a, b)| [a, b]).collect();
        met.sort_unstable();
        for (place, owner) in self.owned.iter().enumerate() {
            match self.kinds[place] {
                Kind::Touches => {
                    if let Some(close) = stepping.close.get_mut(&owner.pair).map(Arc::make_mut) {
                        close.solve(self.system.impulses_of(place), self.t, stepping.dt);
                        close.rolling = self.system.rolled(place);
                    }
                }
                Kind::Lands => {
                    let landed = stepping.land(owner.pair, &self.system.impulses_of(place).0, self.t);
                    self.impacts.extend(landed);
                }
                Kind::SetsDown(number) => {
                    if let [impulse] = self.system.parts_of(place) {
                        stepping.push_set_down(owner.pair, number, impulse, self.t);
                    }
                }
            }
        }
        for (k, body) in self.bodies.iter().enumerate() {
            if !body.movable {
                continue;
            }
            let Member { motion, velocity: end, .. } = &self.system.members[k];
            let has_met = met.binary_search(&body.number).is_ok();
            let moves_otherwise = has_met || body.flight.tumbles || self.moves_otherwise(k);
            let inert = stepping.body(self.world, body.number);
            let pose = stepping.courses[body.number as usize].pose_at(self.t);
            let lies = stepping.lies_on((inert, &pose), &end.angular, self.rest, stepping.pairs_around(body.number));
            let course = &mut stepping.courses[body.number as usize];
            course.lies = lies;
            let Some(motion) = course.motion_by(self.t, motion, end) else {
                stepping.report.quarantined.push(stepping.ids[body.number as usize]);
                course.give_up(inert, self.t, stepping.dt);
                changed.push(body.number);
                continue;
            };
            if moves_otherwise {
                let flight = &body.flight;
                let aside =
                    flight.aside.filter(|_| flight.is_followed(inert, &pose, end, &motion.angular_velocity, self.rest));
                course.go_on(self.t, motion, [body.start, *end]);
                course.aside = aside;
                course.end_spin(inert, &body.start, &body.flight, &end.angular, self.rest);
                changed.push(body.number);
            } else {
                course.end = *end;
            }
        }
        for (pair, contacts) in self.set_down {
            stepping.keep_set_down(self.world, pair, contacts, self.t);
        }
        stepping.tell_impacts(self.impacts);
        changed.sort_unstable();
        changed
    }

    /// What a body's velocity may change by without its other contacts being solved again, m/s.
    fn felt(&self) -> Real {
        let share = if self.crowded { FELT_IN_A_CROWD } else { FELT };
        (share * self.impact_speed).max(FADED * self.blow)
    }
}

fn ordered(a: u32, b: u32) -> Pair {
    (a.min(b), a.max(b))
}
