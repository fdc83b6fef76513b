//! One-way platforms: bodies that are solid from one side only.
//!
//! **Idea.** Whether a pair is one is decided by where the two are when a step begins, and holds for the step: what is on the platform's side is
//! stopped, what is below it, beside it or in it passes. So nothing has to be remembered of who came from where.
//!
//! **Guarantee.** A pair is solid only if it is disjoint, so that it stays disjoint as any other does.
//!
//! **Cost.** Two support points for each candidate with a platform; the distance as well of what is neither wholly beyond it nor wholly below.

use super::World;
use crate::detection::closest::{closest, overlap};
use crate::dynamics::Body;
use crate::id::{BodyId, PairKey};
use crate::math::{Pose, Real, Vector};
use crate::shape::Shape;

/// The cosine of the angle from its direction within which a platform is solid around its edges and where it bends: 60°.
const WITHIN: Real = 0.5;

impl World {
    /// Whether two bodies may touch each other with effect or notice, as they stand.
    pub(super) fn may_touch(&self, a: (BodyId, &Body), b: (BodyId, &Body)) -> bool {
        let is_noticed = a.1.sensor || b.1.sensor;
        a.1.meets(b.1) && (is_noticed || !self.pass(a, b))
    }

    /// Whether at least one is a platform, and neither stops the other. What comes out of a platform is still in it until it is half as far away
    /// as what rests, and so not too near to be certified. What was on its side stays there however near it is pressed; and what has been put on it, touching or a
    /// little too low, is about to be moved apart from it.
    fn pass(&self, (id_a, a): (BodyId, &Body), (id_b, b): (BodyId, &Body)) -> bool {
        if a.one_way.is_none() && b.one_way.is_none() {
            return false;
        }
        let is_put_there = self.unchecked.contains(&id_a) || self.unchecked.contains(&id_b);
        let is_known = self.known_contacts(&PairKey::new(id_a, id_b)).is_some();
        let gap = match (is_put_there, is_known) {
            (true, _) => -self.in_force.tolerance,
            (false, true) => 0.0,
            (false, false) => 0.5 * self.in_force.resting_gap(),
        };
        let stops = |platform: &Body, other: &Body| {
            platform.one_way.is_some_and(|way| is_beyond(platform, &way, other.shape(), other.pose(), gap))
        };
        !stops(a, b) && !stops(b, a)
    }
}

/// Whether a body stops a shape that is moved from there. It may be up to `slack` metres too low: where a lift that starts at once has left it.
pub(super) fn stops(body: &Body, shape: &Shape, pose: &Pose, slack: Real) -> bool {
    body.one_way.is_none_or(|way| {
        let mut raised = *pose;
        raised.translation.vector += slack * direction_of(body, &way);
        is_beyond(body, &way, shape, &raised, 0.0)
    })
}

/// Whether a shape is on the side of a platform from where that is solid, and further than `gap` from it, metres; of a negative one, no deeper in it.
fn is_beyond(platform: &Body, way: &Vector, shape: &Shape, pose: &Pose, gap: Real) -> bool {
    let direction = direction_of(platform, way);
    // Relative to the platform, so that it is as exact far from the origin.
    let height = (pose.translation.vector - platform.pose().translation.vector).dot(&direction);
    let extent = |shape: &Shape, pose: &Pose, along: Vector| {
        extent_along(shape, &pose.rotation.inverse_transform_vector(&along))
    };
    if height - extent(shape, pose, -direction) > extent(platform.shape(), platform.pose(), direction) + gap {
        return true;
    }
    if height + extent(shape, pose, direction) <= -extent(platform.shape(), platform.pose(), -direction) {
        return false;
    }
    if gap >= 0.0 && overlap(platform.shape(), platform.pose(), shape, pose) {
        return false;
    }
    // What cannot be measured is told of where it is met.
    closest(platform.shape(), platform.pose(), shape, pose)
        .map_or(true, |found| found.distance > gap && found.normal.dot(&direction) >= WITHIN)
}

/// Unit, world.
fn direction_of(platform: &Body, way: &Vector) -> Vector {
    platform.pose().rotation * way.normalize()
}

/// How far a shape reaches from its frame's origin along a unit direction of its frame, at most; metres.
fn extent_along(shape: &Shape, direction: &Vector) -> Real {
    let solid = shape.as_solid();
    if let Some(convex) = shape.as_convex().or_else(|| solid.convex_bound()) {
        return convex.support(direction, 0).point.coords.dot(direction) + convex.radius();
    }
    let aabb = solid.local_aabb();
    // An unbounded side counts only where the direction leads there: infinity by zero is no number.
    let reach = |i: usize| match direction[i] {
        0.0 => 0.0,
        along if along > 0.0 => along * aabb.max[i],
        along => along * aabb.min[i],
    };
    (0..3).map(reach).sum()
}
