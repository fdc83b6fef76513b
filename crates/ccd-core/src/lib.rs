//! Continuous collision detection, contact determination, and impulse response, without an engine.
//!
//! The crate is built in layers; a layer names only itself and the layers below it, which
//! `tests/layering.rs` checks.
//!
//! | rank | modules | what they know |
//! |---|---|---|
//! | 0 | [`math`], [`volume`], [`tolerance`], [`id`], [`stats`] | numbers and plain volumes |
//! | 1 | [`geometry`] | solids, features, meshes, mass |
//! | 2 | [`bounds`], [`shape`] | hierarchies over geometry, and the shape a user names |
//! | 3 | [`motion`] | rigid motion over a step and its bounds |
//! | 4 | [`detection`] | when and where two moving solids meet |
//! | 5 | [`contact`] | contact points, manifolds, sets |
//! | 6 | [`dynamics`] | bodies, forces, energy |
//! | 7 | [`response`] | impulses |
//! | 8 | [`world`], [`io`] | the step, and case files |
//!
//! ```
//! use ccd_core::dynamics::{BodyDefinition, BodyKind};
//! use ccd_core::math::{Pose, Vector};
//! use ccd_core::shape::Shape;
//! use ccd_core::world::{World, WorldSettings};
//!
//! let mut world = World::new(WorldSettings::default())?;
//! let sheet = Shape::cuboid([1.0, 0.0005, 1.0])?;
//! world.add_body(BodyDefinition::new(BodyKind::Static, sheet, Pose::identity()))?;
//! let mut pellet = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.01)?, Pose::translation(0.0, 2.5, 0.0));
//! pellet.linear_velocity = Vector::new(0.0, -1000.0, 0.0);
//! let pellet = world.add_body(pellet)?;
//!
//! let report = world.step(1.0 / 60.0)?; // flies 17 m, if nothing were in the way
//! let height = world.body(pellet).map(|body| body.pose().translation.y);
//! assert!(height > Some(0.0) && report.impacts.len() == 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Conventions: SI units, `f64`, right-handed frames, y up; quaternions `[x, y, z, w]`; sides of a pair are
//! `_a` and `_b`; normals are unit, in the world frame, from A to B; separation is negative inside.

#![warn(clippy::too_many_arguments, reason = "the workspace allows them for systems, of which there are none here")]

pub mod id;
pub mod math;
mod parallel;
pub mod stats;
pub mod tolerance;
pub mod volume;

pub mod geometry;

pub mod bounds;
pub mod shape;

pub mod motion;

pub mod detection;

pub mod contact;

pub mod dynamics;

pub mod response;

pub mod io;
pub mod world;
