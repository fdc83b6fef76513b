//! Contact by damped springs, integrated in small steps of their own.
//!
//! A spring acts over the last stretch of a contact's gap and pushes harder the smaller the gap is. Friction is a spring of
//! its own across the normal, which slips where it would pull harder than Coulomb allows. Source: Mirtich, section 4.1; the
//! virtual damped spring of the slides.

use super::impulse::Velocity;
use super::sequential::{SolverBody, SolverContact};
use crate::math::{Real, Vector, orthonormal_basis};

/// How stiff the springs are, and how finely they are integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyLaw {
    /// The longest small step, seconds, positive.
    pub step: Real,
    /// The springs' frequency times the small step, radians: the stiffness is the contact's effective mass times the square of
    /// the frequency, so that it follows from mass and Δt. Up to about 1 the integration is stable.
    pub phase: Real,
    /// The share of critical damping.
    pub damping: Real,
}

impl PenaltyLaw {
    /// 64 small steps to a world's step of `dt` seconds, critically damped. The stiffness belongs to the world's step: what is
    /// left of one after an impact must not stiffen the springs.
    pub fn for_step(dt: Real) -> Self {
        Self { step: dt / 64.0, phase: 0.3, damping: 1.0 }
    }
}

/// By this share a step releases what presses a spring together more than it has pushed before.
const RELEASE: Real = 0.05;

/// One contact's springs.
struct Spring {
    tangents: [Vector; 2],
    /// N/m and N·s/m.
    stiffness: Real,
    damping: Real,
    /// Metres left until the spring acts; negative while it is pressed.
    gap: Real,
    /// What of the velocity at which it sticks is there all the time, m/s.
    running: [Real; 2],
    /// How far the friction spring is drawn, metres.
    stretch: [Real; 2],
    /// What it has given so far, N·s, in the contact's frame.
    given: [Real; 3],
}

/// Moves the bodies over `duration` seconds from `starts` under their own accelerations (what takes `starts` to the bodies'
/// velocities) and the springs. At the end the bodies have their velocities, their motions are the averages over the
/// interval, and the contacts hold the impulses given; those given before draw the friction springs. Returns the small steps made.
///
/// `gaps` has for each contact the metres until its spring acts, negative where it is pressed already; `running` what of the velocity at which it
/// sticks ([`SolverContact::carried`]) is there all the time, along its two tangents, m/s: the rest comes evenly. Contacts may pull in
/// no direction and stay in Coulomb's cone; nothing keeps bodies from coming closer than the springs hold them.
pub fn solve_penalty(
    bodies: &mut [SolverBody],
    contacts: &mut [SolverContact],
    starts: &[Velocity],
    (gaps, running): (&[Real], &[[Real; 2]]),
    duration: Real,
    law: &PenaltyLaw,
) -> usize {
    if [duration, law.step].iter().any(|t| t.is_nan() || *t <= 0.0) {
        return 0;
    }
    let steps = (duration / law.step).ceil().max(1.0) as usize;
    let step = duration / steps as Real;
    let mut share = vec![0_usize; bodies.len()];
    for c in contacts.iter() {
        share[c.a] += 1;
        share[c.b] += 1;
    }
    // A fixed body does not move however many springs pull it.
    let movable = |k: usize| if bodies[k].inertia.is_immovable() { 1 } else { share[k] };
    let mut springs: Vec<Spring> = contacts
        .iter()
        .zip(gaps.iter().zip(running))
        .map(|(c, (&gap, &running))| {
            Spring::new(bodies, c, (gap, running), movable(c.a).max(movable(c.b)), duration, law)
        })
        .collect();
    let gains: Vec<Velocity> = bodies
        .iter()
        .zip(starts)
        .map(|(body, start)| Velocity {
            linear: (body.velocity.linear - start.linear) / steps as Real,
            angular: (body.velocity.angular - start.angular) / steps as Real,
        })
        .collect();
    for (body, start) in bodies.iter_mut().zip(starts) {
        body.velocity = *start;
        body.motion = Velocity::default();
    }
    for k in 0..steps {
        // What is carried on an arc is so evenly.
        let share = k as Real / steps as Real;
        // All springs see the same velocities, so that their order does not matter.
        let impulses: Vec<Vector> =
            contacts.iter().zip(&mut springs).map(|(c, spring)| spring.step(bodies, c, share, step)).collect();
        // Half of a small step goes by the velocity at its beginning.
        let halves = |body: &mut SolverBody| body.motion += body.velocity * (0.5 / steps as Real);
        bodies.iter_mut().for_each(halves);
        for (body, gain) in bodies.iter_mut().zip(&gains) {
            body.velocity += *gain;
        }
        for (c, impulse) in contacts.iter().zip(&impulses) {
            bodies[c.a].inertia.apply(&mut bodies[c.a].velocity, &-impulse, &c.r_a);
            bodies[c.b].inertia.apply(&mut bodies[c.b].velocity, impulse, &c.r_b);
        }
        for (c, spring) in contacts.iter().zip(&mut springs) {
            spring.gap += step * c.relative_velocity(bodies).dot(&c.normal);
        }
        bodies.iter_mut().for_each(halves);
    }
    for (c, spring) in contacts.iter_mut().zip(&springs) {
        c.impulse = spring.given;
    }
    steps
}

impl Spring {
    /// A spring of the given gap that runs at a velocity of its own, on bodies that have `sharing` springs at most; interval in seconds.
    ///
    /// What no motion has pressed together has no energy to give: what is found nearer than it has pushed for is let out by and by.
    fn new(
        bodies: &[SolverBody],
        c: &SolverContact,
        (gap, running): (Real, [Real; 2]),
        sharing: usize,
        duration: Real,
        law: &PenaltyLaw,
    ) -> Self {
        let (t1, t2) = orthonormal_basis(&c.normal);
        let k = bodies[c.a].inertia.k_matrix(&c.r_a) + bodies[c.b].inertia.k_matrix(&c.r_b);
        // The most yielding direction decides, and springs on one body share its mass, so that all together are stable.
        let response = [c.normal, t1, t2].iter().map(|d| d.dot(&(k * d))).fold(0.0, Real::max) * sharing as Real;
        let (mut stiffness, mut damping, mut stretch, mut gap) = (0.0, 0.0, [0.0; 2], gap);
        if response > 0.0 {
            let frequency = law.phase / law.step;
            stiffness = frequency * frequency / response;
            damping = 2.0 * law.damping * frequency / response;
            let [pressed, drawn @ ..] = c.impulse.map(|impulse| impulse / duration / stiffness);
            stretch = drawn.map(|drawn| -drawn);
            let over = (-gap - pressed).max(0.0);
            gap += over * (1.0 - RELEASE);
        }
        Self { tangents: [t1, t2], stiffness, damping, gap, running, stretch, given: [0.0; 3] }
    }

    /// The impulse on B over a small step, N·s, when it is carried at a `share` of what it is at the end.
    fn step(&mut self, bodies: &[SolverBody], c: &SolverContact, share: Real, step: Real) -> Vector {
        if self.stiffness == 0.0 || self.gap >= 0.0 {
            self.stretch = [0.0; 2];
            return Vector::zeros();
        }
        let v = c.relative_velocity(bodies);
        let pressing = (-self.stiffness * self.gap - self.damping * v.dot(&c.normal)).max(0.0);
        let carried = |k: usize| self.running[k] + (c.carried[k] - self.running[k]) * share;
        let speeds = [0, 1].map(|k| v.dot(&self.tangents[k]) - carried(k));
        for (stretch, speed) in self.stretch.iter_mut().zip(speeds) {
            *stretch += speed * step;
        }
        let mut force = [0, 1].map(|k| -self.stiffness * self.stretch[k] - self.damping * speeds[k]);
        let (size, limit) = (force[0].hypot(force[1]), c.friction * pressing);
        if size > limit {
            force = force.map(|f| f * limit / size);
            // The spring slips: it stays drawn by what it may pull.
            self.stretch = force.map(|f| -f / self.stiffness);
        }
        let impulse = [pressing, force[0], force[1]].map(|f| f * step);
        for (given, impulse) in self.given.iter_mut().zip(impulse) {
            *given += impulse;
        }
        c.normal * impulse[0] + self.tangents[0] * impulse[1] + self.tangents[1] * impulse[2]
    }
}
