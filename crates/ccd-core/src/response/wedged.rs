//! Motions that sweeps come no nearer to: a part of the system solved as a whole.
//!
//! **Problem.** Something light between two heavy bodies hands what pushes it from the one to the other. A sweep brings it
//! nearer by the ratio of the masses: at a thousand to one no number of sweeps is enough, and bodies that were left too near
//! meet again at once, for ever.
//!
//! Machines have many of these: pins between links, links between wheels.
//!
//! **Idea.** The contact that is furthest from what is wanted of it, with all those of the bodies around it, is a quadratic program: of all
//! motions that have what is wanted at every contact the one that is nearest to the given ones. In what contacts push it is one over numbers that
//! are not negative, begun with those that the sweeps found to push and solved exactly, whatever the masses; then the next contact that is far.
//!
//! Between what closes on it from two sides a body may have what is wanted a hundred metres away, where faces that are not quite even would be as far apart: that is no
//! solution, either.

use std::collections::VecDeque;

use super::impulse::Velocity;
use super::row::Giving;
use super::sequential::SweepLimits;
use super::system::{Member, System};
use crate::math::Real;
use crate::math::active_set::{Program, settle};

/// Bodies that are solved for together at most, beside those that they touch. A chain or a machine has fewer, and of a heap it is a part that takes
/// less time than the sweeps did.
const TOGETHER: usize = 128;
/// What is off by more than this many times the change that sweeps end at is far.
const FAR: Real = 4.0;
/// What ends no further than this many times as far from what is wanted as it was at best has come nearer elsewhere, and is kept: where nothing
/// moves whatever happens there is a solution, for all may stand.
const FURTHER: Real = 2.0;
/// Problems at most.
const ROUNDS: usize = 6;
/// What is in the way goes aside by no more than this many times the fastest there is and the most that anything lacks: between faces that are all but even there
/// would be room a hundred metres aside.
const FLUNG: Real = 4.0;
/// By this share each contact yields more to what its push changes by, so that those that cannot be told apart have one solution.
const YIELD: Real = 1e-10;

impl System {
    /// Brings motions that are still far from what is wanted there, both bodies of every couple giving way.
    pub(super) fn settle_around_the_worst(&mut self, limits: &SweepLimits) {
        let far = FAR * limits.change;
        let (mut worst, mut lack) = self.worst_pair();
        if lack <= far {
            return;
        }
        let (begun, fastest) = (self.motions(), self.departure(&vec![Velocity::default(); self.members.len()]));
        let most = FLUNG * fastest.max(lack);
        let is_flung = |system: &Self| system.departure(&begun) > most;
        let mut best: Option<(Real, Vec<Velocity>, Vec<[Real; 1]>)> = None;
        for _ in 0..ROUNDS {
            // What is solved for here may push what is next to it further than it was off.
            if best.as_ref().is_none_or(|(least, ..)| lack < *least) {
                best = Some((lack, self.motions(), self.shoves.clone()));
            }
            let contacts = self.contacts_around(worst);
            if !self.settle_together(&contacts, limits.change) || is_flung(self) {
                // What cannot be had would be pushed for without end.
                lack = Real::INFINITY;
                break;
            }
            (worst, lack) = self.worst_pair();
            if lack <= far {
                return;
            }
        }
        let moves_anyway = |m: &Member| m.inertia.is_immovable() && m.motion != Velocity::default();
        let is_driven = self.members.iter().any(moves_anyway);
        self.jammed |= is_driven && lack == Real::INFINITY;
        let further = if is_driven { 1.0 } else { FURTHER };
        if let Some((_, motions, shoves)) = best.filter(|(least, ..)| further * *least < lack) {
            self.set_motions(&motions);
            self.shoves = shoves;
        }
    }

    /// The pair whose motions are furthest from what is wanted, and by how much, m/s.
    fn worst_pair(&self) -> (usize, Real) {
        let lacks = (0..self.pairs.len()).map(|pair| (pair, self.lack(pair)));
        lacks.fold((0, 0.0), |worst, next| if next.1 > worst.1 { next } else { worst })
    }

    /// The contacts of a pair, and of the pairs around it, nearest first, as far as there is room.
    fn contacts_around(&self, first: usize) -> Vec<usize> {
        let mut of_body = vec![Vec::new(); self.members.len()];
        for (place, pair) in self.pairs.iter().enumerate() {
            of_body[pair.a].push(place);
            of_body[pair.b].push(place);
        }
        let mut contacts: Vec<usize> = Vec::new();
        let mut joined = vec![false; self.pairs.len()];
        let mut room = TOGETHER;
        let mut has_spread: Vec<bool> = self.members.iter().map(|member| member.inertia.is_immovable()).collect();
        let mut queue = VecDeque::from([first]);
        while let Some(place) = queue.pop_front() {
            if std::mem::replace(&mut joined[place], true) {
                continue;
            }
            contacts.extend(self.pairs[place].contacts.clone());
            for body in [self.pairs[place].a, self.pairs[place].b] {
                if room > 0 && !std::mem::replace(&mut has_spread[body], true) {
                    room -= 1;
                    queue.extend(of_body[body].iter().filter(|&&other| !joined[other]));
                }
            }
        }
        contacts
    }

    /// How far a contact is from what is wanted of motions, m/s; below zero if they have more.
    fn lack_at(&self, k: usize) -> Real {
        let contact = &self.contacts[k];
        contact.least_motion - self.rows[k].opening(&self.members[contact.a].motion, &self.members[contact.b].motion)
    }

    /// Solves for what the given contacts push, all other pushes as they are, until none is off by more than `enough`, m/s. Returns whether there
    /// is a solution.
    fn settle_together(&mut self, contacts: &[usize], enough: Real) -> bool {
        let giving = contacts.iter().copied().filter(|&k| self.rows[k].gives_way());
        let begin = |k: usize| Begun { contact: k, response: self.coupling_between(k, k), shove: self.shoves[k][0] };
        let contacts = giving.map(begin).collect();
        settle(&mut Wedged { system: self, contacts }, enough)
    }

    /// The contact pushes by so much in all, N·s, both bodies giving way.
    fn shove(&mut self, k: usize, shove: Real) {
        let (a, b) = (self.contacts[k].a, self.contacts[k].b);
        let (mut motion_a, mut motion_b) = (self.members[a].motion, self.members[b].motion);
        self.rows[k].push_along(Giving::Both, &mut motion_a, &mut motion_b, shove - self.shoves[k][0]);
        self.shoves[k][0] = shove;
        (self.members[a].motion, self.members[b].motion) = (motion_a, motion_b);
    }

    /// What an impulse along the normal of contact `l` gives contact `k` along its own, 1/kg.
    fn coupling_between(&self, k: usize, l: usize) -> Real {
        let bodies = [k, l].map(|contact| [self.contacts[contact].a, self.contacts[contact].b]);
        let (row, other) = (&self.rows[k], &self.rows[l]);
        let mut coupling = 0.0;
        for (i, body) in bodies[0].iter().enumerate() {
            for (j, _) in bodies[1].iter().enumerate().filter(|(_, other)| *other == body) {
                coupling += row.response_across(i, other, j);
            }
        }
        coupling
    }
}

/// What some contacts push, N·s, as a program: each has what is wanted, or more and pushes nothing.
struct Wedged<'a> {
    system: &'a mut System,
    contacts: Vec<Begun>,
}

/// A contact of such a program, as it was when that began.
struct Begun {
    contact: usize,
    /// What its own push gives it, 1/kg.
    response: Real,
    /// N·s.
    shove: Real,
}

impl Program for Wedged<'_> {
    fn size(&self) -> usize {
        self.contacts.len()
    }

    fn entry(&self, i: usize, j: usize) -> Real {
        let Begun { contact, response, .. } = self.contacts[i];
        if i == j { response * (1.0 + YIELD) } else { self.system.coupling_between(contact, self.contacts[j].contact) }
    }

    fn unknown(&self, i: usize) -> Real {
        self.system.shoves[self.contacts[i].contact][0]
    }

    fn residual(&self, i: usize) -> Real {
        let Begun { contact, response, shove } = self.contacts[i];
        self.system.lack_at(contact) - YIELD * response * (self.unknown(i) - shove)
    }

    fn set(&mut self, i: usize, to: Real) {
        self.system.shove(self.contacts[i].contact, to);
    }
}

#[cfg(test)]
mod tests {
    use crate::math::{Matrix, Point, Real, Vector};
    use crate::response::impulse::{Inertia, Velocity};
    use crate::response::sequential::{SolverBody, SolverContact, SweepLimits};
    use crate::response::system::System;

    /// A heavy ball on a light one on the ground, whatever level they are said to be of.
    fn press_a_light_one(ratio: Real, levels: &[u32]) -> System {
        let ball = |mass: Real, height: Real| SolverBody {
            inertia: Inertia {
                centre: Point::new(0.0, height, 0.0),
                inverse_mass: Vector::repeat(1.0 / mass),
                inverse_inertia: Matrix::identity() * (2.5 / mass),
            },
            velocity: Velocity::default(),
            motion: Velocity { linear: Vector::y() * -0.5, angular: Vector::zeros() },
        };
        let ground = SolverBody {
            inertia: Inertia::immovable(Point::origin()),
            velocity: Velocity::default(),
            motion: Velocity::default(),
        };
        let contact = |a: usize, b: usize| {
            let arm = if a == 0 { Vector::zeros() } else { Vector::y() };
            SolverContact::frictionless((a, b), Vector::y(), [arm, -Vector::y()])
        };
        System::new(&[ground, ball(1.0, 1.0), ball(ratio, 3.0)], &[contact(0, 1), contact(1, 2)], levels, 1e-3)
    }

    #[test]
    fn what_is_light_is_not_pressed_into_the_ground_by_what_is_a_million_times_as_heavy() {
        let mut system = press_a_light_one(1e6, &[0, 1, 1]);
        let limits =
            SweepLimits { velocity: 0, motion: 50, change: 1e-9, kept: 0.0, stood: false, far: 0.0, together: true };
        system.settle_motions(&limits);
        for member in &system.members {
            assert!(member.motion.linear.norm() < 1e-6, "{}", member.motion.linear);
        }
    }

    #[test]
    fn what_is_light_between_two_heavy_ones_is_settled_however_many_contacts_it_has() {
        let body = |mass: Real, height: Real, speed: Real| SolverBody {
            inertia: Inertia {
                centre: Point::new(0.0, height, 0.0),
                inverse_mass: Vector::repeat(1.0 / mass),
                inverse_inertia: Matrix::identity() * (6.0 / mass),
            },
            velocity: Velocity::default(),
            motion: Velocity { linear: Vector::y() * speed, angular: Vector::zeros() },
        };
        let bodies = [body(1e4, 0.0, 1.0), body(1.0, 1.0, 0.0), body(1.0, 2.0, 0.0), body(1e4, 3.0, -1.0)];
        // Faces on each other, of as many small triangles as you like, no two quite in one plane.
        let contact = |a: usize, k: usize| {
            let angle = k as Real;
            let out = Vector::new(angle.cos(), 0.0, angle.sin());
            let normal = (Vector::y() + out * (0.02 * (3.0 * angle).sin())).normalize();
            let arm = out * (0.4 * (k as Real / 80.0).sqrt());
            SolverContact::frictionless((a, a + 1), normal, [arm + Vector::y() * 0.5, arm - Vector::y() * 0.5])
        };
        let mut system = System::empty(1e-3);
        bodies.iter().for_each(|body| _ = system.add_body(body, 0));
        for a in 0..3 {
            system.add_pair(&(0..80).map(|k| contact(a, k)).collect::<Vec<_>>());
        }
        let limits =
            SweepLimits { velocity: 0, motion: 100, change: 1e-6, kept: 0.0, stood: false, far: 0.0, together: true };
        system.settle_motions(&limits);
        for pair in 0..3 {
            assert!(system.lack(pair) < 4.0 * 1e-6, "pair {pair} comes nearer by {} m/s", system.lack(pair));
        }
    }

    #[test]
    fn a_chain_of_heavy_links_with_light_pins_between_them_is_settled_all_along() {
        let random = |k: usize| (k as Real * 12.9898).sin();
        let body = |k: usize| SolverBody {
            inertia: Inertia {
                centre: Point::new(k as Real, 0.0, 0.0),
                inverse_mass: Vector::repeat([1e-3, 0.1][k % 2]),
                inverse_inertia: Matrix::identity() * [6e-3, 2.0][k % 2],
            },
            velocity: Velocity::default(),
            motion: Velocity {
                linear: Vector::new(random(3 * k), random(3 * k + 1), 0.1 * random(3 * k + 2)),
                angular: Vector::new(0.0, 0.0, 2.0 * random(7 * k)),
            },
        };
        // The pin is round, and in a hole of the link with some play.
        let contact = |a: usize, j: usize| {
            let angle = j as Real * std::f64::consts::TAU / 16.0;
            let normal = Vector::new(angle.cos(), angle.sin(), 0.0);
            let arms = [Vector::x() * 0.5 + normal * 0.1, Vector::x() * -0.5 + normal * 0.1];
            SolverContact {
                least_motion: -0.01 * random(a + j).abs(),
                ..SolverContact::frictionless((a, a + 1), normal, arms)
            }
        };
        let mut system = System::empty(1e-3);
        (0..41).for_each(|k| _ = system.add_body(&body(k), 0));
        (0..40).for_each(|a| _ = system.add_pair(&(0..16).map(|j| contact(a, j)).collect::<Vec<_>>()));
        let limits =
            SweepLimits { velocity: 0, motion: 100, change: 1e-6, kept: 0.0, stood: false, far: 0.0, together: true };
        system.settle_motions(&limits);
        for pair in 0..40 {
            assert!(system.lack(pair) < 4.0 * 1e-6, "pair {pair} comes nearer by {} m/s", system.lack(pair));
        }
    }
}
