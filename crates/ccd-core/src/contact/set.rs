//! The contacts of a pair over time: what a solver warm-starts from.
//!
//! Source: Mirtich 1998, sections 3.1 and 3.2: a contact keeps its features for life. Here the points are found anew every time, and matched with
//! the old ones by their features; a contact that slid from one feature to the next is matched by its place.

use super::ContactPoint;
use super::event::{ContactEvent, Hysteresis, Transition};
use crate::math::{Point, Pose, Real, Vector};

/// A contact point with its history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetPoint {
    /// The contact as found last.
    pub contact: ContactPoint,
    /// The impulse along the normal that acted on B the last time, N·s, never negative.
    pub normal_impulse: Real,
    /// The friction impulse that acted on B the last time, N·s, world, perpendicular to the normal.
    pub friction_impulse: Vector,
    /// How many updates ago the contact was new.
    pub age: u32,
    /// The contact's place in A's frame.
    local_a: Point,
    /// The contact's place in B's frame.
    local_b: Point,
}

/// The contacts of one pair, kept from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSet<K> {
    /// The pair.
    pub pair: K,
    /// The points, in the order they were found.
    pub points: Vec<SetPoint>,
    /// How many updates ago the pair began to touch; zero while it does not.
    pub age: u32,
    touching: bool,
}

impl<K: Copy> ContactSet<K> {
    /// A pair without contacts.
    pub fn new(pair: K) -> Self {
        Self { pair, points: Vec::new(), age: 0, touching: false }
    }

    /// Whether the pair touches, by the hysteresis of its last update.
    pub fn is_touching(&self) -> bool {
        self.touching
    }

    /// The smallest separation of its points, metres; `None` without points.
    pub fn separation(&self) -> Option<Real> {
        self.points.iter().map(|p| p.contact.separation).reduce(Real::min)
    }

    /// Replaces the points by `fresh` (found with a margin of `hysteresis.leave()` at these poses); each keeps the
    /// impulses and age of the old point with its features, else of the nearest old point within `reach` metres in the
    /// frame of either body, no old point serving twice.
    ///
    /// Friction is turned into the new tangent plane. O(old × new).
    pub fn update(
        &mut self,
        [pose_a, pose_b]: [&Pose; 2],
        fresh: &[ContactPoint],
        reach: Real,
        hysteresis: &Hysteresis,
    ) -> Option<Transition> {
        let old = std::mem::take(&mut self.points);
        let mut used = vec![false; old.len()];
        self.points.extend(fresh.iter().map(|contact| SetPoint {
            contact: *contact,
            normal_impulse: 0.0,
            friction_impulse: Vector::zeros(),
            age: 0,
            local_a: pose_a.inverse_transform_point(&contact.midpoint()),
            local_b: pose_b.inverse_transform_point(&contact.midpoint()),
        }));
        let mut unmatched = Vec::new();
        for (i, point) in self.points.iter_mut().enumerate() {
            let same = |p: &SetPoint| p.contact.features == point.contact.features;
            match old.iter().zip(&used).position(|(p, used)| !used && same(p)) {
                Some(j) => {
                    used[j] = true;
                    point.inherit(&old[j]);
                }
                None => unmatched.push(i),
            }
        }
        // All distances first, the shortest match first: the result does not depend on the order of the points.
        let mut matches: Vec<(Real, usize, usize)> = Vec::new();
        for &i in &unmatched {
            for (j, p) in old.iter().enumerate().filter(|(j, _)| !used[*j]) {
                let distance = self.points[i].distance_to(p);
                if distance <= reach && self.points[i].contact.normal.dot(&p.contact.normal) > 0.5 {
                    matches.push((distance, i, j));
                }
            }
        }
        matches.sort_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
        for (_, i, j) in matches {
            if !used[j] && self.points[i].age == 0 {
                used[j] = true;
                self.points[i].inherit(&old[j]);
            }
        }

        let touches = hysteresis.touches(self.touching, self.separation());
        let transition = match (self.touching, touches) {
            (false, true) => Some(Transition::Started),
            (true, false) => Some(Transition::Ended),
            _ => None,
        };
        self.age = if self.touching && touches { self.age.saturating_add(1) } else { 0 };
        self.touching = touches;
        transition
    }
}

impl SetPoint {
    /// Takes over the history of `old`.
    fn inherit(&mut self, old: &Self) {
        let n = self.contact.normal;
        self.normal_impulse = old.normal_impulse;
        self.friction_impulse = old.friction_impulse - n * n.dot(&old.friction_impulse);
        self.age = old.age.saturating_add(1);
    }

    /// How far the contact moved over the body on which it moved less, metres: a corner that slides stays itself.
    fn distance_to(&self, old: &Self) -> Real {
        (self.local_a - old.local_a).norm().min((self.local_b - old.local_b).norm())
    }
}

/// The contact sets of many pairs, in ascending order of their pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSets<K> {
    sets: Vec<ContactSet<K>>,
}

impl<K> Default for ContactSets<K> {
    fn default() -> Self {
        Self { sets: Vec::new() }
    }
}

impl<K: Copy + Ord> ContactSets<K> {
    /// The sets, in ascending order of their pairs.
    pub fn as_slice(&self) -> &[ContactSet<K>] {
        &self.sets
    }

    /// The sets, in ascending order of their pairs; to store impulses.
    pub fn as_mut_slice(&mut self) -> &mut [ContactSet<K>] {
        &mut self.sets
    }

    /// The set of a pair.
    pub fn get(&self, pair: &K) -> Option<&ContactSet<K>> {
        self.sets.binary_search_by(|s| s.pair.cmp(pair)).ok().map(|i| &self.sets[i])
    }

    /// The set of a pair, made if there is none.
    pub fn get_or_insert(&mut self, pair: K) -> &mut ContactSet<K> {
        let i = match self.sets.binary_search_by(|s| s.pair.cmp(&pair)) {
            Ok(i) => i,
            Err(i) => {
                self.sets.insert(i, ContactSet::new(pair));
                i
            }
        };
        &mut self.sets[i]
    }

    /// Drops the sets for which `keep` is false (pairs that are no candidates any more, bodies that are gone) and
    /// reports those that touched as ended.
    pub fn retain(&mut self, mut keep: impl FnMut(&K) -> bool, events: &mut Vec<ContactEvent<K>>) {
        self.sets.retain(|set| {
            let kept = keep(&set.pair);
            if !kept && set.touching {
                events.push(ContactEvent { pair: set.pair, transition: Transition::Ended });
            }
            kept
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::feature::{Feature, FeaturePair};

    fn contact(x: Real, separation: Real, face: u32) -> ContactPoint {
        ContactPoint {
            point_a: Point::new(x, 0.0, 0.0),
            point_b: Point::new(x, separation, 0.0),
            normal: Vector::y(),
            separation,
            features: FeaturePair { a: Feature::Face(face), b: Feature::Vertex(1) },
        }
    }

    fn margins() -> Hysteresis {
        Hysteresis::new(1e-3, 2e-3).unwrap()
    }

    #[test]
    fn a_contact_keeps_its_impulses_by_features_and_by_place() {
        let mut set = ContactSet::new(7);
        let still = Pose::identity();
        assert_eq!(
            set.update([&still, &still], &[contact(0.0, 0.0, 3), contact(1.0, 0.0, 4)], 0.01, &margins()),
            Some(Transition::Started)
        );
        set.points[0].normal_impulse = 5.0;
        set.points[1].normal_impulse = 7.0;
        set.points[1].friction_impulse = Vector::new(1.0, 0.0, 0.0);
        // Face 4 was left for face 5 nearby; face 3 is still there, but far away; a new contact has no history.
        let moved = [contact(9.0, 0.0, 8), contact(1.001, 0.0, 5), contact(0.5, 0.0, 3)];
        assert_eq!(set.update([&still, &still], &moved, 0.01, &margins()), None);
        let impulses: Vec<_> = set.points.iter().map(|p| (p.normal_impulse, p.age)).collect();
        assert_eq!(impulses, [(0.0, 0), (7.0, 1), (5.0, 1)]);
        assert_eq!(set.points[1].friction_impulse, Vector::new(1.0, 0.0, 0.0));
        assert_eq!(set.age, 1);
    }

    #[test]
    fn places_are_compared_on_the_bodies_not_in_the_world() {
        let mut set = ContactSet::new(());
        let (here, there) = (Pose::identity(), Pose::translation(100.0, 0.0, 0.0));
        set.update([&here, &here], &[contact(0.0, 0.0, 3)], 0.01, &margins());
        set.points[0].normal_impulse = 5.0;
        // Both bodies flew 100 m together, and the contact is on another face now.
        set.update([&there, &there], &[contact(100.0, 0.0, 4)], 0.01, &margins());
        assert_eq!(set.points[0].normal_impulse, 5.0);
    }

    #[test]
    fn started_and_ended_alternate_and_a_dropped_pair_ends() {
        let still = Pose::identity();
        let mut sets = ContactSets::default();
        let mut events = Vec::new();
        for (pair, separation) in [(2, 0.0), (1, 0.0), (2, 1.5e-3), (1, 5e-3), (1, 5e-3)] {
            let fresh: Vec<_> =
                Some(contact(0.0, separation, 0)).into_iter().filter(|c| c.separation <= 2e-3).collect();
            let change = sets.get_or_insert(pair).update([&still, &still], &fresh, 0.01, &margins());
            events.extend(change.map(|transition| ContactEvent { pair, transition }));
        }
        sets.retain(|_| false, &mut events);
        use Transition::{Ended, Started};
        let seen: Vec<_> = events.iter().map(|e| (e.pair, e.transition)).collect();
        assert_eq!(seen, [(2, Started), (1, Started), (1, Ended), (2, Ended)]);
        assert!(sets.as_slice().is_empty());
    }
}
