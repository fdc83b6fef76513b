//! The points, normal and separation of contacts between features at an instant.
//!
//! Places are computed in a frame that moves with B's centre and keeps the world's axes, so that they keep their digits far
//! from the world's origin. Normals are those of the way from A's point to B's, which the margin of the search keeps from
//! vanishing; where solids start in touch the features' own normals take their place (erratum E22: always from A to B).

use super::answer::FirstContact;
use super::edge_sweep::EdgeCandidates;
use super::feature_search::{Candidates, Instant, Search};
use super::side::Side;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::solid::Segment;
use crate::math::{Matrix, Point, Pose, Real, Vector};
use crate::volume::Obb;

/// Measures features at an instant.
pub(super) struct Witnesses<'s, 'a> {
    search: &'s Search<'a>,
    at: &'s Instant,
    /// From each side's frame to the common one.
    pose_a: Pose,
    pose_b: Pose,
}

/// The nearest points of two cores, in the common frame, with the features they lie on.
struct CorePair {
    a: Point,
    b: Point,
    features: FeaturePair,
    /// A direction to use where the points coincide, either way round.
    across: Vector,
}

impl<'s, 'a> Witnesses<'s, 'a> {
    pub fn new(search: &'s Search<'a>, at: &'s Instant) -> Self {
        let (a, b) = (search.a.motion, search.b.motion);
        let rotation_b = b.rotation_at(at.time);
        let to_centre = -(rotation_b * b.local_centre.coords);
        let pose_b = Pose::from_parts(to_centre.into(), rotation_b);
        let pose_a = {
            let rotation = a.rotation_at(at.time);
            // The common pose of A is its pose in B's frame carried along: the offset of centres less A's own lever.
            let offset = pose_b * (at.a_in_b.a_in_b * a.local_centre);
            Pose::from_parts((offset.coords - rotation * a.local_centre.coords).into(), rotation)
        };
        Self { search, at, pose_a, pose_b }
    }

    /// The contacts of features that are near each other.
    pub fn of(&self, near: &Candidates) -> Vec<FirstContact> {
        let mut contacts = Vec::new();
        contacts.extend(near.vertices_a.iter().filter_map(|&v| self.vertex(true, v)));
        contacts.extend(near.vertices_b.iter().filter_map(|&v| self.vertex(false, v)));
        if let EdgeCandidates::Pairs(pairs) = &near.edges {
            contacts.extend(pairs.iter().map(|&[a, b]| self.edges(a, b)));
        }
        contacts
    }

    /// A vertex or edge of one solid that is inside the other, if there is one.
    pub fn inside(&self) -> Option<FirstContact> {
        self.vertex_inside(true)
            .or_else(|| self.vertex_inside(false))
            .or_else(|| self.edge_inside(true))
            .or_else(|| self.edge_inside(false))
    }

    fn sides(&self, a_first: bool) -> (&'a Side<'a>, &'a Side<'a>, &Pose, &Pose) {
        let (a, b) = (self.search.a, self.search.b);
        if a_first { (a, b, &self.pose_a, &self.pose_b) } else { (b, a, &self.pose_b, &self.pose_a) }
    }

    fn in_target(&self, of_a: bool, local: &Point) -> Point {
        let pose = if of_a { &self.at.a_in_b } else { &self.at.b_in_a };
        pose.a_in_b * local
    }

    fn vertex(&self, of_a: bool, vertex: u32) -> Option<FirstContact> {
        let (mover, target, _, target_pose) = self.sides(of_a);
        let place = self.in_target(of_a, &mover.features.vertices[vertex as usize]);
        let (point, feature, across) = match target.nearest(&place, Real::INFINITY) {
            Some(nearest) => (nearest.point, nearest.feature, across_face(target, nearest.feature)),
            None => nearest_by_segments(target, &place, 2.0 * (mover.skin() + self.search.tolerance()))?,
        };
        let pair = |a: Point, b: Point, fa, fb| CorePair {
            a,
            b,
            features: FeaturePair { a: fa, b: fb },
            across: target_pose.rotation * across,
        };
        let (moving, still) = (target_pose * place, target_pose * point);
        Some(if of_a {
            self.complete(pair(moving, still, Feature::Vertex(vertex), feature))
        } else {
            self.complete(pair(still, moving, feature, Feature::Vertex(vertex)))
        })
    }

    fn edges(&self, edge_a: u32, edge_b: u32) -> FirstContact {
        let p = self.at.placement.edge_a(self.search.a, edge_a);
        let q = self.at.placement.edge_b(self.search.b, edge_b);
        let (a, b) = closest_on_segments(&p, &q);
        self.complete(CorePair {
            a,
            b,
            features: FeaturePair { a: Feature::Edge(edge_a), b: Feature::Edge(edge_b) },
            across: (p[1] - p[0]).cross(&(q[1] - q[0])),
        })
    }

    /// From the nearest points of the cores to the contact of the surfaces around them.
    fn complete(&self, core: CorePair) -> FirstContact {
        let way = core.b - core.a;
        // Below this a difference of places is rounding.
        let noise = self.search.rounding.max(Real::MIN_POSITIVE);
        let normal = way.try_normalize(noise).unwrap_or_else(|| self.direction_of(&core));
        let (point_a, feature_a) = self.surface(true, &core, &normal);
        let (point_b, feature_b) = self.surface(false, &core, &normal);
        let origin = self.search.b.motion.centre_at(self.at.time).coords;
        FirstContact {
            time: self.at.time,
            point_a: point_a + origin,
            point_b: point_b + origin,
            normal,
            separation: (point_b - point_a).dot(&normal),
            features: FeaturePair { a: feature_a, b: feature_b },
        }
    }

    /// A unit normal for cores that touch: across the features, from the side where A lies to that of B.
    fn direction_of(&self, core: &CorePair) -> Vector {
        let middle = |side: &Side, pose: &Pose| {
            let sphere = side.solid.bounding_sphere();
            if sphere.radius.is_finite() { Some(pose * sphere.centre) } else { None }
        };
        let outward = match (middle(self.search.a, &self.pose_a), middle(self.search.b, &self.pose_b)) {
            (Some(a), Some(b)) => (core.a - a) + (b - core.b),
            (Some(a), None) => core.a - a,
            (None, Some(b)) => b - core.b,
            (None, None) => Vector::y(),
        };
        let across =
            core.across.try_normalize(Real::MIN_POSITIVE).or_else(|| outward.try_normalize(Real::MIN_POSITIVE));
        let across = across.unwrap_or_else(Vector::y);
        if across.dot(&outward) < 0.0 { -across } else { across }
    }

    /// The point of a side's true surface on the line between the cores, and its feature there.
    fn surface(&self, of_a: bool, core: &CorePair, normal: &Vector) -> (Point, Feature) {
        let (side, _, pose, _) = self.sides(of_a);
        let (own, other) = if of_a { (core.a, core.b) } else { (core.b, core.a) };
        let feature = if of_a { core.features.a } else { core.features.b };
        let inward = if of_a { -normal } else { *normal };
        let rounded = own - inward * side.features.radius;
        let beyond = own + inward * (side.skin() + self.search.tolerance());
        let outside =
            if (other - own).dot(&inward) < -side.skin() { other } else { own - inward * (side.skin() * 2.0) };
        let segment =
            Segment { start: pose.inverse_transform_point(&outside), end: pose.inverse_transform_point(&beyond) };
        let is_own_core = side.skin() == 0.0;
        // Vertices and edges of a polyhedron are numbered as in its feature set; only its faces are cut into triangles there.
        if is_own_core && !matches!(feature, Feature::Face(_)) {
            return (own, feature);
        }
        match side.solid.cast_segment(&segment) {
            Some(hit) if is_own_core => (own, hit.feature),
            Some(hit) if hit.fraction > 0.0 => (pose * hit.point, hit.feature),
            Some(_) | None => (rounded, feature),
        }
    }

    fn vertex_inside(&self, of_a: bool) -> Option<FirstContact> {
        let (mover, target, _, target_pose) = self.sides(of_a);
        for (v, local) in (0..).zip(&mover.features.vertices) {
            let place = self.in_target(of_a, local);
            if target.aabb.distance_to_point(&place) > 0.0 {
                continue;
            }
            let point = Obb { centre: place, axes: Matrix::identity(), half_extents: Vector::zeros() };
            if !target.solid.overlaps_obb(&point) {
                continue;
            }
            let hit = target.solid.cast_segment(&Segment { start: place, end: place });
            let nearest = target.nearest(&place, Real::INFINITY);
            let surface = nearest.as_ref().map_or(place, |n| n.point);
            let outward = hit.map(|h| h.normal).or_else(|| (surface - place).try_normalize(self.search.rounding));
            let outward = target_pose.rotation * outward.unwrap_or_else(Vector::y);
            let surface = target_pose * surface + outward * target.features.radius;
            let deepest = target_pose * place - outward * mover.features.radius;
            let feature = hit.map(|h| h.feature).or(nearest.map(|n| n.feature)).unwrap_or(Feature::Face(0));
            return Some(self.inside_contact(of_a, deepest, surface, outward, (Feature::Vertex(v), feature)));
        }
        None
    }

    fn edge_inside(&self, of_a: bool) -> Option<FirstContact> {
        let (mover, target, _, target_pose) = self.sides(of_a);
        for (e, edge) in (0..).zip(&mover.features.edges) {
            let [start, end] = edge.map(|v| self.in_target(of_a, &mover.features.vertices[v as usize]));
            let middle = nalgebra::center(&start, &end);
            if target.aabb.distance_to_point(&middle) > (end - start).norm() {
                continue;
            }
            if let Some(hit) = target.solid.cast_segment(&Segment { start, end }) {
                let point = target_pose * hit.point;
                let outward = target_pose.rotation * hit.normal;
                return Some(self.inside_contact(of_a, point, point, outward, (Feature::Edge(e), hit.feature)));
            }
        }
        None
    }

    fn inside_contact(
        &self,
        of_a: bool,
        mover_point: Point,
        target_point: Point,
        outward: Vector,
        (mover_feature, target_feature): (Feature, Feature),
    ) -> FirstContact {
        let origin = self.search.b.motion.centre_at(self.at.time).coords;
        let contact = FirstContact {
            time: self.at.time,
            point_a: mover_point + origin,
            point_b: target_point + origin,
            normal: -outward,
            separation: -((target_point - mover_point).dot(&outward).max(0.0)),
            features: FeaturePair { a: mover_feature, b: target_feature },
        };
        if of_a { contact } else { contact.swapped() }
    }
}

/// A direction across the face, zero where the feature is none.
fn across_face(side: &Side, feature: Feature) -> Vector {
    let Feature::Face(f) = feature else { return Vector::zeros() };
    let Some(face) = side.features.faces.get(f as usize) else { return Vector::zeros() };
    let [a, b, c] = face.map(|v| side.features.vertices[v as usize]);
    (b - a).cross(&(c - a))
}

/// The point of a solid without features near `place`, within about `reach`, with its feature and normal: segments along the axes
/// find a normal, then segments against the normal find the point until it stays.
fn nearest_by_segments(target: &Side, place: &Point, reach: Real) -> Option<(Point, Feature, Vector)> {
    const ROUNDS: usize = 8;
    let cast = |direction: Vector| {
        let end = place + direction;
        target.solid.cast_segment(&Segment { start: *place, end })
    };
    let mut best: Option<(Real, Point, Feature, Vector)> = None;
    let look = |direction: Vector, best: &mut Option<(Real, Point, Feature, Vector)>| {
        if let Some(hit) = cast(direction) {
            let distance = (hit.point - place).norm();
            if best.is_none_or(|b| distance < b.0) {
                *best = Some((distance, hit.point, hit.feature, hit.normal));
                return true;
            }
        }
        false
    };
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let mut direction = Vector::zeros();
            // Along one of the axes the surface is no further than √3 times its distance.
            direction[axis] = sign * 2.0 * reach;
            look(direction, &mut best);
        }
    }
    for _ in 0..ROUNDS {
        let (.., normal) = best?;
        if !look(-normal * (2.0 * reach), &mut best) {
            break;
        }
    }
    best.map(|(_, point, feature, normal)| (point, feature, normal))
}

/// The nearest points of two segments; of parallel ones, one of the pairs of nearest points.
pub(super) fn closest_on_segments(p: &[Point; 2], q: &[Point; 2]) -> (Point, Point) {
    let (u, v, w) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let on = |from: &Point, along: &Vector, s: Real| from + along * s;
    let project = |from: &Point, along: &Vector, point: &Point| {
        let squared = along.norm_squared();
        if squared > 0.0 { ((point - from).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 }
    };
    // The nearest of: each end against the other segment, and the common perpendicular.
    let mut best = (Real::INFINITY, p[0], q[0]);
    let mut consider = |a: Point, b: Point| {
        let distance = (b - a).norm_squared();
        if distance < best.0 {
            best = (distance, a, b);
        }
    };
    let normal = u.cross(&v);
    let squared = normal.norm_squared();
    if squared > 0.0 {
        let s = v.cross(&w).dot(&normal) / squared;
        if (0.0..=1.0).contains(&s) {
            let a = on(&p[0], &u, s);
            let b = on(&q[0], &v, project(&q[0], &v, &a));
            consider(on(&p[0], &u, project(&p[0], &u, &b)), b);
        }
    }
    for end in p {
        consider(*end, on(&q[0], &v, project(&q[0], &v, end)));
    }
    for end in q {
        consider(on(&p[0], &u, project(&p[0], &u, end)), *end);
    }
    (best.1, best.2)
}
