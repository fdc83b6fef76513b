//! Distance and depth of meshes: branch and bound over their trees.

use super::Local;
use super::gjk::{GjkCache, GjkGoal, Separation, separation};
use super::relative;
use crate::bounds::IndexedMesh;
use crate::bounds::tree::NodeKind;
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

/// A mesh (A) against a convex solid, both distances within `limit`.
pub(super) fn mesh_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    shape: &Shape,
    pose: &Pose,
    limit: Real,
) -> Option<Local> {
    let best = nearest_to_convex(mesh, convex, shape, pose, limit);
    let inside = || mesh.contains(&(pose * convex.interior_point()));
    if best.overlaps() || (!best.overlaps() && mesh.is_closed() && inside()) {
        return Some(overlap(mesh, shape, pose, best.rounds));
    }
    let (face, _, separation, cache) = best.found?;
    let ids = cache.vertices_b();
    let ids = &ids.as_slice()[..ids.as_slice().len().min(3)];
    Some(Local {
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
    let best = nearest_triangles(a, b, pose, limit);
    if best.overlaps() || is_swallowed(a, b, pose) {
        return Some(overlap_of_meshes(a, b, pose, best.rounds));
    }
    let (face_a, face_b, separation, cache) = best.found?;
    Some(Local {
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

/// Whether two meshes overlap.
pub(super) fn meshes_overlap(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose) -> bool {
    nearest_triangles(a, b, pose, 0.0).overlaps() || is_swallowed(a, b, pose)
}

/// Whether a mesh and a convex solid overlap.
pub(super) fn overlaps_convex(mesh: &IndexedMesh, convex: &dyn SupportMap, shape: &Shape, pose: &Pose) -> bool {
    nearest_to_convex(mesh, convex, shape, pose, 0.0).overlaps()
        || (mesh.is_closed() && mesh.contains(&(pose * convex.interior_point())))
}

/// Whether one of two meshes whose surfaces do not cross is inside the other.
fn is_swallowed(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose) -> bool {
    let within_a = || b.mesh().vertices().first().is_some_and(|p| a.contains(&(pose * p)));
    let within_b = || a.mesh().vertices().first().is_some_and(|p| b.contains(&pose.inverse_transform_point(p)));
    (a.is_closed() && within_a()) || (b.is_closed() && within_b())
}

fn nearest_to_convex(mesh: &IndexedMesh, convex: &dyn SupportMap, shape: &Shape, pose: &Pose, limit: Real) -> Best {
    let around = shape.as_solid().local_aabb().transformed(pose);
    let placement = relative(pose);
    let mut best = Best::new(limit);
    let tree = mesh.tree();
    let mut stack = vec![(0_u32, gap(&tree.aabb(), &around))];
    while let Some((node, lower)) = stack.pop() {
        if lower >= best.distance || tree.node_count() == 0 {
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
                    let goal = GjkGoal { enough: best.distance + convex.radius(), ..GjkGoal::EXACT };
                    let found = separation(&triangle, convex, &placement, &mut cache, &goal);
                    best.offer(face, 0, found, convex.radius(), &cache);
                    if best.overlaps() {
                        return best;
                    }
                }
            }
        }
    }
    best
}

fn nearest_triangles(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, limit: Real) -> Best {
    let placement = relative(pose);
    let mut best = Best::new(limit);
    let (tree_a, tree_b) = (a.tree(), b.tree());
    if tree_a.node_count() == 0 || tree_b.node_count() == 0 {
        return best;
    }
    let lower = |m: u32, n: u32| gap(&tree_a.node(m).aabb, &tree_b.node(n).aabb.transformed(pose));
    let mut stack = vec![((0_u32, 0_u32), lower(0, 0))];
    while let Some(((m, n), least)) = stack.pop() {
        if least >= best.distance {
            continue;
        }
        let (node_a, node_b) = (tree_a.node(m), tree_b.node(n));
        match (node_a.kind, node_b.kind) {
            (NodeKind::Leaf { first: fa, count: ca }, NodeKind::Leaf { first: fb, count: cb }) => {
                for &face_b in tree_b.items(fb, cb) {
                    let triangle_b = Triangle::new(b.triangle(face_b));
                    let placed = b.triangle(face_b).map(|p| pose * p);
                    for &face_a in tree_a.items(fa, ca) {
                        if are_apart(&a.triangle(face_a), &placed, best.distance) {
                            continue;
                        }
                        let triangle_a = Triangle::new(a.triangle(face_a));
                        let mut cache = GjkCache::default();
                        let goal = GjkGoal { enough: best.distance, ..GjkGoal::EXACT };
                        best.offer(
                            face_a,
                            face_b,
                            separation(&triangle_a, &triangle_b, &placement, &mut cache, &goal),
                            0.0,
                            &cache,
                        );
                        if best.overlaps() {
                            return best;
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
    best
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

/// Directions from which the depth of an overlap with a mesh is taken: more of them are tried where more triangles cross.
const MAX_CROSSING_NORMALS: usize = 24;
/// Halvings of the way out: they exhaust the digits that a depth is worth.
const HALVINGS: usize = 40;

fn overlap(mesh: &IndexedMesh, shape: &Shape, pose: &Pose, iterations: u64) -> Local {
    let Some(convex) = shape.as_convex() else { unreachable!("the caller has the support map") };
    let touches = |moved: &Pose| overlaps_convex(mesh, convex, shape, moved);
    let around = shape.as_solid().local_aabb().transformed(pose);
    depth(mesh, &around, pose, iterations, &[], touches)
}

fn overlap_of_meshes(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, iterations: u64) -> Local {
    let touches = |moved: &Pose| meshes_overlap(a, b, moved);
    let around = b.mesh().aabb().transformed(pose);
    let theirs: Vec<Vector> =
        normals_near(b, &a.mesh().aabb().transformed(&pose.inverse())).map(|n| pose.rotation * n).collect();
    depth(a, &around, pose, iterations, &theirs, touches)
}

/// The least translation that separates, over the axes, the line of the centres, and the normals of the triangles near the
/// overlap, both ways each. It certainly separates; a shorter way in some other direction is possible.
fn depth(
    mesh: &IndexedMesh,
    around: &Aabb,
    pose: &Pose,
    iterations: u64,
    other_normals: &[Vector],
    touches: impl Fn(&Pose) -> bool,
) -> Local {
    let own = mesh.mesh().aabb();
    let mut directions = vec![Vector::x(), Vector::y(), Vector::z()];
    directions.extend((around.centre() - own.centre()).try_normalize(1e-12));
    directions.extend(normals_near(mesh, around));
    directions.extend(other_normals);
    let far = own.merged(around).half_extents().norm() * 2.0;
    let moved = |way: Vector| Pose::from_parts((pose.translation.vector + way).into(), pose.rotation);
    let mut best = (far, Vector::y());
    for direction in directions.into_iter().flat_map(|d| [d, -d]) {
        if touches(&moved(direction * best.0)) {
            continue;
        }
        let (mut inside, mut outside) = (0.0, best.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            if touches(&moved(direction * middle)) { inside = middle } else { outside = middle }
        }
        if outside < best.0 {
            best = (outside, direction);
        }
    }
    let (depth, normal) = best;
    let overlap = Aabb { min: own.min.sup(&around.min), max: own.max.inf(&around.max) };
    let middle = overlap.centre();
    Local {
        distance: -depth,
        point_a: middle + normal * (0.5 * depth),
        point_b: middle - normal * (0.5 * depth),
        normal,
        features: FeaturePair { a: Feature::Face(0), b: Feature::Face(0) },
        iterations,
    }
}

/// Different normals of the triangles that meet `around` (the mesh's frame).
fn normals_near(mesh: &IndexedMesh, around: &Aabb) -> impl Iterator<Item = Vector> + use<> {
    let mut normals: Vec<Vector> = Vec::new();
    let _ = mesh.visit_triangles_near(around, |face| {
        let normal = mesh.face_normals()[face as usize];
        if normals.iter().all(|n| n.dot(&normal).abs() < 0.999) {
            normals.push(normal);
        }
        if normals.len() < MAX_CROSSING_NORMALS {
            std::ops::ControlFlow::Continue(())
        } else {
            std::ops::ControlFlow::Break(())
        }
    });
    normals.into_iter()
}
