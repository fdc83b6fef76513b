//! The energy of a system, and what it must not gain.

use super::impulse::Velocity;
use super::system::{Member, PairRows, System};
use crate::math::{Real, Vector};

/// The least share of its kinetic energy that a system keeps where contacts have given it some.
const LEAST_KEPT: Real = 0.9;

/// Velocities that make no difference in energy, m/s.
const SLIGHT: Real = 1e-3;

impl System {
    /// Takes from the velocities what contacts have given: bodies whose motions turn about each other are led apart while they
    /// press, along normals that are no longer theirs, and what that adds is no energy of the world's (erratum E23). All
    /// velocities shrink alike, so that no contact comes nearer. Without effect where nothing is fixed, which keeps momentum,
    /// and where what carries the others moves, which may give.
    pub fn take_gain(&mut self) {
        let is_fixed = |m: &Member| m.inertia.is_immovable();
        let moves = |m: &Member| m.motion != Velocity::default() || m.velocity != Velocity::default();
        if !self.members.iter().any(is_fixed) || self.members.iter().any(|m| is_fixed(m) && moves(m)) {
            return;
        }
        let given = |pair: &PairRows| -> Real {
            let (a, b) = (&self.members[pair.a].motion, &self.members[pair.b].motion);
            let work = |k: usize| {
                let impulse: [Real; 3] = std::array::from_fn(|part| self.impulses[k][part] + self.shocks[k][part]);
                self.rows[k].power(a, b, &impulse)
            };
            pair.contacts.clone().map(work).sum()
        };
        let gain: Real = self.pairs.iter().map(given).sum();
        let (energy, slight) = self.kinetic_energy();
        if gain > slight && energy > 0.0 {
            let kept = (1.0 - gain / energy).max(LEAST_KEPT).sqrt();
            for member in &mut self.members {
                member.velocity = member.velocity * kept;
            }
        }
    }

    /// The kinetic energy of what can move, relative to what carries it, and a slight amount beside it; joules.
    pub(super) fn kinetic_energy(&self) -> (Real, Real) {
        let carriers = || self.members.iter().filter(|m| m.inertia.is_immovable());
        let count = carriers().count().max(1) as Real;
        let carried: Vector = carriers().map(|m| m.velocity.linear).sum::<Vector>() / count;
        let (mut energy, mut mass) = (0.0, 0.0);
        for (body, Member { inertia, velocity, .. }) in self.members.iter().enumerate() {
            energy += self.energy_of(body, &Velocity { linear: velocity.linear - carried, ..*velocity });
            mass += inertia
                .inverse_mass
                .iter()
                .filter(|inverse| **inverse > 0.0)
                .map(|inverse| inverse.recip())
                .sum::<Real>();
        }
        (energy, 0.5 * mass * SLIGHT * SLIGHT)
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
        let inertia = &self.members[body].inertia;
        let along = |(inverse, v): (&Real, &Real)| if *inverse > 0.0 { 0.5 * v * v / inverse } else { 0.0 };
        let linear: Real = inertia.inverse_mass.iter().zip(&velocity.linear).map(along).sum();
        let turning = inertia.inverse_inertia.try_inverse();
        linear + turning.map_or(0.0, |inertia| 0.5 * velocity.angular.dot(&(inertia * velocity.angular)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Point};
    use crate::response::impulse::Inertia;
    use crate::response::sequential::{SolverBody, SolverContact};

    /// A ball of 2 kg that presses with 3 N·s on the first body while it moves away from it with 0.5 m/s.
    fn pressed_apart(first: Inertia) -> System {
        let ball = Inertia {
            centre: Point::new(0.0, 1.0, 0.0),
            inverse_mass: Vector::repeat(0.5),
            inverse_inertia: Matrix::identity(),
        };
        let at = |inertia, linear| {
            let velocity = Velocity { linear, angular: Vector::zeros() };
            SolverBody { inertia, velocity, motion: velocity }
        };
        let away = Vector::y() * 0.5;
        let bodies = [at(first, Vector::zeros()), at(ball, away + Vector::x() * 20.0)];
        let arms = [Vector::zeros(), -Vector::y()];
        let contact =
            SolverContact { impulse: [3.0, 0.0, 0.0], ..SolverContact::frictionless((0, 1), Vector::y(), arms) };
        System::new(&bodies, &[contact], &[0, 1])
    }

    #[test]
    fn what_is_pressed_apart_from_something_fixed_loses_just_what_that_gave_it() {
        let mut system = pressed_apart(Inertia::immovable(Point::origin()));
        let before = system.kinetic_energy().0;
        system.take_gain();
        let gained: Real = 3.0 * 0.5;
        assert!((before - system.kinetic_energy().0 - gained).abs() < 1e-12 * before);
    }

    #[test]
    fn what_floats_keeps_its_momentum() {
        let free =
            Inertia { centre: Point::origin(), inverse_mass: Vector::repeat(1.0), inverse_inertia: Matrix::identity() };
        let mut system = pressed_apart(free);
        let before: Vec<Velocity> = system.members.iter().map(|member| member.velocity).collect();
        system.take_gain();
        let after: Vec<Velocity> = system.members.iter().map(|member| member.velocity).collect();
        assert_eq!(before, after);
    }
}
