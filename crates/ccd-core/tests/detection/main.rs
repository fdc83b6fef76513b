//! Who meets whom, when and where: distances, overlaps and times of contact, against oracles of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on is to stop, in its helpers too")]

#[path = "../common/mod.rs"]
mod common;

mod aligned;
mod brep_collision;
mod broad_phase;
mod closest;
mod closest_features;
mod conformance;
mod deep_fields;
mod extremes;
mod feature_corpus;
mod feature_orders;
mod field_time_of_contact;
mod flat_cuts;
mod grids;
mod hard_features;
mod holes;
mod interference;
mod nested;
mod paper_method;
mod parts;
mod pins;
mod separating_axis;
mod spatial;
mod thin;
mod time_of_contact;
mod touching;
mod traces;
mod tracker_cases;
mod unlike_speeds;
