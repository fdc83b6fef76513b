//! What the property suites share: replayable random numbers, a brute and independent distance, and query generators.

#![allow(dead_code, reason = "each suite uses its part")]
#![allow(clippy::expect_used, reason = "a generator that makes an invalid shape is a failed test")]

pub mod brute;
pub mod cases;
pub mod environment;
pub mod exact;
pub mod exact_place;
pub mod fields;
pub mod fixed;
pub mod hard_points;
pub mod methods;
pub mod models;
pub mod patches;
pub mod random;
pub mod solids;
pub mod strategies;
