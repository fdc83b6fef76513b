//! Aliases over nalgebra, and the few vector helpers that every layer shares.

pub(crate) mod active_set;
mod certain;
pub mod cone;
mod double_double;
pub(crate) mod gamma;
pub mod lcp;
pub(crate) mod nonnegative;
pub(crate) mod semidefinite;
mod shortest;
pub mod svd;
mod union_find;

use crate::tolerance::QUATERNION_NORM;
pub use certain::{Bounded, Certain, Exact};
pub use double_double::{DoubleDouble, Scalar};
pub use shortest::Shortest;
pub use union_find::DisjointSets;

/// The number type of the whole public API.
pub type Real = f64;
/// A place, in metres, in the frame that the context names.
pub type Point = nalgebra::Point3<Real>;
/// A direction or displacement.
pub type Vector = nalgebra::Vector3<Real>;
/// A 3 × 3 matrix (inertia, covariance, axes as columns).
pub type Matrix = nalgebra::Matrix3<Real>;
/// A unit quaternion.
pub type Rotation = nalgebra::UnitQuaternion<Real>;
/// A rigid placement: local to world unless its name says otherwise.
pub type Pose = nalgebra::Isometry3<Real>;

/// No coordinate, velocity or force that is given may be larger, in metres and the units made of them. Beyond it products of four, which
/// exact predicates and volumes need, could leave the range of `f64`, and a box of `f32` could be infinite.
pub const MAX_COORDINATE: Real = 1e30;

/// Whether every component is a finite number, and at most [`MAX_COORDINATE`].
#[inline]
pub fn is_finite(v: &Vector) -> bool {
    v.x.abs() <= MAX_COORDINATE && v.y.abs() <= MAX_COORDINATE && v.z.abs() <= MAX_COORDINATE
}

/// Whether a pose places something: a translation of finite numbers, at most [`MAX_COORDINATE`], and a rotation that [`is_unit`].
pub fn is_sound_pose(pose: &Pose) -> bool {
    is_finite(&pose.translation.vector) && is_unit(&pose.rotation)
}

/// The farthest that any of these points is from the line through `centre` along the unit `axis`, metres; zero of no points.
pub(crate) fn farthest_from_axis(points: &[Point], centre: &Point, axis: &Vector) -> Real {
    let squared = |p: &Point| (p - centre).cross(axis).norm_squared();
    let larger = |a: Real, b: Real| if a > b { a } else { b };
    // Two at a time: side by side they take half the instructions.
    let (pairs, last) = points.as_chunks::<2>();
    let mut most = [last.first().map_or(0.0, squared), 0.0];
    for [p, q] in pairs {
        most = [larger(squared(p), most[0]), larger(squared(q), most[1])];
    }
    larger(most[0], most[1]).sqrt()
}

/// Whether a rotation's quaternion is a unit one, to [`QUATERNION_NORM`]: one that was made without a check may be anything.
pub fn is_unit(rotation: &Rotation) -> bool {
    (rotation.coords.norm() - 1.0).abs() <= QUATERNION_NORM
}

/// A right-handed orthonormal basis whose first vector is along no axis, and which the least rotation takes to `(y, z, x)`:
/// the pole opposite to it, where no basis of a sphere of directions can be continuous, is the normal of no floor and no wall,
/// and the tangents of a level floor are the axes.
const POLE_BASIS: [Vector; 3] = [
    Vector::new(0.48, 0.64, 0.6),
    Vector::new(-0.175_609_756_097_560_97, -0.6, 0.780_487_804_878_048_8),
    Vector::new(0.859_512_195_121_951_2, -0.48, -0.175_609_756_097_560_97),
];

/// √(x² + y²), for numbers whose squares are numbers: faster than [`f64::hypot`], and right to a rounding or two.
#[inline]
pub fn hypotenuse(x: Real, y: Real) -> Real {
    (x * x + y * y).sqrt()
}

/// Two unit vectors that complete `n` (unit) to a right-handed orthonormal basis `(n, t, b)`, exact to a few roundings everywhere.
///
/// Continuous in `n` except at one oblique pole, `n = -(0.48, 0.64, 0.6)`, where no choice could be: the least rotation
/// from the opposite of the pole, in the closed form of Frisvad (2012), written so that nothing cancels near the pole.
pub fn orthonormal_basis(n: &Vector) -> (Vector, Vector) {
    let [up, tangent, bitangent] = &POLE_BASIS;
    let (x, y, z) = (tangent.dot(n), bitangent.dot(n), up.dot(n));
    let across = x * x + y * y;
    // 1 / (1 + z), where 1 + z has digits left; the two forms are equal for a unit vector.
    let scale = if z >= 0.0 { 1.0 / (1.0 + z) } else { (1.0 - z) / across };
    if across <= Real::MIN_POSITIVE && z < 0.0 {
        return (*tangent, -bitangent);
    }
    let mixed = -x * y * scale;
    let place = |x: Real, y: Real, z: Real| tangent * x + bitangent * y + up * z;
    (place(1.0 - x * x * scale, mixed, -x), place(mixed, 1.0 - y * y * scale, -y))
}

/// The parts of `v` along `n` (unit), and along the two that [`orthonormal_basis`] adds to it.
pub(crate) fn in_basis(n: &Vector, v: &Vector) -> [Real; 3] {
    let (t, b) = orthonormal_basis(n);
    [n, &t, &b].map(|direction| v.dot(direction))
}

/// The rotation by `angular_velocity` (rad/s, world) over `dt` seconds: the exact exponential.
#[inline]
pub fn rotation_over(angular_velocity: &Vector, dt: Real) -> Rotation {
    Rotation::from_scaled_axis(angular_velocity * dt)
}

/// The cross-product matrix: `skew(a) * b == a × b`.
#[inline]
pub fn skew(a: &Vector) -> Matrix {
    Matrix::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_basis(n: &Vector) -> bool {
        let (t, b) = orthonormal_basis(n);
        let exact = |error: Real| error.abs() < 1e-14;
        exact(t.norm() - 1.0) && exact(t.dot(n)) && (n.cross(&t) - b).norm() < 2e-14
    }

    /// Any direction.
    pub(crate) fn unit_vector() -> impl Strategy<Value = Vector> {
        [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0]
            .prop_map(|[x, y, z]| Vector::new(x, y, z))
            .prop_filter_map("too short for a direction", |v| v.try_normalize(0.1))
    }

    proptest! {
        #[test]
        fn a_basis_is_orthonormal_and_right_handed(n in unit_vector()) {
            prop_assert!(is_basis(&n), "{:?}", orthonormal_basis(&n));
        }

        #[test]
        fn a_basis_is_as_exact_next_to_its_pole(d in unit_vector(), exponent in -16..0_i32) {
            let n = (d * 10.0_f64.powi(exponent) - POLE_BASIS[0]).normalize();
            prop_assert!(is_basis(&n), "{:?}", orthonormal_basis(&n));
        }

        #[test]
        fn a_basis_turns_no_faster_than_its_normal_allows(n in unit_vector(), d in unit_vector()) {
            let from_pole = (n + POLE_BASIS[0]).norm();
            prop_assume!(from_pole > 1e-3);
            let nearby = (n + d * 1e-7).normalize();
            let ((t, b), (t2, b2)) = (orthonormal_basis(&n), orthonormal_basis(&nearby));
            // A turn about the pole is amplified by the inverse of the distance from it.
            let most = 1e-7 * (2.0 + 4.0 / from_pole);
            prop_assert!((t - t2).norm() < most && (b - b2).norm() < most, "{} {}", (t - t2).norm(), (b - b2).norm());
        }
    }

    #[test]
    fn the_basis_is_continuous_over_the_equators_and_at_the_axes() {
        for k in 0..3 {
            for side in [-1.0, 1.0] {
                let mut axis = Vector::zeros();
                axis[k] = side;
                assert!(is_basis(&axis));
                for j in [(k + 1) % 3, (k + 2) % 3] {
                    let tilted = |tilt: Real| {
                        let mut n = axis;
                        n[j] = tilt;
                        orthonormal_basis(&n.normalize())
                    };
                    assert!((tilted(1e-12).0 - tilted(-1e-12).0).norm() < 1e-10);
                }
            }
        }
    }

    #[test]
    fn the_tangents_of_a_level_floor_are_the_axes() {
        let (t, b) = orthonormal_basis(&Vector::y());
        assert!((t - Vector::z()).norm() < 1e-15 && (b - Vector::x()).norm() < 1e-15, "{t} {b}");
        assert!(is_basis(&-POLE_BASIS[0]));
    }
}
