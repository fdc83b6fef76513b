//! The defaults that callers meet, each with its unit and its reason.

use crate::math::Real;

/// Default distance at which two bodies count as touching, metres: below what a viewer shows, far above rounding at room scale.
pub const DEFAULT_TOLERANCE: Real = 1e-4;

/// Default distance within which features become contacts, metres: what comes nearer within a step is known before it does, and a pile of boxes of
/// a metre still has few contacts that bear nothing.
pub const DEFAULT_CONTACT_THRESHOLD: Real = 1e-3;

/// How far a given quaternion's norm may be from one before it is refused rather than normalised.
pub const QUATERNION_NORM: Real = 1e-3;

/// Default work budget of one time-of-contact query, in advances, node visits and feature tests together
/// ([`crate::stats::QueryStats::total`]).
pub const DEFAULT_BUDGET: u64 = 4_000_000;
