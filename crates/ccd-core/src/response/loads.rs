//! Loads carried from the top to the ground: where to begin when little is known of a pile's loads.
//!
//! Sweeps find what a pile weighs layer by layer, and on the way tip and shear what they have loaded on one side first; the
//! friction that answers stays locked in. Loads that are carried down find each support complete: what is on top is set on
//! supports that move as they would alone, so its weight on them is known; then they are set on theirs, with that weight.

use super::impulse::Velocity;
use super::row::Giving;
use super::sequential::SweepLimits;
use super::system::System;

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
        // Who is no lower has what is above.
        let mut taken = None;
        for group in groups.iter().rev() {
            self.take_loads(&loaded, group[0].0, taken);
            taken = Some(group[0].0);
            self.settle_group(group, limits);
            for &(_, pair) in *group {
                self.load_support(pair, &mut loaded);
            }
        }
        // A support may hang on what it is only near, without a contact.
        self.take_loads(&loaded, 0, taken);
    }

    /// Gives the members from the level `lowest` on, and below those that have `taken` theirs, the velocities that they have with what is above them.
    fn take_loads(&mut self, loaded: &[Velocity], lowest: u32, taken: Option<u32>) {
        let is_due = |level: u32| level >= lowest && taken.is_none_or(|taken| level < taken);
        for (member, loaded) in self.members.iter_mut().zip(loaded).filter(|(member, _)| is_due(member.level)) {
            member.velocity = *loaded;
        }
    }

    /// Solves the pairs of one level with everything below them frozen: pushes first, friction where these leave sliding.
    fn settle_group(&mut self, group: &[(u32, usize)], limits: &SweepLimits) {
        for rubs in [false, true] {
            self.turn_level(group, limits, |system, pair, giving| system.turn_parts(pair, giving, rubs));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Point, Real, Vector};
    use crate::response::impulse::Inertia;
    use crate::response::sequential::{SolverBody, SolverContact};

    #[test]
    fn what_hangs_on_the_ground_only_by_being_near_it_gets_the_momentum_that_it_takes_from_what_pushes_it() {
        let mass = [Real::INFINITY, 1.0, 400.0];
        let bodies = [0, 1, 2].map(|k| {
            let centre = Point::new(0.0, k as Real, 0.0);
            let inertia = match k {
                0 => Inertia::immovable(centre),
                _ => Inertia { centre, inverse_mass: Vector::repeat(1.0 / mass[k]), inverse_inertia: Matrix::zeros() },
            };
            let linear = if k == 2 { -10.0 * Vector::y() } else { Vector::zeros() };
            SolverBody { inertia, velocity: Velocity { linear, ..Velocity::default() }, motion: Velocity::default() }
        });
        let contact = SolverContact::frictionless((1, 2), Vector::y(), [Vector::zeros(); 2]);
        let mut system = System::new(&bodies, &[contact], &[0, 1, 2], 1e-3);
        let limits =
            SweepLimits { velocity: 60, motion: 0, change: 1e-9, kept: 0.0, stood: false, far: 1e-3, together: true };
        system.settle_velocities(&limits);
        let [light, heavy] = [1, 2].map(|k| system.members[k].velocity.linear.y);
        assert!((light + 4000.0 / 401.0).abs() < 1e-6 && (heavy - light).abs() < 1e-6, "{light} {heavy}");
    }
}
