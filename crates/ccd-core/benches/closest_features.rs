//! Closest features with coherence: what one query costs while a polyhedron moves by small steps around another.
//!
//! `cargo bench -p ccd-core --bench closest_features` prints nanoseconds a query, the least of five runs of the same walk of
//! 2000 poses (1 degree and 0.01 a step), for boxes and spheres of 12 to 642 vertices; then steps of a V-Clip query and
//! rounds of a GJK query against the size of the step.

#![allow(clippy::expect_used, reason = "a solid that is refused leaves nothing to measure")]

mod coherence;

use std::hint::black_box;
use std::time::Instant;

use ccd_core::detection::closest::gjk::{GjkCache, GjkGoal, RelativePose, separation};
use ccd_core::detection::closest::vclip::{FeatureMemory, closest_features};
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::math::Real;
use coherence::{POSES, cuboid, sphere, walk};

const RUNS: usize = 5;

/// Nanoseconds a query, the least of the runs, and what the queries sum up to.
fn time(poses: &[RelativePose], mut run: impl FnMut(&[RelativePose]) -> Real) -> (Real, Real) {
    let mut best = Real::INFINITY;
    let mut sum = 0.0;
    for _ in 0..RUNS {
        let clock = Instant::now();
        sum = black_box(run(black_box(poses)));
        best = best.min(clock.elapsed().as_secs_f64() * 1e9 / poses.len() as Real);
    }
    (best, sum)
}

fn main() {
    let solids: Vec<(&str, ConvexPolyhedron)> = vec![
        ("box, 8", cuboid()),
        ("sphere, 12", sphere(0)),
        ("sphere, 42", sphere(1)),
        ("sphere, 162", sphere(2)),
        ("sphere, 642", sphere(3)),
    ];
    let poses = walk(1.0_f64.to_radians(), 0.01);
    println!(
        "{:<12} {:>12} {:>12} {:>12} {:>12} {:>14}   ns a query; 150 log2 N",
        "solid", "V-Clip warm", "V-Clip cold", "GJK warm", "GJK cold", "cold target"
    );
    for (name, solid) in &solids {
        solid.voronoi();
        let vclip_warm = time(&poses, |poses| {
            let mut memory = FeatureMemory::default();
            poses.iter().map(|p| closest_features(solid, solid, p, &mut memory).distance).sum()
        });
        let vclip_cold = time(&poses, |poses| {
            poses.iter().map(|p| closest_features(solid, solid, p, &mut FeatureMemory::default()).distance).sum()
        });
        let gjk_warm = time(&poses, |poses| {
            let mut cache = GjkCache::default();
            poses.iter().map(|p| separation(solid, solid, p, &mut cache, &GjkGoal::EXACT).distance).sum()
        });
        let gjk_cold = time(&poses, |poses| {
            let cold = |p| separation(solid, solid, p, &mut GjkCache::default(), &GjkGoal::EXACT).distance;
            poses.iter().map(cold).sum()
        });
        // All have measured the same.
        let same = (vclip_warm.1 - gjk_warm.1).abs() < 1e-6 && (vclip_cold.1 - gjk_cold.1).abs() < 1e-6;
        assert!(same, "{name}: {vclip_warm:?} {gjk_warm:?} {vclip_cold:?} {gjk_cold:?}");
        println!(
            "{name:<12} {:>12.0} {:>12.0} {:>12.0} {:>12.0} {:>14.0}",
            vclip_warm.0,
            vclip_cold.0,
            gjk_warm.0,
            gjk_cold.0,
            150.0 * (solid.vertices().len() as Real).log2()
        );
    }

    println!(
        "\n{:<12} {:>10} {:>14} {:>14} {:>12} {:>12}",
        "solid", "degrees", "V-Clip steps", "GJK rounds", "V-Clip ns", "GJK ns"
    );
    for (name, solid) in &solids {
        for degrees in [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 45.0] {
            let poses = walk(Real::to_radians(degrees), 0.01 * degrees);
            let (mut steps, mut rounds) = (0, 0);
            let vclip = time(&poses, |poses| {
                let mut memory = FeatureMemory::default();
                steps = 0;
                poses
                    .iter()
                    .map(|p| {
                        let found = closest_features(solid, solid, p, &mut memory);
                        steps += found.steps;
                        found.distance
                    })
                    .sum()
            });
            let gjk = time(&poses, |poses| {
                let mut cache = GjkCache::default();
                rounds = 0;
                poses
                    .iter()
                    .map(|p| {
                        let found = separation(solid, solid, p, &mut cache, &GjkGoal::EXACT);
                        rounds += found.rounds;
                        found.distance
                    })
                    .sum()
            });
            let each = |n: u32| Real::from(n) / POSES as Real;
            println!(
                "{name:<12} {degrees:>10} {:>14.2} {:>14.2} {:>12.0} {:>12.0}",
                each(steps),
                each(rounds),
                vclip.0,
                gjk.0
            );
        }
    }
}
