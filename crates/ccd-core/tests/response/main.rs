//! What impacts and contacts do to velocities, and how what they push moves, stands and rests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on is to stop, in its helpers too")]

#[path = "../common/mod.rs"]
mod common;

mod belts;
mod blows;
mod bores;
mod cliffs;
mod closed_forms;
mod compactor;
mod crushing;
mod curves;
mod driven;
mod facets;
mod fields_slide;
mod flat_sides;
mod floating;
mod free_bodies;
mod hinges;
mod in_a_world;
mod integrators;
mod landing;
mod locked_axes;
mod long_steps;
mod methods;
mod parallel_sides;
mod part_materials;
mod riding;
mod rocking;
mod rolling;
mod rough_piles;
mod sleeping;
mod spinning;
mod standing;
mod symmetric_blows;
mod thrown;
mod tiles;
mod turning_together;
