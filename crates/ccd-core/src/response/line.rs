//! One direction of a contact, and two bodies while their contacts have a turn along such directions.
//!
//! A contact feels nothing of its bodies but the difference of their velocities and their two spins. So a turn takes these nine numbers
//! down once; the speed along a direction is a sum of nine products, a push adds to nine numbers, and what has become of the bodies is
//! told when the turn is over. The numbers stand in one order everywhere, so that processors take two at a time.

use super::impulse::{Inertia, Velocity};
use super::row::Giving;
use super::sequential::SolverContact;
use crate::math::{Real, Vector};

/// One direction of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The direction, unit, world, and its moments about the centres of A and B, metres.
    reach: [Real; 9],
    /// The turning that an impulse of one newton second along it gives A and B, rad/s.
    spins: [Real; 6],
}

impl Line {
    pub fn new(direction: Vector, c: &SolverContact, inertia: [&Inertia; 2]) -> Self {
        let moments = [c.r_a.cross(&direction), c.r_b.cross(&direction)];
        let [m, n] = &moments;
        let [p, q] = [inertia[0].inverse_inertia * m, inertia[1].inverse_inertia * n];
        Self {
            reach: [direction.x, direction.y, direction.z, m.x, m.y, m.z, n.x, n.y, n.z],
            spins: [p.x, p.y, p.z, q.x, q.y, q.z],
        }
    }

    /// Unit, world.
    #[inline]
    pub fn direction(&self) -> Vector {
        Vector::new(self.reach[0], self.reach[1], self.reach[2])
    }

    /// The direction's moment about the centre of A or B, metres.
    #[inline]
    pub fn moment(&self, side: usize) -> Vector {
        let first = 3 + 3 * side;
        Vector::new(self.reach[first], self.reach[first + 1], self.reach[first + 2])
    }

    /// The turning that an impulse of one newton second along it gives A or B, rad/s.
    #[inline]
    pub fn spin(&self, side: usize) -> Vector {
        let first = 3 * side;
        Vector::new(self.spins[first], self.spins[first + 1], self.spins[first + 2])
    }

    /// The velocity of B's point relative to A's along it, m/s.
    #[inline]
    pub fn speed(&self, a: &Velocity, b: &Velocity) -> Real {
        let along = (b.linear - a.linear).dot(&self.direction());
        along + b.angular.dot(&self.moment(1)) - a.angular.dot(&self.moment(0))
    }

    /// What an impulse along it gives the side's point along `other`, 1/kg.
    pub fn response(&self, side: usize, mass: &Vector, other: &Self) -> Real {
        self.direction().dot(&mass.component_mul(&other.direction())) + self.moment(side).dot(&other.spin(side))
    }
}

/// Two bodies as their contacts feel them, of which some give way.
#[derive(Clone, Debug)]
pub(super) struct Between {
    /// The velocity of B's centre beside A's, m/s, the spin of A the other way round, and that of B, rad/s.
    now: [Real; 9],
    /// The first three as they were.
    before: Vector,
    giving: Giving,
    /// 1/kg per world axis, of those that give way.
    masses: [Vector; 2],
    /// Of both together.
    yielding: Vector,
}

impl Between {
    /// Of bodies with these velocities and inverse masses, 1/kg per world axis.
    #[inline]
    pub fn of(a: &Velocity, b: &Velocity, giving: Giving, masses: &[Vector; 2]) -> Self {
        let (u, p, q) = (b.linear - a.linear, &a.angular, &b.angular);
        let masses = match giving {
            Giving::Both => *masses,
            Giving::OnlyA => [masses[0], Vector::zeros()],
            Giving::OnlyB => [Vector::zeros(), masses[1]],
        };
        Self {
            now: [u.x, u.y, u.z, -p.x, -p.y, -p.z, q.x, q.y, q.z],
            before: u,
            giving,
            masses,
            yielding: masses[0] + masses[1],
        }
    }

    pub fn giving(&self) -> Giving {
        self.giving
    }

    /// The velocity of B's point relative to A's along a line, m/s.
    #[inline]
    pub fn speed(&self, line: &Line) -> Real {
        let product = |k: usize| self.now[k] * line.reach[k];
        let even = (product(0) + product(2)) + (product(4) + product(6));
        let odd = (product(1) + product(3)) + (product(5) + product(7));
        (even + odd) + product(8)
    }

    /// Adds an impulse on B along a line, N·s.
    #[inline]
    pub fn push(&mut self, line: &Line, impulse: Real) {
        let Self { now: [u, v, w, p, q, r, x, y, z], yielding, giving, .. } = self;
        let [a, b, c, ..] = line.reach;
        *u += yielding[0] * a * impulse;
        *v += yielding[1] * b * impulse;
        *w += yielding[2] * c * impulse;
        let [d, e, f, g, h, i] = line.spins;
        if giving.a() {
            *p += d * impulse;
            *q += e * impulse;
            *r += f * impulse;
        }
        if giving.b() {
            *x += g * impulse;
            *y += h * impulse;
            *z += i * impulse;
        }
    }

    /// Tells the bodies what has become of them.
    #[inline]
    pub fn end(&self, a: &mut Velocity, b: &mut Velocity) {
        let [u, v, w, p, q, r, x, y, z] = self.now;
        let change = Vector::new(u, v, w) - self.before;
        if change != Vector::zeros() {
            let pushed = |axis: usize| if change[axis] == 0.0 { 0.0 } else { change[axis] / self.yielding[axis] };
            let pushed = Vector::new(pushed(0), pushed(1), pushed(2));
            a.linear -= self.masses[0].component_mul(&pushed);
            b.linear += self.masses[1].component_mul(&pushed);
        }
        a.angular = Vector::new(-p, -q, -r);
        b.angular = Vector::new(x, y, z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Point};

    #[test]
    fn a_turn_does_to_bodies_what_its_pushes_do_one_by_one() {
        let inertia = |mass: Real| Inertia {
            centre: Point::origin(),
            inverse_mass: Vector::new(1.0, 0.0, 0.5) / mass,
            inverse_inertia: Matrix::new(3.0, 0.2, 0.1, 0.2, 4.0, 0.3, 0.1, 0.3, 5.0) / mass,
        };
        let (one, other) = (inertia(1.0), inertia(7.0));
        let velocity = |k: Real| Velocity { linear: Vector::new(k, 2.0 - k, 0.3), angular: Vector::new(0.1, -k, 0.7) };
        let arms = [Vector::new(0.1, 0.5, -0.2), Vector::new(0.3, -0.4, 0.6)];
        let line = |direction: Vector| {
            Line::new(direction, &SolverContact::frictionless((0, 1), direction, arms), [&one, &other])
        };
        let pushes = [(line(Vector::y()), 0.7), (line(Vector::new(0.6, 0.0, 0.8)), -0.2)];
        for giving in [Giving::Both, Giving::OnlyA, Giving::OnlyB] {
            let (mut a, mut b) = (velocity(1.0), velocity(-0.5));
            let mut between = Between::of(&a, &b, giving, &[one.inverse_mass, other.inverse_mass]);
            let (mut a_alone, mut b_alone) = (a, b);
            for (line, impulse) in &pushes {
                assert!((between.speed(line) - line.speed(&a_alone, &b_alone)).abs() < 1e-14);
                between.push(line, *impulse);
                if giving.a() {
                    one.apply(&mut a_alone, &(line.direction() * -impulse), &arms[0]);
                }
                if giving.b() {
                    other.apply(&mut b_alone, &(line.direction() * *impulse), &arms[1]);
                }
            }
            between.end(&mut a, &mut b);
            for (after, alone) in [(a, a_alone), (b, b_alone)] {
                assert!((after.linear - alone.linear).norm() < 1e-14, "{giving:?}");
                assert!((after.angular - alone.angular).norm() < 1e-14, "{giving:?}");
            }
        }
    }
}
