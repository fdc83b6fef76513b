//! What the contacts of a pair want of velocities and motions: to be at rest on each other, to recover their gap, to bounce, to follow an arc.

use super::World;
use super::arms::{Arms, MOST, Pivoting, tilted};
use super::stepping::{Pair, Stepping};
use crate::contact::ContactPoint;
use crate::math::{Real, Vector};
use crate::response::impulse::{Inertia, Velocity};

/// Below this share of the gap that bodies are kept at a gap is recovered.
pub(super) const TOO_SMALL: Real = 0.2;
/// A pair that has met within the step recovers its gap within this many times what its last motions had lasted.
const LONGER: Real = 4.0;
/// It takes at least this share of what is left of the step.
const SHORTEST: Real = 0.01;
/// A gap is recovered at this share of the speed that the two, or their middles, pass each other with at least.
const ALONG: Real = 0.02;
/// What part of a gap that is too small is recovered per solve.
const GAP_RECOVERY: Real = 0.2;
/// Below this share of the gap that bodies are kept at what has met within the step comes no nearer at once, wherever its turning leads.
const ALL_BUT_GONE: Real = 0.01;
/// Up to this share of the tolerance a gap is left as it is, as if it were closed. Rigid bodies that had to close them all would tilt
/// on every difference, and tilt what lies on them more: a heap would rock for good.
const CLOSED: Real = 0.9;
/// What is yet to bounce may approach so many times as fast as it does: faster than any impact elsewhere on the two makes it.
const FREE: Real = 8.0;
/// What slides faster than this many times the speed below which touching is contact, which is four times what friction of one can give what
/// rests by its weight, will not stick within the step: it is over other places by then, and not carried on with those that it is over now.
const SLIDES: Real = 2.0;
/// Where a way that only touches a surface that bends away from it begins and ends, as a share of what it would rise to from the surface on.
const SPRING: Real = 0.25;
/// Turns by less than this, rad, are straight.
const SMALL: Real = 1e-6;

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
    /// What of the motions forces add, as far as what bears the two lets them.
    pub forced: [&'i Velocity; 2],
}

impl At<'_> {
    /// From the centres of A and B to a contact, metres, world.
    pub fn arms(&self, p: &ContactPoint) -> [Vector; 2] {
        self.inertias.map(|inertia| p.midpoint() - inertia.centre)
    }

    /// How fast B moves with respect to A at a place, m/s.
    pub fn passing(&self, [r_a, r_b]: &[Vector; 2]) -> Vector {
        let [a, b] = self.velocities;
        b.at(r_b) - a.at(r_a)
    }

    /// How the two turn over what is left of the step, `rest` seconds, where they stick to each other: as the one does that nothing turns, or
    /// else as both together would. `None` where neither turns.
    fn turning_together(&self, rest: Real) -> Option<[SteadyTurn; 2]> {
        let turns_freely = self.inertias.map(|inertia| inertia.inverse_inertia.trace() > 0.0);
        // What forces would turn a free one by, friction may hold.
        let [a, b] = [0, 1].map(|k| if turns_freely[k] { self.starts[k] } else { self.velocities[k] }.angular);
        let spins = match turns_freely {
            [false, false] => [a, b],
            [true, false] => [b; 2],
            [false, true] => [a; 2],
            [true, true] => {
                let [light_a, light_b] = self.inertias.map(|inertia| inertia.inverse_inertia.trace());
                [a.lerp(&b, light_a / (light_a + light_b)); 2]
            }
        };
        let turns = spins.iter().any(|spin| *spin != Vector::zeros());
        turns.then(|| spins.map(|spin| SteadyTurn::new(&spin, rest)))
    }

    /// How fast the two approach each other at a contact, m/s.
    pub fn approach(&self, p: &ContactPoint) -> Real {
        -self.passing(&self.arms(p)).dot(&p.normal)
    }
}

/// What the contacts of a pair want of velocities and motions.
pub(super) struct Wants<'p> {
    at: &'p At<'p>,
    /// What is left of the step, seconds.
    rest: Real,
    /// ε, metres.
    tolerance: Real,
    /// The gap to be kept, metres.
    goal: Real,
    /// What approaches faster strikes, m/s.
    impact_speed: Real,
    /// How fast they approach at most, m/s, if they are to bounce.
    bounce: Option<Real>,
    /// Within how long a gap that is too small is recovered, seconds.
    recovery: Real,
    /// Whether the two have met within the step.
    has_met: bool,
    /// With what turns what sticks there, and the other of the two with it, if that turns: points of turning bodies move on arcs, and do not
    /// fly off along the tangent. Faces cannot roll, so that there the points in touch stay the same.
    turns_on: Option<[SteadyTurn; 2]>,
    /// Whether one of the two turns and nothing can push it.
    is_driven: bool,
    turns: [SteadyTurn; 2],
    pivoting: Option<Pivoting<'p>>,
}

impl Stepping {
    /// What the contacts of a pair want, which bounces if it approaches fast; `None` if it is to do so later in the step.
    pub(super) fn wants<'p>(&self, world: &'p World, pair: Pair, at: &'p At, may_bounce: bool) -> Option<Wants<'p>> {
        let (settings, close) = (&world.in_force, &self.close[&pair]);
        let impact_speed = self.impact_speed(world, pair);
        // What comes fast and is not there yet is an impact to come, with its bounce: the check meets it at its time.
        let approaches = close.points.iter().map(|p| at.approach(p));
        let fastest_approach = if may_bounce { approaches.fold(0.0, Real::max) } else { 0.0 };
        let strikes = may_bounce && fastest_approach > impact_speed;
        if close.separation > settings.tolerance && strikes {
            return None;
        }
        let rest = self.dt - at.t;
        // What rolls or wobbles sets down its next point as soon as it did the last: it is lifted before that.
        let soon = close.stretch.map_or(Real::INFINITY, |stretch| (LONGER * stretch).max(SHORTEST * rest));
        let spins = |(inertia, v): (&&Inertia, &Velocity)| inertia.is_immovable() && v.angular != Vector::zeros();
        Some(Wants {
            at,
            rest,
            tolerance: settings.tolerance,
            goal: if at.crowded { settings.landing_gap() } else { settings.resting_gap() },
            impact_speed,
            bounce: (strikes && self.bounces(world, pair)).then_some(fastest_approach),
            recovery: soon.min(rest / GAP_RECOVERY),
            has_met: close.stretch.is_some(),
            turns_on: if close.points.len() > MOST { at.turning_together(rest) } else { None },
            is_driven: at.inertias.iter().zip(at.velocities).any(spins),
            turns: at.velocities.map(|v| SteadyTurn::new(&v.angular, rest)),
            pivoting: self.pivoting(world, pair, at),
        })
    }
}

impl Wants<'_> {
    /// Where a contact is within the step.
    pub fn arms_of(&self, p: &ContactPoint) -> Arms {
        let arms = self.at.arms(p);
        // What has met within the step, and has all but no gap left, may not come nearer at once, wherever the normal turns to.
        let is_tight = self.has_met && p.separation < ALL_BUT_GONE * self.goal;
        if !is_tight && let Some(arms) = self.pivoting.as_ref().and_then(|pivoting| pivoting.arms(p, arms)) {
            return arms;
        }
        if self.is_driven
            && self.turns_on.is_some()
            && !self.at.crowded
            && let Some(arms) = tilted(self.at, p, arms, self.rest)
        {
            return arms;
        }
        let slides = || self.at.passing(&arms).norm() > SLIDES * self.impact_speed;
        let along = match &self.turns_on {
            Some([a, b]) if !slides() => b.gain(&arms[1]) - a.gain(&arms[0]),
            _ => Vector::zeros(),
        };
        Arms { arms, normal: p.normal, bends: false, gain: along - p.normal * along.dot(&p.normal), dip: 0.0 }
    }

    /// How fast the surfaces are to part at least, with which velocity at the end of the step and with which motion, m/s.
    pub fn least(&self, p: &ContactPoint, Arms { arms, normal, gain, bends, dip }: &Arms) -> [Real; 2] {
        let (rest, goal) = (self.rest, self.goal);
        let closed = CLOSED * self.tolerance;
        let lack = if p.separation < TOO_SMALL * goal { goal - p.separation } else { 0.0 };
        // What turns down within the step is let come down at its end, and what turns up does not dip meanwhile.
        let rises = gain.dot(normal);
        let (arch, lift) = if *bends { ((rises * rest).max(0.0), 0.0) } else { (0.0, rises.max(0.0)) };
        let [velocity, motion] = if let Some(fastest_approach) = self.bounce.filter(|_| self.is_to_bounce(p)) {
            [-FREE * fastest_approach; 2]
        } else if lack > 0.0 {
            [0.0, (lack / self.recovery).min(self.fastest(p)) + arch / rest]
        } else {
            let excess = (p.separation - closed.max(goal + SPRING * arch)).max(0.0);
            let under = least_under_arch(p.separation - goal, arch).max(closed - p.separation.max(closed));
            let bow = if excess > 0.0 && !bends { self.bow(arms, normal) } else { 0.0 };
            [-excess / rest - bow, under / rest - bow]
        };
        [velocity - rises, motion + lift - dip]
    }

    /// Of what strikes and bounces, the other edge of what comes down on one, a little tilted, is yet to bounce, whatever it does before the blow, and
    /// so is one that has just bounced off: stopped as contacts they would not bounce.
    fn is_to_bounce(&self, p: &ContactPoint) -> bool {
        p.separation > self.tolerance || self.at.approach(p) < -self.impact_speed
    }

    /// How fast a gap is recovered at most, m/s: as fast as contacts approach, and what rushes along as far as does not show beside its way; its turning
    /// takes more. What rolls passes nothing by where it touches, but its middle goes along; what is carried round goes nowhere, as its carrier sees it.
    fn fastest(&self, p: &ContactPoint) -> Real {
        let ([a, b], [from, to]) = (self.at.velocities, self.at.inertias.map(|inertia| inertia.centre));
        let goes = |spin: &Vector| (b.linear - a.linear - spin.cross(&(to - from))).norm();
        let along = goes(&a.angular).min(goes(&b.angular));
        self.impact_speed.max(ALONG * self.at.passing(&self.at.arms(p)).norm().max(along))
    }

    /// What is ahead on something driven that turns comes on an arc: the corner of a wheel that is about to pass its top rises no further. By so much,
    /// m/s, it may come nearer.
    fn bow(&self, arms: &[Vector; 2], normal: &Vector) -> Real {
        let bow = |k: usize| {
            let is_fixed = self.at.inertias[k].is_immovable();
            if is_fixed { self.turns[k].bow(&arms[k], self.rest).dot(normal) } else { 0.0 }
        };
        if self.is_driven { (bow(1) - bow(0)).max(0.0) } else { 0.0 }
    }
}

/// A steady turn over what is left of a step.
struct SteadyTurn {
    /// rad/s.
    spin: Vector,
    /// What a velocity across the spin gains of itself, and of what is across both per rad/s of the spin.
    shares: [Real; 2],
}

impl SteadyTurn {
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

/// By how much a gap has to open at least, metres, of two surfaces that bend away from each other so that a straight way begun at `gap` metres
/// along the one rises by `arch` metres over the other: then the way only touches it.
fn least_under_arch(gap: Real, arch: Real) -> Real {
    if gap < arch { arch - 2.0 * (arch * gap.max(0.0)).sqrt() } else { -gap }
}
