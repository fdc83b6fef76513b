//! Which contacts of an update are which of the one before: what warm starts and messages hang on.
//!
//! Problem: a contact is found anew every time, and a corner that slides over a floor of many triangles touches another
//! triangle every few steps. By its features it would end and begin each time, and lose its impulse.
//!
//! Idea: a contact is first recognised by its features; what is left is matched by place, in the frame of the body over
//! which it moved less, and no further away than the bodies' relative motion since can have carried it.
//!
//! Source: Mirtich 1998, sections 3.1 and 3.2: a contact has its features for life. Here it also outlives a change of
//! features in the same place, because a seam of a tessellated surface is no event of the motion.

use super::ContactPoint;
use super::buffer::Buffer;
use super::tracked::TrackingRule;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Pose, Real, Vector};

/// A contact's number within its pair: given once, from zero on, and never again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId(pub u32);

/// How a contact was recognised at the last update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kinship {
    /// Not at all: it is new.
    New,
    /// By the same two features.
    Features,
    /// By its place: at least one of its features is another one now.
    Place,
}

/// What is known of one contact's past.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactHistory {
    /// Which contact it is.
    pub id: ContactId,
    /// How many updates ago it was new.
    pub age: u32,
    /// How it was recognised.
    pub kinship: Kinship,
    /// Its features now.
    pub features: FeaturePair,
    /// Its place in A's frame, metres.
    pub local_a: Point,
    /// Its place in B's frame, metres.
    pub local_b: Point,
    /// From A to B, unit, in A's frame.
    local_normal: Vector,
}

impl ContactHistory {
    /// The closed-form rule that follows its points while its features stay.
    pub fn rule(&self) -> TrackingRule {
        TrackingRule::of(&self.features)
    }

    const EMPTY: Self = Self {
        id: ContactId(0),
        age: 0,
        kinship: Kinship::New,
        features: FeaturePair { a: Feature::Vertex(0), b: Feature::Vertex(0) },
        local_a: Point::new(0.0, 0.0, 0.0),
        local_b: Point::new(0.0, 0.0, 0.0),
        local_normal: Vector::new(0.0, 0.0, 0.0),
    };

    fn of(contact: &ContactPoint, [pose_a, pose_b]: [&Pose; 2]) -> Self {
        Self {
            features: contact.features,
            local_a: pose_a.inverse_transform_point(&contact.midpoint()),
            local_b: pose_b.inverse_transform_point(&contact.midpoint()),
            local_normal: pose_a.inverse_transform_vector(&contact.normal),
            ..Self::EMPTY
        }
    }

    /// How far the contact moved over the body on which it moved less, metres: a corner that slides stays itself.
    fn distance_to(&self, old: &Self) -> Real {
        (self.local_a - old.local_a).norm().min((self.local_b - old.local_b).norm())
    }

    fn inherit(&mut self, old: &Self, kinship: Kinship) {
        (self.id, self.age, self.kinship) = (old.id, old.age.saturating_add(1), kinship);
    }
}

/// What became of the contacts at an update.
#[derive(Clone, Debug)]
pub struct Succession {
    from: Buffer<u32, 8>,
    ended: Buffer<ContactId, 8>,
}

impl Succession {
    const NEW: u32 = u32::MAX;

    /// Where contact `i` of the update stood in the one before; `None` for a new one.
    #[inline]
    pub fn ancestor(&self, i: usize) -> Option<usize> {
        self.from.get(i).filter(|&&j| j != Self::NEW).map(|&j| j as usize)
    }

    /// The contacts that are no more, in the order in which they stood.
    pub fn ended(&self) -> &[ContactId] {
        &self.ended
    }
}

/// The identities of one pair's contacts. No heap while there are at most four.
#[derive(Clone, Debug, PartialEq)]
pub struct Lineage {
    entries: Buffer<ContactHistory, 4>,
    /// B's frame in A's at the last update.
    b_in_a: Pose,
    next: u32,
}

impl Default for Lineage {
    fn default() -> Self {
        Self { entries: Buffer::new(ContactHistory::EMPTY), b_in_a: Pose::identity(), next: 0 }
    }
}

impl Lineage {
    /// What is known of the contacts, in the order of the last update.
    #[inline]
    pub fn histories(&self) -> &[ContactHistory] {
        &self.entries
    }

    /// Takes `fresh`, found at these poses, for the contacts from now on, and says which of them were there before.
    ///
    /// `slack` (metres) is how far a contact may be from where it was beyond what the bodies' relative motion explains: the
    /// margin they were found with. No old contact serves twice; of several the nearest does, so that the answer does not
    /// depend on the order of `fresh`. O(n) where no features changed, else O(n² log n).
    pub fn advance(&mut self, poses: [&Pose; 2], fresh: &[ContactPoint], slack: Real) -> Succession {
        let b_in_a = poses[0].inv_mul(poses[1]);
        let old = std::mem::replace(&mut self.entries, Buffer::new(ContactHistory::EMPTY));
        for contact in fresh {
            self.entries.push(ContactHistory::of(contact, poses));
        }
        let mut from = Buffer::new(Succession::NEW);
        for _ in fresh {
            from.push(Succession::NEW);
        }
        let mut succession = Succession { from, ended: Buffer::new(ContactId(0)) };
        if old.len() == fresh.len() && old.iter().zip(fresh).all(|(o, f)| o.features == f.features) {
            for (i, o) in old.iter().enumerate() {
                succession.from.as_mut_slice()[i] = i as u32;
                self.entries.as_mut_slice()[i].inherit(o, Kinship::Features);
            }
        } else {
            self.match_all(&old, &b_in_a, slack, &mut succession);
        }
        for entry in self.entries.as_mut_slice() {
            if entry.kinship == Kinship::New {
                entry.id = ContactId(self.next);
                self.next += 1;
            }
        }
        self.b_in_a = b_in_a;
        succession
    }

    /// Adds one contact to those of the last update, which it is not among.
    pub fn push(&mut self, poses: [&Pose; 2], contact: &ContactPoint) -> ContactId {
        let id = ContactId(self.next);
        self.next += 1;
        self.entries.push(ContactHistory { id, ..ContactHistory::of(contact, poses) });
        id
    }

    /// Keeps the contacts for which `keep` says so, told where each stands.
    pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut kept = Buffer::new(ContactHistory::EMPTY);
        for (i, entry) in self.entries.iter().enumerate() {
            if keep(i) {
                kept.push(*entry);
            }
        }
        self.entries = kept;
    }

    fn match_all(&mut self, old: &Buffer<ContactHistory, 4>, b_in_a: &Pose, slack: Real, succession: &mut Succession) {
        // What rolls moves over both bodies as far as its middle does.
        let way = |from: &Pose, to: &Pose| (to.translation.vector - from.translation.vector).norm();
        let rolled = way(&self.b_in_a, b_in_a).min(way(&self.b_in_a.inverse(), &b_in_a.inverse()));
        // All likenesses first, the best first: features before place, the nearest before the others.
        let mut likenesses: Vec<(bool, Real, usize, usize)> = Vec::with_capacity(old.len() * self.entries.len());
        for (j, o) in old.iter().enumerate() {
            let slid = (b_in_a * o.local_b - self.b_in_a * o.local_b).norm();
            let reach = slack + 2.0 * (slid + rolled);
            for (i, entry) in self.entries.iter().enumerate() {
                let distance = entry.distance_to(o);
                let same = entry.features == o.features;
                if same || distance <= reach && entry.local_normal.dot(&o.local_normal) > 0.5 {
                    likenesses.push((!same, distance, i, j));
                }
            }
        }
        likenesses.sort_by(|p, q| p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)).then((p.2, p.3).cmp(&(q.2, q.3))));
        let mut used = vec![false; old.len()];
        for (by_place, _, i, j) in likenesses {
            if !used[j] && succession.from[i] == Succession::NEW {
                used[j] = true;
                succession.from.as_mut_slice()[i] = j as u32;
                let kinship = if by_place { Kinship::Place } else { Kinship::Features };
                self.entries.as_mut_slice()[i].inherit(&old[j], kinship);
            }
        }
        for (o, _) in old.iter().zip(&used).filter(|(_, used)| !**used) {
            succession.ended.push(o.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(x: Real, face: u32, vertex: u32) -> ContactPoint {
        ContactPoint {
            point_a: Point::new(x, 0.0, 0.0),
            point_b: Point::new(x, 0.0, 0.0),
            normal: Vector::y(),
            separation: 0.0,
            features: FeaturePair { a: Feature::Face(face), b: Feature::Vertex(vertex) },
        }
    }

    fn ids(lineage: &Lineage) -> Vec<(u32, u32, Kinship)> {
        lineage.histories().iter().map(|h| (h.id.0, h.age, h.kinship)).collect()
    }

    #[test]
    fn a_corner_that_slides_from_triangle_to_triangle_stays_the_same_contact() {
        let mut lineage = Lineage::default();
        let floor = Pose::identity();
        for k in 0..50_u32 {
            // 80 mm a step, far more than any margin: the corners stay where they are on their own body.
            let x = 0.08 * f64::from(k);
            let found = [contact(x, 2 * k, 0), contact(x + 1.0, 2 * k + 1, 1)];
            let gone = lineage.advance([&floor, &Pose::translation(x, 0.0, 0.0)], &found, 1e-3);
            assert!(gone.ended().is_empty());
        }
        assert_eq!(ids(&lineage), [(0, 49, Kinship::Place), (1, 49, Kinship::Place)]);
    }

    #[test]
    fn a_ball_that_rolls_stays_the_same_contact_on_every_triangle() {
        let (mut lineage, radius) = (Lineage::default(), 0.15);
        for k in 0..50_u32 {
            let x = 0.08 * f64::from(k);
            let turn = crate::math::Rotation::from_scaled_axis(Vector::new(0.0, 0.0, -x / radius));
            let ball = Pose::from_parts([x, radius, 0.0].into(), turn);
            let mut found = contact(x, k, 0);
            found.features.b = Feature::Face(0);
            lineage.advance([&Pose::identity(), &ball], &[found], 1e-3);
        }
        assert_eq!(ids(&lineage), [(0, 49, Kinship::Place)]);
    }

    #[test]
    fn a_contact_elsewhere_is_new_and_the_old_one_has_ended() {
        let mut lineage = Lineage::default();
        let still = Pose::identity();
        lineage.advance([&still, &still], &[contact(0.0, 1, 0), contact(1.0, 1, 1)], 1e-3);
        let change = lineage.advance([&still, &still], &[contact(0.5, 1, 2), contact(1.0, 1, 1)], 1e-3);
        assert_eq!((change.ended(), change.ancestor(0), change.ancestor(1)), (&[ContactId(0)][..], None, Some(1)));
        assert_eq!(ids(&lineage), [(2, 0, Kinship::New), (1, 1, Kinship::Features)]);
        // Numbers are not given twice: the first comes back as another one.
        lineage.advance([&still, &still], &[contact(0.0, 1, 0)], 1e-3);
        assert_eq!(ids(&lineage), [(3, 0, Kinship::New)]);
    }

    #[test]
    fn two_contacts_of_the_same_features_are_told_apart_by_place_in_any_order() {
        let mut lineage = Lineage::default();
        let still = Pose::identity();
        lineage.advance([&still, &still], &[contact(0.0, 1, 0), contact(1.0, 1, 0), contact(2.0, 1, 0)], 1e-3);
        lineage.advance([&still, &still], &[contact(2.0001, 1, 0), contact(0.0001, 1, 0)], 1e-3);
        assert_eq!(ids(&lineage), [(2, 1, Kinship::Features), (0, 1, Kinship::Features)]);
    }
}
