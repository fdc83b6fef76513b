//! Which entities touch, looked up from either side.

use std::collections::BTreeMap;

use bevy::prelude::*;

/// Pairs of entities; those of one entity are found without looking at the others.
#[derive(Default, Debug)]
pub(crate) struct TouchingPairs {
    /// For each entity that touches any those that it touches, each pair from both sides, with its own collider that met them.
    partners: BTreeMap<Entity, BTreeMap<Entity, Entity>>,
}

/// Two bodies that touch, and with which colliders they met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// In ascending order.
    pub bodies: (Entity, Entity),
    /// Each that of the body of its side.
    pub colliders: (Entity, Entity),
}

impl Meeting {
    /// The same with the bodies in ascending order.
    pub fn ordered(self) -> Self {
        let Self { bodies: (one, other), colliders: (of_one, of_other) } = self;
        if one < other { self } else { Self { bodies: (other, one), colliders: (of_other, of_one) } }
    }
}

/// The pair in ascending order, so that it has one name.
pub(crate) fn ordered(one: Entity, other: Entity) -> (Entity, Entity) {
    if one < other { (one, other) } else { (other, one) }
}

impl TouchingPairs {
    /// Takes a pair in; if it was there, it stays as it was. Returns whether it was not there.
    pub fn insert(&mut self, meeting: &Meeting) -> bool {
        let Meeting { bodies: (one, other), colliders: (of_one, of_other) } = *meeting;
        if self.contains((one, other)) {
            return false;
        }
        self.partners.entry(other).or_default().insert(one, of_other);
        self.partners.entry(one).or_default().insert(other, of_one);
        true
    }

    /// Returns the pair if it was there, as it was taken in.
    pub fn remove(&mut self, (one, other): (Entity, Entity)) -> Option<Meeting> {
        let of_one = self.remove_side(one, other)?;
        let of_other = self.remove_side(other, one)?;
        Some(Meeting { bodies: (one, other), colliders: (of_one, of_other) })
    }

    fn remove_side(&mut self, one: Entity, other: Entity) -> Option<Entity> {
        let partners = self.partners.get_mut(&one)?;
        let collider = partners.remove(&other);
        if partners.is_empty() {
            self.partners.remove(&one);
        }
        collider
    }

    pub fn contains(&self, (one, other): (Entity, Entity)) -> bool {
        self.partners.get(&one).is_some_and(|partners| partners.contains_key(&other))
    }

    /// Each pair once, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (Entity, Entity)> {
        let pairs = self.partners.iter().flat_map(|(&one, partners)| partners.keys().map(move |&other| (one, other)));
        pairs.filter(|&(one, other)| one < other)
    }

    /// Those that an entity touches, in ascending order.
    pub fn partners(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        self.partners.get(&entity).into_iter().flat_map(BTreeMap::keys).copied()
    }

    /// Takes out an entity's pairs. Returns them, in ascending order of the others.
    pub fn forget(&mut self, entity: Entity) -> Vec<Meeting> {
        let pairs: Vec<_> = self.partners(entity).map(|other| ordered(entity, other)).collect();
        pairs.into_iter().filter_map(|pair| self.remove(pair)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_found_from_either_side_until_one_of_the_two_is_forgotten() {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| Entity::from_raw_u32(k).unwrap_or(Entity::PLACEHOLDER));
        let mut pairs = TouchingPairs::default();
        let met = |bodies, colliders| Meeting { bodies, colliders }.ordered();
        for pair in [(a, b), (b, c), (d, b), (a, d)] {
            assert!(pairs.insert(&met(pair, pair)));
        }
        assert!(!pairs.insert(&met((a, b), (c, b))) && pairs.contains((b, a)) && !pairs.contains((a, c)));
        assert_eq!(pairs.iter().count(), 4);
        assert!(pairs.partners(b).is_sorted() && pairs.partners(b).count() == 3);
        assert_eq!(pairs.remove((d, b)), Some(Meeting { bodies: (d, b), colliders: (d, b) }));
        assert_eq!(pairs.remove((b, d)), None);
        let mut others = [a, c];
        others.sort_unstable();
        assert_eq!(pairs.forget(b), others.map(|other| met((other, b), (other, b))));
        assert_eq!(pairs.iter().collect::<Vec<_>>(), [ordered(a, d)]);
        assert_eq!((pairs.partners(b).count(), pairs.partners(c).count()), (0, 0));
    }
}
