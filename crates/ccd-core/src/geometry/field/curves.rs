//! The curves that a hollow superquadric is the product of, at the places where searches for its nearest place begin.
//!
//! **Why.** They depend on the exponents alone, and take more powers than the search itself.

use std::f64::consts::FRAC_PI_2;

use super::superquadric::power;
use crate::math::Real;

/// Angles of the grid along each curve.
pub(super) const SAMPLES: usize = 11;
/// The last angle, by the tangent of its half, that is told from a right one.
const LAST: Real = 1.0 - 4.0 * Real::EPSILON;
/// Places along an edge, less one.
pub(super) const ALONG_EDGE: usize = 32;

/// Places of the curves along and across the axis, of radius one, and of the edges in the planes of the axes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curves {
    pub along: Curve,
    pub across: Curve,
    /// The same from end to end.
    pub edge_along: Edge,
    pub edge_across: Edge,
}

/// Places of a curve (cosᵉ, sinᵉ).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curve {
    /// The tangents of half their angles.
    pub halves: [Real; SAMPLES],
    pub places: [[Real; 2]; SAMPLES],
}

/// A quarter of a curve ‖(u, v)‖_p = 1 at some places, by t = uᵖ = 1 − vᵖ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edge {
    /// 1/p.
    pub inverse: Real,
    pub shares: [Real; ALONG_EDGE + 1],
    pub places: [[Real; 2]; ALONG_EDGE + 1],
}

impl Curves {
    pub fn new([along, across]: [Real; 2]) -> Self {
        let edge = |e: Real| Edge::new(0.5 * e);
        let curve = |e: Real| Curve::new(e);
        Self { along: curve(along), across: curve(across), edge_along: edge(along), edge_across: edge(across) }
    }
}

impl Curve {
    pub fn new(e: Real) -> Self {
        let half = |k: usize| {
            let angle = FRAC_PI_2 * (k as Real + 0.5) / SAMPLES as Real;
            if e >= 1.0 {
                return (0.5 * angle).tan();
            }
            // Nearly a square, with all of its sides at the ends of the angles: evenly around it as it is seen from the middle.
            let tan = power(angle.tan(), 1.0 / e);
            (tan / (1.0 + (1.0 + tan * tan).sqrt())).min(LAST)
        };
        let halves: [Real; SAMPLES] = std::array::from_fn(half);
        let places = halves.map(|half| {
            let (sin, cos) = (2.0 * half.atan()).sin_cos();
            [power(cos, e), power(sin, e)]
        });
        Self { halves, places }
    }
}

impl Edge {
    pub fn new(inverse: Real) -> Self {
        // Closer together at the ends, where the curve runs into the axes.
        let shares = std::array::from_fn(|k| (FRAC_PI_2 * k as Real / ALONG_EDGE as Real).sin().powi(2));
        let places = shares.map(|t| [power(t, inverse), power(1.0 - t, inverse)]);
        Self { inverse, shares, places }
    }
}

/// Steps to the nearest place between two that were compared at first; eight are usual.
const STEPS: usize = 40;

/// The point of the quarter of a curve, made longer by `size`, that is nearest to a point of the quadrant.
pub(super) fn nearest_on_edge(edge: &Edge, size: [Real; 2], point: [Real; 2]) -> [Real; 2] {
    let inverse = edge.inverse;
    let squared = |place: [Real; 2]| (place[0] - point[0]).powi(2) + (place[1] - point[1]).powi(2);
    let sized = |place: [Real; 2]| [size[0] * place[0], size[1] * place[1]];
    // The place, and how fast the square of the distance grows with t.
    let at = |t: Real| {
        let shares = [t, 1.0 - t];
        let place = sized(shares.map(|share| power(share, inverse)));
        let by = |k: usize| {
            let slope = if shares[k] > 0.0 { place[k] / shares[k] } else { size[k] * power(0.0, inverse - 1.0) };
            (place[k] - point[k]) * slope
        };
        (place, by(0) - by(1))
    };
    let near = edge.places.map(|place| squared(sized(place)));
    let last = ALONG_EDGE;
    let mut found = sized(edge.places[if near[0] < near[last] { 0 } else { last }]);
    let mut least = near[0].min(near[last]);
    for k in 0..=last {
        let neighbours = [k.saturating_sub(1), (k + 1).min(last)];
        if neighbours.iter().all(|n| near[k] <= near[*n]) {
            let [low, high] = neighbours.map(|n| edge.shares[n]);
            let valley = valley_around(&at, [low, edge.shares[k], high]);
            let place = valley.and_then(|ends| lowest_between(&at, ends)).unwrap_or(sized(edge.places[k]));
            let away = squared(place);
            if away < least {
                (found, least) = (place, away);
            }
        }
    }
    found
}

/// Two places on either side of a least value, the one where the function falls first: from `here`, which is no higher than `low` and
/// `high`, towards that of them which it falls to, nearer and nearer, until it falls no more. At an end of the curve itself it may rise at first.
fn valley_around(at: &dyn Fn(Real) -> ([Real; 2], Real), [low, here, high]: [Real; 3]) -> Option<[Real; 2]> {
    let rises = at(here).1 > 0.0;
    let (end, mut inner) = (if rises { low } else { high }, here);
    for _ in 0..STEPS {
        let outer = 0.5 * (inner + end);
        if outer == inner || outer == end {
            break;
        }
        if (at(outer).1 > 0.0) != rises {
            return Some(if rises { [outer, inner] } else { [inner, outer] });
        }
        inner = outer;
    }
    None
}

/// Where a function has its least value between two places, of which `at` tells the place and the slope; `None` where there is none between
/// them. By the chord, at the end that stays by half of its slope (the Illinois rule), and in the middle where that would not.
fn lowest_between(at: &dyn Fn(Real) -> ([Real; 2], Real), [low, high]: [Real; 2]) -> Option<[Real; 2]> {
    let (mut low, mut high) = ((low, at(low).1), (high, at(high).1));
    if !(low.1 < 0.0 && high.1 > 0.0) {
        return None;
    }
    let mut best: Option<([Real; 2], Real)> = None;
    let mut kept = 0;
    for step in 0..STEPS {
        let chord = low.1 / (low.1 - high.1);
        // At an end it may be infinitely steep.
        let is_told = chord.is_finite() && chord > 0.0 && chord < 1.0 && step % 8 != 7;
        let middle = low.0 + if is_told { chord } else { 0.5 } * (high.0 - low.0);
        if middle <= low.0 || middle >= high.0 {
            break;
        }
        let (place, rise) = at(middle);
        if best.is_none_or(|(_, least)| rise.abs() < least) {
            best = Some((place, rise.abs()));
        }
        if rise == 0.0 {
            break;
        }
        if rise < 0.0 {
            low = (middle, rise);
            high.1 *= if kept > 0 { 0.5 } else { 1.0 };
            kept = 1;
        } else {
            high = (middle, rise);
            low.1 *= if kept < 0 { 0.5 } else { 1.0 };
            kept = -1;
        }
    }
    best.map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::superquadric::pair_norm;
    use proptest::prelude::*;

    /// From its tip the curve first leads away from the point.
    #[test]
    fn the_nearest_place_beside_the_tip_of_a_curve_is_found() {
        let (size, p, point) =
            ([1.1674917567968452, 1.7159388163103877], 0.785730891901561, [0.10365348398222343, 1.7201802630301646]);
        let found = nearest_on_edge(&Edge::new(1.0 / p), size, point);
        let away = |place: [f64; 2]| (place[0] - point[0]).hypot(place[1] - point[1]);
        for k in 0..=100_000 {
            let t = f64::from(k) * 1e-6;
            let other = [size[0] * t.powf(1.0 / p), size[1] * (1.0 - t).powf(1.0 / p)];
            assert!(away(other) > away(found) * (1.0 - 1e-9), "{other:?} {found:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn no_point_of_a_curve_is_nearer_than_the_nearest_one_by_a_ten_thousandth(
            size in prop::array::uniform2(0.1..2.0_f64), // Nearly straight ones, between, end in no cusp, and descent gets there.
            p in prop_oneof![0.25..0.85_f64, 1.0..4.0_f64], point in prop::array::uniform2(0.0..2.0_f64),
        ) {
            let found = nearest_on_edge(&Edge::new(1.0 / p), size, point);
            prop_assert!((pair_norm(found[0] / size[0], found[1] / size[1], p) - 1.0).abs() < 1e-9);
            let away = |place: [f64; 2]| (place[0] - point[0]).hypot(place[1] - point[1]);
            for k in 0..=2000 {
                let t = f64::from(k) / 2000.0;
                let other = [size[0] * t.powf(1.0 / p), size[1] * (1.0 - t).powf(1.0 / p)];
                prop_assert!(away(other) > away(found) * (1.0 - 1e-4) - 1e-9, "{other:?} {found:?}");
            }
        }
    }
}
