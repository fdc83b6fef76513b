//! Convex cells cut by planes in exact arithmetic: how half-spaces become polyhedra, and how solids are cut into pieces.
//!
//! **Problem.** Cutting a solid by many planes makes vertices that `f64` cannot hold; with rounded ones the next cut finds them
//! on the wrong side, and pieces are lost or overlap.
//!
//! **Idea.** A facet is the plane that it lies in and the planes that its sides lie in; a vertex is where three planes meet.
//! Whatever is cut, these planes stay the given ones, so that no number grows from cut to cut, and every side of a plane is
//! the sign of one determinant: from the rounded vertex where that is certain, else in integers.
//!
//! **Guarantee.** The facets and cells are exact; each vertex's `f64` place is that of the exact one to a rounding or two.
//!
//! **Source.** Sugihara and Iri (1989); Bernstein and Fussell (2009) for cuts by planes alone.

mod arena;
mod cell;
mod facet;

pub(crate) use arena::Planes;
pub(crate) use cell::Cell;
pub(crate) use facet::{Facet, Parts};
