//! The broad phase's answer.

/// Pairs of things whose volumes overlap: each once, the smaller number first, in ascending order, so that whatever is made
/// from them in order is the same on every run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CandidatePairs(Vec<(u32, u32)>);

impl CandidatePairs {
    /// Sorts pairs, each of two different numbers in either order; a pair named twice is kept once.
    pub fn new(pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All pairs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied()
    }
}
