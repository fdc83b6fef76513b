//! The way of a point through the index, for whoever shows it.
//!
//! The walk itself is that of [`BrepIndex::classify`]: it tells a [`Watch`] of every step, which costs nothing where nobody
//! watches. Only the jump over the first planes is left out, so that the way begins at the root.

use super::{IndexStats, Place};
use crate::bounds::brep_index::BrepIndex;
use crate::bounds::brep_index::node::{Branch, Packed, Subtree};
use crate::math::{Point, Real};

/// What a walk tells of itself.
pub(super) trait Watch {
    /// Whether walks must begin at the root.
    const FROM_THE_ROOT: bool;

    /// A walk begins, for this point.
    #[inline]
    fn walk(&mut self, _kind: WalkKind, _point: &Point) {}

    /// The walk is at what hangs there; `height` is the point's above the node's plane, zero at a leaf.
    #[inline]
    fn step(&mut self, _at: Option<Branch>, _subtree: Packed, _height: Real) {}
}

/// Nobody watches.
pub(super) struct Unwatched;

impl Watch for Unwatched {
    const FROM_THE_ROOT: bool = false;
}

/// What a walk asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WalkKind {
    /// Everything that the point's ε-ball reaches: one way as long as every plane is further than that, all ways from the first
    /// plane on that is not.
    Ball,
    /// Which side of the surface: the ball is free of it, but some plane was within its reach.
    Side,
    /// The same, asked at another point of the ball because a plane was too close to call.
    Beside,
}

/// One subtree on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexStep {
    /// Where it hangs; `None` for the root.
    pub at: Option<Branch>,
    /// The node, or the leaf with which this way ends.
    pub subtree: Subtree,
    /// The height of the walk's point above the node's plane, metres; zero at a leaf.
    pub height: Real,
}

/// One walk down the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexWalk {
    /// What it asks.
    pub kind: WalkKind,
    /// For which point.
    pub point: Point,
    /// What it comes to, in order: each step hangs below an earlier one.
    pub steps: Vec<IndexStep>,
}

/// How a point was classified.
#[derive(Clone, Debug, PartialEq)]
pub struct PointTrace {
    /// Where the point is.
    pub place: Place,
    /// The walks, in order; none for a point outside the solid's box.
    pub walks: Vec<IndexWalk>,
    /// What they cost, from the root on. `exact` tells whether predicates over the triangles had the last word.
    pub stats: IndexStats,
}

impl IndexWalk {
    /// The branches from the root to step `step`: what [`BrepIndex::cell`] needs. Empty for the root, and beyond the last step.
    pub fn way_to(&self, step: usize) -> Vec<Branch> {
        let mut way = Vec::new();
        let mut at = self.steps.get(step).and_then(|s| s.at);
        while let Some(branch) = at {
            way.push(branch);
            let is_parent = |s: &&IndexStep| s.subtree == Subtree::Node(branch.node);
            at = self.steps.iter().find(is_parent).and_then(|parent| parent.at);
        }
        way.reverse();
        way
    }
}

/// Writes the walks down.
#[derive(Default)]
struct Recorder(Vec<IndexWalk>);

impl Watch for Recorder {
    const FROM_THE_ROOT: bool = true;

    fn walk(&mut self, kind: WalkKind, point: &Point) {
        self.0.push(IndexWalk { kind, point: *point, steps: Vec::new() });
    }

    fn step(&mut self, at: Option<Branch>, subtree: Packed, height: Real) {
        let Some(walk) = self.0.last_mut() else { return };
        let step = IndexStep { at, subtree: subtree.open(), height };
        // The node where the ball first reaches over a plane is looked at twice.
        if walk.steps.last().is_none_or(|last| last.subtree != step.subtree || last.at != step.at) {
            walk.steps.push(step);
        }
    }
}

impl BrepIndex {
    /// Classifies a point as [`BrepIndex::classify`] does, and tells the way that it takes through the tree.
    pub fn trace_point(&self, point: &Point) -> PointTrace {
        let (mut recorder, mut stats) = (Recorder::default(), IndexStats::default());
        let place = self.classify_watched(point, &mut stats, &mut recorder);
        PointTrace { place, walks: recorder.0, stats }
    }
}
