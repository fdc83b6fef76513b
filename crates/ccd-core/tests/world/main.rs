//! Worlds as their users see them: steps, settings, sensors, and shapes that are moved through them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on is to stop, in its helpers too")]

#[path = "../common/mod.rs"]
mod common;

mod between_stages;
mod carried;
mod one_place;
mod one_way;
mod promises;
mod refused;
mod ride;
mod scale;
mod sensors;
mod slide;
mod slide_kinds;
mod spinning_rod;
mod touching;
mod walk;
