//! How an index is built.

use crate::math::Real;

/// How planes are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// Axis-aligned planes where they are expected to save tests for points anywhere in the solid's box, then the planes
    /// of faces, those that divide best first. No pseudo entities. The default.
    Balanced,
    /// The paper's (erratum E17): while a region holds more than `many_faces` faces it is halved by axis-aligned planes in
    /// turn; below that the plane of its first face divides it. Pseudo edges and vertices, where planes cut faces and
    /// edges, get nodes of their own. For comparison with the paper's Table 1.
    Paper {
        /// The number of faces up to which regions are divided by the faces' own planes.
        many_faces: u32,
    },
}

impl Recipe {
    /// The paper's recipe with the number of faces that repeats its Table 1: the smallest sphere (16 faces) and the
    /// halves of the second (18) are auto-partitioned, quarters of the fourth (25) are not.
    pub const PAPER: Self = Self::Paper { many_faces: 20 };
}

/// How to build a [`super::BrepIndex`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrepIndexOptions {
    /// ε, metres: points within this Euclidean distance of the surface are on it.
    pub tolerance: Real,
    /// How planes are chosen.
    pub recipe: Recipe,
}

impl BrepIndexOptions {
    /// The default recipe with this ε, metres.
    pub fn with_tolerance(tolerance: Real) -> Self {
        Self { tolerance, recipe: Recipe::Balanced }
    }
}

impl Default for BrepIndexOptions {
    fn default() -> Self {
        Self::with_tolerance(crate::tolerance::DEFAULT_TOLERANCE)
    }
}
