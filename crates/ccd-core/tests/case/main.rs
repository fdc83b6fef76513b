//! Cases: what files hold, what is written and read back, and what is expected of a run.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on is to stop, in its helpers too")]

#[path = "../common/mod.rs"]
mod common;

mod expectations;
mod export;
mod format;
mod round_trip;
mod saving;
