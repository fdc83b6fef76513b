//! Contact points and manifolds. Contact knows no solver.

mod buffer;
mod event;
mod facing;
mod patch;
mod plane;
mod point;
mod reduce;
mod set;

pub use event::{ContactEvent, Hysteresis, HysteresisError, Transition};
pub use plane::{TangentPlane, TouchingFeature, contact_normal};
pub use point::ContactPoint;
pub use reduce::{Reduction, reduce};
pub use set::{ContactSet, ContactSets, SetPoint};
