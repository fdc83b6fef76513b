//! One step of the walk on numbers that know whether their sign is certain.
//!
//! Everything is decided in A's frame for the body A and the affine image of B under the placement *as its `f64` numbers
//! stand*: a body of exactly flat triangles, whatever rounding did to the rotation.

mod edges;

use std::cmp::Ordering::{Equal, Greater, Less};

use edges::TwoEdges;

use super::clip::{Cut, Fraction, Interval};
use super::numbers::{V, beside, cross, crosses_triangle, dot, into_face, minus, nearest_side, squared_to_triangle};
use super::states::States;
use super::{Found, Query, Step, pair};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Certain, Vector};

/// A place as a fraction with a positive denominator, in A's frame.
struct Place<N> {
    above: V<N>,
    below: N,
}

/// The exact problem behind a query.
pub(super) struct Scene<'q, N> {
    query: &'q Query<'q>,
    rotation: [[N; 3]; 3],
    translation: V<N>,
    mirrored: bool,
}

impl<'q, N: Certain> Scene<'q, N> {
    pub(super) fn new(query: &'q Query<'q>) -> Self {
        let of = |v: Vector| [v.x, v.y, v.z].map(N::of);
        let r = &query.placement.rotation;
        Self {
            query,
            rotation: [0, 1, 2].map(|i| of(r.row(i).transpose())),
            translation: of(query.placement.translation),
            mirrored: query.mirrored(),
        }
    }

    pub(super) fn corner(&self, side: usize, vertex: u32) -> V<N> {
        let p = self.query.sides[side].vertices[vertex as usize];
        let p = [p.x, p.y, p.z].map(N::of);
        if side == 0 { p } else { [0, 1, 2].map(|i| dot(&self.rotation[i], &p).plus(&self.translation[i])) }
    }

    pub(super) fn ends(&self, side: usize, edge: u32) -> [V<N>; 2] {
        self.query.sides[side].edges[edge as usize].vertices.map(|v| self.corner(side, v))
    }

    pub(super) fn triangle(&self, side: usize, face: u32) -> [V<N>; 3] {
        self.query.sides[side].faces[face as usize].vertices.map(|v| self.corner(side, v))
    }

    /// An affine image can be mirrored only by a matrix that is no rotation: then outside is where the third corners are not.
    fn normal(&self, side: usize, triangle: &[V<N>; 3]) -> V<N> {
        let n = cross(&minus(&triangle[1], &triangle[0]), &minus(&triangle[2], &triangle[0]));
        if side == 1 && self.mirrored { n.map(|c| N::of(0.0).minus(&c)) } else { n }
    }

    /// From the tail of an edge to the corner of its face `k` that is not on it.
    fn to_third(&self, side: usize, edge: u32, k: usize, tail: &V<N>) -> V<N> {
        let boundary = self.query.sides[side];
        let e = &boundary.edges[edge as usize];
        let face = &boundary.faces[e.faces[k] as usize];
        let third = face.vertices.into_iter().find(|v| !e.vertices.contains(v)).unwrap_or(face.vertices[0]);
        minus(&self.corner(side, third), tail)
    }

    /// One face of an edge, and its normal, if the edge lies inside a flat part of the surface.
    fn flat_face(&self, side: usize, edge: u32) -> Option<Option<(u32, V<N>)>> {
        let e = &self.query.sides[side].edges[edge as usize];
        let normal = self.normal(side, &self.triangle(side, e.faces[0]));
        let tail = self.corner(side, e.vertices[0]);
        let flat = dot(&normal, &self.to_third(side, edge, 1, &tail)).sign()? == Equal;
        Some(flat.then_some((e.faces[0], normal)))
    }

    /// A place of feature `own` within the column under face `f` is at a local minimum (erratum E18): it goes on to the nearest
    /// face that sees it, or it is inside.
    fn below(&self, side: usize, own: Feature, place: &Place<N>, f: u32) -> Option<Step> {
        // Everything is scaled by the place's denominator.
        let triangle = |face: u32| self.triangle(1 - side, face).map(|c| c.map(|x| x.times(&place.below)));
        let p = &place.above;
        let depth = {
            let corners = triangle(f);
            let normal = self.normal(1 - side, &corners);
            let height = dot(&minus(p, &corners[0]), &normal);
            (height.times(&height), dot(&normal, &normal))
        };
        let below = place.below.near();
        let mut seen = false;
        for (face, sight) in self.query.faces_by_distance(side, &Vector::from_fn(|k, _| p[k].near() / below)) {
            let corners = triangle(face);
            if !sight {
                let normal = self.normal(1 - side, &corners);
                if dot(&minus(p, &corners[0]), &normal).sign()? != Greater {
                    continue;
                }
            }
            seen = true;
            let (above, below) = squared_to_triangle(p, &corners)?;
            if above.times(&depth.1).order(&depth.0.times(&below))? == Less {
                return Some(Step::To(pair(side, own, Feature::Face(face))));
            }
        }
        debug_assert!(!seen, "the way up to the face leaves the body through a face that is nearer");
        match own {
            Feature::Edge(edge) => self.inside_at(side, edge, f),
            _ => Some(Step::Done(Found::Overlap)),
        }
    }

    /// What shows that an edge has a place inside the other body, under its face `f`: the edge itself, unless it lies inside a flat
    /// face and has no name of its own. Then it is the face that the edge goes through, or else the end that is inside.
    fn inside_at(&self, side: usize, edge: u32, f: u32) -> Option<Step> {
        if self.flat_face(side, edge)?.is_none() {
            return Some(Step::Done(Found::Overlap));
        }
        let ends = self.ends(side, edge);
        for face in 0..self.query.sides[1 - side].faces.len() as u32 {
            if crosses_triangle(&ends, &self.triangle(1 - side, face))? {
                return Some(Step::Overlap(pair(side, Feature::Edge(edge), Feature::Face(face))));
            }
        }
        let end = self.query.sides[side].edges[edge as usize].vertices[0];
        Some(Step::Overlap(pair(side, Feature::Vertex(end), Feature::Face(f))))
    }
}

impl<N: Certain> States for Scene<'_, N> {
    fn vertex_vertex(&self, v: u32, w: u32) -> Option<Step> {
        let places = [self.corner(0, v), self.corner(1, w)];
        for (side, own, other) in [(0, v, Feature::Vertex(w)), (1, w, Feature::Vertex(v))] {
            let way = minus(&places[1 - side], &places[side]);
            for arm in self.query.sides[side].arms(own) {
                let along = minus(&self.corner(side, arm.to), &places[side]);
                match dot(&way, &along).sign()? {
                    Greater => return Some(Step::To(pair(side, Feature::Edge(arm.edge), other))),
                    // Square to an edge: below it, if the surface is flat here.
                    Equal => {
                        if let Some((face, normal)) = self.flat_face(side, arm.edge)?
                            && dot(&way, &normal).sign()? == Less
                        {
                            return Some(Step::To(pair(side, Feature::Face(face), other)));
                        }
                    }
                    Less => {}
                }
            }
        }
        Some(Step::Done(Found::Apart))
    }

    fn vertex_edge(&self, side: usize, v: u32, e: u32) -> Option<Step> {
        let (p, [tail, head]) = (self.corner(side, v), self.ends(1 - side, e));
        let vertex = Feature::Vertex(v);
        let boundary = self.query.sides[1 - side];
        let edge = &boundary.edges[e as usize];
        let to = |other| Some(Step::To(pair(side, vertex, other)));
        let (along, from_tail) = (minus(&head, &tail), minus(&p, &tail));
        if dot(&from_tail, &along).sign()? == Less {
            return to(Feature::Vertex(edge.vertices[0]));
        }
        if dot(&minus(&p, &head), &along).sign()? == Greater {
            return to(Feature::Vertex(edge.vertices[1]));
        }
        // Of two faces that would do, one that sees the vertex leads to no local minimum.
        let mut candidate = None;
        for k in 0..2 {
            if into_face(&from_tail, &along, &self.to_third(1 - side, e, k, &tail)).sign()? == Greater {
                let normal = self.normal(1 - side, &self.triangle(1 - side, edge.faces[k]));
                if candidate.is_none() || dot(&normal, &from_tail).sign()? == Greater {
                    candidate = Some(edge.faces[k]);
                }
            }
        }
        if let Some(face) = candidate {
            return to(Feature::Face(face));
        }
        // The region of an edge inside a flat face has two sides, and the body is on one of them.
        if let Some((face, normal)) = self.flat_face(1 - side, e)?
            && dot(&normal, &from_tail).sign()? == Less
        {
            return to(Feature::Face(face));
        }

        let mut interval = Interval::whole();
        for arm in self.query.sides[side].arms(v) {
            let out = minus(&p, &self.corner(side, arm.to));
            let ends = [dot(&minus(&tail, &p), &out), dot(&minus(&head, &p), &out)];
            if interval.cut(&ends, arm.edge)? == Cut::Out {
                return Some(Step::To(pair(side, Feature::Edge(arm.edge), Feature::Edge(e))));
            }
        }
        let slope = |at: &Fraction<N>| {
            let to_tail = minus(&tail, &p);
            dot(&along, &to_tail).times(&at.below).plus(&at.above.times(&dot(&along, &along))).sign()
        };
        let leave = |arm: u32| Some(Step::To(pair(side, Feature::Edge(arm), Feature::Edge(e))));
        if let Some(arm) = interval.first
            && slope(&interval.low)? == Greater
        {
            return leave(arm);
        }
        if let Some(arm) = interval.last
            && (interval.is_empty()? || slope(&interval.high)? == Less)
        {
            return leave(arm);
        }
        Some(Step::Done(Found::Apart))
    }

    fn vertex_face(&self, side: usize, v: u32, f: u32) -> Option<Step> {
        let (p, corners) = (self.corner(side, v), self.triangle(1 - side, f));
        let vertex = Feature::Vertex(v);
        let face = &self.query.sides[1 - side].faces[f as usize];
        // Beside the face: the edge that holds the face's nearest point.
        if let Some(k) = beside(&p, &corners)? {
            return Some(Step::To(pair(side, vertex, Feature::Edge(face.edges[k]))));
        }
        let normal = self.normal(1 - side, &corners);
        match dot(&minus(&p, &corners[0]), &normal).sign()? {
            Equal => return Some(Step::Done(Found::Overlap)),
            Less => return self.below(side, vertex, &Place { above: p, below: N::of(1.0) }, f),
            Greater => {}
        }
        for arm in self.query.sides[side].arms(v) {
            if dot(&minus(&self.corner(side, arm.to), &p), &normal).sign()? == Less {
                return Some(Step::To(pair(side, Feature::Edge(arm.edge), Feature::Face(f))));
            }
        }
        Some(Step::Done(Found::Apart))
    }

    fn edge_edge(&self, e: u32, g: u32) -> Option<Step> {
        let ends = [self.ends(0, e), self.ends(1, g)];
        for (side, own, other) in [(0, e, g), (1, g, e)] {
            if let Some(step) = self.edge_in_region_of_edge(&TwoEdges::new(side, [own, other], &ends))? {
                return Some(step);
            }
        }
        Some(Step::Done(Found::Apart))
    }

    fn edge_face(&self, side: usize, e: u32, f: u32) -> Option<Step> {
        let ([tail, head], corners) = (self.ends(side, e), self.triangle(1 - side, f));
        let edge = &self.query.sides[side].edges[e as usize];
        let face = &self.query.sides[1 - side].faces[f as usize];
        let mut interval = Interval::whole();
        let mut outside = false;
        for k in 0..3 {
            let (i, j, l) = (k, (k + 1) % 3, (k + 2) % 3);
            let (along, third) = (minus(&corners[j], &corners[i]), minus(&corners[l], &corners[i]));
            let heights = [&tail, &head].map(|p| into_face(&minus(p, &corners[i]), &along, &third));
            if interval.cut(&heights, k as u32)? == Cut::Out {
                outside = true;
                break;
            }
        }
        let to_rim = |k: usize| Some(Step::To(pair(side, Feature::Edge(e), Feature::Edge(face.edges[k]))));
        if outside || interval.is_empty()? {
            return to_rim(nearest_side(&tail, &head, &corners)?);
        }
        let normal = self.normal(1 - side, &corners);
        let (start, climb) = (dot(&minus(&tail, &corners[0]), &normal), dot(&minus(&head, &tail), &normal));
        let height = |at: &Fraction<N>| start.times(&at.below).plus(&at.above.times(&climb)).sign();
        let (low, high) = (height(&interval.low)?, height(&interval.high)?);
        if low != high || low == Equal {
            return Some(Step::Done(Found::Overlap));
        }
        let slope = if low == Greater { climb.sign()? } else { climb.sign()?.reverse() };
        let to_end = |k: usize| {
            let vertex = Feature::Vertex(edge.vertices[k]);
            Some(Step::To(pair(side, vertex, Feature::Face(f))))
        };
        match (slope, interval.first, interval.last) {
            (Greater | Equal, None, _) => to_end(0),
            (Less | Equal, _, None) => to_end(1),
            (Equal, Some(k), _) => to_rim(k as usize),
            _ => to_rim(nearest_side(&tail, &head, &corners)?),
        }
    }

    /// On from a corner of the one.
    fn two_faces(&self, f: u32, other: Feature) -> Option<Step> {
        let corner = self.query.sides[0].faces[f as usize].vertices[0];
        Some(Step::To(FeaturePair { a: Feature::Vertex(corner), b: other }))
    }
}
