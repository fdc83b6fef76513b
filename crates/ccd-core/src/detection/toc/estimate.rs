//! Vaněček's estimate: from what penetrates at the end of a step back along straight ways to when it entered. A reference to
//! compare with, not a method to trust.
//!
//! **Problem.** As [`super::halving`]'s; the estimate stands in for the middle of the interval.
//! **Idea.** Seen from one solid a vertex of the other comes from a (apart) to b (inside); the segment a–b meets the surface
//! after the length |a−b| − d, where d is the length inside, so the vertex entered at about t + (|a−b| − d)/|a−b| · (t′ − t).
//! An edge that is pierced is taken back along the straight ways of its ends until it clears. The earliest of all is tried.
//!
//! ```text
//!    a ●───────────┃━━━━━━● b      t ──── entered ──── t′
//!                  ┃  d
//! ```
//!
//! **Guarantee.** None about the time between the instants looked at, and the type says so: [`Unproven`]. As there, the
//! solids are within ε of each other at the reported time.
//! **Limits.** Anything that moves further in a step than it is thick; the ways are taken as straight.
//! **Source.** Vaněček, section 3; erratum E16 (the paper's formula is the complement; the first entry, not the total length).

use super::answer::{Answered, Moving, TocError, TocOptions, Unproven};
use super::sight::Sight;
use crate::geometry::feature::FeatureSet;
use crate::geometry::solid::{Segment, Solid};
use crate::math::{Point, Pose, Real, Vector};
use crate::motion::{RelativeMotion, TimeInterval};
use crate::shape::Shape;
use crate::volume::Aabb;

/// The error of the features of round solids, as a share of their size: more exact than straight ways deserve.
const FEATURE_ERROR: Real = 0.02;
/// Halvings of the time at which an edge clears the other solid.
const EDGE_HALVINGS: u32 = 12;

/// When two shapes touch, as far as a look at the end of the interval and estimates from there can tell.
///
/// # Errors
/// As [`super::time_of_contact`].
///
/// # Cost
/// One segment query for each vertex and edge, a few times, and as many looks at an instant.
pub fn time_of_contact(
    a: Moving<'_, Shape>,
    b: Moving<'_, Shape>,
    interval: TimeInterval,
    options: &TocOptions,
) -> Result<Answered<Unproven>, TocError> {
    let ways = [Way::new(a, b, options.tolerance), Way::new(b, a, options.tolerance)];
    let earliest = |apart: Real, interfering: Real| {
        ways.iter().filter_map(|way| way.entered(apart, interfering)).min_by(Real::total_cmp)
    };
    Sight::new(a, b, options).close_in(interval, earliest)
}

/// The features of one solid on their way into the other.
struct Way<'q> {
    features: FeatureSet,
    target: &'q dyn Solid,
    target_box: Aabb,
    relative: RelativeMotion,
}

impl<'q> Way<'q> {
    fn new(mover: Moving<'q, Shape>, target: Moving<'q, Shape>, tolerance: Real) -> Self {
        let solid = mover.solid.as_solid();
        let size = solid.bounding_sphere().radius;
        // A solid without bounds has no features of its own.
        let features = if size.is_finite() {
            solid.features((FEATURE_ERROR * size).max(tolerance))
        } else {
            FeatureSet::default()
        };
        Self {
            features,
            target: target.solid.as_solid(),
            target_box: target.solid.as_solid().local_aabb(),
            relative: RelativeMotion::new(mover.motion, target.motion),
        }
    }

    /// The earliest time at which a feature enters the target, if any does.
    fn entered(&self, apart: Real, interfering: Real) -> Option<Real> {
        let (from, to) = (self.relative.pose_at(apart).a_in_b, self.relative.pose_at(interfering).a_in_b);
        let length = interfering - apart;
        let vertices = self.features.vertices.iter().filter_map(|v| self.vertex_entered(&(from * v), &(to * v)));
        let edges = self.features.edges.iter().filter_map(|e| {
            let ends = e.map(|v| self.features.vertices[v as usize]);
            self.edge_entered(&ends, &from, &to)
        });
        vertices.chain(edges).min_by(Real::total_cmp).map(|fraction| apart + fraction * length)
    }

    /// The fraction of the straight way from `a` to `b` after which a vertex, with its radius, enters.
    fn vertex_entered(&self, a: &Point, b: &Point) -> Option<Real> {
        let radius = self.features.radius;
        let way = b - a;
        let length = way.norm();
        let beyond: Vector = way.try_normalize(Real::MIN_POSITIVE)? * radius;
        let end = b + beyond;
        if !Aabb::from_points(&[*a, end]).overlaps(&self.target_box) {
            return None;
        }
        let hit = self.target.cast_segment(&Segment { start: *a, end })?;
        let entered = hit.fraction * (length + radius) - radius;
        (entered <= length).then_some((entered / length).max(0.0))
    }

    /// The fraction of the straight ways of its ends after which an edge that is pierced at the end gets to be so.
    fn edge_entered(&self, ends: &[Point; 2], from: &Pose, to: &Pose) -> Option<Real> {
        let (a, b) = (ends.map(|p| from * p), ends.map(|p| to * p));
        let pierced = |fraction: Real| {
            let at = |k: usize| a[k] + (b[k] - a[k]) * fraction;
            let segment = Segment { start: at(0), end: at(1) };
            Aabb::from_points(&[segment.start, segment.end]).overlaps(&self.target_box)
                && self.target.cast_segment(&segment).is_some()
        };
        if !pierced(1.0) {
            return None;
        }
        let (mut clear, mut hit) = (0.0, 1.0);
        for _ in 0..EDGE_HALVINGS {
            let middle = 0.5 * (clear + hit);
            if pierced(middle) {
                hit = middle;
            } else {
                clear = middle;
            }
        }
        Some(clear)
    }
}
