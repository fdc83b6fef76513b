//! Sweeps with momentum: each sweep, there and back, begins where the ones before it would have led (Nesterov, 1983; for contacts
//! Mazhar, Heyn, Negrut and Tasora, 2015), and forgets that where it goes back on it (O'Donoghue and Candès, 2015).
//!
//! Sweeps alone carry loads by diffusion: what n layers of bodies weigh is known after many times n² of them. With momentum it
//! takes the root of that. Impulses may pull, and friction leave its cone, where a step leans too far: the next sweep puts that
//! right, and the last one always does.

use super::impulse::Velocity;
use super::state::State;
use super::system::System;
use crate::math::Real;

/// The way on which sweeps lean: impulses of contacts, in `N` parts each, and what they do to the velocities of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Momentum<const N: usize> {
    /// For each contact the parts of its impulse, N·s.
    impulses: Vec<[Real; N]>,
    /// For each body, m/s and rad/s.
    velocities: Vec<Velocity>,
    /// Nesterov's number: which share of its way a sweep goes on with grows with the sweeps that have gone on.
    pace: Real,
}

impl<const N: usize> Momentum<N> {
    /// After a sweep from `former` to `now`: goes on from it along the way so far, or forgets the way where the sweep went back
    /// on it. What was not there before has no way yet.
    pub fn lean(&mut self, former: &State<N>, now: &mut State<N>) {
        self.impulses.resize(former.impulses.len(), [0.0; N]);
        self.velocities.resize(former.velocities.len(), Velocity::default());
        let along = |((way, now), before): ((&[Real; N], &[Real; N]), &[Real; N])| -> Real {
            (0..N).map(|part| way[part] * (now[part] - before[part])).sum()
        };
        let goes_on: Real = self.impulses.iter().zip(&now.impulses).zip(&former.impulses).map(along).sum();
        let pace = if goes_on < 0.0 { 1.0 } else { self.pace.max(1.0) };
        self.pace = 0.5 * (1.0 + (1.0 + 4.0 * pace * pace).sqrt());
        let share = (pace - 1.0) / self.pace;
        for ((way, now), before) in self.impulses.iter_mut().zip(&mut now.impulses).zip(&former.impulses) {
            for part in 0..N {
                let step = now[part] - before[part];
                let leant = share * way[part];
                now[part] += leant;
                way[part] = leant + step;
            }
        }
        for ((way, now), before) in self.velocities.iter_mut().zip(&mut now.velocities).zip(&former.velocities) {
            let step = *now - *before;
            let leant = *way * share;
            *now += leant;
            *way = leant + step;
        }
    }
}

impl System {
    /// Goes on from the last sweep along the way of the sweeps so far.
    pub(super) fn lean(&mut self, former: &State<3>, now: &mut State<3>, way: &mut Momentum<3>) {
        self.remember(now);
        way.lean(former, now);
        self.restore(now);
    }
}
