//! Numbers that know whether their sign is certain: for decisions that rounding must not take.
//!
//! [`Bounded`] carries twice the digits of `f64` and a bound on what it has lost; [`Exact`] loses nothing and costs
//! microseconds. The same code runs over both: first bounded, then, where a sign is in doubt, exactly.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use super::{DoubleDouble, Real, Scalar};

/// Sums and products whose sign is told only when it is certain.
pub trait Certain: Clone {
    /// The number `value`, exactly; it must be finite.
    fn of(value: Real) -> Self;
    /// `self + other`.
    fn plus(&self, other: &Self) -> Self;
    /// `self - other`.
    fn minus(&self, other: &Self) -> Self;
    /// `self · other`.
    fn times(&self, other: &Self) -> Self;
    /// The sign, as the order against zero; `None` when it is not certain.
    fn sign(&self) -> Option<Ordering>;

    /// The number to within a few roundings of `f64`, for choices that need no certainty.
    fn near(&self) -> Real;

    /// The order of two numbers; `None` when it is not certain.
    fn order(&self, other: &Self) -> Option<Ordering> {
        self.minus(other).sign()
    }
}

/// A number in twice the digits of `f64`, and how far it may be from the true one.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    value: DoubleDouble,
    error: Real,
}

/// Products below this may lose digits to underflow; what they lose is smaller than [`LOST`].
const SMALL: Real = 1e-270;
const LOST: Real = 1e-300;

impl Bounded {
    fn rounded(value: DoubleDouble, error: Real, size: Real) -> Self {
        Self { value, error: error + size * (4.0 * DoubleDouble::EPSILON) }
    }

    fn size(&self) -> Real {
        self.value.to_real().abs()
    }
}

impl Certain for Bounded {
    #[inline]
    fn of(value: Real) -> Self {
        Self { value: DoubleDouble::from_real(value), error: 0.0 }
    }

    #[inline]
    fn plus(&self, other: &Self) -> Self {
        let error = self.error + other.error;
        if self.value.is_short() && other.value.is_short() {
            let value = DoubleDouble::difference(self.value.to_real(), -other.value.to_real());
            return Self { value, error };
        }
        Self::rounded(self.value + other.value, error, self.size() + other.size())
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { value: -other.value, error: other.error })
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        let (a, b) = (self.size(), other.size());
        let exact_zero = (a == 0.0 && self.error == 0.0) || (b == 0.0 && other.error == 0.0);
        if exact_zero {
            return Self::of(0.0);
        }
        let value = self.value * other.value;
        let mut error = a * other.error + b * self.error + self.error * other.error;
        if value.to_real().abs() < SMALL {
            error += LOST;
        }
        // The product of two short numbers is exact.
        let size = if self.value.is_short() && other.value.is_short() { 0.0 } else { a * b };
        Self::rounded(value, error, size)
    }

    #[inline]
    fn sign(&self) -> Option<Ordering> {
        let value = self.value.to_real();
        // The bound itself was added up in floating point: twice it is safe.
        if value.abs() > 2.0 * self.error {
            return if value > 0.0 { Some(Ordering::Greater) } else { Some(Ordering::Less) };
        }
        (self.error == 0.0).then_some(Ordering::Equal)
    }

    #[inline]
    fn near(&self) -> Real {
        self.value.to_real()
    }
}

/// An integer times a power of two: sums and products of finite `f64` without any rounding.
#[derive(Clone, Debug)]
pub struct Exact {
    digits: BigInt,
    exponent: i64,
}

impl Exact {
    /// The quotient to within a few roundings of `f64`; the divisor must not be zero.
    pub fn quotient(&self, divisor: &Self) -> Real {
        // Enough digits in the quotient of integers for one more than `f64` has.
        let up = (divisor.digits.bits() + 66).saturating_sub(self.digits.bits());
        let digits = (&self.digits << up) / &divisor.digits;
        Self { digits, exponent: self.exponent - divisor.exponent - up as i64 }.near()
    }

    /// The digits of both at the smaller exponent.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i64) {
        let exponent = self.exponent.min(other.exponent);
        let at = |x: &Self| &x.digits << (x.exponent - exponent).unsigned_abs();
        (at(self), at(other), exponent)
    }
}

impl Certain for Exact {
    fn of(value: Real) -> Self {
        let bits = value.to_bits();
        let (fraction, power) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i64);
        let (digits, exponent) = if power == 0 { (fraction, -1074) } else { (fraction | 1 << 52, power - 1075) };
        if digits == 0 {
            return Self { digits: BigInt::ZERO, exponent: 0 };
        }
        let zeros = digits.trailing_zeros();
        let digits = BigInt::from((digits >> zeros) as i64);
        let digits = if value < 0.0 { -digits } else { digits };
        Self { digits, exponent: exponent + i64::from(zeros) }
    }

    fn plus(&self, other: &Self) -> Self {
        if self.digits.sign() == Sign::NoSign {
            return other.clone();
        }
        if other.digits.sign() == Sign::NoSign {
            return self.clone();
        }
        let (a, b, exponent) = self.aligned(other);
        Self { digits: a + b, exponent }
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { digits: -&other.digits, exponent: other.exponent })
    }

    fn times(&self, other: &Self) -> Self {
        if self.digits.sign() == Sign::NoSign || other.digits.sign() == Sign::NoSign {
            return Self { digits: BigInt::ZERO, exponent: 0 };
        }
        Self { digits: &self.digits * &other.digits, exponent: self.exponent + other.exponent }
    }

    fn sign(&self) -> Option<Ordering> {
        Some(match self.digits.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        })
    }

    fn near(&self) -> Real {
        // The leading digits: what is cut off is less than a rounding.
        let cut = self.digits.bits().saturating_sub(64);
        let leading = (self.digits.magnitude() >> cut).iter_u64_digits().next().unwrap_or(0);
        let size = scaled(leading as Real, self.exponent + cut as i64);
        if self.digits.sign() == Sign::Minus { -size } else { size }
    }
}

/// `x · 2^power`, by steps that do not overflow before the result does.
fn scaled(mut x: Real, mut power: i64) -> Real {
    const STEP: i64 = 512;
    while power.abs() > STEP && x != 0.0 && x.is_finite() {
        x *= Real::powi(2.0, (STEP * power.signum()) as i32);
        power -= STEP * power.signum();
    }
    x * Real::powi(2.0, power.clamp(-STEP, STEP) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A polynomial that cancels: (a + b)² − a² − 2ab − b² + c.
    fn cancelling<N: Certain>(a: Real, b: Real, c: Real) -> Option<Ordering> {
        let [a, b, c] = [a, b, c].map(N::of);
        let sum = a.plus(&b);
        let ab = a.times(&b);
        sum.times(&sum).minus(&a.times(&a)).minus(&ab).minus(&ab).minus(&b.times(&b)).plus(&c).sign()
    }

    proptest! {
        #[test]
        fn what_cancels_exactly_is_zero_and_a_hair_more_is_not(
            a in -1e10..1e10_f64, b in -1e-10..1e-10_f64, c in prop::sample::select(vec![0.0, 5e-324, -5e-324, 1e-60, -1e-20]),
        ) {
            let truth = c.partial_cmp(&0.0);
            prop_assert_eq!(cancelling::<Exact>(a, b, c), truth);
            // Twice the digits may not be enough; they never tell a wrong sign.
            let bounded = cancelling::<Bounded>(a, b, c);
            prop_assert!(bounded.is_none() || bounded == truth, "{:?} {:?}", bounded, truth);
        }
    }

    proptest! {
        #[test]
        fn exact_numbers_come_back_to_f64_and_divide(a in -1e200..1e200_f64, b in 1e-200..1e-100_f64) {
            prop_assert_eq!(Exact::of(a).near(), a);
            prop_assert_eq!(Exact::of(b).near(), b);
            let product = Exact::of(a).times(&Exact::of(b));
            prop_assert!((product.quotient(&Exact::of(b)) - a).abs() <= a.abs() * Real::EPSILON);
        }
    }

    #[test]
    fn short_sums_and_products_are_certain_without_the_exact_numbers() {
        assert_eq!(cancelling::<Bounded>(3.0, 0.5, 0.0), Some(Ordering::Equal));
        let tenth = Bounded::of(0.1);
        assert_eq!(tenth.minus(&tenth).times(&Bounded::of(1e300)).sign(), Some(Ordering::Equal));
        assert_eq!(Exact::of(-0.0).sign(), Some(Ordering::Equal));
    }
}
