//! Loads carried from the top to the ground: where to begin when little is known of a pile's loads.
//!
//! Sweeps find what a pile weighs layer by layer, and on the way tip and shear what they have loaded on one side first; the
//! friction that answers stays locked in. Loads that are carried down find each support complete: what is on top is set on
//! supports that move as they would alone, so its weight on them is known; then they are set on theirs, with that weight.

use super::impulse::Velocity;
use super::row::Giving;
use super::sequential::SweepLimits;
use super::system::System;
use crate::math::Real;

impl System {
    /// Replaces impulses and velocities by those of loads carried down, if these come nearer to what is wanted; `free` are the
    /// velocities without any impulse. Returns whether it did.
    pub(super) fn try_loads(&mut self, free: &[Velocity], limits: &SweepLimits) -> bool {
        if !self.members.iter().any(|member| member.level == 0) {
            return false;
        }
        let cost = self.cost(free);
        let former = self.state();
        self.carry_loads(free, limits);
        let better = self.cost(free) < cost;
        if !better {
            self.restore(&former);
        }
        better
    }

    fn carry_loads(&mut self, free: &[Velocity], limits: &SweepLimits) {
        let order = self.ground_up();
        let groups: Vec<&[(u32, usize)]> = order.chunk_by(|x, y| x.0 == y.0).collect();
        self.drop_impulses(free);
        for group in &groups {
            self.settle_group(group, limits);
        }
        let alone: Vec<Velocity> = self.members.iter().map(|member| member.velocity).collect();
        self.drop_impulses(&alone);
        let mut loaded = free.to_vec();
        for group in groups.iter().rev() {
            let level = group[0].0;
            for (member, loaded) in self.members.iter_mut().zip(&loaded).filter(|(member, _)| member.level == level) {
                member.velocity = *loaded;
            }
            self.settle_group(group, limits);
            for &(_, pair) in *group {
                self.load_support(pair, &mut loaded);
            }
        }
    }

    /// Solves the pairs of one level with everything below them frozen: pushes first, friction where these leave sliding.
    fn settle_group(&mut self, group: &[(u32, usize)], limits: &SweepLimits) {
        for rubs in [false, true] {
            for _ in 0..limits.velocity {
                let turn = |system: &mut Self, pair: usize| {
                    let giving = system.pairs[pair].upper;
                    system.turn_parts(pair, giving, rubs)
                };
                let largest = group.iter().map(|&(_, pair)| turn(self, pair)).fold(0.0, Real::max);
                if largest <= limits.change {
                    break;
                }
            }
        }
    }

    /// Adds to the given velocities what the pair's impulses do to the one of its bodies that was frozen.
    fn load_support(&self, pair: usize, velocities: &mut [Velocity]) {
        let pair = &self.pairs[pair];
        let Some(support) = pair.upper.support() else { return };
        let (mut a, mut b) = (velocities[pair.a], velocities[pair.b]);
        for k in pair.contacts.clone() {
            self.rows[k].push_all(support, &mut a, &mut b, &self.impulses[k]);
        }
        for k in pair.rollings.clone() {
            self.rollings[k].push(support, &mut a, &mut b, &self.rolls[k]);
        }
        (velocities[pair.a], velocities[pair.b]) = (a, b);
    }
}

impl Giving {
    /// Who does not give way, where one of them does not.
    pub(super) fn support(self) -> Option<Self> {
        match self {
            Self::Both => None,
            Self::OnlyA => Some(Self::OnlyB),
            Self::OnlyB => Some(Self::OnlyA),
        }
    }
}
