//! Two meshes, here and now: edges against faces both ways.
//!
//! **Problem.** Say whether two placed meshes are apart, touch, or overlap, and where; and say the same when they are asked
//! about the other way round, for faces that lie in one plane and edges that just touch, too.
//! **Idea.** Two surfaces meet where an edge of one meets a face of the other. Pairs of faces that could are found by walking
//! two trees down together (or by a grid); every edge of either is tested against the other face with exact predicates on
//! the vertices as they are placed in the world, each rounded once, so that all faces of a vertex see it in one place.
//! What no edge crosses can still be wholly inside: one vertex of each shell tells.
//! **Guarantee.** [`Relation`] and the list of meetings are those of exact arithmetic on the placed, rounded vertices, and do
//! not depend on the order of the two, on the trees, or on the pruning. Two things are decided in rounded arithmetic: whether a
//! surface that meets nothing lies wholly inside the other solid, and whether solids that touch without an edge passing
//! through a face share volume (both to 1e-12 of the coordinates, in favour of touching).
//! **Limits.** Meshes that are no solids have no inside: they overlap only where their surfaces cross.
//! **Source.** The slides on rigid collision; Vaněček, section 4, for the vertices inside; Gottschalk et al. for the walk.

use std::ops::ControlFlow;

use super::overlap;
use crate::bounds::IndexedMesh;
use crate::bounds::tree::{ObbTree, PairWork, visit_pairs};
use crate::bounds::uniform_grid::UniformGrid;
use crate::geometry::mesh::meeting::{Meeting, segment_meets_triangle, triangles_meet};
use crate::math::{Point, Pose, Real};
use crate::volume::Aabb;

/// One of the two sides of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// How two placed meshes stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// They have no point in common.
    Apart,
    /// Their surfaces have points in common, but they share no volume and no edge passes through a face.
    Touching,
    /// An edge of one passes through a face of the other, or the solids share volume.
    Overlapping,
}

/// An edge of one mesh that meets a face of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeFaceMeeting {
    /// Whose edge it is; the face is the other's.
    pub edge_of: Side,
    /// The edge, by its number in its mesh's topology.
    pub edge: u32,
    /// The face of the other mesh.
    pub face: u32,
    /// Touching or crossing; never apart.
    pub meeting: Meeting,
    /// A point of the edge where they meet, world, to rounding.
    pub point: Point,
}

/// What [`find_mesh_interference`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshInterference {
    /// How the meshes stand to each other.
    pub relation: Relation,
    /// Every edge that meets a face of the other, once: those of A by edge and face, then those of B.
    pub meetings: Vec<EdgeFaceMeeting>,
    /// The side that lies wholly inside the other, where no surface meets.
    pub inner: Option<Side>,
    /// What the search cost.
    pub work: PairWork,
}

/// How the pairs of faces to test are found. All give the same answer.
#[derive(Clone, Copy, Debug, Default)]
pub enum Pruning<'t> {
    /// By the meshes' own trees of axis-aligned boxes.
    #[default]
    AabbTrees,
    /// By trees of oriented boxes over the two meshes, A's first.
    ObbTrees(&'t ObbTree, &'t ObbTree),
    /// By a uniform grid in world space over all faces, made for this query: linear in both meshes, so never the fastest for rigid
    /// ones; it needs nothing beforehand, which suits meshes that change their form at every step.
    Grid,
}

/// A mesh in its place.
#[derive(Clone, Copy)]
pub(super) struct Placed<'m> {
    pub(super) mesh: &'m IndexedMesh,
    pub(super) pose: &'m Pose,
}

impl Placed<'_> {
    pub(super) fn vertex(&self, vertex: u32) -> Point {
        self.pose * self.mesh.mesh().vertices()[vertex as usize]
    }

    pub(super) fn face(&self, face: u32) -> [Point; 3] {
        self.mesh.mesh().triangles()[face as usize].map(|v| self.vertex(v))
    }

    /// The edge's ends, the lower vertex first: in one direction whichever face asks.
    pub(super) fn edge(&self, edge: u32) -> [Point; 2] {
        self.mesh.topology().edges()[edge as usize].map(|v| self.vertex(v))
    }

    /// The largest number that takes part in placing a vertex, metres.
    fn reach(&self) -> Real {
        let aabb = self.mesh.tree().aabb();
        aabb.min.coords.amax().max(aabb.max.coords.amax()) + self.pose.translation.vector.amax()
    }
}

/// How far the placed vertices can be from where exact placing would put them, and the trees' frames from each other.
pub(super) fn rounding(a: &Placed, b: &Placed) -> Real {
    64.0 * Real::EPSILON * (a.reach() + b.reach())
}

/// How two placed meshes stand to each other; ends at the first edge that passes through a face.
///
/// Poses must be finite. Cost: the pairs of faces near each other, after a walk over both trees.
pub fn relate_meshes(a: &IndexedMesh, pose_a: &Pose, b: &IndexedMesh, pose_b: &Pose, pruning: Pruning) -> Relation {
    let (a, b) = (Placed { mesh: a, pose: pose_a }, Placed { mesh: b, pose: pose_b });
    let mut touching = Vec::new();
    let (ended, _) = visit_face_pairs(&a, &b, pruning, &mut |i, j| match triangles_meet(&a.face(i), &b.face(j)) {
        Meeting::Apart => ControlFlow::Continue(()),
        Meeting::Touching => {
            touching.push((i, j));
            ControlFlow::Continue(())
        }
        Meeting::Crossing => ControlFlow::Break(()),
    });
    if ended.is_break() {
        return Relation::Overlapping;
    }
    if touching.is_empty() {
        return if overlap::inner_side(&a, &b).is_some() { Relation::Overlapping } else { Relation::Apart };
    }
    touching.sort_unstable();
    let meetings = meetings_of(&a, &b, &touching);
    if overlap::touching_solids_share_volume(&a, &b, &touching, &meetings) {
        Relation::Overlapping
    } else {
        Relation::Touching
    }
}

/// How two placed meshes stand to each other, and every edge that meets a face.
///
/// Poses must be finite. Cost: the pairs of faces near each other, after a walk over both trees.
pub fn find_mesh_interference(
    a: &IndexedMesh,
    pose_a: &Pose,
    b: &IndexedMesh,
    pose_b: &Pose,
    pruning: Pruning,
) -> MeshInterference {
    let (a, b) = (Placed { mesh: a, pose: pose_a }, Placed { mesh: b, pose: pose_b });
    let mut met = Vec::new();
    let (_, work) = visit_face_pairs(&a, &b, pruning, &mut |i, j| {
        if triangles_meet(&a.face(i), &b.face(j)) != Meeting::Apart {
            met.push((i, j));
        }
        ControlFlow::Continue(())
    });
    met.sort_unstable();
    let meetings = meetings_of(&a, &b, &met);
    let crosses = meetings.iter().any(|m| m.meeting == Meeting::Crossing);
    let inner = if met.is_empty() { overlap::inner_side(&a, &b) } else { None };
    let relation = if crosses || inner.is_some() {
        Relation::Overlapping
    } else if met.is_empty() {
        Relation::Apart
    } else if overlap::touching_solids_share_volume(&a, &b, &met, &meetings) {
        Relation::Overlapping
    } else {
        Relation::Touching
    };
    MeshInterference { relation, meetings, inner, work }
}

/// Calls `pair` for every two faces whose volumes come together, among which are all that meet.
fn visit_face_pairs(
    a: &Placed,
    b: &Placed,
    pruning: Pruning,
    pair: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
) -> (ControlFlow<()>, PairWork) {
    let pose_b_in_a = a.pose.inv_mul(b.pose);
    let margin = rounding(a, b);
    let mut leaves = |items_a: &[u32], items_b: &[u32]| {
        for &i in items_a {
            items_b.iter().try_for_each(|&j| pair(i, j))?;
        }
        ControlFlow::Continue(())
    };
    match pruning {
        Pruning::AabbTrees => visit_pairs(a.mesh.tree(), b.mesh.tree(), &pose_b_in_a, margin, leaves),
        Pruning::ObbTrees(tree_a, tree_b) => visit_pairs(tree_a, tree_b, &pose_b_in_a, margin, leaves),
        Pruning::Grid => {
            let boxes = |side: &Placed| -> Vec<Aabb> {
                (0..side.mesh.mesh().triangles().len() as u32).map(|f| Aabb::from_points(&side.face(f))).collect()
            };
            let mut work = PairWork::default();
            let mut found = Vec::new();
            // Boxes of placed vertices need no margin: the exact test sees the same vertices.
            UniformGrid::for_each_pair_between(&boxes(a), &boxes(b), |i, j| found.push((i, j)));
            for (i, j) in found {
                work.leaf_pairs += 1;
                if leaves(&[i], &[j]).is_break() {
                    return (ControlFlow::Break(()), work);
                }
            }
            (ControlFlow::Continue(()), work)
        }
    }
}

/// The edges that meet faces among these pairs of faces, each once, in order.
fn meetings_of(a: &Placed, b: &Placed, pairs: &[(u32, u32)]) -> Vec<EdgeFaceMeeting> {
    let edges_of = |side: &Placed, face: u32| side.mesh.topology().triangle_edges()[face as usize];
    let mut named: Vec<(Side, u32, u32)> = Vec::new();
    for &(i, j) in pairs {
        named.extend(edges_of(a, i).map(|edge| (Side::A, edge, j)));
        named.extend(edges_of(b, j).map(|edge| (Side::B, edge, i)));
    }
    named.sort_unstable();
    named.dedup();
    named
        .into_iter()
        .filter_map(|(edge_of, edge, face)| {
            let (own, other) = if edge_of == Side::A { (a, b) } else { (b, a) };
            let ([p, q], corners) = (own.edge(edge), other.face(face));
            let meeting = segment_meets_triangle(&p, &q, &corners);
            (meeting != Meeting::Apart).then(|| {
                let point = overlap::common_point(&[p, q], &corners);
                EdgeFaceMeeting { edge_of, edge, face, meeting, point }
            })
        })
        .collect()
}
