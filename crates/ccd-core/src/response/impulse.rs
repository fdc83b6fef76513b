//! The impulse of one contact: restitution and Coulomb friction by the static-then-sliding test.
//!
//! Signs, once and for all: the normal points from A to B, the impulse acts on B (its opposite on A), and the relative
//! velocity is v = v_B − v_A; approaching means v·n < 0.
//!
//! Source: slides on rigid collision (Guendelman, Bridson and Fedkiw, 2003); errata E10 (static friction), E12 (direction of
//! friction), E23 (energy).

use crate::math::semidefinite::pseudo_inverse;
use crate::math::{Matrix, Point, Real, Vector, is_finite, skew};

/// What a body's inertia lets an impulse do, at one instant: the part of a body that response needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// The centre of mass, world.
    pub centre: Point,
    /// 1/kg per world axis; zero for what cannot move.
    pub inverse_mass: Vector,
    /// About the centre of mass, 1/(kg·m²), world axes; zero for what cannot turn.
    pub inverse_inertia: Matrix,
}

/// Linear velocity of the centre of mass (m/s) and angular velocity (rad/s), world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// m/s.
    pub linear: Vector,
    /// rad/s.
    pub angular: Vector,
}

impl Velocity {
    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        is_finite(&self.linear) && is_finite(&self.angular)
    }
}

impl Inertia {
    /// Infinite mass at `centre`: what static, kinematic and held bodies present.
    pub fn immovable(centre: Point) -> Self {
        Self { centre, inverse_mass: Vector::zeros(), inverse_inertia: Matrix::zeros() }
    }

    /// Whether no impulse moves it.
    pub fn is_immovable(&self) -> bool {
        self.inverse_mass == Vector::zeros() && self.inverse_inertia == Matrix::zeros()
    }

    /// K: the change of the velocity of the point `r` away from the centre per impulse there; 1/kg.
    pub fn k_matrix(&self, r: &Vector) -> Matrix {
        self.k_between(r, r)
    }

    /// The change of the velocity of the point `r` away from the centre per impulse at the point `s` away from it; 1/kg.
    pub fn k_between(&self, r: &Vector, s: &Vector) -> Matrix {
        Matrix::from_diagonal(&self.inverse_mass) - skew(r) * self.inverse_inertia * skew(s)
    }

    /// Adds the impulse (N·s) at `r` metres from the centre to `velocity`.
    #[inline]
    pub fn apply(&self, velocity: &mut Velocity, impulse: &Vector, r: &Vector) {
        velocity.linear += self.inverse_mass.component_mul(impulse);
        velocity.angular += self.inverse_inertia * r.cross(impulse);
    }
}

impl std::ops::Add for Velocity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl std::ops::AddAssign for Velocity {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::ops::Sub for Velocity {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

impl std::ops::Mul<Real> for Velocity {
    type Output = Self;

    fn mul(self, factor: Real) -> Self {
        Self { linear: self.linear * factor, angular: self.angular * factor }
    }
}

impl Velocity {
    /// The velocity of the material point `r` metres from the centre, m/s.
    #[inline]
    pub fn at(&self, r: &Vector) -> Vector {
        self.linear + self.angular.cross(r)
    }
}

/// Sliding friction is taken at its full coefficient where what it leaves of the normal impulse's effect is more than this share.
const SAFELY_POSITIVE: Real = 0.1;

/// An impulse stops what it leaves less of than this share.
const STOPPED: Real = 1e-6;

/// The impulse on B of one contact with relative velocity `v` before, within the friction cone, that gives the normal velocity
/// `target_normal` (= −e·vₙ for an impact).
///
/// Velocities are in m/s, the answer in N·s, all in the axes of the world. `k` is K_A + K_B, 1/kg. First the impulse that also stops all
/// sliding is tried (E10); outside the cone friction opposes the sliding that there is before (E12), and where that would
/// need a denominator that is not safely positive (large μ), the frictionless normal impulse is taken with friction clamped to what
/// stops the sliding: that friction may leave the normal velocity below its target. Where nothing slides before, or would slide the
/// other way after, friction opposes the sliding that the blow itself begins: a stick that falls straight down onto its lower end.
/// Zero where the normal velocity already is as wanted, or where nothing can move.
pub fn contact_impulse(k: &Matrix, v: &Vector, normal: &Vector, friction: Real, target_normal: Real) -> Vector {
    let vn = v.dot(normal);
    let k_normal = normal.dot(&(k * normal));
    let scale = k.trace();
    // Positive by construction unless both are immovable along the normal.
    if vn >= target_normal || k_normal <= 1e-12 * scale {
        return Vector::zeros();
    }
    let frictionless = (target_normal - vn) / k_normal;
    if friction == 0.0 {
        return normal * frictionless;
    }
    let wanted = normal * target_normal - v;
    if let Some(sticking) = pseudo_inverse(k).map(|inverse| inverse * wanted) {
        let along = sticking.dot(normal);
        // What slides along a locked axis is not stopped.
        let stops = (k * sticking - wanted).norm() <= STOPPED * wanted.norm();
        if stops && along > 0.0 && (sticking - normal * along).norm() <= friction * along {
            return sticking;
        }
    }
    let sliding = v - normal * vn;
    let speed = sliding.norm();
    if speed <= 1e-12 * vn.abs() {
        return against_what_begins(k, v, normal, friction, target_normal);
    }
    let direction = sliding / speed;
    let denominator = normal.dot(&(k * (normal - direction * friction)));
    if denominator > SAFELY_POSITIVE * k_normal {
        let along = (target_normal - vn) / denominator;
        let impulse = normal * along - direction * (friction * along);
        let left = speed + direction.dot(&(k * impulse));
        return if left >= 0.0 { impulse } else { against_what_begins(k, v, normal, friction, target_normal) };
    }
    let k_sliding = direction.dot(&(k * direction));
    let stopping = if k_sliding > 0.0 { speed / k_sliding } else { 0.0 };
    normal * frictionless - direction * stopping.min(friction * frictionless)
}

/// The impulse on the rim of the friction cone that gives the normal velocity `target_normal` and opposes the sliding that is left after
/// it, of a contact that cannot stick.
///
/// A tangential impulse that is −1/λ times the sliding after it is the sticking one at λ = 0, and none for a large λ: between them
/// one has the size that friction has.
fn against_what_begins(k: &Matrix, v: &Vector, normal: &Vector, friction: Real, target_normal: Real) -> Vector {
    let tangential = Matrix::identity() - normal * normal.transpose();
    let wanted = normal * target_normal - v;
    let frictionless = normal * (wanted.dot(normal) / normal.dot(&(k * normal)));
    let scale = k.trace();
    // λ is `scale` times share / (1 − share).
    let (mut low, mut high, mut within) = (0.0, 1.0, frictionless);
    // So many halvings exhaust the mantissa.
    for _ in 0..Real::MANTISSA_DIGITS {
        let share: Real = 0.5 * (low + high);
        let Some(inverse) = (k + tangential * (scale * share / (1.0 - share))).try_inverse() else { break };
        let impulse = inverse * wanted;
        let along = impulse.dot(normal);
        if along > 0.0 && (impulse - normal * along).norm() <= friction * along {
            (high, within) = (share, impulse);
        } else {
            low = share;
        }
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(range: Real) -> impl Strategy<Value = Vector> {
        prop::array::uniform3(-range..range).prop_map(Vector::from)
    }

    fn inertia() -> impl Strategy<Value = Inertia> {
        (0.1..10.0, prop::array::uniform3(0.5..3.0), vector(3.0)).prop_map(|(m, d, axis): (Real, [Real; 3], Vector)| {
            let r = crate::math::Rotation::from_scaled_axis(axis).to_rotation_matrix().into_inner();
            Inertia {
                centre: Point::origin(),
                inverse_mass: Vector::repeat(1.0 / m),
                inverse_inertia: r * Matrix::from_diagonal(&(Vector::from(d) / m)) * r.transpose(),
            }
        })
    }

    proptest! {
        #[test]
        fn impulse_reaches_the_wanted_normal_velocity_inside_the_cone(
            a in inertia(), b in inertia(), ra in vector(1.0), rb in vector(1.0), v in vector(5.0), n in vector(1.0),
            friction in prop_oneof![Just(0.0), 0.0..1.5_f64], e in 0.0..1.0_f64,
        ) {
            prop_assume!(n.norm() > 1e-3);
            let n = n.normalize();
            let k = a.k_matrix(&ra) + b.k_matrix(&rb);
            let vn = v.dot(&n);
            let j = contact_impulse(&k, &v, &n, friction, -e * vn.min(0.0));
            let along = j.dot(&n);
            prop_assert!(along >= 0.0, "pulls");
            prop_assert!((j - n * along).norm() <= friction * along + 1e-9, "outside the cone");
            let after = v + k * j;
            if vn >= 0.0 {
                prop_assert_eq!(j, Vector::zeros());
                return Ok(());
            }
            let slides = (v - n * vn).normalize();
            let left = n.dot(&(k * (n - slides * friction)));
            if friction == 0.0 || left > SAFELY_POSITIVE * n.dot(&(k * n)) {
                prop_assert!((after.dot(&n) + e * vn).abs() < 1e-9, "{} instead of {}", after.dot(&n), -e * vn);
            }
        }

        #[test]
        fn sticking_impulse_stops_all_sliding(a in inertia(), b in inertia(), v in vector(5.0), e in 0.0..1.0_f64) {
            let n = Vector::y();
            prop_assume!(v.y < -0.01);
            let k = a.k_matrix(&Vector::zeros()) + b.k_matrix(&Vector::zeros());
            let j = contact_impulse(&k, &v, &n, 1e6, -e * v.y);
            let after = v + k * j;
            prop_assert!((after - n * (-e * v.y)).norm() < 1e-9 * v.norm().max(1.0));
        }
    }

    proptest! {
        /// What comes straight down sticks, or slides on against all the friction there may be.
        #[test]
        fn where_nothing_slides_before_friction_opposes_the_sliding_that_begins(
            a in inertia(), b in inertia(), ra in vector(1.0), rb in vector(1.0), friction in 0.01..2.0_f64, e in 0.0..1.0_f64,
        ) {
            let (n, v) = (Vector::y(), -Vector::y());
            let k = a.k_matrix(&ra) + b.k_matrix(&rb);
            let j = contact_impulse(&k, &v, &n, friction, e);
            let after = v + k * j;
            let (rubs, slides) = (j - n * j.y, after - n * after.y);
            prop_assert!((after.y - e).abs() < 1e-9 && j.y > 0.0, "{after}");
            if slides.norm() > 1e-9 {
                prop_assert!((rubs.norm() - friction * j.y).abs() < 1e-9, "{rubs}");
                prop_assert!(rubs.dot(&slides) + rubs.norm() * slides.norm() < 1e-9, "{rubs} {slides}");
            }
        }
    }

    #[test]
    fn friction_opposes_sliding_and_is_mu_times_normal() {
        let body =
            Inertia { centre: Point::origin(), inverse_mass: Vector::repeat(1.0), inverse_inertia: Matrix::zeros() };
        let k = body.k_matrix(&Vector::zeros());
        let j = contact_impulse(&k, &Vector::new(10.0, -1.0, 0.0), &Vector::y(), 0.5, 0.0);
        assert!((j - Vector::new(-0.5, 1.0, 0.0)).norm() < 1e-12, "{j}");
    }
}
