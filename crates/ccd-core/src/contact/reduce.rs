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
use super::buffer::Buffer;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Real, orthonormal_basis};

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
/// The same where no more than four points are kept: of a circle four leave out so much.
const OUTSIDE_OF_FOUR: Real = 0.2;

/// Reduces `points[start..]` to a representative set, in a deterministic order; `previous` are the features kept the
/// last time. O(n log n + kept · n).
pub fn reduce(points: &mut Vec<ContactPoint>, start: usize, previous: &[FeaturePair], reduction: &Reduction) {
    join_places(points, start, previous, reduction.same_place);
    if points.len() - start <= 4 {
        return;
    }
    let mut pool = Pool { candidates: Buffer::new(Candidate::NONE), points: &points[start..] };
    for p in &points[start..] {
        pool.candidates.push(Candidate::new(p, previous.contains(&p.features)));
    }
    while let Some(seed) = pool.deepest(State::Waiting, reduction.same_depth) {
        pool.cluster_around(seed);
        pool.keep_representatives(reduction);
    }
    // In the order in which they were found, which is that of the features and not of the choice.
    let candidates = pool.candidates;
    let mut kept = start;
    for (k, candidate) in candidates.iter().enumerate() {
        if candidate.state == State::Chosen {
            points[kept] = points[start + k];
            kept += 1;
        }
    }
    points.truncate(kept);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In no cluster yet.
    Waiting,
    /// In the cluster at hand.
    Clustered,
    /// Kept.
    Chosen,
    /// Not needed.
    Dropped,
}

#[derive(Clone, Copy)]
struct Candidate {
    state: State,
    /// Preferred by this factor, because it was kept the last time.
    loyalty: Real,
    separation: Real,
    /// Its place seen along the cluster's normal.
    x: Real,
    y: Real,
}

impl Candidate {
    const NONE: Self = Self { state: State::Dropped, loyalty: 1.0, separation: 0.0, x: 0.0, y: 0.0 };

    fn new(point: &ContactPoint, loyal: bool) -> Self {
        let loyalty = if loyal { LOYALTY } else { 1.0 };
        Self { state: State::Waiting, loyalty, separation: point.separation, x: 0.0, y: 0.0 }
    }

    fn distance_squared(&self, other: &Self) -> Real {
        (self.x - other.x) * (self.x - other.x) + (self.y - other.y) * (self.y - other.y)
    }
}

/// Twice the area of the triangle, positive counter-clockwise.
fn cross(p: &Candidate, q: &Candidate, r: &Candidate) -> Real {
    (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
}

/// Joins points of the same place and direction; of each group the contact kept the last time stays, else that of the most definite features.
pub(super) fn join_places(points: &mut Vec<ContactPoint>, start: usize, previous: &[FeaturePair], same_place: Real) {
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

/// The points that are chosen from, with what is known of each beside it.
struct Pool<'a> {
    candidates: Buffer<Candidate, 16>,
    points: &'a [ContactPoint],
}

impl Pool<'_> {
    fn with(&self, state: State) -> impl Iterator<Item = usize> + '_ {
        self.candidates.iter().enumerate().filter(move |(_, c)| c.state == state).map(|(i, _)| i)
    }

    /// The deepest of a state; among those within `same_depth` of it the first that was kept the last time, else the first by features.
    fn deepest(&self, state: State, same_depth: Real) -> Option<usize> {
        let depth = self.with(state).map(|i| self.candidates[i].separation).reduce(Real::min)?;
        self.with(state)
            .filter(|&i| self.candidates[i].separation <= depth + same_depth)
            .min_by_key(|&i| (self.candidates[i].loyalty == 1.0, self.points[i].features))
    }

    /// Puts all waiting points whose normals are like the seed's into the cluster, seen along its normal.
    fn cluster_around(&mut self, seed: usize) {
        let normal = self.points[seed].normal;
        let origin = self.points[seed].point_a;
        let (t, s) = orthonormal_basis(&normal);
        for (c, p) in self.candidates.as_mut_slice().iter_mut().zip(self.points) {
            if c.state == State::Waiting && p.normal.dot(&normal) > SAME_DIRECTION {
                let place = p.midpoint() - origin;
                (c.state, c.x, c.y) = (State::Clustered, place.dot(&t), place.dot(&s));
            }
        }
    }

    /// Keeps four points of the cluster, and further fours while the kept ones leave out support and that is asked for.
    fn keep_representatives(&mut self, reduction: &Reduction) {
        if self.keep_the_last(reduction) {
            return;
        }
        let mut chosen: Vec<Candidate> = Vec::new();
        loop {
            let count = self.with(State::Clustered).count();
            if count <= 4 {
                self.mark_rest(State::Chosen);
                return;
            }
            let four = self.choose_four(reduction);
            if !reduction.several_patches {
                self.mark_rest(State::Dropped);
                return;
            }
            chosen.extend(four.iter().flatten().map(|&i| self.candidates[i]));
            let hull = hull(&chosen);
            let outside = OUTSIDE * span(&hull);
            for c in self.candidates.as_mut_slice() {
                if c.state == State::Clustered && !is_missed(c, &hull, outside, reduction) {
                    c.state = State::Dropped;
                }
            }
        }
    }

    /// Keeps of the cluster what was kept the last time, if that still holds the bodies: then a small motion changes nothing
    /// but the places. What is missed counts by a little more than when it is chosen anew, so that nothing flips at the limit.
    fn keep_the_last(&mut self, reduction: &Reduction) -> bool {
        let count = self.with(State::Clustered).count();
        let mut last: Buffer<Candidate, 8> = Buffer::new(Candidate::NONE);
        for c in self.with(State::Clustered).map(|i| self.candidates[i]).filter(|c| c.loyalty > 1.0) {
            last.push(c);
        }
        if count <= 4 || last.is_empty() || !reduction.several_patches && last.len() > 4 {
            return false;
        }
        let depth = |least: Real, c: &Candidate| least.min(c.separation);
        let deepest = self.with(State::Clustered).map(|i| &self.candidates[i]).fold(Real::INFINITY, depth);
        if last.iter().fold(Real::INFINITY, depth) > deepest + reduction.same_place {
            return false;
        }
        let hull = hull(&last);
        let share = if reduction.several_patches { OUTSIDE } else { OUTSIDE_OF_FOUR };
        let outside = share * LOYALTY * span(&hull);
        let looser = Reduction { same_depth: LOYALTY * reduction.same_depth, ..*reduction };
        let is_missed = |c: &Candidate| {
            if reduction.several_patches {
                is_missed(c, &hull, outside, &looser)
            } else {
                lies_outside(c, &hull, outside, &looser)
            }
        };
        let any_missed =
            self.with(State::Clustered).any(|i| self.candidates[i].loyalty == 1.0 && is_missed(&self.candidates[i]));
        if any_missed && (reduction.several_patches || area(&hull) * LOYALTY < self.area_anew(reduction)) {
            return false;
        }
        for c in self.candidates.as_mut_slice() {
            if c.state == State::Clustered {
                c.state = if c.loyalty > 1.0 { State::Chosen } else { State::Dropped };
            }
        }
        true
    }

    /// The area of the four points that would be chosen if none had been kept before.
    fn area_anew(&self, reduction: &Reduction) -> Real {
        let mut anew = Pool { candidates: self.candidates.clone(), points: self.points };
        for c in anew.candidates.as_mut_slice() {
            c.loyalty = 1.0;
        }
        let four: Vec<Candidate> = anew.choose_four(reduction).iter().flatten().map(|&i| anew.candidates[i]).collect();
        area(&hull(&four))
    }

    fn mark_rest(&mut self, state: State) {
        for c in self.candidates.as_mut_slice() {
            if c.state == State::Clustered {
                c.state = state;
            }
        }
    }

    /// Chooses the deepest point of the cluster and the three that span the most with it.
    fn choose_four(&mut self, reduction: &Reduction) -> [Option<usize>; 4] {
        let mut four = [None; 4];
        let Some(first) = self.deepest(State::Clustered, reduction.same_depth) else { return four };
        let origin = self.choose(first);
        four[0] = Some(first);
        let Some(second) = self.best(|c| c.distance_squared(&origin) * c.loyalty * c.loyalty) else { return four };
        let far = self.choose(second);
        four[1] = Some(second);
        let Some(third) = self.best(|c| cross(&origin, &far, c).abs() * c.loyalty) else { return four };
        let aside = self.choose(third);
        four[2] = Some(third);
        // The fourth adds the most area outside the triangle of the others; inside it adds no support.
        let turn = if cross(&origin, &far, &aside) < 0.0 { -1.0 } else { 1.0 };
        let beyond = |c: &Candidate| {
            let over = |p: &Candidate, q: &Candidate| -turn * cross(p, q, c);
            over(&origin, &far).max(over(&far, &aside)).max(over(&aside, &origin))
        };
        if let Some(fourth) = self.best(|c| beyond(c) * c.loyalty)
            && beyond(&self.candidates[fourth]) > 0.0
        {
            self.choose(fourth);
            four[3] = Some(fourth);
        }
        self.admit_deepest(&mut four, reduction.same_place);
        four
    }

    /// The choice among nearly equal depths may have passed over the very deepest: it takes the place of its neighbour.
    fn admit_deepest(&mut self, four: &mut [Option<usize>; 4], same_place: Real) {
        let Some(i) = self.deepest(State::Clustered, 0.0) else { return };
        let deepest = self.candidates[i];
        let kept = four.iter().flatten().map(|&j| self.candidates[j].separation).fold(Real::INFINITY, Real::min);
        // Half, so that what is chosen now is deep enough the next time, too.
        if kept <= deepest.separation + 0.5 * same_place {
            return;
        }
        let distance = |j: usize| self.candidates[j].distance_squared(&deepest);
        let neighbour = four.iter_mut().flatten().min_by(|p, q| distance(**p).total_cmp(&distance(**q)));
        if let Some(j) = neighbour {
            self.candidates.as_mut_slice()[*j].state = State::Clustered;
            self.candidates.as_mut_slice()[i].state = State::Chosen;
            *j = i;
        }
    }

    fn choose(&mut self, i: usize) -> Candidate {
        self.candidates.as_mut_slice()[i].state = State::Chosen;
        self.candidates[i]
    }

    /// The clustered point of the greatest score; the one of the lowest features among equals.
    fn best(&self, score: impl Fn(&Candidate) -> Real) -> Option<usize> {
        let mut best: Option<(Real, usize)> = None;
        for i in self.with(State::Clustered) {
            let new = score(&self.candidates[i]);
            let better = best
                .is_none_or(|(old, k)| new > old || (new == old && self.points[i].features < self.points[k].features));
            if better {
                best = Some((new, i));
            }
        }
        best.map(|(_, i)| i)
    }
}

/// The corners of the convex hull of the chosen points, counter-clockwise (Andrew's monotone chain).
fn hull(chosen: &[Candidate]) -> Buffer<Candidate, 8> {
    let mut sorted: Buffer<Candidate, 8> = Buffer::new(Candidate::NONE);
    for c in chosen {
        sorted.push(*c);
    }
    let sorted = sorted.as_mut_slice();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let left =
        |p: &Candidate, q: &Candidate, r: &Candidate| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0.0;
    let mut corners: Buffer<Candidate, 8> = Buffer::new(Candidate::NONE);
    for pass in 0..2 {
        let floor = corners.len();
        for c in sorted.iter() {
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

/// Twice the area of a convex polygon.
fn area(hull: &[Candidate]) -> Real {
    (2..hull.len()).map(|i| cross(&hull[0], &hull[i - 1], &hull[i])).sum()
}

/// The larger side of the box around the points, metres.
fn span(hull: &[Candidate]) -> Real {
    let along = |coordinate: fn(&Candidate) -> Real| {
        let all = hull.iter().map(coordinate);
        all.clone().fold(Real::MIN, Real::max) - all.fold(Real::MAX, Real::min)
    };
    along(|c| c.x).max(along(|c| c.y))
}

/// Whether a place lies further than `outside` from the polygon, line or point of the kept ones.
fn lies_outside(c: &Candidate, hull: &[Candidate], outside: Real, reduction: &Reduction) -> bool {
    let n = hull.len();
    if n < 3 {
        // A line or a point of contact: what is beside it is missed.
        return hull.iter().all(|k| (c.x - k.x).hypot(c.y - k.y) > outside.max(reduction.same_place));
    }
    let sides = || (0..n).map(|i| (&hull[i], &hull[(i + 1) % n]));
    sides().any(|(p, q)| cross(p, q, c) < 0.0)
        && sides().map(|(p, q)| distance_to_segment(c, p, q)).fold(Real::INFINITY, Real::min) > outside
}

/// Whether the kept points would let the solids come closer at `c` than it allows: it lies outside of them, or deeper
/// than they are there.
fn is_missed(c: &Candidate, hull: &[Candidate], outside: Real, reduction: &Reduction) -> bool {
    if lies_outside(c, hull, outside, reduction) {
        return true;
    }
    let n = hull.len();
    // The least separation that the fan of kept corners says for this place.
    for i in 1..n - 1 {
        let (p, q, r) = (&hull[0], &hull[i], &hull[i + 1]);
        let weights = [cross(q, r, c), cross(r, p, c), cross(p, q, c)];
        if weights.iter().all(|w| *w >= 0.0) {
            let total: Real = weights.iter().sum();
            let separation = weights.iter().zip([p, q, r]).map(|(w, k)| w * k.separation).sum::<Real>();
            return total > 0.0 && c.separation < separation / total - reduction.same_depth;
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
    use crate::math::{Point, Vector};
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

    /// A cloud of contacts, or the corners of a polygon that is a circle or not.
    fn patch() -> impl Strategy<Value = Vec<ContactPoint>> {
        let seed = (-1.0..1.0_f64, -1.0..1.0_f64, 0.0..1e-3_f64);
        (prop::collection::vec(seed, 5..30), any::<bool>(), 0.1..1.0_f64).prop_map(|(seeds, round, flat)| {
            let n = seeds.len() as Real;
            let place = |(i, (x, z, s)): (usize, (Real, Real, Real))| {
                let (sin, cos) = (i as Real * std::f64::consts::TAU / n).sin_cos();
                if round { contact(cos, flat * sin, 1e-3 * s, i as u32) } else { contact(x, z, s, i as u32) }
            };
            seeds.into_iter().enumerate().map(place).collect()
        })
    }

    proptest! {
        /// The promise that a solver needs: a body that creeps keeps its contacts.
        #[test]
        fn a_small_motion_moves_the_kept_set_as_little(
            points in patch(), convex in any::<bool>(), tilt in prop::array::uniform3(-1e-9..1e-9_f64),
        ) {
            let reduction = if convex { CONVEX } else { ANY };
            let mut now = points.clone();
            reduce(&mut now, 0, &[], &reduction);
            for _ in 0..3 {
                let last: Vec<_> = now.iter().map(|p| p.features).collect();
                let mut moved = points.clone();
                for p in &mut moved {
                    let rise = tilt[0] * p.point_a.x + tilt[1] * p.point_a.z + tilt[2];
                    p.separation += rise;
                    p.point_b += Vector::new(tilt[2], rise, tilt[0]);
                }
                let unreduced = moved.clone();
                reduce(&mut moved, 0, &last, &reduction);
                let kept: Vec<_> = moved.iter().map(|p| p.features).collect();
                // Either the very same set, or (once) a better one that is then kept: never one and the other in turn.
                let settled: Vec<_> = {
                    let mut again = unreduced;
                    reduce(&mut again, 0, &kept, &reduction);
                    again.iter().map(|p| p.features).collect()
                };
                prop_assert_eq!(&settled, &kept);
                prop_assert_eq!(&kept, &last);
                for (p, q) in moved.iter().zip(&now) {
                    prop_assert!((p.midpoint() - q.midpoint()).norm() < 1e-8);
                }
                now = moved;
            }
        }

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
            // What was kept the last time is preferred, but not at the price of the deepest point.
            let features: Vec<_> = points.iter().map(|p| p.features).collect();
            let mut again = all.clone();
            reduce(&mut again, 0, &features, &ANY);
            prop_assert!(deepest(&again) <= deepest(&all) + CONVEX.same_place);
            prop_assert!(again.iter().any(|p| features.contains(&p.features)), "nothing of the last time is left");
        }
    }
}
