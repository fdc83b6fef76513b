//! The errata of `docs/errata.md`, one by one: where a formula of a paper, taken as it is printed, gives a wrong number, and what the
//! library gives instead. Errata that larger tests hold already are not here; the page names those.

#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

#[path = "../common/mod.rs"]
mod common;

mod brep_index;
mod hierarchies;
mod precise_contact;
mod rigid_body_contact;
mod rigid_collision;
