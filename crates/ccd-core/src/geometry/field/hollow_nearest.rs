//! The place of a hollow superquadric that is nearest to a point outside.
//!
//! **Problem.** Descent over enclosures gets there, in some thousand powers; a search for a contact asks hundreds of times.
//!
//! **Idea.** The solid is its own mirror image in the planes of its axes, so that the nearest place is in the point's own octant. There the
//! surface is the product of two curves, (cosᵉu, sinᵉu) along the axis and across it: the squared distance is a smooth function of two
//! angles with derivatives in closed form. Where it is least on a grid of these, Newton's method goes on; the edges and tips, where the
//! curves stand still, are asked beside ([`Superquadric::nearest_of_ridge`]).
//!
//! **Limits.** Of several places that are nearest around themselves the nearest is found if the grid tells them apart.

use nalgebra::{Matrix2, Vector2};

use super::curves::{Curves, SAMPLES};
use super::project::SurfacePoint;
use super::superquadric::{Superquadric, power};
use crate::math::{Point, Real, Vector};

/// Steps of Newton's method.
const STEPS: usize = 40;
/// Halvings of a step that leads further away.
const HALVINGS: usize = 24;
/// The place is found when the way to the point leaves the surface's normal by less, radians.
const NORMAL: Real = 1e-10;
/// The way to a point tells the normal if it is longer than this share of the solid's size.
const WAY: Real = 1e-9;

/// A place of one of the two curves, and its first and second derivatives by the tangent of half the angle: for each the two coordinates.
struct OnCurve([[Real; 2]; 3]);

impl OnCurve {
    /// At the angle of which half the tangent is `half`, between zero and one: without a sine.
    fn at(exponent: Real, half: Real) -> Self {
        // How fast the angle grows.
        let rate = 2.0 / (1.0 + half * half);
        let (sin, cos) = (half * rate, (1.0 - half * half) * (0.5 * rate));
        let (e, s, c) = (exponent, sin.max(Real::MIN_POSITIVE), cos.max(Real::MIN_POSITIVE));
        let (of_sin, of_cos) = (power(s, e), power(c, e));
        let (tan, cot) = (s / c, c / s);
        let by_angle = [-e * of_cos * tan, e * of_sin * cot];
        let bend = [of_cos * (e * (e - 1.0) * tan * tan - e), of_sin * (e * (e - 1.0) * cot * cot - e)];
        let first = by_angle.map(|by| by * rate);
        let second = [0, 1].map(|k| (bend[k] - by_angle[k] * half) * (rate * rate));
        Self([[of_cos, of_sin], first, second])
    }
}

impl Superquadric {
    /// The nearest place of the surface to a point outside, of a solid that is hollow; nearest around itself at least. `None` where
    /// rounding leaves none, and of a solid that is not hollow.
    pub(super) fn nearest_of_hollow(&self, point: &Point) -> Option<SurfacePoint> {
        let curves = self.curves.as_deref()?;
        let folded = Point::from(point.coords.abs());
        let mut best: Option<(Real, Point)> = None;
        let take = |best: &mut Option<(Real, Point)>, place: Point| {
            let place = Point::from(place.coords.zip_map(&point.coords, Real::copysign));
            let length = (point - place).norm();
            if best.is_none_or(|(least, _)| length < least) {
                *best = Some((length, place));
            }
        };
        let mut starts = self.starts(curves, &folded);
        starts.sort_by(|s, t| s.least.total_cmp(&t.least));
        for start in starts {
            // No place around it is nearer than that.
            if best.is_none_or(|(length, _)| start.least < length)
                && let Some(place) = self.nearest_from(start.angles, &folded)
            {
                take(&mut best, place);
            }
        }
        for axis in 0..3 {
            // What lies in a plane is no nearer than that.
            if best.is_none_or(|(least, _)| folded[axis] < least) {
                take(&mut best, self.nearest_of_ridge(curves, axis, point));
            }
        }
        let (_, place) = best?;
        let size = self.radii.amax();
        let normal = (point - place).try_normalize(WAY * size);
        let normal = normal.or_else(|| self.slope(&place).try_normalize(Real::MIN_POSITIVE))?;
        Some(SurfacePoint { point: place, normal })
    }

    /// The grid's places that are nearer to a point of the first octant than those around them.
    fn starts(&self, curves: &Curves, point: &Point) -> Vec<Start> {
        let place = |i: usize, k: usize| {
            let ([width, height], [c, s]) = (curves.along.places[i], curves.across.places[k]);
            Vector::new(width * c, height, width * s).component_mul(&self.radii)
        };
        let mut away = [[0.0; SAMPLES]; SAMPLES];
        for (i, row) in away.iter_mut().enumerate() {
            for (k, away) in row.iter_mut().enumerate() {
                *away = (place(i, k) - point.coords).norm_squared();
            }
        }
        let around = |k: usize| k.saturating_sub(1)..=(k + 1).min(SAMPLES - 1);
        let mut starts = Vec::with_capacity(4);
        for i in 0..SAMPLES {
            for k in 0..SAMPLES {
                let here = away[i][k];
                if !around(i).all(|i2| around(k).all(|k2| here <= away[i2][k2])) {
                    continue;
                }
                // At the ends of the grid the surface goes on for about as far as to the other side.
                let neighbours = around(i).flat_map(|i2| around(k).map(move |k2| (i2, k2)));
                let reach = neighbours.map(|(i2, k2)| (place(i2, k2) - place(i, k)).norm()).fold(0.0, Real::max);
                let angles = Vector2::new(curves.along.halves[i], curves.across.halves[k]);
                starts.push(Start { angles, least: here.sqrt() - reach });
            }
        }
        starts
    }

    /// The place that is nearest to a point of the first octant around a place at these angles, given by the tangents of their halves; `None` where the way leads to an edge.
    fn nearest_from(&self, start: Vector2<Real>, point: &Point) -> Option<Point> {
        let [along, across] = self.exponents();
        let radii = self.radii;
        let place = |up: [Real; 2], round: [Real; 2]| {
            Vector::new(up[0] * round[0], up[1], up[0] * round[1]).component_mul(&radii)
        };
        // Derivatives of the place: where the height is a factor of one curve alone, it falls out of the other's.
        let flat = |up: [Real; 2], round: [Real; 2]| {
            Vector::new(up[0] * round[0], 0.0, up[0] * round[1]).component_mul(&radii)
        };
        let at = |angles: &Vector2<Real>| {
            let (up, round) = (OnCurve::at(along, angles.x), OnCurve::at(across, angles.y));
            let way = place(up.0[0], round.0[0]) - point.coords;
            (up, round, way)
        };
        let is_within = |half: Real| half > 0.0 && half < 1.0;
        let mut angles = start;
        let mut known = at(&angles);
        for _ in 0..STEPS {
            let (up, round, way) = &known;
            let (by_up, by_round) = (place(up.0[1], round.0[0]), flat(up.0[0], round.0[1]));
            let slope = Vector2::new(way.dot(&by_up), way.dot(&by_round));
            let now = way.norm_squared();
            let length = now.sqrt();
            let bends = |rise: Real, by: &Vector| rise.abs() > NORMAL * length * by.norm();
            if !(bends(slope.x, &by_up) || bends(slope.y, &by_round)) {
                break;
            }
            let mixed = by_up.dot(&by_round) + way.dot(&flat(up.0[1], round.0[1]));
            let curvature = Matrix2::new(
                by_up.norm_squared() + way.dot(&place(up.0[2], round.0[0])),
                mixed,
                mixed,
                by_round.norm_squared() + way.dot(&flat(up.0[0], round.0[2])),
            );
            let step = downhill(&curvature, &slope)?;
            let mut shorter = (0..HALVINGS).filter_map(|halving| {
                let next = angles - step * 0.5_f64.powi(halving as i32);
                (is_within(next.x) && is_within(next.y)).then(|| (next, at(&next)))
            });
            // Else it is as near as rounding allows.
            let Some((next, there)) = shorter.find(|(_, (_, _, way))| way.norm_squared() < now) else { break };
            (angles, known) = (next, there);
        }
        Some(Point::from(point.coords + known.2))
    }
}

/// Where Newton's method starts.
struct Start {
    /// As the tangents of their halves.
    angles: Vector2<Real>,
    /// About how near places around it can be, metres.
    least: Real,
}

/// Newton's step, or one that goes down where that would not: each way by the size of its curvature.
fn downhill(curvature: &Matrix2<Real>, slope: &Vector2<Real>) -> Option<Vector2<Real>> {
    let is_bowl = curvature.m11 > 0.0 && curvature.determinant() > 1e-12 * curvature.m11 * curvature.m22;
    let newton = if is_bowl { curvature.try_inverse().map(|inverse| inverse * slope) } else { None };
    let step = newton.unwrap_or_else(|| {
        let by = |rise: Real, bend: Real| if rise == 0.0 { 0.0 } else { rise / bend.abs().max(rise.abs()) };
        Vector2::new(by(slope.x, curvature.m11), by(slope.y, curvature.m22))
    });
    step.iter().all(|s| s.is_finite()).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::implicit::ImplicitSurface;
    use proptest::prelude::*;
    use std::f64::consts::FRAC_PI_2;

    /// All of the side that is nearest lies within the first thousandth of a degree of its curve.
    #[test]
    fn the_nearest_place_on_a_flat_side_beside_a_cusp_is_found() {
        for (exponents, at, exact) in [
            ([5.0, 0.05], [0.7898321458273423, 0.552447285534911, 0.045919770360452625], 0.549700466671674),
            ([2.5, 0.05], [0.6284005440660518, 0.38297804862883866, 0.009807260523159021], 0.115223070848444),
        ] {
            let solid = Superquadric::try_new([1.0; 3], exponents).unwrap();
            let point = Point::from(at);
            let away = (point - solid.nearest_of_hollow(&point).unwrap().point).norm();
            // The least of a fine grid of angles that was narrowed down seven times.
            assert!((away - exact).abs() < 1e-9, "{exponents:?}: {away}, not {exact}");
        }
    }

    proptest! {
        #[test]
        fn no_place_of_a_hollow_superquadric_is_nearer_than_the_nearest_one(
            radii in prop::array::uniform3(0.2..1.0_f64), e in (prop_oneof![0.05..0.3_f64, 0.3..6.0_f64], 2.1..6.0_f64, any::<bool>()),
            at in prop::array::uniform3(-1.5..1.5_f64),
        ) {
            let exponents = if e.2 { [e.0, e.1] } else { [e.1, e.0] };
            let solid = Superquadric::try_new(radii, exponents).unwrap();
            let point = Point::from(at);
            prop_assume!(solid.value(&point) > 1e-3);
            let found = solid.nearest_of_hollow(&point).unwrap();
            prop_assert!(solid.value(&found.point).abs() < 1e-9, "{}", solid.value(&found.point));
            let away = (point - found.point).norm();
            prop_assert!((found.normal * away - (point - found.point)).norm() < 1e-9);
            for i in 0..=60 {
                for k in 0..=60 {
                    let curve = |e: f64, step: i32| {
                        let (s, c) = (FRAC_PI_2 * f64::from(step) / 60.0).sin_cos();
                        [c.abs().powf(e), s.abs().powf(e)]
                    };
                    let (up, round) = (curve(exponents[0], i), curve(exponents[1], k));
                    let place = Vector::new(up[0] * round[0], up[1], up[0] * round[1]).component_mul(&solid.radii());
                    let place = Point::from(place.zip_map(&point.coords, f64::copysign));
                    prop_assert!((point - place).norm() > away * (1.0 - 1e-3) - 1e-9, "{place} {found:?}");
                }
            }
        }
    }
}
