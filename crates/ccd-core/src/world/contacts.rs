//! The contacts of a pair, kept from step to step.

use std::sync::Arc;

use super::heirs::heirs_of;
use crate::contact::{
    Cluster, ContactCache, ContactHistory, ContactPoint, ContactSearch, Lineage, TangentPlane, find_clusters,
    find_contacts, find_contacts_by, turn_to_last_gap,
};
use crate::math::{Pose, Real, Vector};
use crate::motion::RigidMotion;
use crate::shape::Shape;

/// Impulses that differ by less than this share of them are the same: what changes no velocity by as much as is solved for.
const SAME_IMPULSE: Real = 1e-9;

/// The contacts between two bodies of a world, kept from step to step ([`crate::contact::ContactSet`] is for callers without one).
#[derive(Clone, Debug, Default)]
pub struct PairContacts {
    /// The contact points within the contact threshold.
    pub points: Vec<ContactPoint>,
    /// For each point the impulse on B over the last step, N·s.
    pub impulses: Vec<Vector>,
    /// For each point the impulse on B before [`PairContacts::solved_at`] within this step, N·s; `impulses` came after.
    pub(super) spent: Vec<Vector>,
    /// The angular impulse on B by which rolling was resisted over the last step, N·m·s, world.
    pub rolling: Vector,
    /// The same before [`PairContacts::solved_at`] within this step.
    spent_rolling: Vector,
    /// What shock propagation added to the impulses: for this step alone, N·s.
    pub(super) shock: Vec<Vector>,
    /// When the impulses were solved for, seconds from the start of the step.
    pub(super) solved_at: Real,
    /// The smallest separation of the points, metres; infinite without points.
    pub separation: Real,
    /// Whether the pair counts as touching: since it came within the tolerance, until it leaves the contact threshold; a sensor and what is in it
    /// also where their surfaces are further apart, and there are no points.
    pub touching: bool,
    /// The time of the step for which the points are, seconds from its start.
    pub(super) time: Real,
    /// How long the motions before the last meeting had lasted, seconds; none before a meeting within this step.
    pub(super) stretch: Option<Real>,
    /// At what rate the two came to approach over that stretch, if they touch nobody else, so that nothing but their turning led them back, m/s²; else
    /// zero.
    pub(super) pull: Real,
    /// The placements and the search for which the points are.
    found_for: Option<(Pose, Pose, ContactSearch)>,
    /// What only searches change: copies for other impulses share it.
    past: Arc<Past>,
}

/// What searches for a pair's contacts remember from one to the next.
#[derive(Clone, Debug, Default)]
struct Past {
    cache: ContactCache,
    lineage: Lineage,
}

impl PairContacts {
    /// What is known of each point's past, in the order of the points: its number within the pair, its age in updates, how
    /// it was recognised, and the rule that moves it.
    pub fn histories(&self) -> &[ContactHistory] {
        self.past.lineage.histories()
    }

    /// The tangent plane of each point, in their order: the normal, and the directions in which friction is solved for.
    pub fn tangent_planes(&self) -> impl Iterator<Item = TangentPlane> + '_ {
        self.points.iter().map(|p| TangentPlane::new(p.normal))
    }

    /// The points as clusters of which any two are less than 4 `tolerance` metres apart.
    pub fn clusters(&self, tolerance: Real) -> Vec<Cluster> {
        find_clusters(&self.points, tolerance)
    }

    /// Whether the contacts are known for these placements and this search, at the start of a step.
    pub(super) fn are_for(&self, a: &Pose, b: &Pose, search: &ContactSearch) -> bool {
        self.time == 0.0 && self.were_found_at(a, b, search)
    }

    /// Whether they were found at these placements, but for the rounding of their numbers, by this search.
    fn were_found_at(&self, a: &Pose, b: &Pose, search: &ContactSearch) -> bool {
        let is_here =
            |(at, bt, by): &(Pose, Pose, ContactSearch)| by == search && is_same_place(at, a) && is_same_place(bt, b);
        self.found_for.as_ref().is_some_and(is_here)
    }

    /// Finds the contacts where the motions start, unless they are known for these places, turned to where the gaps of what moves so close
    /// last; and carries impulses over to the points that are still there, by their features or, where these changed, by their place.
    /// Returns those that are no more, and what they pushed B by, N·s.
    pub(super) fn refresh(
        &mut self,
        moving_a: (&Shape, &RigidMotion),
        moving_b: (&Shape, &RigidMotion),
        search: &ContactSearch,
        time: Real,
    ) -> Vec<(ContactPoint, Vector)> {
        let (a, b) = ((moving_a.0, &moving_a.1.start), (moving_b.0, &moving_b.1.start));
        self.time = time;
        if self.were_found_at(a.1, b.1, search) {
            return Vec::new();
        }
        self.found_for = Some((*a.1, *b.1, *search));
        let old_points = std::mem::take(&mut self.points);
        let old_impulses = std::mem::take(&mut self.impulses);
        let old_spent = std::mem::take(&mut self.spent);
        let old_shock = std::mem::take(&mut self.shock);
        let past = Arc::make_mut(&mut self.past);
        find_contacts_by(a, b, search, &mut past.cache, &mut self.points);
        turn_to_last_gap(moving_a, moving_b, search.tolerance, &mut self.points);
        let succession = past.lineage.advance([a.1, b.1], &self.points, search.margin);
        let inherited = |old: &[Vector]| {
            let inherit = |(i, new): (usize, &ContactPoint)| match succession.ancestor(i) {
                Some(j) => turned(&old[j], &old_points[j].normal, &new.normal),
                None => Vector::zeros(),
            };
            self.points.iter().enumerate().map(inherit).collect::<Vec<_>>()
        };
        (self.impulses, self.spent, self.shock) =
            (inherited(&old_impulses), inherited(&old_spent), inherited(&old_shock));
        self.update_separation();
        let lives_on = |j: usize| (0..self.points.len()).any(|i| succession.ancestor(i) == Some(j));
        let left = (0..old_points.len()).map(|j| (j, old_impulses[j] + old_shock[j]));
        let left = left.filter(|&(j, pushed)| pushed != Vector::zeros() && !lives_on(j));
        left.map(|(j, pushed)| (old_points[j], pushed)).collect()
    }

    /// Hands what contacts that are no more pushed, N·s, over to those that are there: all together, or else those that can be.
    pub(super) fn hand_over(&mut self, ended: &[(ContactPoint, Vector)]) {
        if !self.inherit(ended) && ended.len() > 1 {
            for each in ended.chunks(1) {
                self.inherit(each);
            }
        }
    }

    /// Whether the points that are there push what contacts that are no more pushed.
    fn inherit(&mut self, ended: &[(ContactPoint, Vector)]) -> bool {
        let lost: Vec<(ContactPoint, Real)> = ended.iter().map(|(p, pushed)| (*p, pushed.dot(&p.normal))).collect();
        let own: Vec<Real> = self.points.iter().zip(&self.impulses).map(|(p, pushes)| pushes.dot(&p.normal)).collect();
        let Some(pushes) = heirs_of(&lost, &self.points, &own) else { return false };
        // What rubbed, where it is pushed now.
        let sum: Real = pushes.iter().sum();
        for (k, (point, impulse)) in self.points.iter().zip(&mut self.impulses).enumerate() {
            *impulse += point.normal * (pushes[k] - own[k]);
            for (gone, pushed) in ended {
                let rubbed = pushed - gone.normal * pushed.dot(&gone.normal);
                *impulse += (rubbed - point.normal * rubbed.dot(&point.normal)) * (pushes[k] / sum);
            }
        }
        true
    }

    /// The contacts that the pair would have at other placements.
    pub(super) fn points_at(&self, a: (&Shape, &Pose), b: (&Shape, &Pose), threshold: Real) -> Vec<ContactPoint> {
        let mut points = Vec::new();
        find_contacts(a.0, a.1, b.0, b.1, threshold, &mut self.past.cache.aside(), &mut points);
        points
    }

    /// What searches for the pair's contacts remember.
    pub(super) fn cache(&self) -> &ContactCache {
        &self.past.cache
    }

    /// Adds a point that the search at these placements did not give.
    pub(super) fn push(&mut self, poses: [&Pose; 2], point: ContactPoint) {
        Arc::make_mut(&mut self.past).lineage.push(poses, &point);
        self.points.push(point);
        self.found_for = None;
        self.impulses.push(Vector::zeros());
        self.spent.push(Vector::zeros());
        self.shock.push(Vector::zeros());
        self.update_separation();
    }

    /// Takes the impulses from time `t` of a step of `dt` to its end, and what shock propagation adds to them; N·s.
    pub(super) fn solve(&mut self, (impulses, shock): (Vec<Vector>, Vec<Vector>), t: Real, dt: Real) {
        let share = self.share_before(t, dt);
        for (spent, former) in self.spent.iter_mut().zip(&self.impulses) {
            *spent += former * share;
        }
        self.spent_rolling += std::mem::take(&mut self.rolling) * share;
        (self.impulses, self.shock, self.solved_at) = (impulses, shock, t);
    }

    /// Whether these are, for all that anyone could tell, the impulses that it has for the whole of a step.
    pub(super) fn holds(&self, (impulses, shock): &(Vec<Vector>, Vec<Vector>), t: Real) -> bool {
        let same = |new: &[Vector], old: &[Vector]| {
            let alike = |(new, old): (&Vector, &Vector)| (new - old).amax() <= SAME_IMPULSE * old.amax();
            new.len() == old.len() && new.iter().zip(old).all(alike)
        };
        t == 0.0
            && self.solved_at == 0.0
            && self.spent.iter().all(|spent| *spent == Vector::zeros())
            && same(impulses, &self.impulses)
            && same(shock, &self.shock)
    }

    /// What part of the impulses acts before time `t` of a step of `dt`.
    pub(super) fn share_before(&self, t: Real, dt: Real) -> Real {
        if self.solved_at < dt { ((t - self.solved_at) / (dt - self.solved_at)).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Ends a step: the impulses are those over the whole of it.
    pub(super) fn end_step(&mut self) {
        for (impulse, spent) in self.impulses.iter_mut().zip(&mut self.spent) {
            *impulse += std::mem::take(spent);
        }
        self.rolling += std::mem::take(&mut self.spent_rolling);
        self.shock.fill(Vector::zeros());
        self.solved_at = 0.0;
        self.time = 0.0;
        self.stretch = None;
        self.pull = 0.0;
    }

    /// What was borne for the last step, for one that is this many times as long: what lies on something does not press it otherwise.
    pub(super) fn bear_for(&mut self, times_as_long: Real) {
        self.impulses.iter_mut().for_each(|impulse| *impulse *= times_as_long);
        self.rolling *= times_as_long;
    }

    fn update_separation(&mut self) {
        self.separation = self.points.iter().map(|p| p.separation).fold(Real::INFINITY, Real::min);
    }
}

/// Whether two poses differ by no more than the rounding of their numbers: what stands still is not searched again because a
/// step has rounded its place.
fn is_same_place(one: &Pose, other: &Pose) -> bool {
    const UNITS: Real = 4.0 * Real::EPSILON;
    let (p, q) = (&one.translation.vector, &other.translation.vector);
    (p - q).amax() <= UNITS * p.amax() && (one.rotation.coords - other.rotation.coords).amax() <= UNITS
}

/// An impulse of a contact whose normal changed: its push along the new normal, its friction in the new tangent plane.
pub(super) fn turned(impulse: &Vector, from: &Vector, to: &Vector) -> Vector {
    if from == to {
        return *impulse;
    }
    let push = impulse.dot(from);
    let rub = impulse - from * push;
    to * push + rub - to * rub.dot(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::feature::{Feature, FeaturePair};
    use crate::math::Point;

    #[test]
    fn what_a_lost_contact_carried_is_carried_by_those_around_it_besides_their_own() {
        let contact = |x: Real, z: Real| {
            let features = FeaturePair { a: Feature::Face(0), b: Feature::Vertex(0) };
            let point = Point::new(x, 0.0, z);
            ContactPoint { point_a: point, point_b: point, normal: Vector::y(), separation: 0.0, features }
        };
        let still = Pose::identity();
        let mut contacts = PairContacts::default();
        for (x, z) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
            contacts.push([&still, &still], contact(x, z));
        }
        contacts.impulses.fill(Vector::y());
        contacts.hand_over(&[(contact(0.5, 0.5), Vector::new(0.0, 8.0, 2.0)), (contact(50.0, 0.5), Vector::y())]);
        for impulse in &contacts.impulses {
            assert!((impulse - Vector::new(0.0, 3.0, 0.5)).norm() < 1e-4, "{impulse}");
        }
    }
}
