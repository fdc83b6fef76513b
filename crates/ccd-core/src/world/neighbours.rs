//! Who may have contacts with whom, while impacts are met.
//!
//! **Problem.** A list for each of thousands of bodies takes longer to set up than what meets among a few of them.
//!
//! **Idea.** All lists stand one after the other; those that change are copied out.
//!
//! **Cost.** O(bodies + pairs) to make, with five allocations in all.

use std::collections::BTreeMap;

use super::stepping::Pair;

/// For each body those that it may have contacts with.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    /// Where each body's begin in `all`, and behind the last where they end.
    starts: Vec<u32>,
    all: Vec<u32>,
    /// The lists that have changed.
    changed: BTreeMap<u32, Vec<u32>>,
}

impl Neighbours {
    /// Of so many bodies by their pairs, in ascending order; so are the lists.
    pub fn of_pairs(count: usize, pairs: impl Iterator<Item = Pair> + Clone) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for (a, b) in pairs.clone() {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        let (mut all, mut next) = (vec![0; starts[count] as usize], starts.clone());
        for (k, other) in pairs.flat_map(|(a, b)| [(a, b), (b, a)]) {
            all[next[k as usize] as usize] = other;
            next[k as usize] += 1;
        }
        Self { starts, all, changed: BTreeMap::new() }
    }

    /// Those of a body.
    pub fn of(&self, k: u32) -> &[u32] {
        match self.changed.get(&k) {
            Some(list) => list,
            None => self.as_made(k),
        }
    }

    fn as_made(&self, k: u32) -> &[u32] {
        match self.starts.get(k as usize..k as usize + 2) {
            Some(&[start, end]) => &self.all[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The two are neighbours from now on.
    pub fn join(&mut self, (a, b): Pair) {
        if !self.of(a).contains(&b) {
            self.change(a).push(b);
            self.change(b).push(a);
        }
    }

    /// The two are neighbours no longer.
    pub fn part(&mut self, (a, b): Pair) {
        for (k, other) in [(a, b), (b, a)] {
            if self.of(k).contains(&other) {
                self.change(k).retain(|&n| n != other);
            }
        }
    }

    fn change(&mut self, k: u32) -> &mut Vec<u32> {
        let made = self.as_made(k).to_vec();
        self.changed.entry(k).or_insert(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_both_ways_in_order_and_change() {
        let mut neighbours = Neighbours::of_pairs(5, [(0, 2), (0, 4), (1, 2), (2, 4)].into_iter());
        assert_eq!(neighbours.of(2), [0, 1, 4]);
        assert!(neighbours.of(3).is_empty());
        neighbours.join((2, 3));
        neighbours.join((0, 2));
        neighbours.part((1, 2));
        neighbours.part((1, 3));
        assert_eq!([neighbours.of(0), neighbours.of(2)], [&[2, 4][..], &[0, 4, 3]]);
        assert!(neighbours.of(1).is_empty());
        assert_eq!([neighbours.of(3), neighbours.of(4)], [&[2][..], &[0, 2]]);
        assert!(Neighbours::default().of(7).is_empty(), "before there are any");
    }
}
