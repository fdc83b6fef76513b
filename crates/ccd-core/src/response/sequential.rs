//! Many contacts at once: warm-started sequential impulses with Coulomb friction.
//!
//! Velocities and motion are solved apart: the velocity pass lets no contact approach faster than its gap allows; the
//! motion pass then moves bodies out to the wanted gap without giving them velocity, so that recovering a gap feeds no energy.

use super::impulse::{Inertia, Velocity};
use crate::math::{Real, Vector, orthonormal_basis};

/// A body as the solver sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverBody {
    /// Its inertia at the solve's instant.
    pub inertia: Inertia,
    /// Its velocity at the end of the interval.
    pub velocity: Velocity,
    /// The constant velocity it moves with over the interval.
    pub motion: Velocity,
}

/// One contact point between two solver bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverContact {
    /// Index of A.
    pub a: usize,
    /// Index of B.
    pub b: usize,
    /// From A's centre of mass to the contact, metres.
    pub r_a: Vector,
    /// From B's centre of mass to the contact, metres.
    pub r_b: Vector,
    /// Unit, from A to B.
    pub normal: Vector,
    /// Coulomb's μ.
    pub friction: Real,
    /// The least normal velocity at the interval's end, m/s (negative while a gap is left).
    pub least_velocity: Real,
    /// The least normal velocity of the motion, m/s.
    pub least_motion: Real,
    /// Accumulated impulse on B: normal, and two tangential parts in the basis of the normal; N·s.
    pub impulse: [Real; 3],
}

/// How long to sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepLimits {
    /// The most sweeps over the velocities.
    pub velocity: usize,
    /// The most sweeps over the motion.
    pub motion: usize,
    /// Sweeping ends when no contact's velocity changes by more than this, m/s.
    pub change: Real,
}

/// A contact with what does not change during the sweeps.
struct Row {
    inertia: [Inertia; 2],
    tangents: [Vector; 2],
    inverse_normal: Real,
    inverse_tangent: [Real; 2],
    motion_impulse: Real,
}

/// Solves in place and returns the number of velocity sweeps.
///
/// Impulses given in `contacts` are the warm start and are replaced by the solution. Contacts are swept in the order given,
/// best from the ground up. `levels` says for each body how far it is from what cannot move; where the sweeps end before
/// they have converged, shock propagation finishes from the ground up: each body in turn is solved as if what is nearer to
/// the ground were part of it. Bodies of the same level are solved together, and in an island without ground all levels are
/// the same, so that nothing is frozen there (erratum E11).
pub fn solve(
    bodies: &mut [SolverBody],
    contacts: &mut [SolverContact],
    levels: &[u32],
    limits: &SweepLimits,
) -> usize {
    let rows: Vec<Row> = contacts.iter().map(|c| row(bodies, c, [false; 2])).collect();
    for (c, row) in contacts.iter().zip(&rows) {
        let impulse = c.normal * c.impulse[0] + row.tangents[0] * c.impulse[1] + row.tangents[1] * c.impulse[2];
        push_velocity(bodies, c, row, &impulse);
    }
    let mut sweeps = 0;
    let mut largest = Real::INFINITY;
    while sweeps < limits.velocity && largest > limits.change {
        sweeps += 1;
        largest = 0.0;
        for (c, row) in contacts.iter_mut().zip(&rows) {
            largest = largest.max(sweep_velocity(bodies, c, row));
        }
    }
    if largest > limits.change {
        propagate_shock(bodies, contacts, levels, limits);
    }
    sweeps
}

/// Solves level by level with everything below frozen. The impulses found count for this interval only: the next one starts
/// warm from what the sweeps found, which conserves momentum.
fn propagate_shock(bodies: &mut [SolverBody], contacts: &[SolverContact], levels: &[u32], limits: &SweepLimits) {
    let mut by_level: Vec<(u32, SolverContact, Row)> = contacts
        .iter()
        .map(|c| {
            let (a, b) = (levels[c.a], levels[c.b]);
            (a.max(b), *c, row(bodies, c, [a < b, b < a]))
        })
        .collect();
    by_level.sort_by_key(|(level, ..)| *level);
    for group in by_level.chunk_by_mut(|x, y| x.0 == y.0) {
        for _ in 0..limits.velocity {
            let mut largest: Real = 0.0;
            for (_, c, row) in group.iter_mut() {
                largest = largest.max(sweep_velocity(bodies, c, row));
            }
            if largest <= limits.change {
                break;
            }
        }
    }
}

/// Moves the motions apart until every contact's motion is as wanted, as far as `limits` go, from the ground up: only the
/// body that is further from the ground moves. To be called after [`solve`], when the caller has set the motions.
pub fn solve_motion(bodies: &mut [SolverBody], contacts: &[SolverContact], levels: &[u32], limits: &SweepLimits) {
    let mut rows: Vec<Row> = contacts
        .iter()
        .map(|c| row(bodies, c, [levels[c.a] < levels[c.b], levels[c.b] < levels[c.a]]))
        .collect();
    for _ in 0..limits.motion {
        let mut largest: Real = 0.0;
        for (c, row) in contacts.iter().zip(&mut rows) {
            if row.inverse_normal == 0.0 {
                continue;
            }
            let (a, b) = (&bodies[c.a].motion, &bodies[c.b].motion);
            let along = (b.at(&c.r_b) - a.at(&c.r_a)).dot(&c.normal);
            let total = (row.motion_impulse + (c.least_motion - along) * row.inverse_normal).max(0.0);
            let change = total - row.motion_impulse;
            row.motion_impulse = total;
            if change != 0.0 {
                let impulse = c.normal * change;
                row.inertia[0].apply(&mut bodies[c.a].motion, &-impulse, &c.r_a);
                row.inertia[1].apply(&mut bodies[c.b].motion, &impulse, &c.r_b);
                largest = largest.max((change / row.inverse_normal).abs());
            }
        }
        if largest <= limits.change {
            break;
        }
    }
}

fn row(bodies: &[SolverBody], c: &SolverContact, frozen: [bool; 2]) -> Row {
    let seen = |body: usize, frozen: bool| {
        let inertia = bodies[body].inertia;
        if frozen { Inertia::immovable(inertia.centre) } else { inertia }
    };
    let inertia = [seen(c.a, frozen[0]), seen(c.b, frozen[1])];
    let k = inertia[0].k_matrix(&c.r_a) + inertia[1].k_matrix(&c.r_b);
    let (t1, t2) = orthonormal_basis(&c.normal);
    let along = |d: &Vector| d.dot(&(k * d));
    let inverse = |k: Real| if k > 0.0 { k.recip() } else { 0.0 };
    Row {
        inertia,
        tangents: [t1, t2],
        inverse_normal: inverse(along(&c.normal)),
        inverse_tangent: [inverse(along(&t1)), inverse(along(&t2))],
        motion_impulse: 0.0,
    }
}

fn push_velocity(bodies: &mut [SolverBody], c: &SolverContact, row: &Row, impulse: &Vector) {
    row.inertia[0].apply(&mut bodies[c.a].velocity, &-impulse, &c.r_a);
    row.inertia[1].apply(&mut bodies[c.b].velocity, impulse, &c.r_b);
}

/// One contact's turn; returns how much its velocity changed, m/s.
fn sweep_velocity(bodies: &mut [SolverBody], c: &mut SolverContact, row: &Row) -> Real {
    if row.inverse_normal == 0.0 {
        return 0.0;
    }
    let v = bodies[c.b].velocity.at(&c.r_b) - bodies[c.a].velocity.at(&c.r_a);
    let normal_total = (c.impulse[0] + (c.least_velocity - v.dot(&c.normal)) * row.inverse_normal).max(0.0);
    let normal_change = normal_total - c.impulse[0];
    c.impulse[0] = normal_total;
    push_velocity(bodies, c, row, &(c.normal * normal_change));

    let mut tangent_change = Vector::zeros();
    if c.friction > 0.0 {
        let v = bodies[c.b].velocity.at(&c.r_b) - bodies[c.a].velocity.at(&c.r_a);
        let mut wanted = [0, 1].map(|i| c.impulse[i + 1] - v.dot(&row.tangents[i]) * row.inverse_tangent[i]);
        let (size, limit) = (wanted[0].hypot(wanted[1]), c.friction * c.impulse[0]);
        if size > limit {
            wanted = wanted.map(|w| w * (limit / size));
        }
        tangent_change = row.tangents[0] * (wanted[0] - c.impulse[1]) + row.tangents[1] * (wanted[1] - c.impulse[2]);
        (c.impulse[1], c.impulse[2]) = (wanted[0], wanted[1]);
        push_velocity(bodies, c, row, &tangent_change);
    }
    (normal_change / row.inverse_normal)
        .abs()
        .max(tangent_change.norm() / row.inverse_tangent[0].max(Real::MIN_POSITIVE))
}
