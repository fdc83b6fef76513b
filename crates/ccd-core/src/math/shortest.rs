//! Numbers as people and files are to read them.

use std::fmt;

use super::Real;

/// A number in the fewest digits that read back as itself, with an exponent below 10⁻⁶ and from 10⁹ on, where zeros would fill the line.
///
/// ```
/// use ccd_core::math::Shortest;
///
/// assert_eq!([0.25, 1e300, 0.0].map(|x| Shortest(x).to_string()), ["0.25", "1e300", "0"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortest(pub Real);

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        let is_short = size == 0.0 || !size.is_finite() || (1e-6..1e9).contains(&size);
        if is_short { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_hundreds_of_digits_are_told_in_few_and_read_back_as_they_were() {
        for x in [1e300, -1e300, 5e-324, 1e-7, 1e9, 123_456_789.5, 1e-6, 0.1, 0.0, Real::MAX] {
            let text = Shortest(x).to_string();
            assert!(text.len() < 25, "{text}");
            assert_eq!(text.parse(), Ok(x));
        }
        assert_eq!([Real::NAN, Real::NEG_INFINITY].map(|x| Shortest(x).to_string()), ["NaN", "-inf"]);
    }
}
