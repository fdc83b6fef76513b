//! What leaves others nowhere to go: bodies that nothing pushes back, and that press others against something else.

use super::Ripple;
use crate::dynamics::BodyKind;
use crate::math::Real;
use crate::response::impulse::Velocity;
use crate::world::World;
use crate::world::stepping::{Pair, Stepping};

/// So often within a step something may leave others nowhere to go before it stops rather than crush them: a pile may make room yet.
const PATIENCE: u32 = 4;
/// Where it stopped in the step before it may so many times less often, and as many times less after each further one.
const LESS: u32 = 4;

impl Stepping {
    /// The ripple of a meeting; where what moves and nothing pushes back has left others nowhere to go in too many, that stops here for the rest of the step,
    /// and the ripple is the one without it. Who stopped is added to `stopped`.
    pub(super) fn settle_ripple_uncrushed<'w>(
        &mut self,
        world: &'w World,
        met: &[Pair],
        landings: &[Pair],
        t: Real,
        stopped: &mut Vec<u32>,
    ) -> Ripple<'w> {
        let ripple = self.settle_ripple(world, met, Some(landings), t);
        let mut crushing = ripple.who_crushes(self);
        crushing.retain(|&k| {
            let often = self.crushing.entry(k).or_default();
            *often += 1;
            *often >= PATIENCE / LESS.saturating_pow(self.body(world, k).crushing)
        });
        if crushing.is_empty() {
            return ripple;
        }
        for k in crushing {
            self.report.crushed.push(self.ids[k as usize]);
            self.hold(world, k, t);
            stopped.push(k);
        }
        self.settle_ripple(world, met, Some(landings), t)
    }
}

impl Ripple<'_> {
    /// The bodies that nothing pushes back and that push others which come further than the tolerance into what they touch: between them and something
    /// else that nothing pushes back, which goes another way, there is no room.
    fn who_crushes(&self, stepping: &Stepping) -> Vec<u32> {
        let far = self.world.in_force.tolerance / self.rest;
        let is_short = |pair: usize| self.system.lack(pair) > far;
        if !(self.system.jammed || (0..self.system.pair_count()).any(is_short)) {
            return Vec::new();
        }
        let firm: Vec<usize> = (0..self.bodies.len()).filter(|&k| !self.bodies[k].movable).collect();
        let goes_with_first = |&k: &usize| {
            let [first, other] = [firm[0], k].map(|k| (&self.system.members[k].motion, self.system.inertia(k).centre));
            first.0.angular == other.0.angular && first.0.at(&(other.1 - first.1)) == other.0.linear
        };
        if firm.iter().all(goes_with_first) {
            return Vec::new();
        }
        let is_driven = |&k: &usize| {
            let kind = stepping.body(self.world, self.bodies[k].number).kind();
            kind == BodyKind::Kinematic && self.system.members[k].motion != Velocity::default()
        };
        let pushes = |&k: &usize| {
            let is_its = |pair: &usize| [self.owned[*pair].a, self.owned[*pair].b].contains(&k);
            (0..self.owned.len()).filter(is_its).any(|pair| self.system.has_shoved(pair) || is_short(pair))
        };
        firm.iter().copied().filter(is_driven).filter(pushes).map(|k| self.bodies[k].number).collect()
    }
}
