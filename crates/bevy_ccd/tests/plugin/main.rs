//! The plugin in apps without a window.

#![allow(clippy::expect_used, reason = "a test that cannot go on says why")]

mod assets;
mod belts;
mod bodies;
mod casters;
mod changes;
mod children;
mod clock;
mod collisions;
mod common;
mod despawning;
mod disabling;
mod exactness;
mod export;
mod games;
mod groups;
mod hiding;
mod hierarchy;
mod impacts;
mod impulses;
mod interpolation;
mod kinematic;
mod lives;
mod move_and_slide;
mod one_way;
#[cfg(feature = "panel")]
mod panel;
mod parts;
#[cfg(feature = "picking")]
mod picking;
mod problems;
mod queries;
mod refusals;
mod reparenting;
mod resting;
mod restoring;
mod rollback;
mod saving;
mod scenes;
mod sensors;
mod settings;
mod sleeping;
mod stretching;
mod teleports;
mod walking;
