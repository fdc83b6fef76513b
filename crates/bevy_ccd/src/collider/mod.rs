//! Colliders: the shape of a body as the user names it, and what builds it.

mod constructor;
mod error;
mod form;
mod heights;
mod hierarchy;
mod mesh;
mod obj;
mod stretch;
mod weld;
mod written;

use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::*;
use bevy::reflect::{ReflectDeserialize, ReflectSerialize};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Matrix, Point};
use ccd_core::shape::Shape;

pub(crate) use constructor::build_colliders;
pub use constructor::{
    ColliderConstructor, ColliderConstructorError, ColliderConstructorFailed, ColliderConstructorReady,
};
pub use error::ColliderError;
use form::Form;
pub use hierarchy::{
    ColliderConstructorHierarchy, ColliderConstructorHierarchyConfig, ColliderConstructorHierarchyReady,
};
pub(crate) use hierarchy::{give_constructors, tell_hierarchies_ready};
pub use mesh::{MeshSourceError, mesh_of, triangles_of};
pub use obj::{ObjLoader, ObjModel, ObjModelError};
pub(crate) use stretch::unturned;

use crate::convert::{to_point, to_pose, to_vector};

/// The shape of a body, in the frame of its entity, before the entity's scale. Cloning is cheap: what is large is shared.
///
/// Lengths are in metres; y is the axis of what has one. Constructors take any sizes; a size that makes no shape is
/// refused with a [`CcdProblem`](crate::CcdProblem) that names the entity when the body is added. Those that build
/// something say what is wrong at once.
///
/// The scale of the entity's transform applies. Boxes, spheres, hulls, meshes and half-spaces, and compounds of such, take any factors other
/// than zero, and the shear of a turned child of an unevenly scaled parent: a sphere becomes an ellipsoid. Cylinders and cones take equal
/// factors across their axis, capsules equal ones all around.
///
/// The shape of an entity is changed by inserting another `Collider`.
///
/// It is written into scenes and files, with all its points and triangles, by the names and lengths of [`ColliderConstructor`]; what is read back is
/// the same to the bit. Only one that is made from a shape of the core has no words there.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// let crate_box = Collider::cuboid(1.0, 0.5, 1.0);
/// let ball = Collider::from(Sphere::new(0.5));
/// let hull = Collider::convex_hull([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
/// # Ok::<(), ColliderError>(())
/// ```
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Debug, Clone, PartialEq, Serialize, Deserialize)]
#[require(Transform)]
pub struct Collider(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    form: Form,
    /// What has been built of the form, by stretch: bodies that share a collider share its hierarchy.
    built: Mutex<Vec<([u64; 9], Shape)>>,
}

/// How many scales of one collider are kept built. Beyond it the oldest is forgotten, as when a scale is animated.
const KEPT_SCALES: usize = 8;

/// The same shared shape, or primitives of one kind and size. Meshes, hulls and compounds that were built apart differ.
impl PartialEq for Collider {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.form.is_same_primitive(&other.0.form)
    }
}

impl From<Shape> for Collider {
    /// A shape of the core: a field, patches, a custom solid. It takes the scales that [`Shape::scaled`] takes, which are none of a custom
    /// solid, and no shear.
    fn from(shape: Shape) -> Self {
        Self::of(Form::Shape(shape))
    }
}

/// A collider of a primitive of Bevy, which the mesh that is drawn may be made of as well.
macro_rules! from_primitive {
    ($($primitive:ty: $of:ident => $collider:expr;)*) => {$(
        impl From<$primitive> for Collider {
            fn from($of: $primitive) -> Self {
                $collider
            }
        }
    )*};
}

from_primitive! {
    Sphere: ball => Self::sphere(ball.radius);
    Cuboid: cuboid => {
        let Vec3 { x, y, z } = 2.0 * cuboid.half_size;
        Self::cuboid(x, y, z)
    };
    Capsule3d: capsule => Self::capsule(capsule.radius, 2.0 * capsule.half_length);
    Cylinder: cylinder => Self::cylinder(cylinder.radius, 2.0 * cylinder.half_height);
    Cone: cone => Self::cone(cone.radius, cone.height);
    InfinitePlane3d: plane => Self::half_space(plane.normal.as_vec3());
}

impl Collider {
    fn of(form: Form) -> Self {
        Self(Arc::new(Inner { form, built: Mutex::default() }))
    }

    /// A ball with this radius.
    pub fn sphere(radius: impl Into<f64>) -> Self {
        Self::of(Form::Ball { radius: radius.into() })
    }

    /// A box with these edge lengths (not half of them).
    pub fn cuboid(x_length: impl Into<f64>, y_length: impl Into<f64>, z_length: impl Into<f64>) -> Self {
        Self::of(Form::Box { half_extents: [x_length.into() / 2.0, y_length.into() / 2.0, z_length.into() / 2.0] })
    }

    /// A capsule along y: its radius, and the length of its straight part.
    pub fn capsule(radius: impl Into<f64>, length: impl Into<f64>) -> Self {
        Self::of(Form::Capsule { radius: radius.into(), half_height: length.into() / 2.0 })
    }

    /// A cylinder along y.
    pub fn cylinder(radius: impl Into<f64>, height: impl Into<f64>) -> Self {
        Self::of(Form::Cylinder { radius: radius.into(), half_height: height.into() / 2.0 })
    }

    /// A cone along y, its apex up, the origin halfway between base and apex.
    pub fn cone(radius: impl Into<f64>, height: impl Into<f64>) -> Self {
        Self::of(Form::Cone { radius: radius.into(), half_height: height.into() / 2.0 })
    }

    /// Everything below the plane through the entity's origin with this normal (of any length). Only static bodies can have it.
    pub fn half_space(normal: Vec3) -> Self {
        Self::of(Form::HalfSpace { normal: to_vector(normal) })
    }

    /// Several colliders as one, each at its place: translation in metres and rotation, in the frame of the entity.
    ///
    /// Parts may overlap; what two of them share has its mass twice.
    ///
    /// # Errors
    /// [`ColliderError::PartPose`] for a place that is not finite, [`ColliderError::Compound`] without parts or with an
    /// unbounded one, and what its parts are refused for.
    pub fn compound(parts: impl IntoIterator<Item = (Vec3, Quat, Self)>) -> Result<Self, ColliderError> {
        let parts = parts
            .into_iter()
            .enumerate()
            .map(|(part, (translation, rotation, collider))| {
                let pose = to_pose(translation, rotation);
                Ok((pose.ok_or(ColliderError::PartPose { part, translation, rotation })?, collider))
            })
            .collect::<Result<_, ColliderError>>()?;
        Self::checked(Form::Compound { parts })
    }

    /// The convex hull of points.
    ///
    /// # Errors
    /// [`ColliderError::Hull`] where the points have no hull with a volume.
    pub fn convex_hull<P: Into<[f64; 3]>>(points: impl IntoIterator<Item = P>) -> Result<Self, ColliderError> {
        let points = points.into_iter().map(|p| Point::from(p.into())).collect();
        Self::checked(Form::Hull { points })
    }

    /// A triangle mesh: vertices, and triangles as triples of vertex numbers, counter-clockwise from outside.
    ///
    /// A closed mesh is a solid with an inside; an open one a two-sided sheet. Both may move, and meet each other.
    ///
    /// # Errors
    /// [`ColliderError::Mesh`] names the first face or vertex that makes it no mesh.
    pub fn trimesh<P: Into<[f64; 3]>>(
        vertices: impl IntoIterator<Item = P>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<Self, ColliderError> {
        let vertices = vertices.into_iter().map(|p| Point::from(p.into())).collect();
        Self::from_trimesh(TriMesh::try_new(vertices, triangles)?)
    }

    /// A ground given by heights over a rectangle in the plane of x and z about the entity's origin: the rows divide `scale.x` metres into equal
    /// parts, the heights of a row `scale.z`, and heights count `scale.y` metres.
    ///
    /// It is a two-sided sheet of two triangles a cell, for what does not move by forces: nothing passes it, from above or from below.
    ///
    /// # Errors
    /// [`ColliderError::FewHeights`] for fewer than two by two, [`ColliderError::UnevenHeights`] for rows of different lengths,
    /// [`ColliderError::Mesh`] for numbers that are not finite.
    pub fn heightfield<H: Into<f64>>(
        heights: impl IntoIterator<Item = Vec<H>>,
        scale: Vec3,
    ) -> Result<Self, ColliderError> {
        let wide = |row: Vec<H>| row.into_iter().map(Into::into).collect();
        let heights: Vec<Vec<f64>> = heights.into_iter().map(wide).collect();
        Self::from_trimesh(heights::ground_of(&heights, scale.to_array().map(f64::from))?)
    }

    /// A triangle mesh of the core.
    ///
    /// # Errors
    /// [`ColliderError::Mesh`] for a mesh of which no hierarchy can be built.
    pub fn from_trimesh(mesh: TriMesh) -> Result<Self, ColliderError> {
        Self::checked(Form::Mesh { mesh: Arc::new(mesh) })
    }

    /// The triangles of a Bevy mesh: lists and strips, with or without indices of either width.
    ///
    /// Vertices in the same place become one, as vertices are commonly split for normals and texture coordinates, and
    /// triangles that lose a corner by it, which have no area, are left out. Where the mesh is not closed then, but is with vertices made
    /// one that differ by a few roundings of its size, as those along the seam of a sphere or a torus, these are one too.
    ///
    /// # Errors
    /// [`ColliderError::MeshSource`] where the mesh has no triangles to give, [`ColliderError::Mesh`] where they make no mesh.
    pub fn trimesh_from_mesh(mesh: &Mesh) -> Result<Self, ColliderError> {
        Self::trimesh_from_meshes([(Transform::IDENTITY, mesh)])
    }

    /// The triangles of several Bevy meshes as one mesh, each at its place in the frame of the entity: what has several materials is often drawn as
    /// a mesh for each, which are open, and a solid together. Otherwise as [`Collider::trimesh_from_mesh`].
    ///
    /// # Errors
    /// As there, for the first of the meshes that has none.
    pub fn trimesh_from_meshes<'m>(
        meshes: impl IntoIterator<Item = (Transform, &'m Mesh)>,
    ) -> Result<Self, ColliderError> {
        Self::from_trimesh(weld::closed_mesh_of(meshes)?)
    }

    /// [`Collider::trimesh_from_mesh`].
    ///
    /// # Errors
    /// As there.
    pub fn from_mesh(mesh: &Mesh) -> Result<Self, ColliderError> {
        Self::trimesh_from_mesh(mesh)
    }

    /// The convex hull of a Bevy mesh's vertices.
    ///
    /// # Errors
    /// [`ColliderError::MeshSource`] where the mesh has no positions, [`ColliderError::Hull`] where they have no hull.
    pub fn convex_hull_from_mesh(mesh: &Mesh) -> Result<Self, ColliderError> {
        Self::checked(Form::Hull { points: mesh::positions_of(mesh)?.into_iter().map(to_point).collect() })
    }

    /// The triangles of an OBJ file; faces with more corners are cut into triangles. Vertices in the same place become one where that
    /// closes the model.
    ///
    /// Reads the file at once, by its path in the file system; [`ColliderConstructor::Obj`] loads one as an asset.
    ///
    /// # Errors
    /// [`ColliderError::Obj`] names the file and the line.
    pub fn from_obj(path: impl AsRef<Path>) -> Result<Self, ColliderError> {
        Self::from_trimesh(ccd_core::io::obj::load_obj(path)?.closed_by_welding())
    }

    /// [`Collider::from_obj`] of an OBJ text; `name` stands for the file in errors.
    ///
    /// # Errors
    /// [`ColliderError::Obj`] names the line.
    pub fn from_obj_reader(reader: impl Read, name: &str) -> Result<Self, ColliderError> {
        Self::from_trimesh(ccd_core::io::obj::parse_obj(reader, name)?.closed_by_welding())
    }

    /// The same at a scale, for what asks with a shape as large as it was made: `collider.scaled(transform.scale)` is as large as the body of an
    /// entity with this collider and this transform. Bodies themselves are scaled by their transforms, and need none of this.
    ///
    /// Built at the first call for a scale and kept, as by [`Collider::shape`].
    ///
    /// # Errors
    /// As [`Collider::shape`].
    pub fn scaled(&self, scale: Vec3) -> Result<Self, ColliderError> {
        if scale == Vec3::ONE { Ok(self.clone()) } else { self.shape(scale).map(Self::from) }
    }

    /// The core's shape at a scale.
    ///
    /// Built at the first call for a scale, which takes `O(n log n)` for `n` points or triangles, and kept.
    ///
    /// # Errors
    /// [`ColliderError`] for sizes that make no shape, and scales that the shape cannot take.
    pub fn shape(&self, scale: Vec3) -> Result<Shape, ColliderError> {
        self.stretched(&Matrix::from_diagonal(&to_vector(scale)))
    }

    /// The core's shape of what a linear map of its frame makes of it; the same otherwise.
    pub(crate) fn stretched(&self, stretch: &Matrix) -> Result<Shape, ColliderError> {
        let key = std::array::from_fn(|k| stretch[k].to_bits());
        // A panic while building leaves the list as it was.
        let mut built = self.0.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shape)) = built.iter().find(|(known, _)| *known == key) {
            return Ok(shape.clone());
        }
        let shape = self.0.form.build(stretch)?;
        if built.len() == KEPT_SCALES {
            built.remove(0);
        }
        built.push((key, shape.clone()));
        Ok(shape)
    }

    fn checked(form: Form) -> Result<Self, ColliderError> {
        let collider = Self::of(form);
        collider.shape(Vec3::ONE)?;
        Ok(collider)
    }
}
