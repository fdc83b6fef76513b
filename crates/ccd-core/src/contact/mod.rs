//! Contact points and manifolds. Contact knows no solver.

mod point;

pub use point::ContactPoint;
