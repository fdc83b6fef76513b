//! Why sizes make no shape.

use crate::math::{Real, Shortest, Vector};

/// The smallest size of a primitive, metres: its fifth power (inertia) is still far above the smallest `f64`.
pub const MIN_SIZE: Real = 1e-12;

/// The largest size of a primitive, metres: its fifth power is still far below the largest `f64`.
pub const MAX_SIZE: Real = 1e12;

/// Why sizes make no shape.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A size is no number.
    #[error("the {parameter} of a {kind} is {value}, not a finite number")]
    NonFinite {
        /// What was to be made.
        kind: &'static str,
        /// Which size.
        parameter: &'static str,
        /// As given.
        value: Real,
    },
    /// A size is zero or negative.
    #[error("the {parameter} of a {kind} is {} m, which is not positive", Shortest(*value))]
    NonPositive {
        /// What was to be made.
        kind: &'static str,
        /// Which size.
        parameter: &'static str,
        /// As given, metres.
        value: Real,
    },
    /// A size is too small or too large to compute with.
    #[error("the {parameter} of a {kind} is {value:e} m, outside {MIN_SIZE:e} to {MAX_SIZE:e} m")]
    OutOfRange {
        /// What was to be made.
        kind: &'static str,
        /// Which size.
        parameter: &'static str,
        /// As given, metres.
        value: Real,
    },
    /// A number that says how a solid bends is out of range.
    #[error("a {kind} takes no exponent or level of {}", Shortest(*value))]
    BadExponent {
        /// What was to be made.
        kind: &'static str,
        /// As given.
        value: Real,
    },
    /// The normal points nowhere.
    #[error("the normal of a half-space is zero or not finite: {x}, {y}, {z}")]
    BadNormal {
        /// As given.
        x: Real,
        /// As given.
        y: Real,
        /// As given.
        z: Real,
    },
    /// The triangle has no area, or a corner is not finite.
    #[error("the three corners span no triangle")]
    FlatTriangle,
}

/// `value` as the positive size `parameter` of a `kind`.
pub(in crate::geometry) fn positive(
    kind: &'static str,
    parameter: &'static str,
    value: Real,
) -> Result<Real, ShapeError> {
    if !value.is_finite() {
        Err(ShapeError::NonFinite { kind, parameter, value })
    } else if value <= 0.0 {
        Err(ShapeError::NonPositive { kind, parameter, value })
    } else if !(MIN_SIZE..=MAX_SIZE).contains(&value) {
        Err(ShapeError::OutOfRange { kind, parameter, value })
    } else {
        Ok(value)
    }
}

/// `v` at unit length, whatever its length was.
pub(super) fn unit(v: Vector) -> Result<Vector, ShapeError> {
    let bad = ShapeError::BadNormal { x: v.x, y: v.y, z: v.z };
    let size = v.amax();
    if !v.iter().all(|c| c.is_finite()) || size == 0.0 {
        return Err(bad);
    }
    // Scaled first, so that the squares of a tiny or huge vector stay in range.
    Ok((v / size).normalize())
}
