//! Riding: what sticks to a kinematic body whose velocity changes goes with it from the beginning of the step on.
//!
//! What contacts push moves by the mean of its velocities before and after the step, as under a force that acts throughout. A kinematic
//! body is given a velocity that it has throughout: beside it, what it drags along would lag behind by half of what each step changes,
//! up to half a step's way, and come back only as it slows down. So who stuck to it in the step before, and does so still after this
//! one, straight or by way of others that do, has its velocity from the beginning on. What slips under the change, lifts off or has only
//! just come keeps the mean.

use super::World;
use super::extent::rim_speed;
use super::islands::Island;
use super::stepping::Stepping;
use crate::dynamics::BodyKind;
use crate::math::{Point, Real, Vector};
use crate::response::impulse::Velocity;
use crate::response::sequential::{SolverBody, SolverContact};

/// What differs by less than this share of a change of velocity is the same.
const SAME: Real = 0.1;
/// Changes of less than this share of a slow speed are none.
const SLIGHT: Real = 1e-2;
/// What slips by less than this share of a change sticks.
const STICKS: Real = 5e-2;

/// A kinematic body whose velocity is another than in the step before.
#[derive(Clone, Copy)]
struct Mount {
    centre: Point,
    now: Velocity,
    /// What it is more than before.
    change: Velocity,
}

impl Stepping {
    /// The motions of what rides on the kinematic bodies of an island, solved from the velocities `starts`, follow these. `contacts` are as
    /// they were solved. Returns whether anything rides.
    pub(super) fn ride(
        &self,
        world: &World,
        island: &Island,
        starts: &[Velocity],
        contacts: &[SolverContact],
        bodies: &mut [SolverBody],
    ) -> bool {
        let own = self.mounts(world, island, starts, bodies);
        if own.is_empty() {
            return false;
        }
        let mut mounts: Vec<Option<Mount>> = vec![None; bodies.len()];
        own.iter().for_each(|&(member, mount)| mounts[member] = Some(mount));
        let mut reached: Vec<usize> = own.iter().map(|(member, _)| *member).collect();
        let lag = 1.0 - world.in_force.integrator.motion_share();
        let slow = world.in_force.slow_speed();
        let pairs: Vec<&[SolverContact]> = contacts.chunk_by(|c, d| (c.a, c.b) == (d.a, d.b)).collect();
        let mut pairs_of: Vec<Vec<&[SolverContact]>> = vec![Vec::new(); bodies.len()];
        for pair in pairs {
            pairs_of[pair[0].a].push(pair);
            pairs_of[pair[0].b].push(pair);
        }
        let mut next = 0;
        while let Some(&member) = reached.get(next) {
            next += 1;
            let Some(mount) = mounts[member] else { continue };
            for pair in &pairs_of[member] {
                let other = if pair[0].a == member { pair[0].b } else { pair[0].a };
                let k = island.bodies[other];
                if mounts[other].is_some() || !self.is_movable(k) {
                    continue;
                }
                let arm = bodies[other].inertia.centre - mount.centre;
                let change = at(&mount.change, &arm);
                let reach = self.body(world, k).reach();
                let slips = STICKS * (change.linear.norm() + change.angular.norm() * reach) + slow;
                let lacks = at(&mount.now, &arm) - starts[other];
                if is_part_of(&lacks, &change, reach) && sticks(pair, bodies, slips) {
                    let [linear, angular] = self.body(world, k).along_free_axes(lacks.linear, lacks.angular);
                    bodies[other].motion += Velocity { linear, angular } * lag;
                    mounts[other] = Some(mount);
                    reached.push(other);
                }
            }
        }
        reached.len() > own.len()
    }

    /// Of an island's bodies, those that are kinematic and whose velocities have changed since the last step; with their numbers in it.
    fn mounts(
        &self,
        world: &World,
        island: &Island,
        starts: &[Velocity],
        bodies: &[SolverBody],
    ) -> Vec<(usize, Mount)> {
        let slight = SLIGHT * world.in_force.slow_speed();
        let mount = |(member, &k): (usize, &u32)| {
            let body = self.body(world, k);
            if body.kind() != BodyKind::Kinematic || self.courses[k as usize].held {
                return None;
            }
            let now = starts[member];
            let [linear, angular] = body.moved[0];
            let change = now - Velocity { linear, angular };
            let changes = change.linear.norm() + rim_speed(body, change.angular.norm()) > slight;
            changes.then_some((member, Mount { centre: bodies[member].inertia.centre, now, change }))
        };
        island.bodies.iter().enumerate().filter_map(mount).collect()
    }
}

/// A rigid body's velocity at the point `arm` away from its centre.
fn at(velocity: &Velocity, arm: &Vector) -> Velocity {
    Velocity { linear: velocity.at(arm), angular: velocity.angular }
}

/// Whether what a body of this `reach`, metres, lacks is a part of the change, from none to all of it.
fn is_part_of(lacks: &Velocity, change: &Velocity, reach: Real) -> bool {
    let product = |a: &Velocity, b: &Velocity| a.linear.dot(&b.linear) + reach * reach * a.angular.dot(&b.angular);
    let size = product(change, change);
    let share = product(lacks, change) / size;
    let rest = *lacks - *change * share;
    (-SAME..=1.0 + SAME).contains(&share) && product(&rest, &rest) <= SAME * SAME * size
}

/// Whether a pair presses, and slips by no more than `slips` m/s where it does.
fn sticks(pair: &[SolverContact], bodies: &[SolverBody], slips: Real) -> bool {
    let mut pressing = pair.iter().filter(|c| c.impulse[0] > 0.0).peekable();
    let slip = |c: &SolverContact| -> Vector {
        let off = c.relative_velocity(bodies) - c.goal();
        off - c.normal * off.dot(&c.normal)
    };
    pressing.peek().is_some() && pressing.all(|c| slip(c).norm() <= slips)
}
