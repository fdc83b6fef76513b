//! Models and scenes that are generated rather than stored: what tests, the command line, the viewer and the benchmarks share.
//!
//! Metres, y up, and y is the axis of every model that has one. The same options give the same bits.

pub mod models;
