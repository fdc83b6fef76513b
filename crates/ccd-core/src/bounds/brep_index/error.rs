//! Why a mesh has no B-rep index.

use crate::bounds::NotSolid;
use crate::geometry::mesh::NotManifold;
use crate::math::{Real, Shortest};

/// Why a mesh has no B-rep index. Faces are triangles of the mesh; all numbers count from zero.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BrepIndexError {
    /// The mesh bounds no solid; the fault is named with its edge, vertex or pair of faces.
    #[error(transparent)]
    NotSolid(#[from] NotSolid),
    /// Shells in each other that do not alternate between inside and outside.
    #[error("the surface winds {winding} times around a point beside face {face}: shells lie in each other wrongly")]
    Nested {
        /// A triangle beside the point.
        face: u32,
        /// How often.
        winding: i32,
    },
    /// A tolerance that is no length, or lies in the rounding of the coordinates.
    #[error("the tolerance {} m is not finite or below {least:e} m, where coordinates this large are rounded", Shortest(*tolerance))]
    BadTolerance {
        /// As given.
        tolerance: Real,
        /// The least that can be told from rounding, metres.
        least: Real,
    },
    /// No half-edges for a mesh that was passed as checked.
    #[error(transparent)]
    NotManifold(#[from] NotManifold),
    /// More nodes, faces, edges or vertices than the index can number.
    #[error("the index needs more than {limit} nodes or entities")]
    TooLarge {
        /// How many it can number.
        limit: usize,
    },
}
