//! Distances of meshes: branch and bound over their trees.

use super::Local;
use super::convex::feature;
use super::convex::relative;
use super::flush::{Flush, Other, Touches, rounding};
use super::gjk::{GjkCache, GjkGoal, Separation, separation};
use super::mesh_overlap::{overlap_of_meshes, overlap_with_convex};
use super::mesh_touch::{touch_of_convex, touch_of_meshes};
use super::mesh_walk::{visit_near_convex, visit_near_triangles};
use super::touching::direction;
use crate::bounds::IndexedMesh;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real};
use crate::shape::Shape;

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
    let own = shape.as_solid().local_aabb();
    let rounding = rounding([&mesh.aabb(), &own], pose);
    if let Some((face, ..)) = best.found
        && best.distance <= rounding
    {
        let touch = touch_of_convex(mesh, (convex, &own), pose, rounding, face);
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
    let rounding = rounding([&a.aabb(), &b.aabb()], pose);
    if let Some((face_a, face_b, ..)) = best.found
        && best.distance <= rounding
    {
        let touch = touch_of_meshes(a, b, pose, rounding, [face_a, face_b]);
        return touch.map_or(Lie::Overlapping(best.rounds), |touch| {
            Lie::Apart(Local { iterations: best.rounds + touch.iterations, ..touch })
        });
    }
    if is_swallowed(a, b, pose) {
        return Lie::Overlapping(best.rounds);
    }
    let Some((face_a, face_b, separation, cache)) = best.found else { return Lie::Beyond };
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

/// Whether two meshes overlap or touch, but for rounding.
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
    visit_near_convex(mesh, convex, &shape.as_solid().local_aabb(), pose, margin, |face, found, _| {
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

/// Whether a mesh and a convex solid overlap or touch, but for rounding.
pub(super) fn overlaps_convex(mesh: &IndexedMesh, convex: &dyn SupportMap, shape: &Shape, pose: &Pose) -> bool {
    let flush = Flush::new(mesh, Other::Convex(convex), &shape.as_solid().local_aabb(), pose);
    let mut touches = Touches::default();
    visit_near_convex(mesh, convex, &shape.as_solid().local_aabb(), pose, flush.rounding, |face, found, _| {
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
    visit_near_convex(mesh, convex, &shape.as_solid().local_aabb(), pose, best.distance, |face, found, cache| {
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

pub(super) fn feature_of_triangle(mesh: &IndexedMesh, face: u32, corners: &[u32]) -> Feature {
    match *corners {
        [k] => Feature::Vertex(mesh.mesh().triangles()[face as usize][k as usize]),
        [0, 2] => Feature::Edge(mesh.topology().triangle_edges()[face as usize][2]),
        [k, _] => Feature::Edge(mesh.topology().triangle_edges()[face as usize][k as usize]),
        _ => Feature::Face(face),
    }
}
