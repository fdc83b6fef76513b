//! Mass, centre of mass and inertia: exact for primitives and closed surfaces, by mass points for open soups (erratum E13).

mod primitive;
mod properties;
mod surface;

pub use properties::{MassError, MassKind, MassProperties};

pub(in crate::geometry) use surface::Moments;
