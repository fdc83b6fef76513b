//! Solids, their features, and their mass.

pub mod feature;
pub mod field;
pub mod mass;
pub mod mesh;
pub mod parametric;
pub mod polyhedron;
pub mod primitive;
pub mod solid;
