//! The depth of overlaps of meshes: the least way out over those that their triangles lead to.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::gjk::Separation;
use super::inner_places::InnerPlaces;
use super::mesh::{
    Lie, Witness, is_triangle_within, lie_of_convex, lie_of_meshes, swallows, triangle_within_of_convex, witness_within,
};
use super::mesh_walk::{visit_near_convex, visit_near_triangles};
use super::way_out::{
    ALL_AROUND, Gap, Movable, NearestGaps, WayOut, least_way_out, least_way_out_from, moved, ways_out,
};
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
/// Triangles that crossed a convex solid before.
const MAX_KEPT_FACES: usize = 8;
/// The middle of a ball that is nearer to a surface than this share of its radius is on it: which way it lies is rounding.
const ON_SURFACE: Real = 1e-9;
/// Ways out of coarser solids that are followed, of which none is nearer than by an angle with this cosine to another.
const MAX_WAYS: usize = 8;
const LIKE: Real = 0.99;
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
    Overlap::with_convex(mesh, (convex, shape), pose).deepest(iterations)
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
    Overlap::of_meshes(a, b, pose).deepest(iterations)
}

/// The depth of two solids that overlap (B placed in A's frame), by the ways out of `coarse` ones that are nowhere further from them than
/// `error` metres in all: of those that may be the least each is followed among the finer triangles. `None` of pairs that are no two meshes, nor a
/// mesh and a convex solid, where the coarse ones do not overlap, or none of their ways leads out.
pub(super) fn overlap_by_coarse(
    [a, b]: [&Shape; 2],
    coarse: [&Shape; 2],
    pose: &Pose,
    error: Real,
    iterations: u64,
) -> Option<Local> {
    if !matches!(a, Shape::Mesh(_)) {
        let found = overlap_by_coarse([b, a], [coarse[1], coarse[0]], &pose.inverse(), error, iterations)?;
        return matches!(b, Shape::Mesh(_)).then(|| found.swapped(pose));
    }
    let ways = Overlap::of(coarse[0], coarse[1], pose)?.ways(error)?;
    Overlap::of(a, b, pose)?.deepest_from(&ways, 2.0 * error, iterations)
}

/// Triangles that meet at an edge may be told apart there by rounding, which is no way out.
fn clear(mesh: &IndexedMesh, around: &Aabb) -> Real {
    const CLEAR: Real = 1e-10;
    CLEAR * mesh.aabb().merged(around).half_extents().norm()
}

/// A mesh and what overlaps it, with what is suggested to search along.
struct Overlap<'s> {
    solids: Overlapping<'s>,
    /// Around what overlaps the mesh, in the mesh's frame.
    around: Aabb,
    /// The deepest ways out of single triangles.
    held: Vec<Gap>,
    /// Of the other solid, in the mesh's frame.
    other_normals: Vec<Vector>,
}

impl<'s> Overlap<'s> {
    /// `None` of other solids, and of those whose depth needs no search.
    fn of(a: &'s Shape, b: &'s Shape, pose: &'s Pose) -> Option<Self> {
        match (a, b) {
            (Shape::Mesh(a), Shape::Mesh(b)) if a.as_convex().is_none() || b.as_convex().is_none() => {
                Some(Self::of_meshes(a, b, pose))
            }
            (Shape::Mesh(a), b) if a.as_convex().is_none() => Some(Self::with_convex(a, (b.as_convex()?, b), pose)),
            _ => None,
        }
    }

    fn with_convex(mesh: &'s IndexedMesh, (convex, shape): (&'s dyn SupportMap, &'s Shape), pose: &'s Pose) -> Self {
        let mut crossing = Vec::new();
        visit_near_convex(mesh, convex, &shape.as_solid().local_aabb(), pose, Real::MIN_POSITIVE, |face, found, _| {
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
        let (other, inner) = (Other::Convex(convex, shape), InnerPlaces::new([None; 2]));
        Self::new((mesh, other, inner), pose, around, crossing, axes(pose))
    }

    fn of_meshes(a: &'s IndexedMesh, b: &'s IndexedMesh, pose: &'s Pose) -> Self {
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
        let inner = InnerPlaces::new([a.field(), b.field()]);
        Self::new((a, Other::Mesh(b), inner), pose, b.aabb().transformed(pose), crossing, theirs)
    }

    fn new(
        (mesh, other, inner): (&'s IndexedMesh, Other<'s>, InnerPlaces<&'s dyn Field>),
        pose: &'s Pose,
        around: Aabb,
        mut crossing: Vec<Gap>,
        other_normals: Vec<Vector>,
    ) -> Self {
        crossing.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let mut held: Vec<Gap> = Vec::new();
        for gap in crossing {
            if held.len() < MAX_HELD && held.iter().all(|h| h.normal.dot(&gap.normal) < ALIKE) {
                held.push(gap);
            }
        }
        let clear = clear(mesh, &around);
        let (kept, kept_faces) = (RefCell::default(), RefCell::default());
        Self { solids: Overlapping { mesh, other, pose, clear, kept, kept_faces, inner }, around, held, other_normals }
    }

    /// Beside those of the triangles that cross, what is searched along: the axes, the line of the centres, and the normals of the triangles near the
    /// overlap; and a translation that parts the two.
    fn suggested(&self) -> (Vec<Vector>, Vector) {
        let (mesh, around) = (self.solids.mesh, &self.around);
        let own = mesh.aabb();
        let mut directions = vec![Vector::x(), Vector::y(), Vector::z()];
        directions.extend((around.centre() - own.centre()).try_normalize(1e-12));
        directions.extend(normals_near(mesh, around));
        directions.extend(&self.other_normals);
        (directions, Vector::y() * (own.merged(around).half_extents().norm() * 2.0))
    }

    /// Those of the ways out that are the least, or longer by up to twice `error` metres, of like ones the shortest; `None` where the two do not overlap.
    fn ways(&self, error: Real) -> Option<Vec<Vector>> {
        if !matches!(self.solids.overlap(&Vector::zeros()), Ok(true)) {
            return None;
        }
        let (directions, far) = self.suggested();
        let mut ways = ways_out(&self.solids, &self.held, directions, ALL_AROUND, far).ok()?;
        ways.retain(|way| way.norm() > 0.0);
        ways.sort_by(|v, w| v.norm().total_cmp(&w.norm()));
        let most = ways.first()?.norm() + 2.0 * error;
        let mut kept: Vec<Vector> = Vec::new();
        for way in ways {
            let is_like = |other: &Vector| other.dot(&way) > LIKE * other.norm() * way.norm();
            if way.norm() <= most && kept.len() < MAX_WAYS && !kept.iter().any(is_like) {
                kept.push(way);
            }
        }
        Some(kept)
    }

    fn deepest(&self, iterations: u64) -> Local {
        let (directions, far) = self.suggested();
        let Ok(out) = least_way_out(&self.solids, &self.held, directions, ALL_AROUND, far) else {
            unreachable!("meshes and convex solids are always measured")
        };
        self.undone(&out, iterations)
    }

    fn deepest_from(&self, ways: &[Vector], longer: Real, iterations: u64) -> Option<Local> {
        if !matches!(self.solids.overlap(&Vector::zeros()), Ok(true)) {
            return None;
        }
        let out = least_way_out_from(&self.solids, &self.held, ways, longer).ok()??;
        Some(self.undone(&out, iterations))
    }

    fn undone(&self, out: &WayOut, iterations: u64) -> Local {
        match self.solids.lie(out) {
            Lie::Apart(touch) => out.undone(&touch, iterations),
            // So flat an overlap that rounding hides its end: around the middle.
            _ => {
                let (own, around) = (self.solids.mesh.aabb(), &self.around);
                let overlap = Aabb { min: own.min.sup(&around.min), max: own.max.inf(&around.max) };
                let point_a = overlap.centre() + out.way() * 0.5;
                let features = FeaturePair { a: Feature::Face(0), b: Feature::Face(0) };
                let normal = out.normal;
                let touch = Local { distance: 0.0, point_a, point_b: point_a, normal, features, iterations };
                out.undone(&touch, iterations)
            }
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
    /// The same of a mesh and a convex solid: triangles that cross it.
    kept_faces: RefCell<VecDeque<u32>>,
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
            Other::Convex(convex, shape) => {
                let mut kept = self.kept_faces.borrow_mut();
                let still_holds = |face: &u32| is_triangle_within(self.mesh, *face, convex, &pose, self.clear);
                if swallows(self.mesh, convex, &pose) || kept.iter().any(still_holds) {
                    return Ok(true);
                }
                let found = triangle_within_of_convex(self.mesh, convex, shape, &pose, self.clear);
                kept.extend(found);
                if kept.len() > MAX_KEPT_FACES {
                    kept.pop_front();
                }
                found.is_some()
            }
        })
    }

    fn gaps(&self, way: &Vector, reach: Real) -> Result<Vec<Gap>, ClosestError> {
        let pose = moved(self.pose, way);
        let mut nearest = NearestGaps::within(reach);
        let mut see = |found: &Separation, radius: Real| {
            Some(nearest.see(Gap { normal: found.normal, distance: found.distance - radius }))
        };
        match self.other {
            Other::Mesh(other) => visit_near_triangles(self.mesh, other, &pose, reach, |_, found, _| see(found, 0.0)),
            Other::Convex(convex, shape) => {
                let own = shape.as_solid().local_aabb();
                visit_near_convex(self.mesh, convex, &own, &pose, reach, |_, found, _| see(found, convex.radius()));
            }
        }
        Ok(nearest.gaps())
    }
}
