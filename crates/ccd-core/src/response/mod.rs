//! Impulses: what touching does to velocities.

pub mod impact;
pub mod impulse;
pub mod sequential;
