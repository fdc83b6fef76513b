//! What a collider is made from, and what a scale makes of it.

use std::sync::Arc;

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Vector};
use ccd_core::shape::Shape;

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

/// How much two factors may differ, relatively, and count as equal: transforms are made of `f32`, and a rotation between a
/// scaled parent and its child leaves rounding in the factors.
const EVEN: f64 = 1e-5;

fn even(a: f64, b: f64) -> bool {
    (a - b).abs() <= EVEN * a.abs().max(b.abs())
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

    /// The core's shape at a scale.
    pub fn build(&self, scale: [f64; 3]) -> Result<Shape, ColliderError> {
        let [x, y, z] = scale;
        if !scale.iter().all(|factor| factor.is_finite() && *factor != 0.0) {
            return Err(ColliderError::BadScale { x, y, z });
        }
        let [sx, sy, sz] = scale.map(f64::abs);
        let uneven = |kind, rule| ColliderError::UnevenScale { kind, rule, x, y, z };
        // All of these but the cone are their own mirror images.
        Ok(match self {
            Self::Ball { radius } => {
                if !(even(sx, sy) && even(sx, sz)) {
                    return Err(uneven("sphere", "equal"));
                }
                Shape::ball(radius * sx)?
            }
            Self::Box { half_extents: [hx, hy, hz] } => Shape::cuboid([hx * sx, hy * sy, hz * sz])?,
            Self::Capsule { radius, half_height } => {
                if !(even(sx, sy) && even(sx, sz)) {
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
            Self::Compound { parts } => {
                if !(even(sx, sy) && even(sx, sz)) || x < 0.0 || y < 0.0 || z < 0.0 {
                    return Err(uneven("compound", "equal and positive"));
                }
                let parts: Result<Vec<(Pose, Shape)>, ColliderError> = parts
                    .iter()
                    .map(|(pose, part)| {
                        let pose = Pose::from_parts((pose.translation.vector * sx).into(), pose.rotation);
                        Ok((pose, part.build(scale)?))
                    })
                    .collect();
                Shape::compound(parts?)?
            }
            Self::Shape(shape) => {
                if !scale.iter().all(|factor| even(*factor, 1.0)) {
                    return Err(uneven(shape.as_solid().kind(), "1"));
                }
                shape.clone()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_takes_any_scale() {
        let Ok(Shape::Box(cuboid)) = (Form::Box { half_extents: [1.0, 2.0, 3.0] }).build([2.0, -0.5, 1.0]) else {
            panic!("no box");
        };
        assert_eq!(cuboid.half_extents(), Vector::new(2.0, 1.0, 3.0));
    }

    #[test]
    fn a_sphere_refuses_an_uneven_scale_and_says_which() {
        let error = Form::Ball { radius: 1.0 }.build([1.0, 2.0, 1.0]).expect_err("an ellipsoid is no sphere");
        assert!(error.to_string().contains("a sphere cannot be scaled by 1, 2, 1"), "{error}");
    }

    #[test]
    fn no_shape_takes_a_scale_of_zero_or_nan() {
        for scale in [[0.0, 1.0, 1.0], [1.0, f64::NAN, 1.0]] {
            let built = Form::Box { half_extents: [1.0; 3] }.build(scale);
            assert!(matches!(built, Err(ColliderError::BadScale { .. })));
        }
    }

    #[test]
    fn a_half_space_tilts_as_its_plane_does() {
        // The plane x + y = 0, stretched twofold along x, is x/2 + y = 0.
        let Ok(Shape::HalfSpace(plane)) =
            (Form::HalfSpace { normal: Vector::new(1.0, 1.0, 0.0) }).build([2.0, 1.0, 1.0])
        else {
            panic!("no half-space");
        };
        assert!((plane.normal() - Vector::new(0.5, 1.0, 0.0).normalize()).norm() < 1e-12);
    }
}
