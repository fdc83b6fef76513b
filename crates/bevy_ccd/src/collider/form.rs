//! What a collider is made from, and what a scale makes of it.

use std::sync::Arc;

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Matrix, Point, Pose, Rotation, Vector};
use ccd_core::shape::Shape;
use nalgebra::{Rotation3, SymmetricEigen};

use super::stretch::{even, factors, unturned};
use super::{Collider, ColliderError};

/// A collider before its scale; lengths in metres.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Ball { radius: f64 },
    Box { half_extents: [f64; 3] },
    Capsule { radius: f64, half_height: f64 },
    Cylinder { radius: f64, half_height: f64 },
    Cone { radius: f64, half_height: f64 },
    HalfSpace { normal: Vector },
    Hull { points: Vec<Point> },
    Mesh { mesh: Arc<TriMesh> },
    Compound { parts: Vec<(Pose, Collider)> },
    Shape(Shape),
}

impl Form {
    /// Whether both are primitives of the same sizes.
    pub fn is_same_primitive(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ball { radius: a }, Self::Ball { radius: b }) => a.to_bits() == b.to_bits(),
            (Self::Box { half_extents: a }, Self::Box { half_extents: b }) => {
                a.map(f64::to_bits) == b.map(f64::to_bits)
            }
            (Self::Capsule { radius: a, half_height: c }, Self::Capsule { radius: b, half_height: d })
            | (Self::Cylinder { radius: a, half_height: c }, Self::Cylinder { radius: b, half_height: d })
            | (Self::Cone { radius: a, half_height: c }, Self::Cone { radius: b, half_height: d }) => {
                a.to_bits() == b.to_bits() && c.to_bits() == d.to_bits()
            }
            (Self::HalfSpace { normal: a }, Self::HalfSpace { normal: b }) => a == b,
            _ => false,
        }
    }

    /// The core's shape of what the stretch makes of it.
    pub fn build(&self, stretch: &Matrix) -> Result<Shape, ColliderError> {
        let [x, y, z] = [stretch[0], stretch[4], stretch[8]];
        let is_whole = stretch.determinant() != 0.0 && stretch.iter().all(|number| number.is_finite());
        match factors(stretch) {
            Some(_) if !is_whole => Err(ColliderError::BadScale { x, y, z }),
            Some(scale) => self.scaled(scale),
            None if !is_whole => Err(ColliderError::Flattened),
            None => self.sheared(stretch),
        }
    }

    fn scaled(&self, scale: [f64; 3]) -> Result<Shape, ColliderError> {
        let [x, y, z] = scale;
        let [sx, sy, sz] = scale.map(f64::abs);
        let is_even = even(sx, sy) && even(sx, sz);
        let uneven = |kind, rule| ColliderError::UnevenScale { kind, rule, x, y, z };
        // All of these but the cone are their own mirror images.
        Ok(match self {
            Self::Ball { radius } if is_even => Shape::ball(radius * sx)?,
            Self::Ball { radius } => Shape::ellipsoid([radius * sx, radius * sy, radius * sz])?,
            Self::Box { half_extents: [hx, hy, hz] } => Shape::cuboid([hx * sx, hy * sy, hz * sz])?,
            Self::Capsule { radius, half_height } => {
                if !is_even {
                    return Err(uneven("capsule", "equal"));
                }
                Shape::capsule(radius * sx, half_height * sy)?
            }
            Self::Cylinder { radius, half_height } => {
                if !even(sx, sz) {
                    return Err(uneven("cylinder", "equal along x and z"));
                }
                Shape::cylinder(radius * sx, half_height * sy)?
            }
            Self::Cone { radius, half_height } => {
                if !even(sx, sz) || y < 0.0 {
                    return Err(uneven("cone", "equal along x and z, and positive along y"));
                }
                Shape::cone(radius * sx, half_height * sy)?
            }
            // Normals go with the inverse scale.
            Self::HalfSpace { normal } => Shape::half_space(normal.component_div(&Vector::new(x, y, z)))?,
            Self::Hull { points } => {
                let scaled: Vec<Point> = points.iter().map(|p| Point::new(p.x * x, p.y * y, p.z * z)).collect();
                Shape::convex_hull(&scaled)?
            }
            Self::Mesh { mesh } => {
                if scale == [1.0; 3] {
                    Shape::mesh(TriMesh::clone(mesh))?
                } else {
                    Shape::mesh(mesh.scaled(Vector::new(x, y, z))?)?
                }
            }
            // Here no part is turned otherwise, not by a bit.
            Self::Compound { parts } if is_even && x > 0.0 && y > 0.0 && z > 0.0 => {
                let stretch = Matrix::from_diagonal(&Vector::from(scale));
                let part = |(pose, part): &(Pose, Collider)| {
                    let pose = Pose::from_parts((pose.translation.vector * sx).into(), pose.rotation);
                    Ok((pose, part.stretched(&stretch)?))
                };
                let parts: Result<Vec<(Pose, Shape)>, ColliderError> = parts.iter().map(part).collect();
                Shape::compound(parts?)?
            }
            Self::Compound { parts } => stretched_parts(parts, &Matrix::from_diagonal(&Vector::from(scale)))?,
            Self::Shape(shape) if is_even && even(sx, 1.0) && x > 0.0 && y > 0.0 && z > 0.0 => shape.clone(),
            // Factors that are equal but for rounding are equal to the core, too.
            Self::Shape(shape) if is_even => {
                shape.scaled(&Vector::new(x.signum(), y.signum(), z.signum()).scale(sx))?
            }
            Self::Shape(shape) => shape.scaled(&Vector::from(scale))?,
        })
    }

    fn sheared(&self, stretch: &Matrix) -> Result<Shape, ColliderError> {
        Ok(match self {
            Self::Ball { radius } => sheared_ball(*radius, stretch)?,
            Self::Box { half_extents: [x, y, z] } => {
                let corner = |k: usize| {
                    let side = |axis: usize, half: f64| if k >> axis & 1 == 0 { -half } else { half };
                    stretch * Point::new(side(0, *x), side(1, *y), side(2, *z))
                };
                Shape::convex_hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(corner))?
            }
            Self::HalfSpace { normal } => {
                let inverse = stretch.try_inverse().ok_or(ColliderError::Flattened)?;
                Shape::half_space(inverse.transpose() * normal)?
            }
            Self::Hull { points } => Shape::convex_hull(&points.iter().map(|p| stretch * p).collect::<Vec<Point>>())?,
            Self::Mesh { mesh } => Shape::mesh(mesh.stretched(stretch)?)?,
            Self::Compound { parts } => stretched_parts(parts, stretch)?,
            Self::Capsule { .. } => return Err(ColliderError::Sheared { kind: "capsule" }),
            Self::Cylinder { .. } => return Err(ColliderError::Sheared { kind: "cylinder" }),
            Self::Cone { .. } => return Err(ColliderError::Sheared { kind: "cone" }),
            Self::Shape(shape) => return Err(ColliderError::Sheared { kind: shape.as_solid().kind() }),
        })
    }
}

/// The parts of a compound that is stretched: each is turned and stretched in its own frame.
fn stretched_parts(parts: &[(Pose, Collider)], stretch: &Matrix) -> Result<Shape, ColliderError> {
    let part = |(pose, part): &(Pose, Collider)| {
        let turned = stretch * pose.rotation.to_rotation_matrix().matrix();
        let (rotation, own) = unturned(&turned).ok_or(ColliderError::Flattened)?;
        Ok((Pose::from_parts((stretch * pose.translation.vector).into(), rotation), part.stretched(&own)?))
    };
    let parts: Result<Vec<(Pose, Shape)>, ColliderError> = parts.iter().map(part).collect();
    Ok(Shape::compound(parts?)?)
}

/// What a linear map makes of a ball is an ellipsoid, along axes of its own.
fn sheared_ball(radius: f64, stretch: &Matrix) -> Result<Shape, ColliderError> {
    let SymmetricEigen { eigenvectors: mut axes, eigenvalues } = SymmetricEigen::new(stretch * stretch.transpose());
    if axes.determinant() < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    let radii: [f64; 3] = eigenvalues.map(|squared| radius * squared.max(0.0).sqrt()).into();
    let turn = Rotation::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    let ellipsoid = Shape::ellipsoid(radii)?;
    Ok(Shape::compound(vec![(Pose::from_parts(Vector::zeros().into(), turn), ellipsoid)])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As of a child that is turned under an uneven scale, and mirrored.
    const SHEAR: Matrix = Matrix::new(1.0, 0.6, -0.2, 0.0, 2.0, 0.5, 0.0, 0.0, -0.7);

    fn scale(factors: [f64; 3]) -> Matrix {
        Matrix::from_diagonal(&Vector::from(factors))
    }

    /// How far the shape reaches along a direction.
    fn reach(shape: &Shape, direction: &Vector) -> f64 {
        let along = |shape: &Shape, direction: &Vector| {
            let convex = shape.as_convex().expect("convex");
            convex.support(direction, 0).point.coords.dot(direction) + convex.radius() * direction.norm()
        };
        match shape {
            Shape::Compound(compound) => {
                let parts = compound.parts().iter();
                let part = |part: &ccd_core::shape::compound::Part| {
                    let local = part.pose.rotation.inverse() * direction;
                    along(&part.shape, &local) + part.pose.translation.vector.dot(direction)
                };
                parts.map(part).fold(f64::NEG_INFINITY, f64::max)
            }
            shape => along(shape, direction),
        }
    }

    /// A stretched solid reaches as far as the solid does in the direction that the stretch takes there.
    #[test]
    fn what_is_stretched_reaches_as_far_as_the_map_takes_it() {
        let points: Vec<Point> = (0..40)
            .map(|k| Point::from(Vector::new(f64::from(k).sin(), f64::from(3 * k).cos(), f64::from(7 * k).sin())))
            .collect();
        let turned = Pose::new(Vector::new(0.3, -0.2, 0.5), Vector::new(0.4, 1.1, -0.3));
        let ball = Collider::sphere(0.4);
        let parts = vec![(turned, ball), (turned.inverse(), Collider::cuboid(0.5, 0.8, 0.3))];
        let forms = [
            Form::Ball { radius: 0.4 },
            Form::Box { half_extents: [0.2, 0.5, 0.3] },
            Form::Hull { points },
            Form::Compound { parts },
        ];
        let stretches = [scale([2.0, 0.5, -1.5]), scale([-2.0; 3]), SHEAR, -SHEAR, SHEAR.transpose()];
        for (form, stretch) in forms.iter().flat_map(|form| stretches.iter().map(move |stretch| (form, stretch))) {
            let plain = form.build(&Matrix::identity()).expect("a shape");
            let stretched = form.build(stretch).expect("a shape");
            for k in 0..50 {
                let direction = Vector::new(f64::from(k).sin(), f64::from(2 * k).cos(), f64::from(5 * k).cos());
                let expected = reach(&plain, &(stretch.transpose() * direction));
                let found = reach(&stretched, &direction);
                assert!((found - expected).abs() < 1e-9, "{form:?} by {stretch}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn a_box_takes_any_scale() {
        let Ok(Shape::Box(cuboid)) = (Form::Box { half_extents: [1.0, 2.0, 3.0] }).build(&scale([2.0, -0.5, 1.0]))
        else {
            panic!("no box");
        };
        assert_eq!(cuboid.half_extents(), Vector::new(2.0, 1.0, 3.0));
    }

    #[test]
    fn a_capsule_refuses_an_uneven_scale_and_a_shear_and_says_which() {
        let capsule = Form::Capsule { radius: 1.0, half_height: 1.0 };
        let error = capsule.build(&scale([1.0, 2.0, 1.0])).expect_err("its caps would be no balls");
        assert!(error.to_string().contains("a capsule cannot be scaled by 1, 2, 1"), "{error}");
        let error = capsule.build(&SHEAR).expect_err("its caps would be no balls");
        assert!(error.to_string().contains("a capsule cannot be sheared"), "{error}");
    }

    #[test]
    fn no_shape_takes_a_scale_of_zero_or_nan() {
        for factors in [[0.0, 1.0, 1.0], [1.0, f64::NAN, 1.0]] {
            let built = Form::Box { half_extents: [1.0; 3] }.build(&scale(factors));
            assert!(matches!(built, Err(ColliderError::BadScale { .. })));
        }
    }

    #[test]
    fn a_shape_of_the_core_takes_the_scales_that_the_core_takes() {
        let torus = Form::Shape(Shape::torus(1.0, 0.25).expect("a torus"));
        let volume = |factors| {
            let shape = torus.build(&scale(factors))?;
            Ok::<_, ColliderError>(shape.as_solid().local_aabb().half_extents().product())
        };
        let plain = volume([1.0; 3]).expect("as it is");
        // Equal but for the rounding of a transform.
        for factors in [[2.0; 3], [2.0, -2.000_001, 1.999_999]] {
            let scaled = volume(factors).expect("even");
            assert!((scaled / plain - 8.0).abs() < 1e-9, "{scaled} of {plain}");
        }
        assert!(matches!(volume([1.0, 2.0, 1.0]), Err(ColliderError::Scale(_))));
        assert!(matches!(torus.build(&SHEAR), Err(ColliderError::Sheared { .. })));
    }

    #[test]
    fn a_half_space_tilts_as_its_plane_does() {
        // The plane x + y = 0, stretched twofold along x, is x/2 + y = 0.
        let Ok(Shape::HalfSpace(plane)) =
            (Form::HalfSpace { normal: Vector::new(1.0, 1.0, 0.0) }).build(&scale([2.0, 1.0, 1.0]))
        else {
            panic!("no half-space");
        };
        assert!((plane.normal() - Vector::new(0.5, 1.0, 0.0).normalize()).norm() < 1e-12);
    }
}
