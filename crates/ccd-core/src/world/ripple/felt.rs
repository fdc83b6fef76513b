//! What contacts that feel a meeting ask for.

use super::{Joined, Ripple};
use crate::contact::ContactPoint;
use crate::math::{Real, orthonormal_basis};
use crate::response::sequential::SolverContact;
use crate::world::wants::TOO_SMALL;

/// Friction below this share of what it can be holds what it acts on.
const STICKS: Real = 0.999;

/// What the pair's velocities and motions fell short of before the meeting they may go on to: it was left by the solve of the
/// whole step, and the next one takes it up. A ripple is about what has changed, or it would solve the whole again.
///
/// What sticks may go on slipping, by less than is `felt`, m/s. To keep up more would make friction a motor: bodies that are wedged
/// would drive each other faster with every meeting (erratum E23).
pub(super) fn bear_as_before(c: &mut SolverContact, [a, b]: [&Joined; 2], felt: Real) {
    approach_as_before(c, [a, b]);
    let end = b.former_end.at(&c.r_b) - a.former_end.at(&c.r_a);
    let motion = b.former.at(&c.r_b) - a.former.at(&c.r_a);
    c.least_motion = c.least_motion.min(motion.dot(&c.normal));
    let [push, rub1, rub2] = c.impulse;
    if rub1.hypot(rub2) < STICKS * c.friction * push {
        let (t1, t2) = orthonormal_basis(&c.normal);
        let slip = [end.dot(&t1) - c.carried[0], end.dot(&t2) - c.carried[1]];
        let share = (felt / slip[0].hypot(slip[1])).min(1.0);
        c.carried = [c.carried[0] + share * slip[0], c.carried[1] + share * slip[1]];
    }
}

/// The contact lets the two approach as fast as they did.
pub(super) fn approach_as_before(c: &mut SolverContact, [a, b]: [&Joined; 2]) {
    let end = b.former_end.at(&c.r_b) - a.former_end.at(&c.r_a);
    c.least_velocity = c.least_velocity.min(end.dot(&c.normal));
}

impl Ripple<'_> {
    /// In a crowd gaps are wide: those of contacts that feel a meeting may be used up to where they would be opened again, so that
    /// it fades with every contact.
    pub(super) fn lend_gaps(&self, contacts: &mut [SolverContact], points: &[ContactPoint]) {
        let kept = TOO_SMALL * self.world.in_force.landing_gap();
        for (c, p) in contacts.iter_mut().zip(points) {
            c.least_motion = c.least_motion.min((kept - p.separation).min(0.0) / self.rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vector;
    use crate::response::impulse::Velocity;
    use crate::world::flight::Flight;

    /// A body that was to end the step with this velocity.
    fn ending_with(linear: Vector) -> Joined {
        let former_end = Velocity { linear, angular: Vector::zeros() };
        Joined {
            number: 0,
            start: Velocity::default(),
            flight: Flight::default(),
            former_end,
            former: Velocity::default(),
            pushed: Velocity::default(),
            struck: false,
            movable: true,
            radius: 1.0,
            untold: 0.0,
            surrounded: false,
            pairs: Vec::new(),
        }
    }

    #[test]
    fn what_sticks_may_go_on_slipping_by_no_more_than_is_felt() {
        let (t1, t2) = orthonormal_basis(&Vector::y());
        for (slip, kept) in [(0.02, 0.02), (5.0, 0.05)] {
            let bodies = [ending_with(Vector::zeros()), ending_with(t1 * slip + t2 * 0.7)];
            // The one turns under the other, which is to go along at 0.7 m/s.
            let mut c = SolverContact {
                friction: 0.5,
                carried: [0.0, 0.7],
                impulse: [1.0, 0.1, 0.1],
                ..SolverContact::frictionless((0, 1), Vector::y(), [Vector::zeros(); 2])
            };
            bear_as_before(&mut c, [&bodies[0], &bodies[1]], 0.05);
            assert!((c.carried[0] - kept).abs() < 1e-12 && (c.carried[1] - 0.7).abs() < 1e-12, "{:?}", c.carried);
        }
    }
}
