//! The contacts of a pair over time: what a solver warm-starts from and messages tell of.
//!
//! Two ways to keep a set, which may be mixed:
//! * [`ContactSet::update`]: all contacts are found at once ([`super::find_contacts`]), and recognised by a [`Lineage`];
//! * [`ContactSet::track`] and [`ContactSet::grow`], the paper's: contacts move along their features by the closed-form
//!   rules and end where these say so; a new one is added at the time at which a pair of features that is not in the set
//!   becomes the closest ([`super::next_new_pair`]).
//!
//! For callers that keep contacts themselves. A world keeps its own ([`crate::world::PairContacts`]), recognised by the same
//! [`Lineage`]: it looks in the middle of steps too, so that an impulse is in parts there, before and after a meeting.
//!
//! Source: Mirtich 1998, sections 3.1 and 3.2.

use super::ContactPoint;
use super::event::{ContactEvent, Hysteresis, Transition};
use super::lineage::{ContactHistory, ContactId, Lineage};
use super::tracked::{Tracked, track};
use crate::geometry::feature::FeaturePair;
use crate::math::{Pose, Real, Vector};
use crate::shape::Shape;

/// A contact point with the impulses that acted there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetPoint {
    /// The contact as found last.
    pub contact: ContactPoint,
    /// The impulse along the normal that acted on B the last time, N·s, never negative.
    pub normal_impulse: Real,
    /// The friction impulse that acted on B the last time, N·s, world, perpendicular to the normal.
    pub friction_impulse: Vector,
}

/// A contact that is no more, with the reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndedContact {
    /// Which it was.
    pub id: ContactId,
    /// Its features.
    pub features: FeaturePair,
    /// Why: [`Tracked::LeftRegion`] or [`Tracked::Separated`].
    pub reason: Tracked,
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
    lineage: Lineage,
}

impl<K: Copy> ContactSet<K> {
    /// A pair without contacts.
    pub fn new(pair: K) -> Self {
        Self { pair, points: Vec::new(), age: 0, touching: false, lineage: Lineage::default() }
    }

    /// Whether the pair touches, by the hysteresis of its last update.
    ///
    /// ```
    /// use ccd_core::contact::{ContactSet, Hysteresis, find_all_contacts};
    /// use ccd_core::math::Pose;
    /// use ccd_core::shape::Shape;
    ///
    /// let (floor, ball) = (Shape::cuboid([1.0, 0.5, 1.0])?, Shape::ball(0.1)?);
    /// let margins = Hysteresis::new(1e-3, 2e-3)?;
    /// let mut set = ContactSet::new("the ball on the floor");
    /// for (gap, touches) in [(1.5e-3, false), (0.5e-3, true), (1.5e-3, true), (2.5e-3, false)] {
    ///     let poses = [Pose::identity(), Pose::translation(0.0, 0.6 + gap, 0.0)];
    ///     let mut found = Vec::new();
    ///     find_all_contacts(&floor, &poses[0], &ball, &poses[1], margins.leave(), &mut found);
    ///     set.update([&poses[0], &poses[1]], &found, 1e-3, &margins);
    ///     assert_eq!(set.is_touching(), touches, "at {gap} m");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_touching(&self) -> bool {
        self.touching
    }

    /// What is known of each point's past, in the order of the points.
    pub fn histories(&self) -> &[ContactHistory] {
        self.lineage.histories()
    }

    /// Whether a contact of these features is in the set.
    pub fn contains(&self, features: &FeaturePair) -> bool {
        self.points.iter().any(|p| p.contact.features == *features)
    }

    /// The smallest separation of its points, metres; `None` without points.
    pub fn separation(&self) -> Option<Real> {
        self.points.iter().map(|p| p.contact.separation).reduce(Real::min)
    }

    /// Replaces the points by `fresh` (found with a margin of `hysteresis.leave()` at these poses); each keeps the
    /// impulses and identity of the old point that it is, by [`Lineage::advance`] with `slack` metres.
    ///
    /// Friction is turned into the new tangent plane.
    pub fn update(
        &mut self,
        poses: [&Pose; 2],
        fresh: &[ContactPoint],
        slack: Real,
        hysteresis: &Hysteresis,
    ) -> Option<Transition> {
        let succession = self.lineage.advance(poses, fresh, slack);
        let old = std::mem::take(&mut self.points);
        self.points = fresh.iter().map(SetPoint::new).collect();
        for (i, point) in self.points.iter_mut().enumerate() {
            if let Some(j) = succession.ancestor(i) {
                point.inherit(&old[j]);
            }
        }
        self.settle(hysteresis)
    }

    /// Moves every contact along its features to these poses, by the closed-form rules ([`track`]), and lets those end whose
    /// points have left their features or are further apart than `hysteresis.leave()`; says which. Contacts without a rule stay as they
    /// are until the next [`ContactSet::update`].
    pub fn track(
        &mut self,
        (shape_a, pose_a): (&Shape, &Pose),
        (shape_b, pose_b): (&Shape, &Pose),
        hysteresis: &Hysteresis,
    ) -> (Option<Transition>, Vec<EndedContact>) {
        let mut ended = Vec::new();
        let mut moved: Vec<SetPoint> = Vec::with_capacity(self.points.len());
        let mut kept = Vec::with_capacity(self.points.len());
        for (point, history) in self.points.iter().zip(self.lineage.histories()) {
            let tracked = track(&point.contact, (shape_a, pose_a), (shape_b, pose_b), hysteresis.leave());
            kept.push(matches!(tracked, Tracked::Active(_) | Tracked::Untracked));
            match tracked {
                Tracked::Active(contact) => {
                    let mut now = SetPoint::new(&contact);
                    now.inherit(point);
                    moved.push(now);
                }
                Tracked::Untracked => moved.push(*point),
                reason => ended.push(EndedContact { id: history.id, features: history.features, reason }),
            }
        }
        self.lineage.retain(|i| kept[i]);
        let contacts: Vec<ContactPoint> = moved.iter().map(|p| p.contact).collect();
        self.lineage.advance([pose_a, pose_b], &contacts, 0.0);
        self.points = moved;
        (self.settle(hysteresis), ended)
    }

    /// Adds a contact at these poses, unless one of its features is in the set; `None` then. It counts from the next
    /// [`ContactSet::track`] or [`ContactSet::update`] on for whether the pair touches.
    pub fn grow(&mut self, poses: [&Pose; 2], contact: &ContactPoint) -> Option<ContactId> {
        if self.contains(&contact.features) {
            return None;
        }
        self.points.push(SetPoint::new(contact));
        Some(self.lineage.push(poses, contact))
    }

    /// Whether the pair touches now, with its age.
    fn settle(&mut self, hysteresis: &Hysteresis) -> Option<Transition> {
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
    fn new(contact: &ContactPoint) -> Self {
        Self { contact: *contact, normal_impulse: 0.0, friction_impulse: Vector::zeros() }
    }

    /// Takes over the impulses of `old`.
    fn inherit(&mut self, old: &Self) {
        let n = self.contact.normal;
        self.normal_impulse = old.normal_impulse;
        self.friction_impulse = old.friction_impulse - n * n.dot(&old.friction_impulse);
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
    use crate::geometry::feature::Feature;
    use crate::math::Point;

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
        let impulses: Vec<_> = set.points.iter().zip(set.histories()).map(|(p, h)| (p.normal_impulse, h.age)).collect();
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
