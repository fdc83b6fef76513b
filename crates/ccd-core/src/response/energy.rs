//! The kinetic energy of a system.

use super::impulse::Velocity;
use super::system::{Member, System};
use crate::math::semidefinite::pseudo_inverse;
use crate::math::{Matrix, Real, Vector};

impl System {
    /// The mean velocity of what moves whatever it meets, or stands: what carries the rest, m/s.
    pub(super) fn carrying_velocity(&self) -> Vector {
        let carriers = || self.members.iter().filter(|m| m.inertia.is_immovable());
        carriers().map(|m| m.velocity.linear).sum::<Vector>() / carriers().count().max(1) as Real
    }

    /// The kinetic energy of what can move, relative to what carries it, joules.
    pub(super) fn kinetic_energy(&self) -> Real {
        let carried = self.carrying_velocity();
        let mut energy = 0.0;
        for (body, Member { velocity, .. }) in self.members.iter().enumerate() {
            energy += self.energy_of(body, &Velocity { linear: velocity.linear - carried, ..*velocity });
        }
        energy
    }

    /// The kinetic energies of all that can move, at the velocities that each member is given, joules.
    pub fn energies_at<const N: usize>(&self, velocities: impl Fn(usize) -> [Velocity; N]) -> [Real; N] {
        let mut sums = [0.0; N];
        for body in 0..self.members.len() {
            let inertia = self.inertia_of(body);
            for (sum, velocity) in sums.iter_mut().zip(velocities(body)) {
                *sum += self.energy_with_inertia(body, &inertia, &velocity);
            }
        }
        sums
    }

    /// How much energy makes no difference, or may come from what moves whatever it meets: as if that drove everything at twice the speed at
    /// which it touches anything; joules.
    pub fn slight_or_driven(&self) -> Real {
        let driver = |(k, r): (usize, &Vector)| {
            let member = &self.members[k];
            if member.inertia.is_immovable() { member.velocity.at(r).norm() } else { 0.0 }
        };
        let speeds = self.contacts.iter().flat_map(|c| [(c.a, &c.r_a), (c.b, &c.r_b)]).map(driver);
        self.energy_at(self.slight + 2.0 * speeds.fold(0.0, Real::max))
    }

    /// The kinetic energy of all that can move at a speed in all three directions, joules.
    pub(super) fn energy_at(&self, speed: Real) -> Real {
        let masses = self.members.iter().flat_map(|m| m.inertia.inverse_mass.iter());
        let mass: Real = masses.filter(|inverse| **inverse > 0.0).map(|inverse| inverse.recip()).sum();
        0.5 * mass * speed * speed
    }

    /// The kinetic energy of what the members move otherwise than by the given motions, joules.
    pub fn departure_takes(&self, motions: &[Velocity]) -> Real {
        let of = |(body, motion): (usize, &Velocity)| self.energy_of(body, &(self.members[body].motion - *motion));
        motions.iter().enumerate().map(of).sum()
    }

    /// The kinetic energy that the members have by their velocities, and by the given speed beside, joules.
    pub fn energy_with(&self, beside: Real) -> Real {
        let beside = Velocity { linear: Vector::y() * beside, angular: Vector::zeros() };
        let of =
            |(body, member): (usize, &Member)| self.energy_of(body, &member.velocity) + self.energy_of(body, &beside);
        self.members.iter().enumerate().map(of).sum()
    }

    /// The kinetic energy that a body has with the given velocity where it is now, joules; none of what cannot move.
    pub fn energy_of(&self, body: usize, velocity: &Velocity) -> Real {
        self.energy_with_inertia(body, &self.inertia_of(body), velocity)
    }

    /// The inertia of a body about the axes about which it can turn; `None` where there are none.
    fn inertia_of(&self, body: usize) -> Option<Matrix> {
        let inverse = &self.members[body].inertia.inverse_inertia;
        if *inverse == Matrix::zeros() { None } else { pseudo_inverse(inverse) }
    }

    fn energy_with_inertia(&self, body: usize, turning: &Option<Matrix>, velocity: &Velocity) -> Real {
        let along = |(inverse, v): (&Real, &Real)| if *inverse > 0.0 { 0.5 * v * v / inverse } else { 0.0 };
        let linear: Real = self.members[body].inertia.inverse_mass.iter().zip(&velocity.linear).map(along).sum();
        linear + turning.as_ref().map_or(0.0, |inertia| 0.5 * velocity.angular.dot(&(inertia * velocity.angular)))
    }
}
