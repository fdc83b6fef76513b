//! The walk over the trees of meshes to those triangles that may be near something.

use super::gjk::{GjkCache, GjkGoal, Separation, separation};
use super::relative;
use crate::bounds::IndexedMesh;
use crate::bounds::tree::{NodeBox, NodeFrames, NodeKind};
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real, Vector};
use crate::volume::Aabb;

/// Tells boxes of two frames apart that are further from each other than a limit that shrinks: most of those that lie across each
/// other's axes.
struct Sieve<'p> {
    b_in_a: &'p Pose,
    /// What holds all boxes of either frame.
    within: [Aabb; 2],
    /// Beside the limit that they are for.
    frames: Option<(Real, NodeFrames)>,
}

impl<'p> Sieve<'p> {
    fn new(b_in_a: &'p Pose, within: [Aabb; 2]) -> Self {
        Self { b_in_a, within, frames: None }
    }

    /// Whether two boxes are further apart than `limit`, which is no more than the last time, metres.
    fn are_apart(&mut self, limit: Real, a: &NodeBox, b: &NodeBox) -> bool {
        if !limit.is_finite() {
            return false;
        }
        let [within_a, within_b] = &self.within;
        match &mut self.frames {
            Some((at, frames)) if limit >= 0.5 * *at => frames.are_apart(a, b),
            frames => {
                frames.insert((limit, NodeFrames::new(self.b_in_a, [within_a, within_b], limit))).1.are_apart(a, b)
            }
        }
    }
}

/// Shows the triangles of a mesh that may be nearer than a limit to a convex solid in the box `own` to `see`, nearest boxes first; it answers
/// the limit from then on, or ends the walk.
pub(super) fn visit_near_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    own: &Aabb,
    pose: &Pose,
    mut limit: Real,
    mut see: impl FnMut(u32, &Separation, &GjkCache) -> Option<Real>,
) {
    let around = own.transformed(pose);
    let placement = relative(pose);
    let tree = mesh.tree();
    let mut sieve = Sieve::new(pose, [tree.aabb(), *own]);
    let own = NodeBox::around(own);
    let mut stack = vec![(0_u32, gap(&tree.aabb(), &around))];
    while let Some((node, lower)) = stack.pop() {
        if lower >= limit || tree.node_count() == 0 || sieve.are_apart(limit, &tree.node_box(node).0, &own) {
            continue;
        }
        match tree.node(node).kind {
            NodeKind::Inner { left, right } => {
                push_nearest_last(&mut stack, [left, right].map(|n| (n, gap(&tree.node(n).aabb, &around))))
            }
            NodeKind::Leaf { first, count } => {
                for &face in tree.items(first, count) {
                    let triangle = Triangle::new(mesh.triangle(face));
                    let mut cache = GjkCache::default();
                    let goal = GjkGoal { enough: limit + convex.radius(), ..GjkGoal::EXACT };
                    let found = separation(&triangle, convex, &placement, &mut cache, &goal);
                    match see(face, &found, &cache) {
                        Some(next) => limit = next,
                        None => return,
                    }
                }
            }
        }
    }
}

/// The same for two meshes, with the numbers of two triangles.
pub(super) fn visit_near_triangles(
    a: &IndexedMesh,
    b: &IndexedMesh,
    pose: &Pose,
    mut limit: Real,
    mut see: impl FnMut([u32; 2], &Separation, &GjkCache) -> Option<Real>,
) {
    let placement = relative(pose);
    let (tree_a, tree_b) = (a.tree(), b.tree());
    if tree_a.node_count() == 0 || tree_b.node_count() == 0 {
        return;
    }
    let lower = |m: u32, n: u32| gap(&tree_a.node(m).aabb, &tree_b.node(n).aabb.transformed(pose));
    let mut sieve = Sieve::new(pose, [tree_a.aabb(), tree_b.aabb()]);
    let mut stack = vec![((0_u32, 0_u32), lower(0, 0))];
    while let Some(((m, n), least)) = stack.pop() {
        if least >= limit || sieve.are_apart(limit, &tree_a.node_box(m).0, &tree_b.node_box(n).0) {
            continue;
        }
        let (node_a, node_b) = (tree_a.node(m), tree_b.node(n));
        match (node_a.kind, node_b.kind) {
            (NodeKind::Leaf { first: fa, count: ca }, NodeKind::Leaf { first: fb, count: cb }) => {
                for &face_b in tree_b.items(fb, cb) {
                    let triangle_b = Triangle::new(b.triangle(face_b));
                    let placed = b.triangle(face_b).map(|p| pose * p);
                    for &face_a in tree_a.items(fa, ca) {
                        if are_apart(&a.triangle(face_a), &placed, limit) {
                            continue;
                        }
                        let triangle_a = Triangle::new(a.triangle(face_a));
                        let mut cache = GjkCache::default();
                        let goal = GjkGoal { enough: limit, ..GjkGoal::EXACT };
                        let found = separation(&triangle_a, &triangle_b, &placement, &mut cache, &goal);
                        match see([face_a, face_b], &found, &cache) {
                            Some(next) => limit = next,
                            None => return,
                        }
                    }
                }
            }
            (NodeKind::Inner { left, right }, other)
                if matches!(other, NodeKind::Leaf { .. }) || node_a.aabb.area() >= node_b.aabb.area() =>
            {
                push_nearest_last(&mut stack, [left, right].map(|k| ((k, n), lower(k, n))));
            }
            (_, NodeKind::Inner { left, right }) => {
                push_nearest_last(&mut stack, [left, right].map(|k| ((m, k), lower(m, k))));
            }
            (NodeKind::Inner { .. }, NodeKind::Leaf { .. }) => unreachable!("the guard above takes every leaf of B"),
        }
    }
}

/// Whether two triangles are further apart than `distance` along the normal of either, or along that of a side within its plane: most
/// of those whose boxes overlap are, and are told so in a tenth of the time of a search.
fn are_apart(a: &[Point; 3], b: &[Point; 3], distance: Real) -> bool {
    // Beyond rounding: what is as near as that may be the nearest.
    let limit = distance * (1.0 + 1e-9) + 1e-12 * (a[0].coords.norm() + b[0].coords.norm());
    let beyond = |one: &[Point; 3], other: &[Point; 3]| {
        let normal = (one[1] - one[0]).cross(&(one[2] - one[0]));
        let clears = |axis: Vector, least: Real| least > 0.0 && least * least > limit * limit * axis.norm_squared();
        let heights = other.map(|p| normal.dot(&(p - one[0])));
        let (low, high) = (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]));
        let beside = |k: usize| {
            let axis = (one[(k + 1) % 3] - one[k]).cross(&normal);
            let over = other.map(|p| axis.dot(&(p - one[k])));
            clears(axis, over[0].min(over[1]).min(over[2]))
        };
        clears(normal, low) || clears(normal, -high) || (0..3).any(beside)
    };
    beyond(a, b) || beyond(b, a)
}

fn push_nearest_last<N>(stack: &mut Vec<(N, Real)>, [one, other]: [(N, Real); 2]) {
    if one.1 >= other.1 {
        stack.extend([one, other]);
    } else {
        stack.extend([other, one]);
    }
}

/// The distance of two boxes.
fn gap(a: &Aabb, b: &Aabb) -> Real {
    (b.min - a.max).sup(&(a.min - b.max)).sup(&Vector::zeros()).norm()
}
