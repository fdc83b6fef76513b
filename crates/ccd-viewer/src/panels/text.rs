//! Numbers as people read them.

/// A length, time, mass or impulse with a prefix that leaves one to three digits before the point: `1.23 ms`.
pub fn with_unit(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 7] =
        [(1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")];
    if !value.is_finite() {
        return "–".into();
    }
    if value == 0.0 {
        return format!("0 {unit}");
    }
    let size = value.abs();
    let (factor, prefix) =
        PREFIXES.into_iter().find(|(factor, _)| size >= *factor * 0.9995).unwrap_or(PREFIXES[PREFIXES.len() - 1]);
    let scaled = value / factor;
    let decimals = match scaled.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$} {prefix}{unit}")
}

/// A unit vector in one line: `(0.00, 1.00, 0.00)`.
pub fn direction(v: &ccd_core::math::Vector) -> String {
    let tidy = |x: f64| if x.abs() < 0.005 { 0.0 } else { x };
    format!("({:5.2},{:5.2},{:5.2})", tidy(v.x), tidy(v.y), tidy(v.z))
}

/// `text` cut to `most` characters, with an ellipsis where it was cut.
pub fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_get_the_prefix_that_people_expect() {
        for (value, expected) in [
            (0.0, "0 s"),
            (1.0, "1.00 s"),
            (0.001_234, "1.23 ms"),
            (-0.000_05, "-50.0 µs"),
            (999.96, "1.00 ks"),
            (0.999_9, "1.00 s"),
            (123.4, "123 s"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ] {
            assert_eq!(with_unit(value, "s"), expected, "{value}");
        }
    }

    #[test]
    fn long_names_are_cut_with_an_ellipsis_and_short_ones_are_not() {
        assert_eq!(short("bullet 17", 9), "bullet 17");
        assert_eq!(short("überlänge", 5), "über…");
    }
}
