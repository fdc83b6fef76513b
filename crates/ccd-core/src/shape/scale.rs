//! Shapes scaled along their axes.

use std::sync::Arc;

use super::compound::{Compound, CompoundError, Part};
use super::{FieldError, Shape};
use crate::bounds::IndexedMesh;
use crate::geometry::mesh::{MeshError, TriMesh};
use crate::geometry::parametric::{PatchError, PatchSurface};
use crate::geometry::polyhedron::HullError;
use crate::geometry::primitive::ShapeError;
use crate::geometry::solid::Solid;
use crate::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use crate::volume::Obb;

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
    /// A part of a whole is turned, so that scaling along the whole's axes would shear it.
    #[error("a turned {kind} that is part of another solid cannot be scaled by {scale:?}")]
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

impl Shape {
    /// The shape scaled along its axes, about its origin. Hulls and meshes take any factors but zero; a mesh that is
    /// mirrored keeps its outside. The mesh of a distance grid has the mass of what the grid was made from, by any factors; it keeps the
    /// grid where all are equal and positive. A box takes any; a round shape only those that keep it round: the radii by one
    /// factor, and for a ball, capsule or cone the height too as far as its form asks for it. The parts of
    /// a compound, and of what is made by unions, intersections and differences, are scaled with their places; unless all factors
    /// are equal, those that are turned must be polyhedral, patches or half-spaces.
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
            Self::Mesh(s) => Self::Mesh(Arc::new(s.scaled(scale)?)),
            Self::Field(s) => Self::Field(s.scaled(scale)?),
            Self::Patches(s) => Self::patches(s.surface().scaled(scale)?),
            Self::Compound(s) => {
                let scaled = |part: &Part| {
                    let (shape, pose) = scaled_part(&part.shape, &part.pose, scale)?;
                    Ok(Part { shape, pose, ..part.clone() })
                };
                let parts = s.parts().iter().map(scaled).collect::<Result<_, ScaleError>>()?;
                Self::Compound(Arc::new(Compound::new(parts)?))
            }
            Self::Custom(s) => return Err(ScaleError::Custom { kind: s.kind() }),
        })
    }
}

/// A part of a whole that is scaled along the whole's axes, and its place then.
pub(super) fn scaled_part(part: &Shape, pose: &Pose, scale: &Vector) -> Result<(Shape, Pose), ScaleError> {
    let rotation = pose.rotation;
    let place = pose.translation.vector.component_mul(scale);
    let is_uniform = scale.x == scale.y && scale.y == scale.z;
    if is_uniform || rotation == Rotation::identity() {
        return Ok((part.scaled(scale)?, Pose::from_parts(place.into(), rotation)));
    }
    // A polyhedron is turned first, so that its corners are scaled where they are.
    let upright = Pose::from_parts(place.into(), Rotation::identity());
    let place = |p: &Point| Point::from((rotation * p.coords).component_mul(scale));
    let shape = match part {
        Shape::HalfSpace(s) => Shape::half_space(rotation * s.normal())?.scaled(scale)?,
        Shape::Box(s) => {
            let corners: Vec<Point> =
                Obb::from_aabb(&s.local_aabb(), &Pose::identity()).corners().map(|p| place(&p)).into();
            Shape::convex_hull(&corners)?
        }
        Shape::Convex(s) => Shape::convex_hull(&s.vertices().iter().map(place).collect::<Vec<_>>())?,
        Shape::Mesh(s) => {
            let turned = s.mesh().vertices().iter().map(|p| rotation * p).collect();
            let mesh = TriMesh::try_new(turned, s.mesh().triangles().to_vec())?.scaled(*scale)?;
            let map = Matrix::from_diagonal(scale) * rotation.to_rotation_matrix().into_inner();
            Shape::Mesh(Arc::new(IndexedMesh::new(mesh)?.with_mass_of(s, &map)))
        }
        Shape::Patches(s) => {
            let turned = s.surface().patches().iter().map(|p| p.mapped(|q| rotation * q)).collect();
            Shape::patches(PatchSurface::new(turned)?.scaled(scale)?)
        }
        other => return Err(ScaleError::Sheared { kind: other.as_solid().kind(), scale: *scale }),
    };
    Ok((shape, upright))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::Operation;
    use crate::geometry::mass::{MassKind, MassProperties};

    #[test]
    fn a_compound_scales_with_its_turned_polyhedra_and_refuses_to_shear_round_parts() {
        let turn = Pose::from_parts(
            Vector::new(1.0, 2.0, 3.0).into(),
            Rotation::from_scaled_axis(Vector::new(0.3, -0.4, 0.5)),
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

    #[test]
    fn what_is_made_of_solids_scales_with_its_parts() {
        let half = |turn: Vector| {
            let pose = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(turn));
            (Shape::half_space(Vector::y()).unwrap(), pose)
        };
        let cube = (Shape::cuboid([1.0; 3]).unwrap(), Pose::identity());
        // Of a cube the half below a plane that rises along z.
        let wedge = half(Vector::x() * -0.6);
        let prism = Shape::csg(Operation::Intersection, &[cube.clone(), wedge]).unwrap();
        let scaled = prism.scaled(&Vector::new(1.0, 2.0, 3.0)).unwrap();
        let inside = |shape: &Shape, p: &Point| shape.as_field().unwrap().contains(p);
        for k in 0..64 {
            let p = Point::from([1, 4, 16].map(|d| Real::from((k / d) % 4) * 0.6 - 0.85));
            assert_eq!(inside(&prism, &p), inside(&scaled, &Point::new(p.x, 2.0 * p.y, 3.0 * p.z)), "{p}");
        }
        let drill = (Shape::cylinder(0.5, 2.0).unwrap(), half(Vector::x()).1);
        let drilled = Shape::csg(Operation::Difference, &[cube, drill]).unwrap();
        assert!(drilled.scaled(&Vector::repeat(2.0)).is_ok());
        assert!(matches!(
            drilled.scaled(&Vector::new(1.0, 2.0, 1.0)),
            Err(ScaleError::Sheared { kind: "cylinder", .. })
        ));
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
    fn a_distance_grid_scaled_keeps_the_mass_of_its_source_and_by_one_factor_its_grid() {
        let source = Shape::cuboid([1.0, 0.5, 0.8]).unwrap();
        let grid = Shape::distance_grid(&source, 0.3).unwrap();
        let same = |shape: &Shape, exact: &MassProperties| {
            let (mass, kind) = shape.mass_properties(7.0).unwrap();
            assert_eq!(kind, MassKind::Exact);
            assert!((mass.mass - exact.mass).abs() < 1e-12 * exact.mass, "{} is not {}", mass.mass, exact.mass);
            assert!((mass.com - exact.com).norm() < 1e-12);
            assert!((mass.inertia - exact.inertia).norm() < 1e-12 * exact.inertia.norm());
        };
        for scale in [[1.0; 3], [2.0; 3], [0.3; 3], [-2.0; 3], [2.0, 3.0, 0.5], [1.0, -1.0, 1.0]].map(Vector::from) {
            let scaled = grid.scaled(&scale).unwrap();
            same(&scaled, &source.scaled(&scale).unwrap().mass_properties(7.0).unwrap().0);
            let (Shape::Mesh(mesh), Shape::Mesh(first)) = (&scaled, &grid) else { panic!("meshes") };
            // The same triangles, and their grid, of which the cells have grown.
            let whole = first.mesh().scaled(scale).unwrap();
            assert!((mesh.mesh().signed_volume() - whole.signed_volume()).abs() < 1e-12 * whole.signed_volume());
            let cell = mesh.grid().map(crate::geometry::field::SignedDistanceGrid::cell);
            assert_eq!(cell, (scale.x == scale.y && scale.x > 0.0).then_some(0.3 * scale.x), "{scale:?}");
            if let Some(grid) = mesh.grid() {
                let place = Point::from(Vector::new(0.9, 0.4, 0.1).component_mul(&scale));
                assert!(grid.contains(&place) && grid.distance(&(place * 3.0)) > 0.0);
                assert!(grid.surface().unwrap() == *mesh.mesh());
            }
        }
        // A part that is turned, along axes that are not its own.
        let turn = Pose::from_parts(Vector::x().into(), Rotation::from_scaled_axis(Vector::new(0.3, -0.4, 0.5)));
        let scale = Vector::new(2.0, 0.5, -3.0);
        let of = |part: &Shape| Shape::compound([(turn, part.clone())]).unwrap().scaled(&scale).unwrap();
        same(&of(&grid), &of(&source).mass_properties(7.0).unwrap().0);
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
