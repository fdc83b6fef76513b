//! The geometry that hierarchies and indices are built of: to be known again, and as triangles.

use std::sync::{Arc, Weak};

use ccd_core::bounds::IndexedMesh;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::geometry::primitive::Cuboid;
use ccd_core::shape::Shape;

use super::pair::polyhedron_of;

/// The geometry, which may be gone by now.
pub(crate) enum Source {
    Mesh(Weak<IndexedMesh>),
    Hull(Weak<ConvexPolyhedron>),
    /// By the bits of its half extents.
    Box([u64; 3]),
}

impl Source {
    /// That of a shape with faces; `None` of others, and of compounds.
    pub fn of(shape: &Shape) -> Option<Self> {
        match shape {
            Shape::Mesh(mesh) => Some(Self::Mesh(Arc::downgrade(mesh))),
            Shape::Convex(hull) => Some(Self::Hull(Arc::downgrade(hull))),
            Shape::Box(cuboid) => Some(Self::Box(bits_of(cuboid))),
            _ => None,
        }
    }

    /// Whether it is that of the shape.
    pub fn is(&self, shape: &Shape) -> bool {
        match (self, shape) {
            (Self::Mesh(known), Shape::Mesh(mesh)) => std::ptr::eq(known.as_ptr(), Arc::as_ptr(mesh)),
            (Self::Hull(known), Shape::Convex(hull)) => std::ptr::eq(known.as_ptr(), Arc::as_ptr(hull)),
            (Self::Box(known), Shape::Box(cuboid)) => *known == bits_of(cuboid),
            _ => false,
        }
    }

    /// Whether nobody has it any more.
    #[cfg(feature = "debug")]
    pub fn is_gone(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.strong_count() == 0,
            Self::Hull(hull) => hull.strong_count() == 0,
            // A size is never gone.
            Self::Box(_) => false,
        }
    }
}

/// The half extents of a box, to be known again.
fn bits_of(cuboid: &Cuboid) -> [u64; 3] {
    let half = cuboid.half_extents();
    [half.x, half.y, half.z].map(f64::to_bits)
}

/// The triangles of a shape with faces, as a mesh of its own where it is none.
pub(crate) fn mesh_of(shape: &Shape) -> Option<Arc<IndexedMesh>> {
    if let Shape::Mesh(mesh) = shape {
        return Some(Arc::clone(mesh));
    }
    let hull = polyhedron_of(shape)?;
    let mesh = TriMesh::try_new(hull.vertices().to_vec(), hull.triangles()).ok()?;
    IndexedMesh::new(mesh).ok().map(Arc::new)
}
