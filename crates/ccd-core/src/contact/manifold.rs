//! The front door: all contacts of two solids at an instant.

use std::sync::Arc;

use super::ContactPoint;
use super::carried::Carried;
use super::cluster::{reduce_to_average, reduce_to_clusters};
use super::compound::{PartCaches, compound_contacts};
use super::convex::convex_contacts;
use super::convex_mesh::mesh_convex_contacts;
use super::field::field_contacts;
use super::half_space::{Plane, plane_contacts};
use super::limits::{Limits, SAME_PLACE};
use super::mesh::{mesh_ball_contacts, mesh_mesh_contacts};
use super::near::NearMemory;
use super::patches::patch_contacts;
use super::reduce::{Reduction, join_places, reduce};
use super::side::ConvexSide;
use super::uncut::uncut_contacts;
use crate::bounds::IndexedMesh;
use crate::detection::closest::gjk::GjkCache;
use crate::detection::dispatch::needs_cells;
use crate::geometry::feature::FeaturePair;
use crate::math::{Point, Pose, Real, is_sound_pose};
use crate::shape::Shape;

/// What is remembered of a pair from one search to the next: it makes the next one steadier and faster, never different
/// in what touches. Where neither body has moved over the other by more than a thousandth of the margin and a hundredth of
/// the tolerance, the features are those of the last search, and their contacts follow from the placement. What is remembered of
/// other shapes than those asked for is left.
#[derive(Clone, Debug)]
pub struct ContactCache {
    /// The features of the contacts found the last time.
    features: Vec<FeaturePair>,
    /// Where the last distance search of two convex solids ended.
    gjk: GjkCache,
    /// The two: points of others would tell of places that these do not have.
    gjk_of: Option<[Shape; 2]>,
    /// The same for each pair of parts of compounds, and for solids before others were cut out of them.
    pub(super) parts: PartCaches,
    /// What the last search found, for placements that are as good as the same; nothing for looks aside.
    carried: Option<Carried>,
    /// The triangles near the other solid.
    pub(super) near: NearMemory,
}

impl Default for ContactCache {
    fn default() -> Self {
        Self {
            features: Vec::new(),
            gjk: GjkCache::default(),
            gjk_of: None,
            parts: PartCaches::new(),
            carried: Some(Carried::default()),
            near: NearMemory::default(),
        }
    }
}

impl ContactCache {
    /// Where the last distance search of these two convex solids ended, in this order; of others nothing is known.
    fn gjk_of(&mut self, a: &Shape, b: &Shape) -> &mut GjkCache {
        if !self.gjk_of.as_ref().is_some_and(|[one, other]| one.is_same(a) && other.is_same(b)) {
            self.gjk = GjkCache::default();
            self.gjk_of = Some([a.clone(), b.clone()]);
        }
        &mut self.gjk
    }

    /// A copy for searches at other placements, where a motion leads to, say: nothing that they find is carried on from one to the next.
    pub fn aside(&self) -> Self {
        Self {
            features: self.features.clone(),
            gjk: self.gjk,
            gjk_of: self.gjk_of.clone(),
            parts: self.parts.clone(),
            carried: None,
            near: self.near.clone(),
        }
    }

    /// All pairs of triangles of two meshes that are within reach of each other at these poses, with some that are further apart,
    /// ascending; `None` of solids between which no contacts were looked for yet, of others than meshes, and of meshes that are small
    /// beside that reach. `reach` tells how far from B's points in the convex hull of some (in A's frame) A's are within it, metres; of a
    /// smaller hull no further. The pairs depend on the meshes, the poses and the reach alone.
    ///
    /// Cost: a box test for each pair of triangles on a list; from time to time a walk over both trees to make that.
    pub fn triangles_within(
        &self,
        a: (&Shape, &Pose),
        b: (&Shape, &Pose),
        reach: impl Fn(&[Point]) -> Real,
    ) -> Option<Vec<[u32; 2]>> {
        self.near.triangles_within(a, b, reach)
    }
}

/// The snap distance as a share of the margin, and of the tolerance: gaps that are kept must not be lost in it.
const SNAP: Real = 1e-3;
const SNAP_OF_TOLERANCE: Real = 1e-2;
/// The least snap distance, metres: a few roundings at the scale of a room.
const LEAST_SNAP: Real = 1e-12;
/// As many points as a face of a dozen corners has are all kept. A body stands on the whole outline of its base: on four corners of it a cylinder
/// tips over where three tenths of its radius are left. And which of many are kept changes while bodies creep, and each time what a
/// point carried would be carried by nobody.
const FEW: usize = 12;
/// Separations that differ by less than this share of the margin are equally deep.
const SAME_DEPTH: Real = 0.05;

/// Appends the contacts of two solids at these poses: all with a separation of at most `margin` metres, reduced to few
/// that hold the bodies as well as all of them would.
///
/// Each contact has its points on the two surfaces (world), the unit normal from A to B, the signed separation along it,
/// and the features that touch, which stay the same while the bodies creep. The nearest points are always among them, up to `margin / 500`
/// (and, where [`find_contacts_by`] is told a tolerance, a fiftieth of that); of fields that are not convex up to a twentieth of their
/// separation, too, and as far as descent finds them; of small closed meshes that are convex but for dents of rounding up to twice as far.
/// At most a dozen contacts share a direction where both solids are convex, which is all of most faces; else as many as the patches need.
/// Overlaps up to about the margin are found with negative separations.
///
/// | pair | how |
/// |---|---|
/// | compound, anything | near pairs of parts, each as its kinds ask; reduced over all of them |
/// | patches, anything | the nearest points, and those of triangles near the surface, moved onto it |
/// | half-space, anything | every corner near the plane |
/// | box, box | 15 separating directions, then faces |
/// | convex, convex | nearest points (GJK), then the faces, lines and corners that look along their direction |
/// | difference, anything | as the solid that was cut, where no contact of it is at a place that was cut away |
/// | field that is not convex, anything | cells within the margin, each with its nearest points |
/// | mesh, anything | pairs of near triangles; only contacts within the Voronoi regions of the true surface |
///
/// Nothing is appended for poses or a margin that are not finite, or a negative margin.
///
/// Cost: constant for primitives, otherwise by the features within the margin.
///
/// Source: Mirtich 1998, section 3 (contact sets); errata E6, E25, E26.
pub fn find_contacts(
    shape_a: &Shape,
    pose_a: &Pose,
    shape_b: &Shape,
    pose_b: &Pose,
    margin: Real,
    cache: &mut ContactCache,
    out: &mut Vec<ContactPoint>,
) {
    find_contacts_by((shape_a, pose_a), (shape_b, pose_b), &ContactSearch::within(margin), cache, out);
}

/// How contacts are thinned out to those that a response works with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReductionMethod {
    /// Few points that hold the bodies as well as all of them would: the extreme ones and the deepest.
    #[default]
    Manifold,
    /// One point for each cluster, by the priorities of Vaněček's paper.
    Cluster,
    /// One point in the middle of all: where, it may be, nothing touches (erratum E14).
    Average,
    /// All points, but for those found twice.
    None,
}

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSearch {
    /// The largest separation of a contact, metres.
    pub margin: Real,
    /// ε, metres: clusters are four times as wide, and places a hundredth of it apart are the same. Zero for the distances that
    /// follow from the margin alone.
    pub tolerance: Real,
    /// How the contacts are thinned out.
    pub reduction: ReductionMethod,
}

impl ContactSearch {
    /// All contacts within a margin.
    pub(super) const fn within(margin: Real) -> Self {
        Self { margin, tolerance: 0.0, reduction: ReductionMethod::Manifold }
    }

    /// What counts as a contact.
    pub(super) fn limits(&self) -> Limits {
        Limits { margin: self.margin, deepest: Real::NEG_INFINITY, snap: self.snap() }
    }

    /// Distances below this are no distance, metres.
    pub(super) fn snap(&self) -> Real {
        let share = SNAP * self.margin;
        let share = if self.tolerance > 0.0 { share.min(SNAP_OF_TOLERANCE * self.tolerance) } else { share };
        share.max(LEAST_SNAP)
    }

    /// How deep the dents of a mesh may be that is searched as its hull, metres.
    pub(crate) fn dent(&self) -> Real {
        self.limits().dent()
    }
}

/// [`find_contacts`] with a reduction of choice.
pub fn find_contacts_by(
    (shape_a, pose_a): (&Shape, &Pose),
    (shape_b, pose_b): (&Shape, &Pose),
    search: &ContactSearch,
    cache: &mut ContactCache,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    // A mean of contacts is at the place of none of them.
    let follows_features = search.reduction != ReductionMethod::Average;
    if follows_features
        && let Some(carried) = &mut cache.carried
        && carried.carry((shape_a, pose_a), (shape_b, pose_b), search, out)
    {
        return;
    }
    find_every_contact((shape_a, pose_a), (shape_b, pose_b), &search.limits(), cache, out);
    let convex = |shape: &Shape| match shape {
        Shape::HalfSpace(_) => true,
        Shape::Mesh(mesh) => mesh.surface_features().is_convex(),
        other => other.as_convex().is_some(),
    };
    let are_convex = convex(shape_a) && convex(shape_b);
    let reduction = Reduction {
        same_place: SAME_PLACE * search.snap(),
        same_depth: SAME_DEPTH * search.margin,
        same_gap: search.snap(),
        several_patches: !are_convex,
        few: FEW,
    };
    match search.reduction {
        ReductionMethod::Manifold => reduce(out, start, &cache.features, &reduction),
        ReductionMethod::Cluster => reduce_to_clusters(out, start, search.tolerance),
        ReductionMethod::Average => reduce_to_average(out, start),
        ReductionMethod::None => join_places(out, start, &cache.features, reduction.same_place),
    }
    // A solver's answer depends on the order of its contacts by a rounding or two, so the order is the body's own: it must not
    // change with the triangles of the floor that the body slides over, nor be another one on a half-space.
    let ground_is_b = kind_rank(shape_b, search.dent()) < kind_rank(shape_a, search.dent());
    out[start..].sort_unstable_by_key(|c| {
        let FeaturePair { a, b } = c.features;
        if ground_is_b { (a, b) } else { (b, a) }
    });
    cache.features.clear();
    cache.features.extend(out[start..].iter().map(|c| c.features));
    if follows_features && let Some(carried) = &mut cache.carried {
        carried.remember((shape_a, pose_a), (shape_b, pose_b), search, &out[start..]);
    }
}

/// [`find_contacts`] without the reduction: every pair of features within the margin, some of them in one place.
pub fn find_all_contacts(
    shape_a: &Shape,
    pose_a: &Pose,
    shape_b: &Shape,
    pose_b: &Pose,
    margin: Real,
    out: &mut Vec<ContactPoint>,
) {
    let limits = ContactSearch::within(margin).limits();
    find_every_contact((shape_a, pose_a), (shape_b, pose_b), &limits, &mut ContactCache::default(), out);
}

pub(super) fn find_every_contact(
    (shape_a, pose_a): (&Shape, &Pose),
    (shape_b, pose_b): (&Shape, &Pose),
    limits: &Limits,
    cache: &mut ContactCache,
    out: &mut Vec<ContactPoint>,
) {
    let margin = limits.margin;
    if !(margin >= 0.0 && margin.is_finite() && is_sound_pose(pose_a) && is_sound_pose(pose_b)) {
        return;
    }
    let start = out.len();
    let swapped = kind_rank(shape_b, limits.dent()) < kind_rank(shape_a, limits.dent());
    let (one, pose_one, other, pose_other) =
        if swapped { (shape_b, pose_b, shape_a, pose_a) } else { (shape_a, pose_a, shape_b, pose_b) };
    // In the first one's frame, so that numbers stay small however far the pair is from the world's origin.
    contacts_in_frame(one, other, &pose_one.inv_mul(pose_other), limits, cache, out);
    let rotation = pose_one.rotation.to_rotation_matrix();
    let placed = |p: &Point| pose_one.translation * (rotation * p);
    for c in &mut out[start..] {
        (c.point_a, c.point_b, c.normal) = (placed(&c.point_a), placed(&c.point_b), rotation * c.normal);
        if swapped {
            *c = c.swapped();
        }
    }
}

/// One order of the kinds, so that each pair of kinds has one way: compounds first, then half-spaces, patches, meshes; those that are
/// convex polyhedra are with these.
fn kind_rank(shape: &Shape, dent: Real) -> u8 {
    match shape {
        shape if shape.as_compound().is_some() => 0,
        Shape::HalfSpace(_) => 1,
        Shape::Patches(_) => 2,
        other => 4 - u8::from(by_triangles(other, dent).is_some()),
    }
}

/// The mesh whose triangles are searched for contacts: one that is not, but for dents up to this depth, a convex polyhedron.
fn by_triangles(shape: &Shape, dent: Real) -> Option<&Arc<IndexedMesh>> {
    let Shape::Mesh(mesh) = shape else { return None };
    mesh.as_polyhedron(dent).is_none().then_some(mesh)
}

/// The contacts in A's frame, of solids in the order of their ranks.
fn contacts_in_frame(
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    limits: &Limits,
    cache: &mut ContactCache,
    out: &mut Vec<ContactPoint>,
) {
    if let Some(a) = a.as_compound() {
        return compound_contacts(a, b, b_in_a, limits, &mut cache.parts, out);
    }
    match (a, b) {
        _ if needs_cells(a) || needs_cells(b) => {
            if !uncut_contacts(a, b, b_in_a, limits, cache, out) {
                field_contacts(a, b, b_in_a, limits, out);
            }
        }
        (Shape::Patches(_), _) | (_, Shape::Patches(_)) => patch_contacts(a, b, b_in_a, limits, out),
        (Shape::HalfSpace(half_space), _) => {
            let plane = Plane { point: Point::origin(), normal: half_space.normal() };
            plane_contacts(&plane, b, b_in_a, limits, out);
        }
        _ => match (by_triangles(a, limits.dent()), by_triangles(b, limits.dent())) {
            (Some(mesh_a), Some(mesh_b)) => {
                let limits = Limits { deepest: -limits.margin, ..*limits };
                cache.near.with(|near| mesh_mesh_contacts(mesh_a, mesh_b, b_in_a, &limits, near, out));
            }
            (Some(mesh), None) => {
                if let Shape::Ball(ball) = b {
                    let centre = Point::from(b_in_a.translation.vector);
                    mesh_ball_contacts(mesh, &centre, ball.radius(), limits, out);
                } else if let Some(side) = ConvexSide::new(b, *b_in_a, limits.dent()) {
                    cache.near.with(|near| mesh_convex_contacts(mesh, &side, limits, near, out));
                }
            }
            (None, _) => {
                let sides =
                    ConvexSide::new(a, Pose::identity(), limits.dent()).zip(ConvexSide::new(b, *b_in_a, limits.dent()));
                if let Some((side_a, side_b)) = sides {
                    convex_contacts(&side_a, &side_b, limits, cache.gjk_of(a, b), out);
                }
            }
        },
    }
}
