//! Classifying a segment: the sequence of what it passes.
//!
//! The segment goes down the tree like a point does, divided at planes, and gathers the features that its ε-tube reaches.
//! Each is near along an interval; between the ends of all intervals the class of the points is constant, and what is not
//! near any feature lies inside or outside as a whole. Then the sequence is compressed as in the paper: equal neighbours
//! are one; and what a segment passes within a few ε where it crosses the surface is one point, on the feature of lowest
//! dimension there: the edge of a face that it leaves through, the vertex of an edge.

use std::ops::ControlFlow;

use super::spans::{Interval, Path};
use super::{IndexStats, Place};
use crate::bounds::brep_index::BrepIndex;
use crate::bounds::brep_index::node::{Leaf, Packed, Side, Subtree};
use crate::geometry::feature::Feature;
use crate::geometry::mesh::triangle::closest_point;
use crate::math::{Point, Real};
use crate::volume::Aabb;

/// A part of a segment on the surface that is at most so many ε long is a point: the segment crosses the surface there,
/// at an angle of at least 15°, rather than lying in it.
const POINT_LENGTH: Real = 8.0;

/// A face of more triangles is looked through by the tree of boxes.
const FEW_TRIANGLES: usize = 8;

/// A part of a segment, all in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPiece {
    /// Where it is: if on the surface, all of the piece is within ε of this vertex, of this edge of the solid, or of this
    /// face of the solid, told by the mesh's own part of it in the longest stretch.
    pub place: Place,
    /// Where it begins, as a fraction of the segment.
    pub from: Real,
    /// Where it ends, as a fraction of the segment.
    pub to: Real,
    /// For a crossing, which is one point of the sequence: the fraction where the segment is nearest to the feature.
    pub crossing: Option<Real>,
}

/// A feature and where it is near.
#[derive(Clone, Copy, Debug)]
struct Span {
    interval: Interval,
    /// 0 vertex, 1 edge, 2 face.
    rank: u8,
    /// In the [`crate::geometry::mesh::Brep`].
    whole: u32,
    feature: Feature,
}

/// What a segment's tube reaches.
#[derive(Debug, Default)]
struct Reached {
    faces: Vec<u32>,
    edges: Vec<u32>,
    vertices: Vec<u32>,
    is_undecided: bool,
}

impl BrepIndex {
    /// The places that the segment from `start` to `end` passes, in order: pieces that cover it without gap, neighbours in
    /// different places, each by the definition of [`BrepIndex::classify`], and crossings of the surface as points. Empty
    /// for ends that are not finite. A segment of no length is one piece.
    pub fn classify_segment(&self, start: &Point, end: &Point) -> Vec<SegmentPiece> {
        self.classify_segment_counted(start, end, &mut IndexStats::default())
    }

    /// [`BrepIndex::classify_segment`], adding its cost to `stats`.
    pub fn classify_segment_counted(&self, start: &Point, end: &Point, stats: &mut IndexStats) -> Vec<SegmentPiece> {
        let path = Path { start: *start, way: end - start, length: (end - start).norm() };
        if !path.length.is_finite() {
            return Vec::new();
        }
        if path.length <= self.undecided_band() {
            let place = self.classify_counted(start, stats);
            let crossing = matches!(place, Place::On(_)).then_some(0.0);
            return vec![SegmentPiece { place, from: 0.0, to: 1.0, crossing }];
        }
        let spans = match slab((0.0, 1.0), &path, &self.around) {
            Some(interval) => self.spans(&path, interval, stats),
            None => Vec::new(),
        };
        let pieces = self.sweep(&path, &spans, stats);
        self.compressed(&path, &spans, &pieces)
    }

    /// The features that the path is near, with where.
    fn spans(&self, path: &Path, interval: Interval, stats: &mut IndexStats) -> Vec<Span> {
        let mut reached = Reached::default();
        self.gather(path, interval, &mut reached, stats);
        if reached.is_undecided {
            self.visit_along(path, |t| reached.faces.push(self.brep.face_of_triangle(t)));
            for &f in &reached.faces {
                for h in self.brep.loops_of_face(f).iter().flat_map(|&first| self.brep.loop_from(first)) {
                    reached.edges.push(h / 2);
                    reached.vertices.push(self.brep.origin(h));
                }
            }
            stats.exact += 1;
        }
        for list in [&mut reached.faces, &mut reached.edges, &mut reached.vertices] {
            list.sort_unstable();
            list.dedup();
        }
        let radius = self.tolerance();
        let mut spans = Vec::new();
        let mut add = |found: Option<Interval>, rank: u8, whole: u32, feature: Feature| {
            stats.features_tested += 1;
            spans.extend(found.map(|interval| Span { interval, rank, whole, feature }));
        };
        for &v in &reached.vertices {
            add(path.near_point(&self.mesh.mesh().vertices()[v as usize], radius), 0, v, Feature::Vertex(v));
        }
        for &e in &reached.edges {
            for &part in self.brep.parts_of_edge(e) {
                add(path.near_segment(&self.mesh.edge(part), radius), 1, e, Feature::Edge(part));
            }
        }
        for &f in &reached.faces {
            let mut look = |t: u32| {
                let normal = &self.mesh.face_normals()[t as usize];
                add(path.near_triangle(&self.mesh.triangle(t), normal, radius), 2, f, Feature::Face(t));
            };
            let triangles = self.brep.triangles_of_face(f);
            if triangles.len() <= FEW_TRIANGLES {
                triangles.iter().for_each(|&t| look(t));
            } else {
                self.visit_along(path, |t| {
                    if self.brep.face_of_triangle(t) == f {
                        look(t)
                    }
                });
            }
        }
        spans.sort_by(|a, b| a.interval.0.total_cmp(&b.interval.0).then(a.feature.cmp(&b.feature)));
        spans
    }

    /// Goes down the tree with the path, divided at planes; both parts keep what is within reach of the plane.
    fn gather(&self, path: &Path, interval: Interval, reached: &mut Reached, stats: &mut IndexStats) {
        let mut open: Vec<(Packed, Interval)> = vec![(self.root, interval)];
        while let Some((subtree, interval)) = open.pop() {
            match subtree.open() {
                Subtree::Node(number) => {
                    let node = &self.nodes[number as usize];
                    stats.plane_tests += 2;
                    let (at_start, at_end) = (node.plane.height(&path.start), node.plane.height(&path.at(1.0)));
                    let above = Path::at_least(interval, at_start, at_end, -self.reach);
                    let below = Path::at_least(interval, -at_start, -at_end, -self.reach);
                    let on = above.and_then(|i| Path::at_least(i, -at_start, -at_end, -self.reach));
                    for (side, part) in [(Side::Above, above), (Side::On, on), (Side::Below, below)] {
                        open.extend(part.map(|part| (node.child(side), part)));
                    }
                }
                Subtree::Leaf(Leaf::Face(f)) => reached.faces.push(f),
                Subtree::Leaf(Leaf::Edge(e)) => reached.edges.push(e),
                Subtree::Leaf(Leaf::Vertex(v)) => reached.vertices.push(v),
                Subtree::Leaf(Leaf::Undecided) => reached.is_undecided = true,
                Subtree::Leaf(Leaf::Inside | Leaf::Outside | Leaf::Extension) => {}
            }
        }
    }

    /// Calls `triangle` for every triangle whose box the path's tube may reach.
    fn visit_along(&self, path: &Path, mut triangle: impl FnMut(u32)) {
        let meets = |aabb: &Aabb| slab((0.0, 1.0), path, &aabb.inflated(self.reach)).is_some();
        let _ = self.mesh.tree().visit(meets, |t| {
            triangle(t);
            ControlFlow::Continue(())
        });
    }

    /// Pieces of constant place, neighbours different; `spans` in the order of their beginnings.
    fn sweep(&self, path: &Path, spans: &[Span], stats: &mut IndexStats) -> Vec<(Option<u32>, SegmentPiece)> {
        let mut cuts: Vec<Real> = spans.iter().flat_map(|s| [s.interval.0, s.interval.1]).chain([0.0, 1.0]).collect();
        cuts.sort_by(Real::total_cmp);
        cuts.dedup();
        let least = self.undecided_band() / path.length;
        let mut pieces: Vec<(Option<u32>, SegmentPiece)> = Vec::new();
        let mut active: Vec<&Span> = Vec::new();
        let mut waiting = spans.iter().peekable();
        for cut in cuts.windows(2) {
            let (from, to) = (cut[0], cut[1]);
            let middle = 0.5 * (from + to);
            while let Some(span) = waiting.next_if(|s| s.interval.0 <= from) {
                active.push(span);
            }
            active.retain(|s| s.interval.1 >= to);
            let lowest = active.iter().map(|s| s.rank).min();
            // It stays on the feature it was on, as long as that is as low as any.
            let is_last =
                |s: &Span| pieces.last().is_some_and(|(whole, p)| *whole == Some(s.whole) && rank(p.place) == s.rank);
            let stays = active.iter().any(|s| Some(s.rank) == lowest && is_last(s));
            let distance = |s: &&&Span| self.distance(s.feature, &path.at(middle));
            let nearest = active
                .iter()
                .filter(|s| Some(s.rank) == lowest && (!stays || is_last(s)))
                .min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.feature.cmp(&b.feature)));
            let (whole, place) = match nearest {
                Some(span) => (Some(span.whole), Place::On(span.feature)),
                // Between two intervals that meet, but for rounding.
                None if to - from <= least && !pieces.is_empty() => continue,
                None => (None, self.side_beside(&path.at(middle), stats)),
            };
            match pieces.last_mut() {
                Some((last, piece)) if *last == whole && same_kind(piece.place, place) => {
                    if to - from > piece.to - piece.from {
                        piece.place = place;
                    }
                    piece.to = to;
                }
                _ => pieces.push((whole, SegmentPiece { place, from, to, crossing: None })),
            }
        }
        // Gaps of rounding that were left out.
        for i in 1..pieces.len() {
            pieces[i - 1].1.to = pieces[i].1.from;
        }
        if let Some((_, last)) = pieces.last_mut() {
            last.to = 1.0;
        }
        pieces
    }

    fn side_beside(&self, point: &Point, stats: &mut IndexStats) -> Place {
        if self.is_near_box(point) { self.side_off_surface(point, stats) } else { Place::Outside }
    }

    fn distance(&self, feature: Feature, point: &Point) -> Real {
        let nearest = match feature {
            Feature::Vertex(v) => self.mesh.mesh().vertices()[v as usize],
            Feature::Edge(e) => {
                let [a, b] = self.mesh.edge(e);
                let along = b - a;
                a + along * ((point - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0)
            }
            Feature::Face(t) => closest_point(&self.mesh.triangle(t), point).0,
        };
        (point - nearest).norm()
    }

    /// Runs of short pieces on the surface become one crossing each, on the feature of lowest dimension.
    fn compressed(&self, path: &Path, spans: &[Span], pieces: &[(Option<u32>, SegmentPiece)]) -> Vec<SegmentPiece> {
        let short = POINT_LENGTH * self.tolerance() / path.length;
        let is_short = |p: &SegmentPiece| matches!(p.place, Place::On(_)) && p.to - p.from <= short;
        let mut sequence: Vec<SegmentPiece> = Vec::with_capacity(pieces.len());
        let mut rest = pieces;
        while let Some(((_, first), others)) = rest.split_first() {
            if !is_short(first) {
                sequence.push(*first);
                rest = others;
                continue;
            }
            // As long as the run is not longer than two crossings: features closer than that are told apart.
            let run = rest.iter().take_while(|(_, p)| is_short(p) && p.to - first.from <= 2.0 * short).count().max(1);
            let (cluster, others) = rest.split_at(run);
            rest = others;
            let lowest = cluster.iter().map(|(_, p)| p).min_by_key(|p| rank(p.place)).unwrap_or(first);
            let interval = spans.iter().find(|s| Place::On(s.feature) == lowest.place).map(|s| s.interval);
            let at = interval.map_or(lowest.from, |(a, b)| 0.5 * (a + b));
            let to = cluster.last().map_or(first.to, |(_, p)| p.to);
            sequence.push(SegmentPiece { place: lowest.place, from: first.from, to, crossing: Some(at) });
        }
        sequence
    }
}

fn rank(place: Place) -> u8 {
    match place {
        Place::On(Feature::Vertex(_)) => 0,
        Place::On(Feature::Edge(_)) => 1,
        Place::On(Feature::Face(_)) => 2,
        Place::Inside | Place::Outside => 3,
    }
}

/// Whether two places differ at most in the number of the feature.
fn same_kind(a: Place, b: Place) -> bool {
    match (a, b) {
        (Place::On(_), Place::On(_)) => rank(a) == rank(b),
        _ => a == b,
    }
}

/// The part of `interval` where a path is in a box.
fn slab(interval: Interval, path: &Path, aabb: &Aabb) -> Option<Interval> {
    let end = path.at(1.0);
    (0..3).try_fold(interval, |i, k| {
        let i = Path::at_least(i, path.start[k], end[k], aabb.min[k])?;
        Path::at_least(i, -path.start[k], -end[k], -aabb.max[k])
    })
}
