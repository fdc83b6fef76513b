//! Solids given by a function of space, as shapes.

use std::sync::Arc;

use super::compound::{Compound, Part};
use super::cutter::reaching_out;
use super::hole::Hole;
use super::scale::scaled_part;
use super::{ScaleError, Shape};
use crate::bounds::IndexedMesh;
use crate::geometry::field::{
    Csg, CsgError, CsgPart, Field, GridError, Gyroid, Implicit, ImplicitError, ImplicitSurface, Operation, RoundedBox,
    SignedDistanceGrid, Superquadric, Torus,
};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::mesh::{MeshError, SurfaceKind};
use crate::geometry::primitive::ShapeError;
use crate::geometry::solid::{Solid, SupportMap};
use crate::math::{Pose, Real, Vector};

/// A solid given by a function of space. Cloning is cheap: what is large is shared.
#[derive(Clone, Debug)]
pub enum FieldShape {
    /// A torus around y.
    Torus(Implicit<Torus>),
    /// A superquadric around y; with exponents of one an ellipsoid.
    Superquadric(Implicit<Superquadric>),
    /// A rounded box.
    RoundedBox(Implicit<RoundedBox>),
    /// Solids made of solids.
    Csg(Arc<CsgShape>),
    /// One of the user's own.
    Implicit(Arc<dyn Field>),
}

/// A solid made of solids, with the shapes that it was made of.
#[derive(Clone, Debug)]
pub struct CsgShape {
    solid: Csg,
    parts: Vec<(Shape, Pose)>,
    /// Of a union's parts.
    compound: Option<Compound>,
    /// Of a difference, where they are known.
    holes: Vec<Hole>,
}

impl CsgShape {
    /// The solid.
    pub fn solid(&self) -> &Csg {
        &self.solid
    }

    /// Its parts, each with its place in the whole.
    pub fn parts(&self) -> &[(Shape, Pose)] {
        &self.parts
    }

    /// The holes of a difference, as far as they are known.
    pub(crate) fn holes(&self) -> &[Hole] {
        &self.holes
    }
}

/// The parts of a union as they collide: one by one, which takes a fraction of the time that a search of the whole takes. Parts that are
/// unions are opened. `None` for what is no union, and for unions that have no end.
fn compound_of(operation: Operation, parts: &[(Shape, Pose)]) -> Option<Compound> {
    if operation != Operation::Union {
        return None;
    }
    let mut opened = Vec::with_capacity(parts.len());
    for (shape, pose) in parts {
        match shape.as_compound() {
            Some(inner) => opened.extend(inner.parts().iter().map(|p| Part::new(p.shape.clone(), pose * p.pose))),
            None => opened.push(Part::new(shape.clone(), *pose)),
        }
    }
    Compound::new(opened).ok()
}

/// Why a solid given by a function cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FieldError {
    /// A size is out of range.
    #[error(transparent)]
    Size(#[from] ShapeError),
    /// The function makes no solid.
    #[error(transparent)]
    Implicit(#[from] ImplicitError),
    /// The parts make no solid.
    #[error(transparent)]
    Csg(#[from] CsgError),
    /// The grid cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The surface of the grid cannot be made.
    #[error(transparent)]
    GridSurface(#[from] MeshError),
    /// What should become a grid has no inside: an open mesh, or a solid that is no field.
    #[error("a {kind} has no inside to take distances from")]
    NoDistance {
        /// What it is.
        kind: &'static str,
    },
    /// A part has no inside to combine: an open mesh, or a solid that is no field.
    #[error("part {part} is a {kind}, which has no inside to combine")]
    NoInside {
        /// Counted from zero.
        part: usize,
        /// What it is.
        kind: &'static str,
    },
}

impl FieldShape {
    /// Whether the two are one and the same for certain, as of [`Shape::is_same`].
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Torus(one), Self::Torus(other)) => one.surface() == other.surface(),
            (Self::Superquadric(one), Self::Superquadric(other)) => one.surface() == other.surface(),
            (Self::RoundedBox(one), Self::RoundedBox(other)) => one.surface() == other.surface(),
            (Self::Csg(one), Self::Csg(other)) => Arc::ptr_eq(one, other),
            (Self::Implicit(one), Self::Implicit(other)) => std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other)),
            _ => false,
        }
    }

    fn csg(operation: Operation, parts: &[(Shape, Pose)]) -> Result<Self, FieldError> {
        let part = |(i, (shape, pose)): (usize, &(Shape, Pose))| {
            let no_inside = FieldError::NoInside { part: i, kind: shape.as_solid().kind() };
            let is_cutter = operation == Operation::Difference && i > 0;
            let grown = if is_cutter { reaching_out(shape, pose, &parts[0]) } else { None };
            let (shape, pose) = grown.as_ref().map_or((shape, pose), |(shape, pose)| (shape, pose));
            Ok(CsgPart::new(shape.shared_field().ok_or(no_inside)?, *pose))
        };
        let fields = parts.iter().enumerate().map(part).collect::<Result<Vec<_>, FieldError>>()?;
        let (solid, compound) = (Csg::new(operation, fields)?, compound_of(operation, parts));
        let holes = if operation == Operation::Difference { Hole::of(&parts[0], &parts[1..]) } else { Vec::new() };
        Ok(Self::Csg(Arc::new(CsgShape { solid, parts: parts.to_vec(), compound, holes })))
    }

    /// As what detection asks of fields, and what every solid can do.
    pub fn as_field(&self) -> &dyn Field {
        match self {
            Self::Torus(s) => s,
            Self::Superquadric(s) => s,
            Self::RoundedBox(s) => s,
            Self::Csg(s) => s.solid(),
            Self::Implicit(s) => s.as_ref(),
        }
    }

    /// As [`Shape::as_compound`].
    pub(super) fn as_compound(&self) -> Option<&Compound> {
        match self {
            Self::Csg(s) => s.compound.as_ref(),
            _ => None,
        }
    }

    /// The support mapping, where the solid is convex and bounded.
    pub fn as_convex(&self) -> Option<&dyn SupportMap> {
        self.as_field().support_map()
    }

    /// The shape scaled along its axes, about its origin: ellipsoids and superquadrics by any factors but zero, what is made of solids
    /// by those that its parts take, the others by factors that keep their form.
    ///
    /// # Errors
    /// [`ScaleError`] for factors that would make it another kind of shape, and for solids of the user's own.
    pub fn scaled(&self, scale: &Vector) -> Result<Self, ScaleError> {
        let size = scale.abs();
        let not_round = |kind| ScaleError::NotRound { kind, scale: *scale };
        let uniform = size.x == size.y && size.y == size.z;
        let solid = |e| ScaleError::Field(Box::new(FieldError::Implicit(e)));
        Ok(match self {
            Self::Torus(s) if uniform => {
                let torus = s.surface();
                let scaled = Torus::try_new(torus.major_radius() * size.x, torus.minor_radius() * size.x)?;
                Self::Torus(Implicit::new(scaled).map_err(solid)?)
            }
            Self::Superquadric(s) => {
                let radii = s.surface().radii().component_mul(&size);
                let scaled = Superquadric::try_new(radii.into(), s.surface().exponents())?;
                Self::Superquadric(Implicit::new(scaled).map_err(solid)?)
            }
            Self::RoundedBox(s) if uniform => {
                let core = s.surface().core_half_extents() * size.x;
                let scaled = RoundedBox::try_new(core.into(), s.surface().radius() * size.x)?;
                Self::RoundedBox(Implicit::new(scaled).map_err(solid)?)
            }
            Self::Torus(_) | Self::RoundedBox(_) => return Err(not_round(self.as_field().kind())),
            Self::Csg(s) => {
                let part = |(shape, pose): &(Shape, Pose)| scaled_part(shape, pose, scale);
                let parts = s.parts().iter().map(part).collect::<Result<Vec<_>, _>>()?;
                Self::csg(s.solid().operation(), &parts).map_err(|e| ScaleError::Field(Box::new(e)))?
            }
            Self::Implicit(_) => return Err(ScaleError::Custom { kind: self.as_field().kind() }),
        })
    }

    /// The mass at uniform density, kg/m³, and how it was found.
    ///
    /// # Errors
    /// As [`Field::mass_properties`].
    pub fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        self.as_field().mass_properties(density)
    }
}

impl Shape {
    /// A torus around y: the radius of the circle in the middle of the tube, and of the tube, metres.
    ///
    /// # Errors
    /// [`FieldError`] names the size that is wrong.
    pub fn torus(major_radius: Real, minor_radius: Real) -> Result<Self, FieldError> {
        let torus = Implicit::new(Torus::try_new(major_radius, minor_radius)?)?;
        Ok(Self::Field(FieldShape::Torus(torus)))
    }

    /// An ellipsoid, radii along its axes in metres.
    ///
    /// # Errors
    /// [`FieldError`].
    pub fn ellipsoid(radii: [Real; 3]) -> Result<Self, FieldError> {
        Self::superquadric(radii, [1.0, 1.0])
    }

    /// A superquadric around y: see [`Superquadric::try_new`].
    ///
    /// # Errors
    /// [`FieldError`].
    pub fn superquadric(radii: [Real; 3], exponents: [Real; 2]) -> Result<Self, FieldError> {
        let superquadric = Implicit::new(Superquadric::try_new(radii, exponents)?)?;
        Ok(Self::Field(FieldShape::Superquadric(superquadric)))
    }

    /// A box with rounded edges: the half extents of its core and the radius around it, metres.
    ///
    /// # Errors
    /// [`FieldError`].
    pub fn rounded_box(core_half_extents: [Real; 3], radius: Real) -> Result<Self, FieldError> {
        let rounded = Implicit::new(RoundedBox::try_new(core_half_extents, radius)?)?;
        Ok(Self::Field(FieldShape::RoundedBox(rounded)))
    }

    /// The solid of a function of the user's own.
    ///
    /// # Errors
    /// [`FieldError::Implicit`].
    pub fn implicit(surface: impl ImplicitSurface + 'static) -> Result<Self, FieldError> {
        Ok(Self::Field(FieldShape::Implicit(Arc::new(Implicit::new(surface)?))))
    }

    /// What `operation` makes of shapes, each at its pose in the whole. A union of bounded shapes collides part by part, as a compound
    /// does ([`Shape::as_compound`]); what its parts share weighs once. Of a difference see [`Operation::Difference`].
    ///
    /// # Errors
    /// [`FieldError`] for parts that have no inside, and those that make no solid.
    pub fn csg(operation: Operation, parts: &[(Self, Pose)]) -> Result<Self, FieldError> {
        FieldShape::csg(operation, parts).map(Self::Field)
    }

    /// A shape as a grid of signed distances with cells of `cell` metres: see [`SignedDistanceGrid`]. It is met as the mesh that is its surface,
    /// which knows its grid ([`IndexedMesh::grid`]); its mass is that of `of`, where that has one.
    ///
    /// # Errors
    /// [`FieldError`] for shapes without an inside or an end, for cells that are too many, and for those of which the surface would not be closed.
    pub fn distance_grid(of: &Self, cell: Real) -> Result<Self, FieldError> {
        let source = of.shared_field().ok_or(FieldError::NoDistance { kind: of.as_solid().kind() })?;
        let grid = SignedDistanceGrid::new(source.as_ref(), cell)?;
        let surface = IndexedMesh::of_grid(grid)?;
        if surface.surface_kind() != SurfaceKind::Solid {
            return Err(GridError::Open { cell }.into());
        }
        Ok(Self::Mesh(Arc::new(surface)))
    }

    /// A sheet along a gyroid of the given period (metres), between two of its levels (`-level` and `level`), within a box.
    ///
    /// # Errors
    /// [`FieldError`].
    pub fn gyroid_sheet(half_extents: [Real; 3], period: Real, level: Real) -> Result<Self, FieldError> {
        let gyroid = |level: Real| Self::implicit(Gyroid::try_new(period, level)?);
        let here = Pose::identity();
        let sheet = Self::csg(Operation::Difference, &[(gyroid(level)?, here), (gyroid(-level)?, here)])?;
        Self::csg(Operation::Intersection, &[(Self::cuboid(half_extents)?, here), (sheet, here)])
    }

    /// The shape as a field that others can share; `None` for one without an inside.
    pub(crate) fn shared_field(&self) -> Option<Arc<dyn Field>> {
        Some(match self {
            Self::Box(s) => Arc::new(*s),
            Self::Ball(s) => Arc::new(*s),
            Self::Capsule(s) => Arc::new(*s),
            Self::Cylinder(s) => Arc::new(*s),
            Self::Cone(s) => Arc::new(*s),
            Self::HalfSpace(s) => Arc::new(*s),
            Self::Convex(s) => s.clone(),
            Self::Field(FieldShape::Torus(s)) => Arc::new(s.clone()),
            Self::Field(FieldShape::Superquadric(s)) => Arc::new(s.clone()),
            Self::Field(FieldShape::RoundedBox(s)) => Arc::new(s.clone()),
            Self::Field(FieldShape::Csg(s)) => Arc::new(s.solid().clone()),
            Self::Field(FieldShape::Implicit(s)) => s.clone(),
            Self::Mesh(s) => {
                s.field()?;
                s.clone()
            }
            Self::Compound(s) => {
                let parts = s.parts().iter().map(|p| Some(CsgPart::new(p.shape.shared_field()?, p.pose)));
                Arc::new(Csg::new(Operation::Union, parts.collect::<Option<Vec<_>>>()?).ok()?)
            }
            Self::Patches(s) => {
                s.field()?;
                s.clone()
            }
            Self::Custom(_) => return None,
        })
    }
}
