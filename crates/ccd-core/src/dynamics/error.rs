//! What can be wrong with a body, and how that is found.

use super::material::Material;
use crate::geometry::mass::MassError;
use crate::math::{MAX_COORDINATE, Pose, Real, Vector, is_finite, is_unit};
use crate::shape::Shape;

/// What is shorter is no direction.
const SHORTEST_DIRECTION: Real = 1e-150;

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
    #[error("the body's {what} is {}, which is not {range}", crate::math::Shortest(*value))]
    OutOfRange {
        /// Which quantity.
        what: &'static str,
        /// As given.
        value: Real,
        /// What would be right.
        range: &'static str,
    },
    /// The material of a part is none.
    #[error("part {part} of the body's shape: {error}")]
    PartMaterial {
        /// Its number, from 0.
        part: usize,
        /// What is wrong.
        error: Box<BodyError>,
    },
    /// Not every part of the shape has been given a material or none of its own.
    #[error("{given} materials were given for the {parts} parts of the body's shape")]
    PartMaterials {
        /// How many were given.
        given: usize,
        /// How many parts the shape has.
        parts: usize,
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
    check_finite("force", force)?;
    check_finite("torque", torque)?;
    if !gravity_scale.is_finite() {
        return Err(BodyError::NonFinite { what: "gravity scale" });
    }
    check_material(material)?;
    at_least_zero("linear damping", linear)?;
    at_least_zero("angular damping", angular)
}

/// Checks from where a one-way platform is solid.
pub(super) fn check_one_way(direction: Option<&Vector>) -> Result<(), BodyError> {
    let Some(direction) = direction else { return Ok(()) };
    check_finite("one-way direction", direction)?;
    let length = direction.norm();
    // Its square is still a number that can be divided by.
    if length >= SHORTEST_DIRECTION {
        Ok(())
    } else {
        Err(BodyError::OutOfRange { what: "one-way direction", value: length, range: "a length above 1e-150" })
    }
}

/// Checks the materials that the parts of a shape are given.
pub(super) fn check_part_materials(materials: &[Option<Material>], shape: &Shape) -> Result<(), BodyError> {
    let (given, parts) = (materials.len(), shape.part_count());
    if given != 0 && given != parts {
        return Err(BodyError::PartMaterials { given, parts });
    }
    for (part, material) in materials.iter().enumerate() {
        material.iter().try_for_each(check_material).map_err(|e| BodyError::PartMaterial { part, error: e.into() })?;
    }
    Ok(())
}

fn check_material(material: &Material) -> Result<(), BodyError> {
    at_least_zero("friction", material.friction)?;
    let rolling = material.rolling_resistance;
    if !(0.0..=MAX_COORDINATE).contains(&rolling) {
        return Err(BodyError::OutOfRange {
            what: "rolling resistance",
            value: rolling,
            range: "a length of at least zero",
        });
    }
    let restitution = material.restitution;
    if !(0.0..=1.0).contains(&restitution) {
        return Err(BodyError::OutOfRange { what: "restitution", value: restitution, range: "within [0, 1]" });
    }
    Ok(())
}

fn at_least_zero(what: &'static str, value: Real) -> Result<(), BodyError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(BodyError::OutOfRange { what, value, range: "a number of at least zero" })
    }
}

/// Checks where something is put; `what` is the pose.
pub(crate) fn check_pose(what: &'static str, pose: &Pose) -> Result<(), BodyError> {
    check_finite(what, &pose.translation.vector)?;
    let norm = pose.rotation.coords.norm();
    if is_unit(&pose.rotation) {
        Ok(())
    } else if norm.is_nan() {
        Err(BodyError::NonFinite { what })
    } else {
        Err(BodyError::OutOfRange { what: "quaternion norm", value: norm, range: "within a thousandth of 1" })
    }
}

pub(crate) fn check_velocity(linear: &Vector, angular: &Vector) -> Result<(), BodyError> {
    check_finite("linear velocity", linear)?;
    check_finite("angular velocity", angular)
}

/// Whether all numbers of a vector that is given are finite and not beyond [`MAX_COORDINATE`]; `what` is named where they are not.
///
/// # Errors
/// [`BodyError::NonFinite`].
pub fn check_finite(what: &'static str, v: &Vector) -> Result<(), BodyError> {
    if is_finite(v) { Ok(()) } else { Err(BodyError::NonFinite { what }) }
}
