//! Motions that stay clear: what turning does to gaps is met before it happens.
//!
//! A contact bounds the motion by the gap and the normal that it has when the motion begins. Where bodies turn, gaps bend away
//! from that line: a corner dips under, a face sweeps in, a rolling body sets down its next vertex. So the contacts are looked
//! up again where the motion leads (`ahead.rs`), and those that come too close there bound it as well (a step of Newton's method on the
//! poses at the end). What is left, and what dips in between, meets within the step.

use super::World;
use super::ahead::{Ahead, Outlook};
use super::arms::MOST;
use super::gather::Owned;
use super::landed::pushed_before;
use super::stepping::{Pair, Stepping};
use super::swing::{Swing, Swung};
use crate::math::{Real, Vector};
use crate::response::impulse::Velocity;
use crate::response::sequential::{SolverContact, SweepLimits};
use crate::response::system::System;

/// What is met ahead may bend a motion by this many times what turning can take.
const LEEWAY: Real = 4.0;
/// What stands may be bent out of the way by no more energy than it has at this share of the speed below which touching is contact.
const LIFT: Real = 0.25;

/// Sweeps over velocities for what lands; ten times as many where something heavy does.
const LANDING_SWEEPS: usize = 10;
/// They end when they change by less than this share of the speed below which touching is contact.
const LANDED: Real = 1e-3;
/// What changes by more than this share of it is far from landed.
const FAR_FROM_LANDED: Real = 2e-2;

/// What motions have to respect.
pub(super) struct Clearance {
    pub outlook: Outlook,
    pub limits: SweepLimits,
    /// Whether velocities, too, stop at what is met ahead.
    pub lands: bool,
}

impl Clearance {
    fn landing_limits(&self) -> SweepLimits {
        let far = if self.outlook.crowded { Real::INFINITY } else { FAR_FROM_LANDED * self.outlook.impact_speed };
        let change = LANDED * self.outlook.impact_speed;
        SweepLimits { velocity: LANDING_SWEEPS, motion: 0, change, far, together: false, ..self.limits }
    }

    /// Whether motions that differ from `before` do so by more energy than the least that counts.
    fn is_lifted(&self, system: &System, before: &[Velocity]) -> bool {
        system.departure_takes(before) > system.energy_with(LIFT * self.outlook.impact_speed)
    }
}

/// What bending motions has done to velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct Bent {
    /// What they changed by at once.
    pub swung: Vec<Swung>,
    /// The contacts that push, by the end of the step, at places that the motions lead to.
    pub set_down: Vec<(Owned, Vec<SolverContact>)>,
}

/// What is seen ahead, as pairs of the system behind those that it had.
struct Bounds<'a> {
    /// How many pairs it had.
    known: usize,
    /// Those whose places are near by: behind the known ones.
    near: Vec<&'a Ahead>,
    /// Those that turn far: behind these.
    turned: Vec<&'a Ahead>,
}

impl<'a> Bounds<'a> {
    fn add(system: &mut System, looks: &'a [Ahead]) -> Self {
        let known = system.pair_count();
        let (turned, near): (Vec<&Ahead>, Vec<&Ahead>) =
            looks.iter().filter(|ahead| !ahead.bounds.is_empty()).partition(|ahead| ahead.swing.is_some());
        near.iter().chain(&turned).for_each(|ahead| _ = system.add_pair(&ahead.bounds));
        Self { known, near, turned }
    }

    /// The swings of those whose motions it has taken a push to bend.
    fn swings(&self, system: &System) -> Vec<&'a Swing> {
        let places = self.known + self.near.len()..;
        let shoved = places.zip(&self.turned).filter(|(place, _)| system.has_shoved(*place));
        shoved.filter_map(|(_, ahead)| ahead.swing.as_ref()).collect()
    }
}

impl Stepping {
    /// Bends the motions of the system's members until they end clear of each other at all of `pairs`. Returns what that has
    /// done to the velocities.
    pub(super) fn keep_clear(&self, world: &World, way: &Clearance, system: &mut System, pairs: &[Owned]) -> Bent {
        let wanted = system.motions();
        let is_wedged = settle_at_contacts(way, system, &wanted);
        let straight = system.motions();
        let looks = self.looks_ahead(world, &way.outlook, system, pairs);
        if !looks.iter().any(|ahead| ahead.tight) {
            return Bent::default();
        }
        let bounds = Bounds::add(system, &looks);
        if is_wedged {
            // Sweeps over all that is wedged are not thrown away: few of its pairs are tight.
            system.go_on_settling_motions(&way.limits);
        } else {
            system.set_motions(&wanted);
            system.settle_motions(&way.limits);
        }
        let bending = looks.iter().map(|ahead| ahead.bending).fold(0.0, Real::max);
        let is_far = system.departure(&straight) > LEEWAY * (bending + way.outlook.impact_speed);
        let mut bent = Bent::default();
        if is_far || way.is_lifted(system, &straight) {
            // No turning takes or has as much: the contacts ahead are those of a deep overlap, which lead anywhere, or of
            // something light that would throw what is heavy.
            system.set_motions(&straight);
        } else if way.lands {
            let swings = bounds.swings(system);
            bent.set_down = self.set_down_ahead(way, system, &bounds);
            bent.swung = swings.into_iter().map(|swing| swing.carry_out(system)).collect();
        }
        system.truncate(bounds.known);
        bent
    }

    /// What sets down within the motion has landed by its end, and comes no further: the velocities that this leaves, and the contacts
    /// that push there. Of the pairs ahead these are then the only ones in the system.
    fn set_down_ahead(
        &self,
        way: &Clearance,
        system: &mut System,
        bounds: &Bounds,
    ) -> Vec<(Owned, Vec<SolverContact>)> {
        // Where the normal was let turn half of its way, what pushes along all of it would be a brake, and so it would where the normal turns and nobody
        // follows it.
        let bending = system.pushing_on_bends();
        let turns = |owned: &Owned| bending.contains(&(owned.a, owned.b)) || self.turns_at_many_places(owned.pair);
        let lands = |owned: &Owned| !self.has_top(owned.pair) && !turns(owned);
        let shoving = (bounds.known..).zip(&bounds.near).map(|(place, ahead)| (*ahead, system.shoving(place)));
        let landed: Vec<_> = shoving.filter(|(ahead, shoving)| !shoving.is_empty() && lands(&ahead.owned)).collect();
        system.truncate(bounds.known);
        landed.iter().for_each(|(_, shoving)| _ = system.add_pair(shoving));
        if !landed.is_empty() {
            let rest = self.dt - way.outlook.t;
            let after = landed.iter().map(|(ahead, _)| (ahead.owned.a, ahead.owned.b, ahead.lands_at / rest));
            let kept = system.set_aside(&pushed_before(system, bounds.known, after));
            system.land(&way.landing_limits());
            system.add_to_impulses(&kept);
        }
        let pushes = (bounds.known..).zip(&landed).map(|(place, (ahead, _))| (ahead.owned, system.pushing(place)));
        pushes.filter(|(_, pushing)| !pushing.is_empty()).collect()
    }

    /// Whether one of the two turns while they touch at more places than the arcs of are followed.
    fn turns_at_many_places(&self, pair: Pair) -> bool {
        let turns = |k: u32| self.courses[k as usize].start.angular != Vector::zeros();
        self.close.get(&pair).is_some_and(|close| close.points.len() > MOST) && (turns(pair.0) || turns(pair.1))
    }

    /// Whether one of the two spins as a top. The arc of its motion dips aside where its axis does not go.
    fn has_top(&self, pair: Pair) -> bool {
        [pair.0, pair.1].iter().any(|&k| self.courses[k as usize].top)
    }
}

/// Settles the `wanted` motions at the gaps of contacts as they are. Returns whether bodies are wedged.
fn settle_at_contacts(way: &Clearance, system: &mut System, wanted: &[Velocity]) -> bool {
    let is_wedged = system.settle_motions(&way.limits);
    if !way.is_lifted(system, wanted) {
        return is_wedged;
    }
    // From the ground up something heavy has given way to what it hangs on.
    system.set_motions(wanted);
    system.settle_motions_by_mass(&way.limits);
    true
}
