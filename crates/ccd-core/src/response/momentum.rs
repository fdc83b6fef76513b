//! Sweeps with momentum: each sweep, there and back, begins where the ones before it would have led (Nesterov, 1983; for contacts
//! Mazhar, Heyn, Negrut and Tasora, 2015), and forgets that where it goes back on it (O'Donoghue and Candès, 2015).
//!
//! Sweeps alone carry loads by diffusion: what n layers of bodies weigh is known after many times n² of them. With momentum it
//! takes the root of that. Impulses may pull, and friction leave its cone, where a step leans too far: the next sweep puts that
//! right, and the last one always does.

use super::impulse::Velocity;
use super::state::State;
use crate::math::Real;

/// Nesterov's number: which share of its way a sweep goes on with grows with the sweeps that have gone on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace(Real);

impl Pace {
    /// The share of its way that the next sweep goes on with, after one that went along it by `along`, or back on it.
    pub fn share(&mut self, along: Real) -> Real {
        let pace = if along < 0.0 { 1.0 } else { self.0.max(1.0) };
        self.0 = 0.5 * (1.0 + (1.0 + 4.0 * pace * pace).sqrt());
        (pace - 1.0) / self.0
    }
}

/// The way on which sweeps lean: impulses of contacts, in `N` parts each, and what they do to the velocities of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Momentum<const N: usize> {
    /// For each contact the parts of its impulse, N·s.
    impulses: Vec<[Real; N]>,
    /// For each body, m/s and rad/s.
    velocities: Vec<Velocity>,
}

impl<const N: usize> Momentum<N> {
    /// How far the last sweep, from `former` to the `impulses` now, went along the way; below zero where it went back on it.
    pub fn along(&self, former: &State<N>, impulses: &[[Real; N]]) -> Real {
        let along = |((way, now), before): ((&[Real; N], &[Real; N]), &[Real; N])| -> Real {
            (0..N).map(|part| way[part] * (now[part] - before[part])).sum()
        };
        self.impulses.iter().zip(impulses).zip(&former.impulses).map(along).sum()
    }

    /// After a sweep from `former` to what is now: goes on from there by a share of the way so far. What was not there before has
    /// no way yet.
    pub fn lean(&mut self, share: Real, former: &State<N>, impulses: &mut [[Real; N]], velocities: &mut [Velocity]) {
        self.impulses.resize(impulses.len(), [0.0; N]);
        self.velocities.resize(velocities.len(), Velocity::default());
        for ((way, now), before) in self.impulses.iter_mut().zip(impulses).zip(&former.impulses) {
            for part in 0..N {
                let step = now[part] - before[part];
                let leant = share * way[part];
                now[part] += leant;
                way[part] = leant + step;
            }
        }
        for ((way, now), before) in self.velocities.iter_mut().zip(velocities).zip(&former.velocities) {
            let step = *now - *before;
            let leant = *way * share;
            *now += leant;
            *way = leant + step;
        }
    }
}
