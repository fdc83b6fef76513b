//! Euler's integrals.

use std::f64::consts::PI;

use super::Real;

/// Euler's beta function of positive numbers.
pub(crate) fn beta(x: Real, y: Real) -> Real {
    (ln_gamma(x) + ln_gamma(y) - ln_gamma(x + y)).exp()
}

/// The logarithm of the gamma function of a positive number: Stirling's series, after stepping up to where it has all digits.
fn ln_gamma(x: Real) -> Real {
    let (mut x, mut steps) = (x, 1.0);
    while x < 12.0 {
        steps *= x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - Real::ln(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gamma_function_is_the_factorial_and_the_root_of_pi() {
        assert!((ln_gamma(5.0) - 24.0_f64.ln()).abs() < 1e-13);
        assert!((ln_gamma(0.5) - PI.sqrt().ln()).abs() < 1e-13);
        assert!((ln_gamma(0.05) - 2.968_879_2).abs() < 1e-6);
    }
}
