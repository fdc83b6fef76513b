//! Contacts as the solver takes them: with what they want of velocities and motions, and with what they pushed before.

use super::arms::Arms;
use super::contacts::turned;
use super::islands::Island;
use super::stepping::{Pair, Stepping};
use super::wants::At;
use super::{ResponseMethod, World};
use crate::math::{Real, Vector, in_basis, orthonormal_basis};
use crate::parallel::Execution;
use crate::response::blocks::Blocks;
use crate::response::impulse::{Inertia, Velocity};
use crate::response::sequential::{SolverBody, SolverContact};

/// Pairs whose contacts are taken together on one thread.
const TOGETHER: usize = 128;

/// A pair of the world, and where its bodies stand in the system that is solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub pair: Pair,
    pub a: usize,
    pub b: usize,
}

/// An island at an instant.
pub(super) struct IslandAt<'i> {
    pub island: &'i Island,
    /// Seconds from the start of the step.
    pub t: Real,
    /// Whether a crowd lands in it.
    pub crowded: bool,
    /// Of its bodies, as all that follows.
    pub levels: &'i [u32],
    pub inertias: &'i [Inertia],
    pub starts: &'i [Velocity],
    pub bodies: &'i [SolverBody],
}

/// The contacts of an island.
#[derive(Default)]
pub(super) struct Gathered {
    pub blocks: Blocks,
    /// Block by block, in a block from the ground up; those of a pair stand together.
    pub contacts: Vec<SolverContact>,
    /// The gap of each, metres.
    pub separations: Vec<Real>,
    /// What of the velocity at which each sticks is there from the beginning, along its two tangents, m/s; for springs alone.
    pub running: Vec<[Real; 2]>,
    /// The pairs that have any, in their order.
    pub owned: Vec<Owned>,
    /// Which of them resist rolling, by how many metres.
    pub rolling: Vec<(usize, Real)>,
    /// The others, with the number of contact points that count for nothing now.
    pub idle: Vec<(Pair, usize)>,
}

impl Stepping {
    /// All contacts of an island.
    pub(super) fn gather(&self, world: &World, whole: &IslandAt) -> Gathered {
        let count = whole.island.pairs.iter().map(|pair| self.close[pair].points.len()).sum();
        let blocks = Blocks::of(whole.inertias, count);
        let pairs = whole.island.pairs_from_the_ground(whole.levels, &blocks);
        let forced = self.forced(world, whole);
        let some = |pairs: &[Pair]| self.gather_some(world, whole, &forced, pairs);
        let execution = Execution::parallel_if(world.in_force.parallel && pairs.len() > TOGETHER);
        let parts = execution.map_chunks(&pairs, TOGETHER, some);
        let mut parts = parts.into_iter();
        let mut all = Gathered { blocks, ..parts.next().unwrap_or_default() };
        all.contacts.reserve(count - all.contacts.len());
        for mut part in parts {
            all.rolling.extend(part.rolling.iter().map(|(owned, arm)| (all.owned.len() + owned, *arm)));
            all.contacts.append(&mut part.contacts);
            all.separations.append(&mut part.separations);
            all.running.append(&mut part.running);
            all.owned.append(&mut part.owned);
            all.idle.append(&mut part.idle);
        }
        all
    }

    fn gather_some(&self, world: &World, whole: &IslandAt, forced: &[Velocity], pairs: &[Pair]) -> Gathered {
        let IslandAt { island, t, crowded, inertias, starts, bodies, .. } = *whole;
        let mut some = Gathered::default();
        for &pair in pairs {
            let (a, b) = island.local(pair);
            let at = At {
                t,
                crowded,
                a,
                b,
                inertias: [&inertias[a], &inertias[b]],
                starts: [&starts[a], &starts[b]],
                velocities: [&bodies[a].velocity, &bodies[b].velocity],
                motions: [&bodies[a].motion, &bodies[b].motion],
                forced: [&forced[a], &forced[b]],
            };
            let first = some.contacts.len();
            let arm = self.pair_contacts(world, pair, &at, &mut some.contacts);
            let points = &self.close[&pair].points;
            if some.contacts.len() == first {
                some.idle.push((pair, points.len()));
            } else {
                if arm > 0.0 {
                    some.rolling.push((some.owned.len(), arm));
                }
                some.separations.extend(points.iter().map(|p| p.separation));
                if world.in_force.response == ResponseMethod::Penalty {
                    some.running
                        .extend(some.contacts[first..].iter().map(|c| self.running_at(world, pair, &c.normal, t)));
                }
                some.owned.push(Owned { pair, a, b });
            }
        }
        some
    }

    /// Appends the contacts of a pair as the solver takes them. Returns by how many metres they resist rolling.
    pub(super) fn pair_contacts(&self, world: &World, pair: Pair, at: &At, contacts: &mut Vec<SolverContact>) -> Real {
        let (settings, close) = (&world.in_force, &self.close[&pair]);
        let surfaces = self.surfaces(world, pair);
        let may_bounce = !at.crowded || surfaces.restitution() > 0.0;
        let Some(wants) = self.wants(world, pair, at, may_bounce) else { return 0.0 };
        let left_over = 1.0 - close.share_before(at.t, self.dt);
        let mut basis: Option<(Vector, (Vector, Vector))> = None;
        contacts.extend(close.points.iter().zip(close.impulses.iter().zip(&close.shock)).map(
            |(p, (impulse, shock))| {
                let arms = wants.arms_of(p);
                let [least_velocity, least_motion] = wants.least(p, &arms);
                let Arms { arms: [r_a, r_b], normal, gain, .. } = arms;
                // The contacts of faces have one normal.
                let known = basis.filter(|(known, _)| *known == normal);
                let (t1, t2) = basis.insert(known.unwrap_or_else(|| (normal, orthonormal_basis(&normal)))).1;
                // Where the normal turns, what pushed still pushes, and does not rub.
                let pushed = turned(&(impulse + shock), &p.normal, &normal);
                let slip = self.passing(world, pair, &normal, at.t) - gain;
                SolverContact {
                    a: at.a,
                    b: at.b,
                    r_a,
                    r_b,
                    normal,
                    friction: surfaces.at(&p.features).friction,
                    least_velocity,
                    least_motion,
                    carried: [slip.dot(&t1), slip.dot(&t2)],
                    impulse: [&normal, &t1, &t2].map(|d| pushed.dot(d) * left_over),
                }
            },
        ));
        // The other methods know of none.
        if settings.response != ResponseMethod::Shock {
            return 0.0;
        }
        close.points.iter().map(|p| surfaces.at(&p.features).rolling_resistance).fold(0.0, Real::max)
    }

    /// What a contact of a pair with this normal is carried at by surfaces that run, at time `t`, along its two tangents, m/s.
    pub(super) fn running_at(&self, world: &World, pair: Pair, normal: &Vector, t: Real) -> [Real; 2] {
        let [_, along @ ..] = in_basis(normal, &self.passing(world, pair, normal, t));
        along
    }

    /// The angular impulse by which a pair resists rolling after time `t`, as far as it is known, N·m·s.
    pub(super) fn known_rolling(&self, pair: Pair, t: Real) -> Vector {
        let close = &self.close[&pair];
        close.rolling * (1.0 - close.share_before(t, self.dt))
    }
}
