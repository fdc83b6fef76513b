//! Which of many contact points are kept.
//!
//! Problem: a face on a triangulated floor, or two polygons with many corners, meet in more points than a solver should
//! see, and most of them add nothing: a rigid body that is held at the corners of a flat patch is held inside it.
//!
//! Idea: points of one place are joined; a dozen of them are kept. Of more, points of one normal direction make a cluster; of each cluster the deepest
//! point and the three that span the largest area with it are kept, and of a convex patch as many more of its corners as make the dozen. For solids that are not convex the rest is looked
//! at again: what lies outside the kept points, or deeper than they say, makes a further cluster, until nothing does,
//! so that no needed support is lost to a fixed number. Of a curved surface no number of points has all: there the depth that
//! does not matter grows with what has been kept, so that the kept ones grow with the logarithm of how deep the surface is.
//! Points kept the last time are preferred where the choice is close, so that the set does not change with every rounding.

mod candidate;
mod join;
mod outline;
mod pool;

use super::ContactPoint;
use super::buffer::Buffer;
use crate::geometry::feature::FeaturePair;
use crate::math::Real;

use candidate::{Candidate, State};
use pool::Pool;

pub(super) use join::{definiteness, join_places};

/// How to reduce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// Points nearer than this, with like normals, are one, metres.
    pub same_place: Real,
    /// Differences of separation below this do not matter, metres.
    pub same_depth: Real,
    /// The least separation of all is kept up to this, metres.
    pub same_gap: Real,
    /// Whether the points of one direction may be of several patches, or of one that is bent: more of them are kept until none is left that needs support.
    /// Between convex solids the patch is one convex polygon.
    pub several_patches: bool,
    /// No more points than these are all kept, at least four; of a convex patch so many at most, and one more that is deeper.
    pub few: usize,
}

/// Normals within about 11° are one cluster.
const SAME_DIRECTION: Real = 0.98;

/// Reduces `points[start..]` to a representative set, in a deterministic order; `previous` are the features kept the
/// last time. O(n log n + kept · n).
pub fn reduce(points: &mut Vec<ContactPoint>, start: usize, previous: &[FeaturePair], reduction: &Reduction) {
    join_places(points, start, previous, reduction.same_place);
    if points.len() - start <= reduction.few {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::feature::Feature;
    use crate::math::{Point, Vector};
    use proptest::prelude::*;

    const CONVEX: Reduction =
        Reduction { same_place: 1e-6, same_depth: 1e-4, same_gap: 1e-6, several_patches: false, few: 4 };
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
    fn of_a_base_of_sixty_corners_a_dozen_are_kept_that_leave_out_a_twelfth_of_its_radius_at_most_and_the_deepest_too()
    {
        let angle = |i: u32| f64::from(i) * std::f64::consts::TAU / 60.0;
        let mut points: Vec<_> = (0..60).map(|i| contact(angle(i).sin(), angle(i).cos(), 1e-5, i)).collect();
        let convex = Reduction { few: 12, ..CONVEX };
        points[17].separation -= 1e-6;
        let mut kept = points.clone();
        reduce(&mut kept, 0, &[], &convex);
        let corners = vertices(&kept);
        assert!(corners.len() == 12 && corners.contains(&17), "{corners:?}");
        let widest = (0..12).map(|k| (corners[(k + 1) % 12] + 60 - corners[k]) % 60).max().unwrap();
        assert!(1.0 - (0.5 * angle(widest)).cos() < 1.0 / 12.0, "{corners:?}");
        // Leaning another way it sees another one, and exchanges no more than that.
        let previous: Vec<FeaturePair> = kept.iter().map(|p| p.features).collect();
        points[44].separation -= 3e-6;
        reduce(&mut points, 0, &previous, &convex);
        let leaning = vertices(&points);
        assert!(leaning.contains(&44) && leaning.iter().filter(|v| !corners.contains(v)).count() <= 2, "{leaning:?}");
    }

    #[test]
    fn of_a_bowl_of_thousands_of_places_fewer_than_150_are_kept_the_deepest_and_the_rim_among_them() {
        const SIDE: u32 = 61;
        let place = |k: u32| 2.0 * f64::from(k) / f64::from(SIDE - 1) - 1.0;
        let mut points: Vec<_> = (0..SIDE * SIDE)
            .map(|i| {
                let (x, z) = (place(i % SIDE), place(i / SIDE));
                contact(x, z, 0.1 * (x * x + z * z - 1.0), i)
            })
            .collect();
        reduce(&mut points, 0, &[], &ANY);
        assert!(points.len() < 150, "{} points", points.len());
        let deepest = SIDE * SIDE / 2;
        let corners = [0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1];
        let kept = vertices(&points);
        assert!(corners.iter().chain([&deepest]).all(|v| kept.contains(v)), "{kept:?}");
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
            prop_assert!(deepest(&points) <= deepest(&all) + CONVEX.same_gap);
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
            prop_assert!(deepest(&again) <= deepest(&all) + CONVEX.same_gap);
            prop_assert!(again.iter().any(|p| features.contains(&p.features)), "nothing of the last time is left");
        }
    }
}
