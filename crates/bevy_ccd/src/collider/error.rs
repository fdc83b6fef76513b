//! Why a collider cannot be built.

use std::sync::Arc;

use bevy::math::{Quat, Vec3};
use ccd_core::geometry::mesh::MeshError;
use ccd_core::geometry::polyhedron::HullError;
use ccd_core::geometry::primitive::ShapeError;
use ccd_core::io::obj::ObjError;
use ccd_core::shape::compound::CompoundError;
use ccd_core::shape::{FieldError, ScaleError};

use super::MeshSourceError;

/// Why a collider cannot be built.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ColliderError {
    /// A size makes no shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The triangles make no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The radii make no ellipsoid.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The points have no convex hull.
    #[error(transparent)]
    Hull(#[from] HullError),
    /// The parts make no compound.
    #[error(transparent)]
    Compound(#[from] CompoundError),
    /// A part of a compound has no place.
    #[error("part {part} of the compound stands at {translation}, turned by {rotation}, which is no place")]
    PartPose {
        /// Its number, from 0.
        part: usize,
        /// As given.
        translation: Vec3,
        /// As given.
        rotation: Quat,
    },
    /// There are too few heights for a ground.
    #[error("heights of {rows} by {columns} places make no ground: it takes two by two")]
    FewHeights {
        /// How many rows there are.
        rows: usize,
        /// How many heights the first has.
        columns: usize,
    },
    /// The rows of heights are not of one length.
    #[error("row {row} has {count} heights, and the first row {columns}")]
    UnevenHeights {
        /// Its number, from 0.
        row: usize,
        /// How many heights it has.
        count: usize,
        /// How many the first row has.
        columns: usize,
    },
    /// The Bevy mesh has no triangles to give.
    #[error(transparent)]
    MeshSource(#[from] MeshSourceError),
    /// The OBJ text is wrong.
    #[error(transparent)]
    Obj(Arc<ObjError>),
    /// A scale factor is zero or not finite.
    #[error("the scale {x}, {y}, {z} is not made of finite numbers other than zero")]
    BadScale {
        /// As given.
        x: f64,
        /// As given.
        y: f64,
        /// As given.
        z: f64,
    },
    /// The shape would become another kind of shape.
    #[error("a {kind} cannot be scaled by {x}, {y}, {z}: the factors must be {rule}")]
    UnevenScale {
        /// The shape.
        kind: &'static str,
        /// What would be right.
        rule: &'static str,
        /// As given.
        x: f64,
        /// As given.
        y: f64,
        /// As given.
        z: f64,
    },
    /// The core's shape cannot be scaled so.
    #[error(transparent)]
    Scale(#[from] ScaleError),
    /// Nothing is left of the shape's volume.
    #[error("it is flattened: something above it is scaled by zero, or by numbers that are not finite")]
    Flattened,
    /// The shape would become another kind of shape.
    #[error("a {kind} cannot be sheared, as a rotated child of an unevenly scaled parent is")]
    Sheared {
        /// The shape.
        kind: &'static str,
    },
}

impl From<ObjError> for ColliderError {
    fn from(error: ObjError) -> Self {
        // It may hold an error of the operating system's, which cannot be cloned.
        Self::Obj(Arc::new(error))
    }
}
