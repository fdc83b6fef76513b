//! One step of the walk in `f64`, with a proven bound on the rounding: `None` where a sign that matters is within it.

#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is not a number is in doubt, too")]

use super::clip::{Clip, Cut};
use super::states::States;
use super::{Found, Query, Step, pair};
use crate::geometry::feature::Feature;
use crate::math::{Real, Vector};

/// Two directions more nearly parallel than this (sine squared) have too bad a common perpendicular.
const PARALLEL: Real = 1e-4;
/// What the foot on an edge may be off by, in heights: the division by such a sine squared, with room.
const FOOT: Real = 1e6;

impl States for Query<'_> {
    fn vertex_vertex(&self, v: u32, w: u32) -> Option<Step> {
        for (side, own, other) in [(0, v, w), (1, w, v)] {
            let way = self.brought(1 - side, other) - self.place(side, own);
            let mut best = (0, Real::NEG_INFINITY);
            for arm in self.sides[side].arms(own) {
                let along = arm.direction.dot(&way);
                if along > best.1 {
                    best = (arm.edge, along);
                }
            }
            if best.1 > self.doubt {
                return Some(Step::To(pair(side, Feature::Edge(best.0), Feature::Vertex(other))));
            }
            if !(best.1 < -self.doubt) {
                return None;
            }
        }
        Some(Step::Done(Found::Apart))
    }

    fn vertex_edge(&self, side: usize, v: u32, e: u32) -> Option<Step> {
        let boundary = self.sides[1 - side];
        let edge = &boundary.edges[e as usize];
        let heights = edge.region.heights(&self.brought(side, v));
        let vertex = Feature::Vertex(v);
        for k in [0, 1] {
            if heights[k] < -self.doubt {
                return Some(Step::To(pair(side, vertex, Feature::Vertex(edge.vertices[k]))));
            }
        }
        if !(heights[0] > self.doubt && heights[1] > self.doubt) {
            return None;
        }
        let beyond = [heights[2] < -self.doubt, heights[3] < -self.doubt];
        if beyond != [false; 2] {
            let mut k = usize::from(!beyond[0]);
            if beyond == [true; 2] {
                // A face that sees the vertex leads to no local minimum.
                let p = self.brought(side, v);
                let height = |k: usize| boundary.faces[edge.faces[k] as usize].region.heights(&p)[3];
                k = usize::from(height(1) > height(0));
            }
            return Some(Step::To(pair(side, vertex, Feature::Face(edge.faces[k]))));
        }
        if !(heights[2] > self.doubt && heights[3] > self.doubt) {
            return None;
        }

        let p = self.place(side, v);
        let ends = edge.vertices.map(|x| p - self.brought(1 - side, x));
        let mut clip = Clip::whole();
        for arm in self.sides[side].arms(v) {
            let (tail, head) = (arm.direction.dot(&ends[0]), arm.direction.dot(&ends[1]));
            if clip.cut(tail, head, self.doubt, arm.edge)? == Cut::Out {
                return Some(Step::To(pair(side, Feature::Edge(arm.edge), Feature::Edge(e))));
            }
        }
        // The slope of the distance to the vertex, along the edge, is the place less the foot's.
        let slack = self.doubt + clip.slack * edge.length;
        if let Some(arm) = clip.first {
            let slope = clip.low * edge.length - heights[0];
            if slope > slack {
                return Some(Step::To(pair(side, Feature::Edge(arm), Feature::Edge(e))));
            }
            if !(slope < -slack) {
                return None;
            }
        }
        if let Some(arm) = clip.last {
            let slope = clip.high * edge.length - heights[0];
            if slope < -slack {
                return Some(Step::To(pair(side, Feature::Edge(arm), Feature::Edge(e))));
            }
            if !(slope > slack) {
                return None;
            }
        }
        Some(Step::Done(Found::Apart))
    }

    fn vertex_face(&self, side: usize, v: u32, f: u32) -> Option<Step> {
        let face = &self.sides[1 - side].faces[f as usize];
        let p = self.brought(side, v);
        let heights = face.region.heights(&p);
        let least = heights[0].min(heights[1]).min(heights[2]);
        if least < -self.doubt {
            let k = self.side_beside(1 - side, f, &p, &heights)?;
            return Some(Step::To(pair(side, Feature::Vertex(v), Feature::Edge(face.edges[k]))));
        }
        if !(least > self.doubt) {
            return None;
        }
        if heights[3] < -self.doubt {
            return self.below(side, v, -heights[3]);
        }
        if !(heights[3] > self.doubt) {
            return None;
        }
        let normal = self.turned(1 - side, &face.region.normal(3));
        let mut best = (0, Real::INFINITY);
        for arm in self.sides[side].arms(v) {
            let climb = arm.direction.dot(&normal);
            if climb < best.1 {
                best = (arm.edge, climb);
            }
        }
        if best.1 < -self.unit_doubt {
            return Some(Step::To(pair(side, Feature::Edge(best.0), Feature::Face(f))));
        }
        if !(best.1 > self.unit_doubt) {
            return None;
        }
        Some(Step::Done(Found::Apart))
    }

    fn edge_edge(&self, e: u32, g: u32) -> Option<Step> {
        for (side, own, other) in [(0, e, g), (1, g, e)] {
            if let Some(step) = self.edge_in_region_of_edge(side, own, other)? {
                return Some(step);
            }
        }
        Some(Step::Done(Found::Apart))
    }

    fn edge_face(&self, side: usize, e: u32, f: u32) -> Option<Step> {
        let edge = &self.sides[side].edges[e as usize];
        let face = &self.sides[1 - side].faces[f as usize];
        let ends = edge.vertices.map(|v| self.brought(side, v));
        let heights = [face.region.heights(&ends[0]), face.region.heights(&ends[1])];
        let mut clip = Clip::whole();
        let mut outside = false;
        for (k, (&tail, &head)) in heights[0].iter().zip(&heights[1]).take(3).enumerate() {
            if clip.cut(tail, head, self.doubt, k as u32)? == Cut::Out {
                outside = true;
                break;
            }
        }
        let to_rim = || {
            let k = self.nearest_side(&ends, 1 - side, f)?;
            Some(Step::To(pair(side, Feature::Edge(e), Feature::Edge(face.edges[k]))))
        };
        if outside || clip.low > clip.high + 2.0 * clip.slack {
            return to_rim();
        }
        if !(clip.low < clip.high - 2.0 * clip.slack) {
            return None;
        }
        let climb = heights[1][3] - heights[0][3];
        let height = |at: Real| heights[0][3] + at * climb;
        let (low, high) = (height(clip.low), height(clip.high));
        let doubt = 3.0 * self.doubt + clip.slack * climb.abs();
        if !(low.abs() > doubt && high.abs() > doubt) {
            return None;
        }
        if (low > 0.0) != (high > 0.0) {
            return Some(Step::Done(Found::Overlap));
        }
        if !(climb.abs() > 2.0 * self.doubt) {
            return None;
        }
        let (cut, end) = if (climb > 0.0) == (low > 0.0) { (clip.first, 0) } else { (clip.last, 1) };
        match cut {
            Some(_) => to_rim(),
            None => Some(Step::To(pair(side, Feature::Vertex(edge.vertices[end]), Feature::Face(f)))),
        }
    }

    fn two_faces(&self, _f: u32, _other: Feature) -> Option<Step> {
        None
    }
}

impl Query<'_> {
    /// Which side of a triangle holds its nearest point to `p` (the triangle's frame), which is beside it.
    fn side_beside(&self, side: usize, f: u32, p: &Vector, heights: &[Real; 4]) -> Option<usize> {
        let face = &self.sides[side].faces[f as usize];
        let regions = face.edges.map(|e| &self.sides[side].edges[e as usize]);
        // Along side k in the face's sense: from its start, and to its end.
        let ends = [0, 1, 2].map(|k| {
            let h = regions[k].region.heights(p);
            if regions[k].vertices[0] == face.vertices[k] { [h[0], h[1]] } else { [h[1], h[0]] }
        });
        let sure = |h: Real| (h.abs() > self.doubt).then_some(h > 0.0);
        for k in 0..3 {
            if heights[k] > self.doubt {
                continue;
            }
            if !(heights[k] < -self.doubt) {
                return None;
            }
            let holds = match (sure(ends[k][0])?, sure(ends[k][1])?) {
                (false, _) => !sure(ends[(k + 2) % 3][1])?,
                (_, false) => !sure(ends[(k + 1) % 3][0])?,
                _ => true,
            };
            if holds {
                return Some(k);
            }
        }
        None
    }

    /// A vertex `depth` below its face: the nearest face that sees it, or inside (erratum E18).
    fn below(&self, side: usize, v: u32, depth: Real) -> Option<Step> {
        let boundary = self.sides[1 - side];
        let p = self.brought(side, v);
        let mut highest = Real::NEG_INFINITY;
        let mut best = (0, Real::INFINITY);
        for (i, face) in boundary.faces.iter().enumerate() {
            let height = face.region.heights(&p)[3];
            highest = highest.max(height);
            // No face is nearer than its plane.
            if height > self.doubt && height < best.1 {
                let distance = boundary.distance_to_face(i as u32, &p);
                if distance < best.1 {
                    best = (i as u32, distance);
                }
            }
        }
        if highest < -self.doubt {
            return Some(Step::Done(Found::Overlap));
        }
        if best.1 < depth - 4.0 * self.doubt {
            return Some(Step::To(pair(side, Feature::Vertex(v), Feature::Face(best.0))));
        }
        None
    }

    #[inline]
    fn edge_in_region_of_edge(&self, side: usize, own: u32, other: u32) -> Option<Option<Step>> {
        let boundary = self.sides[side];
        let edge = &boundary.edges[own as usize];
        let [from, to] = self.sides[1 - side].edges[other as usize].vertices.map(|v| self.brought(1 - side, v));
        let (tail, head) = (edge.region.heights(&from), edge.region.heights(&to));
        let go = |x: Feature| Some(Some(Step::To(pair(side, x, Feature::Edge(other)))));

        let mut ends = Clip::whole();
        for k in [0, 1] {
            if ends.cut(tail[k], head[k], self.doubt, k as u32)? == Cut::Out {
                return go(Feature::Vertex(edge.vertices[k]));
            }
        }
        // A plane that the other edge only just crosses, at its end, may leave nothing.
        if !(ends.low < ends.high - 2.0 * ends.slack) {
            return None;
        }
        let way = to - from;
        let square = way.norm_squared();
        // The slope of the squared distance to an end, halved, is linear along the other edge; and what it may be off by: either
        // factor of the product may.
        let length = square.sqrt();
        let slope = |k: u32, at: Real| {
            let start = from - self.place(side, edge.vertices[k as usize]);
            let slack = self.doubt * (3.0 * length + 2.0 * start.norm()) + ends.slack * square;
            (way.dot(&start) + at * square, slack)
        };
        if let Some(k) = ends.first {
            let (slope, slack) = slope(k, ends.low);
            if slope > slack {
                return go(Feature::Vertex(edge.vertices[k as usize]));
            }
            if !(slope < -slack) {
                return None;
            }
        }
        if let Some(k) = ends.last {
            let (slope, slack) = slope(k, ends.high);
            if slope < -slack {
                return go(Feature::Vertex(edge.vertices[k as usize]));
            }
            if !(slope > slack) {
                return None;
            }
        }

        for k in [2, 3] {
            let mut cut = Clip { first: None, last: None, ..ends };
            (cut.low, cut.high) = (Real::NEG_INFINITY, Real::INFINITY);
            if cut.cut(tail[k], head[k], self.doubt, k as u32)? == Cut::Out {
                return go(Feature::Face(edge.faces[k - 2]));
            }
            let (at, enters) = match (cut.first, cut.last) {
                (Some(_), _) => (cut.low, true),
                (_, Some(_)) => (cut.high, false),
                _ => continue,
            };
            // Beyond what the ends have left, the plane takes all of it or nothing.
            let (before, after) = (at < ends.low - cut.slack, at > ends.high + cut.slack);
            if if enters { after } else { before } {
                return go(Feature::Face(edge.faces[k - 2]));
            }
            if before || after {
                continue;
            }
            if !(at > ends.low + cut.slack && at < ends.high - cut.slack) {
                return None;
            }
            let region = &boundary.faces[edge.faces[k - 2] as usize].region;
            let (low, high) = (region.heights(&from)[3], region.heights(&to)[3]);
            let (climb, height) = (high - low, low + at * (high - low));
            if !(climb.abs() > 2.0 * self.doubt && height.abs() > 3.0 * self.doubt + cut.slack * climb.abs()) {
                return None;
            }
            let away = (climb > 0.0) == (height > 0.0);
            if away == enters {
                return go(Feature::Face(edge.faces[k - 2]));
            }
        }
        Some(None)
    }

    /// The side of a triangle that is nearest to a segment beside it; in doubt where two are equally near by different points.
    fn nearest_side(&self, ends: &[Vector; 2], side: usize, f: u32) -> Option<usize> {
        let corners = self.sides[side].faces[f as usize].vertices.map(|v| self.place(side, v));
        let mut found = [(0.0, None); 3];
        for (k, found) in found.iter_mut().enumerate() {
            *found = segment_to_side(ends, &[corners[k], corners[(k + 1) % 3]], self.doubt)?;
            // A corner is named by its number in the triangle.
            found.1 = found.1.map(|end: usize| (k + end) % 3);
        }
        let best = (0..3).min_by(|&i, &j| found[i].0.total_cmp(&found[j].0))?;
        let decided = (0..3).filter(|&k| k != best).all(|k| {
            let same_corner = found[k].1.is_some() && found[k].1 == found[best].1;
            same_corner || found[k].0 > found[best].0 + 8.0 * self.doubt
        });
        decided.then_some(best)
    }
}

/// The distance of a segment from a triangle's side, and the end of the side that is nearest, if one is.
fn segment_to_side([from, to]: &[Vector; 2], [tail, head]: &[Vector; 2], doubt: Real) -> Option<(Real, Option<usize>)> {
    let (u, v, w) = (to - from, head - tail, from - tail);
    let (uu, uv, vv, uw, vw) = (u.norm_squared(), u.dot(&v), v.norm_squared(), u.dot(&w), v.dot(&w));
    let square = uu * vv - uv * uv;
    if !(square > PARALLEL * uu * vv) {
        return None;
    }
    // The nearest place on the side's line, then clamped to either segment in turn (Ericson, 2005, 5.1.9).
    let mut s = ((uv * vw - vv * uw) / square).clamp(0.0, 1.0);
    let mut t = (uv * s + vw) / vv;
    // Near an end it is in doubt whether the end or the inside is nearest.
    let margin = FOOT * doubt / vv.sqrt();
    if t.abs() < margin || (t - 1.0).abs() < margin {
        return None;
    }
    let mut end = None;
    if !(0.0..=1.0).contains(&t) {
        t = t.clamp(0.0, 1.0);
        end = Some(usize::from(t > 0.5));
        s = ((uv * t - uw) / uu).clamp(0.0, 1.0);
    }
    Some(((w + u * s - v * t).norm(), end))
}
