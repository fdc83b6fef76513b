//! How many cases a run by hand asks for, and which.

/// The whole number that a variable of the environment holds, or the default: `CCD_SCALE` times as many cases, from `CCD_BASE` on.
pub fn from_environment(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}
