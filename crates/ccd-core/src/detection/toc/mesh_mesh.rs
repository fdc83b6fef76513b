//! Time of contact of meshes: one search in time over pairs of tree nodes.
//!
//! **Problem.** The first time at which any triangle of one mesh comes within ε of the other solid.
//!
//! **Idea.** Every pair of nodes knows a time up to which its boxes are certainly apart. The pair whose time is the
//! earliest is refined: nodes are split, and the boxes of the parts are certified from there on; pairs of triangles
//! advance one step of [`super::advancement`]. The first pair of triangles that is found touching at the head of the queue is the
//! first contact, for every other pair is certified to a later time.
//!
//! ```text
//!  queue, by time:   (root, root) 0.0  →  (l, l) 0.12  (l, r) 0.31  →  (face 7, face 3) 0.124 …
//! ```
//!
//! **Guarantee.** As [`super::advancement`]'s: never late, within ε at the reported time, for any motion.
//!
//! **Limits.** Surfaces only: a solid that is wholly inside a closed mesh at the start is told by the caller.
//!
//! **Source.** Tang, Kim and Manocha (2009), C²A; the order in time is erratum E5's.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::advancement::{Advance, Direction, Step, Touch};
use super::boxes::{Apart, Closeness, boxes_apart};
use super::kinematics::PairMotion;
use super::plane::{ConvexPair, SideBounds};
use crate::bounds::IndexedMesh;
use crate::bounds::tree::NodeKind;
use crate::detection::closest::gjk::GjkCache;
use crate::geometry::feature::Feature;
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::Real;
use crate::stats::QueryStats;
use crate::volume::Aabb;

/// Side B of a search; side A is always a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Other<'q> {
    /// A mesh.
    Mesh(&'q IndexedMesh),
    /// A convex solid with its box.
    Convex(&'q dyn SupportMap, Aabb),
}

/// A question about a mesh and another solid.
pub(crate) struct TreeSearch<'q> {
    pub mesh: &'q IndexedMesh,
    pub other: Other<'q>,
    pub motion: &'q PairMotion,
    /// ε, metres.
    pub tolerance: Real,
    /// How far rounding can move a gap, metres.
    pub rounding: Real,
    pub budget: u64,
}

/// What the search found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    Touching(Touch),
    /// Certified apart to the interval's end.
    Apart,
    /// Certified apart until this many seconds after the start; no more budget, or no more digits.
    Undecided(Real),
}

/// A part of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Node(u32),
    Face(u32),
    /// The whole of a convex solid.
    Whole,
}

/// A pair of parts that is certified apart until `time`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    time: Real,
    a: Part,
    b: Part,
    /// Where the pair's GJK cache is, if it has one.
    cache: Option<u32>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    /// The heap's greatest is the earliest; ties go to the finer pair (faces before nodes), then by number.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then((self.a, self.b).cmp(&(other.a, other.b)))
    }
}

impl TreeSearch<'_> {
    pub fn run(&self, stats: &mut QueryStats) -> Found {
        if self.mesh.tree().node_count() == 0 {
            return Found::Apart;
        }
        let bounds_b = match self.other {
            Other::Mesh(_) => None,
            Other::Convex(solid, aabb) => {
                let centre = self.motion.b.local_centre;
                let size = (aabb.max - centre).abs().sup(&(aabb.min - centre).abs()).norm();
                Some(SideBounds::of(solid, &self.motion.b, size))
            }
        };
        let mut caches: Vec<GjkCache> = Vec::new();
        let mut queue = BinaryHeap::new();
        let whole = match self.other {
            Other::Mesh(_) => Part::Node(0),
            Other::Convex(..) => Part::Whole,
        };
        self.push(&mut queue, 0.0, Part::Node(0), whole, stats);
        while let Some(entry) = queue.pop() {
            if stats.total() >= self.budget {
                return Found::Undecided(entry.time);
            }
            if matches!(entry.a, Part::Node(_)) || matches!(entry.b, Part::Node(_)) {
                self.split(&mut queue, &entry, stats);
                continue;
            }
            let index = entry.cache.unwrap_or_else(|| {
                caches.push(GjkCache::default());
                (caches.len() - 1) as u32
            });
            stats.features_tested += 1;
            match self.step(&entry, &mut caches[index as usize], bounds_b.as_ref(), stats) {
                Step::Touching(touch) => return Found::Touching(touch),
                Step::SafeForever => {}
                Step::SafeUntil(time) if time > entry.time => {
                    queue.push(Entry { time, cache: Some(index), ..entry });
                }
                Step::SafeUntil(_) | Step::Stuck => return Found::Undecided(entry.time),
            }
        }
        Found::Apart
    }

    /// Replaces the larger part of a pair by its halves.
    fn split(&self, queue: &mut BinaryHeap<Entry>, entry: &Entry, stats: &mut QueryStats) {
        let size = |aabb: Aabb| aabb.half_extents().norm_squared();
        let splits_a = match (entry.a, entry.b) {
            (Part::Node(_), Part::Node(_)) => size(self.box_a(entry.a)) >= size(self.box_b(entry.b)),
            (Part::Node(_), _) => true,
            _ => false,
        };
        let (mesh, node) = match (splits_a, entry.a, entry.b, self.other) {
            (true, Part::Node(node), ..) => (self.mesh, node),
            (false, _, Part::Node(node), Other::Mesh(mesh)) => (mesh, node),
            _ => unreachable!("only nodes are split, and only meshes have nodes"),
        };
        let mut push = |part: Part| {
            let (a, b) = if splits_a { (part, entry.b) } else { (entry.a, part) };
            self.push(queue, entry.time, a, b, stats);
        };
        match mesh.tree().node(node).kind {
            NodeKind::Inner { left, right } => [left, right].map(Part::Node).into_iter().for_each(&mut push),
            NodeKind::Leaf { first, count } => {
                mesh.tree().items(first, count).iter().copied().map(Part::Face).for_each(&mut push);
            }
        }
    }

    fn push(&self, queue: &mut BinaryHeap<Entry>, time: Real, a: Part, b: Part, stats: &mut QueryStats) {
        stats.nodes_visited += 1;
        let closeness = Closeness { tolerance: self.tolerance, rounding: self.rounding };
        if let Apart::Until(time) = boxes_apart(self.motion, &closeness, time, &self.box_a(a), &self.box_b(b)) {
            queue.push(Entry { time, a, b, cache: None });
        }
    }

    fn box_a(&self, part: Part) -> Aabb {
        part_box(self.mesh, part)
    }

    fn box_b(&self, part: Part) -> Aabb {
        match self.other {
            Other::Mesh(mesh) => part_box(mesh, part),
            Other::Convex(_, aabb) => aabb,
        }
    }

    /// One step of advancement of a triangle and its partner.
    fn step(&self, entry: &Entry, cache: &mut GjkCache, bounds_b: Option<&SideBounds>, stats: &mut QueryStats) -> Step {
        let Part::Face(face_a) = entry.a else { unreachable!("nodes were split") };
        let corners = self.mesh.triangle(face_a);
        let triangle = Triangle::new(corners);
        let bounds_a = SideBounds::of_points(&corners, &self.motion.a);
        let (motion, rounding) = (self.motion, self.rounding);
        let mut step = match (entry.b, self.other, bounds_b) {
            (Part::Face(face_b), Other::Mesh(mesh), _) => {
                let corners = mesh.triangle(face_b);
                let other = Triangle::new(corners);
                let bounds_b = SideBounds::of_points(&corners, &motion.b);
                let pair = ConvexPair { a: &triangle, b: &other, bounds_a, bounds_b, motion, rounding };
                self.advance(pair).step(entry.time, cache, stats)
            }
            (Part::Whole, Other::Convex(solid, _), Some(&bounds_b)) => {
                let pair = ConvexPair { a: &triangle, b: solid, bounds_a, bounds_b, motion, rounding };
                self.advance(pair).step(entry.time, cache, stats)
            }
            _ => unreachable!("a convex side is whole, and has its bounds"),
        };
        if let Step::Touching(touch) = &mut step {
            touch.features.a = on_mesh(self.mesh, face_a, touch.features.a);
            if let (Part::Face(face_b), Other::Mesh(mesh)) = (entry.b, self.other) {
                touch.features.b = on_mesh(mesh, face_b, touch.features.b);
            }
        }
        step
    }

    fn advance<'p, A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
        &self,
        pair: ConvexPair<'p, A, B>,
    ) -> Advance<'p, A, B> {
        Advance { pair, direction: Direction::Nearest, tolerance: self.tolerance }
    }
}

fn part_box(mesh: &IndexedMesh, part: Part) -> Aabb {
    match part {
        Part::Node(node) => mesh.tree().node(node).aabb,
        Part::Face(face) => Aabb::from_points(&mesh.triangle(face)),
        Part::Whole => mesh.mesh().aabb(),
    }
}

/// A triangle's feature as the mesh's.
fn on_mesh(mesh: &IndexedMesh, face: u32, feature: Feature) -> Feature {
    match feature {
        Feature::Vertex(k) => Feature::Vertex(mesh.mesh().triangles()[face as usize][k as usize]),
        Feature::Edge(k) => Feature::Edge(mesh.topology().triangle_edges()[face as usize][k as usize]),
        Feature::Face(_) => Feature::Face(face),
    }
}
