//! Separating axes of two convex polyhedra, with the last one kept.
//!
//! **Problem.** Most pairs are apart, and stay apart along about the same direction: one look along it is all they are worth.
//! Pairs that overlap want the least translation apart, exactly.
//!
//! **Idea.** A polyhedron is its half-spaces, with the vertices derived from them
//! ([`ConvexPolyhedron::from_half_spaces`]): the signed distance of a body from a half-space is that of its extreme vertex. Two
//! polyhedra that do not overlap are apart along a face's normal or square to an edge of each, and the least translation that
//! separates two that do leads along one of these. Of the edge pairs only those count whose arcs of normals cross: the
//! others make no face of the Minkowski difference.
//!
//! **Guarantee.** A positive separation is a proof, and a lower bound of the distance: the distance itself where the faces or
//! edges of the axis hold the closest points. A negative one is minus the depth: along no direction do they separate sooner. Both
//! to a few roundings of the coordinates.
//!
//! **Limits.** Without a good axis from the last time, O(f log n + e²) for f faces and e edges: made for boxes and simple
//! polyhedra, not for spheres of hundreds of vertices.
//!
//! **Source.** Gottschalk, Lin and Manocha (1996) for the axes; Gregorius (2013) for the arcs of normals.

use super::gjk::RelativePose;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Real, Vector};

/// The axis of the last query on a pair: the faces or edges that gave it. Valid for any placement of the same two polyhedra.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisMemory {
    last: Option<Axis>,
    hints: [u32; 2],
}

/// What a direction is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    FaceOfA(u32),
    FaceOfB(u32),
    Edges(u32, u32),
}

/// What the axes say about two polyhedra, in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisSeparation {
    /// Metres along the normal: a gap, or minus the least translation apart.
    pub separation: Real,
    /// Unit, from A to B.
    pub normal: Vector,
    /// A face and the vertex nearest to it, or two edges.
    pub features: FeaturePair,
    /// The place of A's feature that B's is over or under.
    pub point_a: Point,
    /// The place of B's.
    pub point_b: Point,
    /// Axes looked at.
    pub axes: u32,
}

/// Two edges more nearly parallel than this (sine squared) have no axis of their own: those of their faces are as good.
const PARALLEL: Real = 1e-12;
/// Edges whose own gap exceeds that of the bodies by this part of the size are on opposite halves of the sphere, which rounding
/// has not shown.
const WRONG: Real = 1e-9;

/// Along which axis the polyhedra are furthest apart, or overlap least; from where `memory` left off.
///
/// Where the last axis still separates them by more than `enough` metres, that is the answer: one extreme vertex of either side.
pub fn separating_axis(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    b_in_a: &RelativePose,
    memory: &mut AxisMemory,
    enough: Real,
) -> AxisSeparation {
    let mut search = Search { sides: [a, b], placement: b_in_a, hints: memory.hints, axes: 0 };
    let kept = memory.last.and_then(|axis| search.along(axis));
    let found = match kept {
        Some(found) if found.separation > enough => Some((memory.last, found)),
        _ => search.all(enough),
    };
    memory.hints = search.hints;
    let axes = search.axes;
    match found {
        Some((axis, found)) => {
            memory.last = axis;
            AxisSeparation { axes, ..found }
        }
        // No face has a finite distance: no polyhedron that can be made has none.
        None => AxisSeparation {
            separation: Real::NEG_INFINITY,
            normal: Vector::x(),
            features: FeaturePair { a: Feature::Vertex(0), b: Feature::Vertex(0) },
            point_a: a.interior_point(),
            point_b: Point::from(b_in_a.rotation * b.interior_point().coords + b_in_a.translation),
            axes,
        },
    }
}

struct Search<'q> {
    sides: [&'q ConvexPolyhedron; 2],
    placement: &'q RelativePose,
    hints: [u32; 2],
    axes: u32,
}

type Best = Option<(Option<Axis>, AxisSeparation)>;

impl Search<'_> {
    fn all(&mut self, enough: Real) -> Best {
        let mut best: Best = None;
        let faces = self.sides.map(|s| s.face_count() as u32);
        let axes = (0..faces[0]).map(Axis::FaceOfA).chain((0..faces[1]).map(Axis::FaceOfB));
        for axis in axes {
            if self.offer(axis, &mut best, enough) {
                return best;
            }
        }
        let arcs_b = self.arcs_of_b();
        for (e, edge) in self.sides[0].edges().iter().enumerate() {
            let own = edge.faces.map(|f| self.sides[0].planes()[f as usize].normal);
            let across = own[1].cross(&own[0]);
            for (g, arc) in arcs_b.iter().enumerate() {
                if arcs_cross(&own, &across, arc) && self.offer(Axis::Edges(e as u32, g as u32), &mut best, enough) {
                    return best;
                }
            }
        }
        best
    }

    /// Keeps the axis if it is the best so far; whether it is enough.
    fn offer(&mut self, axis: Axis, best: &mut Best, enough: Real) -> bool {
        let Some(found) = self.along(axis) else { return false };
        if best.is_none_or(|(_, b)| found.separation > b.separation) {
            *best = Some((Some(axis), found));
        }
        found.separation > enough
    }

    /// The normals of B's edges' faces, reversed, in A's frame, and the cross product of each two.
    fn arcs_of_b(&self) -> Vec<([Vector; 2], Vector)> {
        let b = self.sides[1];
        let arc = |faces: [u32; 2]| {
            let normals = faces.map(|f| -(self.placement.rotation * b.planes()[f as usize].normal));
            (normals, normals[1].cross(&normals[0]))
        };
        b.edges().iter().map(|edge| arc(edge.faces)).collect()
    }

    /// How far apart the polyhedra are along a unit direction, and the size of the numbers that it is taken from.
    fn extents(&mut self, normal: &Vector) -> (Real, Real) {
        let (r, t) = (&self.placement.rotation, &self.placement.translation);
        let into_b = -r.tr_mul(normal);
        let (end, start) =
            (self.sides[0].support(normal, self.hints[0]), self.sides[1].support(&into_b, self.hints[1]));
        self.hints = [end.vertex, start.vertex];
        let separation = t.dot(normal) - into_b.dot(&start.point.coords) - normal.dot(&end.point.coords);
        (separation, t.norm() + start.point.coords.norm() + end.point.coords.norm())
    }

    fn along(&mut self, axis: Axis) -> Option<AxisSeparation> {
        self.axes += 1;
        let (r, t) = (&self.placement.rotation, &self.placement.translation);
        let [a, b] = self.sides;
        let into_a = |p: &Point| Point::from(r * p.coords + t);
        match axis {
            Axis::FaceOfA(f) => {
                let plane = a.planes().get(f as usize)?;
                let support = b.support(&-r.tr_mul(&plane.normal), self.hints[1]);
                self.hints[1] = support.vertex;
                let point_b = into_a(&support.point);
                let separation = plane.normal.dot(&point_b.coords) - plane.offset;
                let features = FeaturePair { a: Feature::Face(f), b: Feature::Vertex(support.vertex) };
                let point_a = point_b - plane.normal * separation;
                Some(AxisSeparation { separation, normal: plane.normal, features, point_a, point_b, axes: 0 })
            }
            Axis::FaceOfB(f) => {
                let plane = b.planes().get(f as usize)?;
                let normal = -(r * plane.normal);
                let support = a.support(&normal, self.hints[0]);
                self.hints[0] = support.vertex;
                let seen = r.tr_mul(&(support.point.coords - t));
                let separation = plane.normal.dot(&seen) - plane.offset;
                let features = FeaturePair { a: Feature::Vertex(support.vertex), b: Feature::Face(f) };
                let point_b = support.point + normal * separation;
                Some(AxisSeparation { separation, normal, features, point_a: support.point, point_b, axes: 0 })
            }
            Axis::Edges(e, g) => {
                let (edge, other) = (a.edges().get(e as usize)?, b.edges().get(g as usize)?);
                let [p, p_head] = edge.vertices.map(|v| a.vertices()[v as usize]);
                let [q, q_head] = other.vertices.map(|v| into_a(&b.vertices()[v as usize]));
                let (u, v, w) = (p_head - p, q_head - q, q - p);
                let cross = u.cross(&v);
                let square = cross.norm_squared();
                let (uu, vv) = (u.norm_squared(), v.norm_squared());
                if square <= PARALLEL * uu * vv {
                    return None;
                }
                // Outwards from A: as the faces at the edge look.
                let outward = edge.faces.map(|f| a.planes()[f as usize].normal);
                let sign = 1.0_f64.copysign(cross.dot(&(outward[0] + outward[1])));
                let normal = cross * (sign / square.sqrt());
                // A kept pair whose arcs no longer cross bounds no body along its normal.
                let faces_b = other.faces.map(|f| -(r * b.planes()[f as usize].normal));
                if !arcs_cross(&outward, &outward[1].cross(&outward[0]), &(faces_b, faces_b[1].cross(&faces_b[0]))) {
                    return None;
                }
                let gap = normal.dot(&w);
                let (separation, size) = self.extents(&normal);
                if gap - separation > WRONG * size {
                    return None;
                }
                let (uv, uw, vw) = (u.dot(&v), u.dot(&w), v.dot(&w));
                let (s, k) = ((vv * uw - uv * vw) / square, (uv * uw - uu * vw) / square);
                let features = FeaturePair { a: Feature::Edge(e), b: Feature::Edge(g) };
                let (point_a, point_b) = (p + u * s, q + v * k);
                Some(AxisSeparation { separation, normal, features, point_a, point_b, axes: 0 })
            }
        }
    }
}

/// Whether the arcs between two pairs of unit normals cross on the sphere. Arcs that touch do so at the normal of a face, which is
/// an axis itself.
fn arcs_cross(own: &[Vector; 2], across: &Vector, (other, other_across): &([Vector; 2], Vector)) -> bool {
    let sides = other.map(|n| across.dot(&n));
    let own_sides = own.map(|n| other_across.dot(&n));
    // Either arc's ends lie on both sides of the other, and on the same half of the sphere.
    sides[0] * sides[1] < 0.0 && own_sides[0] * own_sides[1] < 0.0 && sides[0] * own_sides[1] > 0.0
}
