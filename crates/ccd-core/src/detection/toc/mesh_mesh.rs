//! Time of contact of meshes: one search in time over pairs of tree nodes.
//!
//! **Problem.** The first time at which any triangle of one mesh comes within ε of the other solid.
//!
//! **Idea.** Every pair of nodes knows a time up to which its boxes are certainly apart ([`super::certificate`]). The pair
//! whose time is the earliest is refined at that time: nodes are split, parts that are not apart then are split further at
//! once, and the others wait for the time up to which they are certified; pairs of triangles that are near
//! advance one step of [`super::advancement`]. What was split, and has moved apart since, waits as a whole again. The first
//! pair of triangles that is found touching at the front is the first contact, for every other pair is certified up to it.
//!
//! ```text
//!  front (not apart at 0.12): (l, l) → (ll, lr) …      waiting, by time:  (l, r) 0.31  (face 7, face 3) 0.124 …
//! ```
//!
//! **Guarantee.** As [`super::advancement`]'s: never late, within ε at the reported time, for any motion.
//!
//! **Limits.** Surfaces only: a solid that is wholly inside a closed mesh at the start is told by the caller.
//!
//! **Source.** Tang, Kim and Manocha (2009), C²A; the order in time is erratum E5's.

use super::advancement::Touch;
use super::boxes::{Apart, Closeness};
use super::certificate::{Certifier, Front, Gap};
use super::kinematics::{PairMotion, Turning};
use super::mesh_pairs::{Item, Pair, Split, Splits};
use super::part::{BoxPart, CapsulePart, TrianglePart};
use super::passage::Passage;
use super::plane::SideBounds;
use crate::bounds::IndexedMesh;
use crate::bounds::tree::{NodeKind, Slab};
use crate::detection::closest::gjk::GjkCache;
use crate::detection::queue::Queue;
use crate::geometry::solid::{Solid, SupportMap};
use crate::math::{Point, Real, Vector};
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
    /// Of two meshes the pairs of triangles that can meet, if they are known; all can otherwise.
    pub among: Option<&'q [[u32; 2]]>,
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

/// What a run of the search works on.
pub(super) struct Run<'q, 's> {
    pub(super) search: &'q TreeSearch<'q>,
    certifier: Certifier<'q>,
    /// What is known of a convex side B, once a triangle is near it.
    pub(super) bounds_b: Option<SideBounds>,
    /// The box of a convex side B.
    whole_b: Option<BoxPart>,
    /// The triangle of A that was looked at last: pairs come in the order of A's triangles.
    part_a: Option<(u32, TrianglePart)>,
    /// Where the next climb over a convex side B may start.
    pub(super) hint_b: u32,
    /// The ball around a convex side B, seen from a mesh that does not turn.
    passage: Option<Passage>,
    /// Of two meshes: from this time on, seconds after the interval's start, capsules are asked.
    capsules_from: Real,
    /// How far the search has come, seconds after the interval's start.
    pub(super) now: Real,
    /// The bodies then, or before: it is moved on where it is needed.
    pub(super) front: Front,
    /// Pairs that are not apart as wholes at the front.
    here: Vec<Pair>,
    /// Pairs that wait for the time until which they are certified apart.
    pub(super) queue: Queue<Pair>,
    pub(super) caches: Vec<GjkCache>,
    splits: Splits,
    /// Between the nearest points of the two triangles that were looked at last: unit, world, from A to B.
    pub(super) normal: Option<Vector>,
    pub(super) stats: &'s mut QueryStats,
}

/// Boxes that are further apart than this share of the larger one's half diagonal gain more by another look than by
/// being split.
const FAR: Real = 0.03;
/// Parts that are further apart than this share of the half diagonal of what they were split from are worth a look as a whole.
const MERGES: Real = 0.7;
/// Triangles whose gap by their own normals and middles is more than this share of their distance of middles need no
/// distance query.
const CLEAR: Real = 0.1;
/// No more pairs than these wait in most searches; a quarter of them asks for distances.
const ROOM: usize = 32;

impl TreeSearch<'_> {
    pub fn run(&self, stats: &mut QueryStats) -> Found {
        if self.mesh.tree().node_count() == 0 {
            return Found::Apart;
        }
        let whole = match self.other {
            Other::Mesh(_) => Item::Node(0),
            Other::Convex(..) => Item::Whole,
        };
        let passage = match self.other {
            Other::Mesh(_) => None,
            Other::Convex(_, aabb) => {
                let radius = size_about(&aabb, &self.motion.b.local_centre);
                Passage::new(self.motion, &aabb, radius, self.tolerance + self.rounding)
            }
        };
        let mut run = Run {
            search: self,
            passage,
            capsules_from: self.capsules_from(),
            now: 0.0,
            certifier: Certifier {
                motion: self.motion,
                closeness: Closeness { tolerance: self.tolerance, rounding: self.rounding },
            },
            bounds_b: None,
            whole_b: None,
            part_a: None,
            hint_b: u32::MAX,
            front: Front::at(self.motion, 0.0),
            here: Vec::with_capacity(ROOM),
            queue: Queue::with_capacity(ROOM),
            caches: Vec::with_capacity(ROOM / 4),
            splits: Splits::with_capacity(ROOM),
            normal: None,
            stats,
        };
        let first = match self.among {
            None => run.place(Pair::new(Item::Node(0), whole)),
            Some(pairs) => pairs.iter().find_map(|&[a, b]| run.place(Pair::new(Item::Face(a), Item::Face(b)))),
        };
        if let Some(found) = first {
            return found;
        }
        loop {
            while let Some(pair) = run.here.pop() {
                if run.is_spent() {
                    return Found::Undecided(run.now);
                }
                if let Some(found) = run.split(pair) {
                    return found;
                }
            }
            let Some((time, pair)) = run.queue.pop() else { return Found::Apart };
            if run.splits.cover(&pair) {
                continue;
            }
            if run.is_spent() {
                return Found::Undecided(run.now);
            }
            run.now = run.now.max(time);
            if let Some(found) = run.place(pair) {
                return found;
            }
        }
    }

    /// From when on the solids have no further to go than the smaller one's radius: before that, hardly two nodes are told apart for the rest of the
    /// interval by what lies between them.
    fn capsules_from(&self) -> Real {
        let (Other::Mesh(other), None) = (self.other, self.among) else { return Real::INFINITY };
        let Self { mesh, motion, .. } = self;
        let size = |mesh: &IndexedMesh, turning: &Turning| size_about(&mesh.local_aabb(), &turning.local_centre);
        let fastest =
            motion.velocity.norm() + motion.a.speed * size(mesh, &motion.a) + motion.b.speed * size(other, &motion.b);
        let smaller = mesh.bounding_sphere().radius.min(other.bounding_sphere().radius);
        motion.length - smaller / fastest
    }

    fn box_b(&self, item: Item) -> Aabb {
        match self.other {
            Other::Mesh(mesh) => box_of(mesh, item),
            Other::Convex(_, aabb) => aabb,
        }
    }
}

impl Run<'_, '_> {
    /// Whether the budget has run out.
    fn is_spent(&self) -> bool {
        self.stats.total() >= self.search.budget
    }

    /// The largest pair that the given one was split from and that need not be split now that its parts have moved away from
    /// each other, with what is certified of it: what else it was split into is not looked at any more.
    fn merge(&mut self, pair: Pair, gap: &Gap) -> Option<(Pair, Apart)> {
        if !pair.certified {
            return None;
        }
        let (mut part, mut gap) = (pair, *gap);
        let mut merged = None;
        while let Some(Split { pair, size, .. }) = self.splits.of(&part) {
            if gap.size < MERGES * size {
                break;
            }
            self.stats.nodes_visited += 1;
            let (a, b) = self.parts(&pair);
            gap = self.front.widest_of_boxes(&a, &b);
            if self.certifier.is_close(&self.front, &gap) || gap.size < FAR * size {
                break;
            }
            self.splits.merge(&part);
            part = pair;
            merged = Some((pair, gap, a, b));
        }
        let (pair, gap, a, b) = merged?;
        Some((pair, self.certifier.apart(&self.front, &gap, &a, &b)))
    }

    /// What certificates know of both sides of a pair.
    fn parts(&mut self, pair: &Pair) -> (BoxPart, BoxPart) {
        let TreeSearch { mesh, motion, other, .. } = self.search;
        let b = match other {
            Other::Mesh(mesh) => part_of(mesh, pair.b, &motion.b),
            Other::Convex(_, aabb) => *self.whole_b.get_or_insert_with(|| BoxPart::new(aabb, &motion.b)),
        };
        (part_of(mesh, pair.a, &motion.a), b)
    }

    /// Certifies a pair from the front on, or keeps it to be split here.
    fn place(&mut self, pair: Pair) -> Option<Found> {
        self.stats.nodes_visited += 1;
        if let (Some(passage), Item::Node(_) | Item::Face(_), Item::Whole) = (&self.passage, pair.a, pair.b) {
            let aabb = box_of(self.search.mesh, pair.a);
            match passage.entry(&aabb) {
                None => return None,
                Some(entry) if entry > self.now => {
                    self.queue.push(entry, pair);
                    return None;
                }
                Some(_) => match pair.a {
                    Item::Face(face) if passage.is_beside(&self.search.mesh.triangle(face)) => return None,
                    Item::Node(_) if passage.suffices_for(&aabb) => {
                        self.here.push(pair);
                        return None;
                    }
                    _ => {}
                },
            }
        }
        let motion = self.search.motion;
        if self.front.instant.time < self.now {
            self.front = Front::at(motion, self.now);
        }
        if let (Item::Face(face_a), Item::Face(face_b), Other::Mesh(mesh_b)) = (pair.a, pair.b, self.search.other) {
            let a = match self.part_a {
                Some((face, part)) if face == face_a => part,
                _ => self.part_a.insert((face_a, TrianglePart::new(&self.search.mesh.triangle(face_a), &motion.a))).1,
            };
            let b = TrianglePart::new(&mesh_b.triangle(face_b), &motion.b);
            let gap = self.front.widest_of_triangles(&a, &b);
            if let Some((whole, apart)) = self.merge(pair, &gap) {
                return self.wait(whole, apart);
            }
            let apart = self.certifier.apart(&self.front, &gap, &a, &b);
            if apart == Apart::Forever || gap.size > CLEAR * gap.middles {
                return self.wait(pair, apart);
            }
            // Triangles around the same place are apart along the same direction.
            if let Some(normal) = self.normal {
                let normal = self.front.instant.rotation_a.tr_mul(&normal);
                let gap = Gap { normal, size: self.front.gap_along(&normal, &a, &b), ..gap };
                if self.certifier.apart(&self.front, &gap, &a, &b) == Apart::Forever {
                    return None;
                }
            }
            if let Some(gap) = self.front.widest_across_sides(&a, &b, gap.middles)
                && self.certifier.apart(&self.front, &gap, &a, &b) == Apart::Forever
            {
                self.normal = Some(self.front.instant.rotation_a * gap.normal);
                return None;
            }
            return self.step(pair);
        }
        if self.now >= self.capsules_from && self.capsules_stay_apart(&pair) {
            return None;
        }
        let (a, b) = self.parts(&pair);
        let gap = self.front.widest_of_boxes(&a, &b);
        let size = a.half_extents.norm_squared().max(b.half_extents.norm_squared());
        // Another look pays for boxes that are far apart; near ones are split.
        let is_leaf = matches!((pair.a, pair.b), (Item::Face(_), Item::Whole));
        let apart =
            !self.certifier.is_close(&self.front, &gap) && (!pair.certified || gap.size * gap.size > FAR * FAR * size);
        if apart {
            if let Some((whole, apart)) = self.merge(pair, &gap) {
                return self.wait(whole, apart);
            }
            let apart = self.certifier.apart(&self.front, &gap, &a, &b);
            self.wait(pair, apart)
        } else if is_leaf {
            self.step(pair)
        } else {
            self.here.push(pair);
            None
        }
    }

    /// Whether the capsules around two nodes certify them for the rest of the interval.
    fn capsules_stay_apart(&self, pair: &Pair) -> bool {
        let TreeSearch { mesh, motion, other, .. } = self.search;
        let (Item::Node(node_a), Item::Node(node_b), Other::Mesh(mesh_b)) = (pair.a, pair.b, other) else {
            return false;
        };
        let (Some(a), Some(b)) = (mesh.capsules().capsule(node_a), mesh_b.capsules().capsule(node_b)) else {
            return false;
        };
        let (a, b) = (CapsulePart::new(&a, &motion.a), CapsulePart::new(&b, &motion.b));
        let gap = self.front.between_capsules(&a, &b);
        gap.is_some_and(|gap| self.certifier.apart(&self.front, &gap, &a, &b) == Apart::Forever)
    }

    /// Queues a pair for the time until which it is certified.
    fn wait(&mut self, pair: Pair, apart: Apart) -> Option<Found> {
        match apart {
            Apart::Forever => {}
            Apart::Until(time) if time > self.now => self.queue.push(time, Pair { certified: true, ..pair }),
            Apart::Until(_) if pair.is_leaf() => return self.step(pair),
            Apart::Until(_) => self.here.push(pair),
        }
        None
    }

    /// Replaces the larger part of a pair by its halves.
    fn split(&mut self, pair: Pair) -> Option<Found> {
        let search = self.search;
        let size = |aabb: Aabb| aabb.half_extents().norm_squared();
        let splits_a = match (pair.a, pair.b) {
            (Item::Node(_), Item::Node(_)) => size(box_of(search.mesh, pair.a)) >= size(search.box_b(pair.b)),
            (Item::Node(_), _) => true,
            _ => false,
        };
        let (mesh, node) = match (splits_a, pair.a, pair.b, search.other) {
            (true, Item::Node(node), ..) => (search.mesh, node),
            (false, _, Item::Node(node), Other::Mesh(mesh)) => (mesh, node),
            _ => unreachable!("only nodes are split, and only meshes have nodes"),
        };
        let largest = size(box_of(search.mesh, pair.a)).max(size(search.box_b(pair.b)));
        let part = self.splits.split(pair, largest.sqrt());
        let with = |item: Item| if splits_a { part(item, pair.b) } else { part(pair.a, item) };
        match mesh.tree().node(node).kind {
            NodeKind::Inner { left, right } => {
                self.place(with(Item::Node(left))).or_else(|| self.place(with(Item::Node(right))))
            }
            NodeKind::Leaf { first, count } => {
                mesh.tree().items(first, count).iter().find_map(|&face| self.place(with(Item::Face(face))))
            }
        }
    }
}

/// What certificates know of a node or a face.
fn part_of(mesh: &IndexedMesh, item: Item, turning: &Turning) -> BoxPart {
    let part = BoxPart::new(&box_of(mesh, item), turning);
    let slab = match item {
        Item::Node(node) => mesh.slabs().slab(node),
        Item::Face(face) => {
            let direction = mesh.face_normals()[face as usize];
            let [a, b, c] = mesh.triangle(face).map(|p| direction.dot(&p.coords));
            let slab = Slab { direction, low: a.min(b).min(c), high: a.max(b).max(c) };
            // A triangle so thin that it has no normal has its box.
            (slab.direction.norm_squared() > 0.5).then_some(slab)
        }
        Item::Whole => None,
    };
    part.within(slab, turning)
}

/// No point of the box is further from `centre`, metres.
pub(super) fn size_about(aabb: &Aabb, centre: &Point) -> Real {
    (aabb.max - centre).abs().sup(&(aabb.min - centre).abs()).norm()
}

fn box_of(mesh: &IndexedMesh, item: Item) -> Aabb {
    match item {
        Item::Node(node) => mesh.tree().node(node).aabb,
        Item::Face(face) => Aabb::from_points(&mesh.triangle(face)),
        Item::Whole => mesh.local_aabb(),
    }
}
