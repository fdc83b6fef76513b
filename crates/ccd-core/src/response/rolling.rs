//! Rolling resistance: what keeps bodies from turning on each other about axes in the plane in which they touch.
//!
//! The load of what rolls stands a little ahead of where it touches, by the coefficient of rolling resistance as a length: a torque of at
//! most that times the normal force opposes the turning, as friction opposes the sliding, and is solved for with it, turn by turn. Turning
//! about the normal is left alone.
//!
//! Source: Coulomb's law of rolling; Johnson, Contact Mechanics, 1985, chapter 8.

use std::ops::Range;

use super::impulse::{Inertia, Velocity};
use super::row::{Gains, Giving, NO_RESPONSE};
use super::system::{PairRows, System};
use crate::math::{Real, Vector, orthonormal_basis};

/// What touches nearer to its centre than this, metres, counts as touching there: its numbers stay normal.
const LEAST_REACH: Real = 1e-6;

/// What resists rolling at the contacts of one patch. Its impulses are those of a couple of forces at a distance, [`Rolling::reach`], so
/// that they and the speeds that they change compare with those of contacts.
#[derive(Clone, Debug)]
pub(super) struct Rolling {
    /// The contacts of the patch.
    contacts: Range<usize>,
    /// How much there may be for each newton second that they push.
    share: Real,
    /// How far the centre of what turns is from where it touches, metres.
    reach: Real,
    /// Two axes in the plane in which they touch, as long as the reach.
    axes: [Vector; 2],
    /// For each body the turning that an impulse of one newton second about each axis gives it, rad/s.
    spins: [[Vector; 2]; 2],
    /// With both bodies giving way.
    free: Gains,
    /// With only the upper one giving way.
    upper: Gains,
}

impl Rolling {
    /// Resistance by `arm` metres between bodies that touch with this normal, at these places from their centres.
    fn new(
        contacts: Range<usize>,
        arm: Real,
        (normal, places): (&Vector, [&Vector; 2]),
        inertia: [&Inertia; 2],
        upper: Giving,
    ) -> Self {
        let turning = inertia.iter().zip(places).filter(|(inertia, _)| !inertia.is_immovable());
        let reach = turning.map(|(_, place)| place.norm()).fold(LEAST_REACH, Real::max);
        let (t1, t2) = orthonormal_basis(normal);
        let axes = [t1 * reach, t2 * reach];
        let spins = inertia.map(|inertia| axes.map(|axis| inertia.inverse_inertia * axis));
        let turning: Real = inertia.iter().map(|inertia| inertia.inverse_inertia.trace()).sum();
        let least = NO_RESPONSE * turning * reach * reach;
        let gains = |giving: Giving| {
            let mut response = [0.0; 3];
            for (_, spins) in [giving.a(), giving.b()].into_iter().zip(&spins).filter(|(gives, _)| *gives) {
                let along = [axes[0].dot(&spins[0]), axes[0].dot(&spins[1]), axes[1].dot(&spins[1])];
                response.iter_mut().zip(along).for_each(|(sum, part)| *sum += part);
            }
            Gains::new(0.0, response, least)
        };
        Self { contacts, share: arm / reach, reach, axes, free: gains(Giving::Both), upper: gains(upper), spins }
    }

    /// How fast B turns relative to A about the two axes, as the speed of a rim, m/s.
    fn speeds(&self, a: &Velocity, b: &Velocity) -> [Real; 2] {
        let turning = b.angular - a.angular;
        self.axes.map(|axis| turning.dot(&axis))
    }

    /// Adds two parts of an impulse on B, N·s.
    pub fn push(&self, giving: Giving, a: &mut Velocity, b: &mut Velocity, parts: &[Real; 2]) {
        if giving.a() {
            a.angular -= self.spins[0][0] * parts[0] + self.spins[0][1] * parts[1];
        }
        if giving.b() {
            b.angular += self.spins[1][0] * parts[0] + self.spins[1][1] * parts[1];
        }
    }

    /// The impulse's product with the turning of B relative to A, J.
    pub fn power(&self, a: &Velocity, b: &Velocity, [roll1, roll2]: &[Real; 2]) -> Real {
        let [s1, s2] = self.speeds(a, b);
        roll1 * s1 + roll2 * s2
    }

    /// Its turn, where the contacts push in sum by `load`, N·s; returns how much the speed of the rim changed, m/s.
    fn turn(&self, giving: Giving, a: &mut Velocity, b: &mut Velocity, load: Real, roll: &mut [Real; 2]) -> Real {
        if *roll == [0.0; 2] && load <= 0.0 {
            return 0.0;
        }
        let gains = if giving == Giving::Both { &self.free } else { &self.upper };
        if gains.sliding == 0.0 {
            return 0.0;
        }
        let now = gains.within(*roll, self.speeds(a, b), self.share * load.max(0.0));
        let change = [now[0] - roll[0], now[1] - roll[1]];
        *roll = now;
        self.push(giving, a, b, &change);
        (change[0] * change[0] + change[1] * change[1]).sqrt() / gains.sliding
    }
}

/// The turn of what resists the rolling of a pair, after its contacts' own, with the impulses of these and the `rolls` of what resists;
/// returns the largest change, m/s. It stands apart from that of the contacts: few pairs have any.
#[inline(never)]
pub(super) fn resist(
    rollings: &[Rolling],
    pair: &PairRows,
    giving: Giving,
    [a, b]: [&mut Velocity; 2],
    (impulses, rolls): (&[[Real; 3]], &mut [[Real; 2]]),
) -> Real {
    let first = pair.contacts.start;
    let turn = |(rolling, roll): (&Rolling, &mut [Real; 2])| {
        let pushing = &impulses[rolling.contacts.start - first..rolling.contacts.end - first];
        rolling.turn(giving, a, b, pushing.iter().map(|parts| parts[0]).sum(), roll)
    };
    rollings[pair.rollings.clone()].iter().zip(rolls).map(turn).fold(0.0, Real::max)
}

impl System {
    /// The contacts of a pair resist rolling by `arm` metres, more than nothing; `known` is the angular impulse on B by which they did
    /// before, N·m·s, world.
    pub fn resist_rolling(&mut self, pair: usize, arm: Real, known: &Vector) {
        let (rows, first) = (&mut self.pairs[pair], self.rollings.len());
        let inertia = [&self.members[rows.a].inertia, &self.members[rows.b].inertia];
        let load =
            |contacts: &Range<usize>| -> Real { self.impulses[contacts.clone()].iter().map(|parts| parts[0]).sum() };
        let all = load(&rows.contacts);
        for patch in &self.patches[rows.patches.clone()] {
            let c = &self.contacts[patch.range.start];
            let place = (&c.normal, [&c.r_a, &c.r_b]);
            let rolling = Rolling::new(patch.range.clone(), arm, place, inertia, rows.upper);
            // Of several patches each had what its load could bear.
            let borne = if all > 0.0 { load(&patch.range) / all } else { 0.0 };
            let unit = borne / (rolling.reach * rolling.reach);
            self.rolls.push(rolling.axes.map(|axis| known.dot(&axis) * unit));
            self.rollings.push(rolling);
        }
        rows.rollings = first..self.rollings.len();
    }

    /// The angular impulse on B by which a pair's contacts resist rolling, N·m·s, world.
    pub fn rolled(&self, pair: usize) -> Vector {
        let range = self.pairs[pair].rollings.clone();
        let each = |(rolling, roll): (&Rolling, &[Real; 2])| rolling.axes[0] * roll[0] + rolling.axes[1] * roll[1];
        self.rollings[range.clone()].iter().zip(&self.rolls[range]).map(each).sum()
    }
}
