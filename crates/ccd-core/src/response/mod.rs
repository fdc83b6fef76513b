//! Impulses: what touching does to velocities.

pub mod impulse;
pub mod impact;
pub mod sequential;
