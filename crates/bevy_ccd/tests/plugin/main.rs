//! The plugin in apps without a window.

mod assets;
mod bodies;
mod changes;
mod clock;
mod collisions;
mod common;
mod exactness;
mod hierarchy;
mod interpolation;
#[cfg(feature = "panel")]
mod panel;
mod problems;
mod queries;
