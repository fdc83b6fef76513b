//! Trees of bounding volumes in flat arrays.
