//! Union-find.

/// Numbers in sets that only ever join, with path halving. The root of a set is its smallest member, so that the outcome does not
/// depend on the order of joining.
#[derive(Clone, Debug)]
pub struct DisjointSets {
    /// For each number one of its set that is nearer to the root; the root itself for a root.
    nearer: Vec<u32>,
}

impl DisjointSets {
    /// Each of so many numbers by itself.
    pub fn new(size: usize) -> Self {
        Self { nearer: (0..size as u32).collect() }
    }

    /// How many sets there are. O(numbers).
    pub fn count(&self) -> usize {
        self.nearer.iter().zip(0..).filter(|(nearer, x)| *nearer == x).count()
    }

    /// The root of the set that `x` is in.
    #[inline]
    pub fn find(&mut self, mut x: u32) -> u32 {
        let nearer = &mut *self.nearer;
        while nearer[x as usize] != x {
            nearer[x as usize] = nearer[nearer[x as usize] as usize];
            x = nearer[x as usize];
        }
        x
    }

    /// Makes the sets of the two one. Returns its root and the one that is none any more; `None` if they were one before.
    #[inline]
    pub fn join(&mut self, x: u32, y: u32) -> Option<[u32; 2]> {
        let (x, y) = (self.find(x), self.find(y));
        if x == y {
            return None;
        }
        let (root, former) = (x.min(y), x.max(y));
        self.nearer[former as usize] = root;
        Some([root, former])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_member_is_the_root_in_whatever_order_sets_join() {
        for pairs in [[(4, 2), (2, 3), (0, 1)], [(3, 4), (1, 0), (4, 2)]] {
            let mut sets = DisjointSets::new(6);
            for (x, y) in pairs {
                assert!(sets.join(x, y).is_some());
            }
            assert_eq!(sets.join(2, 3), None);
            assert_eq!([0, 1, 2, 3, 4, 5].map(|x| sets.find(x)), [0, 0, 2, 2, 2, 5]);
            assert_eq!(sets.count(), 3);
            assert_eq!(sets.join(4, 1), Some([0, 2]));
        }
    }
}
