//! Time of contact of compounds: one search in time over pairs of parts.
//!
//! **Problem.** The first time at which any part of one compound comes within ε of the other solid, or of any part of it.
//!
//! **Idea.** Pairs of nodes of the two trees over the parts wait in a queue ordered by the time up to which their boxes
//! are certified apart; the earliest is split. A pair of parts is asked by the way that is best for it
//! ([`crate::detection::dispatch`]), from the time its boxes vouch for up to the earliest contact known so far, and waits again with
//! its answer. The first answer at the head of the queue is the compound's: every other pair is certified to a later time.
//!
//! **Guarantee.** That of the ways of the parts, for any motion (erratum E5's order in time).
//!
//! **Limits.** None of its own: any bounded part, against anything.
//!
//! **Source.** Tang, Kim and Manocha (2009), C²A, for the search over pairs in the order of time.

use std::cmp::Reverse;

use super::boxes::{Apart, Closeness, box_above_plane, boxes_apart};
use super::front::{Query, without_depth};
use super::kinematics::PairMotion;
use super::{Answered, FirstContact, Moving, Toc, TocError, TocOptions};
use crate::bounds::tree::NodeKind;
use crate::detection::closest::closest_of_other_parts;
use crate::detection::compound_piece::CompoundPiece;
use crate::detection::queue::{Queue, Ranked};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Real, Vector};
use crate::motion::{RigidMotion, TimeInterval};
use crate::shape::Shape;
use crate::shape::compound::Compound;
use crate::stats::QueryStats;
use crate::volume::Aabb;

/// Finds the first contact of two moving shapes of which at least one is a compound; the arguments are valid.
pub(super) fn first_contact(
    a: Moving<'_, Shape>,
    b: Moving<'_, Shape>,
    interval: TimeInterval,
    options: &TocOptions,
) -> Result<Answered<Toc>, TocError> {
    // Parts are placed relative to A's place, so that they keep their digits wherever in the world the pair is.
    let home = a.motion.start.translation.vector;
    let (motion_a, motion_b) = (a.motion.moved(&-home), b.motion.moved(&-home));
    let pair = PairMotion::new(&motion_a, &motion_b, interval.start(), interval.length());
    // Of a half-space only the plane's own point counts.
    let reach = |solid: &Shape, centre: &Point| {
        if solid.is_bounded() { solid.bounding_radius_about(centre) } else { centre.coords.norm() }
    };
    let rounding = pair.rounding(reach(a.solid, &pair.a.local_centre), reach(b.solid, &pair.b.local_centre));
    let search = PartSearch {
        a: Side::of(a.solid, motion_a),
        b: Side::of(b.solid, motion_b),
        closeness: Closeness { tolerance: options.tolerance, rounding },
        pair,
        interval,
        options,
    };
    let mut stats = QueryStats::default();
    let (answer, pieces) = search.run(&mut stats)?;
    let moved_back = |c: FirstContact| FirstContact { point_a: c.point_a + home, point_b: c.point_b + home, ..c };
    let elsewhere = |c: &FirstContact| search.nearer_elsewhere(a.solid, b.solid, c, pieces);
    let answer = match answer {
        Toc::Contact(c) => Toc::Contact(moved_back(elsewhere(&c).filter(|c| c.separation > 0.0).unwrap_or(c))),
        // How deep that is is measured of the whole solids.
        Toc::Overlapping(c) => Toc::Overlapping(moved_back(elsewhere(&c).unwrap_or(c))),
        other => other,
    };
    Ok(Answered { answer, stats })
}

/// One side of the search.
struct Side<'q> {
    solid: Solid<'q>,
    motion: RigidMotion,
}

enum Solid<'q> {
    Parts(&'q Compound),
    Whole(&'q Shape, Extent),
}

/// What is known of where a solid that is no compound is.
enum Extent {
    Box(Aabb),
    /// Below the plane with this outward normal.
    Below(Vector),
    Unknown,
}

/// A pair, which waits for the time until which it is certified apart, seconds after the interval's start.
#[derive(Clone, Copy, Debug)]
struct Entry {
    a: CompoundPiece,
    b: CompoundPiece,
    /// The pair's own answer, once it was asked; it waits for the answer's time.
    answer: Option<Toc>,
}

impl Ranked for Entry {
    type Rank = (bool, Reverse<(CompoundPiece, CompoundPiece)>);

    /// What is answered first, then the finer, then the lower numbers.
    fn rank(&self) -> Self::Rank {
        (self.answer.is_some(), Reverse((self.a, self.b)))
    }
}

struct PartSearch<'q> {
    a: Side<'q>,
    b: Side<'q>,
    pair: PairMotion,
    closeness: Closeness,
    interval: TimeInterval,
    options: &'q TocOptions,
}

impl PartSearch<'_> {
    /// The answer, and the pieces that gave it.
    fn run(&self, stats: &mut QueryStats) -> Result<(Toc, [CompoundPiece; 2]), TocError> {
        let mut queue = Queue::new();
        self.push(&mut queue, 0.0, self.a.root(), self.b.root(), stats);
        // The earliest end of any pair's certificate so far: nothing later is of interest.
        let mut earliest = self.interval.length();
        while let Some((due, entry)) = queue.pop() {
            if let Some(answer) = entry.answer {
                return Ok((answer, [entry.a, entry.b]));
            }
            if due > earliest {
                continue;
            }
            if stats.total() >= self.options.budget {
                return Ok((Toc::Undecided { safe_until: self.clock(due) }, [entry.a, entry.b]));
            }
            if matches!(entry.a, CompoundPiece::Node(_)) || matches!(entry.b, CompoundPiece::Node(_)) {
                self.split(&mut queue, due, &entry, stats);
                continue;
            }
            let answer = self.ask(due, &entry, earliest, stats)?;
            if let Some(until) = answer.safe_until() {
                let time = (until - self.interval.start()).max(due);
                earliest = earliest.min(time);
                queue.push(time, Entry { answer: Some(answer), ..entry });
            }
        }
        Ok((Toc::Separated, [self.a.root(), self.b.root()]))
    }

    /// Replaces the larger piece of a pair by its halves.
    fn split(&self, queue: &mut Queue<Entry>, due: Real, entry: &Entry, stats: &mut QueryStats) {
        let size = |side: &Side<'_>, piece| side.aabb(piece).map_or(0.0, |b| b.half_extents().norm_squared());
        let splits_a = match (entry.a, entry.b) {
            (CompoundPiece::Node(_), CompoundPiece::Node(_)) => size(&self.a, entry.a) >= size(&self.b, entry.b),
            (CompoundPiece::Node(_), _) => true,
            _ => false,
        };
        let (side, piece) = if splits_a { (&self.a, entry.a) } else { (&self.b, entry.b) };
        side.for_each_child(piece, |child| {
            let (a, b) = if splits_a { (child, entry.b) } else { (entry.a, child) };
            self.push(queue, due, a, b, stats);
        });
    }

    fn push(&self, queue: &mut Queue<Entry>, time: Real, a: CompoundPiece, b: CompoundPiece, stats: &mut QueryStats) {
        stats.nodes_visited += 1;
        if let Apart::Until(time) = self.apart(time, a, b) {
            queue.push(time, Entry { a, b, answer: None });
        }
    }

    fn apart(&self, time: Real, a: CompoundPiece, b: CompoundPiece) -> Apart {
        match (self.a.extent(a), self.b.extent(b)) {
            (Extent::Box(a), Extent::Box(b)) => boxes_apart(&self.pair, &self.closeness, time, &a, &b),
            (Extent::Below(n), Extent::Box(b)) => box_above_plane(&self.pair, &self.closeness, time, (&n, true), &b),
            (Extent::Box(a), Extent::Below(n)) => box_above_plane(&self.pair, &self.closeness, time, (&n, false), &a),
            _ => Apart::Until(time),
        }
    }

    /// Asks a pair of parts, from where its boxes stopped vouching for it up to the earliest contact known.
    fn ask(&self, due: Real, entry: &Entry, earliest: Real, stats: &mut QueryStats) -> Result<Toc, TocError> {
        let (shape_a, motion_a) = self.a.piece(entry.a);
        let (shape_b, motion_b) = self.b.piece(entry.b);
        let (from, to) = (self.clock(due), self.clock(earliest));
        // Both are in the interval, and the entry's time is not after the earliest.
        let Ok(rest) = TimeInterval::new(from, to.max(from)) else { return Ok(Toc::Undecided { safe_until: from }) };
        let options = TocOptions { budget: self.options.budget - stats.total(), ..*self.options };
        stats.features_tested += 1;
        let (a, b) = (Moving::new(shape_a, &motion_a), Moving::new(shape_b, &motion_b));
        let found = without_depth(a, b, rest, &options, None)?;
        *stats += found.stats;
        let named = |c: FirstContact| FirstContact {
            features: FeaturePair {
                a: self.a.feature(entry.a, c.features.a),
                b: self.b.feature(entry.b, c.features.b),
            },
            ..c
        };
        let with_depth = |answer| Query { a, b, interval: rest, options: &options, among: None }.with_depth(answer);
        Ok(match found.answer {
            // How deep is measured of the whole solids.
            Toc::Overlapping(c) if due <= 0.0 => Toc::Overlapping(named(c)),
            // Within the tolerance where the boxes stopped vouching: a contact.
            answer @ Toc::Overlapping(_) => match with_depth(answer) {
                Toc::Overlapping(c) => Toc::Contact(named(c)),
                other => other,
            },
            Toc::Contact(c) => Toc::Contact(named(c)),
            other => other,
        })
    }

    /// Where other parts than the pieces that met are nearer at that time, or overlap. The search meets parts one by one: what slides from one part to
    /// the next meets that one's edge from a direction in which the first is nearer, and of all that is within the tolerance at the start one is the first.
    fn nearer_elsewhere(
        &self,
        a: &Shape,
        b: &Shape,
        contact: &FirstContact,
        pieces: [CompoundPiece; 2],
    ) -> Option<FirstContact> {
        if contact.separation <= 0.0 {
            return None;
        }
        let (pose_a, pose_b) = (self.a.motion.pose_at(contact.time), self.b.motion.pose_at(contact.time));
        let met = pieces.map(CompoundPiece::number);
        let nearest = closest_of_other_parts((a, &pose_a), (b, &pose_b), contact.separation, met).ok().flatten()?;
        (nearest.distance < contact.separation).then(|| FirstContact::of_nearest(contact.time, &nearest))
    }

    /// Seconds after the interval's start on the motions' clock.
    fn clock(&self, after: Real) -> Real {
        (self.interval.start() + after).min(self.interval.end())
    }
}

impl<'q> Side<'q> {
    fn of(shape: &'q Shape, motion: RigidMotion) -> Self {
        let solid = match (shape.as_compound(), shape) {
            (Some(compound), _) => Solid::Parts(compound),
            (_, Shape::HalfSpace(plane)) => Solid::Whole(shape, Extent::Below(plane.normal())),
            _ if shape.is_bounded() => Solid::Whole(shape, Extent::Box(shape.as_solid().local_aabb())),
            _ => Solid::Whole(shape, Extent::Unknown),
        };
        Self { solid, motion }
    }

    fn root(&self) -> CompoundPiece {
        match &self.solid {
            Solid::Parts(_) => CompoundPiece::Node(0),
            Solid::Whole(..) => CompoundPiece::Whole,
        }
    }

    fn aabb(&self, piece: CompoundPiece) -> Option<Aabb> {
        match (&self.solid, piece) {
            (Solid::Parts(compound), CompoundPiece::Node(node)) => Some(compound.tree().node(node).aabb),
            (Solid::Parts(compound), CompoundPiece::Part(part)) => Some(*compound.part_box(part)),
            (Solid::Whole(_, Extent::Box(aabb)), _) => Some(*aabb),
            _ => None,
        }
    }

    fn extent(&self, piece: CompoundPiece) -> Extent {
        match (self.aabb(piece), &self.solid) {
            (Some(aabb), _) => Extent::Box(aabb),
            (None, Solid::Whole(_, Extent::Below(normal))) => Extent::Below(*normal),
            _ => Extent::Unknown,
        }
    }

    fn for_each_child(&self, piece: CompoundPiece, mut visit: impl FnMut(CompoundPiece)) {
        let (Solid::Parts(compound), CompoundPiece::Node(node)) = (&self.solid, piece) else { return };
        match compound.tree().node(node).kind {
            NodeKind::Inner { left, right } => [left, right].map(CompoundPiece::Node).into_iter().for_each(visit),
            NodeKind::Leaf { first, count } => {
                compound.tree().items(first, count).iter().for_each(|&part| visit(CompoundPiece::Part(part)));
            }
        }
    }

    /// The solid of a part, with the motion of its own frame.
    fn piece(&self, piece: CompoundPiece) -> (&'q Shape, RigidMotion) {
        match (&self.solid, piece) {
            (Solid::Parts(compound), CompoundPiece::Part(part)) => {
                let part = &compound.parts()[part as usize];
                (&part.shape, self.motion.of_part(&part.pose))
            }
            (Solid::Whole(shape, _), _) => (shape, self.motion),
            (Solid::Parts(_), _) => unreachable!("nodes were split"),
        }
    }

    fn feature(&self, piece: CompoundPiece, feature: Feature) -> Feature {
        match (&self.solid, piece) {
            (Solid::Parts(compound), CompoundPiece::Part(part)) => compound.feature_of_part(part, feature),
            _ => feature,
        }
    }
}
