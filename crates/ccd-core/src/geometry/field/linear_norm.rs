//! Linear bounds of a norm of norms over a box in one octant.
//!
//! **Why.** A p-norm of two numbers that are not negative is convex for p ≥ 1 and concave below, and grows with both. So over a box its
//! tangent at the middle is on one side of it, and on the other once it is moved by what it is off at the corners, where a difference
//! of a convex and a linear function is greatest. Of nested norms the bounds nest, as no slope is negative. A concave one is held closer from
//! below by what is linear between its corners.

use super::superquadric::{Nested, pair_norm, power};
use crate::math::{Real, Vector};

/// Powers up to this are taken of numbers as they are.
const UNSCALED: Real = 2.0;

/// A linear function and how far a function may be below it and above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear {
    pub slope: Vector,
    /// At the middle of the box.
    pub middle: Real,
    pub below: Real,
    pub above: Real,
}

/// ‖(‖(x, z)‖_across, y)‖_along over a box from `low`, which is not negative, to `high`; `None` where it has no slope.
pub(super) fn nested_over(low: &Vector, high: &Vector, along: Real, across: Real) -> Option<Linear> {
    let flat = pair_over([low.x, high.x], [low.z, high.z], across)?;
    let flat_range = flat.range;
    let whole = pair_over(flat_range, [low.y, high.y], along)?;
    let by_flat = whole.slopes[0];
    // The outer function was taken about the middle of the inner one's range.
    let off = flat.middle - 0.5 * (flat_range[0] + flat_range[1]);
    Some(Linear {
        slope: Vector::new(by_flat * flat.slopes[0], whole.slopes[1], by_flat * flat.slopes[1]),
        middle: whole.middle + by_flat * off,
        below: whole.below + by_flat * flat.below,
        above: whole.above + by_flat * flat.above,
    })
}

/// The norm over a box from `low`, which is not negative, to `high`, from below as closely as can be, and from above about; `None` where it has no
/// slope.
pub(super) fn nested_below(low: &Vector, high: &Vector, norm: &Nested) -> Option<Linear> {
    let flat = pair_below([low.x, high.x], [low.z, high.z], norm.across)?;
    let whole = pair_below(flat.range, [low.y, high.y], norm.along)?;
    let by_flat = whole.slopes[0];
    // The outer function is taken about the middle of the inner one's range.
    let off = flat.middle - flat.below - 0.5 * (flat.range[0] + flat.range[1]);
    Some(Linear {
        slope: Vector::new(by_flat * flat.slopes[0], whole.slopes[1], by_flat * flat.slopes[1]),
        middle: whole.middle - whole.below + by_flat * off,
        below: 0.0,
        above: whole.above + whole.below + by_flat * (flat.above + flat.below),
    })
}

/// [`nested_below`] without the coordinate `k`: the norm is no less with it.
pub(super) fn edge_below(k: usize, low: &Vector, high: &Vector, norm: &Nested) -> Option<Linear> {
    let (i, j, power) = norm.edge(k);
    let bound = pair_below([low[i], high[i]], [low[j], high[j]], power)?;
    let mut slope = Vector::zeros();
    (slope[i], slope[j]) = (bound.slopes[0], bound.slopes[1]);
    Some(Linear { slope, middle: bound.middle, below: bound.below, above: bound.above })
}

/// ‖(u, v)‖_p over a rectangle of the quadrant, from below as closely as can be, and from above about.
///
/// A concave function is over every linear one that it is over at the corners. This one grows the more with one number the larger the other is,
/// so that one through three corners is below it at the fourth, where both are largest.
fn pair_below(u: [Real; 2], v: [Real; 2], p: Real) -> Option<Plane> {
    if p >= 1.0 {
        return pair_over(u, v, p);
    }
    let [of_u, of_v] = [u, v].map(|ends| ends.map(|x| power(x, p)));
    let corners = of_u.map(|a| of_v.map(|b| power(a + b, 1.0 / p)));
    let [[least, up_v], [up_u, most]] = corners;
    let slopes = [(up_u - least) / (u[1] - u[0]), (up_v - least) / (v[1] - v[0])];
    if !slopes.iter().all(|s| s.is_finite()) {
        return None;
    }
    let rounding = 1e-14 * (most + slopes[0] * u[1] + slopes[1] * v[1]);
    // In the middle the function is over the linear one by about half as much as at the fourth corner.
    let above = 0.5 * (most - up_u - up_v + least).max(0.0) + rounding;
    Some(Plane { range: [least, most], slopes, middle: 0.5 * (up_u + up_v), below: rounding, above })
}

/// [`Linear`] of two numbers.
struct Plane {
    /// The least and the greatest value.
    range: [Real; 2],
    slopes: [Real; 2],
    middle: Real,
    below: Real,
    above: Real,
}

/// ‖(u, v)‖_p over a rectangle of the quadrant.
fn pair_over(u: [Real; 2], v: [Real; 2], p: Real) -> Option<Plane> {
    let (mid_u, mid_v) = (0.5 * (u[0] + u[1]), 0.5 * (v[0] + v[1]));
    let (middle, slopes, corners) = if p <= UNSCALED {
        // The powers of the sides are all it takes; none of them is so large or so small that it would be lost.
        let [of_u, of_v] = [u, v].map(|ends| ends.map(|x| power(x, p)));
        let (of_mid_u, of_mid_v) = (power(mid_u, p), power(mid_v, p));
        let norm = |sum: Real| power(sum, 1.0 / p);
        let sum = of_mid_u + of_mid_v;
        let middle = norm(sum);
        let slope = |x: Real, of_x: Real| if x > 0.0 { of_x * middle / (sum * x) } else { power(0.0, p - 1.0) };
        (middle, [slope(mid_u, of_mid_u), slope(mid_v, of_mid_v)], of_u.map(|a| of_v.map(|b| norm(a + b))))
    } else {
        let middle = pair_norm(mid_u, mid_v, p);
        let slope = |x: Real| power(x / middle, p - 1.0);
        (middle, [slope(mid_u), slope(mid_v)], u.map(|x| v.map(|y| pair_norm(x, y, p))))
    };
    if !slopes.iter().all(|s| s.is_finite()) {
        return None;
    }
    let mut most: Real = 0.0;
    for (x, row) in u.into_iter().zip(corners) {
        for (y, value) in v.into_iter().zip(row) {
            let tangent = middle + slopes[0] * (x - mid_u) + slopes[1] * (y - mid_v);
            most = most.max((value - tangent).abs());
        }
    }
    let range = [corners[0][0], corners[1][1]];
    let rounding = 1e-14 * (range[1] + slopes[0] * u[1] + slopes[1] * v[1]);
    let (below, above) = if p >= 1.0 { (0.0, most) } else { (most, 0.0) };
    Some(Plane { range, slopes, middle, below: below + rounding, above: above + rounding })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_nested_norm_is_between_its_bounds_all_over_the_box(
            low in prop::array::uniform3(0.0..1.0_f64), size in -6.0..0.0_f64, at_zero in prop::array::uniform3(any::<bool>()),
            wide in prop::array::uniform3(0.01..1.0_f64), at in prop::array::uniform3(0.0..=1.0_f64),
            powers in prop::array::uniform2(0.25..4.0_f64),
        ) {
            let low = Vector::from_fn(|k, _| if at_zero[k] { 0.0 } else { low[k] });
            let width = Vector::from(wide) * 10.0_f64.powf(size);
            let place = low + width.component_mul(&Vector::from(at));
            let value = pair_norm(pair_norm(place.x, place.z, powers[1]), place.y, powers[0]);
            let bound = nested_over(&low, &(low + width), powers[0], powers[1]).unwrap();
            let off = place - low - width * 0.5;
            let linear = bound.middle + bound.slope.dot(&off);
            prop_assert!(value >= linear - bound.below && value <= linear + bound.above, "{value} {linear} {bound:?}");
            let norm = Nested { along: powers[0], across: powers[1] };
            if let Some(closer) = nested_below(&low, &(low + width), &norm) {
                let linear = closer.middle + closer.slope.dot(&off);
                prop_assert!(value >= linear - closer.below, "{value} {linear} {closer:?}");
            }
            for k in 0..3 {
                let Some(edge) = edge_below(k, &low, &(low + width), &norm) else { continue };
                let linear = edge.middle + edge.slope.dot(&off);
                prop_assert!(value >= linear - edge.below, "{value} {linear} {edge:?}");
            }
        }
    }
}
