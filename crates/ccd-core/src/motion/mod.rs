//! How a solid moves over a step, and what can be said for certain about where it is meanwhile.

pub mod bound;
mod interval;
mod relative;
mod rigid_motion;
mod spheres;

pub use interval::{IntervalError, TimeInterval};
pub use relative::{RelativeMotion, RelativePose, lever_arms};
pub use rigid_motion::RigidMotion;
pub(crate) use spheres::spheres_stay_apart;
