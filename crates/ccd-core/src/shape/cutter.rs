//! Cutters that end exactly in the surface of what they are cut out of.
//!
//! **Problem.** A difference is what is inside no cutter. A face that a cutter ends in is on the cutter's border, and would be left standing, as
//! a lid without thickness.
//! **Idea.** Where nothing of the solid lies beyond a face of the cutter, the cutter may as well reach on beyond that face: it takes away the
//! same, and the lid.
//! **Limits.** Faces of boxes and caps of cylinders; of other cutters the lid stands.

use super::Shape;
use crate::math::{Pose, Real, Vector};

/// Faces are one when they are no further apart than this share of the coordinates: what rounding makes of places that are meant to be the
/// same.
pub(super) const FLUSH: Real = 1e-12;

/// A cutter that reaches on beyond those of its faces that end exactly where `whole` does, with its place; both are placed in the same frame.
/// `None` where no face does.
pub(super) fn reaching_out(cutter: &Shape, pose: &Pose, whole: &(Shape, Pose)) -> Option<(Shape, Pose)> {
    let mut half = match cutter {
        Shape::Box(s) => s.half_extents(),
        Shape::Cylinder(s) => Vector::new(s.radius(), s.half_height(), s.radius()),
        _ => return None,
    };
    let flat = if matches!(cutter, Shape::Box(_)) { [true; 3] } else { [false, true, false] };
    let size = half.amax();
    let scale = pose.translation.vector.amax() + whole.1.translation.vector.amax() + size;
    let mut shift = Vector::zeros();
    let mut is_flush = false;
    for axis in (0..3).filter(|&axis| flat[axis]) {
        let ends = [1.0, -1.0].map(|sign| {
            let outward = pose.rotation * Vector::ith(axis, sign);
            let face = outward.dot(&pose.translation.vector) + half[axis];
            reach_of(whole, &outward).is_some_and(|reach| (reach - face).abs() <= FLUSH * scale)
        });
        // As far again as the cutter is large: beyond any rounding.
        let [above, below] = ends.map(|ends_there| if ends_there { size } else { 0.0 });
        is_flush |= ends.contains(&true);
        half[axis] += 0.5 * (above + below);
        shift[axis] = 0.5 * (above - below);
    }
    if !is_flush {
        return None;
    }
    let grown = match cutter {
        Shape::Box(_) => Shape::cuboid(half.into()).ok()?,
        _ => Shape::cylinder(half.x, half.y).ok()?,
    };
    Some((grown, pose * Pose::translation(shift.x, shift.y, shift.z)))
}

/// How far a placed solid reaches along a unit direction, metres; `None` where it has no end there, or none that is known.
pub(super) fn reach_of((shape, pose): &(Shape, Pose), direction: &Vector) -> Option<Real> {
    let local = pose.rotation.inverse_transform_vector(direction);
    let origin = direction.dot(&pose.translation.vector);
    let reach = match shape {
        Shape::HalfSpace(plane) => return ((plane.normal() - local).amax() <= FLUSH).then_some(origin),
        Shape::Mesh(mesh) => mesh.mesh().vertices().iter().map(|p| p.coords.dot(&local)).reduce(Real::max)?,
        _ => {
            let convex = shape.as_convex().or_else(|| shape.as_solid().convex_bound())?;
            convex.support(&local, 0).point.coords.dot(&local) + convex.radius()
        }
    };
    Some(origin + reach)
}
