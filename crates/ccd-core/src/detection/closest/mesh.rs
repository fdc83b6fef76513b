//! Distances of meshes: branch and bound over their trees.

use super::Local;
use super::convex::feature;
use super::convex::{convex_convex, relative};
use super::flush::{Flush, Other, Touches};
use super::gjk::{GjkCache, GjkGoal, Separation, separation};
use super::mesh_overlap::{overlap_of_meshes, overlap_with_convex};
use super::mesh_walk::{visit_near_convex, visit_near_triangles};
use super::touching::{Placed, ROUND, common_direction, direction};
use crate::bounds::IndexedMesh;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real};
use crate::shape::Shape;

/// Triangles that touch, of whose directions one is taken.
const MOST_TOUCHES: usize = 64;

/// The nearest pair so far.
struct Best {
    /// Less the radius of a convex side.
    distance: Real,
    found: Option<(u32, u32, Separation, GjkCache)>,
    rounds: u64,
}

impl Best {
    /// For a walk to what is within `limit` of a side with this radius. The limit itself still counts, so the walk goes further by what boxes and
    /// distances round.
    fn new(limit: Real, radius: Real) -> Self {
        let limit = limit.max(0.0);
        let further = (limit + radius) * (1.0 + 16.0 * Real::EPSILON) - radius;
        Self { distance: further.max(limit.next_up()).max(Real::MIN_POSITIVE), found: None, rounds: 0 }
    }

    /// What the walk found, if it is within the limit.
    fn within(self, limit: Real) -> Self {
        let found = self.found.filter(|_| self.distance <= limit.max(0.0));
        Self { found, ..self }
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
    let rounding = Flush::new(mesh, Other::Convex(convex), &shape.as_solid().local_aabb(), pose).rounding;
    if let Some((face, ..)) = best.found
        && best.distance <= rounding
    {
        let touch = touch_of_convex(mesh, convex, shape, pose, (rounding, face));
        return touch.filter(|_| !swallows(mesh, convex, pose)).map_or(Lie::Overlapping(best.rounds), |touch| {
            Lie::Apart(Local { iterations: best.rounds + touch.iterations, ..touch })
        });
    }
    if swallows(mesh, convex, pose) {
        return Lie::Overlapping(best.rounds);
    }
    let Some((face, _, separation, cache)) = best.found else { return Lie::Beyond };
    let normal = direction(&Triangle::new(mesh.triangle(face)), convex, pose, &separation);
    Lie::Apart(Local {
        distance: best.distance,
        point_a: Point::from(separation.point_a),
        point_b: Point::from(separation.point_b - normal * convex.radius()),
        normal,
        features: FeaturePair {
            a: feature_of_triangle(mesh, face, cache.vertices_a().as_slice()),
            b: feature(convex, &cache.vertices_b()),
        },
        iterations: best.rounds,
    })
}

/// A mesh (A) that a convex solid touches, of which the middle is not inside: `None` where a triangle is deeper in it than rounding, which is
/// how all overlaps with it look, and of convex meshes, whose hulls tell more. The `first` triangle is asked first.
fn touch_of_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    shape: &Shape,
    pose: &Pose,
    (rounding, first): (Real, u32),
) -> Option<Local> {
    let mut crosses = mesh.as_convex().is_some() || {
        let triangle = Triangle::new(mesh.triangle(first));
        convex_convex(&triangle, convex, pose, &mut GjkCache::default()).distance < -ROUND * rounding
    };
    if crosses {
        return None;
    }
    let mut touches: Vec<(Triangle, Local)> = Vec::new();
    let (mut rounds, mut deepest) = (0, 0.0_f64);
    visit_near_convex(mesh, convex, shape, pose, rounding, |face, found, _| {
        if !crosses && (found.overlapping || found.distance - convex.radius() <= rounding) {
            let triangle = Triangle::new(mesh.triangle(face));
            let touch = convex_convex(&triangle, convex, pose, &mut GjkCache::default());
            rounds += touch.iterations;
            deepest = deepest.min(touch.distance);
            crosses = deepest < -ROUND * rounding;
            if touches.len() < MOST_TOUCHES {
                let corners: &[u32] = match touch.features.a {
                    Feature::Vertex(k) => &[k],
                    Feature::Edge(2) => &[0, 2],
                    Feature::Edge(k) => &[k, k + 1],
                    Feature::Face(_) => &[],
                };
                let features = FeaturePair { a: feature_of_triangle(mesh, face, corners), ..touch.features };
                touches.push((triangle, Local { features, ..touch }));
            }
        }
        (!crosses).then_some(rounding)
    });
    let poses = [Pose::identity(), *pose];
    let pairs: Vec<_> =
        touches.iter().map(|(t, touch)| (Placed { solids: [t, convex], poses }, touch.normal)).collect();
    let common =
        common_direction(&pairs).filter(|common| !crosses && (common.separates || deepest >= -2.0 * rounding))?;
    let touch = touches[common.pair].1;
    Some(Local { distance: touch.distance.max(0.0), normal: common.normal, iterations: rounds, ..touch })
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
    Flush::new(a, Other::Mesh(b), &b.aabb(), pose)
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

/// A triangle of a mesh that a convex solid overlaps, or is within `margin` metres of.
pub(super) fn triangle_within_of_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    shape: &Shape,
    pose: &Pose,
    margin: Real,
) -> Option<u32> {
    let mut within = None;
    visit_near_convex(mesh, convex, shape, pose, margin, |face, found, _| {
        if found.overlapping || found.distance - convex.radius() < margin {
            within = Some(face);
        }
        within.is_none().then_some(margin)
    });
    within
}

/// Whether one triangle of a mesh is.
pub(super) fn is_triangle_within(
    mesh: &IndexedMesh,
    face: u32,
    convex: &dyn SupportMap,
    pose: &Pose,
    margin: Real,
) -> bool {
    let goal = GjkGoal { enough: margin + convex.radius(), ..GjkGoal::EXACT };
    let triangle = Triangle::new(mesh.triangle(face));
    let found = separation(&triangle, convex, &relative(pose), &mut GjkCache::default(), &goal);
    found.overlapping || found.distance - convex.radius() < margin
}

/// Whether a convex solid that crosses no triangle of a mesh is inside.
pub(super) fn swallows(mesh: &IndexedMesh, convex: &dyn SupportMap, pose: &Pose) -> bool {
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

/// Whether one of two meshes whose surfaces do not cross, or a part of it, is inside the other.
fn is_swallowed(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose) -> bool {
    let within_a = || b.part_places().iter().any(|p| a.contains(&(pose * p)));
    let within_b = || a.part_places().iter().any(|p| b.contains(&pose.inverse_transform_point(p)));
    (a.is_closed() && within_a()) || (b.is_closed() && within_b())
}

fn nearest_to_convex(mesh: &IndexedMesh, convex: &dyn SupportMap, shape: &Shape, pose: &Pose, limit: Real) -> Best {
    let mut best = Best::new(limit, convex.radius());
    visit_near_convex(mesh, convex, shape, pose, best.distance, |face, found, cache| {
        best.offer(face, 0, *found, convex.radius(), cache);
        (!best.overlaps()).then_some(best.distance)
    });
    best.within(limit)
}

fn nearest_triangles(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, limit: Real) -> Best {
    let mut best = Best::new(limit, 0.0);
    visit_near_triangles(a, b, pose, best.distance, |[face_a, face_b], found, cache| {
        best.offer(face_a, face_b, *found, 0.0, cache);
        (!best.overlaps()).then_some(best.distance)
    });
    best.within(limit)
}

fn feature_of_triangle(mesh: &IndexedMesh, face: u32, corners: &[u32]) -> Feature {
    match *corners {
        [k] => Feature::Vertex(mesh.mesh().triangles()[face as usize][k as usize]),
        [0, 2] => Feature::Edge(mesh.topology().triangle_edges()[face as usize][2]),
        [k, _] => Feature::Edge(mesh.topology().triangle_edges()[face as usize][k as usize]),
        _ => Feature::Face(face),
    }
}
