//! The spread of the cost of one query over many random ones: what a frame has to expect, not only what is usual.
//!
//! `cargo bench -p ccd-core --bench percentiles` prints one line for each kind of pair; a word after `--` chooses the lines
//! that contain it.

#![allow(clippy::expect_used, reason = "a benchmark stops at a solid that cannot be made")]

mod queries;

use std::time::Instant;

use ccd_core::detection::toc::{Toc, TocOptions};
use ccd_core::shape::Shape;

use queries::{Query, hull, queries, rods, sheet, solve_over, sweeps, torus};

fn line(name: &str, a: &Shape, b: &Shape, reach: f64, spin: f64, count: usize) {
    measure(name, (a, b), spin, &queries(0x7c0, count, reach, spin), 1.0, &TocOptions::default());
}

fn measure(name: &str, (a, b): (&Shape, &Shape), spin: f64, asked: &[Query], seconds: f64, options: &TocOptions) {
    let count = asked.len();
    let chosen: Vec<String> = std::env::args().skip(1).filter(|w| !w.starts_with('-')).collect();
    if !chosen.is_empty() && !chosen.iter().any(|w| name.contains(w.as_str())) {
        return;
    }
    let (mut times, mut contacts, mut undecided) = (Vec::new(), 0, 0);
    let (mut nodes, mut features, mut looks) = (0, 0, 0);
    for query in asked {
        // The best of five: what else the machine does is no cost of the query.
        let mut time = f64::INFINITY;
        let mut found = None;
        for _ in 0..5 {
            let clock = Instant::now();
            found = Some(solve_over(a, b, query, seconds, options));
            time = time.min(clock.elapsed().as_secs_f64() * 1e6);
        }
        let Some(found) = found else { continue };
        times.push(time);
        contacts += usize::from(matches!(found.answer, Toc::Contact(_)));
        undecided += usize::from(matches!(found.answer, Toc::Undecided { .. }));
        nodes += found.stats.nodes_visited;
        features += found.stats.features_tested;
        looks += found.stats.distance_queries;
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{name:<34} {spin:>5} rad/s  {contacts:>4}/{count:<4} meet  {undecided} undecided  median {:>9.1}  p90 {:>9.1}  p99 {:>9.1}  max {:>9.1} us   {:>7.0} nodes {:>6.0} features {:>6.1} looks",
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0),
        nodes as f64 / count as f64,
        features as f64 / count as f64,
        looks as f64 / count as f64,
    );
}

fn main() {
    for vertices in [32, 128, 512] {
        let hull = hull(vertices);
        for spin in [1.0, 10.0, 50.0, 10_000.0] {
            line(&format!("hulls of {vertices}"), &hull, &hull, 0.5, spin, 2000);
        }
    }
    let (small, middle) = (torus(1.0, 0.4, 50, 20), torus(1.0, 0.4, 160, 63));
    for spin in [1.0, 10.0, 50.0] {
        line("tori of 2000", &small, &small, 1.4, spin, 1000);
    }
    line("tori of 20160", &middle, &middle, 1.4, 10.0, 300);
    let large = torus(1.0, 0.4, 500, 200);
    line("tori of 200000", &large, &large, 1.4, 10.0, 200);
    let post = Shape::cylinder(0.01, 1.0).expect("a post");
    let fine = TocOptions { tolerance: 1e-6, ..TocOptions::default() };
    for (name, rod) in ["box rod and post", "mesh rod and post"].iter().zip(rods()) {
        for spin in [20.0, 200.0] {
            measure(name, (&rod, &post), spin, &sweeps(0x7c0, 1000, spin), 1.0 / 60.0, &fine);
        }
    }
    let soup = sheet(32);
    line("soup of 2048 and hull of 32", &soup, &hull(32), 1.0, 10.0, 1000);
    line("soup of 2048 and torus of 2000", &soup, &small, 1.4, 10.0, 500);
}
