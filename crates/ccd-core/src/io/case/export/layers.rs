//! Collision layers in the format's words: groups whose bodies do not collide with each other.

use std::collections::BTreeMap;

use crate::dynamics::{Body, BodyKind, CollisionLayers};

/// The group of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Its number, where it has one.
    pub number: Option<u32>,
    /// Whether it says the same as the body's layers.
    pub is_exact: bool,
}

/// Bodies that nothing tells apart as to whom they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    is_dynamic: bool,
    memberships: u32,
    filters: u32,
    group: Option<u32>,
}

impl Class {
    fn of(body: &Body) -> Self {
        Self {
            is_dynamic: body.kind() == BodyKind::Dynamic,
            memberships: body.layers.memberships,
            filters: body.layers.filters,
            group: body.no_collide_group,
        }
    }

    fn layers(&self) -> CollisionLayers {
        CollisionLayers { memberships: self.memberships, filters: self.filters }
    }

    /// Whether a body of this class meets one of the other; `None` where that makes no difference, because neither is moved by forces.
    fn meets(&self, other: &Self) -> Option<bool> {
        let share_group = self.group.is_some() && self.group == other.group;
        (self.is_dynamic || other.is_dynamic).then(|| !share_group && self.layers().meets(&other.layers()))
    }
}

/// The groups of `bodies`, none of which is a sensor, in their order.
///
/// Those that do not meet must be of one group, and so must all that hang together in this way. That says the same as the
/// layers if, and only if, no two that do meet have come into one group; such bodies keep the group that they had.
///
/// O(n log n + k²) for k kinds of bodies, of which most worlds have few.
pub(super) fn groups(bodies: &[&Body]) -> Vec<Group> {
    if bodies.iter().all(|body| body.layers == CollisionLayers::default()) {
        return bodies.iter().map(|body| Group { number: body.no_collide_group, is_exact: true }).collect();
    }
    let mut counts: BTreeMap<Class, usize> = BTreeMap::new();
    for body in bodies {
        *counts.entry(Class::of(body)).or_default() += 1;
    }
    let classes: Vec<(Class, usize)> = counts.into_iter().collect();
    let sets = Sets::of(&classes);
    let mut numbers: BTreeMap<Key, u32> = BTreeMap::new();
    let group = |body: &&Body| {
        let class = Class::of(body);
        let set = classes.binary_search_by_key(&class, |(class, _)| *class).map_or(0, |i| sets.of[i]);
        let (key, is_exact) = match (sets.has_strangers[set], sets.agree[set]) {
            (false, _) => (None, true),
            (true, true) => (Some(Key::Set(set)), true),
            (true, false) => (class.group.map(Key::Former), body.layers == CollisionLayers::default()),
        };
        // Groups are counted from one, by the first of their bodies.
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX).saturating_add(1);
        Group { number: key.map(|key| *numbers.entry(key).or_insert(next)), is_exact }
    };
    bodies.iter().map(group).collect()
}

/// What a group of the case stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// A set of classes.
    Set(usize),
    /// A group that the bodies had.
    Former(u32),
}

/// Classes that hang together by bodies that do not meet.
struct Sets {
    /// The set of each class, by the number of its first class.
    of: Vec<usize>,
    /// By set: whether no two of its bodies meet.
    agree: Vec<bool>,
    /// By set: whether it has two bodies that do not meet.
    has_strangers: Vec<bool>,
}

impl Sets {
    fn of(classes: &[(Class, usize)]) -> Self {
        let pairs = || (0..classes.len()).flat_map(|i| (i..classes.len()).map(move |j| (i, j)));
        // A class is a pair with itself where it has two bodies.
        let meets = |(i, j): (usize, usize)| {
            let ((a, count), (b, _)) = (&classes[i], &classes[j]);
            if i == j && *count < 2 { None } else { a.meets(b) }
        };
        let mut of: Vec<usize> = (0..classes.len()).collect();
        let mut has_strangers = vec![false; classes.len()];
        for (i, j) in pairs().filter(|&pair| meets(pair) == Some(false)) {
            let (one, other) = (of[i].min(of[j]), of[i].max(of[j]));
            has_strangers[one] = true;
            if one != other {
                of.iter_mut().filter(|set| **set == other).for_each(|set| *set = one);
            }
        }
        let mut agree = vec![true; classes.len()];
        for (i, j) in pairs().filter(|&(i, j)| of[i] == of[j]) {
            agree[of[i]] &= meets((i, j)) != Some(true);
        }
        Self { of, agree, has_strangers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::BodyDefinition;
    use crate::math::Pose;
    use crate::shape::Shape;

    fn body(kind: BodyKind, memberships: u32, filters: u32, group: Option<u32>) -> Body {
        let mut definition = BodyDefinition::new(kind, Shape::ball(1.0).unwrap(), Pose::identity());
        definition.layers = CollisionLayers { memberships, filters };
        definition.no_collide_group = group;
        Body::new(definition).unwrap()
    }

    fn groups_of(bodies: &[Body]) -> Vec<Group> {
        groups(&bodies.iter().collect::<Vec<_>>())
    }

    /// The bodies as they would be read from a case.
    fn as_read(bodies: &[Body]) -> Vec<Body> {
        let read = |(was, group): (&Body, Group)| body(was.kind(), u32::MAX, u32::MAX, group.number);
        bodies.iter().zip(groups_of(bodies)).map(read).collect()
    }

    fn assert_same_pairs_meet(bodies: &[Body]) {
        let read = as_read(bodies);
        for i in 0..bodies.len() {
            for j in 0..i {
                assert_eq!(bodies[i].meets(&bodies[j]), read[i].meets(&read[j]), "bodies {j} and {i}");
            }
        }
        assert!(groups_of(bodies).iter().all(|group| group.is_exact));
    }

    const ALL: u32 = u32::MAX;
    use BodyKind::{Dynamic, Kinematic, Static};

    #[test]
    fn debris_that_passes_through_itself_and_meets_the_world_is_one_group() {
        let debris = || body(Dynamic, 0b10, 0b01, None);
        let world = || body(Dynamic, 0b01, ALL, None);
        assert_same_pairs_meet(&[body(Static, 0b01, ALL, None), debris(), world(), debris(), world(), debris()]);
    }

    #[test]
    fn two_kinds_that_meet_only_each_other_are_two_groups() {
        let key = || body(Dynamic, 0b01, 0b10, None);
        let lock = || body(Dynamic, 0b10, 0b01, None);
        assert_same_pairs_meet(&[key(), lock(), key(), lock()]);
    }

    #[test]
    fn a_ghost_among_bodies_that_nothing_moves_is_of_one_group_with_them() {
        let wall = || body(Static, ALL, ALL, None);
        assert_same_pairs_meet(&[wall(), body(Dynamic, 0, 0, None), wall()]);
    }

    #[test]
    fn groups_that_bodies_had_are_kept_beside_those_of_layers() {
        let arm = |kind| body(kind, ALL, ALL, Some(7));
        let debris = || body(Dynamic, 0b10, !0b10, None);
        assert_same_pairs_meet(&[arm(Dynamic), arm(Kinematic), debris(), debris(), body(Static, ALL, ALL, None)]);
    }

    #[test]
    fn pairs_that_nothing_moves_do_not_stand_in_the_way() {
        // The ball passes through both walls, which would meet each other if walls met.
        let walls = [body(Static, 0b01, ALL, None), body(Kinematic, 0b01, ALL, None)];
        let [one, other] = walls;
        assert_same_pairs_meet(&[one, other, body(Dynamic, 0b10, 0b10, None), body(Dynamic, 0b11, ALL, None)]);
    }

    #[test]
    fn layers_that_no_groups_can_say_are_told_and_other_groups_stay() {
        // A ghost passes through two crates, which meet.
        let ghost = body(Dynamic, 0, 0, None);
        let crates = || body(Dynamic, ALL, ALL, None);
        let linked = || body(Dynamic, ALL, ALL, Some(3));
        let groups = groups_of(&[ghost, crates(), crates(), linked(), linked()]);
        assert_eq!(groups.iter().map(|g| g.is_exact).collect::<Vec<_>>(), [false, true, true, true, true]);
        let numbers: Vec<_> = groups.iter().map(|g| g.number).collect();
        assert_eq!(numbers, [None, None, None, Some(1), Some(1)]);
    }
}
