//! What searches over pairs of parts of compounds divide these into.

/// A piece of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CompoundPiece {
    /// A node of the tree over the parts.
    Node(u32),
    /// A part.
    Part(u32),
    /// All of a solid that is no compound.
    Whole,
}

impl CompoundPiece {
    /// The number of a part; of all else zero.
    pub fn number(self) -> u32 {
        match self {
            Self::Part(part) => part,
            Self::Node(_) | Self::Whole => 0,
        }
    }
}
