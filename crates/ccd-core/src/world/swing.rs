//! What goes on pushing while it turns: the velocities of the two swing round.

use super::gather::Owned;
use crate::contact::ContactPoint;
use crate::math::{Point, Real, Vector};
use crate::response::impulse::Velocity;
use crate::response::sequential::SolverContact;
use crate::response::system::System;

/// What approaches the plane of a swing leaves it with this share of its speed: a little less than all, so that what several
/// contacts share unevenly is no gain.
const KEPT: Real = 0.999;
/// Sweeps over its contacts.
const SWEEPS: usize = 10;

/// How two solids of which one goes on pushing the other round get from the one end of a look to the other: as if they met the
/// plane between them, as it is halfway, without a loss. What approached it leaves it as fast, so that at the end, where it has
/// turned as far again, they neither approach nor part; and what pushes without friction does no work but on what it pushes.
pub(super) struct Swing {
    owned: Owned,
    contacts: Vec<SolverContact>,
    points: Vec<ContactPoint>,
}

/// A swing that was carried out: the impulse on B at each point, N·s, and what it did to the velocities of A and B.
#[derive(Clone, Debug)]
pub(super) struct Swung {
    pub owned: Owned,
    pub changes: [Velocity; 2],
    pub impulses: Vec<(ContactPoint, Vector)>,
}

impl Swing {
    /// Of a pair whose contacts halfway are at these points, its centres being there then.
    pub fn new(owned: Owned, centres: [&Point; 2], points: Vec<ContactPoint>) -> Self {
        let contact = |p: &ContactPoint| {
            let arms = centres.map(|centre| p.midpoint() - centre);
            SolverContact::frictionless((owned.a, owned.b), p.normal, arms)
        };
        Self { owned, contacts: points.iter().map(contact).collect(), points }
    }

    /// Turns the velocities of the system's members.
    pub fn carry_out(&self, system: &mut System) -> Swung {
        let Owned { a, b, .. } = self.owned;
        let before = [a, b].map(|k| system.members[k].velocity);
        let speed = |c: &SolverContact| (before[1].at(&c.r_b) - before[0].at(&c.r_a)).dot(&c.normal);
        let contacts: Vec<SolverContact> =
            self.contacts.iter().map(|c| SolverContact { least_velocity: -KEPT * speed(c), ..*c }).collect();
        let approach = contacts.iter().any(|c| c.least_velocity > 0.0);
        let impulses = if approach { system.press_once(&contacts, SWEEPS) } else { Vec::new() };
        let changes = [(a, before[0]), (b, before[1])].map(|(k, before)| system.members[k].velocity - before);
        Swung { owned: self.owned, changes, impulses: self.points.iter().copied().zip(impulses).collect() }
    }
}
