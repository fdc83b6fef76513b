//! Names of things in a world.

use std::fmt;

/// A body of a world. Slots are reused; the generation tells a body from the one that had its slot before. It does not tell worlds apart: in
/// another one it names whatever body has that slot there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    /// The slot.
    pub index: u32,
    /// How often the slot was given away before.
    pub generation: u32,
}

impl fmt::Display for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "body {}", self.index)
    }
}

/// An unordered pair of bodies, kept in ascending order so that each pair has one name: [`PairKey::new`] sees to that. With its fields in the
/// other order nothing is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairKey {
    /// The body with the smaller id: side A.
    pub a: BodyId,
    /// The body with the larger id: side B.
    pub b: BodyId,
}

impl PairKey {
    /// The pair of two different bodies.
    pub fn new(one: BodyId, other: BodyId) -> Self {
        if one < other { Self { a: one, b: other } } else { Self { a: other, b: one } }
    }
}
