//! The contacts of two triangles of two meshes, each by the features that are nearest to each other.
//!
//! Every edge and vertex is looked at with one of its triangles only (its owner), so that a corner of six triangles
//! makes one contact, and counts only where the other's feature lies in its Voronoi region on the whole mesh: no contact
//! comes from a seam of a flat floor, and no normal that the true surface has not.

use super::ContactPoint;
use super::facing::{facing_contacts, push_rounded};
use super::limits::Limits;
use super::lines::nearest_on_lines;
use super::patch::Patch;
use crate::bounds::{IndexedMesh, OwnFeatures};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::mesh::triangle::closest_point;
use crate::math::{Point, Real, Vector};

/// Faces that look at each other within about 20° make an extended contact.
pub(super) const FACING: Real = 0.94;
/// How far, as a sine, a direction may lie outside a Voronoi region and still count as in it: rounding of short distances.
pub(super) const REGION_SLACK: Real = 1e-6;
/// The same for a corner over a face, whose normal is the face's in any case: an edge that lies on a floor but for a
/// small tilt has contacts at both ends.
pub(super) const CORNER_SLACK: Real = 0.05;
/// Distances below this share of the triangles' size have no direction (erratum E26).
const NO_DIRECTION: Real = 1e-12;

/// A triangle of a mesh with its corners in the frame of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner3<'a> {
    pub(super) mesh: &'a IndexedMesh,
    pub(super) face: u32,
    pub(super) corners: [Point; 3],
    /// By the winding, in the frame of the query.
    pub(super) normal: Vector,
}

impl Corner3<'_> {
    fn vertex(&self, k: usize) -> u32 {
        self.mesh.mesh().triangles()[self.face as usize][k]
    }

    fn edge(&self, k: usize) -> u32 {
        self.mesh.topology().triangle_edges()[self.face as usize][k]
    }

    fn own_features(&self) -> OwnFeatures {
        self.mesh.surface_features().own_features(self.face)
    }

    /// The triangle as a patch seen from the side to which `normal` (its own, or turned over) points.
    pub(super) fn patch(&self, normal: &Vector) -> Patch {
        let features = self.mesh.surface_features();
        let mut patch = Patch::empty();
        let turned = normal.dot(&self.normal) < 0.0;
        let hollows = features.hollows(self.face, turned);
        patch.normal = *normal;
        patch.face = Feature::Face(self.face);
        for i in 0..3 {
            // Turned over, corners run 0, 2, 1 and the side after corner k is the one before it.
            let (k, side) = if turned { ((3 - i) % 3, 2 - i) } else { (i, i) };
            let (vertex, edge) = (self.vertex(k), self.edge(side));
            patch.push(self.corners[k], Feature::Vertex(vertex), Feature::Edge(edge));
            let in_a_hollow = [hollows.vertices >> k & 1, hollows.edges >> side & 1];
            patch.hidden_vertices |= u32::from(features.is_flat_vertex(vertex) || in_a_hollow[0] == 1) << i;
            patch.hidden_edges |= u32::from(features.is_flat_edge(edge) || in_a_hollow[1] == 1) << i;
        }
        patch
    }
}

/// How the two meshes of a pair lie in the frame of the query: `turn_a` and `turn_b` bring a direction of the query into each mesh's own frame.
pub(super) struct Frames<'a> {
    pub(super) turn_a: &'a dyn Fn(&Vector) -> Vector,
    pub(super) turn_b: &'a dyn Fn(&Vector) -> Vector,
}

/// Appends the contacts of two triangles; `normals` are those of the sides that face each other, `None` for sides that do not.
pub(super) fn triangle_contacts(
    a: &Corner3<'_>,
    b: &Corner3<'_>,
    frames: &Frames<'_>,
    limits: &Limits,
    out: &mut Vec<ContactPoint>,
) {
    let size = (a.corners[1] - a.corners[0]).amax().max((b.corners[1] - b.corners[0]).amax());
    let (Some((normal_a, whole_a)), Some((normal_b, whole_b))) =
        (side_towards(a, b, limits), side_towards(b, a, limits))
    else {
        return;
    };
    let (own_a, own_b) = (a.own_features(), b.own_features());
    if whole_a && whole_b && -normal_a.dot(&normal_b) > FACING {
        if !are_beside(a, b, &(normal_a - normal_b), limits.snap) {
            facing_contacts(&a.patch(&normal_a), &b.patch(&normal_b), limits, out);
        }
    } else {
        if own_b.corners != 0 {
            corners_over_face(a, &normal_a, b, frames.turn_b, false, limits, out);
        }
        if own_a.corners != 0 {
            corners_over_face(b, &normal_b, a, frames.turn_a, true, limits, out);
        }
    }
    let test = Pairs { a, b, normal_a, normal_b, frames, limits, no_direction: NO_DIRECTION * size };
    // Few of the triangles' features are their own.
    for i in 0..3 {
        for j in 0..3 {
            let both = |a: u8, b: u8| a >> i & b >> j & 1 == 1;
            if both(own_a.edges, own_b.edges) {
                test.edges(i, j, out);
            }
            if both(own_a.vertices, own_b.edges) {
                test.vertex_edge(i, j, true, out);
            }
            if both(own_a.edges, own_b.vertices) {
                test.vertex_edge(j, i, false, out);
            }
            if both(own_a.vertices, own_b.vertices) {
                test.vertices(i, j, out);
            }
        }
    }
}

/// Whether two triangles lie beside each other, seen along a direction, further apart than `snap` metres: a side of one has all of the
/// other beyond it. Then no corner of one is over the other, and no sides cross.
fn are_beside(a: &Corner3<'_>, b: &Corner3<'_>, along: &Vector, snap: Real) -> bool {
    // Far more than the rounding of the products below.
    let (along, snap) = (along / along.norm(), 2.0 * snap);
    let parts = |own: &[Point; 3], other: &[Point; 3]| {
        (0..3).any(|i| {
            let (p, q, r) = (&own[i], &own[(i + 1) % 3], &own[(i + 2) % 3]);
            let across = along.cross(&(q - p));
            let inside = across.dot(&(r - p));
            let beyond = |x: &Point| across.dot(&(x - p)) * 1.0_f64.copysign(inside) < -snap * across.norm();
            // A triangle that is seen end on has no side that is certain.
            inside.abs() > snap * across.norm() && other.iter().all(beyond)
        })
    };
    parts(&a.corners, &b.corners) || parts(&b.corners, &a.corners)
}

/// The normal of the side of `t` on which `other` lies, and whether all of it does, or `t` has one side only; `None`
/// when it is too far to touch.
fn side_towards(t: &Corner3<'_>, other: &Corner3<'_>, limits: &Limits) -> Option<(Vector, bool)> {
    let heights = other.corners.map(|p| (p - t.corners[0]).dot(&t.normal));
    let (low, high) = (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]));
    if low > limits.margin || high < -limits.margin {
        None
    } else if t.mesh.is_closed() {
        Some((t.normal, true))
    } else {
        // What lies along the face, nearer than places are told apart, is on the one side or on the other all the same.
        let normal = if low + high >= 0.0 { t.normal } else { -t.normal };
        Some((normal, low >= -limits.snap || high <= limits.snap))
    }
}

/// The corners of `other` over the face of `t`, from the side of `normal`.
fn corners_over_face(
    t: &Corner3<'_>,
    normal: &Vector,
    other: &Corner3<'_>,
    turn: &dyn Fn(&Vector) -> Vector,
    swapped: bool,
    limits: &Limits,
    out: &mut Vec<ContactPoint>,
) {
    let own = other.own_features().corners;
    for (k, corner) in other.corners.iter().enumerate().filter(|(k, _)| own >> k & 1 == 1) {
        let height = (corner - t.corners[0]).dot(normal);
        // Each corner has its own side of a two-sided face.
        let (height, normal) = if height < 0.0 && !t.mesh.is_closed() { (-height, &-normal) } else { (height, normal) };
        if height > limits.margin || height < limits.deepest {
            continue;
        }
        let mut foot = corner - normal * height;
        let inside = (0..3).fold(Real::INFINITY, |inside, i| {
            let (p, q) = (t.corners[i], t.corners[(i + 1) % 3]);
            let inward = t.normal.cross(&(q - p));
            inside.min((foot - p).dot(&inward) / inward.norm())
        });
        let vertex = other.vertex(k);
        if inside < -limits.snap
            || !other.mesh.surface_features().vertex_faces(other.mesh, vertex, &turn(&-normal), CORNER_SLACK)
        {
            continue;
        }
        if inside < 0.0 {
            let beside = foot;
            foot = closest_point(&t.corners, &foot).0;
            if (foot - beside).norm() > limits.snap {
                continue;
            }
        }
        let (face, vertex) = (Feature::Face(t.face), Feature::Vertex(vertex));
        if swapped {
            push_rounded([0.0; 2], (*corner, foot), -normal, FeaturePair { a: vertex, b: face }, limits, out);
        } else {
            push_rounded([0.0; 2], (foot, *corner), *normal, FeaturePair { a: face, b: vertex }, limits, out);
        }
    }
}

/// The edge and corner tests of one pair of triangles.
struct Pairs<'a> {
    a: &'a Corner3<'a>,
    b: &'a Corner3<'a>,
    normal_a: Vector,
    normal_b: Vector,
    frames: &'a Frames<'a>,
    limits: &'a Limits,
    no_direction: Real,
}

impl Pairs<'_> {
    /// Whether both features have each other in their Voronoi regions, for the unit direction from A to B.
    fn in_regions(&self, features: &FeaturePair, direction: &Vector) -> bool {
        let sees = |t: &Corner3<'_>, feature: Feature, towards: Vector| {
            let surface = t.mesh.surface_features();
            match feature {
                Feature::Vertex(v) => surface.vertex_faces(t.mesh, v, &towards, REGION_SLACK),
                Feature::Edge(e) => surface.edge_faces(t.mesh, e, &towards, REGION_SLACK),
                Feature::Face(_) => true,
            }
        };
        sees(self.a, features.a, (self.frames.turn_a)(direction))
            && sees(self.b, features.b, (self.frames.turn_b)(&-direction))
    }

    fn is_near(&self, points: &(Point, Point)) -> bool {
        (points.1 - points.0).norm() <= self.limits.margin.max(-self.limits.deepest)
    }

    /// Keeps the pair of points if it is within the margin and the features face each other. `normal` is taken where
    /// the points are too close to have a direction, or where it is the exact one.
    fn offer(
        &self,
        points: (Point, Point),
        normal: Option<Vector>,
        features: FeaturePair,
        out: &mut Vec<ContactPoint>,
    ) {
        if !self.is_near(&points) {
            return;
        }
        let gap = points.1 - points.0;
        let distance = gap.norm();
        let normal = match normal {
            Some(n) => n,
            None if distance > self.no_direction => gap / distance,
            None => return,
        };
        if self.in_regions(&features, &normal) {
            push_rounded([0.0; 2], points, normal, features, self.limits, out);
        }
    }

    /// Edge `i` of A across edge `j` of B.
    fn edges(&self, i: usize, j: usize, out: &mut Vec<ContactPoint>) {
        let (a, b) = (self.a, self.b);
        let (edge_a, edge_b) = (a.edge(i), b.edge(j));
        let (a0, along_a) = (a.corners[i], a.corners[(i + 1) % 3] - a.corners[i]);
        let (b0, along_b) = (b.corners[j], b.corners[(j + 1) % 3] - b.corners[j]);
        let Some((at_a, at_b)) = nearest_on_lines(&a0, &along_a, &b0, &along_b) else { return };
        if !(0.0..=1.0).contains(&at_a) || !(0.0..=1.0).contains(&at_b) {
            return;
        }
        let points = (a0 + along_a * at_a, b0 + along_b * at_b);
        if !self.is_near(&points) {
            return;
        }
        let Some(cross) = along_a.cross(&along_b).try_normalize(0.0) else { return };
        // Of two solids the faces know which way is out, however close or deep the edges are; of soups the gap does.
        let outward = if a.mesh.is_closed() && b.mesh.is_closed() {
            let of = |t: &Corner3<'_>, e: u32| -> Vector {
                let faces = t.mesh.topology().faces_of_edge(e as usize);
                faces.iter().map(|&f| t.mesh.face_normals()[f as usize]).sum()
            };
            let (out_a, out_b) = (of(a, edge_a), of(b, edge_b));
            (self.frames.turn_a)(&cross).dot(&out_a) - (self.frames.turn_b)(&cross).dot(&out_b)
        } else {
            let gap = (points.1 - points.0).dot(&cross);
            if gap.abs() > self.no_direction { gap } else { cross.dot(&(self.normal_a - self.normal_b)) }
        };
        let normal = cross * 1.0_f64.copysign(outward);
        let features = FeaturePair { a: Feature::Edge(edge_a), b: Feature::Edge(edge_b) };
        let is_seen = self.in_regions(&features, &normal);
        if let Some(normal) = if is_seen { Some(normal) } else { self.normal_along_face(&features, &normal) } {
            push_rounded([0.0; 2], points, normal, features, self.limits, out);
        }
    }

    /// Where an edge carries a face of the other mesh, they touch where it crosses two of the face's edges. At the end where the face rises
    /// over it, however little, the direction across the two edges is beyond the face, whose own normal is the contact's.
    fn normal_along_face(&self, features: &FeaturePair, across: &Vector) -> Option<Vector> {
        let of_side = |t: &Corner3<'_>, feature: Feature, turn: &dyn Fn(&Vector) -> Vector, sign: Real| {
            let Feature::Edge(edge) = feature else { return None };
            let towards = turn(&(across * sign));
            t.mesh.topology().faces_of_edge(edge as usize).iter().find_map(|&face| {
                let normal = t.mesh.face_normals()[face as usize];
                let outward = if t.mesh.is_closed() { normal } else { normal * 1.0_f64.copysign(normal.dot(&towards)) };
                if outward.dot(&towards) <= 0.0 || outward.cross(&towards).norm_squared() > CORNER_SLACK * CORNER_SLACK
                {
                    return None;
                }
                // Back from the mesh's own frame.
                let axes = [Vector::x(), Vector::y(), Vector::z()].map(|axis| turn(&axis).dot(&outward));
                let along = Vector::from(axes) * sign;
                self.in_regions(features, &along).then_some(along)
            })
        };
        of_side(self.a, features.a, self.frames.turn_a, 1.0)
            .or_else(|| of_side(self.b, features.b, self.frames.turn_b, -1.0))
    }

    /// Vertex `k` of one beside the inside of edge `i` of the other; `of_a`: the vertex is A's.
    fn vertex_edge(&self, k: usize, i: usize, of_a: bool, out: &mut Vec<ContactPoint>) {
        let (own, other) = if of_a { (self.a, self.b) } else { (self.b, self.a) };
        let (vertex, edge) = (own.vertex(k), other.edge(i));
        let (p, start) = (own.corners[k], other.corners[i]);
        let along = other.corners[(i + 1) % 3] - start;
        let at = (p - start).dot(&along) / along.norm_squared();
        if at <= 0.0 || at >= 1.0 {
            return;
        }
        let foot = start + along * at;
        let (vertex, edge) = (Feature::Vertex(vertex), Feature::Edge(edge));
        if of_a {
            self.offer((p, foot), None, FeaturePair { a: vertex, b: edge }, out);
        } else {
            self.offer((foot, p), None, FeaturePair { a: edge, b: vertex }, out);
        }
    }

    /// Corner `i` of A and corner `j` of B.
    fn vertices(&self, i: usize, j: usize, out: &mut Vec<ContactPoint>) {
        let (a, b) = (self.a, self.b);
        if (b.corners[j] - a.corners[i]).amax() <= self.limits.margin {
            let features = FeaturePair { a: Feature::Vertex(a.vertex(i)), b: Feature::Vertex(b.vertex(j)) };
            self.offer((a.corners[i], b.corners[j]), None, features, out);
        }
    }
}
