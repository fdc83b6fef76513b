//! The Voronoi regions of a convex polyhedron's features, ready for walks over them.
//!
//! **Problem.** A walk from feature to feature asks a few plane distances a step and must never be led in a circle, so
//! the features have to be those of *one* exactly convex body, and the planes have to come with a bound on their
//! rounding.
//!
//! **Idea.** The features are those of the exact hull of the polyhedron's vertices, triangulated: a triangle is exactly
//! flat whatever its coordinates, which a polygon of rounded corners is not. The edges inside a polygon are edges here,
//! too; their regions have no thickness. Each edge and each triangle holds its four planes side by side.
//!
//! **Guarantee.** No vertex of the polyhedron lies outside any triangle's plane, decided exactly. Each stored unit
//! vector is within [`VoronoiBoundary::slant`] of the exact one.
//!
//! **Source.** Mirtich, *Rigid Body Contact*, section 2.1.

use super::ConvexPolyhedron;
use super::hull::{area_vector, exact_triangles};
use crate::geometry::feature::Feature;
use crate::math::{DoubleDouble, Point, Real, Scalar, Vector};

/// Four planes side by side, so that four distances are one pass over four lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FourPlanes {
    x: [Real; 4],
    y: [Real; 4],
    z: [Real; 4],
    offset: [Real; 4],
}

impl FourPlanes {
    fn new(planes: [(Vector, Vector); 4]) -> Self {
        let row = |k: usize| planes.map(|(normal, _)| normal[k]);
        Self { x: row(0), y: row(1), z: row(2), offset: planes.map(|(normal, through)| normal.dot(&through)) }
    }

    /// The signed distances of a point, metres.
    #[inline]
    pub(crate) fn heights(&self, p: &Vector) -> [Real; 4] {
        std::array::from_fn(|k| self.x[k] * p.x + self.y[k] * p.y + self.z[k] * p.z - self.offset[k])
    }

    /// The unit normal of plane `k`.
    #[inline]
    pub(crate) fn normal(&self, k: usize) -> Vector {
        Vector::new(self.x[k], self.y[k], self.z[k])
    }
}

/// One edge as seen from one of its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    /// Unit, away from the vertex.
    pub direction: Vector,
    /// The edge.
    pub edge: u32,
    /// The other end.
    pub to: u32,
}

/// An edge with the planes of its region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VoronoiEdge {
    /// A point of the region is at or above all four: the planes square to the edge at tail and head, and the planes
    /// between the edge and its two faces.
    pub region: FourPlanes,
    /// Tail and head.
    pub vertices: [u32; 2],
    /// The triangle in which the edge runs from tail to head, counter-clockwise from outside, then the other.
    pub faces: [u32; 2],
    /// Metres.
    pub length: Real,
}

/// A triangle with the planes of its region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VoronoiFace {
    /// A point of the region is at or above all four: the planes between the face and its edges (number `k` runs from
    /// corner `k` to the next), and the face's own plane.
    pub region: FourPlanes,
    /// Counter-clockwise from outside.
    pub vertices: [u32; 3],
    /// The edge from corner `k` to the next.
    pub edges: [u32; 3],
}

/// A plane that bounds a feature's Voronoi region: p is inside where normal · p ≥ offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionPlane {
    /// Unit, into the region; the polyhedron's frame.
    pub normal: Vector,
    /// Metres.
    pub offset: Real,
    /// The feature of the triangulated boundary beyond the plane; a face's own plane has none, beyond it is the body.
    pub beyond: Option<Feature>,
}

/// The exact hull's vertices, edges and triangles with their Voronoi regions, in flat arrays. Some 1.2 kB a vertex.
#[derive(Clone, Debug)]
pub struct VoronoiBoundary {
    pub(crate) vertices: Vec<Point>,
    arm_start: Vec<u32>,
    arms: Vec<Arm>,
    pub(crate) edges: Vec<VoronoiEdge>,
    pub(crate) faces: Vec<VoronoiFace>,
    /// What the polyhedron calls each edge: an edge, or the face inside which it runs.
    edge_names: Vec<Feature>,
    face_names: Vec<u32>,
    reach: Real,
    slant: Real,
}

impl VoronoiBoundary {
    pub(super) fn of(hull: &ConvexPolyhedron) -> Self {
        let points = hull.vertices();
        // Exactly coplanar vertices have been refused when the polyhedron was made; its own fans are as good as any then.
        let triangles = exact_triangles(points).unwrap_or_else(|| hull.triangles());

        let mut sides: Vec<([u32; 2], bool, u32, u32)> = Vec::with_capacity(3 * triangles.len());
        for (face, t) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (from, to) = (t[k], t[(k + 1) % 3]);
                sides.push(([from.min(to), from.max(to)], from > to, face as u32, k as u32));
            }
        }
        sides.sort_unstable();

        let mut slant = 8.0 * Real::EPSILON;
        let mut into_face = |face: &[u32; 3], k: usize| {
            let (direction, error) = into_triangle(points, [face[k], face[(k + 1) % 3], face[(k + 2) % 3]]);
            slant = slant.max(error);
            direction
        };
        let place = |v: u32| points[v as usize].coords;
        let mut face_edges = vec![[0_u32; 3]; triangles.len()];
        let mut edges = Vec::with_capacity(sides.len() / 2);
        for pair in sides.chunks_exact(2) {
            for side in pair {
                face_edges[side.2 as usize][side.3 as usize] = edges.len() as u32;
            }
            let vertices = pair[0].0;
            let [tail, head] = vertices.map(place);
            let along = (head - tail).normalize();
            let beside = [0, 1].map(|i| -into_face(&triangles[pair[i].2 as usize], pair[i].3 as usize));
            edges.push(VoronoiEdge {
                region: FourPlanes::new([(along, tail), (-along, head), (beside[0], tail), (beside[1], tail)]),
                vertices,
                faces: [pair[0].2, pair[1].2],
                length: (head - tail).norm(),
            });
        }
        let faces: Vec<VoronoiFace> = triangles
            .iter()
            .zip(&face_edges)
            .map(|(t, &edges)| {
                let normal = area_vector(points, *t).try_normalize(0.0).unwrap_or_else(Vector::y);
                let side = |k: usize, into: Vector| (into, place(t[k]));
                let into = [0, 1, 2].map(|k| into_face(t, k));
                let region =
                    FourPlanes::new([side(0, into[0]), side(1, into[1]), side(2, into[2]), (normal, place(t[0]))]);
                VoronoiFace { region, vertices: *t, edges }
            })
            .collect();

        let (arm_start, arms) = arms(points, &edges);
        let face_names: Vec<u32> =
            faces.iter().map(|f| face_name(hull, &f.vertices, &f.region.normal(3)) as u32).collect();
        let edge_names = edges
            .iter()
            .map(|e| match hull.spanned(&e.vertices) {
                Feature::Vertex(_) => Feature::Face(face_names[e.faces[0] as usize]),
                name => name,
            })
            .collect();
        let reach = points.iter().map(|p| p.coords.norm()).fold(0.0, Real::max);
        Self { vertices: points.to_vec(), arm_start, arms, edges, faces, edge_names, face_names, reach, slant }
    }

    /// The edges at a vertex.
    #[inline]
    pub(crate) fn arms(&self, vertex: u32) -> &[Arm] {
        &self.arms[self.arm_start[vertex as usize] as usize..self.arm_start[vertex as usize + 1] as usize]
    }

    /// The vertex, or one of the exact hull where rounding has put it inside.
    pub(crate) fn start(&self, vertex: u32) -> u32 {
        let known = (vertex as usize) < self.vertices.len() && !self.arms(vertex).is_empty();
        if known { vertex } else { self.faces.first().map_or(0, |f| f.vertices[0]) }
    }

    /// What the polyhedron calls a feature of the triangulated boundary.
    pub(crate) fn name(&self, feature: Feature) -> Feature {
        match feature {
            Feature::Vertex(v) => Feature::Vertex(v),
            Feature::Edge(e) => self.edge_names[e as usize],
            Feature::Face(f) => Feature::Face(self.face_names[f as usize]),
        }
    }

    /// Whether there is such a feature.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Vertex(v) => (v as usize) < self.vertices.len() && !self.arms(v).is_empty(),
            Feature::Edge(e) => (e as usize) < self.edges.len(),
            Feature::Face(f) => (f as usize) < self.faces.len(),
        }
    }

    /// The corners of a feature of the triangulated boundary, in the polyhedron's frame; metres.
    pub fn corners(&self, feature: Feature) -> Vec<Point> {
        let place = |v: &u32| self.vertices[*v as usize];
        match feature {
            Feature::Vertex(v) => vec![place(&v)],
            Feature::Edge(e) => self.edges[e as usize].vertices.iter().map(place).collect(),
            Feature::Face(f) => self.faces[f as usize].vertices.iter().map(place).collect(),
        }
    }

    /// The planes that bound the Voronoi region of a feature of the triangulated boundary: what a viewer draws of a walk. None
    /// for a feature that there is not.
    pub fn region(&self, feature: Feature) -> Vec<RegionPlane> {
        if !self.has(feature) {
            return Vec::new();
        }
        let of = |region: &FourPlanes, k: usize, beyond: Option<Feature>| RegionPlane {
            normal: region.normal(k),
            offset: region.offset[k],
            beyond,
        };
        match feature {
            Feature::Vertex(v) => {
                let place = self.vertices[v as usize].coords;
                let arm = |arm: &Arm| RegionPlane {
                    normal: -arm.direction,
                    offset: -arm.direction.dot(&place),
                    beyond: Some(Feature::Edge(arm.edge)),
                };
                self.arms(v).iter().map(arm).collect()
            }
            Feature::Edge(e) => {
                let edge = &self.edges[e as usize];
                let beyond = edge.vertices.map(Feature::Vertex).into_iter().chain(edge.faces.map(Feature::Face));
                beyond.enumerate().map(|(k, beyond)| of(&edge.region, k, Some(beyond))).collect()
            }
            Feature::Face(f) => {
                let face = &self.faces[f as usize];
                let beyond = face.edges.map(|e| Some(Feature::Edge(e))).into_iter().chain([None]);
                beyond.enumerate().map(|(k, beyond)| of(&face.region, k, beyond)).collect()
            }
        }
    }

    /// The distance of a point (the polyhedron's frame) from a triangle, metres, to within rounding.
    pub(crate) fn distance_to_face(&self, face: u32, p: &Vector) -> Real {
        let face = &self.faces[face as usize];
        let heights = face.region.heights(p);
        if heights[0] >= 0.0 && heights[1] >= 0.0 && heights[2] >= 0.0 {
            return heights[3].abs();
        }
        let to_edge = |e: u32| {
            let edge = &self.edges[e as usize];
            let [tail, head] = edge.vertices.map(|v| self.vertices[v as usize].coords);
            let along = (p - tail).dot(&edge.region.normal(0)).clamp(0.0, edge.length);
            (p - tail - (head - tail) * (along / edge.length)).norm()
        };
        face.edges.map(to_edge).into_iter().fold(Real::INFINITY, Real::min)
    }

    /// The largest distance of a vertex from the frame's origin, metres.
    #[inline]
    pub(crate) fn reach(&self) -> Real {
        self.reach
    }

    /// How far a stored unit vector may be from the exact one.
    #[inline]
    pub(crate) fn slant(&self) -> Real {
        self.slant
    }
}

/// The polygon that holds a triangle of the exact hull.
fn face_name(hull: &ConvexPolyhedron, triangle: &[u32; 3], normal: &Vector) -> usize {
    match hull.spanned(triangle) {
        Feature::Face(face) => face as usize,
        // Corners of more than one polygon: rounding has cut the exact hull elsewhere, a hair beside their planes.
        Feature::Vertex(_) | Feature::Edge(_) => hull.face_towards(normal),
    }
}

/// Unit, in the triangle's plane and square to its first side, towards its third corner; and how far it may be off.
///
/// With e the side and f the way to the third corner it is f (e·e) − e (e·f), in twice the digits: slivers, too.
fn into_triangle(points: &[Point], [tail, head, third]: [u32; 3]) -> (Vector, Real) {
    let place = |v: u32| points[v as usize];
    let difference = |p: Point, q: Point| [0, 1, 2].map(|k| DoubleDouble::difference(p[k], q[k]));
    let (e, f) = (difference(place(head), place(tail)), difference(place(third), place(tail)));
    let dot = |p: &[DoubleDouble; 3], q: &[DoubleDouble; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let (ee, ef) = (dot(&e, &e), dot(&e, &f));
    let into = Vector::from_fn(|k, _| (f[k] * ee - e[k] * ef).to_real());
    let size = into.norm();
    // A dozen operations on terms of size |f| |e|².
    let cancelled = 16.0 * DoubleDouble::EPSILON * dot(&f, &f).to_real().sqrt() * ee.to_real();
    let error = if size > 0.0 { 8.0 * Real::EPSILON + cancelled / size } else { Real::INFINITY };
    (into.try_normalize(0.0).unwrap_or_else(Vector::x), error)
}

fn arms(points: &[Point], edges: &[VoronoiEdge]) -> (Vec<u32>, Vec<Arm>) {
    let mut list: Vec<(u32, Arm)> = edges
        .iter()
        .enumerate()
        .flat_map(|(e, edge)| {
            let [tail, head] = edge.vertices;
            let along = (points[head as usize] - points[tail as usize]).normalize();
            let arm = |to: u32, direction: Vector| Arm { direction, edge: e as u32, to };
            [(tail, arm(head, along)), (head, arm(tail, -along))]
        })
        .collect();
    list.sort_unstable_by_key(|(vertex, arm)| (*vertex, arm.to));
    let mut start = vec![0_u32; points.len() + 1];
    for (vertex, _) in &list {
        start[*vertex as usize + 1] += 1;
    }
    for v in 0..points.len() {
        start[v + 1] += start[v];
    }
    (start, list.into_iter().map(|(_, arm)| arm).collect())
}
