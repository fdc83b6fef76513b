//! The gyroid, a surface without end that divides space in two equal labyrinths.

use std::f64::consts::TAU;

use super::implicit::ImplicitSurface;
use crate::geometry::primitive::{ShapeError, positive};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Sphere};

/// The places where sin x cos y + sin y cos z + sin z cos x is at most a level, in units of the period: unbounded, so it
/// is used as a part of constructive solid geometry. A sheet is one gyroid less another of a lower level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gyroid {
    wave: Real,
    level: Real,
}

impl Gyroid {
    /// With a `period` in metres and a `level`, which is zero for the surface in the middle and must lie between -1.4 and
    /// 1.4, where the labyrinths still hang together.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn try_new(period: Real, level: Real) -> Result<Self, ShapeError> {
        let period = positive("gyroid", "period", period)?;
        if level.is_nan() || level.abs() >= 1.4 {
            return Err(ShapeError::BadExponent { kind: "gyroid", value: level });
        }
        Ok(Self { wave: TAU / period, level })
    }
}

impl ImplicitSurface for Gyroid {
    fn kind(&self) -> &'static str {
        "gyroid"
    }

    fn aabb(&self) -> Aabb {
        Aabb { min: Vector::repeat(Real::NEG_INFINITY).into(), max: Vector::repeat(Real::INFINITY).into() }
    }

    fn value(&self, p: &Point) -> Real {
        let [(sx, cx), (sy, cy), (sz, cz)] = [p.x, p.y, p.z].map(|u| (u * self.wave).sin_cos());
        sx * cy + sy * cz + sz * cx - self.level
    }

    fn gradient(&self, p: &Point) -> Vector {
        let [(sx, cx), (sy, cy), (sz, cz)] = [p.x, p.y, p.z].map(|u| (u * self.wave).sin_cos());
        Vector::new(cx * cy - sz * sx, cy * cz - sx * sy, cz * cx - sy * sz) * self.wave
    }

    /// |cos x cos y − sin z sin x|² ≤ cos² y + sin² z, and the three sum to three.
    fn lipschitz(&self, _over: &Sphere) -> Real {
        3.0_f64.sqrt() * self.wave
    }

    /// A row of the Hessian has |sin x cos y + sin z cos x| ≤ √2 and two products of sines and cosines.
    fn curvature(&self, _over: &Sphere) -> [Real; 2] {
        let most = (2.0 + 2.0_f64.sqrt()) * self.wave * self.wave;
        [-most, most]
    }
}
