//! Which entities touch, looked up from either side.

use std::collections::{BTreeMap, BTreeSet};

use bevy::prelude::*;

/// Pairs of entities; those of one entity are found without looking at the others.
#[derive(Default, Debug)]
pub(crate) struct TouchingPairs {
    /// For each entity that touches any those that it touches: each pair from both sides.
    partners: BTreeMap<Entity, BTreeSet<Entity>>,
}

/// The pair in ascending order, so that it has one name.
pub(crate) fn ordered(one: Entity, other: Entity) -> (Entity, Entity) {
    if one < other { (one, other) } else { (other, one) }
}

impl TouchingPairs {
    /// Returns whether the pair was not there.
    pub fn insert(&mut self, (one, other): (Entity, Entity)) -> bool {
        self.partners.entry(other).or_default().insert(one);
        self.partners.entry(one).or_default().insert(other)
    }

    /// Returns whether the pair was there.
    pub fn remove(&mut self, (one, other): (Entity, Entity)) -> bool {
        let mut removed = false;
        for (one, other) in [(one, other), (other, one)] {
            if let Some(partners) = self.partners.get_mut(&one) {
                removed = partners.remove(&other);
                if partners.is_empty() {
                    self.partners.remove(&one);
                }
            }
        }
        removed
    }

    pub fn contains(&self, (one, other): (Entity, Entity)) -> bool {
        self.partners.get(&one).is_some_and(|partners| partners.contains(&other))
    }

    /// Each pair once, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (Entity, Entity)> {
        let pairs = self.partners.iter().flat_map(|(&one, partners)| partners.iter().map(move |&other| (one, other)));
        pairs.filter(|&(one, other)| one < other)
    }

    /// Those that an entity touches, in ascending order.
    pub fn partners(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        self.partners.get(&entity).into_iter().flatten().copied()
    }

    /// Takes out an entity's pairs. Returns them, in ascending order of the others.
    pub fn forget(&mut self, entity: Entity) -> Vec<(Entity, Entity)> {
        let pairs: Vec<_> = self.partners(entity).map(|other| ordered(entity, other)).collect();
        pairs.iter().for_each(|&pair| _ = self.remove(pair));
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_found_from_either_side_until_one_of_the_two_is_forgotten() {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| Entity::from_raw_u32(k).unwrap_or(Entity::PLACEHOLDER));
        let mut pairs = TouchingPairs::default();
        for pair in [(a, b), (b, c), (d, b), (a, d)] {
            assert!(pairs.insert(ordered(pair.0, pair.1)));
        }
        assert!(!pairs.insert(ordered(a, b)) && pairs.contains((b, a)) && !pairs.contains((a, c)));
        assert_eq!(pairs.iter().count(), 4);
        assert!(pairs.partners(b).is_sorted() && pairs.partners(b).count() == 3);
        assert!(pairs.remove((d, b)) && !pairs.remove((b, d)));
        let gone = pairs.forget(b);
        assert!(gone.len() == 2 && gone.contains(&ordered(a, b)) && gone.contains(&ordered(b, c)));
        assert_eq!(pairs.iter().collect::<Vec<_>>(), [ordered(a, d)]);
        assert_eq!((pairs.partners(b).count(), pairs.partners(c).count()), (0, 0));
    }
}
