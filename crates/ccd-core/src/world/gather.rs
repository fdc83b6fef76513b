//! Contacts as the solver takes them: with what they want of velocities and motions, and with what they pushed before.

use super::arms::{Arms, tilted};
use super::clearance::Owned;
use super::contacts::turned;
use super::islands::Island;
use super::stepping::{Pair, Stepping};
use super::{ResponseMethod, World};
use crate::contact::ContactPoint;
use crate::math::{Real, Vector, orthonormal_basis};
use crate::parallel::Execution;
use crate::response::blocks::Blocks;
use crate::response::impulse::{Inertia, Velocity};
use crate::response::sequential::{SolverBody, SolverContact};

/// A pair that has met within the step recovers its gap within this many times what its last motions had lasted.
const LONGER: Real = 4.0;
/// It takes at least this share of what is left of the step.
const SHORTEST: Real = 0.01;
/// A gap is recovered at this share of the speed that the two pass each other with at least.
const ALONG: Real = 0.02;
/// What part of a gap that is too small is recovered per solve.
const GAP_RECOVERY: Real = 0.2;
/// Below this share of the gap that bodies are kept at a gap is recovered.
pub(super) const TOO_SMALL: Real = 0.2;
/// Below this share of it what has met within the step comes no nearer at once, wherever its turning leads.
const ALL_BUT_GONE: Real = 0.01;
/// Up to this share of the tolerance a gap is left as it is, as if it were closed. Rigid bodies that had to close them all would tilt
/// on every difference, and tilt what lies on them more: a heap would rock for good.
const CLOSED: Real = 0.9;
/// What is yet to bounce may approach so many times as fast as it does: faster than any impact elsewhere on the two makes it.
const FREE: Real = 8.0;
/// What slides on something driven faster than this many times the speed below which touching is contact will not stick within the step:
/// it is over other places by then, and not carried on with those that it is over now.
const SLIDES: Real = 10.0;
/// Where a way that only touches a surface that bends away from it begins and ends, as a share of what it would rise to from the surface on.
const SPRING: Real = 0.25;
/// Turns by less than this, rad, are straight.
const SMALL: Real = 1e-6;
/// Pairs whose contacts are taken together on one thread.
const TOGETHER: usize = 128;

/// A pair at an instant, as the solver sees it.
pub(super) struct At<'i> {
    /// Seconds from the start of the step.
    pub t: Real,
    /// Whether a crowd lands in the island.
    pub crowded: bool,
    /// Where A stands in the system.
    pub a: usize,
    /// Where B stands.
    pub b: usize,
    pub inertias: [&'i Inertia; 2],
    /// Before what forces do within the step; where contacts are in the motions already, these.
    pub starts: [&'i Velocity; 2],
    /// At the end of the step.
    pub velocities: [&'i Velocity; 2],
    /// Over what is left of the step.
    pub motions: [&'i Velocity; 2],
}

/// A steady turn over what is left of a step.
struct Turning {
    /// rad/s.
    spin: Vector,
    /// What a velocity across the spin gains of itself, and of what is across both per rad/s of the spin.
    shares: [Real; 2],
}

impl Turning {
    fn new(spin: &Vector, rest: Real) -> Self {
        let size = spin.norm();
        let (sin, cos) = (size * rest).sin_cos();
        let across = if size > 0.0 { sin / size } else { rest };
        Self { spin: *spin, shares: [cos - 1.0, across] }
    }

    /// How much faster a point so far from the centre moves in the mean than at its beginning.
    fn bow(&self, arm: &Vector, rest: Real) -> Vector {
        let velocity = self.spin.cross(arm);
        let angle = self.spin.norm() * rest;
        let [sin, cos] =
            if angle > SMALL { [angle.sin() / angle, (1.0 - angle.cos()) / (angle * angle)] } else { [1.0, 0.5] };
        velocity * (sin - 1.0) + self.spin.cross(&velocity) * (cos * rest)
    }

    /// How much the velocity of a point so far from the centre differs at the end of it from what it is at its beginning.
    fn gain(&self, arm: &Vector) -> Vector {
        let velocity = self.spin.cross(arm);
        velocity * self.shares[0] + self.spin.cross(&velocity) * self.shares[1]
    }
}

/// An island at an instant.
pub(super) struct Whole<'i> {
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
    pub(super) fn gather(&self, world: &World, whole: &Whole) -> Gathered {
        let count = whole.island.pairs.iter().map(|pair| self.close[pair].points.len()).sum();
        let blocks = Blocks::of(whole.inertias, count);
        let pairs = whole.island.pairs_from_the_ground(whole.levels, &blocks);
        let some = |pairs: &[Pair]| self.gather_some(world, whole, pairs);
        let execution = Execution::parallel_if(world.in_force.parallel && pairs.len() > TOGETHER);
        let parts = execution.map_chunks(&pairs, TOGETHER, some);
        let mut all = Gathered { blocks, contacts: Vec::with_capacity(count), ..Gathered::default() };
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

    fn gather_some(&self, world: &World, whole: &Whole, pairs: &[Pair]) -> Gathered {
        let Whole { island, t, crowded, inertias, starts, bodies, .. } = *whole;
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
                    some.running.extend(some.contacts[first..].iter().map(|c| self.running_at(world, pair, c, t)));
                }
                some.owned.push(Owned { pair, a, b });
            }
        }
        some
    }

    /// Appends the contacts of a pair as the solver takes them. Returns by how many metres they resist rolling.
    pub(super) fn pair_contacts(&self, world: &World, pair: Pair, at: &At, contacts: &mut Vec<SolverContact>) -> Real {
        let rest = self.dt - at.t;
        let settings = &world.in_force;
        let goal = if at.crowded { settings.landing_gap() } else { settings.resting_gap() };
        let (surfaces, close) = (self.surfaces(world, pair), &self.close[&pair]);
        let impact_speed = self.impact_speed(world, pair);
        let [inertia_a, inertia_b] = at.inertias;
        let approach = |p: &ContactPoint| {
            let [a, b] = at.velocities;
            let (r_a, r_b) = (p.midpoint() - inertia_a.centre, p.midpoint() - inertia_b.centre);
            -(b.at(&r_b) - a.at(&r_a)).dot(&p.normal)
        };
        // What comes fast and is not there yet is an impact to come, with its bounce: the check meets it at its time.
        let may_bounce = !at.crowded || surfaces.restitution() > 0.0;
        let fastest_approach = if may_bounce { close.points.iter().map(approach).fold(0.0, Real::max) } else { 0.0 };
        let bounces = self.bounces(world, pair);
        let strikes = may_bounce && fastest_approach > impact_speed;
        if close.separation > settings.tolerance && strikes {
            return 0.0;
        }
        // So is the other edge of what comes down on one, a little tilted, whatever it does before the blow, and one that has just bounced
        // off: stopped as contacts they would not bounce.
        let is_to_bounce =
            |p: &ContactPoint| strikes && bounces && (p.separation > settings.tolerance || approach(p) < -impact_speed);
        // What rolls or wobbles sets down its next point as soon as it did the last: it is lifted before that.
        let soon = close.stretch.map_or(Real::INFINITY, |stretch| (LONGER * stretch).max(SHORTEST * rest));
        let recovery = soon.min(rest / GAP_RECOVERY);
        // As fast as contacts approach, and what rushes along as far as does not show beside its way: its turning takes more.
        let fastest = |p: &ContactPoint| {
            let [a, b] = at.velocities;
            let (r_a, r_b) = (p.midpoint() - inertia_a.centre, p.midpoint() - inertia_b.centre);
            impact_speed.max(ALONG * (b.at(&r_b) - a.at(&r_a)).norm())
        };
        let left_over = 1.0 - close.share_before(at.t, self.dt);
        // Points of turning bodies move on arcs: what sticks to a turning face turns with it and does not fly off along the
        // tangent. Faces cannot roll, so that there the points in touch stay the same.
        let turns_on = close.points.len() > 2 && at.velocities.iter().any(|v| v.angular != Vector::zeros());
        let spins = |(inertia, v): (&&Inertia, &Velocity)| inertia.is_immovable() && v.angular != Vector::zeros();
        let is_driven = at.inertias.iter().zip(at.velocities).any(spins);
        let turns = at.velocities.map(|v| Turning::new(&v.angular, rest));
        // What is ahead on something driven that turns comes on an arc: the corner of a wheel that is about to pass its top rises no further.
        let bows = |arms: &[Vector; 2], normal: &Vector| {
            let bow =
                |k: usize| if at.inertias[k].is_immovable() { turns[k].bow(&arms[k], rest).dot(normal) } else { 0.0 };
            if is_driven { (bow(1) - bow(0)).max(0.0) } else { 0.0 }
        };
        let pivoting = self.pivoting(world, pair, at);
        let arms_of = |p: &ContactPoint| {
            let [a, b] = at.velocities;
            let arms = [p.midpoint() - inertia_a.centre, p.midpoint() - inertia_b.centre];
            // What has met within the step, and has all but no gap left, may not come nearer at once, wherever the normal turns to.
            let is_tight = close.stretch.is_some() && p.separation < ALL_BUT_GONE * goal;
            if !is_tight && let Some(arms) = pivoting.as_ref().and_then(|pivoting| pivoting.arms(p, arms)) {
                return arms;
            }
            if is_driven
                && turns_on
                && !at.crowded
                && let Some(arms) = tilted(at, p, arms, rest)
            {
                return arms;
            }
            let slides = || is_driven && (b.at(&arms[1]) - a.at(&arms[0])).norm() > SLIDES * impact_speed;
            if !turns_on || slides() {
                return Arms { arms, normal: p.normal, bends: false, gain: Vector::zeros(), dip: 0.0 };
            }
            let along = turns[1].gain(&arms[1]) - turns[0].gain(&arms[0]);
            Arms { arms, normal: p.normal, bends: false, gain: along - p.normal * along.dot(&p.normal), dip: 0.0 }
        };
        let mut basis: Option<(Vector, (Vector, Vector))> = None;
        contacts.extend(close.points.iter().zip(close.impulses.iter().zip(&close.shock)).map(
            |(p, (impulse, shock))| {
                let Arms { arms: [r_a, r_b], normal, gain, bends, dip } = arms_of(p);
                // The contacts of faces have one normal.
                let known = basis.filter(|(known, _)| *known == normal);
                let (t1, t2) = basis.insert(known.unwrap_or_else(|| (normal, orthonormal_basis(&normal)))).1;
                // Where the normal turns, what pushed still pushes, and does not rub.
                let pushed = turned(&(impulse + shock), &p.normal, &normal);
                let closed = CLOSED * settings.tolerance;
                let lack = if p.separation < TOO_SMALL * goal { goal - p.separation } else { 0.0 };
                // What turns down within the step is let come down at its end, and what turns up does not dip meanwhile.
                let rises = gain.dot(&normal);
                let (arch, lift) = if bends { ((rises * rest).max(0.0), 0.0) } else { (0.0, rises.max(0.0)) };
                let [least_velocity, least_motion] = if is_to_bounce(p) {
                    [-FREE * fastest_approach; 2]
                } else if lack > 0.0 {
                    [0.0, (lack / recovery).min(fastest(p)) + arch / rest]
                } else {
                    let excess = (p.separation - closed.max(goal + SPRING * arch)).max(0.0);
                    let under = least_under_arch(p.separation - goal, arch).max(closed - p.separation.max(closed));
                    let bow = if excess > 0.0 && !bends { bows(&[r_a, r_b], &normal) } else { 0.0 };
                    [-excess / rest - bow, under / rest - bow]
                };
                let slip = self.passing(world, pair, &normal, at.t) - gain;
                SolverContact {
                    a: at.a,
                    b: at.b,
                    r_a,
                    r_b,
                    normal,
                    friction: surfaces.at(&p.features).friction,
                    least_velocity: least_velocity - rises,
                    least_motion: least_motion + lift - dip,
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

    /// What a contact of a pair at time `t` is carried at by surfaces that run, along its two tangents, m/s.
    fn running_at(&self, world: &World, pair: Pair, c: &SolverContact, t: Real) -> [Real; 2] {
        let slip = self.passing(world, pair, &c.normal, t);
        let (t1, t2) = orthonormal_basis(&c.normal);
        [slip.dot(&t1), slip.dot(&t2)]
    }

    /// The angular impulse by which a pair resists rolling after time `t`, as far as it is known, N·m·s.
    pub(super) fn known_rolling(&self, pair: Pair, t: Real) -> Vector {
        let close = &self.close[&pair];
        close.rolling * (1.0 - close.share_before(t, self.dt))
    }
}

/// By how much a gap has to open at least, metres, of two surfaces that bend away from each other so that a straight way begun at `gap` metres
/// along the one rises by `arch` metres over the other: then the way only touches it.
fn least_under_arch(gap: Real, arch: Real) -> Real {
    if gap < arch { arch - 2.0 * (arch * gap.max(0.0)).sqrt() } else { -gap }
}
