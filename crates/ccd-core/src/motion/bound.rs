//! Proven bounds on where a point of a moving solid can be. Bounds of single points come from here; those of whole parts
//! are in `detection/toc/certificate.rs`, those of two bodies over each other in `world/drift.rs`.
//!
//! Errata: E1 (the paper's lateral bound ν/2 is not conservative), E2 (the speed is not constant).

use crate::math::Real;

/// The largest speed of a point `reach` metres from the axis of rotation, m/s: ‖v‖ + |ω|·ρ (erratum E2).
#[inline]
pub fn speed(linear: Real, angular: Real, reach: Real) -> Real {
    linear + angular * reach
}

/// How far a point `reach` metres from the axis can be, at any instant of an interval of `dt` seconds, from the place
/// that linear interpolation between its end places gives at the same instant; metres (erratum E1).
///
/// It bounds the lateral deviation and the deviation along the chord alike, and shrinks quadratically with `dt`.
#[inline]
pub fn chord_deviation(angular: Real, reach: Real, dt: Real) -> Real {
    let angle = angular * dt;
    // θ²/8 bounds the second derivative's share for every angle; nothing on a circle is further than its diameter from a chord's point.
    reach * (angle * angle * 0.125).min(2.0)
}
