//! Superquadrics that are hollow: their bounds over a box in one octant by linear functions, and their edges, which are cusps.
//!
//! **Why.** Where a hollow surface has cusps its slope has no bound, but its norm has linear bounds over a box ([`super::linear_norm`]). Beside a plane of
//! symmetry the solid is so thin that a box is first cut down to what it holds of it; and across an edge, where the norm rises as
//! steeply as can be, the edge itself says how far the solid reaches.

use super::curves::{Curves, nearest_on_edge};
use super::enclosure::{Enclosure, Facet, Region};
use super::linear_norm::{Linear, edge_below, nested_below, nested_over};
use super::superquadric::{Nested, Superquadric, pair_norm, power};
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// Steps that narrow the size of a box about a point down to where it meets the surface.
const HALVINGS: usize = 6;
/// A box is told to be thinner where it is by this factor.
const THINNER: Real = 0.6;
/// What powers may be off by rounding.
const SLACK: Real = 1e-14;
/// The least share of a side that is left of it, so that none vanishes.
const LEAST_SIDE: Real = 1e-3;

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
        // What is in a plane of symmetry alone is another octant's, too, unless that is all there is.
        if (0..3).any(|k| high[k] < 0.0 || high[k] == 0.0 && over.min[k] < over.max[k]) {
            return;
        }
        let norm = self.norm();
        let Nested { along, across } = norm;
        let value = |v: &Vector| norm.value(v) - 1.0;
        let is_none = match region {
            Region::Solid => value(&low) > 1e-12,
            Region::Complement => value(&high) < -1e-12,
        };
        if is_none {
            return;
        }
        let centre = over.centre();
        let mut facets = [Facet { normal: Vector::zeros(), value: 0.0, error: 0.0 }; 10];
        let mut count = 0;
        let mut push = |facet: Facet| {
            facets[count] = facet;
            count += 1;
        };
        // Of what is thin beside a plane of symmetry the box holds more room than solid.
        let whole = high;
        let high = if region == Region::Solid { norm.shrunk(&low, &high) } else { high };
        let middle = 0.5 * (low + high);
        let facet_of = |bound: &Linear| {
            let sign = if region == Region::Solid { 1.0 } else { -1.0 };
            let gradient = bound.slope.component_div(&self.radii).component_mul(&signs);
            let steepness = gradient.norm();
            let middle = middle.component_mul(&self.radii).component_mul(&signs);
            // The surface is somewhere between both bounds.
            let (height, spread) =
                (bound.middle - 1.0 + 0.5 * (bound.above - bound.below), 0.5 * (bound.above + bound.below));
            let facet = Facet {
                normal: gradient * (sign / steepness),
                value: sign * (height / steepness + gradient.dot(&(centre.coords - middle)) / steepness),
                error: spread / steepness * (1.0 + 1e-12),
            };
            (steepness > 0.0 && facet.value.is_finite() && facet.error.is_finite()).then_some(facet)
        };
        let bound = match region {
            Region::Solid => nested_below(&low, &high, &norm),
            Region::Complement => nested_over(&low, &high, along, across),
        };
        if let Some(facet) = bound.and_then(|bound| facet_of(&bound)) {
            push(facet);
        }
        for k in 0..3 {
            let mut normal = Vector::zeros();
            if over.min[k] < 0.0 && over.max[k] > 0.0 {
                normal[k] = -signs[k];
                push(Facet { normal, value: -signs[k] * centre[k], error: 0.0 });
            }
            if high[k] - low[k] < THINNER * (whole[k] - low[k]) {
                normal[k] = signs[k];
                push(Facet { normal, value: signs[k] * centre[k] - high[k] * self.radii[k], error: 0.0 });
            }
            // Across an edge the slope has no bound, and the linear one is off by as much as the surface rises. But seen along the axis the solid
            // is within the edge.
            if region == Region::Solid
                && low[k] == 0.0
                && let Some(facet) = edge_below(k, &low, &high, &norm).and_then(|bound| facet_of(&bound))
            {
                push(facet);
            }
        }
        out.push(&facets[..count]);
    }

    /// A box that holds all that a box in one octant holds of the solid.
    pub(super) fn shrunk(&self, over: &Aabb) -> Aabb {
        let is_low = |k: usize| over.max[k] <= 0.0;
        if !(0..3).all(|k| over.min[k] >= 0.0 || is_low(k)) {
            return *over;
        }
        let ends = |k: usize| if is_low(k) { [-over.max[k], -over.min[k]] } else { [over.min[k], over.max[k]] };
        let low = Vector::from_fn(|k, _| ends(k)[0] / self.radii[k]);
        let high = Vector::from_fn(|k, _| ends(k)[1] / self.radii[k]);
        let high = self.norm().shrunk(&low, &high).component_mul(&self.radii);
        let mut held = *over;
        for k in 0..3 {
            // Rounded, the side that is as it was may be beyond.
            if is_low(k) { held.min[k] = held.min[k].max(-high[k]) } else { held.max[k] = held.max[k].min(high[k]) }
        }
        held
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
        // From a box without surface to one with some: at the middle of the solid, or beyond one of its tips.
        let furthest = if here > 0.0 { folded.max() } else { (self.radii - folded).min().max(0.0) };
        let (mut free, mut met) = ((0.0, here), (furthest, value(sign * furthest)));
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
    pub(super) fn nearest_of_ridge(&self, curves: &Curves, axis: usize, point: &Point) -> Point {
        let Curves { edge_along: along, edge_across: across, .. } = curves;
        let (i, j, edge) = [(2, 1, along), (0, 2, across), (0, 1, along)][axis];
        let size = [self.radii[i], self.radii[j]];
        let [u, v] = nearest_on_edge(edge, size, [point[i].abs(), point[j].abs()]);
        let mut place = Point::origin();
        (place[i], place[j]) = (u.copysign(point[i]), v.copysign(point[j]));
        place
    }
}

impl Nested {
    /// The two coordinates that are left in the plane across an axis, and the power of their norm.
    pub(super) fn edge(&self, axis: usize) -> (usize, usize, Real) {
        [(2, 1, self.along), (0, 2, self.across), (0, 1, self.along)][axis]
    }

    /// The upper end of a box from `low`, which is not negative, to `high`, that holds all places of it where the norm is at most one: each
    /// coordinate is largest where the others are smallest.
    fn shrunk(&self, low: &Vector, high: &Vector) -> Vector {
        let Self { along, across } = *self;
        let root = |rest: Real, p: Real| power((rest + SLACK).max(0.0), 1.0 / p) * (1.0 + SLACK);
        let flat = pair_norm(low.x, low.z, across);
        let most_flat = power(root(1.0 - power(low.y, along), along), across);
        let most = Vector::new(
            root(most_flat - power(low.z, across), across),
            root(1.0 - power(flat, along), along),
            root(most_flat - power(low.x, across), across),
        );
        Vector::from_fn(|k, _| (most[k].max(low[k]) + LEAST_SIDE * (high[k] - low[k])).min(high[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::{Field, Implicit, ImplicitSurface};
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
        fn a_box_that_is_shrunk_holds_what_it_held_of_a_hollow_superquadric_in_one_octant(
            radii in prop::array::uniform3(0.1..1.0_f64), e in (0.2..2.0_f64, 2.01..6.0_f64, any::<bool>()),
            low in prop::array::uniform3(0.0..1.0_f64), size in -4.0..0.0_f64, at_zero in prop::array::uniform3(any::<bool>()),
            signs in prop::array::uniform3(any::<bool>()), places in prop::collection::vec(prop::array::uniform3(0.0..=1.0_f64), 100),
        ) {
            let exponents = if e.2 { [e.0, e.1] } else { [e.1, e.0] };
            let solid = Superquadric::try_new(radii, exponents).unwrap();
            let side = 10.0_f64.powf(size);
            let (mut min, mut max) = (Point::origin(), Point::origin());
            for k in 0..3 {
                let near = if at_zero[k] { 0.0 } else { low[k] };
                (min[k], max[k]) = if signs[k] { (-near - side, -near) } else { (near, near + side) };
            }
            let whole = Aabb { min, max };
            let held = solid.shrunk(&whole);
            for share in places {
                // Beside the planes of symmetry, too, where it is thin.
                for power in [1, 4, 12] {
                    let inward = Vector::from_fn(|k, _| {
                        let t = share[k].powi(power);
                        if signs[k] { max[k] - t * side } else { min[k] + t * side }
                    });
                    let place = Point::from(inward);
                    prop_assert!(solid.value(&place) > 0.0 || held.distance_to_point(&place) == 0.0, "{place} {held:?} {whole:?}");
                }
            }
        }

    }
}
