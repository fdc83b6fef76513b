//! A convex solid that holds a solid made of solids.
//!
//! **Idea.** Hulls of unions are hulls of what hulls of the parts hold, and the point of it furthest along a direction is the furthest one of any
//! part. A difference is within its first part, an intersection within each.

use std::sync::Arc;

use super::Field;
use super::csg::Operation;
use super::csg_part::CsgPart;
use crate::geometry::feature::Feature;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Matrix, Point, Pose, Real, Vector};

/// The hull of some solids' convex bounds.
#[derive(Clone, Debug)]
pub(super) struct CsgBound {
    /// At least one; each has a convex bound.
    parts: Vec<Held>,
    /// The least rounding of all parts' bounds, metres.
    rounding: Real,
}

#[derive(Clone, Debug)]
struct Held {
    solid: Arc<dyn Field>,
    /// From the part's frame to that of the whole.
    pose: Pose,
    rotation: Matrix,
}

impl Held {
    fn bound(&self) -> Option<&dyn SupportMap> {
        self.solid.convex_bound()
    }
}

impl CsgBound {
    /// `None` where no part of those that would hold the whole has a convex bound.
    pub(super) fn new(operation: Operation, parts: &[&CsgPart]) -> Option<Self> {
        let holds = |part: &CsgPart| part.solid.convex_bound().is_some();
        let volume = |part: &CsgPart| part.solid.local_aabb().half_extents().product();
        let held: Vec<&CsgPart> = match operation {
            Operation::Union if parts.iter().all(|part| holds(part)) => parts.to_vec(),
            Operation::Union => return None,
            Operation::Difference => parts.iter().take(1).copied().filter(|part| holds(part)).collect(),
            // The smallest one holds it the closest, as a rule.
            Operation::Intersection => {
                let those = parts.iter().copied().filter(|part| holds(part));
                those.min_by(|one, other| volume(one).total_cmp(&volume(other))).into_iter().collect()
            }
        };
        let of = |part: &&CsgPart| Held {
            solid: part.solid.clone(),
            pose: part.pose,
            rotation: part.pose.rotation.to_rotation_matrix().into_inner(),
        };
        let parts: Vec<Held> = held.iter().map(of).collect();
        let rounding = parts.iter().filter_map(Held::bound).map(SupportMap::radius).reduce(Real::min)?;
        Some(Self { parts, rounding })
    }

    /// The part whose bound reaches furthest along a unit direction, the bound, and the point of the core there.
    fn furthest(&self, unit: &Vector) -> Option<(&Held, &dyn SupportMap, Point)> {
        let reached = self.parts.iter().filter_map(|part| {
            let bound = part.bound()?;
            let core = bound.support(&part.rotation.tr_mul(unit), 0).point;
            Some((part, bound, part.pose * core + unit * (bound.radius() - self.rounding)))
        });
        reached.max_by(|p, q| p.2.coords.dot(unit).total_cmp(&q.2.coords.dot(unit)))
    }
}

impl SupportMap for CsgBound {
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let unit = direction.try_normalize(0.0).unwrap_or_else(Vector::y);
        let point = self.furthest(&unit).map_or_else(Point::origin, |(_, _, point)| point);
        SupportPoint { point, vertex: SupportPoint::CURVED }
    }

    fn radius(&self) -> Real {
        self.rounding
    }

    fn interior_point(&self) -> Point {
        let inside = |part: &Held| Some(part.pose * part.bound()?.interior_point());
        self.parts.iter().find_map(inside).unwrap_or_else(Point::origin)
    }

    fn feature_of(&self, _vertices: &[u32]) -> Feature {
        Feature::Face(0)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let reach = |part: &Held| {
            let (centre, axis) = (part.pose.inverse_transform_point(centre), part.rotation.tr_mul(axis));
            part.bound().map_or(0.0, |bound| bound.reach_from_axis(&centre, &axis))
        };
        self.parts.iter().map(reach).fold(0.0, Real::max)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        polygon.push(self.support(direction, 0).point);
        Feature::Face(0)
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        let Some(unit) = direction.try_normalize(0.0) else { return };
        let Some((part, bound, _)) = self.furthest(&unit) else { return };
        bound.each_face_at(&part.rotation.tr_mul(&unit), &mut |normal| look(part.rotation * normal));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::{Csg, Implicit, Torus};
    use crate::geometry::primitive::{Ball, Cuboid};
    use crate::geometry::solid::Solid;
    use crate::math::Rotation;
    use proptest::prelude::*;

    fn solids() -> Vec<Csg> {
        let part = |solid: Arc<dyn Field>, x: Real| {
            CsgPart::new(
                solid,
                Pose::from_parts(Vector::new(x, 0.2, 0.0).into(), Rotation::new(Vector::new(0.3, x, 0.8))),
            )
        };
        let ball = |radius: Real, x: Real| part(Arc::new(Ball::try_new(radius).unwrap()), x);
        let block = |x: Real| part(Arc::new(Cuboid::try_new([0.8, 0.5, 0.6]).unwrap()), x);
        let ring = part(Arc::new(Implicit::new(Torus::try_new(0.7, 0.2).unwrap()).unwrap()), -0.5);
        let inner = Csg::new(Operation::Difference, vec![block(0.0), ball(0.4, 0.3)]).unwrap();
        vec![
            Csg::new(Operation::Union, vec![ball(0.8, -0.5), block(0.4), ring]).unwrap(),
            Csg::new(Operation::Intersection, vec![ball(0.9, -0.2), block(0.2)]).unwrap(),
            Csg::new(Operation::Union, vec![part(Arc::new(inner), 0.6), ball(0.3, -0.9)]).unwrap(),
        ]
    }

    proptest! {
        #[test]
        fn no_point_of_a_combination_is_beyond_its_bound_and_unions_are_held_without_room(
            d in prop::array::uniform3(-1.0..1.0_f64), samples in prop::collection::vec(prop::array::uniform3(-2.0..2.0_f64), 60),
        ) {
            let Some(d) = Vector::from(d).try_normalize(1e-2) else { return Ok(()) };
            for solid in solids() {
                let bound = solid.convex_bound().unwrap();
                let furthest = bound.support(&d, 0).point + d * bound.radius();
                for p in samples.iter().map(|p| Point::from(*p)).filter(|p| solid.contains(p)) {
                    prop_assert!(p.coords.dot(&d) <= furthest.coords.dot(&d) + 1e-12, "{:?} {p}", solid.operation());
                    let axis = d.cross(&Vector::new(0.3, -0.5, 0.9)).normalize();
                    let off = p - Point::new(0.1, 0.2, 0.3);
                    let reach = bound.reach_from_axis(&Point::new(0.1, 0.2, 0.3), &axis);
                    prop_assert!((off - axis * off.dot(&axis)).norm() <= reach + 1e-12);
                }
                if solid.operation() == Operation::Union && solid.parts().count() == 3 {
                    prop_assert!(solid.distance(&furthest).abs() < 1e-12, "{furthest}");
                }
            }
        }
    }
}
