//! What must hold while a case runs, and whether it did.

mod rule;

pub use rule::{Axis, Expectation, Measure, Region, Rule, Severity};
