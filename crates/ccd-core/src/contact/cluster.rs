//! Clusters: contacts of one place, of which one is enough.
//!
//! Problem: where a sharp tip meets a solid near one of its edges, the tip and every edge at it are within the tolerance
//! of the face and the edge: six contacts of one place, with five different normals.
//!
//! Idea: contacts of which any two are less than 4ε apart are one cluster, and one of them stands for it: the one whose
//! features define the tangent plane best. The two other ways that the paper names are here as well.
//!
//! Source: Vaněček (1990), section 4. Departure: the paper wants entities at least 100ε apart, so that clusters never fuse.
//! Here they are made around the best contacts first and never grow wider than 4ε, whatever the solids are.

use super::ContactPoint;
use super::plane::TangentPlane;
use super::reduce::definiteness;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Real, Vector};

/// How wide a cluster is, in tolerances.
const WIDTH: Real = 4.0;

/// Contacts of one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Where its contacts stand among the points, ascending.
    pub members: Vec<usize>,
    /// Which of them stands for it, by the paper's priorities.
    pub kept: usize,
}

impl Cluster {
    /// The tangent plane at the contact that stands for the cluster; `None` for other points than it was made of.
    pub fn tangent_plane(&self, points: &[ContactPoint]) -> Option<TangentPlane> {
        points.get(self.kept).map(|p| TangentPlane::new(p.normal))
    }
}

/// How one contact of a cluster is chosen.
#[derive(Clone, Copy)]
pub enum ClusterChoice<'a> {
    /// By the paper's priorities: vertex and face before two edges, edge and vertex, two vertices; of equal ones the deepest.
    Priority,
    /// By the main feature of each side: the one of lowest dimension among those of the cluster, which the others meet in.
    MainFeature,
    /// By the motion: the solids are drawn back along their relative velocity until one contact is left within the tolerance.
    Motion {
        /// ε, metres.
        tolerance: Real,
        /// The velocity of B relative to A at a place, m/s.
        relative_velocity: &'a dyn Fn(&Point) -> Vector,
    },
}

/// The contacts as clusters of which any two members are less than 4 `tolerance` metres apart, each around the best
/// contact that is in none before it. Every point is in one cluster; the clusters do not depend on the order of the points.
///
/// O(n log n) for points that lie apart.
pub fn find_clusters(points: &[ContactPoint], tolerance: Real) -> Vec<Cluster> {
    let width = WIDTH * tolerance;
    let mut by_rank: Vec<usize> = (0..points.len()).collect();
    by_rank.sort_by(|&i, &j| compare(&points[i], &points[j]));
    let mut along_x: Vec<usize> = (0..points.len()).collect();
    let x = |i: usize| points[i].midpoint().x;
    along_x.sort_by(|&i, &j| x(i).total_cmp(&x(j)));
    let mut free = vec![true; points.len()];
    let mut clusters = Vec::new();
    for kept in by_rank {
        if !free[kept] {
            continue;
        }
        free[kept] = false;
        let mut members = vec![kept];
        let first = along_x.partition_point(|&i| x(i) <= x(kept) - width);
        let mut near: Vec<usize> =
            along_x[first..].iter().copied().take_while(|&i| x(i) < x(kept) + width).filter(|&i| free[i]).collect();
        near.sort_by(|&i, &j| compare(&points[i], &points[j]));
        for i in near {
            let place = points[i].midpoint();
            if members.iter().all(|&j| (points[j].midpoint() - place).norm() < width) {
                free[i] = false;
                members.push(i);
            }
        }
        members.sort_unstable();
        clusters.push(Cluster { members, kept });
    }
    clusters
}

/// By rank, depth, features, and last by place, so that no two different contacts are equal.
fn compare(p: &ContactPoint, q: &ContactPoint) -> std::cmp::Ordering {
    let rank = |c: &ContactPoint| definiteness(&c.features);
    let place = |c: &ContactPoint| c.midpoint();
    rank(p)
        .cmp(&rank(q))
        .then(p.separation.total_cmp(&q.separation))
        .then(p.features.cmp(&q.features))
        .then(place(p).x.total_cmp(&place(q).x))
        .then(place(p).y.total_cmp(&place(q).y))
        .then(place(p).z.total_cmp(&place(q).z))
}

/// Which contact stands for a cluster, by `choice`: an index into `points`. `None` for a cluster of other points.
pub fn choose(points: &[ContactPoint], cluster: &Cluster, choice: ClusterChoice<'_>) -> Option<usize> {
    let members = || cluster.members.iter().copied().filter(|&i| i < points.len());
    let best = |worse: &dyn Fn(usize) -> Real| {
        members().min_by(|&i, &j| worse(i).total_cmp(&worse(j)).then_with(|| compare(&points[i], &points[j])))
    };
    match choice {
        ClusterChoice::Priority => members().min_by(|&i, &j| compare(&points[i], &points[j])),
        ClusterChoice::MainFeature => {
            let main = |of: fn(&FeaturePair) -> Feature| {
                let features = || members().map(move |i| of(&points[i].features));
                let count = |f: Feature| features().filter(|g| *g == f).count();
                features().min_by_key(|&f| (dimension(f), usize::MAX - count(f), f))
            };
            let (main_a, main_b) = (main(|f| f.a)?, main(|f| f.b)?);
            let missing = |i: usize| {
                let features = &points[i].features;
                f64::from(u8::from(features.a != main_a) + u8::from(features.b != main_b))
            };
            best(&missing)
        }
        ClusterChoice::Motion { tolerance, relative_velocity } => {
            let count = members().count() as Real;
            let middle = Point::from(members().map(|i| points[i].midpoint().coords).sum::<Vector>() / count.max(1.0));
            // Where nothing moves nothing is drawn back.
            let Some(way) = relative_velocity(&middle).try_normalize(0.0) else {
                return choose(points, cluster, ClusterChoice::Priority);
            };
            // How far B can go back until the contact has left the tolerance; what does not open never does, and what is
            // beyond it has left it already.
            let lasts = |i: usize| {
                let opening = -way.dot(&points[i].normal);
                let left = tolerance - points[i].separation;
                if left < 0.0 {
                    left
                } else if opening > 0.0 {
                    left / opening
                } else {
                    Real::INFINITY
                }
            };
            best(&|i| -lasts(i))
        }
    }
}

fn dimension(feature: Feature) -> u8 {
    match feature {
        Feature::Vertex(_) => 0,
        Feature::Edge(_) => 1,
        Feature::Face(_) => 2,
    }
}

/// Of contacts of the same features in one place (less than 4 `tolerance` apart), found from either solid, keeps the deepest, in the
/// place of the first.
pub fn keep_once(points: &mut Vec<ContactPoint>, tolerance: Real) {
    let mut kept: Vec<ContactPoint> = Vec::with_capacity(points.len());
    for p in points.iter() {
        let twin = kept
            .iter_mut()
            .find(|q| q.features == p.features && (q.midpoint() - p.midpoint()).norm() < WIDTH * tolerance);
        match twin {
            Some(q) if p.separation < q.separation => *q = *p,
            Some(_) => {}
            None => kept.push(*p),
        }
    }
    *points = kept;
}

/// Keeps of `points[start..]` one for each cluster, by the paper's priorities, in their order.
pub(super) fn reduce_to_clusters(points: &mut Vec<ContactPoint>, start: usize, tolerance: Real) {
    let mut kept: Vec<usize> = find_clusters(&points[start..], tolerance).iter().map(|c| start + c.kept).collect();
    kept.sort_unstable();
    for (to, from) in kept.iter().enumerate() {
        points[start + to] = points[*from];
    }
    points.truncate(start + kept.len());
}

/// Replaces `points[start..]` by one contact in their middle, with the mean of their normals and the least of their separations: where,
/// it may be, nothing touches (erratum E14). The features are those of the deepest.
///
/// Source: Closson, section 3.2.
pub(super) fn reduce_to_average(points: &mut Vec<ContactPoint>, start: usize) {
    let Some(deepest) = points[start..].iter().min_by(|p, q| compare_depth(p, q)).copied() else { return };
    let count = (points.len() - start) as Real;
    let middle = Point::from(points[start..].iter().map(|p| p.midpoint().coords).sum::<Vector>() / count);
    // Normals that cancel have no mean.
    let normal = points[start..].iter().map(|p| p.normal).sum::<Vector>() / count;
    let normal = normal.try_normalize(1e-3).unwrap_or(deepest.normal);
    let half = normal * (0.5 * deepest.separation);
    points.truncate(start);
    points.push(ContactPoint { point_a: middle - half, point_b: middle + half, normal, ..deepest });
}

fn compare_depth(p: &ContactPoint, q: &ContactPoint) -> std::cmp::Ordering {
    p.separation.total_cmp(&q.separation).then(p.features.cmp(&q.features))
}
