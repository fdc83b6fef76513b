//! How meshes touch: along one direction that separates all triangles that do.
//!
//! **Problem.** Triangles that touch to within rounding are nothing that tells an overlap from a touch: faces are flush, and edges lie in faces.
//! **Idea.** Each pair of triangles that touch is asked how deep it is. Where none is deeper than rounding the solids touch, unless they share volume all
//! the same ([`flush`](super::flush)), and of the directions of all pairs one is taken that separates them.
//! **Cost.** A depth query for each pair of triangles that touch.

use super::Local;
use super::convex::convex_convex;
use super::flush::{Flush, Other, Touch};
use super::gjk::GjkCache;
use super::mesh::{feature_of_triangle, swallows};
use super::mesh_walk::{visit_near_convex, visit_near_triangles};
use super::touching::{Placed, ROUND, common_direction};
use crate::bounds::IndexedMesh;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Pose, Real, Vector};
use crate::volume::Aabb;

/// Pairs that touch, of whose directions one is taken: at least so many where there are as many, and up to twice as many.
const MOST: usize = 64;
/// Pairs beside which two meshes are asked for volume that they share.
const MOST_BESIDE: usize = 4096;
/// Faces whose normals are as much against each other, as a cosine, lie flat on each other.
const FACING: Real = -1.0 + 1e-9;

/// Some of many pairs that touch, spread evenly over all that were seen.
pub(super) struct Spread<T> {
    kept: Vec<T>,
    seen: usize,
    every: usize,
}

impl<T> Spread<T> {
    pub fn new() -> Self {
        Self { kept: Vec::new(), seen: 0, every: 1 }
    }

    pub fn see(&mut self, pair: T) {
        if self.seen.is_multiple_of(self.every) {
            self.kept.push(pair);
        }
        self.seen += 1;
        if self.kept.len() == 2 * MOST {
            let mut k = 0;
            self.kept.retain(|_| {
                k += 1;
                k % 2 == 1
            });
            self.every *= 2;
        }
    }

    pub fn kept(self) -> Vec<T> {
        self.kept
    }
}

/// Shows the triangles of a mesh that are within `rounding` metres of a convex solid in the box `own`.
pub(super) fn touching_triangles(
    mesh: &IndexedMesh,
    (convex, own): (&dyn SupportMap, &Aabb),
    pose: &Pose,
    rounding: Real,
    mut see: impl FnMut(Triangle),
) {
    visit_near_convex(mesh, convex, own, pose, rounding, |face, found, _| {
        if found.overlapping || found.distance - convex.radius() <= rounding {
            see(Triangle::new(mesh.triangle(face)));
        }
        Some(rounding)
    });
}

/// A mesh (A) that a convex solid in the box `own` touches, of which the middle is not inside: `None` where a triangle is deeper in it than
/// rounding, which is how all overlaps with it look, and of convex meshes, whose hulls tell more. The `first` triangle is asked first.
pub(super) fn touch_of_convex(
    mesh: &IndexedMesh,
    (convex, own): (&dyn SupportMap, &Aabb),
    pose: &Pose,
    rounding: Real,
    first: u32,
) -> Option<Local> {
    let measured = |face: u32| {
        let triangle = Triangle::new(mesh.triangle(face));
        (triangle, convex_convex(&triangle, convex, pose, &mut GjkCache::default()))
    };
    let mut crosses = mesh.as_convex().is_some() || measured(first).1.distance < -ROUND * rounding;
    if crosses {
        return None;
    }
    let mut touches: Spread<(Triangle, Local)> = Spread::new();
    let (mut rounds, mut deepest) = (0, 0.0_f64);
    visit_near_convex(mesh, convex, own, pose, rounding, |face, found, _| {
        if !crosses && (found.overlapping || found.distance - convex.radius() <= rounding) {
            let (triangle, touch) = measured(face);
            rounds += touch.iterations;
            deepest = deepest.min(touch.distance);
            crosses = deepest < -ROUND * rounding;
            let features = FeaturePair { a: feature_in_mesh(mesh, face, touch.features.a), ..touch.features };
            touches.see((triangle, Local { features, ..touch }));
        }
        (!crosses).then_some(rounding)
    });
    let poses = [Pose::identity(), *pose];
    let pairs: Vec<_> =
        touches.kept.iter().map(|(t, touch)| (Placed { solids: [t, convex], poses }, touch.normal)).collect();
    let common =
        common_direction(&pairs).filter(|common| !crosses && (common.separates || deepest >= -2.0 * rounding))?;
    let touch = touches.kept[common.pair].1;
    Some(Local { distance: touch.distance.max(0.0), normal: common.normal, iterations: rounds, ..touch })
}

/// Two meshes of which the `first` triangles touch: `None` where they overlap, and where both are convex, whose hulls tell more.
pub(super) fn touch_of_meshes(
    a: &IndexedMesh,
    b: &IndexedMesh,
    pose: &Pose,
    rounding: Real,
    first: [u32; 2],
) -> Option<Local> {
    match (a.as_convex(), b.as_convex()) {
        (Some(_), Some(_)) => None,
        (None, Some(hull)) => {
            touch_of_convex(a, (hull, &b.aabb()), pose, rounding, first[0]).filter(|_| !swallows(a, hull, pose))
        }
        (Some(hull), None) => {
            let inverse = pose.inverse();
            let touch = touch_of_convex(b, (hull, &a.aabb()), &inverse, rounding, first[1]);
            touch.filter(|_| !swallows(b, hull, &inverse)).map(|touch| touch.swapped(pose))
        }
        (None, None) => touch_of_triangles(a, b, pose, rounding, first),
    }
}

/// The same of two that are not convex.
fn touch_of_triangles(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, rounding: Real, first: [u32; 2]) -> Option<Local> {
    let measured = |[face_a, face_b]: [u32; 2]| {
        let [one, other] = [a.triangle(face_a), b.triangle(face_b)].map(Triangle::new);
        ([one, other], convex_convex(&one, &other, pose, &mut GjkCache::default()))
    };
    let mut crosses = measured(first).1.distance < -ROUND * rounding;
    if crosses {
        return None;
    }
    let mut touches: Spread<([Triangle; 2], Local)> = Spread::new();
    let mut places: Vec<Touch> = Vec::new();
    let (mut rounds, mut deepest) = (0, 0.0_f64);
    visit_near_triangles(a, b, pose, rounding, |[face, other_face], found, _| {
        if !crosses && (found.overlapping || found.distance <= rounding) {
            let (triangles, touch) = measured([face, other_face]);
            rounds += touch.iterations;
            deepest = deepest.min(touch.distance);
            crosses = deepest < -ROUND * rounding;
            let normal = a.face_normals()[face as usize];
            let other_normal = pose.rotation * b.face_normals()[other_face as usize];
            let are_facing = normal.dot(&other_normal) < FACING;
            // What lies flat on each other shares nothing there, but what a sheet goes on to may.
            if (!are_facing || !a.is_closed() || !b.is_closed()) && places.len() < MOST_BESIDE {
                places.push(Touch { point: touch.point_a, face, other_face });
            }
            let features = FeaturePair {
                a: feature_in_mesh(a, face, touch.features.a),
                b: feature_in_mesh(b, other_face, touch.features.b),
            };
            let normal = outward(&touch, are_facing, [a, b], [normal, other_normal]);
            touches.see((triangles, Local { features, normal, ..touch }));
        }
        (!crosses).then_some(rounding)
    });
    let flush = Flush::new(a, Other::Mesh(b), &b.aabb(), pose);
    if crosses || flush.has_part_inside() || flush.share_volume(&places) {
        return None;
    }
    let poses = [Pose::identity(), *pose];
    let pairs: Vec<_> = touches
        .kept
        .iter()
        .map(|([t, u], touch)| (Placed { solids: [t as &dyn SupportMap, u], poses }, touch.normal))
        .collect();
    let common = common_direction(&pairs).filter(|common| common.separates || deepest >= -2.0 * rounding)?;
    let touch = touches.kept[common.pair].1;
    Some(Local { distance: touch.distance.max(0.0), normal: common.normal, iterations: rounds, ..touch })
}

/// The direction of two triangles that touch: those that lie in one plane do not tell to which side of it their solids are.
fn outward(touch: &Local, are_facing: bool, meshes: [&IndexedMesh; 2], [normal, other_normal]: [Vector; 2]) -> Vector {
    match meshes.map(IndexedMesh::is_closed) {
        [true, _] if are_facing => normal,
        [false, true] if are_facing => -other_normal,
        _ => touch.normal,
    }
}

/// A feature of one of its triangles as one of the mesh.
fn feature_in_mesh(mesh: &IndexedMesh, face: u32, of_triangle: Feature) -> Feature {
    let corners: &[u32] = match of_triangle {
        Feature::Vertex(k) => &[k],
        Feature::Edge(2) => &[0, 2],
        Feature::Edge(k) => &[k, k + 1],
        Feature::Face(_) => &[],
    };
    feature_of_triangle(mesh, face, corners)
}
