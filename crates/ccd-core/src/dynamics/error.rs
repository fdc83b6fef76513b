//! What can be wrong with a body, and how that is found.

use super::material::Material;
use crate::geometry::mass::MassError;
use crate::math::{MAX_COORDINATE, Pose, Real, Vector, is_finite, is_finite_pose};

/// Why a body cannot be, or cannot be changed so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// A number is NaN, infinite, or beyond [`MAX_COORDINATE`].
    #[error("the body's {what} is not finite or beyond {MAX_COORDINATE:e}")]
    NonFinite {
        /// Which quantity.
        what: &'static str,
    },
    /// A number is outside its range.
    #[error("the body's {what} is {value}, which is not {range}")]
    OutOfRange {
        /// Which quantity.
        what: &'static str,
        /// As given.
        value: Real,
        /// What would be right.
        range: &'static str,
    },
    /// Mass or inertia is impossible.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// An unbounded shape cannot move.
    #[error("a {kind} is unbounded and can only be static")]
    UnboundedMoves {
        /// The shape.
        kind: &'static str,
    },
}

/// Checks what the caller can change of a body at any time: forces are force and torque, dampings the linear and the angular one.
pub(super) fn check_influences(
    material: &Material,
    gravity_scale: Real,
    [force, torque]: [&Vector; 2],
    [linear, angular]: [Real; 2],
) -> Result<(), BodyError> {
    finite("force", force)?;
    finite("torque", torque)?;
    if !gravity_scale.is_finite() {
        return Err(BodyError::NonFinite { what: "gravity scale" });
    }
    let at_least_zero = |what, value: Real| {
        if value.is_finite() && value >= 0.0 {
            Ok(())
        } else {
            Err(BodyError::OutOfRange { what, value, range: "a number of at least zero" })
        }
    };
    at_least_zero("friction", material.friction)?;
    let rolling = material.rolling_resistance;
    if !(0.0..=MAX_COORDINATE).contains(&rolling) {
        return Err(BodyError::OutOfRange {
            what: "rolling resistance",
            value: rolling,
            range: "a length of at least zero",
        });
    }
    at_least_zero("linear damping", linear)?;
    at_least_zero("angular damping", angular)?;
    let restitution = material.restitution;
    if !(0.0..=1.0).contains(&restitution) {
        return Err(BodyError::OutOfRange { what: "restitution", value: restitution, range: "within [0, 1]" });
    }
    Ok(())
}

pub(super) fn finite_pose(what: &'static str, pose: &Pose) -> Result<(), BodyError> {
    if is_finite_pose(pose) { Ok(()) } else { Err(BodyError::NonFinite { what }) }
}

pub(super) fn finite(what: &'static str, v: &Vector) -> Result<(), BodyError> {
    if is_finite(v) { Ok(()) } else { Err(BodyError::NonFinite { what }) }
}
