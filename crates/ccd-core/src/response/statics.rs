//! What can stand, stands.
//!
//! Problem: friction may have several answers. Logs in a pile, let go, are held at rest by some impulses within their cones, and by others they
//! roll apart; both obey Coulomb's law at every contact. Sweeps begin with bodies that fall, slide on the way, and may end with the pile
//! that falls apart, however rough it is.
//!
//! Idea: at rest no contact slides, so that it makes no difference which way friction goes where one does. If it went with the push that
//! leaves least to move ("associated" friction, by which what slides lifts), the impulses would be the least of a convex function, the kinetic energy
//! beside what is wanted, over all cones. Sweeps find that least wherever they begin, and it is zero if any impulses hold all at rest
//! (Anitescu, 2006). So where all stood, and the sweeps would have something move, such sweeps are made from nothing. If they leave all at rest,
//! that is the answer.
//!
//! Limits: what slides or lands is left to the one answer that the sweeps come to.

use super::impulse::Velocity;
use super::sequential::{SolverContact, SweepLimits};
use super::system::System;
use super::velocities::Law;
use crate::math::{Real, Vector};

/// The sweeps are up to so many times as many as others, as long as all contacts together do not take more turns than this: large piles find what
/// holds them in few sweeps, or not at all.
const LONGER: usize = 4;
const TURNS: usize = 50_000;
/// While they change velocities by more than this share of what others are far from settled by, they are up to ten times as many, as others are
/// ([`SweepLimits::far`]): half a million turns at most.
const FINER: Real = 0.1;
/// What moves by no more than so many times what sweeps far from settled change is about to stand.
const MOVES: Real = 100.0;
/// What stands may still move by so many times what sweeps far from settled change.
const STANDS: Real = 3.0;
/// Shares of the friction there is that are tried. What is held at the edge of a cone is not held for long: what rounding lets slide is held the less
/// for it. So nobody is, if there is another way.
const SHARES: [Real; 2] = [0.9, 1.0];
/// An impulse is within its cone but for this share of it.
const ROUNDING: Real = 1e-9;
/// Friction that nothing overcomes.
const STICKS: Real = 1e6;

impl System {
    /// Replaces impulses and velocities, if anything moves, by such as leave nothing to move at any contact that pushes, if there are any within the
    /// cones; `free` are the velocities without any impulse. Returns whether it did.
    pub(super) fn try_standing(&mut self, free: &[Velocity], limits: &SweepLimits) -> bool {
        if !self.members.iter().any(|member| member.level == 0) || !self.gives_way(MOVES * limits.far) {
            return false;
        }
        let slight = STANDS * limits.far;
        let sweeps = (LONGER * limits.velocity).min(TURNS / self.contacts.len().max(1));
        let finer = SweepLimits { velocity: sweeps, far: FINER * limits.far, ..*limits };
        let former = self.state();
        self.drop_impulses(free);
        // Friction without bounds finds in a few sweeps what stands by itself, and what is to be put right where it does not.
        let frictions: Vec<Real> = self.contacts.iter().map(|c| c.friction).collect();
        self.set_frictions(frictions.iter().map(|&friction| if friction > 0.0 { STICKS } else { 0.0 }));
        let sticks = self.sweep_under(Law::Coulomb, &finer) <= limits.far;
        let holds = |share: &Real| {
            self.set_frictions(frictions.iter().map(|friction| share * friction));
            if !(self.is_lawful() && self.stands(slight)) {
                self.sweep_under(Law::Holding, &finer);
            }
            self.is_lawful() && self.stands(slight)
        };
        let stands = sticks && SHARES.iter().any(holds);
        self.set_frictions(frictions.into_iter());
        if stands {
            // To the bit, where the others agree.
            let held = self.state();
            self.sweep_under(Law::Coulomb, limits);
            if !self.stands(slight) {
                self.restore(&held);
            }
        } else {
            self.restore(&former);
        }
        stands
    }

    fn set_frictions(&mut self, frictions: impl Iterator<Item = Real>) {
        self.contacts.iter_mut().zip(frictions).for_each(|(c, friction)| c.friction = friction);
    }

    /// Whether all impulses are within their cones.
    fn is_lawful(&self) -> bool {
        let within = |(c, [load, rub1, rub2]): (&SolverContact, &[Real; 3])| {
            rub1.hypot(*rub2) <= c.friction * load * (1.0 + ROUNDING)
        };
        self.contacts.iter().zip(&self.impulses).all(within)
    }

    /// Whether bodies move over each other by more than `slight` m/s, and not only to where they may come.
    fn gives_way(&self, slight: Real) -> bool {
        self.contacts.iter().any(|c| self.motion_at(c).norm() > slight && !self.is_still(c, slight))
    }

    /// Whether every contact that pushes moves by no more than `slight` m/s otherwise than it should, and no other closes faster.
    fn stands(&self, slight: Real) -> bool {
        let stands = |(c, impulse): (&SolverContact, &[Real; 3])| {
            self.is_still(c, slight) || impulse[0] == 0.0 && self.opening(c) >= -slight
        };
        self.contacts.iter().zip(&self.impulses).all(stands)
    }

    /// Whether a contact moves by no more than `slight` m/s otherwise than it should.
    fn is_still(&self, c: &SolverContact, slight: Real) -> bool {
        (self.motion_at(c) - c.goal()).norm() <= slight
    }

    /// How much faster than it may close a contact opens, m/s.
    fn opening(&self, c: &SolverContact) -> Real {
        self.motion_at(c).dot(&c.normal) - c.least_velocity
    }

    /// The velocity of B's point relative to A's, m/s, world.
    fn motion_at(&self, c: &SolverContact) -> Vector {
        self.members[c.b].velocity.at(&c.r_b) - self.members[c.a].velocity.at(&c.r_a)
    }
}
