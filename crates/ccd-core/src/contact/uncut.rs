//! Contacts of solids that others are cut out of, as those of the solids before they were cut.
//!
//! **Idea.** A washer, a tube and a drilled block are cylinders and boxes to whatever does not reach into their holes. What is apart from a
//! solid is apart from what is left of it once another is cut out; so where the contacts of the whole solid lie on surface that is left,
//! they keep the two apart as well as all that the cut one has, and are found in closed form where that takes thousands of cells.
//! **Guarantee.** None of these contacts is at a place that was cut away.
//! **Limits.** Not for what overlaps the whole solid, or would touch it where something was cut away: there the caller searches the cells.

use super::ContactPoint;
use super::limits::Limits;
use super::manifold::{ContactCache, find_every_contact};
use crate::detection::closest::closest_within;
use crate::detection::dispatch::needs_cells;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::field::{Csg, Operation};
use crate::math::{Point, Pose};
use crate::shape::{FieldShape, Shape};

/// Where the search of the whole solids is remembered among those of parts: no compound has so many.
const UNCUT: [u32; 2] = [u32::MAX; 2];

/// A solid before it was cut, and what was cut out of it; all in the frame of what is left.
struct Uncut<'s> {
    shape: &'s Shape,
    pose: Pose,
    /// `None` where nothing was.
    left: Option<&'s Csg>,
}

impl<'s> Uncut<'s> {
    /// `None` where the shape is not another one less some others, or that one takes a search of cells itself. What nothing is cut out of
    /// is itself.
    fn of(shape: &'s Shape) -> Option<Self> {
        let (shape, pose, left) = match shape {
            Shape::Field(FieldShape::Csg(csg)) if csg.solid().operation() == Operation::Difference => {
                let (whole, pose) = csg.parts().first()?;
                (whole, *pose, Some(csg.solid()))
            }
            _ => (shape, Pose::identity(), None),
        };
        (!needs_cells(shape)).then_some(Self { shape, pose, left })
    }

    /// Whether a place, in the frame of what is left, was cut away.
    fn is_cut_away(&self, point: &Point) -> bool {
        let mut cutters = self.left.iter().flat_map(|left| left.parts().skip(1));
        cutters.any(|cutter| cutter.solid.contains(&cutter.pose.inverse_transform_point(point)))
    }

    fn name(&self, feature: Feature) -> Feature {
        if self.left.is_some() { feature.of_uncut() } else { feature }
    }
}

/// Appends the contacts of two solids, of which something is cut out of at least one, in A's frame, before any reduction. Returns whether
/// these are the contacts; if not, nothing is appended.
///
/// Cost: that of the solids before they were cut.
pub(super) fn uncut_contacts(
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    limits: &Limits,
    cache: &mut ContactCache,
    out: &mut Vec<ContactPoint>,
) -> bool {
    let Some((whole_a, whole_b)) = Uncut::of(a).zip(Uncut::of(b)) else { return false };
    let start = out.len();
    let pose_b = b_in_a * whole_b.pose;
    // What is deep inside has no contacts, and is not apart.
    match closest_within(whole_a.shape, &whole_a.pose, whole_b.shape, &pose_b, limits.margin) {
        Ok(Some(nearest)) if nearest.distance > 0.0 => {}
        Ok(None) => return true,
        _ => return false,
    }
    let own = cache.parts.entry(UNCUT).or_default();
    find_every_contact((whole_a.shape, &whole_a.pose), (whole_b.shape, &pose_b), limits, own, out);
    let is_left = |c: &ContactPoint| {
        let on_b = || b_in_a.inverse_transform_point(&c.point_b);
        c.separation > 0.0 && !whole_a.is_cut_away(&c.point_a) && !whole_b.is_cut_away(&on_b())
    };
    if !out[start..].iter().all(is_left) {
        out.truncate(start);
        return false;
    }
    for c in &mut out[start..] {
        c.features = FeaturePair { a: whole_a.name(c.features.a), b: whole_b.name(c.features.b) };
    }
    true
}
