//! A mesh and a convex solid: the triangles near the solid, one by one, and only what the true surface has.

use std::sync::Arc;

use super::ContactPoint;
use super::box_box::{edge_contacts, patch_contacts};
use super::convex::{has_nearest, push_unless_found};
use super::limits::Limits;
use super::near::NearLists;
use super::nearest::{Core, Nearest, nearest_points};
use super::patch::Patch;
use super::side::ConvexSide;
use super::triangle::{CORNER_SLACK, Corner3, FACING, REGION_SLACK};
use crate::bounds::IndexedMesh;
use crate::detection::closest::gjk::GjkCache;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Real, Vector};
use crate::shape::Shape;
use crate::volume::Aabb;

/// Appends the contacts of a mesh (A) and a convex solid placed in the mesh's frame, before any reduction.
///
/// Cost: a box test for each triangle on the list, a plane test for each near the solid, a face search for those it stands over, and a
/// distance search only for triangles whose edges or corners may be the nearest.
pub(super) fn mesh_convex_contacts(
    mesh: &Arc<IndexedMesh>,
    b: &ConvexSide<'_>,
    limits: &Limits,
    near: &mut NearLists,
    out: &mut Vec<ContactPoint>,
) {
    let local = b.shape.as_solid().local_aabb();
    let reach = limits.reach();
    let around = local.inflated(reach);
    let start = out.len();
    let mut search =
        Search { mesh, b, limits, patch: None, lowest: None, deepest: Vec::new(), behind: Vec::new(), overlap: 0.0 };
    let near = near.of_mesh_and_box(mesh, &local, &b.pose, reach);
    // A triangle is listed once.
    for listed in near.pairs().map(|entry| &near.faces_a[entry.a as usize]) {
        // In the solid's own frame, where its box is smallest.
        let seen = listed.corners.map(|p| Point::from(b.axes.tr_mul(&(p.coords - b.pose.translation.vector))));
        if around.overlaps(&Aabb::from_points(&seen)) {
            let normal = mesh.face_normals()[listed.face as usize];
            let t = Corner3 { mesh, face: listed.face, corners: listed.corners, normal };
            search.triangle(&t, &seen, out);
        }
    }
    search.deepest_unless_found(start, out);
    search.behind_unless_found(start, out);
}

/// A triangle with the unit normal of either side.
struct PlacedTriangle {
    triangle: Triangle,
    normal: Vector,
}

impl Core for PlacedTriangle {
    fn map(&self) -> &dyn SupportMap {
        &self.triangle
    }

    fn feature_at(&self, _place: &Point, vertices: &[u32]) -> Feature {
        self.triangle.feature_of(vertices)
    }

    fn faces_towards(&self, _direction: &Vector) -> [Option<Vector>; 2] {
        [Some(self.normal), Some(-self.normal)]
    }

    fn normal_at(&self, _own: &Point, _other: &Point) -> Option<Vector> {
        None
    }
}

struct Search<'a> {
    mesh: &'a IndexedMesh,
    b: &'a ConvexSide<'a>,
    limits: &'a Limits,
    /// The solid's patch against the last triangle's normal: neighbours of a floor share it.
    patch: Option<(Vector, Patch)>,
    /// The solid's lowest point along the last triangle's normal, likewise.
    lowest: Option<(Vector, Point)>,
    /// The deepest places of triangles that overlap the solid, where they are features of the mesh's surface.
    deepest: Vec<ContactPoint>,
    /// Contacts so far behind a face that the solid leaves sooner beside it.
    behind: Vec<ContactPoint>,
    /// How deep the solid is in the way of a triangle at most, metres.
    overlap: Real,
}

impl Search<'_> {
    /// The contacts of a triangle, whose corners are `seen` there in the solid's own frame.
    fn triangle(&mut self, t: &Corner3<'_>, seen: &[Point; 3], out: &mut Vec<ContactPoint>) {
        let (b, limits) = (self.b, self.limits);
        let radius = b.map().radius();
        let height = |p: &Point| (p - t.corners[0]).dot(&t.normal);
        // A two-sided face is met from the side where the solid's middle is.
        let middle = b.pose * b.map().interior_point();
        let normal = if self.mesh.is_closed() || height(&middle) >= 0.0 { t.normal } else { -t.normal };
        let lowest_point = match &self.lowest {
            Some((n, point)) if *n == normal => *point,
            _ => self.lowest.insert((normal, b.support(&-normal).0)).1,
        };
        let lowest = height(&lowest_point) * normal.dot(&t.normal) - radius;
        if lowest > limits.margin {
            return;
        }
        let start = out.len();
        let crosses = lowest < -limits.snap;
        let plain = self.mesh.surface_features().is_plain_face(t.face);
        if !crosses {
            if plain && !self.has_corner_over(t, &normal) {
                return;
            }
            // The whole solid is on the near side: whatever stands over the face is a contact, and the lowest is the nearest.
            self.over_face(t, &normal, limits.deepest, out);
            let least = out[start..].iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
            if least <= lowest + limits.snap || plain {
                return;
            }
        } else {
            let highest = height(&b.support(&normal).0) * normal.dot(&t.normal) + radius;
            if highest < -limits.margin {
                return;
            }
        }
        match self.nearest(t, seen, &normal) {
            None => out.truncate(start),
            Some(Nearest::Apart(nearest)) => self.beside(t, &normal, nearest, crosses, start, out),
            Some(Nearest::Overlapping(deepest)) => {
                out.truncate(start);
                // Beside its own plane a triangle is not the counterpart of what looks at it from the far side of the solid.
                let along = deepest.normal.dot(&normal);
                if along.abs() > FACING {
                    let depth = |way: Real| 2.0 * deepest.separation.min(way) - limits.margin;
                    self.over_face(t, &normal, depth(lowest), out);
                    // Who leaves sooner through the back may have to leave over the face all the same, however far that is; but not who leaves
                    // beside it.
                    if along < 0.0 && out.len() > start {
                        let most = depth(lowest.max(self.beside_the_face(t, seen, &normal, lowest)));
                        self.behind.extend(out.extract_if(start.., |c| c.separation < most));
                    }
                }
                self.overlap = self.overlap.max(-deepest.separation);
                if let Some(feature) = self.true_feature(t, &deepest) {
                    let features = FeaturePair { a: feature, ..deepest.features };
                    self.deepest.push(ContactPoint { features, ..deepest });
                }
            }
        }
    }

    /// How deep the solid, whose lowest place is `lowest` metres over the triangle's plane, is in the way of the triangle, seen along the plane
    /// where half of the solid is on either side: metres, negative; minus infinity where the triangle leaves beside it no sooner than along the
    /// normal, or only to where more of the same face is. What touches a face's border in line with the face, or all but touches it, is far
    /// behind its plane and yet not deep in it.
    fn beside_the_face(&self, t: &Corner3<'_>, seen: &[Point; 3], normal: &Vector, lowest: Real) -> Real {
        let b = self.b;
        let highest = (b.support(normal).0 - t.corners[0]).dot(normal) + b.map().radius();
        let shift = normal * (0.5 * (lowest + highest));
        let seen_shift = b.axes.tr_mul(&shift);
        let middle = Corner3 { corners: t.corners.map(|p| p + shift), ..*t };
        let Some(nearest) = self.nearest(&middle, &seen.map(|p| p + seen_shift), normal) else { return 0.0 };
        let (Nearest::Apart(place) | Nearest::Overlapping(place)) = nearest;
        if place.normal.dot(normal).abs() > FACING {
            return Real::NEG_INFINITY;
        }
        let surface = self.mesh.surface_features();
        let is_border = match place.features.a {
            Feature::Vertex(k) => !surface.is_flat_vertex(self.mesh.mesh().triangles()[t.face as usize][k as usize]),
            Feature::Edge(k) => {
                !surface.is_flat_edge(self.mesh.topology().triangle_edges()[t.face as usize][k as usize])
            }
            Feature::Face(_) => false,
        };
        // What is no more than that within the solid over a seam is the neighbour's to tell.
        let counts = is_border || place.separation >= -self.limits.margin;
        if counts { place.separation.min(0.0) } else { Real::NEG_INFINITY }
    }

    /// Appends what is behind faces beside which the solid leaves sooner, where it is in the way of the mesh and has no other contact.
    fn behind_unless_found(&self, start: usize, out: &mut Vec<ContactPoint>) {
        if out.len() == start && self.overlap > self.limits.snap {
            out.extend_from_slice(&self.behind);
        }
    }

    /// Appends the deepest places that are no contacts yet: a corner or an edge of the mesh that has sunk into a face of the solid at which
    /// no triangle looks.
    fn deepest_unless_found(&self, start: usize, out: &mut Vec<ContactPoint>) {
        for deepest in &self.deepest {
            let is_found = |c: &ContactPoint| {
                c.features.a == deepest.features.a
                    && c.normal.dot(&deepest.normal) > FACING
                    && c.separation <= deepest.separation + self.limits.snap
            };
            if !out[start..].iter().any(is_found) {
                out.push(*deepest);
            }
        }
    }

    /// The feature of the mesh that the triangle's feature of a contact is, if the contact's normal leads away from the whole surface there.
    fn true_feature(&self, t: &Corner3<'_>, contact: &ContactPoint) -> Option<Feature> {
        let (mesh, n) = (self.mesh, &contact.normal);
        let surface = mesh.surface_features();
        match contact.features.a {
            Feature::Vertex(k) => {
                let v = mesh.mesh().triangles()[t.face as usize][k as usize];
                let slack = if self.b.is_flat(contact.features.b) { CORNER_SLACK } else { REGION_SLACK };
                let counts = !surface.is_flat_vertex(v) && surface.vertex_faces(mesh, v, n, slack);
                counts.then_some(Feature::Vertex(v))
            }
            Feature::Edge(k) => {
                let e = mesh.topology().triangle_edges()[t.face as usize][k as usize];
                let counts = !surface.is_flat_edge(e) && surface.edge_faces(mesh, e, n, REGION_SLACK);
                counts.then_some(Feature::Edge(e))
            }
            Feature::Face(_) => (!mesh.is_closed() || n.dot(&t.normal) > 0.0).then_some(Feature::Face(t.face)),
        }
    }

    /// The nearest points of a triangle and the solid, unless they are further apart than the margin.
    fn nearest(&self, t: &Corner3<'_>, seen: &[Point; 3], normal: &Vector) -> Option<Nearest> {
        match self.over_side(t, seen) {
            Some(nearest) if nearest.separation <= 0.0 => return Some(Nearest::Overlapping(nearest)),
            Some(nearest) => return (nearest.separation <= self.limits.margin).then_some(Nearest::Apart(nearest)),
            None => {}
        }
        let placed = PlacedTriangle { triangle: Triangle::new(t.corners), normal: *normal };
        // Neighbouring triangles have nothing in common to start from: each search is a cold one.
        nearest_points(&placed, self.b, self.limits.margin, &mut GjkCache::default())
    }

    /// The nearest points of a triangle that stands over one side of a box with all of itself: its lowest corner, and the
    /// foot of it. Where the corner is inside and no other side is as near to it, its depth is the least translation that separates: the
    /// ball of that radius around it lies in the box, and touches this side only. `None` for any other triangle.
    fn over_side(&self, t: &Corner3<'_>, seen: &[Point; 3]) -> Option<ContactPoint> {
        let Shape::Box(cuboid) = self.b.shape else { return None };
        let half = cuboid.half_extents();
        let within = |k: usize| seen.iter().all(|p| p[k].abs() <= half[k]);
        let k = match [0, 1, 2].map(within) {
            [false, true, true] => 0,
            [true, false, true] => 1,
            [true, true, false] => 2,
            _ => return None,
        };
        // Of a triangle that reaches in from one side, the corner outside tells which one.
        let outside = (1..3).fold(0, |best, i| if seen[i][k].abs() > seen[best][k].abs() { i } else { best });
        let side = 1.0_f64.copysign(seen[outside][k]);
        let height = |i: usize| side * seen[i][k] - half[k];
        let lowest = (1..3).fold(0, |best, i| if height(i) < height(best) { i } else { best });
        let separation = height(lowest);
        if separation <= 0.0 {
            let corner = &seen[lowest];
            let elsewhere = (0..3).map(|j| half[j] - if j == k { -side * corner[j] } else { corner[j].abs() });
            if elsewhere.fold(Real::INFINITY, Real::min) <= -separation {
                return None;
            }
        }
        let outward = self.b.axes.column(k) * side;
        let point_a = t.corners[lowest];
        let face = Feature::Face(2 * k as u32 + u32::from(side > 0.0));
        let features = FeaturePair { a: Feature::Vertex(lowest as u32), b: face };
        Some(ContactPoint { point_a, point_b: point_a - outward * separation, normal: -outward, separation, features })
    }

    /// Contacts of a triangle whose nearest point may be on its outline.
    fn beside(
        &mut self,
        t: &Corner3<'_>,
        normal: &Vector,
        nearest: ContactPoint,
        crosses: bool,
        start: usize,
        out: &mut Vec<ContactPoint>,
    ) {
        let (limits, n) = (self.limits, nearest.normal);
        // A face that is tilted a little has all its corners over the other, though one alone is the nearest.
        if crosses {
            self.over_face(t, normal, -limits.snap, out);
        }
        let Some(feature) = self.true_feature(t, &nearest) else { return };
        if !has_nearest(&nearest, start, limits, out) {
            // An edge of the mesh along a face or a line of the solid.
            let (patch, other) = (t.patch(normal), self.b.patch(&-n, limits));
            patch_contacts(&patch, &other, &n, limits, out);
            if !has_nearest(&nearest, start, limits, out) {
                edge_contacts(&patch, &other, &n, limits, out);
            }
        }
        let mut nearest = nearest;
        nearest.features.a = feature;
        push_unless_found(nearest, start, limits, out);
    }

    /// Whether a corner of the part of the solid that looks at the triangle may be over it: of a triangle inside a flat piece
    /// nothing else makes a contact. Corners count within a wide berth of its box.
    fn has_corner_over(&mut self, t: &Corner3<'_>, normal: &Vector) -> bool {
        let limits = self.limits;
        let patch = self.patch_against(normal);
        let berth = 2.0 * limits.margin + patch.radius + limits.snap;
        let around = Aabb::from_points(&t.corners);
        let mut corners = patch.vertices.iter().chain(patch.extras.iter().map(|(p, _)| p));
        corners.any(|p| around.distance_to_point(p) <= berth)
    }

    /// The part of the solid that looks against a triangle's normal.
    fn patch_against(&mut self, normal: &Vector) -> &Patch {
        match &mut self.patch {
            Some((n, _)) if n == normal => {}
            known => {
                let mut patch = self.b.patch(&-normal, self.limits);
                // Where a cap ends beside the triangle, the triangle's normal is not that of the two.
                if patch.is_face() {
                    patch.curved = None;
                }
                *known = Some((*normal, patch));
            }
        }
        match &self.patch {
            Some((_, patch)) => patch,
            None => unreachable!("it was just put there"),
        }
    }

    /// The contacts of the triangle's face with the part of the solid that looks at it.
    fn over_face(&mut self, t: &Corner3<'_>, normal: &Vector, deepest: Real, out: &mut Vec<ContactPoint>) {
        let limits = Limits { deepest, ..*self.limits };
        let patch = self.patch_against(normal);
        patch_contacts(&t.patch(normal), patch, normal, &limits, out);
    }
}
