//! Models as cases take them.

use std::path::Path;

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::obj::load_obj;
use ccd_core::tolerance::DEFAULT_TOLERANCE;

use crate::failure::Failure;

/// ε over half the model's diagonal, for models too small for the default.
const TOLERANCE_OVER_SIZE: f64 = 1e-6;

/// A model that was read.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: TriMesh,
    /// How many vertices of the file's faces were joined with others at the same place.
    pub(super) joined_vertices: usize,
}

/// Reads a model; vertices at the same place are joined where that closes it, as the shapes of cases are.
pub(super) fn load_model(path: &Path) -> Result<Model, Failure> {
    let mesh = load_obj(path).map_err(|e| Failure::Model(e.to_string()))?;
    let count = mesh.vertices().len();
    let mesh = mesh.closed_by_welding();
    let joined_vertices = count - mesh.vertices().len();
    Ok(Model { mesh, joined_vertices })
}

/// ε of a model's B-rep index where nobody gives one, metres.
pub(super) fn index_tolerance(mesh: &TriMesh) -> f64 {
    DEFAULT_TOLERANCE.min(TOLERANCE_OVER_SIZE * mesh.aabb().half_extents().norm())
}
