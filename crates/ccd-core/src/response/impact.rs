//! The impact of two bodies over all their contact points at one instant.
//!
//! Source: slides on rigid collision; errata E10 and E23 (restitution with friction can create energy).

use super::impulse::{Inertia, Velocity, contact_impulse};
use super::sequential::{SolverBody, SolverContact, SweepLimits, solve};
use crate::math::{Real, Vector};

/// One point of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactPoint {
    /// From A's centre of mass to the point, metres, world axes.
    pub r_a: Vector,
    /// From B's centre of mass to the point, metres, world axes.
    pub r_b: Vector,
    /// Unit, from A to B.
    pub normal: Vector,
}

/// How the surfaces answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactLaw {
    /// Coulomb's μ.
    pub friction: Real,
    /// Newton's e.
    pub restitution: Real,
    /// Approach speeds up to this, m/s, do not bounce.
    pub restitution_threshold: Real,
}

/// Sweeps over the points of one impact; they converge geometrically, and what is left is caught as the next impact.
const MAX_SWEEPS: usize = 200;

/// Resolves the impact in place and returns the impulse on B at each point, N·s.
///
/// After it no point approaches (within rounding of the sweeps; a single point may where friction is so large that
/// [`contact_impulse`] clamps it), every impulse lies in its friction cone, and the pair's kinetic energy has not grown (E23: the
/// impulse is taken back towards the plastic one until it has not).
pub fn resolve_impact(
    inertia: [&Inertia; 2],
    velocity: [&mut Velocity; 2],
    points: &[ImpactPoint],
    law: &ImpactLaw,
) -> Vec<Vector> {
    let [velocity_a, velocity_b] = velocity;
    let before = [*velocity_a, *velocity_b];
    let approach: Vec<Real> = points.iter().map(|p| relative(&before, p).dot(&p.normal)).collect();
    let restitution = |vn: Real| if vn < -law.restitution_threshold { -law.restitution * vn } else { 0.0 };
    let bouncing: Vec<Real> = approach.iter().map(|&vn| restitution(vn)).collect();

    let mut impulses = sweep(inertia, &before, points, law.friction, &bouncing);
    if energy_gain(inertia, &before, points, &impulses) > 0.0 {
        let plastic = sweep(inertia, &before, points, law.friction, &vec![0.0; points.len()]);
        let floor = if energy_gain(inertia, &before, points, &plastic) > 0.0 {
            // Even stopping gains: only possible through friction's coupling, so stop without friction.
            sweep(inertia, &before, points, 0.0, &vec![0.0; points.len()])
        } else {
            plastic
        };
        impulses = least_change_without_gain(inertia, &before, points, &floor, &impulses);
    }
    let after = applied(inertia, &before, points, &impulses);
    (*velocity_a, *velocity_b) = (after[0], after[1]);
    impulses
}

fn relative(velocity: &[Velocity; 2], p: &ImpactPoint) -> Vector {
    velocity[1].at(&p.r_b) - velocity[0].at(&p.r_a)
}

fn applied(
    inertia: [&Inertia; 2],
    before: &[Velocity; 2],
    points: &[ImpactPoint],
    impulses: &[Vector],
) -> [Velocity; 2] {
    let mut velocity = *before;
    for (p, j) in points.iter().zip(impulses) {
        inertia[0].apply(&mut velocity[0], &-j, &p.r_a);
        inertia[1].apply(&mut velocity[1], j, &p.r_b);
    }
    velocity
}

/// The impulses that bring every point to its target: one point by the papers' formula, several together, so that friction
/// opposes the sliding that is left when all have pressed.
fn sweep(
    inertia: [&Inertia; 2],
    before: &[Velocity; 2],
    points: &[ImpactPoint],
    friction: Real,
    targets: &[Real],
) -> Vec<Vector> {
    if let [p] = points {
        let k = inertia[0].k_matrix(&p.r_a) + inertia[1].k_matrix(&p.r_b);
        return vec![contact_impulse(&k, &relative(before, p), &p.normal, friction, targets[0])];
    }
    if let ([p, q], true) = (points, friction == 0.0)
        && let Some([j, k]) = press_two(inertia, before, [p, q], [targets[0], targets[1]])
    {
        return vec![p.normal * j, q.normal * k];
    }
    let mut bodies =
        [0, 1].map(|side| SolverBody { inertia: *inertia[side], velocity: before[side], motion: Velocity::default() });
    let mut contacts: Vec<SolverContact> = points
        .iter()
        .zip(targets)
        .map(|(p, &least_velocity)| SolverContact {
            a: 0,
            b: 1,
            r_a: p.r_a,
            r_b: p.r_b,
            normal: p.normal,
            friction,
            least_velocity,
            least_motion: 0.0,
            carried: [0.0; 2],
            impulse: [0.0; 3],
        })
        .collect();
    let speed = points.iter().map(|p| relative(before, p).norm()).fold(0.0, Real::max);
    let limits = SweepLimits {
        velocity: MAX_SWEEPS,
        motion: 0,
        change: 1e-10 * speed,
        kept: 0.0,
        far: Real::INFINITY,
        together: false,
    };
    solve(&mut bodies, &mut contacts, &[0, 0], &limits);
    contacts.iter().map(SolverContact::total_impulse).collect()
}

/// The normal impulses at two points without friction, by trying which of them presses; `None` where the two points are all
/// but one.
fn press_two(
    inertia: [&Inertia; 2],
    before: &[Velocity; 2],
    points: [&ImpactPoint; 2],
    targets: [Real; 2],
) -> Option<[Real; 2]> {
    // What a unit impulse along its normal at each point does to the bodies, and so to either point.
    let answers = points.map(|p| applied(inertia, &[Velocity::default(); 2], &[*p], &[p.normal]));
    let rate = |i: usize, j: usize| relative(&answers[j], points[i]).dot(&points[i].normal);
    let [a, b, d] = [rate(0, 0), 0.5 * (rate(0, 1) + rate(1, 0)), rate(1, 1)];
    // What is missing of the targets.
    let [p, q] = [0, 1].map(|i| targets[i] - relative(before, points[i]).dot(&points[i].normal));
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

/// The work of the impulses: Σ j · (v⁻ + v⁺)/2, which is the change of the pair's kinetic energy, joules.
fn energy_gain(inertia: [&Inertia; 2], before: &[Velocity; 2], points: &[ImpactPoint], impulses: &[Vector]) -> Real {
    let after = applied(inertia, before, points, impulses);
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
fn least_change_without_gain(
    inertia: [&Inertia; 2],
    before: &[Velocity; 2],
    points: &[ImpactPoint],
    floor: &[Vector],
    full: &[Vector],
) -> Vec<Vector> {
    let at = |s: Real| -> Vec<Vector> { floor.iter().zip(full).map(|(f, j)| f.lerp(j, s)).collect() };
    let (mut low, mut high) = (0.0, 1.0);
    // 52 halvings exhaust the mantissa.
    for _ in 0..52 {
        let middle = 0.5 * (low + high);
        if energy_gain(inertia, before, points, &at(middle)) > 0.0 { high = middle } else { low = middle }
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
        let mut va = Velocity { linear: Vector::x() * 3.0, angular: Vector::zeros() };
        let mut vb = Velocity::default();
        let p = ImpactPoint { r_a: Vector::x(), r_b: -Vector::x(), normal: Vector::x() };
        resolve_impact([&a, &b], [&mut va, &mut vb], &[p], &LAW);
        assert!(va.linear.norm() < 1e-12 && (vb.linear - Vector::x() * 3.0).norm() < 1e-12);
    }

    proptest! {
        /// No point is left short of its target, none is pulled, and what presses reaches its target exactly.
        #[test]
        fn two_points_without_friction_press_as_the_law_of_contact_asks(
            mass_a in 0.1..10.0, mass_b in 0.1..10.0,
            linear in prop::array::uniform3(-5.0..5.0), spin in prop::array::uniform3(-5.0..5.0),
            places in prop::array::uniform2(prop::array::uniform3(-1.0..1.0)), tilt in prop::array::uniform3(-0.3..0.3),
            targets in prop::array::uniform2(0.0..2.0),
        ) {
            let (a, b) = (ball(mass_a), ball(mass_b));
            let before = [Velocity { linear: Vector::from(linear), angular: Vector::from(spin) }, Velocity::default()];
            let n = Vector::new(0.6, 0.8, 0.0);
            let [p, q] = places.map(Vector::from).map(|p| ImpactPoint { r_a: p + n, r_b: p - n, normal: n });
            let q = ImpactPoint { normal: (n + Vector::from(tilt)).normalize(), ..q };
            let Some(pressed) = press_two([&a, &b], &before, [&p, &q], targets) else { return Ok(()) };
            let after = applied([&a, &b], &before, &[p, q], &[p.normal * pressed[0], q.normal * pressed[1]]);
            for ((point, j), target) in [p, q].iter().zip(pressed).zip(targets) {
                let over = relative(&after, point).dot(&point.normal) - target;
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
            let mut va = Velocity { linear: Vector::from(linear), angular: Vector::from(spin) };
            let mut vb = Velocity::default();
            let n = Vector::new(0.6, 0.8, 0.0);
            let points: Vec<_> = places.iter().map(|p| {
                let p = Vector::from(*p);
                ImpactPoint { r_a: p + n, r_b: p - n, normal: n }
            }).collect();
            let energy = |va: &Velocity, vb: &Velocity| {
                0.5 * mass_a * va.linear.norm_squared() + 0.5 * mass_a / 2.5 * va.angular.norm_squared()
                    + 0.5 * mass_b * vb.linear.norm_squared() + 0.5 * mass_b / 2.5 * vb.angular.norm_squared()
            };
            let (energy_before, momentum) = (energy(&va, &vb), va.linear * mass_a);
            let law = ImpactLaw { friction, restitution: e, restitution_threshold: 0.0 };
            resolve_impact([&a, &b], [&mut va, &mut vb], &points, &law);
            prop_assert!(energy(&va, &vb) <= energy_before * (1.0 + 1e-9));
            prop_assert!((va.linear * mass_a + vb.linear * mass_b - momentum).norm() < 1e-9 * momentum.norm().max(1.0));
        }
    }
}
