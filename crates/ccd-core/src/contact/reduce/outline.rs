//! What the kept points of a cluster hold: the polygon that they span, and what lies outside of it or deeper than it says.

use super::Reduction;
use super::candidate::{Candidate, cross};
use crate::contact::buffer::Buffer;
use crate::math::Real;

/// The corners of the convex hull of the chosen points, counter-clockwise (Andrew's monotone chain).
pub(super) fn hull(chosen: &[Candidate]) -> Buffer<Candidate, 8> {
    let mut sorted: Buffer<Candidate, 8> = Buffer::new(Candidate::NONE);
    for c in chosen {
        sorted.push(*c);
    }
    let sorted = sorted.as_mut_slice();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let left =
        |p: &Candidate, q: &Candidate, r: &Candidate| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0.0;
    let mut corners: Buffer<Candidate, 8> = Buffer::new(Candidate::NONE);
    for pass in 0..2 {
        let floor = corners.len();
        for c in sorted.iter() {
            while corners.len() >= floor + 2 && !left(&corners[corners.len() - 2], &corners[corners.len() - 1], c) {
                corners.pop();
            }
            corners.push(*c);
        }
        corners.pop();
        if pass == 0 {
            sorted.reverse();
        }
    }
    corners
}

/// Twice the area of a convex polygon.
pub(super) fn area(hull: &[Candidate]) -> Real {
    (2..hull.len()).map(|i| cross(&hull[0], &hull[i - 1], &hull[i])).sum()
}

/// The larger side of the box around the points, metres.
pub(super) fn span(hull: &[Candidate]) -> Real {
    let along = |coordinate: fn(&Candidate) -> Real| {
        let all = hull.iter().map(coordinate);
        all.clone().fold(Real::MIN, Real::max) - all.fold(Real::MAX, Real::min)
    };
    along(|c| c.x).max(along(|c| c.y))
}

/// Whether a place lies further than `outside` from the polygon, line or point of the kept ones.
pub(super) fn lies_outside(c: &Candidate, hull: &[Candidate], outside: Real, reduction: &Reduction) -> bool {
    let n = hull.len();
    if n < 3 {
        // A line or a point of contact: what is beside it is missed.
        let outside = outside.max(reduction.same_place);
        return hull.iter().all(|k| c.distance_squared(k) > outside * outside);
    }
    let sides = || (0..n).map(|i| (&hull[i], &hull[(i + 1) % n]));
    sides().any(|(p, q)| cross(p, q, c) < 0.0)
        && sides().all(|(p, q)| distance_squared_to_segment(c, p, q) > outside * outside)
}

/// How far a place lies beyond the sides of a convex polygon, counted square to them, metres: not positive inside.
pub(super) fn beyond(c: &Candidate, hull: &[Candidate]) -> Real {
    let side = |i: usize| {
        let (p, q) = (&hull[i], &hull[(i + 1) % hull.len()]);
        -cross(p, q, c) / p.distance_squared(q).max(Real::MIN_POSITIVE).sqrt()
    };
    (0..hull.len()).map(side).fold(Real::NEG_INFINITY, Real::max)
}

/// Whether the kept points would let the solids come closer at `c` than it allows: it lies outside of them, or deeper
/// than they are there.
pub(super) fn is_missed(c: &Candidate, hull: &[Candidate], outside: Real, reduction: &Reduction) -> bool {
    if lies_outside(c, hull, outside, reduction) {
        return true;
    }
    let n = hull.len();
    // The least separation that the fan of kept corners says for this place.
    for i in 1..n - 1 {
        let (p, q, r) = (&hull[0], &hull[i], &hull[i + 1]);
        let weights = [cross(q, r, c), cross(r, p, c), cross(p, q, c)];
        if weights.iter().all(|w| *w >= 0.0) {
            let total: Real = weights.iter().sum();
            let separation = weights.iter().zip([p, q, r]).map(|(w, k)| w * k.separation).sum::<Real>();
            return total > 0.0 && c.separation < separation / total - reduction.same_depth;
        }
    }
    false
}

fn distance_squared_to_segment(c: &Candidate, p: &Candidate, q: &Candidate) -> Real {
    let (dx, dy) = (q.x - p.x, q.y - p.y);
    let at = ((c.x - p.x) * dx + (c.y - p.y) * dy) / (dx * dx + dy * dy).max(Real::MIN_POSITIVE);
    let at = at.clamp(0.0, 1.0);
    let (x, y) = (c.x - p.x - dx * at, c.y - p.y - dy * at);
    x * x + y * y
}
