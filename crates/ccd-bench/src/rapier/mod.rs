//! rapier3d, in either precision.

pub mod double;
pub mod single;
