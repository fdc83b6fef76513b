//! Aliases over nalgebra, and the few vector helpers that every layer shares.

mod double_double;

pub use double_double::{DoubleDouble, Scalar};

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

/// Whether every component is a finite number.
#[inline]
pub fn is_finite(v: &Vector) -> bool {
    v.x.is_finite() && v.y.is_finite() && v.z.is_finite()
}

/// Whether translation and rotation are all finite numbers.
pub fn is_finite_pose(pose: &Pose) -> bool {
    is_finite(&pose.translation.vector) && pose.rotation.coords.iter().all(|c| c.is_finite())
}

/// Two unit vectors that complete `n` (unit) to a right-handed orthonormal basis `(n, t, b)`.
///
/// Continuous in `n` except at the pole `n.z = -1` (the construction of Duff et al., 2017).
pub fn orthonormal_basis(n: &Vector) -> (Vector, Vector) {
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (Vector::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x), Vector::new(b, sign + n.y * n.y * a, -n.y))
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
