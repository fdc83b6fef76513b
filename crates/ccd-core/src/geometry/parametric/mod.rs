//! Solids and sheets given by parametric surfaces: bicubic Bézier patches.
//!
//! A patch lies in the hull of its control points, and halving it (de Casteljau) brings the hull of each half closer to it by the
//! square of its size. What searches use is simpler than the hull and as good in the limit: a parallelogram with a
//! proven distance that no point of the piece is beyond ([`PatchPiece`]).

mod cell;
mod inside;
mod mass;
mod patch;
mod piece;
mod surface;
mod tessellate;

pub(crate) use cell::PatchCell;
pub(crate) use inside::{nearer_halves, solid_angle_of_piece};
pub use patch::{BezierPatch, Jet};
pub use piece::PatchPiece;
pub use surface::{PatchError, PatchSide, PatchSurface};
pub use tessellate::{PatchPlace, Tessellation};
