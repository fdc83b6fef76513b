//! Integrals over surfaces of patches.

use super::PatchSurface;
use crate::geometry::mass::{MassError, MassProperties, Moments};
use crate::math::{Matrix, Point, Real, Vector};

/// The nodes and weights of Gauss's quadrature of 8 points on [0, 1]: exact up to degree 15.
const GAUSS: [(Real, Real); 8] = [
    (0.019_855_071_751_231_884, 0.050_614_268_145_188_13),
    (0.101_666_761_293_186_63, 0.111_190_517_226_687_24),
    (0.237_233_795_041_835_5, 0.156_853_322_938_943_64),
    (0.408_282_678_752_175_1, 0.181_341_891_689_181),
    (0.591_717_321_247_825, 0.181_341_891_689_181),
    (0.762_766_204_958_164_5, 0.156_853_322_938_943_64),
    (0.898_333_238_706_813_4, 0.111_190_517_226_687_24),
    (0.980_144_928_248_768_1, 0.050_614_268_145_188_13),
];

/// A sheet's area element is a root of a polynomial: each patch is cut into this many squares a side, so that it is smooth
/// enough for the quadrature.
const CUTS: u32 = 4;

impl PatchSurface {
    /// The volume that the patches close, by the direction of their normals, m³.
    pub(super) fn signed_volume(&self) -> Real {
        self.moments().measure
    }

    /// The solid that the patches bound: integrated exactly, but for rounding, by the divergence theorem; density in kg/m³.
    ///
    /// The integrands are polynomials of degree 14 at most in each parameter, for which the quadrature is exact.
    ///
    /// # Errors
    /// [`MassError::NotPositive`] if they enclose no volume. The caller answers for the surface being closed.
    pub fn mass_of_solid(&self, density: Real) -> Result<MassProperties, MassError> {
        let mut moments = self.moments();
        if moments.measure < 0.0 {
            moments.negate();
        }
        moments.finish(self.aabb().centre(), density, "volume")
    }

    /// A sheet spread evenly over the patches, by mass points (erratum E13); density in kg/m². The points are those of
    /// Gauss's quadrature on sixteen squares a patch.
    ///
    /// # Errors
    /// [`MassError::NotPositive`] if there is no area.
    pub fn mass_of_sheet(&self, density: Real) -> Result<MassProperties, MassError> {
        let reference = self.aabb().centre();
        let mut moments = Moments::default();
        self.for_each_node(CUTS, |weight, point, normal| {
            let (x, area) = (point - reference, normal.norm() * weight);
            moments.add(area, &x, &(x * x.transpose() * area));
        });
        moments.finish(reference, density, "area")
    }

    /// ∫ 1, ∫ x, ∫ x xᵀ over the enclosed volume, about the middle of the box, as fluxes through the surface: of x/3, of ½ xᵢ² along i,
    /// of ⅓ xᵢ³ along i and ½ xᵢ² xⱼ along i.
    fn moments(&self) -> Moments {
        let reference = self.aabb().centre();
        let (mut measure, mut first, mut second) = (0.0, Vector::zeros(), Matrix::zeros());
        self.for_each_node(1, |weight, point, normal| {
            let (x, n) = (point - reference, normal * weight);
            measure += x.dot(&n) / 3.0;
            let squares = x.component_mul(&x).component_mul(&n) * 0.5;
            first += squares;
            for i in 0..3 {
                second[(i, i)] += squares[i] * x[i] * (2.0 / 3.0);
                let j = (i + 1) % 3;
                second[(i, j)] += squares[i] * x[j];
            }
        });
        for i in 0..3 {
            let j = (i + 1) % 3;
            second[(j, i)] = second[(i, j)];
        }
        Moments { measure, first, second }
    }

    /// Calls `node` with the weight, the point and ∂u × ∂v at every node of the quadrature, on `cuts`² squares a patch.
    fn for_each_node(&self, cuts: u32, mut node: impl FnMut(Real, Point, Vector)) {
        let width = Real::from(cuts).recip();
        for patch in self.patches() {
            for (i, j) in (0..cuts).flat_map(|i| (0..cuts).map(move |j| (i, j))) {
                for (x, along_u) in GAUSS {
                    for (y, along_v) in GAUSS {
                        let jet = patch.jet((Real::from(i) + x) * width, (Real::from(j) + y) * width);
                        node(along_u * along_v * width * width, jet.point, jet.du.cross(&jet.dv));
                    }
                }
            }
        }
    }
}
