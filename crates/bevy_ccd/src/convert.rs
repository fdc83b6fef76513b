//! Between Bevy's `f32` and the core's `f64`: the only file that knows both kinds of mathematics.

use bevy::prelude::*;
use ccd_core::math::{Matrix, Point, Pose, Rotation, Vector};

/// Exact.
pub fn to_vector(v: Vec3) -> Vector {
    Vector::new(v.x.into(), v.y.into(), v.z.into())
}

/// Exact.
pub fn to_point(v: Vec3) -> Point {
    Point::from(to_vector(v))
}

/// Exact.
pub fn to_matrix(m: Mat3) -> Matrix {
    Matrix::from_column_slice(&m.to_cols_array().map(f64::from))
}

/// Exact up to normalisation in `f64`; `None` unless the quaternion is finite and of a length that can be normalised.
pub fn to_rotation(q: Quat) -> Option<Rotation> {
    let q = nalgebra_quaternion(q);
    let norm = q.norm();
    (norm.is_finite() && norm > 0.5 && norm < 2.0).then(|| Rotation::from_quaternion(q))
}

fn nalgebra_quaternion(q: Quat) -> nalgebra::Quaternion<f64> {
    nalgebra::Quaternion::new(q.w.into(), q.x.into(), q.y.into(), q.z.into())
}

/// The pose of an isometry; `None` for a rotation that is none.
pub fn to_pose(translation: Vec3, rotation: Quat) -> Option<Pose> {
    translation.is_finite().then_some(())?;
    Some(Pose::from_parts(to_vector(translation).into(), to_rotation(rotation)?))
}

/// Rounded down: what is free is not said to reach further.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what this is for")]
pub fn from_length(length: f64) -> f32 {
    let nearest = length as f32;
    if f64::from(nearest) > length { nearest.next_down() } else { nearest }
}

/// Rounded to the nearest.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what this is for")]
pub fn from_vector(v: &Vector) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

/// Rounded to the nearest.
pub fn from_matrix(m: &Matrix) -> Mat3 {
    let [x, y, z] = [0, 1, 2].map(|k| from_vector(&m.column(k).into()));
    Mat3::from_cols(x, y, z)
}

/// Rounded to the nearest.
pub fn from_point(p: &Point) -> Vec3 {
    from_vector(&p.coords)
}

/// Rounded to the nearest, then of unit length again.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what this is for")]
pub fn from_rotation(r: &Rotation) -> Quat {
    let q = r.coords;
    Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32).normalize()
}

/// Rounded to the nearest.
pub fn from_pose(pose: &Pose) -> Isometry3d {
    Isometry3d::new(from_vector(&pose.translation.vector), from_rotation(&pose.rotation))
}
