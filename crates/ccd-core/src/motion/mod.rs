//! How a solid moves over a step, and what can be said for certain about where it is meanwhile.

pub mod bound;
mod interval;
mod rigid_motion;

pub use interval::{IntervalError, TimeInterval};
pub use rigid_motion::RigidMotion;
