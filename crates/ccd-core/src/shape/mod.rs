//! The shape a user names: one value over all solids.

pub mod compound;
mod field;

use std::sync::Arc;

use crate::bounds::{DecompositionError, IndexedMesh, IndexedPatches};
use crate::geometry::field::Field;
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::mesh::{MeshError, SurfaceKind, TriMesh};
use crate::geometry::parametric::{PatchError, PatchSurface};
use crate::geometry::polyhedron::{ConvexPolyhedron, HullError};
use crate::geometry::primitive::{Ball, Capsule, Cone, Cuboid, Cylinder, HalfSpace, ShapeError};
use crate::geometry::solid::{Solid, SupportMap};
use crate::math::{Point, Pose, Real, Vector};
use crate::volume::Obb;
use compound::{Compound, CompoundError, Part};

pub use field::{CsgShape, FieldError, FieldShape};

/// Why a shape cannot be scaled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// A factor is zero or not finite.
    #[error("{scale:?} are no factors to scale by")]
    BadFactor {
        /// As given.
        scale: Vector,
    },
    /// The factors would make a round shape another kind of shape.
    #[error("a {kind} scaled by {scale:?} is no {kind}")]
    NotRound {
        /// What it is.
        kind: &'static str,
        /// As given.
        scale: Vector,
    },
    /// A part of a compound is turned, so that scaling along the compound's axes would shear it.
    #[error("a turned {kind} in a compound cannot be scaled by {scale:?}")]
    Sheared {
        /// What the part is.
        kind: &'static str,
        /// As given.
        scale: Vector,
    },
    /// The scaled control points are out of range.
    #[error(transparent)]
    Patches(#[from] PatchError),
    /// The scaled parts make no compound.
    #[error(transparent)]
    Compound(#[from] CompoundError),
    /// A solid of the user's own.
    #[error("a {kind} has no way to be scaled")]
    Custom {
        /// What it is.
        kind: &'static str,
    },
    /// The scaled solid is none.
    #[error(transparent)]
    Field(Box<FieldError>),
    /// The scaled sizes are out of range.
    #[error(transparent)]
    Size(#[from] ShapeError),
    /// The scaled points are out of range.
    #[error(transparent)]
    Hull(#[from] HullError),
    /// The scaled mesh is out of range.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

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

    /// The shape scaled along its axes, about its origin. Hulls and meshes take any factors but zero; a mesh that is
    /// mirrored keeps its outside. A box takes any; a round shape only those that keep it round: the radii by one
    /// factor, and for a ball, capsule or cone the height too as far as its form asks for it. A compound's parts are
    /// scaled with their places; unless all factors are equal, its turned parts must be polyhedral or patches.
    ///
    /// # Errors
    /// [`ScaleError`].
    pub fn scaled(&self, scale: &Vector) -> Result<Self, ScaleError> {
        if !scale.iter().all(|s| s.is_finite() && *s != 0.0) {
            return Err(ScaleError::BadFactor { scale: *scale });
        }
        let size = scale.abs();
        let not_round = || ScaleError::NotRound { kind: self.as_solid().kind(), scale: *scale };
        let round = |r: Real| if size.x == size.z { Ok(r * size.x) } else { Err(not_round()) };
        let uniform = |r: Real| if size.x == size.y { round(r) } else { Err(not_round()) };
        Ok(match self {
            Self::Box(s) => Self::cuboid(s.half_extents().component_mul(&size).into())?,
            Self::Ball(s) => Self::ball(uniform(s.radius())?)?,
            Self::Capsule(s) => Self::capsule(uniform(s.radius())?, s.half_height() * size.y)?,
            Self::Cylinder(s) => Self::cylinder(round(s.radius())?, s.half_height() * size.y)?,
            // Mirrored, its apex would point down.
            Self::Cone(_) if scale.y < 0.0 => return Err(not_round()),
            Self::Cone(s) => Self::cone(round(s.radius())?, s.half_height() * size.y)?,
            // Normals scale by the inverse.
            Self::HalfSpace(s) => Self::half_space(s.normal().component_div(scale))?,
            Self::Convex(s) => Self::Convex(Arc::new(s.scaled(scale)?)),
            Self::Mesh(s) => Self::mesh(s.mesh().scaled(*scale)?)?,
            Self::Field(s) => Self::Field(s.scaled(scale)?),
            Self::Patches(s) => Self::patches(s.surface().scaled(scale)?),
            Self::Compound(s) => {
                let parts = s.parts().iter().map(|part| scaled_part(part, scale)).collect::<Result<_, _>>()?;
                Self::Compound(Arc::new(Compound::new(parts)?))
            }
            Self::Custom(s) => return Err(ScaleError::Custom { kind: s.kind() }),
        })
    }

    /// Finds now what queries between bodies would find when they first need it: of meshes, the slabs and capsules of their
    /// tree and the features of their surface. Without effect the second time.
    pub fn prepare(&self) {
        match self {
            Self::Mesh(mesh) => mesh.prepare(),
            Self::Compound(compound) => compound.parts().iter().for_each(|part| part.shape.prepare()),
            _ => {}
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

/// A part of a compound that is scaled along the compound's axes.
fn scaled_part(part: &Part, scale: &Vector) -> Result<Part, ScaleError> {
    let pose = Pose::from_parts(part.pose.translation.vector.component_mul(scale).into(), part.pose.rotation);
    let is_uniform = scale.x == scale.y && scale.y == scale.z;
    if is_uniform || part.pose.rotation == crate::math::Rotation::identity() {
        return Ok(Part { shape: part.shape.scaled(scale)?, pose, ..part.clone() });
    }
    // A polyhedron is turned first, so that its corners are scaled where they are.
    let upright = Pose::from_parts(pose.translation, crate::math::Rotation::identity());
    let place = |p: &Point| Point::from((part.pose.rotation * p.coords).component_mul(scale));
    let shape = match &part.shape {
        Shape::Box(s) => {
            let corners: Vec<Point> =
                Obb::from_aabb(&s.local_aabb(), &Pose::identity()).corners().map(|p| place(&p)).into();
            Shape::convex_hull(&corners)?
        }
        Shape::Convex(s) => Shape::convex_hull(&s.vertices().iter().map(place).collect::<Vec<_>>())?,
        Shape::Mesh(s) => {
            let turned = s.mesh().vertices().iter().map(|p| part.pose.rotation * p).collect();
            Shape::mesh(TriMesh::try_new(turned, s.mesh().triangles().to_vec())?.scaled(*scale)?)?
        }
        Shape::Patches(s) => {
            let turned = s.surface().patches().iter().map(|p| p.mapped(|q| part.pose.rotation * q)).collect();
            Shape::patches(PatchSurface::new(turned)?.scaled(scale)?)
        }
        other => return Err(ScaleError::Sheared { kind: other.as_solid().kind(), scale: *scale }),
    };
    Ok(Part { shape, pose: upright, ..part.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compound_scales_with_its_turned_polyhedra_and_refuses_to_shear_round_parts() {
        let turn = Pose::from_parts(
            Vector::new(1.0, 2.0, 3.0).into(),
            crate::math::Rotation::from_scaled_axis(Vector::new(0.3, -0.4, 0.5)),
        );
        let (cube, ball) = (Shape::cuboid([0.5; 3]).unwrap(), Shape::capsule(0.2, 0.3).unwrap());
        let scale = Vector::new(2.0, 0.5, -3.0);
        let scaled = Shape::compound([(turn, cube.clone())]).unwrap().scaled(&scale).unwrap();
        let (mass, _) = scaled.mass_properties(1.0).unwrap();
        assert!((mass.mass - 3.0).abs() < 1e-12 && (mass.com - Point::new(2.0, 1.0, -9.0)).norm() < 1e-12);
        let round = Shape::compound([(turn, ball)]).unwrap();
        assert!(matches!(round.scaled(&scale), Err(ScaleError::Sheared { kind: "capsule", .. })));
        assert!(round.scaled(&Vector::repeat(2.0)).is_ok());
    }

    fn corners() -> Vec<Point> {
        (0..8).map(|i| Point::new(Real::from(i & 1), Real::from(i >> 1 & 1), Real::from(i >> 2))).collect()
    }

    #[test]
    fn hull_of_a_box_has_the_mass_of_the_box_scaled_or_mirrored() {
        let hull = Shape::convex_hull(&corners()).unwrap();
        for scale in [Vector::new(1.0, 1.0, 1.0), Vector::new(-2.0, 3.0, 0.5)] {
            let (mass, kind) = hull.scaled(&scale).unwrap().mass_properties(10.0).unwrap();
            let exact = MassProperties::of_box(&(scale.abs() * 0.5), 10.0);
            assert_eq!(kind, MassKind::Exact);
            assert!((mass.mass - exact.mass).abs() < 1e-12 * exact.mass);
            assert!((mass.com.coords - scale * 0.5).norm() < 1e-12);
            assert!((mass.inertia - exact.inertia).norm() < 1e-12 * exact.inertia.norm());
        }
    }

    #[test]
    fn round_shapes_scale_only_to_round_shapes() {
        let stretch = Vector::new(2.0, 3.0, 2.0);
        assert!(matches!(Shape::ball(1.0).unwrap().scaled(&stretch), Err(ScaleError::NotRound { kind: "sphere", .. })));
        assert!(Shape::capsule(1.0, 1.0).unwrap().scaled(&stretch).is_err());
        let cylinder = Shape::cylinder(1.0, 1.0).unwrap();
        assert!(
            matches!(cylinder.scaled(&stretch).unwrap(), Shape::Cylinder(c) if (c.radius(), c.half_height()) == (2.0, 3.0))
        );
        assert!(cylinder.scaled(&Vector::new(1.0, 2.0, 3.0)).is_err());
        assert!(Shape::cone(1.0, 1.0).unwrap().scaled(&Vector::new(1.0, -1.0, 1.0)).is_err());
        for bad in [Vector::new(1.0, 0.0, 1.0), Vector::new(1.0, Real::NAN, 1.0)] {
            assert!(matches!(cylinder.scaled(&bad), Err(ScaleError::BadFactor { .. })));
        }
    }

    #[test]
    fn scaled_half_space_has_the_scaled_plane() {
        let half_space =
            Shape::half_space(Vector::new(1.0, 1.0, 0.0)).unwrap().scaled(&Vector::new(1.0, 2.0, 1.0)).unwrap();
        let Shape::HalfSpace(h) = half_space else { panic!("still a half-space") };
        // (1, -1, 0) was in the plane; scaled, it is (1, -2, 0).
        assert!(h.normal().dot(&Vector::new(1.0, -2.0, 0.0)).abs() < 1e-12);
    }
}
