//! The depth of overlaps of meshes: the least way out over those that their triangles lead to.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::gjk::Separation;
use super::inner_places::InnerPlaces;
use super::mesh::{Lie, Witness, is_within_of_convex, lie_of_convex, lie_of_meshes, witness_within};
use super::mesh_walk::{visit_near_convex, visit_near_triangles};
use super::way_out::{ALL_AROUND, Gap, Movable, WayOut, least_way_out, moved};
use super::{ClosestError, GjkCache, Local, convex_convex};
use crate::bounds::IndexedMesh;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::field::Field;
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::{Solid, SupportMap};
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;
use crate::volume::Aabb;

/// Normals of triangles near the overlap that are followed.
const MAX_NORMALS: usize = 24;
/// Triangles that cross the other solid whose own ways out are asked for.
const MAX_CROSSING: usize = 512;
/// Different ones among these that are followed, the deepest first.
const MAX_HELD: usize = 24;
/// Pairs of triangles that crossed before, which are asked first.
const MAX_KEPT: usize = 64;
/// The middle of a ball that is nearer to a surface than this share of its radius is on it: which way it lies is rounding.
const ON_SURFACE: Real = 1e-9;
/// Directions that are as much alike count once.
const ALIKE: Real = 0.999;

/// A mesh (A) that a convex solid overlaps.
pub(super) fn overlap_with_convex(
    mesh: &IndexedMesh,
    convex: &dyn SupportMap,
    shape: &Shape,
    pose: &Pose,
    iterations: u64,
) -> Local {
    if let Some(hull) = mesh.as_convex() {
        return convex_convex(hull, convex, pose, &mut GjkCache::default());
    }
    let mut crossing = Vec::new();
    visit_near_convex(mesh, convex, shape, pose, Real::MIN_POSITIVE, |face, found, _| {
        if found.overlapping || found.distance < convex.radius() {
            let triangle = Triangle::new(mesh.triangle(face));
            crossing.push(Gap::of(&convex_convex(&triangle, convex, pose, &mut GjkCache::default())));
        }
        (crossing.len() < MAX_CROSSING).then_some(Real::MIN_POSITIVE)
    });
    if let Shape::Ball(ball) = shape {
        crossing.extend(gap_of_ball(mesh, &pose.translation.vector.into(), ball.radius()));
    }
    let around = shape.as_solid().local_aabb().transformed(pose);
    let clear = clear(mesh, &around);
    depth(
        &Overlapping {
            mesh,
            other: Other::Convex(convex, shape),
            pose,
            clear,
            kept: RefCell::default(),
            inner: InnerPlaces::new([None; 2]),
        },
        mesh,
        &around,
        crossing,
        axes(pose),
        iterations,
    )
}

/// Of a solid at this pose: sides of boxes and caps face along them.
fn axes(pose: &Pose) -> Vec<Vector> {
    pose.rotation.to_rotation_matrix().matrix().column_iter().map(Into::into).collect()
}

/// How a ball leaves a mesh where nothing else is in the way: from inside its middle goes to the nearest place of the surface and by its radius beyond, from
/// outside by as much as its radius reaches in. No way out is shorter.
fn gap_of_ball(mesh: &IndexedMesh, middle: &Point, radius: Real) -> Option<Gap> {
    let near = mesh.closest_point(middle, Real::INFINITY)?;
    let is_inside = mesh.contains(middle);
    let way = if is_inside { near.point - middle } else { middle - near.point };
    let normal = way.try_normalize(ON_SURFACE * radius).unwrap_or(mesh.face_normals()[near.face as usize]);
    let distance = if is_inside { -near.distance - radius } else { near.distance - radius };
    Some(Gap { normal, distance })
}

/// Two meshes that overlap.
pub(super) fn overlap_of_meshes(a: &IndexedMesh, b: &IndexedMesh, pose: &Pose, iterations: u64) -> Local {
    if let (Some(hull_a), Some(hull_b)) = (a.as_convex(), b.as_convex()) {
        return convex_convex(hull_a, hull_b, pose, &mut GjkCache::default());
    }
    let mut crossing = Vec::new();
    visit_near_triangles(a, b, pose, Real::MIN_POSITIVE, |[face_a, face_b], found, _| {
        if found.overlapping {
            let triangles = [Triangle::new(a.triangle(face_a)), Triangle::new(b.triangle(face_b))];
            let [one, other] = &triangles;
            crossing.push(Gap::of(&convex_convex(one, other, pose, &mut GjkCache::default())));
        }
        (crossing.len() < MAX_CROSSING).then_some(Real::MIN_POSITIVE)
    });
    let theirs = normals_near(b, &a.aabb().transformed(&pose.inverse()));
    let theirs = theirs.into_iter().map(|n| pose.rotation * n).collect();
    let around = b.aabb().transformed(pose);
    let clear = clear(a, &around);
    depth(
        &Overlapping {
            mesh: a,
            other: Other::Mesh(b),
            pose,
            clear,
            kept: RefCell::default(),
            inner: InnerPlaces::new([a.field(), b.field()]),
        },
        a,
        &around,
        crossing,
        theirs,
        iterations,
    )
}

/// Triangles that meet at an edge may be told apart there by rounding, which is no way out.
fn clear(mesh: &IndexedMesh, around: &Aabb) -> Real {
    const CLEAR: Real = 1e-10;
    CLEAR * mesh.aabb().merged(around).half_extents().norm()
}

/// The least way out along those of the triangles that are `crossing`, the axes, the line of the centres, and the normals of the
/// triangles near the overlap.
fn depth(
    solids: &Overlapping<'_>,
    mesh: &IndexedMesh,
    around: &Aabb,
    mut crossing: Vec<Gap>,
    other_normals: Vec<Vector>,
    iterations: u64,
) -> Local {
    let own = mesh.aabb();
    crossing.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let mut held: Vec<Gap> = Vec::new();
    for gap in crossing {
        if held.len() < MAX_HELD && held.iter().all(|h| h.normal.dot(&gap.normal) < ALIKE) {
            held.push(gap);
        }
    }
    let mut directions = vec![Vector::x(), Vector::y(), Vector::z()];
    directions.extend((around.centre() - own.centre()).try_normalize(1e-12));
    directions.extend(normals_near(mesh, around));
    directions.extend(other_normals);
    let far = Vector::y() * (own.merged(around).half_extents().norm() * 2.0);
    let Ok(out) = least_way_out(solids, &held, directions, ALL_AROUND, far) else {
        unreachable!("meshes and convex solids are always measured")
    };
    match solids.lie(&out) {
        Lie::Apart(touch) => out.undone(&touch, iterations),
        // So flat an overlap that rounding hides its end: around the middle.
        _ => {
            let overlap = Aabb { min: own.min.sup(&around.min), max: own.max.inf(&around.max) };
            let point_a = overlap.centre() + out.way() * 0.5;
            let features = FeaturePair { a: Feature::Face(0), b: Feature::Face(0) };
            let touch = Local { distance: 0.0, point_a, point_b: point_a, normal: out.normal, features, iterations };
            out.undone(&touch, iterations)
        }
    }
}

/// Different normals of the triangles that meet `around` (the mesh's frame).
fn normals_near(mesh: &IndexedMesh, around: &Aabb) -> Vec<Vector> {
    let mut normals: Vec<Vector> = Vec::new();
    let _ = mesh.visit_triangles_near(around, |face| {
        let normal = mesh.face_normals()[face as usize];
        if normals.iter().all(|n| n.dot(&normal).abs() < ALIKE) {
            normals.push(normal);
        }
        if normals.len() < MAX_NORMALS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    normals
}

/// What overlaps a mesh.
enum Other<'s> {
    Mesh(&'s IndexedMesh),
    Convex(&'s dyn SupportMap, &'s Shape),
}

/// A mesh (A) and what overlaps it.
struct Overlapping<'s> {
    mesh: &'s IndexedMesh,
    other: Other<'s>,
    pose: &'s Pose,
    /// What is within this counts as an overlap, metres.
    clear: Real,
    /// What showed the last overlaps of two meshes: most often it shows the next one, too.
    kept: RefCell<VecDeque<Witness>>,
    /// Of two meshes.
    inner: InnerPlaces<&'s dyn Field>,
}

impl Overlapping<'_> {
    /// How the two lie with B moved by a way out, so that they are next to each other.
    fn lie(&self, out: &WayOut) -> Lie {
        let beyond = 1e-8 * out.depth + 4.0 * self.clear;
        let pose = moved(self.pose, &(out.normal * (out.depth + beyond)));
        let limit = 8.0 * beyond;
        match self.other {
            Other::Mesh(other) => lie_of_meshes(self.mesh, other, &pose, limit),
            Other::Convex(convex, shape) => lie_of_convex(self.mesh, convex, shape, &pose, limit),
        }
    }
}

impl Movable for Overlapping<'_> {
    fn clear(&self) -> Real {
        self.clear
    }

    fn overlap(&self, way: &Vector) -> Result<bool, ClosestError> {
        let pose = moved(self.pose, way);
        Ok(match self.other {
            Other::Mesh(other) => {
                let mut kept = self.kept.borrow_mut();
                let still_holds = |witness: &Witness| witness.still_holds(self.mesh, other, &pose, self.clear);
                if self.inner.is_any_shared(&pose) || kept.iter().any(still_holds) {
                    return Ok(true);
                }
                let found = witness_within(self.mesh, other, &pose, self.clear);
                kept.extend(found);
                if kept.len() > MAX_KEPT {
                    kept.pop_front();
                }
                found.is_some()
            }
            Other::Convex(convex, shape) => is_within_of_convex(self.mesh, convex, shape, &pose, self.clear),
        })
    }

    fn gaps(&self, way: &Vector, reach: Real) -> Result<Vec<Gap>, ClosestError> {
        let pose = moved(self.pose, way);
        let mut gaps = Vec::new();
        let mut see = |found: &Separation, radius: Real| {
            let distance = found.distance - radius;
            if distance < reach {
                gaps.push(Gap { normal: found.normal, distance });
            }
            Some(reach)
        };
        match self.other {
            Other::Mesh(other) => visit_near_triangles(self.mesh, other, &pose, reach, |_, found, _| see(found, 0.0)),
            Other::Convex(convex, shape) => {
                visit_near_convex(self.mesh, convex, shape, &pose, reach, |_, found, _| see(found, convex.radius()));
            }
        }
        Ok(gaps)
    }
}
