//! What searches of surfaces, piece by piece, do not tell of the solids as wholes: that one is inside the other, how deep they overlap at
//! the start, and what of a touch belongs to a piece alone.

use super::advancement::Touch;
use super::front::Query;
use super::{FirstContact, Moving, Toc};
use crate::detection::closest::closest_within;
use crate::detection::part_places::holds_a_part;
use crate::geometry::feature::Feature;
use crate::math::{Pose, Real, Vector};
use crate::shape::Shape;

/// What is no further apart than this share of the tolerance may be in touch.
const FLUSH: Real = 1e-3;
/// How far, as a sine, a direction may lie outside a feature's Voronoi region and still count as in it.
const SEEN: Real = 1e-9;

impl Query<'_> {
    /// The touch as the whole surfaces have it. The search meets triangles one by one: what slides along a floor meets the
    /// rim of the next triangle, which the floor has not, from a direction in which the floor is further away than below.
    ///
    /// `swapped`: the touch's A is the query's B.
    pub(super) fn on_true_surface(&self, touch: Touch, swapped: bool) -> Touch {
        let (a, b) = if swapped { (&self.b, &self.a) } else { (&self.a, &self.b) };
        let time = self.clock(touch.time);
        let (pose_a, pose_b) = (a.motion.pose_at(time), b.motion.pose_at(time));
        let sees = |shape: &Shape, pose: &Pose, feature: Feature, towards: &Vector| {
            let Shape::Mesh(mesh) = shape else { return true };
            mesh.surface_features().faces(mesh, feature, &pose.inverse_transform_vector(towards), SEEN)
        };
        if touch.separation <= 0.0
            || sees(a.solid, &pose_a, touch.features.a, &touch.normal)
                && sees(b.solid, &pose_b, touch.features.b, &-touch.normal)
        {
            return touch;
        }
        match closest_within(a.solid, &pose_a, b.solid, &pose_b, touch.separation) {
            Ok(Some(nearest)) if nearest.distance > 0.0 && nearest.distance <= touch.separation => Touch {
                separation: nearest.distance,
                normal: nearest.normal,
                point_a: nearest.point_a,
                point_b: nearest.point_b,
                features: nearest.features,
                ..touch
            },
            _ => touch,
        }
    }

    /// The overlap of solids of which one holds the other at the start: their surfaces, which are apart then, may be far apart.
    pub(super) fn swallowed(&self, one: &Moving<'_, Shape>, other: &Moving<'_, Shape>) -> Option<FirstContact> {
        if self.options.starts_apart {
            return None;
        }
        let start = self.interval.start();
        let holds = |outer: &Moving<'_, Shape>, inner: &Moving<'_, Shape>| {
            let inner_in_outer = outer.motion.pose_at(start).inv_mul(&inner.motion.pose_at(start));
            holds_a_part(outer.solid, inner.solid, &inner_in_outer)
        };
        if !holds(one, other) && !holds(other, one) {
            return None;
        }
        let (pose_a, pose_b) = (self.a.motion.pose_at(start), self.b.motion.pose_at(start));
        let found = closest_within(self.a.solid, &pose_a, self.b.solid, &pose_b, 0.0).ok().flatten()?;
        (found.distance < 0.0).then(|| FirstContact::of_nearest(start, &found))
    }

    /// Solids that overlap at the start get the depth, direction and features of their overlap.
    pub(super) fn with_depth(&self, answer: Toc) -> Toc {
        match answer {
            // Faces that are flush but for rounding may be those of solids that lie deep in each other.
            Toc::Overlapping(contact) if contact.separation <= FLUSH * self.options.tolerance => {
                let start = self.interval.start();
                let (pose_a, pose_b) = (self.a.motion.pose_at(start), self.b.motion.pose_at(start));
                let limit = self.options.tolerance;
                match closest_within(self.a.solid, &pose_a, self.b.solid, &pose_b, limit) {
                    Ok(Some(found)) => Toc::Overlapping(FirstContact {
                        separation: found.distance.min(0.0),
                        ..FirstContact::of_nearest(contact.time, &found)
                    }),
                    _ => answer,
                }
            }
            other => other,
        }
    }
}
