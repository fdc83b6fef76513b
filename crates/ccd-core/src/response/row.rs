//! One contact of a solve: the directions it acts along, with what does not change while it is solved.

use super::impulse::{Inertia, Velocity};
use super::line::{Between, Line};
use super::sequential::SolverContact;
use crate::math::{Real, Vector, orthonormal_basis};

/// Which of a contact's bodies give way. What is nearer to the ground does not while shock is propagated, and while motions
/// are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Giving {
    Both,
    OnlyA,
    OnlyB,
}

impl Giving {
    /// Only the body that is further from the ground; both of the same level.
    pub fn upper(level_a: u32, level_b: u32) -> Self {
        match level_a.cmp(&level_b) {
            std::cmp::Ordering::Less => Self::OnlyB,
            std::cmp::Ordering::Equal => Self::Both,
            std::cmp::Ordering::Greater => Self::OnlyA,
        }
    }

    pub fn a(self) -> bool {
        self != Self::OnlyB
    }

    pub fn b(self) -> bool {
        self != Self::OnlyA
    }
}

/// Inverses of responses, kg; zero where nothing gives way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gains {
    normal: Real,
    /// The inverse of the tangential response (symmetric: 11, 12, 22): what sticking takes.
    tangent: [Real; 3],
    /// The inverse of its largest eigenvalue. A step by it is the same in all directions, so that a sliding contact comes to
    /// oppose the sliding; steps of different lengths along the axes would let it rest askew.
    pub sliding: Real,
}

/// A response of less than this share of all is that of nothing that gives way, but for rounding: bodies with locked axes have such.
pub(super) const NO_RESPONSE: Real = 1e-12;

impl Gains {
    /// For the response along the normal, and those along two tangents (symmetric: 11, 12, 22); what is no more than `least` is none.
    pub fn new(normal: Real, [k11, k12, k22]: [Real; 3], least: Real) -> Self {
        let inverse = |response: Real| if response > least { response.recip() } else { 0.0 };
        let largest = 0.5 * (k11 + k22) + (0.25 * (k11 - k22).powi(2) + k12 * k12).sqrt();
        let sliding = inverse(largest);
        let determinant = k11 * k22 - k12 * k12;
        let tangent = if determinant > NO_RESPONSE * k11 * k22 {
            [k22 / determinant, -k12 / determinant, k11 / determinant]
        } else {
            // Only one direction gives way. What slides across it is not stopped, and takes its share of the friction.
            [sliding, 0.0, sliding]
        };
        Self { normal: inverse(normal), tangent, sliding }
    }

    /// What the two tangential parts of an impulse become where they slide with the given speeds, m/s: what stops that, or what opposes
    /// it with the most that there may be, N·s.
    #[inline]
    pub fn within(&self, [j1, j2]: [Real; 2], [s1, s2]: [Real; 2], limit: Real) -> [Real; 2] {
        let [g11, g12, g22] = self.tangent;
        let (mut w1, mut w2) = (j1 - (g11 * s1 + g12 * s2), j2 - (g12 * s1 + g22 * s2));
        if w1 * w1 + w2 * w2 > limit * limit {
            (w1, w2) = (j1 - s1 * self.sliding, j2 - s2 * self.sliding);
            let size = (w1 * w1 + w2 * w2).sqrt();
            if size > limit {
                (w1, w2) = (w1 * (limit / size), w2 * (limit / size));
            }
        }
        [w1, w2]
    }
}

/// A contact with what does not change while it is solved.
#[derive(Clone, Debug)]
pub(super) struct Row {
    normal: Line,
    tangents: [Line; 2],
    masses: [Vector; 2],
    /// With both bodies giving way.
    free: Gains,
    /// With only the upper one giving way.
    upper: Gains,
}

impl Row {
    pub fn new(c: &SolverContact, inertia: [&Inertia; 2], upper: Giving) -> Self {
        let (t1, t2) = orthonormal_basis(&c.normal);
        let [normal, t1, t2] = [c.normal, t1, t2].map(|d| Line::new(d, c, inertia));
        let masses = [inertia[0].inverse_mass, inertia[1].inverse_mass];
        let responses = [0, 1].map(|side| {
            let along = |line: &Line, other: &Line| line.response(side, &masses[side], other);
            (along(&normal, &normal), [along(&t1, &t1), along(&t1, &t2), along(&t2, &t2)])
        });
        let gains = |giving: Giving| {
            let shares = [(giving.a(), &responses[0]), (giving.b(), &responses[1])];
            let (mut n, mut t) = (0.0, [0.0; 3]);
            for (_, (normal, tangent)) in shares.iter().filter(|(gives, _)| *gives) {
                n += normal;
                for (sum, k) in t.iter_mut().zip(tangent) {
                    *sum += k;
                }
            }
            Gains::new(n, t, NO_RESPONSE * (n + t[0] + t[2]))
        };
        Self { free: gains(Giving::Both), upper: gains(upper), normal, tangents: [t1, t2], masses }
    }

    /// Whether a push along the normal moves anything.
    pub fn gives_way(&self) -> bool {
        self.free.normal > 0.0
    }

    fn gains(&self, giving: Giving) -> &Gains {
        if giving == Giving::Both { &self.free } else { &self.upper }
    }

    /// Adds an impulse on B along the normal, N·s.
    #[inline]
    pub fn push_along(&self, giving: Giving, a: &mut Velocity, b: &mut Velocity, impulse: Real) {
        self.push(&self.normal, giving, a, b, impulse);
    }

    fn push(&self, line: &Line, giving: Giving, a: &mut Velocity, b: &mut Velocity, impulse: Real) {
        let along = line.direction() * impulse;
        if giving.a() {
            a.linear -= self.masses[0].component_mul(&along);
            a.angular -= line.spin(0) * impulse;
        }
        if giving.b() {
            b.linear += self.masses[1].component_mul(&along);
            b.angular += line.spin(1) * impulse;
        }
    }

    /// Adds all three parts of an impulse on B, N·s.
    pub fn push_all(&self, giving: Giving, a: &mut Velocity, b: &mut Velocity, impulse: &[Real; 3]) {
        for (line, &j) in [&self.normal, &self.tangents[0], &self.tangents[1]].into_iter().zip(impulse) {
            self.push(line, giving, a, b, j);
        }
    }

    /// The impulse's product with the velocity of B's point relative to A's, J.
    pub fn power(&self, a: &Velocity, b: &Velocity, impulse: &[Real; 3]) -> Real {
        let lines = [&self.normal, &self.tangents[0], &self.tangents[1]];
        lines.into_iter().zip(impulse).map(|(line, j)| j * line.speed(a, b)).sum()
    }

    /// The vector of an impulse in three parts, world.
    pub fn vector(&self, [push, rub1, rub2]: &[Real; 3]) -> Vector {
        self.normal.direction() * *push + self.tangents[0].direction() * *rub1 + self.tangents[1].direction() * *rub2
    }

    /// The three parts of an impulse, N·s, given as a vector, world.
    pub fn parts(&self, impulse: &Vector) -> [Real; 3] {
        let [t1, t2] = &self.tangents;
        [&self.normal, t1, t2].map(|line| line.direction().dot(impulse))
    }

    /// What an impulse along the other contact's normal gives this one along its own, 1/kg.
    #[inline]
    pub fn coupling(&self, other: &Self, giving: Giving) -> Real {
        if self.gains(giving).normal == 0.0 || other.gains(giving).normal == 0.0 {
            return 0.0;
        }
        let side = |side: usize| self.normal.response(side, &self.masses[side], &other.normal);
        (if giving.a() { side(0) } else { 0.0 }) + if giving.b() { side(1) } else { 0.0 }
    }

    /// What an impulse along the normal of another contact, whose `other_side` is the body that is this one's `side`, gives this
    /// one through that body, 1/kg.
    pub fn response_across(&self, side: usize, other: &Self, other_side: usize) -> Real {
        let mass = &self.masses[side];
        let (own, others) = (&self.normal, &other.normal);
        let response = own.direction().dot(&mass.component_mul(&others.direction()))
            + own.moment(side).dot(&others.spin(other_side));
        if side == other_side { response } else { -response }
    }

    /// The velocity of B's point relative to A's along the normal, m/s.
    #[inline]
    pub fn opening(&self, a: &Velocity, b: &Velocity) -> Real {
        self.normal.speed(a, b)
    }

    /// Two bodies with these velocities, for a turn of their contacts, of which this is one.
    #[inline]
    pub fn between(&self, giving: Giving, a: &Velocity, b: &Velocity) -> Between {
        Between::of(a, b, giving, &self.masses)
    }

    /// The same as [`Row::opening`] of bodies in their turn.
    #[inline]
    pub fn opening_of(&self, bodies: &Between) -> Real {
        bodies.speed(&self.normal)
    }

    /// Adds an impulse on B along the normal, N·s, to bodies in their turn.
    #[inline]
    pub fn push_normal(&self, bodies: &mut Between, impulse: Real) {
        bodies.push(&self.normal, impulse);
    }

    /// The normal part of the contact's turn; returns how much its velocity changed, m/s.
    #[inline]
    pub fn press(&self, bodies: &mut Between, least: Real, impulse: &mut Real) -> Real {
        let gain = self.gains(bodies.giving()).normal;
        if gain == 0.0 {
            return 0.0;
        }
        let total = (*impulse + (least - bodies.speed(&self.normal)) * gain).max(0.0);
        let change = total - *impulse;
        if change == 0.0 {
            return 0.0;
        }
        *impulse = total;
        bodies.push(&self.normal, change);
        (change / gain).abs()
    }

    /// The frictional part of the contact's turn; returns how much its velocity changed, m/s.
    #[inline]
    pub fn rub(&self, bodies: &mut Between, friction: Real, carried: &[Real; 2], impulse: &mut [Real; 3]) -> Real {
        // Without a load there is nothing to rub with; what is not there need not be looked up. A surface that has become frictionless has
        // the friction of the step before to give back.
        let [load, rubs @ ..] = *impulse;
        if rubs == [0.0; 2] && (friction == 0.0 || load == 0.0) {
            return 0.0;
        }
        let gains = self.gains(bodies.giving());
        if gains.sliding == 0.0 {
            return 0.0;
        }
        let limit = friction * load;
        let [t1, t2] = &self.tangents;
        let speeds = [bodies.speed(t1) - carried[0], bodies.speed(t2) - carried[1]];
        let [w1, w2] = gains.within(rubs, speeds, limit);
        let (c1, c2) = (w1 - rubs[0], w2 - rubs[1]);
        (impulse[1], impulse[2]) = (w1, w2);
        bodies.push(t1, c1);
        bodies.push(t2, c2);
        (c1 * c1 + c2 * c2).sqrt() / gains.sliding
    }

    /// The contact's turn if its impulse were to be, of all within the cone, the one that leaves least to move (see [`super::statics`]): what slides
    /// then lifts. Returns how much its velocity changed, m/s.
    #[inline]
    pub fn hold(
        &self,
        bodies: &mut Between,
        (least, friction): (Real, Real),
        carried: &[Real; 2],
        impulse: &mut [Real; 3],
    ) -> Real {
        let gains = self.gains(bodies.giving());
        if gains.normal == 0.0 || gains.sliding == 0.0 {
            return self.press(bodies, least, &mut impulse[0]);
        }
        // No less than what answers all three parts most takes.
        let step = gains.normal * gains.sliding / (gains.normal + gains.sliding);
        let lines = [&self.normal, &self.tangents[0], &self.tangents[1]];
        let goal = [least, carried[0], carried[1]];
        let lacking = [0, 1, 2].map(|part| goal[part] - bodies.speed(lines[part]));
        let wanted = [0, 1, 2].map(|part| impulse[part] + step * lacking[part]);
        let held = nearest_in_friction_cone(wanted, friction);
        let mut squared = 0.0;
        for part in 0..3 {
            let change = held[part] - impulse[part];
            squared += change * change;
            bodies.push(lines[part], change);
        }
        *impulse = held;
        squared.sqrt() / step
    }
}

/// The impulse within a friction cone that is nearest to one that may lie outside.
fn nearest_in_friction_cone([load, rub1, rub2]: [Real; 3], friction: Real) -> [Real; 3] {
    let rub = (rub1 * rub1 + rub2 * rub2).sqrt();
    if rub <= friction * load {
        return [load, rub1, rub2];
    }
    let on_edge = (load + friction * rub) / (1.0 + friction * friction);
    if on_edge <= 0.0 {
        return [0.0; 3];
    }
    let share = friction * on_edge / rub;
    [on_edge, share * rub1, share * rub2]
}
