//! Contacts of compounds: those of every near pair of parts.

use std::collections::BTreeMap;

use super::ContactPoint;
use super::limits::Limits;
use super::manifold::{ContactCache, find_every_contact};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Pose, Real};
use crate::shape::Shape;
use crate::shape::compound::Compound;
use crate::volume::Aabb;

/// What is remembered of each pair of parts.
pub(super) type PartCaches = BTreeMap<[u32; 2], ContactCache>;

/// Appends the contacts, before any reduction, of a compound and another solid, in the compound's frame; their
/// features are named by [`Compound::feature_of_part`].
///
/// What is apart from one part at a place that lies inside another one is further from the whole in that direction than from the part, and
/// would run against an edge that nobody sees: such contacts are left out.
///
/// Cost: the parts whose boxes are within the margin.
pub(super) fn compound_contacts(
    a: &Compound,
    b: &Shape,
    b_in_a: &Pose,
    limits: &Limits,
    caches: &mut PartCaches,
    out: &mut Vec<ContactPoint>,
) {
    let mut old = std::mem::take(caches);
    let mut ask = |[part_a, part_b]: [Placed<'_>; 2], out: &mut Vec<ContactPoint>| {
        let start = out.len();
        let key = [part_a.number, part_b.number];
        let mut cache = old.remove(&key).unwrap_or_default();
        let pose_b = b_in_a * part_b.pose;
        find_every_contact((part_a.shape, &part_a.pose), (part_b.shape, &pose_b), limits, &mut cache, out);
        caches.insert(key, cache);
        let is_buried = |c: &mut ContactPoint| {
            let on_b = || b_in_a.inverse_transform_point(&c.point_b);
            c.separation > 0.0 && (part_a.buries(|| c.point_a, limits.dent()) || part_b.buries(on_b, limits.dent()))
        };
        out.extract_if(start.., is_buried).for_each(drop);
        for c in &mut out[start..] {
            c.features = FeaturePair { a: part_a.name(c.features.a), b: part_b.name(c.features.b) };
        }
    };
    let near = match b.is_bounded().then(|| b.as_solid().local_aabb()) {
        Some(aabb) => a.parts_near(&aabb.transformed(b_in_a).inflated(limits.margin)),
        None => (0..a.parts().len() as u32).collect(),
    };
    for part_a in near {
        let around = a.part_box(part_a).inflated(limits.margin);
        for part_b in parts_near(b, b_in_a, &around) {
            ask([Placed::part(a, part_a), part_b], out);
        }
    }
}

/// The parts of a placed solid whose boxes meet `around`, which is in the frame it is placed in.
fn parts_near<'s>(shape: &'s Shape, pose: &Pose, around: &Aabb) -> Vec<Placed<'s>> {
    let Some(compound) = shape.as_compound() else { return vec![Placed::whole(shape)] };
    let local = around.transformed(&pose.inverse());
    compound.parts_near(&local).into_iter().map(|part| Placed::part(compound, part)).collect()
}

/// A part of a solid, or all of one that has no parts.
struct Placed<'s> {
    number: u32,
    shape: &'s Shape,
    pose: Pose,
    compound: Option<&'s Compound>,
}

impl<'s> Placed<'s> {
    fn part(compound: &'s Compound, number: u32) -> Self {
        let part = &compound.parts()[number as usize];
        Self { number, shape: &part.shape, pose: part.pose, compound: Some(compound) }
    }

    fn whole(shape: &'s Shape) -> Self {
        Self { number: 0, shape, pose: Pose::identity(), compound: None }
    }

    /// Whether a place of its surface lies deeper than `depth` metres inside another part; in the frame of the whole.
    fn buries(&self, point: impl FnOnce() -> Point, depth: Real) -> bool {
        self.compound.is_some_and(|compound| compound.is_buried(self.number, &point(), depth))
    }

    fn name(&self, feature: Feature) -> Feature {
        self.compound.map_or(feature, |compound| compound.feature_of_part(self.number, feature))
    }
}
