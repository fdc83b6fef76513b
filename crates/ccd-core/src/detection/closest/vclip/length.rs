//! How far apart the features are at which a walk has ended, as a fraction of certain numbers.

use std::cmp::Ordering::Equal;

use super::certain::Scene;
use super::numbers::{V, cross, dot, minus};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::Certain;

impl<N: Certain> Scene<'_, N> {
    /// The squared distance of two features at which a walk has ended, as a fraction with a positive denominator, and the way
    /// from A's to B's closest point, of any length.
    pub(super) fn measured(&self, at: FeaturePair) -> Option<(N, N, V<N>)> {
        let turned = |side: usize, (above, below, way): (N, N, V<N>)| {
            (above, below, if side == 0 { way } else { way.map(|c| N::of(0.0).minus(&c)) })
        };
        let from_line = |p: &V<N>, [tail, head]: &[V<N>; 2]| {
            let (along, way) = (minus(head, tail), minus(p, tail));
            let (length, reach) = (dot(&along, &along), dot(&way, &along));
            let foot = [0, 1, 2].map(|k| along[k].times(&reach).minus(&way[k].times(&length)));
            (dot(&foot, &foot), length.times(&length), foot)
        };
        let from_plane = |p: &V<N>, corners: &[V<N>; 3]| {
            let normal = cross(&minus(&corners[1], &corners[0]), &minus(&corners[2], &corners[0]));
            let height = dot(&minus(&corners[0], p), &normal);
            let way = [0, 1, 2].map(|k| normal[k].times(&height));
            (height.times(&height), dot(&normal, &normal), way)
        };
        Some(match (at.a, at.b) {
            (Feature::Vertex(v), Feature::Vertex(w)) => {
                let way = minus(&self.corner(1, w), &self.corner(0, v));
                (dot(&way, &way), N::of(1.0), way)
            }
            (Feature::Vertex(v), Feature::Edge(e)) => from_line(&self.corner(0, v), &self.ends(1, e)),
            (Feature::Edge(e), Feature::Vertex(v)) => turned(1, from_line(&self.corner(1, v), &self.ends(0, e))),
            (Feature::Vertex(v), Feature::Face(f)) => from_plane(&self.corner(0, v), &self.triangle(1, f)),
            (Feature::Face(f), Feature::Vertex(v)) => turned(1, from_plane(&self.corner(1, v), &self.triangle(0, f))),
            (Feature::Edge(e), Feature::Edge(g)) => {
                let (one, other) = (self.ends(0, e), self.ends(1, g));
                let across = cross(&minus(&one[1], &one[0]), &minus(&other[1], &other[0]));
                let square = dot(&across, &across);
                if square.sign()? == Equal {
                    // Parallel (erratum E26): any point of one from the other's line.
                    turned(1, from_line(&other[0], &one))
                } else {
                    let volume = dot(&minus(&other[0], &one[0]), &across);
                    let way = [0, 1, 2].map(|k| across[k].times(&volume));
                    (volume.times(&volume), square, way)
                }
            }
            // With these a walk ends only in an overlap.
            (Feature::Edge(_) | Feature::Face(_), Feature::Face(_)) | (Feature::Face(_), Feature::Edge(_)) => {
                (N::of(0.0), N::of(1.0), [0.0; 3].map(N::of))
            }
        })
    }
}
