//! When and where two moving solids meet. Detection knows solids and motions, never bodies.

pub mod broad;
pub mod closest;
mod compound_piece;
pub(crate) mod dispatch;
pub(crate) mod field;
pub mod interference;
mod part_places;
mod pieces;
mod plane_point;
pub(crate) mod queue;
pub mod toc;
