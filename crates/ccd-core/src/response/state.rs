//! What the sweeps change, taken down and put back.

use super::impulse::Velocity;
use super::system::System;
use crate::math::Real;

/// Impulses and velocities of a system, or what pushes its motions apart and these.
#[derive(Clone, Debug, Default)]
pub(super) struct State<const N: usize> {
    /// For each contact the parts of its impulse, N·s.
    pub impulses: Vec<[Real; N]>,
    /// For each body, m/s and rad/s.
    pub velocities: Vec<Velocity>,
    /// For each resistance to rolling the parts of its impulse, N·s; of motions none.
    pub rolls: Vec<[Real; 2]>,
}

impl System {
    /// Takes the state down.
    pub(super) fn remember(&self, state: &mut State<3>) {
        state.impulses.clone_from(&self.impulses);
        state.rolls.clone_from(&self.rolls);
        state.velocities.clear();
        state.velocities.extend(self.members.iter().map(|m| m.velocity));
    }

    /// The state now.
    pub(super) fn state(&self) -> State<3> {
        let mut state = State::default();
        self.remember(&mut state);
        state
    }

    /// Puts a state of this system back.
    pub(super) fn restore(&mut self, state: &State<3>) {
        self.impulses.clone_from(&state.impulses);
        self.rolls.clone_from(&state.rolls);
        for (member, velocity) in self.members.iter_mut().zip(&state.velocities) {
            member.velocity = *velocity;
        }
    }

    /// No contact pushes, and the members have the given velocities.
    pub fn drop_impulses(&mut self, velocities: &[Velocity]) {
        self.impulses.fill([0.0; 3]);
        self.rolls.fill([0.0; 2]);
        for (member, velocity) in self.members.iter_mut().zip(velocities) {
            member.velocity = *velocity;
        }
    }
}
