//! Distances of meshes: branch and bound over their trees.

use super::Local;
use super::flush::{Flush, Other, Touches};
use super::gjk::{GjkCache, GjkGoal, Separation, separation};
use super::mesh_overlap::{overlap_of_meshes, overlap_with_convex};
use super::relative;
use crate::bounds::IndexedMesh;
use crate::bounds::tree::{NodeBox, NodeFrames, NodeKind};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;
use crate::volume::Aabb;

/// The nearest pair so far.
struct Best {
    /// Less the radius of a convex side.
    distance: Real,
    found: Option<(u32, u32, Separation, GjkCache)>,
    rounds: u64,
}

impl Best {
    fn new(limit: Real) -> Self {
        // The limit itself still counts.
        Self { distance: limit.max(0.0) + Real::MIN_POSITIVE, found: None, rounds: 0 }
    }

    fn offer(&mut self, face_a: u32, face_b: u32, separation: Separation, radius: Real, cache: &GjkCache) {
        self.rounds += u64::from(separation.rounds);
        let distance = if separation.overlapping { 0.0 } else { (separation.distance - radius).max(0.0) };
        if distance < self.distance {
            self.distance = distance;
            self.found = Some((face_a, face_b, separation, *cache));
        }
    }

    fn overlaps(&self) -> bool {
        self.found.is_some() && self.distance <= 0.0
    }
}

/// How a mesh lies to a convex solid.
pub(super) enum Lie {
    /// They overlap, as so many rounds told.
    Overlapping(u64),
    /// They are further apart than was asked for.
    Beyond,
    /// They are apart.
    Apart(Local),
}

/// A mesh (A) against a convex solid, both distances within `limit`.
pub(super) fn mesh_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    shape: &Shape,
    pose: &Pose,
    limit: Real,
) -> Option<Local> {
    match lie_of_convex(mesh, convex, shape, pose, limit) {
        Lie::Overlapping(rounds) => Some(overlap_with_convex(mesh, convex, shape, pose, rounds)),
        Lie::Beyond => None,
        Lie::Apart(found) => Some(found),
    }
}

/// [`mesh_convex`], without the depth of an overlap. What is near is looked for in the box of `shape`.
pub(super) fn lie_of_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    shape: &Shape,
    pose: &Pose,
    limit: Real,
) -> Lie {
    let best = nearest_to_convex(mesh, convex, shape, pose, limit);
    if best.overlaps() || swallows(mesh, convex, pose) {
        return Lie::Overlapping(best.rounds);
    }
    let Some((face, _, separation, cache)) = best.found else { return Lie::Beyond };
    let flush = Flush::new(mesh, Other::Convex(convex), &shape.as_solid().local_aabb(), pose);
    if best.distance <= flush.rounding && overlaps_convex(mesh, convex, shape, pose) {
        return Lie::Overlapping(best.rounds);
    }
    let ids = cache.vertices_b();
    let ids = &ids.as_slice()[..ids.as_slice().len().min(3)];
    Lie::Apart(Local {
        distance: best.distance,
        point_a: Point::from(separation.point_a),
        point_b: Point::from(separation.point_b - separation.normal * convex.radius()),
        normal: separation.normal,
        features: FeaturePair {
            a: feature_of_triangle(mesh, face, cache.vertices_a().as_slice()),
            b: convex.feature_of(ids),
        },
        iterations: best.rounds,
    })
}

/// Two meshes within `limit`.
pub(super) fn mesh_mesh(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, limit: Real) -> Option<Local> {
    match lie_of_meshes(a, b, pose, limit) {
        Lie::Overlapping(rounds) => Some(overlap_of_meshes(a, b, pose, rounds)),
        Lie::Beyond => None,
        Lie::Apart(found) => Some(found),
    }
}

/// [`mesh_mesh`], without the depth of an overlap.
pub(super) fn lie_of_meshes(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, limit: Real) -> Lie {
    let best = nearest_triangles(a, b, pose, limit);
    if best.overlaps() || is_swallowed(a, b, pose) {
        return Lie::Overlapping(best.rounds);
    }
    let Some((face_a, face_b, separation, cache)) = best.found else { return Lie::Beyond };
    if best.distance <= flush_meshes(a, b, pose).rounding && meshes_overlap(a, b, pose) {
        return Lie::Overlapping(best.rounds);
    }
    Lie::Apart(Local {
        distance: best.distance,
        point_a: Point::from(separation.point_a),
        point_b: Point::from(separation.point_b),
        normal: separation.normal,
        features: FeaturePair {
            a: feature_of_triangle(a, face_a, cache.vertices_a().as_slice()),
            b: feature_of_triangle(b, face_b, cache.vertices_b().as_slice()),
        },
        iterations: best.rounds,
    })
}

fn flush_meshes<'s>(a: &'s IndexedMesh, b: &'s IndexedMesh, pose: &'s Pose) -> Flush<'s> {
    Flush::new(a, Other::Mesh(b), &b.mesh().aabb(), pose)
}

/// Whether two meshes overlap.
pub(super) fn meshes_overlap(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose) -> bool {
    let flush = flush_meshes(a, b, pose);
    let mut touches = Touches::default();
    visit_near_triangles(a, b, pose, flush.rounding, |[face, other_face], found, _| {
        touches.see(face, other_face, found, 0.0, flush.rounding)
    });
    touches.cross || is_swallowed(a, b, pose) || flush.share_volume(&touches.places)
}

/// What shows that two meshes overlap.
#[derive(Clone, Copy, Debug)]
pub(super) enum Witness {
    /// A triangle of each.
    Triangles([u32; 2]),
    /// One is inside the other.
    Swallowed,
}

impl Witness {
    /// Whether it shows the same of two meshes that are placed otherwise, or have these within `margin` metres.
    pub fn still_holds(self, a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, margin: Real) -> bool {
        match self {
            Self::Triangles([face_a, face_b]) => {
                let [one, other] = [a.triangle(face_a), b.triangle(face_b)].map(Triangle::new);
                let goal = GjkGoal { enough: margin, ..GjkGoal::EXACT };
                let found = separation(&one, &other, &relative(pose), &mut GjkCache::default(), &goal);
                found.overlapping || found.distance < margin
            }
            Self::Swallowed => is_swallowed(a, b, pose),
        }
    }
}

/// Whether two meshes overlap or are within `margin` metres, and what shows it.
pub(super) fn witness_within(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, margin: Real) -> Option<Witness> {
    let mut within = None;
    visit_near_triangles(a, b, pose, margin, |faces, found, _| {
        if found.overlapping || found.distance < margin {
            within = Some(Witness::Triangles(faces));
        }
        within.is_none().then_some(margin)
    });
    within.or_else(|| is_swallowed(a, b, pose).then_some(Witness::Swallowed))
}

/// Whether a mesh and a convex solid overlap or are within `margin` metres.
pub(super) fn is_within_of_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    shape: &Shape,
    pose: &Pose,
    margin: Real,
) -> bool {
    let mut within = false;
    visit_near_convex(mesh, convex, shape, pose, margin, |_, found, _| {
        within |= found.overlapping || found.distance - convex.radius() < margin;
        (!within).then_some(margin)
    });
    within || swallows(mesh, convex, pose)
}

/// Whether a convex solid that crosses no triangle of a mesh is inside.
fn swallows(mesh: &IndexedMesh, convex: &dyn SupportMap, pose: &Pose) -> bool {
    mesh.is_closed() && mesh.contains(&(pose * convex.interior_point()))
}

/// Whether a mesh and a convex solid overlap.
pub(super) fn overlaps_convex(mesh: &IndexedMesh, convex: &dyn SupportMap, shape: &Shape, pose: &Pose) -> bool {
    let flush = Flush::new(mesh, Other::Convex(convex), &shape.as_solid().local_aabb(), pose);
    let mut touches = Touches::default();
    visit_near_convex(mesh, convex, shape, pose, flush.rounding, |face, found, _| {
        touches.see(face, 0, found, convex.radius(), flush.rounding)
    });
    touches.cross || swallows(mesh, convex, pose) || flush.share_volume(&touches.places)
}

/// Whether one of two meshes whose surfaces do not cross is inside the other.
fn is_swallowed(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose) -> bool {
    let within_a = || b.mesh().vertices().first().is_some_and(|p| a.contains(&(pose * p)));
    let within_b = || a.mesh().vertices().first().is_some_and(|p| b.contains(&pose.inverse_transform_point(p)));
    (a.is_closed() && within_a()) || (b.is_closed() && within_b())
}

fn nearest_to_convex(mesh: &IndexedMesh, convex: &dyn SupportMap, shape: &Shape, pose: &Pose, limit: Real) -> Best {
    let mut best = Best::new(limit);
    visit_near_convex(mesh, convex, shape, pose, best.distance, |face, found, cache| {
        best.offer(face, 0, *found, convex.radius(), cache);
        (!best.overlaps()).then_some(best.distance)
    });
    best
}

fn nearest_triangles(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, limit: Real) -> Best {
    let mut best = Best::new(limit);
    visit_near_triangles(a, b, pose, best.distance, |[face_a, face_b], found, cache| {
        best.offer(face_a, face_b, *found, 0.0, cache);
        (!best.overlaps()).then_some(best.distance)
    });
    best
}

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

/// Shows the triangles of a mesh that may be nearer than a limit to a convex solid to `see`, nearest boxes first; it answers the
/// limit from then on, or ends the walk.
pub(super) fn visit_near_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    shape: &Shape,
    pose: &Pose,
    mut limit: Real,
    mut see: impl FnMut(u32, &Separation, &GjkCache) -> Option<Real>,
) {
    let own = shape.as_solid().local_aabb();
    let around = own.transformed(pose);
    let placement = relative(pose);
    let tree = mesh.tree();
    let mut sieve = Sieve::new(pose, [tree.aabb(), own]);
    let own = NodeBox::around(&own);
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

fn feature_of_triangle(mesh: &IndexedMesh, face: u32, corners: &[u32]) -> Feature {
    match *corners {
        [k] => Feature::Vertex(mesh.mesh().triangles()[face as usize][k as usize]),
        [0, 2] => Feature::Edge(mesh.topology().triangle_edges()[face as usize][2]),
        [k, _] => Feature::Edge(mesh.topology().triangle_edges()[face as usize][k as usize]),
        _ => Feature::Face(face),
    }
}
