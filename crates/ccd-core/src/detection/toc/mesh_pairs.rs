//! Pairs of parts of two meshes, and what they were split from.

use crate::detection::queue::Ranked;
use crate::math::Real;

/// A part of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Node(u32),
    Face(u32),
    /// The whole of a convex solid.
    Whole,
}

/// Two parts, one of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub a: Item,
    pub b: Item,
    /// Where the pair's GJK cache is, or [`Pair::COLD`].
    pub cache: u32,
    /// Whether it waited for the end of a certificate of its boxes.
    pub certified: bool,
    /// What it was split from: its place among the [`Splits`], or [`Pair::UNSPLIT`].
    pub parent: u32,
}

impl Pair {
    pub const COLD: u32 = u32::MAX;
    pub const UNSPLIT: u32 = u32::MAX;

    /// Two parts that are not what another pair was split into.
    pub fn new(a: Item, b: Item) -> Self {
        Self { a, b, cache: Self::COLD, certified: false, parent: Self::UNSPLIT }
    }

    /// Whether nothing is left to split.
    pub fn is_leaf(&self) -> bool {
        !matches!(self.a, Item::Node(_)) && !matches!(self.b, Item::Node(_))
    }
}

impl Ranked for Pair {
    type Rank = ();

    /// Equal times come out in an order that depends on the pushes alone.
    fn rank(&self) {}
}

/// A pair that was split.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub pair: Pair,
    /// Its larger part's half diagonal, metres.
    pub size: Real,
    /// Whether it is looked at as a whole again: what it was split into is not.
    is_whole_again: bool,
}

/// All pairs that were split.
#[derive(Debug)]
pub(super) struct Splits(Vec<Split>);

impl Splits {
    /// None yet, with room for so many.
    pub fn with_capacity(room: usize) -> Self {
        Self(Vec::with_capacity(room))
    }

    /// Takes down that the pair, whose larger part has the half diagonal `size`, is split; returns what makes its parts.
    pub fn split(&mut self, pair: Pair, size: Real) -> impl Fn(Item, Item) -> Pair + use<> {
        let parent = self.0.len() as u32;
        self.0.push(Split { pair, size, is_whole_again: false });
        move |a, b| Pair { parent, ..Pair::new(a, b) }
    }

    /// What the pair was split from.
    pub fn of(&self, pair: &Pair) -> Option<Split> {
        self.0.get(pair.parent as usize).copied()
    }

    /// What the pair was split from is looked at as a whole again.
    pub fn merge(&mut self, pair: &Pair) {
        if let Some(split) = self.0.get_mut(pair.parent as usize) {
            split.is_whole_again = true;
        }
    }

    /// Whether the pair is part of one that is looked at as a whole again. O(depth of the trees).
    pub fn cover(&self, pair: &Pair) -> bool {
        std::iter::successors(self.of(pair), |split| self.of(&split.pair)).any(|split| split.is_whole_again)
    }
}
