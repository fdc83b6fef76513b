//! Why a list of triangles is no mesh, and how that is found.

use crate::math::{MAX_COORDINATE, Point, Real, Shortest, is_finite};

/// The sine of the sharpest corner up to which a triangle counts as one, in multiples of the relative rounding of `f64`:
/// below it the direction of the normal is noise.
const FLATNESS: Real = 4.0 * Real::EPSILON;

/// Why a list of triangles is no mesh. Faces and vertices are counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// There is no triangle.
    #[error("the mesh has no triangle")]
    Empty,
    /// More vertices or triangles than 32-bit numbers name.
    #[error("the mesh has {count} {what}, more than {limit}", limit = u32::MAX - 1)]
    TooMany {
        /// `vertices` or `triangles`.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// A vertex that is no place.
    #[error("vertex {vertex} is not finite: {x}, {y}, {z}")]
    NonFiniteVertex {
        /// Which.
        vertex: usize,
        /// As given.
        x: Real,
        /// As given.
        y: Real,
        /// As given.
        z: Real,
    },
    /// A vertex beyond [`MAX_COORDINATE`].
    #[error("vertex {vertex} lies beyond {MAX_COORDINATE:e} m: {x:e}, {y:e}, {z:e}")]
    TooFar {
        /// Which.
        vertex: usize,
        /// As given, metres.
        x: Real,
        /// As given, metres.
        y: Real,
        /// As given, metres.
        z: Real,
    },
    /// A triangle names a vertex that does not exist.
    #[error("face {face} uses vertex {vertex} of {count}")]
    IndexOutOfRange {
        /// The triangle.
        face: usize,
        /// The index it uses.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A triangle uses a vertex twice.
    #[error("face {face} uses vertex {vertex} twice")]
    RepeatedIndex {
        /// The triangle.
        face: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A triangle whose corners are on one line (within rounding), or in one place.
    #[error("face {face} (vertices {}, {}, {}) has no area", vertices[0], vertices[1], vertices[2])]
    ZeroArea {
        /// The triangle.
        face: usize,
        /// Its corners.
        vertices: [u32; 3],
    },
    /// A vertex of no triangle, which is no part of the surface.
    #[error("vertex {vertex} is used by no face (`TriMesh::compacted` drops such vertices)")]
    UnusedVertex {
        /// The first such vertex.
        vertex: usize,
    },
    /// A scale that would flatten or destroy the mesh.
    #[error("the scale {}, {}, {} is not made of finite numbers other than zero", Shortest(*x), Shortest(*y), Shortest(*z))]
    BadScale {
        /// As given.
        x: Real,
        /// As given.
        y: Real,
        /// As given.
        z: Real,
    },
    /// A linear map that is not finite, or flattens all that there is.
    #[error("the linear map is not finite, or not invertible")]
    Singular,
}

/// A vertex is a place within the range of coordinates.
pub(super) fn check_vertex(vertex: usize, p: &Point) -> Result<(), MeshError> {
    let (x, y, z) = (p.x, p.y, p.z);
    if is_finite(&p.coords) {
        Ok(())
    } else if p.iter().all(|c| c.is_finite()) {
        Err(MeshError::TooFar { vertex, x, y, z })
    } else {
        Err(MeshError::NonFiniteVertex { vertex, x, y, z })
    }
}

/// A triangle has three corners that are there and apart, and an area.
pub(super) fn check_triangle(face: usize, corners: [u32; 3], vertices: &[Point]) -> Result<(), MeshError> {
    let count = vertices.len();
    let place = |vertex: u32| vertices.get(vertex as usize).ok_or(MeshError::IndexOutOfRange { face, vertex, count });
    let [i, j, k] = corners;
    let (a, b, c) = (place(i)?, place(j)?, place(k)?);
    if i == j || i == k {
        return Err(MeshError::RepeatedIndex { face, vertex: i });
    }
    if j == k {
        return Err(MeshError::RepeatedIndex { face, vertex: j });
    }
    let (ab, ac) = (b - a, c - a);
    let doubled_area = ab.cross(&ac).norm();
    // The two longest edges bound the sine of the sharpest corner from both sides, whichever corner comes first.
    let longest = ab.norm().max(ac.norm()).max((c - b).norm());
    if doubled_area > FLATNESS * longest * longest {
        Ok(())
    } else {
        Err(MeshError::ZeroArea { face, vertices: corners })
    }
}
