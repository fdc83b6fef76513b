//! Sweeps made conjugate: the step of each sweep, there and back, leans on the steps before it (the nonsmooth nonlinear
//! conjugate gradient method of Silcowitz-Hansen, Niebe and Erleben, 2010).
//!
//! Sweeps alone carry loads by diffusion: what n layers of bodies weigh is known after many times n² of them. A sweep is a
//! gradient step of an energy with a preconditioner, and gradient steps made conjugate need the root of that. Impulses may
//! pull, and friction leave its cone, where a step leans too far: the next sweep puts that right, and the last one always does.

use super::impulse::Velocity;
use super::row::Row;
use super::sequential::SolverContact;
use super::state::State;
use super::system::System;
use crate::math::Real;

/// The way on which sweeps lean: impulses of contacts, in `N` parts each, and what they do to the velocities of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Conjugate<const N: usize> {
    /// For each contact the parts of its impulse, N·s.
    impulses: Vec<[Real; N]>,
    /// For each body, m/s and rad/s.
    velocities: Vec<Velocity>,
    /// The size of the last sweep's step: its impulses' product with the velocities that they take away, J.
    size: Real,
}

impl<const N: usize> Conjugate<N> {
    /// After a sweep of which the step, from `former` to `now`, had the given size: goes on from it along the way so far, or
    /// forgets the way where the sweep went back on it or did not bring the whole nearer. What was not there before has no way
    /// yet.
    pub fn lean(&mut self, size: Real, former: &State<N>, now: &mut State<N>) {
        self.impulses.resize(former.impulses.len(), [0.0; N]);
        self.velocities.resize(former.velocities.len(), Velocity::default());
        let along = |((way, now), before): ((&[Real; N], &[Real; N]), &[Real; N])| -> Real {
            (0..N).map(|part| way[part] * (now[part] - before[part])).sum()
        };
        let goes_on: Real = self.impulses.iter().zip(&now.impulses).zip(&former.impulses).map(along).sum();
        let share = if size < self.size && goes_on >= 0.0 { size / self.size } else { 0.0 };
        self.size = size;
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
    pub(super) fn lean(&mut self, former: &State<3>, now: &mut State<3>, way: &mut Conjugate<3>) {
        let work = |((c, row), former): ((&SolverContact, &Row), &[Real; 3])| {
            row.work(&std::array::from_fn(|part| c.impulse[part] - former[part]))
        };
        let size = self.contacts.iter().zip(&self.rows).zip(&former.impulses).map(work).sum();
        self.remember(now);
        way.lean(size, former, now);
        self.restore(now);
    }
}
