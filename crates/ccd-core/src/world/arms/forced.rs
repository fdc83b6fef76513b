//! What forces add to the ways of bodies, as far as what they lie on lets them.
//!
//! A ball in a groove between two rods goes along them. What gravity would have it fall within the step it does not go: taken for a way over the
//! rods, it turns their normals.

use super::THERE;
use crate::math::cone::nearest_in_cone;
use crate::math::{Point, Vector};
use crate::response::impulse::Velocity;
use crate::world::World;
use crate::world::gather::IslandAt;
use crate::world::stepping::Stepping;

/// What fixed bodies push a body along, from there to it, unit.
#[derive(Clone, Debug, Default)]
struct Borne {
    normals: Vec<Vector>,
    /// Whether a push would turn it: then it does not tell where the centre goes.
    turns: bool,
}

impl Stepping {
    /// What forces add to the velocity of each of an island's bodies. Of what several places of fixed bodies bear straight through its centre, only
    /// what leads into none of them.
    pub(in crate::world) fn forced(&self, world: &World, whole: &IslandAt) -> Vec<Velocity> {
        let IslandAt { island, inertias, starts, bodies, .. } = *whole;
        let mut borne = vec![Borne::default(); bodies.len()];
        for &pair in &island.pairs {
            let (a, b) = island.local(pair);
            let (own, fixed, outward) = match [a, b].map(|k| inertias[k].is_immovable()) {
                [true, false] => (b, a, 1.0),
                [false, true] => (a, b, -1.0),
                _ => continue,
            };
            if !self.touches(world, pair) {
                continue;
            }
            let velocity = |k: usize, place: &Point| bodies[k].velocity.at(&(place - inertias[k].centre));
            for p in &self.close[&pair].points {
                let (normal, place) = (p.normal * outward, p.midpoint());
                let arm = place - inertias[own].centre;
                borne[own].turns |= arm.cross(&normal).norm() > THERE * arm.norm();
                if !borne[own].turns && (velocity(own, &place) - velocity(fixed, &place)).dot(&normal) < 0.0 {
                    borne[own].normals.push(normal);
                }
            }
        }
        let left = |k: usize| {
            let Velocity { linear, angular } = bodies[k].motion - starts[k];
            let Borne { normals, turns } = &borne[k];
            let linear = if *turns || normals.len() < 2 { linear } else { nearest_in_cone(&linear, normals) };
            Velocity { linear, angular }
        };
        (0..bodies.len()).map(left).collect()
    }
}
