//! Models and scenes that are generated rather than stored: what tests, the command line, the viewer and the benchmarks share.
//!
//! [`models`] makes meshes, [`cases`] makes case files with the models they use; both by struct or by name. Metres, y up,
//! and y is the axis of every model that has one. The same options give the same bits.

#![warn(clippy::too_many_arguments, reason = "the workspace allows them for systems, of which there are none here")]

pub mod cases;
pub mod models;
pub mod options;
