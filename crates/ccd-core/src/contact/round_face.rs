//! The contacts of a face within a rim.

use super::ContactPoint;
use super::facing::{Emitter, Line, Outline};
use super::lines::crossing_along;
use super::patch::Patch;
use super::rim::Rim;
use crate::geometry::feature::FeaturePair;
use crate::math::{Point, Real, Vector};

/// How often the tangent of a rim is taken anew where an edge crosses it: each time the place is off by less, the less the nearer the edge is.
const ROUNDS: usize = 16;

impl Emitter<'_> {
    /// The foot of a corner on a face within a rim and the normal from A to B there, as of one within an outline.
    pub(super) fn over_round_face(
        &self,
        face: &Patch,
        rim: &Rim,
        corner: &Point,
        sign: Real,
    ) -> Option<(Point, Vector)> {
        let inside = rim.inside(&face.normal, corner);
        let height = (corner - face.vertices[0]).dot(&face.normal);
        if inside < -self.limits.snap || height > self.limits.margin + self.a.radius + self.b.radius {
            return None;
        }
        let own = face.normal * sign;
        if inside >= 0.0 {
            return Some((corner - face.normal * height, own));
        }
        // The foot is under the corner as the face looks, and along any other direction nearer to it than it is.
        rim.nearest(&face.normal, corner).map(|foot| (foot, self.smooth_normal_at(&foot, sign).unwrap_or(own)))
    }

    /// The contacts where edges of the other patch cross the rim of a face, if it has one; `sign` is 1 for a face of A. Each is named by the
    /// side of the face's polygon that it is beside.
    pub(super) fn on_rim(
        &self,
        face: &Patch,
        outline: &Outline,
        other: &Patch,
        sign: Real,
        out: &mut Vec<ContactPoint>,
    ) {
        let Some(rim) = &face.rim else { return };
        for j in (0..other.edge_count()).filter(|&j| other.has_edge(j)) {
            let [start, end] = other.edge(j);
            let along = end - start;
            for at in rim.crossings(&face.normal, &start, &along).into_iter().flatten() {
                let above = start + along * at;
                let Some(nearby) = rim.nearest(&face.normal, &above) else { continue };
                let point = self.crossing_on_rim(face, rim, (&start, &along), nearby, sign);
                let seen = self.seen(&point);
                let beside = |i: &usize| outline.sides[*i].inside(&seen);
                let Some(i) = (0..outline.sides.len()).min_by(|i, k| beside(i).total_cmp(&beside(k))) else { continue };
                // As straight as the rim is within reach of a contact.
                let reach = self.limits.reach();
                let arc =
                    Line { start: point, along: rim.tangent(&face.normal, &point), at: 0.0, ends: [-reach, reach] };
                let edge = Line { start, along, at, ends: [0.0, 1.0] };
                let [a, b] = [face.edge_features[i], other.edge_features[j]];
                let features = if sign > 0.0 { FeaturePair { a, b } } else { FeaturePair { a: b, b: a } };
                let [a, b] = if sign > 0.0 { [&arc, &edge] } else { [&edge, &arc] };
                if !self.own_crossing(a, b, features, out) {
                    // Where they have no normal of their own the edge is over the face, which ends there: along any other direction its place
                    // is over another one of the rim, and they would seem to be nearer than they are.
                    let tangent = rim.tangent(&face.normal, &nearby);
                    let (own, other) = ((nearby, &tangent), (above, &along));
                    let [a, b] = if sign > 0.0 { [own, other] } else { [other, own] };
                    self.seen_crossing(a, b, face.normal * sign, features, out);
                }
            }
        }
    }

    /// The place of a rim from which the normal of the rim and an edge leads to that edge, found from one nearby, which is left where there is none. As far
    /// as an edge is above the rim, it crosses it elsewhere seen along the face's normal.
    fn crossing_on_rim(
        &self,
        face: &Patch,
        rim: &Rim,
        (start, along): (&Point, &Vector),
        nearby: Point,
        sign: Real,
    ) -> Point {
        let (mut place, mut next) = (nearby, nearby);
        for _ in 0..ROUNDS {
            let tangent = rim.tangent(&face.normal, &next);
            let normal = if sign > 0.0 { self.own_normal(&tangent, along) } else { self.own_normal(along, &tangent) };
            let crossing = normal.and_then(|normal| crossing_along(&normal, &(start - next), &tangent, along));
            // Further than contacts reach it is another place.
            let is_here =
                |(at, of_edge): &(Real, Real)| at.abs() <= self.limits.reach() && (0.0..=1.0).contains(of_edge);
            let Some((at, _)) = crossing.filter(is_here) else { break };
            place = next;
            match rim.nearest(&face.normal, &(place + tangent * at)) {
                Some(nearest) if at.abs() > self.limits.snap => next = nearest,
                _ => break,
            }
        }
        place
    }
}
