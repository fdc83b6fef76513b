//! An edge and the region of another: where the nearest place of the one to the other lies.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use super::super::clip::{Cut, Fraction, Interval};
use super::super::numbers::{V, dot, into_face, minus};
use super::super::{Found, Step, pair};
use super::{Place, Scene};
use crate::geometry::feature::Feature;
use crate::math::Certain;

/// An edge and another, which is clipped to its region.
pub(super) struct TwoEdges<'e, N> {
    /// The side of the edge whose region it is.
    side: usize,
    own: u32,
    other: u32,
    /// The ends of its own, in A's frame.
    ends: &'e [V<N>; 2],
    /// Where the other begins.
    from: &'e V<N>,
    /// From end to end of its own.
    along: V<N>,
    /// From end to end of the other.
    way: V<N>,
    /// From the tail of its own to the ends of the other.
    relative: [V<N>; 2],
    /// From the ends of the other to the head of its own.
    to_head: [V<N>; 2],
}

impl<'e, N: Certain> TwoEdges<'e, N> {
    /// Of two edges, named and with the ends of A's and of B's, the one of side `side` first.
    pub fn new(side: usize, [own, other]: [u32; 2], ends: &'e [[V<N>; 2]; 2]) -> Self {
        let ([tail, head], [from, to]) = (&ends[side], &ends[1 - side]);
        Self {
            side,
            own,
            other,
            ends: &ends[side],
            from,
            along: minus(head, tail),
            way: minus(to, from),
            relative: [minus(from, tail), minus(to, tail)],
            to_head: [minus(head, from), minus(head, to)],
        }
    }

    /// On to another feature of the side whose region it is.
    fn to(&self, feature: Feature) -> Step {
        Step::To(pair(self.side, feature, Feature::Edge(self.other)))
    }

    /// The sign of the slope of the distance to end `k`, at a place of the other edge.
    fn slope_to_end(&self, k: u32, at: &Fraction<N>) -> Option<Ordering> {
        let start = minus(self.from, &self.ends[k as usize]);
        dot(&self.way, &start).times(&at.below).plus(&at.above.times(&dot(&self.way, &self.way))).sign()
    }

    /// Over the plane of a face with this normal at the own edge: how high a place of the other edge is, times the place's denominator, and how
    /// the other edge climbs.
    fn height_over(&self, normal: &V<N>, at: &Fraction<N>) -> (N, N) {
        let climb = dot(&self.way, normal);
        (dot(&self.relative[0], normal).times(&at.below).plus(&at.above.times(&climb)), climb)
    }
}

/// Planes 0 and 1 are those at the ends, 2 and 3 those at the faces.
const FIRST_OF_FACES: u32 = 2;

impl<N: Certain> Scene<'_, N> {
    /// Clips the other edge to the region of its own, and says where to go when its nearest place lies elsewhere.
    pub(super) fn edge_in_region_of_edge(&self, edges: &TwoEdges<N>) -> Option<Option<Step>> {
        let mut inside = Interval::whole();
        if let Some(step) = self.beyond_ends(edges, &mut inside)? {
            return Some(Some(step));
        }
        if let Some(step) = self.beyond_faces(edges, &mut inside)? {
            return Some(Some(step));
        }
        if let Some(step) = self.nearer_over_faces(edges, &inside)? {
            return Some(Some(step));
        }
        self.under_flat_edge(edges, &inside)
    }

    /// Clips by the planes at the ends: to the end beyond whose plane the nearest place lies.
    fn beyond_ends(&self, edges: &TwoEdges<N>, inside: &mut Interval<N>) -> Option<Option<Step>> {
        let vertices = self.query.sides[edges.side].edges[edges.own as usize].vertices;
        let go = |k: u32| Some(Some(edges.to(Feature::Vertex(vertices[k as usize]))));
        let heights = [&edges.relative, &edges.to_head].map(|ways| ways.each_ref().map(|way| dot(way, &edges.along)));
        for (k, heights) in (0..).zip(&heights) {
            if inside.cut(heights, k)? == Cut::Out {
                return go(k);
            }
        }
        if let Some(k) = inside.first
            && edges.slope_to_end(k, &inside.low)? == Greater
        {
            return go(k);
        }
        if let Some(k) = inside.last
            && edges.slope_to_end(k, &inside.high)? == Less
        {
            return go(k);
        }
        Some(None)
    }

    /// Clips by the planes at the faces: to the face beyond whose plane all lies that the ends have left.
    fn beyond_faces(&self, edges: &TwoEdges<N>, inside: &mut Interval<N>) -> Option<Option<Step>> {
        let faces = self.query.sides[edges.side].edges[edges.own as usize].faces;
        for (k, (name, face)) in (FIRST_OF_FACES..).zip(faces).enumerate() {
            let third = self.to_third(edges.side, edges.own, k, &edges.ends[0]);
            let heights = edges.relative.each_ref().map(|way| N::of(0.0).minus(&into_face(way, &edges.along, &third)));
            if inside.cut(&heights, name)? == Cut::Out {
                return Some(Some(edges.to(Feature::Face(face))));
            }
            let other_side = |n: Option<u32>| n.is_none_or(|n| n < FIRST_OF_FACES);
            if inside.is_empty()?
                && ((inside.first == Some(name) && other_side(inside.last))
                    || (inside.last == Some(name) && other_side(inside.first)))
            {
                return Some(Some(edges.to(Feature::Face(face))));
            }
        }
        Some(None)
    }

    /// Where the clipped edge crosses into the region over a face: to that face, if it comes nearer there.
    fn nearer_over_faces(&self, edges: &TwoEdges<N>, inside: &Interval<N>) -> Option<Option<Step>> {
        let faces = self.query.sides[edges.side].edges[edges.own as usize].faces;
        let of_face = |k: &u32| *k >= FIRST_OF_FACES;
        let face = |k: u32| faces[(k - FIRST_OF_FACES) as usize];
        let go = |k: u32| Some(Some(edges.to(Feature::Face(face(k)))));
        // The sign of the slope of the distance; `None`: it meets the face there.
        let slope_to_face = |k: u32, at: &Fraction<N>| -> Option<Option<Ordering>> {
            let normal = self.normal(edges.side, &self.triangle(edges.side, face(k)));
            let (height, climb) = edges.height_over(&normal, at);
            Some(match (height.sign()?, climb.sign()?) {
                (Equal, _) => None,
                (Greater, climb) => Some(climb),
                (Less, climb) => Some(climb.reverse()),
            })
        };
        if let Some(k) = inside.first.filter(of_face) {
            match slope_to_face(k, &inside.low)? {
                None => return Some(Some(Step::Done(Found::Overlap))),
                Some(Greater) => return go(k),
                Some(_) if inside.is_empty()? => return go(inside.last.filter(of_face).unwrap_or(k)),
                Some(_) => {}
            }
        }
        if let Some(k) = inside.last.filter(of_face) {
            match slope_to_face(k, &inside.high)? {
                None => return Some(Some(Step::Done(Found::Overlap))),
                Some(Less) => return go(k),
                Some(_) => {}
            }
        }
        Some(None)
    }

    /// Under an edge inside a flat face the nearest places seem to be found, too, and the other edge runs along the face.
    fn under_flat_edge(&self, edges: &TwoEdges<N>, inside: &Interval<N>) -> Option<Option<Step>> {
        let Some((face, normal)) = self.flat_face(edges.side, edges.own)? else { return Some(None) };
        let at = &inside.low;
        let (height, _) = edges.height_over(&normal, at);
        if height.sign()? != Less {
            return Some(None);
        }
        let above = [0, 1, 2].map(|k| edges.from[k].times(&at.below).plus(&edges.way[k].times(&at.above)));
        let place = Place { above, below: at.below.clone() };
        Some(Some(self.below(1 - edges.side, Feature::Edge(edges.other), &place, face)?))
    }
}
