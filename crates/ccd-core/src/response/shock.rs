//! Shock propagation: from the ground up, level by level, with everything below frozen (Guendelman, Bridson and Fedkiw 2003, section 8).
//!
//! It makes a pile bear what comes down on it at once, and gives the ground what it takes from those above. Where what is frozen bears that, so
//! would many sweeps find; where it does not, the momentum would be nobody's.

use super::impulse::Velocity;
use super::row::Giving;
use super::sequential::SweepLimits;
use super::system::{PairRows, System};
use crate::math::{Real, in_basis};

/// What is frozen gives way if the impulses that shock propagation adds would do as large a share of what they take on it. Where piles stand they do
/// less than a twentieth; in machines, chains and heaps that fall a fifth, up to several times what they take.
const YIELDS: Real = 0.1;

impl System {
    /// Solves level by level with everything below frozen. The impulses found count for this interval only: the next one
    /// starts warm from what the sweeps found, which conserves momentum. What is light but nearer to the ground must not
    /// throw what is heavy about: a propagation that adds energy is taken back (erratum E11). Nor does what is below always bear what it is
    /// frozen for: where it moves with what pushes it, as a link does that is on its way, its share of the momentum would be nobody's.
    pub fn propagate_shock(&mut self, limits: &SweepLimits) {
        let (swept, swept_rolls) = (self.impulses.clone(), self.rolls.clone());
        let former: Vec<Velocity> = self.members.iter().map(|m| m.velocity).collect();
        let (before, slight) = (self.kinetic_energy(), self.energy_at(self.slight));
        let order = self.ground_up();
        for group in order.chunk_by(|x, y| x.0 == y.0) {
            self.turn_level(group, limits, Self::turn);
        }
        let taken = before - self.kinetic_energy();
        let fails = taken < -slight || self.work_on_supports(&swept) > YIELDS * taken.max(0.0) + slight;
        if fails {
            for (member, former) in self.members.iter_mut().zip(former) {
                member.velocity = former;
            }
        } else {
            for ((now, swept), shock) in self.impulses.iter().zip(&swept).zip(&mut self.shocks) {
                for part in 0..3 {
                    shock[part] += now[part] - swept[part];
                }
            }
        }
        (self.impulses, self.rolls) = (swept, swept_rolls);
    }

    /// What the impulses beside those of before would have done to what was frozen for them, as it moves beside what carries all, pair by pair; joules.
    fn work_on_supports(&self, before: &[[Real; 3]]) -> Real {
        let carried = self.carrying_velocity();
        let on_support = |pair: &PairRows| {
            let (support, sign) = match pair.upper {
                Giving::Both => return 0.0,
                Giving::OnlyA => (pair.b, 1.0),
                Giving::OnlyB => (pair.a, -1.0),
            };
            if self.members[support].inertia.is_immovable() {
                return 0.0;
            }
            let of = |k: usize| {
                let c = &self.contacts[k];
                let speed = self.members[support].velocity.at(if support == c.a { &c.r_a } else { &c.r_b }) - carried;
                let parts = in_basis(&c.normal, &speed).into_iter().zip(self.impulses[k].iter().zip(&before[k]));
                sign * parts.map(|(along, (now, before))| (now - before) * along).sum::<Real>()
            };
            pair.contacts.clone().map(of).sum::<Real>().abs()
        };
        self.pairs.iter().map(on_support).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Point, Vector};
    use crate::response::impulse::Inertia;
    use crate::response::sequential::{SolverBody, SolverContact};

    /// A ground that rises, a light body that may lie on it, and a heavy one that comes down on that at 10 m/s; what shock propagation makes of the
    /// velocities of the latter two, all beside the ground, m/s.
    fn comes_down(light: Real, lies: bool) -> [Real; 2] {
        let lift = 3.0;
        let body = |k: usize, mass: Real, speed: Real| {
            let centre = Point::new(0.0, k as Real, 0.0);
            let inertia = match k {
                0 => Inertia::immovable(centre),
                _ => Inertia { centre, inverse_mass: Vector::repeat(1.0 / mass), inverse_inertia: Matrix::zeros() },
            };
            let velocity = Velocity { linear: Vector::y() * (lift + speed), ..Velocity::default() };
            SolverBody { inertia, velocity, motion: Velocity::default() }
        };
        let contact = |a: usize| SolverContact::frictionless((a, a + 1), Vector::y(), [Vector::zeros(); 2]);
        let contacts = if lies { vec![contact(0), contact(1)] } else { vec![contact(1)] };
        let bodies = [body(0, 0.0, 0.0), body(1, 1.0, light), body(2, 1000.0, -10.0)];
        let mut system = System::new(&bodies, &contacts, &[0, 1, 2], 1e-3);
        let limits =
            SweepLimits { velocity: 60, motion: 0, change: 1e-9, kept: 0.0, stood: false, far: 1e-3, together: true };
        system.propagate_shock(&limits);
        [1, 2].map(|k| system.members[k].velocity.linear.y - lift)
    }

    #[test]
    fn what_lies_on_the_ground_bears_what_comes_down_on_it() {
        assert_eq!(comes_down(0.0, true), [0.0, 0.0]);
    }

    #[test]
    fn what_is_on_its_way_takes_no_momentum_to_the_ground() {
        assert_eq!(comes_down(-4.0, false), [-4.0, -10.0]);
    }
}
