//! Numbers for places on a round rim, so that a search that knows its support points by number can say what they span.
//!
//! A rim has no vertices: its points are numbered by where they are, to a 16000th of the radius, with the rim they are on.

use crate::geometry::solid::SupportPoint;

/// The places within this many steps of each other are one: about a thousandth of the radius, far more than what the
/// last points of a search on a rim are apart, and far less than what they are on a cap.
const SAME: i64 = 16;
/// Steps of a coordinate from the middle to the rim.
const STEPS: f64 = 16_383.0;

/// The number of the place in the unit direction `(x, z)` from the axis (or on it: zero) on rim 0 or 1: one of those that
/// [`SupportPoint::is_curved`] knows.
pub(super) fn number(rim: u32, x: f64, z: f64) -> u32 {
    let digits = |c: f64| ((c.clamp(-1.0, 1.0) + 1.0) * STEPS) as u32;
    SupportPoint::FIRST_CURVED | rim | digits(x) << 1 | digits(z) << 16
}

/// What some numbered places span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// No places.
    Nothing,
    /// One place of a rim.
    Rim(u32),
    /// Places across the cap that a rim bounds.
    Cap(u32),
    /// Places of both rims.
    Both,
}

/// What the numbered places span.
pub(super) fn span(numbers: impl Iterator<Item = u32> + Clone) -> Span {
    let rim = |n: u32| n & 1;
    let place = |n: u32| (i64::from(n >> 1 & 0x7fff), i64::from(n >> 16 & 0x7fff));
    let Some(first) = numbers.clone().next() else { return Span::Nothing };
    let middle = STEPS as i64;
    let mut one_place = true;
    for n in numbers {
        if rim(n) != rim(first) {
            return Span::Both;
        }
        let ((x, z), (x0, z0)) = (place(n), place(first));
        let on_axis = (x - middle).abs() <= SAME && (z - middle).abs() <= SAME;
        one_place &= !on_axis && (x - x0).abs() <= SAME && (z - z0).abs() <= SAME;
    }
    if one_place { Span::Rim(rim(first)) } else { Span::Cap(rim(first)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_span_a_rim_a_cap_or_both() {
        let at = |rim: u32, angle: f64| number(rim, angle.cos(), angle.sin());
        for k in 0..64 {
            let angle = 0.1 * f64::from(k);
            for rim in 0..2 {
                assert!(SupportPoint::is_curved(at(rim, angle)) && at(rim, angle) != SupportPoint::CURVED);
                assert_eq!(span([at(rim, angle)].into_iter()), Span::Rim(rim));
                assert_eq!(span([at(rim, angle), at(rim, angle + 1e-5)].into_iter()), Span::Rim(rim));
                assert_eq!(span([at(rim, angle), at(rim, angle + 0.5)].into_iter()), Span::Cap(rim));
                assert_eq!(span([number(rim, 0.0, 0.0)].into_iter()), Span::Cap(rim));
            }
            assert_eq!(span([at(0, angle), at(1, angle), at(1, angle + 1.0)].into_iter()), Span::Both);
        }
        assert_eq!(span([].into_iter()), Span::Nothing);
    }
}
