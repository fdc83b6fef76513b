//! The broad phase's answer.

/// Pairs of things whose volumes overlap: each once, the smaller number first, in ascending order, so that whatever is made
/// from them in order is the same on every run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CandidatePairs(Vec<(u32, u32)>);

impl CandidatePairs {
    /// Sorts pairs, each of two different numbers in either order; a pair named twice is kept once.
    pub fn new(pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        if !pairs.is_sorted_by(|one, other| one < other) {
            sort(&mut pairs);
            pairs.dedup();
        }
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

/// Fewer pairs are not worth dealing out.
const FEW: usize = 32;

/// Sorts pairs by dealing them out by their first number, which are small and close together, then each hand by the
/// second: linear where a general sort is not.
fn sort(pairs: &mut Vec<(u32, u32)>) {
    let numbers = pairs.iter().map(|(a, _)| *a as usize + 1).max().unwrap_or(0);
    if pairs.len() <= FEW || numbers > 4 * pairs.len() {
        pairs.sort_unstable();
        return;
    }
    let mut start = vec![0_usize; numbers + 1];
    for (a, _) in pairs.iter() {
        start[*a as usize + 1] += 1;
    }
    for i in 0..numbers {
        start[i + 1] += start[i];
    }
    let mut next = start.clone();
    let mut dealt = vec![(0, 0); pairs.len()];
    for pair in pairs.iter() {
        let place = &mut next[pair.0 as usize];
        dealt[*place] = *pair;
        *place += 1;
    }
    for hand in start.windows(2) {
        dealt[hand[0]..hand[1]].sort_unstable();
    }
    *pairs = dealt;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_come_out_once_and_in_order(
            pairs in prop::collection::vec((0..60_u32, prop_oneof![9 => 0..60_u32, 1 => any::<u32>()]), 0..300),
        ) {
            let mut expected: Vec<_> = pairs.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(CandidatePairs::new(pairs).iter().collect::<Vec<_>>(), expected);
        }
    }
}
