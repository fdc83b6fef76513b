//! The shape a user names: one value over all solids.
