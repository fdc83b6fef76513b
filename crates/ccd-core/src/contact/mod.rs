//! Contact points and manifolds. Contact knows no solver.

mod box_box;
mod buffer;
mod compound;
mod convex;
mod convex_mesh;
mod event;
mod facing;
mod half_space;
mod hull_patch;
mod manifold;
mod mesh;
mod nearest;
mod patch;
mod plane;
mod point;
mod reduce;
mod set;
mod side;
mod triangle;

pub use event::{ContactEvent, Hysteresis, HysteresisError, Transition};
pub use manifold::{ContactCache, find_all_contacts, find_contacts};
pub use plane::{TangentPlane, TouchingFeature, contact_normal};
pub use point::ContactPoint;
pub use reduce::{Reduction, reduce};
pub use set::{ContactSet, ContactSets, SetPoint};
