//! Queues of what is searched in order: the earliest, or the nearest, first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::math::Real;

/// Something that can wait in a [`Queue`].
pub(crate) trait Ranked {
    /// Tells which of two that are due alike comes first: the greater.
    type Rank: Ord;

    fn rank(&self) -> Self::Rank;
}

/// What waits, the one that is due first at the head: the time until which it is certified, or a lower bound of its distance. Of
/// those due alike the one of the highest rank comes first, so that the order depends on what was pushed alone.
pub(crate) struct Queue<T: Ranked>(BinaryHeap<Waiting<T>>);

impl<T: Ranked> Queue<T> {
    pub fn new() -> Self {
        Self(BinaryHeap::new())
    }

    /// A queue with room for so many.
    pub fn with_capacity(room: usize) -> Self {
        Self(BinaryHeap::with_capacity(room))
    }

    pub fn push(&mut self, due: Real, item: T) {
        self.0.push(Waiting { due, item });
    }

    /// Takes the head, with when it is due.
    pub fn pop(&mut self) -> Option<(Real, T)> {
        self.0.pop().map(|w| (w.due, w.item))
    }
}

struct Waiting<T> {
    due: Real,
    item: T,
}

impl<T: Ranked> PartialEq for Waiting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Ranked> Eq for Waiting<T> {}

impl<T: Ranked> PartialOrd for Waiting<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ranked> Ord for Waiting<T> {
    /// The heap's greatest is what is due first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.due.total_cmp(&self.due).then_with(|| self.item.rank().cmp(&other.item.rank()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Ranked for u32 {
        type Rank = Self;

        fn rank(&self) -> u32 {
            *self
        }
    }

    #[test]
    fn what_is_due_first_comes_first_and_of_equals_the_higher_rank() {
        let mut queue = Queue::new();
        for (due, item) in [(2.0, 1), (1.0, 2), (1.0, 7), (Real::NEG_INFINITY, 0), (1.0, 3)] {
            queue.push(due, item);
        }
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(_, item)| item).collect();
        assert_eq!(order, [0, 7, 3, 2, 1]);
    }
}
