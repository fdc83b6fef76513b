//! The B-rep index: a ternary tree of planes over the faces, edges and vertices of a solid.
//!
//! **Problem.** Where is a point, or a segment, in relation to a solid: inside, outside, or on which vertex, edge or face?
//! **Idea.** Every node divides a region by a plane into the parts above, on and below it. Planes of faces divide space
//! until no region holds a face; in the planes, lines along edges divide on; on the lines, vertices. So every vertex, edge
//! and face has a leaf, and a point finds its own on a single way from the root, by about as many plane tests as the tree is
//! high on average. A point near a plane follows all the ways that its ε-ball reaches.
//! **Guarantee.** A point is *on* the surface if and only if its Euclidean distance from it is at most ε, whatever the
//! planes say; it is on a vertex if one is within ε, else on an edge if one is, else on a face; of several on the nearest.
//! Distances are computed in `f64`, so that within [`BrepIndex::undecided_band`] of ε either answer is possible. Off the
//! surface, inside and outside are exact: a leaf is only believed by points that are clear of all planes on their way
//! (see `build/label.rs`); a point that is too close to one to call asks in its surface-free ball, then by exact
//! predicates, and both are counted in [`IndexStats`].
//! **Limits.** Closed, manifold, outward meshes that do not cross or touch themselves; ε above the rounding of coordinates.
//! The index is larger than the solid where many planes cut many faces.
//! **Source.** Vaněček (1990), with errata E15 and E17.

mod build;
mod cells;
mod entries;
mod error;
mod node;
mod options;
mod query;
mod shape;
mod spacing;

use std::sync::Arc;

use super::IndexedMesh;
use crate::geometry::mesh::{Brep, HalfEdgeMesh};
use crate::math::Real;
use crate::volume::Aabb;

pub use cells::IndexCell;
pub use error::BrepIndexError;
pub use node::{Branch, IndexNode, Leaf, Side, Subtree};
pub use options::{BrepIndexOptions, Recipe};
pub use query::{IndexStats, IndexStep, IndexWalk, Place, PointTrace, SegmentPiece, WalkKind};
pub use shape::IndexShape;
pub use spacing::CloseFeatures;

use entries::Entries;
use node::{MAX_NUMBER, Node, Packed};

/// ε over the thickness of planes: thin beside ε, so that what is left to distances is rare.
const TOLERANCE_OVER_THICKNESS: Real = 1024.0;

/// The least thickness, as a share of the largest coordinate: a thousand roundings of a height.
const LEAST_THICKNESS: Real = 1.0 / (1_u64 << 42) as Real;

/// ε must be at least so many least thicknesses.
const LEAST_TOLERANCE: Real = 64.0;

/// How much further than ε, in thicknesses, a point looks for features: they may stick out of their regions.
const REACH: Real = 16.0;

/// The index of one solid. See the module.
#[derive(Clone, Debug)]
pub struct BrepIndex {
    mesh: Arc<IndexedMesh>,
    brep: Brep,
    options: BrepIndexOptions,
    /// τ: half the thickness of planes, metres.
    thickness: Real,
    /// ε and what sticks out, metres.
    reach: Real,
    /// The solid's box with ε around it: points beyond are outside.
    around: Aabb,
    nodes: Vec<Node>,
    root: Packed,
    entries: Entries,
}

impl BrepIndex {
    /// Indexes a solid. About O(n log n) for the default recipe.
    ///
    /// # Errors
    /// [`BrepIndexError`], which names the first edge, vertex or pair of faces for which the mesh is no solid.
    pub fn build(mesh: Arc<IndexedMesh>, options: &BrepIndexOptions) -> Result<Self, BrepIndexError> {
        mesh.check_solid()?;
        Self::build_checked(mesh, options)
    }

    /// [`BrepIndex::build`] without the search for faces that cross or touch: for meshes that passed
    /// [`IndexedMesh::check_solid`] before. Of another mesh answers near its faults are wrong.
    ///
    /// # Errors
    /// [`BrepIndexError`] for a bad tolerance, a mesh without half-edges, or more nodes than there are numbers.
    pub fn build_checked(mesh: Arc<IndexedMesh>, options: &BrepIndexOptions) -> Result<Self, BrepIndexError> {
        let half_edges = HalfEdgeMesh::from_topology(mesh.mesh(), mesh.topology())?;
        let vertices = mesh.mesh().vertices();
        let largest = vertices.iter().map(|p| p.coords.amax()).fold(0.0, Real::max);
        let least_thickness = (largest * LEAST_THICKNESS).max(Real::MIN_POSITIVE);
        let (tolerance, least) = (options.tolerance, LEAST_TOLERANCE * least_thickness);
        if !(tolerance.is_finite() && tolerance >= least) {
            return Err(BrepIndexError::BadTolerance { tolerance, least });
        }
        let thickness = least_thickness.max(tolerance / TOLERANCE_OVER_THICKNESS);
        if mesh.topology().edges().len().max(vertices.len()) > MAX_NUMBER {
            return Err(BrepIndexError::TooLarge { limit: MAX_NUMBER });
        }
        let brep = Brep::build(mesh.mesh(), mesh.topology(), &half_edges, 0.5 * thickness);
        let (nodes, root) = build::build(&mesh, &brep, options, thickness)?;
        let around = mesh.aabb().inflated(tolerance + thickness);
        let reach = tolerance + REACH * thickness;
        let entries = match options.recipe {
            Recipe::Balanced => Entries::build(&nodes, root, &around, reach),
            Recipe::Paper { .. } => Entries::none(),
        };
        Ok(Self { mesh, brep, options: *options, thickness, reach, around, nodes, root, entries })
    }

    /// The solid's triangles.
    #[inline]
    pub fn mesh(&self) -> &Arc<IndexedMesh> {
        &self.mesh
    }

    /// The solid's faces, edges and corners, which the leaves name.
    #[inline]
    pub fn brep(&self) -> &Brep {
        &self.brep
    }

    /// ε, metres: what is within this distance of the surface is on it.
    #[inline]
    pub fn tolerance(&self) -> Real {
        self.options.tolerance
    }

    /// How the index was built.
    #[inline]
    pub fn options(&self) -> &BrepIndexOptions {
        &self.options
    }

    /// The half-width, metres, of the band around distance ε in which rounding decides: 16 units in the last place of the
    /// largest coordinate.
    pub fn undecided_band(&self) -> Real {
        let largest = self.around.min.coords.amax().max(self.around.max.coords.amax());
        16.0 * Real::EPSILON * largest
    }

    /// The memory of the index, bytes, without the mesh.
    pub fn size_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.nodes) + self.entries.size_bytes() + self.brep.size_bytes()
    }
}
