//! What a contact that is no more pushed, handed over to those that the pair has left.
//!
//! **Problem.** Two faces that lie on each other may be held by other points from one step to the next: a corner slides over an
//! edge, or of more points than are kept others are kept. What the lost ones carried is carried by nobody then, all that stands
//! on it falls for a step, and in a heap of thousands there is no step without.
//!
//! **Idea.** The impulse goes to the pair's other points in shares that push at the same place as far as points that push can.
//!
//! **Guarantee.** What is pushed along the normals stays the same in sum, and nearly so its moment. What none of them can carry
//! there is handed to nobody.

use crate::contact::ContactPoint;
use crate::math::nonnegative::{MOST, settle};
use crate::math::{Real, Vector, orthonormal_basis};

/// Points whose normals agree less, as a cosine, carry nothing for each other.
const ALIKE: Real = 0.9;
/// What pushes further from the lost place than this share of the way to the furthest point turns bodies that stood: it is no heir.
const ASIDE: Real = 0.1;
/// How much more the sum of the shares counts than where they push.
const SUM: Real = 10.0;
/// Of equally good shares the most even ones.
const EVEN: Real = 1e-6;

/// The share of each point in what `lost` pushed: zero or more, together one; `None` where the points cannot push at its place.
pub(super) fn shares(points: &[ContactPoint], lost: &ContactPoint) -> Option<[Real; MOST]> {
    let count = points.len();
    if count > MOST {
        return None;
    }
    let (u, v) = orthonormal_basis(&lost.normal);
    let arm = |p: &ContactPoint| p.midpoint() - lost.midpoint();
    let size = points.iter().map(|p| arm(p).norm()).fold(0.0, Real::max);
    if size == 0.0 {
        return None;
    }
    // What each adds to the sum and to the place, in shares of the size.
    let rows: Vec<Vector> = points
        .iter()
        .map(|p| match p.normal.dot(&lost.normal) > ALIKE {
            true => Vector::new(SUM, arm(p).dot(&u) / size, arm(p).dot(&v) / size),
            false => Vector::zeros(),
        })
        .collect();
    let mut matrix = [0.0; MOST * MOST];
    let (mut residual, mut found) = ([0.0; MOST], [0.0; MOST]);
    for (i, row) in rows.iter().enumerate() {
        for (j, other) in rows.iter().enumerate() {
            matrix[i * count + j] = row.dot(other) + if i == j { EVEN } else { 0.0 };
        }
        residual[i] = SUM * row.x;
    }
    settle(&matrix, count, &mut residual, &mut found);
    let sum: Real = found.iter().sum();
    if sum <= 0.5 {
        return None;
    }
    let found = found.map(|share| share / sum);
    let aside: Vector = points.iter().zip(found).map(|(p, share)| arm(p) * share).sum();
    (aside.norm() <= ASIDE * size).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::feature::{Feature, FeaturePair};
    use crate::math::Point;
    use proptest::prelude::*;

    fn contact(x: Real, z: Real) -> ContactPoint {
        let point = Point::new(x, 0.0, z);
        let features = FeaturePair { a: Feature::Face(0), b: Feature::Vertex(0) };
        ContactPoint { point_a: point, point_b: point, normal: Vector::y(), separation: 0.0, features }
    }

    proptest! {
        #[test]
        fn what_was_carried_between_points_is_carried_there_by_all_of_them(
            places in prop::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64), 3..8),
            weights in prop::collection::vec(0.05..1.0_f64, 8),
        ) {
            let points: Vec<ContactPoint> = places.iter().map(|&(x, z)| contact(x, z)).collect();
            let sum: Real = weights.iter().take(points.len()).sum();
            let middle = |of: fn(&(Real, Real)) -> Real| -> Real {
                places.iter().zip(&weights).map(|(p, w)| of(p) * w / sum).sum()
            };
            let lost = contact(middle(|p| p.0), middle(|p| p.1));
            let shares = shares(&points, &lost).unwrap();
            prop_assert!(shares.iter().all(|share| *share >= 0.0));
            prop_assert!((shares.iter().sum::<Real>() - 1.0).abs() < 1e-9);
            let pushed: Vector = points.iter().zip(shares).map(|(p, share)| p.midpoint().coords * share).sum();
            prop_assert!((pushed - lost.midpoint().coords).norm() < 1e-3, "{pushed} for {}", lost.midpoint());
        }
    }

    #[test]
    fn points_that_cannot_push_where_one_is_lost_take_nothing_over() {
        let square = [contact(0.0, 0.0), contact(1.0, 0.0), contact(1.0, 1.0), contact(0.0, 1.0)];
        assert_eq!(shares(&square, &contact(2.0, 0.5)), None);
        assert_eq!(shares(&[contact(0.0, 0.0)], &contact(0.3, 0.0)), None);
        assert_eq!(shares(&[], &contact(0.0, 0.0)), None);
        let sideways = square.map(|p| ContactPoint { normal: Vector::x(), ..p });
        assert_eq!(shares(&sideways, &contact(0.5, 0.5)), None);
    }
}
