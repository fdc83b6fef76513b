//! Two solids with B-rep indices: separate, touching or penetrating, and the features that touch.
//!
//! **Problem.** Given two solids in place, say whether they are apart, in contact, or overlap by more than ε; name the
//! features in contact on both sides; and where a step has ended in an overlap, estimate when in the step it began.
//! **Idea.** The corners, then the edges, of each solid are classified against the index of the other, in the other's frame.
//! A part of an edge that is inside ends the search; a corner on the surface, and a point where an edge crosses it, is a
//! contact. Contacts that both sides report are kept once.
//! **Guarantee.** Penetrating means that some point of one is inside the other by more than ε. Separate means that no corner
//! or edge of either comes within ε of the other's surface, and neither is inside the other.
//! **Limits.** Solids that fit flush — an end face of one fills a cross-section of the other — overlap without any edge
//! inside; the paper's search calls that touching. Here a face whose whole border is on the other's surface is looked
//! behind, in the middle of each of its triangles. [`estimate_collision_time`] is an estimate: it can be late.
//! **Source.** Vaněček (1990), section 3, with erratum E16.

use super::Side;
use crate::bounds::brep_index::{BrepIndex, IndexStats, Place, SegmentPiece};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::mesh::triangle::closest_point;
use crate::math::{Point, Pose, Real};

/// How deep behind a flush face the inside is looked for, in ε of the index asked.
const BEHIND: Real = 4.0;

/// The most halvings of the time at which an edge is looked at: down to the rounding of times.
const MOST_HALVINGS: u32 = 52;

/// How two solids are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexRelation {
    /// No corner or edge of either comes within ε of the other.
    Separate,
    /// Some do, none is inside by more than ε.
    Touching,
    /// Some point of one is inside the other by more than ε.
    Penetrating,
}

/// A contact of two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexContact {
    /// A corner, or a part of an edge, of one side, and what it touches on the other.
    pub features: FeaturePair,
    /// On A's feature, world.
    pub point_a: Point,
    /// On B's feature, world.
    pub point_b: Point,
}

/// A point of one solid inside the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexPenetration {
    /// Whose feature is inside the other.
    pub side: Side,
    /// A corner, the first part of an edge, or a triangle.
    pub feature: Feature,
    /// A point of it inside the other, world.
    pub point: Point,
}

/// What the search by indices finds.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexCollision {
    /// How the solids are to each other.
    pub relation: IndexRelation,
    /// The contacts, each pair of features once, in the order of features; where the solids penetrate, those that were
    /// found before.
    pub contacts: Vec<IndexContact>,
    /// Where they penetrate, the first evidence.
    pub penetration: Option<IndexPenetration>,
    /// What the classifications have cost.
    pub stats: IndexStats,
}

/// One solid as it is asked for by the other.
struct Pass<'i> {
    moved: &'i BrepIndex,
    fixed: &'i BrepIndex,
    side: Side,
    /// The moved solid in the fixed one's frame.
    pose: Pose,
}

/// How two solids at these world poses are to each other. Linear in the corners and edges, each at the cost of a
/// classification; those outside the other's box cost next to nothing.
pub fn collide_by_index(a: &BrepIndex, pose_a: &Pose, b: &BrepIndex, pose_b: &Pose) -> IndexCollision {
    let mut found = IndexCollision {
        relation: IndexRelation::Separate,
        contacts: Vec::new(),
        penetration: None,
        stats: IndexStats::default(),
    };
    for (side, moved, fixed, pose_moved, pose_fixed) in
        [(Side::B, b, a, pose_b, pose_a), (Side::A, a, b, pose_a, pose_b)]
    {
        let pass = Pass { moved, fixed, side, pose: pose_fixed.inv_mul(pose_moved) };
        found.penetration = pass.find_penetration(pose_fixed, &mut found.contacts, &mut found.stats);
        if found.penetration.is_some() {
            break;
        }
    }
    keep_each_pair_once(&mut found.contacts, a, b);
    found.relation = match (&found.penetration, found.contacts.is_empty()) {
        (Some(_), _) => IndexRelation::Penetrating,
        (None, false) => IndexRelation::Touching,
        (None, true) => IndexRelation::Separate,
    };
    found
}

impl Pass<'_> {
    fn vertex(&self, v: u32) -> Point {
        self.pose * self.moved.mesh().mesh().vertices()[v as usize]
    }

    fn find_penetration(
        &self,
        to_world: &Pose,
        contacts: &mut Vec<IndexContact>,
        stats: &mut IndexStats,
    ) -> Option<IndexPenetration> {
        let evidence = |feature, point: Point| IndexPenetration { side: self.side, feature, point: to_world * point };
        for v in self.moved.brep().corners() {
            let point = self.vertex(v);
            match self.fixed.classify_counted(&point, stats) {
                Place::Inside => return Some(evidence(Feature::Vertex(v), point)),
                Place::On(feature) => contacts.push(self.contact(Feature::Vertex(v), &point, feature, to_world)),
                Place::Outside => {}
            }
        }
        let edges = self.moved.brep().edges();
        let mut is_on_surface = vec![false; edges.len()];
        for (e, edge) in edges.iter().enumerate() {
            let [start, end] = edge.ends.map(|v| self.vertex(v));
            let pieces = self.fixed.classify_segment_counted(&start, &end, stats);
            if let Some(inside) = pieces.iter().find(|p| p.place == Place::Inside) {
                let middle = start + (end - start) * (0.5 * (inside.from + inside.to));
                return Some(evidence(Feature::Edge(self.moved.brep().parts_of_edge(e as u32)[0]), middle));
            }
            is_on_surface[e] = pieces.iter().all(|p| matches!(p.place, Place::On(_)));
            let length = (end - start).norm();
            for (piece, at) in pieces.iter().filter_map(|p| p.crossing.map(|at| (p, at))) {
                // What is at an end is the corner's contact.
                let from_end = at.min(1.0 - at) * length;
                if let Place::On(feature) = piece.place
                    && from_end > 2.0 * self.fixed.tolerance()
                {
                    let point = start + (end - start) * at;
                    contacts.push(self.contact(self.part_at(e as u32, &point), &point, feature, to_world));
                }
            }
        }
        self.behind_flush_faces(&is_on_surface, stats).map(|(feature, point)| evidence(feature, point))
    }

    /// The part of an edge that a point of it is on.
    fn part_at(&self, edge: u32, point: &Point) -> Feature {
        let own = self.pose.inverse_transform_point(point);
        let to_part = |part: &u32| (own - closest_on(self.moved, Feature::Edge(*part), &own)).norm();
        let parts = self.moved.brep().parts_of_edge(edge).iter();
        Feature::Edge(parts.min_by(|p, q| to_part(p).total_cmp(&to_part(q))).copied().unwrap_or(0))
    }

    /// A point inside both solids behind a face whose border is on the surface all around.
    fn behind_flush_faces(&self, is_on_surface: &[bool], stats: &mut IndexStats) -> Option<(Feature, Point)> {
        let brep = self.moved.brep();
        let depth = BEHIND * self.fixed.tolerance().max(self.moved.tolerance());
        for face in 0..brep.face_count() as u32 {
            let mut border = brep.loops_of_face(face).iter().flat_map(|&first| brep.loop_from(first));
            if !border.all(|h| is_on_surface[h as usize / 2]) {
                continue;
            }
            for &t in brep.triangles_of_face(face) {
                let [p, q, r] = self.moved.mesh().triangle(t);
                let middle = Point::from((p.coords + q.coords + r.coords) / 3.0);
                let behind = middle - self.moved.mesh().face_normals()[t as usize] * depth;
                if self.moved.classify_counted(&behind, stats) == Place::Inside {
                    let point = self.pose * behind;
                    if self.fixed.classify_counted(&point, stats) == Place::Inside {
                        return Some((Feature::Face(t), point));
                    }
                }
            }
        }
        None
    }

    /// The contact of a point of the moved solid's `own` feature with a feature of the fixed one.
    fn contact(&self, own: Feature, point: &Point, other: Feature, to_world: &Pose) -> IndexContact {
        let (own_point, other_point) = (to_world * point, to_world * closest_on(self.fixed, other, point));
        match self.side {
            Side::A => {
                IndexContact { features: FeaturePair { a: own, b: other }, point_a: own_point, point_b: other_point }
            }
            Side::B => {
                IndexContact { features: FeaturePair { a: other, b: own }, point_a: other_point, point_b: own_point }
            }
        }
    }
}

/// The point of a feature that is closest to a point, in the solid's frame.
fn closest_on(index: &BrepIndex, feature: Feature, point: &Point) -> Point {
    let mesh = index.mesh();
    match feature {
        Feature::Vertex(v) => mesh.mesh().vertices()[v as usize],
        Feature::Edge(e) => {
            let [a, b] = mesh.edge(e);
            let along = b - a;
            a + along * ((point - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0)
        }
        Feature::Face(t) => closest_point(&mesh.triangle(t), point).0,
    }
}

/// Corner against corner and edge against edge are found from both sides, at slightly different points: the first is kept.
fn keep_each_pair_once(contacts: &mut Vec<IndexContact>, a: &BrepIndex, b: &BrepIndex) {
    let apart = 4.0 * (a.tolerance() + b.tolerance());
    contacts.sort_by_key(|c| c.features);
    contacts
        .dedup_by(|later, first| later.features == first.features && (later.point_a - first.point_a).norm() <= apart);
}

/// A solid over a step: its index, and its world poses at both ends.
#[derive(Clone, Copy, Debug)]
pub struct IndexedStep<'i> {
    /// The solid.
    pub index: &'i BrepIndex,
    /// Where it is at the start.
    pub before: Pose,
    /// Where it is at the end.
    pub after: Pose,
}

/// Where in the step, as a fraction of it, a feature seems to have met the other solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionEstimate {
    /// In [0, 1].
    pub fraction: Real,
    /// Whose feature it is.
    pub side: Side,
    /// A corner, or the first part of an edge.
    pub feature: Feature,
}

/// When in a step the overlap at its end began: the least over all corners and edges of either solid that are inside the
/// other then, on straight ways in the other's frame. A corner entered where its way first goes inside (erratum E16); an
/// edge is looked at in between, halving down to ε of its way. `None` where no corner or edge is inside at the end.
///
/// An estimate: ways are not straight, and an edge may have been inside before and out again. For times that are never
/// late see [`crate::detection::toc`].
pub fn estimate_collision_time(a: &IndexedStep<'_>, b: &IndexedStep<'_>) -> Option<CollisionEstimate> {
    let mut least: Option<CollisionEstimate> = None;
    for (side, moved, fixed) in [(Side::B, b, a), (Side::A, a, b)] {
        // In the fixed solid's frame: a = (M_f at t)⁻¹ (M_m at t), and the same at t′.
        let ways = [fixed.before.inv_mul(&moved.before), fixed.after.inv_mul(&moved.after)];
        let way = |v: u32| ways.map(|pose| pose * moved.index.mesh().mesh().vertices()[v as usize]);
        let mut offer = |fraction: Real, feature: Feature| {
            if least.is_none_or(|l| fraction < l.fraction) {
                least = Some(CollisionEstimate { fraction, side, feature });
            }
        };
        for v in moved.index.brep().corners() {
            let [from, to] = way(v);
            if fixed.index.classify(&to) == Place::Inside
                && let Some(fraction) = first_entry(&fixed.index.classify_segment(&from, &to))
            {
                offer(fraction, Feature::Vertex(v));
            }
        }
        for (e, edge) in moved.index.brep().edges().iter().enumerate() {
            let ends = edge.ends.map(way);
            let is_inside = |t: Real| {
                let [p, q] = ends.map(|[from, to]| from + (to - from) * t);
                fixed.index.classify_segment(&p, &q).iter().any(|piece| piece.place == Place::Inside)
            };
            if !is_inside(1.0) {
                continue;
            }
            let longest = ends.map(|[from, to]| (to - from).norm()).into_iter().fold(0.0, Real::max);
            let (mut free, mut inside) = (0.0, 1.0);
            if is_inside(free) {
                inside = free;
            }
            for _ in 0..MOST_HALVINGS {
                if (inside - free) * longest <= fixed.index.tolerance() {
                    break;
                }
                let middle = 0.5 * (free + inside);
                if is_inside(middle) { inside = middle } else { free = middle }
            }
            offer(free, Feature::Edge(moved.index.brep().parts_of_edge(e as u32)[0]));
        }
    }
    least
}

/// Where a way first goes inside: at the crossing before its first part inside, where there is one.
fn first_entry(pieces: &[SegmentPiece]) -> Option<Real> {
    let first = pieces.iter().position(|p| p.place == Place::Inside)?;
    let crossing = first.checked_sub(1).and_then(|before| pieces[before].crossing);
    Some(crossing.unwrap_or(pieces[first].from))
}
