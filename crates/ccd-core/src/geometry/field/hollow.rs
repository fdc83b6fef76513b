//! Superquadrics that are hollow: their bounds over a box in one octant by linear functions, and their edges, which are cusps.
//!
//! **Why.** A p-norm of two numbers that are not negative is convex for p ≥ 1 and concave below, and grows with both. So over a box its
//! tangent at the middle is on one side of it, and on the other once it is moved by what it is off at the corners, where a difference
//! of a convex and a linear function is greatest. Of nested norms the bounds nest, as no slope is negative. Where a hollow surface
//! has cusps its slope has no bound, but these have.

use std::f64::consts::FRAC_PI_2;

use super::enclosure::{Enclosure, Facet, Region};
use super::superquadric::{Nested, Superquadric, pair_norm, power};
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// Steps, each twice as long as the last, to where a box about a point meets the surface, and those that narrow its size down.
const DOUBLINGS: usize = 60;
const HALVINGS: usize = 4;

impl Superquadric {
    /// What a box holds of the region, from octant to octant.
    pub(super) fn enclose_octants(&self, over: &Aabb, region: Region, out: &mut Enclosure) {
        let start = out.len();
        (0..8).for_each(|octant| self.enclose_octant(octant, over, region, out));
        out.simplify_from(start);
    }

    /// What the part of a box in one octant holds of the region.
    fn enclose_octant(&self, octant: usize, over: &Aabb, region: Region, out: &mut Enclosure) {
        let signs = Vector::from_fn(|k, _| if octant >> k & 1 == 1 { -1.0 } else { 1.0 });
        // As if in the first octant, and in radii.
        let ends = [over.min.coords, over.max.coords].map(|end| end.component_mul(&signs).component_div(&self.radii));
        let (low, high) = (ends[0].inf(&ends[1]).sup(&Vector::zeros()), ends[0].sup(&ends[1]));
        if high.iter().any(|x| *x < 0.0) {
            return;
        }
        let Nested { along, across } = self.norm();
        let value = |v: &Vector| self.norm().value(v) - 1.0;
        let is_none = match region {
            Region::Solid => value(&low) > 1e-12,
            Region::Complement => value(&high) < -1e-12,
        };
        if is_none {
            return;
        }
        let centre = over.centre();
        let mut facets = Vec::with_capacity(4);
        if let Some(bound) = nested_over(&low, &high, along, across) {
            let sign = if region == Region::Solid { 1.0 } else { -1.0 };
            let gradient = bound.slope.component_div(&self.radii).component_mul(&signs);
            let steepness = gradient.norm();
            let middle = (0.5 * (low + high)).component_mul(&self.radii).component_mul(&signs);
            // The surface is somewhere between both bounds.
            let (height, spread) =
                (bound.middle - 1.0 + 0.5 * (bound.above - bound.below), 0.5 * (bound.above + bound.below));
            let facet = Facet {
                normal: gradient * (sign / steepness),
                value: sign * (height / steepness + gradient.dot(&(centre.coords - middle)) / steepness),
                error: spread / steepness * (1.0 + 1e-12),
            };
            if steepness > 0.0 && facet.value.is_finite() && facet.error.is_finite() {
                facets.push(facet);
            }
        }
        for k in (0..3).filter(|k| over.min[*k] < 0.0 && over.max[*k] > 0.0) {
            let mut normal = Vector::zeros();
            normal[k] = -signs[k];
            facets.push(Facet { normal, value: -signs[k] * centre[k], error: 0.0 });
        }
        out.push(&facets);
    }

    /// Every place of the solid has a coordinate that is smaller than this one's by at least what keeps a place outside that is nearer
    /// by as much to all three planes of symmetry. And near there it is below a linear bound.
    pub(super) fn hollow_distance(&self, point: &Point) -> Real {
        let folded = point.coords.abs();
        let value = |shift: Real| {
            let place = folded.map(|x| (x + shift).max(0.0)).component_div(&self.radii);
            self.norm().value(&place) - 1.0
        };
        let here = value(0.0);
        let sign = if here > 0.0 { -1.0 } else { 1.0 };
        // From a box without surface to one with some.
        let (mut free, mut met) = ((0.0, here), (0.0, here));
        let mut step = 0.25 * here.abs() * self.radii.min();
        for _ in 0..DOUBLINGS {
            met = (free.0 + step, value(sign * (free.0 + step)));
            if met.1 * here <= 0.0 {
                break;
            }
            (free, step) = (met, 2.0 * step);
        }
        for _ in 0..HALVINGS {
            let share = (free.1 / (free.1 - met.1)).clamp(0.1, 0.9);
            let middle = free.0 + share * (met.0 - free.0);
            let at = value(sign * middle);
            if at * here > 0.0 { free = (middle, at) } else { met = (middle, at) }
        }
        let least = free.0 * (1.0 - 1e-12);
        let box_around = Aabb::from_half_extents(*point, Vector::repeat(2.0 * least));
        let mut held = Enclosure::default();
        let region = if here > 0.0 { Region::Solid } else { Region::Complement };
        self.enclose_octants(&box_around, region, &mut held);
        let height = |facets: &[Facet]| facets.iter().map(|f| f.value - f.error).fold(0.0, Real::max);
        let beyond = held.alternatives().map(height).fold(2.0 * least, Real::min);
        least.max(beyond).copysign(here)
    }

    /// Its nearest place in the plane across one of its axes.
    pub(super) fn nearest_of_ridge(&self, axis: usize, point: &Point) -> Point {
        let Nested { along, across } = self.norm();
        let (i, j, power) = [(2, 1, along), (0, 2, across), (0, 1, along)][axis];
        let size = [self.radii[i], self.radii[j]];
        let [u, v] = nearest_on_curve(size, power, [point[i].abs(), point[j].abs()]);
        let mut place = Point::origin();
        (place[i], place[j]) = (u.copysign(point[i]), v.copysign(point[j]));
        place
    }
}

/// A linear function and how far a function may be below it and above it.
#[derive(Clone, Copy, Debug)]
struct Linear {
    pub slope: Vector,
    /// At the middle of the box.
    pub middle: Real,
    pub below: Real,
    pub above: Real,
}

/// ‖(‖(x, z)‖_across, y)‖_along over a box from `low`, which is not negative, to `high`; `None` where it has no slope.
fn nested_over(low: &Vector, high: &Vector, along: Real, across: Real) -> Option<Linear> {
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
    let middle = pair_norm(mid_u, mid_v, p);
    let slope = |x: Real| power(x / middle, p - 1.0);
    let slopes = [slope(mid_u), slope(mid_v)];
    if !slopes.iter().all(|s| s.is_finite()) {
        return None;
    }
    let corners = u.map(|x| v.map(|y| pair_norm(x, y, p)));
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

/// Places along a curve that are compared at first.
const SAMPLES: usize = 32;
/// Steps to the nearest place between two of them.
const STEPS: usize = 24;

/// The point of the quarter of a curve ‖(u/size₀, v/size₁)‖_p = 1 that is nearest to a point of the quadrant.
fn nearest_on_curve(size: [Real; 2], p: Real, point: [Real; 2]) -> [Real; 2] {
    let inverse = 1.0 / p;
    // t and 1 − t are the powers of the two coordinates.
    let shares = |t: Real| [t, 1.0 - t];
    let at = |t: Real| std::array::from_fn(|k| size[k] * power(shares(t)[k], inverse));
    let away = |t: Real| {
        let place: [Real; 2] = at(t);
        (place[0] - point[0]).powi(2) + (place[1] - point[1]).powi(2)
    };
    // How fast that grows with t.
    let growth = |t: Real| {
        let place: [Real; 2] = at(t);
        let by = |k: usize| (place[k] - point[k]) * size[k] * inverse * power(shares(t)[k], inverse - 1.0);
        by(0) - by(1)
    };
    // Closer together at the ends, where the curve runs into the axes.
    let sample = |k: usize| (FRAC_PI_2 * k as Real / SAMPLES as Real).sin().powi(2);
    let near: [Real; SAMPLES + 1] = std::array::from_fn(|k| away(sample(k)));
    let mut found = sample(if near[0] < near[SAMPLES] { 0 } else { SAMPLES });
    for k in 0..=SAMPLES {
        let neighbours = [k.saturating_sub(1), (k + 1).min(SAMPLES)];
        if neighbours.iter().all(|n| near[k] <= near[*n]) {
            let place = lowest_between(&growth, neighbours.map(sample), sample(k));
            if away(place) < away(found) {
                found = place;
            }
        }
    }
    at(found)
}

/// Where a function whose slope this is has its least value between two places, or `otherwise` where it has none between them.
fn lowest_between(slope: &dyn Fn(Real) -> Real, [low, high]: [Real; 2], otherwise: Real) -> Real {
    let (mut low, mut high) = ((low, slope(low)), (high, slope(high)));
    if !(low.1 < 0.0 && high.1 > 0.0) {
        return otherwise;
    }
    for step in 0..STEPS {
        // By the chord, and every third time in the middle; at an end it may be infinitely steep.
        let chord = low.1 / (low.1 - high.1);
        let share = if step % 3 == 2 || !chord.is_finite() || chord <= 0.0 { 0.5 } else { chord };
        let middle = low.0 + share * (high.0 - low.0);
        let rise = slope(middle);
        *(if rise < 0.0 { &mut low } else { &mut high }) = (middle, rise);
    }
    if -low.1 < high.1 { low.0 } else { high.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::{Field, Implicit};
    use crate::volume::Sphere;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_ball_holds_no_more_of_a_hollow_superquadric_than_its_enclosure_and_none_of_its_surface_within_its_distance(
            radii in prop::array::uniform3(0.1..1.0_f64), e in (0.2..2.0_f64, 2.01..6.0_f64, any::<bool>()),
            centre in prop::array::uniform3(-1.0..1.0_f64), size in -4.0..0.0_f64,
            ways in prop::collection::vec((prop::array::uniform3(-1.0..1.0_f64), 0.0..1.0_f64), 40),
        ) {
            let exponents = if e.2 { [e.0, e.1] } else { [e.1, e.0] };
            let solid = Implicit::new(Superquadric::try_new(radii, exponents).unwrap()).unwrap();
            let ball = Sphere { centre: centre.into(), radius: 10.0_f64.powf(size) };
            let is_inside = solid.contains(&ball.centre);
            let distance = solid.distance(&ball.centre);
            prop_assert!(if is_inside { distance <= 0.0 } else { distance >= 0.0 }, "{distance}");
            for region in [Region::Solid, Region::Complement] {
                let mut held = Enclosure::default();
                solid.enclose(&ball, region, &mut held);
                for (way, share) in &ways {
                    let Some(way) = Vector::from(*way).try_normalize(1e-3) else { continue };
                    let x = way * (ball.radius * share);
                    let is_held = solid.contains(&(ball.centre + x)) == (region == Region::Solid);
                    let within = held.alternatives().any(|f| f.iter().all(|f| f.value + f.normal.dot(&x) <= f.error + 1e-9));
                    prop_assert!(!is_held || within, "{region:?} {x} {held:?}");
                    let near = ball.centre + way * (distance.abs() * share * (1.0 - 1e-9));
                    prop_assert!(solid.contains(&near) == is_inside, "{near} within {distance}");
                }
            }
        }

        #[test]
        fn no_point_of_a_curve_is_nearer_than_the_nearest_one_by_a_ten_thousandth(
            size in prop::array::uniform2(0.1..2.0_f64), // Nearly straight ones, between, end in no cusp, and descent gets there.
            p in prop_oneof![0.25..0.85_f64, 1.0..4.0_f64], point in prop::array::uniform2(0.0..2.0_f64),
        ) {
            let found = nearest_on_curve(size, p, point);
            prop_assert!((pair_norm(found[0] / size[0], found[1] / size[1], p) - 1.0).abs() < 1e-9);
            let away = |place: [f64; 2]| (place[0] - point[0]).hypot(place[1] - point[1]);
            for k in 0..=2000 {
                let t = f64::from(k) / 2000.0;
                let other = [size[0] * t.powf(1.0 / p), size[1] * (1.0 - t).powf(1.0 / p)];
                prop_assert!(away(other) > away(found) * (1.0 - 1e-4) - 1e-9, "{other:?} {found:?}");
            }
        }

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
            let linear = bound.middle + bound.slope.dot(&(place - low - width * 0.5));
            prop_assert!(value >= linear - bound.below && value <= linear + bound.above, "{value} {linear} {bound:?}");
        }
    }
}
