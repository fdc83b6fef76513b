//! The shape a user names: one value over all solids.

pub mod compound;
mod cutter;
mod field;
pub(crate) mod hole;
pub(crate) mod pin;
mod scale;

use std::sync::Arc;

use crate::bounds::{DecompositionError, IndexedMesh, IndexedPatches};
use crate::geometry::feature::Feature;
use crate::geometry::field::Field;
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::mesh::{MeshError, SurfaceKind, TriMesh};
use crate::geometry::parametric::PatchSurface;
use crate::geometry::polyhedron::{ConvexPolyhedron, HullError};
use crate::geometry::primitive::{Ball, Capsule, Cone, Cuboid, Cylinder, HalfSpace, ShapeError};
use crate::geometry::solid::{Solid, SupportMap};
use crate::math::{Point, Pose, Real, Vector};
use compound::{Compound, CompoundError, Part};

pub use field::{CsgShape, FieldError, FieldShape};
pub use scale::ScaleError;

/// Any solid that a body can have. Cloning is cheap: what is large is shared.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A box.
    Box(Cuboid),
    /// A ball.
    Ball(Ball),
    /// A capsule along y.
    Capsule(Capsule),
    /// A cylinder along y.
    Cylinder(Cylinder),
    /// A cone along y.
    Cone(Cone),
    /// A half-space: unbounded.
    HalfSpace(HalfSpace),
    /// A convex polyhedron.
    Convex(Arc<ConvexPolyhedron>),
    /// A triangle mesh: a closed solid, or an open two-sided soup.
    Mesh(Arc<IndexedMesh>),
    /// A solid given by a function of space.
    Field(FieldShape),
    /// A surface of bicubic Bézier patches: a closed solid, or an open two-sided sheet.
    Patches(Arc<IndexedPatches>),
    /// Several shapes as one body.
    Compound(Arc<Compound>),
    /// A solid of the user's own.
    Custom(Arc<dyn Solid>),
}

impl Shape {
    /// A box from its half extents, metres.
    ///
    /// # Errors
    /// [`ShapeError`] names the size that is wrong.
    pub fn cuboid(half_extents: [Real; 3]) -> Result<Self, ShapeError> {
        Cuboid::try_new(half_extents).map(Self::Box)
    }

    /// A ball, radius in metres.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn ball(radius: Real) -> Result<Self, ShapeError> {
        Ball::try_new(radius).map(Self::Ball)
    }

    /// A capsule along y: radius, and half the height of its straight part, metres.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn capsule(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Capsule::try_new(radius, half_height).map(Self::Capsule)
    }

    /// A cylinder along y, metres.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn cylinder(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Cylinder::try_new(radius, half_height).map(Self::Cylinder)
    }

    /// A cone along y, its apex up, metres.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn cone(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Cone::try_new(radius, half_height).map(Self::Cone)
    }

    /// Everything below the plane through the origin with the given normal (any length).
    ///
    /// # Errors
    /// [`ShapeError::BadNormal`].
    pub fn half_space(normal: Vector) -> Result<Self, ShapeError> {
        HalfSpace::try_new(normal).map(Self::HalfSpace)
    }

    /// The convex hull of points in the shape's frame, metres.
    ///
    /// # Errors
    /// [`HullError`] for points that are too few, not finite, or within a plane.
    pub fn convex_hull(points: &[Point]) -> Result<Self, HullError> {
        Ok(Self::Convex(Arc::new(ConvexPolyhedron::from_points(points)?)))
    }

    /// A triangle mesh, with its hierarchy built.
    ///
    /// # Errors
    /// [`MeshError`] names the face or vertex.
    pub fn mesh(mesh: TriMesh) -> Result<Self, MeshError> {
        Ok(Self::Mesh(Arc::new(IndexedMesh::new(mesh)?)))
    }

    /// A surface of bicubic Bézier patches, with its hierarchy built: a solid if it is watertight (see
    /// [`PatchSurface::require_solid`]), else a two-sided sheet.
    pub fn patches(surface: PatchSurface) -> Self {
        Self::Patches(Arc::new(IndexedPatches::new(surface)))
    }

    /// Several shapes as one body, each at its pose: a compound of convex pieces, or of any bounded solids.
    ///
    /// # Errors
    /// [`CompoundError`] names the part.
    pub fn compound(parts: impl IntoIterator<Item = (Pose, Self)>) -> Result<Self, CompoundError> {
        let parts = parts.into_iter().map(|(pose, shape)| Part::new(shape, pose)).collect();
        Ok(Self::Compound(Arc::new(Compound::new(parts)?)))
    }

    /// Whether the two are one and the same for certain: primitives of one kind and size, or what is shared, by where it is. Meshes, hulls and
    /// whatever else was built apart differ, however alike.
    #[inline]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Box(one), Self::Box(other)) => one == other,
            (Self::HalfSpace(one), Self::HalfSpace(other)) => one == other,
            (Self::Convex(one), Self::Convex(other)) => Arc::ptr_eq(one, other),
            (Self::Mesh(one), Self::Mesh(other)) => Arc::ptr_eq(one, other),
            (Self::Compound(one), Self::Compound(other)) => Arc::ptr_eq(one, other),
            (Self::Patches(one), Self::Patches(other)) => Arc::ptr_eq(one, other),
            (Self::Ball(one), Self::Ball(other)) => one == other,
            (Self::Capsule(one), Self::Capsule(other)) => one == other,
            (Self::Cylinder(one), Self::Cylinder(other)) => one == other,
            (Self::Cone(one), Self::Cone(other)) => one == other,
            (Self::Field(one), Self::Field(other)) => one.is_same(other),
            // Without the tables of functions, of which one type can have several.
            (Self::Custom(one), Self::Custom(other)) => std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other)),
            _ => false,
        }
    }

    /// A closed mesh as a compound of at most `limit` convex pieces whose union is the solid that it bounds: what methods for
    /// convex polyhedra take for a body that is not convex. See [`IndexedMesh::convex_pieces`] for what is exact, what it costs,
    /// and which solids it does not suit. Features are those of the pieces.
    ///
    /// # Errors
    /// [`DecompositionError`] for a mesh that bounds no solid, or one that needs more pieces.
    pub fn convex_compound(mesh: &IndexedMesh, limit: usize) -> Result<Self, DecompositionError> {
        let pieces = mesh.convex_pieces(limit)?;
        let parts = pieces.into_iter().map(|piece| (Pose::identity(), Self::Convex(Arc::new(piece))));
        // Finite, bounded and at least one: only their number can be too large for a compound.
        Self::compound(parts).map_err(|_| DecompositionError::TooManyPieces { limit })
    }

    /// Finds now what queries between bodies would find when they first need it: of meshes, the slabs and capsules of their
    /// tree and the features of their surface. Without effect the second time.
    pub fn prepare(&self) {
        match self {
            Self::Mesh(mesh) => mesh.prepare(),
            other => other.as_compound().into_iter().flat_map(Compound::parts).for_each(|part| part.shape.prepare()),
        }
    }

    /// The shape as what every solid can do.
    pub fn as_solid(&self) -> &dyn Solid {
        match self {
            Self::Box(s) => s,
            Self::Ball(s) => s,
            Self::Capsule(s) => s,
            Self::Cylinder(s) => s,
            Self::Cone(s) => s,
            Self::HalfSpace(s) => s,
            Self::Convex(s) => s.as_ref(),
            Self::Mesh(s) => s.as_ref(),
            Self::Field(s) => s.as_field(),
            Self::Patches(s) => s.as_ref(),
            Self::Compound(s) => s.as_ref(),
            Self::Custom(s) => s.as_ref(),
        }
    }

    /// The support mapping, where the shape is convex and bounded.
    pub fn as_convex(&self) -> Option<&dyn SupportMap> {
        match self {
            Self::Box(s) => Some(s),
            Self::Ball(s) => Some(s),
            Self::Capsule(s) => Some(s),
            Self::Cylinder(s) => Some(s),
            Self::Cone(s) => Some(s),
            Self::Convex(s) => Some(s.as_ref()),
            Self::HalfSpace(_) | Self::Mesh(_) | Self::Patches(_) | Self::Compound(_) => None,
            Self::Field(s) => s.as_convex(),
            Self::Custom(s) => s.support_map(),
        }
    }

    /// The solids that it collides as, one by one: the parts of a compound, and those of a union of bounded solids. Its features in
    /// contacts are named by [`Compound::feature_of_part`].
    pub fn as_compound(&self) -> Option<&Compound> {
        match self {
            Self::Compound(s) => Some(s),
            Self::Field(s) => s.as_compound(),
            _ => None,
        }
    }

    /// How many parts it has: those of a compound, and one of any other shape.
    pub fn part_count(&self) -> usize {
        match self {
            Self::Compound(compound) => compound.parts().len(),
            _ => 1,
        }
    }

    /// The part that has a feature of the shape; the only one of a shape that is no compound.
    pub fn part_of_feature(&self, feature: Feature) -> usize {
        match self {
            Self::Compound(compound) => compound.part_of_feature(feature).0 as usize,
            _ => 0,
        }
    }

    /// The shape as a field, where it can tell how far any place is from it.
    pub fn as_field(&self) -> Option<&dyn Field> {
        match self {
            Self::Field(s) => Some(s.as_field()),
            other => other.as_solid().field(),
        }
    }

    /// Whether the shape has an end in every direction.
    pub fn is_bounded(&self) -> bool {
        self.as_solid().bounding_sphere().radius.is_finite()
    }

    /// The radius of a sphere about `point` (the shape's frame) that holds the shape, metres; infinite for an unbounded one.
    pub fn bounding_radius_about(&self, point: &Point) -> Real {
        let sphere = self.as_solid().bounding_sphere();
        if !sphere.radius.is_finite() {
            return Real::INFINITY;
        }
        // The farthest corner of the box and the sphere both hold the shape; neither is always the smaller.
        let aabb = self.as_solid().local_aabb();
        let corner = (aabb.max - point).abs().sup(&(aabb.min - point).abs()).norm();
        corner.min((sphere.centre - point).norm() + sphere.radius)
    }

    /// The mass of the shape at uniform density (kg/m³; kg/m² for a soup, which is a sheet), and how it was found.
    ///
    /// # Errors
    /// [`MassError`] for a density that is not positive, unbounded shapes, and custom solids, whose mass must be given.
    pub fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        if !(density.is_finite() && density > 0.0) {
            return Err(MassError::NotPositive { what: "density", value: density });
        }
        let exact = |m: MassProperties| Ok((m, MassKind::Exact));
        match self {
            Self::Box(s) => exact(MassProperties::of_box(&s.half_extents(), density)),
            Self::Ball(s) => exact(MassProperties::of_ball(s.radius(), density)),
            Self::Capsule(s) => exact(MassProperties::of_capsule(s.radius(), s.half_height(), density)),
            Self::Cylinder(s) => exact(MassProperties::of_cylinder(s.radius(), s.half_height(), density)),
            Self::Cone(s) => exact(MassProperties::of_cone(s.radius(), s.half_height(), density)),
            Self::Convex(s) => exact(MassProperties::of_closed_surface(s.vertices(), &s.triangles(), density)?),
            Self::Mesh(s) => {
                let (vertices, triangles) = (s.mesh().vertices(), s.mesh().triangles());
                match s.surface_kind() {
                    SurfaceKind::Solid => Field::mass_properties(s.as_ref(), density),
                    SurfaceKind::InsideOut => exact(MassProperties::of_closed_surface(vertices, triangles, density)?),
                    SurfaceKind::Soup => {
                        Ok((MassProperties::of_sheet(vertices, triangles, density)?, MassKind::MassPoints))
                    }
                }
            }
            Self::Field(s) => s.mass_properties(density),
            Self::Patches(s) => match s.surface().kind() {
                SurfaceKind::Solid | SurfaceKind::InsideOut => exact(s.surface().mass_of_solid(density)?),
                SurfaceKind::Soup => Ok((s.surface().mass_of_sheet(density)?, MassKind::MassPoints)),
            },
            Self::Compound(s) => s.mass_properties(density),
            Self::HalfSpace(_) | Self::Custom(_) => Err(MassError::Massless { kind: self.as_solid().kind() }),
        }
    }
}
