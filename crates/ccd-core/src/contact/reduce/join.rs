//! One place of contact is one contact, however many pairs of features find it.

use super::SAME_DIRECTION;
use crate::contact::ContactPoint;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::Real;

/// Joins points of the same place and direction; of each group the contact kept the last time stays, else that of the most definite features.
pub(in crate::contact) fn join_places(
    points: &mut Vec<ContactPoint>,
    start: usize,
    previous: &[FeaturePair],
    same_place: Real,
) {
    let count = points.len() - start;
    if count < 2 {
        return;
    }
    // Few points are compared all with all; many are sorted along an axis, so that only neighbours are.
    let many = count > 24;
    if many {
        points[start..].sort_by(|p, q| p.point_a.x.total_cmp(&q.point_a.x).then(p.features.cmp(&q.features)));
    }
    let rank = |p: &ContactPoint| (!previous.contains(&p.features), definiteness(&p.features), p.features);
    let mut kept = start;
    for i in start..points.len() {
        let p = points[i];
        let mut twin = None;
        for (j, q) in points[start..kept].iter().enumerate().rev() {
            // Where a group was joined, its place may be up to one radius behind.
            if many && q.point_a.x < p.point_a.x - 2.0 * same_place {
                break;
            }
            let near = (p.point_a - q.point_a).amax() <= same_place || (p.point_b - q.point_b).amax() <= same_place;
            if near
                && (p.midpoint() - q.midpoint()).amax() <= 2.0 * same_place
                && p.normal.dot(&q.normal) > SAME_DIRECTION
            {
                twin = Some(start + j);
                break;
            }
        }
        match twin {
            Some(j) => {
                if rank(&p) < rank(&points[j]) {
                    points[j] = p;
                }
            }
            None => {
                points[kept] = p;
                kept += 1;
            }
        }
    }
    points.truncate(kept);
}

/// Vaněček's priority: how well the features define a tangent plane; lower is better.
pub(in crate::contact) fn definiteness(features: &FeaturePair) -> u8 {
    use Feature::{Edge, Face, Vertex};
    match (features.a, features.b) {
        (Face(_), _) | (_, Face(_)) => 0,
        (Edge(_), Edge(_)) => 1,
        (Edge(_), Vertex(_)) | (Vertex(_), Edge(_)) => 2,
        (Vertex(_), Vertex(_)) => 3,
    }
}
