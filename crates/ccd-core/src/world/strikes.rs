//! Impacts at an instant: who strikes whom, with which places, and who else at the same time.

use std::sync::Arc;

use super::World;
use super::contacts::PairContacts;
use super::islands::Island;
use super::report::Impact;
use super::stepping::{Pair, Stepping};
use super::wants::TOO_SMALL;
use crate::contact::ContactPoint;
use crate::dynamics::Material;
use crate::math::{Real, Vector};
use crate::response::impact::{ImpactLaw, ImpactPoint, resolve_impact};
use crate::response::impulse::{Inertia, Velocity};

/// What has met more often within a step rattles. What comes down on one edge after the other meets a handful of times.
const RATTLES: u32 = 12;
/// Whatever approaches more slowly is contact, not impact, in slow speeds.
const LEAST_IMPACT_SPEED: Real = 10.0;
/// Rounds of pairwise impacts at one instant; what is left meets again within the step.
const IMPACT_ROUNDS: usize = 32;

/// A pair that may strike, and where its bodies stand in the lists that a solve works on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Striking {
    pub pair: Pair,
    pub a: usize,
    pub b: usize,
}

impl Striking {
    pub fn new(pair: Pair, (a, b): (usize, usize)) -> Self {
        Self { pair, a, b }
    }
}

impl Stepping {
    /// Impacts at this instant: pairs in touch whose approach is faster than contact's, a few rounds in order, each with those
    /// that strike one of its bodies at the same time.
    pub(super) fn impacts_at(
        &self,
        world: &World,
        island: &Island,
        t: Real,
        inertias: &[Inertia],
        velocities: &mut [Velocity],
    ) -> Vec<Impact> {
        let mut impacts = Vec::new();
        let inertias: Vec<&Inertia> = inertias.iter().collect();
        let placed: Vec<Striking> = island.pairs.iter().map(|&pair| Striking::new(pair, island.local(pair))).collect();
        for _ in 0..IMPACT_ROUNDS {
            let reach = world.in_force.tolerance;
            let strikes = |p: &Striking, velocities: &[Velocity], reach: Real| {
                self.strikes(world, p, &inertias, velocities, reach)
            };
            let struck: Vec<Striking> =
                placed.iter().filter(|p| strikes(p, velocities, 2.0 * reach)).copied().collect();
            let before = impacts.len();
            for first in &struck {
                if !strikes(first, velocities, reach) {
                    continue;
                }
                let shares = |k: u32| self.is_movable(k) && [first.pair.0, first.pair.1].contains(&k);
                let with_it = struck.iter().filter(|p| shares(p.pair.0) || shares(p.pair.1));
                let together: Vec<Striking> =
                    with_it.filter(|p| strikes(p, velocities, 2.0 * reach)).copied().collect();
                self.impact_of(world, &together, t, &inertias, velocities, &mut impacts);
            }
            if impacts.len() == before {
                break;
            }
        }
        impacts
    }

    /// Whether a pair is within `reach` metres and approaches faster than contact does.
    pub(super) fn strikes(
        &self,
        world: &World,
        placed: &Striking,
        inertias: &[&Inertia],
        velocities: &[Velocity],
        reach: Real,
    ) -> bool {
        let threshold = self.impact_speed(world, placed.pair);
        let approach = |p: &ContactPoint| {
            let [a, b] = [placed.a, placed.b].map(|k| velocities[k].at(&(p.midpoint() - inertias[k].centre)));
            -(b - a).dot(&p.normal)
        };
        let close = self.close.get(&placed.pair).filter(|close| close.separation <= reach);
        close.is_some_and(|close| self.touching(world, close).any(|p| approach(p) > threshold))
    }

    /// The contacts of a pair in touch that take part in an impact.
    fn touching<'c>(&self, world: &World, close: &'c PairContacts) -> impl Iterator<Item = &'c ContactPoint> + use<'c> {
        let reach = 2.0 * world.in_force.tolerance;
        close.points.iter().filter(move |p| p.separation <= reach)
    }

    /// Tells impacts. Who has struck has touched within the step, however far the two are by its end.
    pub(super) fn tell_impacts(&mut self, impacts: Vec<Impact>) {
        for impact in &impacts {
            let pair = self.pair_of(&impact.pair);
            if let Some(close) = self.close.get_mut(&pair).filter(|close| !close.touching) {
                Arc::make_mut(close).touching = true;
            }
        }
        self.report.counters.impacts += impacts.len() as u64;
        self.report.impacts.extend(impacts);
    }

    /// Whether a pair bounces, place by place. What has met many times within the step rattles: its bounces get shorter without end, and
    /// end where what is near counts as touching. So does what turning brings back to where its gap is [`TOO_SMALL`].
    pub(super) fn bounces(&self, world: &World, pair: Pair) -> bool {
        let rattles = |k: u32| self.courses[k as usize].impacts > RATTLES;
        let is_back = self.close.get(&pair).is_some_and(|close| {
            close.stretch.is_some() && close.separation < TOO_SMALL * world.in_force.resting_gap()
        });
        self.surfaces(world, pair).restitution() > 0.0 && !is_back && !rattles(pair.0) && !rattles(pair.1)
    }

    /// The impact of pairs at time `t`, all at once; the velocities of their bodies change, and it is appended to `impacts`.
    pub(super) fn impact_of(
        &self,
        world: &World,
        pairs: &[Striking],
        t: Real,
        inertias: &[&Inertia],
        velocities: &mut [Velocity],
        impacts: &mut Vec<Impact>,
    ) {
        let (mut points, mut touching) = (Vec::with_capacity(4), Vec::with_capacity(4));
        for &Striking { pair, a, b } in pairs {
            let Some(close) = self.close.get(&pair) else { continue };
            let surfaces = self.surfaces(world, pair);
            let (threshold, bounces) = (self.impact_speed(world, pair), self.bounces(world, pair));
            for p in self.touching(world, close) {
                let [r_a, r_b] = [a, b].map(|k| p.midpoint() - inertias[k].centre);
                let approach = -(velocities[b].at(&r_b) - velocities[a].at(&r_a)).dot(&p.normal);
                // What has just bounced off is not there: held there, it would not bounce again.
                let has_left = p.separation > world.in_force.tolerance && approach <= threshold;
                if bounces && (has_left || approach < -threshold) {
                    continue;
                }
                let Material { friction, restitution, .. } = surfaces.at(&p.features);
                let law = ImpactLaw { friction, restitution, restitution_threshold: threshold };
                points.push(ImpactPoint {
                    a,
                    b,
                    r_a,
                    r_b,
                    normal: p.normal,
                    law,
                    goal: self.passing(world, pair, &p.normal, t),
                });
                touching.push((pair, p));
            }
        }
        let impulses = resolve_impact(inertias, velocities, &points);
        for ((pair, p), impulse) in touching.into_iter().zip(impulses).filter(|(_, j)| *j != Vector::zeros()) {
            impacts.push(Impact {
                time: t,
                pair: self.key(pair),
                features: p.features,
                point: p.midpoint(),
                normal: p.normal,
                separation: p.separation,
                impulse,
            });
        }
    }

    /// Approach speeds of a pair up to this are contact, not impact, m/s: what gravity and the bodies' own forces give within
    /// two steps, and [`LEAST_IMPACT_SPEED`] where there are none.
    pub(super) fn impact_speed(&self, world: &World, pair: Pair) -> Real {
        let pulled = |k: u32| {
            let body = self.body(world, k);
            body.inverse_mass().component_mul(&body.force).norm()
        };
        let acceleration = world.in_force.gravity.norm().max(pulled(pair.0)).max(pulled(pair.1));
        (2.0 * self.dt * acceleration).max(LEAST_IMPACT_SPEED * world.in_force.slow_speed())
    }
}
