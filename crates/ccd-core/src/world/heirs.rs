//! What contacts that are no more pushed, handed over to those that their pair has left.
//!
//! **Problem.** Two faces that lie on each other may be held by other points from one step to the next: a corner slides over an
//! edge, or of more points than are kept others are kept. What the lost ones carried is carried by nobody then, all that stands
//! on it falls for a step, and in a heap of thousands there is no step without.
//!
//! **Idea.** The points that are there push as near to what they and the lost ones pushed together, force and moment, as points
//! that push can (non-negative least squares). All at once: of a round patch that turns, half of the points may be lost in one
//! step, each beyond where the others can push, but all together at its middle as before.
//!
//! **Guarantee.** Force and moment along the normals stay the same, nearly. Where none can carry them nothing is handed over.

use crate::contact::ContactPoint;
use crate::math::nonnegative::{MOST, settle};
use crate::math::{Point, Real, Vector};

/// What pushes further from where it was pushed than this share of the way to the furthest point turns bodies that stood: none is an
/// heir.
const ASIDE: Real = 0.1;
/// How much more the force counts than the moment.
const FORCE: Real = 10.0;
/// Of equally good pushes those that differ least from the points' own.
const OWN: Real = 1e-6;

/// A contact's force and moment about a place, for each newton along the normal; the moment in shares of a length.
#[derive(Clone, Copy)]
struct Wrench {
    force: Vector,
    moment: Vector,
}

impl Wrench {
    fn of(contact: &ContactPoint, about: &Point, size: Real) -> Self {
        Self { force: contact.normal, moment: (contact.midpoint() - about).cross(&contact.normal) / size }
    }

    fn dot(&self, other: &Self) -> Real {
        FORCE * FORCE * self.force.dot(&other.force) + self.moment.dot(&other.moment)
    }
}

/// What each of `points`, which push by `own` along their normals, pushes instead where `lost` pushed by what stands beside them;
/// N·s. `None` where the points cannot push at their place.
pub(super) fn heirs_of(lost: &[(ContactPoint, Real)], points: &[ContactPoint], own: &[Real]) -> Option<Vec<Real>> {
    let count = points.len();
    let pushed: Real = lost.iter().map(|(_, push)| push).sum();
    if count > MOST || pushed <= 0.0 {
        return None;
    }
    let weighted = lost.iter().map(|(contact, push)| contact.midpoint().coords * (push / pushed));
    let middle = Point::from(weighted.sum::<Vector>());
    let size = points.iter().map(|p| (p.midpoint() - middle).norm()).fold(0.0, Real::max);
    if size == 0.0 {
        return None;
    }
    let wrenches: Vec<Wrench> = points.iter().map(|p| Wrench::of(p, &middle, size)).collect();
    let gone: Vec<(Wrench, Real)> = lost.iter().map(|(p, push)| (Wrench::of(p, &middle, size), *push)).collect();
    let mut matrix = [0.0; MOST * MOST];
    let (mut residual, mut pushes) = ([0.0; MOST], [0.0; MOST]);
    for (i, wrench) in wrenches.iter().enumerate() {
        for (j, other) in wrenches.iter().enumerate() {
            matrix[i * count + j] = wrench.dot(other) + if i == j { OWN } else { 0.0 };
        }
        pushes[i] = own[i];
        residual[i] = gone.iter().map(|(other, push)| wrench.dot(other) * push).sum();
    }
    settle(&matrix, count, &mut residual, &mut pushes);
    let sum = |part: fn(&Wrench) -> Vector| -> Vector {
        let there = wrenches.iter().zip(pushes.iter().zip(own)).map(|(w, (push, own))| part(w) * (push - own));
        there.sum::<Vector>() - gone.iter().map(|(w, push)| part(w) * *push).sum::<Vector>()
    };
    let (force, moment) = (sum(|w| w.force), sum(|w| w.moment));
    (force.norm() <= ASIDE * pushed && moment.norm() <= ASIDE * pushed).then(|| pushes[..count].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::feature::{Feature, FeaturePair};
    use proptest::prelude::*;

    fn contact(x: Real, z: Real) -> ContactPoint {
        let point = Point::new(x, 0.0, z);
        let features = FeaturePair { a: Feature::Face(0), b: Feature::Vertex(0) };
        ContactPoint { point_a: point, point_b: point, normal: Vector::y(), separation: 0.0, features }
    }

    /// The sum of what is pushed, and its moments about the origin.
    fn total(contacts: &[ContactPoint], pushes: &[Real]) -> Vector {
        let each = |(p, push): (&ContactPoint, &Real)| Vector::new(1.0, p.midpoint().x, p.midpoint().z) * *push;
        contacts.iter().zip(pushes).map(each).sum()
    }

    proptest! {
        #[test]
        fn what_is_pushed_in_sum_and_where_stays_the_same_whoever_is_lost(
            places in prop::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64), 3..9),
            weights in prop::collection::vec(0.05..1.0_f64, 8),
            gone in prop::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64, 0.1..1.0_f64), 1..4),
            own in prop::collection::vec(0.0..1.0_f64, 8),
        ) {
            let points: Vec<ContactPoint> = places.iter().map(|&(x, z)| contact(x, z)).collect();
            let (weights, own) = (&weights[..points.len()], &own[..points.len()]);
            // Wherever they are, all together push between the points that are left.
            let sum: Real = gone.iter().map(|(.., push)| push).sum();
            let is = gone.iter().map(|&(x, z, push)| Vector::new(0.0, x, z) * (push / sum)).sum::<Vector>();
            let wanted = total(&points, weights) / weights.iter().sum::<Real>();
            let lost: Vec<(ContactPoint, Real)> =
                gone.iter().map(|&(x, z, push)| (contact(x + wanted.y - is.y, z + wanted.z - is.z), push)).collect();
            let pushes = heirs_of(&lost, &points, own).unwrap();
            prop_assert!(pushes.iter().all(|push| *push >= 0.0));
            let (contacts, lost_pushes): (Vec<_>, Vec<_>) = lost.into_iter().unzip();
            let change = total(&points, &pushes) - total(&points, own) - total(&contacts, &lost_pushes);
            prop_assert!(change.norm() < 1e-3 * sum, "{change}");
        }
    }

    #[test]
    fn points_that_cannot_push_where_some_are_lost_take_nothing_over() {
        let square = [contact(0.0, 0.0), contact(1.0, 0.0), contact(1.0, 1.0), contact(0.0, 1.0)];
        let nothing = [0.0; 4];
        assert_eq!(heirs_of(&[(contact(2.0, 0.5), 1.0)], &square, &nothing), None);
        assert_eq!(heirs_of(&[(contact(0.3, 0.0), 1.0)], &square[..1], &nothing[..1]), None);
        assert_eq!(heirs_of(&[(contact(0.0, 0.0), 1.0)], &[], &[]), None);
        assert_eq!(heirs_of(&[], &square, &nothing), None);
        let sideways = square.map(|p| ContactPoint { normal: Vector::x(), ..p });
        assert_eq!(heirs_of(&[(contact(0.5, 0.5), 1.0)], &sideways, &nothing), None);
    }
}
