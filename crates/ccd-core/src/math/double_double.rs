//! Double-double arithmetic: an unevaluated sum of two `f64`, about 32 significant digits.
//!
//! Used where `f64` cannot tell a gap of rounding size from a contact. Sums and products are the error-free
//! transformations of Knuth and Dekker; each operation's relative error is below [`DoubleDouble::EPSILON`].

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Real;

/// The operations that an algorithm needs to run in more than one precision.
pub trait Scalar:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A bound on the relative error of one operation.
    const EPSILON: Real;

    /// The number `value`, exactly.
    fn from_real(value: Real) -> Self;

    /// The difference `a - b`, as exactly as the type can hold it.
    fn difference(a: Real, b: Real) -> Self;

    /// The nearest `f64`, or one beside it.
    fn to_real(self) -> Real;
}

impl Scalar for Real {
    const EPSILON: Real = Real::EPSILON;

    #[inline]
    fn from_real(value: Real) -> Self {
        value
    }

    #[inline]
    fn difference(a: Real, b: Real) -> Self {
        a - b
    }

    #[inline]
    fn to_real(self) -> Real {
        self
    }
}

/// The sum of two `f64`, of which the second is at most half a unit in the last place of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleDouble {
    high: Real,
    low: Real,
}

impl DoubleDouble {
    /// Whether the number is a single `f64`: sums and products of two such are exact.
    #[inline]
    pub(crate) fn is_short(self) -> bool {
        self.low == 0.0
    }
}

/// `a + b` and its rounding error, exactly (Knuth).
#[inline]
fn two_sum(a: Real, b: Real) -> (Real, Real) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// `a + b` and its rounding error, exactly, for `|a| >= |b|` (Dekker).
#[inline]
fn quick_two_sum(a: Real, b: Real) -> (Real, Real) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `a` as the exact sum of two numbers of 26 bits (Veltkamp).
#[inline]
fn split(a: Real) -> (Real, Real) {
    const SPLITTER: Real = 134_217_729.0; // 2^27 + 1
    let c = SPLITTER * a;
    let high = c - (c - a);
    (high, a - high)
}

/// `a · b` and its rounding error, exactly (Dekker). Without a hardware FMA this beats `mul_add` by far.
#[inline]
fn two_product(a: Real, b: Real) -> (Real, Real) {
    let product = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    (product, ((ah * bh - product) + ah * bl + al * bh) + al * bl)
}

impl Scalar for DoubleDouble {
    // 2^-103: a margin of at least two over the proven bounds of the operations below.
    const EPSILON: Real = 9.860_761_315_262_65e-32;

    #[inline]
    fn from_real(value: Real) -> Self {
        Self { high: value, low: 0.0 }
    }

    #[inline]
    fn difference(a: Real, b: Real) -> Self {
        let (high, low) = two_sum(a, -b);
        Self { high, low }
    }

    #[inline]
    fn to_real(self) -> Real {
        self.high
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        let (low, low_error) = two_sum(self.low, other.low);
        let (high, error) = quick_two_sum(high, error + low);
        let (high, low) = quick_two_sum(high, error + low_error);
        Self { high, low }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let (high, error) = two_product(self.high, other.high);
        let (high, low) = quick_two_sum(high, error + (self.high * other.low + self.low * other.high));
        Self { high, low }
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        // Long division, three digits of 53 bits.
        let first = self.high / other.high;
        let rest = self - other * Self::from_real(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from_real(second);
        let third = rest.high / other.high;
        let (high, low) = quick_two_sum(first, second);
        Self { high, low } + Self::from_real(third)
    }
}

impl PartialOrd for DoubleDouble {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) => self.low.partial_cmp(&other.low),
            unequal => unequal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_difference_of_any_two_numbers_is_kept_whole() {
        let d = DoubleDouble::difference(1.0, 1e-30);
        assert_eq!((DoubleDouble::from_real(1.0) - d).to_real(), 1e-30);
    }

    proptest! {
        #[test]
        fn division_undoes_multiplication_to_thirty_digits(a in -1e6..1e6_f64, b in 1e-6..1e6_f64, c in -1e-12..1e-12_f64) {
            let x = DoubleDouble::from_real(a) + DoubleDouble::from_real(c);
            let y = DoubleDouble::from_real(b);
            let error = (x * y / y - x).to_real().abs();
            prop_assert!(error <= 8.0 * DoubleDouble::EPSILON * a.abs().max(1e-12), "{error}");
        }

        #[test]
        fn products_hold_what_f64_rounds_away(a in 1.0..2.0_f64, b in 1.0..2.0_f64) {
            let exact = DoubleDouble::from_real(a) * DoubleDouble::from_real(b);
            // Dekker's product is exact: the remainder is representable, and smaller than half a unit in the last place.
            let remainder = (exact - DoubleDouble::from_real(a * b)).to_real();
            prop_assert!(remainder.abs() <= a * b * Real::EPSILON * 0.5);
            prop_assert_eq!(remainder, a.mul_add(b, -(a * b)));
        }
    }
}
