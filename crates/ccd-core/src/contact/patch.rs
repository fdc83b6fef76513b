//! The part of a side's surface that can take part in an extended contact: a face, a straight line, or a point.

use super::buffer::Buffer;
use super::bulge::Bulge;
use super::lateral::Lateral;
use super::rim::Rim;
use crate::geometry::feature::Feature;
use crate::math::{Matrix, Point, Real, Vector};

/// A convex polygon with three or more corners, a segment, or a point, with the features that its parts are.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// The corners; of a polygon counter-clockwise seen from outside.
    pub(super) vertices: Buffer<Point, 8>,
    /// The feature of each corner.
    pub(super) vertex_features: Buffer<Feature, 8>,
    /// The feature of the side from each corner to the next.
    pub(super) edge_features: Buffer<Feature, 8>,
    /// The feature of the whole patch.
    pub(super) face: Feature,
    /// The outward unit normal of a polygon; without meaning for less.
    pub(super) normal: Vector,
    /// Corners (bit `i`) that are no features of the true surface: inside a flat region, or on a straight edge.
    pub(super) hidden_vertices: u32,
    /// Sides (bit `i`) that are no features of the true surface: seams of a flat region.
    pub(super) hidden_edges: u32,
    /// Further corners of the solid beside the patch or a little behind it, that may stand over the other's face.
    pub(super) extras: Vec<(Point, Feature)>,
    /// The rounding radius around the patch, metres.
    pub(super) radius: Real,
    /// The true outline of a round face, of which the corners are some points.
    pub(super) rim: Option<Rim>,
    /// The surface of which a segment is a generator, from its first circle to its second.
    pub(super) lateral: Option<Lateral>,
    /// Of a place of a curved surface or a rim, and of a face with a rim, the direction for which it was asked: the outward unit normal where it
    /// touches an edge.
    pub(super) curved: Option<Vector>,
    /// The surface of which the corners are places, and that stands out between them.
    pub(super) bulge: Option<Box<Bulge>>,
}

impl Patch {
    /// A patch with no corners yet.
    #[inline]
    pub(super) fn empty() -> Self {
        Self {
            vertices: Buffer::new(Point::origin()),
            vertex_features: Buffer::new(Feature::Vertex(0)),
            edge_features: Buffer::new(Feature::Edge(0)),
            face: Feature::Face(0),
            normal: Vector::zeros(),
            hidden_vertices: 0,
            hidden_edges: 0,
            extras: Vec::new(),
            radius: 0.0,
            rim: None,
            lateral: None,
            curved: None,
            bulge: None,
        }
    }

    /// Appends a corner and the side that starts there.
    #[inline]
    pub(super) fn push(&mut self, vertex: Point, feature: Feature, edge: Feature) {
        self.vertices.push(vertex);
        self.vertex_features.push(feature);
        self.edge_features.push(edge);
    }

    /// Gives all features other names.
    pub(super) fn rename(&mut self, name: impl Fn(Feature) -> Feature) {
        self.face = name(self.face);
        self.vertex_features.as_mut_slice().iter_mut().for_each(|feature| *feature = name(*feature));
        self.edge_features.as_mut_slice().iter_mut().for_each(|feature| *feature = name(*feature));
        self.extras.iter_mut().for_each(|(_, feature)| *feature = name(*feature));
    }

    /// Whether the patch has an area.
    #[inline]
    pub(super) fn is_face(&self) -> bool {
        self.vertices.len() >= 3
    }

    /// How many sides there are: a segment has one, a point none.
    #[inline]
    pub(super) fn edge_count(&self) -> usize {
        match self.vertices.len() {
            0 | 1 => 0,
            2 => 1,
            n => n,
        }
    }

    /// The ends of side `i`.
    #[inline]
    pub(super) fn edge(&self, i: usize) -> [Point; 2] {
        let next = if i + 1 == self.vertices.len() { 0 } else { i + 1 };
        [self.vertices[i], self.vertices[next]]
    }

    /// Whether corner `i` is a feature of the true surface.
    #[inline]
    pub(super) fn has_vertex(&self, i: usize) -> bool {
        i >= 32 || self.hidden_vertices >> i & 1 == 0
    }

    /// Whether side `i` is a feature of the true surface.
    #[inline]
    pub(super) fn has_edge(&self, i: usize) -> bool {
        i >= 32 || self.hidden_edges >> i & 1 == 0
    }

    /// The way from a place of the core to the rounded surface, as near as can be to the unit `direction`: a line's
    /// surface lies square to it, except around its ends.
    pub(super) fn to_surface(&self, core: &Point, direction: &Vector) -> Vector {
        if self.radius == 0.0 {
            return Vector::zeros();
        }
        let mut outward = *direction;
        if self.vertices.len() == 2 {
            let [start, end] = self.edge(0);
            let along = (end - start).normalize();
            let lean = direction.dot(&along);
            let is_end = (core - if lean > 0.0 { end } else { start }).norm_squared() == 0.0;
            if !is_end {
                outward = (direction - along * lean).normalize();
            }
        }
        outward * self.radius
    }

    /// Moves the patch into the frame where its own lies turned by `axes` and shifted by `origin`.
    pub(super) fn transform(&mut self, axes: &Matrix, origin: &Vector) {
        for p in self.vertices.as_mut_slice() {
            *p = Point::from(axes * p.coords + origin);
        }
        for (p, _) in &mut self.extras {
            *p = Point::from(axes * p.coords + origin);
        }
        self.normal = axes * self.normal;
        self.rim = self.rim.map(|rim| rim.transformed(axes, origin));
        self.lateral = self.lateral.map(|lateral| lateral.transformed(axes, origin));
        self.curved = self.curved.map(|normal| axes * normal);
        if let Some(bulge) = &mut self.bulge {
            bulge.transform(axes, origin);
        }
    }

    /// The part that is no further than `height` above the lowest, seen along the unit normal of a face; of a lateral surface the generator that
    /// looks against that normal: no other one lies on the face.
    pub(super) fn part_against(&self, normal: &Vector, height: Real) -> Self {
        match self.lateral.and_then(|lateral| lateral.along(&-normal)) {
            None => self.lowest_part(normal, height),
            Some((generator, _)) => {
                let mut patch = self.clone();
                patch.vertices.as_mut_slice().copy_from_slice(&generator);
                patch.lowest_part(normal, height)
            }
        }
    }

    /// The patch without what lies further than `height` above its lowest part along the unit `direction`: of a face
    /// that is turned away only the edge or corner that points there. Two corners at most are kept, neighbours in order.
    pub(super) fn lowest_part(&self, direction: &Vector, height: Real) -> Self {
        let along = |i: usize| direction.dot(&self.vertices[i].coords);
        let n = self.vertices.len();
        if n < 2 {
            return self.clone();
        }
        let lowest = (1..n).fold(0, |best, i| if along(i) < along(best) { i } else { best });
        let (previous, next) = ((lowest + n - 1) % n, (lowest + 1) % n);
        let (start, end, other) =
            if along(next) <= along(previous) { (lowest, next, next) } else { (previous, lowest, previous) };
        let mut part = Self::empty();
        part.radius = self.radius;
        part.normal = self.normal;
        part.bulge.clone_from(&self.bulge);
        let hide = |part: &mut Self, k: usize, i: usize| {
            part.push(self.vertices[i], self.vertex_features[i], self.edge_features[start]);
            part.hidden_vertices |= u32::from(!self.has_vertex(i)) << k;
        };
        if along(other) - along(lowest) <= height {
            hide(&mut part, 0, start);
            hide(&mut part, 1, end);
            part.hidden_edges = u32::from(!self.has_edge(start));
            part.face = self.edge_features[start];
            part.lateral = if start == 0 { self.lateral } else { self.lateral.map(|lateral| lateral.reversed()) };
        } else {
            hide(&mut part, 0, lowest);
            part.face = self.vertex_features[lowest];
        }
        part
    }
}
