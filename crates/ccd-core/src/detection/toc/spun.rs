//! Solids of revolution that hold what spins.
//!
//! **Problem.** A search in time looks at every turn of a solid that spins, however far away the other one is.
//!
//! **Idea.** Whatever a solid does about its axis, it stays in the part of a ball about its centre of rotation that a cylinder
//! about the axis holds, and that part does not turn. While the parts of both keep apart, so do the solids: the search with every
//! turn begins where the other one ends. A peg that spins about its own axis is its part.
//!
//! **Guarantee.** The part holds all of the solid, rounding included.
//!
//! **Limits.** What is hollow is filled: it helps what spins in a hole, and not a hole that spins.

use std::sync::Arc;

use super::kinematics::Turning;
use super::plane::SideBounds;
use crate::geometry::field::{Csg, CsgPart, Operation};
use crate::geometry::primitive::{Ball, Cylinder};
use crate::math::{Point, Pose, Real, Rotation, Vector};
use crate::shape::Shape;

/// What turns by less within the interval is looked at as it turns, radians.
const MANY: Real = 2.0;
/// What rounding may take off the part, as a share of the solid's size and distance from its centre.
const ROUNDING: Real = 1e-12;

/// Whether a body turns by so much that its solid of revolution is worth a search of its own.
pub(crate) fn spins(turning: &Turning, length: Real) -> bool {
    turning.speed * length > MANY
}

/// The round solid that holds `shape` while it turns, in a frame with the world's axes about the centre of rotation; `None` for
/// an unbounded one.
pub(crate) fn revolved(shape: &Shape, turning: &Turning) -> Option<Csg> {
    let size = shape.bounding_radius_about(&turning.local_centre);
    if !size.is_finite() {
        return None;
    }
    let pad = ROUNDING * (size + turning.local_centre.coords.norm()) + Real::MIN_POSITIVE;
    let bounds = bounds_of(shape, turning, size);
    let [low, high] = bounds.axial;
    let ball = Ball::try_new(bounds.size.min(size) + pad).ok()?;
    let tall = 0.5 * (high - low) + bounds.radius + pad;
    let cylinder = Cylinder::try_new(bounds.reach + bounds.radius + pad, tall).ok()?;
    let upright = Rotation::rotation_between(&Vector::y(), &turning.axis);
    // Straight down is any half turn.
    let upright = upright.unwrap_or_else(|| Rotation::from_scaled_axis(Vector::x() * std::f64::consts::PI));
    let place = turning.axis * (0.5 * (low + high));
    let parts = vec![
        CsgPart::new(Arc::new(ball), Pose::identity()),
        CsgPart::new(Arc::new(cylinder), Pose::from_parts(place.into(), upright)),
    ];
    Csg::new(Operation::Intersection, parts).ok()
}

/// How far the solid gets from the axis, and along it.
fn bounds_of(shape: &Shape, turning: &Turning, size: Real) -> SideBounds {
    match shape {
        Shape::Mesh(mesh) => SideBounds::of_points(mesh.mesh().vertices(), turning),
        Shape::Patches(surface) => {
            let points: Vec<Point> = surface.surface().patches().iter().flat_map(|p| *p.control()).collect();
            SideBounds::of_points(&points, turning)
        }
        other => match other.as_convex() {
            Some(solid) => SideBounds::of(solid, turning, size),
            None => SideBounds::within(&other.as_solid().local_aabb(), 0.0, turning, size),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::kinematics::PairMotion;
    use super::*;
    use crate::geometry::field::Field;
    use crate::geometry::mesh::TriMesh;
    use crate::motion::RigidMotion;
    use proptest::prelude::*;

    fn shapes() -> Vec<Shape> {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.2, 0.1], [0.1, 0.9, -0.3], [-0.2, 0.3, 1.4]].map(Point::from);
        let mesh = TriMesh::try_new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap();
        let block = (Shape::cuboid([0.5, 0.2, 0.3]).unwrap(), Pose::identity());
        let drill = (Shape::cylinder(0.1, 0.4).unwrap(), Pose::identity());
        vec![
            Shape::mesh(mesh).unwrap(),
            Shape::capsule(0.2, 0.7).unwrap(),
            Shape::ellipsoid([0.3, 1.2, 0.1]).unwrap(),
            Shape::superquadric([0.3, 1.2, 0.1], [0.4, 1.7]).unwrap(),
            Shape::csg(Operation::Difference, &[block, drill]).unwrap(),
        ]
    }

    proptest! {
        #[test]
        fn whatever_spins_stays_in_its_solid_of_revolution(
            axis in prop::array::uniform3(-1.0..1.0_f64), turn in prop::array::uniform3(-3.0..3.0_f64),
            centre in prop::array::uniform3(-1.0..1.0_f64), place in prop::array::uniform3(-1.5..1.5_f64), time in 0.0..1.0_f64,
        ) {
            let spin = Vector::from(axis) * 40.0;
            prop_assume!(spin.norm() > 1e-3);
            let motion = RigidMotion {
                start: Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::from(turn))),
                local_centre: Point::from(centre),
                linear_velocity: Vector::zeros(),
                angular_velocity: spin,
            };
            let rest = RigidMotion::at_rest(Pose::identity());
            let pair = PairMotion::new(&motion, &rest, 0.0, 1.0);
            for shape in shapes() {
                let round = revolved(&shape, &pair.a).unwrap();
                // Points of the solid: vertices of a mesh, of others what the place is moved to towards the middle.
                let points: Vec<Point> = match (&shape, shape.as_field()) {
                    (Shape::Mesh(mesh), _) => mesh.mesh().vertices().to_vec(),
                    (_, Some(field)) => {
                        (0..40).map(|i| Point::from(place) * (1.0 - 0.025 * f64::from(i))).filter(|p| field.contains(p)).take(1).collect()
                    }
                    _ => Vec::new(),
                };
                for p in points {
                    let now = pair.a.rotation(time) * (p - pair.a.local_centre);
                    prop_assert!(round.distance(&now.into()) <= 0.0, "{} {p} {now:?}", shape.as_solid().kind());
                }
            }
        }
    }
}
