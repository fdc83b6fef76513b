//! Which of many contact points are kept.
//!
//! Problem: a face on a triangulated floor, or two polygons with many corners, meet in more points than a solver should
//! see, and most of them add nothing: a rigid body that is held at the corners of a flat patch is held inside it.
//!
//! Idea: points of one place are joined; points of one normal direction make a cluster; of each cluster the deepest
//! point and the three that span the largest area with it are kept. For solids that are not convex the rest is looked
//! at again: what lies outside the kept points, or deeper than they say, makes a further cluster, until nothing does,
//! so that no needed support is lost to a fixed number. Points kept the last time are preferred where the choice is
//! close, so that the set does not change with every rounding.

use super::ContactPoint;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Real, Vector, orthonormal_basis};

/// How to reduce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// Points nearer than this, with like normals, are one, metres.
    pub same_place: Real,
    /// Differences of separation below this do not matter, metres.
    pub same_depth: Real,
    /// Whether more than four points of one direction may be kept where four leave out support: not needed between
    /// convex solids, where the patch is one convex polygon.
    pub several_patches: bool,
}

/// Normals within about 11° are one cluster.
const SAME_DIRECTION: Real = 0.98;
/// How much better a new choice must be to replace a point that was kept the last time.
const LOYALTY: Real = 1.1;
/// The share of the kept points' size by which a point must lie outside of them to be missed.
const OUTSIDE: Real = 0.15;

/// Reduces `points[start..]` to a representative set, in a deterministic order; `previous` are the features kept the
/// last time. O(n log n + kept · n).
pub fn reduce(points: &mut Vec<ContactPoint>, start: usize, previous: &[FeaturePair], reduction: &Reduction) {
    join_places(points, start, previous, reduction.same_place);
    if points.len() - start <= 4 {
        return;
    }
    let mut remaining: Vec<Candidate> = points
        .drain(start..)
        .map(|point| Candidate { point, loyal: previous.contains(&point.features), x: 0.0, y: 0.0 })
        .collect();
    while let Some(seed) = deepest(&remaining, reduction.same_depth) {
        let normal = remaining[seed].point.normal;
        let (like, other): (Vec<_>, Vec<_>) =
            remaining.into_iter().partition(|c| c.point.normal.dot(&normal) > SAME_DIRECTION);
        remaining = other;
        keep_representatives(like, &normal, reduction, points);
    }
}

#[derive(Clone, Copy)]
struct Candidate {
    point: ContactPoint,
    /// Whether it was kept the last time.
    loyal: bool,
    /// Its place seen along the cluster's normal.
    x: Real,
    y: Real,
}

impl Candidate {
    fn loyalty(&self) -> Real {
        if self.loyal { LOYALTY } else { 1.0 }
    }
}

/// Joins points of the same place and direction; of each group the contact kept the last time stays, else that of the most definite features.
fn join_places(points: &mut Vec<ContactPoint>, start: usize, previous: &[FeaturePair], same_place: Real) {
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
pub(super) fn definiteness(features: &FeaturePair) -> u8 {
    use Feature::{Edge, Face, Vertex};
    match (features.a, features.b) {
        (Face(_), _) | (_, Face(_)) => 0,
        (Edge(_), Edge(_)) => 1,
        (Edge(_), Vertex(_)) | (Vertex(_), Edge(_)) => 2,
        (Vertex(_), Vertex(_)) => 3,
    }
}

/// The deepest candidate; among those within `same_depth` of it the first that was kept the last time, else the first by features.
fn deepest(candidates: &[Candidate], same_depth: Real) -> Option<usize> {
    let depth = candidates.iter().map(|c| c.point.separation).reduce(Real::min)?;
    let tied = |c: &Candidate| c.point.separation <= depth + same_depth;
    (0..candidates.len())
        .filter(|&i| tied(&candidates[i]))
        .min_by_key(|&i| (!candidates[i].loyal, candidates[i].point.features))
}

/// Keeps four points of one direction, and further fours while the kept ones leave out support and that is asked for.
fn keep_representatives(
    mut cluster: Vec<Candidate>,
    normal: &Vector,
    reduction: &Reduction,
    kept: &mut Vec<ContactPoint>,
) {
    let (t, s) = orthonormal_basis(normal);
    let Some(origin) = cluster.first().map(|c| c.point.point_a) else { return };
    for c in &mut cluster {
        let place = c.point.midpoint() - origin;
        (c.x, c.y) = (place.dot(&t), place.dot(&s));
    }
    let mut chosen: Vec<Candidate> = Vec::with_capacity(8);
    while !cluster.is_empty() {
        if cluster.len() <= 4 {
            chosen.append(&mut cluster);
            break;
        }
        choose_four(&mut cluster, &mut chosen, reduction);
        if !reduction.several_patches {
            break;
        }
        let hull = hull(&chosen);
        let span = |coordinate: fn(&Candidate) -> Real| {
            let all = hull.iter().map(coordinate);
            all.clone().fold(Real::MIN, Real::max) - all.fold(Real::MAX, Real::min)
        };
        let outside = OUTSIDE * span(|c| c.x).max(span(|c| c.y));
        cluster.retain(|c| is_missed(c, &hull, outside, reduction));
    }
    kept.extend(chosen.iter().map(|c| c.point));
}

/// Moves the deepest point and the three that span the most with it from `cluster` to `chosen`.
fn choose_four(cluster: &mut Vec<Candidate>, chosen: &mut Vec<Candidate>, reduction: &Reduction) {
    let Some(first) = deepest(cluster, reduction.same_depth).map(|i| cluster.remove(i)) else { return };
    let distance = |c: &Candidate| (c.x - first.x).hypot(c.y - first.y);
    let Some(second) = take_best(cluster, |c| distance(c) * c.loyalty()) else { return chosen.push(first) };
    let side = |c: &Candidate| (second.x - first.x) * (c.y - first.y) - (second.y - first.y) * (c.x - first.x);
    let Some(third) = take_best(cluster, |c| side(c).abs() * c.loyalty()) else {
        return chosen.extend([first, second]);
    };
    // The fourth adds the most area outside the triangle of the others.
    let corners = [first, second, third];
    let turn = if side(&third) < 0.0 { -1.0 } else { 1.0 };
    let beyond = |c: &Candidate| {
        let over = |p: &Candidate, q: &Candidate| turn * ((c.x - p.x) * (q.y - p.y) - (c.y - p.y) * (q.x - p.x));
        over(&corners[0], &corners[1]).max(over(&corners[1], &corners[2])).max(over(&corners[2], &corners[0]))
    };
    let fourth = take_best(cluster, |c| beyond(c) * c.loyalty());
    let mut four = corners.to_vec();
    if let Some(fourth) = fourth {
        // A point inside the triangle of the others adds no support.
        if beyond(&fourth) > 0.0 {
            four.push(fourth);
        } else {
            cluster.push(fourth);
        }
    }
    // The choice among nearly equal depths may have passed over the very deepest: it takes the place of its neighbour.
    if let Some(i) = deepest(cluster, 0.0)
        && four.iter().all(|c| c.point.separation > cluster[i].point.separation + reduction.same_place)
    {
        let distance = |c: &Candidate| (c.x - cluster[i].x).hypot(c.y - cluster[i].y);
        if let Some(j) = (0..four.len()).min_by(|&p, &q| distance(&four[p]).total_cmp(&distance(&four[q]))) {
            std::mem::swap(&mut four[j], &mut cluster[i]);
        }
    }
    chosen.extend(four);
}

/// Removes the candidate of the greatest score; the one of the lowest features among equals.
fn take_best(cluster: &mut Vec<Candidate>, score: impl Fn(&Candidate) -> Real) -> Option<Candidate> {
    let best = (0..cluster.len()).reduce(|best, i| {
        let (old, new) = (score(&cluster[best]), score(&cluster[i]));
        let better = new > old || (new == old && cluster[i].point.features < cluster[best].point.features);
        if better { i } else { best }
    })?;
    Some(cluster.remove(best))
}

/// The corners of the convex hull of the chosen points, counter-clockwise (Andrew's monotone chain).
fn hull(chosen: &[Candidate]) -> Vec<Candidate> {
    let mut sorted = chosen.to_vec();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let left =
        |p: &Candidate, q: &Candidate, r: &Candidate| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0.0;
    let mut corners: Vec<Candidate> = Vec::with_capacity(sorted.len() + 1);
    for pass in 0..2 {
        let floor = corners.len();
        for c in &sorted {
            while corners.len() >= floor + 2 && !left(&corners[corners.len() - 2], &corners[corners.len() - 1], c) {
                corners.pop();
            }
            corners.push(*c);
        }
        corners.pop();
        if pass == 0 {
            sorted.reverse();
        }
    }
    corners
}

/// Whether the kept points would let the solids come closer at `c` than it allows: it lies outside of them, or deeper
/// than they are there.
fn is_missed(c: &Candidate, hull: &[Candidate], outside: Real, reduction: &Reduction) -> bool {
    let cross = |p: &Candidate, q: &Candidate, r: &Candidate| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    let n = hull.len();
    if n < 3 {
        // A line or a point of contact: what is beside it is missed.
        return hull.iter().all(|k| (c.x - k.x).hypot(c.y - k.y) > outside.max(reduction.same_place));
    }
    let sides = || (0..n).map(|i| (&hull[i], &hull[(i + 1) % n]));
    if sides().any(|(p, q)| cross(p, q, c) < 0.0) {
        return sides().map(|(p, q)| distance_to_segment(c, p, q)).fold(Real::INFINITY, Real::min) > outside;
    }
    // The least separation that the fan of kept corners says for this place.
    for i in 1..n - 1 {
        let (p, q, r) = (&hull[0], &hull[i], &hull[i + 1]);
        let weights = [cross(q, r, c), cross(r, p, c), cross(p, q, c)];
        if weights.iter().all(|w| *w >= 0.0) {
            let total: Real = weights.iter().sum();
            let separation = weights.iter().zip([p, q, r]).map(|(w, k)| w * k.point.separation).sum::<Real>();
            return total > 0.0 && c.point.separation < separation / total - reduction.same_depth;
        }
    }
    false
}

fn distance_to_segment(c: &Candidate, p: &Candidate, q: &Candidate) -> Real {
    let (dx, dy) = (q.x - p.x, q.y - p.y);
    let at = ((c.x - p.x) * dx + (c.y - p.y) * dy) / (dx * dx + dy * dy).max(Real::MIN_POSITIVE);
    let at = at.clamp(0.0, 1.0);
    (c.x - p.x - dx * at).hypot(c.y - p.y - dy * at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Point;
    use proptest::prelude::*;

    const CONVEX: Reduction = Reduction { same_place: 1e-6, same_depth: 1e-4, several_patches: false };
    const ANY: Reduction = Reduction { several_patches: true, ..CONVEX };

    fn contact(x: Real, z: Real, separation: Real, vertex: u32) -> ContactPoint {
        ContactPoint {
            point_a: Point::new(x, 0.0, z),
            point_b: Point::new(x, separation, z),
            normal: Vector::y(),
            separation,
            features: FeaturePair { a: Feature::Face(0), b: Feature::Vertex(vertex) },
        }
    }

    fn vertices(points: &[ContactPoint]) -> Vec<u32> {
        let mut found: Vec<u32> =
            points.iter().filter_map(|p| if let Feature::Vertex(v) = p.features.b { Some(v) } else { None }).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn of_a_grid_of_points_the_four_corners_are_kept() {
        let mut points: Vec<_> =
            (0..49).map(|i| contact(f64::from(i % 7), f64::from(i / 7), 1e-5 * f64::from(i % 3), i as u32)).collect();
        reduce(&mut points, 0, &[], &CONVEX);
        assert_eq!(vertices(&points), [0, 6, 42, 48]);
    }

    #[test]
    fn points_before_the_start_are_left_alone() {
        let mut points: Vec<_> = (0..9).map(|i| contact(f64::from(i), 0.0, 0.0, i as u32)).collect();
        let before = points[..5].to_vec();
        reduce(&mut points, 5, &[], &CONVEX);
        assert_eq!(points[..5], before);
    }

    #[test]
    fn a_bump_amid_a_flat_patch_is_kept() {
        let mut points: Vec<_> = (0..25).map(|i| contact(f64::from(i % 5), f64::from(i / 5), 5e-4, i as u32)).collect();
        points[12].separation = 0.0;
        for reduction in [CONVEX, ANY] {
            let mut reduced = points.clone();
            reduce(&mut reduced, 0, &[], &reduction);
            assert!(vertices(&reduced).contains(&12));
        }
    }

    #[test]
    fn a_round_patch_keeps_support_all_around() {
        let on_circle = |i: u32| contact((f64::from(i) * 0.1).sin(), (f64::from(i) * 0.1).cos(), 0.0, i);
        let mut points: Vec<_> = (0..62).map(on_circle).collect();
        reduce(&mut points, 0, &[], &ANY);
        assert!((4..=16).contains(&points.len()), "{} points", points.len());
        for i in 0..62 {
            let p = on_circle(i);
            let nearest = points.iter().map(|q| (q.point_a - p.point_a).norm()).fold(Real::MAX, Real::min);
            assert!(nearest < 0.8, "no support near {i}");
        }
    }

    #[test]
    fn two_normals_are_two_clusters() {
        let mut points: Vec<_> = (0..8).map(|i| contact(f64::from(i % 3), f64::from(i / 3), 0.0, i as u32)).collect();
        let wall = |i: u32| ContactPoint {
            normal: Vector::x(),
            features: FeaturePair { a: Feature::Face(1), b: Feature::Vertex(i) },
            ..contact(9.0, f64::from(i), 0.0, i)
        };
        points.extend((0..2).map(wall));
        reduce(&mut points, 0, &[], &CONVEX);
        assert_eq!(points.iter().filter(|p| p.normal == Vector::x()).count(), 2);
        assert_eq!(points.iter().filter(|p| p.normal == Vector::y()).count(), 4);
    }

    #[test]
    fn one_place_is_one_contact_and_keeps_its_features_from_the_last_time() {
        let one = contact(1.0, 1.0, 0.0, 3);
        let mut other = contact(1.0, 1.0 + 1e-7, 0.0, 0);
        other.features = FeaturePair { a: Feature::Edge(4), b: Feature::Edge(7) };
        for previous in [one.features, other.features] {
            let mut points = vec![one, other];
            reduce(&mut points, 0, &[previous], &CONVEX);
            assert_eq!(points.iter().map(|p| p.features).collect::<Vec<_>>(), [previous]);
        }
        let mut fresh = vec![other, one];
        reduce(&mut fresh, 0, &[], &CONVEX);
        assert_eq!(fresh[0].features, one.features, "a face defines the plane better than two edges");
    }

    proptest! {
        #[test]
        fn reduction_keeps_the_deepest_and_loses_little_area(seeds in prop::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64, 0.0..1e-3_f64), 5..40)) {
            let all: Vec<_> = seeds.iter().enumerate().map(|(i, &(x, z, s))| contact(x, z, s, i as u32)).collect();
            let mut points = all.clone();
            reduce(&mut points, 0, &[], &ANY);
            let deepest = |ps: &[ContactPoint]| ps.iter().map(|p| p.separation).fold(Real::MAX, Real::min);
            prop_assert!(deepest(&points) <= deepest(&all) + CONVEX.same_place);
            // Along any direction the kept points reach nearly as far as all of them.
            for k in 0..16 {
                let (s, c) = (f64::from(k) * 0.4).sin_cos();
                let reach = |ps: &[ContactPoint]| ps.iter().map(|p| c * p.point_a.x + s * p.point_a.z).fold(Real::MIN, Real::max);
                prop_assert!(reach(&points) >= reach(&all) - 0.4, "support lost: {} of {}", reach(&points), reach(&all));
            }
            // Reducing the reduced set with its own features changes nothing more than its order.
            let features: Vec<_> = points.iter().map(|p| p.features).collect();
            let mut again = all.clone();
            reduce(&mut again, 0, &features, &ANY);
            let count = again.iter().filter(|p| features.contains(&p.features)).count();
            prop_assert!(count * 10 >= points.len() * 7, "kept {count} of {}", points.len());
        }
    }
}
