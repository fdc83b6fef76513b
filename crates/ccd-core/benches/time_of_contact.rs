//! The usual cost of a time of contact, for each kind of pair and size: convex hulls, tori, soups, the spinning rod.
//!
//! `cargo bench -p ccd-core --bench time_of_contact`; one iteration is one query of a fixed sequence of random ones.
//! `--bench percentiles` has the spread.

mod queries;

use std::hint::black_box;
use std::time::Duration;

use ccd_core::detection::toc::{Method, TocOptions};
use ccd_core::shape::Shape;
use criterion::{BenchmarkId, Criterion};

use queries::{hull, queries, sheet, solve, torus};

fn pair(c: &mut Criterion, group: &str, size: u32, (a, b): (&Shape, &Shape), reach: f64, spin: f64, method: Method) {
    let asked = queries(0x7c0, 512, reach, spin);
    let options = TocOptions { method, ..TocOptions::default() };
    let mut next = 0;
    let mut group = c.benchmark_group(format!("{group}/{method:?}/{spin} rad/s"));
    group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
        bencher.iter(|| {
            next = (next + 1) % asked.len();
            black_box(solve(a, b, &asked[next], &options))
        });
    });
    group.finish();
}

fn main() {
    let mut c = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for vertices in [32, 128, 512] {
        let hull = hull(vertices);
        for spin in [1.0, 10.0, 50.0, 1e4] {
            pair(&mut c, "hulls", vertices, (&hull, &hull), 0.5, spin, Method::Auto);
        }
    }
    for (around, across) in [(50, 20), (160, 63), (500, 200)] {
        let torus = torus(1.0, 0.4, around, across);
        pair(&mut c, "tori", 2 * around * across, (&torus, &torus), 1.4, 10.0, Method::Auto);
    }
    for n in [32, 100] {
        let sheet = sheet(n);
        pair(&mut c, "soup and hull", 2 * n * n, (&sheet, &hull(32)), 1.0, 10.0, Method::Auto);
    }
    c.final_summary();
}
