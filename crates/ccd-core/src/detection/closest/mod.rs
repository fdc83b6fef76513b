//! Closest points and features of two solids at an instant, and how deep they overlap.

pub mod gjk;
pub mod penetration;
mod simplex;
