//! Time of contact of surfaces of patches: one search in time over pairs of pieces, halved as far as they must be.
//!
//! **Problem.** The first time at which a surface of Bézier patches comes within ε of another solid.
//!
//! **Idea.** A piece of a patch lies in the hull of its control points, and is near it by an error that falls with the square of its size
//! ([`crate::geometry::parametric::PatchPiece`]). Pairs of pieces wait in a queue ordered by the time up to which they are certified apart; the earliest advances as
//! a pair of convex solids does ([`super::advancement`]). Where two meet, the places of the
//! true surfaces with the same parameters are looked at, moved nearer to each other by Newton's method: within ε, that is the
//! contact, for every other pair is certified to a later time; else the piece with the larger error is halved.
//!
//! ```text
//!  ▱ hull, error   the piece is in it      ──halve──▶   ▱▱ hulls, error / 4      they meet as the true surface does at last
//! ```
//!
//! **Guarantee.** Never late; at the reported time the points reported are on the true surfaces and within ε of each other.
//!
//! **Limits.** Surfaces only: a solid that is wholly inside another at the start is told by the caller. Surfaces that run along each
//! other at a distance near ε take many pieces; the budget bounds them.
//!
//! **Source.** Piegl and Tiller (1997) for patches and their halving; the order in time is that of Tang, Kim and Manocha (2009).

use super::advancement::{Advance, Direction, Step, Touch};
use super::boxes::{Apart, Closeness, box_above_plane, boxes_apart};
use super::kinematics::{PairMotion, Turning};
use super::mesh_mesh::Found;
use super::plane::{ConvexPair, SideBounds};
use crate::detection::closest::gjk::GjkCache;
use crate::detection::closest::patches::{Meeting, true_places};
use crate::detection::pieces::{
    Core, Part, PartPair, PatchSide, Pieces, below, core, feature, halves_of_coarser, halves_of_longer, part_box, root,
};
use crate::detection::queue::Queue;
use crate::geometry::feature::FeaturePair;
use crate::math::{Point, Real};
use crate::motion::RigidMotion;
use crate::stats::QueryStats;
use crate::volume::Aabb;

/// How much of the errors of two pieces may be left between them before halving is the better buy.
const SHARE_OF_ERROR: Real = 0.5;
/// Where the errors are together below this share of the tolerance, pieces count as the surfaces themselves.
const FINE: Real = 0.125;
/// Where the errors are together above this multiple of the tolerance, the true surfaces are not looked at yet.
const COARSE: Real = 4.0;

/// The question. The motions are given near the origin, where their places keep their digits.
pub(crate) struct PatchSearch<'q> {
    pub a: PatchSide<'q>,
    pub b: PatchSide<'q>,
    pub motion_a: &'q RigidMotion,
    pub motion_b: &'q RigidMotion,
    pub motion: &'q PairMotion,
    /// The interval's start on the motions' clock, seconds.
    pub start: Real,
    /// ε, metres.
    pub tolerance: Real,
    /// How far rounding can move a gap, metres.
    pub rounding: Real,
    pub budget: u64,
}

/// Where the search stands.
struct Run<'s> {
    /// Pairs by the times until which they are certified apart.
    queue: Queue<PartPair>,
    pieces_a: Pieces,
    pieces_b: Pieces,
    stats: &'s mut QueryStats,
}

impl PatchSearch<'_> {
    pub fn run(&self, stats: &mut QueryStats) -> Found {
        let mut run = Run { queue: Queue::new(), pieces_a: Pieces::default(), pieces_b: Pieces::default(), stats };
        self.push(&mut run, 0.0, PartPair { a: root(&self.a), b: root(&self.b) });
        while let Some((time, pair)) = run.queue.pop() {
            if run.stats.total() >= self.budget {
                return Found::Undecided(time);
            }
            if matches!(pair.a, Part::Node(_)) || matches!(pair.b, Part::Node(_)) {
                self.split_node(&mut run, time, pair);
                continue;
            }
            run.stats.features_tested += 1;
            let (core_a, core_b) = (core(&self.a, pair.a, &run.pieces_a), core(&self.b, pair.b, &run.pieces_b));
            let mut cache = GjkCache::default();
            let errors = core_a.error() + core_b.error();
            let can_halve = core_a.can_be_halved() || core_b.can_be_halved();
            match self.step(time, &core_a, &core_b, errors, &mut cache, run.stats) {
                Step::SafeForever => {}
                Step::SafeUntil(later) if later > time => run.queue.push(later, pair),
                Step::Touching(touch) if errors <= COARSE * self.tolerance || !can_halve => {
                    match self.on_surfaces(&touch, &core_a, &core_b, &cache) {
                        Some(touch) => return Found::Touching(touch),
                        None if errors > FINE * self.tolerance && can_halve => self.halve(&mut run, time, pair),
                        // They are as flat as counts, and cross: some place of shorter ones will be found to.
                        None if self.shorten(&mut run, time, pair) => {}
                        None => return Found::Undecided(time),
                    }
                }
                // Touching by their errors alone, or too near for rounding: smaller pieces know more.
                _ if can_halve => self.halve(&mut run, time, pair),
                _ => return Found::Undecided(time),
            }
        }
        Found::Apart
    }

    fn step(
        &self,
        time: Real,
        a: &Core<'_>,
        b: &Core<'_>,
        errors: Real,
        cache: &mut GjkCache,
        stats: &mut QueryStats,
    ) -> Step {
        let bounds = |core: &Core<'_>, side: &PatchSide<'_>, turning: &Turning| match (core, side) {
            (Core::Piece(piece), _) => {
                let bounds = SideBounds::of_points(piece.control(), turning);
                SideBounds { radius: core.map().radius(), ..bounds }
            }
            (Core::Triangle(triangle, _), _) => SideBounds::of_points(triangle.corners(), turning),
            (_, PatchSide::Convex(_, aabb)) => {
                let centre: Point = turning.local_centre;
                let size = (aabb.max - centre).abs().sup(&(aabb.min - centre).abs()).norm();
                SideBounds::of(core.map(), turning, size)
            }
            _ => SideBounds::of(core.map(), turning, turning.local_centre.coords.norm()),
        };
        let pair = ConvexPair {
            a: a.map(),
            b: b.map(),
            bounds_a: bounds(a, &self.a, &self.motion.a),
            bounds_b: bounds(b, &self.b, &self.motion.b),
            motion: self.motion,
            rounding: self.rounding,
        };
        let direction = match self.a {
            PatchSide::Plane(normal) => Direction::OfA(normal),
            _ => Direction::Nearest,
        };
        // At the start whatever is within the whole tolerance has to be found there.
        let near = if time <= 0.0 && errors > FINE * self.tolerance { 1.0 } else { 0.5 };
        let tolerance = (near * self.tolerance).max(SHARE_OF_ERROR * errors).max(8.0 * self.rounding);
        Advance { pair, direction, tolerance, once_opened: 0.0 }.step(time, cache, stats)
    }

    /// The touch of two cores as one of the true surfaces, if those are within the tolerance.
    fn on_surfaces(&self, touch: &Touch, a: &Core<'_>, b: &Core<'_>, cache: &GjkCache) -> Option<Touch> {
        let time = self.start + touch.time;
        let (pose_a, pose_b) = (self.motion_a.pose_at(time), self.motion_b.pose_at(time));
        let meeting = Meeting {
            // From the rounded cores back to the cores.
            on_a: touch.point_a - touch.normal * a.map().radius(),
            on_b: touch.point_b + touch.normal * b.map().radius(),
            normal: touch.normal,
            noise: 16.0 * self.rounding,
        };
        let found = true_places((&self.a, a, &pose_a), (&self.b, b, &pose_b), &meeting, cache);
        (found.distance <= self.tolerance).then_some(Touch {
            time: touch.time,
            separation: found.distance,
            normal: found.normal,
            point_a: found.point_a,
            point_b: found.point_b,
            features: FeaturePair {
                a: feature(&self.a, a, touch.features.a),
                b: feature(&self.b, b, touch.features.b),
            },
        })
    }

    /// Replaces the piece with the larger error by its halves.
    fn halve(&self, run: &mut Run<'_>, time: Real, pair: PartPair) {
        let halves = halves_of_coarser((pair.a, &mut run.pieces_a), (pair.b, &mut run.pieces_b));
        if let Some((is_a, halves)) = halves {
            halves.into_iter().for_each(|half| self.push(run, time, pair.with(is_a, half)));
        }
    }

    /// Replaces the longer piece by the halves of its longer side; `false` where none has such.
    fn shorten(&self, run: &mut Run<'_>, time: Real, pair: PartPair) -> bool {
        let halves = halves_of_longer((pair.a, &mut run.pieces_a), (pair.b, &mut run.pieces_b));
        if let Some((is_a, halves)) = halves {
            halves.into_iter().for_each(|half| self.push(run, time, pair.with(is_a, half)));
        }
        halves.is_some()
    }

    /// Replaces the larger node of a pair by what is below it.
    fn split_node(&self, run: &mut Run<'_>, time: Real, pair: PartPair) {
        let size = |side, part, pieces: &Pieces| {
            part_box(side, part, pieces).map_or(0.0, |b: Aabb| b.half_extents().norm_squared())
        };
        let is_a = match (pair.a, pair.b) {
            (Part::Node(_), Part::Node(_)) => {
                size(&self.a, pair.a, &run.pieces_a) >= size(&self.b, pair.b, &run.pieces_b)
            }
            (Part::Node(_), _) => true,
            _ => false,
        };
        let (side, part, pieces) =
            if is_a { (&self.a, pair.a, &mut run.pieces_a) } else { (&self.b, pair.b, &mut run.pieces_b) };
        below(side, part, pieces).into_iter().for_each(|part| self.push(run, time, pair.with(is_a, part)));
    }

    fn push(&self, run: &mut Run<'_>, time: Real, pair: PartPair) {
        run.stats.nodes_visited += 1;
        let closeness = Closeness { tolerance: self.tolerance, rounding: self.rounding };
        let boxes = (part_box(&self.a, pair.a, &run.pieces_a), part_box(&self.b, pair.b, &run.pieces_b));
        let apart = match boxes {
            (Some(a), Some(b)) => boxes_apart(self.motion, &closeness, time, &a, &b),
            (None, Some(b)) => match &self.a {
                PatchSide::Plane(normal) => box_above_plane(self.motion, &closeness, time, (normal, true), &b),
                _ => Apart::Until(time),
            },
            _ => Apart::Until(time),
        };
        if let Apart::Until(time) = apart {
            run.queue.push(time, pair);
        }
    }
}
