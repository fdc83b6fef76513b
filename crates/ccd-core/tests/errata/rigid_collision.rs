//! Slides on rigid collision: friction, shock propagation, energy (E10, E11, E12, E23).

use ccd_core::math::{Matrix, Point, Real, Vector};
use ccd_core::response::impact::{ImpactLaw, ImpactPoint, resolve_impact};
use ccd_core::response::impulse::{Inertia, Velocity, contact_impulse};
use ccd_core::response::sequential::{SolverBody, SolverContact, SweepLimits, solve};

/// A ball of a kilogram and a metre.
fn ball() -> Inertia {
    Inertia { centre: Point::origin(), inverse_mass: Vector::repeat(1.0), inverse_inertia: Matrix::identity() * 2.5 }
}

/// K of the ball's lowest point on a ground that cannot move.
fn k() -> Matrix {
    ball().k_matrix(&-Vector::y())
}

#[test]
fn e10_the_impulse_that_sticks_stops_the_sliding_and_the_printed_one_leaves_it() {
    let (v, n, restitution) = (Vector::new(0.3, -1.0, 0.2), Vector::y(), 0.5);
    let bounce = -restitution * v.dot(&n);
    let printed = k().try_inverse().unwrap() * n * (-(1.0 + restitution) * v.dot(&n));
    let slides = |after: Vector| after - n * after.dot(&n);
    assert!((slides(v + k() * printed) - slides(v)).norm() < 1e-12, "the premise: it slides on as fast");
    let j = contact_impulse(&k(), &v, &n, 1.0, bounce);
    assert!((v + k() * j - n * bounce).norm() < 1e-12);
    // Outside the cone it slides, and bounces as high.
    let fast = Vector::new(10.0, -1.0, 0.0);
    let after = fast + k() * contact_impulse(&k(), &fast, &n, 0.1, bounce);
    assert!((after.y - bounce).abs() < 1e-12 && after.x > 0.0 && after.x < fast.x);
}

#[test]
fn e10_the_impulse_acts_on_b_along_the_normal_from_a_to_b_and_the_sides_may_be_exchanged() {
    let (v, n) = (Vector::new(2.0, -1.0, 0.5), Vector::y());
    for friction in [0.0, 0.2, 5.0] {
        let j = contact_impulse(&k(), &v, &n, friction, 0.5);
        assert!(j.dot(&n) > 0.0, "it pushes B away from A");
        assert!((j + contact_impulse(&k(), &-v, &-n, friction, 0.5)).norm() < 1e-12, "of B and A it is the opposite");
        assert_eq!(contact_impulse(&k(), &v, &-n, friction, 0.5), Vector::zeros(), "what parts is not pulled");
    }
}

#[test]
fn e11_shock_propagation_keeps_momentum_where_nothing_is_fixed_and_none_where_all_are_frozen_from_one_end() {
    const BALLS: usize = 60;
    // A row of unit balls in touch; the last comes at the others, so that their momentum is that of the last.
    let momentum_after = |levels: [u32; BALLS]| -> Real {
        let speed = |i: usize| if i + 1 == BALLS { -1.0 } else { 0.0 };
        let mut bodies: Vec<SolverBody> = (0..BALLS)
            .map(|i| Velocity { linear: Vector::y() * speed(i), ..Velocity::default() })
            .map(|velocity| SolverBody { inertia: ball(), velocity, motion: velocity })
            .collect();
        let touch = |a: usize| SolverContact {
            a,
            b: a + 1,
            r_a: Vector::y(),
            r_b: -Vector::y(),
            normal: Vector::y(),
            friction: 0.0,
            least_velocity: 0.0,
            least_motion: 0.0,
            carried: [0.0; 2],
            impulse: [0.0; 3],
        };
        let mut contacts: Vec<SolverContact> = (1..BALLS).map(|b| touch(b - 1)).collect();
        // So few sweeps leave all far from solved: what follows is shock propagation.
        let limits =
            SweepLimits { velocity: 1, motion: 0, change: 1e-12, kept: 0.0, stood: false, far: 1e-9, together: false };
        solve(&mut bodies, &mut contacts, &levels, 1e-3, &limits);
        bodies.iter().map(|body| body.velocity.linear.y).sum()
    };
    let frozen = momentum_after(std::array::from_fn(|i| i as u32 + 1));
    assert!(frozen.abs() < 1e-9, "the premise: frozen one after the other they lose it, {frozen} is left of −1");
    // Levels as `Island::levels` gives them where nothing is fixed.
    let kept = momentum_after([u32::MAX; BALLS]);
    assert!((kept + 1.0).abs() < 1e-12, "{kept} of −1");
}

#[test]
fn e12_friction_slows_what_slides_and_never_turns_it_back() {
    let (n, friction) = (Vector::y(), 0.5);
    let block = Matrix::identity(); // a kilogram that cannot turn
    for (speed, left) in [(2.0, 1.5), (0.1, 0.0)] {
        let v = Vector::new(speed, -1.0, 0.0);
        let t = n.cross(&v).cross(&n).normalize();
        assert!((v + (n + t * friction)).x > v.x, "the premise: along the printed direction it is sped up");
        let after = v + contact_impulse(&block, &v, &n, friction, 0.0);
        assert!((after - Vector::x() * left).norm() < 1e-12, "{after}");
    }
}

/// Numbers from −1 to 1 that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn vector(&mut self) -> Vector {
        Vector::from_fn(|_, _| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as Real / (1_u64 << 52) as Real - 1.0
        })
    }
}

#[test]
fn e23_impacts_with_friction_and_full_restitution_gain_no_energy_where_the_formula_alone_does() {
    let law = ImpactLaw { friction: 0.5, restitution: 1.0, restitution_threshold: 0.0 };
    let (inertias, mut numbers, mut gained, mut hits) = ([ball(), ball()], Numbers(1), 0, 0);
    let energy =
        |v: &[Velocity]| v.iter().map(|v| 0.5 * v.linear.norm_squared() + 0.2 * v.angular.norm_squared()).sum::<Real>();
    while hits < 1000 {
        let mut velocities: [Velocity; 2] =
            std::array::from_fn(|_| Velocity { linear: numbers.vector(), angular: numbers.vector() });
        let (r_a, r_b, normal) = (numbers.vector(), numbers.vector(), numbers.vector().normalize());
        let v = velocities[1].at(&r_b) - velocities[0].at(&r_a);
        if v.dot(&normal) > -0.01 {
            continue;
        }
        hits += 1;
        let before = energy(&velocities);
        let j = contact_impulse(
            &(inertias[0].k_matrix(&r_a) + inertias[1].k_matrix(&r_b)),
            &v,
            &normal,
            law.friction,
            -v.dot(&normal),
        );
        let mut printed = velocities;
        inertias[0].apply(&mut printed[0], &-j, &r_a);
        inertias[1].apply(&mut printed[1], &j, &r_b);
        gained += usize::from(energy(&printed) > before * (1.0 + 1e-9));
        resolve_impact(
            &[&inertias[0], &inertias[1]],
            &mut velocities,
            &[ImpactPoint { a: 0, b: 1, r_a, r_b, normal, law, goal: Vector::zeros() }],
        );
        // Elastic impacts keep all of it: rounding is let be, 1e-12 of the impulse times the speed of approach.
        let rounding = 1e-12 * j.norm() * v.norm() + 1e-14 * before;
        assert!(energy(&velocities) <= before + rounding, "{} of {before} J", energy(&velocities));
    }
    assert!(gained > 20, "the premise: {gained} of {hits} gain energy by the formula alone");
}
