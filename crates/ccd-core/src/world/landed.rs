//! What lands within a step beside what pushes already, while its gap is narrow enough to be a contact when the step begins.

use super::react::Situation;
use super::stepping::Stepping;
use crate::math::{Real, Vector};
use crate::response::sequential::SweepLimits;
use crate::response::system::System;

/// What may come nearer no faster than this share of the speed below which touching is contact is there.
const SLOW: Real = 3e-3;

/// In a pile of as many pairs somebody lands in most steps, and all would be solved for again; what is left there is left to the steps that follow.
const PILE: usize = 64;

/// What share of its impulses each of the first `count` pairs of the system has given when its bodies land, of `landings` between two members
/// after a share of the interval. What was pushed by then lets nobody land more softly by not having been. Where neither body of a pair lands, it has given
/// what it has when the first of all do.
pub(super) fn pushed_before(
    system: &System,
    count: usize,
    landings: impl Iterator<Item = (usize, usize, Real)>,
) -> Vec<Real> {
    let mut shares = vec![None; system.members.len()];
    let mut first = 1.0 as Real;
    for (a, b, share) in landings {
        first = first.min(share);
        for k in [a, b].into_iter().filter(|&k| !system.inertia(k).is_immovable()) {
            shares[k] = Some(shares[k].unwrap_or(share).min(share));
        }
    }
    let of_pair = |pair| {
        let (a, b) = system.bodies_of(pair);
        let [a, b] = [shares[a], shares[b]];
        a.into_iter().chain(b).reduce(Real::min).unwrap_or(first)
    };
    (0..count).map(of_pair).collect()
}

impl Stepping {
    /// Stops the velocities of what uses up its gap within the step, as a landing does, and not only as far as its gap asks: what it would still approach
    /// with is not there when it has landed.
    pub(super) fn land_ahead(
        &self,
        situation: &Situation,
        impact_speed: Real,
        limits: &SweepLimits,
        system: &mut System,
    ) {
        if situation.crowded || system.pair_count() >= PILE {
            return;
        }
        let mut landing = system.landing_ahead(SLOW * impact_speed);
        // What is driven and turns comes on an arc, and goes on along it when it has landed.
        let is_driven = |k: usize| system.inertia(k).is_immovable() && situation.starts[k].angular != Vector::zeros();
        landing.retain(|&k| !is_driven(system.contacts[k].a) && !is_driven(system.contacts[k].b));
        if landing.is_empty() {
            return;
        }
        let after = |&k: &usize| {
            let c = &system.contacts[k];
            let [a, b] = [c.a, c.b].map(|member| &situation.starts[member]);
            let approach = -(b.at(&c.r_b) - a.at(&c.r_a)).dot(&c.normal);
            let share = if approach > -c.least_velocity { -c.least_velocity / approach } else { 1.0 };
            (c.a, c.b, share)
        };
        let shares = pushed_before(system, system.pair_count(), landing.iter().map(after));
        system.land_ahead(&landing, &shares, &SweepLimits { far: Real::INFINITY, ..*limits });
    }
}
