//! What searches over fields share: cells of the one solid, proofs that a cell is apart from the other solid, and the points
//! where the two are nearest.

mod basis;
pub(crate) mod beyond;
pub(crate) mod cells;
mod on_piece;
pub(crate) mod separate;
pub(crate) mod witness;
