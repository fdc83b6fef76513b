//! Superquadrics, and the ellipsoid as the roundest of them.
//!
//! The function is a norm of norms, N(x) = ‖(‖(x/a, z/c)‖_q, y/b)‖_p less one, with p = 2/e₁ and q = 2/e₂ of the exponents
//! along and across the axis. Exponents up to two make it convex; then N has a dual of the same form, whose gradient is the support
//! mapping.
//!
//! Source: Barr (1981), with the norm in place of its power, so that the slope stays bounded and even.

use std::sync::Arc;

use super::curves::Curves;
use super::enclosure::{Enclosure, Region};
use super::implicit::ImplicitSurface;
use super::project::SurfacePoint;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::mass::MassProperties;
use crate::geometry::primitive::{ShapeError, positive};
use crate::geometry::solid::{FlatSide, SupportMap, SupportPoint};
use crate::math::gamma::beta;
use crate::math::{Matrix, Point, Real, Vector, hypotenuse};
use crate::volume::{Aabb, Sphere};

/// A superquadric around y.
#[derive(Clone, Debug, PartialEq)]
pub struct Superquadric {
    pub(super) radii: Vector,
    exponents: [Real; 2],
    /// Of a hollow one.
    pub(super) curves: Option<Arc<Curves>>,
}

/// The exponents that are told apart: below they are boxes, above needles.
const EXPONENTS: [Real; 2] = [0.05, 8.0];

/// What a solid with these exponents is called.
fn name(exponents: [Real; 2]) -> &'static str {
    if exponents == [1.0; 2] { "ellipsoid" } else { "superquadric" }
}

impl Superquadric {
    /// From the radii along x, y and z (metres) and the exponents of the sections along and across the y axis: one is
    /// round, towards zero a box, two a double cone and an octahedron, above it is hollow.
    ///
    /// # Errors
    /// [`ShapeError`] for radii that are not positive, and exponents outside of 0.05 to 8.
    pub fn try_new(radii: [Real; 3], exponents: [Real; 2]) -> Result<Self, ShapeError> {
        let kind = name(exponents);
        for radius in radii {
            positive(kind, "radius", radius)?;
        }
        for exponent in exponents {
            if !(EXPONENTS[0]..=EXPONENTS[1]).contains(&exponent) {
                return Err(ShapeError::BadExponent { kind, value: exponent });
            }
        }
        let is_hollow = exponents.iter().any(|e| *e > 2.0);
        let curves = is_hollow.then(|| Arc::new(Curves::new(exponents)));
        Ok(Self { radii: radii.into(), exponents, curves })
    }

    /// Along x, y, z, metres.
    pub fn radii(&self) -> Vector {
        self.radii
    }

    /// Of the sections along and across the axis.
    pub fn exponents(&self) -> [Real; 2] {
        self.exponents
    }

    /// Whether the solid is convex.
    pub fn is_convex(&self) -> bool {
        self.exponents.iter().all(|e| *e <= 2.0)
    }

    /// Whether no line lies in the surface, so that it has one place that is nearest to any convex solid.
    pub fn is_strictly_convex(&self) -> bool {
        self.exponents.iter().all(|e| *e < 2.0)
    }

    /// The gradient of the function.
    pub(super) fn slope(&self, p: &Point) -> Vector {
        self.norm().gradient(&p.coords.component_div(&self.radii)).component_div(&self.radii)
    }

    pub(super) fn norm(&self) -> Nested {
        Nested { along: 2.0 / self.exponents[0], across: 2.0 / self.exponents[1] }
    }
}

/// ‖(‖(x, z)‖_across, y)‖_along.
#[derive(Clone, Copy)]
pub(super) struct Nested {
    pub along: Real,
    pub across: Real,
}

impl Nested {
    pub fn value(&self, v: &Vector) -> Real {
        pair_norm(pair_norm(v.x, v.z, self.across), v.y, self.along)
    }

    /// The gradient; zero at the origin.
    fn gradient(&self, v: &Vector) -> Vector {
        let flat = pair_norm(v.x, v.z, self.across);
        let (by_flat, by_y) = pair_slopes(flat, v.y, self.along);
        let (by_x, by_z) = pair_slopes(v.x, v.z, self.across);
        Vector::new(by_flat * by_x, by_y, by_flat * by_z)
    }

    /// The dual norm, of norms.
    fn dual(&self) -> Self {
        let dual = |p: Real| if p <= 1.0 { Real::INFINITY } else { p / (p - 1.0) };
        Self { along: dual(self.along), across: dual(self.across) }
    }
}

/// The power of a number that is not negative: by products and a root where the exponent is a small multiple of a half, as most that
/// anyone writes are, at a fraction of the cost.
#[inline]
pub(super) fn power(x: Real, exponent: Real) -> Real {
    const MOST: Real = 16.0;
    let doubled = 2.0 * exponent.abs();
    // What is too large for a whole number is none.
    let halves = doubled as i32;
    if doubled > MOST || Real::from(halves) != doubled {
        return x.powf(exponent);
    }
    let square = x * x;
    let whole = match halves / 2 {
        0 => 1.0,
        1 => x,
        2 => square,
        3 => square * x,
        4 => square * square,
        5 => square * square * x,
        6 => square * square * square,
        7 => square * square * square * x,
        _ => (square * square) * (square * square),
    };
    let size = if halves % 2 == 1 { whole * x.sqrt() } else { whole };
    if exponent < 0.0 { size.recip() } else { size }
}

/// (|u|^p + |v|^p)^(1/p), scaled so that nothing overflows; the larger for an infinite p.
pub(super) fn pair_norm(u: Real, v: Real, p: Real) -> Real {
    let (u, v) = (u.abs(), v.abs());
    let (most, least) = (u.max(v), u.min(v));
    if most == 0.0 || p.is_infinite() {
        return most;
    }
    if p == 2.0 {
        return hypotenuse(most, least);
    }
    most * power(1.0 + power(least / most, p), 1.0 / p)
}

/// The derivatives of [`pair_norm`].
fn pair_slopes(u: Real, v: Real, p: Real) -> (Real, Real) {
    let norm = pair_norm(u, v, p);
    if norm == 0.0 {
        return (0.0, 0.0);
    }
    if p.is_infinite() {
        return if u.abs() >= v.abs() { (1.0_f64.copysign(u), 0.0) } else { (0.0, 1.0_f64.copysign(v)) };
    }
    let slope = |x: Real| if x == 0.0 && p <= 1.0 { 0.0 } else { power(x.abs() / norm, p - 1.0).copysign(x) };
    (slope(u), slope(v))
}

impl ImplicitSurface for Superquadric {
    fn kind(&self) -> &'static str {
        name(self.exponents)
    }

    fn aabb(&self) -> Aabb {
        // The powers are rounded; a box by a little too large costs nothing.
        Aabb::from_half_extents(Point::origin(), self.radii * (1.0 + 1e-12))
    }

    /// A norm of two numbers with a power above two is less than the Euclidean one, by a factor of at most 2^(½ − 1/p).
    fn sphere(&self) -> Sphere {
        let Nested { along, across } = self.norm();
        let factor = |p: Real| 2.0_f64.powf((0.5 - 1.0 / p).max(0.0));
        let flat = factor(across) * self.radii.x.max(self.radii.z);
        let radius = (factor(along) * flat.max(self.radii.y)).min(self.radii.norm()) * (1.0 + 1e-12);
        Sphere { centre: Point::origin(), radius }
    }

    fn is_convex(&self) -> bool {
        Self::is_convex(self)
    }

    fn value(&self, p: &Point) -> Real {
        self.norm().value(&p.coords.component_div(&self.radii)) - 1.0
    }

    fn gradient(&self, p: &Point) -> Vector {
        self.slope(p)
    }

    /// A p-norm of two has slopes of size one for p ≥ 2, and at most 2^(1/p − 1/2) below; nested, the inner one counts
    /// once. Below p = 1 nothing bounds the slope.
    fn lipschitz(&self, _over: &Sphere) -> Real {
        if !self.is_convex() {
            return Real::INFINITY;
        }
        let norm = self.norm();
        let steepest = |p: Real| if p >= 2.0 { 1.0 } else { 2.0_f64.powf(1.0 / p - 0.5) };
        steepest(norm.along) * steepest(norm.across) / self.radii.min() * (1.0 + 1e-12)
    }

    /// The norm grows with the size of each coordinate.
    fn range(&self, over: &Aabb) -> [Real; 2] {
        let nearest = over.min.coords.sup(&(-over.max.coords)).sup(&Vector::zeros());
        let furthest = over.min.coords.abs().sup(&over.max.coords.abs());
        let rounding = 1e-13;
        let at = |v: &Vector| self.norm().value(&v.component_div(&self.radii));
        [at(&nearest) * (1.0 - rounding) - 1.0, at(&furthest) * (1.0 + rounding) - 1.0]
    }

    fn curvature(&self, over: &Sphere) -> [Real; 2] {
        if !self.is_convex() {
            return [Real::NEG_INFINITY, Real::INFINITY];
        }
        let norm = self.norm();
        let most = if norm.along == 2.0 && norm.across == 2.0 {
            // The Hessian of |Ax| is at most |A|²/|Ax|.
            let nearest = norm.value(&over.centre.coords.component_div(&self.radii)) - over.radius / self.radii.min();
            if nearest > 0.0 { 1.0 / (self.radii.min() * self.radii.min() * nearest) } else { Real::INFINITY }
        } else {
            Real::INFINITY
        };
        [0.0, most]
    }

    /// Octant by octant, from linear bounds of the norm.
    fn enclose(&self, over: &Aabb, region: Region, out: &mut Enclosure) -> bool {
        if self.is_convex() {
            return false;
        }
        self.enclose_octants(over, region, out);
        true
    }

    fn tells_boxes(&self) -> bool {
        !self.is_convex()
    }

    fn shrunk(&self, over: &Aabb) -> Aabb {
        if self.is_convex() { *over } else { Self::shrunk(self, over) }
    }

    fn distance(&self, point: &Point) -> Option<Real> {
        (!self.is_convex()).then(|| self.hollow_distance(point))
    }

    fn nearest_outside(&self, point: &Point) -> Option<SurfacePoint> {
        if self.is_convex() { None } else { self.nearest_of_hollow(point) }
    }

    /// Of ellipsoids.
    fn shape_operator(&self, place: &Point) -> Option<Matrix> {
        if self.exponents != [1.0; 2] {
            return None;
        }
        // Half the slope and half the second derivatives of (x/a)² + (y/b)² + (z/c)².
        let bends = self.radii.component_mul(&self.radii).map(Real::recip);
        let slope = place.coords.component_mul(&bends);
        let size = slope.norm();
        if size == 0.0 {
            return None;
        }
        let normal = slope / size;
        let along = Matrix::identity() - normal * normal.transpose();
        Some(along * Matrix::from_diagonal(&bends) * along / size)
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        self.is_convex().then_some(self)
    }

    /// What norms below one bend inwards, the taxicab norm, which is what the dual of its dual is, holds.
    fn convex_bound(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    fn triangles(&self, max_error: Real) -> Option<FeatureSet> {
        Some(Self::triangles(self, max_error))
    }

    /// In closed form with Euler's beta function.
    fn exact_mass(&self, density: Real) -> Option<MassProperties> {
        let [e1, e2] = self.exponents;
        let [a, c, b] = [self.radii.x, self.radii.z, self.radii.y];
        let volume = 2.0 * a * b * c * e1 * e2 * beta(0.5 * e1 + 1.0, e1) * beta(0.5 * e2, 0.5 * e2);
        let flat = beta(1.5 * e2, 0.5 * e2) * beta(0.5 * e1, 2.0 * e1 + 1.0);
        let tall = beta(0.5 * e2, 0.5 * e2 + 1.0) * beta(1.5 * e1, e1 + 1.0);
        let scale = 0.5 * a * b * c * e1 * e2 * density;
        let (xx, zz) = (scale * a * a * flat, scale * c * c * flat);
        let yy = scale * 4.0 * b * b * tall;
        let inertia = Matrix::from_diagonal(&Vector::new(yy + zz, xx + zz, xx + yy));
        Some(MassProperties { mass: volume * density, com: Point::origin(), inertia })
    }
}

/// Of its hull, where it is hollow.
impl SupportMap for Superquadric {
    /// The gradient of the dual norm.
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let scaled = direction.component_mul(&self.radii);
        let scaled = scaled / scaled.amax().max(Real::MIN_POSITIVE);
        let point = self.norm().dual().gradient(&scaled).component_mul(&self.radii);
        SupportPoint { point: point.into(), vertex: SupportPoint::CURVED }
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn feature_of(&self, _vertices: &[u32]) -> Feature {
        Feature::Face(0)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let sphere = (Point::origin() - centre).cross(axis).norm() + self.sphere().radius;
        super::query::box_reach(&self.radii, centre, axis).min(sphere)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        polygon.push(self.support(direction, 0).point);
        Feature::Face(0)
    }

    fn flat_side(&self, direction: &Vector, depth: Real) -> Option<FlatSide> {
        self.flat_side_towards(direction, depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    #[test]
    fn a_round_superquadric_has_the_mass_of_the_ellipsoid_and_a_square_one_nearly_that_of_the_box() {
        let radii = [0.5, 0.8, 1.3];
        let round = Superquadric::try_new(radii, [1.0, 1.0]).unwrap().exact_mass(2.0).unwrap();
        let mass = 2.0 * 4.0 / 3.0 * PI * radii.iter().product::<f64>();
        assert!((round.mass - mass).abs() < 1e-12 * mass);
        assert!((round.inertia.m11 - mass / 5.0 * (0.8 * 0.8 + 1.3 * 1.3)).abs() < 1e-12 * mass);
        assert!((round.inertia.m22 - mass / 5.0 * (0.5 * 0.5 + 1.3 * 1.3)).abs() < 1e-12 * mass);
        let square = Superquadric::try_new(radii, [0.05, 0.05]).unwrap().exact_mass(2.0).unwrap();
        let of_box = MassProperties::of_box(&radii.into(), 2.0);
        assert!((square.mass / of_box.mass - 1.0).abs() < 0.02, "{} {}", square.mass, of_box.mass);
        assert!((square.inertia - of_box.inertia).norm() < 0.03 * of_box.inertia.norm());
    }

    #[test]
    fn products_and_roots_are_the_powers_that_they_stand_for() {
        for halves in -18..=18 {
            let exponent = 0.5 * Real::from(halves);
            for x in [1e-9, 0.3, 1.0, 7.7] {
                let (found, exact) = (power(x, exponent), x.powf(exponent));
                assert!((found - exact).abs() <= 1e-14 * exact, "{x} to {exponent}: {found}, not {exact}");
            }
        }
        assert_eq!(power(0.3, 0.7), 0.3_f64.powf(0.7));
    }

    proptest! {
        #[test]
        fn no_point_of_a_superquadric_hollow_ones_too_is_beyond_its_support_and_the_support_is_on_it(
            radii in prop::array::uniform3(0.2..2.0_f64), e in prop::array::uniform2(0.1..4.0_f64),
            d in prop::array::uniform3(-1.0..1.0_f64), p in prop::array::uniform3(-1.0..1.0_f64),
        ) {
            let solid = Superquadric::try_new(radii, e).unwrap();
            let (d, p) = (Vector::from(d), Point::from(p));
            prop_assume!(d.norm() > 1e-3 && p.coords.norm() > 1e-3);
            let support = solid.support(&d, 0).point;
            prop_assert!(solid.value(&support).abs() < 1e-9, "{support} {}", solid.value(&support));
            let on_it = p / (1.0 + solid.value(&p));
            prop_assert!(d.dot(&on_it.coords) <= d.dot(&support.coords) + 1e-9);
        }
    }
}
