//! The impact of bodies over all their contact points at one instant.
//!
//! Source: slides on rigid collision; errata E10 and E23 (restitution with friction can create energy).

use super::impulse::{Inertia, Velocity, contact_impulse};
use super::sequential::{SolverBody, SolverContact, SweepLimits, solve};
use super::together::stick_or_slide;
use crate::math::{Real, Vector, orthonormal_basis};

/// One point of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactPoint {
    /// The body on side A, by its place among those of the impact.
    pub a: usize,
    /// The body on side B.
    pub b: usize,
    /// From A's centre of mass to the point, metres, world axes.
    pub r_a: Vector,
    /// From B's centre of mass to the point, metres, world axes.
    pub r_b: Vector,
    /// Unit, from A to B.
    pub normal: Vector,
    /// How the two surfaces answer.
    pub law: ImpactLaw,
    /// The velocity of B's point relative to A's from which approach and sliding are counted, m/s, world: none for a blow, what is
    /// carried on an arc for a contact that lasts.
    pub goal: Vector,
}

/// How surfaces answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactLaw {
    /// Coulomb's μ.
    pub friction: Real,
    /// Newton's e.
    pub restitution: Real,
    /// Approach speeds up to this, m/s, do not bounce.
    pub restitution_threshold: Real,
}

impl ImpactLaw {
    /// The normal velocity after an impact, of what comes with the normal velocity `before`, m/s.
    fn target(&self, before: Real) -> Real {
        if before < -self.restitution_threshold { -self.restitution * before } else { 0.0 }
    }

    /// The same surfaces, and nothing bounces.
    fn plastic(self) -> Self {
        Self { restitution: 0.0, ..self }
    }
}

/// Sweeps over the points of one impact; they converge geometrically, and what is left is caught as the next impact.
const MAX_SWEEPS: usize = 200;
/// The share of the fastest approach that makes no difference.
const SLIGHT: Real = 1e-3;

/// Resolves the impact in place and returns the impulse on B at each point, N·s. Of two bodies all points are one impact; of more, what
/// meets at the same instant: a plate that lands on two posts is not tipped by the one that comes first in a list.
///
/// After it no point approaches (within rounding of the sweeps; a single point may where friction is so large that
/// [`contact_impulse`] clamps it), every impulse lies in its friction cone, and the kinetic energy of all has not grown (E23: the
/// impulse is taken back towards the plastic one until it has not).
///
/// # Panics
/// When a point names a body that is not there.
pub fn resolve_impact(inertias: &[&Inertia], velocities: &mut [Velocity], points: &[ImpactPoint]) -> Vec<Vector> {
    let before = &*velocities;
    let mut impulses = sweep(inertias, before, points);
    if energy_gain(inertias, before, points, &impulses) > 0.0 {
        let with_law = |law: &dyn Fn(ImpactLaw) -> ImpactLaw| -> Vec<ImpactPoint> {
            points.iter().map(|p| ImpactPoint { law: law(p.law), ..*p }).collect()
        };
        let plastic = sweep(inertias, before, &with_law(&ImpactLaw::plastic));
        let floor = if energy_gain(inertias, before, points, &plastic) > 0.0 {
            // Even stopping gains: only possible through friction's coupling, so stop without friction.
            sweep(inertias, before, &with_law(&|law| ImpactLaw { friction: 0.0, ..law.plastic() }))
        } else {
            plastic
        };
        impulses = furthest_without_gain(inertias, before, points, &floor, &impulses);
    }
    apply(inertias, velocities, points, &impulses);
    impulses
}

/// The velocity of B's point relative to A's.
fn passing(velocities: &[Velocity], p: &ImpactPoint) -> Vector {
    velocities[p.b].at(&p.r_b) - velocities[p.a].at(&p.r_a)
}

/// The same, counted from the point's goal.
fn relative(velocities: &[Velocity], p: &ImpactPoint) -> Vector {
    passing(velocities, p) - p.goal
}

fn apply(inertias: &[&Inertia], velocities: &mut [Velocity], points: &[ImpactPoint], impulses: &[Vector]) {
    for (p, j) in points.iter().zip(impulses) {
        inertias[p.a].apply(&mut velocities[p.a], &-j, &p.r_a);
        inertias[p.b].apply(&mut velocities[p.b], j, &p.r_b);
    }
}

fn applied(inertias: &[&Inertia], before: &[Velocity], points: &[ImpactPoint], impulses: &[Vector]) -> Vec<Velocity> {
    let mut velocities = before.to_vec();
    apply(inertias, &mut velocities, points, impulses);
    velocities
}

/// The normal velocity that a point is to have, counted from its goal.
fn target(before: &[Velocity], p: &ImpactPoint) -> Real {
    p.law.target(relative(before, p).dot(&p.normal))
}

/// The impulses that bring every point to its target: one point by the papers' formula, several of a pair alike where all stick or all slide
/// on, and else by sweeps, so that friction opposes the sliding that is left when all have pressed.
fn sweep(inertias: &[&Inertia], before: &[Velocity], points: &[ImpactPoint]) -> Vec<Vector> {
    if let [p] = points {
        let k = inertias[p.a].k_matrix(&p.r_a) + inertias[p.b].k_matrix(&p.r_b);
        return vec![contact_impulse(&k, &relative(before, p), &p.normal, p.law.friction, target(before, p))];
    }
    if let [p, q] = points
        && [p, q].iter().all(|p| p.law.friction == 0.0)
        && let Some([j, k]) = press_two(inertias, before, [p, q])
    {
        return vec![p.normal * j, q.normal * k];
    }
    let mut contacts: Vec<SolverContact> = points
        .iter()
        .map(|p| {
            let (t1, t2) = orthonormal_basis(&p.normal);
            SolverContact {
                friction: p.law.friction,
                least_velocity: target(before, p) + p.goal.dot(&p.normal),
                carried: [t1, t2].map(|t| t.dot(&p.goal)),
                ..SolverContact::frictionless((p.a, p.b), p.normal, [p.r_a, p.r_b])
            }
        })
        .collect();
    if let [first, others @ ..] = points
        && others.iter().all(|p| (p.a, p.b) == (first.a, first.b))
        && let Some(impulses) =
            stick_or_slide([inertias[first.a], inertias[first.b]], [&before[first.a], &before[first.b]], &contacts)
    {
        return impulses;
    }
    let mut bodies: Vec<SolverBody> = inertias
        .iter()
        .zip(before)
        .map(|(inertia, &velocity)| SolverBody { inertia: **inertia, velocity, motion: Velocity::default() })
        .collect();
    let speed = points.iter().map(|p| relative(before, p).norm()).fold(0.0, Real::max);
    let limits = SweepLimits {
        velocity: MAX_SWEEPS,
        motion: 0,
        change: 1e-10 * speed,
        kept: 0.0,
        far: Real::INFINITY,
        stood: false,
        together: false,
    };
    let levels = vec![0; bodies.len()];
    solve(&mut bodies, &mut contacts, &levels, SLIGHT * speed, &limits);
    contacts.iter().map(SolverContact::total_impulse).collect()
}

/// The normal impulses at two points without friction, by trying which of them presses; `None` where the two points are all
/// but one.
fn press_two(inertias: &[&Inertia], before: &[Velocity], points: [&ImpactPoint; 2]) -> Option<[Real; 2]> {
    // What a unit impulse along its normal at each point does to the bodies, and so to either point.
    let answer = |p: &ImpactPoint, body: usize| {
        let mut velocity = Velocity::default();
        if body == p.a {
            inertias[body].apply(&mut velocity, &-p.normal, &p.r_a);
        }
        if body == p.b {
            inertias[body].apply(&mut velocity, &p.normal, &p.r_b);
        }
        velocity
    };
    let rate = |i: usize, j: usize| {
        let (p, q) = (points[i], points[j]);
        (answer(q, p.b).at(&p.r_b) - answer(q, p.a).at(&p.r_a)).dot(&p.normal)
    };
    let [a, b, d] = [rate(0, 0), 0.5 * (rate(0, 1) + rate(1, 0)), rate(1, 1)];
    // What is missing of the targets.
    let [p, q] = points.map(|p| target(before, p) - relative(before, p).dot(&p.normal));
    // Of points that are nearly one, neither's own share is known.
    const INDEPENDENT: Real = 1e-9;
    let determinant = a * d - b * b;
    if !(a > 0.0 && d > 0.0 && determinant > INDEPENDENT * a * d) {
        return None;
    }
    let both = [(d * p - b * q) / determinant, (a * q - b * p) / determinant];
    if both[0] >= 0.0 && both[1] >= 0.0 {
        Some(both)
    } else if p > 0.0 && b * p >= a * q {
        Some([p / a, 0.0])
    } else if q > 0.0 && b * q >= d * p {
        Some([0.0, q / d])
    } else {
        (p <= 0.0 && q <= 0.0).then_some([0.0; 2])
    }
}

/// The work of the impulses: Σ j · (v⁻ + v⁺)/2, joules, less what rounding may make of it, with velocities counted from
/// the points' goals. Where these are none it is the change of the bodies' kinetic energy.
fn energy_gain(inertias: &[&Inertia], before: &[Velocity], points: &[ImpactPoint], impulses: &[Vector]) -> Real {
    let after = applied(inertias, before, points, impulses);
    let mut gain = 0.0;
    let mut scale = 0.0;
    for (p, j) in points.iter().zip(impulses) {
        let work = 0.5 * j.dot(&(relative(before, p) + relative(&after, p)));
        gain += work;
        scale += j.norm() * relative(before, p).norm();
    }
    // Elastic impacts conserve energy exactly: leave room for rounding, or every one of them would be damped.
    gain - 1e-12 * scale
}

/// The furthest point from `floor` to `full` that gains no energy: the gain is quadratic along the way.
fn furthest_without_gain(
    inertias: &[&Inertia],
    before: &[Velocity],
    points: &[ImpactPoint],
    floor: &[Vector],
    full: &[Vector],
) -> Vec<Vector> {
    let at = |s: Real| -> Vec<Vector> { floor.iter().zip(full).map(|(f, j)| f.lerp(j, s)).collect() };
    let (mut low, mut high) = (0.0, 1.0);
    // So many halvings exhaust the mantissa.
    for _ in 1..Real::MANTISSA_DIGITS {
        let middle = 0.5 * (low + high);
        if energy_gain(inertias, before, points, &at(middle)) > 0.0 { high = middle } else { low = middle }
    }
    at(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Point};
    use proptest::prelude::*;

    fn ball(mass: Real) -> Inertia {
        Inertia {
            centre: Point::origin(),
            inverse_mass: Vector::repeat(1.0 / mass),
            inverse_inertia: Matrix::identity() * (2.5 / mass),
        }
    }

    const LAW: ImpactLaw = ImpactLaw { friction: 0.0, restitution: 1.0, restitution_threshold: 0.0 };

    #[test]
    fn equal_balls_exchange_velocities_when_elastic() {
        let (a, b) = (ball(2.0), ball(2.0));
        let mut velocities = [Velocity { linear: Vector::x() * 3.0, angular: Vector::zeros() }, Velocity::default()];
        let p = point(Vector::x(), -Vector::x(), Vector::x(), LAW);
        resolve_impact(&[&a, &b], &mut velocities, &[p]);
        let [va, vb] = velocities;
        assert!(va.linear.norm() < 1e-12 && (vb.linear - Vector::x() * 3.0).norm() < 1e-12);
    }

    fn point(r_a: Vector, r_b: Vector, normal: Vector, law: ImpactLaw) -> ImpactPoint {
        ImpactPoint { a: 0, b: 1, r_a, r_b, normal, law, goal: Vector::zeros() }
    }

    /// Two balls that touch are struck by a third between them: by symmetry both go the same way, and the energy is kept.
    #[test]
    fn a_ball_that_strikes_two_at_once_throws_both_alike() {
        let balls = [ball(1.0), ball(1.0), ball(1.0)];
        let inertias = [&balls[0], &balls[1], &balls[2]];
        let (sin, cos) = (0.5, 0.75_f64.sqrt());
        let normals = [Vector::new(cos, sin, 0.0), Vector::new(cos, -sin, 0.0)];
        let at = |b: usize| ImpactPoint { a: 0, b, ..point(normals[b - 1], -normals[b - 1], normals[b - 1], LAW) };
        let mut velocities =
            [Velocity { linear: Vector::x(), angular: Vector::zeros() }, Velocity::default(), Velocity::default()];
        resolve_impact(&inertias, &mut velocities, &[at(1), at(2)]);
        // The textbook's answer: the struck ones leave along the lines of centres with 2 cos 30° / (1 + 2 cos² 30°) of the speed.
        let speed = 2.0 * cos / (1.0 + 2.0 * cos * cos);
        for (velocity, normal) in velocities[1..].iter().zip(normals) {
            assert!((velocity.linear - normal * speed).norm() < 1e-9, "{velocity:?}");
        }
        assert!((velocities[0].linear - Vector::x() * -0.2).norm() < 1e-9, "{:?}", velocities[0]);
    }

    proptest! {
        /// No point is left short of its target, none is pulled, and what presses reaches its target exactly.
        #[test]
        fn two_points_without_friction_press_as_the_law_of_contact_asks(
            mass_a in 0.1..10.0, mass_b in 0.1..10.0,
            linear in prop::array::uniform3(-5.0..5.0), spin in prop::array::uniform3(-5.0..5.0),
            places in prop::array::uniform2(prop::array::uniform3(-1.0..1.0)), tilt in prop::array::uniform3(-0.3..0.3),
            restitutions in prop::array::uniform2(0.0..1.0),
        ) {
            let (a, b) = (ball(mass_a), ball(mass_b));
            let before = [Velocity { linear: Vector::from(linear), angular: Vector::from(spin) }, Velocity::default()];
            let n = Vector::new(0.6, 0.8, 0.0);
            let law = |restitution| ImpactLaw { restitution, ..LAW };
            let [p, q] = places.map(Vector::from).map(|p| point(p + n, p - n, n, LAW));
            let p = ImpactPoint { law: law(restitutions[0]), ..p };
            let q = ImpactPoint { normal: (n + Vector::from(tilt)).normalize(), law: law(restitutions[1]), ..q };
            let Some(pressed) = press_two(&[&a, &b], &before, [&p, &q]) else { return Ok(()) };
            let after = applied(&[&a, &b], &before, &[p, q], &[p.normal * pressed[0], q.normal * pressed[1]]);
            for (point, j) in [p, q].iter().zip(pressed) {
                let over = relative(&after, point).dot(&point.normal) - target(&before, point);
                prop_assert!(j >= 0.0 && over >= -1e-6, "{j}, {over}");
                prop_assert!(j == 0.0 || over.abs() < 1e-6, "{j}, {over}");
            }
        }

        #[test]
        fn impact_conserves_momentum_and_never_gains_energy(
            mass_a in 0.1..10.0, mass_b in 0.1..10.0,
            linear in prop::array::uniform3(-5.0..5.0), spin in prop::array::uniform3(-5.0..5.0),
            places in prop::collection::vec(prop::array::uniform3(-1.0..1.0), 1..5),
            e in 0.0..1.0, friction in 0.0..2.0,
        ) {
            let (a, b) = (ball(mass_a), ball(mass_b));
            let va = Velocity { linear: Vector::from(linear), angular: Vector::from(spin) };
            let vb = Velocity::default();
            let n = Vector::new(0.6, 0.8, 0.0);
            let law = ImpactLaw { friction, restitution: e, restitution_threshold: 0.0 };
            let points: Vec<_> = places.iter().map(|p| {
                let p = Vector::from(*p);
                point(p + n, p - n, n, law)
            }).collect();
            let energy = |va: &Velocity, vb: &Velocity| {
                0.5 * mass_a * va.linear.norm_squared() + 0.5 * mass_a / 2.5 * va.angular.norm_squared()
                    + 0.5 * mass_b * vb.linear.norm_squared() + 0.5 * mass_b / 2.5 * vb.angular.norm_squared()
            };
            let (energy_before, momentum) = (energy(&va, &vb), va.linear * mass_a);
            let mut velocities = [va, vb];
            resolve_impact(&[&a, &b], &mut velocities, &points);
            let [va, vb] = velocities;
            prop_assert!(energy(&va, &vb) <= energy_before * (1.0 + 1e-9));
            prop_assert!((va.linear * mass_a + vb.linear * mass_b - momentum).norm() < 1e-9 * momentum.norm().max(1.0));
        }
    }
}
