//! The polygon of differences at an instant: directions that separate it from the origin, and how long its plane stays away.

use super::{Triple, power_of_two_below};
use crate::math::{Real, Scalar};

/// A direction that separates a polygon from the origin.
pub(super) struct Found<S> {
    pub direction: Triple<S>,
    /// The direction's length, in `f64`: only ever used with a margin.
    pub norm: Real,
    /// The least `direction · corner`.
    pub height: S,
}

/// The direction from the origin to the nearest point of a flat convex polygon: across its plane, or to the nearest point of
/// a side. Along no direction are all corners higher than along that one, so the one with the greatest least height is taken:
/// beside a corner the points of two sides are equally near to the last digit long before their directions are alike.
/// Degenerate polygons need no care either. `None` only where no direction is long enough to be a number.
pub(super) fn separating_direction<S: Scalar, const K: usize>(x: &[Triple<S>; K]) -> Option<Found<S>> {
    // Below this the squared length has lost digits to underflow.
    const TINY: Real = 1e-280;
    let mut best: Option<Found<S>> = None;
    let mut best_gap = Real::NEG_INFINITY;
    let mut consider = |direction: Triple<S>| {
        let mut height = dot(&direction, &x[0]);
        for corner in &x[1..] {
            // Most directions end here.
            if best_gap > 0.0 && height.to_real() <= 0.0 {
                return;
            }
            let h = dot(&direction, corner);
            height = if h < height { h } else { height };
        }
        let squared = dot(&direction, &direction).to_real();
        if squared > TINY {
            let norm = squared.sqrt();
            let gap = height.to_real() / norm;
            if gap > best_gap {
                best_gap = gap;
                best = Some(Found { direction, norm, height });
            }
        }
    };
    let across = cross(&sub(&x[1], &x[0]), &sub(&x[K - 1], &x[0]));
    consider(if dot(&across, &x[0]).to_real() < 0.0 { across.map(|c| -c) } else { across });
    for i in 0..K {
        consider(towards_side(&x[i], &x[(i + 1) % K]));
    }
    best
}

/// The direction from the origin to the nearest point of a side, of any length.
///
/// Within the side that is the double cross product with it, which is across the side to the last digit however near the
/// origin is. The point itself is only as exact as the corners are far: its direction would lean against the far ends by
/// rounding over the gap, and hide every gap below the square root of rounding.
fn towards_side<S: Scalar>(a: &Triple<S>, b: &Triple<S>) -> Triple<S> {
    let along = sub(b, a);
    let (length, foot) = (dot(&along, &along), -dot(a, &along));
    if foot <= S::from_real(0.0) {
        *a
    } else if foot >= length {
        *b
    } else {
        cross(&along, &cross(a, &along))
    }
}

/// The fraction of the way from `now` to `end` over which the polygon's plane provably stays further than `thickness`
/// from the origin, by the Bernstein coefficients of x₀·(e₁×e₂); `None` where hardly any of it is certain.
///
/// `reach` bounds each axis of the corners over the whole motion. Between far ends a corner may pass close by: its place now
/// is only as exact as the ends are far, so that rounding counts against them, not against what is near.
pub(super) fn certified_by_volume<S: Scalar, const K: usize>(
    now: &[Triple<S>; K],
    end: &[Triple<S>; K],
    reach: &[Real; 3],
    thickness: Real,
) -> Option<Real> {
    let (one, two) = ([&now[0], &end[0]], S::from_real(2.0));
    let (u, v) =
        ([sub(&now[1], &now[0]), sub(&end[1], &end[0])], [sub(&now[K - 1], &now[0]), sub(&end[K - 1], &end[0])]);
    let middle = add(&cross(&u[0], &v[1]), &cross(&u[1], &v[0]));
    let (first, last) = (cross(&u[0], &v[0]), cross(&u[1], &v[1]));
    let third = S::from_real(1.0) / S::from_real(3.0);
    let mut q = [
        dot(one[0], &first),
        (dot(one[1], &first) + dot(one[0], &middle)) * third,
        (dot(one[0], &last) + dot(one[1], &middle)) * third,
        dot(one[1], &last),
    ];
    if q[0].to_real() < 0.0 {
        q = q.map(|c| -c);
    }
    let size = |x: &Triple<S>| x.iter().map(|c| c.to_real().abs()).sum::<Real>();
    let half = S::from_real(0.5);
    let area = size(&first).max(size(&last)).max(size(&middle.map(|c| c * half)));
    let coordinates = now.iter().chain(end).map(size).fold(0.0, Real::max);
    let edges = u.iter().chain(&v).map(size).fold(0.0, Real::max);
    // Each corner is off by at most 2ε reach and each edge by twice that, which makes 12ε reach · coordinates · edges of the
    // coefficients; their own arithmetic, the halvings below and the time that is reached add less than 100ε.
    let reach: Real = reach.iter().sum();
    let floor =
        S::from_real(thickness * area * (1.0 + 8.0 * Real::EPSILON) + 128.0 * S::EPSILON * reach * coordinates * edges);
    let mut stretch = 1.0;
    // Halve until the coefficients, which bound the polynomial, all clear the floor.
    for _ in 0..20 {
        if q.iter().all(|c| *c > floor) {
            return Some(stretch);
        }
        if q[0] <= floor {
            return None;
        }
        let (a, b, c) = ((q[0] + q[1]) / two, (q[1] + q[2]) / two, (q[2] + q[3]) / two);
        let (d, e) = ((a + b) / two, (b + c) / two);
        q = [q[0], a, d, (d + e) / two];
        stretch *= 0.5;
    }
    None
}

#[inline]
fn add<S: Scalar>(a: &Triple<S>, b: &Triple<S>) -> Triple<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
fn sub<S: Scalar>(a: &Triple<S>, b: &Triple<S>) -> Triple<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(super) fn dot<S: Scalar>(a: &Triple<S>, b: &Triple<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
fn cross<S: Scalar>(a: &Triple<S>, b: &Triple<S>) -> Triple<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
pub(super) fn lerp<S: Scalar>(a: &Triple<S>, b: &Triple<S>, t: S) -> Triple<S> {
    let rest = S::from_real(1.0) - t;
    std::array::from_fn(|k| a[k] * rest + b[k] * t)
}

/// A direction in which every corner is above the origin as far as it can be for its own distance; `None` where the corners are
/// about as far as each other.
///
/// A corner that all but touches the origin leaves the direction of the greatest gap no choice, which the others then have hardly
/// any height along: steps are as short as the gap. Seen from the origin the corners are directions, however near they are.
pub(super) fn even_direction<S: Scalar, const K: usize>(now: &[Triple<S>; K]) -> Option<Found<S>> {
    /// The least share of the furthest corner's distance that the nearest one's is where they are alike.
    const ALIKE: Real = 1e-3;
    let size = |x: &Triple<S>| x.iter().map(|c| c.to_real().abs()).fold(0.0, Real::max);
    let (least, most) =
        now.iter().map(size).fold((Real::INFINITY, 0.0), |(l, m): (Real, Real), s| (l.min(s), m.max(s)));
    if least <= Real::MIN_POSITIVE / Real::EPSILON || least > ALIKE * most {
        return None;
    }
    // By powers of two, which is exact.
    let even = now.map(|x| {
        let scale = S::from_real(1.0 / power_of_two_below(size(&x)));
        x.map(|c| c * scale)
    });
    let mut best: Option<(Real, Found<S>)> = None;
    // No longer flat: each of its triangles.
    for skipped in if K == 3 { 3..4 } else { 0..4 } {
        let corner = |i: usize| even[if i < skipped { i } else { i + 1 } % K];
        let Some(found) = separating_direction(&[corner(0), corner(1), corner(2)]) else { continue };
        let heights = even.iter().map(|x| dot(&found.direction, x));
        let height = heights.fold(None, |least, h| if least.is_some_and(|l| l < h) { least } else { Some(h) })?;
        let gap = height.to_real() / found.norm;
        if gap > 0.0 && best.as_ref().is_none_or(|(most, _)| gap > *most) {
            best = Some((gap, Found { height, ..found }));
        }
    }
    best.map(|(_, found)| found)
}
