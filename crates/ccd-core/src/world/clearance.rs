//! Motions that stay clear: what turning does to gaps is met before it happens.
//!
//! A contact bounds the motion by the gap and the normal that it has when the motion begins. Where bodies turn, gaps bend away
//! from that line: a corner dips under, a face sweeps in, a rolling body sets down its next vertex. So the contacts are looked
//! up again where the motion leads, and those that come too close there bound it as well (a step of Newton's method on the
//! poses at the end). What is left, and what dips in between, meets within the step.

use super::World;
use super::extent::{rim_speed, thickness, triangles_reach, turning_spin};
use super::landed::pushed_before;
use super::led::is_run_through;
use super::stepping::{Pair, Stepping};
use crate::contact::ContactPoint;
use crate::dynamics::Body;
use crate::math::{Point, Pose, Real, Vector, orthonormal_basis};
use crate::motion::RigidMotion;
use crate::response::impulse::Velocity;
use crate::response::sequential::{SolverContact, SweepLimits};
use crate::response::system::System;

/// Gaps at the end of a motion may fall to this share of the resting gap.
const ENOUGH: Real = 0.6;
/// A bend of gaps below this share of the resting gap is not worth a look.
const NEGLIGIBLE: Real = 0.2;

/// What is met ahead may bend a motion by this many times what turning can take.
const LEEWAY: Real = 4.0;
/// What stands may be bent out of the way by no more energy than it has at this share of the speed below which touching is contact.
const LIFT: Real = 0.25;
/// How far convex solids that turn about each other are followed by the plane between them, rad: as far as the chord of a
/// circle may stand for it.
const TURN: Real = 0.25;
/// What approaches the plane of a swing leaves it with this share of its speed: a little less than all, so that what several
/// contacts share unevenly is no gain.
const KEPT: Real = 0.999;
/// Halvings of a look after which contacts are searched for where they would be without a turn.
const HALVINGS: usize = 6;

/// Sweeps over velocities for what lands; ten times as many where something heavy does.
const LANDING_SWEEPS: usize = 10;
/// They end when they change by less than this share of the speed below which touching is contact.
const LANDED: Real = 1e-3;
/// What changes by more than this share of it is far from landed.
const FAR_FROM_LANDED: Real = 2e-2;

/// A pair that has met within the step is looked at this many times as far ahead as its last motions came.
const LONGER: Real = 4.0;
/// The least look ahead, as a share of what is left of the step.
const SHORTEST: Real = 1e-4;

/// A pair of the world, and where its bodies stand in the system that is solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub pair: Pair,
    pub a: usize,
    pub b: usize,
}

/// What bending motions has done to velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct Bent {
    /// What they changed by at once.
    pub swung: Vec<Swung>,
    /// The contacts that push, by the end of the step, at places that the motions lead to.
    pub set_down: Vec<(Owned, Vec<SolverContact>)>,
}

/// What motions have to respect.
pub(super) struct Clearance {
    /// When the motions begin, seconds from the start of the step.
    pub t: Real,
    pub limits: SweepLimits,
    /// Whether velocities, too, stop at what is met ahead.
    pub lands: bool,
    /// Approach speeds above this are impacts, which are met at their time, m/s.
    pub impact_speed: Real,
    /// Whether it is about a crowd that lands.
    pub crowded: bool,
}

impl Clearance {
    fn landing_limits(&self) -> SweepLimits {
        let far = if self.crowded { Real::INFINITY } else { FAR_FROM_LANDED * self.impact_speed };
        let change = LANDED * self.impact_speed;
        SweepLimits { velocity: LANDING_SWEEPS, motion: 0, change, far, together: false, ..self.limits }
    }
}

impl Stepping {
    /// Bends the motions of the system's members until they end clear of each other at all of `pairs`. Returns what that has
    /// done to the velocities.
    pub(super) fn keep_clear(&self, world: &World, way: &Clearance, system: &mut System, pairs: &[Owned]) -> Bent {
        let wanted = system.motions();
        let contacts = system.pair_count();
        let mut wedged = system.settle_motions(&way.limits);
        if system.departure_takes(&wanted) > system.energy_with(LIFT * way.impact_speed) {
            // From the ground up something heavy has given way to what it hangs on.
            system.set_motions(&wanted);
            system.settle_motions_by_mass(&way.limits);
            wedged = true;
        }
        let straight = system.motions();
        let looks = self.looks_ahead(world, way, system, pairs);
        let bending = looks.iter().map(|ahead| ahead.bending).fold(0.0, Real::max);
        let mut bent = Bent::default();
        if looks.iter().any(|ahead| ahead.tight) {
            let (turned, near): (Vec<&Ahead>, Vec<&Ahead>) =
                looks.iter().filter(|ahead| !ahead.bounds.is_empty()).partition(|ahead| ahead.swing.is_some());
            near.iter().for_each(|ahead| _ = system.add_pair(&ahead.bounds));
            let first_turned = system.pair_count();
            turned.iter().for_each(|ahead| _ = system.add_pair(&ahead.bounds));
            if wedged {
                // Sweeps over all that is wedged are not thrown away: few of its pairs are tight.
                system.go_on_settling_motions(&way.limits);
            } else {
                system.set_motions(&wanted);
                system.settle_motions(&way.limits);
            }
            let is_far = system.departure(&straight) > LEEWAY * (bending + way.impact_speed);
            if is_far || system.departure_takes(&straight) > system.energy_with(LIFT * way.impact_speed) {
                // No turning takes or has as much: the contacts ahead are those of a deep overlap, which lead anywhere, or of
                // something light that would throw what is heavy.
                system.set_motions(&straight);
            } else if way.lands {
                let swings: Vec<&Swing> = (first_turned..)
                    .zip(&turned)
                    .filter(|(pair, _)| system.has_shoved(*pair))
                    .filter_map(|(_, ahead)| ahead.swing.as_ref())
                    .collect();
                // What sets down within the motion has landed by its end, and comes no further. Where the normal was let turn half of its way, what
                // pushes along all of it would be a brake.
                let bending = system.pushing_on_bends();
                let shoving = (contacts..).zip(&near).map(|(place, ahead)| (*ahead, system.shoving(place)));
                let lands = |owned: &Owned| !self.has_top(owned.pair) && !bending.contains(&(owned.a, owned.b));
                let landed: Vec<_> =
                    shoving.filter(|(ahead, shoving)| !shoving.is_empty() && lands(&ahead.owned)).collect();
                system.truncate(contacts);
                landed.iter().for_each(|(_, shoving)| _ = system.add_pair(shoving));
                if !landed.is_empty() {
                    let rest = self.dt - way.t;
                    let after = landed.iter().map(|(ahead, _)| (ahead.owned.a, ahead.owned.b, ahead.lands_at / rest));
                    let kept = system.set_aside(&pushed_before(system, contacts, after));
                    system.land(&way.landing_limits());
                    system.add_to_impulses(&kept);
                }
                let pushes = (contacts..).zip(&landed).map(|(place, (ahead, _))| (ahead.owned, system.pushing(place)));
                bent.set_down = pushes.filter(|(_, pushing)| !pushing.is_empty()).collect();
                bent.swung = swings.into_iter().map(|swing| swing.carry_out(system)).collect();
            }
            system.truncate(contacts);
        }
        bent
    }

    /// Whether one of the two spins as a top. The arc of its motion dips aside where its axis does not go.
    fn has_top(&self, pair: Pair) -> bool {
        [pair.0, pair.1].iter().any(|&k| self.courses[k as usize].top)
    }

    /// Where the motions lead, of all pairs whose gaps do not follow straight lines.
    fn looks_ahead(&self, world: &World, way: &Clearance, system: &System, pairs: &[Owned]) -> Vec<Ahead> {
        let look = |owned: &Owned| self.bounds_of(world, way, system, owned);
        world.execution_over(pairs.len()).filter_map(pairs, look)
    }

    /// The same of one pair; `None` where its gaps follow their straight lines.
    fn bounds_of(&self, world: &World, way: &Clearance, system: &System, owned: &Owned) -> Option<Ahead> {
        let Owned { pair, a, b } = *owned;
        let resting = world.in_force.resting_gap();
        // What a crowd's first look leaves should not meet again within the step.
        let goal = if way.crowded { world.in_force.landing_gap() } else { resting };
        let [motion_a, motion_b] = [a, b].map(|k| &system.members[k].motion);
        let mut look = self.look_ahead(world, way, pair, [motion_a, motion_b])?;
        let ends = |ahead: Real| {
            [(pair.0, motion_a), (pair.1, motion_b)].map(|(k, motion)| self.end_of(k, motion, way.t, ahead))
        };
        let [mut end_a, mut end_b] = ends(look.time);
        let mut contacts = Vec::new();
        if !look.turns_far {
            contacts = self.contacts_led_to(world, pair, [&end_a.pose, &end_b.pose], look.margin);
            // What has slid off by then is followed for as long as it does not.
            look.turns_far = contacts.is_empty() && self.is_convex_pair(world, pair);
        }
        if look.turns_far {
            let far = look;
            for _ in 0..HALVINGS {
                contacts = self.turned_contacts(world, owned, way.t, [&end_a, &end_b]);
                if !contacts.is_empty() {
                    break;
                }
                look = look.at(0.5 * look.time);
                [end_a, end_b] = ends(look.time);
            }
            if contacts.is_empty() {
                look = Look { turns_far: false, ..far.at(far.shallow) };
                [end_a, end_b] = ends(look.time);
                contacts = self.contacts_led_to(world, pair, [&end_a.pose, &end_b.pose], look.margin);
            }
        }
        let mut ahead = Ahead {
            owned: *owned,
            bounds: Vec::new(),
            bending: look.bending,
            tight: false,
            lands_at: look.time,
            swing: None,
        };
        // What comes fast is met at its time, and what would bounce, however much of its speed is turning. But where a rim has been set
        // down it may be set down further along without that.
        let bounces = self.bounces(world, pair);
        let sets_down = self.surfaces(world, pair).restitution() == 0.0
            && self.close.get(&pair).is_some_and(|close| close.stretch.is_some());
        let slowest = way.impact_speed + if bounces { 0.0 } else { look.bending };
        let surfaces = self.surfaces(world, pair);
        for p in contacts.iter().filter(|p| !is_run_through(p, &contacts)) {
            let (r_a, r_b) = (p.midpoint() - end_a.centre, p.midpoint() - end_b.centre);
            let along = (motion_b.at(&r_b) - motion_a.at(&r_a)).dot(&p.normal);
            if along < -slowest && !sets_down {
                continue;
            }
            ahead.tight |= p.separation < ENOUGH * resting;
            if p.separation < goal {
                let ago = if along < 0.0 { (goal - p.separation) / -along } else { look.time };
                ahead.lands_at = ahead.lands_at.min(look.time - ago).max(0.0);
            }
            // No more than turning can have taken: over a short look a wrong contact would throw the bodies apart.
            let least_motion = along + ((goal - p.separation) / look.time).min(look.bending + way.impact_speed);
            let (t1, t2) = orthonormal_basis(&p.normal);
            let slip = self.passing(world, pair, &p.normal, way.t);
            ahead.bounds.push(SolverContact {
                friction: surfaces.at(&p.features).friction,
                carried: [slip.dot(&t1), slip.dot(&t2)],
                least_motion,
                ..SolverContact::frictionless((a, b), p.normal, [r_a, r_b])
            });
        }
        if look.turns_far && !ahead.bounds.is_empty() {
            let [middle_a, middle_b] = ends(0.5 * look.time);
            let points = self.turned_contacts(world, owned, way.t, [&middle_a, &middle_b]);
            let contact = |p: &ContactPoint| {
                let arms = [p.midpoint() - middle_a.centre, p.midpoint() - middle_b.centre];
                SolverContact::frictionless((a, b), p.normal, arms)
            };
            let contacts = points.iter().map(contact).collect();
            ahead.swing = Some(Swing { owned: *owned, contacts, points });
        }
        Some(ahead)
    }

    /// How far ahead to look at a pair; `None` where its gaps follow their straight lines.
    fn look_ahead(&self, world: &World, way: &Clearance, pair: Pair, motions: [&Velocity; 2]) -> Option<Look> {
        let rest = self.dt - way.t;
        let (body_a, body_b) = (self.body(world, pair.0), self.body(world, pair.1));
        let touching: &[ContactPoint] = self.close.get(&pair).map_or(&[], |close| &close.points);
        let spin = |k: u32, body: &Body, motion: &Velocity| {
            let rotation = self.courses[k as usize].pose_at(way.t).rotation;
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
        // Overlaps are told well while they are shallow; where the bend may lead deeper, the look is nearer.
        let dent = world.in_force.contact_search().dent();
        let told = (0.25 * thickness(body_a).min(thickness(body_b))).min(triangles_reach([body_a, body_b], dent));
        let deepest = told.max(world.in_force.contact_threshold);
        let shallow = if bend > deepest { rest * (deepest / bend).sqrt() } else { rest };
        let turning = rest.min(TURN / spin_a.max(spin_b));
        let turns_far = turning > shallow && self.is_convex_pair(world, pair);
        let mut time = if turns_far { turning } else { shallow };
        if let Some((stretch, gap)) =
            self.close.get(&pair).and_then(|c| c.stretch.map(|stretch| (stretch, c.separation)))
        {
            // What met soon would meet as soon again, long before a place far ahead.
            let longer = if !turns_far && gap < ENOUGH * world.in_force.resting_gap() { 1.0 } else { LONGER };
            time = time.min((longer * stretch).max(SHORTEST * rest));
        }
        let margin = bend * (time / rest) * (time / rest);
        Some(Look { time, margin, bending: 2.0 * margin / time, turns_far, shallow })
    }

    fn end_of(&self, k: u32, motion: &Velocity, t: Real, ahead: Real) -> End {
        let motion = RigidMotion {
            linear_velocity: motion.linear,
            angular_velocity: motion.angular,
            ..self.courses[k as usize].motion_from(t)
        };
        End { pose: motion.pose_at(ahead), centre: motion.centre_at(ahead) }
    }
}

/// The contacts of a pair where its motions lead.
struct Ahead {
    owned: Owned,
    bounds: Vec<SolverContact>,
    /// The approach speed that turning alone can have led to by then, m/s.
    bending: Real,
    /// Whether the pair comes too close there.
    tight: bool,
    /// When the first of its places is as near as it may come, if it goes on as at the end; seconds from the beginning of the motions.
    lands_at: Real,
    /// Of convex solids that turn far.
    swing: Option<Swing>,
}

/// How two solids of which one goes on pushing the other round get from the one end of a look to the other: as if they met the
/// plane between them, as it is halfway, without a loss. What approached it leaves it as fast, so that at the end, where it has
/// turned as far again, they neither approach nor part; and what pushes without friction does no work but on what it pushes.
struct Swing {
    owned: Owned,
    contacts: Vec<SolverContact>,
    points: Vec<ContactPoint>,
}

/// A swing that was carried out: the impulse on B at each point, N·s, and what it did to the velocities of A and B.
#[derive(Clone, Debug)]
pub(super) struct Swung {
    pub owned: Owned,
    pub changes: [Velocity; 2],
    pub impulses: Vec<(ContactPoint, Vector)>,
}

impl Swing {
    /// Turns the velocities of the system's members.
    fn carry_out(&self, system: &mut System) -> Swung {
        let Owned { a, b, .. } = self.owned;
        let before = [a, b].map(|k| system.members[k].velocity);
        let speed = |c: &SolverContact| (before[1].at(&c.r_b) - before[0].at(&c.r_a)).dot(&c.normal);
        let contacts: Vec<SolverContact> =
            self.contacts.iter().map(|c| SolverContact { least_velocity: -KEPT * speed(c), ..*c }).collect();
        let approach = contacts.iter().any(|c| c.least_velocity > 0.0);
        let impulses = if approach { system.press_once(&contacts, LANDING_SWEEPS) } else { Vec::new() };
        let changes = [(a, before[0]), (b, before[1])].map(|(k, before)| system.members[k].velocity - before);
        Swung { owned: self.owned, changes, impulses: self.points.iter().copied().zip(impulses).collect() }
    }
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
