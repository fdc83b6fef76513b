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
use super::kinematics::{Instant, PairMotion, Turning};
use super::plane::{ConvexPair, SideBounds};
use crate::bounds::IndexedMesh;
use crate::bounds::tree::NodeKind;
use crate::detection::closest::gjk::GjkCache;
use crate::geometry::feature::Feature;
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Real, Vector};
use crate::motion::bound::chord_deviation;
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

/// Until when two boxes are certified apart.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Apart {
    Forever,
    Until(Real),
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
        if let Apart::Until(time) = self.boxes_apart(time, &self.box_a(a), &self.box_b(b)) {
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

    /// Until when two boxes are certified apart, from `time` on, by the best of their faces' directions and the line of their
    /// centres, held fixed: the same certificate as for solids ([`super::plane`]), in closed form.
    fn boxes_apart(&self, time: Real, a: &Aabb, b: &Aabb) -> Apart {
        let motion = self.motion;
        let now = motion.at(time);
        let (a, b) = (Placed::new(a, &motion.a), Placed::new(b, &motion.b));
        let target = 0.5 * self.tolerance + self.rounding;
        let (gap, normal) = best_direction(&a, &b, &now);
        let room = gap - target;
        // At the start half the tolerance is no proof: what is within the whole of it there has to be found there, as an
        // overlap, and not a rounding later as a contact.
        let starts_close = time <= 0.0 && gap <= self.tolerance + self.rounding;
        if room.is_nan() || room <= 0.0 || starts_close {
            return Apart::Until(time);
        }
        let rest = motion.length - time;
        let closing = -normal.dot(&motion.velocity);
        if motion.is_straight() {
            // Exact along this direction.
            return if closing * rest <= room { Apart::Forever } else { Apart::Until(time + room / closing) };
        }
        let side = |placed: &Placed, turning: &Turning| {
            let across = normal.cross(&turning.axis).norm().min(1.0);
            (turning.speed * across * placed.reach, across)
        };
        let ((turn_a, across_a), (turn_b, across_b)) = (side(&a, &motion.a), side(&b, &motion.b));
        let bound = closing + turn_a + turn_b;
        if bound * rest <= room {
            return Apart::Forever;
        }
        let floor = room / bound;
        let certain = |stretch: Real| {
            let swing = chord_deviation(motion.a.speed, a.reach, stretch) * across_a
                + chord_deviation(motion.b.speed, b.reach, stretch) * across_b;
            gap_along(&a, &b, &motion.at(time + stretch), &normal).min(gap) - swing >= target
        };
        if certain(rest) {
            return Apart::Forever;
        }
        // Slow turning: the way is nearly straight, and most of the room can be used at once. Fast turning: the swing has
        // its largest value already, and the rest is straight again.
        let widest = 2.0 * (a.reach * across_a + b.reach * across_b);
        let straight = if closing > 0.0 { room / closing } else { rest };
        let swung = if closing > 0.0 { (room - widest) / closing } else { 0.0 };
        let mut best = floor;
        for stretch in [0.9 * straight, 0.95 * swung, 0.5 * straight] {
            if stretch > 1.5 * best && stretch < rest && certain(stretch) {
                best = stretch;
                break;
            }
        }
        if best >= rest { Apart::Forever } else { Apart::Until(time + best) }
    }
}

/// A box as its centre's arm from the centre of rotation, in the body's frame.
struct Placed {
    arm: Vector,
    half_extents: Vector,
    /// The farthest corner from the axis of rotation, metres; zero for a body that does not turn.
    reach: Real,
}

impl Placed {
    fn new(aabb: &Aabb, turning: &Turning) -> Self {
        let arm = aabb.centre() - turning.local_centre;
        let half_extents = aabb.half_extents();
        let reach =
            if turning.speed == 0.0 { 0.0 } else { arm.cross(&turning.local_axis).norm() + half_extents.norm() };
        Self { arm, half_extents, reach }
    }

    /// Half the width along the world direction.
    fn radius(&self, rotation: &Matrix, normal: &Vector) -> Real {
        rotation.tr_mul(normal).abs().dot(&self.half_extents)
    }
}

fn between(a: &Placed, b: &Placed, at: &Instant) -> Vector {
    at.offset + at.rotation_b * b.arm - at.rotation_a * a.arm
}

fn gap_along(a: &Placed, b: &Placed, at: &Instant, normal: &Vector) -> Real {
    normal.dot(&between(a, b, at)) - a.radius(&at.rotation_a, normal) - b.radius(&at.rotation_b, normal)
}

/// The direction, among the boxes' faces and the line of their centres, along which they are furthest apart.
fn best_direction(a: &Placed, b: &Placed, at: &Instant) -> (Real, Vector) {
    let between = between(a, b, at);
    let relative = at.rotation_a.tr_mul(&at.rotation_b);
    let spread = relative.abs();
    let (in_a, in_b) = (at.rotation_a.tr_mul(&between), at.rotation_b.tr_mul(&between));
    let gaps_a = in_a.abs() - a.half_extents - spread * b.half_extents;
    let gaps_b = in_b.abs() - b.half_extents - spread.tr_mul(&a.half_extents);
    let (i, j) = (gaps_a.imax(), gaps_b.imax());
    let (gap, normal) = if gaps_a[i] >= gaps_b[j] {
        (gaps_a[i], at.rotation_a.column(i) * in_a[i].signum())
    } else {
        (gaps_b[j], at.rotation_b.column(j) * in_b[j].signum())
    };
    let normal = normal.into_owned();
    if gap > 0.0
        && let Some(line) = between.try_normalize(0.0)
    {
        let along = between.norm() - a.radius(&at.rotation_a, &line) - b.radius(&at.rotation_b, &line);
        if along > gap {
            return (along, line);
        }
    }
    (gap, normal)
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
